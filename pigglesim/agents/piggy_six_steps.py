"""Steps of many matches of Piggy Six in compiled code: one seat decides, an agent plays the others.

This second, small implementation of the rules exists for speed; tests compare it with the rules.
Seats are numbers, in the order of turns.
"""

from typing import NamedTuple

import numpy as np

from pigglesim.agents.places import (
    GOES_ON,
    GREEDY,
    MAX_MATCHES,
    UNIFORM,
    Bools,
    Flags,
    Ints,
    Numbers,
    Places,
    Streams,
    most_win,
    new_places,
    next_draw,
    sit_down,
)
from pigglesim.agents.six_greedy import must_stop
from pigglesim.games.piggy_six import SIX
from pigglesim.jit import compiled_as_numpy, inlined

ACTIVE, ROUND, TOTAL, ROLLS, DICE, OVER = range(6)
"""Entries of a turn: player, round, points and rolls so far, dice of the last roll, end of the
match (1 or 0)."""
ENTRIES = 6
HOLD = 2
"""Opponent that follows its plan alone, in addition to those of all games."""
_must_stop = inlined(must_stop)


class SixTable(NamedTuple):
    """House rules, and the plan of the opponent."""

    dice: Ints
    """Number of dice of each action that rolls; the next action is the stop."""
    target: int
    race: bool
    must_roll: bool
    roll_cap: int
    round_cap: int
    opponent: int
    """`UNIFORM`, `GREEDY` or `HOLD`."""
    stop_at: Ints
    """Turn total from which the opponent stops, by its points, shape [target]."""
    plan: Ints
    """Number of the action by which it rolls, by its points and turn total, of which the last is
    for all higher ones, shape [target, totals]."""


class SixLayout(NamedTuple):
    """Columns of an observation by meaning."""

    width: int
    """Numbers per player."""
    most: float
    """Bound at which points are clipped [target]."""
    points: int
    moves: int
    later: int
    total: int
    rolls: int
    first_dice: int
    """Column of one die; two and three follow."""
    round: int
    over: int


class Matches(NamedTuple):
    """State of each match."""

    banks: Ints
    """Points written down, shape [count, players]."""
    turns: Ints
    """Entries of the turn at hand, shape [count, ENTRIES]."""


def new_matches(count: int, players: int) -> Matches:
    """Return matches that have not begun."""
    return Matches(
        np.zeros((count, players), dtype=np.int64), np.zeros((count, ENTRIES), dtype=np.int64)
    )


def compile_steps() -> None:
    """Compile the code of matches by playing none."""
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    table = SixTable(
        dice=none, target=1, race=False, must_roll=True, roll_cap=1, round_cap=1, opponent=GREEDY,
        stop_at=none, plan=none.reshape(0, 0),
    )  # fmt: skip
    layout = SixLayout(1, 1.0, *range(8))
    matches, places = new_matches(0, 2), new_places(0, 2)
    numbers, mask = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int8)
    observe(matches, places, nowhere, table, layout, numbers, mask)
    play(matches, places, nowhere, none, table, 0)


@inlined
def _best(bank: Ints, besides: int) -> int:
    """Return the most points of a player, of all or `besides` one."""
    best = 0
    for player in range(len(bank)):
        if player != besides:
            best = max(best, bank[player])
    return best


@inlined
def _end_turn(bank: Ints, turn: Ints, points: int, table: SixTable) -> None:
    """Write the active player's points down, and go on to the next turn or end (R3, PS7)."""
    active = turn[ACTIVE]
    bank[active] = points
    turn[TOTAL], turn[ROLLS], turn[DICE] = 0, 0, 0
    last = active == len(bank) - 1
    ends = _best(bank, -1) >= table.target or turn[ROUND] >= table.round_cap
    if (table.race and points >= table.target) or (last and ends):
        turn[OVER] = 1
        return
    turn[ACTIVE] = 0 if last else active + 1
    turn[ROUND] += last


@inlined
def act(bank: Ints, turn: Ints, number: int, table: SixTable, streams: Streams) -> None:
    """Carry out the legal action of a number: roll (R1, R2), or stop."""
    own = bank[turn[ACTIVE]]
    if number == len(table.dice):
        _end_turn(bank, turn, own + turn[TOTAL], table)
        return
    sixes = points = 0
    for _ in range(table.dice[number]):
        face = 1 + int(next_draw(streams) * SIX)
        points += face
        sixes += face == SIX
    if sixes:
        _end_turn(bank, turn, own if sixes == 1 else 0, table)
        return
    turn[TOTAL] += points
    turn[ROLLS] += 1
    turn[DICE] = table.dice[number]
    if turn[ROLLS] >= table.roll_cap:
        _end_turn(bank, turn, own + turn[TOTAL], table)


@inlined
def _may_stop(turn: Ints, table: SixTable) -> bool:
    return bool(turn[ROLLS] > 0 or not table.must_roll)


@inlined
def _decide(bank: Ints, turn: Ints, table: SixTable, streams: Streams) -> int:
    """Return the number of the opponent's action."""
    if table.opponent == UNIFORM:
        return int(next_draw(streams) * (len(table.dice) + _may_stop(turn, table)))
    active, total = turn[ACTIVE], turn[TOTAL]
    own, stops = bank[active], -1
    if table.opponent == GREEDY:
        best, last = _best(bank, active), active == len(bank) - 1
        stops = _must_stop(own + total, best, table.target, table.race, last)
    if stops < 0:
        stops = int(total >= table.stop_at[own])
    if stops:
        return len(table.dice)
    return int(table.plan[own, min(total, table.plan.shape[1] - 1)])


@inlined
def _play_on(bank: Ints, turn: Ints, own: int, table: SixTable, streams: Streams) -> None:
    """Play until the caller decides or the match is over."""
    while turn[ACTIVE] != own and not turn[OVER]:
        act(bank, turn, _decide(bank, turn, table, streams), table, streams)


@inlined
def _begin(matches: Matches, places: Places, place: int, table: SixTable, seat: int) -> None:
    """Begin matches at a place until the caller decides in one."""
    bank, turn = matches.banks[place], matches.turns[place]
    for _ in range(MAX_MATCHES):
        sit_down(places, place, seat)
        bank[:] = 0
        turn[:] = 0
        turn[ROUND] = 1
        _play_on(bank, turn, places.seats[place], table, places.streams[place])
        if not turn[OVER]:
            return


@compiled_as_numpy
def play(
    matches: Matches, places: Places, at: Bools, actions: Ints, table: SixTable, seat: int
) -> None:
    """Take a legal action in each match `at` a place, or begin it; play until the caller decides.

    `seat` is the caller's, or `EITHER`.
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        bank, turn = matches.banks[place], matches.turns[place]
        if places.over[place]:
            _begin(matches, places, place, table, seat)
        else:
            act(bank, turn, actions[place], table, places.streams[place])
            _play_on(bank, turn, places.seats[place], table, places.streams[place])
        for player in range(len(bank)):
            places.scores[place, player] = bank[player]
        places.over[place] = turn[OVER] == 1
        places.outcome[place] = most_win(places, place) if turn[OVER] else GOES_ON


@compiled_as_numpy
def observe(
    matches: Matches, places: Places, at: Bools, table: SixTable, layout: SixLayout,
    numbers: Numbers, mask: Flags,
) -> None:  # fmt: skip
    """Write the observation and the mask of each match `at` a place."""
    for place in range(len(at)):
        if not at[place]:
            continue
        bank, turn, own = matches.banks[place], matches.turns[place], places.seats[place]
        row, active, over = numbers[place], turn[ACTIVE], turn[OVER]
        row[:] = 0.0
        for k in range(len(bank)):
            player = (own + k) % len(bank)
            first = layout.width * k
            row[first + layout.points] = min(bank[player] / table.target, layout.most)
            row[first + layout.moves] = player == active and not over
            row[first + layout.later] = player > active and not over
        row[layout.total] = min(turn[TOTAL] / table.target, layout.most)
        row[layout.rolls] = turn[ROLLS] / table.roll_cap
        if turn[DICE]:
            row[layout.first_dice + turn[DICE] - 1] = 1.0
        row[layout.round] = turn[ROUND] / table.round_cap
        row[layout.over] = over
        mask[place] = 0
        if not places.over[place]:
            mask[place, : len(table.dice)] = 1
            mask[place, len(table.dice)] = _may_stop(turn, table)
