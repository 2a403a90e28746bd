"""When a throw is decided: entropies of known ensembles, looks, copies, and bodies at rest."""

from dataclasses import replace
from math import log, log2, radians

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.experiments.decided import (
    COPIES,
    HandError,
    ThrownBody,
    copies_of,
    decide,
    looks_of,
    on_board,
    state_at,
    thrown,
)
from pigglesim.experiments.statistics import binomial, entropy_of
from pigglesim.films.film import Frames
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import angle_between, axis_angle, multiply, to_matrix, transform
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import GRAVITY
from pigglesim.throws import Drop, reach, sample_drops

FLOOR = load_floor("tabletop")


def frames_of(times, positions, rotations):
    """Frames of one body, without a cup."""
    none = np.full((len(times), 7), np.nan)
    return Frames(
        times=times, positions=positions[:, None], rotations=rotations[:, None],
        cup_positions=none[:, :3], cup_rotations=none[:, 3:],
    )  # fmt: skip


def throw_of(model="d6", number=0):
    body = load_model(model)
    trials = range(number, number + 1)
    (drop,) = sample_drops(FLOOR.fall, body, trials=trials, seed=1, purpose=("drop", "decided"))
    return thrown(
        drop, body, [pose.label for pose in body.poses], surface=FLOOR.surface("plastic"),
        stepping=FLOOR.stepping, engine=make_engine("impulse"),
    )  # fmt: skip


def entropy(shares):
    return -sum(share * log2(share) for share in shares if share)


@pytest.mark.parametrize(
    "shares", [(0.5, 0.5), (0.9, 0.1), (0.48, 0.43, 0.09), (1 / 6,) * 6, (0.7, 0.3, 0.0)]
)
def test_the_entropy_of_a_known_ensemble_is_unbiased_and_in_its_interval(shares):
    rng, truth = np.random.default_rng(1), entropy(shares)
    estimates = [entropy_of(rng.multinomial(100, shares), rng=rng) for _ in range(300)]
    errors = np.array([each.value for each in estimates]) - truth
    # The plug-in entropy is too low by so much. Cut at the most possible, half of it can remain.
    bias = (np.count_nonzero(shares) - 1) / (200 * log(2.0))
    left = 0.5 * bias if truth == log2(len(shares)) else 0.0
    assert abs(errors.mean()) < left + 4 * errors.std() / 300**0.5
    inside = sum(each.low <= truth <= each.high for each in estimates)
    # Of 300 intervals of 95 %, less than 270 hold the truth once in 10,000 times.
    assert inside >= 270
    assert all(
        0.0 <= each.low <= each.value <= each.high <= log2(len(shares)) for each in estimates
    )


def test_copies_that_agree_have_no_bits():
    sure = entropy_of([0, 400, 0], rng=np.random.default_rng(1))
    assert (sure.low, sure.value) == (0.0, 0.0)
    assert 0.0 < sure.high < 0.1
    assert entropy_of([7], rng=np.random.default_rng(1)).high == 0.0
    # As many copies as are needed to prove 99 %.
    assert binomial(COPIES, COPIES).low > 0.99


def test_more_knowledge_has_less_entropy_on_average():
    # The outcome is how many of four coins show heads; looks show one coin after another.
    coins = np.random.default_rng(2).integers(0, 2, size=(4000, 4))
    rng, means = np.random.default_rng(3), []
    for seen in range(5):
        _, group = np.unique(coins[:, :seen], axis=0, return_inverse=True)
        counts = np.zeros((group.max() + 1, 5))
        np.add.at(counts, (group.ravel(), coins.sum(axis=1)), 1)
        bits = [entropy_of(row, rng=rng).value for row in counts]
        means.append(np.average(bits, weights=counts.sum(axis=1)))
    # Binomial entropies of 4, 3, 2, 1 and 0 coins.
    assert means == pytest.approx([2.0306, 1.8113, 1.5, 1.0, 0.0], abs=0.02)


def test_a_body_at_rest_has_no_bits_and_was_certain_throughout():
    body = load_model("d6")
    times = 0.002 * np.arange(100)
    still = np.tile([0.0, 0.0, 0.008], (100, 1)), np.tile([0.0, 0.0, 0.0, 1.0], (100, 1))
    throw = ThrownBody(
        body=body, labels=[pose.label for pose in body.poses], frames=frames_of(times, *still),
        surface=FLOOR.surface("plastic"), stepping=FLOOR.stepping, engine=make_engine("impulse"),
    )  # fmt: skip
    decision = decide(throw, error=HandError(), seed=1)
    assert decision.outcome == "1"
    assert [look.bits.value for look in decision.looks] == [0.0] * len(decision.looks)
    assert decision.certain_from(0.99).latest == 0.0


def test_a_throw_is_open_at_its_start_and_decided_at_its_end():
    decision = decide(throw_of(), error=HandError(), seed=1, copies=100)
    bits = [look.bits.value for look in decision.looks]
    assert bits[0] > 1.0
    assert bits[-1] == 0.0
    assert min(bits) >= 0.0
    times = [decision.certain_from(level).time for level in (0.5, 0.9, 0.99)]
    assert times == sorted(times)
    assert [look.bounces for look in decision.after_bounces()] == [0, 1, 2]
    assert all(sum(look.counts) == 100 for look in decision.looks)
    again = decide(throw_of(), error=HandError(), seed=1, copies=100)
    assert again == decision
    assert decide(throw_of(), error=HandError(), seed=2, copies=100) != decision


def test_whoever_knows_the_state_exactly_knows_the_outcome():
    for number in range(3):
        decision = decide(throw_of(number=number), error=HandError().times(0.0), seed=1, copies=2)
        # A state after a bounce is read from frames, to some 1e-5: chaos may still add a bit.
        assert decision.looks[0].certainty.value == 1.0
        assert decision.looks[-1].certainty.value == 1.0


def test_bits_fall_from_bounce_to_bounce_on_average():
    rows = []
    for number in range(8):
        decision = decide(throw_of(number=number), error=HandError(), seed=1, copies=50)
        bits = [look.bits.value for look in decision.after_bounces()]
        rows.append((bits + [0.0] * 4)[:4])
    means, errors = np.mean(rows, axis=0), np.std(rows, axis=0) / 8**0.5
    assert all(np.diff(means) <= 3.0 * errors[:-1])
    assert means[3] < 0.2 * means[0]


def test_a_bounce_ends_where_a_flight_begins():
    # A ball in flight for .1 s, at rest for .1 s, then thrown up for .1 s, and down to rest.
    dt, up = 0.002, 0.05 * GRAVITY
    t = dt * np.arange(51)
    down = 0.5 * GRAVITY * (0.1**2 - t**2)
    arc = up * t - 0.5 * GRAVITY * t**2
    heights = np.concatenate([down, np.zeros(49), arc, np.zeros(50)])
    positions = np.column_stack([np.zeros((len(heights), 2)), heights])
    # It turns to the end, so that its end is the last frame.
    turned = [axis_angle(np.array([0.0, 0.0, 1.0]), 0.05 * k) for k in range(len(heights))]
    frames = frames_of(dt * np.arange(len(heights)), positions, np.array(turned))
    looks, after = looks_of(frames, 0.02)
    assert after.tolist() == [101]
    assert {0, 101, len(heights) - 1} <= set(looks.tolist())
    assert np.diff(frames.times[looks]).max() < 0.04


def test_a_pour_is_looked_at_from_where_a_body_has_left_the_cup():
    scene, body = load_scene("piggles_classic"), load_model("d6")
    heights = np.linspace(0.3, 0.0, 100)
    positions = np.column_stack([np.zeros((100, 2)), heights])
    cup = np.tile([0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0], (100, 1))
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (100, 1))
    frames = Frames(
        times=0.002 * np.arange(100), positions=positions[:, None], rotations=turns[:, None],
        cup_positions=cup[:, :3], cup_rotations=cup[:, 3:],
    )  # fmt: skip
    throw = on_board(frames, 0, body, scene, make_engine("impulse"))
    # Upside down, the cup ends half its depth below its middle.
    left = 0.3 - scene.cup.depth / 2 - reach(body)
    assert throw.frames.positions[0, 0, 2] == pytest.approx(left, abs=0.3 / 99)
    # A body that is in the cup to the end leaves a few frames to read its state from.
    inside = replace(frames, positions=np.tile([[[0.0, 0.0, 0.3]]], (100, 1, 1)))
    assert on_board(inside, 0, body, scene, make_engine("impulse")).frames.count == 3


def test_a_state_is_read_from_two_frames():
    spin, speed = np.array([3.0, -2.0, 1.0]), np.array([0.3, 0.0, -1.0])
    start = axis_angle(np.array([1.0, 1.0, 0.0]), 2.5)
    turns = [axis_angle(spin, float(np.linalg.norm(spin)) * t) for t in (0.0, 0.002)]
    rotations = np.array([multiply(turn, start) for turn in turns])
    # Quaternions of either sign are the same rotation.
    frames = frames_of(
        np.array([0.0, 0.002]), np.outer([0.0, 0.002], speed), rotations * [[1], [-1]]
    )
    state = state_at(frames, 0)
    assert state.angular_velocity == pytest.approx(spin)
    assert state.velocity == pytest.approx(speed)


def test_copies_have_the_errors_of_a_hand_and_none_is_in_the_floor():
    body, error = load_model("d6"), HandError(position=1e-3, angle=radians(2), speed=0.1, spin=0.2)
    state = Drop(
        height=0.1, rotation=axis_angle(np.array([1.0, 2.0, 3.0]), 1.0),
        velocity=np.array([0.0, 3.0, -4.0]), angular_velocity=np.array([10.0, 0.0, 0.0]),
    )  # fmt: skip
    copies = copies_of(state, body, error, 4000, np.random.default_rng(1))
    # 4,000 copies: standard deviations are known to 1.1 %.
    assert np.std(copies.height) == pytest.approx(1e-3, rel=0.05)
    assert copies.velocities.std(axis=0) == pytest.approx(np.full(3, 0.5), rel=0.05)
    assert copies.angular_velocities.std(axis=0) == pytest.approx(np.full(3, 2.0), rel=0.05)
    angles = [angle_between(state.rotation, each) for each in copies.rotations]
    assert np.mean(np.square(angles)) == pytest.approx(3 * error.angle**2, rel=0.05)
    resting = copies_of(replace(state, height=0.005), body, error, 200, np.random.default_rng(1))
    corners = body.hull.vertices - body.mass.centre
    for copy in resting:
        assert (transform(to_matrix(copy.rotation), corners)[:, 2] + copy.height).min() > -1e-12
