"""Each fault once, at the quickest that it can be done to; `scripts/faults` does it often."""

import os
from dataclasses import replace

import pytest

from pigglesim.rng import generator
from tests.doors import FrontDoor, QuickDoor
from tests.faults.__main__ import set_aside
from tests.faults.bench import Bench
from tests.faults.disk import ForgetfulDisk
from tests.faults.every import FAULTS
from tests.faults.page import table_lines, write_page
from tests.faults.power import crash_states
from tests.faults.small_disk import why_not
from tests.faults.subjects import MATCH
from tests.faults.trial import Row, Trial, resume

_LAST = {fault.key: fault for fault in FAULTS}
"""The last subject of a fault is the quickest."""
_BY_THE_STORE = {"worker-raise", "worker-shape", "worker-bytes"}
"""Alike to `worker-ids` from here; what a store refuses has a test of its own."""
QUICK = [
    fault
    for fault in FAULTS
    if (_LAST[fault.key] is fault and fault.key not in _BY_THE_STORE)
    or (fault.key, fault.subject) == ("kill", "study")
    or fault.key == "power"
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with QuickDoor() as door:
        yield Bench(tmp_path_factory.mktemp("faults"), door, FrontDoor())


class _PlantsNothing:
    """Refuses what the front door refuses: one in fifty of what is random goes through that."""

    def __init__(self, door):
        self._door = door

    def start(self, *words, plant=None, **more):
        assert plant is None, "what is planted must say so"
        return self._door.start(*words, **more)

    def run(self, *words, **more):
        return self.start(*words, **more).ended()


@pytest.mark.slow
@pytest.mark.parametrize("fault", QUICK, ids=lambda fault: f"{fault.key}-{fault.subject}")
def test_every_promise_is_kept(fault, bench, monkeypatch):
    if fault.why_not():
        # Where no disk may be mounted, a limit on the size of files stands in its place.
        fault = _LAST["disk-full"]
    if not (fault.planted or fault.once):
        monkeypatch.setattr(bench, "door", _PlantsNothing(bench.door))
    found = fault.disturb(bench, generator(5, "faults", fault.key, fault.subject))
    trials = found if isinstance(found, list) else [found]
    assert trials
    assert [breach for trial in trials for breach in trial.breaches] == []


def test_a_name_given_before_its_data_is_safe_would_be_seen(tmp_path):
    def work(place, promise):
        place.mkdir(exist_ok=True)
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


def test_what_is_done_elsewhere_is_no_step(tmp_path):
    looked, root = [], tmp_path / "disk"
    root.mkdir()
    with ForgetfulDisk(root, looked.append).looking_on():
        # As the first temporary file of a process does, wherever those lie.
        (tmp_path / "elsewhere").mkdir()
        assert looked == []
        (root / "here").mkdir()
        assert len(looked) == 2


def test_what_is_lost_or_comes_out_otherwise_would_be_seen(bench):
    folder = bench.fresh(MATCH)
    whole, _ = bench.undisturbed(MATCH)
    assert bench.door.run(MATCH.words, folder).code == 0
    before = MATCH.finished(folder)
    trial = Trial()
    resume(trial, MATCH, folder, bench.door, whole, before=before)
    assert trial.breaches == []
    resume(trial, MATCH, folder, bench.door, {"out": "0" * 64}, before=before | {"99": "0" * 64})
    assert [name for name, _ in trial.breaches] == ["lost", "apart"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("#!/bin/sh\necho 'unshare: not permitted' >&2\nexit 1\n", "unshare: not permitted"),
        (None, "[Errno 2] No such file or directory: 'unshare'"),
    ],
    ids=["refused", "not installed"],
)
def test_what_cannot_be_tried_on_a_machine_is_told(program, why, tmp_path, monkeypatch, capsys):
    if program:
        (tmp_path / "unshare").write_text(program)
        (tmp_path / "unshare").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    row = Row(fault=replace(_LAST["disk-small"], why_not=why_not.__wrapped__))
    set_aside([row])
    told = f"not tried here: {why}"
    assert table_lines([row])[-1].endswith(f"| match | 0 |  | 0 | 0 | 0 | 0 | {told} |")
    assert row.document()["untried"] == why
    assert capsys.readouterr().err == f"disk-small match: not tried: {why}\n"


def test_a_page_keeps_all_but_its_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- made by: scripts/faults -->\nold\n<!-- end -->\nafter\n")
    row = Row(fault=FAULTS[0], trials=[Trial(moment="closing"), Trial(moment="closing")])
    for _ in range(2):
        write_page([row], page)
    text = page.read_text()
    assert text.startswith("before\n<!-- made by: scripts/faults -->\n")
    assert text.endswith("\n<!-- end -->\nafter\n")
    assert "old" not in text
    assert text.count("closing 2") == 1
