"""Rule tests without physics: a state, events with given outcomes, what must follow.

The words every game's scenarios share; each game reads its own setup and events.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from pigglesim.errors import SpecError, unknown_name

T = TypeVar("T")
Act = TypeVar("Act")
_NOTES = {"unambiguous", "ruling", "reasoning", "source", "seed"}
_PARTS = {"id", "game", "title", "config", "setup", "events", "expected"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One rule test as its file gives it."""

    id: str
    game: str
    title: str
    config: Mapping[str, object]
    setup: Mapping[str, object]
    events: tuple[Mapping[str, object], ...]
    expected: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """The first thing that came out otherwise than expected."""

    key: str
    """Where, such as `scores.A`."""
    expected: object
    got: object


def only_keys(what: str, given: Mapping[str, object], known: Iterable[str]) -> None:
    """Raise `SpecError` if `given` has a key that is neither known nor a note (`_...`)."""
    known = set(known)
    for key in given:
        if key not in known and not key.startswith("_"):
            raise unknown_name(what, key, known)


def as_mapping(what: str, value: object) -> Mapping[str, object]:
    """Return a value that must be a table, without the notes among its keys."""
    if not isinstance(value, Mapping):
        raise SpecError(f"a table for {what}", got=repr(value), remedy="write {...}")
    return {str(key): item for key, item in value.items() if not str(key).startswith("_")}


def as_list(what: str, value: object) -> list[object]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise SpecError(f"a list for {what}", got=repr(value), remedy="write [...]")
    return list(value)


def follow_events(
    scenario: Scenario,
    start: T,
    known: Mapping[str, tuple[Act, frozenset[str]]],
    carry_out: Callable[[Act, T, Mapping[str, object]], T | Mismatch],
) -> T | Mismatch:
    """Return what all events of a scenario lead to, or the first difference that one of them finds.

    Args:
        scenario: Whose events they are.
        start: What there is before them.
        known: What each event does, and the keys it may have besides `do`.
        carry_out: Has an event happen to what there is.

    Raises:
        PigglesimError: If an event or a key is unknown, or the event cannot happen.
    """
    now = start
    for number, event in enumerate(scenario.events, start=1):
        name = event.get("do")
        if not isinstance(name, str) or name not in known:
            raise unknown_name("event", str(name), known)
        act, keys = known[name]
        only_keys(f"key of the event {name}", event, {"do", *keys})
        outcome = carry_out(act, now, event)
        if isinstance(outcome, Mismatch):
            return replace(outcome, key=f"event {number} ({name}) {outcome.key}".rstrip())
        now = outcome
    return now


def parse_scenario(value: object) -> Scenario:
    """Return the scenario that one entry of a file describes.

    Raises:
        SpecError: If a part is of the wrong kind, or a key is unknown.
    """
    table = as_mapping("a scenario", value)
    only_keys("key of a scenario", table, _PARTS | _NOTES)
    for key in ("id", "game"):
        if not isinstance(table.get(key), str):
            raise SpecError(
                f"text for {key} of a scenario", got=repr(table.get(key)), remedy=f'"{key}": "..."'
            )
    return Scenario(
        id=str(table["id"]),
        game=str(table["game"]),
        title=str(table.get("title", "")),
        config=as_mapping("config", table.get("config", {})),
        setup=as_mapping("setup", table.get("setup", {})),
        events=tuple(
            as_mapping("an event", event) for event in as_list("events", table.get("events", []))
        ),
        expected=as_mapping("expected", table.get("expected", {})),
    )
