"""What rolled dice mean in Piggy Six, and how a turn goes on and ends (R1-R6)."""

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
    """What a roll does to whoever rolled it."""

    POINTS = "points"
    """Its sum is added to the total of the turn."""
    BUST = "bust"
    """Exactly one six: the turn is over and brings nothing."""
    RESET = "reset"
    """Two sixes or three: the turn is over, and all points are lost."""


def fate_of(faces: Sequence[int]) -> Fate:
    """Return what a roll does; a single die can never cost more than the turn."""
    sixes = sum(face == SIX for face in faces)
    return (Fate.POINTS, Fate.BUST, Fate.RESET)[min(sixes, 2)]


SEAT_NUMBERS = {seat: number for number, seat in enumerate(Seat)}
"""Where the points of each seat stand in a bank."""


@unique
class PiggySixReason(StrEnum):
    """How a game of Piggy Six ends."""

    POINTS = "points"
    """Most points after equal turns (R3)."""
    RACE = "race"
    """First at the target (PS7)."""
    CAP = "cap"
    """Most points after the longest game the house rules allow."""


@dataclass(frozen=True, slots=True)
class DiceRoll:
    """The action of rolling so many dice."""

    dice: int = 2


@dataclass(frozen=True, slots=True)
class Stop:
    """The action of writing down the total of the turn."""


@dataclass(frozen=True, kw_only=True)
class PiggySixState:
    """Everything there is to know of a game under way; nothing of it is hidden."""

    bank: tuple[int, ...]
    """Points written down, in the order of seats."""
    active: Seat = Seat.A
    """Whose turn it is."""
    round: int = 1
    total: int = 0
    """Points of this turn, not yet written down."""
    rolls: int = 0
    """Rolls of this turn that have been made."""
    dice: int = 0
    """Dice of the last roll of this turn, made or due; 0 before the first."""
    rolling: bool = False
    """Whether that roll is due."""
    result: Result | None = None

    def points_of(self, seat: Seat) -> int:
        """Return the points that a player has written down."""
        return self.bank[SEAT_NUMBERS[seat]]


_ROLLS = (DiceRoll(1), DiceRoll(2), DiceRoll(3))
_STOP = Stop()


def choices(state: PiggySixState, rules: PiggySixRules) -> tuple[DiceRoll | Stop, ...]:
    """Return what the player whose turn it is may do: rolls first, fewest dice first (PS1, PS4)."""
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
            f"a roll of {' or '.join(map(str, allowed))} dice",
            got=f"a roll of {dice}",
            remedy=f"roll {allowed[-1]}" if rules.three_dice else "roll, or set three_dice=on",
            rule="PS4" if state.dice and rules.three_dice else "R6",
        )
    return changed(state, dice=dice, rolling=True)


def stop(state: PiggySixState, rules: PiggySixRules) -> PiggySixState:
    """Return the state after the total of the turn has been written down.

    Raises:
        IllegalActionError: If a roll must come first.
    """
    if rules.must_roll and not state.rolls:
        raise IllegalActionError(
            "a roll before stopping", got="stop", remedy="roll, or set must_roll=off", rule="PS1"
        )
    return _end_turn(state, state.points_of(state.active) + state.total, rules)


def count(state: PiggySixState, faces: tuple[int, ...], rules: PiggySixRules) -> PiggySixState:
    """Return the state after the dice in the hand have come to lie."""
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
        SpecError: If nobody sits there.
    """
    if seat not in rules.seats:
        raise SpecError(
            f"a player of {', '.join(rules.seats)}", got=str(seat), remedy="name one of them"
        )
    return _begun(state.bank, seat, state.round, rules)


def _begun(bank: tuple[int, ...], seat: Seat, number: int, rules: PiggySixRules) -> PiggySixState:
    return _in_hand(PiggySixState(bank=bank, active=seat, round=number), rules)


def _in_hand(state: PiggySixState, rules: PiggySixRules) -> PiggySixState:
    """Return the state with the dice in the hand of an imaginary player, who never asks."""
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
    """Return the state after a turn that leaves its player so many points."""
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
    """Return how the game has ended with the turn of the active player, if it has (R3, PS7)."""
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
