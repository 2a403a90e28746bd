"""What is disturbed: quick runs of verbs that write as they go, and what must become of them."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.small_studies import low_floor

OUT = "out"
"""What every subject writes, in the folder where it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A run that can be disturbed, and taken up again."""

    name: str
    words: tuple[str, ...]
    items: int
    """How many things it makes one after another: shards, pairs, entries."""
    finished: Callable[[Path], dict[str, str]]
    """What its folder holds that is finished and sealed, by name, with the SHA-256 of each."""
    result: Callable[[Path], dict[str, str]]
    """Everything in its folder that must be the same, disturbed or not."""
    reported: Callable[[str], int]
    """How many items the standard error of a run said were there."""
    kept: Callable[[str], int | None]
    """How many items the output of a run says were there before it; None if it does not say."""
    workers: bool = True
    """Whether it has processes beside the one that was started."""

    def prepare(self, folder):
        """Make the folder where it stands."""
        folder.mkdir(parents=True)
        low_floor(folder)

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
    folder = folder / OUT
    sums = {}
    if (folder / "sums").exists():
        for line in (folder / "sums").read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                number, digest = line.split()
                sums[f"{number}.parquet"] = digest
    there = {path.name: _sha256(path) for path in (folder / "shards").glob("*.parquet")}
    return {name: digest for name, digest in there.items() if sums.get(name) == digest}


def _study(folder):
    # Sums are told in the order in which shards came, which is nobody's promise.
    found = {name: digest for name, digest in _tree(folder / OUT).items() if "sums" not in name}
    return found | {"sums": str(sorted(set((folder / OUT / "sums").read_text().splitlines())))}


def _lines(path):
    """Whole lines of a file of sealed lines, by number."""
    data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1].splitlines()
    return {str(number): hashlib.sha256(line).hexdigest() for number, line in enumerate(whole)}


def _pairs(folder):
    return _lines(folder / OUT / "pairs.jsonl")


def _entries(folder):
    """Entries of the journal, without the header; of the whole record, without the footer too."""
    part = folder / f"{OUT}.part"
    found = _lines(part if part.exists() else folder / OUT)
    if found and not part.exists():
        found.popitem()
    found.pop("0", None)
    return found


def _numbers(pattern):
    """Return what finds the last number that a text gives in these words, or 0."""

    def find(text):
        told = re.findall(pattern, text)
        return int(told[-1].replace(",", "")) if told else 0

    return find


def _from_json(key):
    def find(text):
        try:
            return int(json.loads(text)[key])
        except (ValueError, KeyError):
            return None

    return find


_THROWS = 250

STUDY = Subject(
    name="study",
    words=(
        *("study", "--model", "d6", "--scene", "low.toml", "--throws", "500"),
        *("--shard-size", str(_THROWS), "--seed", "3", "--factor", "friction=0.2,0.5"),
        *("--workers", "2", "--no-report", "--out", OUT, "--json"),
    ),
    items=4,
    finished=_shards,
    result=_study,
    reported=lambda err: _numbers(r"throwing[^:]*: ([\d,]+) of")(err) // _THROWS,
    kept=_from_json("shards_kept"),
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
        *("--engine", "bullet", "--workers", "2", "--no-report"),
        *("--out", OUT, "--json"),
    ),
    items=4,
    reported=_numbers(r"throwing[^:]*: ([\d,]+) of"),
)
"""Piggles from a cup, whose shapes Bullet reads from temporary files."""

TOURNAMENT = Subject(
    name="tournament",
    words=(
        *("tournament", "--agents", "uniform,greedy", "--game", "piggy_six", "--pairs", "8"),
        *("--seed", "3", "--records", "--workers", "2", "--out", OUT, "--json"),
    ),
    items=8,
    finished=_pairs,
    result=lambda folder: _tree(folder / OUT),
    reported=_numbers(r"playing[^:]*: ([\d,]+) of"),
    kept=_from_json("pairs_kept"),
)

MATCH = Subject(
    name="match",
    words=(
        *("match", "--chance", "tabular", "--seed", "7", "--b", "uniform", "--no-boards"),
        *("--out", OUT, "--json"),
    ),
    items=20,
    finished=_entries,
    result=lambda folder: _tree(folder / OUT),
    reported=lambda err: 0,
    kept=lambda out: None,
    workers=False,
)

SUBJECTS = (STUDY, TOURNAMENT, MATCH)
