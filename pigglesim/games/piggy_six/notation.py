"""What no state of Piggy Six can be: every invariant that is broken, told by its rule."""

from collections.abc import Iterator

from pigglesim.errors import SpecError
from pigglesim.games.game import Result, Violation
from pigglesim.games.piggy_six.house_rules import Ending, PiggySixRules
from pigglesim.games.piggy_six.rules import DiceRoll, PiggySixReason, PiggySixState, Stop
from pigglesim.landing import Seat


def violations(state: PiggySixState, rules: PiggySixRules) -> tuple[Violation, ...]:
    """Return every invariant that a state breaks, none if it is possible."""
    # Of a table with other players nothing more can be said.
    return tuple(_table(state, rules)) or (*_turn(state, rules), *_end(state, rules))


def check_table(state: PiggySixState, rules: PiggySixRules) -> None:
    """Raise `SpecError` if a state is of another table: players, turn or round."""
    for fault in _table(state, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def _table(state: PiggySixState, rules: PiggySixRules) -> Iterator[Violation]:
    seats = rules.seats
    if len(state.bank) != len(seats):
        yield Violation(
            "R3",
            f"points of {len(seats)} players",
            f"of {len(state.bank)}",
            f"give points to {', '.join(seats)}",
        )
    if min(state.bank, default=0) < 0:
        yield Violation(
            "R1", "points of 0 or more", str(min(state.bank)), "no roll takes more than there is"
        )
    if state.active not in seats:
        yield Violation(
            "R3", f"the turn of {' or '.join(seats)}", str(state.active), "name a player"
        )
    if not 1 <= state.round <= rules.round_cap:
        yield Violation(
            "longest game",
            f"a round from 1 to {rules.round_cap}",
            str(state.round),
            "set round_cap higher",
        )


def _turn(state: PiggySixState, rules: PiggySixRules) -> Iterator[Violation]:
    numbers, rolls, total = rules.dice_numbers, state.rolls, state.total
    least, most = rolls * min(numbers), rolls * max(numbers) * 5
    if not 0 <= rolls < rules.roll_cap or not least <= total <= most:
        yield Violation(
            "R1",
            f"{rolls} rolls without a six, from {least} to {most} points in all",
            f"{total} points",
            f"a total of {least}, and fewer than {rules.roll_cap} rolls",
        )
    started = rolls > 0 or state.rolling
    if state.dice not in (numbers if started else (0,)):
        yield Violation(
            "R6",
            f"{' or '.join(map(str, numbers))} dice in a turn begun, 0 before its start",
            str(state.dice),
            "dice=2" if started else "dice=0",
        )
    if state.active in rules.stops and not state.rolling and state.result is None:
        yield Violation(
            "R5",
            "an imaginary player with dice in the hand",
            "one to decide",
            "rolling: imaginary players decide nothing",
        )


def _end(state: PiggySixState, rules: PiggySixRules) -> Iterator[Violation]:
    result, last = state.result, rules.turn_order[-1]
    if result is None:
        reached = [seat for seat in rules.seats if state.points_of(seat) >= rules.target]
        if reached and rules.end is Ending.RACE:
            yield Violation(
                "PS7",
                "the end of a race that has been won",
                f"{state.active} to go on",
                f"result={reached[0]}:race",
            )
        return
    if state.rolling or state.total:
        yield Violation(
            "R3",
            "no turn begun after the end",
            f"a turn of {state.active}",
            "leave out total and rolling",
        )
    won = result.shared or (result.winner,)
    most = max(state.bank)
    if result.reason != PiggySixReason.RACE and (
        state.active is not last
        or any(seat is None or state.points_of(seat) < most for seat in won)
    ):
        yield Violation(
            "R3",
            f"the most points to win when {last} has had the last turn",
            f"{', '.join(map(str, won))} after the turn of {state.active}",
            "leave the result out",
        )


_ACTIONS: dict[str, DiceRoll | Stop] = {
    "roll": DiceRoll(2),
    "roll 1": DiceRoll(1),
    "roll 3": DiceRoll(3),
    "stop": Stop(),
}
_WORDS = {action: text for text, action in _ACTIONS.items()}


def format_action(action: DiceRoll | Stop) -> str:
    """Return an action as text: `roll` for two dice, `roll 1`, `roll 3` or `stop`."""
    return _WORDS[action]


def parse_action(text: str) -> DiceRoll | Stop:
    """Return the action that a text names; `roll 2` is `roll`.

    Raises:
        SpecError: If the text is no action.
    """
    words = " ".join(text.split())
    action = _ACTIONS.get("roll" if words == "roll 2" else words)
    if action is None:
        raise SpecError(
            "an action", got=repr(text), remedy="roll or stop; with three dice roll 1 or roll 3"
        )
    return action


def format_state(state: PiggySixState) -> str:
    """Return a state as text, such as `bank=40,60 active=B round=7 total=12 rolls=2 dice=2`."""
    words = [f"bank={','.join(map(str, state.bank))}", f"active={state.active}"]
    words.append(f"round={state.round}")
    for name in ("total", "rolls", "dice"):
        if value := getattr(state, name):
            words.append(f"{name}={value}")
    if state.rolling:
        words.append("rolling")
    if state.result is not None:
        won = state.result.shared or (state.result.winner,)
        words.append(f"result={''.join(map(str, won))}:{state.result.reason}")
    return " ".join(words)


def parse_state(text: str) -> PiggySixState:
    """Return the state that `format_position` wrote.

    Raises:
        SpecError: If the text is no state.
    """
    words = dict(word.partition("=")[::2] for word in text.split())
    unknown = words.keys() - {*_NUMBERS, "bank", "active", "rolling", "result"}
    try:
        if unknown or words.get("rolling"):
            raise ValueError(text)
        return PiggySixState(
            bank=tuple(_whole(points) for points in words["bank"].split(",")),
            active=Seat(words["active"]),
            rolling="rolling" in words,
            result=_parse_result(words["result"]) if "result" in words else None,
            **{name: _whole(words[name]) for name in _NUMBERS if name in words},
        )
    except (KeyError, ValueError):
        raise SpecError(
            "a position of Piggy Six",
            got=repr(text),
            remedy="bank=40,60 active=B round=7 total=12 rolls=2 dice=2",
        ) from None


_NUMBERS = ("round", "total", "rolls", "dice")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _parse_result(text: str) -> Result:
    letters, _, reason = text.partition(":")
    won = tuple(Seat(letter) for letter in letters)
    if len(won) == 1:
        return Result(winner=won[0], reason=PiggySixReason(reason))
    if not won:
        raise ValueError(text)
    return Result(winner=None, reason=PiggySixReason(reason), shared=won)
