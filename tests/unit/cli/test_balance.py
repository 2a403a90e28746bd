"""`pigglesim balance` as a person uses it: tables, JSON, reports, kills, faults."""

import json
import os
import re
import signal
import time

import pytest

from tests.front_door import run, run_here, start

WORDS = ["balance", "--matches", 4, "--seed", 5, "--quiet"]


def trials_of(folder):
    path = folder / "trials.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "study"
    done = run_here(*map(str, WORDS), "--workers", "1", "--out", str(folder), "--json")
    return folder, json.loads(done.stdout)


def test_json_tells_all(whole):
    folder, document = whole
    assert document["folder"] == str(folder)
    assert (document["trials"], document["stopped"]) == (84, False)
    classic, modern = document["findings"]["found"]
    assert (classic["game"], modern["game"]) == ("piggles_classic", "piggles_modern")
    assert classic["points_of"] is None
    assert [each["name"] for each in classic["comparisons"]] == ["premium:1", "premium:6"]
    # Fewer random teams than kinds of Piggles: no interval.
    assert modern["points_of"]["kinds"]["red+left"]["low"] is None
    assert modern["timeline"]["matches"] == 16


@pytest.mark.slow
def test_a_killed_study_goes_on_to_the_same_bytes(whole, tmp_path):
    folder = tmp_path / "study"
    process = start(*WORDS, "--workers", 2, "--out", folder)
    end = time.monotonic() + 60
    while trials_of(folder) < 10 and time.monotonic() < end:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert trials_of(folder) >= 10
    done = run_here("balance", "--out", str(folder), "--workers", "1", "--quiet")
    assert "84 trials" in done.stdout
    assert "lead [points]" in done.stdout
    assert (folder / "trials.jsonl").read_bytes() == (whole[0] / "trials.jsonl").read_bytes()


@pytest.mark.slow
def test_a_report_is_one_page_with_its_pictures_and_the_same_again(whole):
    folder = whole[0]
    before = (folder / "trials.jsonl").read_bytes()
    files = json.loads(run_here("balance", "report", str(folder), "--json").stdout)["files"]
    page = (folder / "report.html").read_text()
    pictures = {path.name for path in (folder / "pictures").iterdir()}
    names = {"seats", "rounds", "values-piggles_classic", "values-piggles_modern", "effects"}
    assert pictures == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    assert len(files) == 1 + len(pictures)
    assert page.count("<figure>") == len(names)
    assert "The balance of Classic and Modern" in page
    assert "colour:orange" in page
    assert not re.search(r"<script|src=\"http|\bnan\b|\binf\b", page)
    run_here("balance", "report", str(folder))
    assert (folder / "report.html").read_text() == page
    assert (folder / "trials.jsonl").read_bytes() == before
    # A study may still grow in a folder that holds a report.
    more = run_here("balance", "--out", str(folder), "--matches", "6", "--quiet", "--workers", "1")
    assert "126 trials" in more.stdout


FAULTS = [
    (("balance", "--parts", "colour:purple"), "a known colour of a Piggle, got 'purple'"),
    (("balance", "--game", "piggles"), "try: piggles_"),
    (("balance", "--agents", "gready"), "try: greedy"),
    (("balance", "--level", "2"), "--level 0.95"),
    (("balance", "--rule", "mud_dely=none"), "mud_delay"),
    (("balance", "report", "nowhere"), "no folder nowhere"),
    (("balance", "report", "."), "a folder that pigglesim balance wrote"),
]


@pytest.mark.parametrize(("words", "told"), FAULTS)
def test_a_fault_is_one_line_and_leaves_nothing(tmp_path, words, told):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
