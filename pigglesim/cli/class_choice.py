"""The class of each pose of an imported body: from flags, from a pig's axes, or by asking."""

import re
from itertools import groupby

from rich.console import Console

from pigglesim.cli.options import result_console
from pigglesim.cli.pose_table import poses_view
from pigglesim.errors import SpecError
from pigglesim.rolls import Orientation
from pigglesim.shapes.adopt import class_by_axes
from pigglesim.shapes.body import Body
from pigglesim.shapes.model_file import CLASS_NAME
from pigglesim.spatial import Array
from pigglesim.verbs.poses import poses_document

__all__ = ["choose_classes"]

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
    import typer

    return typer.confirm("Is it a pig, whose poses are up, down and head?", default=True)


def _prompts(body: Body) -> list[str]:
    rows = [(pose.name, *pose.down.tolist()) for pose in body.poses]
    return [f"{name}, mesh direction ({x:+.2f}, {y:+.2f}, {z:+.2f}) down" for name, x, y, z in rows]


def _asked(console: Console, body: Body, likely: list[Orientation] | None) -> list[Orientation]:
    """Ask for each pose until the answer is a class; Enter takes the likely one, if there is."""
    import typer

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
    import typer

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
    import numpy as np

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
