"""Flight, collisions in the air, stacks and energy, against closed forms and Euler's equations."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pigglesim.bodies.load import load_model
from pigglesim.physics.bullet import ERP_FLIGHT, UNIT, client
from pigglesim.physics.engine import Mode
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import angle_between, axis_angle, multiply, random_quaternion, to_matrix
from pigglesim.scene.scene import Contact
from scripts.verification.cup_leaks import count_leaks
from scripts.verification.energy_rise import rises
from tests.support.bodies import box_body, octahedron_body, prism_body
from tests.support.tracking import GRAVITY, Tracked, place_at
from tests.verification.engines import SCENE, STEP, landed, scene_with

FLIGHT = 0.3
RATE = 30.0
collides = pytest.mark.parametrize("engine", ["bullet", "impulse"])


def euler_flight(inertia, rotation, spin):
    """Orientation and spin after `FLIGHT` s by Euler's equations, to ten digits."""
    inverse = np.linalg.inv(inertia)

    def rates(_, state):
        turn, own = state[:4], state[4:]
        return np.concatenate(
            [multiply(turn, np.append(own, 0.0)) / 2, -inverse @ np.cross(own, inertia @ own)]
        )

    start = np.concatenate([rotation, to_matrix(rotation).T @ spin])
    found = solve_ivp(rates, (0, FLIGHT), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    turn = found[:4] / np.linalg.norm(found[:4])
    return turn, to_matrix(turn) @ found[4:]


def stepped_flight(inertia, rotation, spin, step, *, gyroscopic=True):
    """The same by the first-order scheme: torque at the start of a step, motion by its end."""
    inverse = np.linalg.inv(inertia)
    for _ in range(round(FLIGHT / step)):
        turn = to_matrix(rotation)
        own = turn.T @ spin
        if gyroscopic:
            spin = spin - step * turn @ inverse @ np.cross(own, inertia @ own)
        angle = np.linalg.norm(spin) * step
        rotation = multiply(axis_angle(spin, angle), rotation)
    return rotation, spin


def errors(inertia, found, truth):
    """Angle of the rotation [rad], and of the angular momentum its size and direction."""
    momenta = []
    for rotation, spin in (found, truth):
        turn = to_matrix(rotation)
        momenta.append(turn @ inertia @ turn.T @ spin)
    sizes = [np.linalg.norm(each) for each in momenta]
    aside = np.linalg.norm(np.cross(*momenta)) / sizes[0] / sizes[1]
    return np.array([angle_between(found[0], truth[0]), abs(sizes[0] / sizes[1] - 1), aside])


FLYERS = {"box": box_body(0.02, 0.03, 0.012), "piggle": load_model("piggle")}
AXES = {"askew": [1, 1, 1], "near the middle axis": [0.05, 1, 0.05]}


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
@pytest.mark.parametrize("body", FLYERS.values(), ids=FLYERS)
def test_free_flight_follows_euler_s_equations(body, axis):
    # An engine that takes the gyroscopic torque at the start of each step and turns the body by
    # the spin at its end errs in the first order of the step. How much, for this flight, the
    # scheme itself tells: it is stepped here beside the truth, and the engine may err as much
    # (and 2 % more, for the fourth digit of its constants). No other number is put in.
    inertia = body.mass.inertia
    _, axes = np.linalg.eigh(inertia)
    rotation = random_quaternion(rng=np.random.default_rng(3))
    way = axes @ np.array(axis, float)
    spin = to_matrix(rotation) @ (RATE * way / np.linalg.norm(way))
    truth = euler_flight(inertia, rotation, spin)
    found = []
    for step in (STEP, STEP / 2):
        die = Tracked(
            (world := landed("bullet", scene_with(step=step))),
            body,
            place_at((0, 0, 3), rotation),
            step=step,
            spin=spin,
        )
        for _ in range(round(FLIGHT / step)):
            world.step()
            die.look()
        found.append(errors(inertia, (die.rotation, die.spin), truth))
        scheme = stepped_flight(inertia, rotation, spin, step)
        assert np.all(found[-1] <= 1.02 * errors(inertia, scheme, truth) + 1e-6)
    # First order: half the step, half the error; the second order is a tenth of it at most.
    assert found[0] / found[1] == pytest.approx([2.0] * 3, abs=0.2)
    # A body that nothing but inertia turned would be elsewhere by far.
    idle = stepped_flight(inertia, rotation, spin, STEP, gyroscopic=False)
    assert errors(inertia, idle, truth)[0] > 10 * found[0][0]


@pytest.mark.parametrize(
    ("body", "most"),
    [
        (load_model("piggle"), 2.8e-3),
        (load_model("premium"), 2.8e-3),
        (load_model("d6"), 1.0e-3),
        (prism_body(3, 0.012, 0.016), 2.8e-3),
    ],
    ids=lambda value: getattr(value, "model", ""),
)
def test_energy_never_rises_beyond_its_bound(body, most):
    # What comes back is overlap: a corner that meets the floor within a step goes in by up to
    # speed * step, the body stops there, and error reduction lifts it out again. A corner is
    # as fast as a fall of 10 cm makes it, 1.4 m/s: 2.8 mm of height, 3 % of the drop. A die of
    # six faces with rounded edges goes in by far less, 1 mm (.55 the most of 400 drops), 1 %.
    assert most <= np.sqrt(2 * GRAVITY * 0.1) * STEP
    found = rises(body, SCENE, engine=make_engine("bullet"), drops=20, seed=2)
    assert found.max() < most
    # The error belongs to the step: it goes when the step does.
    finer = replace(SCENE, stepping=replace(SCENE.stepping, time_step=STEP / 4))
    fine = rises(body, finer, engine=make_engine("bullet"), drops=6, seed=2)
    assert fine.max() < most / 2


def thrown(world, body, where, rotation=(0, 0, 0, 1), *, velocity=(0, 0, 0), spin=(0, 0, 0)):
    number = world.add_body(body, place_at(where, rotation), Mode.FREE)
    world.set_velocity(number, np.asarray(velocity, float), np.asarray(spin, float))
    return number


def motion(world, number):
    """Velocity [m/s] and spin [rad/s], world axes."""
    if hasattr(world, "state"):
        return world.state.velocity[number].copy(), world.state.angular_velocity[number].copy()
    velocity, spin = client().getBaseVelocity(world._members[number].handle)
    return np.array(velocity) / UNIT, np.array(spin)


def head_on(engine, restitution, speed, *, steps, parts=True, sideways=0.0, friction=0.3):
    """Velocities of a box and of an octahedron whose corner has struck the middle of its face."""
    die = Contact(friction=friction, restitution=restitution)
    # Floor and cup of quite another kind: the pair alone must tell.
    other = Contact(friction=0.9, restitution=0.9)
    world = landed(engine, scene_with(piggle=die, board=other, cup=other))
    # Met in the middle of a step, not at its end; and in the middle of the face.
    gap = 0.0053
    thrown(world, box_body(0.03, 0.03, 0.03, parts=parts), (0, 0, 2))
    striker = octahedron_body(0.012, parts=parts)
    at = (-0.027 - gap, -sideways * gap / speed, 2)
    thrown(world, striker, at, velocity=(speed, sideways, 0))
    world.advance(steps)
    return [motion(world, number) for number in range(2)]


@collides
@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("restitution", [0.2, 0.4, 0.8])
def test_two_bodies_part_at_e_times_the_speed_they_met_at(engine, restitution, parts):
    speed = 1.0
    (box, _), (striker, spin) = head_on(engine, restitution, speed, steps=12, parts=parts)
    # Gravity moves both alike, so nothing is lost by finding the impact late; error reduction
    # returns at most its share of the depth reached within a step.
    slack = ERP_FLIGHT if engine == "bullet" else 1e-3
    assert box[0] - striker[0] == pytest.approx(restitution * speed, abs=slack * speed + 1e-6)
    # On a line through both centres nothing turns, and what the one has lost, the other has.
    assert np.linalg.norm(spin) < 0.05 * speed / 0.012
    masses = box_body(0.03, 0.03, 0.03).mass.mass, octahedron_body(0.012).mass.mass
    assert masses[0] * box[0] + masses[1] * striker[0] == pytest.approx(masses[1] * speed, rel=1e-5)


@collides
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_a_glancing_blow_rubs_by_the_pair_s_own_friction(engine, friction):
    # Fast along the face, slow into it: it slides all through the impact, and then the impulse
    # along the face is friction times the impulse into it, whatever turns.
    found = head_on(engine, 0.4, 0.8, steps=5, sideways=4.0, friction=friction)
    (box, _), (striker, _) = found
    assert striker[1] - box[1] > 1.0
    assert box[1] / box[0] == pytest.approx(friction, rel=0.005)


@collides
def test_momentum_is_conserved_when_two_bodies_collide_askew(engine):
    rng = np.random.default_rng(12)
    body, met, steps = load_model("piggle"), 0, 30
    mass, inertia = body.mass.mass, body.mass.inertia
    for _ in range(12):
        world = landed(engine)
        for side in (-1, 1):
            where = (0.02 * side, *rng.normal([0.0, 2.0], 0.004))
            way = (-0.7 * side, *rng.normal(0, 0.1, 2))
            turn = random_quaternion(rng=rng)
            thrown(world, body, where, turn, velocity=way, spin=rng.normal(0, 8, 3))
        totals, own = [], []
        for count in (0, steps):
            world.advance(count)
            at, linear, angular = world.positions(), np.zeros(3), np.zeros(3)
            for n in range(2):
                velocity, spin = motion(world, n)
                axes = to_matrix(np.array(world.place(n).rotation))
                own.append(axes @ inertia @ axes.T @ spin)
                linear += mass * velocity
                # About the common centre, which falls freely.
                angular += own[-1] + np.cross(at[n] - at.mean(axis=0), mass * velocity)
            totals.append((linear, angular, motion(world, 0)[0]))
        (linear, angular, first), (linear_then, angular_then, then) = totals
        fall = [0, 0, -GRAVITY * steps * STEP]
        # Contact impulses come in pairs: exact to rounding, gravity's share being exact too.
        assert linear_then - linear == pytest.approx(np.multiply(2 * mass, fall), abs=1.4e-6 * mass)
        blow = mass * np.linalg.norm(then - first - fall)
        if blow < 0.14 * mass:
            continue
        met += 1
        # In Bullet a pair of impulses acts at two points as far apart as the bodies overlap, at
        # most the way of a step along the line between them; and a free body errs as in the flight
        # above: under 1 % of its own spin in .06 s. Engine impulse lifts both out of their
        # overlap, half a piece of a step deep, of which no point goes farther than a millimetre.
        spun = max(np.linalg.norm(each) for each in own)
        slack = blow * 1.4 * STEP + 0.02 * spun if engine == "bullet" else 0.75e-3 * mass
        assert np.abs(angular_then - angular).max() < slack
    assert met >= 8


@pytest.mark.parametrize("count", [2, 3])
def test_a_stack_of_slabs_stands(count):
    # Face on face: held by one point a step, it would rock and creep off.
    world = landed("impulse")
    body = box_body(0.03, 0.03, 0.01)
    for n in range(count):
        world.add_body(body, place_at((0.002 * n, 0, 0.005 + 0.01005 * n)), Mode.FREE)
    world.advance(round(1.0 / STEP))
    for n in range(count):
        assert world.positions()[n] == pytest.approx([0.002 * n, 0, 0.005 + 0.01 * n], abs=2e-4)
        assert world.speeds(n)[0] < 2e-3
    assert len(world.contacts(0, 1)) >= 3


@pytest.mark.parametrize("engine", ["impulse", "mujoco"])
@pytest.mark.parametrize("seed", range(4))
def test_a_small_body_that_slides_away_stays_on_the_table(engine, seed):
    # PyBullet leaves overlaps of a flight until the end of a throw.
    body, world = octahedron_body(0.005), make_engine(engine).world(SCENE)
    world.cup_released()
    start = place_at((0.05, 0.25, 0.0), random_quaternion(rng=np.random.default_rng(seed)))
    velocity, spin = np.array([0.1, 1.3, -1.0]), np.array([5.0, 3.0, 2.0])
    world.set_velocity(world.add_body(body, start, Mode.FREE), velocity, spin)
    for _ in range(round(0.8 / STEP)):
        world.step()
    height = world.place(0).position[2] + SCENE.board.thickness
    # At least the radius of the sphere inside it.
    assert height > 0.005 / 3**0.5 - 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_no_body_falls_through_a_table_under_a_thin_board(seed):
    # In a flight overlaps close slowly with PyBullet: a die sinks deeper than the board is thick.
    slippery = Contact(friction=0.05, restitution=0.0)
    thin = replace(
        SCENE,
        board=replace(SCENE.board, thickness=0.004),
        contacts=replace(SCENE.contacts, board=slippery),
    )
    world = make_engine("bullet").world(thin)
    world.cup_released()
    start = place_at((0.1, 0.25, 0.1), random_quaternion(rng=np.random.default_rng(seed)))
    velocity, spin = np.array([0.05, 0.35, -2.6]), np.array([20.0, 10.0, 0.0])
    world.set_velocity(world.add_body(load_model("d4"), start, Mode.FREE), velocity, spin)
    for _ in range(round(2.0 / STEP)):
        world.step()
    assert -0.02 < world.place(0).position[2] < 0.01


def test_no_energy_comes_from_a_pile():
    # Six Piggles fall onto each other and the board: what they have in all only falls.
    rng = np.random.default_rng(6)
    body, world = load_model("piggle"), landed("impulse")
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
    world, body = landed("impulse"), box_body(parts=False)
    for n in range(24):
        world.add_body(body, place_at((0, 0, 0.05 * (n + 1))), Mode.FROZEN)
    with pytest.raises(Exception, match=r"more than 24 bodies.*use --engine bullet"):
        world.add_body(body, place_at((0, 0, 3)), Mode.FROZEN)
