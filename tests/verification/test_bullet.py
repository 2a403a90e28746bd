"""Every trap of a 2 cm die in Bullet, against a closed form."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.physics.bullet import BulletEngine
from pigglesim.physics.bullet_settings import ERP_FLIGHT
from pigglesim.physics.engine import Form
from pigglesim.rolls import RestPlace
from pigglesim.scene.load import load_scene
from pigglesim.shapes.load import load_model
from pigglesim.spatial import axis_angle, from_matrix, random_quaternion
from tests.bodies import ball_body, box_body, octahedron_body

SCENE = load_scene("piggles_classic")
STEP = SCENE.stepping.time_step
GRAVITY = 9.80665
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def scene_with(*, step=STEP, **contacts):
    return replace(
        SCENE,
        stepping=replace(SCENE.stepping, time_step=step),
        contacts=replace(SCENE.contacts, **contacts),
    )


def fixed_restitution(restitution, friction=0.35):
    board = replace(SCENE.contacts.board, restitution=restitution, friction=friction)
    return {"board": board}


def place(x, y, z, orientation=UPRIGHT):
    return RestPlace(position=(x, y, z), orientation=tuple(float(q) for q in orientation))


def landed(scene=SCENE):
    """A world without a cup, as bodies meet it after the pour."""
    world = BulletEngine().world(scene)
    world.land()
    return world


def run(world, seconds, step=STEP):
    for _ in range(round(seconds / step)):
        world.step()


def test_free_fall_at_four_metres_a_second():
    # In centimetres Bullet clamps every speed at 1 m/s unless told otherwise.
    world = landed()
    number = world.add_body(octahedron_body(), place(0, 0, 1.0), Form.LOOSE)
    steps = round(0.4 / STEP)
    run(world, 0.4)
    # Semi-implicit Euler falls g dt^2 n (n + 1) / 2, exactly.
    fallen = GRAVITY * STEP**2 * steps * (steps + 1) / 2
    assert 1.0 - world.positions()[number][2] == pytest.approx(fallen, abs=1e-6)
    assert world.speeds(number)[0] == pytest.approx(GRAVITY * 0.4, rel=1e-6)


@pytest.mark.parametrize("step", [STEP, STEP / 4])
@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("restitution", [0.3, 0.5])
def test_bounce_height_is_e_squared_h(step, parts, restitution):
    reach = 0.012
    body = octahedron_body(reach, parts=parts)
    # Heights that meet the floor at every phase of the step.
    for height in np.linspace(0.06, 0.1, 12):
        world = landed(scene_with(step=step, **fixed_restitution(restitution)))
        number = world.add_body(body, place(0, 0, reach + height), Form.LOOSE)
        fall = np.sqrt(2 * height / GRAVITY)
        run(world, fall - 2 * step, step)
        last = world.positions()[number][2]
        rebound = 0.0
        for _ in range(6):
            world.step()
            now = world.positions()[number][2]
            rebound, last = max(rebound, (now - last) / step), now
        # The height that this speed reaches. An impact is found up to one step late (g dt of
        # speed, once down and once up), and error reduction returns at most its share of the
        # depth reached within that step.
        speed = np.sqrt(2 * GRAVITY * height)
        slack = GRAVITY * step * (1 + restitution) + ERP_FLIGHT * speed
        assert rebound == pytest.approx(restitution * speed, abs=slack)


def test_sliding_stops_after_v_squared_over_two_mu_g():
    speed, friction = 0.8, 0.35
    scene = scene_with(**fixed_restitution(0.4, friction), rolling_lever=0.0, spinning_lever=0.0)
    world = landed(scene)
    number = world.add_body(box_body(0.03, 0.03, 0.006), place(-0.1, 0, 0.003), Form.LOOSE)
    run(world, 0.05)
    start = world.positions()[number][0]
    world.kick(number, np.array([speed, 0, 0]), np.zeros(3))
    run(world, 0.6)
    way = world.positions()[number][0] - start
    # Stopping is quantised to a step: half a step's way either side.
    assert way == pytest.approx(speed**2 / (2 * friction * GRAVITY), abs=speed * STEP)


def rolling_decelerations(lever, body, radius=0.01, speed=0.3, time=0.1):
    """How fast a rolling ball slows [m/s2], for eight ways of setting it down."""
    rng = np.random.default_rng(8)
    rates = []
    for _ in range(8):
        world = landed(scene_with(rolling_lever=lever, spinning_lever=0.0))
        start = place(-0.1, 0, radius, random_quaternion(rng=rng))
        number = world.add_body(body, start, Form.LOOSE)
        run(world, 0.05)
        world.kick(number, np.array([speed, 0, 0]), np.array([0, speed / radius, 0]))
        run(world, 0.02)
        before = world.speeds(number)[0]
        run(world, time)
        rates.append((before - world.speeds(number)[0]) / time)
    return np.array(rates)


@pytest.mark.parametrize("lever", [0.3e-3, 1e-3, 2.5e-3])
def test_rolling_decelerates_by_five_sevenths_g_lever_over_r(lever):
    ball = ball_body(count=8000)
    exact = 5 / 7 * GRAVITY * lever / 0.01
    # The ball's own 8,000 corners cost something too, no more beside a lever than alone; and it
    # hops on them, so each run scatters: three standard errors of the mean.
    corners, rates = (rolling_decelerations(each, ball) for each in (0.0, lever))
    error = 3 * np.hypot(rates.std(ddof=1), corners.std(ddof=1)) / 8**0.5
    assert error < 0.1 * exact + 0.02
    assert exact - error < rates.mean() < exact + corners.mean() + error


@pytest.mark.parametrize("tilt", [0.0, 0.001, 0.05, 0.3])
@pytest.mark.parametrize("parts", [True, False])
def test_a_cube_does_not_sink_into_the_board(tilt, parts):
    # A face needs several contacts, of which each step finds one: if they are forgotten, the
    # cube rocks from corner to corner and ratchets down by millimetres.
    world = landed()
    body = box_body(0.016, 0.016, 0.016, parts=parts)
    orientation = axis_angle(np.array([1.0, 0.3, 0.0]), tilt)
    number = world.add_body(body, place(0, 0, 0.0115, orientation), Form.LOOSE)
    heights = []
    for _ in range(round(0.5 / STEP)):
        world.step()
        heights.append(world.positions()[number][2])
    # At impact it may go in by the way of one step; at rest it stands on the board.
    fall = np.sqrt(2 * GRAVITY * 0.0035)
    assert min(heights) > 0.008 - 2 * fall * STEP
    assert heights[-1] == pytest.approx(0.008, abs=3e-4)
    world.ease(1.0)
    run(world, 0.2)
    assert world.positions()[number][2] == pytest.approx(0.008, abs=5e-5)


def test_spinning_stops():
    world = landed()
    number = world.add_body(ball_body(), place(0, 0, 0.01), Form.LOOSE)
    run(world, 0.05)
    world.kick(number, np.zeros(3), np.array([0, 0, 30.0]))
    run(world, 1.5)
    assert world.speeds(number)[1] < 0.05


@pytest.mark.parametrize("model", ["piggle", "premium"])
@pytest.mark.parametrize("compound", [True, False])
def test_every_stable_pose_rests_at_the_height_of_the_mesh(model, compound):
    body = load_model(model)
    body = body if compound else replace(body, parts=())
    for pose in body.poses:
        world = landed()
        # Turn the pose's down direction onto -z.
        down = pose.down
        side = np.cross(down, [0.3, 0.5, 0.8])
        side /= np.linalg.norm(side)
        rows = np.array([side, np.cross(-down, side), -down])
        orientation = from_matrix(rows)
        number = world.add_body(body, place(0, 0, pose.height + 2e-4, orientation), Form.LOOSE)
        run(world, 0.3)
        world.ease(1.0)
        run(world, 0.3)
        assert world.positions()[number][2] == pytest.approx(pose.height, abs=5e-5), pose.name


def test_inertia_is_the_body_s_own():
    # A free body turns about its middle axis and tumbles (Dzhanibekov); the rate of growth tells
    # the three moments. Compared with Euler's equations, integrated finely.
    body = load_model("piggle")
    moments, axes = np.linalg.eigh(body.mass.inertia)
    spin = axes @ np.array([0.5, 20.0, 0.5])
    world = landed()
    number = world.add_body(body, place(0, 0, 5.0), Form.LOOSE)
    world.kick(number, np.zeros(3), spin)
    run(world, 0.4)
    w = np.array([0.5, 20.0, 0.5])
    turn = axes.copy()
    fine = 1e-5
    for _ in range(round(0.4 / fine)):
        torque_free = -np.cross(w, moments * w) / moments
        middle = w + torque_free * fine / 2
        angle = np.linalg.norm(middle) * fine
        x, y, z = middle / np.linalg.norm(middle)
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = turn @ (np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew)
        w = w + -np.cross(middle, moments * middle) / moments * fine
    world_spin = turn @ w
    assert world.speeds(number)[1] == pytest.approx(np.linalg.norm(world_spin), rel=0.02)


def test_the_cup_gives_its_velocity_to_what_it_holds():
    # A box lies on the cup's floor; the cup rises with constant acceleration, then at constant
    # speed; the box must have that speed.
    world = BulletEngine().world(SCENE)
    cup = SCENE.cup
    floor = -cup.depth / 2
    world.add_cup(((0.0, 0.0, 0.2), UPRIGHT))
    number = world.add_body(box_body(), place(0.01, 0, 0.2 + floor + 0.01), Form.IN_CUP)
    height, speed = 0.2, 0.0
    for k in range(300):
        speed = min(0.004 * k, 0.5)
        height += speed * STEP
        world.move_cup(((0.0, 0.0, height), UPRIGHT))
        world.step()
    assert world.speeds(number)[0] == pytest.approx(0.5, rel=1e-3)
    assert world.positions()[number][2] - height == pytest.approx(floor + 0.01, abs=5e-5)


def test_the_cup_turns_what_it_holds():
    # Turned about its axis, the cup's floor drags the box round by friction up to its own rate.
    world = BulletEngine().world(SCENE)
    world.add_cup(((0.0, 0.0, 0.2), UPRIGHT))
    number = world.add_body(
        box_body(0.04, 0.03, 0.01),
        place(0.002, 0.001, 0.2 - SCENE.cup.depth / 2 + 0.005),
        Form.IN_CUP,
    )
    rate = 3.0
    for k in range(1, 400):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), rate * k * STEP)
        world.move_cup(((0.0, 0.0, 0.2), tuple(turn.tolist())))
        world.step()
    assert world.speeds(number)[1] == pytest.approx(rate, rel=0.02)


def test_a_standing_body_is_exactly_where_it_was_put():
    rng = np.random.default_rng(5)
    where = place(0.0123, -0.0456, 0.00789, random_quaternion(rng=rng))
    world = landed()
    number = world.add_body(load_model("piggle"), where, Form.STANDING)
    run(world, 0.2)
    assert world.place(number) == where


def test_energy_never_rises_on_the_passive_floor():
    rng = np.random.default_rng(2)
    body = load_model("piggle")
    inertia_scale = float(np.trace(body.mass.inertia)) / 3
    for _ in range(10):
        world = landed()
        number = world.add_body(body, place(0, 0, 0.08, random_quaternion(rng=rng)), Form.LOOSE)
        world.kick(number, rng.normal(0, 0.3, 3), rng.normal(0, 10, 3))
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
