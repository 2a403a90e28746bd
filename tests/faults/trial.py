"""One disturbed run judged: is all there that was finished, once, whole, and told?"""

from collections import Counter
from dataclasses import dataclass, field

from pigglesim.studies.statistics import binomial
from tests.doors import HUNG
from tests.faults.bench import Fault

BREACHES = {
    "lost": "reported as finished, or sealed, and not there afterwards",
    "twice": "made or counted a second time",
    "apart": "the result is not that of the run that nobody disturbed, bit for bit",
    "untold": "the next start does not say what it found",
    "unclear": "an error that is not one line with a remedy, or a traceback",
    "status": "a wrong exit status",
    "hung": "it, or a process that it started, does not end",
}
"""Every promise that a run can break."""


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
        """Note what is wrong with how a program ended and what it said of it.

        Args:
            ended: The program.
            codes: Statuses with which it may end.
            silent: Those of them that need no line with a remedy.
        """
        self.expect(ended.code != HUNG, "hung", ended.err)
        self.expect(ended.code in codes or ended.code == HUNG, "status", (ended.code, ended.err))
        self.expect(is_clear(ended.err), "unclear", ended.err)
        if ended.code in {1, 2} and ended.code not in silent:
            last = ended.err.strip().rpartition("\n")[2]
            self.expect("; try: " in last, "unclear", ended.err)


def is_clear(err):
    """Whether what was said on standard error is the program's own words."""
    bad = ("Traceback", "a fault of the program itself", "Exception ignored", "Warning", "Fatal")
    return not any(word in err for word in bad)


@dataclass(slots=True, kw_only=True)
class Row:
    """All trials of one fault at one subject."""

    fault: Fault
    trials: list[Trial] = field(default_factory=list)
    untried: str = ""
    """Why there are no trials, where the machine allows none."""

    def count(self, *breaches):
        """Return how many trials broke any of these promises."""
        return sum(any(name in breaches for name, _ in trial.breaches) for trial in self.trials)

    @property
    def broken(self):
        """How many trials broke any promise."""
        return self.count(*BREACHES)

    @property
    def interval(self):
        """The share of trials that break a promise, with its interval."""
        return binomial(self.broken, len(self.trials))

    @property
    def moments(self):
        """How often each moment was hit."""
        return Counter(trial.moment for trial in self.trials)

    def document(self):
        """Return the row as plain values."""
        share = self.interval
        return {
            "fault": self.fault.key,
            "told": self.fault.told,
            "ran": self.fault.subject,
            "times": len(self.trials),
            "untried": self.untried,
            "moments": dict(sorted(self.moments.items())),
            **{name: self.count(name) for name in BREACHES},
            "torn": sum(bool(trial.torn) for trial in self.trials),
            "broken": {"low": share.low, "high": share.high, "level": share.level},
            "seen": [f"{name}: {seen}" for t in self.trials for name, seen in t.breaches][:5],
        }


def resume(trial, subject, folder, door, whole, *, before, starts=2):
    """Take a disturbed run up again, and note every promise that is broken.

    Args:
        trial: Where to note it.
        subject: What was run.
        folder: Where it stands.
        door: By which it is started.
        whole: Result of the run that nobody disturbed.
        before: What was finished and sealed when it had ended: by name the SHA-256.
        starts: How many starts it may take: one to be told what to do, and that.
    """
    ended = None
    for _ in range(starts):
        ended = door.run(subject.again(folder), folder)
        if ended.code == 0:
            break
        trial.expect("--resume" in ended.err, "untold", ended.err)
    trial.ended_well(ended, {0})
    after = subject.finished(folder)
    gone = [name for name, digest in before.items() if after.get(name) != digest]
    trial.expect(not gone, "lost", gone)
    kept = subject.kept(ended.out)
    if kept is not None:
        trial.expect(kept >= len(before), "twice", f"{kept} kept of {len(before)}")
        trial.expect(kept <= subject.items, "twice", f"{kept} kept of {subject.items}")
    said = f"{ended.err}"
    trial.torn += said.count("torn") + said.count("cut off")
    found = subject.result(folder)
    differ = sorted(k for k in {**found, **whole} if found.get(k) != whole.get(k))
    trial.expect(not differ, "apart", differ)
    return ended
