"""Text drawings of the board."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from pigglesim.landing import Landing, Orientation, RestPlace, Zone
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import INCH
from pigglesim.tui.board_text import board_view


@pytest.mark.parametrize("inches", [13.0, 20.0, 40.0])
def test_a_board_of_any_size_leaves_room_for_the_list(inches):
    board = load_scene("piggles_classic").board
    grown = replace(board, size=inches * INCH, inner=board.inner + inches * INCH - board.size)
    place = RestPlace(position=(0.4 * grown.size, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    at = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS, place=place)
    console = Console(width=80, record=True, file=StringIO())
    console.print(board_view(grown, [("A1", at)], width=80, brief=True))
    lines = console.export_text().splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert "A1  \u25b2" in lines[0] and not any("\u2026" in line for line in lines)
    (drawn,) = (line for line in lines[1:] if "A1\u25b2" in line)
    # At nine tenths of the way from West to East, as it lies.
    assert drawn.index("A1") / drawn.rindex("\u2502") == pytest.approx(0.9, abs=0.05)
