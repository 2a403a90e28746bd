"""The verb, and the bits that come with pigglesim beside those of this machine."""

import json

import pytest

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.fingerprints.manifest import (
    OWN,
    Verdict,
    chosen_prints,
    compared,
    digest,
    nearest,
    read_manifest,
    versions_here,
)
from tests.front_door import run_here


@pytest.mark.slow
def test_this_machine_makes_the_bits_of_the_manifest():
    here = versions_here()
    there = nearest(read_manifest(OWN), here)
    quick = chosen_prints([], quick=True)
    found = {one.name: digest(one.values()) for one in quick}
    findings = compared(quick, replace_prints(here, found), there)
    assert [each.sentence for each in findings if each.verdict is Verdict.FAULT] == []
    if there is not None and there.versions == here.versions:
        assert {each.verdict for each in findings} == {Verdict.SAME}


def replace_prints(taken, found):
    return type(taken)(machine=taken.machine, versions=taken.versions, prints=found)


def test_fingerprints_are_chosen_by_name_or_by_how_it_begins():
    assert [one.name for one in chosen_prints(["shapes/d6"], quick=True)] == ["shapes/d6"]
    names = [one.name for one in chosen_prints(["throws/impulse"], quick=False)]
    assert names == [f"throws/impulse/{kind}" for kind in ("drops", "pours", "dice")]
    with pytest.raises(SpecError, match="shapes/d6"):
        chosen_prints(["shapes/d"], quick=True)


def fingerprint(*words):
    done = run_here("fingerprint", "--only", "shapes/d6,odds", *words)
    return done.exit_code, done


def test_the_verb_tells_and_compares(tmp_path):
    status, done = fingerprint("--json")
    told = json.loads(done.stdout)
    assert status == 0
    assert list(told["fingerprints"]) == ["shapes/d6", "odds/piggle", "odds/premium"]
    table = json.loads(OWN.read_text())
    for taken in table["taken"]:
        taken["versions"] = told["versions"]
        taken["prints"] = {n: f["sha256"] for n, f in told["fingerprints"].items()}
        taken["prints"]["odds/piggle"] = "0" * 64
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(table))
    status, done = fingerprint("--against", edited)
    assert status == 1
    assert "odds/piggle differ, though made with the very same versions" in done.stdout
    table["taken"][0]["versions"] = told["versions"] | {"numpy": "1.0"}
    edited.write_text(json.dumps(table))
    status, done = fingerprint("--against", edited)
    assert status == 0
    assert "odds/piggle differ: made with numpy 1.0, here numpy" in done.stdout


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("--only", "nothing"), "films/dice"),
        (("--quick", "--write", "m.json"), "leave --only and --quick out"),
        (("--against", "absent.json"), "check the path"),
        (("--write", "no/such/folder/m.json"), "--write mine.json"),
    ],
)
def test_faults_are_told_before_any_work(words, remedy):
    done = run_here_or_raise(words)
    assert remedy in str(done)


def run_here_or_raise(words):
    with pytest.raises(PigglesimError) as told:
        run_here("fingerprint", *words)
    return told.value


@pytest.mark.slow
def test_a_stop_tells_what_was_taken_and_writes_no_manifest(tmp_path, monkeypatch):
    taken = []

    def stopped(value):
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(value)
        return digest(value)

    monkeypatch.setattr("pigglesim.cli.fingerprint.digest", stopped)
    path = tmp_path / "mine.json"
    done = run_here("fingerprint", "--json", "--write", path)
    assert done.exit_code == 130, done.output
    told = json.loads(done.stdout)
    assert told["stopped"]
    assert len(told["fingerprints"]) == 2
    assert not path.exists()
