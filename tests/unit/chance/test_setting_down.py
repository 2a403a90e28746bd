"""Piggles set down by hand and tossed in place: as rules say, free, and there in the next throw."""

from dataclasses import replace

import numpy as np
import pytest
from shapely import MultiPoint

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import PhysicalChance
from pigglesim.errors import SpecError
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RollRequest, Seat, SetDown, Zone
from pigglesim.landing_reading import hull_in_world
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_scene
from tests.support.simple_odds import simple_chance

SCENE = load_scene("piggles_modern")
BODY = load_model("piggle")
UP, DOWN, HEAD = Orientation
NAMES = tuple(f"{seat}{n}" for seat in BOARD_SEATS for n in range(1, 7))
CHANCE = PhysicalChance(
    scene=SCENE, models=dict.fromkeys(NAMES, BODY), engine=make_engine("bullet"), seed=7
)
FIELDS = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)


def put(name, spot, standing=(), chance=CHANCE, index=0):
    request = RollRequest(thrower=Seat.A, piggles=(name,), standing=standing, set_down=spot)
    ((piggle, landing),) = chance.roll(request, index=index).landings
    assert piggle == name
    return landing


def outline(landing, body=BODY):
    return MultiPoint(hull_in_world(body, landing.place)[:, :2]).convex_hull


@pytest.mark.parametrize(("pose", "zone"), [(UP, FIELDS[0]), (DOWN, FIELDS[1]), (UP, FIELDS[3])])
def test_the_middle_of_an_empty_field_is_free(zone, pose):
    landing = put("A1", SetDown(orientation=pose, zone=zone))
    assert (landing.orientation, landing.zone) == (pose, zone)
    middle = SCENE.board.regions[zone].centroid
    apart = np.hypot(landing.place.position[0] - middle.x, landing.place.position[1] - middle.y)
    assert apart < 0.003
    assert SCENE.board.regions[zone].contains(outline(landing))


def test_a_field_is_filled_without_touching_until_there_is_no_room():
    standing, spot = (), SetDown(orientation=DOWN, zone=Zone.FIELD_SOUTH)
    for name in NAMES:
        landing = put(name, spot, standing)
        if landing.zone is Zone.OFF:
            break
        standing = (*standing, (name, landing))
    assert landing == Landing(orientation=None, zone=Zone.OFF)
    assert 9 <= len(standing) < 12
    for k, (_, first) in enumerate(standing):
        assert (first.orientation, first.zone) == (DOWN, Zone.FIELD_SOUTH)
        for _, second in standing[:k]:
            assert outline(first).distance(outline(second)) >= 0.001


def roll(names, standing, index):
    request = RollRequest(thrower=Seat(names[0][0]), piggles=names, standing=standing)
    return CHANCE.roll(request, index=index)


@pytest.fixture(scope="module")
def board():
    landings = roll(NAMES[6:], (), 3).landings
    return tuple((name, at) for name, at in landings if at.zone is not Zone.OFF)


def test_a_piggle_turned_over_stays_in_its_zone_near_where_it_lay(board):
    turned = 0
    for name, at in board:
        if at.leaning or at.stacked or at.orientation is HEAD:
            continue
        pose = DOWN if at.orientation is UP else UP
        others = tuple(entry for entry in board if entry[0] != name)
        landing = put(name, SetDown(orientation=pose, zone=at.zone, near=at), others)
        assert (landing.orientation, landing.zone) == (pose, at.zone)
        apart = np.subtract(landing.place.position, at.place.position)[:2]
        assert np.hypot(*apart) < 0.04
        assert all(outline(landing).distance(outline(other)) > 0.0 for _, other in others)
        turned += 1
    assert turned >= 3


@pytest.mark.slow
def test_a_toss_in_place_comes_down_near_and_in_any_pose(board):
    name, at = board[0]
    others = board[1:]
    request = RollRequest(thrower=Seat.A, piggles=(name,), standing=others, toss=at)
    results = [CHANCE.roll(request, index=index) for index in range(30)]
    assert CHANCE.roll(request, index=3) == results[3]
    poses = {dict(result.landings)[name].orientation for result in results}
    assert {UP, DOWN} <= poses
    for result in results:
        assert [piggle for piggle, _ in result.landings] == [name, *(other for other, _ in others)]
        assert {knock.by for knock in result.knocks} <= {name}
        apart = np.subtract(dict(result.landings)[name].place.position, at.place.position)[:2]
        assert np.hypot(*apart) < 0.15


def test_a_table_answers_with_pose_and_zone_alone():
    table = simple_chance(seed=1)
    spot = SetDown(orientation=DOWN, zone=Zone.FIELD_WEST)
    lies = Landing(orientation=DOWN, zone=Zone.FIELD_WEST)
    assert put("A1", spot, chance=table) == lies
    request = RollRequest(thrower=Seat.A, piggles=("A1",), toss=lies)
    for index in range(40):
        ((_, landing),) = table.roll(request, index=index).landings
        assert landing.zone in {Zone.FIELD_WEST, Zone.OFF}
        assert (landing.orientation is None) == (landing.zone is Zone.OFF)


def test_what_has_no_place_cannot_be_turned_over_or_tossed_on_physics():
    ghost = Landing(orientation=UP, zone=Zone.FIELD_WEST)
    with pytest.raises(SpecError, match="A1 has no place"):
        put("A1", SetDown(orientation=DOWN, zone=Zone.FIELD_WEST, near=ghost))
    request = RollRequest(thrower=Seat.A, piggles=("A1",))
    with pytest.raises(SpecError, match="A1 has no place"):
        CHANCE.roll(replace(request, toss=ghost), index=0)
