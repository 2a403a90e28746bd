"""House rules of Pig Pile: one switch for each ruling that a table may change.

For switches with two settings, true means the setting declared first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from typing import Self, TypeAlias

from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat


@unique
class DrawTo(StrEnum):
    """Number of cards drawn after a play, while the Draw Pile lasts (PP3)."""

    ONE = "one"
    """One card after any play."""
    FOUR = "four"
    """Cards up to a hand of four; none for a larger hand."""


_NUMBERS: Mapping[object, str] = {1: DrawTo.ONE, 4: DrawTo.FOUR}
"""Settings of `draw_to` written as numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    players: int = switch(4, "PP1", least=2, most=8)
    """Number of players: the game is made for 3 to 6; 2, 7 and 8 are experiments."""
    rounds: int = switch(5, "R10", least=1, most=100)
    first_dealer: Seat = switch(Seat.A, "R10")
    advanced_deal: bool = switch(False, "R2, PP18")
    """True if players choose three of seven cards to be face up, hidden until all have chosen."""
    voluntary_pickup: bool = switch(False, "PP2")
    """True if a player who could play may pick up the pile."""
    draw_to: DrawTo = switch(DrawTo.ONE, "PP3")
    wash_any_time: bool = switch(False, "PP4")
    """True if an 8 may be played on any card."""
    wash_cancels_effect: bool = switch(False, "PP5")
    """True if a 4 or an 11 that washes the pile away has no other effect."""
    wild_triple: bool = switch(True, "PP6")
    """True if three Hog Wilds in a row are identical cards, and wash."""
    wild_mix: bool = switch(False, "PP6")
    """True if Hog Wilds may be played below cards of one value and then count as that value."""
    two_player_reverse: bool = switch(False, "PP10")
    """True if an 11 between the last two players gives its player another turn, as a 4 does."""
    join_zones: bool = switch(False, "PP15")
    """True if equal face-up cards may be played together with the last of a hand."""
    turn_cap: int = switch(2000, "PP13", least=1, most=100_000)
    """Maximum decisions of a round, after which it is counted as it is."""

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.first_dealer not in self.seats:
            raise SpecError(
                f"first_dealer={self.first_dealer} among {self.players} players",
                fix=f"use first_dealer={self.seats[0]}, or more players (R10)",
            )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Return the house rules in a JSON or TOML table; missing ones are default."""
        settings = dict(mapping)
        number = settings.get("draw_to")
        if type(number) is int and number in _NUMBERS:
            settings["draw_to"] = _NUMBERS[number]
        return super(PigPileRules, cls).from_mapping(settings)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in clockwise order."""
        return tuple(Seat)[: self.players]


Cards: TypeAlias = tuple[int, ...]
"""Cards by value; a hand is in ascending order, a pile has its top card last."""

HIDDEN = -1
"""Mark of a card that a player may not see."""
HOG_WILD = 0
HOG_TIED = 4
"""Value of the card by which the next player misses a turn."""
HOG_WASH = 8
"""Value of the card that washes the pile away."""
EWE_TURN = 11
"""Value of the card that reverses the direction of play."""
HIGHEST = 12
VALUES = range(HIGHEST + 1)

DECK: Cards = (HOG_WILD,) * 8 + tuple(value for value in range(1, HIGHEST + 1) for _ in range(6))
"""Values of all 80 cards (R1)."""

_CARDS = {"W": HOG_WILD, **{str(value): value for value in range(1, HIGHEST + 1)}}
_TEXTS = {**{card: text for text, card in _CARDS.items()}, HIDDEN: "?"}


def format_card(card: int) -> str:
    """Return a card as text: its number, or `W`; `?` for a hidden one."""
    return _TEXTS[card]


def parse_card(text: str) -> int:
    """Return the card that a text names; raise `SpecError` if it is unknown."""
    if text not in _CARDS:
        raise SpecError(f"unknown card {text!r}", fix="use 1 to 12, or W for Hog Wild")
    return _CARDS[text]


def format_cards(cards: Cards, *, between: str = " ") -> str:
    """Return cards as text, in their order."""
    return between.join(_TEXTS[card] for card in cards)


def parse_cards(words: Iterable[str]) -> Cards:
    """Return the cards that words name, in their order; raise `SpecError` if one is unknown."""
    return tuple(map(parse_card, words))


def merged(cards: Cards, others: Cards) -> Cards:
    """Return all these cards in ascending order."""
    return tuple(sorted(cards + others))


def less(cards: Cards, removed: Cards) -> Cards:
    """Return cards without those taken, if present, in the same order."""
    remaining = list(cards)
    for card in removed:
        if card in remaining:
            remaining.remove(card)
    return tuple(remaining)


PIG_PEN = 40
"""Number of pigs in a match (R1)."""


@unique
class PigPilePhase(StrEnum):
    """Phases of a round."""

    DEAL = "deal"
    """Shuffle and deal of the cards."""
    CHOOSE = "choose"
    """Choices of face-up cards, in the advanced deal (R2)."""
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class PigPileState:
    """State of a match: cards, player to move, and pigs."""

    phase: PigPilePhase = PigPilePhase.DEAL
    round: int = 1
    dealer: int = 0
    mover: int = 0
    """Number of the player to move, in phases that have one."""
    direction: int = 1
    """Direction of play: 1 clockwise, -1 anticlockwise."""
    tied: bool = False
    """True if the next player misses a turn after the mover's (R5, PP5)."""
    turns: int = 0
    """Number of decisions in this round, without choices of face-up cards."""
    hands: tuple[Cards, ...]
    """Hands by player, each in ascending order."""
    known: tuple[Cards, ...]
    """Part of each hand that all have seen, from the pile or the table (PP17)."""
    ups: tuple[Cards, ...]
    """Face-up cards by player, in ascending order."""
    slops: tuple[Cards, ...]
    """Face-down cards by player, in their order on the table."""
    chosen: tuple[Cards, ...] = ()
    """Hidden choices of face-up cards, in order from the dealer (PP18)."""
    draw: Cards = ()
    """Draw Pile; the first card is drawn first."""
    pile: Cards = ()
    """Pig Pile; the last card is on top."""
    mixed: bool = False
    """True if the Hog Wild below the top card was played as its value (PP6)."""
    aside: Cards = ()
    """Cards washed away in this round, in order."""
    out: tuple[int, ...] = ()
    """Players who are out, in the order of going out."""
    pigs: tuple[int, ...]
    """Pigs by player."""
    awards: tuple[int, ...] = ()
    """Pigs of each player in the previous round; empty in the first."""

    @property
    def result(self) -> Result | None:
        """Result of a finished match: most pigs win, and a tie is shared."""
        if self.phase is not PigPilePhase.OVER:
            return None
        top = max(self.pigs)
        winners = [seat for seat, pigs in zip(Seat, self.pigs, strict=False) if pigs == top]
        return Result.of(winners, "pigs")

    @property
    def count(self) -> int:
        """Number of players."""
        return len(self.hands)

    @property
    def left(self) -> tuple[int, ...]:
        """Players still in the round."""
        return tuple(place for place in range(len(self.hands)) if place not in self.out)

    @property
    def pen(self) -> int:
        """Number of pigs left in the Pig Pen."""
        return PIG_PEN - sum(self.pigs)

    def cards_of(self, place: int) -> int:
        """Return the number of a player's cards in all places."""
        return len(self.hands[place]) + len(self.ups[place]) + len(self.slops[place])


@dataclass(frozen=True, slots=True)
class Play:
    """Play of cards of one value, from the hand or, if it is empty, from the table (R3)."""

    cards: Cards
    """Cards in ascending order; Hog Wilds mixed in come first and are below the others."""

    @property
    def value(self) -> int:
        """Value that the next player must reach."""
        return self.cards[-1]


@dataclass(frozen=True, slots=True)
class Slop:
    """Play of a face-down card, unseen (R8)."""

    slot: int
    """Number of the card among those left, from 1."""


@dataclass(frozen=True, slots=True)
class PickUp:
    """Picking up the whole pile when no card fits (R4)."""

    face_up: int | None = None
    """Face-up card that a player with an empty hand also takes (R7)."""


@dataclass(frozen=True, slots=True)
class FaceUp:
    """Choice of three of seven cards to be face up, in the advanced deal (R2)."""

    cards: Cards
    """Cards in ascending order."""


PigPileAction = Play | Slop | PickUp | FaceUp


@cache
def play_of(value: int, count: int) -> Play:
    """Return the play of a number of cards of a value, always the same object."""
    return Play((value,) * count)
