"""Pictures of solids: what is nearest is seen, the right way up, in its own colour."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import Skin
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.render import body_sheets
from pigglesim.render.body_sheets import (
    View,
    draw_pose_sheet,
    paint,
    pose_image,
    rasterize,
    screen_size,
    shade,
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


def picture(skin, view, pixels):
    """The image on black, and how much of each pixel the skin covers."""
    look = shade(skin, view, size=(pixels, pixels), fine=3)
    return paint(look, skin, ground=np.zeros(3)), look.opacity


def test_a_cube_from_above_is_a_square_of_its_tops_colour():
    image, opacity = picture(cube(), View.toward((0, 0, 1), span=0.02), 40)
    assert np.mean(opacity) == pytest.approx(0.25, abs=0.01)
    assert image[20, 20, 2] > 0.5 and image[20, 20, 2] > 2 * image[20, 20, 0]
    assert np.all(image[2, 2] == 0.0)


def slowly(points, faces, width, height):
    """The same, one triangle and one pixel after another."""
    face = np.full((height, width), -1)
    depth = np.full((height, width), -np.inf)
    for k, (a, b, c) in enumerate(points[faces]):
        area = np.cross(b[:2] - a[:2], c[:2] - a[:2])
        for row, column in np.ndindex(height, width):
            p = np.array([column, row]) + 0.5
            parts = [np.cross(v - u, p - u) / area for u, v in ((b[:2], c[:2]), (c[:2], a[:2]))]
            weights = np.array([*parts, 1 - sum(parts)])
            near = weights @ [a[2], b[2], c[2]]
            if np.all(weights >= 0) and near > depth[row, column]:
                face[row, column], depth[row, column] = k, near
    return face, depth


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_all_at_once_is_as_one_after_another(monkeypatch):
    rng = np.random.default_rng(5)
    points = rng.uniform(-6, 26, (60, 3))
    faces = np.arange(60).reshape(20, 3)
    face, depth = slowly(points, faces, 20, 16)
    for limit in (2**19, 11):
        # It does not matter in what portions it is done.
        monkeypatch.setattr(body_sheets, "_BATCH", limit)
        seen, nearness, weights = rasterize(points, faces, width=20, height=16)
        assert np.array_equal(seen, face)
        assert nearness == pytest.approx(depth)
        shown = face >= 0
        nears = points[faces[face[shown]]][..., 2]
        assert (weights[:, shown].T * nears).sum(axis=1) == pytest.approx(depth[shown])


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
