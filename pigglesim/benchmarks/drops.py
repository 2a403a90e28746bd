"""Drops of single dice: decided early, against stepping each for three seconds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from pigglesim.benchmarks.timing import Spread, in_turns, ratio, spread
from pigglesim.bodies.body import Body, Skin
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of
from pigglesim.bodies.poses import support_for
from pigglesim.bodies.support import SupportFunction
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engine import Motion
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import Array
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor
from pigglesim.studies.estimate import Distance, distance
from pigglesim.throws.drop import Drop, sample_drop, sample_drops
from pigglesim.validation.validate import DropTask, drop_dice

_OURS, _PLAIN = 1000, 8
"""Drops a measurement: some tenths of a second each, and a twentieth for the plain ways."""
_QUARTER = 4
_DENSITY = 1060.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFigures:
    """How fast drops of one body are decided."""

    body: str
    corners: int
    """Of its hull."""
    per_second: Spread
    vs_plain: Spread | None
    """Against PyBullet; None where it is not installed."""
    vs_mujoco: Spread | None
    """Against MuJoCo; None where it is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures:
    """How far shares at the floor's step are from those at its quarter."""

    drops: int
    """At each."""
    tv: Distance


def bench_bodies() -> dict[str, Body]:
    """Return the bodies that are dropped: the Piggle, one of ten corners and one of a thousand."""
    angles = 2.0 * np.pi * np.arange(5) / 5
    ring = 0.01 * np.column_stack([np.cos(angles), np.sin(angles)])
    prism = [[x, y, z] for x, y in ring for z in (-0.009, 0.009)]
    # An egg, so that it has more than one height to stand at: points of a Fibonacci lattice.
    i = np.arange(1000) + 0.5
    polar, azimuth = np.arccos(1.0 - 2.0 * i / 1000), np.pi * (1.0 + 5.0**0.5) * i
    ball = np.column_stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)]
    )
    egg = ball * np.array([0.009, 0.010, 0.012])
    return {
        "piggle": load_model("piggle"),
        "prism": _convex("prism", np.array(prism)),
        "egg": _convex("egg", egg),
    }


def _convex(name: str, points: Array) -> Body:
    mesh = convex_hull(points)
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=(name,) * len(mesh.faces))
    return Body(
        model=name,
        skin=skin,
        hull=hull_of(skin)[0],
        parts=(),
        mass=mass_of(skin.vertices, skin.faces, density=_DENSITY, ballast=None),
        poses=(),
        sha256=name,
    )


def time_drops(
    body: Body, engine: str, *, repeats: int, tell: Callable[[], None] | None = None
) -> DropFigures:
    """Return how fast a body is dropped, in turns with the plain ways.

    Args:
        body: What is dropped.
        engine: What decides our drops.
        repeats: How often each way is timed.
        tell: Called after each measurement.
    """
    floor, support = load_floor("tabletop"), support_for(body)
    surface = floor.surface("plastic")
    dropper = Dropper(
        body,
        support,
        _classes(body, support),
        surface=surface,
        stepping=floor.stepping,
        engine=make_engine(engine),
    )

    def ours(repeat: int) -> int:
        trials = range(repeat * _OURS, (repeat + 1) * _OURS)
        drops = sample_drops(floor.fall, body, trials=trials, seed=1, purpose=("bench",))
        return len(dropper.drop_all(drops).poses)

    ways: dict[str, Callable[[int], int]] = {"ours": ours}
    if find_spec("pybullet") is not None and engine != "bullet":
        from pigglesim.physics.plain import PlainFloor  # noqa: PLC0415 (needs pybullet)

        ways["plain"] = _plainly(PlainFloor(body, surface, floor.stepping).fall, floor, body)
    if find_spec("mujoco") is not None:
        from pigglesim.physics.plain_mujoco import PlainMujocoFloor  # noqa: PLC0415 (needs mujoco)

        ways["mujoco"] = _plainly(PlainMujocoFloor(body, surface, floor.stepping).fall, floor, body)
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return DropFigures(
        body=body.model,
        corners=len(body.hull.vertices),
        per_second=spread(rates["ours"]),
        vs_plain=ratio(rates, "ours", "plain") if "plain" in rates else None,
        vs_mujoco=ratio(rates, "ours", "mujoco") if "mujoco" in rates else None,
    )


def steps_apart(body: Body, engine: str, *, drops: int, workers: int) -> StepFigures:
    """Return how far the shares of a body at the floor's step are from those at its quarter.

    Args:
        body: What is dropped.
        engine: What decides the drops.
        drops: At each step, the same ones.
        workers: Processes.
    """
    floor, support = load_floor("tabletop"), support_for(body)
    classes = _classes(body, support)
    numbers = {name: k for k, name in enumerate(dict.fromkeys(classes))}
    tasks = tuple(
        DropTask(
            name=body.model,
            body=body,
            support=support,
            classes=tuple(numbers[name] for name in classes),
            class_count=len(numbers),
            fall=floor.fall,
            surface=floor.surface("plastic"),
            stepping=replace(floor.stepping, time_step=floor.stepping.time_step / parts),
            engine=engine,
            seed=1,
        )
        for parts in (1, _QUARTER)
    )
    counts = np.zeros((len(tasks), drops, len(numbers)), dtype=np.int64)
    done = [0, 0]
    for task, tally in drop_dice(tasks, drops=drops, workers=workers):
        for index, count in enumerate(tally.counts[: len(numbers)]):
            counts[task, done[task] : done[task] + count, index] = 1
            done[task] += count
    tv = distance(counts[0], counts[1], rng=generator(1, "steps apart"))
    return StepFigures(drops=drops, tv=tv)


def _plainly(fall: Callable[[Drop], Motion], floor: Floor, body: Body) -> Callable[[int], int]:
    support = support_for(body)

    def plain(repeat: int) -> int:
        for k in range(_PLAIN):
            support.descend(fall(_drop(floor, body, repeat * _PLAIN + k)).down)
        return _PLAIN

    return plain


def _drop(floor: Floor, body: Body, number: int) -> Drop:
    return sample_drop(floor.fall, body, rng=generator(1, "bench", number))


def _classes(body: Body, support: SupportFunction) -> list[object]:
    if body.poses:
        return [pose.label for pose in body.poses]
    if body.model == "egg":
        # Smooth but for its facets: what is told apart is the side it lies on.
        return [pose.down[0] > 0.0 for pose in support.poses]
    return list(range(len(support.poses)))
