"""Playouts of Piggles in compiled code: some hundred thousand games per second."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import nan
from typing import Any

import numpy as np

from pigglesim.agents import piggles_kernel as kernel
from pigglesim.agents.greedy import RollShares, expected_gain
from pigglesim.agents.piggles_kernel import Floats, Ints, PigglesTable
from pigglesim.agents.playouts import ChanceModel, RollsByOdds, TwoPlayerPlayouts
from pigglesim.chance.odds import ON_BOARD, Odds, Place
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS, ZONE_POINTS
from pigglesim.games.piggles.effects import CYCLE, EffectOptions, field_towards
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import (
    Actors,
    ModernRules,
    PigglesPhase,
    PigglesState,
    TargetScope,
    team,
)
from pigglesim.games.piggles.turns import EXHAUSTION_ROUND
from pigglesim.landing import BOARD_SEATS, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.signals import signals_deferred

_FREE = {
    *("first_player", "alternate_start", "rounds", "sudden_cap"),
    *("actors", "rare_runes", "left", "target_scope"),
    # Only reading a table needs these imports; odds do not.
    *("line_rule", "contact_tolerance_mm", "knock_distance_mm", "knock_angle_deg", "reroll_cap"),
}
"""House rules of which every setting is supported; the others must be default."""
_CLASSIC_BATCH, _MODERN_BATCH = 64, 32
"""Number of games at a time: they take about as long as the tree search above them."""
_AT_ONCE = 256
"""Number of games whose random numbers are held in memory."""
_RECOUP_DELAY = 2
"""Rounds from the Mud to the Recoup under the default house rules (P3)."""
_PIGGLES = (*team(Seat.A), *team(Seat.B))
_NUMBER = {piggle: at for at, piggle in enumerate(_PIGGLES)}
_SEAT = {seat: at for at, seat in enumerate(BOARD_SEATS)}
_CLASS = {place: at for at, place in enumerate((*ON_BOARD, (None, Zone.OFF)))}
_COLOURS = (None, *Colour)
_COUNTS = range(len(_PIGGLES) + 1)
_STAGES = {
    PigglesPhase.LOAD: kernel.TO_LOAD,
    PigglesPhase.ROLL: kernel.ROLLING,
    PigglesPhase.ACTION_REACTION: kernel.ACTING,
    PigglesPhase.SUDDEN: kernel.TIED,
}


@dataclass(frozen=True, kw_only=True)
class PigglesPlayouts(TwoPlayerPlayouts):
    """Playouts of Piggles by odds, with loads and effects as greedy chooses them.

    `piggles_playouts` makes them if compiled code supports the rules and the odds.
    """

    game: Piggles
    odds: Odds
    threshold: float = 0.0
    """Gain by `expected_gain` above which a Pen is loaded [points]; NaN: a random part of it."""

    def games(self, state: PigglesState, count: int, *, rng: np.random.Generator) -> Floats:
        """Return A's reward and both scores at the end of `count` games, shape [count, 3]."""
        pigs, now, table = _pigs(state), _now(state), self._table
        played = []
        for done in range(0, count, _AT_ONCE):
            # Random numbers are drawn first, so that they are the same for any two policies.
            luck = rng.random((min(_AT_ONCE, count - done), self.game.rules.rounds * kernel.LUCK))
            with signals_deferred():
                played.append(kernel.play_on(pigs, now, table, luck, rng))
        return np.concatenate(played)

    @cached_property
    def _table(self) -> PigglesTable:
        rules, odds, believed = self.game.rules, self.odds, RollShares()
        rounds = range(1, rules.rounds + 1)
        thrown = np.array([_steps(odds.of_throw(max(number, 1)).shares) for number in _COUNTS])
        known = odds.knocks.standing
        after = [_steps(known[place].after if known else {place: 1.0}) for place in ON_BOARD]
        points = [
            ZONE_POINTS[zone] if pose is Orientation.SNOUT_UP else 0 for pose, zone in ON_BOARD
        ]
        return PigglesTable(
            thrown=thrown,
            after=np.array(after),
            knocked=np.array([[_knocked(odds, n, k) for k in _COUNTS] for n in _COUNTS]),
            lone=thrown[1, [kernel.DOWN - 1, kernel.HEAD - 1, kernel.OFF - 1]],
            points=np.array(points),
            mud_bonus=MUD_BONUS,
            kitchen_bonus=KITCHEN_BONUS,
            first=np.array([-1, *(_SEAT[rules.first_in(number)] for number in rounds)]),
            gains=np.array([0.0, *(expected_gain(number, rules, believed) for number in rounds)]),
            threshold=self.threshold,
            exhaustion_round=EXHAUSTION_ROUND,
            delay=_RECOUP_DELAY,
            sudden_cap=rules.sudden_cap,
            **_effects(self.game, believed),
        )


def piggles_playouts(
    game: Piggles, chance: ChanceModel, *, guided: bool = True
) -> PigglesPlayouts | None:
    """Return playouts in compiled code; None if it does not support the rules or the chance.

    It supports both rule books by odds, with any teams. House rules must be default, except those
    in `_FREE`. Guided players decide as greedy does, others load at random; Modern must be guided.
    """
    own, common = game.rules.to_mapping(), type(game.rules)().to_mapping()
    known = all(own[name] == common[name] for name in own.keys() - _FREE)
    if not known or not isinstance(chance, RollsByOdds) or (game.lineup and not guided):
        return None
    return PigglesPlayouts(
        game=game,
        odds=chance.odds,
        threshold=0.0 if guided else nan,
        batch=_MODERN_BATCH if game.lineup else _CLASSIC_BATCH,
    )


def _steps(shares: Mapping[Place, float]) -> list[float]:
    """Return the cumulative probability of each class, shape [kernel.CLASSES]."""
    sums = [0.0] * kernel.CLASSES
    for place, share in shares.items():
        sums[_CLASS[place]] += share
    return [step / sum(sums) for step in accumulate(sums)]


def _knocked(odds: Odds, thrown: int, standing: int) -> list[float]:
    """Return the share knocked by class, shape [kernel.OFF]."""
    return [odds.knock_rate(max(thrown, 1), max(standing, 1), place) for place in ON_BOARD]


def _effects(game: Piggles, believed: RollShares) -> dict[str, Any]:
    """Return the part of the table that concerns the effects of Modern."""
    rules, lineup = game.rules, game.lineup
    modern = rules if isinstance(rules, ModernRules) else ModernRules()
    markings = EffectOptions(rules=modern, lineup=lineup)
    pieces = [markings.piece(piggle) for piggle in _PIGGLES]
    verbs = [markings.verb(piggle) for piggle in _PIGGLES]
    aims = [[_aims(piece.rune, seat, modern) for seat in BOARD_SEATS] for piece in pieces]
    return {
        "effects": bool(lineup),
        # The kernel's verbs have the same names as those of the rules.
        "verbs": np.array([getattr(kernel, verb.name) if verb else 0 for verb in verbs]),
        "colours": np.array([_COLOURS.index(piece.colour) for piece in pieces]),
        "aims": np.array(aims),
        "believed": believed.up * believed.zone_points,
        "every": modern.actors is Actors.ALL_OWN_UP,
        "opposing": modern.target_scope is TargetScope.OPPONENT_ONLY,
    }


def _aims(rune: Rune | None, seat: Seat, rules: ModernRules) -> list[int]:
    """Return the field of an effect by the field of its actor, shape [kernel.FIELDS]."""
    if rune is Rune.SPLIT:
        return list(range(kernel.FIELDS))
    if rune not in {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS}:
        return [kernel.NOBODY] * kernel.FIELDS
    towards = (field_towards(field, rune, seat, rules) for field in CYCLE)
    return [CYCLE.index(field) if field else kernel.NOBODY for field in towards]


def _pigs(state: PigglesState) -> Ints:
    """Return the state of each Piggle as numbers, shape [9, 12]."""
    pigs = np.zeros((kernel.ACTED + 1, len(_PIGGLES)), dtype=np.int64)
    pigs[kernel.WHERE], pigs[[kernel.OWED, kernel.SHIELDED_BY]] = kernel.KITCHEN, kernel.NOBODY
    pigs[kernel.SIDE] = [_SEAT[state.controller(piggle)] for piggle in _PIGGLES]

    def mark(row: int, piggles: Iterable[str], number: int) -> None:
        for piggle in piggles:
            pigs[row, _NUMBER[piggle]] = number

    for side in (state.a, state.b):
        mark(kernel.WHERE, side.pen, kernel.PEN)
        mark(kernel.WHERE, side.cup, kernel.CUP)
        for entry in side.mud:
            pigs[[kernel.WHERE, kernel.SINCE], _NUMBER[entry.piggle]] = kernel.MUD, entry.round
    for piggle, landing in state.board:
        lies = _CLASS[landing.orientation, landing.zone]
        pigs[[kernel.WHERE, kernel.LIES], _NUMBER[piggle]] = kernel.BOARD, lies
    for piggle, seat in state.head_credits:
        pigs[kernel.OWED, _NUMBER[piggle]] = _SEAT[seat]
    for shield in state.shields:
        pigs[[kernel.SHIELDED_BY, kernel.ROLLED], _NUMBER[shield.piggle]] = (
            _SEAT[shield.by],
            shield.rolled,
        )
    mark(kernel.MAY_ACT, state.actors, 1)
    mark(kernel.ACTED, state.acted, 1)
    return pigs


def _now(state: PigglesState) -> Ints:
    """Return the state of the game as numbers, shape [8]."""
    now = np.zeros(kernel.TARGET + 1, dtype=np.int64)
    side, act = state.side(state.active), state.pending
    now[kernel.SCORE : kernel.SCORE + 2] = state.a.score, state.b.score
    now[kernel.BONUS] = MUD_BONUS * side.mud_bonuses + KITCHEN_BONUS * side.kitchen_bonuses
    now[[kernel.ROUND, kernel.SEAT]] = state.round, _SEAT[state.active]
    now[kernel.STAGE] = kernel.PENDING if act else _STAGES[state.phase]
    actor_and_target = (_NUMBER[act.piggle], _NUMBER[act.target]) if act else kernel.NOBODY
    now[[kernel.ACTOR, kernel.TARGET]] = actor_and_target
    return now
