"""A disk that is full while it is written: a small tmpfs, with room for some of a run."""

import shutil
import time
from functools import cache, partial

from tests.faults.bench import Fault
from tests.faults.kills import moment_of
from tests.faults.small_disk import PAGE, InsideDoor, SmallDisk, why_not
from tests.faults.subjects import POURS, SUBJECTS
from tests.faults.trial import Trial, resume

_PLENTY = 2_000
"""Pages, or files, that no run needs."""


def _filled(subject, bench, rng):
    """Run on a disk with too little room, once more while it is full, and with room to the end."""
    trial, folder = Trial(), bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    with _disk_too_small(subject, bench, folder, rng) as disk:
        inside = InsideDoor(bench.door, disk)
        ended = inside.run(subject.words, folder)
        trial.ended_well(ended, {0, 1, 2})
        before = subject.finished(disk.seen)
        trial.moment = moment_of(subject, len(before), over=ended.code == 0)
        trial.expect(len(before) >= subject.reported(ended.err), "lost", (ended.err, len(before)))
        if ended.code:
            again = inside.run(subject.again(disk.seen), folder)
            trial.ended_well(again, {0, 1, 2})
            after = subject.finished(disk.seen)
            gone = [name for name, digest in before.items() if after.get(name) != digest]
            trial.expect(not gone, "lost", gone)
            before = after
        if rng.integers(2):
            disk.make_room()
            resume(trial, subject, disk.seen, inside, whole, before=before)
            return trial
        shutil.copytree(disk.seen, folder, dirs_exist_ok=True)
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def _disk_too_small(subject, bench, folder, rng):
    """Return a disk on which bytes run out, three times of four, or names of files."""
    (least_pages, pages), (least_files, files) = _needs(subject, bench)
    if rng.integers(4):
        return SmallDisk(folder, pages=int(rng.integers(least_pages, pages)), files=_PLENTY)
    return SmallDisk(folder, pages=_PLENTY, files=int(rng.integers(least_files, files)))


@cache
def _needs(subject, bench):
    """Return what is used of pages before a run, and all that it may need; so of files."""
    folder = bench.fresh(subject, "needs")
    with SmallDisk(folder, pages=_PLENTY, files=_PLENTY) as disk:
        first = disk.used()
        assert InsideDoor(bench.door, disk).run(subject.words, folder).code == 0
        last = disk.used()
        largest = max(path.stat().st_size for path in disk.seen.rglob("*"))
    # A file may be written beside another whose place it takes.
    beside = (-(-largest // PAGE), 1)
    return [(least, most + more) for least, most, more in zip(first, last, beside, strict=True)]


_SHAPE = 10
"""Pages that the shape of a Piggle takes, and some more."""


def _temporary(subject, bench, rng):
    """Run while the disk of temporary files is full for a moment, and once more to the end."""
    trial, folder = Trial(), bench.fresh(subject)
    whole, _ = bench.undisturbed(subject)
    beside = folder.with_name("temporary")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    with SmallDisk(beside, pages=int(rng.integers(2, _SHAPE))) as disk:
        plant = ["temporary_files_on", disk.pid, str(beside)]
        running = bench.door.start(subject.words, folder, plant=plant)
        while running.is_alive() and not disk.is_full():
            time.sleep(0.001)
        reached = len(subject.finished(folder))
        time.sleep(rng.uniform(0.0, 0.2))
        disk.make_room()
        ended = running.ended()
        trial.ended_well(ended, {0, 1, 2})
        before = subject.finished(folder)
        trial.moment = moment_of(subject, reached, over=False)
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


FILLED = tuple(
    Fault(
        key=key,
        told=told,
        subject=subject.name,
        disturb=partial(work, subject),
        why_not=why_not,
        planted=True,
    )
    for key, told, work, subjects in (
        ("disk-small", "a tmpfs with too little room", _filled, SUBJECTS),
        ("temporary-full", "a full disk of temporary files, for a moment", _temporary, (POURS,)),
    )
    for subject in subjects
)
