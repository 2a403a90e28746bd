"""Games of Piggyback in compiled code, under the common house rules.

This second, small implementation of the rules exists for speed; tests compare it with the rules.
Red is 0 and blue is 1. A stack is a number of units, below 0 for blue, and counts of the four
abilities, which are numbered in the order of their enum.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.games.piggyback.state import MOST_HELD, MOST_UNITS, Ability
from pigglesim.jit import compiled

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

GREEN, ORANGE, YELLOW, MAUVE = range(4)
_ABILITIES = len(Ability)
STEP, TAKE, WARP, PASS, END, FIGHT, ROLL, STAND, HOLD, PUT, LEAVE = range(11)
"""Kinds of actions: move, acquire a piece with it, swap; no move, no further step, no swap before a
combat; roll again, keep the roll; keep abilities; put a piece on the board, or do not."""
MOST_ACTIONS = 192
"""Maximum actions per decision: six units, 8 spaces in two ways, five swaps each; one to end."""
STAGE, SEAT, PLY, LIVELY, ROAM, STEPS, SPENT, SOURCE, TARGET = range(9)
ROLLS, FACE, ATTACK, WINNER, OPENING, TIES, BEGAN, THROWN = range(9, 17)
"""Entries of a state's numbers. ROAM is -1 if nobody roams, BEGAN is the turn from which
`play_on` plays, and THROWN counts the rolls of a turn."""
TURN, ASK_WARP, ATTACK_ROLL, ATTACK_DECISION, DEFENCE_ROLL, DEFENCE_DECISION = range(6)
KEEP, RESPAWN, FIRST, OVER = range(6, 10)
"""Stages: the decision or roll that is due."""
_DRAWN = -1
EQUAL = 5e-10
"""Maximum difference of values that count as equal, as the agent rounds them."""
LUCK = 12
"""Random numbers per turn: a combat or a start takes at most ten rolls, apart from ties."""


class KernelBoard(NamedTuple):
    """State with arrays that change in place."""

    units: _Ints
    """Units by space, shape [spaces]."""
    held: _Ints
    """Abilities of the stack on each space, shape [spaces, 4]."""
    lying: _Ints
    """Piece on each space, -1 for none, shape [spaces]."""
    bank: _Ints
    """Pieces of each ability in the bank, shape [4]."""
    loot: _Ints
    """Abilities of the stack that lost the combat, shape [4]."""
    info: _Ints
    """Other numbers of the state, shape [17]."""


class Rules(NamedTuple):
    """Rules, odds and values of a game."""

    near: _Ints
    """Neighbours of each space, in order, -1 for no more, shape [spaces, 8]."""
    apart: _Ints
    """Number of steps between each two spaces, shape [spaces, spaces]."""
    box: _Ints
    """Colour of each initial space, -1 for others, shape [spaces]."""
    size: int
    french: bool
    start_cap: int
    quiet_cap: int
    cap: int
    odds: _Floats
    """Odds of the attacker, by both sides' arms, shape [27, 27]."""
    beats: _Floats
    """Odds of beating a result by number of rolls and Firepowers, shape [10, 6, 3]."""
    rolls: _Floats
    """Odds of the attacker, by rolls left and Firepowers of both sides, shape [6, 3, 6, 3]."""
    value: _Floats
    """Value of each ability [units], shape [4]."""
    pull: float
    patience: float
    greedy: bool
    """True if both play as greedy does, false if at random."""
    horizon: int
    """Turns after which the lead is evaluated and the game stops."""
    lead: float
    """Weight of a lead of one unit: the share of the win is 1 / (1 + exp(-lead))."""


@compiled
def _abilities(held: _Ints) -> int:
    return int(held[0] + held[1] + held[2] + held[3])


@compiled
def _may_go_on(board: KernelBoard, space: int) -> bool:
    """Return whether the unit on a space may move again after its move."""
    steps, spent = board.info[STEPS], board.info[SPENT]
    allowed = 1 if spent == 0 else 2 * spent
    return bool(steps < allowed or (board.held[space, GREEN] > 0 and spent < 2))


@compiled
def _write(acts: _Ints, count: int, kind: int, source: int, target: int) -> int:
    """Append an action to the list; return the new length."""
    acts[count, 0], acts[count, 1], acts[count, 2] = kind, source, target
    return count + 1


@compiled
def list_turn(board: KernelBoard, rules: Rules, acts: _Ints) -> int:
    """Write the legal actions of a turn in the order of the rules; return their number.

    `acts` receives kind, source and target of each, shape [MOST_ACTIONS, 3].
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
                    apart = others + abilities > MOST_HELD
                if own + there > MOST_UNITS or apart:
                    continue
            count = _write(acts, count, STEP, source, target)
            if there == 0 and board.lying[target] >= 0 and abilities < MOST_HELD:
                count = _write(acts, count, TAKE, source, target)
    if roam < 0:
        count = list_warps(board, sign, -1, acts, count)
    if roam >= 0 or count == 0:
        count = _write(acts, count, END if roam >= 0 else PASS, -1, -1)
    return count


@compiled
def list_warps(board: KernelBoard, sign: int, attacked: int, acts: _Ints, count: int) -> int:
    """Append every swap of a side to `count` actions; return the new length.

    `sign` is 1 for red and -1 for blue. `attacked` is the attacked space, which is swapped, or -1.
    """
    for one in range(len(board.units)):
        if sign * board.units[one] <= 0 or board.held[one, MAUVE] == 0:
            continue
        for other in range(len(board.units)):
            if other == one or sign * board.units[other] <= 0:
                continue
            if attacked < 0 or attacked in {one, other}:
                count = _write(acts, count, WARP, one, other)
    return count


@compiled
def end_turn(board: KernelBoard, rules: Rules) -> None:
    """Start the other side's turn, or end a game that has been quiet or long."""
    info = board.info
    info[PLY] += 1
    info[SEAT] = 1 - info[SEAT]
    info[ROAM], info[STEPS], info[SPENT], info[THROWN] = -1, 0, 0, 0
    info[STAGE] = TURN
    if info[PLY] - info[LIVELY] >= rules.quiet_cap or info[PLY] >= rules.cap:
        info[STAGE], info[WINNER] = OVER, _DRAWN


@compiled
def play_warp(board: KernelBoard, one: int, other: int) -> None:
    """Swap two stacks, of which the first pays."""
    board.held[one, MAUVE] -= 1
    board.units[one], board.units[other] = board.units[other], board.units[one]
    kept = board.held[one].copy()
    board.held[one], board.held[other] = board.held[other], kept


@compiled
def play_turn(board: KernelBoard, rules: Rules, acts: _Ints, chosen: int) -> None:
    """Play an action of `list_turn`; the list may be overwritten afterwards."""
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
        info[STAGE] = ASK_WARP if asked else ATTACK_ROLL
        return
    board.units[target] += board.units[source]
    board.units[source] = 0
    board.held[target] += board.held[source]
    board.held[source] = 0
    if kind == TAKE:
        board.held[target, board.lying[target]] += 1
        board.lying[target] = -1
        info[LIVELY] = info[PLY] + 1
    if kind == STEP and there == 0 and _may_go_on(board, target):
        info[ROAM] = target
        return
    end_turn(board, rules)


@compiled
def arms_number(units: int, held: _Ints) -> int:
    """Return the number, below 27, of a stack's arms: its strength in a combat."""
    return int((abs(units) - 1) * 9 + held[YELLOW] * 3 + held[ORANGE])


@compiled
def stack_value(units: int, held: _Ints, rules: Rules) -> float:
    """Return the value of a stack [units]: its units and its abilities."""
    value = float(abs(units))
    for ability in range(_ABILITIES):
        value += held[ability] * rules.value[ability]
    return value


@compiled
def exchange(odds: float, own: float, other: float) -> float:
    """Return the value of an attack to the attacker [units]."""
    return odds * other - (1.0 - odds) * own


class Seen(NamedTuple):
    """Facts of a state that one decision needs repeatedly."""

    arms: _Ints
    """Arms of the stack on each space, shape [spaces]."""
    armed: _Ints
    """Arms counted from 1, with the sign of the side; 0 for empty spaces, shape [spaces]."""
    value: _Floats
    """Value of the stack on each space, shape [spaces]."""
    goals: _Ints
    """Spaces with an enemy, and spaces with a piece and no unit."""
    wanted: _Ints
    """Buffer for the goals of a stack, shape [spaces]."""
    held: _Ints
    """Buffer for the abilities of the moved stack, shape [4]."""


@compiled
def look(board: KernelBoard, rules: Rules) -> Seen:
    """Return the facts of a state that one decision needs repeatedly."""
    spaces = len(board.units)
    arms, value = np.zeros(spaces, dtype=np.int64), np.zeros(spaces)
    armed = np.zeros(spaces, dtype=np.int64)
    goals = np.zeros(spaces, dtype=np.int64)
    sign = 1 if board.info[SEAT] == 0 else -1
    count = 0
    for space in range(spaces):
        units = sign * board.units[space]
        if units != 0:
            arms[space] = arms_number(units, board.held[space])
            armed[space] = (arms[space] + 1) * (1 if board.units[space] > 0 else -1)
            value[space] = stack_value(units, board.held[space], rules)
        if units < 0 or (units == 0 and board.lying[space] >= 0):
            goals[count] = space
            count += 1
    wanted, held = np.zeros_like(goals), np.zeros(4, dtype=np.int64)
    return Seen(arms, armed, value, goals[:count], wanted, held)


@compiled
def _danger(
    near: _Ints, odds: _Floats, seen: _Ints, values: _Floats, sign: int, arms: int, value: float
) -> float:
    """Return the enemy's value of its best attack on a stack, at least 0.

    The arguments are single arrays, because passing a whole state takes longer than this function.
    `near` holds the neighbours of the stack's space and `seen` the arms by space, with the sign of
    their side. `sign` is 1 if the stack is red. `arms` and `value` are those of the stack.
    """
    worst = 0.0
    for side in range(8):
        at = near[side]
        if at < 0:
            break
        enemy = -sign * seen[at]
        if enemy > 0:
            worst = max(worst, exchange(odds[enemy - 1, arms], values[at], value))
    return worst


@compiled
def _list_goals(
    board: KernelBoard, rules: Rules, seen: Seen, arms: int, value: float, held: int
) -> int:
    """Write the goals of a stack into `seen.wanted`; return their number.

    Goals are enemies that it attacks with profit, and pieces if it holds fewer than two abilities.
    """
    count = 0
    for space in seen.goals:
        goal = held < MOST_HELD
        if board.units[space] != 0:
            odds = rules.odds[arms, seen.arms[space]]
            goal = exchange(odds, value, seen.value[space]) > 0.0
        if goal:
            seen.wanted[count] = space
            count += 1
    return count


@compiled
def _way(apart: _Ints, wanted: _Ints, count: int) -> int:
    """Return the steps to the nearest of `count` goals, 0 if there is none."""
    nearest = 0
    for number in range(count):
        steps = apart[wanted[number]]
        nearest = steps if number == 0 else min(nearest, steps)
    return nearest


@compiled
def _pull(board: KernelBoard, rules: Rules) -> float:
    quiet = max(0, board.info[PLY] - board.info[LIVELY])
    return float(rules.pull * (1.0 + quiet / rules.patience))


@compiled
def _is_boosted(board: KernelBoard, source: int) -> bool:
    """Return whether a step from a space uses a Boost."""
    info = board.info
    spends = info[ROAM] >= 0 and info[STEPS] == 1 + info[SPENT]
    return bool(spends and board.held[source, GREEN] > 0)


@compiled
def best_turn(board: KernelBoard, rules: Rules, acts: _Ints, count: int) -> int:
    """Return the number of the action that greedy chooses; the first if several are equal."""
    seen = look(board, rules)
    odds, armed, values, held = rules.odds, seen.armed, seen.value, seen.held
    pull, sign = _pull(board, rules), 1 if board.info[SEAT] == 0 else -1
    best, most = 0, -np.inf
    last, goals, steps, arms = -1, 0, 0, 0
    threat = cost = value = gain = 0.0
    # The goals of a stack that steps to an empty space are listed only once per stack.
    stale = True
    for number in range(count):
        kind, source, target = acts[number, 0], acts[number, 1], acts[number, 2]
        if kind > TAKE:
            score = -1.0 if kind == WARP else 0.0
        else:
            there = board.units[target]
            if source != last:
                last, stale = source, True
                cost = rules.value[GREEN] if _is_boosted(board, source) else 0.0
                threat = _danger(
                    rules.near[source], odds, armed, values, sign, seen.arms[source], values[source]
                )
            if there * sign < 0:
                attack = odds[seen.arms[source], seen.arms[target]]
                score = threat - cost + exchange(attack, values[source] - cost, values[target])
            else:
                grows = kind == TAKE or there != 0
                if grows or stale:
                    units, gain = board.units[source], -cost
                    held[:] = board.held[source]
                    if cost > 0.0:
                        held[GREEN] -= 1
                    if kind == TAKE:
                        held[board.lying[target]] += 1
                        gain += rules.value[board.lying[target]]
                    elif there != 0:
                        gain += _danger(
                            rules.near[target], odds, armed, values, sign,
                            seen.arms[target], values[target],
                        )  # fmt: skip
                        units += there
                        held += board.held[target]
                    arms, value = arms_number(units, held), stack_value(units, held, rules)
                    goals = _list_goals(board, rules, seen, arms, value, _abilities(held))
                    steps, stale = _way(rules.apart[source], seen.wanted, goals), grows
                score = threat + gain
                score -= _danger(rules.near[target], odds, armed, values, sign, arms, value)
                score += pull * (steps - _way(rules.apart[target], seen.wanted, goals))
        if score > most + EQUAL:
            best, most = number, score
    return best


@compiled
def offer(board: KernelBoard, rules: Rules, acts: _Ints) -> int:
    """Write the legal actions of the decision that is due in the order of the rules.

    `acts` receives kind and two numbers of each, shape [MOST_ACTIONS, 3]: the source and the target
    of a move, the holder and the partner of a Warp, the Firepowers of a roller who stands, the two
    abilities that are kept, or -1, or the space of a piece from the bank.

    Returns:
        Number of actions.
    """
    info = board.info
    stage = info[STAGE]
    if stage == TURN:
        return list_turn(board, rules, acts)
    if stage == ASK_WARP:
        count = list_warps(board, -1 if info[SEAT] == 0 else 1, info[TARGET], acts, 0)
        return _write(acts, count, FIGHT, -1, -1)
    if stage == KEEP:
        return _list_keeps(board, acts)
    if stage == RESPAWN:
        return _list_respawns(board, rules, acts)
    space = info[SOURCE] if stage == ATTACK_DECISION else info[TARGET]
    held, count = board.held[space], 0
    if info[ROLLS] < abs(board.units[space]) or held[YELLOW] > 0:
        count = _write(acts, count, ROLL, -1, -1)
    for force in range(held[ORANGE] + 1):
        count = _write(acts, count, STAND, force, -1)
    return count


@compiled
def _list_keeps(board: KernelBoard, acts: _Ints) -> int:
    """Write every choice of at most two of the abilities left in both stacks, the most first."""
    # Not a sum of arrays: numba names its code by an address, which no other build repeats.
    union, count = board.loot.copy(), 0
    for ability in range(_ABILITIES):
        union[ability] += board.held[board.info[TARGET], ability]
    for one in range(_ABILITIES):
        for other in range(one, _ABILITIES):
            if union[one] > 0 and union[other] > (1 if one == other else 0):
                count = _write(acts, count, HOLD, one, other)
    for one in range(_ABILITIES):
        if union[one] > 0:
            count = _write(acts, count, HOLD, one, -1)
    return _write(acts, count, HOLD, -1, -1)


@compiled
def _list_respawns(board: KernelBoard, rules: Rules, acts: _Ints) -> int:
    """Write the spaces for a piece of the bank, and to leave it there."""
    count = 0
    for space in range(len(board.units)):
        if _is_free(board, rules, space):
            count = _write(acts, count, PUT, space, -1)
    return _write(acts, count, LEAVE, -1, -1)


@compiled
def _is_free(board: KernelBoard, rules: Rules, space: int) -> bool:
    """Return whether a piece of the bank may be put on a space."""
    colour = rules.box[space]
    empty = board.units[space] == 0 and board.lying[space] < 0
    return bool(colour >= 0 and empty and board.bank[colour] > 0)


@compiled
def best_of(board: KernelBoard, rules: Rules, acts: _Ints, count: int) -> int:
    """Return the number of the action that greedy chooses; the first if several are equal."""
    stage = board.info[STAGE]
    if stage == TURN:
        return best_turn(board, rules, acts, count)
    values = np.zeros(count)
    if stage == ASK_WARP:
        _value_warps(board, rules, acts, values)
    elif stage == KEEP:
        for number in range(count):
            for ability in acts[number, 1:]:
                values[number] += rules.value[ability] if ability >= 0 else 0.0
    elif stage == RESPAWN:
        sign = 1 if board.info[WINNER] == 1 else -1
        for number in range(count - 1):
            values[number] = _respawn_value(board, rules, acts[number, 1], sign)
    else:
        _value_rolls(board, rules, acts, values)
    best = 0
    for number in range(1, count):
        if values[number] > values[best] + EQUAL:
            best = number
    return best


@compiled
def _value_warps(board: KernelBoard, rules: Rules, acts: _Ints, values: _Floats) -> None:
    """Write the values of the attacked side's actions: swap or fight."""
    source, target = board.info[SOURCE], board.info[TARGET]
    seen = look(board, rules)
    for number in range(len(values)):
        stands, cost = target, 0.0
        if acts[number, 0] == WARP:
            one, other = acts[number, 1], acts[number, 2]
            stands, cost = other if one == target else one, rules.value[MAUVE]
        odds = rules.odds[seen.arms[source], seen.arms[stands]]
        values[number] = -cost - exchange(odds, seen.value[source], seen.value[stands])


@compiled
def _value_rolls(board: KernelBoard, rules: Rules, acts: _Ints, values: _Floats) -> None:
    """Write the values of the roller's actions: roll again or stand."""
    info = board.info
    attacking = info[STAGE] == ATTACK_DECISION
    space, facing = info[SOURCE], info[TARGET]
    if not attacking:
        space, facing = facing, space
    held, others = board.held[space], board.held[facing]
    units = abs(board.units[space])
    free = info[ROLLS] < units
    stakes = stack_value(units, held, rules)
    stakes += stack_value(board.units[facing], others, rules)
    rolls = abs(board.units[facing]) + others[YELLOW]
    for number in range(len(values)):
        if acts[number, 0] == ROLL:
            left = max(0, units - info[ROLLS]) + held[YELLOW]
            cost = 0.0 if free else rules.value[YELLOW]
            odds = rules.beats[info[ATTACK], left, held[ORANGE]]
            if attacking:
                odds = rules.rolls[left, held[ORANGE], rolls, others[ORANGE]]
        else:
            force = acts[number, 1]
            cost = rules.value[ORANGE] * force
            odds = 1.0 if info[FACE] + force > info[ATTACK] else 0.0
            if attacking:
                odds = 1.0 - rules.beats[info[FACE] + force, rolls, others[ORANGE]]
        values[number] = odds * stakes - cost


@compiled
def _respawn_value(board: KernelBoard, rules: Rules, space: int, sign: int) -> float:
    own, enemy = 2 * rules.size, 2 * rules.size
    for at in range(len(board.units)):
        units = sign * board.units[at]
        if units > 0:
            own = min(own, rules.apart[space, at])
        elif units < 0:
            enemy = min(enemy, rules.apart[space, at])
    return float(rules.value[rules.box[space]] * (enemy - own))


@compiled
def act(board: KernelBoard, rules: Rules, acts: _Ints, chosen: int) -> None:
    """Carry out an action of `offer`; the list may be overwritten afterwards."""
    kind, first, second = acts[chosen, 0], acts[chosen, 1], acts[chosen, 2]
    info = board.info
    stage = info[STAGE]
    if stage == TURN:
        play_turn(board, rules, acts, chosen)
    elif stage == ASK_WARP:
        if kind == WARP:
            play_warp(board, first, second)
        info[STAGE] = ATTACK_ROLL
    elif kind == ROLL:
        attacking = stage == ATTACK_DECISION
        space = info[SOURCE] if attacking else info[TARGET]
        if info[ROLLS] >= abs(board.units[space]):
            board.held[space, YELLOW] -= 1
        info[STAGE] = ATTACK_ROLL if attacking else DEFENCE_ROLL
    elif kind == STAND:
        _stand(board, rules, first)
    elif kind == HOLD:
        held = board.held[info[TARGET]]
        held[:] = 0
        board.loot[:] = 0
        for ability in (first, second):
            if ability >= 0:
                held[ability] += 1
        _go_to_respawn(board, rules)
    else:
        if kind == PUT:
            board.lying[first] = rules.box[first]
            board.bank[rules.box[first]] -= 1
        end_turn(board, rules)


@compiled
def _go_to_respawn(board: KernelBoard, rules: Rules) -> None:
    """Let the loser decide on a piece of the bank, or end the turn if none has a space."""
    for space in range(len(board.units)):
        if _is_free(board, rules, space):
            board.info[STAGE] = RESPAWN
            return
    end_turn(board, rules)


@compiled
def die(board: KernelBoard, luck: _Floats) -> int:
    """Return the next face; each roll of each turn has its own random number."""
    info = board.info
    at = (info[PLY] - info[BEGAN]) * LUCK + info[THROWN]
    info[THROWN] += 1
    return 1 + int(luck[at % len(luck)] * 6)


@compiled
def roll(board: KernelBoard, rules: Rules, face: int) -> None:
    """Count a roll for the start or in a combat; a side without a decision stands."""
    info = board.info
    if info[STAGE] == FIRST:
        _open(board, rules, face)
        return
    info[FACE] = face
    info[ROLLS] += 1
    attacking = info[STAGE] == ATTACK_ROLL
    info[STAGE] = ATTACK_DECISION if attacking else DEFENCE_DECISION
    space = info[SOURCE] if attacking else info[TARGET]
    held = board.held[space]
    if info[ROLLS] >= abs(board.units[space]) and held[YELLOW] == 0 and held[ORANGE] == 0:
        _stand(board, rules, 0)


@compiled
def _stand(board: KernelBoard, rules: Rules, force: int) -> None:
    """Keep the last roll, with some Firepowers; the defender's roll settles the combat."""
    info = board.info
    attacking = info[STAGE] == ATTACK_DECISION
    space = info[SOURCE] if attacking else info[TARGET]
    board.held[space, ORANGE] -= force
    total = info[FACE] + force
    if attacking:
        info[ATTACK], info[ROLLS], info[FACE] = total, 0, 0
        info[STAGE] = DEFENCE_ROLL
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
    info[WINNER] = winner
    for units in board.units:
        if sign * units < 0:
            info[STAGE] = KEEP
            if _abilities(board.loot) == 0 and _abilities(board.held[target]) == 0:
                _go_to_respawn(board, rules)
            return
    board.loot[:] = 0
    info[ROAM], info[STAGE] = -1, OVER


@compiled
def _open(board: KernelBoard, rules: Rules, face: int) -> None:
    """Count a roll for the side that begins."""
    info = board.info
    if info[OPENING] == 0:
        info[OPENING] = face
        return
    if face == info[OPENING] and info[TIES] < rules.start_cap:
        info[OPENING] = 0
        info[TIES] += 1
        return
    info[SEAT] = 1 if face > info[OPENING] else 0
    info[STAGE], info[OPENING], info[TIES] = TURN, 0, 0


@compiled
def is_roll(stage: int) -> bool:
    """Return whether a roll is due."""
    return stage in {FIRST, ATTACK_ROLL, DEFENCE_ROLL}


@compiled
def play_on(board: KernelBoard, rules: Rules, luck: _Floats, rng: np.random.Generator) -> float:
    """Play a game to its end or its horizon and return red's share of the win.

    `luck` holds the random numbers of the dice, LUCK per turn, which repeat in long games.
    """
    info = board.info
    info[BEGAN] = info[PLY]
    acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)
    last = info[PLY] + rules.horizon
    while info[STAGE] != OVER:
        if is_roll(info[STAGE]):
            roll(board, rules, die(board, luck))
            continue
        if info[STAGE] == TURN and info[PLY] >= last and info[ROAM] < 0:
            return _share(board, rules)
        count = offer(board, rules, acts)
        chosen = best_of(board, rules, acts, count) if rules.greedy else int(rng.random() * count)
        act(board, rules, acts, chosen)
    return share_of_win(info)


@compiled
def share_of_win(info: _Ints) -> float:
    """Return red's share of the win in a game that is over."""
    if info[WINNER] < 0:
        return 0.5
    return 1.0 if info[WINNER] == 0 else 0.0


@compiled
def _share(board: KernelBoard, rules: Rules) -> float:
    """Return red's share of the win estimated from the lead."""
    lead = 0.0
    for space in range(len(board.units)):
        units = board.units[space]
        if units != 0:
            value = stack_value(units, board.held[space], rules)
            lead += value if units > 0 else -value
    return 1.0 / (1.0 + exp(-rules.lead * lead))


@compiled
def play_games(
    board: KernelBoard, rules: Rules, luck: _Floats, rng: np.random.Generator
) -> _Floats:
    """Return red's share of the win, turns done, and units of red and of blue, shape [count, 4].

    `luck` holds the random numbers of the dice, one row per game.
    """
    found = np.zeros((len(luck), 4))
    for game in range(len(luck)):
        copy = KernelBoard(
            board.units.copy(), board.held.copy(), board.lying.copy(),
            board.bank.copy(), board.loot.copy(), board.info.copy(),
        )  # fmt: skip
        found[game, 0] = play_on(copy, rules, luck[game], rng)
        found[game, 1] = copy.info[PLY]
        for units in copy.units:
            found[game, 2 if units > 0 else 3] += abs(units)
    return found
