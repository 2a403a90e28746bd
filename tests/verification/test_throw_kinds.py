"""Kinds of throw beside the drop: closed forms, invariants, and what cannot be thrown."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from pigglesim.bodies.body import support_for
from pigglesim.errors import SpecError
from pigglesim.experiments.factors import Setup, ThrowKind, applied, floor_for
from pigglesim.experiments.shard import StudyPlan
from pigglesim.experiments.study import Study
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.impulse import engine
from pigglesim.physics.impulse.plates import run_throws
from pigglesim.physics.impulse.state import LX, VX, X, Z
from pigglesim.scene.scene import GRAVITY, Contact, Flip, FloorRoll, Tower, Tumbler
from pigglesim.throws import Plate, reach, sample_drops
from tests.support.bodies import box_body

FLOOR = floor_for(ThrowKind.DROP, "tabletop")
PLASTIC = FLOOR.surface("plastic")
COIN = box_body(0.02, 0.02, 0.004)


def thrown(release, body, count, *, surface=PLASTIC, purpose="kinds"):
    support = support_for(body)
    dropper = Dropper(
        body,
        support,
        range(len(support.poses)),
        surface=surface,
        stepping=FLOOR.stepping,
        engine=make_engine("impulse"),
    )
    drops = release
    if not hasattr(release, "rotations"):
        drops = sample_drops(release, body, trials=range(count), seed=1, purpose=(purpose,))
    return support, drops, dropper.drop_all(drops)


@pytest.mark.parametrize("spin", [3.0, 40.0, 200.0])
def test_a_caught_flip_turns_by_spin_times_time(spin):
    flip = Flip(spin=spin, spread=0.0, wobble_spread=0.0, caught=True)
    _, drops, results = thrown(flip, COIN, 3)
    angle = spin * 2.0 * (2.0 * flip.rise / GRAVITY) ** 0.5
    # About the body's x, from -z.
    expected = [0.0, -np.sin(angle), -np.cos(angle)]
    assert results.times == pytest.approx(drops.catch_times)
    assert results.downs == pytest.approx(np.tile(expected, (3, 1)), abs=1e-9)
    assert set(results.endings) == {list(DropEnding).index(DropEnding.DECIDED)}


def test_a_caught_flip_is_read_as_its_nearest_pose():
    support, _, results = thrown(Flip(wobble_spread=0.0, caught=True), COIN, 400)
    nearest = [max(support.poses, key=lambda pose: np.dot(pose.down, d)) for d in results.downs]
    assert [support.poses[k] for k in results.poses] == nearest
    # Its spin is across two sides only.
    assert all(abs(pose.down[0]) < 1e-6 for pose in nearest)


@pytest.mark.parametrize("release", [Flip(spin=60.0), FloorRoll(wall=0.15), Tower()])
def test_heads_are_as_frequent_as_tails(release):
    if isinstance(release, Flip):
        release = replace(release, start=None)
    support, _, results = thrown(release, COIN, 800)
    ups = np.array([pose.down[2] for pose in support.poses])[results.poses]
    heads, tails = int(np.sum(ups < -0.9)), int(np.sum(ups > 0.9))
    assert heads + tails > 600
    # Four standard errors of a difference.
    assert abs(heads - tails) < 4.0 * (heads + tails) ** 0.5
    assert np.all(results.poses >= 0)


def test_a_flip_starts_with_the_given_motion():
    flip = Flip(axis=(1.0, 1.0, 0.5), start=(0.0, 0.0, 1.0), wobble_spread=0.0, spread=0.0)
    drops = sample_drops(flip, COIN, trials=range(2), seed=1, purpose=("start",))
    for drop in drops:
        x, y, z, w = drop.rotation
        down = -np.array([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
        assert down == pytest.approx([0.0, 0.0, 1.0])
        assert np.linalg.norm(drop.angular_velocity) == pytest.approx(flip.spin)
        assert drop.angular_velocity[2] == pytest.approx(0.0)
        assert drop.velocity[2] ** 2 == pytest.approx(2.0 * GRAVITY * flip.rise)


def test_a_roll_starts_with_its_share_of_the_spin_of_rolling():
    roll = FloorRoll(spread=0.2, rolling=0.7, spin_spread=0.0)
    drops = sample_drops(roll, COIN, trials=range(2000), seed=1, purpose=("roll",))
    assert drops.angular_velocities[:, 1] * reach(COIN) == pytest.approx(
        0.7 * drops.velocities[:, 0]
    )
    # Cut off at two standard deviations, where 0.88 of the spread is left; 5 standard errors.
    assert drops.velocities[:, 0].min() >= 0.6
    assert drops.velocities[:, 0].mean() == pytest.approx(1.0, abs=0.02)


def states_at(time, drops, body, surface, monkeypatch):
    """The states of bodies some time after their start."""
    seen = []

    def watched(states, *arguments):
        run_throws(states, *arguments)
        seen.append(states.copy())

    monkeypatch.setattr(engine, "run_throws", watched)
    thrown(replace(drops, catch_times=np.full(len(drops), time)), body, 0, surface=surface)
    return seen[0]


def test_a_wall_gives_back_the_restitution(monkeypatch):
    body = box_body()
    surface = replace(PLASTIC, contact=Contact(friction=0.0, restitution=0.5), rolling_lever=0.0)
    roll = FloorRoll(speed=1.0, spread=0.0, rolling=0.0, spin_spread=0.0)
    drops = sample_drops(roll, body, trials=range(1), seed=1, purpose=("wall",))
    # Flat against the wall, high above the floor, so that nothing else happens.
    drops = replace(
        drops,
        height=2.0,
        rotations=np.array([[0.0, 0.0, 0.0, 1.0]]),
        velocities=np.array([[1.0, 0.0, 0.0]]),
        plates=(Plate(x=0.2, z=0.0, angle=pi / 2.0, length=10.0),),
    )
    x, y, z, *velocity = states_at(0.3, drops, body, surface, monkeypatch)[0, :6]
    assert velocity == pytest.approx([-0.5, 0.0, -0.3 * GRAVITY], abs=3e-4)  # of the solver
    # 0.19 m there at 1 m/s, and the rest of the time back; the strike is late by a piece of 0.5 ms.
    assert (x, y) == pytest.approx((0.19 - 0.5 * 0.11, 0.0), abs=1e-3)
    assert z == pytest.approx(2.0 - 0.5 * GRAVITY * 0.09, abs=1e-9)


@pytest.mark.parametrize("release", [FloorRoll(wall=0.1), Tower(), FloorRoll(wall=0.05, speed=3.0)])
def test_plates_add_no_energy(release, monkeypatch):
    body = box_body(0.02, 0.016, 0.012)
    # Newton's restitution with friction can add energy, on a level floor too.
    surface = replace(PLASTIC, contact=Contact(friction=0.0, restitution=0.9))
    drops = sample_drops(release, body, trials=range(40), seed=2, purpose=("energy",))
    moments = principal_frame(body).moments

    def energies(states):
        rotating = (states[:, LX : LX + 3] ** 2 / moments).sum(axis=1) / 2.0
        moving = body.mass.mass * (states[:, VX : VX + 3] ** 2).sum(axis=1) / 2.0
        return rotating + moving + body.mass.mass * GRAVITY * states[:, Z]

    before = energies(states_at(0.0, drops, body, surface, monkeypatch))
    after = energies(states_at(0.1, drops, body, surface, monkeypatch))
    # Bodies pushed out of a sloping plate gain height: less than a millimetre.
    assert np.all(after <= before + body.mass.mass * GRAVITY * 1e-3)
    assert np.any(after < 0.9 * before)


def test_a_die_in_a_turned_box_rests_on_the_next_side(monkeypatch):
    """It starts on the side at x = 0, and slides down 0.1 m once that side is upright."""
    body = box_body()
    drops = sample_drops(Tumbler(length=0.1), body, trials=range(20), seed=1, purpose=("box",))
    states = states_at(2.0, drops, body, PLASTIC, monkeypatch)
    rest = body.hull.vertices[:, 2].max()
    assert states[:, Z] == pytest.approx(rest, abs=2e-4)
    assert np.all(states[:, X] > rest - reach(body) - 1e-3)
    assert np.all(states[:, X] < 0.1 - reach(body) - rest + 1e-3)


@pytest.mark.parametrize(
    ("kind", "levels", "problem"),
    [
        (ThrowKind.FLIP, {"axis": "w"}, "invalid axis 'w'"),
        (ThrowKind.FLIP, {"axis": "0:0:0"}, "invalid axis '0:0:0'"),
        (ThrowKind.FLIP, {"axis": "any"}, "invalid axis 'any'"),
        (ThrowKind.FLIP, {"start": "1:nan:0"}, "invalid start"),
        (ThrowKind.FLIP, {"caught": "maybe"}, "invalid caught 'maybe'"),
        (ThrowKind.FLIP, {"axis": "z"}, "the axis of the flip is upright"),
        (ThrowKind.TUMBLER, {"length_mm": 20.0}, "too large for a box of 20 mm"),
    ],
)
def test_a_throw_that_cannot_be_is_one_line(kind, levels, problem):
    with pytest.raises(SpecError, match=problem):
        setup = applied(kind, Setup(models=(), place=floor_for(kind, "tabletop")), levels)
        sample_drops(setup.floor.fall, COIN, trials=range(1), seed=1, purpose=("bad",))


def test_another_engine_refuses_a_wall():
    with pytest.raises(SpecError, match="does not support walls"):
        StudyPlan.of(
            Study(
                kind=ThrowKind.ROLL,
                models=("d6",),
                factors={"wall_mm": (200,)},
                engine="bullet",
                throws=1,
            )
        )
