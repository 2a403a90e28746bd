"""Each fault once, at the quickest that it can be done to; `scripts/faults` does it often."""

import os
from dataclasses import replace

import pytest

from pigglesim.rng import generator
from scripts.trust.faults.__main__ import Row, table_of
from scripts.trust.faults.bench import MATCH, Bench, Disturbance, Trial
from scripts.trust.faults.every import FAULTS
from scripts.trust.faults.power import crash_states
from scripts.trust.faults.small_disk import why_not
from tests.support.doors import QuickDoor

_LAST = {fault.key: fault for fault in FAULTS}
"""The last subject of a fault is the quickest."""
QUICK = [
    fault
    for fault in FAULTS
    if _LAST[fault.key] is fault
    or (fault.key, fault.subject) == ("kill", "study")
    or fault.key == "power"
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with QuickDoor() as door:
        yield Bench(tmp_path_factory.mktemp("faults"), door)


@pytest.mark.slow
@pytest.mark.parametrize("fault", QUICK, ids=lambda fault: f"{fault.key}-{fault.subject}")
def test_every_promise_holds(fault, bench):
    if fault.why_not():
        # Where no disk may be mounted, a limit on the size of files stands in its place.
        fault = _LAST["disk-full"]
    found = fault.disturb(bench, generator(5, "faults", fault.key, fault.subject))
    trials = found if isinstance(found, list) else [found]
    assert trials
    assert [breach for trial in trials for breach in trial.breaches] == []


def test_a_name_given_before_its_data_is_safe_would_be_seen(tmp_path):
    def work(place, promise):
        (place / "part").write_bytes(b"all of it")
        os.replace(place / "part", place / "file")  # noqa: PTH105 (the call that is looked at)
        promise(1)

    def check(place, promised):
        path = place / "file"
        if (promised or path.exists()) and path.read_bytes() != b"all of it":
            raise AssertionError(path)

    trials = crash_states(tmp_path / "disk", work, check, generator(1, "disk"))
    assert any(trial.breaches for trial in trials)
    assert not all(trial.breaches for trial in trials)


def test_what_is_lost_or_comes_out_otherwise_would_be_seen(bench):
    run = Disturbance(MATCH, bench)
    assert run.run().code == 0
    before = run.finished()
    assert run.resume(before).breaches == []
    run.whole = {"out": "0" * 64}
    assert [name for name, _ in run.resume(before | {"99": "0" * 64}).breaches] == ["lost", "apart"]


def test_the_table_counts_trials_and_names_what_was_not_tried(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    untried = why_not.__wrapped__()
    assert untried == "[Errno 2] No such file or directory: 'unshare'"
    row = Row(fault=FAULTS[0], trials=[Trial(moment="closing"), Trial(moment="closing")])
    text = table_of([row, replace(row, trials=[], untried=untried)])
    assert "| study | 2 | closing 2 | 0 | 0 | 0 | 0 | kept |" in text
    assert f"| not tried here: {untried} |" in text
