"""Dice poured from the cup: fair, the same bits again, read flat or thrown again."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import is_cocked, physical_chance
from pigglesim.chance_types import CockedDice, DiceRequest, DiceResult
from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace, Seat
from pigglesim.landing_reading import face_up
from pigglesim.rotations import axis_angle, multiply
from pigglesim.scene.load import load_scene

SCENE = load_scene("piggy_six")
DIE = load_model("d6")
SEATS = (Seat.A, Seat.B)
PAIR = DiceRequest(thrower=Seat.A, count=2)
X, Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def chance(seed=3, scene=SCENE):
    return physical_chance(scene, {}, engine=None, seed=seed)


def lying(turn, *, x=0.0, y=0.0, height=0.008):
    qx, qy, qz, qw = (float(q) for q in turn)
    return RestPlace(position=(x, y, height), rotation=(qx, qy, qz, qw))


@cache
def pair(index):
    """Return a pair of dice, thrown once for all tests."""
    return chance().answer(replace(PAIR, thrower=SEATS[index % 2]), index=index)


@pytest.mark.slow
def test_poured_pairs_are_fair_and_rest_flat():
    faces, thrown_again = [], 0
    for result in map(pair, range(120)):
        assert isinstance(result, DiceResult)
        faces += result.faces
        thrown_again += result.throws > 1
        for face, place in zip(result.faces, result.places, strict=True):
            assert not is_cocked(DIE, place, SCENE.board)
            assert face_up(DIE, place) == face
    counts = np.bincount(faces, minlength=7)[1:]
    expected = len(faces) / 6
    # One in a thousand fair dice fails this, and these dice are always the same.
    assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(0.001, 5)
    # Neither dice of a pair nor throws that follow each other know of each other.
    doubles = sum(a == b for a, b in pairwise(faces))
    steps = len(faces) - 1
    assert abs(doubles - steps / 6) < 3.3 * np.sqrt(steps * 5 / 36)
    assert 0 < thrown_again < 25


def test_the_same_seed_gives_the_same_dice_alone_and_after_others():
    alone = chance().answer(PAIR, index=5)
    source = chance()
    source.answer(replace(PAIR, count=3), index=0)
    assert source.answer(PAIR, index=5) == alone
    assert chance(seed=4).answer(PAIR, index=5) != alone


def test_cocked_dice_are_thrown_again_or_read_at_rest():
    again = next(index for index in range(120) if pair(index).throws > 1)
    request = replace(PAIR, thrower=SEATS[again % 2], cocked=CockedDice.NEAREST)
    as_they_lie = chance().answer(request, index=again)
    assert as_they_lie.throws == 1
    assert any(is_cocked(DIE, place, SCENE.board) for place in as_they_lie.places)
    assert as_they_lie.faces == tuple(face_up(DIE, place) for place in as_they_lie.places)


def test_what_is_cocked():
    flat = axis_angle(X, 0.0)
    board = SCENE.board
    assert not is_cocked(DIE, lying(flat), board)
    assert not is_cocked(DIE, lying(axis_angle(X, 0.02), height=0.0081), board)
    aslant = lying(axis_angle(X, 0.3), height=0.0095)
    assert is_cocked(DIE, aslant, board)
    assert face_up(DIE, aslant) == face_up(DIE, lying(flat))
    assert is_cocked(DIE, lying(flat, height=0.024), board), "on another die"
    beside = lying(flat, x=board.half + 0.05, height=0.008 - board.thickness)
    assert is_cocked(DIE, beside, board)
    leaning = lying(multiply(axis_angle(X, 0.1), axis_angle(Y, np.pi)), height=0.0088)
    assert is_cocked(DIE, leaning, board)


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        (DiceRequest(thrower=Seat.A, count=4), "1 to 3"),
        (DiceRequest(thrower=Seat.A, count=1, sides=20), "6 faces"),
    ],
)
def test_dice_that_this_table_has_not_are_refused(request_, fault):
    with pytest.raises(SpecError, match=fault):
        chance().answer(request_, index=0)
