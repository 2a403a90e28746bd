"""The peers of `scripts/bench.py` step the same scene as the other engines."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.landing import Seat, SettleStatus
from pigglesim.landing_reading import hull_in_world
from pigglesim.physics.engine import Mode
from pigglesim.physics.pour import simulate
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import GRAVITY
from pigglesim.throws import Pour, sample_drops
from scripts.verification.peers import make_peer
from tests.support.bodies import box_body, octahedron_body
from tests.verification.engines import (
    PEERS,
    SCENE,
    STEP,
    board_of,
    landed,
    place,
    run,
    scene_with,
)

BODY = load_model("piggle")
OVERLAP = {"rapier": 1.5e-4, "box3d": 5e-4, "jolt": 4.5e-4}
"""How deep each lets bodies overlap [m]: the tolerance of its length unit, and rounding. Box3D's
hulls of at most 44 corners are inside those of the body."""
EXACT = {"rapier": 1e-7, "box3d": 1e-7, "jolt": 5e-6}
"""How exactly a pose starts [m]: Jolt finds centroids of hulls in single precision."""
pytestmark = [
    pytest.mark.parametrize("peer", PEERS),
    pytest.mark.skipif(not PEERS, reason="no peer is installed"),
]


def test_a_pour_starts_as_it_was_drawn_and_ends_at_rest_on_the_board(peer):
    bodies, moments = (BODY,) * 6, []
    throw = Pour(scene=SCENE, seat=Seat.A).sample(bodies, rng=generator(7, "peer"))
    end = simulate(SCENE, throw, bodies, engine=make_peer(peer), watch=moments.append)
    assert moments[0].cup == throw.path.pose(0.0)
    drawn = zip(throw.positions, throw.rotations, moments[0].places, strict=True)
    for position, rotation, at in drawn:
        assert at.position == pytest.approx(position, abs=EXACT[peer])
        assert abs(np.dot(at.rotation, rotation)) == pytest.approx(1.0, abs=1e-6)
    assert end.settle.status is SettleStatus.SETTLED
    heights = []
    for at in end.rolled:
        on_board = max(map(abs, at.position[:2])) < SCENE.board.half
        ground = 0.0 if on_board else -SCENE.board.thickness
        heights.append(hull_in_world(BODY, at)[:, 2].min() - ground)
    assert min(heights) > -OVERLAP[peer]
    # Others may lean on these.
    assert sum(height < OVERLAP[peer] for height in heights) >= 4


def test_two_that_collide_in_the_air_conserve_their_momentum(peer):
    # By their parts, as their hulls are for the ground alone.
    world = landed(peer)
    apart, up, speed = 0.05, 0.5, 0.5
    numbers = [world.add_body(BODY, place(x, 0, up), Mode.FREE) for x in (0.0, apart)]
    world.set_velocity(numbers[0], np.array([speed, 0.02, 0.0]), np.array([5.0, 0.0, 3.0]))
    steps, met = 75, False
    for _ in range(steps):
        world.step()
        met = met or bool(world.contacts(*numbers))
    before = world.positions()
    world.step()
    velocities = (world.positions() - before) / STEP
    assert met
    # They part, and one took over most of the speed of the other, by restitution and friction.
    assert 0.0 < velocities[0][0] < velocities[1][0] < speed
    fallen = -GRAVITY * (steps + 0.5) * STEP
    assert velocities.sum(axis=0) == pytest.approx([speed, 0.02, 2 * fallen], abs=0.01)


@pytest.mark.parametrize("restitution", [0.3, 0.6])
def test_the_pair_of_board_and_body_has_the_scene_s_restitution(peer, restitution):
    reach, height = 0.012, 0.08
    world = landed(peer, scene_with(**board_of(restitution)))
    number = world.add_body(octahedron_body(reach), place(0, 0, reach + height), Mode.FREE)
    run(world, 0.9 * (2 * height / GRAVITY) ** 0.5)
    rising = []
    for _ in range(20):
        before = world.positions()[number][2]
        world.step()
        if world.positions()[number][2] > before:
            rising.append(world.speeds(number)[0])
    speed = (2 * GRAVITY * height) ** 0.5
    assert max(rising) == pytest.approx(restitution * speed, abs=2 * GRAVITY * STEP)


def test_a_frozen_body_stays_where_it_was_put_and_is_struck(peer):
    world = landed(peer)
    slab = place(0, 0, 0.01)
    frozen = world.add_body(box_body(0.1, 0.1, 0.02), slab, Mode.FREE)
    assert world.freeze(frozen, slab)
    falling = world.add_body(box_body(0.02, 0.02, 0.02), place(0, 0, 0.06), Mode.FREE)
    run(world, 0.6)
    assert world.place(frozen) == slab
    assert world.supported(falling)
    assert world.positions()[falling][2] == pytest.approx(0.03, abs=OVERLAP[peer])


def test_each_drop_starts_as_it_was_drawn_and_ends_in_a_stable_pose(peer):
    floor = load_floor("tabletop")
    stepping = replace(floor.stepping, time_step=1 / 240)
    world = make_peer(peer).floor(BODY, floor.surface("plastic"), stepping)
    heights = {pose.height for pose in BODY.poses}
    for drop in sample_drops(floor.fall, BODY, trials=range(4), seed=3, purpose=("peer",)):
        world.release(drop)
        start = world.motion()
        assert start.height == pytest.approx(drop.height, abs=EXACT[peer])
        assert start.energy_height > np.dot(drop.velocity, drop.velocity) / (2 * GRAVITY) - 1e-6
        world.step(3 * 240)
        end = world.motion()
        assert end.energy_height < 1e-6
        assert min(abs(end.height - height) for height in heights) < OVERLAP[peer]
