"""Games of Piggles Classic played on by odds, under the common rules of play; compiled.

A second, small telling of the rules, for speed alone: tests hold it to the rules themselves. The
twelve Piggles are numbers, A's from 0 to 5 and B's from 6 to 11; seats are 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.jit import compiled

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

PEN, BOARD, MUD, KITCHEN = range(4)
"""Where a Piggle is."""
PLACES = 9
"""Zones on the board, as `Zone` counts them: fields N, E, S and W, the paths, woods and lines."""
FIELDS = 4
DOWN, HEAD, OFF = PLACES, 2 * PLACES, 3 * PLACES
"""How it lies: a pose (0 for Snout-Up) plus the zone, or off the board."""
CLASSES = OFF + 1
_POINTS = np.array([3, 3, 3, 3, 2, 2, 1, 2, 1])
"""Of a Snout-Up Piggle by zone (R3)."""
_DRAWS = 2
"""Random numbers of a Piggle in a turn: whether it is knocked, how it lies."""
LUCK = 2 * _DRAWS * 12
"""Those of a round. Each Piggle has its own in each turn, whatever was decided before, so that two
ways of playing can be compared on the same luck."""
TO_LOAD, TIED = -1, -2
"""The player is to load; Sudden Snout-Up is to begin."""
_TEAM = 6


class ClassicTable(NamedTuple):
    """What decides how games go on."""

    thrown: _Floats
    """Probabilities of landing so or lower as seat A throws, by number, shape [13, CLASSES]."""
    after: _Floats
    """The same after a knock, by how it lay before, shape [OFF, CLASSES]."""
    knocked: _Floats
    """Share knocked by numbers thrown and standing, and how they lie, shape [13, 13, OFF]."""
    poses: _Floats
    """Of one Piggle alone: of landing Up, of that or Down, of those or on the head, shape [3]."""
    first: _Ints
    """Who begins each round, shape [rounds + 1]; the first entry means nothing."""
    gains: _Floats
    """What a Piggle rolled in each round gains on average [points], shape [rounds + 1]."""
    threshold: float
    """A Pen is loaded whole where its gain is more than this; NaN: any part of it at random."""
    exhaustion_round: int
    delay: int
    """Rounds from the Mud to the Recoup."""
    sudden_cap: int


class ClassicStart(NamedTuple):
    """A position in which a player is to load, or chance to roll."""

    where: _Ints
    """Of each Piggle, shape [12]."""
    since: _Ints
    """Round in which it came into the Mud, shape [12]."""
    lies: _Ints
    """Class of each Piggle on the board, shape [12]."""
    owed: _Ints
    """Who is paid if it goes to the Kitchen, or -1, shape [12]."""
    scores: _Ints
    """Shape [2]."""
    round: int
    seat: int
    loaded: int
    """Piggles in the cup, which are still in the Pen here; or `TO_LOAD`, or `TIED`."""


@compiled
def drawn(steps: _Floats, draw: float) -> int:
    """Return the class of a random number from 0 to 1, given the shares of each or a lower one."""
    low, high = 0, len(steps) - 1
    while low < high:
        middle = (low + high) // 2
        if draw < steps[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def points_at(lies: int) -> int:
    """Return what a Piggle on the board pays as it lies (R3)."""
    return int(_POINTS[lies]) if lies < DOWN else 0


@compiled
def turned(lies: int, seat: int) -> int:
    """Return how a Piggle lies as seat A would see it where `seat` throws, and back."""
    place = lies % PLACES
    if seat == 0 or lies == OFF or place >= FIELDS:
        return lies
    return lies - place + (place + 2) % FIELDS


@compiled
def _load(start: ClassicStart, table: ClassicTable, rng: np.random.Generator) -> int:
    """Return how many Piggles the seat to move loads, or has in its cup."""
    if start.loaded != TO_LOAD:
        return start.loaded
    pen = 0
    for piggle in range(start.seat * _TEAM, (start.seat + 1) * _TEAM):
        pen += start.where[piggle] == PEN
    if np.isnan(table.threshold):
        number = 0
        for _ in range(pen):
            number += rng.random() < 0.5
        return number
    return pen if pen * table.gains[start.round] > table.threshold else 0


@compiled
def luck_at(luck: _Floats, number_of_round: int, seat: int) -> _Floats:
    """Return the random numbers of a turn, shape [12, 2]: knocked, lies."""
    size = LUCK // 2
    begin = ((number_of_round - 1) * 2 + seat) * size
    return luck[begin : begin + size].reshape((2 * _TEAM, _DRAWS))


@compiled
def _roll(at: ClassicStart, number: int, table: ClassicTable, luck: _Floats) -> int:
    """Roll so many of a Pen; return the bonus for knocks off the board (R10, R11, P6, P7, P11)."""
    where, since, lies, owed = at.where, at.since, at.lies, at.owed
    standing = 0
    for piggle in range(2 * _TEAM):
        standing += where[piggle] == BOARD
    rates = table.knocked[number, standing]
    bonus = 0
    draws = luck_at(luck, at.round, at.seat)
    for piggle in range(2 * _TEAM):
        if where[piggle] != BOARD:
            continue
        before = turned(lies[piggle], at.seat)
        if draws[piggle, 0] >= rates[before]:
            continue
        found = turned(drawn(table.after[before], draws[piggle, 1]), at.seat)
        theirs = piggle // _TEAM != at.seat
        if found == OFF:
            where[piggle], since[piggle], owed[piggle] = MUD, at.round, -1
            bonus += theirs
            continue
        if found < HEAD:
            owed[piggle] = -1
        elif lies[piggle] < HEAD and theirs:
            owed[piggle] = at.seat
        lies[piggle] = found
    left = number
    for piggle in range(at.seat * _TEAM, (at.seat + 1) * _TEAM):
        if left == 0 or where[piggle] != PEN:
            continue
        left -= 1
        found = turned(drawn(table.thrown[number], draws[piggle, 1]), at.seat)
        if found == OFF:
            where[piggle], since[piggle] = MUD, at.round
        else:
            where[piggle], lies[piggle], owed[piggle] = BOARD, found, -1
    return bonus


@compiled
def _tally(at: ClassicStart, bonus: int) -> None:
    """Book what the seat to move scores, less its Kitchen, with the floor at the end (R11)."""
    points = at.scores[at.seat] + bonus
    for piggle in range(at.seat * _TEAM, (at.seat + 1) * _TEAM):
        if at.where[piggle] == KITCHEN:
            points -= 1
        elif at.where[piggle] == BOARD:
            points += points_at(at.lies[piggle])
    at.scores[at.seat] = max(points, 0)


@compiled
def _resolve(at: ClassicStart) -> None:
    """Take off the board what does not lie Snout-Up (R13), and pay for heads (P7)."""
    for piggle in range(2 * _TEAM):
        if at.where[piggle] != BOARD:
            continue
        if at.lies[piggle] >= HEAD:
            at.where[piggle] = KITCHEN
            if at.owed[piggle] >= 0:
                at.scores[at.owed[piggle]] += 2
        elif at.lies[piggle] >= DOWN:
            at.where[piggle], at.since[piggle] = MUD, at.round
        at.owed[piggle] = -1


@compiled
def _exhausted(where: _Ints, seat: int) -> bool:
    """Whether every Piggle of a seat is in Mud or Kitchen (R17)."""
    for piggle in range(seat * _TEAM, (seat + 1) * _TEAM):
        if where[piggle] == PEN or where[piggle] == BOARD:
            return False
    return True


@compiled
def by_points(scores: _Ints) -> float:
    """Return the reward of seat 0."""
    if scores[0] == scores[1]:
        return 0.5
    return 1.0 if scores[0] > scores[1] else 0.0


@compiled
def break_tie(poses: _Floats, seat: int, cap: int, rng: np.random.Generator) -> float:
    """Return the reward of seat 0 where both have a Piggle to roll in turn (R16, P15).

    Args:
        poses: Probabilities of landing Up, of that or Down, of those or on the head.
        seat: Who rolls first.
        cap: Rerolls until it is a draw.
        rng: What is drawn from.
    """
    rerolls, off = 0, len(poses)
    ranks = [off, off]
    while rerolls <= cap:
        draw, found = rng.random(), 0
        while found < off and draw >= poses[found]:
            found += 1
        if found == off:
            rerolls += 1
            continue
        ranks[seat] = found
        seat = 1 - seat
        if ranks[seat] == off:
            continue
        if ranks[0] != ranks[1]:
            return 1.0 if ranks[0] < ranks[1] else 0.0
        rerolls += 1
        ranks[0], ranks[1] = off, off
    return 0.5


@compiled
def _sudden(at: ClassicStart, table: ClassicTable, rng: np.random.Generator) -> float:
    """Return the reward of seat 0 after Sudden Snout-Up (R16, P15)."""
    ready = [False, False]
    for piggle in range(2 * _TEAM):
        if at.where[piggle] == PEN or at.where[piggle] == MUD:
            ready[piggle // _TEAM] = True
    if ready[0] != ready[1]:
        return 1.0 if ready[0] else 0.0
    if not ready[0]:
        return 0.5
    return break_tie(table.poses, table.first[-1], table.sudden_cap, rng)


@compiled
def _game(at: ClassicStart, table: ClassicTable, luck: _Floats, rng: np.random.Generator) -> float:
    """Play one game on, writing into its arrays; return the reward of seat 0."""
    begun, last = True, len(table.first) - 1
    if at.loaded == TIED:
        return _sudden(at, table, rng)
    while True:
        if not begun:
            if at.round == table.exhaustion_round and _exhausted(at.where, at.seat):
                if _exhausted(at.where, 1 - at.seat):
                    return by_points(at.scores)
                return float(at.seat)
            for piggle in range(at.seat * _TEAM, (at.seat + 1) * _TEAM):
                if at.where[piggle] == MUD and at.round >= at.since[piggle] + table.delay:
                    at.where[piggle] = PEN
        begun = False
        number = _load(at, table, rng)
        _tally(at, _roll(at, number, table, luck) if number else 0)
        seat, number_of_round = 1 - at.seat, at.round
        if at.seat != table.first[at.round]:
            _resolve(at)
            if at.round == last:
                if at.scores[0] == at.scores[1]:
                    return _sudden(at, table, rng)
                return by_points(at.scores)
            number_of_round += 1
            seat = table.first[number_of_round]
        at = ClassicStart(
            at.where, at.since, at.lies, at.owed, at.scores, number_of_round, seat, TO_LOAD
        )


@compiled
def play_on(
    start: ClassicStart, table: ClassicTable, luck: _Floats, rng: np.random.Generator
) -> _Floats:
    """Return the reward of seat 0 and both scores of games, shape [count, 3].

    Args:
        start: Where they begin.
        table: What decides how they go on.
        luck: Random numbers of their rolls, shape [count, rounds * LUCK].
        rng: What all else is drawn from.
    """
    found = np.zeros((len(luck), 3))
    for game in range(len(luck)):
        at = ClassicStart(
            start.where.copy(),
            start.since.copy(),
            start.lies.copy(),
            start.owed.copy(),
            start.scores.copy(),
            start.round,
            start.seat,
            start.loaded,
        )
        found[game, 0] = _game(at, table, luck[game], rng)
        found[game, 1] = at.scores[0]
        found[game, 2] = at.scores[1]
    return found
