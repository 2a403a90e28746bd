"""Games of Piggles by odds in compiled code, Classic and Modern: their rules and playouts.

This second, small implementation of the rules exists for speed, of playouts and of environments;
tests compare it with the rules. Public functions take their random numbers as arguments.
The twelve Piggles are numbers, A's from 0 to 5 and B's from 6 to 11; seats are 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.places import GOES_ON, Floats, Ints
from pigglesim.jit import compiled, compiled_as_numpy, inlined

Pigs = NDArray[np.int8]
"""Piggles of a game, shape [ROWS, 12]: small, because thousands of games stay in the cache."""

WHERE, SINCE, LIES, OWED, SIDE, SHIELDED_BY, ROLLED, MAY_ACT, ACTED, DEMOTED, RETURNED = range(11)
LEANS, EARLY, LATE, FRESH = range(11, 15)
ROWS = 15
"""Rows of the Piggles: area; round in which it entered the Mud; class; seat paid at Resolve,
or -1; seat in control; seat that shields it, or -1, and whether that shield's roll has
begun; whether it may act, and whether it has acted; round in which it left the Kitchen, or 0;
whether Green returned it and the round in which it entered the Mud still counts; whether it leans
on another, entered the Mud before its player's turn of that round, entered the Kitchen since its
player's last Tally, and was shielded in this turn. Only observations contain the last four."""
PEN, BOARD, MUD, KITCHEN, CUP = range(5)
"""Areas of a Piggle."""
PLACES = 13
"""Zones on the board, in the order of `Zone`: fields N, E, S and W, the paths, woods, the lines of
those fields, and the other lines."""
FIELDS, LINES = 4, 7
"""Number of fields, and number of the first line."""
DOWN, HEAD, OFF = PLACES, 2 * PLACES, 3 * PLACES
"""Class offsets of orientations: a Piggle's class is offset (0: Snout-Up) plus zone, or `OFF`."""
CLASSES = OFF + 1
SCORE, KNOCKED, ROUND, SEAT, STAGE, ACTOR, TARGET = 0, 2, 3, 4, 5, 6, 7
CHOSEN, RANK, REROLLS, BURNT = 8, 10, 12, 13
"""Entries of a game: the scores of seats 0 and 1; Piggles that pay as knocked into the Mud in this
turn; five that concern the player to move; in Sudden Snout-Up the Piggle that each seat has
chosen, or -1, the rank of its roll, or `UNROLLED`, and the number of rerolls; Piggles that pay as
sent to the Kitchen in this turn."""
ENTRIES = 14
UNROLLED = 3
"""Rank of a seat without a roll; those of rolls are 0 (Snout-Up), 1 (Down) and 2 (head)."""
TO_LOAD, ROLLING, ACTING, PENDING, TIED = range(5)
"""Stages: load; roll of the cup; effects; roll by actor for target; Sudden Snout-Up."""
BURN, DAMAGE, CRIT, HEALTH, SHIELD, TURN_UP, TURN_DOWN, RESCUE, DEMOTE, SUMMON = range(1, 11)
"""Verbs of effects; 0 means none."""
TEAM, ALL = 6, 12
NOBODY = -1
_DRAWS = 2
"""Random numbers per Piggle and turn: knocked or not, landing."""
LUCK = 2 * _DRAWS * ALL
"""Random numbers per round. Each Piggle has its own in each turn, so two policies can be compared
under the same random numbers."""


class PigglesTable(NamedTuple):
    """Rules and odds of a game as numbers."""

    models: Ints
    """Model of each Piggle, as a number, shape [12]; odds and gains differ by model."""
    thrown: Floats
    """Cumulative probabilities of classes when seat A throws, by model and number, shape
    [model_count, 13, CLASSES]."""
    leaning: Floats
    """Random number from which a Piggle of a class leans in such a throw, shape
    [model_count, 13, OFF]."""
    after: Floats
    """Cumulative probabilities after a knock, by model and the class before, shape
    [model_count, OFF, CLASSES]."""
    knocked: Floats
    """Share knocked, by model, numbers thrown and standing, and class, shape
    [model_count, 13, 13, OFF]."""
    lone: Floats
    """Cumulative probabilities of Up, Down and head for a Piggle alone, shape [model_count, 3]."""
    points: Ints
    """Points of a Piggle on the board by class, shape [OFF]."""
    mud_bonus: int
    """Points for knocking an opposing Piggle into the Mud."""
    kitchen_bonus: int
    first: Ints
    """Seat that begins each round, shape [rounds + 1]; the first entry is unused."""
    ups: Floats
    """Believed share of Snout-Up, by which a player chooses in Sudden Snout-Up, [model_count]."""
    gains: Floats
    """Expected gain of rolling a Piggle, by model and round [points], [model_count, rounds + 1]."""
    threshold: float
    """Gain above which the Piggles that gain are loaded; NaN: a random part of the Pen is."""
    exhaustion_round: int
    delay: int
    """Rounds from the Mud to the Recoup."""
    sudden_cap: int
    effects: bool
    """True if Piggles act on each other, as in Modern; else the fields below are unused."""
    verbs: Ints
    """Verb of each Piggle when it acts, shape [12]."""
    colours: Ints
    """Colour of each Piggle, shape [12]."""
    aims: Ints
    """Field of an effect by Piggle, player and the Piggle's zone, or -1, shape [12, 2, PLACES]."""
    fields: Ints
    """Field of each zone, or -1, shape [PLACES]."""
    believed: Floats
    """Expected points of a Piggle that is rolled again, by model, shape [model_count]."""
    every: bool
    """True if Piggles that were not rolled also act (M1)."""
    opposing: bool
    """True if Orange, Red and Blue reach only opposing Piggles (M7)."""
    keeps_date: bool
    """True if a Piggle that Green returned keeps its date in the Mud (M11)."""


@inlined
def _drawn(steps: Floats, draw: float) -> int:
    """Return the class of a random number from 0 to 1, given cumulative probabilities."""
    # Faster than bisection, whose branches no processor can predict.
    found = 0
    for at in range(len(steps) - 1):
        found += draw >= steps[at]
    return found


@inlined
def _turned(lies: int, seat: int) -> int:
    """Convert a class between the view of the throwing `seat` and that of seat A."""
    place = lies % PLACES
    if seat == 0 or lies == OFF:
        return lies
    for first in (0, LINES):
        if first <= place < first + FIELDS:
            return lies - place + first + (place - first + 2) % FIELDS
    return lies


@inlined
def _points_of(pigs: Pigs, piggle: int, table: PigglesTable) -> int:
    """Return the points of a Piggle (R3)."""
    return int(table.points[pigs[LIES, piggle]]) if pigs[WHERE, piggle] == BOARD else 0


@inlined
def _move(pigs: Pigs, piggle: int, area: int, number_of_round: int) -> None:
    """Move a Piggle to an area, and clear its shield, its debt and its old date."""
    pigs[WHERE, piggle], pigs[SINCE, piggle], pigs[DEMOTED, piggle] = area, number_of_round, 0
    pigs[SHIELDED_BY, piggle], pigs[OWED, piggle], pigs[RETURNED, piggle] = NOBODY, NOBODY, 0
    pigs[LEANS, piggle], pigs[EARLY, piggle], pigs[LATE, piggle] = 0, 0, area == KITCHEN


@inlined
def _into_mud(pigs: Pigs, now: Ints, piggle: int, table: PigglesTable) -> None:
    """Move a Piggle into the Mud by a roll or an effect of the seat to move (P3)."""
    _move(pigs, piggle, MUD, now[ROUND])
    first = now[SEAT] == table.first[now[ROUND]]
    pigs[EARLY, piggle] = first and pigs[SIDE, piggle] != now[SEAT]


@inlined
def roll(pigs: Pigs, now: Ints, table: PigglesTable, draws: Floats) -> None:
    """Roll the cup onto the board (R10, R11, M12, P6, P7, P11).

    A rolled Piggle pays nothing, not even as the target of Blue (M10). Blue's roll, which has an
    actor, captures only where the shield's own roll has begun. `draws` has shape [12, 2]: knocked,
    landing.
    """
    seat, captures = now[SEAT], now[ACTOR] == NOBODY
    number = standing = 0
    for piggle in range(ALL):
        number += pigs[WHERE, piggle] == CUP
        standing += pigs[WHERE, piggle] == BOARD
    for piggle in range(ALL):
        model, rolled = table.models[piggle], pigs[WHERE, piggle] == CUP
        if not rolled:
            if pigs[WHERE, piggle] != BOARD:
                continue
            before = _turned(pigs[LIES, piggle], seat)
            if draws[piggle, 0] >= table.knocked[model, number, standing, before]:
                continue
            covered = captures or pigs[ROLLED, piggle] == 1
            if covered and pigs[SHIELDED_BY, piggle] != NOBODY:
                by = pigs[SHIELDED_BY, piggle]
                _move(pigs, piggle, PEN, now[ROUND])
                pigs[SIDE, piggle] = by
                continue
            found = _turned(_drawn(table.after[model, before], draws[piggle, 1]), seat)
            pigs[LEANS, piggle] = 0
        else:
            drawn = _drawn(table.thrown[model, number], draws[piggle, 1])
            # A single Piggle cannot lean on another.
            leans = drawn != OFF and draws[piggle, 1] >= table.leaning[model, number, drawn]
            pigs[LEANS, piggle] = leans and number + standing > 1
            found = _turned(drawn, seat)
        pays = pigs[SIDE, piggle] != seat and not rolled
        if found == OFF:
            _into_mud(pigs, now, piggle, table)
            now[KNOCKED] += pays
            continue
        if rolled or found // PLACES != pigs[LIES, piggle] // PLACES:
            pigs[OWED, piggle] = seat if pays and found >= DOWN else NOBODY
        if found < DOWN:
            pigs[RETURNED, piggle] = 0
        pigs[LIES, piggle] = found
        if rolled:
            # This comes last, because the code above distinguishes the cup from standing Piggles.
            pigs[WHERE, piggle] = BOARD
            pigs[MAY_ACT, piggle] = 1
    if captures and table.effects:
        pigs[ROLLED] = 1


@inlined
def _aim(pigs: Pigs, actor: int, table: PigglesTable) -> int:
    """Return the field of a Piggle's effect, or -1 (R22, M6)."""
    return int(table.aims[actor, pigs[SIDE, actor], pigs[LIES, actor] % PLACES])


@inlined
def _meant(verb: int, seat: int, opposing: bool) -> int:  # noqa: FBT001 (no keywords when compiled)
    """Return the seat whose Piggles an effect can target, -1 for both (M7, M11, M16-M18)."""
    if verb in (BURN, DAMAGE, CRIT):
        return 1 - seat if opposing else NOBODY
    if verb == SHIELD:
        return NOBODY
    return 1 - seat if verb == TURN_DOWN else seat


@inlined
def _reaches(
    pigs: Pigs, actor: int, target: int, verb: int, towards: int, since: int, fields: Ints
) -> bool:
    """Return whether an effect reaches a target of the right colour and side (R21-R24, M7-M18).

    `towards` is the field of the effect, or -1. `since` is the first round of removal from which
    Green returns a Piggle.
    """
    where, lies = pigs[WHERE, target], pigs[LIES, target]
    if verb == TURN_UP:
        return bool(where == BOARD and actor != target and DOWN <= lies < HEAD)
    if verb == TURN_DOWN:
        return bool(where == BOARD and lies < DOWN)
    if verb == RESCUE:
        return bool(where == MUD)
    if verb == DEMOTE:
        return bool(where == KITCHEN)
    if verb == HEALTH:
        demoted = pigs[DEMOTED, target] > since
        return bool(where == MUD and pigs[SINCE, target] >= since and not demoted)
    if verb == SUMMON:
        return bool(where == PEN)
    if where != BOARD or actor == target or fields[lies % PLACES] != towards:
        return False
    kept = pigs[SHIELDED_BY, target] != NOBODY and pigs[ROLLED, target] == 1
    return not (kept and verb in (BURN, DAMAGE, CRIT))


@inlined
def _swing(pigs: Pigs, actor: int, target: int, verb: int, table: PigglesTable) -> float:
    """Return the expected change of the lead by an effect, as greedy computes it."""
    own = pigs[SIDE, target] == pigs[SIDE, actor]
    points = float(_points_of(pigs, target, table))
    if verb == BURN:
        return -points - 1.0 if own else points + table.kitchen_bonus + 1.0
    if verb == DAMAGE:
        return -points if own else points + table.mud_bonus
    if verb == CRIT:
        gain = float(table.believed[table.models[target]] - points)
        return gain if own else -gain
    if verb == TURN_UP:
        return float(table.points[pigs[LIES, target] % PLACES])
    if verb == TURN_DOWN:
        return points
    return 1.0 if verb == DEMOTE else 0.0


@inlined
def _later_gain(pigs: Pigs, now: Ints, target: int, verb: int, table: PigglesTable) -> float:
    """Return what an effect gains after the next Tally, as greedy computes it."""
    following = now[ROUND] + 1
    stays = verb == RESCUE and following < pigs[SINCE, target] + table.delay
    return 1.0 if stays and following < len(table.first) else 0.0


@compiled_as_numpy
def carry_out(
    pigs: Pigs, now: Ints, actor: int, target: int, table: PigglesTable, draws: Floats
) -> None:
    """Carry out an effect with its outcome of chance (R20-R24), Blue's by `draws` as in `roll`."""
    verb, seat, lies = table.verbs[actor], now[SEAT], pigs[LIES, target]
    theirs = pigs[SIDE, target] != seat
    pigs[MAY_ACT, actor], pigs[ACTED, actor] = 0, 1
    if verb == BURN:
        _move(pigs, target, KITCHEN, now[ROUND])
        now[BURNT] += theirs
    elif verb == DAMAGE:
        _into_mud(pigs, now, target, table)
        now[KNOCKED] += theirs
    elif verb == CRIT:
        might = pigs[MAY_ACT, target]
        pigs[WHERE, target] = CUP
        now[ACTOR] = actor
        roll(pigs, now, table, draws)
        up = pigs[WHERE, target] == BOARD and pigs[LIES, target] < DOWN
        pigs[MAY_ACT, target] = might or (up and not theirs and not pigs[ACTED, target])
    elif verb == SHIELD:
        pigs[SHIELDED_BY, target], pigs[ROLLED, target], pigs[FRESH, target] = seat, 0, 1
    elif verb == RESCUE:
        _move(pigs, target, PEN, now[ROUND])
    elif verb == DEMOTE:
        _into_mud(pigs, now, target, table)
        pigs[DEMOTED, target] = now[ROUND]
    elif verb == TURN_UP:
        pigs[LIES, target], pigs[OWED, target] = lies % PLACES, NOBODY
        pigs[RETURNED, target] = 0
    elif verb == TURN_DOWN:
        pigs[LIES, target], pigs[OWED, target] = lies + DOWN, NOBODY
    else:
        pigs[RETURNED, target] = verb == HEALTH and table.keeps_date
        pigs[LIES, target] = DOWN + _aim(pigs, actor, table)
        pigs[WHERE, target] = BOARD
    if verb >= TURN_UP or verb == HEALTH:
        pigs[LEANS, target] = 0
    now[ACTOR] = NOBODY


@compiled_as_numpy
def targets(pigs: Pigs, now: Ints, actor: int, table: PigglesTable) -> int:
    """Return the possible targets of a Piggle that may act, as bits (R20-R24)."""
    verb = table.verbs[actor]
    if verb == 0 or pigs[WHERE, actor] != BOARD or pigs[LIES, actor] >= DOWN:
        return 0
    coloured = TURN_UP <= verb <= DEMOTE
    towards = NOBODY if coloured else _aim(pigs, actor, table)
    if towards == NOBODY and not coloured:
        return 0
    meant, found = _meant(verb, pigs[SIDE, actor], table.opposing), 0
    for other in range(ALL):
        if meant != NOBODY and meant != pigs[SIDE, other]:
            continue
        if coloured and table.colours[actor] != table.colours[other]:
            continue
        if _reaches(pigs, actor, other, verb, towards, now[ROUND] - 1, table.fields):
            found |= 1 << other
    return found


@inlined
def best_effect(pigs: Pigs, now: Ints, table: PigglesTable) -> tuple[int, int]:
    """Return the actor and the target that greedy chooses, -1 for both if no effect gains."""
    best, later, actor, target = 0.0, 0.0, NOBODY, NOBODY
    for one in range(ALL):
        if not pigs[MAY_ACT, one]:
            continue
        reached = targets(pigs, now, one, table)
        for other in range(ALL):
            if not reached >> other & 1:
                continue
            swing = _swing(pigs, one, other, table.verbs[one], table)
            after = _later_gain(pigs, now, other, table.verbs[one], table)
            if swing > best or (swing == best and after > later):
                best, later, actor, target = swing, after, one, other
    return actor, target


@compiled
def _carry_out(
    pigs: Pigs, now: Ints, actor: int, target: int, table: PigglesTable, rng: np.random.Generator
) -> None:
    """Carry out an effect, and draw random numbers for Blue's roll alone."""
    count = ALL if table.verbs[actor] == CRIT else 0
    carry_out(pigs, now, actor, target, table, rng.random((count, _DRAWS)))


@compiled
def _act(pigs: Pigs, now: Ints, table: PigglesTable, rng: np.random.Generator) -> None:
    """Carry out effects until the best one gains nothing, as greedy does."""
    while True:
        actor, target = best_effect(pigs, now, table)
        if actor == NOBODY:
            return
        _carry_out(pigs, now, actor, target, table, rng)


@inlined
def find_actors(pigs: Pigs, now: Ints, table: PigglesTable) -> None:
    """Mark Piggles that may act: own ones Snout-Up on the board, only rolled ones or all (M1)."""
    for piggle in range(ALL):
        own = pigs[WHERE, piggle] == BOARD and pigs[SIDE, piggle] == now[SEAT]
        may = own and pigs[LIES, piggle] < DOWN and (table.every or pigs[MAY_ACT, piggle])
        pigs[MAY_ACT, piggle] = may


@inlined
def in_pen(pigs: Pigs, piggle: int, seat: int) -> bool:
    """Return whether a Piggle is in the Pen of a seat."""
    return bool(pigs[WHERE, piggle] == PEN and pigs[SIDE, piggle] == seat)


@inlined
def load_best(pigs: Pigs, now: Ints, table: PigglesTable) -> int:
    """Put up to six Piggles of the Pen into the cup if that pays; return their number (R8, M13)."""
    gain, loaded = 0.0, 0
    for piggle in range(ALL):
        own = table.gains[table.models[piggle], now[ROUND]]
        if in_pen(pigs, piggle, now[SEAT]) and own > 0.0:
            pigs[WHERE, piggle] = CUP
            gain += own
            loaded += 1
    while loaded > TEAM:
        worst, lowest = NOBODY, np.inf
        for piggle in range(ALL):
            own = table.gains[table.models[piggle], now[ROUND]]
            if pigs[WHERE, piggle] == CUP and own <= lowest:
                worst, lowest = piggle, own
        pigs[WHERE, worst] = PEN
        gain -= lowest
        loaded -= 1
    if gain <= table.threshold:
        for piggle in range(ALL):
            if pigs[WHERE, piggle] == CUP:
                pigs[WHERE, piggle] = PEN
        return 0
    return loaded


@compiled
def _load_at_random(pigs: Pigs, now: Ints, table: PigglesTable, rng: np.random.Generator) -> int:
    """Put a random part of the Pen, up to six Piggles, into the cup; return their number."""
    pen = number = 0
    for piggle in range(ALL):
        pen += in_pen(pigs, piggle, now[SEAT])
    for _ in range(min(pen, TEAM)):
        number += rng.random() < 0.5
    # Loads of one number are equally likely; which it is matters only if models differ.
    mixed = len(table.gains) > 1
    for _ in range(number):
        best, ties = NOBODY, 0
        for piggle in range(ALL):
            if in_pen(pigs, piggle, now[SEAT]):
                ties += 1
                if ties == 1 or (mixed and rng.random() * ties < 1.0):
                    best = piggle
        pigs[WHERE, best] = CUP
    return number


@compiled
def _load(pigs: Pigs, now: Ints, table: PigglesTable, rng: np.random.Generator) -> int:
    """Load the cup as greedy does, or at random; return the number of Piggles."""
    if np.isnan(table.threshold):
        return _load_at_random(pigs, now, table, rng)
    return load_best(pigs, now, table)


@compiled
def _luck_at(luck: Floats, now: Ints) -> Floats:
    """Return the random numbers of a turn, shape [12, 2]: knocked, landing."""
    size = LUCK // 2
    begin = ((now[ROUND] - 1) * 2 + now[SEAT]) * size
    return luck[begin : begin + size].reshape((ALL, _DRAWS))


@inlined
def _tally(pigs: Pigs, now: Ints, table: PigglesTable) -> None:
    """Add the score of the seat to move, at least 0 (R11), and end old shields (M12)."""
    points = now[SCORE + now[SEAT]]
    points += table.mud_bonus * now[KNOCKED] + table.kitchen_bonus * now[BURNT]
    for piggle in range(ALL):
        if pigs[ROLLED, piggle]:
            pigs[SHIELDED_BY, piggle] = NOBODY
        if pigs[SIDE, piggle] == now[SEAT]:
            points += _points_of(pigs, piggle, table) - (pigs[WHERE, piggle] == KITCHEN)
            pigs[LATE, piggle] = 0
    now[SCORE + now[SEAT]], now[KNOCKED], now[BURNT] = max(points, 0), 0, 0
    pigs[MAY_ACT : ACTED + 1], pigs[FRESH] = 0, 0


@inlined
def _resolve(pigs: Pigs, now: Ints, table: PigglesTable) -> None:
    """Remove Piggles that are not Snout-Up from the board (R13), and pay for knocks (P6, P7)."""
    for piggle in range(ALL):
        if pigs[WHERE, piggle] != BOARD or pigs[LIES, piggle] < DOWN:
            continue
        upended, returned = pigs[LIES, piggle] >= HEAD, pigs[RETURNED, piggle]
        if pigs[OWED, piggle] != NOBODY:
            bonus = table.kitchen_bonus if upended else table.mud_bonus
            now[SCORE + pigs[OWED, piggle]] += bonus
        since = pigs[SINCE, piggle] if returned else now[ROUND]
        early, demoted = pigs[EARLY, piggle], pigs[DEMOTED, piggle]
        _move(pigs, piggle, KITCHEN if upended else MUD, since)
        if returned:
            pigs[EARLY, piggle], pigs[DEMOTED, piggle] = early, demoted


@inlined
def _exhausted(pigs: Pigs, seat: int) -> bool:
    """Return whether every Piggle of a seat is in Mud or Kitchen (R17)."""
    out = False
    for piggle in range(ALL):
        if pigs[SIDE, piggle] == seat:
            if pigs[WHERE, piggle] != MUD and pigs[WHERE, piggle] != KITCHEN:
                return False
            out = True
    return out


@inlined
def _by_points(now: Ints) -> float:
    """Return the reward of seat 0."""
    if now[SCORE] == now[SCORE + 1]:
        return 0.5
    return 1.0 if now[SCORE] > now[SCORE + 1] else 0.0


@inlined
def available(pigs: Pigs, seat: int) -> int:
    """Return the Piggles that a seat may roll in Sudden Snout-Up, as bits (R16, P15)."""
    for area in (PEN, MUD):
        found = 0
        for piggle in range(ALL):
            if pigs[WHERE, piggle] == area and pigs[SIDE, piggle] == seat:
                found |= 1 << piggle
        if found:
            return found
    return 0


@inlined
def _walkover(pigs: Pigs) -> float:
    """Return the reward of seat 0 if a seat has no Piggle for Sudden Snout-Up, else `GOES_ON`."""
    ready, other_ready = available(pigs, 0), available(pigs, 1)
    if ready and other_ready:
        return GOES_ON
    if ready == other_ready:
        return 0.5
    return 1.0 if ready else 0.0


@inlined
def choice(pigs: Pigs, seat: int, table: PigglesTable) -> int:
    """Return the Piggle that greedy rolls in Sudden Snout-Up, or -1 without one."""
    ready, best = available(pigs, seat), NOBODY
    for number in range(ALL):
        # Those of the own team come first.
        piggle = (number + TEAM * seat) % ALL
        up = table.ups[table.models[piggle]]
        if ready >> piggle & 1 and (best == NOBODY or up > table.ups[table.models[best]]):
            best = piggle
    return best


@inlined
def sudden_seat(now: Ints, table: PigglesTable) -> int:
    """Return the seat of the next roll of Sudden Snout-Up."""
    seat = table.first[-1]
    return int(seat if now[RANK + seat] == UNROLLED else 1 - seat)


@inlined
def roll_sudden(now: Ints, piggle: int, table: PigglesTable, draw: float) -> float:
    """Roll a Piggle in Sudden Snout-Up; return the reward of seat 0, or `GOES_ON` (R16, P15)."""
    seat, found = sudden_seat(now, table), 0
    while found < UNROLLED and draw >= table.lone[table.models[piggle], found]:
        found += 1
    now[RANK + seat] = found
    if found == UNROLLED:
        now[REROLLS] += 1
    elif now[RANK + 1 - seat] != UNROLLED:
        if now[RANK] != now[RANK + 1]:
            return 1.0 if now[RANK] < now[RANK + 1] else 0.0
        now[REROLLS] += 1
        now[RANK : RANK + 2], now[CHOSEN : CHOSEN + 2] = UNROLLED, NOBODY
    return 0.5 if now[REROLLS] > table.sudden_cap else GOES_ON


@compiled
def _sudden(pigs: Pigs, now: Ints, table: PigglesTable, rng: np.random.Generator) -> float:
    """Return the reward of seat 0 after Sudden Snout-Up."""
    choices, reward = [choice(pigs, 0, table), choice(pigs, 1, table)], _walkover(pigs)
    while reward == GOES_ON:
        seat = sudden_seat(now, table)
        piggle = choices[seat] if now[CHOSEN + seat] == NOBODY else now[CHOSEN + seat]
        reward = roll_sudden(now, piggle, table, rng.random())
    return reward


@inlined
def finish_turn(pigs: Pigs, now: Ints, table: PigglesTable) -> float:
    """Continue to the next load or Sudden Snout-Up, the stage `TIED`; return as `roll_sudden`."""
    last_in_round = now[SEAT] != table.first[now[ROUND]]
    _tally(pigs, now, table)
    if not last_in_round:
        now[SEAT] = 1 - now[SEAT]
    else:
        _resolve(pigs, now, table)
        if now[ROUND] == len(table.first) - 1:
            if now[SCORE] != now[SCORE + 1]:
                return _by_points(now)
            reward = _walkover(pigs)
            if reward == GOES_ON:
                now[STAGE], now[SEAT] = TIED, table.first[-1]
            return reward
        now[ROUND] += 1
        now[SEAT] = table.first[now[ROUND]]
    seat = now[SEAT]
    if last_in_round and now[ROUND] == table.exhaustion_round:
        out, other_out = _exhausted(pigs, 0), _exhausted(pigs, 1)
        if out or other_out:
            lost = 0.0 if out else 1.0
            return _by_points(now) if out and other_out else lost
    for piggle in range(ALL):
        back = pigs[SIDE, piggle] == seat and pigs[WHERE, piggle] == MUD
        if back and now[ROUND] >= pigs[SINCE, piggle] + table.delay:
            pigs[WHERE, piggle] = PEN
    return GOES_ON


@compiled
def _end_turn(pigs: Pigs, now: Ints, table: PigglesTable, rng: np.random.Generator) -> float:
    """Continue to the next load, or play Sudden Snout-Up; return as `roll_sudden`."""
    reward = finish_turn(pigs, now, table)
    return _sudden(pigs, now, table, rng) if now[STAGE] == TIED else reward


@compiled
def _game(
    pigs: Pigs, now: Ints, table: PigglesTable, luck: Floats, rng: np.random.Generator
) -> float:
    """Play one game to its end in its arrays; return the reward of seat 0."""
    stage = now[STAGE]
    if stage == TIED:
        return _sudden(pigs, now, table, rng)
    if stage == PENDING:
        _carry_out(pigs, now, now[ACTOR], now[TARGET], table, rng)
    begun = stage in (ACTING, PENDING)
    while True:
        if not begun:
            if stage == ROLLING or _load(pigs, now, table, rng):
                roll(pigs, now, table, _luck_at(luck, now))
            if table.effects:
                find_actors(pigs, now, table)
        begun, stage = False, TO_LOAD
        if table.effects:
            _act(pigs, now, table, rng)
        reward = _end_turn(pigs, now, table, rng)
        if reward != GOES_ON:
            return reward


@compiled
def play_on(
    pigs: Pigs, now: Ints, table: PigglesTable, luck: Floats, rng: np.random.Generator
) -> Floats:
    """Return the reward of seat 0 and both scores of games, shape [count, 3].

    `luck` holds the random numbers of all rolls but Blue's, shape [count, rounds * LUCK].
    """
    found = np.zeros((len(luck), 3))
    for game in range(len(luck)):
        own, state = pigs.copy(), now.copy()
        found[game, 0] = _game(own, state, table, luck[game], rng)
        found[game, 1:] = state[SCORE : SCORE + 2]
    return found
