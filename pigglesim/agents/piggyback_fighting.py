"""Combat of Piggyback in compiled code: its rolls, and how both sides decide.

A second, small telling of the rules and of the agent greedy, for speed alone: tests hold it to
both.
"""

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.piggyback_board import (
    ATTACK,
    BEGAN,
    FACE,
    MAUVE,
    ORANGE,
    PLY,
    ROLLS,
    SEAT,
    SOURCE,
    STAGE,
    TARGET,
    THROWN,
    WINNER,
    YELLOW,
    Board,
    Rules,
    Stage,
    end_turn,
    list_warps,
    play_warp,
)
from pigglesim.agents.piggyback_weighing import EQUAL, exchange, look, stack_worth
from pigglesim.compiling import compiled

__all__ = ["LUCK", "answer_attack", "between_rolls", "die", "keep", "respawn", "roll"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_ATTACK_ROLL = Stage.ATTACK_ROLL
_ATTACK = Stage.ATTACK
_DEFENCE_ROLL = Stage.DEFENCE_ROLL
_DEFENCE = Stage.DEFENCE
_KEEP = Stage.KEEP
_RESPAWN = Stage.RESPAWN
_OVER = Stage.OVER
LUCK = 12
"""Random numbers of a turn: no combat takes more than ten rolls, nor the start, but for ties."""


@compiled
def answer_attack(board: Board, rules: Rules, acts: _Ints, rng: np.random.Generator) -> None:
    """Let the attacked side swap or fight."""
    info = board.info
    sign = -1 if info[SEAT] == 0 else 1
    source, target = info[SOURCE], info[TARGET]
    count = list_warps(board, sign, target, acts, 0)
    chosen = count
    if not rules.greedy:
        chosen = int(rng.random() * (count + 1))
    else:
        seen = look(board, rules)
        most = -np.inf
        for number in range(count + 1):
            if number < count:
                one, other = acts[number, 1], acts[number, 2]
                stands = other if one == target else one
                cost = rules.worth[MAUVE]
            else:
                stands, cost = target, 0.0
            odds = rules.odds[seen.arms[source], seen.arms[stands]]
            lost = exchange(odds, seen.worth[source], seen.worth[stands])
            if -cost - lost > most + EQUAL:
                chosen, most = number, -cost - lost
    if chosen < count:
        play_warp(board, acts[chosen, 1], acts[chosen, 2])
    info[STAGE] = _ATTACK_ROLL


@compiled
def die(board: Board, luck: _Floats) -> int:
    """Return the next face: each roll of each turn has its own luck, whatever came before."""
    info = board.info
    at = (info[PLY] - info[BEGAN]) * LUCK + info[THROWN]
    info[THROWN] += 1
    return 1 + int(luck[at % len(luck)] * 6)


@compiled
def roll(board: Board, rules: Rules, luck: _Floats) -> None:
    """Roll for whoever is due in a combat; who has nothing to decide stands."""
    info = board.info
    info[FACE] = die(board, luck)
    info[ROLLS] += 1
    attacking = info[STAGE] == _ATTACK_ROLL
    info[STAGE] = _ATTACK if attacking else _DEFENCE
    space = info[SOURCE] if attacking else info[TARGET]
    held = board.held[space]
    if info[ROLLS] >= abs(board.units[space]) and held[YELLOW] == 0 and held[ORANGE] == 0:
        _stand(board, rules, 0)


@compiled
def _stand(board: Board, rules: Rules, force: int) -> None:
    """Keep the last roll with so many Firepowers; after the defender's the combat is settled."""
    info = board.info
    attacking = info[STAGE] == _ATTACK
    space = info[SOURCE] if attacking else info[TARGET]
    board.held[space, ORANGE] -= force
    total = info[FACE] + force
    if attacking:
        info[ATTACK], info[ROLLS], info[FACE] = total, 0, 0
        info[STAGE] = _DEFENCE_ROLL
        return
    won = info[ATTACK] >= total
    source, target = info[SOURCE], info[TARGET]
    board.loot[:] = board.held[target if won else source]
    if won:
        board.units[target] = board.units[source]
        board.held[target] = board.held[source]
    board.units[source] = 0
    board.held[source] = 0
    winner = info[SEAT] if won else 1 - info[SEAT]
    sign = 1 if winner == 0 else -1
    info[WINNER], info[STAGE] = winner, _OVER
    for units in board.units:
        if sign * units < 0:
            info[STAGE] = _KEEP
            break


@compiled
def between_rolls(board: Board, rules: Rules, rng: np.random.Generator) -> None:
    """Let the roller roll again or stand."""
    info = board.info
    attacking = info[STAGE] == _ATTACK
    space, facing = info[SOURCE], info[TARGET]
    if not attacking:
        space, facing = facing, space
    held, others = board.held[space], board.held[facing]
    units = abs(board.units[space])
    free = info[ROLLS] < units
    more = 1 if free or held[YELLOW] > 0 else 0
    count = more + held[ORANGE] + 1
    chosen = 0
    if not rules.greedy:
        chosen = int(rng.random() * count)
    else:
        stakes = stack_worth(units, held, rules)
        stakes += stack_worth(board.units[facing], others, rules)
        rolls = abs(board.units[facing]) + others[YELLOW]
        most = -np.inf
        for number in range(count):
            force = number - more
            if force < 0:
                left = max(0, units - info[ROLLS]) + held[YELLOW]
                cost = 0.0 if free else rules.worth[YELLOW]
                odds = rules.beats[info[ATTACK], left, held[ORANGE]]
                if attacking:
                    odds = rules.rolls[left, held[ORANGE], rolls, others[ORANGE]]
            else:
                cost = rules.worth[ORANGE] * force
                odds = 1.0 if info[FACE] + force > info[ATTACK] else 0.0
                if attacking:
                    odds = 1.0 - rules.beats[info[FACE] + force, rolls, others[ORANGE]]
            if odds * stakes - cost > most + EQUAL:
                chosen, most = number, odds * stakes - cost
    if chosen >= more:
        _stand(board, rules, chosen - more)
        return
    if not free:
        board.held[space, YELLOW] -= 1
    info[STAGE] = _ATTACK_ROLL if attacking else _DEFENCE_ROLL


@compiled
def keep(board: Board, rules: Rules, rng: np.random.Generator) -> None:
    """Let the winner choose at most two of what both stacks have left."""
    union = board.held[board.info[TARGET]] + board.loot
    pairs = np.full((16, 2), -1, dtype=np.int64)
    count = 0
    for one in range(4):
        for other in range(one, 4):
            if union[one] > 0 and union[other] > (1 if one == other else 0):
                pairs[count, 0], pairs[count, 1] = one, other
                count += 1
    for one in range(4):
        if union[one] > 0:
            pairs[count, 0] = one
            count += 1
    board.info[STAGE] = _RESPAWN
    if count == 0:
        return
    count += 1
    chosen = 0
    if not rules.greedy:
        chosen = int(rng.random() * count)
    else:
        most = -np.inf
        for number in range(count):
            worth = 0.0
            for ability in pairs[number]:
                worth += rules.worth[ability] if ability >= 0 else 0.0
            if worth > most + EQUAL:
                chosen, most = number, worth
    held = board.held[board.info[TARGET]]
    held[:] = 0
    for ability in pairs[chosen]:
        if ability >= 0:
            held[ability] += 1


@compiled
def respawn(board: Board, rules: Rules, acts: _Ints, rng: np.random.Generator) -> None:
    """Let the loser put a piece of the bank on the board, and end the turn."""
    count = 0
    for space in range(len(board.units)):
        colour = rules.box[space]
        empty = board.units[space] == 0 and board.lying[space] < 0
        if colour >= 0 and empty and board.bank[colour] > 0:
            acts[count, 0] = space
            count += 1
    chosen = count
    if count > 0 and not rules.greedy:
        chosen = int(rng.random() * (count + 1))
    elif count > 0:
        sign = 1 if board.info[WINNER] == 1 else -1
        most = -np.inf
        for number in range(count + 1):
            worth = 0.0
            if number < count:
                worth = _respawn_worth(board, rules, acts[number, 0], sign)
            if worth > most + EQUAL:
                chosen, most = number, worth
    if chosen < count:
        space = acts[chosen, 0]
        board.lying[space] = rules.box[space]
        board.bank[rules.box[space]] -= 1
    end_turn(board, rules)


@compiled
def _respawn_worth(board: Board, rules: Rules, space: int, sign: int) -> float:
    own, enemy = 2 * rules.size, 2 * rules.size
    for at in range(len(board.units)):
        units = sign * board.units[at]
        if units > 0:
            own = min(own, rules.apart[space, at])
        elif units < 0:
            enemy = min(enemy, rules.apart[space, at])
    return float(rules.worth[rules.box[space]] * (enemy - own))
