"""What rolls and effects do in a game of Piggles Modern as numbers; compiled.

A second telling of the rules, for speed alone: tests hold it to the rules themselves.
"""

import numpy as np

from pigglesim.agents.classic_kernel import drawn, points_at, turned
from pigglesim.agents.modern_numbers import (
    ACTED,
    ACTOR,
    ALL,
    BOARD,
    BONUS,
    CUP,
    DOWN,
    FIELDS,
    HEAD,
    KITCHEN,
    KITCHEN_BONUS,
    LIES,
    MAY_ACT,
    MUD,
    MUD_BONUS,
    NOBODY,
    OFF,
    OWED,
    PEN,
    PLACES,
    ROLLED,
    ROUND,
    SEAT,
    SHIELD,
    SIDE,
    SINCE,
    WHERE,
    Floats,
    Ints,
    Table,
)
from pigglesim.compiling import compiled

__all__ = ["act", "carry_out", "move", "points_of", "roll"]

(_BURN, _DAMAGE, _CRIT, _HEALTH, _SHIELD, _TURN_UP, _TURN_DOWN, _RESCUE, _DEMOTE, _SUMMON) = range(
    1, 11
)
"""Verbs as `Verb` counts them."""


@compiled
def points_of(pigs: Ints, piggle: int) -> int:
    """Return what a Piggle pays as it lies (R3)."""
    return points_at(pigs[LIES, piggle]) if pigs[WHERE, piggle] == BOARD else 0


@compiled
def move(pigs: Ints, piggle: int, area: int, number_of_round: int) -> None:
    """Take a Piggle out of where it is, with its shield and what is owed for it."""
    pigs[WHERE, piggle], pigs[SINCE, piggle] = area, number_of_round
    pigs[SHIELD, piggle], pigs[OWED, piggle] = NOBODY, NOBODY


@compiled
def roll(pigs: Ints, now: Ints, table: Table, draws: Floats) -> None:
    """Roll what is in the cup onto the board (R10, R11, M12, P6, P7, P11).

    What was rolled and leaves the board pays like what was knocked: it is one's own, but for the
    target of Blue, which pays (M10). Blue's roll, of which somebody is the actor, captures nothing.

    Args:
        pigs: What is known of each Piggle.
        now: What is known of the game.
        table: What decides how it goes on.
        draws: Random numbers of each Piggle, shape [12, 2]: knocked, lies.
    """
    seat, captures = now[SEAT], now[ACTOR] == NOBODY
    number = standing = 0
    for piggle in range(ALL):
        number += pigs[WHERE, piggle] == CUP
        standing += pigs[WHERE, piggle] == BOARD
    rates = table.knocked[number, standing]
    for piggle in range(ALL):
        rolled = pigs[WHERE, piggle] == CUP
        if not rolled and pigs[WHERE, piggle] != BOARD:
            continue
        before = turned(pigs[LIES, piggle], seat)
        if not rolled and draws[piggle, 0] >= rates[before]:
            continue
        if not rolled and captures and pigs[SHIELD, piggle] != NOBODY:
            by = pigs[SHIELD, piggle]
            move(pigs, piggle, PEN, now[ROUND])
            pigs[SIDE, piggle] = by
            continue
        steps = table.thrown[number] if rolled else table.after[before]
        found = turned(drawn(steps, draws[piggle, 1]), seat)
        theirs = pigs[SIDE, piggle] != seat
        if found == OFF:
            move(pigs, piggle, MUD, now[ROUND])
            now[BONUS] += MUD_BONUS * theirs
            continue
        if rolled or found < HEAD:
            pigs[OWED, piggle] = NOBODY
        elif pigs[LIES, piggle] < HEAD and theirs:
            pigs[OWED, piggle] = seat
        pigs[LIES, piggle] = found
        if rolled:
            # Only now: what is still in the cup is told from what stood.
            pigs[WHERE, piggle] = BOARD
            pigs[MAY_ACT, piggle] = 1
    if captures:
        pigs[ROLLED] = 1


@compiled
def _aim(pigs: Ints, actor: int, table: Table) -> int:
    """Return the field in which a Piggle's effect takes place, or -1 (R22, M6)."""
    place = pigs[LIES, actor] % PLACES
    return table.aims[actor, pigs[SIDE, actor], place] if place < FIELDS else -1


@compiled
def _meant(verb: int, seat: int, opposing: bool) -> int:  # noqa: FBT001 (no keywords when compiled)
    """Return whose Piggles an effect of a seat can be on; -1 for anybody's (M7, M11, M16-M18)."""
    if verb in (_BURN, _DAMAGE, _CRIT):
        return 1 - seat if opposing else NOBODY
    if verb == _SHIELD:
        return NOBODY
    return 1 - seat if verb == _TURN_DOWN else seat


@compiled
def _reaches(pigs: Ints, actor: int, target: int, verb: int, towards: int, since: int) -> bool:
    """Whether a Piggle that may act can do so on another of the right colour and side.

    R21-R24, M7, M11, M12, M16-M18.

    Args:
        pigs: What is known of each Piggle.
        actor: Who acts.
        target: On whom.
        verb: What it does.
        towards: The field of that, or -1.
        since: The first round in which what Green returns may have been removed.
    """
    where, lies = pigs[WHERE, target], pigs[LIES, target]
    if verb == _TURN_UP:
        return bool(where == BOARD and actor != target and DOWN <= lies < HEAD)
    if verb == _TURN_DOWN:
        return bool(where == BOARD and lies < DOWN)
    if verb == _RESCUE:
        return bool(where == MUD)
    if verb == _DEMOTE:
        return bool(where == KITCHEN)
    if verb == _HEALTH:
        return bool(where == MUD and pigs[SINCE, target] >= since)
    if verb == _SUMMON:
        return bool(where == PEN)
    if where != BOARD or actor == target or lies % PLACES != towards:
        return False
    kept = pigs[SHIELD, target] != NOBODY and pigs[ROLLED, target] == 1
    return not (kept and verb in (_BURN, _DAMAGE))


@compiled
def _swing(pigs: Ints, actor: int, target: int, verb: int, worth: float) -> float:
    """Return by how much an effect moves the lead on average, as greedy reckons it."""
    own = pigs[SIDE, target] == pigs[SIDE, actor]
    points = float(points_of(pigs, target))
    if verb == _BURN:
        return -points - 1.0 if own else points + KITCHEN_BONUS + 1.0
    if verb == _DAMAGE:
        return -points if own else points + MUD_BONUS
    if verb == _CRIT:
        return worth - points if own else -(worth - points)
    if verb == _TURN_UP:
        return float(points_at(pigs[LIES, target] % PLACES))
    if verb == _TURN_DOWN:
        return points
    return 1.0 if verb == _DEMOTE else 0.0


@compiled
def carry_out(
    pigs: Ints, now: Ints, actor: int, target: int, table: Table, rng: np.random.Generator
) -> None:
    """Do what a Piggle does to another, chance's part of it too (R20-R24)."""
    verb, seat, lies = table.verbs[actor], now[SEAT], pigs[LIES, target]
    theirs = pigs[SIDE, target] != seat
    pigs[MAY_ACT, actor], pigs[ACTED, actor] = 0, 1
    if verb == _BURN:
        move(pigs, target, KITCHEN, now[ROUND])
        now[BONUS] += KITCHEN_BONUS * theirs
    elif verb == _DAMAGE:
        move(pigs, target, MUD, now[ROUND])
        now[BONUS] += MUD_BONUS * theirs
    elif verb == _CRIT:
        might = pigs[MAY_ACT, target]
        pigs[WHERE, target] = CUP
        now[ACTOR] = actor
        roll(pigs, now, table, rng.random((ALL, 2)))
        up = pigs[WHERE, target] == BOARD and pigs[LIES, target] < DOWN
        pigs[MAY_ACT, target] = might or (up and not theirs and not pigs[ACTED, target])
    elif verb == _SHIELD:
        pigs[SHIELD, target], pigs[ROLLED, target] = seat, 0
    elif verb == _RESCUE:
        move(pigs, target, PEN, now[ROUND])
    elif verb == _DEMOTE:
        move(pigs, target, MUD, now[ROUND])
    elif verb == _TURN_UP:
        pigs[LIES, target] = lies % PLACES
    elif verb == _TURN_DOWN:
        pigs[LIES, target] = lies + DOWN
    else:
        pigs[LIES, target] = DOWN + _aim(pigs, actor, table)
        pigs[WHERE, target] = BOARD
    now[ACTOR] = NOBODY


@compiled
def act(pigs: Ints, now: Ints, table: Table, rng: np.random.Generator) -> None:
    """Have effects as long as the best of them does not lose points, as greedy does."""
    while True:
        best, brings, actor, target = -np.inf, False, NOBODY, NOBODY
        for one in range(ALL):
            if not pigs[MAY_ACT, one] or table.verbs[one] == 0:
                continue
            if pigs[WHERE, one] != BOARD or pigs[LIES, one] >= DOWN:
                continue
            verb = table.verbs[one]
            coloured = _TURN_UP <= verb <= _DEMOTE
            towards = NOBODY if coloured else _aim(pigs, one, table)
            if towards == NOBODY and not coloured:
                continue
            meant = _meant(verb, pigs[SIDE, one], table.opposing)
            for other in range(ALL):
                if meant not in (NOBODY, pigs[SIDE, other]):
                    continue
                if coloured and table.colours[one] != table.colours[other]:
                    continue
                if not _reaches(pigs, one, other, verb, towards, now[ROUND] - 1):
                    continue
                swing = _swing(pigs, one, other, verb, table.worth)
                away = pigs[WHERE, other] == MUD or pigs[WHERE, other] == KITCHEN
                if swing > best or (swing == best and away and not brings):
                    best, brings, actor, target = swing, away, one, other
        if best < 0.0:
            return
        carry_out(pigs, now, actor, target, table, rng)
