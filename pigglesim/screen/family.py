"""The seam between the screen and a family of games: what is shown and said of a position.

Rules know nothing of a screen and the screen knows no rules: each family of games says in one
place how its positions look, what can be chosen and how what happened is told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Any, Protocol

from rich.text import Text

from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Landing, Seat

__all__ = ["Area", "Family", "Line", "Mark", "Toggles", "Tone"]


@unique
class Tone(StrEnum):
    """What kind of news a line of the log is."""

    TURN = "turn"
    """Somebody decided or rolled."""
    ROLL = "roll"
    SCORE = "score"
    MOVE = "move"
    """Things went from one place to another by the rules."""
    NOTE = "note"
    """Said by the screen itself, such as a hint."""
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence of the log."""

    text: str
    tone: Tone = Tone.NOTE
    seat: Seat | None = None
    """Whose line it is, if one player's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One row of what each player has somewhere."""

    name: str
    held: Mapping[Seat, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a Piggle wears and bears beside its name."""

    worn: str = ""
    """Colour and rune in two characters."""
    words: str = ""
    """Colour and rune in words."""
    shielded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggles:
    """A decision that is any choice among a few things."""

    items: tuple[str, ...]
    """What can be chosen; their order never changes, so that each has its number for good."""
    free: frozenset[str]
    """Those of them that can be chosen now."""
    action: Callable[[frozenset[str]], Any]
    """The action that a choice stands for."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """What they wear, in a character or two each, by name; empty where they wear nothing."""


class Family(Protocol):
    """How one family of games shows itself."""

    @property
    def names(self) -> Mapping[Seat, str]:
        """What each player is called, in the order of seats."""

    def table(self, state: Any, viewer: Seat | None) -> Text | None:  # noqa: ANN401
        """Return what lies on the table, in the place of a board; None where there is a board.

        Args:
            state: The position.
            viewer: Whose eyes see it: what is hidden from that player is not told. None for
                those who may see everything.
        """

    def heading(self, state: Any) -> str:  # noqa: ANN401 (a state of the family's own)
        """Return where the match stands, such as `Round 2 of 6 · Load`."""

    def guide(self, state: Any, seat: Seat | None) -> str:  # noqa: ANN401
        """Return what the current phase means and what can be done, for who plays at `seat`."""

    def lying(self, state: Any) -> tuple[tuple[str, Landing], ...]:  # noqa: ANN401
        """Return every Piggle on the board, by id; empty if the game has none."""

    def player_of(self, state: Any, piggle: str) -> Seat:  # noqa: ANN401
        """Return who plays a Piggle now, whosever it was at first."""

    def marks(self, state: Any) -> Mapping[str, Mark]:  # noqa: ANN401
        """Return what Piggles wear and bear, by id; those that have nothing are left out."""

    def areas(self, state: Any) -> Sequence[Area]:  # noqa: ANN401
        """Return what the players have beside the board."""

    def columns(self, state: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the names of the columns of the score: rounds, where there are any."""

    def sets_down(self, state: Any) -> bool:  # noqa: ANN401
        """Return whether the answer of chance that is due puts a Piggle down and rolls none."""

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return how many points each player had at the end of each column."""

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return in plain words what a decision or a roll has led to."""

    def toggles(self, state: Any, legal: Sequence[Any]) -> Toggles | None:  # noqa: ANN401
        """Return the decision as a choice among things, or None to show a list of actions."""

    def say(self, state: Any, action: Any) -> str:  # noqa: ANN401
        """Return an action that is legal in a position as a person would say it."""

    def about(self, action: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return the Piggles that an action in a list is about, who acts first, then its target."""

    @property
    def effects(self) -> Mapping[str, str]:
        """What each Piggle does when it acts, in a sentence, by id; empty where none acts."""

    @property
    def legend(self) -> str:
        """What the marks of Piggles mean, in a few words; empty where they mean nothing."""

    @property
    def in_window(self) -> bool:
        """Whether all that must be seen is on the table of the scene, with points beside it."""

    @property
    def skip(self) -> Any:  # noqa: ANN401
        """The action of letting a turn pass, if the game has one; it may not be legal now."""

    @property
    def done(self) -> Any:  # noqa: ANN401
        """The action of ending a turn of several actions, if the game has one."""

    @property
    def rules(self) -> str:
        """The rules in brief, in Markdown: to be read within a minute."""
