"""Throws stop when every share is narrow enough, and not because it seems so by chance."""

import numpy as np
import pytest
from scipy import stats

from pigglesim.experiments.run import Counts as RunningCounts
from pigglesim.experiments.run import Target
from pigglesim.experiments.statistics import Moments, Share, binomial, share_from

RUNS = 600


def sums_of(often, dice):
    """Return the sums of a share and of its complement, of throws by their number of hits."""
    found = []
    for hits in (np.arange(dice + 1), dice - np.arange(dice + 1)):
        throws = int(often.sum())
        found.append(
            Moments(
                clusters=throws,
                tried=throws,
                hits=int(often @ hits),
                trials=throws * dice,
                hits_hits=int(often @ hits**2),
                hits_trials=int(often @ hits) * dice,
                trials_trials=throws * dice**2,
            )
        )
    return found


def chances_of(p, dice, likeness):
    """Return how probable each number of hits of a throw is: beta-binomial."""
    hits = np.arange(dice + 1)
    if not likeness:
        return stats.binom(dice, p).pmf(hits)
    scale = (1.0 - likeness) / likeness
    return stats.betabinom(dice, p * scale, (1.0 - p) * scale).pmf(hits)


def thrown_to_the_end(target, chances, rng) -> tuple[Share, int, int]:
    """Return the share at the end, the throws it took, and the looks."""
    dice, often, looks = len(chances) - 1, np.zeros(len(chances), dtype=np.int64), 0
    while True:
        sums = sums_of(often, dice)
        more = target.more(int(often.sum()), sums)
        if not more:
            share = binomial(sums[0].hits, sums[0].trials) if target.single else share_from(sums[0])
            return share, int(often.sum()), looks
        often += rng.multinomial(more, chances)
        looks += 1


@pytest.mark.slow
@pytest.mark.parametrize("half_width", [0.005, 0.02])
@pytest.mark.parametrize("p", [0.02, 0.08, 0.41, 0.5])
@pytest.mark.parametrize(("dice", "likeness"), [(1, 0.0), (6, 0.0), (6, 0.1), (6, 0.3)])
def test_the_interval_at_the_end_holds_as_often_as_it_says(dice, likeness, p, half_width):
    rng = np.random.default_rng(20)
    target = Target(half_width=half_width, single=dice == 1)
    chances = chances_of(p, dice, likeness)
    ended = [thrown_to_the_end(target, chances, rng) for _ in range(RUNS)]
    # Three standard errors of 600 runs are .027.
    assert np.mean([share.low <= p <= share.high for share, _, _ in ended]) >= 0.95 - 0.027
    assert all((share.high - share.low) / 2.0 <= half_width for share, _, _ in ended)
    assert np.mean([looks for _, _, looks in ended]) < 5
    # Little more is thrown than a share known beforehand would take, or than the first round is.
    known = 1.96**2 * p * (1.0 - p) * (1.0 + (dice - 1) * likeness) / dice / half_width**2
    assert np.mean([throws for _, throws, _ in ended]) < 1.15 * max(known, 10 / half_width)


def test_each_cell_wants_its_own_and_the_same_counts_want_the_same():
    target = Target(half_width=0.02, single=True)
    few, some, many = (np.array([n, n]) for n in (20, 1000, 1300))
    short, more, done = (
        target.more(int(each.sum()), sums_of(each, 1)) for each in (few, some, many)
    )
    assert (short, done) == (500 - 40, 0)
    assert 400 < more < 500
    assert target.more(0, []) == 500


def counts_of(throws, *shares):
    """Return running counts of single dice."""
    hits = {str(n): round(throws * share) for n, share in enumerate(shares)}
    return RunningCounts(
        throws=throws,
        throws_shown=throws,
        shown=throws,
        shown_squares=throws,
        hits={name: (often,) * 3 for name, often in hits.items()},
    )


def test_cells_go_on_together_in_whole_blocks():
    target = Target(half_width=0.02, single=True)
    short, done = counts_of(1000, 0.5, 0.5), counts_of(1000, 0.01, 0.99)
    wanted, none = (target.more(each.throws, sums_in(each)) for each in (short, done))
    assert none == 0
    for size in (1, 250, 1000):
        blocks = target.more_blocks([done, short], size=size)
        assert (blocks - 1) * size < wanted <= blocks * size
    assert target.more_blocks([done, done], size=250) == 0
    assert target.more_blocks([RunningCounts(), RunningCounts()], size=250) == 2
    assert (target.reached([done]), target.reached([done, short])) == (True, False)
    assert not target.reached([RunningCounts()])


def sums_in(counts):
    return [counts.moments(name) for name in counts.hits]
