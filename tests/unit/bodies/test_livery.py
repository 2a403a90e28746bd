"""Liveries: one mesh, many skins; five colours anyone can tell apart, and no throw changed."""

import itertools

import numpy as np
import pytest

from pigglesim.bodies.livery import RUNE_PART, SPOTS, dress, glyph, lay_on
from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.markings import Livery, Rune, liveries, split_livery
from tests.support.colour import MACHADO_2009, ciede2000, contrast, lab


@pytest.fixture(scope="module")
def piggle():
    return load_model("piggle")


@pytest.fixture(scope="module")
def dressed(piggle):
    return {livery: dress(piggle, livery) for livery in liveries()}


def areas(triangles):
    """Twice the signed areas of plane triangles, shape [count, 3, 2]."""
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def test_there_are_fifty_liveries_and_each_has_a_name_of_its_own(dressed):
    assert len(dressed) == len({body.model for body in dressed.values()}) == 50
    for livery in dressed:
        assert Livery.parse(str(livery)) == livery
    assert len({livery.label for livery in dressed}) == 50


def test_a_livery_adds_faces_and_changes_nothing_that_physics_or_reading_sees(piggle, dressed):
    count = len(piggle.skin.vertices)
    for livery, body in dressed.items():
        assert (body.hull, body.parts, body.mass) == (piggle.hull, piggle.parts, piggle.mass)
        assert (body.poses, body.sha256) == (piggle.poses, piggle.sha256)
        skin = body.skin
        assert np.array_equal(skin.vertices[:count], piggle.skin.vertices)
        assert np.array_equal(skin.faces[: len(piggle.skin.faces)], piggle.skin.faces)
        assert len(skin.faces) == len(skin.face_parts) == len(skin.face_materials)
        assert set(skin.face_materials) <= set(skin.colours)
        assert (RUNE_PART in skin.face_parts) == (livery.rune is not None)
        assert skin.faces.max() < len(skin.vertices)
        assert not skin.vertices.flags.writeable and not skin.faces.flags.writeable


@pytest.mark.parametrize("spot", SPOTS, ids=["belly", "back"])
@pytest.mark.parametrize("rune", Rune)
def test_a_rune_is_whole_on_the_belly_and_on_the_back(piggle, rune, spot):
    outline = glyph(rune)
    vertices, faces = lay_on(piggle.skin, outline, spot, part="body")
    flat = (vertices - spot.centre) @ spot.axes.T[:, :2]
    shares = areas(flat[faces])
    assert np.all(shares > -1e-15), "every face looks outward"
    assert np.sum(shares) / 2 == pytest.approx(outline.area * spot.half_size**2, rel=1e-3)
    assert len(faces) < 400
    # Each vertex lies a coat of paint above the ellipsoid's facets, never inside and never far.
    half_axes = np.array([10.5e-3, 10.5e-3, 6.3e-3])
    above = (np.linalg.norm(vertices / half_axes, axis=1) - 1) * 6.3e-3
    assert np.max(above) < 0.06e-3
    assert np.min(above) > -0.12e-3


@pytest.mark.slow
def test_no_rune_is_another_one_turned_round():
    """Shapes whose best overlap in any of 72 turns is far from whole are no doubles."""
    from shapely import affinity

    for first, second in itertools.combinations(Rune, 2):
        a, b = glyph(first), glyph(second)
        overlaps = []
        for turn in range(0, 360, 5):
            turned = affinity.rotate(b, turn, origin=(0.0, 0.0))
            overlaps.append(a.intersection(turned).area / a.union(turned).area)
        assert max(overlaps) < 0.75, (first, second, max(overlaps))


def test_the_colour_tools_agree_with_published_values():
    # Sharma, Wu and Dalal 2005, table 1, pairs 1, 4, 7 and 17.
    for first, second, expected in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ):
        assert ciede2000(first, second) == pytest.approx(expected, abs=1e-4)
    assert contrast((1, 1, 1), (0, 0, 0)) == pytest.approx(21.0)


@pytest.mark.parametrize("eyes", MACHADO_2009)
def test_the_colours_can_be_distinguished_by_all_eyes(dressed, eyes):
    """Two patches side by side differ at 1; at 18 they are told from memory, across a table."""
    skins = {
        livery.colour: body.skin.colours["skin"]
        for livery, body in dressed.items()
        if livery.rune is None
    }
    for first, second in itertools.combinations(skins, 2):
        seen = [lab(MACHADO_2009[eyes] @ np.array(skins[name])) for name in (first, second)]
        assert ciede2000(*seen) > 18.0, (first, second)


def test_runes_stand_out_from_their_skins(dressed):
    """WCAG 2.1, success criterion 1.4.11 asks 3 to 1 of graphics."""
    for livery, body in dressed.items():
        if livery.rune:
            assert contrast(body.skin.colours["skin"], body.skin.colours[RUNE_PART]) > 4.0


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("piggle", "piggle"),
        ("piggle+blue+left", "piggle"),
        ("a+b/own.toml", "a+b/own.toml"),
        ("a+b/own.toml+red", "a+b/own.toml"),
        ("c+d.toml", "c+d.toml"),
    ],
)
def test_a_path_may_hold_a_plus_sign(name, plain):
    model, livery = split_livery(name)
    assert model == plain
    assert (f"{model}+{livery}" if livery else model) == name


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("piggle+blu", "use blue"),
        ("piggle+blue+lft", "use left"),
        ("piggle+", "blue, green"),
        ("piggle+blue+", "across"),
        ("piggle+blue+left+left", "use left"),
        ("pigle+blue", "use piggle"),
        ("d6+blue", "give a livery to piggle or premium"),
    ],
)
def test_liveries_that_are_none_are_refused(name, remedy):
    with pytest.raises(SpecError, match=remedy):
        load_model(name)
