"""`pigglesim bench`: how fast throws and matches are, beside the plain way of doing the same."""

import dataclasses
import os
import platform
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Annotated, Any

from rich.console import Console

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.benchmarks import bench_bodies, steps_apart, time_drops, time_matches, time_pours
from pigglesim.benchmarks.lord import time_lord
from pigglesim.benchmarks.pig_pile import time_pig_pile
from pigglesim.benchmarks.piggy_six import time_piggy_six
from pigglesim.benchmarks.piggyback import time_piggyback
from pigglesim.benchmarks.searches import time_search
from pigglesim.cli.consoles import print_json, progress_console, result_console, word_table
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SceneOption,
    WorkersOption,
    chosen_engine,
    chosen_fast_engine,
    chosen_workers,
    peak_memory,
    peak_memory_told,
)
from pigglesim.errors import SpecError, unknown_name
from pigglesim.physics.engines import fastest_engine_name, make_engine
from pigglesim.scene.load import load_scene


def bench(
    only: Annotated[
        str | None,
        Flag(metavar="NAMES"),
        "Benchmarks, separated by commas: drop, pour, match, mcts, lord, pile, piggyback, "
        "six, render. Default: all.",
    ] = None,
    scene: SceneOption = "piggles_classic",
    engine: EngineOption = None,
    repeats: Annotated[int, Flag(low=1, high=1000), "Number of measurements of each."] = 5,
    drops: Annotated[
        int, Flag(low=100, high=10_000_000), "Drops per time step, to distinguish their shares."
    ] = 50_000,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Time throws and matches beside plain PyBullet and MuJoCo.

    Rates are for one core, by the time it worked; median, least and most of the repeats. A ratio is
    taken repeat by repeat, the ways in turns, so that a busy machine slows both. The plain way to
    drop is one die in a world, stepped 3 s at 240 Hz, in PyBullet and in MuJoCo; the plain way to
    pour is PyBullet with full hulls everywhere, 50 iterations and every body stepped to rest. What
    is drawn is timed by the clock, on all cores.

    Examples:
        pigglesim bench
        pigglesim bench --only drop,pour --repeats 9 --json
    """
    benchmarks: dict[str, Callable[[], dict[str, Any]]] = {
        "drop": lambda: _drop(repeats, drops, chosen_workers(workers)),
        "pour": lambda: _pour(scene, engine, repeats),
        "match": lambda: _match(scene, engine, repeats),
        "mcts": lambda: _mcts(repeats),
        "render": lambda: _render(scene, repeats),
        "lord": lambda: _lord(repeats),
        "pile": lambda: _pile(repeats),
        "piggyback": lambda: _piggyback(repeats),
        "six": lambda: _six(repeats),
    }
    names = [name.strip() for name in only.split(",")] if only else drawable(benchmarks)
    for name in names:
        if name not in benchmarks:
            raise unknown_name("benchmark", name, benchmarks)
    document: dict[str, Any] = {"machine": _machine(), "versions": _versions(engine)}
    for name in names:
        with progress_console().status(f"timing {name}, {repeats} times ..."):
            document[name] = benchmarks[name]()
    document["peak_memory_mb"] = peak_memory()
    if as_json:
        print_json(document)
    else:
        _show(result_console(), document)


def drawable(names: Iterable[str]) -> list[str]:
    """Return names of benchmarks, without `render` where nothing is drawn or filmed; it is told."""
    from pigglesim.benchmarks.frames import VIDEO
    from pigglesim.render.offscreen import Offscreen
    from pigglesim.render.video import expect_encoder

    try:
        expect_encoder(VIDEO)
        with Offscreen(16, 16):
            return list(names)
    except SpecError as fault:
        print(f"pigglesim: nothing is rendered: {fault}", file=sys.stderr)
        return [name for name in names if name != "render"]


def _drop(repeats: int, drops: int, workers: int) -> dict[str, Any]:
    name, bodies = fastest_engine_name(), bench_bodies()
    tell_of_compiling(name, throws="drops")
    figures = {
        body: dataclasses.asdict(time_drops(bodies[body], name, repeats=repeats)) for body in bodies
    }
    apart = steps_apart(bodies["piggle"], name, drops=drops, workers=workers)
    return {
        "engine": name,
        **{key: figures["piggle"][key] for key in ("per_second", "vs_plain", "vs_mujoco")},
        "tv": dataclasses.asdict(apart.tv) | {"drops": apart.drops},
        "bodies": figures,
    }


def _pour(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    name = chosen_fast_engine(engine)
    tell_of_compiling(name)
    figures = time_pours(load_scene(scene), name, repeats=repeats)
    return {"engine": name, **dataclasses.asdict(figures)}


def _match(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    name = chosen_engine(engine)
    figures = time_matches(load_scene(scene), name, repeats=repeats)
    return {"engine": name, **dataclasses.asdict(figures)}


def _mcts(repeats: int) -> dict[str, Any]:
    return dataclasses.asdict(time_search(repeats=repeats))


def _render(scene: str, repeats: int) -> dict[str, Any]:
    from pigglesim.benchmarks.frames import time_frames

    return dataclasses.asdict(time_frames(scene, repeats=repeats))


def _lord(repeats: int) -> dict[str, Any]:
    return dataclasses.asdict(time_lord(repeats=repeats))


def _pile(repeats: int) -> dict[str, Any]:
    return dataclasses.asdict(time_pig_pile(repeats=repeats))


def _piggyback(repeats: int) -> dict[str, Any]:
    return dataclasses.asdict(time_piggyback(repeats=repeats))


def _six(repeats: int) -> dict[str, Any]:
    return dataclasses.asdict(time_piggy_six(repeats=repeats))


def _show(console: Console, document: dict[str, Any]) -> None:
    table = word_table("on one core", ">median", ">least", ">most")

    def row(name: str, figures: dict[str, Any] | None, unit: str = "") -> None:
        if figures is None:
            table.add_row(name, "-", "not installed", "")
            return
        cells = (f"{figures[key]:,.3g}{unit}" for key in ("median", "min", "max"))
        table.add_row(name, *cells)

    for name, body in document.get("drop", {}).get("bodies", {}).items():
        row(f"drops a second, {name} ({body['corners']} corners)", body["per_second"])
        row("  times PyBullet, 3 s at 240 Hz", body["vs_plain"], " x")
        row("  times MuJoCo, the same", body["vs_mujoco"], " x")
    if "pour" in document:
        row(f"pours of {document['pour']['piggles']} a second", document["pour"]["per_second"])
        row("  times the plain way", document["pour"]["vs_plain"], " x")
    if "match" in document:
        row("whole match on physics, seconds", document["match"]["seconds"])
        row("matches of Classic a second, by odds", document["match"]["classic"])
        row("matches of Modern a second, by odds", document["match"]["modern"])
    if "mcts" in document:
        for name, figures in document["mcts"].items():
            row(f"games of {name.title()} a second in tree search", figures["playouts_per_second"])
            row("  by the rules alone", figures["by_rules"])
            row("  times those", figures["vs_rules"], " x")
    _show_games(document, row)
    if "render" in document:
        _drawn_rows(row, document["render"])
    console.print(table)
    if "drop" in document:
        tv = document["drop"]["tv"]
        console.print(
            f"the step and its quarter are {tv['value']:.4f} apart ({tv['floor']:.4f} by noise "
            f"alone, at most {tv['high']:.4f}) in total variation: the Piggle, {tv['drops']:,} "
            "drops each"
        )
    console.print(
        f"peak memory {peak_memory_told(document['peak_memory_mb'])} · {document['machine']} · "
        f"{document['versions']}",
        style="dim",
    )


def _drawn_rows(row: Callable[..., None], drawn: dict[str, Any]) -> None:
    size = "x".join(map(str, drawn["size"]))
    row(f"frames a second of {drawn['bodies']} Piggles, {size}, all cores", drawn["drawn"])
    row("  with smooth edges", drawn["smooth"])
    row("  and read back for a file", drawn["read"])
    row("from start to first frame, seconds", drawn["first"])
    row(f"a video of 4 s ({drawn['video_frames']} frames), seconds", drawn["video"])


def _show_games(
    document: dict[str, Any], row: Callable[[str, dict[str, Any] | None], None]
) -> None:
    """Add the rows of the games beside Piggles."""
    if "lord" in document:
        row("games of Lord of the P.I.G.S. a second, by the rules", document["lord"]["by_rules"])
        row("  recorded", document["lord"]["recorded"])
    if "pile" in document:
        row("games of Pig Pile a second, compiled", document["pile"]["compiled"])
        row("  by the rules alone", document["pile"]["by_rules"])
        row("  by the rules, recorded", document["pile"]["recorded"])
    if "piggyback" in document:
        row("games of Piggyback a second, at random", document["piggyback"]["compiled"])
        row("  by the rules alone", document["piggyback"]["by_rules"])
        row("  with their records", document["piggyback"]["matches"])
    if "six" in document:
        row("turns of Piggy Six a second, in matches", document["six"]["turns"])
        for ending, figures in document["six"]["solves"].items():
            row(f"seconds to solve Piggy Six to 100, {ending}", figures)


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _versions(engine: str | None) -> str:
    names = dict.fromkeys((chosen_engine(engine), chosen_fast_engine(engine)))
    engines = ", ".join(f"{name} {make_engine(name).version}" for name in names)
    packages = ", ".join(f"{package} {version(package)}" for package in ("pigglesim", "numpy"))
    return f"Python {platform.python_version()}, {packages}, {engines}"
