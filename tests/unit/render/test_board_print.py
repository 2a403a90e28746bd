"""The print of a board: each point has an ink of the zone that is read there, on every board."""

import numpy as np
import pytest

from pigglesim.bodies.mesh_files import srgb
from pigglesim.landing import Seat, Zone
from pigglesim.render.board_print import board_inks, painted
from pigglesim.render.palette import (
    CLEARING,
    CROWNS,
    FIGURE,
    LINE,
    OWNER_COLOURS,
    PEBBLES,
    REGIONS,
)
from pigglesim.scene.scene import Board
from tests.support.footprints import classify

INKS = {
    "field": {REGIONS[Zone.FIELD_SOUTH], FIGURE},
    "path": {REGIONS[Zone.PATH_OUTER], REGIONS[Zone.FIELD_SOUTH], *PEBBLES, LINE},
    "woods": {REGIONS[Zone.WOODS], *CROWNS, CLEARING, LINE, "#ffffff"}
    | {OWNER_COLOURS[seat] for seat in (Seat.A, Seat.B)},
    "line": {LINE},
}
"""What is printed in each kind of zone."""


BOARDS = (
    Board(),
    Board(size=0.24, woods=0.02, ring=0.03, inner=0.14, lane=0.02, line=0.001),
)


@pytest.mark.parametrize("board", BOARDS, ids=["usual", "small"])
def test_each_point_has_an_ink_of_the_zone_that_is_read_there(board):
    pixels = painted(board)[..., :3]
    inked = {
        kind: {tuple(np.round(255 * srgb(colour)).astype(int).tolist()) for colour in colours}
        for kind, colours in INKS.items()
    }
    points = np.random.default_rng(3).uniform(-board.half, board.half, (1500, 2))
    zones = set()
    for point in points:
        column, row = ((point * [1, -1] / board.size + 0.5) * len(pixels)).astype(int)
        near = pixels[row - 1 : row + 2, column - 1 : column + 2].reshape(-1, 3)
        if len(near) < 9 or np.ptp(near.astype(int), axis=0).max() > 0:
            continue
        zone = classify(board, point[None])
        assert tuple(near[4].tolist()) in inked[zone.value.split(":")[0]], (point, zone)
        zones.add(zone)
    assert len(zones) >= 8


@pytest.mark.parametrize("board", BOARDS, ids=["usual", "small"])
def test_no_tree_or_pebble_leaves_its_zone(board):
    counts = []
    for colour, zones in (
        (CROWNS[1], {Zone.WOODS}),
        (PEBBLES[1], {Zone.PATH_INNER, Zone.PATH_OUTER}),
    ):
        for ink in board_inks(board):
            if ink.colour == colour:
                counts.append(len(ink.loops))
                for ((x, y),) in ink.loops:
                    assert classify(board, np.array([[x, -y]]) / 1e3) in zones
    assert min(counts) > 5


def test_a_board_for_dice_has_no_numbers():
    board = Board.unprinted(size=0.2, thickness=0.01)
    assert len(board_inks(board)) == 2
