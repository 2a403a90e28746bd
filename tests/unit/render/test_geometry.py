import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.bodies.livery import PIP_PART
from pigglesim.bodies.load import load_model
from pigglesim.render.meshes import (
    COARSE_REACH,
    SUN,
    ShadowGrid,
    body_surface,
    coarse_faces,
    far_surface,
    shadow_surface,
)
from pigglesim.render.stage import body_solids
from pigglesim.scene.scene import Board

BOARD = Board()


def corners(surface):
    return surface.positions[surface.faces].astype(float)


def volume(surface):
    a, b, c = corners(surface).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


@pytest.mark.parametrize("model", ["piggle", "piggle+red+left", "d6"])
def test_a_body_from_afar_is_the_body_within_a_cell(model):
    from scipy.spatial import cKDTree

    body = load_model(model)
    near, far, shadow = body_surface(body), far_surface(body), shadow_surface(body)
    whole = cKDTree(near.positions)
    for less, cell in ((far, 0.7e-3), (shadow, 1.2e-3)):
        assert len(less.faces) <= len(near.faces)
        assert whole.query(less.positions[less.faces].reshape(-1, 3))[0].max() < cell
        assert np.linalg.norm(less.normals, axis=1) == pytest.approx(1.0, abs=1e-3)
    solid = load_model(model.split("+")[0]).skin
    closed = solid.faces[[part != PIP_PART for part in solid.face_parts]]
    a, b, c = solid.vertices[closed].transpose(1, 0, 2)
    truth = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6
    assert volume(shadow) == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("model", ["piggle", "piggle+red+left"])
def test_coarse_triangles_are_within_their_reach_of_the_skin(model):
    from scipy.spatial import cKDTree

    solid = body_solids(load_model(model))[0]
    coarse = coarse_faces(solid)
    assert 0 < 3 * len(coarse) < len(solid.faces)
    shares = np.random.default_rng(5).dirichlet([1.0, 1.0, 1.0], (1, 12))

    def samples(faces):
        return np.einsum("fcx,osc->fsx", solid.vertices[faces], shares)

    fine, few = (samples(faces).reshape(-1, 3) for faces in (solid.faces, coarse))
    for points, others in ((few, fine), (fine, few)):
        assert cKDTree(others).query(points)[0].max() < COARSE_REACH
    materials = solid.vertex_materials[coarse]
    assert np.ptp(materials, axis=1).max() == 0
    assert set(materials.flat) == set(solid.vertex_materials)


def test_models_of_one_skin_have_the_same_coarse_triangles():
    one, other = (
        coarse_faces(body_solids(load_model(model))[0]) for model in ("premium", "premium_brass")
    )
    assert np.array_equal(one, other)


GRID = ShadowGrid(BOARD)
CELLS = GRID.surface().positions.reshape(-1, 4, 3).astype(float)


@given(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(0.0, 0.25), st.integers(0, 2**32))
def test_no_shadow_falls_outside_the_cells_that_are_shaded(x, y, z, seed):
    shaded = GRID.shaded(np.array([[x, y, z]]), np.array([0.017]))
    assert shaded == sorted(set(shaded))
    ball = np.random.default_rng(seed).standard_normal((50, 3))
    points = 0.017 * ball / np.linalg.norm(ball, axis=1)[:, None] + [x, y, z]
    low, high = CELLS[:, 0, :2], CELLS[:, 2, :2]
    for floor in (0.0, -BOARD.thickness):
        fallen = (points - SUN * (points[:, 2:] - floor) / SUN[2])[:, None, :2]
        where = np.all((fallen > low + 1e-6) & (fallen < high - 1e-6), axis=2)
        assert set(np.flatnonzero(where.any(axis=0)).tolist()) <= set(shaded)
