"""Mass, centre, inertia and resting heights of every model, computed again by other ways."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import ballast_of, load_model, read_spec
from pigglesim.bodies.mesh import Ballast, BallastForm, convex_hull, mass_of
from pigglesim.data_files import model_file, model_names

MODELS = model_names()
TOO_THIN = {"d2", "d4"}
"""Models without room for the ballast below."""
SIDES = 512
"""Of the polygon that stands for a circle: its area lacks (2 pi / 512)^2 / 6, 2.5e-5 of it."""
BALLASTS = {
    "ball": Ballast(
        form=BallastForm.BALL, density=11_340, centre=(1e-3, -1.5e-3, 5e-4), radius=3e-3
    ),
    "cylinder": Ballast(
        form=BallastForm.CYLINDER,
        density=19_300,
        centre=(-1e-3, 1e-3, -2e-3),
        radius=4e-3,
        length=2e-3,
        axis=(0.3, -0.5, 1.0),
    ),
}


def spec_of(model):
    return read_spec(model_file(model).read_text(), name=model)


def solid_of(skin):
    """A mesh of the skin in millimetres."""
    from trimesh import Trimesh

    return Trimesh(vertices=skin.vertices * 1e3, faces=skin.faces, process=False)


def by_tetrahedra(mesh, density):
    """Mass, centre and inertia about the origin: sums over tetrahedra with a corner there.

    A tetrahedron (0, a, b, c) has volume det / 6, centre (a + b + c) / 4 and second moments
    det / 120 (sum of outer products of corners, plus that of their sum): Tonon 2004.
    """
    corners = np.asarray(mesh.vertices)[np.asarray(mesh.faces)]
    dets = np.linalg.det(corners)
    total = corners.sum(axis=1)
    mass = density * dets.sum() / 6
    first = density * np.einsum("k,ki->i", dets, total) / 24
    outer = np.einsum("kpi,kpj->kij", corners, corners) + np.einsum("ki,kj->kij", total, total)
    second = density * np.einsum("k,kij->ij", dets, outer) / 120
    return mass, first, np.trace(second) * np.eye(3) - second


def about_the_centre(parts):
    """Mass, centre and inertia about it, of parts given as mass, first moment and inertia."""
    mass, first, inertia = (sum(part[k] for part in parts) for k in range(3))
    centre = first / mass
    return mass, centre, inertia - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))


def cast(ballast):
    """A mesh of a ballast in millimetres, inscribed in it."""
    from trimesh.creation import cylinder, icosphere
    from trimesh.geometry import align_vectors

    centre = np.array(ballast.centre) * 1e3
    if ballast.form is BallastForm.BALL:
        mesh = icosphere(subdivisions=6, radius=ballast.radius * 1e3)
    else:
        mesh = cylinder(radius=ballast.radius * 1e3, height=ballast.length * 1e3, sections=SIDES)
        mesh.apply_transform(align_vectors([0, 0, 1], np.array(ballast.axis, float)))
    mesh.apply_translation(centre)
    return mesh


def cast_into(skin, ballast, density):
    """Mass, centre and inertia of a skin, its ballast cut out and put back heavier."""
    from trimesh.boolean import difference

    body, core = solid_of(skin), cast(ballast)
    rest = difference([body, core], engine="manifold")
    parts = [by_tetrahedra(rest, density * 1e-9), by_tetrahedra(core, ballast.density * 1e-9)]
    return about_the_centre(parts)


def agree(found, mass, centre, inertia, *, share):
    """Compare with mass properties [kg, m, kg m2], to a share of the ballast's own."""
    assert found.mass == pytest.approx(mass, rel=share)
    assert found.centre * 1e3 == pytest.approx(centre, abs=share * 10.0)
    assert found.inertia * 1e6 == pytest.approx(
        inertia, abs=2 * share * float(np.trace(found.inertia)) * 1e6
    )


def test_a_box_weighs_and_turns_as_a_box():
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * [1e-2, 8e-3, 5e-3]
    box, sides = convex_hull(corners), np.array([2e-2, 1.6e-2, 1e-2])
    mass = mass_of(box.vertices + np.array([1e-3, 0, 2e-3]), box.faces, density=1100.0)
    weight = 1100.0 * sides.prod()
    inertia = np.diag(weight / 12 * ((sides**2).sum() - sides**2))
    agree(mass, weight, np.array([1.0, 0, 2.0]), inertia * 1e6, share=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_weighs_and_turns_as_its_mesh_and_ballast_do(model):
    body, spec = load_model(model), spec_of(model)
    if spec.ballast is None:
        part = by_tetrahedra(solid_of(body.skin), spec.density_kg_m3 * 1e-9)
        # The file gives nine digits.
        agree(body.mass, *about_the_centre([part]), share=1e-7)
    else:
        ballast = ballast_of(spec.ballast)
        agree(body.mass, *cast_into(body.skin, ballast, spec.density_kg_m3), share=polygon(ballast))


def polygon(ballast):
    """What an inscribed mesh of a ballast lacks of its volume, and twice that for safety."""
    return 2 * (1 - cast(ballast).volume * 1e-9 / ballast.volume) + 1e-7


@pytest.mark.parametrize("ballast", BALLASTS.values(), ids=BALLASTS)
@pytest.mark.parametrize("model", [name for name in MODELS if name not in TOO_THIN])
def test_ballast_shifts_mass_as_cutting_out_and_filling_does(model, ballast):
    skin = load_model(model).skin
    found = mass_of(skin.vertices, skin.faces, density=1100.0, ballast=ballast)
    assert polygon(ballast) < 2e-3
    agree(found, *cast_into(skin, ballast, 1100.0), share=polygon(ballast))


@pytest.mark.parametrize("model", MODELS)
def test_a_pose_is_a_minimum_of_the_height_and_as_high_as_the_mesh_says(model):
    body = load_model(model)
    support = support_of(body.hull, body.mass.centre)
    offsets = body.skin.vertices - body.mass.centre
    for pose in body.poses:
        # Of the whole skin, not of the hull: the hull must not have lost a corner.
        assert pose.height == pytest.approx(np.max(offsets @ pose.down), abs=1e-8)
        assert support.height(pose.down) == pytest.approx(pose.height, abs=1e-8)

        def height(turn, down=pose.down):
            direction = down + turn
            return support.height(direction / np.linalg.norm(direction))

        # A search that knows nothing of facets finds nothing lower near by.
        lowest = minimize(height, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-5})
        assert lowest.fun > pose.height - 1e-7
