"""Playouts of Piggyback in compiled code: some thousand games per second."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np

from pigglesim.agents import piggyback_kernel as kernel
from pigglesim.agents.piggyback_greedy import PATIENCE, PIECE_VALUE, PULL, distance, roll_odds
from pigglesim.agents.piggyback_kernel import KernelBoard, Rules
from pigglesim.agents.playouts import TwoPlayerPlayouts
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    Ability,
    Held,
    MergeRule,
    PiggybackPhase,
    PiggybackRules,
    PiggybackState,
    neighbours,
)
from pigglesim.games.piggyback.turns import Arms, attack_odds, beating_odds
from pigglesim.landing import Seat
from pigglesim.signals import signals_deferred

_AT_ONCE = 64
"""Games per call; time limits and Ctrl-C are checked between calls."""
_HORIZON = 10
"""Turns before the lead is evaluated: one or two exchanges."""
_TURNS_OF_LUCK = 64
"""Turns after which the random numbers of a game repeat."""
_LEAD = 1.2
"""Weight of a lead of one unit, large enough that an exchange exceeds the noise."""
_FREE = ("start", "start_cap", "merge_rule", "quiet_cap", "cap")
"""House rules of which compiled games support every setting."""
_ABILITIES = list(Ability)
_SEATS = (Seat.A, Seat.B)
_STAGES = {
    PiggybackPhase.OPENING: kernel.FIRST,
    PiggybackPhase.MOVE: kernel.TURN,
    PiggybackPhase.ROAM: kernel.TURN,
    PiggybackPhase.WARP: kernel.ASK_WARP,
    PiggybackPhase.ATTACK_ROLL: kernel.ATTACK_ROLL,
    PiggybackPhase.ATTACK: kernel.ATTACK_DECISION,
    PiggybackPhase.DEFENCE_ROLL: kernel.DEFENCE_ROLL,
    PiggybackPhase.DEFENCE: kernel.DEFENCE_DECISION,
    PiggybackPhase.KEEP: kernel.KEEP,
    PiggybackPhase.RESPAWN: kernel.RESPAWN,
}


@dataclass(frozen=True, kw_only=True)
class PiggybackPlayouts(TwoPlayerPlayouts):
    """Playouts of Piggyback with fair dice, in which both sides are greedy or random.

    `piggyback_playouts` makes them if compiled code supports the house rules.
    """

    game: Piggyback
    greedy: bool = True
    horizon: int = _HORIZON
    """Turns after which the lead is evaluated and the game stops."""
    batch: int = 4
    """Default number of games at a time, which take about as long as the tree search."""

    def games(self, state: PiggybackState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return red's share of the win, turns done and both sides' units, shape [count, 4]."""
        luck = rng.random((count, min(self.horizon, _TURNS_OF_LUCK) * kernel.LUCK))
        board, rules = _board(state, self.game.layout.size), self._rules
        played = []
        for begin in range(0, count, _AT_ONCE):
            with signals_deferred():
                played.append(kernel.play_games(board, rules, luck[begin : begin + _AT_ONCE], rng))
        return np.concatenate(played)

    @cached_property
    def _rules(self) -> Rules:
        game = self.game
        size, rules = game.layout.size, game.rules
        spaces = range(size * size)
        near = np.full((size * size, 8), -1)
        for space, touching in enumerate(neighbours(size)):
            near[space, : len(touching)] = touching
        box = np.full(size * size, -1)
        for space, ability in game.layout.colours.items():
            box[space] = _ABILITIES.index(ability)
        return Rules(
            near=near,
            apart=np.array([[distance(a, b, size) for b in spaces] for a in spaces]),
            box=box,
            size=size,
            french=rules.merge_rule is MergeRule.FRENCH,
            start_cap=rules.start_cap,
            quiet_cap=rules.quiet_cap,
            cap=rules.cap,
            odds=_odds(),
            beats=_beats(),
            rolls=_rolls(),
            value=np.array([PIECE_VALUE[ability] for ability in _ABILITIES]),
            pull=PULL,
            patience=float(PATIENCE),
            greedy=self.greedy,
            horizon=self.horizon,
            lead=_LEAD,
        )


def piggyback_playouts(game: Piggyback, *, greedy: bool) -> PiggybackPlayouts | None:
    """Return playouts in compiled code; None if it does not support the rules.

    It supports fair dice and any layout. House rules must be default, except those on the start,
    merging and draws.
    """
    own, usual = game.rules.to_mapping(), PiggybackRules().to_mapping()
    if any(own[name] != usual[name] for name in own.keys() - set(_FREE)):
        return None
    return PiggybackPlayouts(game=game, greedy=greedy)


def _arms() -> list[tuple[int, Arms]]:
    """Return the possible arms of a stack, with their numbers in the tables."""
    counts = product(range(1, MOST_UNITS + 1), range(MOST_HELD + 1), range(MOST_HELD + 1))
    return [
        ((units - 1) * 9 + luck * 3 + force, Arms(units=units, luck=luck, force=force))
        for units, luck, force in counts
        if luck + force <= MOST_HELD
    ]


def _odds() -> Any:  # noqa: ANN401 (an array)
    table = np.zeros((27, 27))
    for (row, attack), (column, defence) in product(_arms(), _arms()):
        table[row, column] = float(attack_odds(attack, defence))
    return table


def _beats() -> Any:  # noqa: ANN401 (an array)
    results, rolls, forces = range(10), range(6), range(3)
    return np.array(
        [
            [[float(beating_odds(r, rolls=n, force=f)) for f in forces] for n in rolls]
            for r in results
        ]
    )


def _rolls() -> Any:  # noqa: ANN401 (an array)
    table = np.zeros((6, 3, 6, 3))
    for left, force, (_, arms) in product(range(6), range(3), _arms()):
        table[left, force, arms.rolls, arms.force] = roll_odds(left, force, arms)
    return table


def _counts(held: Held) -> list[int]:
    return [held.count(ability) for ability in _ABILITIES]


@lru_cache(maxsize=256)
def _board(state: PiggybackState, size: int) -> KernelBoard:
    """Return a state with a decision or a roll due as numbers; games are played on its copies."""
    units, lying = np.zeros(size * size, dtype=np.int64), np.full(size * size, -1)
    held = np.zeros((size * size, 4), dtype=np.int64)
    for sign, side in ((1, state.a), (-1, state.b)):
        for space, stack in side:
            units[space] = sign * stack.units
            held[space] = _counts(stack.held)
    for space, ability in state.pieces:
        lying[space] = _ABILITIES.index(ability)
    info = np.zeros(kernel.NUMBERS, dtype=np.int64)
    info[kernel.STAGE] = _STAGES[state.phase]
    info[kernel.SEAT] = _SEATS.index(state.active)
    info[kernel.PLY], info[kernel.LIVELY] = state.ply, state.lively
    info[kernel.ROAM] = info[kernel.WINNER] = -1
    info[kernel.OPENING], info[kernel.TIES] = state.opening, state.ties
    if state.roam is not None:
        roam = state.roam
        info[kernel.ROAM] = roam.space
        info[kernel.STEPS], info[kernel.SPENT] = roam.steps, roam.spent
    combat = state.combat
    if combat is not None:
        info[kernel.SOURCE], info[kernel.TARGET] = combat.source, combat.target
        info[kernel.ROLLS], info[kernel.FACE] = combat.rolls, combat.face
        info[kernel.ATTACK] = combat.attack
        if combat.winner is not None:
            info[kernel.WINNER] = _SEATS.index(combat.winner)
    loot = _counts(combat.loot if combat is not None else ())
    return KernelBoard(
        units=units,
        held=held,
        lying=lying,
        bank=np.array(_counts(state.bank)),
        loot=np.array(loot),
        info=info,
    )
