"""How far the shares of a mesh are from those of the smooth body that it stands for."""

from types import SimpleNamespace

import numpy as np
import pytest

from pigglesim.bodies.body import Body, Skin, class_shares
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of, mesh_errors


def test_the_error_of_a_rounded_die_is_its_distance_from_a_sixth():
    """The model's mesh is not as symmetric as the die: the die's own shares are a sixth each."""
    die = load_model("d6")
    shares, errors = class_shares(die), mesh_errors(die)
    found = np.array([errors[face] for face in shares])
    true = np.array([abs(share - 1 / 6) for share in shares.values()])
    assert true.max() > 1e-4
    assert found == pytest.approx(true, rel=0.05, abs=2e-7)


def test_flat_faces_have_no_error():
    corners = np.array([[x, y, z] for x in (0, 1.0) for y in (0, 1.2) for z in (0, 0.7)]) * 0.02
    mesh = convex_hull(corners)
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("box",) * len(mesh.faces))
    hull, _ = hull_of(skin)
    body = Body(
        model="box",
        skin=skin,
        hull=hull,
        parts=(),
        mass=mass_of(mesh.vertices, mesh.faces, density=1000.0, ballast=None),
        poses=tuple(SimpleNamespace(label=str(number)) for number in range(6)),
        sha256="",
    )
    assert set(mesh_errors(body).values()) == {0.0}
