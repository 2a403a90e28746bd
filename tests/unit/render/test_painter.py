"""Pictures of solids: what is nearest is seen, the right way up, in its own colour."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import Skin
from pigglesim.bodies.livery import worn_skin
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.render.body_sheets import (
    View,
    draw_pose_sheet,
    draw_skin,
    pose_image,
    screen_size,
    standing,
)
from tests.support.bodies import box_body


def cube(side=0.01):
    """A cube whose top (+z) is blue, whose right (+x) is red, and which is green elsewhere."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1.0, 1.0)])
    mesh = convex_hull(corners * side / 2)
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    names = np.where(
        middles[:, 2] > 0.49 * side, "top", np.where(middles[:, 0] > 0.49 * side, "right", "rest")
    )
    return Skin(
        vertices=mesh.vertices,
        faces=mesh.faces,
        face_parts=tuple(names),
        face_materials=tuple(names),
        colours={"top": (0.0, 0.0, 1.0), "right": (1.0, 0.0, 0.0), "rest": (0.0, 1.0, 0.0)},
    )


BLACK = np.zeros(3)


def test_a_cube_from_above_is_a_square_of_its_tops_colour():
    view = View.toward((0, 0, 1), span=0.02)
    image = draw_skin(cube(), view, size=(40, 40), ground=BLACK, fine=3).astype(int)
    assert np.mean(image[:, :, 2] > 100) == pytest.approx(0.25, abs=0.02)
    assert image[20, 20, 2] > 128 and image[20, 20, 2] > 2 * image[20, 20, 0]
    assert np.all(image[2, 2] == 0)


@pytest.mark.parametrize("nearest", [0, 1, 2])
def test_what_is_nearest_hides_the_rest_in_any_order(nearest):
    colours = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 4e-3
    heights = np.roll([0.0, 1e-3, 2e-3], nearest + 1)
    names = ("a", "a", "b", "b", "c", "c")
    skin = Skin(
        vertices=np.vstack([square + np.array([0, 0, height]) for height in heights]),
        faces=np.vstack([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(3)]),
        face_parts=names,
        face_materials=names,
        colours=dict(zip("abc", colours, strict=True)),
    )
    view = View.toward((0, 0, 1), span=0.02)
    image = draw_skin(skin, view, size=(20, 20), ground=BLACK, fine=1)
    # The gloss of the lamp is the same in each colour.
    assert {int(k) for k in image[8:12, 8:12].argmax(axis=2).flat} == {nearest}


def test_a_die_shows_its_number_on_the_side_above():
    skin = worn_skin(load_model("d20"))
    view = View.toward((0.3, 0.2, 1.0), span=0.03)
    image = draw_skin(skin, view, size=(120, 120), ground=BLACK, fine=1).astype(int)
    bright = image.sum(axis=2) > 400
    assert 0.03 < np.mean(bright[45:75, 45:75]) < 0.6


GROUND = np.array([0.9, 0.9, 0.9])


@pytest.mark.parametrize("name", ["piggle", "d6"])
def test_a_body_stands_on_its_pose(name):
    body = load_model(name)
    for pose in body.poses:
        turn = standing(pose.down)
        assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        assert turn @ pose.down == pytest.approx([0, 0, -1], abs=1e-9)


def test_the_image_holds_body_shadow_and_floor():
    body = box_body()
    down = body.poses[0].down
    image = pose_image(body, down, span=0.06, size=(120, 90), ground=GROUND)
    assert image.shape == (90, 120, 3)
    corner = image[2, 2].astype(float)
    changed = np.abs(image - corner).max(axis=2) / 255
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
