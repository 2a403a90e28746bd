"""Every fault there is: kills, stops, closed pipes, bad workers, full and broken disks."""

import errno
import json
import os
import shutil
import signal
import time
from contextlib import suppress
from functools import cache, partial

from scripts.trust.faults.bench import (
    MATCH,
    OUT,
    POURS,
    SMALL_STUDY,
    STUDY,
    SUBJECTS,
    TOURNAMENT,
    Disturbance,
    Fault,
    Trial,
)
from scripts.trust.faults.power import journal_states, series_states, study_states
from scripts.trust.faults.small_disk import PAGE, SmallDisk, why_not


def judged(disturb, subject, bench, rng):
    """Disturb a run, judge how it ended and what it left, and take it up again.

    `disturb` takes the run and the generator; it returns how the run ended and the exit statuses
    that are right, or None where it has judged that itself.
    """
    run = Disturbance(subject, bench)
    ended, codes = disturb(run, rng)
    if codes is not None:
        run.trial.ended_well(ended, codes)
    before = run.finished()
    if not run.trial.moment:
        run.at(len(before) if run.reached is None else run.reached, over=ended.code == 0)
    least = subject.items if ended.code == 0 else subject.said(ended.err)
    run.trial.expect(len(before) >= least, "lost", (ended.err, len(before)))
    return run.resume(before)


def started(run, rng):
    """Start a run and wait for a moment: half are drawn over its length, half over its results."""
    running = run.start()
    if rng.integers(2):
        time.sleep(rng.uniform(0.0, run.length))
    else:
        wanted = int(rng.integers(run.subject.items + 1))
        while running.is_alive() and len(run.finished()) < wanted:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.02))
    run.reached = len(run.finished())
    return running


def killed(whom, run, rng):
    """Kill -9 at a random moment: everything, the first process alone, or one worker."""
    running = started(run, rng)
    victims = None if whom == "all" else [running.pid]
    if whom == "worker":
        workers = running.children()
        victims = [workers[int(rng.integers(len(workers)))]] if workers else []
    running.send(signal.SIGKILL, victims)
    ended = running.ended()
    if whom == "worker":
        # The run goes on: a lost worker costs only time.
        run.at(run.reached, over=False)
        run.trial.moment = run.trial.moment if victims else "no worker there"
        return ended, {0}
    run.trial.expect(ended.code in {0, -signal.SIGKILL}, "status", (ended.code, ended.err))
    return ended, None


def stopped(numbers, code, run, rng):
    """Send signals of a person, one after another, at a random moment."""
    running = started(run, rng)
    for number in numbers:
        running.send(number)
        time.sleep(float(rng.choice([0.0, 0.01, 0.1])))
    ended = running.ended()
    if ended.code < 0:
        run.trial.moment = "before it could answer"
    if ended.code == code:
        said = ended.err + ended.out
        run.trial.expect("stopped" in said or "interrupted" in said, "untold", said)
        with suppress(ValueError):
            ended.out and json.loads(ended.out)
            said = ""
        run.trial.expect(not said, "unclear", ended.out)
    # Until it can answer, a signal ends it as any process.
    return ended, {0, code, *(-number for number in numbers)}


def two_at_once(run, rng):
    """Start the same command twice: one is refused, or goes on where the other has been."""
    one = run.start()
    time.sleep(rng.uniform(0.0, run.length))
    run.reached = len(run.finished())
    both = [each.ended() for each in (run.start(suffix=".2"), one)]
    for ended in both:
        run.trial.ended_well(ended, {0, 2})
    run.trial.expect(any(ended.code == 0 for ended in both), "status", both)
    return max(both, key=lambda ended: ended.code), None


_LONG_VERBS = {
    "study": SMALL_STUDY.words[:-1],
    "tournament": TOURNAMENT.words[:-1],
    "roll": ("roll", "3", "--seed", "1"),
}
_VERBS = {
    "match": ("match", "--chance", "tabular", "--seed", "7"),
    "match --json": MATCH.words,
    "games": ("games",),
    "poses": ("poses", "d6"),
    "replay": ("replay", "match.jsonl"),
    "study query": ("study", "query", "done", "SELECT * FROM throws", "--json"),
}


def bad_output(kind, verbs, bench, _rng):
    """Run verbs whose output takes nothing, or no more."""
    folder, trials = bench.root / SMALL_STUDY.name / "pipes", []
    if not folder.exists():
        bench.fresh(SMALL_STUDY, "pipes")
        words = ["done" if word == OUT else word for word in SMALL_STUDY.words]
        assert bench.door.run(words, folder).code == 0
        words = (*_VERBS["match"], "--out", "match.jsonl", "--no-boards")
        assert bench.door.run(words, folder).code == 0
    for verb, words in verbs.items():
        trial = Trial(moment=verb)
        words = tuple(word if word != OUT else f"out-{kind}-{verb}" for word in words)
        if kind == "full":
            trial.ended_well(bench.door.run(words, folder, out="/dev/full"), {1})
        elif kind == "closed":
            trial.ended_well(bench.door.run(words, folder, plant=["closed_output"]), {0})
        else:
            trial.ended_well(_first_line(bench, words, folder), {0, 1}, silent={1})
        trials.append(trial)
    return trials


def _first_line(bench, words, folder):
    """Run a verb whose reader leaves after a line, as `| head -1` does."""
    pipe = folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    # Held open from here, so that neither side waits for the other to open it.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    running = bench.door.start(words, folder, out=pipe)
    got = b""
    while b"\n" not in got and running.is_alive():
        with suppress(BlockingIOError):
            got += os.read(reader, 1)
    os.close(reader)
    return running.ended()


def bad_worker(kind, subject, bench, _rng):
    """A worker does something bad once: the run goes on by itself to the same end."""
    run = Disturbance(subject, bench, kind)
    marks = run.folder.with_name("marks")
    shutil.rmtree(marks, ignore_errors=True)
    ended = run.run(plant=["bad_worker", kind, str(marks)])
    assert len(list(marks.iterdir())) == 1
    run.trial.ended_well(ended, {0})
    run.trial.expect(subject.result(run.folder) == run.whole, "apart")
    return run.trial


def planted(plant, run, rng):
    """Run with a fault planted; `plant` returns it, and the moment if that is known."""
    words, run.trial.moment = plant(run, rng)
    return run.run(plant=words), {0, 1, 2}


def small_files(run, rng):
    measured = run.bench.fresh(run.subject, "measured")
    assert run.bench.door.run(run.subject.words, measured).code == 0
    sizes = [path.stat().st_size for path in (measured / OUT, *(measured / OUT).rglob("*"))]
    return ["disk_of", int(rng.integers(max(sizes)))], ""


_CALLS = {"fsync": (errno.EIO, 12), "replace": (errno.ENOSPC, 6), "mkdir": (errno.EACCES, 3)}


def failing_call(_run, rng):
    name = sorted(_CALLS)[int(rng.integers(len(_CALLS)))]
    number, most = _CALLS[name]
    plant = ["failing_call", name, int(rng.integers(most)), number]
    return plant, f"{name}: {errno.errorcode[number]}"


def read_only(_run, _rng):
    return ["read_only", OUT], "from the start"


def clock(subject, bench, rng):
    """Half of a run, a clock set back and files of next century, and the rest."""
    run = Disturbance(subject, bench, "between two starts")
    run.run(plant=["disk_of", int(rng.integers(2000, 9000))])
    for path in run.folder.rglob("*"):
        os.utime(path, (5e9, 5e9))
    before = run.finished()
    bench.door.run(subject.again(run.folder), run.folder, plant=["clock_set_back"])
    return run.resume(before)


def gone(way, subject, bench, rng):
    """The folder, or the journal, goes away while it is written; one that is moved comes back."""
    run = Disturbance(subject, bench)
    running = run.start()
    target = run.folder / (OUT if subject.name != MATCH.name else f"{OUT}.part")
    until = time.monotonic() + rng.uniform(0.0, run.length)
    while (time.monotonic() < until or not target.exists()) and running.is_alive():
        time.sleep(0.002)
    run.trial.moment = "at work" if target.exists() else "after its end"
    aside, before = run.folder / "aside", {}
    if target.exists():
        target.rename(aside)
    ended = running.ended()
    run.trial.ended_well(ended, {0, 1, 2})
    if way == "moved" and aside.exists():
        if target.exists():
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        aside.rename(target)
        before = run.finished()
        if subject.name == MATCH.name and ended.code == 0:
            # What it had written is whole, though its journal was taken away.
            target.unlink()
    return run.resume(before)


def replaced(subject, bench, rng):
    """A file of a finished folder is another one: it is found, told of, and made again."""
    run = Disturbance(subject, bench, "between two starts")
    assert run.run().code == 0
    name = "shards/*.parquet" if subject is SMALL_STUDY else "pairs.jsonl"
    files = sorted((run.folder / OUT).glob(name))
    victim = files[int(rng.integers(len(files)))]
    other = files[(files.index(victim) + 1) % len(files)]
    text = other.read_bytes() if other != victim else victim.read_bytes().replace(b"1", b"2", 3)
    victim.unlink()
    victim.write_bytes(text)
    ended, trial = run.run(), run.trial
    trial.ended_well(ended, {0})
    trial.expect("torn" in ended.err, "untold", ended.err)
    trial.torn += 1
    found = {k: v for k, v in subject.result(run.folder).items() if "torn" not in k}
    trial.expect(found == run.whole, "apart", sorted(set(found) ^ set(run.whole)))
    return trial


_PLENTY = 2_000
"""Pages, or files, that no run needs."""


def disk_small(subject, bench, rng):
    """Run on a disk with too little room, once more while it is full, and with room to the end."""
    run = Disturbance(subject, bench)
    (least_pages, pages), (least_files, files) = _needs(subject, bench)
    run.folder = bench.fresh(subject)
    # Bytes run out, three times of four, or names of files.
    if rng.integers(4):
        room = {"pages": int(rng.integers(least_pages, pages)), "files": _PLENTY}
    else:
        room = {"pages": _PLENTY, "files": int(rng.integers(least_files, files))}
    with SmallDisk(run.folder, **room) as disk:
        inside = partial(_inside, bench.door, disk)
        ended, trial = inside(subject.words, None), run.trial
        trial.ended_well(ended, {0, 1, 2})
        before = subject.finished(disk.seen)
        run.at(len(before), over=ended.code == 0)
        trial.expect(len(before) >= subject.said(ended.err), "lost", (ended.err, len(before)))
        if ended.code:
            trial.ended_well(inside(subject.again(disk.seen), None), {0, 1, 2})
            after = subject.finished(disk.seen)
            run.keeps(before, after)
            before = after
        if rng.integers(2):
            disk.make_room()
            return run.resume(before, folder=disk.seen, run=inside)
        shutil.copytree(disk.seen, run.folder, dirs_exist_ok=True)
    return run.resume(before)


def _inside(door, disk, words, _folder):
    """Run a program to its end on a small disk."""
    return door.run(words, disk.folder, plant=["in_namespaces_of", disk.pid])


@cache
def _needs(subject, bench):
    """Return what is used of pages before a run, and all that it may need; so of files."""
    with SmallDisk(bench.fresh(subject, "needs"), pages=_PLENTY, files=_PLENTY) as disk:
        first = disk.used()
        assert _inside(bench.door, disk, subject.words, None).code == 0
        last = disk.used()
        largest = max(path.stat().st_size for path in disk.seen.rglob("*"))
    # A file may be written beside another whose place it takes.
    beside = (-(-largest // PAGE), 1)
    return [(least, most + more) for least, most, more in zip(first, last, beside, strict=True)]


def temporary_full(run, rng):
    """Run while the disk of temporary files is full for a moment."""
    beside = run.folder.with_name("temporary")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    # The shape of a Piggle takes less than ten pages.
    with SmallDisk(beside, pages=int(rng.integers(2, 10))) as disk:
        running = run.start(plant=["temporary_files_on", disk.pid, str(beside)])
        while running.is_alive() and disk.used()[0] != disk.pages:
            time.sleep(0.001)
        run.reached = len(run.finished())
        time.sleep(rng.uniform(0.0, 0.2))
        disk.make_room()
        ended = running.ended()
    run.at(run.reached, over=False)
    return ended, {0, 1, 2}


def faults(key, told, disturb, subjects=SUBJECTS, **more):
    """Return a fault at each of some subjects."""
    return [Fault(key, told, each.name, partial(disturb, each), **more) for each in subjects]


def judged_faults(key, told, disturb, *words, **more):
    """Return faults whose run is judged in the usual way."""
    return faults(key, told, partial(judged, partial(disturb, *words)), **more)


_PARALLEL, _FOLDERS, _LAST = (STUDY, TOURNAMENT), (TOURNAMENT, SMALL_STUDY), (SMALL_STUDY,)
_ONCE, _PLANT = {"once": True, "planted": True}, {"planted": True}
_DISK = {"planted": True, "why_not": why_not}
_WORKERS = (
    ("die", "killed by the system at its job", _FOLDERS),
    ("hang", "that stands still (SIGSTOP)", _FOLDERS),
    # Results of a tournament's workers have no seal to be checked by.
    ("nonsense", "whose answer cannot be unpickled", _FOLDERS),
    ("ids", "that answers with another shard's throws", _LAST),
)
_OUTPUTS = (
    ("full", "standard output on a full disk"),
    ("closed", "standard output closed"),
    ("head", "a reader that leaves after a line"),
)
_STATES = {
    "study folder": study_states,
    "series folder": series_states,
    "match journal": journal_states,
}
_INT, _TERM, _POWER = signal.SIGINT, signal.SIGTERM, "unsynced names and data dropped"
FAULTS = [
    *judged_faults("kill", "kill -9 of the process and its workers", killed, "all"),
    *judged_faults(
        "kill-parent", "kill -9 of the process alone", killed, "parent", subjects=_PARALLEL
    ),
    *judged_faults("kill-worker", "kill -9 of one worker", killed, "worker", subjects=_PARALLEL),
    *judged_faults("ctrl-c", "Ctrl-C", stopped, (_INT,), 130),
    *judged_faults("ctrl-c-twice", "Ctrl-C, and again at once", stopped, (_INT,) * 2, 130),
    *judged_faults("sigterm", "SIGTERM", stopped, (_TERM,), 143),
    *judged_faults("two", "the same command twice at once", two_at_once),
    *(
        fault
        for kind, told, subjects in _WORKERS
        for fault in faults(
            f"worker-{kind}", f"a worker {told}", partial(bad_worker, kind), subjects, **_ONCE
        )
    ),
    *judged_faults(
        "disk-full", "no file may grow beyond a random size", planted, small_files, **_PLANT
    ),
    *judged_faults(
        "call-fails", "fsync, replace or mkdir fails, then always", planted, failing_call, **_PLANT
    ),
    *judged_faults(
        "read-only", "a folder that is only read", planted, read_only, subjects=_FOLDERS, **_ONCE
    ),
    *faults("clock", "a clock set back, files of the future", clock, **_ONCE),
    *faults("deleted", "its folder, or journal, deleted", partial(gone, "deleted")),
    *faults("moved", "its folder, or journal, renamed for a time", partial(gone, "moved")),
    *faults("replaced", "a file of the folder replaced", replaced, _FOLDERS, **_ONCE),
    *faults("disk-small", "a tmpfs with too little room", disk_small, **_DISK),
    *judged_faults(
        "temporary-full",
        "a full disk of temporary files, for a moment",
        temporary_full,
        subjects=(POURS,),
        **_DISK,
    ),
    *(
        Fault(f"output-{kind}", told, subject, partial(bad_output, kind, verbs), once=True)
        for kind, told in _OUTPUTS
        for subject, verbs in (("long verbs", _LONG_VERBS), ("quick verbs", _VERBS))
    ),
    *(
        Fault("power", f"power lost after each step, {_POWER}", name, states, once=True)
        for name, states in _STATES.items()
    ),
]
