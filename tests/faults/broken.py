"""Broken workers, disks that are full or only read, calls that fail, folders that go away."""

import errno
import os
import shutil
import time
from functools import partial

from tests.faults.bench import Fault
from tests.faults.kills import moment_of
from tests.faults.subjects import MATCH, OUT, SMALL_STUDY, SUBJECTS, TOURNAMENT
from tests.faults.trial import Trial, resume

_WORKERS = {
    "die": "a worker killed by the system at its job",
    "hang": "a worker that stands still (SIGSTOP)",
    "raise": "a worker whose error cannot be pickled",
    "nonsense": "a worker whose answer cannot be unpickled",
    "shape": "a worker that answers another thing",
    "numbers": "a worker whose counts are not those of its throws",
    "ids": "a worker that answers with another shard's throws",
    "bytes": "a worker whose file is cut short",
}
_ANY = ("die", "hang", "nonsense")
"""What a tournament can tell too: results of its workers have no seal to be checked by."""


def _bad_worker(kind, subject, bench, _rng):
    """A worker does something bad once: the run goes on by itself to the same end."""
    trial, folder = Trial(moment=kind), bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    marks = folder.with_name("marks")
    shutil.rmtree(marks, ignore_errors=True)
    ended = bench.door.run(subject.words, folder, plant=["bad_worker", kind, str(marks), 1])
    assert len(list(marks.iterdir())) == 1
    trial.ended_well(ended, {0})
    trial.expect(subject.result(folder) == whole, "apart")
    return trial


def _disturbed(subject, bench, plant, trial, *, codes=frozenset({1, 2})):
    """Run with a fault planted, and once more without it: all must be as it would have been."""
    folder = bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    ended = bench.door.run(subject.words, folder, plant=plant)
    trial.ended_well(ended, {0, *codes})
    before = subject.finished(folder)
    over = ended.code == 0
    trial.moment = trial.moment or moment_of(subject, len(before), over=over)
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def _disk_full(subject, bench, rng):
    whole = bench.fresh(subject, "measured")
    assert bench.door.run(subject.words, whole).code == 0
    sizes = [path.stat().st_size for path in (whole / OUT, *(whole / OUT).rglob("*"))]
    return _disturbed(subject, bench, ["disk_of", int(rng.integers(max(sizes)))], Trial())


_CALLS = {
    "fsync": (errno.EIO, 12),
    "replace": (errno.ENOSPC, 6),
    "mkdir": (errno.EACCES, 3),
}


def _call_fails(subject, bench, rng):
    name = sorted(_CALLS)[int(rng.integers(len(_CALLS)))]
    number, most = _CALLS[name]
    plant = ["failing_call", name, int(rng.integers(most)), number]
    return _disturbed(subject, bench, plant, Trial(moment=f"{name}: {errno.errorcode[number]}"))


def _read_only(subject, bench, _rng):
    return _disturbed(subject, bench, ["read_only", OUT], Trial(moment="from the start"))


def _clock(subject, bench, rng):
    """Half of a run, a clock set back and files of next century, and the rest."""
    trial, folder = Trial(moment="between two starts"), bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    bench.door.run(subject.words, folder, plant=["disk_of", int(rng.integers(2000, 9000))])
    for path in folder.rglob("*"):
        os.utime(path, (5e9, 5e9))
    before = subject.finished(folder)
    bench.door.run(subject.again(folder), folder, plant=["clock_set_back"])
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def _gone(way, subject, bench, rng):
    """The folder, or the journal, goes away while it is written."""
    trial, folder = Trial(), bench.fresh(subject)
    whole, length = bench.undisturbed(subject)
    running = bench.door.start(subject.words, folder)
    target = folder / (OUT if subject is not MATCH else f"{OUT}.part")
    until = time.monotonic() + rng.uniform(0.0, length)
    while time.monotonic() < until or not target.exists():
        if not running.is_alive():
            break
        time.sleep(0.002)
    trial.moment = "after its end" if not target.exists() else "at work"
    aside, before = folder / "aside", {}
    if target.exists():
        target.rename(aside)
    ended = running.ended()
    trial.ended_well(ended, {0, 1, 2})
    if way == "moved" and aside.exists():
        if target.exists():
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        aside.rename(target)
        before = subject.finished(folder)
        if subject is MATCH and ended.code == 0:
            # What it had written is whole, though its journal was taken away.
            target.unlink()
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def _replaced(subject, bench, rng):
    """A file of a finished folder is another one: it is found, told of, and made again."""
    trial, folder = Trial(moment="between two starts"), bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    assert bench.door.run(subject.words, folder).code == 0
    name = "shards/*.parquet" if subject is SMALL_STUDY else "pairs.jsonl"
    files = sorted((folder / OUT).glob(name))
    victim = files[int(rng.integers(len(files)))]
    other = files[(files.index(victim) + 1) % len(files)]
    text = other.read_bytes() if other != victim else victim.read_bytes().replace(b"1", b"2", 3)
    victim.unlink()
    victim.write_bytes(text)
    ended = bench.door.run(subject.words, folder)
    trial.ended_well(ended, {0})
    trial.expect("torn" in ended.err, "untold", ended.err)
    trial.torn += 1
    found = {k: v for k, v in subject.result(folder).items() if "torn" not in k}
    trial.expect(found == whole, "apart", sorted(set(found) ^ set(whole)))
    return trial


_FOLDERS = (TOURNAMENT, SMALL_STUDY)
_GONE = {way: partial(_gone, way) for way in ("deleted", "moved")}
_OTHERS = (
    ("disk-full", "no file may grow beyond a random size", _disk_full, False, SUBJECTS),
    ("call-fails", "fsync, replace or mkdir fails, then always", _call_fails, False, SUBJECTS),
    ("read-only", "a folder that is only read", _read_only, True, _FOLDERS),
    ("clock", "a clock set back, files of the future", _clock, True, SUBJECTS),
    ("deleted", "its folder, or journal, deleted", _GONE["deleted"], False, SUBJECTS),
    ("moved", "its folder, or journal, renamed for a time", _GONE["moved"], False, SUBJECTS),
    ("replaced", "a file of the folder replaced", _replaced, True, _FOLDERS),
)

BROKEN = (
    *(
        Fault(
            key=f"worker-{kind}",
            told=told,
            subject=subject.name,
            disturb=partial(_bad_worker, kind, subject),
            once=True,
            planted=True,
        )
        for kind, told in _WORKERS.items()
        for subject in (TOURNAMENT, SMALL_STUDY)
        if subject is SMALL_STUDY or kind in _ANY
    ),
    *(
        Fault(
            key=key,
            told=told,
            subject=subject.name,
            disturb=partial(work, subject),
            once=once,
            planted=key not in _GONE,
        )
        for key, told, work, once, subjects in _OTHERS
        for subject in subjects
    ),
)
