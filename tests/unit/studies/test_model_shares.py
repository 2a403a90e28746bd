"""Models thrown and counted: what is drawn, how wide the interval, and what a file says of it."""

from dataclasses import replace

import pytest

from pigglesim.errors import SpecError
from pigglesim.rolls import Orientation
from pigglesim.shapes.measured import (
    MeasuredModel,
    Share,
    measured_lines,
    measured_text,
    read_measured,
)
from pigglesim.studies.model_shares import Study, measured_model, pours_of

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
    shares={at: Share(value=1 / 3, low=0.25, high=0.5) for at in Orientation},
)


def test_workers_change_neither_what_is_thrown_nor_its_order():
    alone = Study(models=("piggle", "premium"), pours=7)
    together = replace(alone, workers=2)
    found = [(some.model, some.tallies) for some in pours_of(alone)]
    assert found == [(some.model, some.tallies) for some in pours_of(together)]
    assert [(model, len(tallies)) for model, tallies in found] == [
        ("piggle", 5),
        ("premium", 5),
        ("piggle", 2),
        ("premium", 2),
    ]
    assert all(sum(tally) == 6 for _, tallies in found for tally in tallies)


def test_shares_are_of_those_on_the_board_and_know_their_pours():
    study = Study(models=("piggle",))
    tallies = [(3, 2, 0, 1), (2, 3, 1, 0)] * 10
    row = measured_model(study, "piggle", tallies, date="2026-11-21")
    assert (row.pours, row.throws, row.off) == (20, 120, 10)
    assert [row.shares[at].value for at in Orientation] == pytest.approx(
        [50 / 110, 50 / 110, 1 / 11]
    )
    # By hand: each pour of a pair differs from its expectation by (3 - 5 * 50 / 110) and minus it.
    # 2.093 is Student's quantile for 20 pours; Wilson's form narrows the interval by one percent.
    half = 2.093 * (20 / 19 * 20 * (3 - 250 / 110) ** 2) ** 0.5 / 110
    share = row.shares[Orientation.SNOUT_UP]
    assert (share.high - share.low) / 2 == pytest.approx(half, rel=0.02)


def test_pours_that_are_alike_widen_the_interval():
    study = Study(models=("piggle",))
    mixed = measured_model(study, "piggle", [(3, 3, 0, 0)] * 9 + [(2, 4, 0, 0)], date="")
    alike = measured_model(study, "piggle", [(6, 0, 0, 0), (0, 6, 0, 0)] * 5, date="")
    widths = [
        row.shares[Orientation.SNOUT_UP].high - row.shares[Orientation.SNOUT_UP].low
        for row in (mixed, alike)
    ]
    assert widths[0] * 5 < widths[1] < 1.0


@pytest.mark.parametrize("tallies", [[(3, 3, 0, 0)], [(0, 0, 0, 6)] * 3])
def test_too_little_to_tell_is_said_to_be_so(tallies):
    row = measured_model(Study(models=("piggle",)), "piggle", tallies, date="")
    assert (row.shares[Orientation.SNOUT_UP].low, row.shares[Orientation.SNOUT_UP].high) == (0, 1)


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"pours": 0}, "--pours 1"),
        ({"workers": 0}, "--workers 1"),
        ({"models": ("d6",)}, "leave it out"),
        ({"models": ("pigle",)}, "try: piggle"),
    ],
)
def test_impossible_studies_are_refused(change, remedy):
    with pytest.raises(SpecError, match=remedy):
        Study(**{"models": ("piggle",)} | change)


def test_what_was_measured_reads_back(tmp_path):
    file = tmp_path / "measured.json"
    assert read_measured(file) == {}
    rows = {"piggle": ROW, "premium": replace(ROW, model="premium")}
    file.write_text(measured_text(rows))
    assert read_measured(file) == rows


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"models": [{"shares": {}}]}', "\udcff"])
def test_a_damaged_file_is_refused(tmp_path, text):
    file = tmp_path / "measured.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SpecError, match="run scripts/measure_models"):
        read_measured(file)


def test_the_page_tells_what_was_measured_on_another_model():
    now = measured_lines({"piggle": ROW}, {"piggle": "a" * 64, "premium": "c" * 64})
    assert len(now) == 3
    assert "0.333 [0.250, 0.500]" in now[2] and "before" not in now[2]
    assert (
        "before the model was last changed" in measured_lines({"piggle": ROW}, {"piggle": "x"})[2]
    )
