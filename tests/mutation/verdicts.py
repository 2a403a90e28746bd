"""What became of the mutants of a subject: kept from call to call, and told as a table."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pigglesim.studies.statistics import Share, binomial
from tests.mutation.page import table
from tests.mutation.subjects import ROOT, Subject

KEPT = ROOT / "build" / "mutation"
"""Where verdicts stay from call to call."""
_KILLED = ("killed", "timeout", "segfault", "suspicious", "caught by type check")
_SURVIVED = ("survived", "no tests")


_HEAD = ("mutated", "mutants", "run", "killed", "of these by time", "share killed", "95 % Wilson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What became of the mutants of one subject."""

    subject: str
    kind: str
    """What it is summed with."""
    made: int
    """Mutants that there are, errors' words left out."""
    words: int
    """Mutants that change only what an error says; none of them is run."""
    digest: str
    """Of the subject's files, so that names still mean the same mutants."""
    found: dict[str, str] = field(default_factory=dict)
    """The word of mutmut for each mutant that was run, by its name."""

    @property
    def killed(self) -> int:
        """How many a test failed under, ran out of time under or crashed under."""
        return sum(word in _KILLED for word in self.found.values())

    @property
    def timed_out(self) -> int:
        """How many of those killed ran out of time."""
        return Counter(self.found.values())["timeout"]

    @property
    def survivors(self) -> list[str]:
        """The names of those that no test noticed, or that no test runs."""
        return [name for name, word in self.found.items() if word in _SURVIVED]

    @property
    def run(self) -> int:
        """How many have a verdict."""
        return self.killed + len(self.survivors)


def tell(each: Sequence[Verdicts]) -> str:
    """Return a table: a row for each subject, and one for the sum of each kind of several."""
    rows = []
    for kind in dict.fromkeys(verdicts.kind for verdicts in each):
        parts = [verdicts for verdicts in each if verdicts.kind == kind]
        rows += [_row(verdicts.subject, [verdicts]) for verdicts in parts]
        if len(parts) > 1:
            rows.append(_row(f"**all {kind}**", parts))
    words = sum(verdicts.words for verdicts in each)
    made = sum(verdicts.made for verdicts in each)
    return (
        f"{table(_HEAD, rows)}\n\n"
        f"Beside these {made:,} mutants, {words:,} change only what an error says; none is run."
    )


def _row(name: str, parts: Sequence[Verdicts]) -> list[str]:
    killed, run = sum(v.killed for v in parts), sum(v.run for v in parts)
    share = _share(parts)
    counts = (sum(v.made for v in parts), run, killed, sum(v.timed_out for v in parts))
    return [
        name,
        *(f"{count:,}" for count in counts),
        f"{share.value:.1%}" if run else "",
        f"{share.low:.1%} to {share.high:.1%}",
    ]


def _share(parts: Sequence[Verdicts]) -> Share:
    """Return the share of all mutants of some subjects that would be killed.

    Each subject counts by how many mutants it has, not by how many were drawn of it; the interval
    is that of as many independent draws as tell as much.
    """
    if len(parts) == 1 or not all(v.run for v in parts):
        return binomial(sum(v.killed for v in parts), sum(v.run for v in parts))
    made = sum(v.made for v in parts)
    value = sum(v.made / made * v.killed / v.run for v in parts)
    # Nobody's draw is taken to be free of chance, though all of it may be killed.
    guesses = [(v.made / made, (v.killed + 1) / (v.run + 2), v.run) for v in parts]
    spread = sum(weight**2 * guess * (1 - guess) / run for weight, guess, run in guesses)
    mean = sum(weight * guess for weight, guess, _ in guesses)
    worth = round(mean * (1 - mean) / spread)
    return binomial(round(value * worth), worth)


def read_verdicts(subject: Subject) -> Verdicts | None:
    """Return what is kept of a subject, None if nothing is."""
    path = _path(subject)
    return Verdicts(**json.loads(path.read_text())) if path.exists() else None


def write_verdicts(verdicts: Verdicts, subject: Subject, shown: str) -> None:
    """Keep the verdicts, and beside them the diffs of the survivors."""
    KEPT.mkdir(parents=True, exist_ok=True)
    _path(subject).write_text(json.dumps(asdict(verdicts), indent=1))
    _path(subject).with_suffix(".diff").write_text(shown)


def _path(subject: Subject) -> Path:
    return KEPT / f"{subject.name.replace(' ', '_')}.json"
