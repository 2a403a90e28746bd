"""Pictures drawn off the screen: zones where they are read, the same pixels every time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.render.board_print import painted
from pigglesim.render.camera import VIEWS, Shot
from pigglesim.render.offscreen import studio
from pigglesim.scene.load import load_scene
from scripts.stills import draw_stills, save_still
from tests.support.footprints import classify
from tests.support.graphics import likeness
from tests.unit.films.rolls import pours, still_frames

SCENE = load_scene("piggles_classic")
STILLS = Path(__file__).parents[3] / "docs" / "stills"
SMALL = Shot(size=(320, 180))

pytestmark = pytest.mark.usefixtures("graphics")


def frames(film, times, shot=SMALL):
    with studio(SCENE, shot) as drawn:
        drawn.show(film)
        return [drawn.frame(time) for time in times]


EMPTY = Film(
    scene="piggles_classic",
    actors=(),
    frames=still_frames(np.zeros((0, 3)), np.zeros((0, 4))),
    origin={},
)


def test_each_point_has_the_colour_that_is_printed_there():
    board, shot = SCENE.board, Shot(size=(700, 700), camera=VIEWS["top"], framed=False)
    (pixels,) = frames(EMPTY, [0.0], replace(shot, labels=False))
    rng = np.random.default_rng(8)
    lines = [
        [(p.x, p.y) for p in (border.interpolate(s, normalized=True) for s in rng.random(40))]
        for border in board.lines.values()
    ]
    points = np.vstack([rng.uniform(-board.half, board.half, (400, 2)), *lines])
    places = VIEWS["top"].project(np.column_stack([points, np.zeros(len(points))]), shot.size)[
        :, :2
    ]
    print_ = painted(board)[..., :3].astype(float)
    camera = VIEWS["top"]
    pixel = 2 * camera.distance * np.tan(camera.field_of_view / 2) / shot.size[1]
    seen_zones = set()
    for point, (x, y) in zip(points, places, strict=True):
        corners = point + 0.75 * pixel * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        zones = {classify(board, corner[None]) for corner in (point, *corners)}
        (zone, *others) = zones
        if others or np.abs(point).max() > board.half - pixel:
            # So near to a border that a pixel shows both sides.
            continue
        column, row = ((point * [1, -1] / board.size + 0.5) * len(print_)).astype(int)
        near = print_[row - 2 : row + 3, column - 2 : column + 3].reshape(-1, 3)
        if np.ptp(near, axis=0).max() == 0:
            # A pixel is a mean of a few points of the print; inks of two zones differ by more.
            assert np.abs(pixels[int(y), int(x)] - near[12]).max() <= 16, (point, zone)
            seen_zones.add(zone)
    assert len(seen_zones) >= 9


@pytest.mark.slow
def test_the_stills_are_what_is_drawn(tmp_path):
    names = set()
    for name, pixels in draw_stills():
        names.add(f"{name}.png")
        save_still(pixels, tmp_path / "now.png")
        kept, now = (
            np.asarray(Image.open(file).convert("RGB"))
            for file in (STILLS / f"{name}.png", tmp_path / "now.png")
        )
        assert likeness(kept, now) > 0.97, name
        # What is compared does tell pictures apart.
        assert likeness(kept, kept[:, ::-1]) < 0.95
    assert names == {file.name for file in STILLS.glob("*.png")}
    assert sum(file.stat().st_size for file in STILLS.glob("*.png")) < 600_000


def test_a_lost_context_is_reported_in_one_line(monkeypatch):
    from pyglet import gl

    with studio(SCENE, SMALL) as drawn:
        drawn.show(pours()[0])
        monkeypatch.setattr(gl, "glGetError", lambda: 0x0507)
        with pytest.raises(SpecError, match=r"restarted.*LIBGL_ALWAYS_SOFTWARE"):
            drawn.frame(0.0)
