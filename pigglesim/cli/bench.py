"""`pigglesim bench`: how fast pours and matches are on this machine, with their spread."""

import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SceneOption,
    make_engine,
    print_json,
    progress_console,
    result_console,
)
from pigglesim.errors import unknown_name

__all__ = ["register"]

_HELP = """Time what people wait for, on one core, and tell the spread.

Examples:

  pigglesim bench

  pigglesim bench --only pour --repeats 9 --json
"""

_POURS_A_REPEAT = 20
_DROPS_A_REPEAT = 500


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(bench)


def bench(
    only: Annotated[
        str | None, typer.Option(help="Which to run, with commas between: pour, match, drop.")
    ] = None,
    scene: SceneOption = "piggles_classic",
    engine: EngineOption = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="Measurements of each.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Run the benchmarks."""
    benchmarks: dict[str, Callable[[str, str | None, int], dict[str, Any]]] = {
        "pour": _pour,
        "match": _match,
        "drop": _drop,
    }
    names = [name.strip() for name in only.split(",")] if only else list(benchmarks)
    for name in names:
        if name not in benchmarks:
            raise unknown_name("benchmark", name, benchmarks)
    document: dict[str, Any] = {"machine": _machine(), "versions": _versions(engine)}
    for name in names:
        with progress_console().status(f"timing {name}, {repeats} times ..."):
            document[name] = benchmarks[name](scene, engine, repeats)
    # Linux counts kilobytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    document["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    if as_json:
        print_json(document)
        return
    console = result_console()
    if "pour" in document:
        figures = document["pour"]["per_second"]
        console.print(f"pours of six a second, one core    {_spread(figures)}")
    if "match" in document:
        console.print(f"whole match, seconds, one core     {_spread(document['match']['seconds'])}")
    if "drop" in document:
        figures = document["drop"]["per_second"]
        console.print(f"drops of one a second, one core    {_spread(figures)}")
    console.print(f"peak memory, MB                    {document['peak_memory_mb']:.0f}")
    console.print(f"{document['machine']} · {document['versions']}", style="dim")


def _spread(figures: dict[str, float]) -> str:
    return f"{figures['median']:.2f} (least {figures['min']:.2f}, most {figures['max']:.2f})"


def _figures(values: list[float]) -> dict[str, float]:
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "count": len(values),
    }


def _pour(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    """Time whole rolls of a full cup onto an empty board, reading included."""
    from pigglesim.cli.table import make_chance
    from pigglesim.rolls import RollRequest, Seat

    chance = make_chance(scene, models=None, engine=engine, seed=1)
    piggles = tuple(name for name in chance.models if name.startswith(Seat.A.value))
    request = RollRequest(thrower=Seat.A, piggles=piggles)
    chance.roll(request, index=0)
    rates, settled = [], 0
    for repeat in range(repeats):
        start = time.perf_counter()
        for index in range(_POURS_A_REPEAT):
            result = chance.roll(request, index=repeat * _POURS_A_REPEAT + index)
            settled += result.settle is not None and result.settle.status == "settled"
        rates.append(_POURS_A_REPEAT / (time.perf_counter() - start))
    return {
        "per_second": _figures(rates),
        "piggles": len(piggles),
        "pours": repeats * _POURS_A_REPEAT,
        "settled": settled,
    }


def _match(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    """Time whole matches of greedy against greedy."""
    from pigglesim.agents.registry import make_agent
    from pigglesim.cli.table import make_chance, team_models
    from pigglesim.games.registry import make_game
    from pigglesim.match.runner import play
    from pigglesim.rolls import Seat
    from pigglesim.scene.load import load_scene

    table = load_scene(scene)
    game = make_game(table.game, {})
    times, rolls = [], 0
    for seed in range(repeats):
        start = time.perf_counter()
        chance = make_chance(scene, models=team_models(table), engine=engine, seed=seed)
        agents = {seat: make_agent("greedy") for seat in Seat}
        played = play(game, agents=agents, chance=chance, seed=seed)
        times.append(time.perf_counter() - start)
        rolls += len(played.record.outcomes)
    return {"seconds": _figures(times), "rolls_a_match": rolls / repeats}


def _drop(scene: str, engine: str | None, repeats: int) -> dict[str, Any]:
    """Time drops of a single Piggle on the tabletop, decided as soon as its class is certain."""
    from pigglesim.physics.drop import Dropper
    from pigglesim.physics.engines import make_engine
    from pigglesim.scene.load import load_floor, load_scene
    from pigglesim.seeding import generator
    from pigglesim.shapes.load import load_model
    from pigglesim.shapes.poses import support_of
    from pigglesim.throws.drop import sample_drop

    body, floor = (
        load_model(next(iter(load_scene(scene).teams.values()))[0]),
        load_floor("tabletop"),
    )
    dropper = Dropper(
        body,
        support_of(body.hull, body.mass.centre),
        [pose.orientation or pose.name for pose in body.poses],
        surface=floor.surface("plastic"),
        stepping=floor.stepping,
        engine=make_engine(engine),
    )
    dropper.drop(sample_drop(floor.fall, body, rng=generator(1, "bench")))
    rates = []
    for repeat in range(repeats):
        start = time.perf_counter()
        for number in range(_DROPS_A_REPEAT):
            rng = generator(1, "bench", repeat, number)
            dropper.drop(sample_drop(floor.fall, body, rng=rng))
        rates.append(_DROPS_A_REPEAT / (time.perf_counter() - start))
    return {"per_second": _figures(rates), "drops": repeats * _DROPS_A_REPEAT}


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _versions(engine: str | None) -> str:
    from importlib.metadata import version

    stepper = make_engine(engine)
    packages = ", ".join(f"{package} {version(package)}" for package in ("pigglesim", "numpy"))
    return f"Python {platform.python_version()}, {packages}, {stepper.name} {stepper.version}"
