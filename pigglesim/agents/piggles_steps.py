"""Steps of many matches of Piggles in compiled code: one seat decides, an agent plays the other.

The rules are those of `pigglesim.agents.piggles_kernel`. Actions and observations are numbers that
`Layout` describes. In a set of Piggles as bits, as in a load, bit k is Piggle k of the player to
move: 0 to 5 are the own team, 6 to 11 the other's.

Functions are inlined: passing the tables by value would take as long as a decision.
"""

from typing import NamedTuple

import numpy as np

from pigglesim.agents.piggles_kernel import (
    ACTED,
    ACTING,
    ALL,
    BOARD,
    BURNT,
    CHOSEN,
    CRIT,
    CUP,
    DEMOTED,
    EARLY,
    ENTRIES,
    FRESH,
    KITCHEN,
    KNOCKED,
    LATE,
    LEANS,
    LIES,
    MAY_ACT,
    MUD,
    NOBODY,
    OWED,
    PLACES,
    RETURNED,
    ROLLED,
    ROLLING,
    ROUND,
    ROWS,
    SCORE,
    SEAT,
    SHIELDED_BY,
    SIDE,
    SINCE,
    STAGE,
    TEAM,
    TIED,
    TO_LOAD,
    WHERE,
    PigglesTable,
    Pigs,
    available,
    best_effect,
    carry_out,
    choice,
    find_actors,
    finish_turn,
    in_pen,
    load_best,
    roll,
    roll_sudden,
    sudden_seat,
    targets,
)
from pigglesim.agents.places import (
    GOES_ON,
    GREEDY,
    Bools,
    Flags,
    Floats,
    Ints,
    Numbers,
    Places,
    Streams,
    new_places,
    next_draw,
    sit_down,
)
from pigglesim.jit import compiled_as_numpy, inlined

GOING_ON = 5
"""Stage after the stages of the rules' kernel: a roll, an effect or a skip was carried out."""
PIGGLE_COLUMNS = (
    *("leaning", "mud_rounds", "mud_early", "charged", "late", "chosen"),
    *("credit_own", "credit_other", "mine", "mud_demoted", "returned", "shield_own"),
    *("shield_other", "shield_fresh", "shield_rolled", "may_act", "acted"),
)
"""Names of the columns of a Piggle that have a place each; the last nine are those of Modern."""
LEANING, MUD_ROUNDS, MUD_EARLY, CHARGED, IS_LATE, IS_CHOSEN, CREDIT_OWN, CREDIT_OTHER = range(8)
MINE, MUD_DEMOTED, IS_RETURNED, SHIELD_OWN, SHIELD_OTHER, SHIELD_FRESH = range(8, 14)
SHIELD_ROLLED, IS_ACTOR, HAS_ACTED = range(14, 17)
TABLE_COLUMNS = (
    *("round", "first", "to_move", "load", "action_reaction", "sudden", "over"),
    *("score_own", "score_other", "mud_own", "mud_other", "kitchen_own", "kitchen_other"),
)
"""Names of the columns of the table."""
AT_ROUND, FIRST, TO_MOVE, LOAD, ACTION_REACTION, SUDDEN, OVER = range(7)
OWN_SCORE, MUD_OWN, KITCHEN_OWN = 7, 9, 11
"""Columns that the other player's follow."""


class Layout(NamedTuple):
    """Actions and observations of a game as numbers."""

    numbers: Ints
    """Number of each load by its Piggles as bits, -1 if it is too large, shape [64] or [4096]."""
    loads: Ints
    """Piggles of each load as bits, by number; effects and being done have the next numbers."""
    blank: Numbers
    """Observation without what changes in a match, by seat, shape [2, size]."""
    width: int
    """Numbers per Piggle."""
    areas: Ints
    """Column of each area, shape [5]."""
    poses: Ints
    """Column of each orientation, shape [3]."""
    zones: Ints
    """Column of each zone, by seat, shape [2, PLACES]."""
    piggle: Ints
    """Columns of `PIGGLE_COLUMNS`; those of Modern are -1 in Classic."""
    table: Ints
    """Places of `TABLE_COLUMNS` in an observation."""
    point: float
    """Unit of scores [points]."""


class Matches(NamedTuple):
    """State of each match in play, and what is the same at the start of each."""

    pigs: Pigs
    """Piggles of each, shape [count, ROWS, 12]."""
    now: Ints
    """Entries of each, shape [count, ENTRIES]."""
    first_pigs: Pigs
    """Piggles at the start, shape [ROWS, 12]."""
    first_now: Ints
    """Entries at the start, shape [ENTRIES]."""


def compile_steps(table: PigglesTable) -> None:
    """Compile the code of matches by playing none."""
    none, numbers = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.float32)
    layout = Layout(none, none, numbers, 0, none, none, none.reshape(0, 0), none, none, 1.0)
    pigs, now = np.zeros((0, ROWS, ALL), dtype=np.int8), np.zeros((0, ENTRIES), dtype=np.int64)
    matches = Matches(pigs, now, pigs.reshape(ROWS, 0), none)
    places, nowhere = new_places(0, 2), np.zeros(0, dtype=np.bool_)
    mask = np.zeros((0, 0), dtype=np.int8)
    observe(matches, places, nowhere, table, layout, numbers, mask, none)
    play(matches, places, nowhere, none, table, layout, 0, GREEDY, np.zeros((ALL, 2)), none)


@inlined
def fill(draws: Floats, pigs: Pigs, streams: Streams) -> None:
    """Draw the random numbers of a roll, shape [12, 2]: knocked, for those that stand; landing."""
    for piggle in range(ALL):
        stands, rolled = pigs[WHERE, piggle] == BOARD, pigs[WHERE, piggle] == CUP
        if stands:
            draws[piggle, 0] = next_draw(streams)
        if stands or rolled:
            draws[piggle, 1] = next_draw(streams)


@inlined
def _piggle_at(bit: int, seat: int) -> int:
    """Return the Piggle of a bit for a seat, and the bit of a Piggle."""
    at = bit + TEAM * seat
    return at - ALL if at >= ALL else at


@inlined
def _seen_by(piggles: int, seat: int) -> int:
    """Return a set of Piggles, with A's first, as bits for a seat."""
    if seat == 0:
        return piggles
    return (piggles >> TEAM) | ((piggles & ((1 << TEAM) - 1)) << TEAM)


@inlined
def _pen(pigs: Pigs, seat: int) -> int:
    """Return the Pen of a seat as bits for it."""
    found = 0
    for bit in range(ALL):
        if in_pen(pigs, _piggle_at(bit, seat), seat):
            found |= 1 << bit
    return found


@inlined
def to_move(pigs: Pigs, now: Ints, table: PigglesTable) -> int:
    """Return the seat that decides, or -1 if chance does."""
    stage = now[STAGE]
    if stage in (TO_LOAD, ACTING):
        return int(now[SEAT])
    if stage == TIED:
        seat = sudden_seat(now, table)
        ready = available(pigs, seat)
        if now[CHOSEN + seat] == NOBODY and ready & (ready - 1):
            return seat
    return NOBODY


@inlined
def list_legal(pigs: Pigs, now: Ints, table: PigglesTable, layout: Layout, found: Ints) -> int:
    """Write the numbers of all legal actions of the seat that decides; return how many."""
    count, stage = 0, now[STAGE]
    if stage == TO_LOAD:
        pen = _pen(pigs, now[SEAT])
        load = pen
        while True:
            if layout.numbers[load] >= 0:
                found[count] = layout.numbers[load]
                count += 1
            if load == 0:
                return count
            load = (load - 1) & pen
    seat = sudden_seat(now, table) if stage == TIED else now[SEAT]
    if stage == TIED:
        ready = _seen_by(available(pigs, seat), seat)
        for bit in range(ALL):
            if ready >> bit & 1:
                found[count] = layout.numbers[1 << bit]
                count += 1
        return count
    for actor in range(ALL):
        if not pigs[MAY_ACT, _piggle_at(actor, seat)]:
            continue
        reached = _seen_by(targets(pigs, now, _piggle_at(actor, seat), table), seat)
        for target in range(ALL):
            if reached >> target & 1:
                found[count] = len(layout.loads) + ALL * actor + target
                count += 1
    found[count] = len(layout.loads) + ALL * ALL
    return count + 1


@inlined
def _act(
    pigs: Pigs, now: Ints, actor: int, target: int, table: PigglesTable, streams: Streams,
    draws: Floats,
) -> None:  # fmt: skip
    """Carry out an effect, or be done if there is no actor."""
    if actor == NOBODY:
        pigs[MAY_ACT] = 0
    else:
        if table.verbs[actor] == CRIT:
            fill(draws, pigs, streams)
        carry_out(pigs, now, actor, target, table, draws)
    now[STAGE] = GOING_ON


@inlined
def _loaded(pigs: Pigs, now: Ints, number: int, table: PigglesTable) -> None:
    """Continue after a number of Piggles was put into the cup."""
    if number:
        now[STAGE] = ROLLING
        return
    if table.effects:
        find_actors(pigs, now, table)
    now[STAGE] = GOING_ON


@inlined
def take(
    pigs: Pigs, now: Ints, number: int, table: PigglesTable, layout: Layout, streams: Streams,
    draws: Floats,
) -> None:  # fmt: skip
    """Carry out the legal action of a number."""
    if now[STAGE] == ACTING:
        effect, actor, target = number - len(layout.loads), NOBODY, NOBODY
        if effect < ALL * ALL:
            actor = _piggle_at(effect // ALL, now[SEAT])
            target = _piggle_at(effect % ALL, now[SEAT])
        _act(pigs, now, actor, target, table, streams, draws)
        return
    load, tied = layout.loads[number], now[STAGE] == TIED
    seat = sudden_seat(now, table) if tied else now[SEAT]
    for bit in range(ALL):
        if load >> bit & 1:
            if tied:
                now[CHOSEN + seat] = _piggle_at(bit, seat)
            else:
                pigs[WHERE, _piggle_at(bit, seat)] = CUP
    if not tied:
        _loaded(pigs, now, load, table)


@inlined
def _take_as_greedy(
    pigs: Pigs, now: Ints, table: PigglesTable, streams: Streams, draws: Floats
) -> None:
    """Decide as greedy does."""
    if now[STAGE] == TO_LOAD:
        _loaded(pigs, now, load_best(pigs, now, table), table)
    elif now[STAGE] == TIED:
        seat = sudden_seat(now, table)
        now[CHOSEN + seat] = choice(pigs, seat, table)
    else:
        actor, target = best_effect(pigs, now, table)
        _act(pigs, now, actor, target, table, streams, draws)


@inlined
def answer(pigs: Pigs, now: Ints, table: PigglesTable, streams: Streams, draws: Floats) -> float:
    """Let chance answer, if it is due, and go on to the next decision or roll.

    Returns A's reward, or `GOES_ON`.
    """
    if now[STAGE] == TIED:
        seat = sudden_seat(now, table)
        piggle = now[CHOSEN + seat]
        if piggle == NOBODY:
            piggle = choice(pigs, seat, table)
        return roll_sudden(now, piggle, table, next_draw(streams))
    if now[STAGE] == ROLLING:
        fill(draws, pigs, streams)
        roll(pigs, now, table, draws)
        if table.effects:
            find_actors(pigs, now, table)
    if table.effects:
        for actor in range(ALL):
            if pigs[MAY_ACT, actor] and targets(pigs, now, actor, table):
                now[STAGE] = ACTING
                return GOES_ON
    now[STAGE] = TO_LOAD
    return finish_turn(pigs, now, table)


@inlined
def _play_on(
    pigs: Pigs, now: Ints, seat: int, opponent: int, table: PigglesTable, layout: Layout,
    streams: Streams, draws: Floats, found: Ints,
) -> float:  # fmt: skip
    """Play until a seat decides; return `GOES_ON`, or A's reward if the match is over."""
    reward = GOES_ON
    while reward == GOES_ON:
        mover = to_move(pigs, now, table)
        if mover == seat:
            break
        if mover == NOBODY:
            reward = answer(pigs, now, table, streams, draws)
        elif opponent == GREEDY:
            _take_as_greedy(pigs, now, table, streams, draws)
        else:
            count = list_legal(pigs, now, table, layout, found)
            number = found[int(next_draw(streams) * count)]
            take(pigs, now, number, table, layout, streams, draws)
    return reward


@inlined
def _observe(
    pigs: Pigs, now: Ints, seat: int, over: bool, table: PigglesTable, layout: Layout,  # noqa: FBT001
    numbers: Numbers,
) -> None:  # fmt: skip
    """Write the observation of a seat."""
    for column in range(len(numbers)):
        numbers[column] = layout.blank[seat, column]
    piggle_at, rounds = layout.piggle, len(table.first) - 1
    for piggle in range(ALL):
        first = layout.width * _piggle_at(piggle, seat)
        where, lies = pigs[WHERE, piggle], pigs[LIES, piggle]
        numbers[first + layout.areas[where]] = 1.0
        if where == BOARD:
            numbers[first + layout.poses[lies // PLACES]] = 1.0
            numbers[first + layout.zones[seat, lies % PLACES]] = 1.0
            numbers[first + piggle_at[LEANING]] = pigs[LEANS, piggle]
            if pigs[OWED, piggle] != NOBODY:
                to = CREDIT_OWN if pigs[OWED, piggle] == seat else CREDIT_OTHER
                numbers[first + piggle_at[to]] = 1.0
        if where == MUD or pigs[RETURNED, piggle]:
            passed = now[ROUND] - pigs[SINCE, piggle]
            numbers[first + piggle_at[MUD_ROUNDS]] = passed / rounds
            numbers[first + piggle_at[MUD_EARLY]] = pigs[EARLY, piggle]
            if table.effects:
                numbers[first + piggle_at[MUD_DEMOTED]] = pigs[DEMOTED, piggle] > 0
        if where == KITCHEN:
            numbers[first + piggle_at[IS_LATE]] = pigs[LATE, piggle]
            numbers[first + piggle_at[CHARGED]] = 1 - pigs[LATE, piggle]
        if now[CHOSEN] == piggle or now[CHOSEN + 1] == piggle:
            numbers[first + piggle_at[IS_CHOSEN]] = 1.0
        if table.effects:
            numbers[first + piggle_at[MINE]] = pigs[SIDE, piggle] == seat
            numbers[first + piggle_at[IS_RETURNED]] = pigs[RETURNED, piggle]
            numbers[first + piggle_at[IS_ACTOR]] = pigs[MAY_ACT, piggle]
            numbers[first + piggle_at[HAS_ACTED]] = pigs[ACTED, piggle]
            if pigs[SHIELDED_BY, piggle] != NOBODY:
                by = SHIELD_OWN if pigs[SHIELDED_BY, piggle] == seat else SHIELD_OTHER
                numbers[first + piggle_at[by]] = 1.0
                numbers[first + piggle_at[SHIELD_FRESH]] = pigs[FRESH, piggle]
                numbers[first + piggle_at[SHIELD_ROLLED]] = pigs[ROLLED, piggle]
    at, mover = layout.table, now[SEAT]
    numbers[at[AT_ROUND]] = now[ROUND] / rounds
    numbers[at[FIRST]] = table.first[now[ROUND]] == seat
    numbers[at[TO_MOVE]] = mover == seat
    phase = LOAD if now[STAGE] == TO_LOAD else SUDDEN if now[STAGE] == TIED else ACTION_REACTION
    numbers[at[OVER if over else phase]] = 1.0
    numbers[at[OWN_SCORE]] = now[SCORE + seat] / layout.point
    numbers[at[OWN_SCORE + 1]] = now[SCORE + 1 - seat] / layout.point
    other = int(mover != seat)
    numbers[at[MUD_OWN + other]] = now[KNOCKED]
    numbers[at[KITCHEN_OWN + other]] = now[BURNT]


@inlined
def _begin(matches: Matches, places: Places, place: int, seat: int) -> None:
    """Begin the next match at a place."""
    for row in range(ROWS):
        for piggle in range(ALL):
            matches.pigs[place, row, piggle] = matches.first_pigs[row, piggle]
    for entry in range(ENTRIES):
        matches.now[place, entry] = matches.first_now[entry]
    sit_down(places, place, seat)


@compiled_as_numpy
def play(
    matches: Matches, places: Places, at: Bools, actions: Ints, table: PigglesTable,
    layout: Layout, seat: int, opponent: int, draws: Floats, found: Ints,
) -> None:  # fmt: skip
    """Take a legal action in each match `at` a place, or begin it; play until the caller decides.

    A match lets each player load before it ends. `draws` and `found` are for intermediate results,
    of shapes [12, 2] and [actions].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        pigs, now, streams = matches.pigs[place], matches.now[place], places.streams[place]
        if places.over[place]:
            _begin(matches, places, place, seat)
        else:
            take(pigs, now, actions[place], table, layout, streams, draws)
        own = places.seats[place]
        outcome = _play_on(pigs, now, own, opponent, table, layout, streams, draws, found)
        places.over[place] = outcome != GOES_ON
        if own == 1 and outcome != GOES_ON:
            outcome = 1.0 - outcome
        places.outcome[place] = outcome
        for player in range(2):
            places.scores[place, player] = now[SCORE + player]


@compiled_as_numpy
def observe(
    matches: Matches, places: Places, at: Bools, table: PigglesTable, layout: Layout,
    numbers: Numbers, mask: Flags, found: Ints,
) -> None:  # fmt: skip
    """Write the observation and the mask of each match `at` a place.

    `found` is for intermediate results, shape [actions].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        pigs, now = matches.pigs[place], matches.now[place]
        ended = places.outcome[place] != GOES_ON
        _observe(pigs, now, places.seats[place], ended, table, layout, numbers[place])
        mask[place] = 0
        if not places.over[place]:
            for k in range(list_legal(pigs, now, table, layout, found)):
                mask[place, found[k]] = 1
