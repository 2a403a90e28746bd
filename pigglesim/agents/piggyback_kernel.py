"""Turns of Piggyback in compiled code, under the common house rules.

A second, small telling of the rules, for speed alone: tests hold it to the rules themselves. Red is
0 and blue is 1; a stack is a number of units, below 0 for blue, and counts of the four abilities,
which are numbered in the order of their enum.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.jit import compiled

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


class KernelStage:
    """What is due, as a number."""

    TURN, ASK_WARP, ATTACK_ROLL, ATTACK, DEFENCE_ROLL, DEFENCE, KEEP, RESPAWN, FIRST, OVER = range(
        10
    )


_ASK_WARP, _ATTACK_ROLL = KernelStage.ASK_WARP, KernelStage.ATTACK_ROLL
_TURN, _OVER = KernelStage.TURN, KernelStage.OVER
_DRAWN = -1
_MOST_UNITS, _MOST_HELD = 3, 2


class KernelBoard(NamedTuple):
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
def _may_go_on(board: KernelBoard, space: int) -> bool:
    """Return whether the unit on a space that has moved may move once more."""
    steps, spent = board.info[STEPS], board.info[SPENT]
    allowed = 1 if spent == 0 else 2 * spent
    return bool(steps < allowed or (board.held[space, GREEN] > 0 and spent < 2))


@compiled
def list_turn(board: KernelBoard, rules: Rules, acts: _Ints) -> int:
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
def list_warps(board: KernelBoard, sign: int, attacked: int, acts: _Ints, count: int) -> int:
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
def end_turn(board: KernelBoard, rules: Rules) -> None:
    """Give the other side its turn, or end the game where it has been quiet or long."""
    info = board.info
    info[PLY] += 1
    info[SEAT] = 1 - info[SEAT]
    info[ROAM], info[STEPS], info[SPENT], info[THROWN] = -1, 0, 0, 0
    info[STAGE] = _TURN
    if info[PLY] - info[LIVELY] >= rules.quiet_cap or info[PLY] >= rules.cap:
        info[STAGE], info[WINNER] = _OVER, _DRAWN


@compiled
def play_warp(board: KernelBoard, one: int, other: int) -> None:
    """Swap two stacks, of which the first pays."""
    board.held[one, MAUVE] -= 1
    board.units[one], board.units[other] = board.units[other], board.units[one]
    for ability in range(4):
        kept = board.held[one, ability]
        board.held[one, ability] = board.held[other, ability]
        board.held[other, ability] = kept


@compiled
def play_turn(board: KernelBoard, rules: Rules, acts: _Ints, chosen: int) -> None:
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
def look(board: KernelBoard, rules: Rules) -> Seen:
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
def _list_goals(
    board: KernelBoard, rules: Rules, seen: Seen, arms: int, worth: float, held: int
) -> int:
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
    board: KernelBoard, rules: Rules, seen: Seen, kind: int, source: int, target: int
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


_ATTACK = KernelStage.ATTACK
_DEFENCE_ROLL = KernelStage.DEFENCE_ROLL
_DEFENCE = KernelStage.DEFENCE
_KEEP = KernelStage.KEEP
_RESPAWN = KernelStage.RESPAWN
LUCK = 12
"""Random numbers of a turn: no combat takes more than ten rolls, nor the start, but for ties."""


@compiled
def answer_attack(board: KernelBoard, rules: Rules, acts: _Ints, rng: np.random.Generator) -> None:
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
def die(board: KernelBoard, luck: _Floats) -> int:
    """Return the next face: each roll of each turn has its own luck, whatever came before."""
    info = board.info
    at = (info[PLY] - info[BEGAN]) * LUCK + info[THROWN]
    info[THROWN] += 1
    return 1 + int(luck[at % len(luck)] * 6)


@compiled
def roll(board: KernelBoard, rules: Rules, luck: _Floats) -> None:
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
def _stand(board: KernelBoard, rules: Rules, force: int) -> None:
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
def between_rolls(board: KernelBoard, rules: Rules, rng: np.random.Generator) -> None:
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
def keep(board: KernelBoard, rules: Rules, rng: np.random.Generator) -> None:
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
def respawn(board: KernelBoard, rules: Rules, acts: _Ints, rng: np.random.Generator) -> None:
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
def _respawn_worth(board: KernelBoard, rules: Rules, space: int, sign: int) -> float:
    own, enemy = 2 * rules.size, 2 * rules.size
    for at in range(len(board.units)):
        units = sign * board.units[at]
        if units > 0:
            own = min(own, rules.apart[space, at])
        elif units < 0:
            enemy = min(enemy, rules.apart[space, at])
    return float(rules.worth[rules.box[space]] * (enemy - own))


_FIRST = KernelStage.FIRST


@compiled
def _open(board: KernelBoard, rules: Rules, luck: _Floats) -> None:
    """Roll for who begins."""
    info = board.info
    face = die(board, luck)
    if info[OPENING] == 0:
        info[OPENING] = face
        return
    if face == info[OPENING] and info[TIES] < rules.start_cap:
        info[OPENING] = 0
        info[TIES] += 1
        return
    info[SEAT] = 1 if face > info[OPENING] else 0
    info[STAGE] = _TURN


@compiled
def play_on(board: KernelBoard, rules: Rules, luck: _Floats, rng: np.random.Generator) -> float:
    """Play a game to its end or its horizon and return red's share of the win.

    Args:
        board: The position; it changes.
        rules: What it is played by.
        luck: Random numbers for the dice, LUCK for each turn from here on; they come round again.
        rng: What choices at random are drawn from.
    """
    info = board.info
    info[BEGAN] = info[PLY]
    acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)
    last = info[PLY] + rules.horizon
    while info[STAGE] != _OVER:
        stage = info[STAGE]
        if stage == _TURN:
            if info[PLY] >= last and info[ROAM] < 0:
                return _share(board, rules)
            count = list_turn(board, rules, acts)
            if rules.greedy:
                chosen = best_turn(board, rules, acts, count)
            else:
                chosen = int(rng.random() * count)
            play_turn(board, rules, acts, chosen)
        elif stage == _ASK_WARP:
            answer_attack(board, rules, acts, rng)
        elif stage in {_ATTACK_ROLL, _DEFENCE_ROLL}:
            roll(board, rules, luck)
        elif stage in {_ATTACK, _DEFENCE}:
            between_rolls(board, rules, rng)
        elif stage == _KEEP:
            keep(board, rules, rng)
        elif stage == _RESPAWN:
            respawn(board, rules, acts, rng)
        elif stage == _FIRST:
            _open(board, rules, luck)
    if info[WINNER] < 0:
        return 0.5
    return 1.0 if info[WINNER] == 0 else 0.0


@compiled
def _share(board: KernelBoard, rules: Rules) -> float:
    """Return red's share of the win as the lead tells it."""
    lead = 0.0
    for space in range(len(board.units)):
        units = board.units[space]
        if units != 0:
            worth = stack_worth(units, board.held[space], rules)
            lead += worth if units > 0 else -worth
    return 1.0 / (1.0 + exp(-rules.lead * lead))


@compiled
def play_games(
    board: KernelBoard, rules: Rules, luck: _Floats, rng: np.random.Generator
) -> _Floats:
    """Return red's share of the win in games from one position, and their turns and units.

    Args:
        board: The position; it does not change.
        rules: What games are played by.
        luck: Random numbers for the dice of each game, a row each.
        rng: What choices at random are drawn from.

    Returns:
        Share, turns done, units of red and of blue at the end, shape [count, 4].
    """
    found = np.zeros((len(luck), 4))
    for game in range(len(luck)):
        copy = KernelBoard(
            board.units.copy(),
            board.held.copy(),
            board.lying.copy(),
            board.bank.copy(),
            board.loot.copy(),
            board.info.copy(),
        )
        found[game, 0] = play_on(copy, rules, luck[game], rng)
        found[game, 1] = copy.info[PLY]
        for units in copy.units:
            found[game, 2 if units > 0 else 3] += abs(units)
    return found
