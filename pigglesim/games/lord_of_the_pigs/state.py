"""A position of Lord of the P.I.G.S. as one frozen value, whole or as one player sees it.

What is changed at every step has no slots: `changed` copies a dictionary in a quarter of the time.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.actors import ACTORS, ORDERS, SEATS, actor, index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, DECK
from pigglesim.games.lord_of_the_pigs.events import EVENT_DECK, Event
from pigglesim.rolls import Seat

__all__ = [
    "HIDDEN",
    "HIGHEST",
    "Phase",
    "Position",
    "Reason",
    "Side",
    "Submitted",
    "Vote",
    "by_seat",
    "opening",
    "read_name",
    "submission_name",
    "submission_owner",
]

HIGHEST = 10
"""The highest Rating, and the highest Social Stability; the lowest is 0 (R1)."""
HIDDEN = "?"
"""Stands for a card that a player may not see."""
_START_STABILITY = 5
_HAND = 3
"""Cards that a game begins with."""


@unique
class Phase(StrEnum):
    """What a position waits for, besides a deck to be shuffled."""

    DEAL = "deal"
    """The first three cards."""
    EVENT = "event"
    """The Event that was just revealed: everyone asked decides what it does."""
    UPKEEP = "upkeep"
    """The card that everyone draws."""
    VOTING = "voting"
    ALTERNATES = "alternates"
    """The Activation Phase before the votes are counted: +1 and -1 Vote."""
    ORDER = "order"
    """Somebody with several activated Actions chooses which comes first (LP10)."""
    SHARE = "share"
    """Share Benefits of the Action that is about to be carried out (LP5)."""
    SUBMISSION = "submission"


@unique
class Reason(StrEnum):
    """How a game, or a series of games, ended."""

    RATING = "rating"
    UPRISING = "uprising"
    TURN_CAP = "turn_cap"
    """Nobody has won in the turns there are (LP18)."""
    SERIES = "series"
    """Points of all games of the series."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A card put face down on a submitted Action."""

    seat: Seat
    """Whose card it is."""
    card: str
    """Its tag, hidden to all others."""
    after_showing: bool = False
    """Whether it went out of a hand since that was shown, and may be one of the cards shown."""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """An Action in the Game Area, with the votes for it."""

    name: str
    """Owner, tag and, of a second or third copy, its number: `Banker.C1`, `Banker.C1.2`."""
    owner: Seat
    card: str
    votes: tuple[Vote, ...] = ()
    """In the order in which they were cast."""
    markers: int = 0
    """Votes added by +1 Vote, which leave no card."""

    @property
    def vote_count(self) -> int:
        """All votes for it."""
        return len(self.votes) + self.markers

    @property
    def reached(self) -> bool:
        """Whether it has the votes that it needs."""
        return self.vote_count >= CARDS[self.card].threshold


@dataclass(frozen=True, kw_only=True)
class Side:
    """The cards of one player, apart from those in the Game Area."""

    deck: tuple[str, ...] = ()
    """Face down; the first is drawn next."""
    hand: tuple[str, ...] = ()
    """In the order of the rule book."""
    discard: tuple[str, ...] = ()
    """Face up, in the order in which they came."""
    shown: tuple[str, ...] = ()
    """Cards that all have seen in this hand, and that may still be there (LP16)."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """Everything there is to know about a game, or about a series of them.

    A deck is to be shuffled where somebody draws from an empty one whose discard pile is not, and
    where an Event is to be revealed from an empty deck; then it is chance's turn.
    """

    turn: int = 1
    """Turn of this game, from 1."""
    first: Seat = Seat.A
    """First player of this turn."""
    phase: Phase = Phase.DEAL
    ratings: tuple[int, int, int, int] = (0, 0, 0, 0)
    """In Actor order."""
    stability: int = _START_STABILITY
    sides: tuple[Side, Side, Side, Side]
    """In Actor order."""
    submitted: tuple[Submitted, ...] = ()
    """The Game Area, in the order of submission."""
    event: Event | None = None
    """The active Event."""
    revealing: bool = False
    """Whether the next Event is about to be revealed."""
    event_deck: tuple[str, ...] = ()
    """Face down; the first is revealed next."""
    event_discard: tuple[str, ...] = ()
    draws: tuple[Seat, ...] = ()
    """Who is still to draw a card before anything else, in order."""
    asked: tuple[Seat, ...] = ()
    """Who is still to decide in this phase; the first does now."""
    used: int = 0
    """Cards that who decides has discarded for Alternate Modes while being asked."""
    due: tuple[str, ...] = ()
    """Activated Actions not carried out yet, in order but for what their owners choose."""
    current: str = ""
    """The one that is being carried out."""
    shares: tuple[tuple[Seat, str], ...] = ()
    """Share Benefits cards discarded for it, with who did."""
    result: Result | None = None
    game: int = 1
    """Number of this game in a series."""
    points: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Points of the games of the series that are over, in Actor order."""
    turns_before: int = 0
    """Turns of the games before this one."""

    def side(self, seat: Seat) -> Side:
        """Return the cards of a player."""
        return self.sides[index(seat)]

    def action(self, name: str) -> Submitted | None:
        """Return the submitted Action of that name, if there is one."""
        return next((each for each in self.submitted if each.name == name), None)

    def submitted_action(self, name: str) -> Submitted:
        """Return the submitted Action of a name that is there."""
        found = self.action(name)
        assert found is not None
        return found

    def with_votes(
        self, action: Submitted, votes: tuple[Vote, ...], markers: int
    ) -> tuple[Submitted, ...]:
        """Return the Game Area with other votes for one of its Actions."""
        new = changed(action, votes=votes, markers=markers)
        return tuple(new if each is action else each for each in self.submitted)


def opening(*, events: bool, first: Seat) -> Position:
    """Return the position before anything is shuffled: every card on its discard pile."""
    side = Side(discard=DECK)
    return Position(
        first=first,
        sides=(side, side, side, side),
        event_discard=EVENT_DECK if events else (),
        draws=tuple(seat for seat in ORDERS[first] for _ in range(_HAND)),
    )


def by_seat(numbers: tuple[int, ...]) -> dict[Seat, int]:
    """Return numbers in Actor order by the seats of the actors."""
    return dict(zip(SEATS, numbers, strict=True))


def submission_name(seat: Seat, card: str, copy: int) -> str:
    """Return the name of a submitted Action.

    Args:
        seat: Its owner's.
        card: Its tag.
        copy: From 1: how many alike of the same owner are in the Game Area, with it.
    """
    return f"{actor(seat)}.{card}" if copy == 1 else f"{actor(seat)}.{card}.{copy}"


_NAMES = {
    submission_name(seat, card.tag, copy): (seat, card.tag)
    for seat in SEATS
    for card in CARDS.values()
    for copy in range(1, card.copies + 1)
}
assert len(_NAMES) == len(ACTORS) * len(DECK)


def submission_owner(name: str) -> Seat:
    """Return the owner of a submitted Action by its name."""
    return _NAMES[name][0]


def read_name(name: str) -> tuple[Seat, str]:
    """Return owner and tag of the submitted Action that a name means.

    Raises:
        KeyError: If it is no such name.
    """
    return _NAMES[name]
