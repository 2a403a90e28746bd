"""Into the Mud and the Kitchen, and back out of the Mud (R4, R7, P3)."""

from pigglesim.games.change import changed
from pigglesim.games.piggles.house_rules import HouseRules, MudDelay
from pigglesim.games.piggles.modern_rules import Capture, ModernRules
from pigglesim.games.piggles.phases import FIRST_RECOUP_ROUND
from pigglesim.games.piggles.state import MudEntry, Position, in_order, owner
from pigglesim.rolls import Seat

__all__ = ["into_kitchen", "into_mud", "into_pen", "may_return", "out_of", "recoup"]


def _off(position: Position, piggle: str, rules: HouseRules) -> Position:
    """Return the position with what ends when a Piggle leaves the board: its shield (M12).

    A captured one is its owner's again where control lasts no longer (M13).
    """
    if position.shields:
        kept = tuple(shield for shield in position.shields if shield.piggle != piggle)
        position = changed(position, shields=kept)
    if (
        piggle in position.captured
        and isinstance(rules, ModernRules)
        and rules.capture is Capture.RETURN
    ):
        rest = tuple(name for name in position.captured if name != piggle)
        position = changed(position, captured=rest)
    return position


def into_mud(
    position: Position, piggle: str, rules: HouseRules, *, roller: Seat | None = None
) -> Position:
    """Return the position with a Piggle added to the Mud of whoever controls it.

    Args:
        position: The position, from whose board the Piggle has been taken.
        piggle: The Piggle.
        rules: The house rules, which know who goes first in this round.
        roller: Whose roll or effect took it off the board, or None at Resolve.
    """
    position = _off(position, piggle, rules)
    seat = position.controller(piggle)
    early = roller is not None and roller is not seat and roller is rules.first_in(position.round)
    side = position.side(seat)
    mud = (*side.mud, MudEntry(piggle=piggle, round=position.round, early=early))
    ordered = tuple(sorted(mud, key=lambda entry: entry.piggle))
    return position.with_side(seat, changed(side, mud=ordered))


def into_kitchen(position: Position, piggle: str, rules: HouseRules) -> Position:
    """Return the position with a Piggle added to the Kitchen of whoever controls it."""
    position = _off(position, piggle, rules)
    seat = position.controller(piggle)
    side = position.side(seat)
    kitchen, late = in_order((*side.kitchen, piggle)), in_order((*side.late, piggle))
    return position.with_side(seat, changed(side, kitchen=kitchen, late=late))


def into_pen(position: Position, piggle: str, seat: Seat) -> Position:
    """Return the position with a Piggle added to the Pen of `seat`, who controls it from now on."""
    others = tuple(name for name in position.captured if name != piggle)
    captured = others if owner(piggle) is seat else in_order((*others, piggle))
    shields = tuple(shield for shield in position.shields if shield.piggle != piggle)
    side = position.side(seat)
    position = changed(position, captured=captured, shields=shields)
    return position.with_side(seat, changed(side, pen=in_order((*side.pen, piggle))))


def out_of(position: Position, piggle: str) -> Position:
    """Return the position with a Piggle taken off the board, or out of any Pen, Mud or Kitchen."""
    if position.landing(piggle) is not None:
        board = tuple(entry for entry in position.board if entry[0] != piggle)
        owed = tuple(entry for entry in position.head_credits if entry[0] != piggle)
        return changed(position, board=board, head_credits=owed)
    seat = position.controller(piggle)
    side = position.side(seat)

    def without(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name != piggle)

    left = changed(
        side,
        pen=without(side.pen),
        mud=tuple(entry for entry in side.mud if entry.piggle != piggle),
        kitchen=without(side.kitchen),
        charged=without(side.charged),
        late=without(side.late),
    )
    return position.with_side(seat, left)


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
    return position.with_side(seat, changed(side, pen=pen, mud=stay))
