"""How a game ends: on points, by exhaustion, by concession, or not yet (R15-R18)."""

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggles.areas import recoup
from pigglesim.games.piggles.house_rules import Exhaustion, HouseRules
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.state import Position, Reason, Sudden
from pigglesim.games.piggles.sudden import available
from pigglesim.rolls import BOARD_SEATS, Seat

__all__ = ["EXHAUSTION_ROUND", "after_last_round", "check_exhaustion", "concede", "exhausted"]

EXHAUSTION_ROUND = 5
"""The one turn at whose beginning total exhaustion loses (R17)."""


def _on_points(position: Position) -> Result:
    """Return the result by score alone: the higher wins, a tie is a draw."""
    a, b = position.a.score, position.b.score
    if a == b:
        return Result(winner=None, reason=Reason.DRAW)
    return Result(winner=Seat.A if a > b else Seat.B, reason=Reason.SCORE)


def after_last_round(position: Position, rules: HouseRules) -> Position:
    """Return the position after the last Resolve: won on points, or with a tie-break due.

    A player with no Piggle for the tie-break has lost it (R16); two such players draw (P15).
    """
    if position.result is not None:
        return position
    if position.a.score != position.b.score:
        return changed(position, result=_on_points(position))
    ready = [seat for seat in BOARD_SEATS if available(position, seat, rules)]
    if len(ready) == 1:
        return changed(position, result=Result(winner=ready[0], reason=Reason.NONE_AVAILABLE))
    if not ready:
        return changed(position, result=Result(winner=None, reason=Reason.DRAW))
    first = rules.first_in(position.round)
    return changed(position, phase=Phase.SUDDEN, active=first, sudden=Sudden())


def exhausted(position: Position, seat: Seat) -> bool:
    """Return whether the Pen of `seat` is empty and every Piggle is in Mud or Kitchen (R17).

    A side without any Piggle, which only a made-up position has, is not exhausted.
    """
    side = position.side(seat)
    elsewhere = side.pen or side.cup or position.on_board(seat)
    return not elsewhere and bool(side.mud or side.kitchen)


def check_exhaustion(position: Position, rules: HouseRules) -> Position:
    """Return the position after the test of the active player at the start of turn 5 (P4).

    When both would fail, neither has lost by it: the score decides, and a tie is a draw.
    """
    seat = position.active
    if rules.exhaustion is Exhaustion.AFTER_RECOUP:
        tested = recoup(recoup(position, seat, rules), seat.other, rules)
    else:
        tested = position
    if position.result is not None or not exhausted(tested, seat):
        return position
    if exhausted(tested, seat.other):
        return changed(position, result=_on_points(position))
    return changed(position, result=Result(winner=seat.other, reason=Reason.EXHAUSTION))


def concede(position: Position, seat: Seat) -> Position:
    """Return the position after `seat` has given up (R18)."""
    if position.result is not None:
        return position
    return changed(position, result=Result(winner=seat.other, reason=Reason.CONCESSION))
