"""Into the Mud and the Kitchen, and back out of the Mud (R4, R7, P3)."""

from dataclasses import replace

from pigglesim.games.piggles.house_rules import HouseRules, MudDelay
from pigglesim.games.piggles.phases import FIRST_RECOUP_ROUND
from pigglesim.games.piggles.state import MudEntry, Position, in_order, owner
from pigglesim.rolls import Seat

__all__ = ["into_kitchen", "into_mud", "may_return", "recoup"]


def into_mud(
    position: Position, piggle: str, rules: HouseRules, *, roller: Seat | None = None
) -> Position:
    """Return the position with a Piggle added to its owner's Mud.

    Args:
        position: The position, from whose board the Piggle has been taken.
        piggle: The Piggle.
        rules: The house rules, which know who goes first in this round.
        roller: Whose roll took it off the board, or None at Resolve.
    """
    seat = owner(piggle)
    early = roller is not None and roller is not seat and roller is rules.first_in(position.round)
    side = position.side(seat)
    mud = (*side.mud, MudEntry(piggle=piggle, round=position.round, early=early))
    ordered = tuple(sorted(mud, key=lambda entry: entry.piggle))
    return position.with_side(seat, replace(side, mud=ordered))


def into_kitchen(position: Position, piggle: str) -> Position:
    """Return the position with a Piggle added to its owner's Kitchen, for good."""
    seat = owner(piggle)
    side = position.side(seat)
    kitchen, late = in_order((*side.kitchen, piggle)), in_order((*side.late, piggle))
    return position.with_side(seat, replace(side, kitchen=kitchen, late=late))


def may_return(entry: MudEntry, round_number: int, rules: HouseRules) -> bool:
    """Return whether a Piggle may leave the Mud in a round's Recoup (P3)."""
    if round_number < FIRST_RECOUP_ROUND:
        return False
    match rules.mud_delay:
        case MudDelay.NONE:
            return True
        case MudDelay.ONE_FULL_TURN:
            return round_number >= entry.round + 2
        case MudDelay.OWNER_TURN:
            # One that went in before its owner's turn has sat that turn out already.
            return round_number >= entry.round + (1 if entry.early else 2)


def recoup(position: Position, seat: Seat, rules: HouseRules) -> Position:
    """Return the position after the compulsory Recoup of `seat` (R7, P14)."""
    side = position.side(seat)
    back = [entry for entry in side.mud if may_return(entry, position.round, rules)]
    if not back:
        return position
    pen = in_order((*side.pen, *(entry.piggle for entry in back)))
    stay = tuple(entry for entry in side.mud if entry not in back)
    return position.with_side(seat, replace(side, pen=pen, mud=stay))
