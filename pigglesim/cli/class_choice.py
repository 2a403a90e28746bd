"""Which class each pose of an imported body is of: from flags, from its axes, or by asking."""

from rich.console import Console

from pigglesim.cli.options import result_console
from pigglesim.cli.pose_table import poses_view
from pigglesim.errors import SpecError
from pigglesim.rolls import Orientation
from pigglesim.shapes.adopt import class_by_axes
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array
from pigglesim.verbs.poses import poses_document

__all__ = ["choose_classes"]

_WORDS = ", ".join(Orientation)


def choose_classes(
    body: Body,
    *,
    classes: str | None,
    face: str | None,
    crown: str | None,
    yes: bool,
    asks: bool,
) -> list[Orientation]:
    """Return the class of each pose of a body, in their order.

    Args:
        body: A bare body.
        classes: The flag: a class for each pose, with commas between.
        face: The flag: where the snout points.
        crown: The flag: where the top of the head points.
        yes: Whether to take the axes +z and +y where nothing is said.
        asks: Whether somebody sits there to be asked.

    Raises:
        SpecError: If nothing tells, or what tells is no answer.
    """
    if classes is not None:
        return _from_words(classes, len(body.poses))
    if (face is None) != (crown is None):
        raise SpecError(
            "--face and --crown together", got="one of them", remedy="--face +z --crown +y"
        )
    if face is None and not (yes or asks):
        raise SpecError(
            f"the class of each of the {len(body.poses)} poses",
            got="none, and nobody to ask",
            remedy=f"--face +z --crown +y, or --classes {','.join(['up'] * len(body.poses))} "
            "as `pigglesim poses` orders them",
        )
    ahead, top = axis(face or "+z", "--face"), axis(crown or "+y", "--crown")
    likely = [class_by_axes(pose, face=ahead, crown=top) for pose in body.poses]
    if not asks:
        return likely
    console = result_console()
    poses_view(console, body, poses_document(body))
    return _asked(console, body, likely)


def _from_words(text: str, count: int) -> list[Orientation]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != count:
        raise SpecError(
            f"{count} classes, one for each pose",
            got=str(len(words)),
            remedy="run `pigglesim poses FILE` and give them in its order",
        )
    for word in words:
        if word not in set(Orientation):
            raise SpecError(f"a class: {_WORDS}", got=repr(word), remedy="--classes up,down,head")
    return [Orientation(word) for word in words]


def _asked(console: Console, body: Body, likely: list[Orientation]) -> list[Orientation]:
    """Ask for each pose until the answer is a class; Enter takes what is likely."""
    import typer

    console.print("How does the pig lie in each pose? up: on its back, snout up; down; head.")
    found = []
    for pose, guess in zip(body.poses, likely, strict=True):
        x, y, z = pose.down.tolist()
        while True:
            question = f"{pose.name}, mesh direction ({x:+.2f}, {y:+.2f}, {z:+.2f}) down"
            word = str(typer.prompt(question, default=guess.value)).strip().lower()
            if word in set(Orientation):
                found.append(Orientation(word))
                break
            console.print(f"one of {_WORDS}")
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
