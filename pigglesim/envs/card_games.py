"""Actions and observations of Lord of the P.I.G.S. and of Pig Pile as numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Row, columns
from pigglesim.games import pig_pile as pile
from pigglesim.games.lord_of_the_pigs import rules as lord
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
def _action_list(seat: Seat) -> ActionList[lord.LordAction]:
    slots, others = lord_slots(seat), ORDERS[seat][1:]
    own = slots[:DECK_SIZE]
    sharing = [card.tag for card in CARDS.values() if card.alternate in _SHARING]
    voting = [card.tag for card in CARDS.values() if card.alternate in _VOTING]
    return ActionList(
        (
            lord.PASS,
            *(lord.Submit(card) for card in CARDS),
            *(lord.Discard(card) for card in CARDS),
            *(lord.ShareLoot(card) for card in sharing),
            *(lord.Sway(by) for by in _SIGNS),
            *(lord.Intervene(other, by) for other in others for by in _SIGNS),
            *(lord.Withdraw(name) for name in own),
            *(lord.PutFirst(name) for name in own),
            *(lord.CastVote(card, name) for card in CARDS for name in slots),
            *(lord.UseAlternate(card, name) for card in voting for name in slots),
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
class LordEncoder(Encoder[lord.LordAction]):
    """Encoder of one game of Lord of the P.I.G.S.

    `layout` describes every number. The orders of discard piles and of votes, and past Events, are
    left out.

    Actions have a fixed order, the same for every seat. Actors are ordered from the mover: itself,
    the next (B), the opposite (C), the one before (A). Cards are in the order of the rule book. The
    116 cards that can be in the Game Area are ordered by owner, tag and copy: `lord_slots` lists
    them.

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

    def actions(self, seat: Seat) -> ActionList[lord.LordAction]:
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


_SEATS = tuple(Seat)
_DECK_SIZE = len(pile.DECK)
_MOVING_PHASES = (pile.PigPilePhase.CHOOSE, pile.PigPilePhase.PLAY)


def numbered_actions(rules: pile.PigPileRules) -> tuple[pile.PigPileAction, ...]:
    """Return every action that the house rules can allow, in the order of their numbers."""
    copies = {value: pile.DECK.count(value) for value in pile.VALUES}
    actions: list[pile.PigPileAction] = [
        pile.Play((value,) * number)
        for value, count in copies.items()
        for number in range(1, count + 1)
    ]
    actions += [pile.Slop(slot) for slot in range(1, pile.SLOP + 1)]
    actions += [pile.PickUp(), *map(pile.PickUp, pile.VALUES)]
    if rules.advanced_deal:
        actions += map(pile.FaceUp, combinations_with_replacement(pile.VALUES, pile.UP))
    if rules.wild_mix:
        actions += [
            pile.Play((pile.HOG_WILD,) * wilds + (value,) * number)
            for value in pile.VALUES
            if value != pile.HOG_WILD
            for number in range(1, copies[value] + 1)
            for wilds in range(1, copies[pile.HOG_WILD] + 1)
        ]
    return tuple(actions)


@dataclass(frozen=True, kw_only=True)
class PigPileEncoder(Encoder[pile.PigPileAction]):
    """Encoder of one game of Pig Pile.

    `layout` describes every number. The orders of washed cards, and of the pile below its two upper
    cards, are left out, because they have no effect.

    Players are in the order of play as seen by the seat: itself first, then clockwise. Actions have
    the same numbers for all seats: plays by value and then by number of cards, the Slop's three
    slots, and pick-ups without and with a face-up card. Under house rules that allow them, choices
    of face-up cards and plays with Hog Wilds mixed in follow.
    """

    game: pile.PigPile
    open_play = False

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        count = self.game.rules.players
        others = (f"player {step} after the seat" for step in range(1, count))
        return FeatureLayout(
            blocks=(
                Block(name="players", rows=("the seat", *others), columns=_PLAYER),
                Block(name="table", rows=("table",), columns=_table_columns(self.game.rules)),
            )
        )

    def _every_action(self) -> Iterable[pile.PigPileAction]:
        return numbered_actions(self.game.rules)

    @property
    def full_score(self) -> int:
        """Pigs of a player who is first out in every round."""
        return min(pile.PRIZES[0] * self.game.rules.rounds, pile.PIG_PEN)

    def rows(self, observation: pile.PigPileObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the players in the order of play, and of the table."""
        first, count = _SEATS.index(seat), observation.count
        players = (_player_row(observation, (first + step) % count) for step in range(count))
        return players, (_table_row(observation, self.game.rules),)


@cache
def _names(name: str) -> dict[int, str]:
    return {value: f"{name}_{pile.format_card(value)}" for value in pile.VALUES}


def _by_value(name: str, meaning: str) -> tuple[Column, ...]:
    """Return columns of the number of cards of each value."""
    return tuple(
        Column(column, f"cards {pile.format_card(card)} {meaning}", high=pile.DECK.count(card))
        for card, column in _names(name).items()
    )


def _counts(name: str, cards: pile.Cards) -> dict[str, float]:
    columns = _names(name)
    return {columns[value]: cards.count(value) for value in set(cards)}


_PLAYER = (
    *_by_value("hand", "in hand: all of the seat's own, of others what all have seen"),
    Column("unseen", "cards in hand that the seat does not know", high=float(_DECK_SIZE)),
    *_by_value("shown", "in hand that all have seen"),
    *_by_value("up", "face up"),
    Column("slop", "cards face down", high=float(pile.SLOP)),
    Column("pigs", "pigs", high=float(pile.PIG_PEN)),
    Column("moves", "flag: it is this player's turn"),
    Column("deals", "flag: the dealer of this round"),
    Column("first", "flag: the first who was out in this round"),
    Column("second", "flag: the second"),
)


def _table_columns(rules: pile.PigPileRules) -> tuple[Column, ...]:
    tops = {f"top_{pile.format_card(top)}": "flag: the top card" for top in pile.VALUES}
    return (
        *_by_value("pile", "in the pile"),
        *columns({"top_none": "flag: the pile is empty", **tops}),
        Column("pair", "flag: the two upper cards count as one value"),
        *_by_value("aside", "washed away"),
        *_by_value("chosen", "the seat has chosen to lie face up"),
        Column("chosen_count", "how many have chosen", high=float(rules.players)),
        Column("draw", "cards to draw", high=float(_DECK_SIZE)),
        Column("direction", "1 clockwise, -1 the other way", low=-1.0),
        Column("tied", "flag: the next player misses a turn"),
        Column("round", "round, as a share of all"),
        Column("turns", "decisions in this round, as a share of its cap"),
        *columns({phase.value: f"flag: phase {phase.value}" for phase in pile.PigPilePhase}),
    )


def _player_row(observation: pile.PigPileObservation, place: int) -> Row:
    shown = observation.known[place]
    hand = observation.hands[place] if place == observation.place else shown
    return {
        **_counts("hand", hand),
        "unseen": len(observation.hands[place]) - len(hand),
        **_counts("shown", shown),
        **_counts("up", observation.ups[place]),
        "slop": len(observation.slops[place]),
        "pigs": observation.pigs[place],
        "moves": place == observation.mover and observation.phase in _MOVING_PHASES,
        "deals": place == observation.dealer,
        "first": observation.out[:1] == (place,),
        "second": observation.out[1:2] == (place,),
    }


def _table_row(observation: pile.PigPileObservation, rules: pile.PigPileRules) -> Row:
    return {
        **_counts("pile", observation.pile),
        f"top_{pile.format_card(observation.pile[-1]) if observation.pile else 'none'}": 1.0,
        "pair": observation.mixed or observation.pile[-2:-1] == observation.pile[-1:] != (),
        **_counts("aside", observation.aside),
        **_counts("chosen", observation.choice),
        "chosen_count": len(observation.chosen),
        "draw": len(observation.draw),
        "direction": observation.direction,
        "tied": observation.tied,
        "round": observation.round / rules.rounds,
        "turns": observation.turns / rules.turn_cap,
        observation.phase: 1.0,
    }
