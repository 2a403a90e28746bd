"""Playouts of Piggyback in compiled code: some thousands a second."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np

from pigglesim.agents import piggyback_kernel as numbers
from pigglesim.agents.piggyback_greedy import PATIENCE, PULL, WORTH, distance, roll_worth
from pigglesim.agents.piggyback_kernel import (
    LUCK,
    NUMBERS,
    KernelBoard,
    KernelStage,
    Rules,
    play_games,
)
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.house_rules import MergeRule, PiggybackRules
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    Ability,
    Held,
    PiggybackPhase,
    PiggybackState,
    neighbours,
)
from pigglesim.games.piggyback.turns import Arms, attack_odds, beating_odds
from pigglesim.landing import Seat
from pigglesim.signals import signals_deferred

_BATCH = 4
"""Games at a time: about as long as the way through the rules that leads to them."""
_AT_ONCE = 64
"""Games of a call; between two calls a limit on time and Ctrl-C are heard."""
_HORIZON = 10
"""Turns that are played on before the lead is counted: an exchange or two."""
_TURNS_OF_LUCK = 64
"""Turns after which the luck of a game comes round again."""
_LEAD = 1.2
"""How much a lead of one unit counts: enough that an exchange stands out from the noise."""
_FREE = ("start", "start_cap", "merge_rule", "quiet_cap", "cap")
"""House rules of which the compiled games know every setting."""
_ABILITIES = list(Ability)
_SEATS = (Seat.A, Seat.B)
_STAGES = {
    PiggybackPhase.OPENING: KernelStage.FIRST,
    PiggybackPhase.MOVE: KernelStage.TURN,
    PiggybackPhase.ROAM: KernelStage.TURN,
    PiggybackPhase.WARP: KernelStage.ASK_WARP,
    PiggybackPhase.ATTACK_ROLL: KernelStage.ATTACK_ROLL,
    PiggybackPhase.ATTACK: KernelStage.ATTACK,
    PiggybackPhase.DEFENCE_ROLL: KernelStage.DEFENCE_ROLL,
    PiggybackPhase.DEFENCE: KernelStage.DEFENCE,
    PiggybackPhase.KEEP: KernelStage.KEEP,
    PiggybackPhase.RESPAWN: KernelStage.RESPAWN,
}


@dataclass(frozen=True, kw_only=True)
class PiggybackPlayouts:
    """Plays Piggyback on with dice, both sides as greedy does or at random.

    `piggyback_playouts` makes them where the house rules are what compiled code knows.
    """

    game: Piggyback
    greedy: bool = True
    horizon: int = _HORIZON
    """Turns after which the lead is counted instead of playing on."""

    @property
    def batch(self) -> int:
        """How many games are done at a time where no number is asked for."""
        return _BATCH

    def value(
        self, state: PiggybackState, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        reward = float(self.games(state, count, rng=rng)[:, 0].mean())
        return {Seat.A: reward, Seat.B: 1.0 - reward}

    def games(self, state: PiggybackState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return red's share of the win, turns done and both sides' units, shape [count, 4]."""
        luck = rng.random((count, min(self.horizon, _TURNS_OF_LUCK) * LUCK))
        board, rules = _board(state, self.game.layout.size), self._rules
        played = []
        for begin in range(0, count, _AT_ONCE):
            with signals_deferred():
                played.append(play_games(board, rules, luck[begin : begin + _AT_ONCE], rng))
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
            worth=np.array([WORTH[ability] for ability in _ABILITIES]),
            pull=PULL,
            patience=float(PATIENCE),
            greedy=self.greedy,
            horizon=self.horizon,
            lead=_LEAD,
        )


def piggyback_playouts(game: Piggyback, *, greedy: bool) -> PiggybackPlayouts | None:
    """Return playouts in compiled code; None where it does not know the rules.

    It knows Piggyback with fair dice, on any layout, under house rules that are default but for who
    starts, what merges and when a game is drawn.
    """
    own, usual = game.rules.to_mapping(), PiggybackRules().to_mapping()
    if any(own[name] != usual[name] for name in own.keys() - set(_FREE)):
        return None
    return PiggybackPlayouts(game=game, greedy=greedy)


def _arms() -> list[tuple[int, Arms]]:
    """Return the arms that a stack can have, with their numbers in the tables."""
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
        table[left, force, arms.rolls, arms.force] = roll_worth(left, force, arms)
    return table


def _counts(held: Held) -> list[int]:
    return [held.count(ability) for ability in _ABILITIES]


@lru_cache(maxsize=256)
def _board(state: PiggybackState, size: int) -> KernelBoard:
    """Return a position in which somebody is to move or to roll, as numbers.

    A search comes back to what follows each action again and again; games are played on copies.
    """
    units, lying = np.zeros(size * size, dtype=np.int64), np.full(size * size, -1)
    held = np.zeros((size * size, 4), dtype=np.int64)
    for sign, side in ((1, state.a), (-1, state.b)):
        for space, stack in side:
            units[space] = sign * stack.units
            held[space] = _counts(stack.held)
    for space, ability in state.pieces:
        lying[space] = _ABILITIES.index(ability)
    info = np.zeros(NUMBERS, dtype=np.int64)
    info[numbers.STAGE] = _STAGES[state.phase]
    info[numbers.SEAT] = _SEATS.index(state.active)
    info[numbers.PLY], info[numbers.LIVELY] = state.ply, state.lively
    info[numbers.ROAM] = info[numbers.WINNER] = -1
    info[numbers.OPENING], info[numbers.TIES] = state.opening, state.ties
    if state.roam is not None:
        roam = state.roam
        info[numbers.ROAM] = roam.space
        info[numbers.STEPS], info[numbers.SPENT] = roam.steps, roam.spent
    combat = state.combat
    if combat is not None:
        info[numbers.SOURCE], info[numbers.TARGET] = combat.source, combat.target
        info[numbers.ROLLS], info[numbers.FACE] = combat.rolls, combat.face
        info[numbers.ATTACK] = combat.attack
        if combat.winner is not None:
            info[numbers.WINNER] = _SEATS.index(combat.winner)
    loot = _counts(combat.loot if combat is not None else ())
    return KernelBoard(
        units=units,
        held=held,
        lying=lying,
        bank=np.array(_counts(state.bank)),
        loot=np.array(loot),
        info=info,
    )
