"""Sheets of poses and of liveries: what is seen, how it stands, the same every time."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.markings import Colour
from pigglesim.render.body_sheets import (
    FRONT,
    draw_lineup,
    draw_pose_sheet,
    pose_image,
    save_lineup,
    screen_size,
    standing,
)
from tests.bodies import box_body

GROUND = np.array([0.9, 0.9, 0.9])


@pytest.mark.parametrize("name", ["piggle", "d6"])
def test_a_body_stands_on_its_pose(name):
    body = load_model(name)
    for pose in body.poses:
        turn = standing(body, pose.down)
        assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        assert turn @ pose.down == pytest.approx([0, 0, -1], abs=1e-9)


def test_the_image_holds_body_shadow_and_floor():
    body = box_body()
    down = body.poses[0].down
    image = pose_image(body, down, span=0.06, size=(120, 90), ground=GROUND)
    assert image.shape == (90, 120, 3)
    assert np.all((image >= 0) & (image <= 1))
    corner = image[2, 2]
    changed = np.abs(image - corner).max(axis=2)
    wide, high = screen_size(body, down)
    rows = np.flatnonzero((changed > 0.2).any(axis=1))
    assert np.ptp(rows) == pytest.approx(high / 0.06 * 120, abs=8)
    # The floor beside it lies in a soft shadow, the far corner does not.
    assert 0.01 < changed[60, 60 + round(wide / 0.06 * 60) + 2] < 0.6
    assert np.all(changed[:3] < 0.01)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_sheet_is_drawn_and_the_same_again(tmp_path, suffix):
    body = box_body(0.01, 0.02, 0.03)
    body = replace(body, poses=body.poses[:1])
    for name in ("a", "b"):
        draw_pose_sheet(body, tmp_path / f"{name}{suffix}", title="Box", subtitle="x", shares=[1.0])
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.slow
def test_the_sheet_has_a_tile_for_every_livery(tmp_path):
    piggle = load_model("piggle")
    sheet = draw_lineup(piggle, view=FRONT, pixels=24)
    assert sheet.shape == (5 * 24, 10 * 24, 3)
    tiles = sheet.reshape(5, 24, 10, 24, 3).transpose(0, 2, 1, 3, 4).reshape(50, -1)
    assert len({tile.tobytes() for tile in tiles}) == 50
    means = tiles.reshape(5, 10, -1, 3).mean(axis=(1, 2))
    assert means[list(Colour).index(Colour.BLUE)].argmax() == 2
    assert means[list(Colour).index(Colour.RED)].argmax() == 0
    file = tmp_path / "a sheet.png"
    save_lineup(piggle, file, pixels=24)
    assert file.read_bytes().startswith(b"\x89PNG")
    save_lineup(piggle, tmp_path / "again.png", pixels=24)
    assert (tmp_path / "again.png").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(("name", "fault"), [("a.docx", "a.docx"), ("no/a.png", "no such folder")])
def test_a_sheet_that_cannot_be_written_is_refused(tmp_path, name, fault):
    with pytest.raises(SpecError, match=fault):
        save_lineup(load_model("piggle"), tmp_path / name, pixels=8)
