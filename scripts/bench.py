"""`python -m scripts.bench`: speed of throws and matches beside a plain implementation."""

import dataclasses
import os
import platform
import resource
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

from rich.console import Console

from pigglesim.cli import options
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.consoles import note, print_json, progress_console, result_console, word_table
from pigglesim.cli.flags import Flag
from pigglesim.errors import PigglesimError, unknown_name
from pigglesim.physics.engines import engine_version, fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.scene.load import load_scene
from scripts.benchmarks import (
    PEERS,
    bench_bodies,
    missing_peers,
    step_distance,
    time_drops,
    time_matches,
    time_pours,
)

app = CommandLine()

_TITLES = {
    "plain": "PyBullet, plain",
    "mujoco": "MuJoCo",
    "rapier": "Rapier",
    "box3d": "Box3D",
    "jolt": "Jolt",
}


@app.command()
def bench(
    *,
    only: Annotated[
        str | None,
        Flag(metavar="NAMES"),
        "Benchmarks, separated by commas: drop, pour, match. Default: all.",
    ] = None,
    scene: options.Scene = "piggles_classic",
    engine: options.Engine = None,
    repeats: Annotated[int, Flag(low=2, high=1000), "Number of measurements of each."] = 5,
    drops: Annotated[
        int, Flag(low=100, high=10_000_000), "Drops per time step, to compare shares."
    ] = 50_000,
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Compare the speed of throws and matches with PyBullet, MuJoCo, Rapier, Box3D and Jolt.

    Rates are per core and CPU time: means of the repeats, with 95 % intervals. Ratios are taken
    within each repeat, in alternation, so that a busy machine slows both sides. The plain drop is
    one die in a world, stepped 3 s at 240 Hz by each. The plain pour is PyBullet with
    full hulls everywhere, 50 iterations and every body stepped to rest. MuJoCo (`--engine mujoco`)
    pours the same convex parts as this engine, at the same time step.

    Examples:
        python -m scripts.bench
        python -m scripts.bench --only drop,pour --repeats 30 --json
    """
    benchmarks: dict[str, Callable[[], dict[str, Any]]] = {
        "drop": lambda: _drop(repeats, drops, options.chosen_workers(workers)),
        "pour": lambda: _pour(scene, engine, repeats),
        "match": lambda: _match(scene, engine, repeats),
    }
    names = options.list_of(only) or list(benchmarks)
    for name in names:
        if name not in benchmarks:
            raise unknown_name("benchmark", name, benchmarks)
    missing = missing_peers() if {"drop", "pour"}.intersection(names) else []
    if missing:
        note(f"not installed, so not compared: {', '.join(missing)}")
    document: dict[str, Any] = {"machine": _machine(), "versions": _versions(engine)}
    for name in names:
        with progress_console().status(f"timing {name}, {repeats} times ..."):
            document[name] = benchmarks[name]()
    document["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    if as_json:
        print_json(document)
    else:
        _show(result_console(), document)


def _drop(repeats: int, drops: int, workers: int) -> dict[str, Any]:
    engine, bodies = fastest_engine_name(), bench_bodies()
    compile_for("drops", engine=engine)
    figures = {name: time_drops(body, engine, repeats=repeats) for name, body in bodies.items()}
    distance = step_distance(bodies["piggle"], engine, drops=drops, workers=workers)
    return {
        "engine": engine,
        **{
            key: figures["piggle"][key] for key in ("per_second", *(f"vs_{peer}" for peer in PEERS))
        },
        "tv": dataclasses.asdict(distance) | {"drops": drops},
        "bodies": figures,
    }


def _pour(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    name = options.chosen_fast_engine(engine)
    compile_for("pours", engine=name)
    return {"engine": name, **time_pours(load_scene(scene), name, repeats=repeats)}


def _match(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    name = options.chosen_engine(engine)
    return {"engine": name, **time_matches(load_scene(scene), name, repeats=repeats)}


def _show(console: Console, document: dict[str, Any]) -> None:
    table = word_table("on one core", ">mean", ">from", ">to")

    def row(name: str, figures: dict[str, Any] | None, unit: str = "") -> None:
        if figures is None:
            table.add_row(name, "-", "not compared", "")
            return
        cells = (f"{float(f'{figures[key]:.3g}'):,.9g}{unit}" for key in ("mean", "low", "high"))
        table.add_row(name, *cells)

    for name, body in document.get("drop", {}).get("bodies", {}).items():
        row(f"drops a second, {name} ({body['corners']} corners)", body["per_second"])
        for peer, title in _TITLES.items():
            row(f"  times {title}, 3 s at 240 Hz", body[f"vs_{peer}"], " x")
    if "pour" in document:
        row(f"pours of {document['pour']['piggles']} a second", document["pour"]["per_second"])
        for peer, title in _TITLES.items():
            row(f"  times {title}", document["pour"][f"vs_{peer}"], " x")
    if "match" in document:
        row("whole match on physics, seconds", document["match"]["seconds"])
        row("matches of Classic a second, by odds", document["match"]["classic"])
        row("matches of Modern a second, by odds", document["match"]["modern"])
    console.print(table)
    if "drop" in document:
        tv = document["drop"]["tv"]
        console.print(
            f"the step and its quarter are {tv['value']:.4f} apart ({tv['floor']:.4f} by noise "
            f"alone, at most {tv['high']:.4f}) in total variation: the Piggle, {tv['drops']:,} "
            "drops each"
        )
    console.print(
        f"peak memory {document['peak_memory_mb']:.0f} MB · {document['machine']} · "
        f"{document['versions']}",
        style="dim",
    )


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _versions(engine: str | None) -> str:
    names = dict.fromkeys((options.chosen_engine(engine), options.chosen_fast_engine(engine)))
    engines = ", ".join(f"{name} {engine_version(name)}" for name in names)
    packages = ", ".join(f"{package} {version(package)}" for package in ("pigglesim", "numpy"))
    return f"Python {platform.python_version()}, {packages}, {engines}"


if __name__ == "__main__":
    try:
        app(prog_name="python -m scripts.bench")
    except PigglesimError as fault:
        sys.exit(str(fault))
