"""Every fault there is: kills, stops, closed pipes, bad workers, full and broken disks."""

import errno
import json
import os
import shutil
import signal
import time
from contextlib import suppress
from functools import cache, partial

from tests.faults.bench import (
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
from tests.faults.power import journal_states, series_states, study_states
from tests.faults.small_disk import PAGE, SmallDisk, why_not


def wait_for_a_moment(run, running, rng):
    """Wait for a moment of a run: half are drawn over its length, half over what it finishes."""
    if rng.integers(2):
        time.sleep(rng.uniform(0.0, run.length))
        return
    wanted = int(rng.integers(run.subject.items + 1))
    while running.is_alive() and len(run.finished()) < wanted:
        time.sleep(0.001)
    time.sleep(rng.uniform(0.0, 0.02))


def killed(whom, subject, bench, rng):
    """Kill -9 at a random moment: everything, the first process alone, or one worker."""
    run = Disturbance(subject, bench)
    running = run.start()
    wait_for_a_moment(run, running, rng)
    reached = len(run.finished())
    victims = None if whom == "all" else [running.pid]
    if whom == "worker":
        workers = running.children()
        victims = [workers[int(rng.integers(len(workers)))]] if workers else []
    running.send(signal.SIGKILL, victims)
    ended = running.ended()
    before = run.finished()
    run.at(reached, over=ended.code == 0 and whom != "worker")
    if victims == []:
        run.trial.moment = "no worker there"
    if whom == "worker":
        # It goes on by itself: a worker costs the time of what it was at.
        run.trial.ended_well(ended, {0})
    else:
        run.trial.expect(ended.code in {0, -signal.SIGKILL}, "status", (ended.code, ended.err))
    least = subject.items if ended.code == 0 else subject.said(ended.err)
    run.trial.expect(len(before) >= least, "lost", (ended.err, len(before)))
    return run.resume(before)


def stopped(numbers, code, subject, bench, rng):
    """Send signals of a person, one after another, at a random moment."""
    run = Disturbance(subject, bench)
    running = run.start()
    wait_for_a_moment(run, running, rng)
    reached = len(run.finished())
    for number in numbers:
        running.send(number)
        time.sleep(float(rng.choice([0.0, 0.01, 0.1])))
    ended, trial = running.ended(), run.trial
    before = run.finished()
    # Until it can answer, a signal ends it as any process.
    trial.ended_well(ended, {0, code, *(-number for number in numbers)})
    run.at(reached, over=ended.code == 0)
    if ended.code < 0:
        trial.moment = "before it could answer"
    trial.expect(len(before) >= subject.said(ended.err), "lost", ended.err)
    if ended.code == code:
        said = ended.err + ended.out
        trial.expect("stopped" in said or "interrupted" in said, "untold", said)
        trial.expect(not ended.out or _is_json(ended.out), "unclear", ended.out)
    return run.resume(before)


def _is_json(text):
    try:
        return bool(json.loads(text))
    except ValueError:
        return False


def two_at_once(subject, bench, rng):
    """Start the same command twice: one is refused, or goes on where the other has been."""
    run = Disturbance(subject, bench)
    one = run.start()
    time.sleep(rng.uniform(0.0, run.length))
    reached = len(run.finished())
    both = (run.start(suffix=".2"), one)
    codes = set()
    for ended in (each.ended() for each in both):
        run.trial.ended_well(ended, {0, 2})
        codes.add(ended.code)
    run.trial.expect(0 in codes, "status", codes)
    run.at(reached, over=codes == {0})
    return run.resume(run.finished())


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


def planted(plant, subject, bench, rng):
    """Run with a fault planted, and once more without it: all must be as it would have been.

    `plant` takes the disturbance and the generator; it returns the plant, and the moment if known.
    """
    run = Disturbance(subject, bench)
    words, moment = plant(run, rng)
    ended = run.run(plant=words)
    run.trial.ended_well(ended, {0, 1, 2})
    before = run.finished()
    run.at(len(before), over=ended.code == 0)
    run.trial.moment = moment or run.trial.moment
    return run.resume(before)


def _small_files(run, rng):
    measured = run.bench.fresh(run.subject, "measured")
    assert run.bench.door.run(run.subject.words, measured).code == 0
    sizes = [path.stat().st_size for path in (measured / OUT, *(measured / OUT).rglob("*"))]
    return ["disk_of", int(rng.integers(max(sizes)))], ""


_CALLS = {"fsync": (errno.EIO, 12), "replace": (errno.ENOSPC, 6), "mkdir": (errno.EACCES, 3)}


def _failing_call(_run, rng):
    name = sorted(_CALLS)[int(rng.integers(len(_CALLS)))]
    number, most = _CALLS[name]
    plant = ["failing_call", name, int(rng.integers(most)), number]
    return plant, f"{name}: {errno.errorcode[number]}"


def _read_only(_run, _rng):
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
    target = run.folder / (OUT if subject is not MATCH else f"{OUT}.part")
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
        if subject is MATCH and ended.code == 0:
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


def temporary_full(subject, bench, rng):
    """Run while the disk of temporary files is full for a moment, and once more to the end."""
    run = Disturbance(subject, bench)
    beside = run.folder.with_name("temporary")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    # The shape of a Piggle takes less than ten pages.
    with SmallDisk(beside, pages=int(rng.integers(2, 10))) as disk:
        running = run.start(plant=["temporary_files_on", disk.pid, str(beside)])
        while running.is_alive() and disk.used()[0] != disk.pages:
            time.sleep(0.001)
        reached = len(run.finished())
        time.sleep(rng.uniform(0.0, 0.2))
        disk.make_room()
        ended = running.ended()
    run.trial.ended_well(ended, {0, 1, 2})
    before = run.finished()
    run.at(reached, over=False)
    return run.resume(before)


_PARALLEL, _FOLDERS, _LAST = (STUDY, TOURNAMENT), (TOURNAMENT, SMALL_STUDY), (SMALL_STUDY,)
_ONCE, _PLANT = {"once": True, "planted": True}, {"planted": True}
_DISK = {"planted": True, "why_not": why_not}
_FILES, _CALL, _READ = (
    partial(planted, each) for each in (_small_files, _failing_call, _read_only)
)
_KILL = {whom: partial(killed, whom) for whom in ("all", "parent", "worker")}
_TABLE = (
    ("kill", "kill -9 of the process and its workers", _KILL["all"], SUBJECTS, {}),
    ("kill-parent", "kill -9 of the process alone", _KILL["parent"], _PARALLEL, {}),
    ("kill-worker", "kill -9 of one worker", _KILL["worker"], _PARALLEL, {}),
    ("ctrl-c", "Ctrl-C", partial(stopped, (signal.SIGINT,), 130), SUBJECTS, {}),
    (
        "ctrl-c-twice",
        "Ctrl-C, and again at once",
        partial(stopped, (signal.SIGINT,) * 2, 130),
        SUBJECTS,
        {},
    ),
    ("sigterm", "SIGTERM", partial(stopped, (signal.SIGTERM,), 143), SUBJECTS, {}),
    ("two", "the same command twice at once", two_at_once, SUBJECTS, {}),
    *(
        (f"worker-{kind}", f"a worker {told}", partial(bad_worker, kind), subjects, _ONCE)
        for kind, told, subjects in (
            ("die", "killed by the system at its job", _FOLDERS),
            ("hang", "that stands still (SIGSTOP)", _FOLDERS),
            ("raise", "whose error cannot be pickled", _LAST),
            # Results of a tournament's workers have no seal to be checked by.
            ("nonsense", "whose answer cannot be unpickled", _FOLDERS),
            ("shape", "that answers another thing", _LAST),
            ("numbers", "whose counts are not those of its throws", _LAST),
            ("ids", "that answers with another shard's throws", _LAST),
            ("bytes", "whose file is cut short", _LAST),
        )
    ),
    ("disk-full", "no file may grow beyond a random size", _FILES, SUBJECTS, _PLANT),
    (
        "call-fails",
        "fsync, replace or mkdir fails, then always",
        _CALL,
        SUBJECTS,
        _PLANT,
    ),
    ("read-only", "a folder that is only read", _READ, _FOLDERS, _ONCE),
    ("clock", "a clock set back, files of the future", clock, SUBJECTS, _ONCE),
    ("deleted", "its folder, or journal, deleted", partial(gone, "deleted"), SUBJECTS, {}),
    ("moved", "its folder, or journal, renamed for a time", partial(gone, "moved"), SUBJECTS, {}),
    ("replaced", "a file of the folder replaced", replaced, _FOLDERS, _ONCE),
    ("disk-small", "a tmpfs with too little room", disk_small, SUBJECTS, _DISK),
    (
        "temporary-full",
        "a full disk of temporary files, for a moment",
        temporary_full,
        (POURS,),
        _DISK,
    ),
)
FAULTS = (
    *(
        Fault(key=key, told=told, subject=subject.name, disturb=partial(work, subject), **words)
        for key, told, work, subjects, words in _TABLE
        for subject in subjects
    ),
    *(
        Fault(
            key=f"output-{kind}",
            told=told,
            subject=subject,
            disturb=partial(bad_output, kind, verbs),
            once=True,
        )
        for kind, told in (
            ("full", "standard output on a full disk"),
            ("closed", "standard output closed"),
            ("head", "a reader that leaves after a line"),
        )
        for subject, verbs in (("long verbs", _LONG_VERBS), ("quick verbs", _VERBS))
    ),
    *(
        Fault(
            key="power",
            told="power lost after each step, unsynced names and data dropped",
            subject=name,
            disturb=states,
            once=True,
        )
        for name, states in (
            ("study folder", study_states),
            ("series folder", series_states),
            ("match journal", journal_states),
        )
    ),
)
