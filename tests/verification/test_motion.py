"""Free flight, collisions in the air and energy, against closed forms and Euler's equations."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pigglesim.bodies.load import load_model
from pigglesim.physics.bullet import ERP_FLIGHT
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import angle_between, axis_angle, multiply, random_quaternion, to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Contact
from scripts.verification.energy_rise import prism_body, rises
from tests.bodies import box_body, octahedron_body
from tests.tracking import GRAVITY, Tracked, place_at

SCENE = load_scene("piggles_classic")
STEP = SCENE.stepping.time_step
FLIGHT = 0.3
RATE = 30.0


def landed(step=STEP, **contacts):
    """A world without a cup."""
    scene = replace(
        SCENE,
        stepping=replace(SCENE.stepping, time_step=step),
        contacts=replace(SCENE.contacts, **contacts),
    )
    world = make_engine("bullet").world(scene)
    world.cup_released()
    return world


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
            (world := landed(step)), body, place_at((0, 0, 3), rotation), step=step, spin=spin
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


def meet(world, first, second, *, steps):
    """Step two bodies until they have met and parted; return their momenta before and after."""
    before = [(die.momentum, die.angular_momentum, die.position) for die in (first, second)]
    for _ in range(steps):
        world.step()
        first.look()
        second.look()
    after = [(die.momentum, die.angular_momentum, die.position) for die in (first, second)]
    return before, after


def head_on(restitution, speed, *, step=STEP, parts=True, sideways=0.0, friction=0.3):
    """An octahedron whose corner strikes the middle of a box's face along x."""
    die = Contact(friction=friction, restitution=restitution)
    # Floor and cup of quite another kind: the pair alone must tell.
    other = Contact(friction=0.9, restitution=0.9)
    world = landed(step, piggle=die, board=other, cup=other)
    # Met in the middle of a step, not at its end; and in the middle of the face.
    gap = 0.0053
    box = Tracked(
        world, box_body(0.03, 0.03, 0.03, parts=parts), place_at((0.0, 0.0, 2.0)), step=step
    )
    striker = Tracked(
        world,
        octahedron_body(0.012, parts=parts),
        place_at((-0.015 - 0.012 - gap, -sideways * gap / speed, 2.0)),
        step=step,
        velocity=(speed, sideways, 0.0),
    )
    return world, box, striker


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("restitution", [0.2, 0.4, 0.8])
def test_two_bodies_part_at_e_times_the_speed_they_met_at(restitution, parts):
    speed = 1.0
    world, box, striker = head_on(restitution, speed, parts=parts)
    meet(world, box, striker, steps=12)
    parting = box.velocity[0] - striker.velocity[0]
    # Gravity moves both alike, so nothing is lost by finding the impact late; error reduction
    # returns at most its share of the depth reached within a step.
    assert parting == pytest.approx(restitution * speed, abs=ERP_FLIGHT * speed + 1e-6)
    # On a line through both centres nothing turns.
    assert np.linalg.norm(striker.spin) < 0.05 * speed / 0.012


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_a_glancing_blow_rubs_by_the_pair_s_own_friction(friction):
    # Fast along the face, slow into it: it slides all through the impact, and then the impulse
    # along the face is friction times the impulse into it, whatever turns.
    world, box, striker = head_on(0.4, 0.8, sideways=4.0, friction=friction)
    before, after = meet(world, box, striker, steps=5)
    blow = after[0][0] - before[0][0]
    # The second die never gained the speed of the first: it slid all the time.
    assert striker.velocity[1] - box.velocity[1] > 1.0
    # One contact, one step: only what the solver's iterations leave is between the two.
    assert blow[1] / blow[0] == pytest.approx(friction, rel=0.005)


def test_momentum_is_kept_when_two_bodies_collide_askew():
    rng = np.random.default_rng(12)
    body = load_model("piggle")
    met = 0
    for _ in range(12):
        world = landed()
        places = [(-0.02, 0.0, 2.0), (0.02, *rng.normal([0.0, 2.0], 0.004))]
        dice = [
            Tracked(
                world,
                body,
                place_at(where, random_quaternion(rng=rng)),
                step=STEP,
                velocity=(way, *rng.normal(0, 0.1, 2)),
                spin=rng.normal(0, 8, 3),
            )
            for where, way in zip(places, (0.7, -0.7), strict=True)
        ]
        steps = 30
        before, after = meet(world, *dice, steps=steps)
        weight = 2 * body.mass.mass * GRAVITY * steps * STEP
        linear = sum(each[0] for each in after) - sum(each[0] for each in before)
        scale = body.mass.mass * 1.4
        # Contact impulses come in pairs: exact to rounding, gravity's share being exact too.
        assert linear == pytest.approx([0, 0, -weight], abs=1e-6 * scale)
        blow = np.linalg.norm(after[0][0] - before[0][0] + [0, 0, weight / 2])
        if blow < 0.1 * scale:
            continue
        met += 1
        # About the common centre, which falls freely. A pair of impulses acts at two points as
        # far apart as the bodies overlap, at most the way of a step along the line between them;
        # and a free body errs as in the flight above: under 1 % of its own spin in .06 s.
        total = [
            sum(
                own + np.cross(where - (now[0][2] + now[1][2]) / 2, push)
                for push, own, where in now
            )
            for now in (before, after)
        ]
        own = max(np.linalg.norm(each[1]) for each in (*before, *after))
        assert np.linalg.norm(total[1] - total[0]) < blow * 1.4 * STEP + 0.02 * own
    assert met >= 8
