"""Bodies set down by hand read as they must: every pose, on every zone, every line and the edge."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.landing import ClassLanding, Landing, Orientation, ReadingRules, RestPlace, Zone
from pigglesim.reading import (
    ground_contact,
    hull_in_world,
    orientation_alone,
    orientation_supported,
    read_knocks,
    read_landing,
)
from pigglesim.rotations import axis_angle, multiply, random_quaternion
from pigglesim.scene.scene import INCH, Board
from tests.placing import feet, set_down

UP, DOWN, HEAD = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN, Orientation.ON_THEIR_HEAD
BOARD = Board()
RULES = ReadingRules()
MODELS = [load_model("piggle"), load_model("premium")]
CASES = [(body, pose) for body in MODELS for pose in body.poses]
NAMES = [f"{body.model}-{pose.name}" for body, pose in CASES]

# Spots [in] that are the middle of a zone, wide enough for any footprint.
WIDE = {
    Zone.FIELD_NORTH: (0.0, 2.6),
    Zone.FIELD_EAST: (2.6, 0.0),
    Zone.FIELD_SOUTH: (0.0, -2.6),
    Zone.FIELD_WEST: (-2.6, 0.0),
    Zone.WOODS: (0.0, 5.75),
}
# Lines, met by the middle of the footprint.
LINES = {
    (0.0, 4.0): Zone.LINE_NORTH,
    (-4.0, 0.0): Zone.LINE_WEST,
    (2.0 + 2**-1.5, 2.0 - 2**-1.5): Zone.LINE_EAST,
    (0.0, 5.0): Zone.LINE_PATH_WOODS,
    (5.0, -5.0): Zone.LINE_PATH_WOODS,
}


def at(spot):
    return (spot[0] * INCH, spot[1] * INCH)


def read(body, place, touches=()):
    return read_landing(body, place, touches, board=BOARD, rules=RULES)


@pytest.mark.parametrize(("body", "pose"), CASES, ids=NAMES)
def test_every_pose_reads_as_its_class_in_every_zone_and_on_every_line(body, pose):
    for spot, zone in (*((spot, zone) for zone, spot in WIDE.items()), *LINES.items()):
        for heading in np.linspace(0, 2 * np.pi, 7):
            landing = read(body, set_down(body, pose, contact_at=at(spot), heading=heading))
            assert landing.zone is zone, (spot, heading)
            assert landing.orientation is pose.orientation
            assert not landing.leaning and not landing.stacked


@pytest.mark.parametrize(("body", "pose"), CASES, ids=NAMES)
def test_the_path_is_read_where_the_footprint_fits_it(body, pose):
    # The ring of path is an inch wide less its lines: a footprint fits or reaches a line.
    for heading in np.linspace(0, 2 * np.pi, 13):
        points = feet(body, pose, heading)
        spread = np.ptp(points, axis=0)
        landing = read(body, set_down(body, pose, contact_at=at((0.0, 4.5)), heading=heading))
        low = points[:, 1].min() - points[:, 1].mean()
        high = points[:, 1].max() - points[:, 1].mean()
        room = INCH / 2 - BOARD.line / 2
        fits = low > -room and high < room
        if fits:
            assert landing.zone is Zone.PATH_OUTER
        else:
            assert landing.zone in {Zone.LINE_NORTH, Zone.LINE_PATH_WOODS}
        assert spread.max() < 1.2 * INCH


@pytest.mark.parametrize(("body", "pose"), CASES, ids=NAMES)
def test_at_the_edge_the_contact_decides_and_the_table_is_off(body, pose):
    for heading in np.linspace(0, 2 * np.pi, 5):
        points = feet(body, pose, heading)
        out = points[:, 0].max() - points[:, 0].mean()
        # All contact just inside the edge: still the woods, however far the body hangs over.
        inside = (BOARD.half - out - 1e-4, 0.0)
        landing = read(body, set_down(body, pose, contact_at=inside, heading=heading))
        assert landing.zone is Zone.WOODS
        assert landing.orientation is pose.orientation
        below = set_down(
            body,
            pose,
            contact_at=(BOARD.half + 0.03, 0.0),
            heading=heading,
            floor=-BOARD.thickness,
        )
        fallen = read(body, below)
        assert fallen.zone is Zone.OFF
        assert fallen.orientation is None


def test_the_reading_is_total():
    rng = np.random.default_rng(7)
    for _ in range(400):
        body = MODELS[int(rng.integers(2))]
        x, y = rng.uniform(-8, 8, 2) * INCH
        place = RestPlace(
            position=(float(x), float(y), float(rng.uniform(-0.03, 0.05))),
            rotation=tuple(float(q) for q in random_quaternion(rng=rng)),
        )
        touches = (np.array([x, y, 0.01]),) if rng.random() < 0.5 else ()
        landing = read(body, place, touches)
        assert (landing.orientation is None) == (landing.zone is Zone.OFF)
        assert not (landing.leaning and landing.stacked)


def test_touching_a_neighbour_is_not_leaning_while_the_pose_is_its_own():
    body = MODELS[0]
    pose = next(p for p in body.poses if p.orientation is Orientation.SNOUT_UP)
    place = set_down(body, pose, contact_at=at((0.0, 2.6)))
    touch = np.array(place.position) + np.array([0.01, 0.0, 0.0])
    landing = read(body, place, (touch,))
    # A plain bool: NumPy's own would not go into JSON.
    assert landing.leaning is False
    assert landing.stacked is False
    assert landing.orientation is Orientation.SNOUT_UP


@pytest.mark.parametrize(("degrees", "expected"), [(20, {UP}), (130, {DOWN, HEAD})])
def test_tilted_against_a_neighbour_it_leans_and_its_axes_decide(degrees, expected):
    body = MODELS[0]
    pose = next(p for p in body.poses if p.orientation is UP)
    flat = set_down(body, pose, contact_at=at((0.0, 2.6)))
    tilt = axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
    turned = tuple(multiply(tilt, np.array(flat.rotation)).tolist())
    above = RestPlace(position=(*flat.position[:2], 0.1), rotation=turned)
    lowest = hull_in_world(body, above)[:, 2].min()
    leaning = replace(above, position=(*flat.position[:2], float(0.1 - lowest)))
    foot = next(i for i, part in enumerate(body.hull.vertex_parts) if part.startswith("foot"))
    landing = read(body, leaning, (hull_in_world(body, leaning)[foot],))
    assert landing.leaning is True
    assert landing.orientation in expected


def test_stacked_takes_the_zone_under_its_own_support():
    body, (x, y) = MODELS[0], at((0.0, 2.6))
    place = set_down(body, body.poses[0], contact_at=(x, y), floor=0.015)
    touches = tuple(np.array([x + dx, y, 0.015]) for dx in (-0.003, 0.003))
    landing = read(body, place, touches)
    assert landing.stacked
    assert landing.zone is Zone.FIELD_NORTH


def knock_of(before, after, rules=RULES):
    lying = (("B1", before),)
    return read_knocks(lying, {"B1": after}, {"B1": "A1"}, rules)


def lying_at(x=0.0, turn=0.0, pose=Orientation.SNOUT_UP, zone=Zone.FIELD_NORTH, y=0.0):
    quaternion = axis_angle(np.array([0.0, 0.0, 1.0]), turn)
    return Landing(
        orientation=pose,
        zone=zone,
        place=RestPlace(position=(x, y, 0.007), rotation=tuple(float(q) for q in quaternion)),
    )


@pytest.mark.parametrize(
    ("after", "knocked"),
    [
        (lying_at(x=0.003), False),
        (lying_at(x=float(np.nextafter(0.003, 1.0))), True),
        (lying_at(y=0.003), False),
        (lying_at(y=float(np.nextafter(0.003, 1.0))), True),
        (lying_at(turn=np.radians(4.9)), False),
        (lying_at(turn=np.radians(5.1)), True),
        (lying_at(pose=Orientation.SNOUT_DOWN), True),
        (lying_at(zone=Zone.PATH_INNER), True),
    ],
)
def test_a_knock_is_a_move_a_turn_a_flip_or_another_zone(after, knocked):
    assert bool(knock_of(lying_at(), after)) is knocked


def test_what_turned_just_as_far_as_allowed_is_not_knocked():
    assert knock_of(lying_at(), lying_at(), replace(RULES, knock_angle_deg=0.0)) == ()


def test_what_no_chain_of_contact_reached_is_never_knocked():
    moved = lying_at(x=0.05)
    assert read_knocks((("B1", lying_at()),), {"B1": moved}, {}, RULES) == ()


def test_a_knock_tells_who_how_far_and_what_it_changed():
    after = Landing(orientation=None, zone=Zone.OFF, place=lying_at(x=0.3, turn=0.4).place)
    (knock,) = knock_of(lying_at(x=0.1), after)
    assert (knock.struck, knock.by) == ("B1", "A1")
    assert knock.distance == pytest.approx(0.2)
    assert knock.angle == pytest.approx(0.4)
    assert knock.off_board
    assert knock.flipped
    assert knock.zone_changed


@pytest.mark.parametrize("tilt", [0.2, 0.9, 1.6, 2.4])
def test_a_supported_body_whose_file_names_its_poses_is_read_by_its_basin(tilt):
    # Its axes need not be a pig's, so that they mean nothing (P12).
    body = load_model("piggle")
    for pose in body.poses:
        flat = set_down(body, pose, contact_at=at(WIDE[Zone.WOODS]))
        turned = multiply(axis_angle(np.array([1.0, 0.3, 0.0]), tilt), np.array(flat.rotation))
        place = RestPlace(position=flat.position, rotation=tuple(turned.tolist()))
        named = replace(body, classed=True)
        assert orientation_supported(named, place, frozenset()) is orientation_alone(body, place)


def carried(spots):
    """Read a Piggle high above the board that only others hold, at these spots [in]."""
    body = MODELS[0]
    flat = set_down(body, body.poses[0], contact_at=at((0.0, 2.6)))
    x, y, z = flat.position
    place = RestPlace(position=(x, y, z + 0.2), rotation=flat.rotation)
    return read(body, place, tuple(np.array([*at(spot), 0.2]) for spot in spots))


def test_who_is_carried_by_others_lies_where_they_hold_it():
    # Its own points of support, seen from above (P12); in the air without any, its centre (P10).
    assert carried([(0.0, 5.6), (0.0, 5.8)]).zone is Zone.WOODS
    assert carried([(2.4, 0.0), (2.8, 0.0)]).zone is Zone.FIELD_EAST
    assert carried([(0.0, BOARD.half / INCH)]).zone is Zone.WOODS
    assert carried([(0.0, 6.7)]).zone is Zone.OFF
    assert carried([(0.0, 5.7)]).stacked
    assert carried([]).zone is Zone.FIELD_NORTH
    assert not carried([]).stacked


def test_ground_under_an_overhanging_body_is_told_by_corner():
    body = MODELS[0]
    pose = body.poses[0]
    place = set_down(body, pose, contact_at=(BOARD.half - 0.004, 0.0))
    ground = ground_contact(body, place, BOARD, tolerance=0.0005)
    corners = hull_in_world(body, place)
    assert (np.abs(corners[:, 0]) > BOARD.half).any()
    assert len(ground.board) and (np.abs(ground.board) <= BOARD.half).all()


@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_a_body_that_is_not_a_pig_lands_in_its_own_class_and_has_no_orientation(tilt):
    die = load_model("d6")
    for pose in die.poses:
        flat = set_down(die, pose, contact_at=at((0.0, 2.6)))
        turned = multiply(axis_angle(np.array([1.0, 0.3, 0.0]), tilt), np.array(flat.rotation))
        place = replace(flat, rotation=tuple(turned.tolist()))
        touches = (np.array(place.position),) if tilt else ()
        landing = read_landing(die, place, touches, board=BOARD, rules=RULES)
        assert isinstance(landing, ClassLanding)
        assert landing.zone is Zone.FIELD_NORTH
        assert (landing.orientation, landing.label) == (None, pose.label)
        assert (landing.leaning, landing.stacked) == (tilt > 0.0, False)
        above = replace(place, position=(*place.position[:2], 0.1))
        held = read_landing(die, above, (np.array(above.position),), board=BOARD, rules=RULES)
        assert (held.leaning, held.stacked) == (False, True)
        off = set_down(die, pose, contact_at=(0.3, 0.0))
        beside = read_landing(die, off, (), board=BOARD, rules=RULES)
        assert beside == Landing(orientation=None, zone=Zone.OFF, place=off)
        assert beside.label is None


def test_a_struck_die_that_shows_another_number_is_turned_over():
    die = load_model("d6")
    before, after = (
        read_landing(
            die, set_down(die, pose, contact_at=at((0.0, 2.6))), (), board=BOARD, rules=RULES
        )
        for pose in die.poses[:2]
    )
    (knock,) = knock_of(before, after)
    assert knock.flipped
    assert knock_of(before, before) == ()
