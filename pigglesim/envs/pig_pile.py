"""Actions and observations of Pig Pile as numbers, for any number of players.

Players are in the order of play as seen by the seat: itself first, then clockwise. Actions have the
same numbers for all seats: plays by value and then by number of cards, the Slop's three slots, and
pick-ups without and with a face-up card. Under house rules that allow them, choices of face-up
cards and plays with Hog Wilds mixed in follow.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Row, columns
from pigglesim.games.pig_pile.game import PigPile, PigPileObservation
from pigglesim.games.pig_pile.rules import PRIZES, SLOP, UP
from pigglesim.games.pig_pile.state import (
    DECK,
    HOG_WILD,
    PIG_PEN,
    VALUES,
    Cards,
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileRules,
    Play,
    Slop,
    format_card,
)
from pigglesim.landing import Seat

_SEATS = tuple(Seat)
_DECK_SIZE = len(DECK)
_MOVING_PHASES = (PigPilePhase.CHOOSE, PigPilePhase.PLAY)


def numbered_actions(rules: PigPileRules) -> tuple[PigPileAction, ...]:
    """Return every action that the house rules can allow, in the order of their numbers."""
    copies = {value: DECK.count(value) for value in VALUES}
    actions: list[PigPileAction] = [
        Play((value,) * number) for value in VALUES for number in range(1, copies[value] + 1)
    ]
    actions += [Slop(slot) for slot in range(1, SLOP + 1)]
    actions += [PickUp(), *map(PickUp, VALUES)]
    if rules.advanced_deal:
        actions += map(FaceUp, combinations_with_replacement(VALUES, UP))
    if rules.wild_mix:
        actions += [
            Play((HOG_WILD,) * wilds + (value,) * number)
            for value in VALUES
            if value != HOG_WILD
            for number in range(1, copies[value] + 1)
            for wilds in range(1, copies[HOG_WILD] + 1)
        ]
    return tuple(actions)


@dataclass(frozen=True, kw_only=True)
class PigPileEncoder(Encoder[PigPileAction]):
    """Encoder of one game of Pig Pile.

    `layout` describes every number. The orders of washed cards, and of the pile below its two upper
    cards, are left out, because they have no effect.
    """

    game: PigPile
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

    @cached_property
    def _actions(self) -> ActionList[PigPileAction]:
        return ActionList(numbered_actions(self.game.rules))

    @property
    def full_score(self) -> int:
        """Pigs of a player who is first out in every round."""
        return min(PRIZES[0] * self.game.rules.rounds, PIG_PEN)

    def rows(self, observation: PigPileObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the players in the order of play, and of the table."""
        first, count = _SEATS.index(seat), observation.count
        players = (_player_row(observation, (first + step) % count) for step in range(count))
        return players, (_table_row(observation, self.game.rules),)

    def actions(self, seat: Seat) -> ActionList[PigPileAction]:
        """Return all actions, the same for every seat."""
        del seat
        return self._actions


@cache
def _names(name: str) -> dict[int, str]:
    return {value: f"{name}_{format_card(value)}" for value in VALUES}


def _by_value(name: str, meaning: str) -> tuple[Column, ...]:
    """Return columns of the number of cards of each value."""
    return tuple(
        Column(column, f"cards {format_card(value)} {meaning}", high=float(DECK.count(value)))
        for value, column in _names(name).items()
    )


def _counts(name: str, cards: Cards) -> dict[str, float]:
    columns = _names(name)
    return {columns[value]: cards.count(value) for value in set(cards)}


_PLAYER = (
    *_by_value("hand", "in hand: all of the seat's own, of others what all have seen"),
    Column("unseen", "cards in hand that the seat does not know", high=float(_DECK_SIZE)),
    *_by_value("shown", "in hand that all have seen"),
    *_by_value("up", "face up"),
    Column("slop", "cards face down", high=float(SLOP)),
    Column("pigs", "pigs", high=float(PIG_PEN)),
    Column("moves", "flag: it is this player's turn"),
    Column("deals", "flag: the dealer of this round"),
    Column("first", "flag: the first who was out in this round"),
    Column("second", "flag: the second"),
)


def _table_columns(rules: PigPileRules) -> tuple[Column, ...]:
    tops = {f"top_{format_card(top)}": "flag: the top card" for top in VALUES}
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
        *columns({phase.value: f"flag: phase {phase.value}" for phase in PigPilePhase}),
    )


def _player_row(observation: PigPileObservation, place: int) -> Row:
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


def _table_row(observation: PigPileObservation, rules: PigPileRules) -> Row:
    return {
        **_counts("pile", observation.pile),
        f"top_{format_card(observation.pile[-1]) if observation.pile else 'none'}": 1.0,
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
