"""Piggy Six: house rules, turns, states as text, invariants, and the game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from pigglesim.chance_types import (
    ChanceOutcome,
    CockedDice,
    DiceRequest,
    DiceResult,
    answering_dice,
    fair_dice,
)
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import Invariant, NonPlayer, Result, Turn, changed, require_player
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
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat

MIN_PLAYERS, MAX_PLAYERS = 2, 8
_SEATS = tuple(Seat)
IMAGINARY = 2
"""Number of imaginary players of the solitaire game (R5)."""


class Ending(StrEnum):
    """End of the game (R3, PS7)."""

    EQUAL_TURNS = "equal_turns"
    """Completion of the round in which a player reaches the target; most points win."""
    RACE = "race"
    """Immediate win of the first player at the target."""


class DiceChoice(StrEnum):
    """Time of choosing the number of dice in the three-dice game (PS4)."""

    PER_ROLL = "per_roll"
    PER_TURN = "per_turn"
    """First roll of a turn, for the whole turn."""


class Tie(StrEnum):
    """Outcome of a tie for the most points (PS2)."""

    SHARE = "share"
    EXTRA_ROUND = "extra_round"
    """Extra rounds of all players, until one is ahead or nobody has the target."""


class Order(StrEnum):
    """Player who begins each round of the solitaire game (PS5)."""

    HUMAN_FIRST = "human_first"
    HUMAN_LAST = "human_last"


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySixRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    players: int = switch(2, "R3, R4", "number of players", least=MIN_PLAYERS, most=MAX_PLAYERS)
    target: int = switch(
        100, "R3", "points that end the game; 50 for a short one", least=1, most=10_000
    )
    end: Ending = switch(
        Ending.EQUAL_TURNS,
        "PS7",
        "the round is completed when a player has the target, or that player wins at once",
    )
    must_roll: bool = switch(
        True, "PS1", "a turn has at least one roll; with `off` a player may stop without one"
    )
    tie: Tie = switch(
        Tie.SHARE, "PS2", "tied players win together, or all players play another round"
    )
    three_dice: bool = switch(False, "R6", "the player chooses to roll one die, two or three")
    dice_choice: DiceChoice = switch(
        DiceChoice.PER_ROLL,
        "PS4",
        "the number of dice is chosen for each roll, or once for the whole turn",
    )
    solitaire: bool = switch(False, "R5", "one person plays against two imaginary players")
    bot_stop_1: int = switch(
        8, "R5", "turn total at which the first imaginary player stops", least=1, most=10_000
    )
    bot_stop_2: int = switch(
        14, "R5", "turn total at which the second imaginary player stops", least=1, most=10_000
    )
    bot_goal_stop: bool = switch(
        False, "PS5", "imaginary players also stop when they have the target"
    )
    order: Order = switch(
        Order.HUMAN_FIRST,
        "PS5",
        "the person plays first or last in each round of the solitaire game",
    )
    cocked_dice: CockedDice = switch(
        CockedDice.REROLL,
        "cocked dice",
        "dice that do not rest on a face are rolled again, or read by the nearest face",
    )
    roll_cap: int = switch(
        100, "longest game", "rolls after which a turn is banked", least=1, most=10_000
    )
    round_cap: int = switch(
        1000, "longest game", "rounds after which most points win", least=1, most=100_000
    )

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.solitaire and self.players != MIN_PLAYERS:
            raise SpecError(
                f"players={self.players} in the solitaire game, which has one person",
                fix="leave players out, or set solitaire=off",
            )

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players with points, including imaginary ones, in the order of seats."""
        return _SEATS[: 1 + IMAGINARY if self.solitaire else self.players]

    @property
    def turn_order(self) -> tuple[Seat, ...]:
        """Players with points in the order of turns."""
        if self.solitaire and self.order is Order.HUMAN_LAST:
            human, *imaginary = self.seats
            return (*imaginary, human)
        return self.seats

    @property
    def stops(self) -> Mapping[Seat, int]:
        """Stop total of each imaginary player; empty outside the solitaire game."""
        if not self.solitaire:
            return {}
        return dict(zip(self.seats[1:], (self.bot_stop_1, self.bot_stop_2), strict=True))

    @property
    def dice_numbers(self) -> tuple[int, ...]:
        """Numbers of dice that a player may roll."""
        return (1, 2, 3) if self.three_dice else (2,)


SIX = 6


class Fate(StrEnum):
    """Results of a roll for the roller."""

    POINTS = "points"
    """Sum of the dice, added to the total of the turn."""
    BUST = "bust"
    """Exactly one six: the turn ends without points."""
    RESET = "reset"
    """Two or three sixes: the turn ends, and all points are lost."""


def fate_of(faces: Sequence[int]) -> Fate:
    """Return the result of a roll; a single die costs at most the turn."""
    sixes = sum(face == SIX for face in faces)
    return (Fate.POINTS, Fate.BUST, Fate.RESET)[min(sixes, 2)]


SEAT_NUMBERS = {seat: number for number, seat in enumerate(Seat)}
"""Index of each seat in a bank."""


class PiggySixReason(StrEnum):
    """Reasons for the end of a game of Piggy Six."""

    POINTS = "points"
    """Most points after equal turns (R3)."""
    RACE = "race"
    """First at the target (PS7)."""
    CAP = "cap"
    """Most points after the maximum number of rounds."""


@dataclass(frozen=True, slots=True)
class DiceRoll:
    """Action of rolling a number of dice."""

    dice: int = 2


@dataclass(frozen=True, slots=True)
class Stop:
    """Action of banking the total of the turn."""


@dataclass(frozen=True, kw_only=True)
class PiggySixState:
    """State of a game; nothing in it is hidden."""

    bank: tuple[int, ...]
    """Banked points in the order of seats."""
    active: Seat = Seat.A
    """Player whose turn it is."""
    round: int = 1
    total: int = 0
    """Points of this turn, not banked yet."""
    rolls: int = 0
    """Number of rolls made in this turn."""
    dice: int = 0
    """Number of dice of this turn's last roll, made or due; 0 before the first."""
    rolling: bool = False
    """True if that roll is due."""
    result: Result | None = None

    def points_of(self, seat: Seat) -> int:
        """Return the banked points of a player."""
        return self.bank[SEAT_NUMBERS[seat]]


_ROLLS = (DiceRoll(1), DiceRoll(2), DiceRoll(3))
_STOP = Stop()


def choices(state: PiggySixState, rules: PiggySixRules) -> tuple[DiceRoll | Stop, ...]:
    """Return the legal actions: rolls, fewest dice first, and then the stop (PS1, PS4)."""
    numbers = rules.dice_numbers
    if state.dice and rules.dice_choice is DiceChoice.PER_TURN:
        numbers = (state.dice,)
    rolls = tuple(_ROLLS[number - 1] for number in numbers)
    return (*rolls, _STOP) if state.rolls or not rules.must_roll else rolls


def roll(state: PiggySixState, dice: int, rules: PiggySixRules) -> PiggySixState:
    """Return the state with dice in the hand.

    Raises:
        IllegalActionError: If that many dice may not be rolled now.
    """
    allowed = [action.dice for action in choices(state, rules) if isinstance(action, DiceRoll)]
    if dice not in allowed:
        raise IllegalActionError(
            f"{dice} dice cannot be rolled now",
            expected=" or ".join(map(str, allowed)),
            fix=f"roll {allowed[-1]}{'' if rules.three_dice else ', or set three_dice=on'}",
            rule="PS4" if state.dice and rules.three_dice else "R6",
        )
    return changed(state, dice=dice, rolling=True)


def stop(state: PiggySixState, rules: PiggySixRules) -> PiggySixState:
    """Return the state after banking the total of the turn.

    Raises:
        IllegalActionError: If a roll must come first.
    """
    if rules.must_roll and not state.rolls:
        raise IllegalActionError(
            "a stop before any roll", fix="roll, or set must_roll=off", rule="PS1"
        )
    return _end_turn(state, state.points_of(state.active) + state.total, rules)


def count(state: PiggySixState, faces: tuple[int, ...], rules: PiggySixRules) -> PiggySixState:
    """Return the state after the dice in the hand have been rolled."""
    match fate_of(faces):
        case Fate.BUST:
            return _end_turn(state, state.points_of(state.active), rules)
        case Fate.RESET:
            return _end_turn(state, 0, rules)
        case Fate.POINTS:
            rolled = changed(
                state, total=state.total + sum(faces), rolls=state.rolls + 1, rolling=False
            )
    if rolled.rolls >= rules.roll_cap or _imaginary_stops(rolled, rules):
        return stop(rolled, rules)
    return _in_hand(rolled, rules)


def begin_turn(
    bank: tuple[int, ...], seat: Seat, number: int, rules: PiggySixRules
) -> PiggySixState:
    """Return the state at the start of a player's turn in a round."""
    return _in_hand(PiggySixState(bank=bank, active=seat, round=number), rules)


def _in_hand(state: PiggySixState, rules: PiggySixRules) -> PiggySixState:
    """Return the state with the dice in the hand of an imaginary player, who never decides."""
    if not rules.solitaire or state.active not in rules.stops:
        return state
    return changed(state, dice=2, rolling=True)


def _imaginary_stops(state: PiggySixState, rules: PiggySixRules) -> bool:
    if not rules.solitaire or state.active not in rules.stops:
        return False
    stops_at = rules.stops[state.active]
    points = state.points_of(state.active) + state.total
    return state.total >= stops_at or (rules.bot_goal_stop and points >= rules.target)


def _end_turn(state: PiggySixState, points: int, rules: PiggySixRules) -> PiggySixState:
    """Return the state after a turn, given its player's new points."""
    at = SEAT_NUMBERS[state.active]
    bank = (*state.bank[:at], points, *state.bank[at + 1 :])
    written = PiggySixState(bank=bank, active=state.active, round=state.round)
    result = _result(written, rules)
    if result is not None:
        return changed(written, result=result)
    order = rules.turn_order
    turn = order.index(state.active) + 1
    if turn < len(order):
        return begin_turn(bank, order[turn], state.round, rules)
    return begin_turn(bank, order[0], state.round + 1, rules)


def _result(state: PiggySixState, rules: PiggySixRules) -> Result | None:
    """Return the result after the turn of the active player, or None (R3, PS7)."""
    if rules.end is Ending.RACE and state.points_of(state.active) >= rules.target:
        return Result(winner=state.active, reason=PiggySixReason.RACE)
    top_score = max(state.bank)
    if state.active is not rules.turn_order[-1] or (
        top_score < rules.target and state.round < rules.round_cap
    ):
        return None
    leaders = tuple(seat for seat in rules.seats if state.points_of(seat) == top_score)
    if top_score >= rules.target and (len(leaders) == 1 or rules.tie is Tie.SHARE):
        reason = PiggySixReason.POINTS
    elif state.round >= rules.round_cap:
        reason = PiggySixReason.CAP
    else:
        return None
    return Result.of(leaders, reason)


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


def _turn(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    numbers, rolls, total = rules.dice_numbers, state.rolls, state.total
    lowest, highest = rolls * min(numbers), rolls * max(numbers) * 5
    possible = 0 <= rolls < rules.roll_cap and lowest <= total <= highest
    yield Invariant(possible, "R1", f"{total} points of {rolls} rolls without a six")
    started = rolls > 0 or state.rolling
    possible = state.dice in (numbers if started else (0,))
    begun = "begun" if started else "not begun"
    yield Invariant(possible, "R6", f"{state.dice} dice in a turn {begun}")
    possible = state.active not in rules.stops or state.rolling or state.result is not None
    yield Invariant(possible, "R5", f"the imaginary player {state.active} is to decide")


def _goes_on(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    """Give the invariants of a match without a result."""
    target_reached = any(points >= rules.target for points in state.bank)
    lasts = not target_reached or rules.end is not Ending.RACE
    yield Invariant(lasts, "PS7", "the race goes on after a player has won it")
    # Whoever is still to play in this round had these points when the last one ended.
    waiting = rules.turn_order[rules.turn_order.index(state.active) :]
    early = next((seat for seat in waiting if state.points_of(seat) >= rules.target), None)
    tied = state.bank.count(max(state.bank)) > 1
    # After a tied round others may have the target too, and the tied players may lose it.
    lasts = rules.tie is Tie.EXTRA_ROUND and (tied or waiting != rules.turn_order)
    fault = f"{early} had the target of {rules.target} before round {state.round}"
    yield Invariant(early is None or lasts, "R3", fault)


def _end(state: PiggySixState, rules: PiggySixRules) -> Iterator[Invariant]:
    result, last = state.result, rules.turn_order[-1]
    if result is None:
        yield from _goes_on(state, rules)
        return
    begun = state.rolling or state.total > 0
    yield Invariant(not begun, "R3", f"{state.active} has begun a turn after the end")
    winners, top_score = result.shared or (result.winner,), max(state.bank)
    lead = all(seat is not None and state.points_of(seat) == top_score for seat in winners)
    yield Invariant(
        result.reason == PiggySixReason.RACE or (state.active is last and lead),
        "R3",
        f"{', '.join(map(str, winners))} won after the turn of {state.active}, "
        f"without the most points or before the turn of {last}",
    )


SixAction: TypeAlias = DiceRoll | Stop
"""Actions of a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySixObservation:
    """Observation of a player: the whole state, because nothing in Piggy Six is hidden."""

    seat: Seat
    state: PiggySixState
    rules: PiggySixRules


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySix(BaseGame[PiggySixState, SixAction, DiceRequest]):
    """Piggy Six under the house rules of one table."""

    rules: PiggySixRules = field(default_factory=PiggySixRules)
    name: ClassVar[str] = "piggy_six"
    _forms: ClassVar[ActionForms[SixAction]] = FORMS
    _words: ClassVar[Words] = WORDS

    @property
    def _blank(self) -> PiggySixState:
        return PiggySixState(bank=())

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players with points, including the imaginary ones of the solitaire game."""
        return self.rules.seats

    @property
    def idle_seats(self) -> frozenset[Seat]:
        """Imaginary players of the solitaire game, who stop at a fixed total."""
        return frozenset(self.rules.stops)

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes, two per roll of each turn."""
        turns = self.rules.round_cap * len(self.seats)
        return turns * 2 * self.rules.roll_cap

    def initial_state(self) -> PiggySixState:
        return begin_turn((0,) * len(self.seats), self.rules.turn_order[0], 1, self.rules)

    def turn(self, state: PiggySixState) -> Turn:
        if state.result is not None:
            return NonPlayer.OVER
        return NonPlayer.CHANCE if state.rolling else state.active

    def legal_actions(self, state: PiggySixState) -> tuple[SixAction, ...]:
        """Return the allowed rolls, fewest dice first, and then the stop (R1, PS1)."""
        if state.rolling or state.result is not None:
            return ()
        return choices(state, self.rules)

    def apply_action(self, state: PiggySixState, action: SixAction) -> PiggySixState:
        require_player(self.turn(state), action, str, rule="R1")
        match action:
            case DiceRoll(dice=dice):
                return roll(state, dice, self.rules)
            case Stop():
                return stop(state, self.rules)
            case _:
                raise IllegalActionError(f"action {action!r}", fix="roll or stop", rule="R1")

    def chance_outcomes(self, state: PiggySixState) -> tuple[tuple[DiceResult, float], ...]:
        request = self.chance_request(state)
        return fair_dice(request.count, request.sides)

    def apply_outcome(self, state: PiggySixState, outcome: ChanceOutcome) -> PiggySixState:
        dice = answering_dice(outcome, self.chance_request(state))
        return count(state, dice.faces, self.rules)

    def observe(self, state: PiggySixState, seat: Seat) -> PiggySixObservation:
        return PiggySixObservation(seat=seat, state=state, rules=self.rules)

    def scores(self, state: PiggySixState) -> Mapping[Seat, int]:
        """Return the banked points of each player."""
        return {seat: state.points_of(seat) for seat in self.seats}

    def _request(self, state: PiggySixState) -> DiceRequest:
        cocked = self.rules.cocked_dice
        return DiceRequest(thrower=state.active, count=state.dice, sides=SIX, cocked=cocked)

    def _readable(self, state: PiggySixState) -> Iterator[Invariant]:
        seats, cap, points = self.seats, self.rules.round_cap, len(state.bank)
        yield Invariant(points == len(seats), "R3", f"points of {points} players, not {len(seats)}")
        lowest = min(state.bank, default=0)
        yield Invariant(lowest >= 0, "R1", f"points of {lowest}")
        yield Invariant(
            state.active in seats, "R3", f"the turn of the missing player {state.active}"
        )
        within = 1 <= state.round <= cap
        yield Invariant(within, "longest game", f"round {state.round}, not one of 1 to {cap}")

    def _invariants(self, state: PiggySixState) -> Iterator[Invariant]:
        table = tuple(self._readable(state))
        yield from table
        # With other players, no further invariant can be tested.
        if all(invariant.holds for invariant in table):
            yield from _turn(state, self.rules)
            yield from _end(state, self.rules)
