"""Which field a directional rune points at, under each meaning of left (R21, M6)."""

import pytest

from pigglesim.games.piggles.effects import field_towards
from pigglesim.games.piggles.house_rules import Left, ModernRules
from pigglesim.landing import Seat, Zone
from pigglesim.markings import Rune

NORTH, EAST, SOUTH, WEST = (
    Zone.FIELD_NORTH,
    Zone.FIELD_EAST,
    Zone.FIELD_SOUTH,
    Zone.FIELD_WEST,
)
CLOCKWISE = {NORTH: EAST, EAST: SOUTH, SOUTH: WEST, WEST: NORTH}
BACK = {after: before for before, after in CLOCKWISE.items()}


def pointed(field, rune, left, seat=Seat.A):
    return field_towards(field, rune, seat, ModernRules(left=left))


@pytest.mark.parametrize("field", CLOCKWISE)
@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_left_and_right_go_round_the_board_as_agreed(field, seat):
    assert pointed(field, Rune.LEFT, Left.CLOCKWISE, seat) is CLOCKWISE[field]
    assert pointed(field, Rune.RIGHT, Left.CLOCKWISE, seat) is BACK[field]
    assert pointed(field, Rune.LEFT, Left.COUNTERCLOCKWISE, seat) is BACK[field]
    assert pointed(field, Rune.RIGHT, Left.COUNTERCLOCKWISE, seat) is CLOCKWISE[field]
    for left in Left:
        assert pointed(field, Rune.ADJACENT, left, seat) is field
        assert pointed(field, Rune.ACROSS, left, seat) is CLOCKWISE[CLOCKWISE[field]]


@pytest.mark.parametrize("field", CLOCKWISE)
def test_a_player_s_own_left_is_one_side_of_the_board_or_nothing_from_there(field):
    # A sits in the South and looks North; B sits across.
    for seat, rune, side in (
        (Seat.A, Rune.LEFT, WEST),
        (Seat.A, Rune.RIGHT, EAST),
        (Seat.B, Rune.LEFT, EAST),
        (Seat.B, Rune.RIGHT, WEST),
    ):
        wanted = None if field is side else side
        assert pointed(field, rune, Left.PLAYER_VIEW, seat) is wanted
