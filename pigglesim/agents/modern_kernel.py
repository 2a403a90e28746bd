"""A game of Piggles Modern as numbers, for code that is compiled.

The twelve Piggles are A's from 0 to 5 and B's from 6 to 11; seats are 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.classic_kernel import (
    DOWN,
    FIELDS,
    HEAD,
    OFF,
    PLACES,
    break_tie,
    by_points,
    drawn,
    luck_at,
    points_at,
    turned,
)
from pigglesim.jit import compiled

__all__ = [
    "ACTED",
    "ACTING",
    "ACTOR",
    "ALL",
    "BOARD",
    "BONUS",
    "CUP",
    "DOWN",
    "FIELDS",
    "HEAD",
    "KITCHEN",
    "KITCHEN_BONUS",
    "LIES",
    "MAY_ACT",
    "MUD",
    "MUD_BONUS",
    "NOBODY",
    "OFF",
    "OWED",
    "PEN",
    "PENDING",
    "PLACES",
    "ROLLED",
    "ROLLING",
    "ROUND",
    "SCORE",
    "SEAT",
    "SHIELD",
    "SIDE",
    "SINCE",
    "STAGE",
    "TARGET",
    "TEAM",
    "TIED",
    "TO_LOAD",
    "WHERE",
    "Floats",
    "Ints",
    "ModernTable",
    "act",
    "carry_out",
    "move",
    "play_on",
    "points_of",
    "roll",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WHERE, SINCE, LIES, OWED, SIDE, SHIELD, ROLLED, MAY_ACT, ACTED = range(9)
"""Rows of what is known of each Piggle: area; round in which it came into the Mud; how it lies; who
is paid if it goes to the Kitchen, or -1; who has control of it; who shields it, or -1, and whether
the roll of that has begun; whether it may act, and has."""
PEN, BOARD, MUD, KITCHEN, CUP = range(5)
"""Where a Piggle is."""
SCORE, BONUS, ROUND, SEAT, STAGE, ACTOR, TARGET = 0, 2, 3, 4, 5, 6, 7
"""What is known of a game: the score of seat 0 and then of 1; points by knocks and effects of this
turn; the rest is of whoever is to move."""
TO_LOAD, ROLLING, ACTING, PENDING, TIED = range(5)
"""Stages: a roll is of what is in the cup, and a pending effect that of actor on target."""
TEAM, ALL = 6, 12
MUD_BONUS, KITCHEN_BONUS = 1, 2
NOBODY = -1


class ModernTable(NamedTuple):
    """What decides how games go on."""

    thrown: Floats
    """Probabilities of landing so or lower as seat A throws, by number, shape [13, CLASSES]."""
    after: Floats
    """The same after a knock, by how it lay before, shape [OFF, CLASSES]."""
    knocked: Floats
    """Share knocked by numbers thrown and standing, and how they lie, shape [13, 13, OFF]."""
    poses: Floats
    """Of one Piggle alone: of landing Up, of that or Down, of those or on the head, shape [3]."""
    first: Ints
    """Who begins each round, shape [rounds + 1]; the first entry means nothing."""
    gains: Floats
    """What a Piggle rolled in each round gains on average [points], shape [rounds + 1]."""
    verbs: Ints
    """What each Piggle does when it acts, 0 for nothing, shape [12]."""
    colours: Ints
    """Shape [12]."""
    aims: Ints
    """Field of an effect by Piggle, its player and its own field, or -1, shape [12, 2, FIELDS]."""
    worth: float
    """What a Piggle that is rolled again is believed to pay [points]."""
    every: bool
    """Whether those act that were not rolled, too (M1)."""
    opposing: bool
    """Whether Orange, Red and Blue reach opposing Piggles alone (M7)."""
    exhaustion_round: int
    delay: int
    """Rounds from the Mud to the Recoup."""
    sudden_cap: int


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
def roll(pigs: Ints, now: Ints, table: ModernTable, draws: Floats) -> None:
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
def _aim(pigs: Ints, actor: int, table: ModernTable) -> int:
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
    pigs: Ints, now: Ints, actor: int, target: int, table: ModernTable, rng: np.random.Generator
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
def act(pigs: Ints, now: Ints, table: ModernTable, rng: np.random.Generator) -> None:
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


_GOES_ON = -1.0


@compiled
def _turn(pigs: Ints, now: Ints, table: ModernTable, luck: Floats) -> None:
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
def _sudden(pigs: Ints, table: ModernTable, rng: np.random.Generator) -> float:
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
def _end_turn(pigs: Ints, now: Ints, table: ModernTable, rng: np.random.Generator) -> float:
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
def _load(pigs: Ints, now: Ints, table: ModernTable) -> None:
    """Put the Pen into the cup, or the first six of it, if that pays (R8, M13)."""
    number = 0
    for piggle in range(ALL):
        own = pigs[WHERE, piggle] == PEN and pigs[SIDE, piggle] == now[SEAT]
        if own and number < TEAM and table.gains[now[ROUND]] > 0.0:
            pigs[WHERE, piggle] = CUP
            number += 1


@compiled
def _game(
    pigs: Ints, now: Ints, table: ModernTable, luck: Floats, rng: np.random.Generator
) -> float:
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
def play_on(
    pigs: Ints, now: Ints, table: ModernTable, luck: Floats, rng: np.random.Generator
) -> Floats:
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
