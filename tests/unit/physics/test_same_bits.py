"""Throws have the same bits on any processor with FMA, whatever numpy and OpenBLAS make of it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pigglesim.physics.frames import eigen_decomposition
from pigglesim.rotations import dot, length, rotate, to_matrix, transform
from scripts.determinism.measure import SETTINGS

_POURS = """
import hashlib
from scripts.determinism.samples import pours
for engine in ("impulse", "bullet", "mujoco"):
    text = "".join(map(repr, pours(engine, 2)))
    print(engine, hashlib.sha256(text.encode()).hexdigest())
"""


def _poured(settings):
    # Compiled code neither reorders nor fuses: it need not be compiled for the other processor.
    acted = {name: value for name, value in settings.items() if not name.startswith("NUMBA")}
    return subprocess.check_output(
        [sys.executable, "-c", _POURS], env={**os.environ, **acted}, text=True
    )


@pytest.mark.slow
def test_pours_of_every_engine_on_another_processor():
    here = _poured({})
    assert here.count("\n") == 3
    assert _poured(SETTINGS["as on Haswell (2013)"]) == here


@pytest.mark.parametrize("coupled", [True, False])
def test_a_symmetric_matrix_is_taken_apart(coupled):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        root = rng.standard_normal((3, 3))
        if not coupled:
            root[0, 1:] = root[1:, 0] = 0.0
        matrix = root @ root.T * 10.0 ** rng.integers(-12, 4)
        values, vectors = eigen_decomposition(matrix)
        scale = values[-1]
        assert np.all(np.diff(values) >= 0.0)
        assert np.allclose(values, np.linalg.eigvalsh(matrix), rtol=0.0, atol=1e-14 * scale)
        assert np.allclose(vectors.T @ vectors, np.eye(3), rtol=0.0, atol=1e-14)
        assert np.allclose(vectors * values @ vectors.T, matrix, rtol=0.0, atol=1e-14 * scale)


def test_of_a_cube_every_axis_will_do_and_its_own_are_taken():
    values, vectors = eigen_decomposition(np.eye(3) * 2e-7)
    assert values.tolist() == [2e-7] * 3
    assert np.array_equal(vectors, np.eye(3))


def test_products_agree_with_those_of_numpy():
    rng = np.random.default_rng(5)
    for _ in range(20):
        q = rng.standard_normal(4)
        q /= np.linalg.norm(q)
        points, normals = rng.standard_normal((2, 7, 3))
        assert np.allclose(rotate(q, points), points @ to_matrix(q).T, rtol=1e-13, atol=1e-14)
        assert np.allclose(transform(normals, points), points @ normals.T, rtol=1e-13, atol=1e-14)
        assert np.allclose(transform(to_matrix(q), points[0]), to_matrix(q) @ points[0], atol=1e-14)
        assert dot(points[0], points[1]) == pytest.approx(points[0] @ points[1], abs=1e-14)
        assert length(q) == pytest.approx(1.0, abs=1e-15)
