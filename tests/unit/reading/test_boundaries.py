"""Readings at their boundaries: what counts as touching, as moved, as over the edge, as a face."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import orientation_of
from pigglesim.bodies.load import load_model
from pigglesim.landing import LineRule, Orientation, ReadingRules, RestPlace, Zone
from pigglesim.reading import face_up, ground_contact, hull_in_world, read_landing, tilt
from pigglesim.rotations import axis_angle, multiply, random_quaternion, to_matrix
from pigglesim.scene.scene import INCH, Board
from tests.placing import set_down

BOARD = Board()
RULES = ReadingRules()
PIGGLE = load_model("piggle")
DIE = load_model("d6")
NORTH = (0.0, 2.6 * INCH)


def lifted(place, by):
    x, y, z = place.position
    return replace(place, position=(x, y, z + by))


def anyhow(rng):
    """A Piggle set down any way up, its lowest corner on the board, in the field to the North."""
    turn = tuple(float(q) for q in random_quaternion(rng=rng))
    place = RestPlace(position=(*NORTH, 0.0), rotation=turn)
    return lifted(place, -float(hull_in_world(PIGGLE, place)[:, 2].min()))


@pytest.mark.parametrize("pose", DIE.poses, ids=lambda pose: pose.name)
def test_a_die_shows_the_face_above_and_turned_over_the_one_opposite(pose):
    rng = np.random.default_rng(3)
    for heading in np.linspace(0.0, 6.0, 5):
        place = set_down(DIE, pose, contact_at=NORTH, heading=heading)
        assert face_up(DIE, place) == int(pose.name)
        own = np.array(place.rotation)
        over = multiply(axis_angle(np.array([1.0, 0.0, 0.0]), np.pi), own)
        assert face_up(DIE, replace(place, rotation=tuple(over))) == 7 - int(pose.name)
        # Less than half a right angle away from it, no other face of a cube is nearer.
        aside = multiply(axis_angle(rng.normal(size=3), np.radians(40.0)), own)
        assert face_up(DIE, replace(place, rotation=tuple(aside))) == int(pose.name)


def test_what_is_as_near_as_the_tolerance_touches():
    rng, looked = np.random.default_rng(5), 0
    for _ in range(20):
        place = anyhow(rng)
        corners = hull_in_world(PIGGLE, place)
        heights = np.sort(corners[:, 2])
        for tolerance in heights[(heights > 0.0)][:5]:
            contact = ground_contact(PIGGLE, place, BOARD, tolerance=float(tolerance))
            low = corners[:, 2] <= tolerance
            assert contact.board.tolist() == corners[low, :2].tolist()
            assert contact.parts == {PIGGLE.hull.vertex_parts[i] for i in np.flatnonzero(low)}
            assert not contact.table
            looked += 1
    assert looked == 100


@pytest.mark.parametrize("shift", [-1e-5, 1e-5])
def test_a_corner_on_the_table_is_off_though_the_centre_is_above_the_board(shift):
    # Tilted by 20 degrees, with its lower edge 2.8 mm outside and the other one above the table.
    turn = axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(20.0))
    place = RestPlace(position=(BOARD.half - 0.002, 0.0, 0.0), rotation=tuple(turn.tolist()))
    lowest = float(hull_in_world(DIE, place)[:, 2].min())
    tolerance = RULES.contact_tolerance_mm / 1000.0
    place = lifted(place, tolerance + shift - BOARD.thickness - lowest)
    assert place.position[2] > -BOARD.thickness
    contact = ground_contact(DIE, place, BOARD, tolerance=tolerance)
    assert contact.table is (shift < 0.0)
    landing = read_landing(DIE, place, (), board=BOARD, rules=RULES)
    assert (landing.zone is Zone.OFF) is (shift < 0.0)


def test_whose_centre_is_below_the_board_is_off():
    deep = RestPlace(position=(*NORTH, -BOARD.thickness), rotation=(0.0, 0.0, 0.0, 1.0))
    deeper = replace(deep, position=(*NORTH, float(np.nextafter(-BOARD.thickness, -1.0))))
    zones = [read_landing(DIE, at, (), board=BOARD, rules=RULES).zone for at in (deep, deeper)]
    assert zones == [Zone.FIELD_NORTH, Zone.OFF]


@pytest.mark.parametrize("body", [PIGGLE, DIE], ids=lambda body: body.model)
def test_a_body_in_a_pose_is_not_tilted(body):
    for pose in body.poses:
        for heading in np.linspace(0.0, 6.0, 40):
            assert tilt(body, set_down(body, pose, contact_at=NORTH, heading=heading)) < 1e-6


def test_one_corner_on_the_board_is_leaning_and_none_is_stacked():
    rng, kinds = np.random.default_rng(8), set()
    for _ in range(60):
        place = anyhow(rng)
        corners = hull_in_world(PIGGLE, place)
        touch = (corners[int(rng.integers(len(corners)))],)
        tolerance = RULES.contact_tolerance_mm / 1000.0
        for height in (0.0, 0.9995 * tolerance, 1.0005 * tolerance):
            at = lifted(place, height)
            landing = read_landing(PIGGLE, at, touch, board=BOARD, rules=RULES)
            assert landing.place is at
            number = int((hull_in_world(PIGGLE, at)[:, 2] <= tolerance).sum())
            own = tilt(PIGGLE, at) <= np.radians(3.0)
            assert landing.stacked is (number == 0)
            assert landing.leaning is (number > 0 and not own)
            kinds.add(min(number, 2))
    assert kinds == {0, 1, 2}


def test_a_leaning_body_is_classed_by_all_that_holds_it_from_below_and_aside():
    rng, heads = np.random.default_rng(9), 0
    for _ in range(3000):
        place = anyhow(rng)
        if tilt(PIGGLE, place) <= np.radians(3.0):
            continue
        corners = hull_in_world(PIGGLE, place)
        held = int(rng.integers(len(corners)))
        landing = read_landing(PIGGLE, place, (corners[held],), board=BOARD, rules=RULES)
        low = np.flatnonzero(corners[:, 2] <= RULES.contact_tolerance_mm / 1000.0)
        parts = frozenset(PIGGLE.hull.vertex_parts[i] for i in (*low, held))
        down = -to_matrix(np.array(place.rotation))[2]
        assert landing.orientation is orientation_of(down, parts)
        heads += landing.orientation is Orientation.ON_THEIR_HEAD
    assert heads > 10


@pytest.mark.parametrize("pose", PIGGLE.poses, ids=lambda pose: pose.name)
def test_the_rule_of_the_line_says_what_is_looked_at(pose):
    def zone(place, rule):
        rules = replace(RULES, line_rule=rule)
        return read_landing(PIGGLE, place, (), board=BOARD, rules=rules).zone

    place = set_down(PIGGLE, pose, contact_at=(0.0, 5.0 * INCH))
    assert zone(place, LineRule.FOOTPRINT) is Zone.LINE_PATH_WOODS
    assert zone(place, LineRule.CONTACT_CENTROID) is Zone.LINE_PATH_WOODS
    for inches, wanted in (
        (3.4, Zone.FIELD_NORTH),
        (4.5, Zone.PATH_OUTER),
        (5.0, Zone.LINE_PATH_WOODS),
        (5.2, Zone.WOODS),
    ):
        centred = replace(place, position=(0.0, inches * INCH, place.position[2]))
        assert zone(centred, LineRule.COM) is wanted
