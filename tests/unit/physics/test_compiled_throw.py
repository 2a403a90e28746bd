"""The compiled throw of engine `impulse` against the driver of any engine, bit by bit."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.landing import Seat, SettleStatus
from pigglesim.physics import pour
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_scene
from pigglesim.throws import Pour
from tests.support.bodies import box_body

SCENE = load_scene("piggles_classic")


class NeverCompiled:
    """No world is an instance of it, so every throw is driven."""


@pytest.fixture
def both(monkeypatch):
    """Call a function with the compiled throw, and then with the driver."""

    def call(throw):
        compiled = throw()
        with monkeypatch.context() as patch:
            patch.setattr(pour, "CompiledWorld", NeverCompiled)
            return compiled, throw()

    return call


def same(one, other):
    """Whether two outcomes agree in every bit; a driver leaves the readings to Python."""
    return repr(replace(one, readings=())) == repr(replace(other, readings=()))


def poured(names, *, seed, seat=Seat.A, standing=(), scene=SCENE):
    bodies = tuple(map(load_model, names))
    throw = Pour(scene=scene, seat=seat).sample(bodies, rng=np.random.default_rng(seed))
    moments = []
    outcome = pour.simulate(
        scene, throw, bodies, standing=standing, engine=make_engine("impulse"), watch=moments.append
    )
    unseen = pour.simulate(scene, throw, bodies, standing=standing, engine=make_engine("impulse"))
    assert same(unseen, outcome)
    return outcome, moments


@pytest.mark.parametrize("seed", range(3))
def test_a_pour_onto_a_board_with_others(both, seed):
    names = ("piggle", "premium", "piggle", "piggle", "d6", "piggle")
    before = poured(names, seed=seed)[0].rolled
    standing = tuple(zip(map(load_model, names), before, strict=True))
    compiled, driven = both(lambda: poured(names, seed=10 + seed, seat=Seat.B, standing=standing))
    assert same(compiled[0], driven[0])
    equal = repr(compiled[1]) == repr(driven[1])
    assert equal
    assert any(by is not None for by in compiled[0].strikers) or seed


def test_a_push_on_the_board(both):
    names = ("piggle",) * 6
    lying = tuple(zip(map(load_model, names), poured(names, seed=4)[0].rolled, strict=True))
    kicks = {2: (np.array([0.3, 0.1, 0.5]), np.array([4.0, -9.0, 2.0])), 5: (np.zeros(3),) * 2}
    engine = make_engine("impulse")
    compiled, driven = both(lambda: pour.nudge(SCENE, lying, kicks, engine=engine))
    assert same(compiled, driven)
    assert compiled.strikers[2] == 2


@pytest.mark.parametrize("name", ["bullet", "mujoco"])
def test_a_body_that_an_engine_loses_is_named(name):
    names = ("d6",) * 2
    lying = tuple(zip(map(load_model, names), poured(names, seed=4)[0].rolled, strict=True))
    kicks = {1: (np.full(3, 1e300), np.zeros(3))}
    with pytest.raises(SpecError, match=f"engine {name} lost body 2 of 2: .*--engine impulse"):
        pour.nudge(SCENE, lying, kicks, engine=make_engine(name))


def test_a_body_without_poses_and_a_throw_that_is_cut_off(both):
    scene = replace(SCENE, stepping=replace(SCENE.stepping, time_limit=0.903))
    block = replace(box_body(0.02, 0.016, 0.012), poses=())

    def cut_off():
        bodies = (block, load_model("piggle"))
        throw = Pour(scene=scene, seat=Seat.A).sample(bodies, rng=np.random.default_rng(1))
        return pour.simulate(scene, throw, bodies, engine=make_engine("impulse"))

    compiled, driven = both(cut_off)
    assert same(compiled, driven)
    assert compiled.settle.status is SettleStatus.TIMED_OUT
