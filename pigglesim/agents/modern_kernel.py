"""Games of Piggles Modern played on by odds, as greedy plays them at both seats; compiled.

A second telling of the rules beside that of Classic, for speed alone: tests hold it to the rules
themselves.
"""

import numpy as np

from pigglesim.agents.classic_kernel import break_tie, by_points, luck_at
from pigglesim.agents.modern_effects import act, carry_out, move, points_of, roll
from pigglesim.agents.modern_numbers import (
    ACTED,
    ACTING,
    ACTOR,
    ALL,
    BOARD,
    BONUS,
    CUP,
    DOWN,
    HEAD,
    KITCHEN,
    KITCHEN_BONUS,
    LIES,
    MAY_ACT,
    MUD,
    NOBODY,
    OWED,
    PEN,
    PENDING,
    ROLLED,
    ROUND,
    SCORE,
    SEAT,
    SHIELD,
    SIDE,
    SINCE,
    STAGE,
    TARGET,
    TEAM,
    TIED,
    TO_LOAD,
    WHERE,
    Floats,
    Ints,
    Table,
)
from pigglesim.compiling import compiled

__all__ = ["play_on"]

_GOES_ON = -1.0


@compiled
def _turn(pigs: Ints, now: Ints, table: Table, luck: Floats) -> None:
    """Roll what is in the cup, if anything is, and find who may act (M1, M3)."""
    in_cup = False
    pigs[MAY_ACT], pigs[ACTED] = 0, 0
    for piggle in range(ALL):
        in_cup = in_cup or pigs[WHERE, piggle] == CUP
    if in_cup:
        roll(pigs, now, table, luck_at(luck, now[ROUND], now[SEAT]))
    for piggle in range(ALL):
        own = pigs[WHERE, piggle] == BOARD and pigs[SIDE, piggle] == now[SEAT]
        may = own and pigs[LIES, piggle] < DOWN and (table.every or pigs[MAY_ACT, piggle])
        pigs[MAY_ACT, piggle] = may


@compiled
def _exhausted(pigs: Ints, seat: int) -> bool:
    """Whether every Piggle of a seat is in Mud or Kitchen (R17)."""
    out = False
    for piggle in range(ALL):
        if pigs[SIDE, piggle] == seat:
            if pigs[WHERE, piggle] != MUD and pigs[WHERE, piggle] != KITCHEN:
                return False
            out = True
    return out


@compiled
def _sudden(pigs: Ints, table: Table, rng: np.random.Generator) -> float:
    """Return the reward of seat 0 after Sudden Snout-Up (R16, P15)."""
    ready = [False, False]
    for piggle in range(ALL):
        if pigs[WHERE, piggle] == PEN or pigs[WHERE, piggle] == MUD:
            ready[pigs[SIDE, piggle]] = True
    if ready[0] != ready[1]:
        return 1.0 if ready[0] else 0.0
    return break_tie(table.poses, table.first[-1], table.sudden_cap, rng) if ready[0] else 0.5


@compiled
def _tally(pigs: Ints, now: Ints) -> None:
    """Book what the seat to move scores, with the floor at the end (R11); old shields end (M12)."""
    points = now[SCORE + now[SEAT]] + now[BONUS]
    for piggle in range(ALL):
        if pigs[ROLLED, piggle]:
            pigs[SHIELD, piggle] = NOBODY
        if pigs[SIDE, piggle] == now[SEAT]:
            points += points_of(pigs, piggle) - (pigs[WHERE, piggle] == KITCHEN)
    now[SCORE + now[SEAT]], now[BONUS] = max(points, 0), 0


@compiled
def _resolve(pigs: Ints, now: Ints) -> None:
    """Take off the board what does not lie Snout-Up (R13), and pay for heads (P7)."""
    for piggle in range(ALL):
        if pigs[WHERE, piggle] != BOARD:
            continue
        if pigs[LIES, piggle] >= HEAD:
            if pigs[OWED, piggle] != NOBODY:
                now[SCORE + pigs[OWED, piggle]] += KITCHEN_BONUS
            move(pigs, piggle, KITCHEN, now[ROUND])
        elif pigs[LIES, piggle] >= DOWN:
            move(pigs, piggle, MUD, now[ROUND])


@compiled
def _end_turn(pigs: Ints, now: Ints, table: Table, rng: np.random.Generator) -> float:
    """Go on to the next load; return the reward of seat 0 if the game is over."""
    last_in_round = now[SEAT] != table.first[now[ROUND]]
    _tally(pigs, now)
    if last_in_round:
        _resolve(pigs, now)
    scores = now[SCORE : SCORE + 2]
    if not last_in_round:
        now[SEAT] = 1 - now[SEAT]
    elif now[ROUND] < len(table.first) - 1:
        now[ROUND] += 1
        now[SEAT] = table.first[now[ROUND]]
    else:
        return _sudden(pigs, table, rng) if scores[0] == scores[1] else by_points(scores)
    seat = now[SEAT]
    if now[ROUND] == table.exhaustion_round and _exhausted(pigs, seat):
        return by_points(scores) if _exhausted(pigs, 1 - seat) else float(seat)
    for piggle in range(ALL):
        back = pigs[SIDE, piggle] == seat and pigs[WHERE, piggle] == MUD
        if back and now[ROUND] >= pigs[SINCE, piggle] + table.delay:
            pigs[WHERE, piggle] = PEN
    return _GOES_ON


@compiled
def _load(pigs: Ints, now: Ints, table: Table) -> None:
    """Put the Pen into the cup, or the first six of it, if that pays (R8, M13)."""
    number = 0
    for piggle in range(ALL):
        own = pigs[WHERE, piggle] == PEN and pigs[SIDE, piggle] == now[SEAT]
        if own and number < TEAM and table.gains[now[ROUND]] > 0.0:
            pigs[WHERE, piggle] = CUP
            number += 1


@compiled
def _game(pigs: Ints, now: Ints, table: Table, luck: Floats, rng: np.random.Generator) -> float:
    """Play one game on, writing into its arrays; return the reward of seat 0."""
    stage = now[STAGE]
    if stage == TIED:
        return _sudden(pigs, table, rng)
    if stage == PENDING:
        carry_out(pigs, now, now[ACTOR], now[TARGET], table, rng)
    begun = stage in (ACTING, PENDING)
    while True:
        if not begun:
            if stage == TO_LOAD:
                _load(pigs, now, table)
            _turn(pigs, now, table, luck)
        begun, stage = False, TO_LOAD
        act(pigs, now, table, rng)
        reward = _end_turn(pigs, now, table, rng)
        if reward != _GOES_ON:
            return reward


@compiled
def play_on(pigs: Ints, now: Ints, table: Table, luck: Floats, rng: np.random.Generator) -> Floats:
    """Return the reward of seat 0 and both scores of games, shape [count, 3].

    Args:
        pigs: What is known of each Piggle, shape [9, 12].
        now: What is known of the game, shape [8].
        table: What decides how it goes on.
        luck: Random numbers of their rolls but Blue's, shape [count, rounds * LUCK].
        rng: What all else is drawn from.
    """
    found = np.zeros((len(luck), 3))
    for game in range(len(luck)):
        own, state = pigs.copy(), now.copy()
        found[game, 0] = _game(own, state, table, luck[game], rng)
        found[game, 1:] = state[SCORE : SCORE + 2]
    return found
