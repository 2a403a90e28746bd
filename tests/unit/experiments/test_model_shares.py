"""Models thrown and counted: what is drawn, how wide the interval, and what a file says of it."""

import pytest

from pigglesim.bodies.load import load_model
from pigglesim.bodies.measured import (
    ContactShare,
    MeasuredModel,
)
from pigglesim.errors import SpecError
from pigglesim.experiments.tally import Group, PourTally, measured_model, model_settings, pour_all
from pigglesim.landing import Orientation, Zone
from pigglesim.scene.load import load_scene
from scripts.piggle import measured_lines

ROW = MeasuredModel(
    model="piggle",
    model_sha256="a" * 64,
    date="2026-11-21",
    pours=2,
    throws=12,
    off=1,
    seed=1,
    scene="piggles_classic",
    scene_sha256="b" * 64,
    engine="bullet",
    engine_version="1",
    shares={at: ContactShare(value=1 / 3, low=0.25, high=0.5) for at in Orientation},
)

SCENE = load_scene("piggles_classic")
(PIGGLE,) = model_settings(["piggle"], scene=SCENE, engine="bullet", seed=1)


def tally(up, down, head, off):
    """A pour by class; the zones of those on the board do not matter."""
    zones = dict.fromkeys(Zone, 0) | {Zone.FIELD_NORTH: up + down + head, Zone.OFF: off}
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
        (["piggle", "d6"], "bullet", "study --kind pour --model d6"),
        (["pigle"], "bullet", "try: piggle"),
        (["piggle"], "bulet", "try: bullet"),
    ],
)
def test_what_cannot_be_measured_is_refused(models, engine, remedy):
    with pytest.raises(SpecError, match=remedy):
        model_settings(models, scene=SCENE, engine=engine, seed=1)


def test_the_page_tells_what_was_measured_on_another_model():
    now = measured_lines({"piggle": ROW}, {"piggle": "a" * 64, "premium": "c" * 64})
    assert len(now) == 3
    assert "0.333 [0.250, 0.500]" in now[2] and "before" not in now[2]
    assert (
        "before the model was last changed" in measured_lines({"piggle": ROW}, {"piggle": "x"})[2]
    )
