"""Text that several games share: states as `name=value` words, thrown dice and where they lie.

Dice are `3 5`, each followed in brackets by where physics let it lie, `[x,y,z,qx,qy,qz,qw]`; dice
that were thrown more than once until they lay flat have `x2`, `x3` and so on at the end. Numbers
read back to the last bit.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace

P = TypeVar("P")
T = TypeVar("T")


def written(words: Iterable[tuple[str, str]]) -> str:
    """Return names and values as one line, without those that have no value."""
    return " ".join(f"{name}={value}" for name, value in words if value)


def words_in(text: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each word.

    Args:
        text: What `written` gave.
        known: Every name that there is, in the order in which they are told.

    Raises:
        SpecError: If a name is unknown or given twice.
    """
    seen: set[str] = set()
    for word in text.split():
        name, _, value = word.partition("=")
        if name in seen or name not in known:
            remedy = "leave one out" if name in seen else ", ".join(known)
            raise SpecError("each word of a position once", got=repr(name), remedy=remedy)
        seen.add(name)
        yield name, value


def read_value(name: str, text: str, read: Callable[[str], T]) -> T:
    """Return what the value of a word says.

    Args:
        name: Of the word.
        text: Its value.
        read: Returns what it says; raises ValueError or KeyError where it says nothing.

    Raises:
        SpecError: If it cannot be read.
    """
    try:
        return read(text)
    except (ValueError, KeyError):
        raise SpecError(
            f"a value of {name}", got=repr(text), remedy="copy the position whole"
        ) from None


def read_words(text: str, blank: P, readers: Mapping[str, Callable[[P, str], P]]) -> P:
    """Return the state that a text describes, possible or not.

    Args:
        text: What `written` gave.
        blank: The state of which nothing is told.
        readers: By the name of a word, what returns a state with its value put in.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    state = blank
    for name, value in words_in(text, readers):
        state = read_value(name, value, partial(readers[name], state))
    return state


def format_place(place: RestPlace | None) -> str:
    """Return a place in brackets; nothing for none."""
    if place is None:
        return ""
    numbers = (*place.position, *place.rotation)
    return f"[{','.join(repr(float(number)) for number in numbers)}]"


def parse_place(text: str) -> RestPlace:
    """Return the place whose numbers `format_place` wrote.

    Args:
        text: What stands in the brackets.

    Raises:
        SpecError: If it is not seven numbers.
    """
    try:
        x, y, z, qx, qy, qz, qw = (float(word) for word in text.split(","))
    except ValueError:
        raise SpecError(
            "7 numbers of a place", got=repr(text), remedy="x,y,z,qx,qy,qz,qw"
        ) from None
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))


_DIE = re.compile(r"(?P<face>[1-9]\d*)(?:\[(?P<place>[^\]]*)\])?", re.ASCII)
_THROWS = re.compile(r"x([1-9]\d*)", re.ASCII)


def format_dice(result: DiceResult) -> str:
    """Return thrown dice as words between single spaces.

    Raises:
        SpecError: If a number of a place is not finite.
    """
    places = result.places or (None,) * len(result.faces)
    words = [f"{face}{_place(place)}" for face, place in zip(result.faces, places, strict=True)]
    return " ".join(words if result.throws == 1 else [*words, f"x{result.throws}"])


def _place(place: RestPlace | None) -> str:
    if place is None:
        return ""
    numbers = (*place.position, *place.rotation)
    if not all(map(math.isfinite, numbers)):
        raise SpecError("finite numbers of a place", got=repr(numbers), remedy="throw again")
    return format_place(place)


def parse_dice(text: str) -> DiceResult:
    """Return the dice that `format_dice` wrote.

    Raises:
        SpecError: If the text is none, or only some of the dice have a place.
    """
    words = text.split()
    thrown = _THROWS.fullmatch(words[-1]) if words else None
    dice = [_DIE.fullmatch(word) for word in (words[:-1] if thrown else words)]
    faces = [int(die["face"]) for die in dice if die is not None]
    places = [parse_place(die["place"]) for die in dice if die is not None and die["place"]]
    if not dice or len(faces) < len(dice) or len(places) not in {0, len(dice)}:
        raise SpecError("dice", got=repr(text), remedy="3 5")
    throws = int(thrown[1]) if thrown else 1
    return DiceResult(faces=tuple(faces), places=tuple(places), throws=throws)
