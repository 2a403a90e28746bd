"""Pours of the cells of a study counted and compared."""

import duckdb
import numpy as np
import pytest

from pigglesim.experiments.comparison import (
    ComparisonVerdict,
    Group,
    PourCounts,
    compare,
    count_pours,
)
from pigglesim.landing import READ_ZONES, Orientation, Zone

ZONES = list(READ_ZONES)
COLUMNS = (
    '"throw" INTEGER, cell INTEGER, standing BOOLEAN, orientation VARCHAR, zone VARCHAR, '
    "leaning BOOLEAN, stacked BOOLEAN, points INTEGER, knocked BOOLEAN, ending VARCHAR"
)


@pytest.fixture
def throws():
    """A function that gives a connection to a table of these rows."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE throws ({COLUMNS})")

        def fill(*rows):
            connection.executemany(f"INSERT INTO throws VALUES ({'?, ' * 9}?)", rows)
            return connection

        yield fill


def test_pours_are_counted_by_cell(throws):
    up, down, head = (each.label for each in Orientation)
    late = (None, "timed-out")
    connection = throws(
        (0, 0, False, up, "field:E", False, False, 3, *late),
        (0, 0, False, up, "line:path/woods", True, False, 1, *late),
        (0, 0, False, down, "field:E", False, True, 0, *late),
        (0, 0, False, head, "woods", False, False, 0, *late),
        (0, 0, False, None, "off", True, False, 0, *late),
        (1, 1, False, head, "woods", False, False, 0, None, "settled"),
    )
    found, other = count_pours(connection, cells=2, knocks=False)
    assert found.counts[Group.POSE].tolist() == [[2, 1, 1]]
    assert dict(zip(ZONES, found.counts[Group.ZONE][0], strict=True)) == dict.fromkeys(ZONES, 0) | {
        Zone.FIELD_EAST: 2, Zone.LINE_PATH_WOODS: 1, Zone.WOODS: 1, Zone.OFF: 1,
    }  # fmt: skip
    assert found.counts[Group.LEANING].tolist() == [[2, 2]]
    assert (found.points.tolist(), found.unsettled) == ([4], 1)
    assert (other.counts[Group.POSE].tolist(), other.unsettled) == ([[0, 0, 1]], 0)


def test_knocks_are_counted_of_those_that_stood(throws):
    up, own = Orientation.SNOUT_UP.label, (False, False, 3)
    connection = throws(
        (0, 0, False, up, "field:E", *own, None, "settled"),
        (0, 0, True, up, "field:E", *own, True, "settled"),
        (0, 0, True, up, "field:E", *own, False, "settled"),
        (1, 0, True, up, "field:E", *own, False, "settled"),
        (1, 0, True, up, "field:E", *own, False, "settled"),
    )
    (found,) = count_pours(connection, cells=1, knocks=True)
    assert {group: counts.tolist() for group, counts in found.counts.items()} == {
        Group.KNOCK: [[1, 1], [0, 2]]
    }


def test_a_cell_without_pours_has_no_counts(throws):
    connection = throws((0, 0, False, None, "off", False, False, 0, None, "settled"))
    *_, empty = count_pours(connection, cells=2, knocks=False)
    assert empty.counts[Group.POSE].shape == (0, 3)


def drawn(poses, pours, rng, *, off=0.0, knocks=0.25):
    """Pours of six with known shares: one zone for each pour, all alike; and knocks."""
    away = rng.binomial(6, off, size=pours)
    shown = np.array([rng.multinomial(6 - lost, poses) for lost in away])
    zones = np.zeros((pours, len(ZONES)), dtype=np.int64)
    zones[np.arange(pours), rng.integers(0, 4, size=pours)] = 6 - away
    zones[:, ZONES.index(Zone.OFF)] = away
    knocked = rng.binomial(6, knocks, size=pours)
    leaning = np.stack([0 * away, 6 - away], axis=1)
    return (
        PourCounts(
            counts={Group.POSE: shown, Group.ZONE: zones, Group.LEANING: leaning},
            points=3 * shown[:, 0],
            unsettled=0,
        ),
        PourCounts(
            counts={Group.KNOCK: np.stack([knocked, 6 - knocked], axis=1)},
            points=0 * knocked,
            unsettled=0,
        ),
    )


def rows_of(comparison, group):
    return {row.name: row for row in comparison.rows if row.group is group}


def in_zones(*first, off=0):
    """Counts of the first zones, and of those off the board."""
    return (*first, *[0] * (len(ZONES) - len(first) - 1), off)


def test_shares_are_of_what_they_say():
    zones = np.array([in_zones(2, 1, 0, 0, 1, off=2), in_zones(0, 0, 0, 6)])
    pours = PourCounts(
        counts={
            Group.POSE: np.array([(3, 1, 0), (2, 3, 1)]),
            Group.ZONE: zones,
            Group.LEANING: np.array([(1, 3), (0, 6)]),
        },
        points=np.array([8, 6]),
        unsettled=1,
    )
    knocks = PourCounts(
        counts={Group.KNOCK: np.array([(2, 4), (0, 6)])}, points=np.zeros(2, int), unsettled=0
    )
    found = compare(["one"], [pours], [knocks], seed=1)
    poses, in_zone = rows_of(found, Group.POSE), rows_of(found, Group.ZONE)
    # Off the board a pose means nothing: ten of the twelve have one.
    assert poses[Orientation.SNOUT_UP.label].shares[0].value == 0.5
    assert poses[Orientation.SNOUT_UP.label].shares[0].trials == 10
    assert in_zone["off"].shares[0].value == pytest.approx(2 / 12)
    assert sum(row.shares[0].value for row in in_zone.values()) == pytest.approx(1.0)
    assert rows_of(found, Group.LEANING)["leans on another"].shares[0].value == 0.1
    assert rows_of(found, Group.KNOCK)["knocked"].shares[0].value == pytest.approx(2 / 12)
    assert found.points[0].value == 7.0
    assert (found.pours, found.knock_pours, found.unsettled) == ((2,), (2,), (1,))
    assert (found.apart, found.point_differences) == ((), ())


def test_a_known_difference_is_found():
    rng = np.random.default_rng(11)
    sides = [
        drawn([0.5, 0.4, 0.1], 800, rng, knocks=0.2),
        drawn([0.5, 0.4, 0.1], 800, rng, knocks=0.2),
        drawn([0.4, 0.4, 0.2], 800, rng, off=0.05, knocks=0.3),
    ]
    found = compare(["first", "same", "other"], *zip(*sides, strict=True), seed=1)
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
