"""Turns of Piggyback in compiled code, under the common house rules.

A second, small telling of the rules, for speed alone: tests hold it to the rules themselves. Red is
0 and blue is 1; a stack is a number of units, below 0 for blue, and counts of the four abilities,
which are numbered in the order of their enum.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.compiling import compiled

__all__ = [
    "ATTACK",
    "BEGAN",
    "ENDED",
    "FACE",
    "GREEN",
    "LIVELY",
    "MAUVE",
    "MOST_ACTIONS",
    "NUMBERS",
    "OPENING",
    "ORANGE",
    "PLY",
    "ROAM",
    "ROLLS",
    "SEAT",
    "SOURCE",
    "SPENT",
    "STAGE",
    "STEP",
    "STEPS",
    "TAKE",
    "TARGET",
    "THROWN",
    "TIES",
    "WARP",
    "WINNER",
    "YELLOW",
    "Board",
    "Rules",
    "Stage",
    "end_turn",
    "list_turn",
    "list_warps",
    "play_turn",
    "play_warp",
]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

GREEN, ORANGE, YELLOW, MAUVE = range(4)
STEP, TAKE, WARP, ENDED = range(4)
"""What an action of a turn does; `ENDED` is the word to end, to pass or to fight."""
MOST_ACTIONS = 192
"""Of a decision: six units go to 8 spaces in two ways and swap with five each, then a word."""
(
    STAGE,
    SEAT,
    PLY,
    LIVELY,
    ROAM,
    STEPS,
    SPENT,
    SOURCE,
    TARGET,
    ROLLS,
    FACE,
    ATTACK,
    WINNER,
    OPENING,
    TIES,
    BEGAN,
    THROWN,
) = range(17)
"""Where each number of a position stands. ROAM is -1 where nobody roams; BEGAN is the turn that
games were played on from, and THROWN counts the rolls of a turn."""
NUMBERS = 17


class Stage:
    """What is due, as a number."""

    TURN, ASK_WARP, ATTACK_ROLL, ATTACK, DEFENCE_ROLL, DEFENCE, KEEP, RESPAWN, FIRST, OVER = range(
        10
    )


_ASK_WARP, _ATTACK_ROLL = Stage.ASK_WARP, Stage.ATTACK_ROLL
_TURN, _OVER = Stage.TURN, Stage.OVER
_DRAWN = -1
_MOST_UNITS, _MOST_HELD = 3, 2


class Board(NamedTuple):
    """A position; everything in it changes as the game goes on."""

    units: _Ints
    """By space, shape [spaces]."""
    held: _Ints
    """Abilities of the stack on each space, shape [spaces, 4]."""
    lying: _Ints
    """The piece on each space, -1 for none, shape [spaces]."""
    bank: _Ints
    """Shape [4]."""
    loot: _Ints
    """Of the stack that has lost, shape [4]."""
    info: _Ints
    """Everything else, shape [NUMBERS]."""


class Rules(NamedTuple):
    """What decides how games go on."""

    near: _Ints
    """The spaces that touch each, in order, -1 for no more, shape [spaces, 8]."""
    apart: _Ints
    """The steps between each two spaces, shape [spaces, spaces]."""
    box: _Ints
    """The colour of each initial space, -1 for others, shape [spaces]."""
    size: int
    french: bool
    start_cap: int
    quiet_cap: int
    cap: int
    odds: _Floats
    """The attacker's, by the numbers of both sides' arms, shape [27, 27]."""
    beats: _Floats
    """Those of beating a result with so many rolls and Firepowers, shape [10, 6, 3]."""
    rolls: _Floats
    """The attacker's before so many rolls with so many Firepowers, against so many rolls and
    Firepowers, shape [6, 3, 6, 3]."""
    worth: _Floats
    """Of each ability, shape [4]."""
    pull: float
    patience: float
    greedy: bool
    """Whether both play as greedy does; they play at random if not."""
    horizon: int
    """Turns after which the lead is counted instead of playing on."""
    lead: float
    """How much a lead of one unit counts: the share of the win is 1 / (1 + exp(-lead))."""


@compiled
def _abilities(held: _Ints) -> int:
    return int(held[0] + held[1] + held[2] + held[3])


@compiled
def _may_go_on(board: Board, space: int) -> bool:
    """Return whether the unit on a space that has moved may move once more."""
    steps, spent = board.info[STEPS], board.info[SPENT]
    allowed = 1 if spent == 0 else 2 * spent
    return bool(steps < allowed or (board.held[space, GREEN] > 0 and spent < 2))


@compiled
def list_turn(board: Board, rules: Rules, acts: _Ints) -> int:
    """Write what the seat to move can do, in the order of the rules; return how much that is.

    Args:
        board: The position.
        rules: What games are played by.
        acts: What is done, from where and to where, shape [MOST_ACTIONS, 3].
    """
    sign = 1 if board.info[SEAT] == 0 else -1
    roam = board.info[ROAM]
    count = 0
    for source in range(len(board.units)):
        own = sign * board.units[source]
        if own <= 0 or (roam >= 0 and source != roam):
            continue
        abilities = _abilities(board.held[source])
        for side in range(8):
            target = rules.near[source, side]
            if target < 0:
                break
            there = sign * board.units[target]
            if there > 0:
                others = _abilities(board.held[target])
                apart = others > 0 and abilities > 0
                if not rules.french:
                    apart = others + abilities > _MOST_HELD
                if own + there > _MOST_UNITS or apart:
                    continue
            acts[count, 0], acts[count, 1], acts[count, 2] = STEP, source, target
            count += 1
            if there == 0 and board.lying[target] >= 0 and abilities < _MOST_HELD:
                acts[count, 0], acts[count, 1], acts[count, 2] = TAKE, source, target
                count += 1
    if roam < 0:
        count = list_warps(board, sign, -1, acts, count)
    if roam >= 0 or count == 0:
        acts[count, 0], acts[count, 1], acts[count, 2] = ENDED, -1, -1
        count += 1
    return count


@compiled
def list_warps(board: Board, sign: int, attacked: int, acts: _Ints, count: int) -> int:
    """Write every swap of a side behind what is listed; return how much is listed then.

    Args:
        board: The position.
        sign: 1 for red, -1 for blue.
        attacked: The space that is attacked, -1 in a turn.
        acts: As in `list_turn`.
        count: How much is listed already.
    """
    for one in range(len(board.units)):
        if sign * board.units[one] <= 0 or board.held[one, MAUVE] == 0:
            continue
        for other in range(len(board.units)):
            if other == one or sign * board.units[other] <= 0:
                continue
            if attacked < 0 or attacked in {one, other}:
                acts[count, 0], acts[count, 1], acts[count, 2] = WARP, one, other
                count += 1
    return count


@compiled
def end_turn(board: Board, rules: Rules) -> None:
    """Give the other side its turn, or end the game where it has been quiet or long."""
    info = board.info
    info[PLY] += 1
    info[SEAT] = 1 - info[SEAT]
    info[ROAM], info[STEPS], info[SPENT], info[THROWN] = -1, 0, 0, 0
    info[STAGE] = _TURN
    if info[PLY] - info[LIVELY] >= rules.quiet_cap or info[PLY] >= rules.cap:
        info[STAGE], info[WINNER] = _OVER, _DRAWN


@compiled
def play_warp(board: Board, one: int, other: int) -> None:
    """Swap two stacks, of which the first pays."""
    board.held[one, MAUVE] -= 1
    board.units[one], board.units[other] = board.units[other], board.units[one]
    for ability in range(4):
        kept = board.held[one, ability]
        board.held[one, ability] = board.held[other, ability]
        board.held[other, ability] = kept


@compiled
def play_turn(board: Board, rules: Rules, acts: _Ints, chosen: int) -> None:
    """Do what was chosen of a list, up to what is due next.

    Args:
        board: The position; it changes.
        rules: What games are played by.
        acts: What `list_turn` wrote; what lies behind the list is written over.
        chosen: The number of the action.
    """
    kind, source, target = acts[chosen, 0], acts[chosen, 1], acts[chosen, 2]
    info = board.info
    if kind == WARP:
        play_warp(board, source, target)
    if kind >= WARP:
        end_turn(board, rules)
        return
    spent = info[SPENT]
    if info[STEPS] >= (1 if spent == 0 else 2 * spent):
        board.held[source, GREEN] -= 1
        info[SPENT] += 1
    info[STEPS] += 1
    sign = 1 if info[SEAT] == 0 else -1
    there = sign * board.units[target]
    if there < 0:
        info[ROAM], info[SOURCE], info[TARGET] = source, source, target
        info[ROLLS], info[FACE], info[ATTACK] = 0, 0, 0
        info[LIVELY] = info[PLY] + 1
        asked = list_warps(board, -sign, target, acts, 0) > 0
        info[STAGE] = _ASK_WARP if asked else _ATTACK_ROLL
        return
    board.units[target] += board.units[source]
    board.units[source] = 0
    for ability in range(4):
        board.held[target, ability] += board.held[source, ability]
        board.held[source, ability] = 0
    if kind == TAKE:
        board.held[target, board.lying[target]] += 1
        board.lying[target] = -1
        info[LIVELY] = info[PLY] + 1
    if kind == STEP and there == 0 and _may_go_on(board, target):
        info[ROAM] = target
        return
    end_turn(board, rules)
