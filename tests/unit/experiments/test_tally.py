"""Pours counted: a pure function of setting and number, however the work is shared."""

from dataclasses import replace

import pytest

from pigglesim.experiments.tally import (
    Group,
    OddsSetting,
    count_pour,
    pour_all,
    standing_layout,
)
from pigglesim.landing import (
    Landing,
    Orientation,
    RollResult,
    SettleReport,
    SettleStatus,
    Zone,
)
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
    assert dict(zip(Zone, found.counts[Group.ZONE], strict=True)) == dict.fromkeys(Zone, 0) | {
        Zone.FIELD_EAST: 2, Zone.LINE_PATH_WOODS: 1, Zone.WOODS: 1, Zone.OFF: 1,
    }  # fmt: skip
    assert (found.counts[Group.LEANING], found.points, found.settled) == ((2, 2), 3 + 1, False)


@pytest.fixture(scope="module")
def alone():
    layout = standing_layout(PRODUCTION)
    settings = [PRODUCTION, COARSE]
    return layout, list(pour_all(settings, pours=3, knock_pours=1, layout=layout))


def test_settings_advance_together(alone):
    _, results = alone
    kinds = [(number, Group.KNOCK in result.counts) for number, result in results]
    pours = [(0, False), (1, False)]
    assert kinds == [*pours, *pours, *pours, (0, True), (1, True)]
    for _, result in results:
        assert sum(result.counts.get(Group.ZONE) or result.counts[Group.KNOCK]) == 6
