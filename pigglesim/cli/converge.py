"""`pigglesim converge`: whether the time step is fine enough for every share."""

from dataclasses import replace
from typing import Annotated

import typer

from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SeedOption,
    chosen_engine,
    chosen_seed,
    print_json,
    result_console,
)
from pigglesim.cli.study import (
    KnockPoursOption,
    PoursOption,
    SceneArgument,
    WorkersOption,
    comparison_document,
    pour_side_by_side,
    show_comparison,
)

__all__ = ["register"]

_HELP = """Pour at the scene's time step, at half and at a quarter of it, and compare the shares.

Poses, zones and knocks, each with its interval and its difference from the scene's own step, and
how far the steps are apart in all (total variation). Telling .01 takes some thousand pours: hours
on one core. Ctrl-C shows what is done.

Examples:

  pigglesim converge --pours 20

  pigglesim converge piggles_classic --pours 5000 --workers 8 --seed 1 --json
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(converge)


def converge(
    scene: SceneArgument = "piggles_classic",
    pours: PoursOption = 100,
    knock_pours: KnockPoursOption = None,
    model: Annotated[
        str | None, typer.Option(help="One model for all Piggles, in place of the scene's.")
    ] = None,
    target: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="What the total variation should be at most.")
    ] = 0.01,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare time steps."""
    from pigglesim.scene.load import load_scene
    from pigglesim.studies.tally import Setting

    table, root, name = load_scene(scene), chosen_seed(seed), chosen_engine(engine)
    settings = []
    for parts in (1, 2, 4):
        step = table.stepping.time_step / parts
        cut = replace(table, stepping=replace(table.stepping, time_step=step))
        label = f"{step * 1000:g} ms"
        settings.append(Setting(label=label, scene=cut, engine=name, seed=root, model=model))
    # A wrong name is told before anything is poured.
    settings[0].chance()
    comparison, stopped = pour_side_by_side(
        settings, pours=pours, knock_pours=knock_pours, workers=workers
    )
    if as_json:
        document = {"seed": root, "scene": table.id, "engine": name, "stopped": stopped}
        print_json(document | comparison_document(comparison, target=target))
    else:
        console = result_console()
        show_comparison(console, comparison, target=target)
        stop = " · stopped before its end" if stopped else ""
        console.print(f"{name}, seed {root}{stop}", style="dim")
    if stopped:
        raise typer.Exit(130)
