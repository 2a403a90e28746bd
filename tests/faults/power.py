"""Loss of power after every step of what writes: what a disk may be left with is opened."""

import json
import shutil
from dataclasses import dataclass

from pigglesim.errors import PigglesimError
from pigglesim.match.entries import Status
from pigglesim.match.record import Journal, finish, read_record, read_unfinished
from pigglesim.studies.folder import SeriesFolder, SeriesKind
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.run import run
from pigglesim.studies.store import Store
from tests.faults.bench import Fault
from tests.faults.disk import ForgetfulDisk
from tests.faults.trial import Trial
from tests.front_door import run_here
from tests.small_studies import Canned, low_floor, made, small_study

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
            with disk.pause():
                shutil.rmtree(left, ignore_errors=True)
                disk.left(left, **way)
                files = sorted(path for path in left.rglob("*") if path.is_file())
                state = hash((promised[0], *((path, path.read_bytes()) for path in files)))
                if state not in seen:
                    seen.add(state)
                    trials.append(_judged(check, left / "in", promised[0]))

    disk = ForgetfulDisk(root / "live", look)
    with disk.looking_on():
        work(root / "live" / "in", lambda what: promised.__setitem__(0, what))
    return trials


def _judged(check, place, promised):
    trial = Trial(moment="states")
    try:
        trial.torn = check(place, promised) or 0
    except _LostError as lost:
        trial.expect(False, "lost", lost)
    except PigglesimError as fault:
        trial.expect(False, "lost", fault)
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
                store.add(made(text, number))
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
                _expect(store.shard_file(number).read_bytes() == made(text, number).parquet, number)
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

    def files(self):
        return {f"kept/{self.index}.txt": f"coin {self.index}\n" * 40}


_KIND = SeriesKind(
    series="tossing",
    items="coins",
    definition=dict,
    item=_Coin,
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
                for name, text in coin.files().items():
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


POWER = tuple(
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
)
