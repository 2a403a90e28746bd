"""`pigglesim print`: files for a printer, a tally sheet, and a sealed prediction."""

import json
from contextlib import closing
from datetime import date
from functools import reduce
from operator import add
from pathlib import Path
from typing import Annotated

import numpy as np

from pigglesim.bodies.body import support_for
from pigglesim.bodies.variant import read_source
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag, command_here
from pigglesim.cli.progress import Work
from pigglesim.durable_io import make_folder, write_atomically
from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import DropTally, DropTask, drop_dice
from pigglesim.experiments.printing import (
    LARGEST,
    PREDICTION_FILE,
    SMALLEST,
    Prediction,
    PrintBody,
    predicted_floor,
    print_body,
    stl_bytes,
    threemf_bytes,
)
from pigglesim.landing import Orientation
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor
from pigglesim.units import unit_named
from pigglesim.version import __version__

_MILLIMETRES = unit_named("mm")
_THROWS = 200
"""Throws that the sheet has room for: they tell shares to about 0.035."""


def print_model(
    *,
    model: Annotated[str, options.MODEL, ARGUMENT, "Model: a name, a TOML file or a folder."],
    size: Annotated[
        float,
        _MILLIMETRES,
        Flag(metavar="LENGTH", low=SMALLEST, high=LARGEST),
        "Length of the longest side, such as 40mm. [mm]",
    ],
    out: Annotated[Path, Flag(metavar="DIR"), "New folder for the print."],
    floor: Annotated[
        list[str] | None,
        options.FLOOR,
        "Floor and drop to predict for; repeatable. Default: tabletop and felt.",
    ] = None,
    drops: Annotated[int, Flag(low=1000, high=10**8), "Drops per floor."] = 100_000,
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed, sealed with the prediction."] = 1,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Write files to print a model, a tally sheet, and a sealed prediction.

    The folder gets body.stl and body.3mf (watertight, with a pocket for the ballast), tally.html to
    print on paper, die.toml for the counts, and prediction.json: the shares on each floor with
    95 % intervals, sealed with version and seed before anybody has counted. Fill in die.toml, and
    `pigglesim validate DIR` compares.

    Examples:
        pigglesim print piggle --size 40mm --out my-piggle
        pigglesim print premium --size 50mm --out heavy --floor felt
        pigglesim validate my-piggle
    """
    source = read_source(model)
    floors = [load_floor(name) for name in floor or ("tabletop", "felt")]
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SpecError(f"{out} exists", expected="a new folder", fix="use another --out")
    name = options.chosen_fast_engine(engine)
    engine_version(name)  # raises if it is not installed
    made = print_body(source, size=size, name=source.spec.id)
    labels = _labels(made)
    compile_for("drops", engine=name)
    tasks = [_task(made, labels, each, engine=name, seed=seed) for each in floors]
    tallies: dict[int, list[DropTally]] = {}
    results = drop_dice(tasks, drops=drops, workers=options.chosen_workers(workers))
    with Work("drops", "predicting", total=drops * len(tasks)) as work, closing(results):
        for number, tally in results:
            tallies.setdefault(number, []).append(tally)
            work.advance(tally.drops)
    prediction = Prediction(
        pigglesim=__version__,
        engine=name,
        engine_version=engine_version(name),
        seed=seed,
        date=date.today().isoformat(),
        model=source.spec.id,
        model_sha256=made.body.sha256,
        mass_g=made.body.mass.mass * 1e3,
        size_mm=_size(made),
        floors=tuple(
            predicted_floor(each, labels, reduce(add, tallies[number]))
            for number, each in enumerate(floors)
        ),
    )
    _write(out, made, labels, floors, prediction)
    document = {
        "folder": str(out),
        "model": source.spec.id,
        "size_mm": list(prediction.size_mm),
        "plastic_g": made.plastic_g,
        "ballast_g": made.ballast_g,
        "wall_mm": made.wall,
        "prediction": json.loads(prediction.text()),
    }
    if as_json:
        consoles.print_json(document)
    else:
        _show(made, prediction, out)


print = print_model


def _labels(made: PrintBody) -> list[str]:
    """Return the classes of a body: those of the rules in their order, others by name."""
    labels = {pose.label for pose in made.body.poses}
    rules = [each.label for each in Orientation if each.label in labels]
    return rules if made.body.pig else sorted(labels)


def _size(made: PrintBody) -> tuple[float, float, float]:
    x, y, z = (np.ptp(made.body.skin.vertices, axis=0) * 1e3).round(3).tolist()
    return x, y, z


def _task(made: PrintBody, labels: list[str], floor: Floor, *, engine: str, seed: int) -> DropTask:
    return DropTask(
        name=f"print, {floor.id}",
        body=made.body,
        support=support_for(made.body),
        classes=tuple(labels.index(pose.label) for pose in made.body.poses),
        class_count=len(labels),
        fall=floor.fall,
        surface=floor.surface("printed"),
        stepping=floor.stepping,
        engine=engine,
        seed=seed,
    )


def _write(
    out: Path, made: PrintBody, labels: list[str], floors: list[Floor], prediction: Prediction
) -> None:
    """Write all files of a print; die.toml last, so that no incomplete folder is ever counted."""
    from pigglesim.render.body_sheets import tally_sheet

    sheet = tally_sheet(
        made.body,
        title=made.spec.name,
        labels=labels,
        facts=_facts(made, floors),
        steps=_steps(made, floors, out),
        throws=_THROWS,
        seal=prediction.seal,
    )
    files = {name: text.encode() for name, text in made.files.items()}
    files |= {"body.stl": stl_bytes(made.surface), "body.3mf": threemf_bytes(made.surface)}
    files |= {"tally.html": sheet.encode(), PREDICTION_FILE: prediction.text().encode()}
    files["die.toml"] = _tally(made, labels).encode()
    make_folder(out)
    for name, data in files.items():
        write_atomically(out / name, data)


def _facts(made: PrintBody, floors: list[Floor]) -> list[tuple[str, str]]:
    """Return what is printed and thrown, by name."""
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
    facts = [
        ("size", f"{sides} mm"),
        ("plastic", f"{made.plastic_g:.2f} g, solid, {made.spec.density_kg_m3:g} kg/m3"),
    ]
    if made.ballast:
        ball, low = made.ballast, made.body.skin.vertices[:, 2].min()
        centre = ", ".join(f"{at * 1e3:.1f}" for at in ball.centre)
        form = f"{ball.form}, {2e3 * ball.radius:.2f} mm across"
        form += f" and {1e3 * ball.length:.2f} mm long" if ball.length else ""
        assert made.spec.ballast is not None
        facts += [
            ("ballast", f"{made.ballast_g:.2f} g of {made.spec.ballast.material}: {form}"),
            ("pocket", f"around ({centre}) mm, 0.1 mm wider on each side"),
            ("pause", f"{(_top(made) - low) * 1e3:.1f} mm above the bed, to insert the ballast"),
        ]
    return [*facts, ("floors", " or ".join(each.id for each in floors))]


def _top(made: PrintBody) -> float:
    """Return the height of the top of the ballast along the axis z of the mesh [m]."""
    ball = made.ballast
    assert ball is not None
    axis = np.array(ball.axis) / np.linalg.norm(ball.axis)
    # A cylinder reaches up by half its length along, and by its radius across, its axis.
    across = float(np.sqrt(max(0.0, 1.0 - axis[2] ** 2))) if ball.length else 1.0
    return ball.centre[2] + ball.radius * across + ball.length / 2.0 * abs(float(axis[2]))


def _steps(made: PrintBody, floors: list[Floor], out: Path) -> list[str]:
    heights = " or ".join(f"{each.fall.height * 1e3:.0f} mm ({each.id})" for each in floors)
    insert = ", and insert the ballast at the pause" if made.ballast else ""
    weight = f"{made.plastic_g + made.ballast_g:.2f} g"
    other = f" --floor {floors[0].id}" if floors[0].id != "tabletop" else ""
    return [
        f"Print body.3mf with 100 % infill{insert}. It must weigh {weight}.",
        f"Turn it at random in the hand. Drop it from {heights}, tumbling a little. "
        "Keep to one floor.",
        "Make one stroke per throw where it comes to rest. Count every throw, odd ones too.",
        f"Write the counts into die.toml, and run: pigglesim validate {out.name}{other}",
    ]


def _tally(made: PrintBody, labels: list[str]) -> str:
    """Return the text of a die.toml with empty counts."""
    lines = [
        f"# Counts of {made.spec.name}: replace each 0 by the number of throws on one floor.",
        f"name = {json.dumps(made.spec.name)}",
        'model = "model.toml"',
        'material = "printed"',
        'source = "who threw it, where and when"',
    ]
    for label in labels:
        downs = [pose.down.round(6) + 0.0 for pose in made.body.poses if pose.label == label]
        rows = json.dumps([down.tolist() for down in downs])
        lines += ["", "[[outcome]]", f"label = {json.dumps(label)}", "count = 0", f"down = {rows}"]
    return "\n".join(lines) + "\n"


def _show(made: PrintBody, prediction: Prediction, out: Path) -> None:
    console = consoles.result_console()
    floors = [f">on {each.floor}" for each in prediction.floors]
    table = consoles.word_table("predicted", *floors)
    for row in zip(*(each.outcomes for each in prediction.floors), strict=True):
        cells = (f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in row)
        table.add_row(row[0].label, *cells)
    console.print(table)
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
    ballast = f" and {made.ballast_g:.2f} g of ballast" if made.ballast else ""
    console.print(f"\n{sides} mm, {made.plastic_g:.2f} g of plastic{ballast}")
    console.print(f"sealed on {prediction.date}: SHA-256 {prediction.seal}", style="dim")
    command = command_here("validate", str(out))
    console.print(f"written to {out}: print tally.html, count, fill in die.toml, then\n{command}")
