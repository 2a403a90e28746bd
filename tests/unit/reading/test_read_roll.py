"""Bodies set down by hand read as they must: every pose, zone and line, at every boundary."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import orientation_of
from pigglesim.bodies.load import load_model
from pigglesim.knocks import read_knocks
from pigglesim.landing import (
    ClassLanding,
    Landing,
    LineRule,
    Orientation,
    ReadingRules,
    RestPlace,
    Zone,
)
from pigglesim.landing_reading import (
    face_up,
    ground_contact,
    hull_in_world,
    pose_alone,
    read_landing,
    tilt,
    turned,
)
from pigglesim.rotations import axis_angle, multiply, random_quaternion, to_matrix
from pigglesim.scene.scene import INCH, Board
from pigglesim.site.chance import angle_between as page_angle
from tests.support.placing import feet, set_down

BOARD = Board()
RULES = ReadingRules()
PIGGLE, DIE = load_model("piggle"), load_model("d6")
MODELS = [PIGGLE, load_model("premium")]
CASES = [(body, pose) for body in MODELS for pose in body.poses]
NAMES = [f"{body.model}-{pose.name}" for body, pose in CASES]

NORTH = (0.0, 2.6 * INCH)

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


def read(body, place, touches=(), rules=RULES):
    return read_landing(body, place, touches, board=BOARD, rules=rules)


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
    place = set_down(body, pose, contact_at=NORTH)
    touch = np.array(place.position) + np.array([0.01, 0.0, 0.0])
    landing = read(body, place, (touch,))
    # A plain bool: NumPy's own would not go into JSON.
    assert landing.leaning is False
    assert landing.stacked is False
    assert landing.orientation is Orientation.SNOUT_UP


def knock_of(before, after, rules=RULES, angle_between=turned):
    lying = (("B1", before),)
    return read_knocks(lying, {"B1": after}, {"B1": "A1"}, rules, angle_between=angle_between)


def lying_at(x=0.0, turn=0.0, pose=Orientation.SNOUT_UP, zone=Zone.FIELD_NORTH, y=0.0):
    quaternion = axis_angle(np.array([0.0, 0.0, 1.0]), turn)
    return Landing(
        orientation=pose,
        zone=zone,
        place=RestPlace(position=(x, y, 0.007), rotation=tuple(float(q) for q in quaternion)),
    )


@pytest.mark.parametrize("angle_between", [turned, page_angle], ids=["Python", "page"])
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
def test_a_knock_is_a_move_a_turn_a_flip_or_another_zone(after, knocked, angle_between):
    assert bool(knock_of(lying_at(), after, angle_between=angle_between)) is knocked


def test_what_turned_just_as_far_as_allowed_is_not_knocked():
    assert knock_of(lying_at(), lying_at(), replace(RULES, knock_angle_deg=0.0)) == ()


def test_what_no_chain_of_contact_reached_is_never_knocked():
    moved = lying_at(x=0.05)
    assert read_knocks((("B1", lying_at()),), {"B1": moved}, {}, RULES, angle_between=turned) == ()


def test_a_knock_reports_who_how_far_and_what_it_changed():
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
    body = PIGGLE
    for pose in body.poses:
        flat = set_down(body, pose, contact_at=at(WIDE[Zone.WOODS]))
        turned = multiply(axis_angle(np.array([1.0, 0.3, 0.0]), tilt), np.array(flat.rotation))
        place = RestPlace(position=flat.position, rotation=tuple(turned.tolist()))
        named, spot = replace(body, classed=True), np.array(place.position)
        found = read(named, place, (spot,))
        assert found.leaning or found.stacked
        assert found.orientation is pose_alone(body, place).orientation


def carried(spots):
    """Read a Piggle high above the board that only others hold, at these spots [in]."""
    body = MODELS[0]
    flat = set_down(body, body.poses[0], contact_at=NORTH)
    x, y, z = flat.position
    place = RestPlace(position=(x, y, z + 0.2), rotation=flat.rotation)
    return read(body, place, tuple(np.array([*at(spot), 0.2]) for spot in spots))


def test_who_is_carried_by_others_rests_where_they_hold_it():
    # Its own points of support, seen from above (P12); in the air without any, its centre (P10).
    assert carried([(0.0, 5.6), (0.0, 5.8)]).zone is Zone.WOODS
    assert carried([(2.4, 0.0), (2.8, 0.0)]).zone is Zone.FIELD_EAST
    assert carried([(0.0, BOARD.half / INCH)]).zone is Zone.WOODS
    assert carried([(0.0, 6.7)]).zone is Zone.OFF
    assert carried([(0.0, 5.7)]).stacked
    assert carried([]).zone is Zone.FIELD_NORTH
    assert not carried([]).stacked


@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_a_body_that_is_not_a_pig_lands_in_its_own_class_and_has_no_orientation(tilt):
    for pose in DIE.poses:
        flat = set_down(DIE, pose, contact_at=NORTH)
        turned = multiply(axis_angle(np.array([1.0, 0.3, 0.0]), tilt), np.array(flat.rotation))
        place = replace(flat, rotation=tuple(turned.tolist()))
        touches = (np.array(place.position),) if tilt else ()
        landing = read(DIE, place, touches)
        assert isinstance(landing, ClassLanding)
        assert landing.zone is Zone.FIELD_NORTH
        assert (landing.orientation, landing.label) == (None, pose.label)
        assert (landing.leaning, landing.stacked) == (tilt > 0.0, False)
        above = replace(place, position=(*place.position[:2], 0.1))
        held = read(DIE, above, (np.array(above.position),))
        assert (held.leaning, held.stacked) == (False, True)
        off = set_down(DIE, pose, contact_at=(0.3, 0.0))
        beside = read(DIE, off)
        assert beside == Landing(orientation=None, zone=Zone.OFF, place=off)
        assert beside.label is None


def test_a_struck_die_that_shows_another_number_is_turned_over():
    before, after = (read(DIE, set_down(DIE, pose, contact_at=NORTH)) for pose in DIE.poses[:2])
    (knock,) = knock_of(before, after)
    assert knock.flipped
    assert knock_of(before, before) == ()


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
    landing = read(DIE, place)
    assert (landing.zone is Zone.OFF) is (shift < 0.0)


def test_whose_centre_is_below_the_board_is_off():
    deep = RestPlace(position=(*NORTH, -BOARD.thickness), rotation=(0.0, 0.0, 0.0, 1.0))
    deeper = replace(deep, position=(*NORTH, float(np.nextafter(-BOARD.thickness, -1.0))))
    zones = [read(DIE, at).zone for at in (deep, deeper)]
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
            landing = read(PIGGLE, at, touch)
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
        landing = read(PIGGLE, place, (corners[held],))
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
        return read(PIGGLE, place, rules=rules).zone

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
