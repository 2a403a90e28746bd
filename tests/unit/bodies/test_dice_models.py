"""The usual dice: fair by symmetry and by exact shares, of usual sizes, and numbered as usual."""

import numpy as np
import pytest

import pigglesim
from pigglesim.bodies.body import class_shares
from pigglesim.bodies.livery import NUMERAL_PART, PIP_PART, numeral, worn_skin
from pigglesim.bodies.load import load_model
from pigglesim.landing_reading import pose_alone
from tests.support.placing import set_down

SIDES = {"d2": 2, "d4": 4, "d6": 6, "d8": 8, "d10": 10, "d12": 12, "d20": 20}
GRID = 2e-8
"""Twice the step of the coordinates of a mesh file [m]."""


@pytest.mark.parametrize("model", SIDES)
def test_exact_shares_are_equal_within_a_thousandth(model):
    shares = class_shares(load_model(model))
    first = 0 if model == "d10" else 1
    assert set(shares) == {str(number) for number in range(first, first + SIDES[model])}
    assert [*shares.values()] == pytest.approx([1.0 / SIDES[model]] * SIDES[model], rel=1e-3)


@pytest.mark.parametrize("model", SIDES)
def test_a_rotation_of_the_whole_body_leads_from_any_side_to_any_other(model):
    body = load_model(model)
    corners = body.hull.vertices - body.mass.centre
    first, *others = body.poses
    for pose in others:
        assert pose.height == pytest.approx(first.height, abs=GRID)
        assert pose.escape == pytest.approx(first.escape, abs=GRID)
        assert min(_misfit(corners, first.down, pose.down, body)) < GRID


def _misfit(corners, start, end, body):
    """Yield how far each rotation that may fit leaves corners from corners [m]."""
    # Of a corner on the first side, try every corner at the same height on the other.
    heights = corners @ start
    seen = np.argsort(heights)[len(heights) // 3]
    alike = np.flatnonzero(np.abs(corners @ end - heights[seen]) < GRID)
    before = _frame(start, corners[seen])
    for match in alike:
        turned = corners @ (before.T @ _frame(end, corners[match]))
        yield max(np.abs(corners[:, None] - turned[None, ::7]).max(axis=2).min(axis=0))


def _frame(up, corner):
    across = corner - up * (corner @ up)
    across = across / np.linalg.norm(across)
    return np.stack([across, np.cross(up, across), up])


def test_sizes_are_those_that_the_script_states():
    across = {"d6": 16.0, "d8": 15.0, "d10": 16.0, "d12": 18.0, "d20": 20.0, "d2": 2.33}
    for model, size in across.items():
        assert 2e3 * load_model(model).poses[0].height == pytest.approx(size, abs=1e-4)
    tetrahedron = load_model("d4")
    (one, *_) = tetrahedron.poses
    assert np.ptp(tetrahedron.hull.vertices @ one.down) * 1e3 == pytest.approx(17.0, abs=1e-2)
    # A coin of one euro has 7.5 g; the round rim takes 5 % of it.
    assert 7.0e-3 < load_model("d2").mass.mass < 7.5e-3


def test_opposite_sides_add_up_and_a_d20_has_the_usual_neighbours():
    for model, total in {"d6": 7, "d8": 9, "d10": 9, "d12": 13, "d20": 21, "d2": 3}.items():
        sides = {int(pose.name): pose.down for pose in load_model(model).poses}
        for number, down in sides.items():
            assert sides[total - number] @ down == pytest.approx(-1.0, abs=1e-6), model
    beside = {20: {2, 8, 14}, 1: {7, 13, 19}, 14: {4, 6, 20}, 12: {2, 10, 15}, 5: {13, 15, 18}}
    for number, expected in beside.items():
        near = sorted(sides := {int(p.name): p.down for p in load_model("d20").poses},
                      key=lambda other: -sides[other] @ sides[number])[1:4]  # fmt: skip
        assert set(near) == expected
    # A d10 reads 0, 7, 4, 1, 6, ... from the left to the right, with the even numbers above.
    sides = {int(pose.name): -pose.down for pose in load_model("d10").poses}
    around = sorted(sides, key=lambda n: np.arctan2(sides[n][1], sides[n][0]))
    start = around.index(0)
    assert around[start:] + around[:start] == [0, 7, 4, 1, 6, 9, 2, 5, 8, 3]
    assert all((sides[number][2] > 0) == (number % 2 == 0) for number in sides)


@pytest.mark.parametrize("model", [name for name in SIDES if name != "d6"])
def test_the_number_that_is_read_is_printed_where_people_look(model):
    body, skin = load_model(model), worn_skin(load_model(model))
    printed = np.array([part == NUMERAL_PART for part in skin.face_parts])
    assert PIP_PART not in skin.face_parts
    corners = skin.vertices[skin.faces[printed]] - body.mass.centre
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = cross / np.linalg.norm(cross, axis=1)[:, None]
    areas = np.linalg.norm(cross, axis=1) / 2.0
    ink = {pose.name: numeral(pose.name, marked=len(body.poses) > 6).area for pose in body.poses}
    for pose in body.poses:
        place = set_down(body, pose, contact_at=(0.0, 0.0), heading=0.7)
        assert pose_alone(body, place).label == pose.name
        if model == "d4":
            # On each visible side this number is the lowest, along the edge.
            for side in (other for other in body.poses if other is not pose):
                low = (normals @ side.down > 0.999) & (corners.mean(axis=1) @ pose.down > 0)
                scale = areas.sum() / (3 * sum(ink.values()))
                assert areas[low].sum() == pytest.approx(scale * ink[pose.name], rel=1e-6)
        else:
            up = normals @ -pose.down > 0.999
            scale = areas.sum() / sum(ink.values())
            assert areas[up].sum() == pytest.approx(scale * ink[pose.name], rel=1e-6)
            heights = corners[up] @ -pose.down - pose.height
            assert np.all((heights > 0.0) & (heights < 1e-4))


def test_six_and_nine_are_underlined_where_both_are_on_a_die():
    low = {text: numeral(text, marked=True).bounds[1] for text in ("6", "9", "8", "16")}
    assert low["6"] == low["9"] == -1.5
    assert [low["8"], low["16"]] == pytest.approx([-1.0, -1.0], abs=0.01)


def test_a_set_is_thrown_together_and_each_shows_its_number():
    roll = pigglesim.roll(model=["d20", "d8"], seed=4)
    assert [*roll.models.values()] == ["d20", "d8"]
    assert roll.landings["A1"].label in {str(number) for number in range(1, 21)}
    assert roll.landings["A2"].label in {str(number) for number in range(1, 9)}
