"""`pigglesim compare`: the same pours by several physics engines, side by side."""

from typing import Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.comparison_view import (
    KnockPoursOption,
    ModelOption,
    PoursOption,
    SceneArgument,
    pour_side_by_side,
    tell_comparison,
)
from pigglesim.cli.options import (
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_seed,
)
from pigglesim.errors import SpecError
from pigglesim.verbs.waiting import tell_of_compiling

__all__ = ["register"]

_HELP = """Pour with several physics engines and compare the shares.

Shares of poses, zones and knocks have intervals, and differences from the first engine. Ctrl-C
shows the results so far.

Examples:

  pigglesim compare --engines bullet,mujoco --pours 20

  pigglesim compare piggles_classic --engines bullet,mujoco --pours 2000 --seed 1 --json
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(compare)


def compare(
    scene: SceneArgument = "piggles_classic",
    engines: Annotated[
        str,
        typer.Option(
            autocompletion=completions.engines,
            metavar="ENGINES",
            help="Engines, two or more, separated by commas.",
        ),
    ] = "bullet,mujoco",
    pours: PoursOption = 100,
    knock_pours: KnockPoursOption = None,
    model: ModelOption = None,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare engines."""
    from pigglesim.scene.load import load_scene
    from pigglesim.studies.tally import Setting

    names = [name.strip() for name in engines.split(",")]
    if len(set(names)) < max(2, len(names)):
        raise SpecError(
            "two engines or more, each once", got=repr(engines), remedy="--engines bullet,mujoco"
        )
    table, root = load_scene(scene), chosen_seed(seed)
    settings = [
        Setting(label=name, scene=table, engine=name, seed=root, model=model) for name in names
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
