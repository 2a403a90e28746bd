"""How much any policy can win against greedy in Classic by odds: an upper bound.

Information relaxation (Rogers 2002; Brown, Smith and Sun 2010): a player who sees all dice in
advance, and maximises the reward minus a penalty whose mean is zero for every policy that does not
see them, wins on average at least as much as any policy. The penalty of a turn is V - E[V]: V of
the state after the roll, minus its mean over rolls. The bound holds for every V; it is the smaller,
the nearer V is to the probability of a win.

V is a normal distribution function of the expected final lead, a sum over Piggles, fitted to games.
By odds Piggles land independently, so E[V] is an exact convolution. Piggles in a Pen are alike, so
a policy chooses only their number, and the maximum is a search over all numbers. The dice are the
same for both seats of the policy; if it is greedy, both rewards add up to 1 on any dice.

The policy that maximises E[V] at each load is measured with the same penalty as control variate.
Run it by hand (paths of the bound, games of the fit):

    python -m scripts.verification.classic_bound 300 100000
"""

import sys
from math import erfc
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from pigglesim import rng as seeding
from pigglesim.agents.compiled_playouts import now_of, piggles_playouts, pigs_of
from pigglesim.agents.piggles_kernel import (
    ALL,
    BOARD,
    CUP,
    DOWN,
    HEAD,
    KITCHEN,
    KNOCKED,
    LIES,
    MUD,
    NOBODY,
    OFF,
    OWED,
    PEN,
    ROUND,
    SCORE,
    SEAT,
    SIDE,
    SINCE,
    WHERE,
    Pigs,
    _end_turn,
    _turned,
    roll,
)
from pigglesim.agents.places import GOES_ON, Floats, Ints
from pigglesim.chance.tabular import believed_chance
from pigglesim.experiments.statistics import mean_of
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.jit import compiled

TURNS, KINDS = 12, 12
"""Turns of a game, and kinds of a Piggle: Pen; Mud since this round, the last or before; Kitchen;
Up for 1, 2 or 3 points; Down, and owed to the other player; on its head, and owed."""
OUTCOMES = 6
"""Outcomes of a roll or a knock: Up for 1, 2 or 3 points, Down, head, off the board."""
KNOWN = 17
"""Features of a state and a load, known before the roll."""
UNIT = 0.25
"""Unit of contributions to the lead [points]."""
WIDTH = 1500
"""Largest range of the lead after a roll [units]."""
SQRT2, SQRT_PI = 2.0**0.5, np.pi**0.5
EVERY, GREEDY, FITTED = range(3)
"""Loads of the player in question: each number, the whole Pen, or the best by V."""


class Value(NamedTuple):
    """A value function V by turn, and odds by outcome."""

    lead: Ints
    """Contribution to the lead of seat 0, by turn, seat and kind [units], shape [12, 2, 12]."""
    certain: Ints
    """The same where nobody can roll again, exact by the rules."""
    offset: Floats
    """Mean of the rest of the lead by what is known before the roll [points], shape [12, KNOWN]."""
    variance: Floats
    """Variance of the final lead [points^2], likewise."""
    thrown: Floats
    """Probabilities of outcomes by number thrown, shape [13, OUTCOMES]."""
    after: Floats
    """Probabilities of outcomes of a knock by class, shape [OFF, OUTCOMES]."""


@compiled
def kind(pigs: Pigs, piggle: int, now: Ints, points: Ints) -> int:
    """Return the kind of a Piggle."""
    where, lies = pigs[WHERE, piggle], pigs[LIES, piggle]
    if where == PEN:
        return 0
    if where == MUD:
        return 1 + min(now[ROUND] - pigs[SINCE, piggle], 2)
    if where == KITCHEN:
        return 4
    if lies < DOWN:
        return 4 + points[lies]
    return (8 if lies < HEAD else 10) + (pigs[OWED, piggle] != NOBODY)


@compiled
def base_lead(now: Ints) -> int:
    """Return the lead of seat 0 by points alone [units]."""
    bonus = now[KNOCKED] if now[SEAT] == 0 else -now[KNOCKED]
    return round((now[SCORE] - now[SCORE + 1] + bonus) / UNIT)


@compiled
def known_before(pigs: Pigs, now: Ints, number: int) -> Floats:
    """Return the features of a state, and of a load of `number` Piggles."""
    known = np.zeros(KNOWN)
    known[0], known[1] = 1.0, number
    for piggle in range(ALL):
        side, where = pigs[SIDE, piggle], pigs[WHERE, piggle]
        known[2 + side] += where == PEN
        known[4 + side] += where == BOARD
        if where == MUD:
            known[6 + 2 * min(now[ROUND] - pigs[SINCE, piggle], 2) + side] += 1.0
    known[2 + now[SEAT]] -= number
    known[12], known[13] = known[2] ** 2, known[3] ** 2
    known[14], known[15] = number * known[4], number * known[5]
    known[16] = number * number
    return known


@compiled
def leads_of(known: Floats, turn: int, value):
    """Return the contributions of kinds to the lead, what is added to it, and its spread [points].

    Where nobody can roll again the rest is certain: the contributions are exact, the spread is 0.
    """
    if turn == TURNS - 1 or (turn >= 8 and known[2:4].sum() + known[8:12].sum() == 0.0):
        return value.certain[turn], 0.0, 0.0
    variance = max(np.sum(known * value.variance[turn]), 0.05)
    return value.lead[turn], np.sum(known * value.offset[turn]), np.sqrt(variance)


@compiled
def win(lead: int, centre: float, spread: float) -> float:
    """Return V of a lead [units], where a tie counts half."""
    if spread == 0.0:
        return (np.sign(lead) + 1.0) / 2.0
    return 0.5 * erfc(-(lead * UNIT + centre) / (spread * SQRT2))


@compiled
def half_tie(lead: int, centre: float, spread: float) -> float:
    """Return half the probability of a tie, which a player without a Piggle loses (R16)."""
    if spread == 0.0:
        return 0.5 * (lead == 0)
    z = (lead * UNIT + centre) / spread
    return 0.5 * min(1.0, np.exp(-0.5 * z * z) / (spread * SQRT2 * SQRT_PI))


@compiled
def value_of(pigs: Pigs, now: Ints, known: Floats, table, value) -> float:
    """Return V of a state after the roll of a turn."""
    turn, lead = 2 * now[ROUND] - 2 + now[SEAT], base_lead(now)
    leads, centre, spread = leads_of(known, turn, value)
    ready = np.zeros(2)
    for piggle in range(ALL):
        side, where, lies = pigs[SIDE, piggle], pigs[WHERE, piggle], pigs[LIES, piggle]
        lead += leads[side, kind(pigs, piggle, now, table.points)]
        down = where == BOARD and DOWN <= lies < HEAD
        if where in (PEN, MUD) or down:
            ready[side] = 1.0
    return win(lead, centre, spread) + (ready[0] - ready[1]) * half_tie(lead, centre, spread)


@compiled
def expected(pigs: Pigs, now: Ints, number: int, table, value) -> float:
    """Return the mean of V after the roll of the first `number` Piggles of the Pen."""
    turn, mean = 2 * now[ROUND] - 2 + now[SEAT], 0.0
    leads, centre, spread = leads_of(known_before(pigs, now, number), turn, value)
    low, shares = lead_shares(pigs, now, number, table, value, leads, NOBODY)
    for at in range(len(shares)):
        if shares[at] > 0.0:
            mean += shares[at] * win(low + at, centre, spread)
    for side in range(2):
        low, shares = lead_shares(pigs, now, number, table, value, leads, side)
        for at in range(len(shares)):
            if shares[at] > 0.0:
                tie = shares[at] * half_tie(low + at, centre, spread)
                mean += tie if side == 1 else -tie
    return mean


@compiled
def lead_shares(
    pigs: Pigs, now: Ints, number: int, table, value, contributions: Ints, without: int
):
    """Return the least lead after the roll [units], and the probability of each from there on.

    Of seat `without`, if not -1, only outcomes count that leave it no Piggle in Pen or Mud.
    """
    seat, base = now[SEAT], base_lead(now)
    standing = 0
    for piggle in range(ALL):
        standing += pigs[WHERE, piggle] == BOARD
    shares, spare = np.zeros(WIDTH), np.zeros(WIDTH)
    shares[0] = 1.0
    low, width, left = base, 1, number
    leads, chances = np.zeros(OUTCOMES + 1, dtype=np.int64), np.zeros(OUTCOMES + 1)
    for piggle in range(ALL):
        side, where, lies = pigs[SIDE, piggle], pigs[WHERE, piggle], pigs[LIES, piggle]
        lead = contributions[side]
        rolled = left > 0 and where == PEN and side == seat
        old = lead[kind(pigs, piggle, now, table.points)]
        rate = 1.0
        if rolled:
            left -= 1
            odds = value.thrown[number]
        elif where == BOARD and number:
            before = _turned(lies, seat)
            rate = table.knocked[0, number, standing, before]
            odds = value.after[before]
        else:
            down = where == BOARD and DOWN <= lies < HEAD
            if side == without and (where in (PEN, MUD) or down):
                return 0, shares[:0]
            low += old
            continue
        theirs, owed = side != seat, not rolled and pigs[OWED, piggle] != NOBODY
        for outcome in range(OUTCOMES):
            chances[outcome] = rate * odds[outcome]
            found = 5 + outcome
            if outcome == 3 or outcome == 4:
                same = not rolled and lies // DOWN == outcome - 2
                found = 8 + 2 * (outcome - 3) + (owed if same else theirs)
            elif outcome == 5:
                found = 1
            leads[outcome] = lead[found]
        if theirs:
            bonus = round(table.mud_bonus / UNIT)
            leads[5] += bonus if seat == 0 else -bonus
        chances[6], leads[6] = 1.0 - rate, old
        if side == without:
            chances[3] = chances[5] = 0.0
            if not rolled and DOWN <= lies < HEAD:
                chances[6] = 0.0
        least = leads.min() if not rolled else leads[:6].min()
        most = leads.max() if not rolled else leads[:6].max()
        new = width + most - least
        spare[:new] = 0.0
        for outcome in range(OUTCOMES + (not rolled)):
            shift, share = leads[outcome] - least, chances[outcome]
            if share > 0.0:
                for at in range(width):
                    spare[at + shift] += share * shares[at]
        shares, spare = spare, shares
        low, width = low + least, new
    return low, shares[:width]


@compiled
def take_turn(pigs: Pigs, now: Ints, number: int, table, luck: Floats) -> None:
    """Load the first Piggles of the Pen, and roll them."""
    left = number
    for piggle in range(ALL):
        if left and pigs[WHERE, piggle] == PEN and pigs[SIDE, piggle] == now[SEAT]:
            pigs[WHERE, piggle] = CUP
            left -= 1
    if number:
        roll(pigs, now, table, luck[2 * now[ROUND] - 2 + now[SEAT]])


@compiled
def pen_size(pigs: Pigs, now: Ints) -> int:
    """Return the number of Piggles in the Pen of the player to move."""
    return np.sum((pigs[WHERE] == PEN) & (pigs[SIDE] == now[SEAT]))


@compiled
def relaxed(pigs: Pigs, now: Ints, own: int, mode: int, table, value, luck: Floats, rng):
    """Return the reward of `own` minus the penalty, given all dice.

    The other player is greedy. In mode `EVERY` it is the maximum over all loads.
    """
    all_pigs = np.zeros((TURNS, *pigs.shape), dtype=np.int8)
    all_now = np.zeros((TURNS, len(now)), dtype=np.int64)
    all_pigs[0], all_now[0] = pigs, now
    penalty, next_load, last_load = (
        np.zeros(TURNS),
        np.zeros(TURNS, np.int64),
        np.zeros(TURNS, np.int64),
    )
    turn, best, fresh = 0, -np.inf, True
    while turn >= 0:
        pigs, now = all_pigs[turn].copy(), all_now[turn].copy()
        if fresh:
            next_load[turn] = last_load[turn] = pen_size(pigs, now)
            if now[SEAT] == own and mode == EVERY:
                next_load[turn] = 0
            elif now[SEAT] == own and mode == FITTED:
                highest = -np.inf
                for number in range(last_load[turn], -1, -1):
                    found = expected(pigs, now, number, table, value)
                    found = found if own == 0 else -found
                    if found > highest + 1e-12:
                        highest, next_load[turn] = found, number
                last_load[turn] = next_load[turn]
        if next_load[turn] > last_load[turn]:
            turn, fresh = turn - 1, False
            continue
        number = next_load[turn]
        next_load[turn] += 1
        mean = expected(pigs, now, number, table, value)
        known = known_before(pigs, now, number)
        take_turn(pigs, now, number, table, luck)
        paid = penalty[turn] + value_of(pigs, now, known, table, value) - mean
        reward = _end_turn(pigs, now, table, rng)
        fresh = reward == GOES_ON
        if fresh:
            turn += 1
            all_pigs[turn], all_now[turn], penalty[turn] = pigs, now, paid
        else:
            found = reward - paid if own == 0 else 1.0 - reward + paid
            best = max(best, found)
    return best


@compiled
def sampled(
    pigs: Pigs, now: Ints, table, games: int, counts: Floats, known: Floats, leads: Floats, rng
) -> None:
    """Play games that hold some Piggles back at first and are greedy later.

    Fill the counts of kinds after each greedy turn, shape [games, 12, 2, 12], and the lead by
    points then and in the end, shape [games, 13]; NaN where a turn does not count.
    """
    for game in range(games):
        own, state = pigs.copy(), now.copy()
        luck, explores = rng.random((TURNS, ALL, 2)), rng.integers(-1, TURNS)
        reward = GOES_ON
        while reward == GOES_ON:
            turn, number = 2 * state[ROUND] - 2 + state[SEAT], pen_size(own, state)
            if turn <= explores and rng.random() < 0.5:
                number = rng.integers(0, number + 1)
            known[game, turn] = known_before(own, state, number)
            take_turn(own, state, number, table, luck)
            if turn >= explores:
                leads[game, turn] = base_lead(state) * UNIT
                for piggle in range(ALL):
                    counts[
                        game, turn, own[SIDE, piggle], kind(own, piggle, state, table.points)
                    ] += 1
            reward = _end_turn(own, state, table, rng)
        leads[game, TURNS] = state[SCORE] - state[SCORE + 1]


def certain_leads() -> Ints:
    """Return contributions to the final lead if nobody rolls again [units], shape [12, 2, 12]."""
    found = np.zeros((TURNS, 2, KINDS))
    for turn in range(TURNS):
        later = TURNS // 2 - 1 - turn // 2
        for seat in range(2):
            tallies = later + (seat >= turn % 2)
            found[turn, seat, 4:8] = np.array([-1, 1, 2, 3]) * tallies
            found[turn, seat, 8:] = 0.0, -1.0, -later, -later - 2.0
    found[:, 1] *= -1.0
    return np.rint(found / UNIT).astype(np.int64)


def outcome_shares(steps: Floats, points: Ints) -> Floats:
    """Return the probability of each outcome, given cumulative ones of classes."""
    classes, found = np.diff(steps, prepend=0.0, axis=-1), np.zeros((*steps.shape[:-1], OUTCOMES))
    for at in range(OFF + 1):
        outcome = 5 if at == OFF else points[at] - 1 if at < DOWN else 3 if at < HEAD else 4
        found[..., outcome] += classes[..., at]
    return found


def fitted(pigs: Pigs, now: Ints, table, games: int, rng) -> Value:
    """Return the value function fitted to games."""
    counts = np.zeros((games, TURNS, 2, KINDS))
    known, leads = np.zeros((games, TURNS, KNOWN)), np.full((games, TURNS + 1), np.nan)
    sampled(pigs, now, table, games, counts, known, leads, rng)
    lead = np.zeros((TURNS, 2, KINDS), dtype=np.int64)
    offset, variance = np.zeros((2, TURNS, KNOWN))
    for turn in range(TURNS):
        rows = ~np.isnan(leads[:, turn])
        seen, before = counts[rows, turn].reshape(-1, 2 * KINDS), known[rows, turn]
        gained = leads[rows, -1] - leads[rows, turn]
        both = np.hstack([seen, before])
        weights = np.linalg.lstsq(both, gained, rcond=None)[0]
        lead[turn] = np.rint(weights[: 2 * KINDS].reshape(2, KINDS) / UNIT)
        rest = gained - UNIT * (seen @ lead[turn].ravel())
        offset[turn] = np.linalg.lstsq(before, rest, rcond=None)[0]
        squares = (rest - before @ offset[turn]) ** 2
        variance[turn] = nnls(before, squares)[0]
    # Compiled code does not check the ends of arrays.
    assert np.ptp(lead, axis=2).max() * ALL < WIDTH - ALL * KINDS
    odds = (outcome_shares(steps[0], table.points) for steps in (table.thrown, table.after))
    return Value(lead, certain_leads(), offset, variance, *odds)


def setting():
    """Return the first state as arrays, and the rules and odds as numbers."""
    game = PigglesClassic()
    playouts = piggles_playouts(game, believed_chance())
    assert playouts is not None
    # Without rerolls in Sudden Snout-Up it counts half, which is its mean.
    table = playouts.table._replace(sudden_cap=-1)
    state = game.initial_state()
    return pigs_of(state), now_of(state), table


def main() -> None:
    """Print the bound, and what the policy that is greedy by V wins."""
    paths, games = int(sys.argv[1]), int(sys.argv[2])
    pigs, now, table = setting()
    value = fitted(pigs, now, table, games, seeding.generator(1, "fit"))
    for name, mode, number in (("bound", EVERY, paths), ("policy", FITTED, 50 * paths)):
        rows = np.zeros((number, 2))
        for path in range(number):
            rng = seeding.generator(1, "path", path)
            luck = rng.random((TURNS, ALL, 2))
            for own in range(2):
                rows[path, own] = relaxed(pigs, now, own, mode, table, value, luck, rng)
        share = mean_of(rows.mean(axis=1))
        print(f"{name}: {share.value:.5f} [{share.low:.5f}, {share.high:.5f}], {number} paths")


if __name__ == "__main__":
    main()
