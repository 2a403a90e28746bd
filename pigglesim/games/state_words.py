"""States as one line of `name=value` words: what each game calls its own, written and read."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from pigglesim.errors import SpecError

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
