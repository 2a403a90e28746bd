"""`pigglesim compare` and `converge`: pours of several engines or time steps, side by side."""

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.api.result import plain
from pigglesim.cli.completions import ENGINES, MODEL, SCENE
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_engine,
    chosen_seed,
    chosen_workers,
)
from pigglesim.errors import SpecError
from pigglesim.scene.load import load_scene
from pigglesim.studies.tally import OddsSetting, PourTally, pour_all, standing_layout
from pigglesim.validation.comparison import Comparison
from pigglesim.validation.comparison import compare as compared

SceneArgument = Annotated[str, SCENE, WORD, "Scene: a name or a TOML file."]
PoursOption = Annotated[int, Flag(low=2, high=10_000_000), "Pours per side onto an empty board."]
KnockPoursOption = Annotated[
    int | None,
    Flag(low=0, high=10_000_000),
    "Pours per side that are also made onto six standing Piggles. Default: a quarter.",
]
ModelOption = Annotated[str | None, MODEL, "Model of all Piggles. Default: the scene's."]


def pour_side_by_side(
    settings: Sequence[Any], *, pours: int, knock_pours: int | None, workers: int | None
) -> tuple[Any, bool]:
    """Return the comparison of settings, and whether it was stopped before its end.

    Args:
        settings: `OddsSetting` of each side; the others are compared with the first.
        pours: Of each onto a cleared board.
        knock_pours: Of each onto six that stand as the first side poured them.
        workers: Processes.
    """
    knock_pours = min(pours, pours // 4 if knock_pours is None else knock_pours)
    tallies: list[list[PourTally]] = [[] for _ in settings]
    stopped = False
    with progress_bar("pours") as bar:
        task = bar.add_task("pouring", total=len(settings) * (pours + knock_pours))
        try:
            layout = standing_layout(settings[0]) if knock_pours else ()
            results = pour_all(
                settings,
                pours=pours,
                knock_pours=knock_pours,
                layout=layout,
                workers=chosen_workers(workers),
            )
            with closing(results):
                for number, result in results:
                    tallies[number].append(result)
                    bar.advance(task)
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
    return compared(
        [setting.label for setting in settings], tallies, seed=settings[0].seed
    ), stopped


def tell_comparison(
    comparison: Comparison,
    about: Mapping[str, Any],
    *,
    foot: str,
    stopped: bool,
    target: float | None = None,
    as_json: bool,
) -> None:
    """Print shares side by side and how far each side is from the first, and end the verb.

    Args:
        comparison: A `Comparison`.
        about: What was poured, at the head of the JSON document.
        foot: The same as a line below the tables.
        stopped: Whether it was stopped before its end.
        target: What the distances should be at most, if anything.
        as_json: Whether to print JSON.

    Raises:
        typer.Exit: If it was stopped.
    """
    if as_json:
        print_json({**about, "stopped": stopped, **_document(comparison, target=target)})
    else:
        console = result_console()
        _show(console, comparison, target=target)
        console.print(f"{foot}{' · stopped before its end' if stopped else ''}", style="dim")
    if stopped:
        raise typer.Exit(130)


def _show(console: Console, comparison: Comparison, *, target: float | None) -> None:
    first, *others = comparison.labels
    labels = (*comparison.labels, *(f"{label} - {first}" for label in others))
    table = word_table("share", *(f">{label}" for label in labels))
    group = None
    for row in comparison.rows:
        if group not in {None, row.group}:
            table.add_section()
        group = row.group
        table.add_row(
            row.name,
            *(_plain(share) for share in row.shares),
            *(_signed(apart) for apart in row.differences),
        )
    table.add_row(
        "points a pour",
        *(_plain(mean) for mean in comparison.points),
        *(_signed(apart) for apart in comparison.point_differences),
    )
    console.print(table)
    console.print()
    last = [] if target is None else [f"target {target:g}"]
    distances = word_table("total variation", "of", ">value", ">by noise alone", ">bounds", *last)
    for apart in comparison.apart:
        found = apart.distance
        cells = [f"{apart.label} and {first}", apart.group.value]
        cells += [
            f"{found.value:.4f}",
            f"{found.floor:.4f}",
            f"{found.low:.4f} to {found.high:.4f}",
        ]
        distances.add_row(*cells, *([apart.verdict(target).sentence] if target is not None else []))
    console.print(distances)
    console.print(
        f"pours {_each(comparison.pours)}, onto six that stand {_each(comparison.knock_pours)}, "
        f"not at rest in time {_each(comparison.unsettled)} · intervals hold 95 %, pours being "
        "clusters; each bound of a total variation holds 95 %",
        style="dim",
    )


def _document(comparison: Comparison, *, target: float | None) -> dict[str, Any]:
    """Return a comparison as plain values; what is not known is null."""
    document: dict[str, Any] = plain(dataclasses.asdict(comparison))
    if target is not None:
        document["target"] = target
        for apart, entry in zip(comparison.apart, document["apart"], strict=True):
            entry["verdict"] = apart.verdict(target).value
    return document


def _plain(found: Any) -> str:  # noqa: ANN401 (a Share or an Interval)
    return f"{found.value:.3f} ±{_half(found):.3f}"


def _signed(found: Any) -> str:  # noqa: ANN401 (an Interval)
    return f"{found.value:+.3f} ±{_half(found):.3f}"


def _half(found: Any) -> float:  # noqa: ANN401 (a Share or an Interval)
    """Return the longer arm of an interval: what one number after ± may promise."""
    return float(max(found.high - found.value, found.value - found.low))


def _each(counts: Sequence[int]) -> str:
    return " / ".join(f"{count:,}" for count in counts)


def compare(
    scene: SceneArgument = "piggles_classic",
    engines: Annotated[
        str, ENGINES, "Engines, two or more, separated by commas."
    ] = "bullet,mujoco",
    pours: PoursOption = 100,
    knock_pours: KnockPoursOption = None,
    model: ModelOption = None,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pour with several physics engines and compare the shares.

    Shares of poses, zones and knocks have intervals, and differences from the first engine. Ctrl-C
    shows the results so far.

    Examples:
        pigglesim compare --engines bullet,mujoco --pours 20
        pigglesim compare piggles_classic --engines bullet,mujoco --pours 2000 --seed 1 --json
    """
    names = [name.strip() for name in engines.split(",")]
    if len(set(names)) < max(2, len(names)):
        raise SpecError(
            "two engines or more, each once", got=repr(engines), remedy="--engines bullet,mujoco"
        )
    table, root = load_scene(scene), chosen_seed(seed)
    settings = [
        OddsSetting(label=name, scene=table, engine=name, seed=root, model=model) for name in names
    ]
    for name in names:
        tell_of_compiling(name)
    # A wrong name is told before anything is poured.
    for setting in settings:
        setting.chance()
    comparison, stopped = pour_side_by_side(
        settings, pours=pours, knock_pours=knock_pours, workers=workers
    )
    about = {"seed": root, "scene": table.id, "engines": names}
    tell_comparison(comparison, about, foot=f"seed {root}", stopped=stopped, as_json=as_json)


def converge(
    scene: SceneArgument = "piggles_classic",
    pours: PoursOption = 100,
    knock_pours: KnockPoursOption = None,
    model: ModelOption = None,
    target: Annotated[float, Flag(low=0.0, high=1.0), "Total variation that is acceptable."] = 0.01,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pour with smaller time steps and compare the shares.

    The scene's time step is compared with half and a quarter of it: shares of poses, zones and
    knocks, their intervals and differences, and the total variation. To resolve 0.01 takes some
    thousand pours: hours on one core. Ctrl-C shows the results so far.

    Examples:
        pigglesim converge --pours 20
        pigglesim converge piggles_classic --pours 5000 --workers 8 --seed 1 --json
    """
    table, root, name = load_scene(scene), chosen_seed(seed), chosen_engine(engine)
    settings = []
    for parts in (1, 2, 4):
        step = table.stepping.time_step / parts
        cut = replace(table, stepping=replace(table.stepping, time_step=step))
        label = f"{step * 1000:g} ms"
        settings.append(OddsSetting(label=label, scene=cut, engine=name, seed=root, model=model))
    tell_of_compiling(name)
    # A wrong name is told before anything is poured.
    settings[0].chance()
    comparison, stopped = pour_side_by_side(
        settings, pours=pours, knock_pours=knock_pours, workers=workers
    )
    about = {"seed": root, "scene": table.id, "engine": name}
    tell_comparison(
        comparison,
        about,
        foot=f"{name}, seed {root}",
        stopped=stopped,
        target=target,
        as_json=as_json,
    )
