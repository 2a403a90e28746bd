"""What a viewer is shown: rolls one after another, a score beside them, and turns to be played.

A viewer asks a `Show` what there is; whether that was recorded, is being simulated or is played
by a person at this very window makes no difference to it.
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
    """What each player has, in the colour of the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """How a match stands."""

    heading: str
    """Such as `Round 2 of 6 · Load`."""
    rows: tuple[ClipRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """One roll, or one position as a film of one frame, and what is said beside it."""

    film: Film
    title: str
    score: Scoreboard | None = None
    """Before the roll has landed."""
    after: Scoreboard | None = None
    """Once it has; None for the same as before."""
    waits: bool = False
    """Whether it stays once it has landed, until somebody goes on: a throw of one's own."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """What each Piggle does when it acts, by name; empty where none does anything."""
    story: tuple[str, ...] = ()
    """What it led to, in sentences: told once it has landed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One entry of a list of things that can be done."""

    text: str
    about: tuple[str, ...] = ()
    """The Piggles that it is about: who acts, then the target."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offer:
    """A decision that is a person's to take."""

    seat: Seat
    board: Film
    """What lies on the board, and the Piggles beside it that can be loaded: one frame."""
    guide: str
    score: Scoreboard
    title: str = ""
    """Whose turn it is; empty for the side of the board."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """What each Piggle does when it acts, by name; empty where none does anything."""
    piggles: tuple[str, ...] = ()
    """Piggles among which the load is chosen, in the order of their numbers."""
    loadable: tuple[str, ...] = ()
    """Those of them that can be put into the cup now."""
    hold: CupHold | None = None
    """Where the cup is held at first; None where nothing is poured."""
    choices: tuple[Choice, ...] = ()
    """What can be done, where it is not a load."""
    skip: bool = False
    """Whether the roll can be left out."""
    done: bool = False
    """Whether a turn of several actions can be ended."""


class Show(ABC):
    """Source of rolls and receiver of a person's decisions; nothing here may take long.

    By default nobody decides anything.
    """

    @abstractmethod
    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return every roll that there is by now, in order; more may come.

        Args:
            wanted: How many it would be good to have, if so many there are.
        """

    def offer(self) -> Offer | None:
        """Return the decision that a person has to take now, if any; the same one until then."""
        return None

    def busy(self) -> str:
        """Return what is being worked at, in a few words; empty if nothing is."""
        return ""

    def notes(self) -> Sequence[str]:
        """Return what is to be said now, such as a hint; the newest last."""
        return ()

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:  # noqa: B027
        """Load these and roll them from there."""

    def choose(self, number: int) -> None:  # noqa: B027
        """Do what stands at that place of the list, from 0."""

    def ask(self, word: str) -> None:  # noqa: B027
        """Do one of `skip`, `done`, `hint`, `undo` and `concede`."""

    def close(self) -> None:  # noqa: B027
        """Save all that is not saved yet: nobody watches any more."""


class Films(Show):
    """A show of rolls that need nobody: they come from an iterator, one by one as it gives them.

    Args:
        takes: The rolls; each is made when it is wanted and not before. None for none as yet.
        words: What to say while there is none as yet.
    """

    def __init__(self, takes: Iterator[Clip | None], *, words: str = "") -> None:
        self._source: Iterator[Clip | None] | None = takes
        self._words = words
        self._waits = False
        self._takes: list[Clip] = []

    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return what has come; what is wanted beyond that is made now."""
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
        """Return what is waited for."""
        return self._words if self._waits else ""

    def close(self) -> None:
        """Make no more."""
        self._source = None
