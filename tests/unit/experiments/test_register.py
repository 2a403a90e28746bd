"""The register: fair shapes, entries that are sealed once, and scores of counts."""

import json
import math
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from pigglesim.bodies.body import class_shares
from pigglesim.bodies.livery import is_numbered
from pigglesim.bodies.load import load_model
from pigglesim.bodies.variant import read_source
from scripts.verification import register
from scripts.verification.register import APP, ENTRIES, PAGE, entries_in, shapes, text_of

FAIR = {"d4": 4, "d8": 8, "d10": 10, "d12": 12, "d20": 20}
MARKS = "above\n<!-- made by: scripts/register -->\n\n<!-- end -->\nbelow\n"


@pytest.mark.parametrize("name", FAIR)
def test_dice_are_fair_shapes(name, tmp_path):
    for file, text in shapes()[name].files(name).items():
        (tmp_path / file).write_text(text)
    shares = class_shares(read_source(str(tmp_path)).body)
    assert len(shares) == FAIR[name]
    assert list(shares.values()) == pytest.approx([1.0 / FAIR[name]] * FAIR[name], abs=1e-4)


def test_a_die_with_a_corner_above_has_no_pips(tmp_path):
    for file, text in shapes()["d4"].files("d4").items():
        (tmp_path / file).write_text(text)
    body = read_source(str(tmp_path)).body
    assert {pose.name for pose in body.poses} == {"1", "2", "3", "4"}
    assert not is_numbered(body)
    assert is_numbered(load_model("d6"))


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A register of one shortened cube, from 1,000 drops."""
    folder = tmp_path_factory.mktemp("register")
    (folder / "page.md").write_text(MARKS)
    done = call(folder, "d6-short", "--drops", "1000")
    assert done.exit_code == 0, done.stderr
    return folder


def call(folder, *words):
    places = ["--folder", str(folder / "entries"), "--page", str(folder / "page.md")]
    return CliRunner().invoke(APP, [*words, *places])


@pytest.fixture
def folder(sealed, tmp_path):
    return shutil.copytree(sealed, tmp_path / "copy")


def count(folder, *counts):
    tally = folder / "entries" / "d6-short" / "die.toml"
    text = tally.read_text()
    for number in counts:
        text = text.replace("count = 0", f"count = {number}", 1)
    tally.write_text(text)


def test_an_entry_is_sealed_once_and_has_no_score_before_it_is_counted(folder):
    entry = folder / "entries" / "d6-short"
    before = (entry / "prediction.json").read_bytes()
    assert {file.name for file in entry.iterdir()} == register.KEPT
    assert call(folder, "d6-short", "--drops", "2000").exit_code == 0
    assert (entry / "prediction.json").read_bytes() == before
    page = (folder / "page.md").read_text()
    assert f"`{json.loads(before)['sha256'][:16]}`" in page
    assert "| not yet |" in page
    assert "counts inside" not in page


def test_counts_are_scored_against_the_seal(folder):
    (entry,) = entries_in(folder / "entries")
    long, short = (outcome.value for outcome in entry.prediction.floors[0].outcomes)
    count(folder, 600, 400)
    (entry,) = entries_in(folder / "entries")
    # A thousand drops, and half a throw for each outcome.
    shares = (np.array([long, short]) * 1000 + 0.5) / 1001
    assert entry.log_score() == pytest.approx(
        -0.6 * math.log(shares[0]) - 0.4 * math.log(shares[1]), abs=1e-4
    )
    assert call(folder).exit_code == 0
    page = (folder / "page.md").read_text()
    assert "| 1,000 throws |" in page
    assert "| counts inside |" in page
    assert page.startswith("above")
    assert page.endswith("below\n")


@pytest.mark.parametrize(("shift", "inside"), [(0.0, True), (0.2, False)])
def test_a_count_is_inside_where_it_is_near_the_prediction(folder, shift, inside):
    (entry,) = entries_in(folder / "entries")
    long = round(500 * (entry.prediction.floors[0].outcomes[0].value - shift))
    count(folder, long, 500 - long)
    (entry,) = entries_in(folder / "entries")
    assert entry.inside(0.9) == [inside, inside]
    assert (entry.sealed.score.p > 0.5) is inside


def test_a_changed_prediction_is_one_line_and_changes_no_page(folder):
    file = folder / "entries" / "d6-short" / "prediction.json"
    file.write_text(file.read_text().replace('"seed": 1', '"seed": 2'))
    before = (folder / "page.md").read_text()
    done = call(folder)
    assert done.exit_code == 2
    assert "was changed after it was sealed" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (folder / "page.md").read_text() == before


def test_an_unknown_body_or_floor_is_one_line(folder):
    for words, problem in ((["d3"], "unknown body 'd3'"), (["d4", "--floor", "sea"], "'sea'")):
        done = call(folder, *words)
        assert done.exit_code == 2
        assert problem in done.stderr
        assert done.stderr.count("\n") == 1
    assert {file.name for file in (folder / "entries").iterdir()} == {"d6-short"}


def test_the_page_shows_the_committed_register():
    entries = entries_in(ENTRIES)
    assert {entry.name for entry in entries} >= set(shapes())
    assert text_of(entries) in PAGE.read_text(encoding="utf-8")
