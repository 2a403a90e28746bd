"""Speed of throws and matches, compared with plain PyBullet, MuJoCo and peers of the field."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from math import exp, log, sqrt
from typing import TypeAlias

import numpy as np

from pigglesim.agents.registry import make_agent
from pigglesim.bodies.body import Body, Skin, support_for
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of
from pigglesim.bodies.support import SupportFunction
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import physical_chance
from pigglesim.chance.tabular import TabularChance
from pigglesim.experiments.counted_dice import DropTask, drop_dice
from pigglesim.experiments.statistics import TotalVariation, total_variation
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, RollRequest, Seat
from pigglesim.match.runner import play
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engine import FloorWorld
from pigglesim.physics.engines import PLAIN, make_engine
from pigglesim.rng import generator
from pigglesim.rotations import Array
from pigglesim.scene.load import load_floor, team_models
from pigglesim.scene.scene import Fall, Scene
from pigglesim.student_t import student_quantile
from pigglesim.throws import sample_drops
from scripts.verification import peers

Estimate: TypeAlias = dict[str, float]
"""Figure measured repeatedly: its mean, the ends of an interval, its level, and their count."""

_LEVEL = 0.95


def in_turns(runs: Mapping[str, Callable[[int], int]], *, repeats: int) -> dict[str, list[float]]:
    """Return the number of items per second of processor time for each method, per repeat.

    Processor time excludes other work of the machine, apart from its effect on the caches.

    Each method takes the number of the repeat, and returns its count of items.
    """
    for run in runs.values():
        # Reading, compiling and caching in the first run are not measured.
        run(0)
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for repeat in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            count = run(repeat)
            rates[name].append(count / (time.process_time() - start))
    return rates


def estimate(values: list[float]) -> Estimate:
    """Return the geometric mean of at least two positive values, with Student's interval."""
    logs, count = [log(value) for value in values], len(values)
    mean = statistics.fmean(logs)
    width = student_quantile(count - 1, _LEVEL) * statistics.stdev(logs) / sqrt(count)
    ends = {"low": exp(mean - width), "high": exp(mean + width)}
    return {"mean": exp(mean), **ends, "level": _LEVEL, "count": count}


def ratio(rates: Mapping[str, list[float]], method: str, baseline: str) -> Estimate | None:
    """Return the speed of one method over another, per repeat; None without another."""
    if baseline not in rates or method == baseline:
        return None
    return estimate([a / b for a, b in zip(rates[method], rates[baseline], strict=True)])


PEERS = {PLAIN: "pybullet", "mujoco": "mujoco", **peers.MODULES}
"""Module that each peer needs, by its name."""


def missing_peers() -> list[str]:
    """Return the modules of peers that are not installed."""
    return [module for module in PEERS.values() if find_spec(module) is None]


_DROPS, _PLAIN_DROPS = 1000, 8
"""Drops per measurement: some tenths of a second each, a twentieth for the plain methods."""
_QUARTER = 4
_PLAIN_RATE = 240
"""Steps of a plain drop per second: the default of PyBullet."""
_PLAIN_TIME = 3.0
"""Duration of a plain drop [s]."""
_DENSITY = 1060.0


def bench_bodies() -> dict[str, Body]:
    """Return the bodies that are dropped: the Piggle, one of ten corners and one of a thousand."""
    angles = 2.0 * np.pi * np.arange(5) / 5
    ring = 0.01 * np.column_stack([np.cos(angles), np.sin(angles)])
    prism = [[x, y, z] for x, y in ring for z in (-0.009, 0.009)]
    # An egg, so that its height at rest varies: points of a Fibonacci lattice.
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


def time_drops(body: Body, engine: str, *, repeats: int) -> dict[str, object]:
    """Return the speed of drops of a body, in alternation with those of the peers."""
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
        trials = range(repeat * _DROPS, (repeat + 1) * _DROPS)
        drops = sample_drops(floor.fall, body, trials=trials, seed=1, purpose=("bench",))
        return len(dropper.drop_all(drops).poses)

    runs: dict[str, Callable[[int], int]] = {"ours": ours}
    stepping = replace(floor.stepping, time_step=1.0 / _PLAIN_RATE)
    if find_spec("pybullet") is not None and engine != "bullet":
        bullet = make_engine("bullet").floor(body, surface, stepping)
        runs[PLAIN] = _plain_method(bullet, bullet.step, floor.drop, body)
    if find_spec("mujoco") is not None:
        from pigglesim.physics.mujoco import MujocoFloor  # noqa: PLC0415 (needs mujoco)

        # Whole steps by MuJoCo's own loop, without restitution: the fastest code possible.
        mujoco = MujocoFloor(body, surface, stepping)
        run = partial(mujoco.run_plain, 1.0 / _PLAIN_RATE)
        runs["mujoco"] = _plain_method(mujoco, run, floor.drop, body)
    for name in peers.installed():
        peer = peers.make_peer(name).floor(body, surface, stepping)
        runs[name] = _plain_method(peer, peer.step, floor.drop, body)
    rates = in_turns(runs, repeats=repeats)
    return {
        "body": body.model,
        "corners": len(body.hull.vertices),
        "per_second": estimate(rates["ours"]),
        **{f"vs_{peer}": ratio(rates, "ours", peer) for peer in PEERS},
    }


def step_distance(body: Body, engine: str, *, drops: int, workers: int) -> TotalVariation:
    """Return the difference of a body's shares at the floor's step and at a quarter of it."""
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
            stepping=replace(floor.stepping, time_step=floor.stepping.time_step / substeps),
            engine=engine,
            seed=1,
        )
        for substeps in (1, _QUARTER)
    )
    counts = np.zeros((len(tasks), drops, len(numbers)), dtype=np.int64)
    done = [0, 0]
    for task, tally in drop_dice(tasks, drops=drops, workers=workers):
        for index, count in enumerate(tally.counts[: len(numbers)]):
            counts[task, done[task] : done[task] + count, index] = 1
            done[task] += count
    return total_variation(counts[0], counts[1], rng=generator(1, "steps apart"))


def _plain_method(
    floor: FloorWorld, run: Callable[[int], None], fall: Fall, body: Body
) -> Callable[[int], int]:
    """Return the plain method to drop a die: all drops are stepped equally long by `run`."""
    support = support_for(body)

    def plain(repeat: int) -> int:
        trials = range(repeat * _PLAIN_DROPS, (repeat + 1) * _PLAIN_DROPS)
        for drop in sample_drops(fall, body, trials=trials, seed=1, purpose=("bench",)):
            floor.release(drop)
            run(round(_PLAIN_TIME * _PLAIN_RATE))
            support.descend(floor.motion().down)
        return _PLAIN_DROPS

    return plain


def _classes(body: Body, support: SupportFunction) -> list[object]:
    if body.poses:
        return [pose.label for pose in body.poses]
    if body.model == "egg":
        # Smooth but for its facets: its class is the side on which it rests.
        return [pose.down[0] > 0.0 for pose in support.poses]
    return list(range(len(support.poses)))


_POURS, _PEER_POURS = 50, 10
"""Pours per measurement. Times of pours differ by a fifth, and those of the same throw hardly go
together, so a tight interval needs some hundreds of pours of each."""


def time_pours(scene: Scene, engine: str, *, repeats: int) -> dict[str, object]:
    """Return the speed of pouring and reading a full cup, in alternation with the peers."""
    found = [peer for peer, module in PEERS.items() if find_spec(module) is not None]
    counts = dict.fromkeys(found, _PEER_POURS) | {engine: _POURS}
    sources = {
        name: physical_chance(scene, team_models(scene), engine=name, seed=1)
        for name in counts
        if name not in peers.MODULES
    }
    for name in peers.installed():
        sources[name] = replace(sources[engine], engine=peers.make_peer(name))
    piggles = tuple(name for name in sources[engine].models if name.startswith(Seat.A))
    request = RollRequest(thrower=Seat.A, piggles=piggles)

    def pouring(name: str) -> Callable[[int], int]:
        def pour(repeat: int) -> int:
            for k in range(counts[name]):
                sources[name].roll(request, index=repeat * counts[name] + k)
            return counts[name]

        return pour

    rates = in_turns({name: pouring(name) for name in counts}, repeats=repeats)
    return {
        "piggles": len(piggles),
        "per_second": estimate(rates[engine]),
        **{f"vs_{peer}": ratio(rates, engine, peer) for peer in PEERS},
    }


_BY_ODDS = 50
"""Matches by odds per measurement: an eighth of a second."""


def time_matches(scene: Scene, engine: str, *, repeats: int) -> dict[str, object]:
    """Return the time of a match of greedy against greedy, and the speed of matches by odds."""
    game, rolls = make_game(scene.game, {}), []

    def match(seed: int) -> int:
        chance = physical_chance(scene, team_models(scene), engine=engine, seed=seed)
        agents = {seat: make_agent("greedy") for seat in BOARD_SEATS}
        rolls.append(len(play(game, agents=agents, chance=chance, seed=seed).record.outcomes))
        return 1

    rates = in_turns({"match": match}, repeats=repeats)
    odds = TabularChance(seed=0, odds=load_odds("piggle"))
    runs = {name: _by_odds(name, odds) for name in ("piggles_classic", "piggles_modern")}
    fast = in_turns(runs, repeats=repeats)
    return {
        "seconds": estimate([1.0 / rate for rate in rates["match"]]),
        "rolls_a_match": sum(rolls) / len(rolls),
        "classic": estimate(fast["piggles_classic"]),
        "modern": estimate(fast["piggles_modern"]),
    }


def _by_odds(name: str, odds: TabularChance) -> Callable[[int], int]:
    game, agents = make_game(name), {seat: make_agent("uniform") for seat in BOARD_SEATS}

    def matches(repeat: int) -> int:
        for seed in range(repeat * _BY_ODDS, (repeat + 1) * _BY_ODDS):
            play(game, agents=agents, chance=odds.with_seed(seed), seed=seed)
        return _BY_ODDS

    return matches
