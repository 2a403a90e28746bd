"""Which field lies where, as a Piggle on it sees it (R22, M5, M6)."""

from pigglesim.games.piggles.modern_rules import Left, ModernRules
from pigglesim.markings import Rune
from pigglesim.rolls import Landing, Seat, Zone

__all__ = ["CYCLE", "field_of", "field_towards"]

CYCLE = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)
"""The fields clockwise, seen from above."""

_LEFT_HAND = {Seat.A: Zone.FIELD_WEST, Seat.B: Zone.FIELD_EAST}


def field_of(landing: Landing, rules: ModernRules) -> Zone | None:
    """Return the field that a Piggle lies in, or None: paths and woods have no direction (M6)."""
    if landing.zone in CYCLE:
        return landing.zone
    counts = rules.line_counts_as_field and landing.zone is Zone.LINE_FIELD_PATH
    if not counts or landing.place is None:
        return None
    x, y, _ = landing.place.position
    # The lanes are the diagonals: whatever lies on a line is nearest to the field of its quarter.
    if abs(y) > abs(x):
        return Zone.FIELD_NORTH if y > 0.0 else Zone.FIELD_SOUTH
    return Zone.FIELD_EAST if x > 0.0 else Zone.FIELD_WEST


def field_towards(field: Zone, rune: Rune, seat: Seat, rules: ModernRules) -> Zone | None:
    """Return the field that a directional rune on `field` points at, if there is one.

    Args:
        field: Where the Piggle lies.
        rune: One of the runes 1 to 4.
        seat: Who acts, for the house rule `left=player_view`.
        rules: The house rules.
    """
    if rune is Rune.ADJACENT:
        return field
    if rune is Rune.ACROSS:
        return _along(field, 2)
    left = rune is Rune.LEFT
    match rules.left:
        case Left.CLOCKWISE:
            return _along(field, 1 if left else -1)
        case Left.COUNTERCLOCKWISE:
            return _along(field, -1 if left else 1)
        case Left.PLAYER_VIEW:
            side = _LEFT_HAND[seat if left else seat.other]
            return None if side is field else side


def _along(field: Zone, steps: int) -> Zone:
    return CYCLE[(CYCLE.index(field) + steps) % len(CYCLE)]
