"""Where runs are disturbed: the ways in, scratch folders, and runs that nobody disturbs."""

import shutil
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_MEASURED_AGAIN = 25
"""Runs after which their length is measured again: other work on a machine changes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that goes wrong, at one subject."""

    key: str
    told: str
    """What goes wrong, in a line."""
    subject: str
    disturb: Callable
    """Takes a bench and a generator, and returns a trial."""
    once: bool = False
    """Whether nothing in it is random, so that a second time would be the first again."""
    planted: bool = False
    """Whether it is put into the process, which the front door has no way to do."""
    why_not: Callable = str
    """Returns why it cannot be tried here, in a line; nothing if it can."""


class Bench:
    """Where runs are disturbed.

    Args:
        root: A folder for scratch.
        door: By which most runs are started.
        front: The front door, for the share of runs that must go through it.
    """

    def __init__(self, root, door, front):
        self.root, self.door, self.front = root, door, front
        self._known = {}
        self._used = Counter()

    def fresh(self, subject, name="here"):
        """Return a folder for a run of a subject; what was there is gone."""
        folder = self.root / subject.name / name
        shutil.rmtree(folder, ignore_errors=True)
        subject.prepare(folder)
        return folder

    def undisturbed(self, subject):
        """Return the result of a run that nobody disturbs, and how long it takes [s]."""
        if self._used[subject.name] % _MEASURED_AGAIN == 0:
            self._measure(subject)
        self._used[subject.name] += 1
        result, lengths = self._known[subject.name]
        return result, statistics.fmean(lengths[-2:])

    def _measure(self, subject):
        folder = self.fresh(subject, "whole")
        ended = self.door.run(subject.words, folder)
        assert ended.code == 0, ended.err
        result = subject.result(folder)
        assert len(subject.finished(folder)) == subject.items, subject.name
        known, lengths = self._known.setdefault(subject.name, (result, []))
        assert known == result, subject.name
        lengths.append(ended.seconds)
