"""The seam between the screen and a family of games: what is shown and said of a position.

Rules know nothing of a screen and the screen knows no rules: each family of games says in one
place how its positions look, what can be chosen and how what happened is told.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from math import degrees
from typing import Any, Protocol

from rich.text import Text

from pigglesim.games.game import Result
from pigglesim.games.piggles.areas import Tally
from pigglesim.landing import Knock, Landing, Seat
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import POSE_MARKS, SIDES, ZONE_NAMES


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


class WithoutPiggles:
    """The part of a `Family` that is about Piggles and rounds, for games that have none.

    A game that has columns of points, or an action that lets a turn pass or end, says so itself.
    """

    def lying(self, state: Any) -> tuple[tuple[str, Landing], ...]:  # noqa: ANN401
        """Return nothing: no Piggle lies anywhere."""
        del state
        return ()

    def player_of(self, state: Any, piggle: str) -> Seat:  # noqa: ANN401
        """Return whose letter a name has."""
        del state
        return Seat(piggle[0])

    def marks(self, state: Any) -> Mapping[str, Mark]:  # noqa: ANN401
        """Return nothing: what dice and cards show is on the table."""
        del state
        return {}

    def sets_down(self, state: Any) -> bool:  # noqa: ANN401
        """Return False: chance rolls and shuffles, and puts nothing down."""
        del state
        return False

    def columns(self, state: Any) -> Sequence[str]:  # noqa: ANN401
        """Return nothing: points are not told by rounds."""
        del state
        return ()

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return nothing, as there are no columns."""
        del events
        return {}

    def toggles(self, state: Any, legal: Sequence[Any]) -> Toggles | None:  # noqa: ANN401
        """Return None: every action is in the list."""
        del state, legal
        return None

    def about(self, action: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return nothing: no action is about a Piggle."""
        del action
        return ()

    @property
    def effects(self) -> Mapping[str, str]:
        """Nothing: there are no Piggles."""
        return {}

    @property
    def legend(self) -> str:
        """Nothing: nothing is marked."""
        return ""

    @property
    def in_window(self) -> bool:
        """False: cards, or a board of squares, are shown as text."""
        return False

    @property
    def skip(self) -> Any:  # noqa: ANN401
        """None: what lets a turn pass is in the list, if anything does."""
        return None

    @property
    def done(self) -> Any:  # noqa: ANN401
        """None: what ends a turn is in the list, if anything does."""
        return None


_REASONS = {
    "score": "on points",
    "points": "on points",
    "race": "by reaching the target first",
    "cap": "on points, in the last round that the house rules allow",
    "sudden_snout_up": "by Sudden Snout-Up",
    "none_available": "because the other has no Piggle left for Sudden Snout-Up",
    "exhaustion": "by exhaustion: the other's Piggles are all in Mud and Kitchen",
    "elimination": "by elimination",
    "concession": "by concession",
    "rating": "with the only Rating of 10",
    "uprising": "by a Social Uprising, with the lowest Rating",
    "turn_cap": "by the end of all turns",
    "series": "with the points of the whole series",
    "pigs": "with the most pigs",
    "forfeit": "by forfeit: the other's agent gave no legal action",
}


def result_sentence(result: Result | None, names: Mapping[Seat, str] = SIDES) -> str:
    """Return how a match ended, as a sentence without its full stop.

    Args:
        result: How it ended; None if it did not.
        names: What each player is called.
    """
    if result is None:
        return "The match was stopped before its end"
    why = _REASONS.get(result.reason, f"({result.reason.replace('_', ' ')})")
    if result.shared:
        *most, last = (names[seat] for seat in result.shared)
        return f"{', '.join(most)} and {last} win together {why}"
    if result.winner is None:
        return "The match is drawn"
    return f"{names[result.winner]} wins {why}"


def tally_sentence(tally: Tally, paid: Iterable[str] = ()) -> str:
    """Return a Tally as the sum a player would say aloud (R11).

    Args:
        tally: The Tally.
        paid: What each Piggle paid for, in words.
    """
    what = ", ".join(paid)
    parts = [f"{tally.before} + {tally.zones} {f'({what})' if what else 'on the board'}"]
    if tally.mud_bonus:
        parts.append(f"+ {tally.mud_bonus} knocked into the Mud")
    if tally.kitchen_bonus:
        parts.append(f"+ {tally.kitchen_bonus} sent to the Kitchen")
    if tally.penalty:
        parts.append(f"- {tally.penalty} for the Kitchen")
    return f"Tally of {tally.seat}: {' '.join(parts)} = {tally.after}"


def knock_sentence(
    knock: Knock, before: Mapping[str, Landing], after: Mapping[str, Landing]
) -> str:
    """Return who struck whom, how far, and what it changed.

    Args:
        knock: The knock.
        before: How each Piggle lay before the roll, by id.
        after: How each lies after it.
    """
    was, now = before[knock.struck].orientation, after[knock.struck].orientation
    effects = []
    if knock.off_board:
        effects.append("off the board")
    else:
        if knock.flipped and was and now:
            effects.append(f"turned from {POSE_MARKS[was]} to {POSE_MARKS[now]} {now.label}")
        if knock.zone_changed:
            effects.append(f"now {ZONE_NAMES[after[knock.struck].zone]}")
    what = ", ".join(effects) or "no change of pose or zone"
    far = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
    return f"{knock.by} knocked {knock.struck} by {far}: {what}"
