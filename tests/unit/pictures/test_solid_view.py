"""Pictures of solids: what is nearest is seen, the right way up, in its own colour."""

import numpy as np
import pytest

from pigglesim.errors import SpecError
from pigglesim.markings import Colour
from pigglesim.pictures.lineup_sheet import BACK, FRONT, draw_lineup, save_lineup
from pigglesim.pictures.solid_view import View, look_at, painted
from pigglesim.shapes.body import Skin
from pigglesim.shapes.load import load_model
from pigglesim.shapes.mesh import convex_hull


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


def test_a_cube_from_above_is_a_square_of_its_tops_colour():
    image = painted(look_at(cube(), View(toward=(0, 0, 1), width=0.02), pixels=40), cube())
    assert np.mean(image[:, :, 3]) == pytest.approx(0.25, abs=0.01)
    assert image[20, 20, 2] > 0.5 and image[20, 20, 2] > 2 * image[20, 20, 0]
    assert image[2, 2, 3] == 0.0


def test_what_is_right_of_the_body_is_right_in_the_image():
    image = painted(look_at(cube(), View(toward=(1, 0, 1), width=0.02), pixels=40), cube())
    right, left = image[20, 25, :3], image[20, 15, :3]
    assert np.argmax(right) == 0
    assert np.argmax(left) == 2


def test_the_nearer_of_two_hides_the_other():
    near = np.array([[-1, -1, 1], [1, -1, 1], [0, 1.0, 1]]) * 5e-3
    far = near * [1, 1, -1]
    skin = Skin(
        vertices=np.vstack([far, near]),
        faces=np.array([[3, 4, 5], [0, 1, 2]]),
        face_parts=("near", "far"),
    )
    seen = look_at(skin, View(toward=(0, 0, 1), width=0.02), pixels=20)
    assert set(np.unique(seen.face).tolist()) == {-1, 0}


def test_a_rune_shows_on_both_sides():
    for view in (FRONT, BACK):
        plain, marked = load_model("piggle+blue"), load_model("piggle+blue+across")
        bare, rune = (
            painted(look_at(body.skin, view, pixels=60), body.skin) for body in (plain, marked)
        )
        changed = np.abs(bare - rune).max(axis=2) > 0.2
        # The rune is a tenth of the front's height and more, on either side.
        assert np.ptp(np.flatnonzero(changed.any(axis=1))) >= 8
        assert np.array_equal(bare[:, :, 3], rune[:, :, 3]), "the outline stays"


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


@pytest.mark.parametrize(("name", "remedy"), [("a.docx", "lineup.png"), ("no/a.png", "the path")])
def test_a_sheet_that_cannot_be_written_is_refused(tmp_path, name, remedy):
    with pytest.raises(SpecError, match=remedy):
        save_lineup(load_model("piggle"), tmp_path / name, pixels=8)
