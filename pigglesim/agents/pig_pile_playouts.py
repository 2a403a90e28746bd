"""Playouts of Pig Pile in compiled code: some thousand matches a second.

With them a decision of `mcts:nodes=100` takes 0.09 s (by the rules alone: 4 s), and it won 58 of 80
matches of one round against greedy: 0.725 [0.614, 0.814].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pigglesim.agents.pig_pile_kernel import (
    CHOSEN_COUNT,
    DEALER,
    DIRECTION,
    DRAW,
    DRAW_END,
    FACTS,
    MOVER,
    ORDER,
    OUT,
    OUT_COUNT,
    PHASE,
    PHASE_CHOOSE,
    PHASE_DEAL,
    PHASE_OVER,
    PHASE_PLAY,
    PIGS,
    PILE,
    PILE_COUNT,
    ROUND,
    SLOP_COUNT,
    TIED,
    TURNS,
    House,
    PigPileTable,
    play_on,
)
from pigglesim.games.pig_pile.house_rules import DrawTo, PigPileRules
from pigglesim.games.pig_pile.state import DECK, VALUES, Cards, PigPilePhase, PigPileState
from pigglesim.landing import Seat
from pigglesim.signals import signals_deferred

_BATCH = 1
"""Matches at a time: one takes longer than the way through the rules that leads to it."""
_SEATS = tuple(Seat)
_PHASES = {
    PigPilePhase.DEAL: PHASE_DEAL,
    PigPilePhase.CHOOSE: PHASE_CHOOSE,
    PigPilePhase.PLAY: PHASE_PLAY,
    PigPilePhase.OVER: PHASE_OVER,
}


@dataclass(frozen=True, kw_only=True)
class PilePlayouts:
    """Plays matches of Pig Pile on, every seat deciding alike."""

    rules: PigPileRules
    by_worth: bool = True
    """Whether seats decide as the agent greedy does; otherwise at random."""

    @property
    def batch(self) -> int:
        """How many matches are done at a time where no number is asked for."""
        return _BATCH

    def value(
        self, state: PigPileState, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many matches."""
        pigs = self.matches(state, count, rng=rng)
        won = pigs == pigs.max(axis=1, keepdims=True)
        shares = (won / won.sum(axis=1, keepdims=True)).mean(axis=0)
        return dict(zip(self.rules.seats, shares.tolist(), strict=True))

    def matches(self, state: PigPileState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return the pigs of each player at the end of so many matches, shape [count, players]."""
        start, by_worth = table_of(state), np.full(self.rules.players, int(self.by_worth))
        pigs = np.zeros((count, self.rules.players), dtype=np.int64)
        for at in range(count):
            table = PigPileTable(*(part.copy() for part in start))
            with signals_deferred():
                play_on(table, self._house, by_worth, rng)
            pigs[at] = table.players[PIGS]
        return pigs

    @cached_property
    def _house(self) -> House:
        return house_of(self.rules)


def house_of(rules: PigPileRules) -> House:
    """Return house rules as compiled code takes them."""
    return House(
        players=rules.players,
        rounds=rules.rounds,
        first_dealer=_SEATS.index(rules.first_dealer),
        advanced_deal=int(rules.advanced_deal),
        voluntary_pickup=int(rules.voluntary_pickup),
        refill=int(rules.draw_to is DrawTo.FOUR),
        wash_any_time=int(rules.wash_any_time),
        wash_cancels_effect=int(rules.wash_cancels_effect),
        wild_triple=int(rules.wild_triple),
        wild_mix=int(rules.wild_mix),
        two_player_reverse=int(rules.two_player_reverse),
        join_zones=int(rules.join_zones),
        turn_cap=rules.turn_cap,
    )


def table_of(state: PigPileState) -> PigPileTable:
    """Return a position as compiled code takes it."""
    count = state.count
    slops = np.zeros((count, 3), dtype=np.int64)
    for place, slop in enumerate(state.slops):
        slops[place, : len(slop)] = slop
    chosen: list[Cards] = [()] * count
    for at, cards in enumerate(state.chosen):
        chosen[(state.dealer + at) % count] = cards
    players = np.zeros((4, count), dtype=np.int64)
    players[OUT, list(state.out)] = 1
    players[ORDER, : len(state.out)] = state.out
    players[PIGS] = state.pigs
    players[SLOP_COUNT] = [len(slop) for slop in state.slops]
    piles = np.zeros((2, len(DECK)), dtype=np.int64)
    piles[DRAW, : len(state.draw)] = state.draw
    piles[PILE, : len(state.pile)] = state.pile
    facts = np.zeros(FACTS, dtype=np.int64)
    facts[[PHASE, ROUND, DEALER, MOVER]] = (
        _PHASES[state.phase],
        state.round,
        state.dealer,
        state.mover,
    )
    facts[[DIRECTION, TIED, TURNS]] = state.direction, state.tied, state.turns
    facts[[DRAW_END, PILE_COUNT]] = len(state.draw), len(state.pile)
    facts[[OUT_COUNT, CHOSEN_COUNT]] = len(state.out), len(state.chosen)
    held = np.array([_counts(state.hands), _counts(state.ups), _counts(chosen)])
    return PigPileTable(held=held, slops=slops, players=players, cards=piles, facts=facts)


def _counts(held: Sequence[Cards]) -> list[list[int]]:
    """Return how many of each value each player has."""
    return [[cards.count(value) for value in VALUES] for cards in held]
