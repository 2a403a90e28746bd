"""Thrown dice as text: `3 5`, each with its place in brackets where physics threw it.

Dice that were thrown more than once until they lay flat have `x2`, `x3` and so on at the end;
numbers read back to the last bit.
"""

import math
import re

from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.place_notation import format_place, parse_place
from pigglesim.landing import RestPlace

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
