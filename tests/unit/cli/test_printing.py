"""`pigglesim print` and the way back: count, fill in, validate."""

import json
import re

import pytest

from tests.support.front_door import run, run_here

FAST = ["--drops", 1000, "--workers", 1]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Return the folder of a printed die, and what the verb said."""
    out = tmp_path_factory.mktemp("prints") / "die"
    done = run_here("print", "d6", "--size", "2cm", "--out", out, *FAST, "--json")
    assert done.exit_code == 0, done.stderr
    return out, json.loads(done.stdout)


@pytest.fixture
def tally(printed):
    """Return the text of the tally; it is put back at the end."""
    file = printed[0] / "die.toml"
    text = file.read_text()
    yield file
    file.write_text(text)


def test_a_print_has_everything_and_its_sheet_hides_the_prediction(printed):
    out, document = printed
    assert {path.name for path in out.iterdir()} == {
        "body.3mf", "body.stl", "die.toml", "model.mtl", "model.obj", "model.toml",
        "prediction.json", "tally.html",
    }  # fmt: skip
    prediction = document["prediction"]
    assert json.loads((out / "prediction.json").read_text()) == prediction
    assert document["size_mm"] == pytest.approx([20.0, 20.0, 20.0])
    assert [floor["floor"] for floor in prediction["floors"]] == ["printed", "felt"]
    for floor in prediction["floors"]:
        assert [each["label"] for each in floor["outcomes"]] == list("123456")
        assert sum(each["hits"] for each in floor["outcomes"]) == floor["drops"] >= 1000
        for each in floor["outcomes"]:
            # Four standard errors of 1,000 drops.
            assert each["value"] == pytest.approx(1 / 6, abs=4 * 0.0118)
            assert each["low"] < each["value"] < each["high"]
            assert (each["law"] > 0.0) is (floor["floor"] == "printed")
    sheet = (out / "tally.html").read_text()
    assert prediction["sha256"] in sheet
    text = re.sub(r"data:[^\"]*|<style>.*?</style>", "", sheet, flags=re.DOTALL)
    assert not re.search(r"0\.1[4-9]|1[4-9](\.\d)? ?%", text)


def test_a_tally_that_is_not_filled_in_is_refused(printed):
    done = run("validate", printed[0], "--throws", 100)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no throw was counted in die/die.toml; fill in the counts" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("counts", "fair"), [([30, 34, 33, 36, 35, 32], True),
                                              ([10, 10, 10, 10, 60, 100], False)])  # fmt: skip
def test_a_filled_tally_is_compared_with_the_sealed_shares(printed, tally, counts, fair):
    text = tally.read_text()
    for count in counts:
        text = text.replace("count = 0", f"count = {count}", 1)
    tally.write_text(text)
    words = ["validate", printed[0], "--floor", "printed", "--throws", 200]
    words += ["--workers", 1, "--seed", 1]
    done = run_here(*words, "--json")
    (body,) = json.loads(done.stdout)["bodies"]
    sealed = body["sealed"]
    assert sealed["sha256"] == printed[1]["prediction"]["sha256"]
    assert (sealed["score"]["p"] > 0.05) is fair
    if fair:
        shown = run_here(*words).stdout
        assert sealed["sha256"][:16] in shown
        assert "0.180" in shown  # 36 of 200


def test_a_changed_prediction_is_refused(printed, tally):
    tally.write_text(tally.read_text().replace("count = 0", "count = 30"))
    file = printed[0] / "prediction.json"
    text = file.read_text()
    try:
        file.write_text(text.replace('"hits": 1', '"hits": 2', 1))
        done = run("validate", printed[0], "--throws", 100)
    finally:
        file.write_text(text)
    assert done.returncode == 2
    assert "was changed after it was sealed" in done.stderr
    assert "restore the prediction.json that `pigglesim print` wrote" in done.stderr


def test_a_print_with_infill_is_lighter_and_its_sheet_says_how(tmp_path):
    words = ["print", "d6", "--size", "2cm", "--out", tmp_path / "x", *FAST, "--json"]
    done = run_here(*words, "--infill", ".15", "--walls", 3)
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["infill"] == {"share": 0.15, "wall_mm": 1.26, "cover_mm": 0.8}
    cube = 1.1e-3 * (20**3 - 0.85 * (20 - 2.52) ** 2 * (20 - 1.6))
    assert document["plastic_g"] == pytest.approx(cube, rel=0.06)
    assert document["prediction"]["mass_g"] == pytest.approx(document["plastic_g"], rel=1e-6)
    sheet = (tmp_path / "x" / "tally.html").read_text()
    assert "with 15 % infill, walls of 1.26 mm, and 0.8 mm of solid layers" in sheet
