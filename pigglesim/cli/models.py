"""`pigglesim models`: what can be thrown, what it wears, and how it lands."""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.bodies.livery import split_livery
from pigglesim.bodies.load import load_model, load_models
from pigglesim.bodies.measured import MEASURED_FILE, measured_text, read_measured
from pigglesim.bodies.poses import support_for
from pigglesim.cli.completions import MODELS
from pigglesim.cli.consoles import print_json, progress_console, result_console, word_table
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SceneOption,
    WorkersOption,
    chosen_fast_engine,
    chosen_seed,
    chosen_workers,
)
from pigglesim.cli.progress import finish_undisturbed, progress_bar
from pigglesim.data_files import model_file, model_names, own_model_names
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.landing import Orientation
from pigglesim.markings import Colour, Rune
from pigglesim.scene.load import load_scene
from pigglesim.studies.tally import measured_model, model_settings, pour_all


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureFlags:
    """The flags that tell how models are thrown for their shares."""

    measure: Annotated[
        Path | None, "File to write measured shares to; the models are thrown for it."
    ] = None
    pours: Annotated[
        int, Flag(low=1, high=10_000_000), "With --measure: cups of six per model."
    ] = 1000
    workers: WorkersOption = None
    seed: Annotated[int, "With --measure: root seed."] = 1
    scene: SceneOption = "piggles_classic"
    engine: EngineOption = None

    def settings(self, names: Sequence[str]) -> Any:  # noqa: ANN401 (settings; imported late)
        """Return how each of some models is thrown."""
        engine = chosen_fast_engine(self.engine)
        tell_of_compiling(engine)
        scene, seed = load_scene(self.scene), chosen_seed(self.seed)
        return model_settings(names, scene=scene, engine=engine, seed=seed)


def models(
    *,
    plot: Annotated[
        Path | None, "Picture of every livery of the first model, a .png or .svg file."
    ] = None,
    only: Annotated[
        str | None, MODELS, "Models or their files, separated by commas. Default: all."
    ] = None,
    thrown: MeasureFlags,
    as_json: JsonOption = False,
) -> None:
    """List the models with their weight, poses, shares and liveries.

    Models of your own, in ./models or in a folder that PIGGLESIM_MODELS names, are listed too.

    Examples:
        pigglesim models
        pigglesim models --plot lineup.png
        pigglesim models --measure shares.json --pours 300
    """
    names = [name.strip() for name in only.split(",")] if only else list(model_names())
    bodies = load_models(names)
    if plot:
        from pigglesim.render.body_sheets import save_lineup

        with progress_console().status("drawing ..."):
            save_lineup(bodies[names[0] if only else "piggle"], plot)
    if thrown.measure:
        pigs = [name for name, body in bodies.items() if body.pig]
        settings = thrown.settings(names if only else pigs)
        workers = chosen_workers(thrown.workers)
        measured = _measure(settings, thrown.measure, pours=thrown.pours, workers=workers)
    else:
        measured = read_measured(model_file("piggle").parent / MEASURED_FILE)
    document: dict[str, Any] = {
        # A livery lands as the plain model does.
        "models": [
            _entry(name, body, measured.get(name) or measured.get(split_livery(name)[0]))
            for name, body in bodies.items()
        ],
        "liveries": _livery_entries(),
    }
    if not only:
        document["models"] += _own_entries(measured)
    if as_json:
        print_json(document)
    else:
        _show(document)


def _own_entries(measured: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (rows; imported where used)
    """Return what is told of the user's own models; of a broken one, say what is wrong."""
    found = []
    for name in own_model_names():
        try:
            found.append(_entry(name, load_model(name), measured.get(name)))
        except PigglesimError as fault:
            print(f"pigglesim: {name} is left out: {fault}", file=sys.stderr)
    return found


def _measure(settings: Sequence[Any], file: Path, *, pours: int, workers: int) -> Any:  # noqa: ANN401 (rows; imported where used)
    """Pour for every setting, write the file, and return all that it then holds."""
    rows = read_measured(file)
    tallies: list[list[Any]] = [[] for _ in settings]
    stopped = False
    with progress_bar("pours") as bar:
        task = bar.add_task("pouring", total=pours * len(settings))
        try:
            with closing(pour_all(settings, pours=pours, workers=workers)) as results:
                for number, tally in results:
                    tallies[number].append(tally)
                    bar.advance(task)
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
    today = date.today().isoformat()
    for setting, found in zip(settings, tallies, strict=True):
        if not found:
            continue
        row = measured_model(setting, found, date=today)
        # A run that was stopped early takes nothing from a longer one of the same things.
        if stopped and row.model in rows and rows[row.model].inputs == row.inputs:
            row = max(rows[row.model], row, key=lambda each: each.pours)
        rows[row.model] = row
    try:
        file.write_text(measured_text(rows), encoding="utf-8", newline="\n")
    except OSError as fault:
        raise SpecError(
            "a place to write the shares", got=f"{file}: {fault.strerror}", remedy="check the path"
        ) from None
    if stopped:
        kept, wanted = sum(map(len, tallies)), pours * len(settings)
        progress_console().print(f"pigglesim: kept {kept} of {wanted} pours in {file.name}")
        raise typer.Exit(130)
    return rows


def _entry(name: str, body: Any, row: Any) -> dict[str, Any]:  # noqa: ANN401 (imported where used)
    """Return what is told of one model."""
    shares = support_for(body).shares()
    classes = dict.fromkeys(Orientation, 0.0)
    for pose, share in zip(body.poses, shares, strict=True):
        if pose.orientation:
            classes[pose.orientation] += share
    current = row is not None and row.model_sha256 == body.sha256
    return {
        "model": name,
        "own": split_livery(name)[0] not in model_names(),
        "sha256": body.sha256,
        "mass_kg": body.mass.mass,
        "centre_m": body.mass.centre.tolist(),
        "quasi_static": {str(at): share for at, share in classes.items()} if body.pig else None,
        "measured": asdict(row) if current else None,
        "poses": [
            {
                "name": pose.name,
                "orientation": pose.orientation and str(pose.orientation),
                "height_m": pose.height,
                "escape_m": pose.escape,
                "quasi_static": share,
            }
            for pose, share in zip(body.poses, shares, strict=True)
        ],
    }


def _livery_entries() -> dict[str, Any]:
    return {
        "colours": [
            {"id": str(colour), "label": colour.label, "effect": colour.effect} for colour in Colour
        ],
        "runes": [{"id": str(rune), "number": rune.number, "label": rune.label} for rune in Rune],
        "example": "piggle+blue+left",
    }


def _show(document: dict[str, Any]) -> None:
    """Print the document as tables."""
    console = result_console()
    numbers = (">mass [g]", ">centre [mm]", ">poses", ">up / down / head")
    table = word_table("model", *numbers, ">measured up / down / head")
    for entry in document["models"]:
        shares, row = entry["quasi_static"], entry["measured"]
        centre = ", ".join(f"{round(1e3 * at, 1) + 0.0:.1f}" for at in entry["centre_m"])
        table.add_row(
            f"{entry['model']}{' (own)' if entry['own'] else ''}",
            f"{1e3 * entry['mass_kg']:.2f}",
            centre,
            str(len(entry["poses"])),
            " ".join(map(_short, shares.values())) if shares else "-",
            " ".join(map(_spread, row["shares"].values())) if row else "-",
        )
    console.print(table)
    liveries = document["liveries"]
    colours = ", ".join(f"{each['id']} ({each['effect']})" for each in liveries["colours"])
    runes = ", ".join(f"{each['number']} {each['id']}" for each in liveries["runes"])
    console.print(
        "Shares: quasi-static, which ignores momentum, then measured by pours.", style="dim"
    )
    console.print(f"\ncolours  {colours}\nrunes    {runes}\nsuch as  {liveries['example']}")


def _spread(share: dict[str, float]) -> str:
    return f"{_short(share['value'])}±{_short((share['high'] - share['low']) / 2)}"


def _short(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")
