"""What the closed-form tests ask of any engine, and how exactly each can answer."""

from dataclasses import dataclass, replace
from math import ceil

import pytest

from pigglesim.landing import RestPlace
from pigglesim.physics.engines import engine_names, make_engine
from pigglesim.scene.load import load_scene
from scripts.verification import peers

SCENE = load_scene("piggles_classic")
STEP = SCENE.stepping.time_step
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Accuracy:
    """What an engine's own settings allow it to miss."""

    longest_step: float
    """Time it cuts steps into at most [s]."""
    rebound_share: float
    """Error of the speed after an impact, as a share of the speed before it."""
    tread: float
    """Gap at which an impact may be found, before the surfaces meet [m]."""
    exact_flight: bool = False
    """Whether a flying body follows its parabola, and not steps of constant velocity."""


ACCURACY = {
    # Error reduction (ERP_FLIGHT) returns .005 of the depth that one step reaches.
    "bullet": Accuracy(longest_step=1.0, rebound_share=0.005, tread=5e-6),
    # An impedance of .999 meets the change of speed, 1 + e times that before, to a thousandth.
    "mujoco": Accuracy(longest_step=1e-3, rebound_share=0.002, tread=1e-4),
    # Impacts are met at their own time, from half a tenth of a millimetre above the floor.
    "impulse": Accuracy(longest_step=2e-5, rebound_share=1e-4, tread=5e-5, exact_flight=True),
    # Peers resist no rolling, so only some tests ask them.
    **dict.fromkeys(peers.MODULES, Accuracy(longest_step=1.0, rebound_share=0.005, tread=1e-4)),
}


ENGINES = [
    pytest.param(name, marks=pytest.mark.slow) if name == "mujoco" else name
    for name in engine_names()
]
"""Every engine; the slowest of them only in the whole run."""
PEERS = peers.installed()
"""Those of `scripts/bench.py` that are installed."""
with_peers = pytest.mark.parametrize("engine", [*ENGINES, *PEERS])


def inner_step(name, step=STEP):
    """The step that the engine really takes [s]."""
    return step / ceil(step / ACCURACY[name].longest_step - 1e-9)


def lever_share(name, friction, rolling):
    """How much of a rolling lever is left to slow a ball that the ground also makes roll on.

    Args:
        name: The engine.
        friction: Bound of what the ground can push along itself, as a share of the weight.
        rolling: What it must push so that the ball rolls on, likewise: 5/7 lever / r.
    """
    # MuJoCo bounds sliding and rolling by one ellipsoid: what the one takes, the other lacks.
    return (1 + (rolling / friction) ** 2) ** -0.5 if name == "mujoco" else 1.0


def scene_with(*, step=STEP, **contacts):
    return replace(
        SCENE,
        stepping=replace(SCENE.stepping, time_step=step),
        contacts=replace(SCENE.contacts, **contacts),
    )


def board_of(restitution, friction=0.35):
    board = replace(SCENE.contacts.board, restitution=restitution, friction=friction)
    return {"board": board}


def place(x, y, z, rotation=UPRIGHT):
    return RestPlace(position=(x, y, z), rotation=tuple(float(q) for q in rotation))


def engine_of(name):
    """The engine, or the peer."""
    return peers.make_peer(name) if name in peers.MODULES else make_engine(name)


def landed(name, scene=SCENE):
    """A world without a cup, as bodies meet it after the pour."""
    world = engine_of(name).world(scene)
    world.cup_released()
    return world


def run(world, seconds, step=STEP):
    for _ in range(round(seconds / step)):
        world.step()
