import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.bodies.livery import PIP_PART
from pigglesim.bodies.load import load_model
from pigglesim.render.meshes import (
    SUN,
    ShadowGrid,
    board_surface,
    body_surface,
    far_surface,
    shadow_surface,
    surface_of,
)
from pigglesim.render.palette import LINE, REGIONS, srgb
from pigglesim.render.stage import cup_solid
from pigglesim.scene.scene import Board, Cup

BOARD = Board()


def corners(surface):
    return surface.positions[surface.faces].astype(float)


def areas(surface):
    a, b, c = corners(surface).transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def volume(surface):
    a, b, c = corners(surface).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def test_the_top_of_the_board_is_covered_once_and_each_region_has_its_area():
    surface = board_surface(BOARD)
    top = surface.normals[surface.faces[:, 0], 2] > 0.5
    colours = surface.colours[surface.faces[:, 0]]
    assert areas(surface)[top].sum() == pytest.approx(BOARD.size**2, rel=1e-5)
    line = np.all(np.abs(colours - srgb(LINE)) < 1e-6, axis=1) & top
    printed = BOARD.field_borders.buffer(BOARD.line / 2, join_style="mitre").area
    printed += BOARD.woods_border.buffer(BOARD.line / 2, join_style="mitre").area
    assert areas(surface)[line].sum() == pytest.approx(printed, rel=1e-4)
    for colour in set(REGIONS.values()):
        there = np.all(np.abs(colours - srgb(colour)) < 1e-6, axis=1) & top
        whole = sum(BOARD.regions[zone].area for zone in REGIONS if REGIONS[zone] == colour)
        # The lines lie half on either side.
        assert whole - printed < areas(surface)[there].sum() < whole


def test_the_cup_holds_its_walls_and_its_floor():
    cup = Cup()
    ring = np.pi * (cup.outer_radius**2 - cup.inner_radius**2)
    walls = ring * cup.depth + np.pi * cup.outer_radius**2 * cup.wall
    assert volume(surface_of(cup_solid(cup))) == pytest.approx(walls, rel=0.02)


@pytest.mark.parametrize("model", ["piggle", "piggle+red+left", "d6"])
def test_a_body_from_afar_is_the_body_within_a_cell(model):
    from scipy.spatial import cKDTree

    body = load_model(model)
    near, far, shadow = body_surface(body), far_surface(body), shadow_surface(body)
    whole = cKDTree(near.positions)
    for less, cell in ((far, 0.7e-3), (shadow, 1.2e-3)):
        assert len(less.faces) <= len(near.faces)
        assert whole.query(less.positions)[0].max() < cell
        assert np.linalg.norm(less.normals, axis=1) == pytest.approx(1.0, abs=1e-3)
    solid = load_model(model.split("+")[0]).skin
    closed = solid.faces[[part != PIP_PART for part in solid.face_parts]]
    a, b, c = solid.vertices[closed].transpose(1, 0, 2)
    truth = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6
    assert volume(shadow) == pytest.approx(truth, rel=0.05)


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
