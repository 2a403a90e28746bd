"""A position as a picture: who lies where, and what lies beside the board."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import MudEntry
from pigglesim.landing import Landing, Orientation, RestPlace, Zone
from pigglesim.render.board import place_of
from pigglesim.render.board_figure import position_figure
from pigglesim.scene.scene import Board

BOARD = Board()
UP, DOWN, HEAD = Orientation
START = PigglesClassic().initial_state()
PLACE = RestPlace(position=(0.05, -0.1, 0.01), rotation=(0.0, 0.0, 0.0, 1.0))
POSITION = replace(
    START,
    a=replace(START.a, pen=("A3", "A4"), mud=(MudEntry(piggle="A5", round=1),), score=7),
    board=(
        ("A1", Landing(orientation=UP, zone=Zone.FIELD_SOUTH, place=PLACE)),
        ("A2", Landing(orientation=DOWN, zone=Zone.WOODS)),
        ("A6", Landing(orientation=HEAD, zone=Zone.PATH_INNER)),
    ),
)


@pytest.fixture(scope="module")
def figure():
    return position_figure(BOARD, POSITION, title="a title", worn={"A1": "R→"})


def test_each_piggle_is_drawn_where_it_lies_as_it_lies(figure):
    lines = figure.axes[0].lines
    shapes = [(line.get_marker(), *np.ravel(line.get_xydata())) for line in lines]
    expected = [
        (mark, *(1e3 * metres for metres in place_of(name, landing, BOARD)[:2]))
        for mark, (name, landing) in zip("^vD", POSITION.board, strict=True)
    ]
    assert [mark for mark, *_ in shapes] == [mark for mark, *_ in expected]
    assert np.allclose([at for _, *at in shapes], [at for _, *at in expected])
    assert np.allclose(shapes[0][1:], (50.0, -100.0))
    assert [text.get_text() for text in figure.axes[0].texts] == ["A1", "A2", "A6"]


def test_the_areas_stand_beside_the_board(figure):
    words = [text.get_text() for text in figure.axes[1].texts]
    assert words[0] == "B (North): 0"
    own = words[words.index("> A (South): 7") :]
    assert own[1:7] == ["Pen", "A3 A4", "Mud", "A5", "Kitchen", "-"]
    assert own[7:9] == ["A1 R→", "Snout-Up, field:S, 3"]
    assert own[9:] == ["A2", "Snout-Down, woods", "A6", "On-Their-Head, path:inner"]
