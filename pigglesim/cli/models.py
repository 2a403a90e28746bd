"""`pigglesim models`, `model` and `poses`: list, import of mesh files, and stable poses."""

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from pigglesim.api.models import PLASTIC_DENSITY, Classes, NewModel, class_name, orientation_class
from pigglesim.api.models import import_model as import_mesh
from pigglesim.api.names import poses_document
from pigglesim.bodies import scan
from pigglesim.bodies.body import Body
from pigglesim.bodies.load import (
    MEASURED_FILE,
    MeasuredModel,
    load_model,
    load_models,
    read_measured,
)
from pigglesim.bodies.mesh_files import SUFFIXES
from pigglesim.cli import consoles, options
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.flags import ARGUMENT, Arguments, Flag, arguments_of
from pigglesim.data_files import model_file, model_names, user_model_names
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.markings import Colour, Rune, split_livery
from pigglesim.scene.load import load_scene
from pigglesim.throws import reach
from pigglesim.units import percent

T = TypeVar("T")


def poses(
    model: Annotated[str, options.MODEL, ARGUMENT, "Model: a name, a TOML file or a mesh file."],
    as_json: options.Json = False,
    plot: options.Plot = None,
    unit: Annotated[
        str | None, options.UNIT, "Unit of a mesh: mm, cm, m or in. Default: m for GLB, else mm."
    ] = None,
    join: Annotated[bool, "Unite shells that overlap or touch, such as eyes on a head."] = False,
) -> None:
    """Show the stable poses of a model or mesh file.

    Mesh files are STL, OBJ, PLY or GLB.

    Shares are quasi-static: the share of all directions that roll into a pose without momentum. A
    mesh file is weighed as solid plastic of 1,100 kg/m3.

    Examples:
        pigglesim poses piggle
        pigglesim poses premium --json
        pigglesim poses piggle --plot poses.png
        pigglesim poses scan.stl --unit mm --plot poses.svg
    """
    notes: tuple[str, ...] = ()
    if Path(model).suffix.lower() in SUFFIXES:
        file = Path(model)
        if unit is None and file.suffix.lower() != ".glb":
            unit = scan.LengthUnit.MILLIMETRE
        mesh = scan.read_scan(file, scan.length_unit(unit, file), join=join)
        body, notes = scan.bare_body(mesh, density=PLASTIC_DENSITY), mesh.notes
    elif unit is not None or join:
        flag = "--join" if unit is None else "--unit"
        raise SpecError(
            f"{flag} has no effect on the model {model!r}, which is not a mesh file",
            fix=f"leave {flag} out",
        )
    else:
        body = load_model(model)
    document = poses_document(body)
    if plot is not None:
        with consoles.progress_console().status(f"drawing {len(body.distinct_poses)} poses ..."):
            _draw_poses(body, document, plot)
    if as_json:
        consoles.print_json(document)
        return
    console = consoles.result_console()
    _show_poses(console, body, document)
    for line in notes:
        console.print(f"note: {line}", style="dim")
    if plot is not None:
        console.print(f"drawn in {plot}", style="dim")


def _is_classed(body: Body) -> bool:
    return any(pose.orientation or pose.face for pose in body.poses)


def _class_shares(document: Mapping[str, Any], places: int) -> str:
    return " · ".join(
        f"{name} {percent(share, places=places)}" for name, share in document["classes"].items()
    )


def _show_poses(console: Console, body: Body, document: Mapping[str, Any]) -> None:
    """Print the table of poses and the shares of the classes."""
    wide, deep, high = document["size_mm"]
    size = f"  {wide:.1f} x {deep:.1f} x {high:.1f} mm, {document['mass_g']:.2f} g"
    console.print(Text.assemble((body.model, "bold"), size))
    numbers = (">share", ">centre [mm]", ">tips at [mm]", ">energy")
    rows = (
        (
            pose.name if row["facets"] == 1 else f"{pose.name} ({row['facets']} facets)",
            pose.label if pose.orientation or pose.face else "-",
            percent(row["share"], places=2),
            f"{row['height_mm']:.2f}",
            "never" if row["escape_mm"] is None else f"+{row['escape_mm']:.2f}",
            "" if row["escape_mm"] is None else _energy(row["escape_uj"]),
            ", ".join(pose.parts),
        )
        for pose, row in zip(body.distinct_poses, document["poses"], strict=True)
    )
    console.print(consoles.word_table("pose", "class", *numbers, "rests on", rows=rows))
    if _is_classed(body):
        console.print(_class_shares(document, 2))
    console.print(
        "Shares without momentum, exact for this mesh; drops differ, above all in rare poses.",
        style="dim",
    )


def _energy(microjoules: float) -> str:
    return f"{microjoules / 1e3:.2f} mJ" if microjoules >= 1e3 else f"{microjoules:.3g} μJ"


def _draw_poses(body: Body, document: Mapping[str, Any], file: Path) -> None:
    from pigglesim.render.body_sheets import draw_pose_sheet

    shares = f"{_class_shares(document, 1)} (without momentum)"
    draw_pose_sheet(
        body,
        file,
        title=body.model,
        subtitle=shares if _is_classed(body) else "shares without momentum",
        shares=[row["share"] for row in document["poses"]],
    )


def _prompt_classes(body: Body, likely: Classes | None) -> Classes:
    """Return the classes that the user types; Enter accepts the likely class, if any."""
    console = consoles.result_console()
    _show_poses(console, body, poses_document(body))
    question = "Is it a pig, whose poses are up, down and head?"
    if likely is None and not typer.confirm(question, default=True):
        console.print("Name the class of each pose, such as heads, tails and edge.")
        return _prompt_each(body, [None] * len(body.distinct_poses), class_name)
    console.print("How does the pig rest in each pose? up: on its back, snout up; down; head.")
    defaults = (
        [None] * len(body.distinct_poses) if likely is None else [str(each) for each in likely]
    )
    return _prompt_each(body, defaults, lambda word: orientation_class(word.lower()))


def _prompt_each(body: Body, defaults: Sequence[str | None], read: Callable[[str], T]) -> list[T]:
    """Return a class for each pose; an invalid answer prints the error and is repeated."""
    classes: list[T] = []
    while len(classes) < len(body.distinct_poses):
        pose = body.distinct_poses[len(classes)]
        x, y, z = pose.down.tolist()
        question = f"{pose.name}, mesh direction ({x:+.2f}, {y:+.2f}, {z:+.2f}) down"
        word = str(typer.prompt(question, default=defaults[len(classes)])).strip()
        try:
            classes.append(read(word))
        except SpecError as fault:
            consoles.result_console().print(str(fault), markup=False)
    return classes


model = CommandLine(help="Make models of your own.", no_args_is_help=True)


@model.callback()
def _model() -> None:
    """Make `model` a group: Typer would merge its only verb, `import`, into it."""


@model.command("import")
def import_model(
    *,
    file: Annotated[Path, ARGUMENT, "Mesh file: STL, OBJ, PLY or GLB."],
    settings: Arguments = arguments_of(
        import_mesh,
        *("density", "join"),
        unit=options.UNIT,
        name=Flag(metavar="NAME"),
        out=Flag(metavar="DIR"),
        classes=Flag(metavar="CLASSES"),
        face=Flag(metavar="AXIS"),
        crown=Flag(metavar="AXIS"),
        parts=Flag(metavar="PARTS"),
    ),
    yes: Annotated[bool, Flag("--yes", "-y"), "Ask no questions."] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Make a model of a mesh file: STL, OBJ, PLY or GLB.

    A pig has three classes of poses: up, down and head. --face and --crown give the directions of
    its snout and of the top of its head in the mesh. For any other body you name the classes:
    --classes gives one per pose, in the order that `pigglesim poses FILE` shows (`side*4` is
    four of one name). At a terminal, a prompt asks for the classes that no flag gives.

    Models in ./models, or in a folder that PIGGLESIM_MODELS names, are found by name.

    Examples:
        pigglesim model import pig.stl --unit mm
        pigglesim model import pig.stl --unit mm --face +z --crown +y --yes
        pigglesim model import pig.glb --name my_pig --classes up,down,down,head
            --parts coacd
        pigglesim model import brick.stl --unit mm --classes side*4,end*2
        pigglesim roll 3 --model my_pig
    """
    given = {name: settings.pop(name) for name in ("classes", "face", "crown")}
    with consoles.progress_console().status(f"reading {file.name} ..."):
        found = NewModel.of(file, overwrite=force, **settings)
    classes = found.classes_of(**given)
    asks = not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    if asks and given["classes"] is None:
        classes = _prompt_classes(found.body, classes)
    work = "cutting convex parts, a minute or so ..." if found.cut else "writing the model ..."
    with consoles.progress_console().status(work):
        imported = found.written(classes)
    if as_json:
        consoles.print_json(imported.document())
        return
    console = consoles.result_console()
    for line in imported.notes:
        console.print(f"note: {line}")
    _show_poses(console, imported.body, imported.document())
    console.print(f"written: {', '.join(map(str, imported.files))}")
    command = _command_to_try(imported.body, imported.reference)
    console.print(f"try: {command}", style="dim", soft_wrap=True)


def _command_to_try(body: Body, reference: str | Path) -> str:
    """Return a command that throws the new model."""
    # The rules read every body on a board as a pig; studies count its own classes.
    fits = reach(body) < load_scene("piggles_classic").cup.inner_radius
    verb = "roll 3" if body.pig and fits else "study --kind drop"
    return f"pigglesim {verb} --model {shlex.quote(str(reference))}"


def models(
    *,
    plot: Annotated[Path | None, "Picture of every livery of a model, a .png or .svg file."] = None,
    only: Annotated[
        str | None, options.MODELS, "Models or their files, separated by commas. Default: all."
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the models with their weight, poses, shares and liveries.

    Models of your own, in ./models or in a folder that PIGGLESIM_MODELS names, are listed too.

    Examples:
        pigglesim models
        pigglesim models --plot lineup.png
        pigglesim models --only d6,premium --json
    """
    names = options.list_of(only) or list(model_names())
    bodies = load_models(names)
    if plot:
        from pigglesim.render.body_sheets import save_lineup

        with consoles.progress_console().status("drawing ..."):
            save_lineup(bodies[names[0] if only else "piggle"], plot)
    measured = read_measured(model_file("piggle").parent / MEASURED_FILE)
    entries = [
        # A livery has the shares of the plain model.
        _entry(name, body, measured.get(name) or measured.get(split_livery(name)[0]))
        for name, body in bodies.items()
    ]
    document: dict[str, Any] = {
        "models": entries if only else [*entries, *_user_models(measured)],
        "liveries": {
            "colours": [
                {"id": str(each), "label": each.label, "effect": each.effect} for each in Colour
            ],
            "runes": [
                {"id": str(each), "number": each.number, "label": each.label} for each in Rune
            ],
            "example": "piggle+blue+left",
        },
    }
    if as_json:
        consoles.print_json(document)
    else:
        _show_models(document)


def _user_models(measured: Mapping[str, MeasuredModel]) -> Iterator[dict[str, Any]]:
    """Yield the user's own models as JSON values, with a note of each that cannot be read."""
    for name in user_model_names():
        try:
            yield _entry(name, load_model(name), measured.get(name))
        except PigglesimError as fault:
            consoles.note(f"{name} is left out: {fault}")


def _entry(name: str, body: Body, row: MeasuredModel | None) -> dict[str, Any]:
    """Return a model as JSON values."""
    current = row if row is not None and row.model_sha256 == body.sha256 else None
    return poses_document(body) | {
        "model": name,
        "own": split_livery(name)[0] not in model_names(),
        "pig": body.pig,
        "measured": asdict(current) if current else None,
    }


def _show_models(document: dict[str, Any]) -> None:
    """Print the models as tables."""
    console = consoles.result_console()
    numbers = (">mass [g]", ">centre [mm]", ">poses", ">up, down, head [%]")
    table = consoles.word_table("model", *numbers, ">measured [%]")
    for entry in document["models"]:
        row, centre = entry["measured"], entry["centre_mm"]
        shares = entry["classes"].values() if entry["pig"] else ()
        table.add_row(
            f"{entry['model']}{' (own)' if entry['own'] else ''}",
            f"{entry['mass_g']:.2f}",
            ", ".join(f"{round(at, 1) + 0.0:.1f}" for at in centre),
            str(len(entry["poses"])),
            " ".join(map(_percent, shares)) or "-",
            " ".join(map(_spread, row["shares"].values())) if row else "-",
        )
    console.print(table)
    liveries = document["liveries"]
    colours = ", ".join(f"{each['id']} ({each['effect']})" for each in liveries["colours"])
    runes = ", ".join(f"{each['number']} {each['id']}" for each in liveries["runes"])
    console.print(
        "Shares are quasi-static, which ignores momentum; then measured by pours, ± half of the\n"
        "95 % interval.",
        style="dim",
    )
    console.print(f"\ncolours  {colours}\nrunes    {runes}\nsuch as  {liveries['example']}")


def _spread(share: dict[str, float]) -> str:
    return f"{_percent(share['value'])}±{_percent((share['high'] - share['low']) / 2)}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}"
