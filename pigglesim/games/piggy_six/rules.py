"""Rules of Piggy Six: results of rolls, and the course of a turn (R1-R6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggy_six.house_rules import DiceChoice, Ending, PiggySixRules, Tie
from pigglesim.landing import Seat

SIX = 6


@unique
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


@unique
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
    allowed = [each.dice for each in choices(state, rules) if isinstance(each, DiceRoll)]
    if dice not in allowed:
        raise IllegalActionError(
            f"a roll of {dice}",
            expected=f"a roll of {' or '.join(map(str, allowed))} dice",
            fix=f"roll {allowed[-1]}" if rules.three_dice else "roll, or set three_dice=on",
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
            "stop", expected="a roll before stopping", fix="roll, or set must_roll=off", rule="PS1"
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


def begin_turn(state: PiggySixState, seat: Seat, rules: PiggySixRules) -> PiggySixState:
    """Return the state at the start of a player's turn.

    Raises:
        SpecError: If the seat has no player.
    """
    if seat not in rules.seats:
        raise SpecError(
            str(seat), expected=f"a player of {', '.join(rules.seats)}", fix="name one of them"
        )
    return _begun(state.bank, seat, state.round, rules)


def _begun(bank: tuple[int, ...], seat: Seat, number: int, rules: PiggySixRules) -> PiggySixState:
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
        return _begun(bank, order[turn], state.round, rules)
    return _begun(bank, order[0], state.round + 1, rules)


def _result(state: PiggySixState, rules: PiggySixRules) -> Result | None:
    """Return the result after the turn of the active player, or None (R3, PS7)."""
    if rules.end is Ending.RACE and state.points_of(state.active) >= rules.target:
        return Result(winner=state.active, reason=PiggySixReason.RACE)
    most = max(state.bank)
    if state.active is not rules.turn_order[-1] or (
        most < rules.target and state.round < rules.round_cap
    ):
        return None
    best = tuple(seat for seat in rules.seats if state.points_of(seat) == most)
    if most >= rules.target and (len(best) == 1 or rules.tie is Tie.SHARE):
        reason = PiggySixReason.POINTS
    elif state.round >= rules.round_cap:
        reason = PiggySixReason.CAP
    else:
        return None
    return Result.of(best, reason)
