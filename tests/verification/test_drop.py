"""A single die on the endless floor: the right motion, the same bits, a class that holds."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engine import LostMotionError
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import axis_angle
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import GRAVITY, Contact
from pigglesim.throws import Drop, sample_drops
from scripts.verification.decided_early import bodies, compare
from tests.support.bodies import box_body, octahedron_body, prism_body
from tests.verification.engines import ACCURACY, ENGINES, inner_step

FLOOR = load_floor("tabletop")
PLASTIC = FLOOR.surface("plastic")
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def drops_of(body, count, purpose, seed=1, start=0):
    trials = range(start, start + count)
    return sample_drops(FLOOR.fall, body, trials=trials, seed=seed, purpose=(purpose,))


def dropper_of(engine, body, classes=range(6), surface=PLASTIC, **stepping):
    return Dropper(
        body,
        support_of(body.hull, body.mass.centre),
        classes,
        surface=surface,
        stepping=replace(FLOOR.stepping, **stepping),
        engine=make_engine(engine),
    )


each_engine = pytest.mark.parametrize("engine", ENGINES)


def world(engine, body, *, surface=PLASTIC, step=FLOOR.stepping.time_step):
    return make_engine(engine).floor(body, surface, replace(FLOOR.stepping, time_step=step))


def release(height, *, velocity=(0, 0, 0), spin=(0, 0, 0), rotation=UPRIGHT):
    return Drop(
        height=height,
        rotation=np.asarray(rotation, dtype=float),
        velocity=np.array(velocity, dtype=float),
        angular_velocity=np.array(spin, dtype=float),
    )


@each_engine
@pytest.mark.parametrize("step", [0.002, 0.0005])
@pytest.mark.parametrize("restitution", [0.3, 0.5])
def test_it_bounces_to_e_squared_h(engine, step, restitution):
    body, reach = octahedron_body(0.012), 0.012
    surface = replace(PLASTIC, contact=Contact(friction=0.3, restitution=restitution))
    for height in np.linspace(0.06, 0.1, 7):
        floor = world(engine, body, surface=surface, step=step)
        floor.release(release(reach + height))
        speed = np.sqrt(2 * GRAVITY * height)
        floor.step(round((speed / GRAVITY + 3 * step) / step))
        # Just after the impact: what is left of the energy, above where the tip stands.
        motion = floor.motion()
        rebound = np.sqrt(2 * GRAVITY * (motion.height - reach + motion.energy_height))
        # The impact is found up to a step late, at a depth of d = v dt: the energy of the rebound
        # is e^2 (v^2 / 2 + g d) - g d, which is g dt (1 - e^2) / e less of speed; and the
        # engine's own settings miss their share.
        slack = GRAVITY * inner_step(engine, step) * (1 - restitution**2) / restitution
        slack += ACCURACY[engine].rebound_share * speed
        assert rebound == pytest.approx(restitution * speed, abs=slack)


@each_engine
@pytest.mark.parametrize("body", [box_body(parts=False), prism_body(5), load_model("piggle")])
def test_a_reused_world_gives_the_bits_of_a_fresh_one(engine, body):
    kept = world(engine, body)

    def end(floor, drop):
        floor.release(drop)
        floor.step(150)
        motion = floor.motion()
        return motion.height, motion.energy_height, *motion.down

    drops = list(drops_of(body, 6, "bits"))
    after_others = [end(kept, drop) for drop in drops]
    assert [end(world(engine, body), drop) for drop in drops] == after_others


@each_engine
def test_motion_reports_height_energy_and_the_way_down(engine):
    body = load_model("premium")
    floor = world(engine, body)
    turn = axis_angle(np.array([1.0, 0.0, 0.0]), np.pi / 2)
    spin, velocity = np.array([3.0, -5.0, 8.0]), np.array([0.2, 0.1, -1.0])
    floor.release(release(0.5, velocity=velocity, spin=spin, rotation=turn))
    motion = floor.motion()
    # Turned by a quarter about x: the body's -y points down.
    assert motion.down == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    assert motion.height == pytest.approx(0.5)
    # World spin in body axes: x stays, y' = z, z' = -y.
    own = np.array([spin[0], spin[2], -spin[1]])
    energy = body.mass.mass * velocity @ velocity / 2 + own @ body.mass.inertia @ own / 2
    assert motion.energy_height == pytest.approx(energy / (body.mass.mass * GRAVITY), rel=1e-5)


@pytest.mark.parametrize("engine", ["impulse", "bullet"])
@pytest.mark.parametrize(("body", "classes"), bodies(), ids=lambda v: getattr(v, "model", ""))
def test_no_class_decided_early_changes_before_rest(body, classes, engine):
    # 100,000 are for the command; in Bullet, a margin of nothing errs about once in 300 here.
    tally = compare(body, classes, throws=150, seed=2, engine=engine, floor=FLOOR)
    assert tally.wrong == 0
    assert tally.decided > 0.8 * tally.throws
    assert tally.saved > 0.2 * tally.whole


def test_a_cube_lands_evenly_and_a_leaning_one_is_finished_by_descent():
    body = box_body(parts=False)
    # So long a lever that a cube stops on its edge.
    dropper = dropper_of("bullet", body, surface=replace(PLASTIC, rolling_lever=0.01))
    fallen = [dropper.drop(drop) for drop in drops_of(body, 300, "cube")]
    assert any(one.ending is DropEnding.DESCENDED for one in fallen)
    counts = np.bincount([one.pose for one in fallen], minlength=6)
    # Chi-square with 5 degrees of freedom is below 20.5 in 999 of 1,000.
    assert ((counts - 50) ** 2 / 50).sum() < 20.5


def test_time_up_is_no_pose():
    body = box_body(parts=False)
    (drop,) = drops_of(body, 1, "short")
    fallen = dropper_of("bullet", body, time_limit=0.05).drop(drop)
    assert (fallen.pose, fallen.ending) == (None, DropEnding.TIMED_OUT)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
@pytest.mark.parametrize("key", [{"sliding_friction": 0.2}, {"impact_stages": 8}])
def test_engines_refuse_laws_of_friction_that_they_do_not_know(engine, key):
    with pytest.raises(SpecError, match="use --engine impulse"):
        dropper_of(engine, box_body(), surface=replace(PLASTIC, **key))


@each_engine
@pytest.mark.parametrize(("body", "classes"), bodies()[2:], ids=lambda v: getattr(v, "model", ""))
def test_many_drops_are_as_each_alone(engine, body, classes):
    dropper = dropper_of(engine, body, classes)
    drops = drops_of(body, 400 if engine == "impulse" else 10, "many", seed=5, start=7)
    ends, order = dropper.drop_all(drops), list(DropEnding)
    for k, drop in enumerate(drops):
        alone = dropper.drop(drop)
        assert ends.poses[k] == (-1 if alone.pose is None else alone.pose)
        assert (order[ends.endings[k]], ends.times[k]) == (alone.ending, alone.time)
        # One matrix product for many may round otherwise than one for each.
        assert ends.downs[k] == pytest.approx(alone.down, abs=1e-15)


def test_a_drop_whose_motion_diverges_is_refused():
    # MuJoCo turns a free body by Euler's explicit step.
    dropper = dropper_of("mujoco", box_body(0.003, 0.008, 0.012))
    with pytest.raises(LostMotionError, match="mujoco lost a die: it spins too fast"):
        dropper.drop(release(0.5, spin=(900.0, 900.0, 900.0)))
