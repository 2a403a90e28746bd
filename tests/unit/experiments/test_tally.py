"""Pours counted, compared and turned into the shares of a model."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.experiments.tally import (
    ComparisonVerdict,
    Group,
    OddsSetting,
    PourTally,
    compare,
    count_pour,
    measured_model,
    model_settings,
    pour_all,
    standing_layout,
)
from pigglesim.landing import (
    READ_ZONES,
    Landing,
    Orientation,
    RollResult,
    SettleReport,
    SettleStatus,
    Zone,
)  # fmt: skip
from pigglesim.scene.load import load_scene

SCENE = load_scene("piggles_classic")
PRODUCTION = OddsSetting(label="2 ms", scene=SCENE, engine="bullet", seed=3)
# Coarser, so that it is quick, and not the same.
COARSE = replace(
    PRODUCTION,
    label="4 ms",
    scene=replace(SCENE, stepping=replace(SCENE.stepping, time_step=0.004)),
    model="premium",
)


def test_a_roll_is_counted():
    up, down = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN
    landings = (
        ("A1", Landing(orientation=up, zone=Zone.FIELD_EAST)),
        ("A2", Landing(orientation=up, zone=Zone.LINE_PATH_WOODS, leaning=True)),
        ("A3", Landing(orientation=down, zone=Zone.FIELD_EAST, stacked=True)),
        ("A4", Landing(orientation=Orientation.ON_THEIR_HEAD, zone=Zone.WOODS)),
        ("A5", Landing(orientation=None, zone=Zone.OFF, leaning=True)),
    )
    settle = SettleReport(status=SettleStatus.TIMED_OUT, time=6.0)
    found = count_pour(RollResult(landings=landings, settle=settle))
    assert found.counts[Group.POSE] == (2, 1, 1)
    assert dict(zip(ZONES, found.counts[Group.ZONE], strict=True)) == dict.fromkeys(ZONES, 0) | {
        Zone.FIELD_EAST: 2, Zone.LINE_PATH_WOODS: 1, Zone.WOODS: 1, Zone.OFF: 1,
    }  # fmt: skip
    assert (found.counts[Group.LEANING], found.points, found.settled) == ((2, 2), 3 + 1, False)


def test_settings_advance_together():
    layout, settings = standing_layout(PRODUCTION), [PRODUCTION, COARSE]
    results = list(pour_all(settings, pours=3, knock_pours=1, layout=layout))
    kinds = [(number, Group.KNOCK in result.counts) for number, result in results]
    pours = [(0, False), (1, False)]
    assert kinds == [*pours, *pours, *pours, (0, True), (1, True)]
    for _, result in results:
        assert sum(result.counts.get(Group.ZONE) or result.counts[Group.KNOCK]) == 6


ZONES = list(READ_ZONES)


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


def in_zones(*first, off=0):
    """Counts of the first zones, and of those off the board."""
    return (*first, *[0] * (len(ZONES) - len(first) - 1), off)


def test_shares_are_of_what_they_say():
    tally = [
        pour((3, 1, 0), in_zones(2, 1, 0, 0, 1, off=2), 1, points=8),
        pour((2, 3, 1), in_zones(0, 0, 0, 6), 0, points=6, settled=False),
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


(PIGGLE,) = model_settings(["piggle"], scene=SCENE, engine="bullet", seed=1)


def tally(up, down, head, off):
    """A pour by class; the zones of those on the board do not matter."""
    zones = dict.fromkeys(ZONES, 0) | {Zone.FIELD_NORTH: up + down + head, Zone.OFF: off}
    return PourTally(counts={Group.POSE: (up, down, head), Group.ZONE: tuple(zones.values())})


def test_whole_cups_are_measured_with_what_they_depend_on():
    tallies = [found for _, found in pour_all([PIGGLE], pours=2)]
    row = measured_model(PIGGLE, tallies, date="2026-11-21")
    assert (row.model, row.pours, row.throws, row.seed) == ("piggle", 2, 12, 1)
    assert row.model_sha256 == load_model("piggle").sha256
    assert (row.scene, row.scene_sha256, row.engine) == (SCENE.id, SCENE.sha256, "bullet")
    assert sum(share.value for share in row.shares.values()) == pytest.approx(1.0)


def test_shares_are_of_those_on_the_board_and_know_their_pours():
    tallies = [tally(3, 2, 0, 1), tally(2, 3, 1, 0)] * 10
    row = measured_model(PIGGLE, tallies, date="2026-11-21")
    assert (row.pours, row.throws, row.off) == (20, 120, 10)
    assert [row.shares[at].value for at in Orientation] == pytest.approx(
        [50 / 110, 50 / 110, 1 / 11]
    )
    # By hand: each pour of a pair differs from its expectation by (3 - 5 * 50 / 110) and minus it.
    # 2.093 is Student's quantile for 20 pours; Wilson's form narrows the interval by one percent.
    half = 2.093 * (20 / 19 * 20 * (3 - 250 / 110) ** 2) ** 0.5 / 110
    share = row.shares[Orientation.SNOUT_UP]
    assert (share.high - share.low) / 2 == pytest.approx(half, rel=0.02)


@pytest.mark.parametrize(
    ("models", "engine", "remedy"),
    [
        (["piggle", "d6"], "bullet", "d6"),
        (["pigle"], "bullet", "piggle"),
        (["piggle"], "bulet", "bullet"),
    ],
)
def test_what_cannot_be_measured_is_refused(models, engine, remedy):
    with pytest.raises(SpecError, match=remedy):
        model_settings(models, scene=SCENE, engine=engine, seed=1)
