"""Known tallies side by side: what is counted, of what, and what is said of it."""

import numpy as np
import pytest

from pigglesim.experiments.tally import ComparisonVerdict, Group, PourTally, compare
from pigglesim.landing import Orientation, Zone

ZONES = list(Zone)


def pour(poses, zones, leaning, **more):
    counts = {Group.POSE: poses, Group.ZONE: zones, Group.LEANING: (leaning, sum(poses) - leaning)}
    return PourTally(counts=counts, **more)


def drawn(poses, pours, rng, *, off=0.0, knocks=0.25):
    """Pours of six with known shares: one zone for each pour, all alike."""
    tallies = []
    for _ in range(pours):
        away = int(rng.binomial(6, off))
        shown = rng.multinomial(6 - away, poses)
        zones = [0] * len(ZONES)
        zones[int(rng.integers(0, 4))] = 6 - away
        zones[ZONES.index(Zone.OFF)] = away
        tallies.append(pour(tuple(shown.tolist()), tuple(zones), 0, points=3 * int(shown[0])))
        knocked = int(rng.binomial(6, knocks))
        tallies.append(PourTally(counts={Group.KNOCK: (knocked, 6 - knocked)}))
    return tallies


def rows_of(comparison, group):
    return {row.name: row for row in comparison.rows if row.group is group}


def test_shares_are_of_what_they_say():
    tally = [
        pour((3, 1, 0), (2, 1, 0, 0, 1, 0, 0, 0, 0, 2), 1, points=8),
        pour((2, 3, 1), (0, 0, 0, 6, 0, 0, 0, 0, 0, 0), 0, points=6, settled=False),
        PourTally(counts={Group.KNOCK: (2, 4)}),
        PourTally(counts={Group.KNOCK: (0, 6)}),
    ]
    found = compare(["one"], [tally], seed=1)
    poses, zones = rows_of(found, Group.POSE), rows_of(found, Group.ZONE)
    # Off the board a pose means nothing: ten of the twelve have one.
    assert poses[Orientation.SNOUT_UP.label].shares[0].value == 0.5
    assert poses[Orientation.SNOUT_UP.label].shares[0].trials == 10
    assert zones["off"].shares[0].value == pytest.approx(2 / 12)
    assert sum(row.shares[0].value for row in zones.values()) == pytest.approx(1.0)
    assert rows_of(found, Group.LEANING)["leans on another"].shares[0].value == 0.1
    assert rows_of(found, Group.KNOCK)["knocked"].shares[0].value == pytest.approx(2 / 12)
    assert found.points[0].value == 7.0
    assert found.unsettled == (1,)
    assert (found.apart, found.point_differences) == ((), ())


def test_a_known_difference_is_found():
    rng = np.random.default_rng(11)
    sides = [
        drawn([0.5, 0.4, 0.1], 800, rng, knocks=0.2),
        drawn([0.5, 0.4, 0.1], 800, rng, knocks=0.2),
        drawn([0.4, 0.4, 0.2], 800, rng, off=0.05, knocks=0.3),
    ]
    found = compare(["first", "same", "other"], sides, seed=1)
    up = rows_of(found, Group.POSE)[Orientation.SNOUT_UP.label]
    assert up.differences[0].low < 0.0 < up.differences[0].high
    assert up.differences[1].low < -0.1 < up.differences[1].high < 0.0
    knocked = rows_of(found, Group.KNOCK)["knocked"].differences[1]
    assert 0.0 < knocked.low < 0.1 < knocked.high
    apart = {(each.group, each.label): each for each in found.apart}
    pose = apart[Group.POSE, "other"]
    assert pose.distance.low < 0.1 < pose.distance.high
    assert [pose.verdict(target) for target in (0.02, 0.1, 0.2)] == [
        ComparisonVerdict.BEYOND, ComparisonVerdict.OPEN, ComparisonVerdict.WITHIN,
    ]  # fmt: skip
    assert apart[Group.POSE, "same"].verdict(0.05) is ComparisonVerdict.WITHIN
    # Zones come six at a time: the noise of 800 pours is that of 800 draws, not of 4,800.
    assert 0.01 < apart[Group.ZONE, "same"].distance.floor < 0.05
