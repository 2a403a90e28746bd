"""Games of Piggyback played on in compiled code, under the common house rules.

Tests hold them to the rules, and to the agent greedy, die by die.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.piggyback_board import (
    BEGAN,
    MOST_ACTIONS,
    OPENING,
    PLY,
    ROAM,
    SEAT,
    STAGE,
    TIES,
    WINNER,
    Board,
    Rules,
    Stage,
    list_turn,
    play_turn,
)
from pigglesim.agents.piggyback_fighting import (
    answer_attack,
    between_rolls,
    die,
    keep,
    respawn,
    roll,
)
from pigglesim.agents.piggyback_weighing import best_turn, stack_worth
from pigglesim.compiling import compiled

__all__ = ["play_games", "play_on"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_TURN = Stage.TURN
_ASK_WARP = Stage.ASK_WARP
_ATTACK_ROLL = Stage.ATTACK_ROLL
_ATTACK = Stage.ATTACK
_DEFENCE_ROLL = Stage.DEFENCE_ROLL
_DEFENCE = Stage.DEFENCE
_KEEP = Stage.KEEP
_RESPAWN = Stage.RESPAWN
_FIRST = Stage.FIRST
_OVER = Stage.OVER


@compiled
def _open(board: Board, rules: Rules, luck: _Floats) -> None:
    """Roll for who begins."""
    info = board.info
    face = die(board, luck)
    if info[OPENING] == 0:
        info[OPENING] = face
        return
    if face == info[OPENING] and info[TIES] < rules.start_cap:
        info[OPENING] = 0
        info[TIES] += 1
        return
    info[SEAT] = 1 if face > info[OPENING] else 0
    info[STAGE] = _TURN


@compiled
def play_on(board: Board, rules: Rules, luck: _Floats, rng: np.random.Generator) -> float:
    """Play a game to its end or its horizon and return red's share of the win.

    Args:
        board: The position; it changes.
        rules: What it is played by.
        luck: Random numbers for the dice, LUCK for each turn from here on; they come round again.
        rng: What choices at random are drawn from.
    """
    info = board.info
    info[BEGAN] = info[PLY]
    acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)
    last = info[PLY] + rules.horizon
    while info[STAGE] != _OVER:
        stage = info[STAGE]
        if stage == _TURN:
            if info[PLY] >= last and info[ROAM] < 0:
                return _share(board, rules)
            count = list_turn(board, rules, acts)
            if rules.greedy:
                chosen = best_turn(board, rules, acts, count)
            else:
                chosen = int(rng.random() * count)
            play_turn(board, rules, acts, chosen)
        elif stage == _ASK_WARP:
            answer_attack(board, rules, acts, rng)
        elif stage in {_ATTACK_ROLL, _DEFENCE_ROLL}:
            roll(board, rules, luck)
        elif stage in {_ATTACK, _DEFENCE}:
            between_rolls(board, rules, rng)
        elif stage == _KEEP:
            keep(board, rules, rng)
        elif stage == _RESPAWN:
            respawn(board, rules, acts, rng)
        elif stage == _FIRST:
            _open(board, rules, luck)
    if info[WINNER] < 0:
        return 0.5
    return 1.0 if info[WINNER] == 0 else 0.0


@compiled
def _share(board: Board, rules: Rules) -> float:
    """Return red's share of the win as the lead tells it."""
    lead = 0.0
    for space in range(len(board.units)):
        units = board.units[space]
        if units != 0:
            worth = stack_worth(units, board.held[space], rules)
            lead += worth if units > 0 else -worth
    return 1.0 / (1.0 + exp(-rules.lead * lead))


@compiled
def play_games(board: Board, rules: Rules, luck: _Floats, rng: np.random.Generator) -> _Floats:
    """Return red's share of the win in games from one position, and their turns and units.

    Args:
        board: The position; it does not change.
        rules: What games are played by.
        luck: Random numbers for the dice of each game, a row each.
        rng: What choices at random are drawn from.

    Returns:
        Share, turns done, units of red and of blue at the end, shape [count, 4].
    """
    found = np.zeros((len(luck), 4))
    for game in range(len(luck)):
        copy = Board(
            board.units.copy(),
            board.held.copy(),
            board.lying.copy(),
            board.bank.copy(),
            board.loot.copy(),
            board.info.copy(),
        )
        found[game, 0] = play_on(copy, rules, luck[game], rng)
        found[game, 1] = copy.info[PLY]
        for units in copy.units:
            found[game, 2 if units > 0 else 3] += abs(units)
    return found
