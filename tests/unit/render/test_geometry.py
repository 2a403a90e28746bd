import numpy as np
import pytest

from pigglesim.bodies.livery import PIP_PART
from pigglesim.bodies.load import load_model
from pigglesim.render.meshes import (
    COARSE_REACH,
    body_surface,
    coarse_faces,
    far_surface,
    shadow_surface,
)
from pigglesim.render.stage import body_solids


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
