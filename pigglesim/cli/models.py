"""`pigglesim models` and `model`: the models there are, and models made of mesh files."""

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.api.poses import poses_document
from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import split_livery
from pigglesim.bodies.load import (
    CLASS_NAME,
    DENSEST,
    LIGHTEST,
    check_poses,
    load_model,
    load_models,
)
from pigglesim.bodies.measured import MEASURED_FILE, measured_text, read_measured
from pigglesim.bodies.poses import support_for
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
from pigglesim.cli.completions import MODELS, UNIT
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    progress_console,
    result_console,
    word_table,
)
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import (
    EngineOption,
    ForceOption,
    JsonOption,
    SceneOption,
    WorkersOption,
    chosen_fast_engine,
    chosen_seed,
    chosen_workers,
)
from pigglesim.cli.poses import poses_view
from pigglesim.data_files import model_file, model_names, own_model_names
from pigglesim.errors import PigglesimError, SpecError, unknown_name
from pigglesim.landing import Orientation
from pigglesim.markings import Colour, Rune
from pigglesim.rotations import Array
from pigglesim.scene.load import load_scene
from pigglesim.studies.tally import measured_model, model_settings, pour_all

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
