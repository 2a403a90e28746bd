"""Actions and observations of Lord of the P.I.G.S. as numbers.

Actions have a fixed order, the same for every seat.

Actors go by where they sit from the mover: itself, the next (B), the opposite (C), the one before
(A). Cards go in the order of the rule book, and the 116 cards that can be in the Game Area by
owner, tag and copy: `lord_slots` lists them.

| numbers | action |
|---|---|
| 0 | pass |
| 1 to 13 | submit a card |
| 14 to 26 | discard a card to Flash Floods |
| 27, 28 | Share Benefits by R1, R2 |
| 29, 30 | Social Stability +1, -1 |
| 31 to 36 | with the next, the opposite, the one before: +1, -1 each |
| 37 to 65 | withdraw an own Action |
| 66 to 94 | carry out an own Action first |
| 95 to 1602 | vote: 13 cards, each for 116 Actions |
| 1603 to 2066 | +1 or -1 Vote: C5, C6, U3, U4, each on 116 Actions |
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout
from pigglesim.games.lord_of_the_pigs.actions import (
    PASS,
    CastVote,
    Discard,
    Intervene,
    LordAction,
    PutFirst,
    ShareLoot,
    Submit,
    Sway,
    UseAlternate,
    Withdraw,
)
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.house_rules import Series
from pigglesim.games.lord_of_the_pigs.observation import LordObservation
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    DECK_SIZE,
    HIGHEST,
    ORDERS,
    Alternate,
    Event,
    LordPhase,
    LordState,
    index,
    submission_name,
)
from pigglesim.landing import Seat

_SIGNS = (1, -1)
_SHARING = {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
_VOTING = {Alternate.PLUS, Alternate.MINUS}


@cache
def lord_slots(seat: Seat) -> tuple[str, ...]:
    """Return every name that a submitted Action can have, in their order for `seat`."""
    return tuple(
        submission_name(owner, card.tag, copy)
        for owner in ORDERS[seat]
        for card in CARDS.values()
        for copy in range(1, card.copies + 1)
    )


def _actions(seat: Seat) -> tuple[LordAction, ...]:
    """Return every action of a seat by its number."""
    slots, others = lord_slots(seat), ORDERS[seat][1:]
    own = slots[:DECK_SIZE]
    sharing = [card.tag for card in CARDS.values() if card.alternate in _SHARING]
    voting = [card.tag for card in CARDS.values() if card.alternate in _VOTING]
    return (
        PASS,
        *(Submit(card) for card in CARDS),
        *(Discard(card) for card in CARDS),
        *(ShareLoot(card) for card in sharing),
        *(Sway(by) for by in _SIGNS),
        *(Intervene(other, by) for other in others for by in _SIGNS),
        *(Withdraw(name) for name in own),
        *(PutFirst(name) for name in own),
        *(CastVote(card, name) for card in CARDS for name in slots),
        *(UseAlternate(card, name) for card in voting for name in slots),
    )


@cache
def _action_list(seat: Seat) -> ActionList[LordAction]:
    return ActionList(_actions(seat))


_PHASES = (
    LordPhase.EVENT,
    LordPhase.VOTING,
    LordPhase.ALTERNATES,
    LordPhase.ORDER,
    LordPhase.SHARE,
    LordPhase.SUBMISSION,
)
"""Phases in which somebody decides."""
_PLACES = ("own", "next", "opposite", "before")
"""The actors, from where the player sits."""
_PRIZES = {Series.OFF: 0, Series.REGULAR: 3, Series.COMPETITIVE: 13}
"""The most points of a game in a series (R10)."""
_VOTES = len(_PLACES) * DECK_SIZE
"""More votes than cards there cannot be; added ones are spent cards too."""


@dataclass(frozen=True, kw_only=True)
class LordEncoder(Encoder[LordAction]):
    """Actions and observations of one game of Lord of the P.I.G.S.

    `layout` tells every number; actors, and the cards in the Game Area, go by where they sit from
    the player. Left out are the order of the discard piles and of votes, and what Events are gone.
    """

    game: LordOfThePigs
    open_play = False

    @cached_property
    def layout(self) -> FeatureLayout:
        """What stands where in an observation."""
        cards = tuple(f"{place} {tag}" for place in _PLACES for tag in CARDS)
        # From seat A the slots have the names of the actors; from others they go round with them.
        slots = tuple(
            f"{place} {card.tag} {copy}"
            for place in _PLACES
            for card in CARDS.values()
            for copy in range(1, card.copies + 1)
        )
        return FeatureLayout(
            blocks=(
                Block(name="table", rows=("table",), columns=self._table_columns()),
                Block(name="actors", rows=_PLACES, columns=self._actor_columns()),
                Block(name="cards", rows=cards, columns=_CARD_COLUMNS),
                Block(name="actions", rows=slots, columns=_SLOT_COLUMNS),
            )
        )

    def _table_columns(self) -> tuple[Column, ...]:
        rules = self.game.rules
        return (
            Column(name="turn", meaning="this turn, from 1 [turns of a game]"),
            Column(name="game", meaning="this game, from 1 [games of a series]"),
            Column(name="stability", meaning="Social Stability [10]"),
            Column(name="to_move", meaning="I decide"),
            Column(name="over", meaning="the match is over"),
            Column(name="used", meaning="cards I have used while being asked [a deck]"),
            *(Column(name=phase.value, meaning=f"the phase {phase}") for phase in _PHASES),
            *(
                Column(name=event.value, meaning=f"the Event is {event.label}")
                for event in Event
                if rules.events
            ),
        )

    def _actor_columns(self) -> tuple[Column, ...]:
        rules = self.game.rules
        most = max(1.0, _PRIZES[rules.series] * rules.series_games / HIGHEST)
        return (
            Column(name="rating", meaning="the Rating [10]"),
            Column(name="points", meaning="points of the series [10]", high=most),
            Column(name="first", meaning="first player of this turn"),
            Column(name="hand", meaning="cards in hand [a deck]"),
            Column(name="deck", meaning="cards in the deck [a deck]"),
            Column(name="shares", meaning="Share Benefits of the current Action", high=2.0),
        )

    @property
    def full_score(self) -> int:
        """The highest Rating, or in a series the most points of every game."""
        rules = self.game.rules
        return max(HIGHEST, _PRIZES[rules.series] * rules.series_games)

    def numbers(self, observation: LordObservation, seat: Seat) -> Iterator[float]:
        """Yield what `seat` sees as numbers."""
        table = observation.table
        yield from self._of_table(table, seat)
        yield from _of_actors(table, seat)
        yield from _of_cards(table, seat)
        yield from _of_slots(table, seat)

    def _of_table(self, table: LordState, seat: Seat) -> Iterator[float]:
        rules, over = self.game.rules, table.result is not None
        yield table.turn / rules.turn_cap
        yield table.game / rules.series_games
        yield table.stability / HIGHEST
        yield not over and table.asked[:1] == (seat,)
        yield over
        yield table.used / DECK_SIZE
        yield from (not over and table.phase is phase for phase in _PHASES)
        if rules.events:
            yield from (table.event is event for event in Event)

    def actions(self, seat: Seat) -> ActionList[LordAction]:
        """Return all actions of `seat`."""
        return _action_list(seat)


_CARD_COLUMNS = (
    Column(name="hand", meaning="copies in my hand", high=3.0),
    Column(name="voted", meaning="copies that I have put face down", high=3.0),
    Column(name="discard", meaning="copies in the discard pile", high=3.0),
    Column(name="shown", meaning="copies shown that may still be in hand", high=3.0),
)
_SLOT_COLUMNS = (
    Column(name="there", meaning="this card is in the Game Area"),
    *(
        Column(name=f"votes_{place}", meaning=f"face-down votes: {place}", high=float(_VOTES))
        for place in _PLACES
    ),
    Column(name="added", meaning="votes added by +1 Vote", high=float(_VOTES)),
    Column(name="missing", meaning="votes to its threshold", high=3.0),
    Column(name="due", meaning="activated, and not carried out yet"),
    Column(name="current", meaning="about to be carried out"),
)


def _of_actors(table: LordState, seat: Seat) -> Iterator[float]:
    for actor in ORDERS[seat]:
        at = index(actor)
        side = table.sides[at]
        yield table.ratings[at] / HIGHEST
        yield table.points[at] / HIGHEST
        yield table.first is actor
        yield len(side.hand) / DECK_SIZE
        yield len(side.deck) / DECK_SIZE
        yield sum(sharer is actor for sharer, _ in table.shares)


def _of_cards(table: LordState, seat: Seat) -> Iterator[float]:
    for actor in ORDERS[seat]:
        side = table.side(actor)
        votes = (vote for action in table.submitted for vote in action.votes)
        voted = Counter(vote.card for vote in votes if vote.seat is actor)
        # Of others only what is hidden is there: it counts for no card.
        hand, discard, shown = map(Counter, (side.hand, side.discard, side.shown))
        for tag in CARDS:
            yield from (hand[tag], voted[tag], discard[tag], shown[tag])


_EMPTY = (0.0,) * len(_SLOT_COLUMNS)


def _of_slots(table: LordState, seat: Seat) -> Iterator[float]:
    actions = {action.name: action for action in table.submitted}
    for name in lord_slots(seat):
        action = actions.get(name)
        if action is None:
            yield from _EMPTY
            continue
        voters = Counter(vote.seat for vote in action.votes)
        yield 1.0
        yield from (voters[actor] for actor in ORDERS[seat])
        yield action.markers
        yield max(0, CARDS[action.card].threshold - action.vote_count)
        yield name in table.due
        yield name == table.current
