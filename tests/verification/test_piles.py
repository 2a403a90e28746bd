"""Engine `impulse` where bodies meet: impacts in the air, gaps against duality, energy, the cup."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.physics.engine import Mode
from pigglesim.physics.engines import make_engine
from pigglesim.physics.impulse.gjk import signed_distance
from pigglesim.rotations import random_quaternion, to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Contact
from scripts.verification.cup_leaks import count_leaks
from tests.bodies import box_body, octahedron_body
from tests.contact_worlds import Opened
from tests.tracking import GRAVITY, place_at

SCENE = load_scene("piggles_classic")
STEP = SCENE.stepping.time_step


def landed(**contacts):
    """A world without a cup."""
    scene = replace(SCENE, contacts=replace(SCENE.contacts, **contacts))
    world = make_engine("impulse").world(scene)
    world.cup_released()
    return world


def thrown(world, body, where, rotation=(0, 0, 0, 1), *, velocity=(0, 0, 0), spin=(0, 0, 0)):
    number = world.add_body(body, place_at(where, rotation), Mode.FREE)
    world.set_velocity(number, np.asarray(velocity, float), np.asarray(spin, float))
    return number


def speeds_after(world, count, steps):
    """Velocities [m/s] over the step that ends after `steps`, but for what gravity does."""
    world.advance(steps - 1)
    before = world.positions()
    world.step()
    fall = [0, 0, -GRAVITY * (steps - 0.5) * STEP]
    return ((world.positions() - before) / STEP - fall)[:count]


def octahedron_and_box(restitution, speed, *, friction=0.3, sideways=0.0, parts=True):
    """An octahedron whose corner strikes the middle of a box's face along x, high above all."""
    other = Contact(friction=0.9, restitution=0.9)
    die = Contact(friction=friction, restitution=restitution)
    world = landed(piggle=die, board=other, cup=other)
    gap = 0.0053
    thrown(world, box_body(0.03, 0.03, 0.03, parts=parts), (0, 0, 2))
    thrown(
        world,
        octahedron_body(0.012, parts=parts),
        (-0.027 - gap, -sideways * gap / speed, 2),
        velocity=(speed, sideways, 0),
    )
    return world


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("restitution", [0.2, 0.4, 0.8])
def test_two_bodies_part_at_e_times_the_speed_they_met_at(restitution, parts):
    speed = 1.0
    world = octahedron_and_box(restitution, speed, parts=parts)
    box, striker = speeds_after(world, 2, 12)
    assert box[0] - striker[0] == pytest.approx(restitution * speed, abs=1e-3 * speed)
    # Momentum is kept: what the one has lost, the other has.
    masses = [box_body(0.03, 0.03, 0.03).mass.mass, octahedron_body(0.012).mass.mass]
    assert masses[0] * box[0] + masses[1] * striker[0] == pytest.approx(masses[1] * speed, rel=1e-6)


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_a_glancing_blow_rubs_by_the_pair_s_own_friction(friction):
    world = octahedron_and_box(0.4, 0.8, friction=friction, sideways=4.0)
    box, _ = speeds_after(world, 2, 6)
    # It slides all through the impact: the blow along the face is friction times that into it.
    assert box[1] / box[0] == pytest.approx(friction, rel=0.005)


def test_momentum_and_spin_are_kept_when_bodies_collide_askew():
    rng = np.random.default_rng(12)
    body, struck = load_model("piggle"), 0
    mass, inertia = body.mass.mass, body.mass.inertia
    for _ in range(12):
        world = landed()
        for side in (-1, 1):
            where = (0.02 * side, *rng.normal([0.0, 2.0], 0.004))
            way = (-0.7 * side, *rng.normal(0, 0.1, 2))
            turn = random_quaternion(rng=rng)
            thrown(world, body, where, turn, velocity=way, spin=rng.normal(0, 8, 3))
        totals = []
        for steps in (0, 30):
            world.advance(steps)
            at, linear, angular = world.positions(), np.zeros(3), np.zeros(3)
            for n in range(2):
                velocity, spin = motion(world, n)
                axes = to_matrix(np.array(world.place(n).rotation))
                linear += mass * velocity
                angular += axes @ inertia @ axes.T @ spin
                angular += np.cross(at[n] - at.mean(axis=0), mass * velocity)
            totals.append((linear, angular, motion(world, 0)[0]))
        (linear, angular, first), (linear_then, angular_then, then) = totals
        weight = [0, 0, -2 * mass * GRAVITY * 30 * STEP]
        assert linear_then - linear == pytest.approx(weight, abs=1e-9)
        blow = mass * np.linalg.norm(then - first + [0, 0, GRAVITY * 30 * STEP])
        struck += blow > 0.1 * mass
        # Impulses come in pairs at one point, and turning by halves about the own axes keeps each
        # body's momentum. But both are lifted out of their overlap, across their motion: by what
        # they go in half a piece of a step, of which no point goes farther than a millimetre.
        assert np.abs(angular_then - angular).max() < 1e-3 * mass * 0.75
    assert struck >= 8


def motion(world, number):
    """Velocity [m/s] and spin [rad/s], world axes, read by a step of no consequence."""
    state = world.state
    return state.velocity[number].copy(), state.angular_velocity[number].copy()


def distance(world, guess):
    """The signed distance of bodies 0 and 1 and the normal, found from a guess of it."""
    one, other = world.hulls
    world.state.normal[:] = guess
    found = signed_distance(world.shapes, world.state, one, 0, other, 1, 1.0, 0.0)
    return found, world.state.normal.copy()


def slab(world, normal):
    """How far apart two planes across a direction may stand between two hulls, by all vertices."""
    return (world.vertices(0) @ normal).min() - (world.vertices(1) @ normal).max()


def test_a_distance_is_the_widest_slab_between_two_hulls():
    # Strong duality: no slab between convex bodies is wider than their distance, and one is as
    # wide; so a direction whose slab is as wide as the distance found proves both right.
    rng = np.random.default_rng(4)
    bodies = [load_model("piggle"), box_body(0.02, 0.03, 0.012)]
    for _ in range(200):
        way = rng.normal(size=3)
        way *= rng.uniform(0.03, 0.06) / np.linalg.norm(way)
        turns = random_quaternion(rng=rng), random_quaternion(rng=rng)
        world = Opened([(bodies[0], way, turns[0]), (bodies[1], np.zeros(3), turns[1])])
        gap, normal = distance(world, way / np.linalg.norm(way))
        if gap <= 0.0:
            continue
        assert slab(world, normal) == pytest.approx(gap, abs=2e-7)
        # And the nearest point of the other is on it, as far from the first as the gap is.
        assert normal @ world.state.closest_point == pytest.approx(
            (world.vertices(1) @ normal).max(), abs=2e-7
        )


def test_a_depth_is_as_far_as_bodies_were_pushed_into_each_other():
    rng = np.random.default_rng(5)
    bodies = [load_model("piggle"), box_body(0.02, 0.03, 0.012)]
    for _ in range(100):
        way = rng.normal(size=3)
        way *= 0.05 / np.linalg.norm(way)
        turns = random_quaternion(rng=rng), random_quaternion(rng=rng)
        world = Opened([(bodies[0], way, turns[0]), (bodies[1], np.zeros(3), turns[1])])
        gap, normal = distance(world, way / 0.05)
        depth = rng.uniform(1e-5, 5e-4)
        world.state.position[0] -= (gap + depth) * normal
        found, normal = distance(world, normal)
        # As deep as along the way it came, or less: some other way out may be shorter.
        assert -depth - 2e-6 <= found < 0.0
        # And it is the depth along the normal found.
        assert slab(world, normal) == pytest.approx(found, abs=2e-6)


@pytest.mark.parametrize("count", [2, 3])
def test_a_stack_of_slabs_stands(count):
    # Face on face: held by one point a step, it would rock and creep off.
    world = landed()
    body = box_body(0.03, 0.03, 0.01)
    for n in range(count):
        world.add_body(body, place_at((0.002 * n, 0, 0.005 + 0.01005 * n)), Mode.FREE)
    world.advance(round(1.0 / STEP))
    for n in range(count):
        assert world.positions()[n] == pytest.approx([0.002 * n, 0, 0.005 + 0.01 * n], abs=2e-4)
        assert world.speeds(n)[0] < 2e-3
    assert len(world.contacts(0, 1)) >= 3


def test_no_energy_comes_from_a_pile():
    # Six Piggles fall onto each other and the board: what they have in all only falls.
    rng = np.random.default_rng(6)
    body, world = load_model("piggle"), landed()
    for n in range(6):
        where = (0.01 * (n % 2), 0.01 * (n % 3), 0.03 + 0.03 * n)
        thrown(world, body, where, random_quaternion(rng=rng), spin=rng.normal(0, 8, 3))

    def height():
        total = 0.0
        for n in range(6):
            velocity, spin = motion(world, n)
            axes = to_matrix(np.array(world.place(n).rotation))
            turning = spin @ axes @ body.mass.inertia @ axes.T @ spin / body.mass.mass
            total += world.positions()[n][2] + (velocity @ velocity + turning) / (2 * GRAVITY)
        return total / 6

    least = height()
    for _ in range(600):
        world.step()
        now = height()
        # Overlaps that are lifted away give height: a twentieth of a millimetre is allowed.
        assert now < least + 5e-5
        least = min(least, now)
    assert least < 0.02


def test_the_cup_holds_what_is_shaken_in_it():
    poured, leaked = count_leaks(
        SCENE, load_model("piggle"), pours=12, seed=3, engine=make_engine("impulse")
    )
    assert (poured, leaked) == (72, 0)


def test_more_bodies_than_there_is_room_for_are_refused():
    world, body = landed(), box_body(parts=False)
    for n in range(24):
        world.add_body(body, place_at((0, 0, 0.05 * (n + 1))), Mode.FROZEN)
    with pytest.raises(Exception, match=r"more than 24 bodies.*use --engine bullet"):
        world.add_body(body, place_at((0, 0, 3)), Mode.FROZEN)
