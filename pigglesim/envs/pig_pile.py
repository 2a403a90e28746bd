"""Pig Pile as numbers, for any number of players.

Players stand in the order of play as the seat sees them: itself first, then clockwise. Actions are
numbered alike for all seats: plays by value and then by number of cards, the Slop's three slots,
pick-ups without and with a face-up card; then, under the house rules that allow them, choices of
face-up cards and plays with Hog Wilds mixed in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.observation import PigPileObservation
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
    Play,
    Slop,
    format_card,
)
from pigglesim.landing import Seat

_SEATS = tuple(Seat)
_ALL = len(DECK)
_TOPS = (None, *VALUES)


def numbered_actions(rules: PigPileRules) -> tuple[PigPileAction, ...]:
    """Return every action that these house rules can ever allow, in the order of its number."""
    most = {value: DECK.count(value) for value in VALUES}
    actions: list[PigPileAction] = [
        Play((value,) * number) for value in VALUES for number in range(1, most[value] + 1)
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
            for number in range(1, most[value] + 1)
            for wilds in range(1, most[HOG_WILD] + 1)
        ]
    return tuple(actions)


@dataclass(frozen=True, kw_only=True)
class PigPileEncoder(Encoder[PigPileAction]):
    """Actions and observations of one game of Pig Pile.

    `layout` tells every number. Left out is the order of the pile below its two upper cards, and
    of what was washed away: it decides nothing.
    """

    game: PigPile
    open_play = False

    @cached_property
    def layout(self) -> FeatureLayout:
        """What stands where in an observation."""
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
        """What being first out in every round pays [pigs]."""
        return min(PRIZES[0] * self.game.rules.rounds, PIG_PEN)

    def numbers(self, observation: PigPileObservation, seat: Seat) -> Iterator[float]:
        """Yield what `seat` sees as numbers."""
        first, count = _SEATS.index(seat), observation.count
        for step in range(count):
            yield from _of_player(observation, (first + step) % count)
        yield from _of_table(observation, self.game.rules)

    def actions(self, seat: Seat) -> ActionList[PigPileAction]:
        """Return all actions, the same for every seat."""
        del seat
        return self._actions


def _by_value(name: str, meaning: str) -> tuple[Column, ...]:
    """Return a column for each value, of how many cards there are."""
    return tuple(
        Column(
            name=f"{name}_{format_card(value)}",
            meaning=f"cards {format_card(value)} {meaning}",
            high=float(DECK.count(value)),
        )
        for value in VALUES
    )


_PLAYER = (
    *_by_value("hand", "in hand: all of the seat's own, of others what all have seen"),
    Column(name="unseen", meaning="cards in hand that the seat does not know", high=float(_ALL)),
    *_by_value("shown", "in hand that all have seen"),
    *_by_value("up", "face up"),
    Column(name="slop", meaning="cards face down", high=float(SLOP)),
    Column(name="pigs", meaning="pigs", high=float(PIG_PEN)),
    Column(name="moves", meaning="flag: it is this player's turn"),
    Column(name="deals", meaning="flag: the dealer of this round"),
    Column(name="first", meaning="flag: the first who was out in this round"),
    Column(name="second", meaning="flag: the second"),
)
"""The columns of a player."""


def _table_columns(rules: PigPileRules) -> tuple[Column, ...]:
    """Return the columns of the table."""
    tops = (
        Column(
            name=f"top_{'none' if top is None else format_card(top)}",
            meaning="flag: the pile is empty" if top is None else "flag: the top card",
        )
        for top in _TOPS
    )
    phases = (
        Column(name=phase.value, meaning=f"flag: phase {phase.value}") for phase in PigPilePhase
    )
    return (
        *_by_value("pile", "in the pile"),
        *tops,
        Column(name="pair", meaning="flag: the two upper cards are alike"),
        *_by_value("aside", "washed away"),
        *_by_value("chosen", "the seat has chosen to lie face up"),
        Column(name="chosen_count", meaning="how many have chosen", high=float(rules.players)),
        Column(name="draw", meaning="cards to draw", high=float(_ALL)),
        Column(name="direction", meaning="1 clockwise, -1 the other way", low=-1.0),
        Column(name="tied", meaning="flag: the next player misses a turn"),
        Column(name="round", meaning="round, as a share of all"),
        Column(name="turns", meaning="decisions in this round, as a share of its cap"),
        *phases,
    )


def _counts(cards: Cards) -> list[int]:
    return [cards.count(value) for value in VALUES]


def _of_player(seen: PigPileObservation, place: int) -> Iterator[float]:
    """Yield the row of a player."""
    own = place == seen.place
    hand = seen.hands[place] if own else seen.known[place]
    yield from _counts(hand)
    yield len(seen.hands[place]) - len(hand)
    yield from _counts(seen.known[place])
    yield from _counts(seen.ups[place])
    yield len(seen.slops[place])
    yield seen.pigs[place]
    yield place == seen.mover and seen.phase in {PigPilePhase.CHOOSE, PigPilePhase.PLAY}
    yield place == seen.dealer
    yield seen.out[:1] == (place,)
    yield seen.out[1:2] == (place,)


def _of_table(seen: PigPileObservation, rules: PigPileRules) -> Iterator[float]:
    """Yield the row of the table."""
    yield from _counts(seen.pile)
    top = seen.pile[-1] if seen.pile else None
    yield from (top == each for each in _TOPS)
    yield seen.pile[-2:-1] == seen.pile[-1:] != ()
    yield from _counts(seen.aside)
    yield from _counts(seen.choice)
    yield len(seen.chosen)
    yield len(seen.draw)
    yield seen.direction
    yield seen.tied
    yield seen.round / rules.rounds
    yield seen.turns / rules.turn_cap
    yield from (seen.phase is phase for phase in PigPilePhase)
