"""Contact manifolds of engine `impulse` against clipped polygons and closed forms."""

import numpy as np
import pytest
from shapely.geometry import Polygon

from pigglesim.physics.impulse.gjk import Pair, signed_distance
from pigglesim.physics.impulse.manifold import build_manifold, find_contacts
from pigglesim.physics.impulse.state import BOARD, BOARD_CONTACT, BODY_CONTACT
from pigglesim.rotations import axis_angle
from tests.support.bodies import box_body, octahedron_body
from tests.support.contact_worlds import SCENE, STEP, Opened

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
Z_AXIS = np.array([0.0, 0.0, 1.0])


def manifold(world):
    """The contacts of bodies 0 and 1, whose normal is near straight up."""
    one, two = world.hulls
    world.state.normal[:] = Z_AXIS
    world.state.contact_count = 0
    pair = Pair(one, 0, two, 1)
    gap = signed_distance(world.shapes, world.state, pair, 1.0, 0.0)
    build_manifold(world.shapes, world.state, pair, gap)
    return world.contacts()


def square(world, body):
    """The outline of an upright box, as seen from above."""
    return Polygon(world.vertices(body)[:, :2]).convex_hull


@pytest.mark.parametrize("gap", [1e-4, 0.0, -2e-4])
def test_stacked_boxes_touch_at_the_corners_of_the_clipped_polygon(gap):
    for seed in range(20):
        expect_clipped_polygon(np.random.default_rng(seed), gap)


def expect_clipped_polygon(rng, gap):
    lower, upper = box_body(0.04, 0.03, 0.01), box_body(0.02, 0.03, 0.012)
    x, y = rng.uniform(-0.01, 0.01, 2)
    world = Opened(
        [
            (upper, (x, y, 0.5 + 0.011 + gap), axis_angle(Z_AXIS, rng.uniform(0, 7))),
            (lower, (0.0, 0.0, 0.5), axis_angle(Z_AXIS, rng.uniform(0, 7))),
        ]
    )
    points, normals, separations = manifold(world)
    clipped = square(world, 0).intersection(square(world, 1))
    corners = np.array(clipped.exterior.coords)[:-1]
    assert len(points) == len(corners)
    apart = np.linalg.norm(points[:, None, :2] - corners[None], axis=2)
    assert apart.min(axis=0).max() < 1e-8
    assert apart.min(axis=1).max() < 1e-8
    assert normals == pytest.approx(np.tile(Z_AXIS, (len(points), 1)), abs=1e-6)
    assert separations == pytest.approx(np.full(len(points), gap), abs=2e-7)
    # On the surface of the lower body, as seen from the side.
    assert points[:, 2] == pytest.approx(np.full(len(points), 0.505), abs=1e-6)


def test_crossed_edges_touch_at_their_crossing():
    # Two boxes, each standing on an edge, one edge along x and the other along y.
    box, reach = box_body(0.02, 0.02, 0.02), 0.01 * 2**0.5
    world = Opened(
        [
            (box, (0.003, 0.002, 0.5 + 2 * reach), axis_angle(np.array([1.0, 0, 0]), np.pi / 4)),
            (box, (0.0, 0.0, 0.5), axis_angle(np.array([0, 1.0, 0]), np.pi / 4)),
        ]
    )
    points, normals, separations = manifold(world)
    assert points == pytest.approx(np.array([[0.0, 0.002, 0.5 + reach]]), abs=1e-6)
    assert normals == pytest.approx(Z_AXIS[None], abs=1e-6)
    assert separations == pytest.approx([0.0], abs=1e-7)


@pytest.mark.parametrize("edge", ["upper", "lower"])
def test_an_edge_on_a_face_touches_at_its_ends(edge):
    # A box on an edge 16 mm long, and one with a face of 40 mm.
    box, slab, reach = box_body(0.016, 0.02, 0.02), box_body(0.04, 0.04, 0.01), 0.01 * 2**0.5
    apart, on_edge = 0.005 + reach, axis_angle(np.array([1.0, 0, 0]), np.pi / 4)
    placed = [
        (box, (0.001, 0.002, 0.5 + apart * (edge == "upper")), on_edge),
        (slab, (0.0, 0.0, 0.5 + apart * (edge == "lower")), UPRIGHT),
    ]
    points, normals, separations = manifold(Opened(placed if edge == "upper" else placed[::-1]))
    level = 0.505 if edge == "upper" else 0.5 + reach
    expected = np.array([[-0.007, 0.002, level], [0.009, 0.002, level]])
    assert points[np.argsort(points[:, 0])] == pytest.approx(expected, abs=1e-6)
    assert normals == pytest.approx(np.tile(Z_AXIS, (2, 1)), abs=1e-6)
    assert separations == pytest.approx([0.0, 0.0], abs=1e-7)


def test_a_vertex_on_a_face_is_one_contact():
    world = Opened(
        [
            (octahedron_body(0.012), (0.004, 0.005, 0.5 + 0.017), UPRIGHT),
            (box_body(0.03, 0.03, 0.01), (0.0, 0.0, 0.5), UPRIGHT),
        ]
    )
    points, _, separations = manifold(world)
    assert points == pytest.approx(np.array([[0.004, 0.005, 0.505]]), abs=1e-7)
    assert separations == pytest.approx([0.0], abs=1e-7)


@pytest.mark.parametrize(("where", "height"), [(0.05, 0.0), (0.3, -SCENE.board.thickness)])
def test_a_box_touches_board_and_table_at_its_lower_corners(where, height):
    box = box_body(0.02, 0.03, 0.01)
    turn = axis_angle(Z_AXIS, 0.4)
    world = Opened([(box, (where, 0.0, height + 0.005 - 1e-5), turn)])
    find_contacts(world.shapes, world.state, world.scratch, world.params, STEP / 2)
    points, normals, separations = world.contacts()
    lower = world.vertices(0)
    lower = lower[lower[:, 2] < height]
    assert len(points) == len(lower) == 4
    apart = np.linalg.norm(points[:, None, :2] - lower[None, :, :2], axis=2)
    assert apart.min(axis=0).max() < 1e-12
    assert points[:, 2] == pytest.approx(np.full(4, height), abs=1e-12)
    assert np.array_equal(normals, np.tile(Z_AXIS, (4, 1)))
    assert separations == pytest.approx(np.full(4, -1e-5), abs=1e-12)
    assert set(world.state.body_b[:4]) == {BOARD}
    assert set(world.state.contact_kind[:4]) == {BOARD_CONTACT}


def test_a_box_over_the_edge_touches_the_board_where_it_is_above_it():
    side = SCENE.board.half
    box = box_body(0.02, 0.03, 0.01)
    world = Opened([(box, (side + 0.002, 0.05, 0.005 - 1e-5), UPRIGHT)])
    find_contacts(world.shapes, world.state, world.scratch, world.params, STEP / 2)
    points, normals, _ = world.contacts()
    assert normals == pytest.approx(np.tile(Z_AXIS, (len(points), 1)), abs=1e-6)
    # The box reaches over the board by 8 mm.
    corners = [[x, y] for x in (side - 0.008, side) for y in (0.035, 0.065)]
    found = points[np.lexsort(points.T[1::-1]), :2]
    assert found == pytest.approx(np.array(corners), abs=1e-6)


@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1), (0, -1)])
@pytest.mark.parametrize("tilt", [0.0, 0.7])
@pytest.mark.parametrize("depth", [-1e-5, 1e-4, 1e-3])
def test_a_body_in_the_side_of_the_board_is_pushed_out_of_that_side(side, tilt, depth):
    # A vertex is in the side, far below the board's top; with a tilt it is the lowest one too.
    reach, out = 0.006, np.array([*side, 0.0])
    across = np.cross(Z_AXIS, out)
    inner = -out * np.cos(tilt) - Z_AXIS * np.sin(tilt)
    touching = out * (SCENE.board.half - depth) + 0.03 * across - 0.011 * Z_AXIS
    turn = axis_angle(-across, tilt)
    world = Opened([(octahedron_body(reach), touching - reach * inner, turn)])
    world.state.point_speed[0] = 1.0
    find_contacts(world.shapes, world.state, world.scratch, world.params, STEP / 2)
    points, normals, separations = world.contacts()
    beside = np.abs(normals[:, 2]) < 0.5
    assert normals[beside] == pytest.approx(out[None], abs=1e-6)
    assert separations[beside] == pytest.approx([-depth], abs=2e-7)
    # Its point is on the board.
    due = touching + out * depth
    assert points[beside] == pytest.approx(due[None], abs=1e-6)
    # The table is below.
    assert points[~beside][:, 2] == pytest.approx(-SCENE.board.thickness, abs=1e-12)


def test_bodies_of_a_pair_touch_part_by_part():
    lower, upper = box_body(0.03, 0.03, 0.01), box_body(0.02, 0.02, 0.01)
    world = Opened([(lower, (0, 0, 0.5), UPRIGHT), (upper, (0, 0, 0.50999), UPRIGHT)])
    world.state.pairs[0] = 1, 0
    world.state.pair_count = 1
    find_contacts(world.shapes, world.state, world.scratch, world.params, STEP / 2)
    count = int(world.state.contact_count)
    assert count == 4
    assert set(world.state.contact_kind[:count]) == {BODY_CONTACT}
    assert set(zip(world.state.body_a[:count], world.state.body_b[:count], strict=True)) == {(1, 0)}
