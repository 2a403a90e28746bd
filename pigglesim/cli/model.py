"""The class of each pose of an imported body: from flags, from a pig's axes, or by asking."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from pigglesim.api.poses import poses_document
from pigglesim.bodies.body import Body
from pigglesim.bodies.load import CLASS_NAME, DENSEST, LIGHTEST, check_poses, load_model
from pigglesim.bodies.scan import (
    Scan,
    bare_body,
    class_by_axes,
    convex_parts,
    expect_cutter,
    length_unit,
    model_files,
    read_scan,
    resting_corners,
)
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.completions import UNIT
from pigglesim.cli.consoles import print_json, progress_console, result_console
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import ForceOption, JsonOption
from pigglesim.cli.poses import poses_view
from pigglesim.data_files import model_names
from pigglesim.errors import SpecError, unknown_name
from pigglesim.landing import Orientation
from pigglesim.rotations import Array

_WORDS = ", ".join(Orientation)
_LETTERS = "abcdefgh"


def choose_classes(
    body: Body,
    *,
    classes: str | None,
    face: str | None,
    crown: str | None,
    asks: bool,
) -> list[Orientation] | list[str]:
    """Return the class of each pose of a body, in their order: of the rules, or names.

    Args:
        body: A bare body.
        classes: The flag: a class for each pose, with commas between.
        face: The flag: where the snout points.
        crown: The flag: where the top of the head points.
        asks: Whether somebody is at a terminal to answer.

    Raises:
        SpecError: If no flag gives the classes and nobody can answer, or a flag is invalid.
    """
    if classes is not None:
        return _from_words(classes, len(body.poses))
    if (face is None) != (crown is None):
        raise SpecError(
            "--face and --crown together", got="one of them", remedy="--face +z --crown +y"
        )
    likely: list[Orientation] | None = None
    if face is not None and crown is not None:
        ahead, top = axis(face, "--face"), axis(crown, "--crown")
        likely = [class_by_axes(pose, face=ahead, crown=top) for pose in body.poses]
    if not asks:
        if likely is None:
            raise SpecError(
                f"the class of each of the {len(body.poses)} poses",
                got="no flag that gives it",
                remedy="--face +z --crown +y (where the snout and the top of the head of a pig "
                f"point), or --classes with your own names, as in --classes {_sample(body)}",
            )
        return likely
    console = result_console()
    poses_view(console, body, poses_document(body))
    if likely is None and not _is_pig():
        return _asked_names(console, body)
    return _asked(console, body, likely)


def _sample(body: Body) -> str:
    """Return a value of --classes with a name for each run of poses of one height."""
    runs = [len([*run]) for _, run in groupby(body.poses, lambda pose: round(pose.height, 5))]
    runs = runs if len(runs) <= len(_LETTERS) else [len(body.poses)]
    return ",".join(
        f"{letter}*{run}" if run > 1 else letter
        for letter, run in zip(_LETTERS, runs, strict=False)
    )


def _from_words(text: str, count: int) -> list[Orientation] | list[str]:
    """Return the classes in a flag, where `side*4` stands for four of one name."""
    words: list[str] = []
    for word in text.split(","):
        name, star, times = word.strip().rpartition("*")
        many = int(times) if star and times.isdecimal() and len(times) < 4 else 0
        words += [name.strip()] * many if many else [word.strip()]
    if len(words) != count:
        raise SpecError(
            f"{count} classes, one for each pose",
            got=str(len(words)),
            remedy="run `pigglesim poses FILE` and give them in its order",
        )
    if not set(words) & set(Orientation):
        for word in words:
            _check_name(word)
        return words
    for word in words:
        if word not in set(Orientation):
            raise SpecError(f"a class: {_WORDS}", got=repr(word), remedy="--classes up,down,head")
    return [Orientation(word) for word in words]


def _check_name(name: str) -> None:
    if name.casefold() in {each.label.casefold() for each in Orientation}:
        raise SpecError(
            f"the classes of a pig: {_WORDS}", got=repr(name), remedy="--classes up,down,head"
        )
    if not re.fullmatch(CLASS_NAME, name):
        raise SpecError(
            "a class name of up to 40 letters, digits, spaces, _, ., + and -",
            got=repr(name),
            remedy="--classes top,bottom,side",
        )


def _is_pig() -> bool:
    return typer.confirm("Is it a pig, whose poses are up, down and head?", default=True)


def _prompts(body: Body) -> list[str]:
    rows = [(pose.name, *pose.down.tolist()) for pose in body.poses]
    return [f"{name}, mesh direction ({x:+.2f}, {y:+.2f}, {z:+.2f}) down" for name, x, y, z in rows]


def _asked(console: Console, body: Body, likely: list[Orientation] | None) -> list[Orientation]:
    """Ask for each pose until the answer is a class; Enter takes the likely one, if there is."""
    console.print("How does the pig rest in each pose? up: on its back, snout up; down; head.")
    found = []
    for number, question in enumerate(_prompts(body)):
        while True:
            default = likely[number].value if likely else None
            word = str(typer.prompt(question, default=default)).strip().lower()
            if word in set(Orientation):
                found.append(Orientation(word))
                break
            console.print(f"one of {_WORDS}")
    return found


def _asked_names(console: Console, body: Body) -> list[str]:
    """Ask for a name of each pose; poses of one name are one class."""
    console.print("Name the class of each pose, such as heads, tails and edge.")
    found = []
    for question in _prompts(body):
        while True:
            word = str(typer.prompt(question)).strip()
            try:
                _check_name(word)
            except SpecError as fault:
                console.print(str(fault), markup=False)
                continue
            found.append(word)
            break
    return found


def axis(text: str, flag: str) -> Array:
    """Return the direction, shape [3], that `+z`, `-x` or `x,y,z` stands for.

    Raises:
        SpecError: If it stands for none.
    """
    signs, names = {"+": 1.0, "-": -1.0}, "xyz"
    plain = text if text[:1] in signs else f"+{text}"
    if len(plain) == 2 and plain[1] in names:
        found: Array = signs[plain[0]] * np.eye(3)[names.index(plain[1])]
        return found
    try:
        direction = np.array([float(word) for word in text.split(",")])
    except ValueError:
        direction = np.zeros(0)
    if direction.shape != (3,) or not np.all(np.isfinite(direction)) or not np.any(direction):
        raise SpecError(
            f"a direction for {flag} such as +z or 0,0.5,1", got=repr(text), remedy=f"{flag} +z"
        )
    return direction


model = CommandLine(help="Make models of your own.", no_args_is_help=True)


@model.callback()
def _model() -> None:
    """Keep `import` in the command line even while it is the only verb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseFlags:
    """The flags that tell what a pose of a mesh counts as."""

    classes: Annotated[
        str | None,
        Flag(metavar="CLASSES"),
        "Classes of the poses, separated by commas: up, down, head, or your names: side*4,end*2.",
    ] = None
    face: Annotated[
        str | None, Flag(metavar="AXIS"), "Direction of the snout in the mesh: +z, or x,y,z."
    ] = None
    crown: Annotated[
        str | None, Flag(metavar="AXIS"), "Direction of the top of the head: +y, or x,y,z."
    ] = None
    yes: Annotated[bool, Flag("--yes", "-y"), "Ask no questions."] = False


@model.command("import")
def import_model(
    *,
    file: Annotated[Path, WORD, "Mesh file: STL, OBJ, PLY or GLB."],
    unit: Annotated[str, UNIT, "Unit of the mesh file: mm, cm, m or in."],
    name: Annotated[
        str | None,
        Flag(metavar="NAME"),
        "Name of the model: a-z, 0-9, _ and -. Default: the file's.",
    ] = None,
    density: Annotated[float, "Density of the material. [kg/m3]"] = 1100.0,
    out: Annotated[Path, Flag(metavar="DIR"), "Folder for the files of the model."] = Path(
        "models"
    ),
    flags: PoseFlags,
    parts: Annotated[
        str, Flag(metavar="PARTS"), "Collision shape: hull (one convex piece) or coacd (several)."
    ] = "hull",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a model of a mesh file: STL, OBJ, PLY or GLB.

    A pig has three classes of poses: up, down and head. --face and --crown give the directions of
    its snout and of the top of its head in the mesh. Any other body has classes that you name:
    --classes gives one for each pose, in the order that `pigglesim poses FILE` shows (`side*4` is
    four of one name). At a terminal you are asked for those that no flag gives.

    Models in ./models, or in a folder that PIGGLESIM_MODELS names, are found by name.

    Examples:
        pigglesim model import pig.stl --unit mm
        pigglesim model import pig.stl --unit mm --face +z --crown +y --yes
        pigglesim model import pig.glb --unit m --name my_pig --classes up,down,down,head
            --parts coacd
        pigglesim model import brick.stl --unit mm --classes side*4,end*2
        pigglesim roll 3 --model my_pig
    """
    scale = length_unit(unit)
    if parts not in {"hull", "coacd"}:
        raise unknown_name("way to collide", parts, ("hull", "coacd"))
    if parts == "coacd":
        expect_cutter()
    model = _model_id(name, file)
    asks = not (flags.yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    target = _free(out, model, replace=force)
    _check_density(density)
    with progress_console().status(f"reading {file.name} ..."):
        scan = read_scan(file, scale)
        body = bare_body(scan, density=density)
    check_poses(len(body.poses), name=file.name)
    chosen = choose_classes(
        body,
        classes=flags.classes,
        face=flags.face,
        crown=flags.crown,
        asks=asks,
    )
    pieces = _cut(scan, body) if parts == "coacd" else {}
    files = model_files(scan, body, model=model, density=density, classes=chosen, parts=pieces)
    _write(out, files)
    _tell(load_model(str(target)), [str(out / each) for each in sorted(files)], scan.notes, as_json)
    if not as_json:
        known = model if out == Path("models") else target
        # The rules read every body on a board as a pig; studies count the classes that it has.
        verb = "roll 3" if isinstance(chosen[0], Orientation) else "study --kind drop"
        result_console().print(f"try: pigglesim {verb} --model {known}", style="dim")


def _cut(scan: Scan, body: "Body") -> dict[str, Any]:
    """Return the convex parts of a mesh, by name."""
    with progress_console().status("cutting convex parts, a minute or so ..."):
        return convex_parts(scan.vertices, scan.faces, keep=resting_corners(body) * 1e3)


def _tell(made: "Body", files: list[str], notes: Sequence[str], as_json: bool) -> None:
    """Tell what was mended, how the model comes to rest, and where it is written."""
    document = poses_document(made)
    if as_json:
        print_json({"files": files, "mended": list(notes), **document})
        return
    console = result_console()
    for note in notes:
        console.print(f"mended: {note}")
    poses_view(console, made, document)
    console.print(f"written: {', '.join(files)}")


def _model_id(name: str | None, file: Path) -> str:
    """Return the id that is given, or one made from the file's name."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", file.stem.lower()).strip("_-")[:40] or "model"
    model = plain if name is None else name
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", model):
        raise SpecError(
            "a name of up to 40 letters a-z, digits, _ and -",
            got=repr(model),
            remedy=f"--name {plain}",
        )
    if model in model_names():
        raise SpecError(
            "a name that no model of the program has", got=repr(model), remedy=f"--name my_{model}"
        )
    return model


def _check_density(density: float) -> None:
    if not LIGHTEST <= density <= DENSEST:
        raise SpecError(
            f"a density of {LIGHTEST} to {DENSEST:,} kg/m3",
            got=f"{density:g}",
            remedy="--density 1100 for plastic; an aerogel has 1, osmium 22,590 kg/m3",
        )


def _free(out: Path, model: str, *, replace: bool) -> Path:
    """Return the model file to be written, once it is known that it may be."""
    target = out / f"{model}.toml"
    if out.exists() and not out.is_dir():
        raise SpecError("a folder for the model", got=f"the file {out}", remedy="--out models")
    if target.exists() and not replace:
        raise SpecError(
            f"a new model in {out}",
            got=f"{target.name}, which is there already",
            remedy="--name ANOTHER, or --force to replace it",
        )
    return target


def _write(out: Path, files: dict[str, str]) -> None:
    """Write all files, the model file last: nobody finds a model that is not whole."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in sorted(files, key=lambda name: (name.endswith(".toml"), name)):
            (out / name).write_text(files[name], encoding="utf-8", newline="\n")
    except OSError as fault:
        raise SpecError(
            "a folder that can be written", got=f"{out}: {fault.strerror}", remedy="--out FOLDER"
        ) from None
