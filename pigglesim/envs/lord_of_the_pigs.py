"""Actions and observations of Lord of the P.I.G.S. as numbers.

Actions have a fixed order, the same for every seat.

Actors are ordered from the mover: itself, the next (B), the opposite (C), the one before (A). Cards
are in the order of the rule book. The 116 cards that can be in the Game Area are ordered by owner,
tag and copy: `lord_slots` lists them.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Row, columns
from pigglesim.games.lord_of_the_pigs import actions
from pigglesim.games.lord_of_the_pigs.game import LordObservation, LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    DECK_SIZE,
    HIGHEST,
    ORDERS,
    Alternate,
    Event,
    LordPhase,
    LordState,
    Series,
    index,
    submission_name,
)
from pigglesim.landing import Seat

_SIGNS = (1, -1)
_SHARING = {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
_VOTING = {Alternate.PLUS, Alternate.MINUS}


@cache
def lord_slots(seat: Seat) -> tuple[str, ...]:
    """Return every possible name of a submitted Action, in their order for `seat`."""
    return tuple(
        submission_name(owner, card.tag, copy)
        for owner in ORDERS[seat]
        for card in CARDS.values()
        for copy in range(1, card.copies + 1)
    )


@cache
def _action_list(seat: Seat) -> ActionList[actions.LordAction]:
    slots, others = lord_slots(seat), ORDERS[seat][1:]
    own = slots[:DECK_SIZE]
    sharing = [card.tag for card in CARDS.values() if card.alternate in _SHARING]
    voting = [card.tag for card in CARDS.values() if card.alternate in _VOTING]
    return ActionList(
        (
            actions.PASS,
            *(actions.Submit(card) for card in CARDS),
            *(actions.Discard(card) for card in CARDS),
            *(actions.ShareLoot(card) for card in sharing),
            *(actions.Sway(by) for by in _SIGNS),
            *(actions.Intervene(other, by) for other in others for by in _SIGNS),
            *(actions.Withdraw(name) for name in own),
            *(actions.PutFirst(name) for name in own),
            *(actions.CastVote(card, name) for card in CARDS for name in slots),
            *(actions.UseAlternate(card, name) for card in voting for name in slots),
        )
    )


_PHASES = (
    LordPhase.EVENT,
    LordPhase.VOTING,
    LordPhase.ALTERNATES,
    LordPhase.ORDER,
    LordPhase.SHARE,
    LordPhase.SUBMISSION,
)
"""Phases in which a player decides."""
_PLACES = ("own", "next", "opposite", "before")
"""Actors as seen from the player."""
_PRIZES = {Series.OFF: 0, Series.REGULAR: 3, Series.COMPETITIVE: 13}
"""Maximum points of a game in a series (R10)."""
_VOTES = float(len(_PLACES) * DECK_SIZE)
"""Maximum number of votes: all cards, because added votes also cost a card."""


_TABLE = (
    Column("turn", "this turn, from 1 [turns of a game]"),
    Column("game", "this game, from 1 [games of a series]"),
    Column("stability", "Social Stability [10]"),
    Column("to_move", "I decide"),
    Column("over", "the match is over"),
    Column("used", "cards I have used while being asked [a deck]"),
    *columns({phase.value: f"the phase {phase}" for phase in _PHASES}),
)
_ACTOR = (
    Column("first", "first player of this turn"),
    Column("hand", "cards in hand [a deck]"),
    Column("deck", "cards in the deck [a deck]"),
    Column("shares", "Share Benefits of the current Action", high=2.0),
)
_CARD = (
    Column("hand", "copies in my hand", high=3.0),
    Column("voted", "copies that I have put face down", high=3.0),
    Column("discard", "copies in the discard pile", high=3.0),
    Column("shown", "copies shown that may still be in hand", high=3.0),
)
_SLOT = (
    Column("there", "this card is in the Game Area"),
    *columns({f"votes_{place}": f"face-down votes: {place}" for place in _PLACES}, high=_VOTES),
    Column("added", "votes added by +1 Vote", high=_VOTES),
    Column("missing", "votes to its threshold", high=3.0),
    Column("due", "activated, and not carried out yet"),
    Column("current", "about to be carried out"),
)


@dataclass(frozen=True, kw_only=True)
class LordEncoder(Encoder[actions.LordAction]):
    """Encoder of one game of Lord of the P.I.G.S.

    `layout` describes every number. Actors, and cards in the Game Area, are ordered by their seats
    from the player. The orders of discard piles and of votes, and past Events, are left out.
    """

    game: LordOfThePigs
    open_play = False

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        cards = tuple(f"{place} {tag}" for place in _PLACES for tag in CARDS)
        slots = tuple(
            f"{place} {card.tag} {copy}"
            for place in _PLACES
            for card in CARDS.values()
            for copy in range(1, card.copies + 1)
        )
        rules = self.game.rules
        points = max(1.0, _PRIZES[rules.series] * rules.series_games / HIGHEST)
        events = {event.value: f"the Event is {event.label}" for event in Event if rules.events}
        table = (*_TABLE, *columns(events))
        actors = (
            Column("rating", "the Rating [10]"),
            Column("points", "points of the series [10]", high=points),
            *_ACTOR,
        )
        return FeatureLayout(
            blocks=(
                Block(name="table", rows=("table",), columns=table),
                Block(name="actors", rows=_PLACES, columns=actors),
                Block(name="cards", rows=cards, columns=_CARD),
                Block(name="actions", rows=slots, columns=_SLOT),
            )
        )

    @property
    def full_score(self) -> int:
        """Highest Rating, or the maximum points of all games of a series."""
        rules = self.game.rules
        return max(HIGHEST, _PRIZES[rules.series] * rules.series_games)

    def rows(self, observation: LordObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the table, of actors, of their cards, and of the Game Area."""
        table = observation.table
        return (
            (self._table_row(table, seat),),
            [_actor_row(table, actor) for actor in ORDERS[seat]],
            _card_rows(table, seat),
            _slot_rows(table, seat),
        )

    def _table_row(self, table: LordState, seat: Seat) -> Row:
        rules, over = self.game.rules, table.result is not None
        row: dict[str, float] = {
            "turn": table.turn / rules.turn_cap,
            "game": table.game / rules.series_games,
            "stability": table.stability / HIGHEST,
            "to_move": not over and table.asked[:1] == (seat,),
            "used": table.used / DECK_SIZE,
            "over" if over else table.phase: 1.0,
        }
        if table.event is not None:
            row[table.event] = 1.0
        return row

    def actions(self, seat: Seat) -> ActionList[actions.LordAction]:
        """Return all actions of `seat`."""
        return _action_list(seat)


def _actor_row(table: LordState, actor: Seat) -> Row:
    at = index(actor)
    side = table.sides[at]
    return {
        "rating": table.ratings[at] / HIGHEST,
        "points": table.points[at] / HIGHEST,
        "first": table.first is actor,
        "hand": len(side.hand) / DECK_SIZE,
        "deck": len(side.deck) / DECK_SIZE,
        "shares": sum(sharer is actor for sharer, _ in table.shares),
    }


def _card_rows(table: LordState, seat: Seat) -> Iterator[Row]:
    for actor in ORDERS[seat]:
        side = table.side(actor)
        votes = (vote for action in table.submitted for vote in action.votes)
        voted = Counter(vote.card for vote in votes if vote.seat is actor)
        # Hidden cards of others have no tag, so none of them is counted.
        hand, discard, shown = map(Counter, (side.hand, side.discard, side.shown))
        for tag in CARDS:
            copies = {"hand": hand, "voted": voted, "discard": discard, "shown": shown}
            yield {name: count[tag] for name, count in copies.items()}


def _slot_rows(table: LordState, seat: Seat) -> Iterator[Row]:
    submitted = {action.name: action for action in table.submitted}
    for name in lord_slots(seat):
        action = submitted.get(name)
        if action is None:
            yield {}
            continue
        voters = Counter(vote.seat for vote in action.votes)
        votes = zip(_PLACES, ORDERS[seat], strict=True)
        yield {
            "there": 1.0,
            **{f"votes_{place}": voters[actor] for place, actor in votes},
            "added": action.markers,
            "missing": max(0, CARDS[action.card].threshold - action.vote_count),
            "due": name in table.due,
            "current": name == table.current,
        }
