"""Loss of power after every step of what writes: what a disk may be left with is opened.

While a disk is looked at, every call that syncs, renames, makes or removes there is a step, before
it and after it. At each, the names of a folder are those of its last sync and the first so many
changes since, and a file is what was in it at its own last sync and so much of what was written
since. (The models of ALICE and CrashMonkey, but that changes of one folder are kept in order.)
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from pigglesim.errors import PigglesimError
from pigglesim.experiments.folder import SeriesFolder, SeriesKind
from pigglesim.experiments.run import run
from pigglesim.experiments.shard import StudyPlan
from pigglesim.experiments.store import Store
from pigglesim.match.entries import Status
from pigglesim.match.record import Journal, finish, read_record, read_unfinished
from scripts.trust.faults.bench import Trial
from tests.support.front_door import run_here
from tests.support.small_studies import Canned, low_floor, made, small_study

_CALLS = ("replace", "rename", "unlink", "mkdir", "truncate", "fsync")


class ForgetfulDisk:
    """Looks on at a folder, and shows what could be left of it; a context manager.

    Args:
        root: The folder; what it holds at first is safe.
        look: Called at each step with the disk.
    """

    def __init__(self, root, look):
        self._root, self._look = root, look
        self._held, self._safe_names, self._changes, self._listings = {}, {}, {}, {}
        self._scan()
        for inode, listing in self._listings.items():
            self._safe_names[inode], self._changes[inode] = dict(listing), []
        self._safe_data = {inode: self._live(inode) for inode in self._held}
        self._paused = False

    def __enter__(self):
        self._patches = [patch.object(os, name, self._around(getattr(os, name))) for name in _CALLS]
        for each in self._patches:
            each.start()
        return self

    def __exit__(self, *fault):
        for each in self._patches:
            each.stop()
        self._look(self)
        for handle in self._held.values():
            os.close(handle)

    def _around(self, call):
        """Return a call of the system with a step before it and one after it."""

        def called(*words, **more):
            if self._paused or not self._is_here(words[0]):
                return call(*words, **more)
            self._step()
            done = call(*words, **more)
            if call.__name__ == "fsync":
                inode = os.fstat(words[0]).st_ino
                if inode in self._listings:
                    self._safe_names[inode] = dict(self._listings[inode])
                    self._changes[inode] = []
                else:
                    self._safe_data[inode] = self._live(inode)
            self._step()
            return done

        return called

    def left(self, place, rng=None, *, names=True, data=False):
        """Write what would be left into a new folder.

        Args:
            place: The new folder.
            rng: Draws how much; without it all or nothing of what no sync has made safe is.
            names: Whether changed names are left.
            data: Whether what was written is left.
        """
        self._rng, self._all = rng, (names, data)
        self._build(self._root.stat().st_ino, place)

    def _build(self, inode, place):
        place.mkdir()
        found, changes = dict(self._safe_names.get(inode, {})), self._changes.get(inode, [])
        count = len(changes) * self._all[0]
        if self._rng is not None:
            count = int(self._rng.integers(len(changes) + 1))
        for change in changes[:count]:
            found.update(change)
        for name, at in found.items():
            if at in self._listings or at in self._safe_names:
                self._build(at, place / name)
            elif at is not None:
                (place / name).write_bytes(self._content(at))

    def _content(self, inode):
        safe, live = self._safe_data.get(inode, b""), self._live(inode)
        if self._rng is None:
            return live if self._all[1] else safe
        if not live.startswith(safe):
            return live if self._rng.integers(2) else safe
        return live[: int(self._rng.integers(len(safe), len(live) + 1))]

    def _live(self, inode):
        return os.pread(self._held[inode], os.fstat(self._held[inode]).st_size, 0)

    def _is_here(self, what):
        """Whether a call concerns the folder, by its first word: a path, or an open file."""
        return isinstance(what, int) or Path(what).absolute().is_relative_to(self._root)

    def _step(self):
        before = self._listings
        self._scan()
        for inode, listing in self._listings.items():
            was = before.get(inode, {})
            gone = {name: None for name in was if name not in listing}
            change = gone | {name: at for name, at in listing.items() if was.get(name) != at}
            if change:
                self._changes.setdefault(inode, []).append(change)
        self._paused = True
        self._look(self)
        self._paused = False

    def _scan(self):
        """Take in every name there is; an inode is held, so that no other file gets its number."""
        self._listings = {}
        todo = [self._root]
        while todo:
            folder = todo.pop()
            listing = self._listings[folder.stat().st_ino] = {}
            for entry in os.scandir(folder):
                inode = listing[entry.name] = entry.inode()
                if entry.is_dir():
                    todo.append(Path(entry.path))
                elif inode not in self._held:
                    self._held[inode] = os.open(entry.path, os.O_RDONLY)


_DRAWN = 3
"""States drawn at each step, beside the four that keep all or nothing."""


def crash_states(root, work, check, rng):
    """Do some work in a folder, and judge every state that a loss of power may leave it in.

    Args:
        root: A folder for scratch, which is made.
        work: Takes the folder and `promise`, which it calls with what must be there from then on.
        check: Takes a folder and what was promised; raises what it finds wrong, or returns
            how much was found torn.
        rng: Draws some of the states.
    """
    shutil.rmtree(root, ignore_errors=True)
    (root / "live" / "in").mkdir(parents=True)
    promised, trials, seen, left = [0], [], set(), root / "left"

    def look(disk):
        ways = [{"names": a, "data": b} for a in (False, True) for b in (False, True)]
        for way in [*ways, *({"rng": rng} for _ in range(_DRAWN))]:
            shutil.rmtree(left, ignore_errors=True)
            disk.left(left, **way)
            files = sorted(path for path in left.rglob("*") if path.is_file())
            state = hash((promised[0], *((path, path.read_bytes()) for path in files)))
            if state not in seen:
                seen.add(state)
                trials.append(_judged(check, left / "in", promised[0]))

    with ForgetfulDisk(root / "live", look):
        work(root / "live" / "in", lambda what: promised.__setitem__(0, what))
    return trials


def _judged(check, place, promised):
    trial = Trial(moment="states")
    try:
        trial.torn = check(place, promised) or 0
    except (_LostError, PigglesimError) as lost:
        trial.expect(False, "lost", lost)
    except Exception as fault:
        trial.expect(False, "unclear", f"{type(fault).__name__}: {fault}")
    return trial


class _LostError(Exception):
    pass


def _expect(kept, what):
    if not kept:
        raise _LostError(what)


def study_states(bench, rng):
    """A study of four shards, written by its store."""
    folder = bench.root / "power-study"
    folder.mkdir(exist_ok=True)
    plan = StudyPlan.of(small_study(low_floor(folder), throws=500))
    text, count = plan.study.to_json(), plan.study.shard_count

    def work(place, promise):
        with Store(place / "study", plan) as store:
            promise(1)
            for number in range(count):
                store.add(number, made(text, number))
                promise(2 + number)

    def check(place, promised):
        # Before anything was promised, not even the folder need be there.
        _expect((place / "study").is_dir() or not promised, "the folder")
        place.mkdir(exist_ok=True)
        with Store(place / "study", plan) as store:
            _expect(len(store.finished) >= promised - 1, f"{store.finished} of {promised - 1}")
            kept = set(store.finished)
            notes = len(store.notes)
            for number in kept:
                _expect(store.shard_file(number).read_bytes() == made(text, number), number)
            if rng.integers(10) == 0:
                progress = run(store, Canned(plan.study))
                _expect((progress.kept, progress.made) == (len(kept), count - len(kept)), "twice")
                _expect(progress.throws == plan.study.throws * 2, f"{progress.throws} throws")
        return notes

    return crash_states(folder / "disk", work, check, rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coin:
    """An item of a series that leaves a file beside its line."""

    index: int


_KIND = SeriesKind(
    series="tossing",
    items="coins",
    definition=dict,
    item=_Coin,
    files=lambda coin: {f"kept/{coin.index}.txt": f"coin {coin.index}\n" * 40},
    beside="kept",
)
_COINS = 4


def series_states(bench, rng):
    """A series of four items, each with a file beside its line."""

    def opened(place):
        return SeriesFolder(
            place / "series", _KIND, {"coin": "1 Euro"}, {"version": 1}, wanted=_COINS
        )

    def work(place, promise):
        with opened(place) as folder:
            for index in range(_COINS):
                folder.add(_Coin(index=index))
        promise(_COINS)

    def check(place, promised):
        place.mkdir(exist_ok=True)
        with opened(place) as folder:
            there = len(folder.items)
            _expect(there >= promised, f"{there} of {promised}")
            _expect([coin.index for coin in folder.items] == list(range(there)), "order")
            for coin in folder.items:
                for name, text in _KIND.files(coin).items():
                    path = folder.path / name
                    _expect(path.is_file() and path.read_text() == text, name)
            notes = len(folder.notes)
            for index in range(there, _COINS):
                folder.add(_Coin(index=index))
        lines = (place / "series" / "coins.jsonl").read_text().splitlines()
        _expect([json.loads(line)["index"] for line in lines] == list(range(_COINS)), "lines")
        return notes

    return crash_states(bench.root / "power-series", work, check, rng)


def journal_states(bench, rng):
    """A match written down while it is played, and its record in the end."""
    folder = bench.root / "power-match"
    folder.mkdir(exist_ok=True)
    words = ("--chance", "tabular", "--seed", 7, "--b", "uniform", "--no-boards")
    run_here("match", *words, "--out", folder / "m.jsonl")
    record = read_record(folder / "m.jsonl")
    whole = (folder / "m.jsonl").read_bytes()

    def work(place, promise):
        journal = Journal(place / "m.jsonl", record.header)
        for entry in record.entries:
            journal.add(entry)
        journal.close()
        promise(len(record.entries))
        finish(record, place / "m.jsonl")
        promise(len(record.entries) + 1)

    def check(place, promised):
        place.mkdir(exist_ok=True)
        out = place / "m.jsonl"
        entries = ()
        if out.exists() and read_record(out).footer.status is Status.FINISHED:
            _expect(out.read_bytes() == whole, "another record")
            return
        _expect(promised <= len(record.entries), "the record")
        if promised or any(path.stat().st_size for path in place.glob("*.part")):
            _, entries = read_unfinished(out)
        _expect(len(entries) >= promised, f"{len(entries)} of {promised} entries")
        _expect(tuple(entries) == record.entries[: len(entries)], "other entries")
        journal = Journal(out, record.header, begun=entries)
        for entry in record.entries[len(entries) :]:
            journal.add(entry)
        journal.close()
        finish(record, out)
        _expect(out.read_bytes() == whole, "another record")

    return crash_states(folder / "disk", work, check, rng)
