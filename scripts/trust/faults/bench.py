"""Runs that can be disturbed, and the judgement: is all that was finished there, once, whole?"""

import hashlib
import json
import re
import shutil
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.doors import HUNG
from tests.support.small_studies import low_floor

OUT = "out"
"""Name of every subject's output in its folder."""
_THROWS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A quick run of a verb that writes as it goes."""

    name: str
    words: tuple[str, ...]
    items: int
    """How many things it makes one after another: shards, pairs, entries."""
    finished: Callable[[Path], dict[str, str]]
    """What its folder holds that is finished and sealed, by name, with the SHA-256 of each."""
    reported: str = "(?!)"
    """Pattern of how many items the standard error of a run said were there."""
    unit: int = 1
    """What is reported of one item."""
    kept: str = ""
    """Key of how many items the output of a run says were there before it."""

    def result(self, folder):
        """Return everything in its folder that must be the same, disturbed or not."""
        found = _tree(folder / OUT)
        if f"{OUT}/sums" in found:
            # Neither their order is promised, nor that a line that was damaged goes.
            found[f"{OUT}/sums"] = str(sorted(_shards(folder).items()))
        return found

    def said(self, err):
        """Return how many items a run reported as finished."""
        told = re.findall(self.reported, err)
        return int(told[-1].replace(",", "")) // self.unit if told else 0

    def again(self, folder):
        """Return the words that take it up again, whatever became of it."""
        part = folder / f"{OUT}.part"
        # A journal without a line holds nothing: it does not stand in the way of a new match.
        if self.name == "match" and part.is_file() and part.stat().st_size:
            return ("match", "--resume", OUT, "--no-boards", "--json")
        # A finished match is replaced only where that is asked for.
        if self.name == "match" and (folder / OUT).exists():
            return (*self.words, "--force")
        return self.words


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _tree(folder):
    paths = (path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else [folder]
    return {str(path.relative_to(folder.parent)): _sha256(path) for path in paths if path.exists()}


def _shards(folder):
    """Shards under their names that are as their sums say."""
    sums = folder / OUT / "sums"
    lines = sums.read_text().splitlines(keepends=True) if sums.exists() else []
    known = {f"{line[:6]}.parquet": line[7:-1] for line in lines if line.endswith("\n")}
    there = {path.name: _sha256(path) for path in (folder / OUT / "shards").glob("*.parquet")}
    return {name: digest for name, digest in there.items() if known.get(name) == digest}


def _lines(path):
    """Whole lines of a file of sealed lines, by number."""
    data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1].splitlines()
    return {str(number): hashlib.sha256(line).hexdigest() for number, line in enumerate(whole)}


def _entries(folder):
    """Entries of the journal, without the header; of the whole record, without the footer too."""
    part = folder / f"{OUT}.part"
    found = _lines(part if part.exists() else folder / OUT)
    if found and not part.exists():
        found.popitem()
    found.pop("0", None)
    return found


STUDY = Subject(
    name="study",
    words=(
        *("study", "--model", "d6", "--scene", "low.toml", "--throws", "500"),
        *("--shard-size", str(_THROWS), "--seed", "3", "--factor", "friction=0.2,0.5"),
        *("--workers", "2", "--no-report", "--out", OUT, "--json"),
    ),
    items=4,
    finished=_shards,
    reported=r"throwing[^:]*: ([\d,]+) of",
    unit=_THROWS,
    kept="shards_kept",
)
SMALL_STUDY = replace(
    STUDY,
    name="small study",
    words=tuple("250" if word == "500" else word for word in STUDY.words),
    items=2,
)
"""Where the moment does not matter."""
POURS = replace(
    STUDY,
    name="pours",
    words=(
        *("study", "--kind", "pour", "--throws", "4", "--shard-size", "1", "--seed", "3"),
        *("--engine", "bullet", "--workers", "2", "--no-report", "--out", OUT, "--json"),
    ),
    unit=1,
)
"""Piggles from a cup, whose shapes Bullet reads from temporary files."""
TOURNAMENT = Subject(
    name="tournament",
    words=(
        *("tournament", "--agents", "uniform,greedy", "--game", "piggy_six", "--pairs", "8"),
        *("--seed", "3", "--records", "--workers", "2", "--out", OUT, "--json"),
    ),
    items=8,
    finished=lambda folder: _lines(folder / OUT / "pairs.jsonl"),
    reported=r"playing[^:]*: ([\d,]+) of",
    kept="pairs_kept",
)
MATCH = Subject(
    name="match",
    words=(
        *("match", "--chance", "tabular", "--seed", "7", "--b", "uniform", "--no-boards"),
        *("--out", OUT, "--json"),
    ),
    items=20,
    finished=_entries,
)
SUBJECTS = (STUDY, TOURNAMENT, MATCH)

BREACHES = ("lost", "twice", "apart", "untold", "unclear", "status", "hung")
"""Broken promises: results lost, made twice, or not those of an undisturbed run; findings of the
next start not reported; an error without a fix; a wrong exit status; a process that hangs."""
_NOT_ITS_WORDS = ("Traceback", "internal error", "Exception ignored", "Warning", "Fatal")


@dataclass(slots=True, kw_only=True)
class Trial:
    """What came of one disturbed run."""

    moment: str = ""
    """When it was disturbed, in words."""
    torn: int = 0
    """Files or lines that were found half-written, and were put aside or made again."""
    breaches: list[tuple[str, str]] = field(default_factory=list)
    """Promises broken, with what was seen."""

    def expect(self, kept, breach, seen=""):
        """Note a breach unless the promise was kept."""
        assert breach in BREACHES
        if not kept:
            self.breaches.append((breach, str(seen)[-400:]))

    def ended_well(self, ended, codes, *, silent=()):
        """Note what is wrong with how a program ended, unless by one of these statuses.

        All but the `silent` ones of 1 and 2 need a line with a remedy.
        """
        self.expect(ended.code != HUNG, "hung", ended.err)
        self.expect(ended.code in codes or ended.code == HUNG, "status", (ended.code, ended.err))
        self.expect(not any(word in ended.err for word in _NOT_ITS_WORDS), "unclear", ended.err)
        if ended.code in {1, 2} and ended.code not in silent:
            last = ended.err.strip().rpartition("\n")[2]
            self.expect(re.match("pigglesim: .+; .+", last), "unclear", ended.err)


class Bench:
    """Scratch folders below `root`, and undisturbed runs, started by `door`."""

    def __init__(self, root, door):
        self.root, self.door = root, door
        self._known, self._used = {}, Counter()

    def fresh(self, subject, name="here"):
        """Return an empty folder for a run of a subject."""
        folder = self.root / subject.name / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        low_floor(folder)
        return folder

    def undisturbed(self, subject):
        """Return the result of a run that nobody disturbs, and how long it takes [s]."""
        # Measured now and then: other work on a machine changes the length.
        if self._used[subject.name] % 25 == 0:
            folder = self.fresh(subject, "whole")
            ended = self.door.run(subject.words, folder)
            assert ended.code == 0, ended.err
            assert len(subject.finished(folder)) == subject.items, subject.name
            result = subject.result(folder)
            known, lengths = self._known.setdefault(subject.name, (result, []))
            assert known == result, subject.name
            lengths.append(ended.seconds)
        self._used[subject.name] += 1
        result, lengths = self._known[subject.name]
        return result, statistics.fmean(lengths[-2:])


class Disturbance:
    """One run of a subject that is disturbed, at `moment` where that is known, and resumed."""

    def __init__(self, subject, bench, moment=""):
        self.subject, self.bench, self.trial = subject, bench, Trial(moment=moment)
        self.folder = bench.fresh(subject)
        self.reached = None
        """Number of results when it was disturbed, where that is known."""
        self.whole, self.length = bench.undisturbed(subject)

    def start(self, **more):
        return self.bench.door.start(self.subject.words, self.folder, **more)

    def run(self, **more):
        return self.start(**more).ended()

    def finished(self):
        return self.subject.finished(self.folder)

    def at(self, reached, *, over):
        """Note how far it was when it was disturbed."""
        items = self.subject.items
        half = "first half" if reached < items / 2 else "second half"
        words = {0: "before the first", items: "closing"}
        self.trial.moment = "after its end" if over else words.get(reached, half)

    def keeps(self, before, after):
        """Note what is there no more, or is another."""
        gone = [name for name, digest in before.items() if after.get(name) != digest]
        self.trial.expect(not gone, "lost", gone)

    def resume(self, before, *, folder=None, run=None):
        """Resume it in a folder, and note every promise that is broken; return the trial.

        `before` has the SHA-256 of each finished item by name; `run` stands in for the door.
        """
        trial, subject, folder = self.trial, self.subject, folder or self.folder
        # Two starts: one to be told what to do, and that.
        for _ in range(2):
            ended = (run or self.bench.door.run)(subject.again(folder), folder)
            if ended.code == 0:
                break
            trial.expect("--resume" in ended.err, "untold", ended.err)
        trial.ended_well(ended, {0})
        self.keeps(before, subject.finished(folder))
        if subject.kept and ended.code == 0:
            kept = int(json.loads(ended.out)[subject.kept])
            trial.expect(len(before) <= kept <= subject.items, "twice", f"{kept} of {len(before)}")
        trial.torn += ended.err.count("torn") + ended.err.count("cut off")
        found = subject.result(folder)
        differ = sorted(k for k in {**found, **self.whole} if found.get(k) != self.whole.get(k))
        trial.expect(not differ, "apart", differ)
        return trial


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong, at one subject."""

    key: str
    told: str
    """What goes wrong, in a line."""
    subject: str
    disturb: Callable
    """Takes a bench and a generator, and returns a trial, or many."""
    once: bool = False
    """Whether nothing in it is random, so that a second time would be the first again."""
    planted: bool = False
    """Whether it is put into the process, which the front door has no way to do."""
    why_not: Callable = str
    """Returns why it cannot be tried here, in a line; nothing if it can."""
