"""Elo ratings: closed forms, the equations of maximum likelihood, and what intervals hold."""

from math import log10

import numpy as np
import pytest

from pigglesim.experiments.standings import MeetingPoints, rate


def met(first, second, *points):
    return MeetingPoints(first=first, second=second, points=np.array(points, dtype=float))


@pytest.mark.parametrize(
    ("points", "won", "lost"), [((2, 2, 1, 2), 7, 1), ((1, 0.5), 1.5, 2.5), ((2,), 2, 0)]
)
def test_two_agents_are_apart_by_their_log_odds(points, won, lost):
    ratings = rate([met(0, 1, *points)], 2)
    apart = 400 * log10((won + 0.5) / (lost + 0.5))
    assert ratings.difference(0, 1).value == pytest.approx(apart)
    assert ratings.coefficient(0).value == pytest.approx(apart / 2)
    assert ratings.values.sum() == pytest.approx(0.0, abs=1e-9)


def dispersion(points):
    share = (points.sum() + 0.5) / (2 * len(points) + 1)
    spread = np.append(points - points.mean(), np.full(20, (2 * share * (1 - share)) ** 0.5))
    return (spread**2).mean() / (2 * share * (1 - share))


def test_as_many_points_are_made_as_the_ratings_say():
    meetings = [met(0, 1, 2, 1, 1), met(0, 2, 2, 2, 0, 1.5), met(1, 2, 0.5, 0, 1), met(0, 3, 1)]
    values = rate(meetings, 4).values
    for agent in range(4):
        made = expected = 0.0
        for each in meetings:
            if agent in (each.first, each.second):
                matches, points = 2 * len(each.points) + 1, each.points.sum() + 0.5
                other = each.second if agent == each.first else each.first
                # A meeting counts the more, the less its pairs are spread.
                weight = 1 / dispersion(each.points)
                made += weight * (points if agent == each.first else matches - points)
                expected += weight * matches / (1 + 10 ** ((values[other] - values[agent]) / 400))
        assert made == pytest.approx(expected)


def test_pairs_that_are_alike_tell_less_of_the_spread_than_matches_would():
    # One wins, one loses, in each pair: nothing varies, and yet it is not known for sure.
    even = rate([met(0, 1, *[1.0] * 50)], 2).difference(0, 1)
    assert even.value == pytest.approx(0.0, abs=1e-9)
    assert 50 < even.high < 150
    # With both matches of each pair alike, an interval is wider than with one of each.
    mixed = rate([met(0, 1, *[2.0, 0.0] * 25)], 2).difference(0, 1)
    varied = rate([met(0, 1, *[2.0, 0.0, 1.0, 1.0, 1.0] * 10)], 2).difference(0, 1)
    assert mixed.high > 1.3 * varied.high


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 120.0, 300.0])
def test_intervals_hold_the_truth_as_often_as_they_say(gap):
    rng, inside, rounds = np.random.default_rng(8), 0, 400
    true = np.array([gap, 0.0, -gap]) / 2.0
    for _ in range(rounds):
        meetings = []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            share = 1.0 / (1.0 + 10.0 ** ((true[second] - true[first]) / 400.0))
            # The two matches of a pair are alike half of the time.
            one, other = rng.random((2, 60)) < share
            other = np.where(rng.random(60) < 0.5, one, other)
            meetings.append(met(first, second, *(one * 1.0 + other)))
        found = rate(meetings, 3).difference(0, 2)
        inside += found.low <= true[0] - true[2] <= found.high
    # Binomial(400, .95): mean 380, standard deviation 4.4; four of them.
    assert 362 <= inside <= 398
