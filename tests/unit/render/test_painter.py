"""Pictures of solids: what is nearest is seen, the right way up, in its own colour."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import Skin
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.render.body_sheets import BACK, FRONT
from pigglesim.render.rasterizer import View, floor_shadow, look_at, painted


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
    look = look_at(skin, view, size=(pixels, pixels), fine=3)
    return painted(look, skin, ground=np.zeros(3)), look.opacity


def test_a_cube_from_above_is_a_square_of_its_tops_colour():
    image, opacity = picture(cube(), View.toward((0, 0, 1), span=0.02), 40)
    assert np.mean(opacity) == pytest.approx(0.25, abs=0.01)
    assert image[20, 20, 2] > 0.5 and image[20, 20, 2] > 2 * image[20, 20, 0]
    assert np.all(image[2, 2] == 0.0)


def test_the_nearer_of_two_hides_the_other():
    near = np.array([[-1, -1, 1], [1, -1, 1], [0, 1.0, 1]]) * 5e-3
    far = near * [1, 1, -1]
    skin = Skin(
        vertices=np.vstack([far, near]),
        faces=np.array([[3, 4, 5], [0, 1, 2]]),
        face_parts=("near", "far"),
    )
    look = look_at(skin, View.toward((0, 0, 1), span=0.02), size=(20, 20), fine=3)
    assert set(look.face.tolist()) == {0}


def test_a_shadow_lies_under_the_body():
    view = View.toward((0, -1, 1.0), up=(0, 0, 1), span=0.06)
    skin = cube()
    dark = floor_shadow(skin, replace(view, floor=-5e-3), size=(60, 60))
    assert np.all((dark >= 0) & (dark <= 0.9))
    row, column = np.unravel_index(np.argmax(dark), dark.shape)
    # The middle of its foot is 5 mm below the origin, seen from 45 degrees.
    assert (row, column) == (pytest.approx(33, abs=2), pytest.approx(29.5, abs=2))
    assert np.all(dark[:3] == 0) and np.all(dark[:, -3:] < 0.01)
    aloft = floor_shadow(skin, replace(view, floor=-15e-3), size=(60, 60))
    assert aloft.max() < dark.max() / 2


def test_a_rune_shows_on_both_sides():
    for view in (FRONT, BACK):
        plain, marked = load_model("piggle+blue"), load_model("piggle+blue+across")
        (bare, before), (rune, after) = (picture(body.skin, view, 60) for body in (plain, marked))
        changed = np.abs(bare - rune).max(axis=2) > 0.2
        # The rune is a tenth of the front's height and more, on either side.
        assert np.ptp(np.flatnonzero(changed.any(axis=1))) >= 8
        assert np.array_equal(before, after), "the outline stays"
