"""Throws so small that even plain Python steps them in a second: few bodies, and few steps.

`python -m tests.support.small_throws` prints a digest of each, as JSON. Compiled code and plain
Python (NUMBA_DISABLE_JIT=1) must print the same.
"""

import json
import sys
from dataclasses import replace

import numpy as np
from numba import config

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.landing import Seat
from pigglesim.physics import pour
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.physics.impulse import engine
from pigglesim.physics.impulse.state import WorldBuffers
from pigglesim.rotations import axis_angle
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import Contact
from pigglesim.throws import Pour, sample_drops
from scripts.determinism.fingerprints import digest
from tests.support.bodies import box_body
from tests.support.tracking import place_at

CUBE, SMALL, SLAB = box_body(), box_body(0.012, 0.012, 0.012), box_body(0.03, 0.02, 0.012)
FLOOR = load_floor("tabletop")
PLASTIC = FLOOR.surface("plastic")
_CLASSIC = load_scene("piggles_classic")
_HAND = replace(
    _CLASSIC.hand, shake_time=0.04, shake_frequency=25.0, shake_across=0.004, shake_along=0.004,
    tip_time=0.06, start_back=0.06, end_back=0.05, lip_height=0.051, tempo_spread=0.0,
)  # fmt: skip
_STEPPING = replace(
    _CLASSIC.stepping, time_step=0.004, iterations=4, rest_time=0.02, ease_time=0.02
)
_CUP = replace(_CLASSIC.cup, inner_radius=0.022, depth=0.03)
SCENE = replace(_CLASSIC, cup=_CUP, hand=_HAND, stepping=_STEPPING)

if config.DISABLE_JIT:
    # Compiled code takes the fields of any record by name, and plain Python those of these.
    _make = engine.make_world_buffers
    engine.make_world_buffers = lambda: WorldBuffers(*(each.view(np.recarray) for each in _make()))


class _Engine:
    """The engine, and the last world that it made."""

    name = "impulse"

    def world(self, scene):
        self.last = make_engine("impulse").world(scene)
        return self.last

    def landed(self):
        """Orientation, zone and support of each body, as compiled code read them."""
        return self.last.buffers.throw["landed"][0].tolist()


def _until(limit):
    return replace(SCENE, stepping=replace(SCENE.stepping, time_limit=limit))


def poured(*, seed=3, limit=1.0):
    """Two cubes from a short cup onto a board where a slab is in the way."""
    scene, made, moments = _until(limit), _Engine(), []
    throw = Pour(scene=scene, seat=Seat.A).sample((SMALL, SMALL), rng=np.random.default_rng(seed))
    standing = ((SLAB, place_at((0.0, -0.012, 0.006))), (CUBE, place_at((0.05, 0.08, 0.01))))
    outcome = pour.simulate(
        scene, throw, (SMALL, SMALL), standing=standing, engine=made, watch=moments.append
    )
    return outcome, moments, made.landed()


def nudged(lying, kick, spin=(0.0, 0.0, 0.0), *, limit=1.0):
    """Bodies on the board, of which the first is pushed."""
    made = _Engine()
    kicks = {0: (np.array(kick, dtype=float), np.array(spin, dtype=float))}
    return pour.nudge(_until(limit), tuple(lying), kicks, engine=made), made.landed()


def off_the_board():
    """One cube pushes another one over the edge."""
    lying = [(CUBE, place_at((SCENE.board.half - x, 0.003, 0.01))) for x in (0.035, 0.007)]
    return nudged(lying, (0.6, 0.0, 0.0), limit=0.5)


def tilted():
    """A cube that falls onto a face, and descends into its pose."""
    turn = axis_angle(np.array([1.0, 0.2, 0.0]), 0.7)
    return nudged([(CUBE, place_at((0.0, 0.0, 0.0145), turn))], (0.0, 0.0, 0.0))


def stuck():
    """A cube balanced on an edge beside another one: without room it stops there, and is pushed."""
    turn = axis_angle(np.array([1.0, 0.0, 0.0]), np.pi / 4.0)
    on_edge = CUBE, place_at((0.0, 0.0, 0.01 * np.sqrt(2.0)), turn)
    return nudged([on_edge, (CUBE, place_at((0.021, 0.0, 0.01)))], (0.0, 0.0, 0.0))


def stacked():
    """A cube that falls onto a slab and stays there."""
    lying = [(SMALL, place_at((0.002, 0.001, 0.019))), (SLAB, place_at((0.0, 0.0, 0.006)))]
    return nudged(lying, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0), limit=0.06)


def leaning():
    """A slab that falls against a cube and leans on it."""
    turn = axis_angle(np.array([0.0, 1.0, 0.0]), -1.05)
    lying = [(SLAB, place_at((-0.019, 0.0, 0.0162), turn)), (CUBE, place_at((0.0, 0.0, 0.01)))]
    return nudged(lying, (0.05, 0.0, 0.0), (0.0, 0.1, 0.0), limit=0.06)


def piggle():
    """A Piggle that lands on its feet or does not."""
    turn = axis_angle(np.array([1.0, 0.3, 0.1]), 0.4)
    return nudged([(load_model("piggle"), place_at((0.02, 0.07, 0.012), turn))], (0.1, 0.0, -0.2))


def dropper(*, surface=PLASTIC, **stepping):
    """What drops a cube onto a table."""
    return Dropper(
        CUBE,
        support_of(CUBE.hull, CUBE.mass.centre),
        range(6),
        surface=surface,
        stepping=replace(FLOOR.stepping, **stepping),
        engine=make_engine("impulse"),
    )


def drops(count=3):
    """Starts of drops from low above the table."""
    fall = replace(FLOOR.fall, height=0.03)
    return sample_drops(fall, CUBE, trials=range(count), seed=2, purpose=("small",))


DROPPERS = {
    "dropped": dropper(),
    "held on an edge": dropper(surface=replace(PLASTIC, rolling_lever=0.02)),
    "timed out": dropper(time_limit=0.06),
    "in stages": dropper(
        surface=replace(
            PLASTIC,
            contact=Contact(friction=0.4, restitution=0.5),
            sliding_friction=0.2,
            impact_stages=4,
        )
    ),
}
"""Droppers of the same cube, onto various tables."""


def _dropped(name):
    found = DROPPERS[name].drop_all(drops())
    return found.poses, found.endings, found.times, found.downs


THROWS = {
    "poured": poured,
    "in the cup": lambda: poured(limit=0.09),
    "off the board": off_the_board,
    "tilted": tilted,
    "stuck": stuck,
    "stacked": stacked,
    "leaning": leaning,
    "piggle": piggle,
}
"""Throws of a world."""


def bits(name):
    """Return a digest of all that comes of a throw or of some drops."""
    return digest(THROWS[name]() if name in THROWS else _dropped(name))


if __name__ == "__main__":
    json.dump({name: bits(name) for name in (*THROWS, *DROPPERS)}, sys.stdout)
