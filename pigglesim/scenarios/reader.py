"""Rule tests without physics: a state, events with given outcomes, and the expected consequences.

All games share these parts. Each game adds the reading of its setup, its events and the values
that a scenario can expect.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from pigglesim.errors import SpecError, unknown_name

S = TypeVar("S")
E = TypeVar("E", bound=StrEnum)
_NOTES = {"unambiguous", "ruling", "reasoning", "source", "seed"}
_PARTS = {"id", "game", "title", "config", "setup", "events", "expected"}
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """First difference between the expected and the actual state."""

    key: str
    """Path of the value, such as `scores.A`."""
    expected: object
    got: object


def as_list(name: str, value: object) -> list[object]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise SpecError(f"{name} {value!r} is not a list", fix="write [...]")
    return list(value)


def whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a value that must be a whole number within limits; `high` None means no upper one."""
    if type(value) is not int or value < low or (high is not None and value > high):
        limits = f"of {low} or more" if high is None else f"from {low} to {high}"
        raise SpecError(
            f"invalid {name} {value!r}", expected=f"a whole number {limits}", fix=f"use {low}"
        )
    return value


def member(name: str, value: object, kind: type[E], among: Iterable[E] = ()) -> E:
    """Return the member that a value names, of an enumeration or of some of its members."""
    members = tuple(among) or tuple(kind)
    if not isinstance(value, str) or value not in members:
        raise unknown_name(name, str(value), members)
    return kind(value)


class Fields(dict[str, object]):
    """Table of a scenario without its notes (keys `_...`), in the order of the file.

    `name` is its name in errors, and `keys` are those that it may have; None for any.

    Raises:
        SpecError: If the value is not a table, or has another key.
    """

    __slots__ = ("name",)

    def __init__(self, name: str, value: object, keys: Iterable[str] | None = None) -> None:
        if not isinstance(value, Mapping):
            raise SpecError(f"{name} {value!r} is not a table", fix="write {...}")
        super().__init__({str(k): v for k, v in value.items() if not str(k).startswith("_")})
        self.name = name
        keys = set(self if keys is None else keys)
        for key in self:
            if key not in keys:
                raise unknown_name(f"key of {name}", key, keys)

    def differing(self, **actual: object) -> Mismatch | None:
        """Return the first difference of the values here from those found, by key."""
        return differing({key: self[key] for key in actual if key in self}, actual)

    def need(self, key: str) -> object:
        """Return the value of a key that must be there."""
        if key not in self:
            raise SpecError(f"no {key} in {self.name}", fix=f"add {key!r}")
        return self[key]

    def table(self, key: str, keys: Iterable[str] | None = None) -> "Fields":
        """Return a table within this one. Default: empty."""
        return Fields(key, self.get(key, {}), keys)

    def list(self, key: str, default: object = _ABSENT) -> list[object]:
        """Return a list; it must be there unless there is a default."""
        return as_list(key, self.need(key) if default is _ABSENT else self.get(key, default))

    def whole(self, key: str, default: object, low: int, high: int | None = None) -> int:
        """Return a whole number within limits."""
        return whole(f"{key} of {self.name}", self.get(key, default), low, high)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise SpecError(f"invalid {key} {value!r} of {self.name}", fix="use true or false")
        return value


class Whole(dict[str, object]):
    """Table that an expected table must match in every key."""


def differing(expected: object, actual: object, key: str = "") -> Mismatch | None:
    """Return the first difference between the expected and the found value.

    Tables are compared only in the expected keys. A found tuple is a list in any order.

    Raises:
        SpecError: If the expected table has an unknown key.
    """
    if isinstance(actual, Whole) and isinstance(expected, Mapping):
        expected = {**dict.fromkeys(sorted(actual)), **expected}
        actual = {**dict.fromkeys(expected), **actual}
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for name, value in Fields(key or "expected", expected, map(str, actual)).items():
            mismatch = differing(value, actual[name], f"{key}.{name}" if key else name)
            if mismatch is not None:
                return mismatch
        return None
    if isinstance(actual, tuple) and isinstance(expected, list | Mapping):
        expected, actual = sorted(expected, key=str), sorted(actual, key=str)
    # True does not equal 1.
    same = expected == actual and isinstance(expected, bool) is isinstance(actual, bool)
    return None if same else Mismatch(key=key, expected=expected, got=actual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Rule test as its file gives it."""

    game: str
    config: Mapping[str, object]
    setup: object
    events: tuple[object, ...]
    expected: object


def parse_scenario(value: object) -> Scenario:
    """Return the scenario that an entry of a file describes.

    Raises:
        SpecError: If a part has the wrong type, or a key is unknown.
    """
    table = Fields("a scenario", value, _PARTS | _NOTES)
    for key in ("id", "game"):
        if not isinstance(table.get(key), str):
            raise SpecError(
                f"{key} {table.get(key)!r} of a scenario is not text", fix=f'add "{key}": "..."'
            )
    return Scenario(
        game=str(table.need("game")),
        config=table.table("config"),
        setup=table.get("setup", {}),
        events=tuple(table.list("events", [])),
        expected=table.get("expected", {}),
    )


_Act = Callable[[S, Fields], S | Mismatch]


class Events(Generic[S]):
    """Events of the scenarios of a game by name, each with its keys, and those of `base`."""

    def __init__(self, base: "Events[S] | None" = None) -> None:
        self._known: dict[str, tuple[_Act[S], tuple[str, ...]]] = dict(base._known if base else {})

    def event(self, *keys: str) -> Callable[[_Act[S]], _Act[S]]:
        """Return a decorator that registers `_load` as the event `load`, with keys besides `do`."""

        def register(act: _Act[S]) -> _Act[S]:
            self._known[act.__name__.removeprefix("_")] = act, ("do", *keys)
            return act

        return register

    def follow(self, scenario: Scenario, start: S) -> S | Mismatch:
        """Return the scene after all events of a scenario, or the first difference that one finds.

        Raises:
            PigglesimError: If an event or a key is unknown, or the event cannot happen.
        """
        scene = start
        for number, value in enumerate(scenario.events, start=1):
            name = Fields("an event", value).get("do")
            if not isinstance(name, str) or name not in self._known:
                raise unknown_name("event", str(name), self._known)
            act, keys = self._known[name]
            outcome = act(scene, Fields(f"the event {name}", value, keys))
            if isinstance(outcome, Mismatch):
                return replace(outcome, key=f"event {number} ({name}) {outcome.key}".rstrip())
            scene = outcome
        return scene


class GameScenarios(NamedTuple, Generic[S]):
    """Setup reader, events and expectations of a game's scenarios."""

    start: Callable[[Scenario], S]
    """Function that reads a setup under the house rules of a scenario."""
    events: Events[S]
    found: Callable[[S], Mapping[str, object]]
    """Function that returns by name all values that a scenario can expect."""

    def play(self, scenario: Scenario) -> Mismatch | None:
        """Return the first difference between the expectations of a scenario and the rules.

        Raises:
            PigglesimError: If the scenario has an unknown name or an illegal event.
        """
        scene = self.events.follow(scenario, self.start(scenario))
        if isinstance(scene, Mismatch):
            return scene
        Fields("expected", scenario.expected)
        return differing(scenario.expected, self.found(scene))
