"""What every engine of the registry keeps to, whatever its solver."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import PhysicalChance
from pigglesim.errors import SpecError
from pigglesim.landing import Landing, RollRequest, Seat, SettleStatus, Zone
from pigglesim.landing_reading import hull_in_world
from pigglesim.physics import engines
from pigglesim.physics.engine import Mode
from pigglesim.physics.engines import default_engine_name, engine_names, make_engine
from pigglesim.physics.pour import nudge
from pigglesim.scene.load import load_scene
from tests.support.placing import set_down

SCENE = load_scene("piggles_classic")
BODY = load_model("piggle")
A = tuple(f"A{n}" for n in range(1, 7))
B = tuple(f"B{n}" for n in range(1, 7))


@pytest.fixture(params=engine_names())
def engine(request):
    return request.param


def chance(engine, seed=7, scene=SCENE):
    models = dict.fromkeys((*A, *B), BODY)
    return PhysicalChance(scene=scene, models=models, engine=make_engine(engine), seed=seed)


def request(names=A, standing=()):
    return RollRequest(thrower=Seat(names[0][0]), piggles=names, standing=standing)


def lying(names, spots, pose=0):
    """Piggles that lie on the board in a stable pose, as a roll would have read them."""
    pose = BODY.poses[pose]
    return tuple(
        (
            name,
            Landing(
                orientation=pose.orientation,
                zone=Zone.FIELD_SOUTH,
                place=set_down(BODY, pose, contact_at=spot),
            ),
        )
        for name, spot in zip(names, spots, strict=True)
    )


def pigglesim(*words, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "pigglesim", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"PIGGLESIM_TRACEBACK": "1"},
        timeout=300,
    )


@pytest.mark.slow
def test_the_same_request_gives_the_same_bits_alone_and_after_other_throws(engine):
    alone = chance(engine).roll(request(), index=3)
    assert chance(engine).roll(request(), index=3) == alone
    source = chance(engine)
    source.roll(request(B[:2]), index=0)
    for other in engine_names():
        chance(other).roll(request(A[:1]), index=9)
    assert source.roll(request(), index=3) == alone


def test_a_roll_on_the_command_line_gives_the_same_bits_in_another_process(engine):
    done = pigglesim("roll", 2, "--engine", engine, "--seed", 3, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    there = json.loads(done.stdout)
    assert there["provenance"]["engine"] == engine
    here = chance(engine, 3).roll(request(A[:2]), index=0)
    for (_, landing), die in zip(here.landings, there["dice"], strict=True):
        assert tuple(die["position_m"]) == landing.place.position
        assert tuple(die["rotation_xyzw"]) == landing.place.rotation


@pytest.mark.slow
def test_six_poured_come_to_rest_on_the_board_without_overlap(engine):
    source = chance(engine, 21)
    for index in range(3):
        result = source.roll(request(), index=index)
        assert result.settle.status is SettleStatus.SETTLED
        for _, landing in result.landings:
            floor = 0.0 if landing.zone is not Zone.OFF else -SCENE.board.thickness
            lowest = hull_in_world(BODY, landing.place)[:, 2].min()
            assert lowest > floor - 1e-4
            if not landing.stacked and landing.zone is not Zone.OFF:
                assert lowest < 1e-4


def test_what_nothing_struck_rests_as_before_to_the_bit(engine):
    corners = ((0.15, 0.15), (-0.15, 0.15), (0.15, -0.15), (0.15, 0.0))
    standing = lying(B[:4], corners)
    still = 0
    for index in range(2):
        result = chance(engine, 11).roll(request(A[:2], standing), index=index)
        after, knocked = dict(result.landings), {knock.struck for knock in result.knocks}
        for name, before in standing:
            if name not in knocked and after[name].place == before.place:
                assert after[name] == before
                still += 1
    assert still >= 4


@pytest.mark.slow
def test_who_is_struck_names_the_striker(engine):
    # Under the mouth of the cup lie three: some of six falling Piggles must meet one of them.
    standing = lying(B[:3], ((0, -0.03), (0.03, 0), (-0.03, 0)))
    knocks = [
        knock
        for index in range(2)
        for knock in chance(engine, 2).roll(request(A, standing), index=index).knocks
    ]
    assert len(knocks) >= 2
    assert {knock.by for knock in knocks} <= set(A)
    assert {knock.struck for knock in knocks} <= set(B)


def test_a_nudge_moves_what_it_pushes_and_leaves_the_rest(engine):
    near, far = (at.place for _, at in lying(B[:2], ((0, 0), (0.1, 0.1))))
    outcome = nudge(
        SCENE,
        ((BODY, near), (BODY, far)),
        {0: (np.array([0.1, 0.0, 0.25]), np.array([1.0, 0.0, 0.0]))},
        engine=make_engine(engine),
    )
    assert outcome.strikers == (0, None)
    assert outcome.standing[0] != near
    assert outcome.standing[1] == far


def test_a_body_that_is_held_and_let_go_starts_from_where_it_was_put(engine):
    world = make_engine(engine).world(SCENE)
    world.cup_released()
    first, second = (at.place for _, at in lying(B[:2], ((0, 0), (0.08, 0.0))))
    raised = replace(second, position=(*second.position[:2], second.position[2] + 0.02))
    number = world.add_body(BODY, first, Mode.FREE)
    world.set_velocity(number, np.array([0.0, 0.0, 0.5]), np.zeros(3))
    for _ in range(20):
        world.step()
    world.freeze(number, raised)
    for _ in range(20):
        world.step()
    assert world.place(number) == raised
    assert tuple(world.positions()[number]) == pytest.approx(raised.position, abs=1e-12)
    world.set_mode(number, Mode.FREE)
    world.step()
    # From rest: one step's fall, whatever it did before.
    assert world.speeds(number)[0] == pytest.approx(9.8 * SCENE.stepping.time_step, rel=0.01)


def test_a_kick_is_in_the_axes_of_the_world(engine):
    world = make_engine(engine).world(SCENE)
    world.cup_released()
    # Turned half over, a spin about the world's x lifts what lies towards +y.
    place = set_down(BODY, BODY.poses[-1], contact_at=(0, 0), heading=2.0, floor=0.5)
    number = world.add_body(BODY, place, Mode.FREE)
    before = hull_in_world(BODY, world.place(number)) - place.position
    spin = np.array([5.0, 0.0, 0.0])
    world.set_velocity(number, np.zeros(3), spin)
    world.step()
    after = hull_in_world(BODY, world.place(number)) - world.positions()[number]
    turned = np.cross(spin, before) * SCENE.stepping.time_step
    assert np.abs(after - before - turned).max() < 0.02 * np.abs(turned).max()


@pytest.mark.parametrize("name", engine_names())
def test_an_engine_that_is_not_installed_says_how_to_have_it(name, monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    with pytest.raises(SpecError) as fault:
        make_engine(name)
    package = {"bullet": "pybullet", "mujoco": "mujoco-core", "impulse": "numba"}[name]
    assert f"-m pip install {package}" in str(fault.value)
    assert ("--engine mujoco" in str(fault.value)) is (name == "bullet")


def test_the_first_engine_that_is_installed_steps_by_default(monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda module: object())
    assert default_engine_name() == "bullet"
    monkeypatch.setattr(
        engines, "find_spec", lambda module: object() if module == "mujoco" else None
    )
    assert default_engine_name() == "mujoco"
    assert make_engine().name == "mujoco"
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    with pytest.raises(SpecError, match="pip install"):
        make_engine()


def test_without_pybullet_the_other_engine_rolls():
    words = ["pigglesim", "roll", "1", "--seed", "3", "--json"]
    code = (
        "import sys, runpy\nsys.modules['pybullet'] = None\n"
        f"sys.argv = {words}\nrunpy.run_module('pigglesim', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["provenance"]["engine"] == "mujoco"
