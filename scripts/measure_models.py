"""`python -m scripts.measure_models`: shares of the models, measured by pouring cups of six."""

import signal
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

from pigglesim.api.study import StudyResult, study
from pigglesim.bodies.load import (
    MEASURED_FILE,
    ContactShare,
    MeasuredModel,
    load_models,
    measured_text,
    read_measured,
)
from pigglesim.chance.physical import expect_pigs
from pigglesim.cli import options
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.consoles import exit_if_stopped, note
from pigglesim.cli.flags import Flag
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.data_files import model_file, model_names
from pigglesim.durable_io import expect_writable
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.experiments.store import read_definition
from pigglesim.landing import Orientation
from pigglesim.scene.load import load_scene

app = CommandLine()


@app.command()
def measure(
    file: Annotated[Path | None, "File of the shares. Default: that of the models."] = None,
    only: Annotated[
        str | None, options.MODELS, "Models, separated by commas. Default: all pigs."
    ] = None,
    pours: Annotated[int, Flag(low=1, high=10_000_000), "Cups of six per model."] = 1000,
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed."] = 1,
    scene: options.Scene = "piggles_classic",
    engine: options.FastEngine = None,
) -> None:
    """Pour for every model and write the shares to the file; Ctrl-C saves those so far."""
    file = file or model_file("piggle").parent / MEASURED_FILE
    names = options.list_of(only)
    names = names or [name for name, body in load_models(model_names()).items() if body.pig]
    expect_pigs(names)
    rows = read_measured(file)
    most = max((rows[name].pours for name in names if name in rows), default=0)
    if most > pours:
        raise SpecError(
            f"{file} holds {most:,} pours already, more than {pours:,}",
            fix=f"use --pours {most}, or another file",
        )
    expect_writable(file)
    total = pours * len(names)
    with Work("pours", "pouring", total=total) as work:
        poured = study(
            "pour",
            model=names,
            throws=pours,
            scene=scene,
            seed=seed,
            engine=engine,
            workers=options.chosen_workers(workers),
            progress=lambda made, _: work.update(made),
        )
    if poured.stopped:
        ignore_interrupts()
    for row in _measured_models(poured, names):
        # An interrupted run does not replace a longer one with the same inputs.
        earlier = rows.get(row.model, row)
        longer = poured.stopped and earlier.inputs == row.inputs and earlier.pours > row.pours
        rows[row.model] = earlier if longer else row
    file.write_text(measured_text(rows), encoding="utf-8", newline="\n")
    if poured.stopped:
        note(f"{poured.throws} of {total} pours saved in {file.name}")
    exit_if_stopped(poured.stopped)


def _measured_models(poured: StudyResult, names: Sequence[str]) -> list[MeasuredModel]:
    """Return the shares of each model that filled a cup alone, as far as it was poured."""
    made_of = read_definition(poured.folder)["made_of"]
    rows = []
    for cell in poured.cells:
        assert cell.off_board is not None
        name = names[cell.cell]
        rows.append(
            MeasuredModel(
                model=name,
                model_sha256=made_of["models"][name],
                date=date.today().isoformat(),
                pours=cell.throws,
                throws=cell.dice,
                off=round(cell.off_board.value * cell.dice),
                seed=poured.study.seed,
                scene=load_scene(poured.study.scene).id,
                scene_sha256=made_of["scene_sha256"],
                engine=made_of["engine"],
                engine_version=made_of["engine_version"],
                shares={
                    # JSON has no NaN; the interval from 0 to 1 shows that nothing is known.
                    orientation: ContactShare(
                        value=share.value if share.trials else 0.0, low=share.low, high=share.high
                    )
                    for orientation, share in zip(Orientation, cell.shares, strict=True)
                },
            )
        )
    return rows


if __name__ == "__main__":
    # The shell sends either; what was poured is saved after both.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(prog_name="python -m scripts.measure_models")
    except PigglesimError as fault:
        sys.exit(str(fault))
