"""Playlist of a viewer: rolls one after another, a score next to them, and turns to be played.

A viewer reads a `Show`. Recorded, simulated and interactive shows look the same to it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pigglesim.films.film import Film
from pigglesim.landing import CupHold, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipRow:
    """One row of the score."""

    name: str
    cells: tuple[tuple[Seat | None, str], ...]
    """Values of each player, in the colour of the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """Score of a match."""

    heading: str
    """Heading such as `Round 2 of 6 · Load`."""
    rows: tuple[ClipRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """One roll, or one position as a film of one frame, with its texts."""

    film: Film
    title: str
    score: Scoreboard | None = None
    """Score before the roll has landed."""
    after: Scoreboard | None = None
    """Score after it has landed; None if unchanged."""
    waits: bool = False
    """True if it stays after landing until a person continues: the person's own roll."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """Effect of each Piggle when it acts, by name; empty if none has one."""
    story: tuple[str, ...] = ()
    """Consequences of the roll, in sentences, shown once it has landed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One entry of a list of possible actions."""

    text: str
    about: tuple[str, ...] = ()
    """Piggles that it involves: the acting one, then the target."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offer:
    """A decision for a person to take."""

    seat: Seat
    board: Film
    """Piggles on the board, and those next to it that can be loaded: one frame."""
    guide: str
    score: Scoreboard
    title: str = ""
    """Player to move, in words; empty for the side of the board."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """Effect of each Piggle when it acts, by name; empty if none has one."""
    piggles: tuple[str, ...] = ()
    """Piggles that may form the load, in the order of their numbers."""
    loadable: tuple[str, ...] = ()
    """Piggles of these that can be put into the cup now."""
    hold: CupHold | None = None
    """Initial hold of the cup; None if nothing is poured."""
    choices: tuple[Choice, ...] = ()
    """Possible actions, if the decision is not a load."""
    skip: bool = False
    """True if the roll can be skipped."""
    done: bool = False
    """True if a turn of several actions can be ended."""


class Show(ABC):
    """Source of rolls and receiver of a person's decisions; no method may take long.

    By default there are no decisions.
    """

    @abstractmethod
    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return all rolls so far, in order; more may come.

        Args:
            wanted: Desired number of rolls, if there are that many.
        """

    def offer(self) -> Offer | None:
        """Return the decision that a person must take now, if any; the same one until then."""
        return None

    def busy(self) -> str:
        """Return a description of the current work in a few words; empty if there is none."""
        return ""

    def notes(self) -> Sequence[str]:
        """Return the current messages, such as a hint; the newest last."""
        return ()

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:  # noqa: B027
        """Load these Piggles and roll them from that hold."""

    def choose(self, number: int) -> None:  # noqa: B027
        """Play the decision with this number in the list, from 0."""

    def ask(self, word: str) -> None:  # noqa: B027
        """Run one of `skip`, `done`, `hint`, `undo` and `concede`."""

    def close(self) -> None:  # noqa: B027
        """Save all unsaved results, as the viewer has closed."""


class Films(Show):
    """A show of rolls without decisions, drawn one by one from an iterator.

    Args:
        takes: Rolls, each computed when it is needed; None means that none is ready yet.
        words: Message while no roll is ready.
    """

    def __init__(self, takes: Iterator[Clip | None], *, words: str = "") -> None:
        self._source: Iterator[Clip | None] | None = takes
        self._words = words
        self._waits = False
        self._takes: list[Clip] = []

    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return the rolls so far; missing ones are computed now."""
        self._waits = False
        while self._source is not None and not self._waits and len(self._takes) < wanted:
            try:
                take = next(self._source)
            except StopIteration:
                self._source = None
                break
            self._waits = take is None
            if take is not None:
                self._takes.append(take)
        return self._takes

    def busy(self) -> str:
        """Return a description of the awaited work."""
        return self._words if self._waits else ""

    def close(self) -> None:
        """Stop drawing rolls from the iterator."""
        self._source = None
