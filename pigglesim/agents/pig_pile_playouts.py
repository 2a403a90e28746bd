"""Playouts of Pig Pile in compiled code: some thousand matches per second.

They shorten a decision of `mcts:nodes=100` from 4 s to 0.09 s. It won 58 of 80 one-round matches
against greedy: 0.725 [0.614, 0.814].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pigglesim.agents import pig_pile_kernel as kernel
from pigglesim.agents.pig_pile_kernel import House, PigPileTable
from pigglesim.games.pig_pile.state import (
    DECK,
    VALUES,
    Cards,
    DrawTo,
    PigPilePhase,
    PigPileRules,
    PigPileState,
)
from pigglesim.landing import Seat
from pigglesim.signals import signals_deferred

_SEATS = tuple(Seat)
_PHASES = {
    PigPilePhase.DEAL: kernel.PHASE_DEAL,
    PigPilePhase.CHOOSE: kernel.PHASE_CHOOSE,
    PigPilePhase.PLAY: kernel.PHASE_PLAY,
    PigPilePhase.OVER: kernel.PHASE_OVER,
}


@dataclass(frozen=True, kw_only=True)
class PilePlayouts:
    """Playouts of Pig Pile with one policy for all seats."""

    rules: PigPileRules
    greedy: bool = True
    """True if seats decide as the agent greedy does, false if at random."""
    batch: int = 1
    """Default number of matches at a time: one takes longer than the tree search above it."""

    def value(
        self, state: PigPileState, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over `count` matches."""
        pigs = self.matches(state, count, rng=rng)
        won = pigs == pigs.max(axis=1, keepdims=True)
        shares = (won / won.sum(axis=1, keepdims=True)).mean(axis=0)
        return dict(zip(self.rules.seats, shares.tolist(), strict=True))

    def matches(self, state: PigPileState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return the pigs of each player at the end of `count` matches, shape [count, players]."""
        start, greedy = table_of(state), np.full(self.rules.players, int(self.greedy))
        pigs = np.zeros((count, self.rules.players), dtype=np.int64)
        for at in range(count):
            table = PigPileTable(*(part.copy() for part in start))
            with signals_deferred():
                kernel.play_on(table, self._house, greedy, rng)
            pigs[at] = table.players[kernel.PIGS]
        return pigs

    @cached_property
    def _house(self) -> House:
        return house_of(self.rules)


def house_of(rules: PigPileRules) -> House:
    """Return house rules as numbers."""
    switches = {name: getattr(rules, name, 0) for name in House._fields}
    switches["first_dealer"] = _SEATS.index(rules.first_dealer)
    switches["refill"] = rules.draw_to is DrawTo.FOUR
    return House(**{name: int(value) for name, value in switches.items()})


def table_of(state: PigPileState) -> PigPileTable:
    """Return a state as numbers."""
    count = state.count
    slops = np.zeros((count, 3), dtype=np.int64)
    for place, slop in enumerate(state.slops):
        slops[place, : len(slop)] = slop
    chosen: list[Cards] = [()] * count
    for at, cards in enumerate(state.chosen):
        chosen[(state.dealer + at) % count] = cards
    players = np.zeros((4, count), dtype=np.int64)
    players[kernel.OUT, list(state.out)] = 1
    players[kernel.ORDER, : len(state.out)] = state.out
    players[kernel.PIGS] = state.pigs
    players[kernel.SLOP_COUNT] = [len(slop) for slop in state.slops]
    piles = np.zeros((2, len(DECK)), dtype=np.int64)
    piles[kernel.DRAW, : len(state.draw)] = state.draw
    piles[kernel.PILE, : len(state.pile)] = state.pile
    facts = np.zeros(kernel.FACTS, dtype=np.int64)
    facts[[kernel.PHASE, kernel.ROUND, kernel.DEALER, kernel.MOVER]] = (
        _PHASES[state.phase],
        state.round,
        state.dealer,
        state.mover,
    )
    facts[[kernel.DIRECTION, kernel.TIED, kernel.TURNS]] = state.direction, state.tied, state.turns
    facts[[kernel.DRAW_END, kernel.PILE_COUNT]] = len(state.draw), len(state.pile)
    facts[[kernel.OUT_COUNT, kernel.CHOSEN_COUNT]] = len(state.out), len(state.chosen)
    held = np.array([_counts(state.hands), _counts(state.ups), _counts(chosen)])
    return PigPileTable(held=held, slops=slops, players=players, cards=piles, facts=facts)


def _counts(held: Sequence[Cards]) -> list[list[int]]:
    """Return the number of cards of each value for each player."""
    return [[cards.count(value) for value in VALUES] for cards in held]
