"""Playouts of Piggles Classic in compiled code: some hundred thousand a second."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pigglesim.agents.by_odds import (
    common_but_for,
    games_by_luck,
    knock_rates,
    landing_steps,
    lone_steps,
    number_of,
    steps_after,
)
from pigglesim.agents.chance_model import ChanceModel, PiggleOdds, RollsByOdds
from pigglesim.agents.classic_kernel import (
    BOARD,
    KITCHEN,
    MUD,
    PEN,
    TIED,
    TO_LOAD,
    Start,
    Table,
    play_on,
)
from pigglesim.agents.greedy import Odds, expected_gain
from pigglesim.games.game import Game
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.state import PEN_SIZE, Phase, Position, team
from pigglesim.games.piggles.turns import EXHAUSTION_ROUND
from pigglesim.rolls import BOARD_SEATS, Seat

__all__ = ["ClassicPlayouts", "classic_playouts"]

_BATCH = 64
"""Games at a time: about as long as the way through the rules that leads to them."""
_NUMBER = {piggle: at for at, piggle in enumerate((*team(Seat.A), *team(Seat.B)))}
_SEATS = BOARD_SEATS


@dataclass(frozen=True, kw_only=True)
class ClassicPlayouts:
    """Plays Classic on by odds, every seat loading its Pen whole or not at all.

    `classic_playouts` makes them where rules and odds are what compiled code knows.
    """

    rules: HouseRules
    odds: PiggleOdds
    threshold: float = 0.0
    """Gain by `expected_gain` above which a Pen is loaded [points]; NaN: any part of it."""

    @property
    def batch(self) -> int:
        """How many games are done at a time where no number is asked for."""
        return _BATCH

    def value(
        self, state: Position, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        reward = float(self.games(state, count, rng=rng)[:, 0].mean())
        return {Seat.A: reward, Seat.B: 1.0 - reward}

    def games(self, state: Position, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return A's reward and both scores at the end of so many games, shape [count, 3]."""
        start, table = _start(state), self._table
        return games_by_luck(
            lambda luck: play_on(start, table, luck, rng), count, self.rules.rounds, rng=rng
        )

    @cached_property
    def _table(self) -> Table:
        rules = self.rules
        rounds = range(1, rules.rounds + 1)
        thrown = landing_steps(self.odds)
        gains = [expected_gain(number, rules, Odds()) for number in rounds]
        return Table(
            thrown=thrown,
            after=steps_after(self.odds),
            knocked=knock_rates(self.odds),
            poses=lone_steps(thrown),
            first=np.array([-1, *(_SEATS.index(rules.first_in(number)) for number in rounds)]),
            gains=np.array([0.0, *gains]),
            threshold=self.threshold,
            exhaustion_round=EXHAUSTION_ROUND,
            delay=2,
            sudden_cap=rules.sudden_cap,
        )


def classic_playouts(
    game: Game[Any, Any], chance: ChanceModel, *, threshold: float = 0.0
) -> ClassicPlayouts | None:
    """Return playouts in compiled code; None where it does not know the rules or the chance.

    It knows Classic by odds, under house rules whose settings are default where they matter, but
    for who begins, how many rounds there are and how long a tie-break may take.
    """
    if not isinstance(game, PigglesClassic) or not isinstance(chance, RollsByOdds):
        return None
    if not common_but_for(game.rules):
        return None
    return ClassicPlayouts(rules=game.rules, odds=chance.odds, threshold=threshold)


def _start(state: Position) -> Start:
    """Return a position, in which a player is to load or chance to roll, as numbers."""
    where = np.full(2 * PEN_SIZE, KITCHEN)
    since, lies, owed = np.zeros_like(where), np.zeros_like(where), np.full_like(where, -1)
    for side in (state.a, state.b):
        for piggle in (*side.pen, *side.cup):
            where[_NUMBER[piggle]] = PEN
        for entry in side.mud:
            where[_NUMBER[entry.piggle]] = MUD
            since[_NUMBER[entry.piggle]] = entry.round
    for piggle, landing in state.board:
        where[_NUMBER[piggle]] = BOARD
        lies[_NUMBER[piggle]] = number_of(landing.orientation, landing.zone)
    for piggle, seat in state.head_credits:
        owed[_NUMBER[piggle]] = _SEATS.index(seat)
    return Start(
        where=where,
        since=since,
        lies=lies,
        owed=owed,
        scores=np.array([state.a.score, state.b.score]),
        round=state.round,
        seat=_SEATS.index(state.active),
        loaded=_loaded(state),
    )


def _loaded(state: Position) -> int:
    match state.phase:
        case Phase.LOAD:
            return TO_LOAD
        case Phase.ROLL:
            return len(state.side(state.active).cup)
        case Phase.SUDDEN:
            return TIED
        case _:
            raise ValueError(f"nobody is to move or to roll in phase {state.phase}")
