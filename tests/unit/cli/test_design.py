"""`pigglesim design` through the front door: resume, stops, and a folder that is a model."""

import json
import shutil
import signal

import pytest

from tests.support.front_door import run, run_here, start
from tests.support.waiting import wait_for

FAST = ["--drops", 100, "--check", 1000, "--workers", 1]


WORDS = ["design", "d6", "--target", "6=.19"]


@pytest.fixture(scope="module")
def designed(tmp_path_factory):
    """The folder of a design, and its result."""
    out = tmp_path_factory.mktemp("design") / "My die"
    done = run_here(*WORDS, "--within", ".05", "--out", out, *FAST, "--json")
    assert done.exit_code == 0, done.stderr
    return out, json.loads(done.stdout)


@pytest.mark.slow
def test_a_design_resumes_to_the_same_bits_and_is_a_model(designed, tmp_path):
    out, first = designed
    saved = {path.name: path.read_bytes() for path in out.iterdir()}
    # Killed within a line of the fourth round: those candidates are dropped again.
    lines = saved["candidates.jsonl"].splitlines(keepends=True)
    (out / "candidates.jsonl").write_bytes(b"".join(lines[:45]) + lines[45][:20])
    words = [*WORDS, "--within", ".05", "--out", out, *FAST[:-1], 2]
    assert json.loads(run_here(*words, "--json").stdout) == first
    for name in ("candidates.jsonl", "model.toml", "model.obj", "result.json"):
        assert (out / name).read_bytes() == saved[name]
    shares = {row["label"]: row["share"]["value"] for row in first["classes"]}
    assert sum(shares.values()) == pytest.approx(1.0)
    low, high = first["classes"][0]["tried"]
    assert low <= 1 / 6 <= high
    poses = json.loads(run_here("poses", out, "--json").stdout)
    assert poses["model"] == "my_die"
    assert poses["centre_mm"] == pytest.approx(first["centre_mm"], abs=1e-4)
    dropped = run_here("study", "--kind", "drop", "--model", out, "--throws", 50,
                       "--out", tmp_path / "drops", "--workers", 1)  # fmt: skip
    assert dropped.exit_code == 0, dropped.stderr


@pytest.mark.slow
def test_an_interrupt_saves_the_candidates_so_far(tmp_path):
    out = tmp_path / "out"
    words = ["design", "d6", "--target", "6=.19", "--out", out, "--drops", 2000, "--workers", 1]
    with start(*words) as process:
        lines = out / "candidates.jsonl"
        wait_for(lambda: lines.exists() and lines.stat().st_size)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "drops saved in" in printed.splitlines()[-1]
    assert printed.splitlines()[-1].endswith("repeat the command to resume")
    assert not (out / "model.toml").exists()
    assert lines.read_bytes().endswith(b"\n")


@pytest.mark.slow
def test_a_target_out_of_reach_is_refused_before_any_drop(tmp_path):
    words = ["design", "d6", "--target", "1=.4,6=.4", "--material", "steel", "--out"]
    done = run(*words, tmp_path / "die", *FAST)
    assert (done.returncode, done.stdout) == (2, "")
    line = done.stderr.splitlines()[-1]
    assert "out of reach with --free ballast: closest without momentum is 1=0." in line
    assert "(expected 1=0.4, 6=0.4, others=0.2); use --free ballast,shape" in line
    assert not (tmp_path / "die").exists()


@pytest.mark.slow
def test_a_target_that_is_missed_says_what_was_tried_and_writes_no_model(designed, tmp_path):
    # The same search, which has found nothing nearer.
    for path in designed[0].iterdir():
        if path.name in {"candidates.jsonl", "design.json"}:
            shutil.copy2(path, tmp_path)
    words = [*WORDS, "--within", ".001", "--out", tmp_path]
    done = run(*words, *FAST)
    assert (done.returncode, done.stdout) == (2, "")
    line = done.stderr.splitlines()[-1]
    assert "the target cannot be met with --free ballast: closest is 6=0." in line
    assert "(expected 6=0.19, others=0.81); use --free ballast,shape" in line
    assert "tried: 0." in line
    assert not (tmp_path / "model.toml").exists()
    done = run_here(*words, *FAST, "--closest")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "model.toml").exists()
    assert "<svg" in (tmp_path / "shares.svg").read_text()


@pytest.mark.slow
def test_a_design_for_several_floors_is_judged_on_others(tmp_path):
    words = ["design", "d6", "--target", "6=.19", "--within", ".1", "--out", tmp_path / "out"]
    floors = ["--floors", "tabletop,felt", "--heights", "100mm", "--judge", "printed"]
    done = run_here(*words, *floors, "--drops", 100, "--check", 1000, "--workers", 1, "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert [(each["floor"], each["seen"]) for each in document["floors"]] == [
        ("tabletop, 100 mm", True), ("felt, 100 mm", True), ("tabletop, 50 mm", False),
        ("tabletop, 200 mm", False), ("felt, 50 mm", False), ("felt, 200 mm", False),
        ("printed", False),
    ]  # fmt: skip
    fit = document["floors"].pop()
    assert {*fit["fit"]["fitted_to"]} == {"hendecahedron", "kitten", "prism4", "prism5"}
    worth = fit["fit"]["law_worth_throws"]
    for share, budget in zip(fit["shares"], fit["budgets"], strict=True):
        assert budget["law"] == pytest.approx(share["value"] * (1.0 - share["value"]) / worth)
    assert {(each["fit"], each["budgets"]) for each in document["floors"]} == {(None, None)}
    seen = [each["tv"]["value"] for each in document["floors"] if each["seen"]]
    assert document["tv"] == max(seen)
    # A die without ballast shows a 6 in one of 6: total variation 0.023.
    assert document["tv_as_it_is"] == pytest.approx(0.19 - 1 / 6, abs=0.03)
    assert document["tv_worst"] >= document["tv"]
    text = run_here(*words, *floors, "--drops", 100, "--check", 1000, "--workers", 1).stdout
    assert "not seen by the search" in text
    assert f"printed: {fit['fit']['floors']} floors, fitted to " in text
    assert "intervals on tabletop, 100 mm and felt, 100 mm and " in text
    (titles,) = (line for line in text.splitlines() if line.startswith("± 1 sd"))
    assert titles.split()[4:] == ["counting", "floors", "law", "mesh", "all"]
