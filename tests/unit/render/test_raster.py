"""Triangles to pixels: what is covered, and by which of many."""

import numpy as np
import pytest

from pigglesim.render import rasterizer as raster
from pigglesim.render.rasterizer import rasterize


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
        monkeypatch.setattr(raster, "_PIXELS", limit)
        seen, nearness, weights = rasterize(points, faces, width=20, height=16)
        assert np.array_equal(seen, face)
        assert nearness == pytest.approx(depth)
        shown = face >= 0
        nears = points[faces[face[shown]]][..., 2]
        assert (weights[:, shown].T * nears).sum(axis=1) == pytest.approx(depth[shown])


def test_a_fan_has_no_gaps():
    angles = np.linspace(0, 2 * np.pi, 78)[:-1]
    rim = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]) * 40
    points = np.vstack([np.zeros(3), rim]) + np.array([20.3, 15.7, 0])
    faces = np.array([[0, 1 + k, 1 + (k + 1) % 77] for k in range(77)])
    assert np.all(rasterize(points, faces, width=40, height=30)[0] >= 0)


def test_of_equally_near_faces_the_first_is_seen_and_a_line_is_not():
    points = np.array([[0.0, 0, 1], [9, 0, 1], [0, 9, 1], [0, 4.5, 5], [9, 4.5, 5], [5, 4.5, 5]])
    faces = np.array([[3, 4, 5], [0, 1, 2], [0, 2, 1]])
    assert set(np.unique(rasterize(points, faces, width=9, height=9)[0])) == {-1, 1}
    assert np.all(rasterize(points, faces[:0], width=9, height=9)[0] == -1)
