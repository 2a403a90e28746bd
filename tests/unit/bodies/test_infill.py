"""Prints with sparse infill, and bodies with cavities: mass, centre and inertia by closed forms."""

import itertools

import numpy as np
import pytest

from pigglesim.bodies import scan
from pigglesim.bodies.infill import Infill, with_infill
from pigglesim.bodies.load import InfillSpec
from pigglesim.bodies.mesh import Ballast, BallastForm, Mesh, convex_hull, icosphere, mass_of
from pigglesim.bodies.variant import body_of_variant, read_source, variant_files

DENSITY = 1100.0


def box(*sides, at=(0.0, 0.0, 0.0)):
    corners = np.array([*itertools.product((-0.5, 0.5), repeat=3)])
    return convex_hull(corners * sides + np.array(at))


def box_mass(*sides, density=DENSITY):
    """Mass and moments of inertia of a solid box about its centre."""
    mass = density * np.prod(sides)
    squares = np.square(sides)
    return mass, mass * (squares.sum() - squares) / 12.0


def printed(skin, infill, inside=None, **ballast):
    solid = mass_of(skin.vertices, skin.faces, density=DENSITY, **ballast)
    return with_infill(solid, skin, infill, density=DENSITY, inside=inside)


@pytest.mark.parametrize("share", [0.0, 0.15, 1.0])
def test_a_box_is_a_solid_box_less_a_smaller_one(share):
    sides, at, wall, cover = np.array([0.02, 0.03, 0.04]), np.array([5e-3, 0.0, 2e-2]), 8.4e-4, 1e-3
    found = printed(box(*sides, at=at), Infill(share=share, wall=wall, cover=cover))
    solid, core = box_mass(*sides), box_mass(*(sides - 2 * np.array([wall, wall, cover])))
    expected = [whole - (1.0 - share) * part for whole, part in zip(solid, core, strict=True)]
    # Outlines are offset on a grid of some nanometres.
    assert found.mass == pytest.approx(expected[0], rel=1e-7)
    assert found.centre == pytest.approx(at, abs=1e-8)
    assert found.inertia == pytest.approx(np.diag(expected[1]), rel=1e-6, abs=1e-12)


def test_a_ball_has_the_layers_that_a_slicer_prints():
    radius, wall, cover = 0.015, 8.4e-4, 8e-4
    ball = icosphere(5)
    skin = Mesh(vertices=ball.vertices * radius, faces=ball.faces)
    found = printed(skin, Infill(share=0.15, wall=wall, cover=cover))
    # Discs of the infill: within the wall, and within the outlines of the layers above and below.
    z, step = np.linspace(0.0, radius - cover, 20_001, retstep=True)
    rim = np.minimum(np.sqrt(radius**2 - z**2) - wall, np.sqrt(radius**2 - (z + cover) ** 2))
    rim = np.maximum(rim, 0.0)
    area, axial = np.pi * rim**2, np.pi * rim**4 / 2.0
    lost = 2 * 0.85 * DENSITY * step
    mass = DENSITY * 4 / 3 * np.pi * radius**3
    assert found.mass == pytest.approx(mass - lost * area.sum(), rel=2e-3)
    across = 0.4 * mass * radius**2 - lost * (axial / 2.0 + area * z**2).sum()
    along = 0.4 * mass * radius**2 - lost * axial.sum()
    assert np.diag(found.inertia) == pytest.approx([across, across, along], rel=2e-3)
    assert found.centre == pytest.approx(np.zeros(3), abs=1e-6)


def test_ballast_has_walls_around_it():
    side, wall, cover, metal = 0.03, 8e-4, 8e-4, 7850.0
    ballast = Ballast(
        form=BallastForm.CYLINDER, density=metal, centre=(0.0, 0.0, 0.0), radius=5e-3, length=6e-3
    )
    turns = np.linspace(0.0, 2 * np.pi, 256, endpoint=False)
    ring = np.column_stack([5e-3 * np.cos(turns), 5e-3 * np.sin(turns), 0 * turns])
    inside = convex_hull(np.vstack([np.add(ring, [0, 0, z]) for z in (-3e-3, 3e-3)]))
    infill = Infill(share=0.0, wall=wall, cover=cover)
    found = printed(box(side, side, side), infill, inside, ballast=ballast)
    core = (side - 2 * wall) ** 2 * (side - 2 * cover)
    walled = np.pi * (5e-3 + wall) ** 2 * (6e-3 + 2 * cover)
    expected = DENSITY * (side**3 - core + walled - ballast.volume) + metal * ballast.volume
    assert found.mass == pytest.approx(expected, rel=1e-4)


def test_a_model_file_with_infill_reads_back_and_an_edit_is_weighed_again():
    source = read_source("d6")
    words = {"name": "x", "scale": np.full(3, 2.0), "ballast": None}
    infill = InfillSpec(share=0.15, wall_mm=0.84, cover_mm=0.8)
    files = variant_files(source, **words, infill=infill)
    body, solid = body_of_variant(files), body_of_variant(variant_files(source, **words))
    ratio = 1 - 0.85 * (32 - 1.68) ** 2 * (32 - 1.6) / 32**3
    # The edges of the die are round.
    assert body.mass.mass / solid.mass.mass == pytest.approx(ratio, rel=0.05)
    # A larger part of the mass is far from the middle.
    radii = [np.trace(each.mass.inertia) / each.mass.mass for each in (body, solid)]
    assert radii[0] > 1.2 * radii[1]
    line = next(each for each in files["model.toml"].splitlines() if each.startswith("mass_kg"))
    for grams in (solid.mass.mass * 1e3 * 1.01, solid.mass.mass * 1e3 * 0.14):
        text = files["model.toml"].replace(line, f"mass_kg = {grams * 1e-3}")
        # The digest of edited numbers differs, and all are computed again.
        assert body_of_variant(files | {"model.toml": text}).mass.mass == body.mass.mass


def test_an_imported_ball_with_a_cavity_has_the_inertia_of_a_shell():
    outer, inner = (icosphere(4).vertices * radius for radius in (10.0, 8.0))
    faces = icosphere(4).faces
    hollow = np.vstack([faces, faces[:, ::-1] + len(outer)])
    mesh = scan.repaired(np.vstack([outer, inner]), hollow, name="hollow.stl")
    found = mass_of(mesh.vertices * 1e-3, mesh.faces, density=DENSITY)
    assert found.mass == pytest.approx(DENSITY * 4e-9 / 3 * np.pi * (10.0**3 - 8.0**3), rel=1e-2)
    moment = DENSITY * 8e-15 / 15 * np.pi * (10.0**5 - 8.0**5)
    assert np.diag(found.inertia) == pytest.approx([moment] * 3, rel=1e-2)
    assert any("1 cavity left empty" in note for note in mesh.notes)
