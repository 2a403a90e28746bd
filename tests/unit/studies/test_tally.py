"""Pours counted: a pure function of setting and number, however the work is shared."""

from dataclasses import dataclass, field, replace

import pytest

from pigglesim.landing import (
    Landing,
    Orientation,
    RollResult,
    Seat,
    SettleReport,
    SettleStatus,
    Zone,
)
from pigglesim.scene.load import load_scene
from pigglesim.studies.tally import (
    Group,
    OddsSetting,
    count_pour,
    pour_all,
    standing_layout,
    standing_team,
)

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


def test_a_layout_has_the_whole_team_on_the_board_and_is_always_the_same():
    layout = standing_layout(PRODUCTION)
    assert [name for name, _ in layout] == [f"B{n}" for n in range(1, 7)]
    assert all(at.zone is not Zone.OFF and at.place is not None for _, at in layout)
    assert standing_layout(PRODUCTION) == layout


@dataclass(frozen=True)
class Scripted:
    """A team of two whose pours leave these off the board, one after another."""

    off: tuple[tuple[str, ...], ...]
    seed: int = 0
    asked: list[int] = field(default_factory=list)
    models = dict.fromkeys(("A1", "B1", "B2"))

    def roll(self, request, *, index):
        assert (request.thrower, request.piggles) == (Seat.B, ("B1", "B2"))
        self.asked.append((self.seed, index))
        zones = {
            name: Zone.OFF if name in self.off[index] else ZONES[index] for name in ("B1", "B2")
        }
        return RollResult(
            landings=tuple(
                (name, Landing(orientation=None, zone=zone)) for name, zone in zones.items()
            )
        )


ZONES = (Zone.WOODS, Zone.FIELD_EAST, Zone.FIELD_SOUTH)


def test_a_layout_is_the_first_pour_that_leaves_nobody_off():
    chance = Scripted(off=(("B2",), (), ("B1",)))
    layout = standing_team(chance, 9)
    assert layout == tuple(
        (name, Landing(orientation=None, zone=Zone.FIELD_EAST)) for name in ("B1", "B2")
    )
    assert chance.asked == [(9, 0), (9, 1)]


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


def test_a_pour_that_is_left_early_ends_its_workers():
    results = pour_all([PRODUCTION], pours=1000, workers=2)
    next(results)
    results.close()
