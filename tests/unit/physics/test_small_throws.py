"""Small throws against the driver of any engine, and against closed forms.

`scripts/mutate --code pours` runs them in plain Python, on mutants.
"""

from dataclasses import replace

import numpy as np
import pytest
from numba import config

from pigglesim.physics import pour
from pigglesim.physics.drop import DropEnding
from pigglesim.physics.engine import Mode
from pigglesim.physics.engines import make_engine
from pigglesim.pose_reading import LEANING, STACKED
from pigglesim.rotations import axis_angle, multiply
from pigglesim.scene.scene import GRAVITY, Contact
from pigglesim.throws import Drop
from tests.support.bodies import octahedron_body
from tests.support.small_throws import CUBE, DROPPERS, FLOOR, PLASTIC, SCENE, THROWS, drops
from tests.support.tracking import place_at

HALF = 0.01
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])


class NeverCompiled:
    """No world is an instance of it, so every throw is driven."""


@pytest.mark.parametrize("name", THROWS)
def test_the_driver_of_any_engine_throws_the_same(name, monkeypatch):
    compiled, *seen = THROWS[name]()
    monkeypatch.setattr(pour, "CompiledWorld", NeverCompiled)
    driven, *driven_seen = THROWS[name]()
    # What was rolled or struck is read, what nothing struck keeps its landing.
    moved = [True] * len(compiled.rolled) + [by is not None for by in compiled.strikers]
    assert [reading is not None for reading in compiled.readings] == moved
    assert repr(replace(compiled, readings=driven.readings)) == repr(driven)
    assert repr(seen[:-1]) == repr(driven_seen[:-1])


@pytest.mark.skipif(config.DISABLE_JIT, reason="it is the same in plain Python")
def test_the_small_throws_are_of_different_kinds():
    poured, _, read = THROWS["poured"]()
    assert poured.strikers == (0, None)
    fallen, (_, beside, *_) = THROWS["off the board"]()
    assert fallen.standing[1].position[2] == pytest.approx(HALF - SCENE.board.thickness, abs=2e-5)
    assert beside[0] == -1
    assert THROWS["stacked"]()[1][0][2] == STACKED
    assert THROWS["leaning"]()[1][0][2] == LEANING
    assert [row[2] for row in read[:4]] == [0] * 4


@pytest.mark.parametrize("name", DROPPERS)
def test_a_drop_ends_as_the_driver_of_any_engine_ends_it(name):
    dropper = DROPPERS[name]
    found = dropper.drop_all(drops())
    alone = [dropper.drop(drop) for drop in drops()]
    assert [-1 if one.pose is None else one.pose for one in alone] == found.poses.tolist()
    assert [[*DropEnding].index(one.ending) for one in alone] == found.endings.tolist()
    assert [one.time for one in alone] == found.times.tolist()
    assert np.array_equal([one.down for one in alone], found.downs)
    ends = {"held on an edge": DropEnding.DESCENDED, "timed out": DropEnding.TIMED_OUT}
    assert ends.get(name, DropEnding.DECIDED) in {one.ending for one in alone}


def floor_of(body=CUBE, **contact):
    """A table, with other friction or restitution."""
    contact = Contact(**contact)
    surface = replace(PLASTIC, rolling_lever=0.0, spinning_lever=0.0, contact=contact)
    return make_engine("impulse").floor(body, surface, FLOOR.stepping)


def released(height, *, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), rotation=LEVEL):
    return Drop(
        height=height,
        rotation=rotation,
        velocity=np.array(velocity, dtype=float),
        angular_velocity=np.array(spin, dtype=float),
    )


def test_a_cube_flies_a_parabola_and_turns_evenly():
    floor, spin = floor_of(friction=0.3, restitution=0.3), np.array([3.0, -20.0, 11.0])
    start = axis_angle(np.array([0.2, 1.0, 0.5]), 0.8)
    drop = released(0.5, velocity=(0.4, -0.2, 0.7), spin=spin, rotation=start)
    frames = floor.trajectory(drop, 0.02, 10)
    t = np.arange(10) * 0.02
    way = np.stack([0.4 * t, -0.2 * t, 0.5 + 0.7 * t - GRAVITY / 2.0 * t**2], axis=1)
    assert frames[:, :3] == pytest.approx(way, abs=1e-12)
    # All moments of a cube are equal, so its axis stays. Steps of 0.1 rad, about one principal
    # axis after the other, add up to an error of a thousandth of a radian.
    for row, time in zip(frames, t, strict=True):
        turned = multiply(axis_angle(spin, np.linalg.norm(spin) * time), start)
        assert abs(row[3:] @ turned) == pytest.approx(1.0, abs=2e-7)


@pytest.mark.parametrize("restitution", [0.2, 0.6])
def test_a_corner_bounces_to_e_squared_of_the_height(restitution):
    reach, height = 0.012, 0.05
    floor = floor_of(octahedron_body(reach), friction=0.3, restitution=restitution)
    # Plain Python divides by a spin.
    floor.release(released(reach + height, spin=(0.0, 0.0, 0.1)))
    floor.advance(np.sqrt(2.0 * height / GRAVITY) + 0.003, stop_below=0.0)
    motion = floor.motion()
    top = motion.height + motion.energy_height - reach
    # The spin has some hundred-millionths of a metre.
    assert top == pytest.approx(restitution**2 * height, abs=1e-7)


@pytest.mark.parametrize("friction", [0.2, 0.45])
def test_a_cube_slides_as_far_as_friction_lets_it(friction):
    floor = floor_of(friction=friction, restitution=0.0)
    frames = floor.trajectory(released(HALF, velocity=(0.4, 0.3, 0.0)), 0.01, 40)
    way = 0.5**2 / (2.0 * friction * GRAVITY)
    # The law of friction acts in whole steps.
    late = 0.5 * FLOOR.stepping.time_step
    assert frames[-1, :2] == pytest.approx([0.8 * way, 0.6 * way], abs=late)
    assert frames[:, 2] == pytest.approx(HALF, abs=6e-5)
    assert np.linalg.norm(frames[-1, :3] - frames[-2, :3]) < 1e-9
    floor.advance(0.4, stop_below=0.0)
    assert floor.motion().still_time >= FLOOR.stepping.rest_time - 1e-9


def test_a_landing_never_gains_energy_and_sleeps():
    floor = floor_of(friction=0.3, restitution=0.5)
    turn = axis_angle(np.array([1.0, 0.4, 0.0]), 0.6)
    floor.release(released(0.05, velocity=(0.1, 0.0, 0.0), spin=(4.0, 1.0, -9.0), rotation=turn))
    energy = np.inf
    for _ in range(120):
        floor.advance(0.005, stop_below=0.0)
        motion = floor.motion()
        # Overlaps that are pushed apart lift a body by hundredths of a millimetre.
        assert motion.height + motion.energy_height <= energy + 1e-5
        energy = min(energy, motion.height + motion.energy_height)
    assert motion.height == pytest.approx(HALF, abs=5e-5)
    assert np.abs(motion.down).max() == pytest.approx(1.0, abs=1e-3)


def test_two_cubes_in_the_air_pass_momentum_on():
    world = make_engine("impulse").world(SCENE)
    for x, speed in ((-0.011, 0.5), (0.011, -0.1)):
        number = world.add_body(CUBE, place_at((x, 0.0, 0.2)), Mode.FREE)
        world.set_velocity(number, np.array([speed, 0.0, 0.0]), np.zeros(3))
    points = []
    for _ in range(3):
        world.step()
        points += world.contacts(0, 1)
    first, second = (world.state.velocity[k].copy() for k in (0, 1))
    time = 3 * SCENE.stepping.time_step
    assert first + second == pytest.approx([0.4, 0.0, -2.0 * GRAVITY * time], abs=1e-12)
    e = SCENE.contacts.piggle.restitution
    assert second[0] - first[0] == pytest.approx(e * 0.6, abs=1e-6)  # the solver sweeps until then
    # The faces meet in the middle of their way, after a third of a hundredth of a second.
    assert points
    assert np.array(points)[:, 0] == pytest.approx(0.2 / 300.0, abs=1e-3)
