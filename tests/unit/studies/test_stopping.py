"""Throws stop when every share is narrow enough, and not because it seems so by chance."""

import numpy as np
import pytest
from scipy import stats

from pigglesim.errors import SpecError
from pigglesim.studies.counts import count_throws
from pigglesim.studies.estimate import Moments, Share, binomial, share_from
from pigglesim.studies.stopping import Target
from tests.throws_table import connection_with, random_pours

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
        (more,) = target.more([(int(often.sum()), sums)])
        if not more:
            share = binomial(sums[0].hits, sums[0].trials) if target.single else share_from(sums[0])
            return share, int(often.sum()), looks
        often += rng.multinomial(more, chances)
        looks += 1


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
    cells = [(int(each.sum()), sums_of(each, 1)) for each in (few, some, many)]
    assert target.more(cells) == target.more(cells)
    short, more, done = target.more(cells)
    assert (short, done) == (500 - 40, 0)
    assert 400 < more < 500
    assert target.more([(0, [])]) == (500,)


def test_a_look_counts_orientations_alone():
    throws = connection_with(random_pours(np.random.default_rng(2), cells=2, trials=150, stood=1))
    look = count_throws(throws, kind="knock", factors=["model"], shares_alone=True)
    whole = count_throws(throws, kind="knock", factors=["model"])
    assert not look.pairs
    for one, other in zip(look.cells, whole.cells, strict=True):
        assert one.patterns == other.patterns
        assert one.ratios.items() <= other.ratios.items()
    target = Target(half_width=0.1)
    assert list(target.more_of(look)) == [0, 1]
    assert target.more_of(look) == target.more_of(whole)


@pytest.mark.parametrize("words", [{"half_width": 0.0}, {"half_width": 0.01, "level": 95.0}])
def test_impossible_targets_are_refused(words):
    with pytest.raises(SpecError, match=r"try: 0\.\d"):
        Target(**words)
