"""Every engine against closed forms: fall, bounce, rub, roll, rest, tumble, and the cup's push."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pigglesim.bodies.load import load_model
from pigglesim.physics.bullet import client
from pigglesim.physics.engine import Mode
from pigglesim.rotations import axis_angle, from_matrix, random_quaternion, upright
from pigglesim.scene.scene import GRAVITY
from tests.support.bodies import ball_body, box_body, octahedron_body
from tests.support.placing import set_down
from tests.verification.engines import (
    ACCURACY,
    ENGINES,
    SCENE,
    STEP,
    UPRIGHT,
    board_of,
    engine_of,
    inner_step,
    landed,
    lever_share,
    place,
    run,
    scene_with,
    with_peers,
)


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


def test_free_fall_at_four_metres_a_second(engine):
    # In centimetres Bullet clamps every speed at 1 m/s unless told otherwise.
    world = landed(engine)
    number = world.add_body(octahedron_body(), place(0, 0, 1.0), Mode.FREE)
    step = inner_step(engine)
    steps = round(0.4 / step)
    run(world, 0.4)
    # Semi-implicit Euler falls g dt^2 n (n + 1) / 2, exactly; a parabola half of g t^2.
    more = 0 if ACCURACY[engine].exact_flight else 1
    fallen = GRAVITY * step**2 * steps * (steps + more) / 2
    assert 1.0 - world.positions()[number][2] == pytest.approx(fallen, abs=1e-6)
    assert world.speeds(number)[0] == pytest.approx(GRAVITY * 0.4, rel=1e-6)


def rebounding(world, number, speed, step=STEP):
    """Step from just before an impact at `speed` to just after; return the fastest rise [m/s]."""
    run(world, speed / GRAVITY - 2 * step, step)
    rebound, last = 0.0, world.positions()[number][2]
    for _ in range(6):
        world.step()
        now = world.positions()[number][2]
        rebound, last = max(rebound, (now - last) / step), now
    return rebound


def rebound_slack(engine, restitution, speed, step=STEP):
    """How far the rise that `rebounding` returns may be from restitution * speed [m/s]."""
    # An impact is found up to one inner step late (g dt of speed, once down and once up), or a
    # tread early; what of the scene's step is left then slows the rise before it is read; and
    # the solver has its own share of error.
    inner, accuracy = inner_step(engine, step), ACCURACY[engine]
    late = inner * (1 + restitution) + step - inner + accuracy.tread / speed
    # The rise of a step is the speed in its middle, where flight is exact.
    late += step / 2 if accuracy.exact_flight else 0.0
    return GRAVITY * late + accuracy.rebound_share * speed


@pytest.mark.parametrize("step", [STEP, STEP / 4])
@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("restitution", [0.3, 0.5])
def test_bounce_height_is_e_squared_h(engine, step, parts, restitution):
    reach = 0.012
    body = octahedron_body(reach, parts=parts)
    # Heights that meet the floor at every phase of the step.
    for height in np.linspace(0.06, 0.1, 12):
        world = landed(engine, scene_with(step=step, **board_of(restitution)))
        number = world.add_body(body, place(0, 0, reach + height), Mode.FREE)
        # The height that this speed reaches.
        speed = np.sqrt(2 * GRAVITY * height)
        slack = rebound_slack(engine, restitution, speed, step)
        rebound = rebounding(world, number, speed, step)
        assert rebound == pytest.approx(restitution * speed, abs=slack)


def test_what_lands_before_the_cup_is_empty_bounces_as_after(engine):
    # In the cup Bullet closes overlaps forty times as fast; on the board that threw what landed
    # early by its own overlap, some of it off the board.
    reach, restitution = 0.012, 0.4
    body = octahedron_body(reach)
    for height in np.linspace(0.06, 0.1, 5):
        rebounds = []
        for emptied in (False, True):
            world = engine_of(engine).world(scene_with(**board_of(restitution)))
            if emptied:
                world.cup_released()
            number = world.add_body(body, place(0, 0, reach + height), Mode.FREE)
            speed = np.sqrt(2 * GRAVITY * height)
            rebounds.append(rebounding(world, number, speed))
        assert rebounds[0] == pytest.approx(rebounds[1], abs=1e-6)


@pytest.mark.parametrize("speed", [0.7, 1.2])
def test_an_oblique_impact_obeys_newton_and_coulomb(engine, speed):
    # An octahedron comes down on a corner that slides throughout: the normal speed returns as
    # e times itself whatever it slides at, and friction takes mu (1 + e) of the normal speed.
    reach, height, restitution, friction = 0.012, 0.08, 0.4, 0.05
    body = octahedron_body(reach)
    smooth = {"rolling_lever": 0.0, "spinning_lever": 0.0}
    world = landed(engine, scene_with(**board_of(restitution, friction), **smooth))
    number = world.add_body(body, place(-0.1, 0, reach + height), Mode.FREE)
    world.set_velocity(number, np.array([speed, 0, 0]), np.zeros(3))
    normal = np.sqrt(2 * GRAVITY * height)
    slack = rebound_slack(engine, restitution, normal)
    rebound = rebounding(world, number, normal)
    assert rebound == pytest.approx(restitution * normal, abs=slack)
    before = world.positions()[number]
    world.step()
    along = (world.positions()[number] - before)[0] / STEP
    push = friction * (1 + restitution) * normal
    # Friction follows the normal speeds before and after, either of which may be off.
    error = 2 * friction * slack
    assert speed - along == pytest.approx(push, abs=error)
    # The contact lies between the corner and the board, as deep as one inner step's way.
    turning = reach * body.mass.mass / body.mass.inertia[0, 0]
    arm = 1 - normal * inner_step(engine) / reach
    assert turning * (push - error) * arm < world.speeds(number)[1] < turning * (push + error)


@with_peers
@pytest.mark.parametrize(
    ("friction", "slab", "speed"), [(0.35, False, 0.8), (0.6, False, 0.5), (0.6, True, 0.5)]
)
def test_sliding_stops_after_v_squared_over_two_mu_g(engine, friction, slab, speed):
    # On the board, or over a slab that stands, with which it has the friction of two bodies.
    scene = scene_with(**board_of(0.4, friction), rolling_lever=0.0, spinning_lever=0.0)
    world = landed(engine, scene)
    floor = 0.0
    if slab:
        floor, friction = 0.01, scene.contacts.piggle.friction
        world.add_body(box_body(0.3, 0.3, floor), place(0, 0, floor / 2), Mode.FROZEN)
    slider = place(-0.1, 0, floor + 0.003)
    number = world.add_body(box_body(0.03, 0.03, 0.006), slider, Mode.FREE)
    run(world, 0.05)
    start = world.positions()[number][0]
    world.set_velocity(number, np.array([speed, 0, 0]), np.zeros(3))
    run(world, 0.6)
    way = world.positions()[number][0] - start
    # Stopping is quantised to a step: half a step's way either side.
    assert way == pytest.approx(speed**2 / (2 * friction * GRAVITY), abs=speed * inner_step(engine))


def test_a_body_rebounds_from_one_that_stands_as_from_a_rock(engine):
    reach, height, restitution = 0.012, 0.08, 0.3
    piggle = replace(SCENE.contacts.piggle, restitution=restitution)
    world = landed(engine, scene_with(piggle=piggle))
    world.add_body(box_body(0.1, 0.1, 0.01), place(0, 0, 0.005), Mode.FROZEN)
    falling = place(0, 0, 0.01 + reach + height)
    number = world.add_body(octahedron_body(reach), falling, Mode.FREE)
    speed = np.sqrt(2 * GRAVITY * height)
    slack = rebound_slack(engine, restitution, speed)
    assert rebounding(world, number, speed) == pytest.approx(restitution * speed, abs=slack)


def rolling_decelerations(engine, lever, body, radius=0.01, speed=0.3, time=0.1):
    """How fast a rolling ball slows [m/s2], for eight ways of setting it down."""
    rng = np.random.default_rng(8)
    rates = []
    for _ in range(8):
        world = landed(engine, scene_with(rolling_lever=lever, spinning_lever=0.0))
        start = place(-0.1, 0, radius, random_quaternion(rng=rng))
        number = world.add_body(body, start, Mode.FREE)
        run(world, 0.05)
        world.set_velocity(number, np.array([speed, 0, 0]), np.array([0, speed / radius, 0]))
        run(world, 0.02)
        before = world.speeds(number)[0]
        run(world, time)
        rates.append((before - world.speeds(number)[0]) / time)
    return np.array(rates)


@pytest.mark.parametrize("lever", [0.3e-3, 1e-3, 2.5e-3])
def test_rolling_decelerates_by_five_sevenths_g_lever_over_r(engine, lever):
    ball = ball_body(count=8000)
    exact = 5 / 7 * GRAVITY * lever / 0.01
    # The ball's own 8,000 corners cost something too, no more beside a lever than alone; and it
    # hops on them, so each run scatters: three standard errors of the mean.
    corners, rates = (rolling_decelerations(engine, each, ball) for each in (0.0, lever))
    error = 3 * np.hypot(rates.std(ddof=1), corners.std(ddof=1)) / 8**0.5
    assert error < 0.1 * exact + 0.02
    left = lever_share(engine, SCENE.contacts.board.friction, exact / GRAVITY)
    assert exact * left - error < rates.mean() < exact + corners.mean() + error


@pytest.mark.parametrize("tilt", [0.0, 0.001, 0.05, 0.3])
@pytest.mark.parametrize("parts", [True, False])
def test_a_cube_does_not_sink_into_the_board(engine, tilt, parts):
    # A face needs several contacts, of which each step finds one: if they are forgotten, the
    # cube rocks from corner to corner and ratchets down by millimetres.
    world = landed(engine)
    body = box_body(0.016, 0.016, 0.016, parts=parts)
    rotation = axis_angle(np.array([1.0, 0.3, 0.0]), tilt)
    number = world.add_body(body, place(0, 0, 0.0115, rotation), Mode.FREE)
    heights = []
    for _ in range(round(0.5 / STEP)):
        world.step()
        heights.append(world.positions()[number][2])
    # At impact it may go in by the way of one step; at rest it stands on the board.
    fall = np.sqrt(2 * GRAVITY * 0.0035)
    assert min(heights) > 0.008 - 2 * fall * STEP
    assert heights[-1] == pytest.approx(0.008, abs=3e-4)
    world.fade_resistance(1.0)
    run(world, 0.2)
    assert world.positions()[number][2] == pytest.approx(0.008, abs=5e-5)


def test_spinning_stops(engine):
    world = landed(engine)
    number = world.add_body(ball_body(), place(0, 0, 0.01), Mode.FREE)
    run(world, 0.05)
    world.set_velocity(number, np.zeros(3), np.array([0, 0, 30.0]))
    run(world, 1.5)
    assert world.speeds(number)[1] < 0.05


@pytest.mark.parametrize("model", ["piggle", "premium"])
@pytest.mark.parametrize("compound", [True, False])
def test_every_stable_pose_rests_at_the_height_of_the_mesh(engine, model, compound):
    body = load_model(model)
    body = body if compound else replace(body, parts=())
    for pose in body.poses:
        world = landed(engine)
        rotation = from_matrix(upright(pose.down))
        number = world.add_body(body, place(0, 0, pose.height + 2e-4, rotation), Mode.FREE)
        run(world, 0.3)
        world.fade_resistance(1.0)
        run(world, 0.3)
        assert world.positions()[number][2] == pytest.approx(pose.height, abs=5e-5), pose.name


@cache
def tumbled(moments, spin, time):
    """Size of a free body's spin [rad/s] after a time [s] by Euler's equations."""

    def torque_free(_, w):
        return -np.cross(w, np.multiply(moments, w)) / moments

    found = solve_ivp(torque_free, (0, time), spin, method="DOP853", rtol=1e-10, atol=1e-10)
    return np.linalg.norm(found.y[:, -1])


def test_inertia_is_the_body_s_own(engine):
    # A free body turns about its middle axis and tumbles (Dzhanibekov); the rate of growth tells
    # the three moments.
    body = load_model("piggle")
    moments, axes = np.linalg.eigh(body.mass.inertia)
    spin = (0.5, 20.0, 0.5)
    world = landed(engine)
    number = world.add_body(body, place(0, 0, 5.0), Mode.FREE)
    world.set_velocity(number, np.zeros(3), axes @ spin)
    run(world, 0.4)
    assert world.speeds(number)[1] == pytest.approx(tumbled(tuple(moments), spin, 0.4), rel=0.02)


def test_the_cup_gives_its_velocity_to_what_it_holds(engine):
    # A box lies on the cup's floor; the cup rises with constant acceleration, then at constant
    # speed; the box must have that speed.
    world = engine_of(engine).world(SCENE)
    cup = SCENE.cup
    floor = -cup.depth / 2
    world.add_cup(((0.0, 0.0, 0.2), UPRIGHT))
    number = world.add_body(box_body(), place(0.01, 0, 0.2 + floor + 0.01), Mode.IN_CUP)
    height, speed = 0.2, 0.0
    for k in range(300):
        speed = min(0.004 * k, 0.5)
        height += speed * STEP
        world.move_cup(((0.0, 0.0, height), UPRIGHT))
        world.step()
    assert world.speeds(number)[0] == pytest.approx(0.5, rel=1e-3)
    assert world.positions()[number][2] - height == pytest.approx(floor + 0.01, abs=5e-5)


@with_peers
def test_the_cup_turns_what_it_holds(engine):
    # Turned about its axis, the cup's floor drags the box round by friction up to its own rate.
    world = engine_of(engine).world(SCENE)
    world.add_cup(((0.0, 0.0, 0.2), UPRIGHT))
    number = world.add_body(
        box_body(0.04, 0.03, 0.01),
        place(0.002, 0.001, 0.2 - SCENE.cup.depth / 2 + 0.005),
        Mode.IN_CUP,
    )
    rate = 3.0
    for k in range(1, 400):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), rate * k * STEP)
        world.move_cup(((0.0, 0.0, 0.2), tuple(turn.tolist())))
        world.step()
    assert world.speeds(number)[1] == pytest.approx(rate, rel=0.02)


def test_energy_never_rises_on_the_passive_floor(engine):
    rng = np.random.default_rng(2)
    body = load_model("piggle")
    inertia_scale = float(np.trace(body.mass.inertia)) / 3
    for _ in range(10):
        world = landed(engine)
        number = world.add_body(body, place(0, 0, 0.08, random_quaternion(rng=rng)), Mode.FREE)
        world.set_velocity(number, rng.normal(0, 0.3, 3), rng.normal(0, 10, 3))
        lowest = np.inf
        for _ in range(round(1.0 / STEP)):
            world.step()
            speed, spin = world.speeds(number)
            energy = (
                body.mass.mass * (GRAVITY * world.positions()[number][2] + speed**2 / 2)
                + inertia_scale * spin**2 / 2
            )
            # The moments differ by a quarter from their mean: the bound is on that scale.
            assert energy < 1.35 * lowest
            lowest = min(lowest, energy)


def test_a_body_meets_the_ground_once():
    # On two grounds at once, it would cost twice, and pass for lying on twice as many corners.
    body = load_model("piggle")
    for spot in ((0.0, 0.0), (SCENE.board.half - 0.02, 0.0)):
        world = landed("bullet")
        world.add_body(body, set_down(body, body.poses[0], contact_at=spot), Mode.FREE)
        for _ in range(20):
            world.step()
        grounds = [point[1] for point in client().getContactPoints()]
        assert 1 <= len(grounds) <= 4
        assert len(set(grounds)) == 1
