"""`pigglesim converge`: whether the time step is fine enough for every share."""

from dataclasses import replace
from typing import Annotated

import typer

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.cli.compare import (
    KnockPoursOption,
    ModelOption,
    PoursOption,
    SceneArgument,
    pour_side_by_side,
    tell_comparison,
)
from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_engine,
    chosen_seed,
)

_HELP = """Pour with smaller time steps and compare the shares.

The scene's time step is compared with half and a quarter of it: shares of poses, zones and knocks,
their intervals and differences, and the total variation. To resolve 0.01 takes some thousand pours:
hours on one core. Ctrl-C shows the results so far.

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
    model: ModelOption = None,
    target: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Total variation that is acceptable.")
    ] = 0.01,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare time steps."""
    from pigglesim.scene.load import load_scene
    from pigglesim.studies.tally import OddsSetting

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
