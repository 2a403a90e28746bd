"""States of Lord of the P.I.G.S.: actors, cards, events and the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pigglesim.errors import unknown_name
from pigglesim.games.game import Result, changed
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat


class Actor(StrEnum):
    """Actors in Actor order; the first has seat A."""

    PRESIDENT = "President"
    BANKER = "Banker"
    CORPORATE = "Corporate"
    ENERGY = "Energy"

    @property
    def seat(self) -> Seat:
        """Seat of the player of this actor."""
        return SEATS[ACTORS.index(self)]

    @property
    def variable(self) -> str:
        """Quantity that this actor's Rating measures."""
        return _VARIABLES[self]


ACTORS = tuple(Actor)
"""Actors in Actor order."""
SEATS = (Seat.A, Seat.B, Seat.C, Seat.D)
"""Seats of the actors, in Actor order."""
ORDERS = {seat: (*SEATS[at:], *SEATS[:at]) for at, seat in enumerate(SEATS)}
"""All four seats in Actor order, by the first one."""

_VARIABLES = {
    Actor.PRESIDENT: "Public Opinion",
    Actor.BANKER: "Economic Growth",
    Actor.CORPORATE: "Consumer Sales",
    Actor.ENERGY: "Energy prices",
}
_BY_SEAT = dict(zip(SEATS, ACTORS, strict=True))


def index(seat: Seat) -> int:
    """Return the place of a seat in Actor order, from 0."""
    # A tuple finds a member by identity; a dictionary would have to hash it first.
    return SEATS.index(seat)


def actor(seat: Seat) -> Actor:
    """Return the actor of the player at a seat."""
    return _BY_SEAT[seat]


def read_actor(role: str, value: object) -> Seat:
    """Return the seat of an actor by name; raise `SpecError` if it is unknown."""
    if not isinstance(value, str) or value not in set(ACTORS):
        raise unknown_name(f"actor as {role}", str(value), ACTORS)
    return Actor(value).seat


Effect = tuple[int, ...]
"""Changes of the four Ratings in Actor order, and of Social Stability."""


class Alternate(StrEnum):
    """Use of a card that is discarded instead of submitted (R6)."""

    NONE = "none"
    PLUS = "plus"
    """One vote more on a submitted Action."""
    MINUS = "minus"
    """One vote less."""
    SHARE_PREVIOUS = "share_previous"
    """Share Benefits with A: the own Rating changes like that of the actor before."""
    SHARE_NEXT = "share_next"
    """Share Benefits with B: the own Rating changes like that of the actor after."""


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of Action card."""

    tag: str
    """Rarity and number: C common, U uncommon, R rare."""
    copies: int
    """Number of copies in a deck."""
    threshold: int
    """Votes that activate it."""
    owner: int
    previous: int
    """Effect on A, the actor before the owner."""
    next: int
    """Effect on B, the actor after."""
    opposite: int
    """Effect on C."""
    stability: int
    alternate: Alternate = Alternate.NONE


_TABLE = (
    #         #  votes own  A   B   C  SS
    Card("C1", 3, 2, +2, +1, +1, +0, +1),
    Card("C2", 3, 1, +1, -1, -1, +0, -1),
    Card("C3", 3, 2, +2, +2, +0, +0, -1),
    Card("C4", 3, 2, +2, +0, +2, +0, -1),
    Card("C5", 3, 1, +1, +1, -1, +0, +0, Alternate.PLUS),
    Card("C6", 3, 1, +1, -1, +1, +0, +0, Alternate.MINUS),
    Card("U1", 2, 3, +3, +2, +2, +1, +2),
    Card("U2", 2, 2, +2, -2, -2, -1, -2),
    Card("U3", 2, 1, +2, +0, +0, +1, -2, Alternate.PLUS),
    Card("U4", 2, 1, +0, -1, -1, -1, +2, Alternate.MINUS),
    Card("R1", 1, 3, +4, -2, +2, +1, -3, Alternate.SHARE_NEXT),
    Card("R2", 1, 3, +4, +2, -2, +1, -3, Alternate.SHARE_PREVIOUS),
    Card("R3", 1, 2, +3, +1, +1, +1, +3),
)

CARDS: Mapping[str, Card] = {card.tag: card for card in _TABLE}
"""Kinds of cards by tag, in the order of the rule book."""
DECK = tuple(card.tag for card in _TABLE for _ in range(card.copies))
"""Tags of the cards of one actor."""
DECK_SIZE = len(DECK)
_RANK = {tag: rank for rank, tag in enumerate(CARDS)}
# A Cyrillic es looks like the Latin letter, and stands for it in the source's table (LP12).
_LOOKALIKES = str.maketrans({"\u0421": "C"})


def in_order(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Return cards in the order of the rule book."""
    return tuple(sorted(cards, key=_RANK.__getitem__))


def read_card(value: object) -> str:
    """Return the tag of a card in a file; raise `SpecError` if it is unknown."""
    tag = value.translate(_LOOKALIKES) if isinstance(value, str) else str(value)
    if tag not in CARDS:
        raise unknown_name("card", tag, CARDS)
    return tag


@cache
def effect(owner: Seat, tag: str) -> Effect:
    """Return the effect of an activated card of `owner`, before any Event."""
    card, at = CARDS[tag], index(owner)
    # Seen from the owner the cycle is the owner itself, B, C and A.
    cycle = (card.owner, card.next, card.opposite, card.previous)
    return (*(cycle[(k - at) % len(SEATS)] for k in range(len(SEATS))), card.stability)


_USUAL = 10
"""Number of copies of Business as usual; other Events have one."""


class Event(StrEnum):
    """Events, by their words in records."""

    FOREIGN_INVESTMENT = "foreign_investment"
    FLASH_FLOODS = "flash_floods"
    GENERAL_STRIKE = "general_strike"
    TERRORIST_ATTACK = "terrorist_attack"
    NATIONAL_BUSINESS_FAIR = "national_business_fair"
    CIVILIAN_WATCHDOGS = "civilian_watchdogs"
    INTERNATIONAL_SCRUTINY = "international_scrutiny"
    CHAMPIONSHIP_FINAL = "championship_final"
    WHISTLE_BLOWER_SCANDAL = "whistle_blower_scandal"
    FMI_INTERVENTION = "fmi_intervention"
    BUSINESS_AS_USUAL = "business_as_usual"

    @property
    def label(self) -> str:
        """Name on the card."""
        return _LABELS[self]

    @property
    def text(self) -> str:
        """Effect of the Event, in a sentence."""
        return _TEXTS[self]


_LABELS = {event: event.value.replace("_", " ").title() for event in Event} | {
    Event.WHISTLE_BLOWER_SCANDAL: "Whistle-blower Scandal",
    Event.FMI_INTERVENTION: "FMI Intervention",
    Event.BUSINESS_AS_USUAL: "Business as usual",
}
_TEXTS = {
    Event.FOREIGN_INVESTMENT: "Each player draws an Action.",
    Event.FLASH_FLOODS: "Each player discards an Action from hand.",
    Event.GENERAL_STRIKE: "Each player adds 1 to Social Stability or takes 1 from it.",
    Event.TERRORIST_ATTACK: "Every change in this turn is larger by 1.",
    Event.NATIONAL_BUSINESS_FAIR: "The owner of each activated Action draws 2 Actions.",
    Event.CIVILIAN_WATCHDOGS: "Each player discards one of their submitted Actions.",
    Event.INTERNATIONAL_SCRUTINY: "No Alternate Modes in this turn.",
    Event.CHAMPIONSHIP_FINAL: "Social Stability cannot change in this turn.",
    Event.WHISTLE_BLOWER_SCANDAL: "Each player shows the Actions in hand with Alternate Modes.",
    Event.FMI_INTERVENTION: "Each player moves their own Rating and another by 1, both up or down.",
    Event.BUSINESS_AS_USUAL: "Nothing happens.",
}

EVENT_DECK = tuple(
    event.value for event in Event for _ in range(_USUAL if event is Event.BUSINESS_AS_USUAL else 1)
)
"""Words of the twenty Events."""
_BY_LABEL = {event.label: event for event in Event} | {event.value: event for event in Event}


def read_event(value: object) -> Event | None:
    """Return an Event by the name on its card or by its word; None for none.

    Raises:
        SpecError: If the Event is unknown; it suggests the nearest names.
    """
    if value is None:
        return None
    if not isinstance(value, str) or value not in _BY_LABEL:
        raise unknown_name("Event", str(value), _LABELS.values())
    return _BY_LABEL[value]


def under(event: Event | None, effect: Effect) -> Effect:
    """Return an effect as modified by the active Event (LP7)."""
    if event is Event.TERRORIST_ATTACK:
        return tuple(change + (change > 0) - (change < 0) for change in effect)
    if event is Event.CHAMPIONSHIP_FINAL:
        return (*effect[:4], 0)
    return effect


HIGHEST = 10
"""Maximum of Ratings and Social Stability; the minimum is 0 (R1)."""
HIDDEN = "?"
"""Mark of a card that a player may not see."""
_START_STABILITY = 5
_HAND = 3
"""Number of cards in a hand at the start of a game."""


class LordPhase(StrEnum):
    """Phases, in which a state waits for a decision or a shuffle."""

    DEAL = "deal"
    """The first three cards."""
    EVENT = "event"
    """Decisions on the Event that was just revealed."""
    UPKEEP = "upkeep"
    """Draw of one card by every player."""
    VOTING = "voting"
    ALTERNATES = "alternates"
    """The Activation Phase before the votes are counted: +1 and -1 Vote."""
    ORDER = "order"
    """Choice of the first of several own activated Actions (LP10)."""
    SHARE = "share"
    """Share Benefits of the Action to be carried out next (LP5)."""
    SUBMISSION = "submission"


class LordReason(StrEnum):
    """Reasons for the end of a game or a series."""

    RATING = "rating"
    UPRISING = "uprising"
    TURN_CAP = "turn_cap"
    """Turn limit without a winner (LP18)."""
    SERIES = "series"
    """Points of all games of the series."""


@dataclass(frozen=True, kw_only=True)
class Vote:
    """A card put face down on a submitted Action."""

    seat: Seat
    """Seat of the card's owner."""
    card: str
    """Tag of the card, hidden from other players."""
    after_showing: bool = False
    """True if the card left the hand after it was shown, so that it may be a shown one."""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """An Action in the Game Area, with the votes for it."""

    name: str
    """Owner, tag and, of a second or third copy, its number: `Banker.C1`, `Banker.C1.2`."""
    owner: Seat
    card: str
    votes: tuple[Vote, ...] = ()
    """Votes in the order of casting."""
    markers: int = 0
    """Number of votes added by +1 Vote, which leave no card."""

    @property
    def vote_count(self) -> int:
        """Number of all votes for the Action."""
        return len(self.votes) + self.markers

    @property
    def reached(self) -> bool:
        """True if the Action has enough votes."""
        return self.vote_count >= CARDS[self.card].threshold


@dataclass(frozen=True, kw_only=True)
class LordSide:
    """Cards of one player, except those in the Game Area."""

    deck: tuple[str, ...] = ()
    """Face-down cards; the first is drawn next."""
    hand: tuple[str, ...] = ()
    """Cards in the order of the rule book."""
    discard: tuple[str, ...] = ()
    """Face-up cards in the order of discarding."""
    shown: tuple[str, ...] = ()
    """Cards of this hand that all have seen and that may still be there (LP16)."""


@dataclass(frozen=True, kw_only=True)
class LordState:
    """State of a game, or of a series.

    Chance is to move when a player draws from an empty deck with a discard pile, or when an Event
    is to be revealed from an empty deck: that deck is shuffled.
    """

    turn: int = 1
    """Turn of this game, from 1."""
    first: Seat = Seat.A
    """First player of this turn."""
    phase: LordPhase = LordPhase.DEAL
    ratings: tuple[int, ...] = (0, 0, 0, 0)
    """Ratings in Actor order."""
    stability: int = _START_STABILITY
    sides: tuple[LordSide, LordSide, LordSide, LordSide]
    """Cards of the players in Actor order."""
    submitted: tuple[Submitted, ...] = ()
    """Actions in the Game Area, in the order of submission."""
    event: Event | None = None
    """Active Event."""
    revealing: bool = False
    """True if the next Event is to be revealed."""
    event_deck: tuple[str, ...] = ()
    """Face-down Events; the first is revealed next."""
    event_discard: tuple[str, ...] = ()
    draws: tuple[Seat, ...] = ()
    """Seats that still draw a card before anything else, in order."""
    asked: tuple[Seat, ...] = ()
    """Seats that still decide in this phase; the first is to move."""
    used: int = 0
    """Number of cards that the player to move has discarded for Alternate Modes in this phase."""
    due: tuple[str, ...] = ()
    """Activated Actions to be carried out, in order except for their owners' choices."""
    current: str = ""
    """Action that is being carried out."""
    shares: tuple[tuple[Seat, str], ...] = ()
    """Share Benefits cards discarded for that Action, with the players' seats."""
    result: Result | None = None
    game: int = 1
    """Number of this game in a series."""
    points: tuple[int, ...] = (0, 0, 0, 0)
    """Points of the finished games of the series, in Actor order."""
    turns_before: int = 0
    """Turns of the games before this one."""

    @property
    def round(self) -> int:
        """Number of the turn, counted through all games of a series."""
        return self.turns_before + self.turn

    def side(self, seat: Seat) -> LordSide:
        """Return the cards of a player."""
        return self.sides[index(seat)]

    def action(self, name: str) -> Submitted | None:
        """Return the submitted Action of a name, or None."""
        return next((action for action in self.submitted if action.name == name), None)

    def submitted_action(self, name: str) -> Submitted:
        """Return the submitted Action of an existing name."""
        action = self.action(name)
        assert action is not None
        return action

    def with_votes(
        self, action: Submitted, votes: tuple[Vote, ...], markers: int
    ) -> tuple[Submitted, ...]:
        """Return the Game Area with other votes for one of its Actions."""
        new = changed(action, votes=votes, markers=markers)
        return tuple(new if other is action else other for other in self.submitted)


def by_seat(numbers: tuple[int, ...]) -> dict[Seat, int]:
    """Return numbers in Actor order by the seats of the actors."""
    return {seat: numbers[index(seat)] for seat in SEATS}


def submission_name(seat: Seat, card: str, copy: int) -> str:
    """Return the name of a submitted Action."""
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
    """Return the owner and the tag in the name of a submitted Action.

    Raises:
        KeyError: If the name is invalid.
    """
    return _NAMES[name]


CARD_NAMES: Mapping[Actor, Mapping[str, str]] = {
    Actor.PRESIDENT: {
        "C1": "Organic Law Against Energy Poverty",
        "C2": "Structural Measures Package",
        "C3": "Remote Administrative Managing Law",
        "C4": "Energy Security Convention",
        "C5": "Savings Promotion Campaign",
        "C6": "Streamlining of National Oil Resources Act",
        "U1": "VAT Reduction",
        "U2": "National Production Protection Act",
        "U3": '"24/7" Law to Invigorate Consumption',
        "U4": "Workers' Rights Protection Campaign",
        "R1": "Private Sector Growth's Stimulus Package",
        "R2": "Strategic Intervention in the Financial Sector",
        "R3": "Social Pact",
    },
    Actor.BANKER: {
        "C1": "Lower Lending Rate to Small Companies",
        "C2": "Up Lending Rate to Small Companies",
        "C3": "New Risk Assessment Study",
        "C4": "Popularize Consumption Lends",
        "C5": "Prioritize Investment in Public Sector",
        "C6": "Prioritize Investment in Private Sector",
        "U1": "International Finance Relations Committee",
        "U2": "Loan Risk Minimization Plan",
        "U3": "Hedge Fund in New Extraction Techniques",
        "U4": 'Creation of "Bank of Meridia" Foundation',
        "R1": "Economic Assessment Committee",
        "R2": "Strategic Restructuring",
        "R3": "Real Estate Strategy",
    },
    Actor.CORPORATE: {
        "C1": "Corporate C1",
        "C2": "Corporate C2",
        "C3": "Strategic Acquisition of Prime Materials",
        "C4": "In-Factory Energy Plant",
        "C5": "Break into Stock Market",
        "C6": "Supply Strategic Agreement",
        "U1": "Hybrid Card Development",
        "U2": "Relocation of Production Sites",
        "U3": "Expand Towards the Healthcare Sector",
        "U4": "Reforestation Plan",
        "R1": "Committee for the Defense of the National Produce",
        "R2": "Lobby to End Energy Monopoly",
        "R3": "Integral Production Commitment",
    },
    Actor.ENERGY: {
        "C1": "Energy C1",
        "C2": "Energy C2",
        "C3": "Focus on Traditional Energy Sources",
        "C4": "Rate System's Redesign",
        "C5": "Energy Consumption's Committee",
        "C6": "Consumption Awareness Campaign",
        "U1": "Wind Power Farm Inauguration",
        "U2": "Energy Sector Sustainability Committee",
        "U3": "Shale Gas Discovery",
        "U4": "Coal Plant Phase Out Plan",
        "R1": "First Shale Gas Exploitation",
        "R2": "Alliance for the Defense of the National Energy",
        "R3": "Support Off-Grid Production",
    },
}
"""Names of cards as the source spells them, by actor and tag."""


def card_name(seat: Seat, tag: str) -> str:
    """Return the name of a card of the actor at `seat`."""
    return CARD_NAMES[actor(seat)][tag]


class MinusChoice(StrEnum):
    """Vote that a -1 Vote removes (LP4)."""

    LATEST = "latest"
    """Last card of a vote; without one, a vote added by +1."""
    EARLIEST = "earliest"
    """First card of a vote; without one, a vote added by +1."""
    MARKER = "marker"
    """Vote added by +1; without one, the last card of a vote."""


class ShareAmount(StrEnum):
    """Amount that Share Benefits pays (LP5)."""

    NOMINAL = "nominal"
    """Change on the card, under the active Event."""
    ACTUAL = "actual"
    """Actual change of the other Rating between 0 and 10."""


class ShareClamp(StrEnum):
    """Time at which a Rating with a share is limited to 0 to 10 (LP5)."""

    TOGETHER = "together"
    """Once, after the Action's effect and all shares of it."""
    AFTER_EFFECT = "after_effect"
    """After the Action's effect, and again after each share."""


class UprisingTie(StrEnum):
    """Effect of a Social Uprising when several share the lowest Rating (LP9)."""

    FALL_THROUGH = "fall_through"
    """Decision by the next check: a single player at 10 wins."""
    CONTINUE = "continue"
    """Continuation of the game, even with players at 10."""


class Series(StrEnum):
    """Series of games whose points add up (R10)."""

    OFF = "off"
    """Single game as the whole match."""
    REGULAR = "regular"
    """Winner 3, second 1; after an uprising winner 2."""
    COMPETITIVE = "competitive"
    """Own Rating, and 3 more for the winner; after an uprising, 5 for the winner alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    first_actor: Actor = switch(Actor.PRESIDENT, "LP1", "first player of turn 1")
    alternate_modes: bool = switch(
        True, "R10", "cards may be discarded for their Alternate Modes; `off` for beginners"
    )
    events: bool = switch(True, "R10", "each turn has an Event; `off` for beginners")
    diplomacy_wars: bool = switch(False, "R10", "players may vote only for Actions of others")
    votes_persist: bool = switch(True, "LP2", "votes on Actions that were not activated stay")
    alt_limit: int = switch(
        DECK_SIZE,
        "LP3",
        "cards a player may discard for +1 or -1 Vote per turn",
        least=0,
        most=DECK_SIZE,
    )
    minus_choice: MinusChoice = switch(
        MinusChoice.LATEST,
        "LP4",
        "vote that -1 removes: `latest`, `earliest` card, or an added `marker` first",
    )
    share_amount: ShareAmount = switch(
        ShareAmount.NOMINAL,
        "LP5",
        "a share pays the change printed on card and Event; `actual`: the real change of "
        "the other Rating",
    )
    share_clamp: ShareClamp = switch(
        ShareClamp.TOGETHER,
        "LP5",
        "Ratings are limited to 0 and 10 once, after effect and shares; `after_effect`: after each",
    )
    share_limit: int = switch(
        1, "LP5", "Share Benefits cards of a player for one Action, 0 to 2", least=0, most=2
    )
    uprising_tie: UprisingTie = switch(
        UprisingTie.FALL_THROUGH,
        "LP9",
        "if the lowest Rating is shared at Social Stability 0, the check for 10 decides; "
        "`continue`: the game goes on",
    )
    turn_cap: int = switch(200, "LP18", "turns after which a game is drawn", least=1, most=10_000)
    series: Series = switch(
        Series.OFF, "R10", "a set of games whose points add up: `regular` or `competitive`"
    )
    series_games: int = switch(3, "R10", "games of a series", least=1, most=100)


def opening(rules: LordRules) -> LordState:
    """Return the state before the first shuffle, with every card on its discard pile."""
    first, side = rules.first_actor.seat, LordSide(discard=DECK)
    return LordState(
        first=first,
        sides=(side, side, side, side),
        event_discard=EVENT_DECK if rules.events else (),
        draws=tuple(seat for seat in ORDERS[first] for _ in range(_HAND)),
    )
