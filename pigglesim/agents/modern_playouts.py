"""Playouts of Piggles Modern in compiled code: some ninety thousand a second."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pigglesim.agents.chance_model import ChanceModel, PiggleOdds, RollsByOdds
from pigglesim.agents.classic_playouts import (
    common_but_for,
    games_by_luck,
    knock_rates,
    landing_steps,
    lone_steps,
    number_of,
    steps_after,
)
from pigglesim.agents.greedy import RollShares, expected_gain
from pigglesim.agents.modern_kernel import (
    ACTED,
    ACTING,
    ACTOR,
    BOARD,
    BONUS,
    CUP,
    FIELDS,
    KITCHEN,
    LIES,
    MAY_ACT,
    MUD,
    NOBODY,
    OWED,
    PEN,
    PENDING,
    ROLLED,
    ROLLING,
    ROUND,
    SCORE,
    SEAT,
    SHIELD,
    SIDE,
    SINCE,
    STAGE,
    TARGET,
    TIED,
    TO_LOAD,
    WHERE,
    Ints,
    ModernTable,
    play_on,
)
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS
from pigglesim.games.piggles.effects import CYCLE, EffectOptions, field_towards
from pigglesim.games.piggles.game import PigglesModern
from pigglesim.games.piggles.house_rules import Actors, TargetScope
from pigglesim.games.piggles.state import PigglesPhase, PigglesState, team
from pigglesim.games.piggles.turns import EXHAUSTION_ROUND
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.markings import Colour, Rune

_BATCH = 32
"""Games at a time: about as long as the way through the rules that leads to them."""
_PIGGLES = (*team(Seat.A), *team(Seat.B))
_NUMBER = {piggle: at for at, piggle in enumerate(_PIGGLES)}
_NUMBER_OF = {seat: at for at, seat in enumerate(BOARD_SEATS)}
_COLOURS = (None, *Colour)
_FREE = ("actors", "rare_runes", "left", "target_scope")
_STAGES = {
    PigglesPhase.LOAD: TO_LOAD,
    PigglesPhase.ROLL: ROLLING,
    PigglesPhase.ACTION_REACTION: ACTING,
    PigglesPhase.SUDDEN: TIED,
}


@dataclass(frozen=True, kw_only=True)
class ModernPlayouts:
    """Plays Modern on by odds, every seat as greedy does.

    `modern_playouts` makes them where rules and odds are what compiled code knows.
    """

    markings: EffectOptions
    odds: PiggleOdds

    @property
    def batch(self) -> int:
        """How many games are done at a time where no number is asked for."""
        return _BATCH

    def value(
        self, state: PigglesState, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        reward = float(self.games(state, count, rng=rng)[:, 0].mean())
        return {Seat.A: reward, Seat.B: 1.0 - reward}

    def games(self, state: PigglesState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return A's reward and both scores at the end of so many games, shape [count, 3]."""
        pigs, now, table = _pigs(state), _now(state), self._table
        rounds = self.markings.rules.rounds
        return games_by_luck(
            lambda luck: play_on(pigs, now, table, luck, rng), count, rounds, rng=rng
        )

    @cached_property
    def _table(self) -> ModernTable:
        rules, believed = self.markings.rules, RollShares()
        rounds = range(1, rules.rounds + 1)
        thrown = landing_steps(self.odds)
        pieces = [self.markings.piece(piggle) for piggle in _PIGGLES]
        verbs = [self.markings.verb(piggle) for piggle in _PIGGLES]
        return ModernTable(
            thrown=thrown,
            after=steps_after(self.odds),
            knocked=knock_rates(self.odds),
            poses=lone_steps(thrown),
            first=np.array([-1, *(_NUMBER_OF[rules.first_in(number)] for number in rounds)]),
            gains=np.array([0.0, *(expected_gain(number, rules, believed) for number in rounds)]),
            verbs=np.array([verb.value if verb else 0 for verb in verbs]),
            colours=np.array([_COLOURS.index(piece.colour) for piece in pieces]),
            aims=np.array(
                [[self._aims(piece.rune, seat) for seat in BOARD_SEATS] for piece in pieces]
            ),
            worth=believed.up * believed.zone_points,
            every=rules.actors is Actors.ALL_OWN_UP,
            opposing=rules.target_scope is TargetScope.OPPONENT_ONLY,
            exhaustion_round=EXHAUSTION_ROUND,
            delay=2,
            sudden_cap=rules.sudden_cap,
        )

    def _aims(self, rune: Rune | None, seat: Seat) -> list[int]:
        """Return the field of an effect by the field of who acts."""
        if rune is Rune.SPLIT:
            return list(range(FIELDS))
        if rune not in {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS}:
            return [NOBODY] * FIELDS
        towards = [field_towards(field, rune, seat, self.markings.rules) for field in CYCLE]
        return [CYCLE.index(field) if field else NOBODY for field in towards]


def modern_playouts(game: Game[Any, Any], chance: ChanceModel) -> ModernPlayouts | None:
    """Return playouts in compiled code; None where it does not know the rules or the chance.

    It knows Modern by odds with any two teams, under house rules whose settings are default where
    they matter, but for those of Classic that are free too, who acts, the rare runes, left and
    right, and whom Orange, Red and Blue reach.
    """
    if not isinstance(game, PigglesModern) or not isinstance(chance, RollsByOdds):
        return None
    if not common_but_for(game.rules, _FREE):
        return None
    return ModernPlayouts(markings=game.table, odds=chance.odds)


def _pigs(state: PigglesState) -> Ints:
    """Return what is known of each Piggle as numbers."""
    pigs = np.zeros((ACTED + 1, len(_PIGGLES)), dtype=np.int64)
    pigs[WHERE], pigs[[OWED, SHIELD]] = KITCHEN, NOBODY
    pigs[SIDE] = [_NUMBER_OF[state.controller(piggle)] for piggle in _PIGGLES]
    for side in (state.a, state.b):
        for area, held in ((PEN, side.pen), (CUP, side.cup), (KITCHEN, side.kitchen)):
            for piggle in held:
                pigs[WHERE, _NUMBER[piggle]] = area
        for entry in side.mud:
            pigs[[WHERE, SINCE], _NUMBER[entry.piggle]] = MUD, entry.round
    for piggle, landing in state.board:
        lies = number_of(landing.orientation, landing.zone)
        pigs[[WHERE, LIES], _NUMBER[piggle]] = BOARD, lies
    for piggle, seat in state.head_credits:
        pigs[OWED, _NUMBER[piggle]] = _NUMBER_OF[seat]
    for shield in state.shields:
        pigs[[SHIELD, ROLLED], _NUMBER[shield.piggle]] = _NUMBER_OF[shield.by], shield.rolled
    for row, piggles in ((MAY_ACT, state.actors), (ACTED, state.acted)):
        for piggle in piggles:
            pigs[row, _NUMBER[piggle]] = 1
    return pigs


def _now(state: PigglesState) -> Ints:
    """Return what is known of the game as numbers."""
    now = np.zeros(TARGET + 1, dtype=np.int64)
    side, act = state.side(state.active), state.pending
    now[SCORE : SCORE + 2] = state.a.score, state.b.score
    now[BONUS] = MUD_BONUS * side.mud_bonuses + KITCHEN_BONUS * side.kitchen_bonuses
    now[[ROUND, SEAT]] = state.round, _NUMBER_OF[state.active]
    now[STAGE] = PENDING if act else _STAGES[state.phase]
    now[[ACTOR, TARGET]] = (_NUMBER[act.piggle], _NUMBER[act.target]) if act else NOBODY
    return now
