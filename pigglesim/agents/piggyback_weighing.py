"""What the agent greedy of Piggyback finds a turn worth, in compiled code.

A second telling of `piggyback_greedy`, for speed alone: tests hold it to the agent itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.piggyback_board import (
    GREEN,
    LIVELY,
    ORANGE,
    PLY,
    ROAM,
    SEAT,
    SPENT,
    STEPS,
    TAKE,
    WARP,
    YELLOW,
    Board,
    Rules,
)
from pigglesim.compiling import compiled

__all__ = ["EQUAL", "Seen", "arms_number", "best_turn", "exchange", "look", "stack_worth"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_MOST_HELD = 2
EQUAL = 5e-10
"""Differences of worth that the agent rounds away."""


@compiled
def arms_number(units: int, held: _Ints) -> int:
    """Return the number of what of a stack counts in a combat, below 27."""
    return int((abs(units) - 1) * 9 + held[YELLOW] * 3 + held[ORANGE])


@compiled
def stack_worth(units: int, held: _Ints, rules: Rules) -> float:
    """Return what a stack is worth: its units, and what each ability is [units]."""
    worth = float(abs(units))
    for ability in range(4):
        worth += held[ability] * rules.worth[ability]
    return worth


@compiled
def exchange(odds: float, own: float, other: float) -> float:
    """Return what an attack is worth to the attacker on average [units]."""
    return odds * other - (1.0 - odds) * own


class Seen(NamedTuple):
    """What of a position is looked up again and again while one decision is weighed."""

    arms: _Ints
    """The number of the arms of the stack on each space, shape [spaces]."""
    armed: _Ints
    """The same from 1 and with the sign of its side, 0 where nobody stands, shape [spaces]."""
    worth: _Floats
    """What it is worth, shape [spaces]."""
    goals: _Ints
    """The spaces with enemies, and those with a piece and no unit."""
    wanted: _Ints
    """Room for those that a stack wants to go to, shape [spaces]."""
    held: _Ints
    """Room for the abilities of the stack that moves, shape [4]."""


@compiled
def look(board: Board, rules: Rules) -> Seen:
    """Return what of a position is looked up again and again in one decision."""
    spaces = len(board.units)
    arms, worth = np.zeros(spaces, dtype=np.int64), np.zeros(spaces)
    armed = np.zeros(spaces, dtype=np.int64)
    goals = np.zeros(spaces, dtype=np.int64)
    sign = 1 if board.info[SEAT] == 0 else -1
    count = 0
    for space in range(spaces):
        units = sign * board.units[space]
        if units != 0:
            arms[space] = arms_number(units, board.held[space])
            armed[space] = (arms[space] + 1) * (1 if board.units[space] > 0 else -1)
            worth[space] = stack_worth(units, board.held[space], rules)
        if units < 0 or (units == 0 and board.lying[space] >= 0):
            goals[count] = space
            count += 1
    wanted, held = np.zeros_like(goals), np.zeros(4, dtype=np.int64)
    return Seen(arms, armed, worth, goals[:count], wanted, held)


@compiled
def _danger(
    near: _Ints, odds: _Floats, seen: _Ints, worths: _Floats, sign: int, arms: int, worth: float
) -> float:
    """Return what the best attack on a stack would be worth to the enemy, at least 0.

    Everything is handed over by itself: a whole position would take longer to hand over than this
    takes to work out.

    Args:
        near: The spaces that touch the stack's, shape [8].
        odds: By the numbers of both sides' arms, shape [27, 27].
        seen: Arms by space with the sign of their side, from 1, shape [spaces].
        worths: Of the stack on each space, shape [spaces].
        sign: 1 if the stack is red, -1 if it is blue.
        arms: The number of its arms.
        worth: What it is worth.
    """
    worst = 0.0
    for side in range(8):
        at = near[side]
        if at < 0:
            break
        enemy = -sign * seen[at]
        if enemy > 0:
            worst = max(worst, exchange(odds[enemy - 1, arms], worths[at], worth))
    return worst


@compiled
def _list_goals(board: Board, rules: Rules, seen: Seen, arms: int, worth: float, held: int) -> int:
    """Write what a stack may want to go to: an enemy worth attacking, or a piece to pick up.

    Args:
        board: The position.
        rules: What games are played by.
        seen: What is known of it; its `wanted` is written.
        arms: The number of the stack's arms.
        worth: What it is worth.
        held: How many abilities it holds.

    Returns:
        How many goals there are.
    """
    count = 0
    for space in seen.goals:
        goal = held < _MOST_HELD
        if board.units[space] != 0:
            odds = rules.odds[arms, seen.arms[space]]
            goal = exchange(odds, worth, seen.worth[space]) > 0.0
        if goal:
            seen.wanted[count] = space
            count += 1
    return count


@compiled
def _way(apart: _Ints, wanted: _Ints, count: int) -> int:
    """Return the steps to the nearest goal, 0 where there is none.

    Args:
        apart: The steps to each space, shape [spaces].
        wanted: The goals, the first `count` of them.
        count: How many goals there are.
    """
    nearest = 0
    for number in range(count):
        steps = apart[wanted[number]]
        nearest = steps if number == 0 else min(nearest, steps)
    return nearest


@compiled
def _grown_worth(
    board: Board, rules: Rules, seen: Seen, kind: int, source: int, target: int
) -> float:
    """Return what a step is worth that stacks or picks up, less what threatens where it began."""
    held, there = seen.held, board.units[target]
    near, sign = rules.near[target], 1 if board.info[SEAT] == 0 else -1
    units, worth, abilities = board.units[source], 0.0, 0
    for ability in range(4):
        held[ability] = board.held[source, ability]
    if _is_boosted(board, source):
        held[GREEN] -= 1
        worth -= rules.worth[GREEN]
    if kind == TAKE:
        held[board.lying[target]] += 1
        worth += rules.worth[board.lying[target]]
    else:
        worth += _danger(
            near, rules.odds, seen.armed, seen.worth, sign, seen.arms[target], seen.worth[target]
        )
        units += there
        for ability in range(4):
            held[ability] += board.held[target, ability]
    for ability in range(4):
        abilities += held[ability]
    arms, value = arms_number(units, held), stack_worth(units, held, rules)
    worth -= _danger(near, rules.odds, seen.armed, seen.worth, sign, arms, value)
    goals = _list_goals(board, rules, seen, arms, value, abilities)
    wanted = seen.wanted
    nearer = _way(rules.apart[source], wanted, goals) - _way(rules.apart[target], wanted, goals)
    return float(worth + _pull(board, rules) * nearer)


@compiled
def _pull(board: Board, rules: Rules) -> float:
    quiet = max(0, board.info[PLY] - board.info[LIVELY])
    return float(rules.pull * (1.0 + quiet / rules.patience))


@compiled
def _is_boosted(board: Board, source: int) -> bool:
    """Return whether a step from a space uses a Boost."""
    info = board.info
    spends = info[ROAM] >= 0 and info[STEPS] == 1 + info[SPENT]
    return bool(spends and board.held[source, GREEN] > 0)


@compiled
def best_turn(board: Board, rules: Rules, acts: _Ints, count: int) -> int:
    """Return the number of what greedy does in a turn; the first of equal ones."""
    seen = look(board, rules)
    pull, sign = _pull(board, rules), 1 if board.info[SEAT] == 0 else -1
    best, most = 0, -np.inf
    last, goals, way, threat, arms, value, cost = -1, 0, 0, 0.0, 0, 0.0, 0.0
    # What was found of the steps of one stack is known until one of them writes over it.
    stale = True
    for number in range(count):
        kind, source, target = acts[number, 0], acts[number, 1], acts[number, 2]
        worth = -1.0 if kind == WARP else 0.0
        if kind <= TAKE:
            there = board.units[target]
            if source != last:
                cost = rules.worth[GREEN] if _is_boosted(board, source) else 0.0
                arms, value = seen.arms[source], seen.worth[source] - cost
                threat = _danger(
                    rules.near[source],
                    rules.odds,
                    seen.armed,
                    seen.worth,
                    sign,
                    arms,
                    seen.worth[source],
                )
                last, stale = source, True
            if kind == TAKE or there * sign > 0:
                worth = threat + _grown_worth(board, rules, seen, kind, source, target)
                stale = True
            elif there != 0:
                odds = rules.odds[arms, seen.arms[target]]
                worth = threat - cost + exchange(odds, value, seen.worth[target])
            else:
                if stale:
                    abilities = 0
                    for ability in range(4):
                        abilities += board.held[source, ability]
                    abilities -= 1 if cost > 0.0 else 0
                    goals = _list_goals(board, rules, seen, arms, value, abilities)
                    way, stale = _way(rules.apart[source], seen.wanted, goals), False
                worth = (
                    threat
                    - cost
                    - _danger(
                        rules.near[target], rules.odds, seen.armed, seen.worth, sign, arms, value
                    )
                )
                worth += pull * (way - _way(rules.apart[target], seen.wanted, goals))
        if worth > most + EQUAL:
            best, most = number, worth
    return best
