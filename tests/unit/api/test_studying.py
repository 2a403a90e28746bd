"""Studies in Python: as the command line runs them, interrupted, gone on with, and asked in SQL."""

import json
from math import sqrt

import numpy as np
import pytest

import pigglesim
from pigglesim.errors import RecordError, SpecError
from tests.support.front_door import run_here
from tests.support.small_studies import low_floor

LEVEL_Z = 1.959963984540054
"""Of the normal distribution, for intervals of 95 %."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    return low_floor(tmp_path_factory.mktemp("floor"))


def dropped(floor, **words):
    asked = {"model": "d6", "scene": floor, "throws": 600, "seed": 3}
    return pigglesim.study("drop", **asked | words)


@pytest.fixture(scope="module")
def drops(floor):
    return dropped(floor)


@pytest.fixture(scope="module")
def faces(drops):
    """What each throw showed, counted outside of SQL."""
    rows = drops.query('SELECT orientation FROM throws ORDER BY "throw"')
    return np.array([int(row["orientation"]) for row in rows])


def test_it_is_the_study_of_the_command_line(drops, floor, tmp_path):
    words = ["--model", "d6", "--scene", floor, "--throws", 600, "--seed", 3, "--workers", 1]
    out = tmp_path / "drops"
    document = json.loads(
        run_here("study", *words, "--out", out, "--no-report", "--quiet", "--json").stdout
    )
    assert json.loads(drops.to_json())["answers"] == document["answers"]
    assert pigglesim.read_study(out).document()["answers"] == document["answers"]


def test_the_probability_of_an_event_has_wilsons_interval(drops, faces):
    found = drops.probability("max(orientation) IN ('1', '6')")
    share = np.mean((faces == 1) | (faces == 6))
    n, z = len(faces), LEVEL_Z
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert found.value == share
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-12)
    assert (found.trials, found.method, found.level) == (600, "Wilson", 0.95)
    assert drops.probability("false").value == 0.0
    assert drops.probability("NULL").value == 0.0


def test_a_mean_has_students_interval(drops, faces):
    from scipy.stats import t

    found = drops.mean("max(orientation)::INTEGER", level=0.9)
    low, high = t.interval(0.9, 599, faces.mean(), faces.std(ddof=1) / sqrt(600))
    assert found.value == pytest.approx(faces.mean(), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_throws_of_nobody_are_gone_with_the_result(floor):
    found = dropped(floor, throws=250)
    folder = found.folder
    assert folder.is_dir()
    del found
    assert not folder.exists()


def test_a_study_goes_on_where_it_was_interrupted(drops, floor, tmp_path):
    out, seen = tmp_path / "drops", []

    def stop(done, wanted):
        seen.append((done, wanted))
        if done:
            raise KeyboardInterrupt

    part = dropped(floor, out=out, progress=stop)
    assert not part.finished
    assert part.throws == seen[-1][0] < seen[-1][1] == 600
    assert f"{part.throws} of 600 throws" in repr(part)
    whole = dropped(floor, out=out)
    assert whole.finished
    assert whole.document()["answers"] == drops.document()["answers"]
    with pytest.raises(RecordError):
        dropped(floor, out=out, seed=4)


def test_nothing_thrown_is_an_interruption_and_leaves_nothing(floor, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def stop(done, wanted):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dropped(floor, progress=stop)
    assert not list(tmp_path.iterdir())


def test_cells_are_compared(floor):
    found = dropped(floor, throws=250, factors={"friction": [0.2, 0.5]})
    assert [cell.factors for cell in found.cells] == [{"friction": 0.2}, {"friction": 0.5}]
    assert {each.factor for each in found.contrasts} == {"friction"}
    shares = [found.probability("max(orientation) = '6'", cell=cell) for cell in (0, 1)]
    sixes = [cell.shares[cell.orientations.index("6")] for cell in found.cells]
    assert [share.value for share in shares] == [share.value for share in sixes]
    assert "other cells: 1;" in repr(found)
    with pytest.raises(SpecError, match="cell 2"):
        found.probability("true", cell=2)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda study: study.probability("orientation"), "GROUP BY"),
        (lambda study: study.probability("sum(die)"), "not true or false"),
        (lambda study: study.probability("true; DROP VIEW throws"), "; "),
        (lambda study: study.query("SELECT * FROM read_text('/etc/hostname')"), "; "),
        (lambda study: study.mean("NULL"), "coalesce"),
        (lambda study: study.probability("true", level=1.0), "level 1"),
        (lambda study: study.probability("true", interval="wald"), "wald"),
    ],
)
def test_an_invalid_query_is_refused_in_one_line(drops, ask, message):
    with pytest.raises(pigglesim.PigglesimError, match=message):
        ask(drops)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"throws": 0}, "throws"),
        ({"interval": "wald"}, "wilson"),
        ({"level": 2.0}, "level 2"),
    ],
)
def test_an_impossible_study_is_refused_in_one_line(words, message):
    with pytest.raises(pigglesim.PigglesimError, match=message):
        pigglesim.study(**words)


def test_odds_are_measured_on_studies(tmp_path):
    with pytest.raises(SpecError, match="no study"):
        pigglesim.measure_odds([])
    pours = pigglesim.study("pour", factors={"number": [1, 2]}, throws=12, seed=1)
    file = tmp_path / "mine.json"
    odds = pigglesim.measure_odds([pours], out=file)
    assert odds.model == "piggle"
    assert set(odds.thrown) == {1, 2}
    assert odds.thrown[1].throws == 12
    match = pigglesim.play_match(chance="tabular", odds=file, seed=1, house_rules={"rounds": 1})
    assert match.record.header.chance["source"] == "tabular"
