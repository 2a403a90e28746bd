"""The board in characters: regions where zones are read, names where Piggles lie."""

import numpy as np
import pytest
from shapely import Point, contains_xy

from pigglesim.landing import Seat
from pigglesim.render.board import spots
from pigglesim.scene.scene import Board
from pigglesim.tui.tokens import Token
from pigglesim.tui.widgets import draw

BOARD = Board()


def text(rows):
    return ["".join(cell.text for cell in row) for row in rows]


def test_shares_of_regions_are_those_of_the_board():
    area = sum(region.area for zone, region in BOARD.regions.items() if "field" in zone.value)
    edges = sum(region.length for zone, region in BOARD.regions.items() if "field" in zone.value)
    misses = []
    for side in range(40, 114, 4):
        rows = draw(BOARD, (), side=side, colours=False)
        assert (len(rows), {len(row) for row in rows}) == (side // 2, {side})
        blank = sum(line.count(" ") for line in text(rows)[1:-1])
        misses.append(blank / (side * side / 2) - area / BOARD.size**2)
        # Of a border that falls on the grid half a square may count for the other side.
        assert abs(misses[-1]) < edges / 2 / side / BOARD.size
    # On the whole that errs one way as often as the other.
    assert np.mean(misses) == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("side", [40, 112])
def test_a_name_is_within_a_cell_of_its_place(side):
    for x, y in np.random.default_rng(1).uniform(-0.12, 0.12, size=(40, 2)):
        token = Token(name="A1", mark="▲", seat=Seat.A, position=(x, y, 0.01))
        rows = text(draw(BOARD, [token], side=side))
        assert "North · B" in rows[0]
        (row,) = [k for k, line in enumerate(rows) if "A1▲" in line]
        column = rows[row].index("A1▲") + 1.5
        cell = BOARD.size / side
        assert abs((column - side / 2) * cell - x) <= cell
        assert abs((side / 4 - row - 0.5) * 2 * cell - y) <= 2 * cell


def test_rolls_by_odds_are_drawn_in_their_zone_each_on_its_own_spot():
    for zone, found in spots(BOARD).items():
        assert len(set(found)) == 12, zone
        for x, y in found:
            if zone.on_line:
                border = BOARD.lines[zone]
                assert border.distance(Point(x, y)) < 1e-9
            else:
                assert contains_xy(BOARD.regions[zone], x, y), zone
