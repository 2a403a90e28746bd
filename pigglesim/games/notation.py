"""Text of all games: actions by forms, states as `name=value` words, thrown dice with places.

Dice are `3 5`, each followed by its place under physics in brackets, `[x,y,z,qx,qy,qz,qw]`. Dice
that were thrown repeatedly until they lay flat have `x2`, `x3` and so on at the end. Numbers are
exact to the last bit.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Result, changed
from pigglesim.landing import RestPlace, Seat

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


class Codec(NamedTuple, Generic[T]):
    """Codec of a value in a word."""

    write: Callable[[T], str]
    """Function that writes a value; an empty text omits the word."""
    read: Callable[[str], T]
    """Function that reads a text; raises ValueError, KeyError or SpecError if it is invalid."""


def several(codec: Codec[T], separator: str = ",") -> Codec[tuple[T, ...]]:
    """Return the codec of several values, omitted if there are none."""
    return Codec(
        lambda values: separator.join(map(codec.write, values)),
        lambda text: tuple(map(codec.read, text.split(separator))),
    )


def optional(codec: Codec[T]) -> Codec[T | None]:
    """Return the codec of a value that may be None."""
    return Codec(lambda value: "" if value is None else codec.write(value), codec.read)


def pair(first: Codec[T], second: Codec[U]) -> Codec[tuple[T, U]]:
    """Return the codec of two values with a colon between them."""

    def read(text: str) -> tuple[T, U]:
        first_text, colon, second_text = text.partition(":")
        if not colon:
            raise ValueError(text)
        return first.read(first_text), second.read(second_text)

    return Codec(lambda values: f"{first.write(values[0])}:{second.write(values[1])}", read)


def dashed(codec: Codec[T], empty: T) -> Codec[T]:
    """Return the codec of a value that is written as `-` if it is empty."""
    return Codec(
        lambda value: codec.write(value) or "-",
        lambda text: empty if text == "-" else codec.read(text),
    )


def joined(kind: Callable[..., T], **fields: Codec[Any]) -> Codec[T]:
    """Return the codec of an object as its fields between colons."""

    def read(text: str) -> T:
        texts = zip(fields.items(), text.split(":"), strict=True)
        return kind(**{name: codec.read(part) for (name, codec), part in texts})

    return Codec(
        lambda value: ":".join(c.write(getattr(value, n)) for n, c in fields.items()), read
    )


def result_codec(
    reason: Callable[[str], str], seat: Codec[Seat], between: str = ""
) -> Codec[Result]:
    """Return the codec of a result: `A:score`, `-:draw`."""

    def write(result: Result) -> str:
        won = (result.winner,) if result.winner else result.shared
        return f"{between.join(map(seat.write, won)) or '-'}:{result.reason}"

    def read(text: str) -> Result:
        names, _, why = text.partition(":")
        parts = names.split(between) if between else [names]
        won = () if names == "-" else tuple(map(seat.read, parts))
        return Result.of(won, reason(why))

    return Codec(write, read)


TEXT = Codec(str, str)
NAMES = several(TEXT)
WHOLE = Codec(str, int)
COUNT = Codec(lambda number: str(number or ""), int)
"""Codec of a whole number, omitted if it is 0."""
NUMBERS = several(WHOLE)
YES = Codec(lambda value: "yes" if value else "", {"yes": True}.__getitem__)
SEAT = Codec(str, Seat)

_PART = re.compile(r"\{(\w+)(\*?)\}")
_WORD = r"\S+"
_WORDS = r"\S+(?: \S+)*"


class _Form(NamedTuple):
    """Form of the text of an action."""

    kind: type
    fixed: Mapping[str, object]
    """Fields of such actions that the text does not give."""
    pieces: tuple[str, ...]
    """Pieces of the text, of which every second one is the name of a field."""
    pattern: re.Pattern[str]


class ActionForms(Generic[T]):
    """Texts of the actions of a game, read and written by one table.

    Args:
        forms: Each text with its action, with the class of its actions, or with a
            `functools.partial` of the class that fixes some fields. Such a text has the other
            fields in braces; one with a star may be several words: `load {piggles*}`. Texts are
            tried in this order.
        fields: Codec of each field.
        example: Texts of actions, for the error message.
    """

    def __init__(
        self, forms: Mapping[str, object], fields: Mapping[str, Codec[Any]], *, example: str
    ) -> None:
        self._fields, self._example = fields, example
        self._named: dict[str, Any] = {}
        self._forms: list[_Form] = []
        for text, value in forms.items():
            if "{" not in text:
                self._named[text] = value
                continue
            fixed = value.keywords if isinstance(value, partial) else {}
            kind: Any = value.func if isinstance(value, partial) else value
            pattern = _PART.sub(
                lambda match: rf"(?P<{match[1]}>{_WORDS if match[2] else _WORD})", text
            )
            pieces = tuple(re.split(r"[{*}]+", text))
            self._forms.append(_Form(kind, fixed, pieces, re.compile(pattern)))
        self._texts = {action: text for text, action in self._named.items()}
        # Forms that fix fields come before those that do not.
        self._writing = sorted(self._forms, key=lambda form: not form.fixed)

    def write(self, action: T) -> str:
        """Return the text of an action; of any other value its `repr`."""
        if action in self._texts:
            return self._texts[action]
        for form in self._writing:
            if form.kind is type(action) and all(
                getattr(action, name) == value for name, value in form.fixed.items()
            ):
                return "".join(
                    self._fields[piece].write(getattr(action, piece)) if at % 2 else piece
                    for at, piece in enumerate(form.pieces)
                )
        return repr(action)

    def read(self, text: str) -> T:
        """Return the action that a text names; raise `SpecError` if it is invalid."""
        action_text = " ".join(text.split())
        if action_text in self._named:
            return self._named[action_text]  # type: ignore[no-any-return]
        for form in self._forms:
            if match := form.pattern.fullmatch(action_text):
                try:
                    values = {
                        name: self._fields[name].read(value_text)
                        for name, value_text in match.groupdict().items()
                    }
                except (ValueError, KeyError):
                    continue
                return form.kind(**form.fixed, **values)  # type: ignore[no-any-return]
        raise SpecError(f"invalid action {text!r}", fix=f"use {self._example}")


Words: TypeAlias = Mapping[str, tuple[str, Codec[Any]]]
"""Part of a state, such as `a.pen` or `hands.0`, and its codec, by the name of a word. The value of
an empty path is the whole state when written, and parts by name when read."""


def _part(value: Any, path: list[str]) -> Any:  # noqa: ANN401 (a state of any game)
    for step in path:
        if isinstance(value, tuple):
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = getattr(value, step)
    return value


def _with_part(value: Any, path: list[str], new: object) -> Any:  # noqa: ANN401 (as above)
    if not path:
        return new
    inner = _with_part(_part(value, path[:1]), path[1:], new)
    if isinstance(value, tuple):
        at = int(path[0])
        if at > len(value):
            raise ValueError(path)
        return (*value[:at], inner, *value[at + 1 :])
    return changed(value, **{path[0]: inner})


def write_words(state: object, words: Words) -> str:
    """Return a state as one line of `name=value` words, without those of no value."""
    texts = (
        (name, codec.write(_part(state, path.split(".") if path else [])))
        for name, (path, codec) in words.items()
    )
    return " ".join(f"{name}={text}" for name, text in texts if text)


def read_words(text: str, blank: S, words: Words) -> S:
    """Return the state that a text describes, possible or not.

    Raises:
        SpecError: If a name is unknown or given twice, or a value cannot be read.
    """
    state, names = blank, set[str]()
    for entry in text.split():
        name, _, value = entry.partition("=")
        if name in names or name not in words:
            if name not in words:
                raise unknown_name("word of a state", name, words)
            raise SpecError(f"{name!r} is given twice", fix="leave one out")
        names.add(name)
        path, codec = words[name]
        try:
            if not value:
                raise ValueError
            new = codec.read(value)
            state = _with_part(state, path.split("."), new) if path else changed(state, **new)
        except (ValueError, KeyError):
            raise SpecError(
                f"invalid {name} {value!r} of a state", fix="copy the whole state"
            ) from None
    return state


def format_numbers(*numbers: float) -> str:
    """Return finite numbers in brackets, exact to the last bit."""
    return f"[{','.join(repr(float(number)) for number in _finite(numbers))}]"


def parse_numbers(text: str) -> tuple[float, ...]:
    """Return the finite numbers between commas; raise `ValueError` for other text."""
    return _finite(tuple(map(float, text.split(","))))


def _finite(numbers: tuple[float, ...]) -> tuple[float, ...]:
    if not all(map(math.isfinite, numbers)):
        raise SpecError(f"numbers {numbers} are not all finite", fix="check the roll")
    return numbers


def format_place(place: RestPlace | None) -> str:
    """Return a place in brackets; an empty text for None."""
    return "" if place is None else format_numbers(*place.position, *place.rotation)


def parse_place(text: str) -> RestPlace:
    """Return the place whose numbers `format_place` wrote.

    Raises:
        SpecError: If it is not seven numbers.
    """
    try:
        x, y, z, qx, qy, qz, qw = parse_numbers(text)
    except ValueError:
        raise SpecError(f"invalid place {text!r}", fix="use x,y,z,qx,qy,qz,qw") from None
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))


_DIE = re.compile(r"(?P<face>[1-9]\d{0,8})(?:\[(?P<place>[^\]]*)\])?", re.ASCII)
_THROWS = re.compile(r"x([1-9]\d{0,8})", re.ASCII)


def format_dice(result: DiceResult) -> str:
    """Return thrown dice as words between single spaces.

    Raises:
        SpecError: If a number of a place is not finite.
    """
    places = result.places or (None,) * len(result.faces)
    words = [
        f"{face}{format_place(place)}" for face, place in zip(result.faces, places, strict=True)
    ]
    return " ".join(words if result.throws == 1 else [*words, f"x{result.throws}"])


def parse_dice(text: str) -> DiceResult:
    """Return the dice that `format_dice` wrote; raise `SpecError` for other text."""
    words = text.split()
    thrown = _THROWS.fullmatch(words[-1]) if words else None
    dice = [_DIE.fullmatch(word) for word in (words[:-1] if thrown else words)]
    faces = [int(die["face"]) for die in dice if die is not None]
    places = [parse_place(die["place"]) for die in dice if die is not None and die["place"]]
    if not dice or len(faces) < len(dice) or len(places) not in {0, len(dice)}:
        raise SpecError(f"invalid dice {text!r}", fix="write them as 3 5")
    throws = int(thrown[1]) if thrown else 1
    return DiceResult(faces=tuple(faces), places=tuple(places), throws=throws)
