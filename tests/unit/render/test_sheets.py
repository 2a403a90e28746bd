"""What is written over a picture: where it is, how wide, and as pixels."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.landing import Seat
from pigglesim.render.camera import VIEWS
from pigglesim.render.hud import (
    PanelButton,
    Sheet,
    add_button,
    add_score,
)
from pigglesim.render.labels import PanelBox, Text, plate_of
from pigglesim.render.lines import ColouredLine, line_triangles
from pigglesim.render.viewer import Scoreboard, ScoreRow


@pytest.mark.parametrize("size", [(1280, 720), (320, 240), (3840, 2160)])
def test_all_that_is_written_is_within_the_window(size):
    sheet = Sheet(size=size)
    score = Scoreboard(
        heading="Round 2 of 6 " * 9,
        rows=(ScoreRow(name="Pen", cells=((Seat.A, "A1 A2 A3 A4 A5 A6 " * 3), (Seat.B, "-"))),),
    )
    below = add_score(sheet, "A very long title " * 5, score, ["told " * 40])
    add_button(sheet, below, "Pour. " * 20, PanelButton(text="Take the cup (Enter)", name="pour"))
    for group in sheet.groups:
        for item in group:
            if isinstance(item, Text):
                assert item.x + item.width <= size[0]
    assert sheet.area_at(30, 30) == ""
    assert sheet.area_at(size[0] - 1, 5) is None


def test_a_plate_is_premultiplied_and_drawn_once_wherever_it_is():
    box = PanelBox(x=3, y=4, width=20, height=20, colour="#ff8000", alpha=0.5)
    word = Text(x=5, y=5, text="X", size=14, colour="#ffffff")
    plate, moved = plate_of([box, word]), plate_of([replace(box, x=9), replace(word, x=11)])
    assert (plate.corner, moved.corner) == ((3, 4), (9, 4))
    assert moved == plate and moved.pixels is plate.pixels
    assert plate.pixels[19, 19].astype(int) == pytest.approx([128, 64, 0, 128], abs=1)
    assert np.all(plate.pixels[..., :3] <= plate.pixels[..., 3:])
    assert np.all(plate.pixels.max(axis=(0, 1)) > 240)


def test_a_line_has_its_width_in_pixels_at_any_distance():
    size = (1280, 720)
    for camera in (VIEWS["top"], VIEWS["top"].zoom(3.0)):
        whole = camera.projection(size[0] / size[1]) @ camera.view
        points = np.array([[-0.01, 0.0, 0.0], [0.01, 0.0, 0.0]])
        rows = line_triangles(
            [ColouredLine(points=points, colour="#ff0000", width=6.0)], whole, size
        )
        assert rows.shape == (6, 7)
        pixels = (rows[:, :2] / rows[:, 3:4] + 1.0) / 2.0 * size
        assert np.ptp(pixels[:, 1]) == pytest.approx(6.0)
        ends = camera.project(points, size)[:, 0]
        assert np.ptp(pixels[:, 0]) == pytest.approx(abs(ends[1] - ends[0]) + 6.0)
