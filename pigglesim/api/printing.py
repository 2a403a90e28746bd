"""Prints of models: files for a printer, a tally sheet, and a sealed prediction."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from pigglesim.arguments import JsonResult, checked
from pigglesim.bodies.body import support_for
from pigglesim.bodies.infill import LAYER, LINE
from pigglesim.bodies.load import InfillSpec
from pigglesim.bodies.mesh import mesh_errors
from pigglesim.bodies.variant import read_source
from pigglesim.durable_io import make_folder, write_atomically
from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import DropTask, drop_all
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.printing import (
    PREDICTION_FILE,
    PredictedFloor,
    PrintBody,
    SealedPrediction,
    predicted_floor,
    print_body,
    stl_bytes,
    threemf_bytes,
)
from pigglesim.landing import ordered_classes
from pigglesim.limits import Limits
from pigglesim.physics.engines import engine_version, fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, root_seed
from pigglesim.units import percent
from pigglesim.version import __version__

DROPS = Limits(1000, 10**8)
"""Drops per floor."""
INFILL = Limits(0.0, 1.0)
"""Share of plastic inside."""
LAYERS = Limits(0, 100)
"""Lines in the walls, and layers at top and bottom."""
_THROWS = 200
"""Number of throws that the sheet has room for; shares of them are known to about 0.035."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrintedModel(JsonResult):
    """Files of a print, and the shares predicted for it."""

    folder: Path
    body: PrintBody = field(repr=False)
    """The body at the size of the print."""
    prediction: SealedPrediction = field(repr=False)
    """Shares on each floor, sealed."""

    def document(self) -> dict[str, Any]:
        """Return the print as JSON values; units are in the names."""
        body = self.body
        return {
            "folder": str(self.folder),
            "model": body.spec.id,
            "size_mm": list(self.prediction.size_mm),
            "plastic_g": body.plastic_g,
            "infill": body.spec.infill and body.spec.infill.model_dump(),
            "ballast_g": body.ballast_g,
            "wall_mm": body.wall,
            "prediction": json.loads(self.prediction.text()),
        }


@checked
def print_model(
    model: str,
    *,
    size: float,
    out: str | PathLike[str],
    floors: Sequence[str] = ("printed", "felt"),
    infill: Annotated[float | None, INFILL] = None,
    walls: Annotated[int, LAYERS] = 2,
    covers: Annotated[int, LAYERS] = 4,
    drops: Annotated[int, DROPS] = 100_000,
    seed: Seed = 1,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PrintedModel:
    """Write files to print a model, a tally sheet, and a sealed prediction of its shares.

    Args:
        model: Name in `known().models`, or a path to a TOML file or a folder.
        size: Length of the longest side [mm], 15 to 200.
        out: New folder for the print.
        floors: Floors to predict for, one or more, and fits for all their floors.
        infill: Share of plastic inside, such as 0.15. Default: solid.
        walls: Lines of 0.42 mm in the walls.
        covers: Layers of 0.2 mm at top and bottom.
        drops: Drops per floor, and of all floors of a fit together, 1000 or more.
        seed: Root seed, or a stream to draw it from; it is sealed with the prediction.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called after each batch with the numbers of drops made and wanted.

    Returns:
        The body and its prediction.

    Raises:
        PigglesimError: If a name is unknown, a number is out of range, no printer makes this size,
            or the folder exists.

    Examples:
        >>> import pigglesim
        >>> pigglesim.print_model("d6", size=20.0, out="my-die", drops=1000).prediction.seal
    """
    floors, drops = tuple(floors), int(drops)
    if not floors:
        raise SpecError("no floor is named", expected="one or more", fix='use floors=("printed",)')
    source, folder = read_source(model), Path(out)
    places = [Floors.of(name) for name in floors]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecError(f"{folder} exists", expected="a new folder", fix="use another --out")
    name, root = engine or fastest_engine_name(), root_seed(seed)
    version = engine_version(name)  # raises if it is not installed
    inside = None
    if infill is not None:
        inside = InfillSpec(
            share=infill, wall_mm=round(walls * LINE, 5), cover_mm=round(covers * LAYER * 1e3, 5)
        )
    made = print_body(source, size=size, name=source.spec.id, infill=inside)
    labels = [*ordered_classes(pose.label for pose in made.body.poses)]
    compile_for("drops", engine=name)
    tasks = [_tasks(made, labels, each, engine=name, seed=root) for each in places]
    counts = [-(-drops // len(own)) for own in tasks]
    done, wanted = 0, sum(len(own) * count for own, count in zip(tasks, counts, strict=True))
    predicted = list[PredictedFloor]()

    def watch(more: int) -> None:
        if progress is not None:
            progress(done + more, wanted)

    for each, own, count in zip(places, tasks, counts, strict=True):
        dropped = drop_all(own, drops=count, workers=workers, watch=watch)
        done += len(own) * count
        predicted.append(predicted_floor(each, labels, dropped, mesh=mesh_errors(made.body)))
    prediction = SealedPrediction(
        pigglesim=__version__,
        engine=name,
        engine_version=version,
        seed=root,
        date=date.today().isoformat(),
        model=source.spec.id,
        model_sha256=made.body.sha256,
        mass_g=made.body.mass.mass * 1e3,
        size_mm=_size(made),
        floors=tuple(predicted),
    )
    _write(folder, made, labels, places, prediction)
    return PrintedModel(folder=folder, body=made, prediction=prediction)


def _size(made: PrintBody) -> tuple[float, float, float]:
    x, y, z = (np.ptp(made.body.skin.vertices, axis=0) * 1e3).round(3).tolist()
    return x, y, z


def _tasks(
    made: PrintBody, labels: list[str], floors: Floors, *, engine: str, seed: int
) -> list[DropTask]:
    """Return the drops on a floor, or on each floor of a fit."""
    names = [f"print, {floors.id}"]
    if floors.known:
        names = [f"print, {floors.id} {number}" for number in range(len(floors.known.floors))]
    return [
        DropTask(
            name=name,
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
        for name, floor in zip(names, floors.places(floors.ground), strict=True)
    ]


def _write(
    out: Path,
    made: PrintBody,
    labels: list[str],
    floors: list[Floors],
    prediction: SealedPrediction,
) -> None:
    """Write all files of a print; die.toml last, so that no incomplete folder is ever counted."""
    from pigglesim.render.body_sheets import tally_sheet  # noqa: PLC0415 (draws)

    sheet = tally_sheet(
        made.body,
        title=made.spec.name,
        labels=labels,
        facts=_facts(made, floors),
        steps=_steps(made, prediction.floors, out),
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


def _facts(made: PrintBody, floors: list[Floors]) -> list[tuple[str, str]]:
    """Return what is printed and thrown, by name."""
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
    facts = [
        ("size", f"{sides} mm"),
        (
            "plastic",
            f"{made.plastic_g:.2f} g, {_inside(made)}, {made.spec.density_kg_m3:g} kg/m3",
        ),
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


def _inside(made: PrintBody) -> str:
    """Return the settings of the slicer."""
    infill = made.spec.infill
    if infill is None:
        return "with 100 % infill"
    return (
        f"with {percent(infill.share)} infill, walls of {infill.wall_mm:g} mm, and "
        f"{infill.cover_mm:g} mm of solid layers at top and bottom"
    )


def _top(made: PrintBody) -> float:
    """Return the height of the top of the ballast along the axis z of the mesh [m]."""
    ball = made.ballast
    assert ball is not None
    axis = np.array(ball.axis) / np.linalg.norm(ball.axis)
    # A cylinder reaches up by half its length along, and by its radius across, its axis.
    across = float(np.sqrt(max(0.0, 1.0 - axis[2] ** 2))) if ball.length else 1.0
    return ball.centre[2] + ball.radius * across + ball.length / 2.0 * abs(float(axis[2]))


def _steps(made: PrintBody, predicted: Sequence[PredictedFloor], out: Path) -> list[str]:
    heights = " or ".join(f"{each.height_m * 1e3:.0f} mm ({each.floor})" for each in predicted)
    insert = ", and insert the ballast at the pause" if made.ballast else ""
    weight = f"{made.plastic_g + made.ballast_g:.2f} g"
    other = f" --floor {predicted[0].floor}" if predicted[0].floor != "tabletop" else ""
    numbered = not made.body.pig and all(pose.label.isdecimal() for pose in made.body.poses)
    return [
        f"Print body.3mf {_inside(made)}{insert}. It must weigh {weight}.",
        *["Write the numbers on its sides with a pen, as in the pictures."] * numbered,
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
