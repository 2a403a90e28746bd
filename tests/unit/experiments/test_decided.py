"""When a throw is decided: entropies of known ensembles, looks, copies, and bodies at rest."""

from dataclasses import replace
from math import log, log2, radians

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.experiments.decided import (
    COPIES,
    UNSETTLED,
    Copier,
    bits_error,
    decide,
    displacements,
    thrown,
)
from pigglesim.experiments.statistics import binomial, entropy_of
from pigglesim.films.film import Frames
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.impulse.engine import ImpulseFloor
from pigglesim.physics.impulse.looks import throw_copies
from pigglesim.physics.impulse.state import LX, QX, STATE_SIZE, VX, Z
from pigglesim.physics.looks import (
    AFTER_BOUNCE,
    LOOK_SIZE,
    MAX_LOOKS,
    STATE,
    TIME,
    HandError,
)
from pigglesim.rotations import angle_between, axis_angle, multiply, to_matrix, transform
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import GRAVITY
from pigglesim.throws import reach, sample_drops

FLOOR = load_floor("tabletop")


def frames_of(times, positions, rotations):
    """Frames of one body, without a cup."""
    none = np.full((len(times), 7), np.nan)
    return Frames(
        times=times, positions=positions[:, None], rotations=rotations[:, None],
        cup_positions=none[:, :3], cup_rotations=none[:, 3:],
    )  # fmt: skip


def copier_of(model="d6"):
    body = load_model(model)
    return Copier(
        body=body, labels=[pose.label for pose in body.poses],
        surface=FLOOR.surface("plastic"), stepping=FLOOR.stepping,
    )  # fmt: skip


def throw_of(number=0):
    """Looks at a drop of a die, and what copies them."""
    copier, trials = copier_of(), range(number, number + 1)
    (drop,) = sample_drops(
        FLOOR.fall, copier.body, trials=trials, seed=1, purpose=("drop", "decided")
    )
    return thrown(drop, copier), copier


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


@pytest.mark.parametrize("outcomes", [2, 3, 6, 20])
def test_bits_are_known_to_a_little_more_than_their_widest_interval(outcomes):
    # The variance is largest where all shares but one are equal.
    def half(share):
        shares = np.array([share, *[(1.0 - share) / (outcomes - 1)] * (outcomes - 1)])
        bits = -np.log2(shares)
        return 1.96 * np.sqrt(shares @ (bits - shares @ bits) ** 2 / 400)

    widest = max(half(share) for share in np.linspace(0.001, 0.999, 999))
    assert widest < bits_error(outcomes, 400) < 1.1 * widest


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
    times, copier = 0.002 * np.arange(100), copier_of()
    still = np.tile([0.0, 0.0, 0.008], (100, 1)), np.tile([0.0, 0.0, 0.0, 1.0], (100, 1))
    looks = copier.looks(frames_of(times, *still))
    decision = decide(looks, copier, error=HandError(), seed=1)
    assert decision.outcome == "1"
    assert [look.bits.value for look in decision.looks] == [0.0] * len(decision.looks)
    assert decision.certain_from(0.99).latest == 0.0


def test_a_throw_is_open_at_its_start_and_decided_at_its_end():
    decision = decide(*throw_of(), error=HandError(), seed=1, copies=100)
    bits = [look.bits.value for look in decision.looks]
    assert bits[0] > 1.0
    assert bits[-1] == 0.0
    assert min(bits) >= 0.0
    times = [decision.certain_from(level).time for level in (0.5, 0.9, 0.99)]
    assert times == sorted(times)
    assert [look.bounces for look in decision.after_bounces()] == [0, 1, 2]
    assert all(sum(look.counts) == 100 for look in decision.looks)
    again = decide(*throw_of(), error=HandError(), seed=1, copies=100)
    assert again == decision
    assert decide(*throw_of(), error=HandError(), seed=2, copies=100) != decision


def test_a_throw_that_falls_for_too_long_has_no_outcome():
    looks, copier = throw_of()
    looks[-1, STATE + 2] = 1e4  # a height from which it falls for 45 s
    decision = decide(looks[-1:], copier, error=HandError(), seed=1, copies=20)
    assert decision.outcome == UNSETTLED
    assert decision.looks[0].counts == (0, 0, 0, 0, 0, 0, 20)
    assert decision.looks[0].certainty.value == 1.0
    assert (decision.looks[0].bits.low, decision.looks[0].bits.high) == (0.0, log2(6))


def test_whoever_knows_the_state_exactly_knows_the_outcome():
    for number in range(3):
        decision = decide(*throw_of(number), error=HandError().times(0.0), seed=1, copies=2)
        # A state after a bounce is read from frames, to some 1e-5: chaos may still add a bit.
        assert decision.looks[0].certainty.value == 1.0
        assert decision.looks[-1].certainty.value == 1.0
        assert all(look.certainty.value in {0.0, 1.0} for look in decision.looks)


def test_bits_fall_from_bounce_to_bounce_on_average():
    rows = []
    for number in range(8):
        decision = decide(*throw_of(number), error=HandError(), seed=1, copies=50)
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
    looks = copier_of().looks(frames)
    assert looks[looks[:, AFTER_BOUNCE] > 0, TIME] == pytest.approx([0.202])
    assert looks[[0, -1], TIME] == pytest.approx([0.0, dt * (len(heights) - 1)])
    assert np.diff(looks[:, TIME]).max() < 0.045


def test_the_last_of_too_many_looks_is_that_at_rest():
    times = 0.01 * np.arange(2001)
    turned = np.array([axis_angle(np.array([0.0, 0.0, 1.0]), 0.05 * k) for k in range(len(times))])
    looks = copier_of().looks(frames_of(times, np.zeros((len(times), 3)), turned))
    assert len(looks) == MAX_LOOKS
    assert looks[-1, TIME] == times[-1]
    assert np.diff(looks[:-1, TIME]).max() < 0.045


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
    copier = Copier.on_board(body, scene)
    # Upside down, the cup ends half its depth below its middle.
    left = 0.3 - scene.cup.depth / 2 - reach(body)
    assert copier.looks(frames)[0, STATE + Z] == pytest.approx(left, abs=0.3 / 99)
    # A body that is in the cup to the end leaves a few frames to read its state from.
    inside = replace(frames, positions=np.tile([[[0.0, 0.0, 0.3]]], (100, 1, 1)))
    assert copier.looks(inside)[0, TIME] == pytest.approx(0.002 * 97)


def test_a_state_is_read_from_two_frames():
    spin, speed = np.array([3.0, -2.0, 1.0]), np.array([0.3, 0.0, -1.0])
    start = axis_angle(np.array([1.0, 1.0, 0.0]), 2.5)
    turns = [
        multiply(axis_angle(spin, float(np.linalg.norm(spin)) * t), start) for t in (0.0, 0.002)
    ]
    # Quaternions of either sign are the same rotation.
    rotations = np.array([turns[0], -turns[1], turns[1]])
    times = np.array([0.0, 0.002, 0.004])
    copier = copier_of("piggle")
    look = copier.looks(frames_of(times, np.outer(times, speed), rotations))[0, STATE:]
    assert look[VX : VX + 3] == pytest.approx(speed)
    assert look[LX : LX + 3] == pytest.approx(spin)
    principal = multiply(start, principal_frame(copier.body).rotation)
    assert look[QX : QX + 4] == pytest.approx(principal)


def states_of(look, error, count):
    """The copies of a look before they are thrown on, and their rotations to world axes."""
    copier = replace(copier_of("d6"), stepping=replace(FLOOR.stepping, time_limit=1e-9))
    floor, states = copier.floor, np.zeros((count, STATE_SIZE))
    assert isinstance(floor, ImpulseFloor)
    poses, endings, times = np.zeros(count, int), np.zeros(count, int), np.zeros(count)
    params = floor.compiled_arguments(copier.dropper.batch_criteria)
    drawn = displacements(1, count)[1:]
    throw_copies(look, drawn, error, *params, states, poses, endings, times)
    inverse = principal_frame(copier.body).inverse_rotation
    return states, np.array([multiply(row, inverse) for row in states[:, QX : QX + 4]])


def test_copies_have_the_errors_of_a_hand_and_none_is_in_the_floor():
    body, error = load_model("d6"), HandError(position=1e-3, angle=radians(2), speed=0.1, spin=0.2)
    rotation, frame = axis_angle(np.array([1.0, 2.0, 3.0]), 1.0), principal_frame(body)
    look = np.zeros(LOOK_SIZE)
    state = look[STATE:]
    state[Z], state[VX : VX + 3] = 0.1, (0.0, 3.0, -4.0)
    state[QX : QX + 4] = multiply(rotation, frame.rotation)
    state[LX : LX + 3] = 10.0, 0.0, 0.0
    states, rotations = states_of(look, error, 4000)
    # 4,000 copies: standard deviations are known to 1.1 %.
    assert np.std(states[:, Z]) == pytest.approx(1e-3, rel=0.05)
    assert states[:, VX : VX + 3].std(axis=0) == pytest.approx(np.full(3, 0.5), rel=0.05)
    spins = transform(frame.axes, states[:, LX : LX + 3] / frame.moments)
    world = np.array(
        [transform(to_matrix(q), spin) for q, spin in zip(rotations, spins, strict=True)]
    )
    assert world.mean(axis=0) == pytest.approx([10.0, 0.0, 0.0], abs=0.2)
    assert world.std(axis=0) == pytest.approx(np.full(3, 2.0), rel=0.05)
    angles = [angle_between(rotation, each) for each in rotations]
    assert np.mean(np.square(angles)) == pytest.approx(3 * error.angle**2, rel=0.05)
    state[Z] = 0.005
    corners = body.hull.vertices - body.mass.centre
    states, rotations = states_of(look, error, 200)
    for copy, turn in zip(states, rotations, strict=True):
        lowest = transform(to_matrix(turn), corners)[:, 2].min()
        assert lowest + copy[Z] > -1e-7


def test_the_first_copies_of_many_are_those_of_few():
    few, many = displacements(0, 100), displacements(0, COPIES)
    assert np.array_equal(few, many[:101])
    assert not few[0].any() and few[1:].all()
