"""Rule tests without physics: a state, events with given outcomes, and what must follow.

The parts that the scenarios of every game share. Each game adds how its setup is read, what its
events do, and what can be expected.
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
    """The first difference from what a scenario expects."""

    key: str
    """Where, such as `scores.A`."""
    expected: object
    got: object


def as_list(what: str, value: object) -> list[object]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise SpecError(f"a list for {what}", got=repr(value), remedy="write [...]")
    return list(value)


def whole(what: str, value: object, least: int, most: int | None = None) -> int:
    """Return a value that must be a whole number within limits; None for no upper one."""
    if type(value) is not int or value < least or (most is not None and value > most):
        limits = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise SpecError(f"a whole number {limits} for {what}", got=repr(value), remedy=str(least))
    return value


def member(what: str, value: object, kind: type[E], among: Iterable[E] = ()) -> E:
    """Return the member that a value names, of an enumeration or of some of its members."""
    members = tuple(among) or tuple(kind)
    if not isinstance(value, str) or value not in members:
        raise unknown_name(what, str(value), members)
    return kind(value)


class Fields:
    """A table of a scenario, without the notes (`_...`) among its keys.

    Args:
        name: Its name in errors.
        value: The table, as the file gives it.
        known: The keys that it may have; any if absent.

    Raises:
        SpecError: If it is no table, or has another key.
    """

    __slots__ = ("_values", "name")

    def __init__(self, name: str, value: object, known: Iterable[str] | None = None) -> None:
        if not isinstance(value, Mapping):
            raise SpecError(f"a table for {name}", got=repr(value), remedy="write {...}")
        self.name = name
        self._values: dict[str, object] = {
            str(key): item for key, item in value.items() if not str(key).startswith("_")
        }
        if known is not None:
            known = set(known)
            for key in self._values:
                if key not in known:
                    raise unknown_name(f"key of {name}", key, known)

    def differing(self, **found: object) -> Mismatch | None:
        """Return the first difference of the values here from those found, by key."""
        return differing({key: self._values[key] for key in found if key in self}, found)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def items(self) -> Iterable[tuple[str, object]]:
        """Return keys and values in the order of the file."""
        return self._values.items()

    def get(self, key: str, default: object = None) -> object:
        """Return a value, or a default."""
        return self._values.get(key, default)

    def need(self, key: str) -> object:
        """Return a value that must be there."""
        if key not in self._values:
            raise SpecError(f"{key} of {self.name}", got="none", remedy=f"add {key!r}")
        return self._values[key]

    def table(self, key: str, known: Iterable[str] | None = None) -> "Fields":
        """Return a table within this one, empty if absent."""
        return Fields(key, self._values.get(key, {}), known)

    def list(self, key: str, default: object = _ABSENT) -> list[object]:
        """Return a list; it must be there unless there is a default."""
        return as_list(key, self.need(key) if default is _ABSENT else self.get(key, default))

    def whole(self, key: str, default: object, least: int, most: int | None = None) -> int:
        """Return a whole number within limits."""
        return whole(f"{key} of {self.name}", self.get(key, default), least, most)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise SpecError(
                f"true or false for {key} of {self.name}", got=repr(value), remedy="true"
            )
        return value


class Whole(dict[str, object]):
    """A table found, of which an expected table must have every key."""


def differing(wanted: object, found: object, key: str = "") -> Mismatch | None:
    """Return the first difference of what is expected from what was found.

    Of a table only the keys given are compared. A tuple stands for a list in any order.

    Raises:
        SpecError: If a table has a key that was not looked for.
    """
    if isinstance(found, Whole) and isinstance(wanted, Mapping):
        wanted = {**dict.fromkeys(sorted(found)), **wanted}
        found = {**dict.fromkeys(wanted), **found}
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        for name, value in Fields(key or "expected", wanted, map(str, found)).items():
            mismatch = differing(value, found[name], f"{key}.{name}" if key else name)
            if mismatch is not None:
                return mismatch
        return None
    if isinstance(found, tuple) and isinstance(wanted, list | Mapping):
        wanted, found = sorted(wanted, key=str), sorted(found, key=str)
    return None if same(wanted, found) else Mismatch(key=key, expected=wanted, got=found)


def same(wanted: object, got: object) -> bool:
    """Return whether values are equal, where true does not equal 1."""
    return wanted == got and isinstance(wanted, bool) is isinstance(got, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One rule test as its file gives it."""

    game: str
    config: Mapping[str, object]
    setup: object
    events: tuple[object, ...]
    expected: object


def parse_scenario(value: object) -> Scenario:
    """Return the scenario that one entry of a file describes.

    Raises:
        SpecError: If a part is of the wrong kind, or a key is unknown.
    """
    table = Fields("a scenario", value, _PARTS | _NOTES)
    for key in ("id", "game"):
        if not isinstance(table.get(key), str):
            raise SpecError(
                f"text for {key} of a scenario", got=repr(table.get(key)), remedy=f'"{key}": "..."'
            )
    return Scenario(
        game=str(table.need("game")),
        config=dict(table.table("config").items()),
        setup=table.get("setup", {}),
        events=tuple(table.list("events", [])),
        expected=table.get("expected", {}),
    )


class Events(Generic[S]):
    """What the scenarios of a game can do, by name, and which keys each event may have.

    Args:
        more: Events that are there already.
    """

    def __init__(self, more: "Events[S] | None" = None) -> None:
        self._known: dict[str, tuple[Callable[[S, Fields], S | Mismatch], tuple[str, ...]]] = (
            dict(more._known) if more is not None else {}
        )

    def event(
        self, *keys: str
    ) -> Callable[[Callable[[S, Fields], S | Mismatch]], Callable[[S, Fields], S | Mismatch]]:
        """Return a decorator that makes a function (`_load`) an event (`load`).

        Args:
            keys: The keys it may have besides `do`.
        """

        def register(
            act: Callable[[S, Fields], S | Mismatch],
        ) -> Callable[[S, Fields], S | Mismatch]:
            self._known[act.__name__.removeprefix("_")] = act, ("do", *keys)
            return act

        return register

    def follow(self, scenario: Scenario, start: S) -> S | Mismatch:
        """Return what all events of a scenario lead to, or the first difference one of them finds.

        Raises:
            PigglesimError: If an event or a key is unknown, or the event cannot happen.
        """
        now = start
        for number, value in enumerate(scenario.events, start=1):
            name = Fields("an event", value).get("do")
            if not isinstance(name, str) or name not in self._known:
                raise unknown_name("event", str(name), self._known)
            act, keys = self._known[name]
            outcome = act(now, Fields(f"the event {name}", value, keys))
            if isinstance(outcome, Mismatch):
                return replace(outcome, key=f"event {number} ({name}) {outcome.key}".rstrip())
            now = outcome
        return now


class GameScenarios(NamedTuple, Generic[S]):
    """How the scenarios of a game are run."""

    start: Callable[[Scenario], S]
    """Reads a setup under the house rules of a scenario."""
    events: Events[S]
    found: Callable[[S], Mapping[str, object]]
    """Returns all that a scenario can expect, by name."""

    def play(self, scenario: Scenario) -> Mismatch | None:
        """Return the first difference between what a scenario expects and what the rules give.

        Raises:
            PigglesimError: If the scenario names something unknown or asks for something illegal.
        """
        scene = self.events.follow(scenario, self.start(scenario))
        if isinstance(scene, Mismatch):
            return scene
        Fields("expected", scenario.expected)
        return differing(scenario.expected, self.found(scene))
