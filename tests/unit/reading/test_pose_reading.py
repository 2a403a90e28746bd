"""The reading of a pose against polygons and numpy, and compiled against ordinary Python."""

import numpy as np
import pytest
from shapely import LinearRing, MultiPoint, get_coordinates

import pigglesim
from pigglesim import landing_reading
from pigglesim.bodies.body import orientation_of, pose_at, read_body
from pigglesim.bodies.load import load_model
from pigglesim.chance import physical
from pigglesim.landing import STANDARD_READING, Orientation, RestPlace, Zone
from pigglesim.landing_reading import (
    ground_contact,
    hull_in_world,
    read_landing,
    tilt,
    zone_points,
)
from pigglesim.pose_reading import EAR, HOME_ANGLE, OTHER, SNOUT, _outline, read_pose
from pigglesim.rotations import random_quaternion, to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import INCH
from tests.support.bodies import box_body
from tests.support.footprints import classify
from tests.support.polygons import zone_by_polygons
from tests.support.tracking import place_at

BOARD = load_scene("piggles_classic").board
PIGGLE = load_model("piggle")


def footprints(count, seed=7):
    """Yield footprints all over the board, most of them close to a line, some over many."""
    rng = np.random.default_rng(seed)
    places = [0.0, 4.0 * INCH, 5.0 * INCH, BOARD.lane / 2**0.5, BOARD.half]
    for _ in range(count):
        size = rng.choice([0.0, 1e-4, 2e-3, 0.01, 0.2], p=[0.05, 0.3, 0.3, 0.3, 0.05])
        x, y = rng.choice([-1, 1], 2) * rng.choice(places, 2) + rng.normal(0.0, 0.004, 2)
        if rng.random() < 0.4:  # along a lane, where fields have their slanted sides
            y = rng.choice([-1, 1]) * (x + rng.choice([-1, 0, 1]) * places[3])
        points = [x, y] + size * rng.standard_normal((rng.integers(1, 7), 2))
        yield np.clip(points, -BOARD.half, BOARD.half)


@pytest.mark.parametrize("count", [1500, pytest.param(100_000, marks=pytest.mark.slow)])
def test_the_zone_of_a_footprint_is_that_of_the_polygons(count):
    seen = set()
    for points in footprints(count):
        zone = classify(BOARD, points)
        assert zone is zone_by_polygons(BOARD, points), points.tolist()
        seen.add(zone)
    assert seen == {*Zone} - {Zone.OFF, Zone.LINE_FIELD_PATH}


def test_the_outline_of_points_is_that_of_their_convex_hull():
    rng = np.random.default_rng(2)
    for _ in range(300):
        points = rng.normal(size=(rng.integers(1, 9), 2))
        given = points.tolist()
        corners = given[: _outline(given, len(given))]
        hull = MultiPoint(points).convex_hull
        assert {*map(tuple, corners)} == {*map(tuple, get_coordinates(hull).tolist())}
        assert len(corners) < 3 or LinearRing(corners).is_ccw


def test_the_zone_of_a_box_is_that_of_its_lower_corners():
    place = place_at((0.05, -0.02, 0.005))
    points = zone_points(box_body(0.03, 0.02, 0.01), place, BOARD, STANDARD_READING)
    corners = [[0.05 + x, -0.02 + y] for x in (-0.015, 0.015) for y in (-0.01, 0.01)]
    assert np.array(sorted(points.tolist())) == pytest.approx(np.array(corners))


def test_a_footprint_around_a_whole_field_is_on_its_line():
    around = np.array([[0.0, 0.005], [-0.12, 0.11], [0.12, 0.11]])
    assert classify(BOARD, around) is zone_by_polygons(BOARD, around) is Zone.LINE_NORTH
    whole = 5.5 * INCH * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    assert classify(BOARD, whole) is zone_by_polygons(BOARD, whole) is Zone.LINE_PATH_WOODS


def places(count, seed=5):
    """Yield places on, above and beside the board, on an edge of it, or upright in the air."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rotation = random_quaternion(rng=rng)
        offsets = PIGGLE.hull.vertices - PIGGLE.mass.centre
        low = -float((offsets @ to_matrix(rotation)[2]).min())
        x, y = rng.uniform(-1.1, 1.1, 2) * BOARD.half
        if rng.random() < 0.3:
            x = rng.choice([-1, 1]) * (BOARD.half + rng.normal(0.0, 0.01))
        z = low + rng.choice([0.0, 4e-4, 6e-4, 0.03, -BOARD.thickness])
        yield RestPlace(position=(x, y, z), rotation=tuple(rotation.tolist()))


def expected(place, touches):
    """Orientation, zone and support, by numpy and polygons (P10, P11, P12)."""
    tolerance = STANDARD_READING.contact_tolerance_mm / 1000.0
    ground = ground_contact(PIGGLE, place, BOARD, tolerance=tolerance)
    points, (x, y, z) = ground.board, place.position
    grounded = len(points) > 0 or ground.table
    supported = bool(touches) and (not grounded or tilt(PIGGLE, place) > HOME_ANGLE)
    support = supported and grounded, supported and not grounded
    if not len(points):
        points = np.array([point[:2] for point in touches] or [[x, y]])
    if ground.table or z < -BOARD.thickness or np.any(np.abs(points) > BOARD.half):
        return None, Zone.OFF, *support
    down = -to_matrix(np.array(place.rotation))[2]
    orientation = pose_at(PIGGLE, down).orientation
    if supported:
        corners = hull_in_world(PIGGLE, place)
        near = [int(np.argmin(np.linalg.norm(corners - point, axis=1))) for point in touches]
        parts = ground.parts | {PIGGLE.hull.vertex_parts[corner] for corner in near}
        orientation = orientation_of(down, frozenset(parts))
    return orientation, zone_by_polygons(BOARD, points), *support


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_pose_reads_as_numpy_and_polygons_read_it(count):
    rng, seen = np.random.default_rng(8), set()
    for place in places(count):
        spots = place.position + rng.normal(0.0, 0.01, (rng.integers(0, 4), 3))
        found = read_landing(PIGGLE, place, tuple(spots), board=BOARD, rules=STANDARD_READING)
        read = found.orientation, found.zone, found.leaning, found.stacked
        assert read == expected(place, tuple(spots))
        seen.add((found.orientation, found.leaning, found.stacked))
    assert len(seen) >= 3 * len(Orientation)


def test_corners_are_of_the_snout_the_ears_or_the_rest():
    found = set(zip(PIGGLE.hull.vertex_parts, read_body(PIGGLE).parts, strict=True))
    ears = {(name, part) for name, part in found if "ear" in name}
    assert {part for _, part in ears} == {EAR}
    assert {name for name, part in found if part == SNOUT} == {"snout"}
    assert {part for _, part in found - ears - {("snout", SNOUT)}} == {OTHER}


@pytest.mark.parametrize(
    ("count", "model"),
    [
        (6, "piggle"),
        pytest.param(400, "piggle", marks=pytest.mark.slow),
        pytest.param(100, "premium", marks=pytest.mark.slow),
        pytest.param(100, "premium_brass", marks=pytest.mark.slow),
    ],
)
def test_compiled_throws_read_as_ordinary_python_reads(monkeypatch, count, model):
    found, compiled = [], []

    def read_twice(body, place, touches, *, reading, **rules):
        landing = read_landing(body, place, touches, reading=reading, **rules)
        assert landing == read_landing(body, place, touches, **rules)
        compiled.append(reading is not None)
        found.append("leans" if landing.leaning else "stacked" if landing.stacked else None)
        return landing

    monkeypatch.setattr(physical, "read_landing", read_twice)
    for seed in range(count):
        # Thrown low and softly, some lean on others.
        roll = pigglesim.roll(6, seed=seed, engine="impulse", model=model, height=2, back=3)
        pigglesim.roll(6, seed=seed, engine="impulse", seat="B", onto=roll, back=0)
    assert compiled
    assert all(compiled)
    assert count < 400 or {None, "leans", "stacked"} == {*found}


@pytest.mark.parametrize(("engine", "times"), [("impulse", 0), ("bullet", 2)])
def test_each_body_is_read_once_by_the_engine_or_after_it(monkeypatch, engine, times):
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return read_pose(*arguments)

    monkeypatch.setattr(landing_reading, "read_pose", counted)
    pigglesim.roll(2, seed=638, engine=engine)
    assert len(calls) == times
