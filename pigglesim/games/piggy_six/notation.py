"""Actions and states of Piggy Six as text, and the invariants of states."""

from collections.abc import Iterator

from pigglesim.games.game import Invariant
from pigglesim.games.notation import (
    COUNT,
    NUMBERS,
    SEAT,
    WHOLE,
    YES,
    ActionForms,
    Codec,
    Words,
    optional,
    result_codec,
)
from pigglesim.games.piggy_six.house_rules import Ending, PiggySixRules
from pigglesim.games.piggy_six.rules import DiceRoll, PiggySixReason, PiggySixState, Stop

FORMS: ActionForms[DiceRoll | Stop] = ActionForms(
    {"roll": DiceRoll(2), "stop": Stop(), "roll {dice}": DiceRoll},
    {"dice": Codec(str, {"1": 1, "2": 2, "3": 3}.__getitem__)},
    example="roll or stop; with three dice roll 1 or roll 3",
)

WORDS: Words = {
    "bank": ("bank", NUMBERS),
    "active": ("active", SEAT),
    "round": ("round", WHOLE),
    "total": ("total", COUNT),
    "rolls": ("rolls", COUNT),
    "dice": ("dice", COUNT),
    "rolling": ("rolling", YES),
    "result": ("result", optional(result_codec(PiggySixReason, SEAT, ","))),
}
"""Words of a state, such as `bank=40,60 active=B round=7 total=12 rolls=2 dice=2`."""


def table_invariants(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    """Give the invariants of players, points and rounds."""
    seats = rules.seats
    yield Invariant(
        len(state.bank) == len(seats), "R3", f"points of {len(seats)} players", len(state.bank)
    )
    lowest = min(state.bank, default=0)
    yield Invariant(lowest >= 0, "R1", "points of 0 or more", lowest)
    yield Invariant(state.active in seats, "R3", f"the turn of {' or '.join(seats)}", state.active)
    cap = rules.round_cap
    yield Invariant(
        1 <= state.round <= cap, "longest game", f"a round from 1 to {cap}", state.round
    )


def invariants(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    """Give every invariant of a state."""
    table = tuple(table_invariants(state, rules))
    yield from table
    # With other players, no further invariant can be tested.
    if all(each.holds for each in table):
        yield from _turn(state, rules)
        yield from _end(state, rules)


def _turn(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    numbers, rolls, total = rules.dice_numbers, state.rolls, state.total
    least, most = rolls * min(numbers), rolls * max(numbers) * 5
    yield Invariant(
        0 <= rolls < rules.roll_cap and least <= total <= most,
        "R1",
        f"less than {rules.roll_cap} rolls without a six, {rolls} of {least} to {most} points",
        f"{total} points",
    )
    started = rolls > 0 or state.rolling
    yield Invariant(
        state.dice in (numbers if started else (0,)),
        "R6",
        f"{' or '.join(map(str, numbers))} dice in a turn begun, 0 before its start",
        state.dice,
    )
    yield Invariant(
        state.active not in rules.stops or state.rolling or state.result is not None,
        "R5",
        "an imaginary player with dice in the hand",
        "one to decide",
    )


def _end(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    result, last = state.result, rules.turn_order[-1]
    if result is None:
        reached = any(points >= rules.target for points in state.bank)
        yield Invariant(
            not reached or rules.end is not Ending.RACE,
            "PS7",
            "the end of a race that has been won",
            f"{state.active} to go on",
        )
        return
    begun = state.rolling or state.total > 0
    yield Invariant(not begun, "R3", "no turn begun after the end", f"a turn of {state.active}")
    won, most = result.shared or (result.winner,), max(state.bank)
    best = all(seat is not None and state.points_of(seat) == most for seat in won)
    yield Invariant(
        result.reason == PiggySixReason.RACE or (state.active is last and best),
        "R3",
        f"the most points to win when {last} has had the last turn",
        f"{', '.join(map(str, won))} after the turn of {state.active}",
    )
