"""How one step of Piggles leads to the next until somebody must decide or roll (R5, R6).

Every function returns the steps in order, so that a board can be drawn after each; the rules
themselves only need the last.
"""

from dataclasses import dataclass

from pigglesim.games.change import changed
from pigglesim.games.piggles.areas import recoup
from pigglesim.games.piggles.ending import EXHAUSTION_ROUND, check_exhaustion
from pigglesim.games.piggles.house_rules import Exhaustion, HouseRules
from pigglesim.games.piggles.loading import Load, load
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.resolve import resolve
from pigglesim.games.piggles.rolling import check_outcome, land, roll_request
from pigglesim.games.piggles.scoring import Tally, book, tally_of
from pigglesim.games.piggles.state import Position
from pigglesim.games.piggles.sudden import land_sudden, sudden_request
from pigglesim.rolls import RollResult, Seat

__all__ = ["Step", "after_load", "after_roll", "after_sudden", "end_turn", "start_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One phase done, and how things stand after it."""

    phase: Phase
    seat: Seat | None
    """Whose phase it was; None for Resolve."""
    position: Position
    tally: Tally | None = None
    """How the points came about, after a Tally."""


def start_turn(position: Position, seat: Seat, round_number: int, rules: HouseRules) -> Position:
    """Return the position in which `seat` may load: exhaustion tested, Mud recouped (R6, R17)."""
    position = changed(position, round=round_number, active=seat, phase=Phase.LOAD, rerolls=0)
    # Both settings of the switch look at what the Recoup would give before it is done, so that
    # a player who has lost leaves the position as it was.
    if round_number == EXHAUSTION_ROUND and rules.exhaustion is not Exhaustion.OFF:
        position = check_exhaustion(position, rules)
        if position.result is not None:
            return position
    return recoup(position, seat, rules)


def after_load(position: Position, action: Load, rules: HouseRules) -> list[Step]:
    """Return the steps after the active player's load; nothing loaded skips to Tally (R9)."""
    seat = position.active
    loaded = load(position, seat, action)
    if action.piggles:
        rolling = changed(loaded, phase=Phase.ROLL)
        return [Step(phase=Phase.LOAD, seat=seat, position=rolling)]
    counting = changed(loaded, phase=Phase.TALLY)
    return [Step(phase=Phase.LOAD, seat=seat, position=counting), *end_turn(counting, rules)]


def after_roll(position: Position, outcome: RollResult, rules: HouseRules) -> list[Step]:
    """Return the steps after an outcome: the landing, and the Tally unless a reroll is due."""
    if position.phase is Phase.SUDDEN:
        return after_sudden(position, outcome, rules)
    seat = position.active
    check_outcome(roll_request(position, rules), outcome)
    landed = land(position, outcome, rules)
    steps = [Step(phase=Phase.ROLL, seat=seat, position=landed)]
    return steps if landed.phase is Phase.ROLL else [*steps, *end_turn(landed, rules)]


def after_sudden(position: Position, outcome: RollResult, rules: HouseRules) -> list[Step]:
    """Return the one step after an outcome in the tie-break."""
    check_outcome(sudden_request(position, rules), outcome)
    landed = land_sudden(position, outcome, rules)
    return [Step(phase=Phase.SUDDEN, seat=None, position=landed)]


def end_turn(position: Position, rules: HouseRules) -> list[Step]:
    """Return the active player's Tally and what follows it."""
    seat = position.active
    counted = tally_of(position, seat, rules)
    position = book(position, counted)
    steps = [Step(phase=Phase.TALLY, seat=seat, position=position, tally=counted)]
    if seat is rules.first_in(position.round):
        return [*steps, _begin(position, seat.other, position.round, rules)]
    resolved = resolve(position, rules)
    steps.append(Step(phase=Phase.RESOLVE, seat=None, position=resolved))
    if resolved.round < rules.rounds:
        following = resolved.round + 1
        steps.append(_begin(resolved, rules.first_in(following), following, rules))
    return steps


def _begin(position: Position, seat: Seat, round_number: int, rules: HouseRules) -> Step:
    started = start_turn(position, seat, round_number, rules)
    return Step(phase=Phase.RECOUP, seat=seat, position=started)
