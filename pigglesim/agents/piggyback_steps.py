"""Steps of many matches of Piggyback in compiled code: one seat decides, an agent plays the other.

The rules are those of `pigglesim.agents.piggyback_kernel`. Each player sees the board from its own
side, turned for blue, in actions and in observations.
"""

from typing import NamedTuple

import numpy as np

from pigglesim.agents.piggyback_kernel import (
    ASK_WARP,
    ATTACK,
    ATTACK_DECISION,
    DEFENCE_DECISION,
    FACE,
    HOLD,
    KEEP,
    LIVELY,
    MOST_ACTIONS,
    OVER,
    PLY,
    PUT,
    RESPAWN,
    ROAM,
    ROLLS,
    SEAT,
    SOURCE,
    SPENT,
    STAGE,
    STAND,
    STEP,
    STEPS,
    TAKE,
    TARGET,
    TURN,
    WARP,
    WINNER,
    KernelBoard,
    Rules,
    act,
    best_of,
    is_roll,
    offer,
    roll,
    share_of_win,
)
from pigglesim.agents.places import (
    GOES_ON,
    GREEDY,
    MAX_MATCHES,
    Bools,
    Flags,
    Ints,
    Numbers,
    Places,
    Streams,
    new_places,
    next_draw,
    sit_down,
)
from pigglesim.games.piggyback.state import BANKED, MOST_HELD, MOST_UNITS, Ability
from pigglesim.jit import compiled

ABILITIES = len(Ability)
PIECES = 2 * BANKED
"""Pieces of each ability."""
_FACES = 6


class PiggybackLayout(NamedTuple):
    """Actions, and columns of observations by meaning; of columns by ability the first."""

    acts: Ints
    """Action of each number, as `offer` writes it for red, shape [actions, 3]."""
    moves: Ints
    """Number of a move by source and target, shape [spaces, spaces]."""
    takes: Ints
    warps: Ints
    stand: int
    """Number of standing without Firepowers; those with one and two follow."""
    keeps: Ints
    """Number of each choice of two abilities, in their order; the last index is for none."""
    puts: Ints
    """Number of putting a piece on each space, shape [spaces]."""
    words: Ints
    """Number of each kind of action without parameters, shape [kinds]."""
    blank: Numbers
    """Observation without what changes in a game, by seat, shape [2, size]."""
    phases: Ints
    """Column of each stage, or -1 if nobody decides in it, shape [stages]."""
    width: int
    """Numbers per space."""
    own: int
    other: int
    held: int
    lying: int
    moving: int
    attacker: int
    attacked: int
    turn: int
    ply: int
    quiet: int
    steps: int
    spent: int
    rolls: int
    face: int
    attack: int
    won: int
    lost: int
    loot: int
    bank: int
    discarded: int


class Matches(NamedTuple):
    """State of each match, as the arrays of `KernelBoard` with an axis more, the first."""

    units: Ints
    held: Ints
    lying: Ints
    bank: Ints
    loot: Ints
    info: Ints


def new_matches(count: int, start: KernelBoard) -> Matches:
    """Return matches at their start."""
    return Matches(*(np.repeat(part[None], count, axis=0) for part in start))


def compile_steps(rules: Rules, start: KernelBoard) -> None:
    """Compile the code of matches by playing none."""
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    rows, square = none.reshape(0, 3), none.reshape(0, 0)
    blank, columns = np.zeros((0, 0), dtype=np.float32), range(len(PiggybackLayout._fields) - 10)
    layout = PiggybackLayout(
        rows, square, square, square, 0, square, none, none, blank, none, *columns
    )
    matches, places = new_matches(0, start), new_places(0, 2)
    numbers, mask = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int8)
    acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)
    observe(matches, places, nowhere, rules, layout, numbers, mask, acts)
    play(matches, places, nowhere, none, rules, layout, start, 0, GREEDY, acts)


@compiled
def _board_at(matches: Matches, place: int) -> KernelBoard:
    """Return the match at a place."""
    return KernelBoard(
        matches.units[place], matches.held[place], matches.lying[place], matches.bank[place],
        matches.loot[place], matches.info[place],
    )  # fmt: skip


@compiled
def _seen_by(space: int, seat: int, spaces: int) -> int:
    """Return a space as a seat counts it, and back."""
    return space if seat == 0 else spaces - 1 - space


@compiled
def number_of(layout: PiggybackLayout, acts: Ints, at: int, seat: int) -> int:
    """Return the number of an action that `offer` wrote for a seat."""
    kind, first, second, spaces = acts[at, 0], acts[at, 1], acts[at, 2], len(layout.puts)
    if kind <= WARP:
        source, target = _seen_by(first, seat, spaces), _seen_by(second, seat, spaces)
        if kind == STEP:
            return int(layout.moves[source, target])
        if kind == TAKE:
            return int(layout.takes[source, target])
        return int(layout.warps[source, target])
    if kind == STAND:
        return int(layout.stand + first)
    if kind == HOLD:
        return int(layout.keeps[first, second])
    if kind == PUT:
        return int(layout.puts[_seen_by(first, seat, spaces)])
    return int(layout.words[kind])


@compiled
def _write_action(layout: PiggybackLayout, number: int, seat: int, acts: Ints) -> None:
    """Write the action of a number as `offer` does, in the first row."""
    spaces = len(layout.puts)
    acts[0] = layout.acts[number]
    kind = acts[0, 0]
    if kind <= WARP or kind == PUT:
        acts[0, 1] = _seen_by(acts[0, 1], seat, spaces)
    if kind <= WARP:
        acts[0, 2] = _seen_by(acts[0, 2], seat, spaces)


@compiled
def seat_to_move(info: Ints) -> int:
    """Return the seat that decides."""
    stage = info[STAGE]
    if stage in {TURN, ATTACK_DECISION}:
        return int(info[SEAT])
    if stage in {ASK_WARP, DEFENCE_DECISION}:
        return int(1 - info[SEAT])
    return int(info[WINNER] if stage == KEEP else 1 - info[WINNER])


@compiled
def _play_on(
    board: KernelBoard, rules: Rules, own: int, opponent: int, streams: Streams, acts: Ints
) -> None:
    """Play until the caller decides or the match is over."""
    info = board.info
    while info[STAGE] != OVER:
        if is_roll(info[STAGE]):
            roll(board, rules, 1 + int(next_draw(streams) * _FACES))
            continue
        if seat_to_move(info) == own:
            return
        count = offer(board, rules, acts)
        if opponent == GREEDY:
            chosen = best_of(board, rules, acts, count)
        else:
            chosen = int(next_draw(streams) * count)
        act(board, rules, acts, chosen)


@compiled
def play(
    matches: Matches, places: Places, at: Bools, actions: Ints, rules: Rules,
    layout: PiggybackLayout, start: KernelBoard, seat: int, opponent: int, acts: Ints,
) -> None:  # fmt: skip
    """Take a legal action in each match `at` a place, or begin it; play until the caller decides.

    `start` is the state at the start, and `seat` the caller's, or `EITHER`. `acts` is for
    intermediate results, shape [MOST_ACTIONS, 3].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        board, begins = _board_at(matches, place), places.over[place]
        for _ in range(MAX_MATCHES if begins else 1):
            if begins:
                sit_down(places, place, seat)
                board.units[:], board.held[:] = start.units, start.held
                board.lying[:], board.bank[:] = start.lying, start.bank
                board.loot[:], board.info[:] = start.loot, start.info
            else:
                _write_action(layout, actions[place], places.seats[place], acts)
                act(board, rules, acts, 0)
            own, streams = places.seats[place], places.streams[place]
            _play_on(board, rules, own, opponent, streams, acts)
            if board.info[STAGE] != OVER:
                break
        places.scores[place] = 0
        for units in board.units:
            places.scores[place, 0 if units > 0 else 1] += abs(units)
        places.over[place] = board.info[STAGE] == OVER
        places.outcome[place] = GOES_ON
        if places.over[place]:
            share = share_of_win(board.info)
            places.outcome[place] = share if own == 0 else 1.0 - share


@compiled
def _observe_board(board: KernelBoard, own: int, layout: PiggybackLayout, row: Numbers) -> None:
    """Write the numbers of the spaces, as a player sees them."""
    info, spaces = board.info, len(board.units)
    for space in range(spaces):
        first = layout.width * _seen_by(space, own, spaces)
        units = board.units[space] if own == 0 else -board.units[space]
        if units:
            side = layout.own if units > 0 else layout.other
            row[first + side] = abs(units) / MOST_UNITS
            for ability in range(ABILITIES):
                row[first + layout.held + ability] = board.held[space, ability] / MOST_HELD
        if board.lying[space] >= 0:
            row[first + layout.lying + board.lying[space]] = 1.0
    if info[ROAM] >= 0:
        row[layout.width * _seen_by(info[ROAM], own, spaces) + layout.moving] = 1.0
    if info[STAGE] != OVER and info[STAGE] != TURN:
        row[layout.width * _seen_by(info[SOURCE], own, spaces) + layout.attacker] = 1.0
        row[layout.width * _seen_by(info[TARGET], own, spaces) + layout.attacked] = 1.0


@compiled
def _observe_table(
    board: KernelBoard, own: int, rules: Rules, layout: PiggybackLayout, row: Numbers
) -> None:
    """Write the numbers of the table, as a player sees it."""
    info = board.info
    stage = info[STAGE]
    row[layout.turn] = info[SEAT] == own
    # A unit that has moved may move on.
    row[layout.phases[stage] + (stage == TURN and info[ROAM] >= 0)] = 1.0
    row[layout.ply] = info[PLY] / rules.cap
    row[layout.quiet] = max(0, info[PLY] - info[LIVELY]) / rules.quiet_cap
    if info[ROAM] >= 0:
        row[layout.steps], row[layout.spent] = info[STEPS] / 4, info[SPENT] / MOST_HELD
    if stage not in {TURN, OVER}:
        row[layout.rolls] = info[ROLLS] / (MOST_UNITS + MOST_HELD)
        row[layout.face] = info[FACE] / _FACES
        row[layout.attack] = info[ATTACK] / (_FACES + MOST_HELD)
    if stage in {KEEP, RESPAWN}:
        row[layout.won if info[WINNER] == own else layout.lost] = 1.0
    for ability in range(ABILITIES):
        loot = board.loot[ability] if stage == KEEP else 0
        left = PIECES - board.bank[ability] - loot
        for space in range(len(board.units)):
            left -= board.held[space, ability] + (board.lying[space] == ability)
        row[layout.loot + ability] = loot / MOST_HELD
        row[layout.bank + ability] = board.bank[ability] / PIECES
        row[layout.discarded + ability] = left / PIECES


@compiled
def observe(
    matches: Matches, places: Places, at: Bools, rules: Rules, layout: PiggybackLayout,
    numbers: Numbers, mask: Flags, acts: Ints,
) -> None:  # fmt: skip
    """Write the observation and the mask of each match `at` a place.

    `acts` is for intermediate results, shape [MOST_ACTIONS, 3].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        board, own = _board_at(matches, place), places.seats[place]
        numbers[place] = layout.blank[own]
        _observe_board(board, own, layout, numbers[place])
        _observe_table(board, own, rules, layout, numbers[place])
        mask[place] = 0
        if not places.over[place]:
            for k in range(offer(board, rules, acts)):
                mask[place, number_of(layout, acts, k, own)] = 1
