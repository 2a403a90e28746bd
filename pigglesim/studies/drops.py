"""Many drops of one die on a floor, counted by class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.support import SupportFunction
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.scene.scene import Fall, Stepping, Surface
from pigglesim.throws.drop import sample_drops

BATCH = 250
"""Drops a batch: a fraction of a second, so that progress moves and little is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropTally:
    """What some drops came to."""

    counts: tuple[int, ...]
    """Drops by class, in the order of the classes; the last entry: none of them."""
    endings: tuple[int, ...]
    """Drops by how their pose came to be known, in the order of `DropEnding`."""

    def __add__(self, other: "DropTally") -> "DropTally":
        """Return both together."""
        return DropTally(
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            endings=tuple(a + b for a, b in zip(self.endings, other.endings, strict=True)),
        )

    @property
    def drops(self) -> int:
        """How many drops these are."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropTask:
    """Everything that the drops of one die have in common; drop `k` is a pure function of it."""

    name: str
    """Names the stream of random numbers, with the seed."""
    body: Body
    support: SupportFunction
    classes: tuple[int, ...]
    """Class of each pose, from 0; -1 for a pose of none."""
    class_count: int
    fall: Fall
    surface: Surface
    stepping: Stepping
    engine: str
    seed: int

    def drop(self, numbers: range) -> DropTally:
        """Drop the die once for each of some consecutive numbers, and count."""
        dropper = Dropper(
            self.body,
            self.support,
            self.classes,
            surface=self.surface,
            stepping=self.stepping,
            engine=make_engine(self.engine),
        )
        drops = sample_drops(
            self.fall, self.body, trials=numbers, seed=self.seed, purpose=("drop", self.name)
        )
        ends = dropper.drop_all(drops)
        # Class -1, of a pose that nothing lists, is the last entry, and so is no pose.
        classes = np.array([*self.classes, -1])[ends.poses]
        found = np.bincount(classes % (self.class_count + 1), minlength=self.class_count + 1)
        endings = np.bincount(ends.endings, minlength=len(DropEnding))
        return DropTally(counts=tuple(found.tolist()), endings=tuple(endings.tolist()))


def batches(tasks: Sequence[DropTask], drops: int) -> list[tuple[int, range]]:
    """Return the jobs of `drops` drops of each task: the number of the task, and of the drops."""
    return [
        (number, range(start, min(start + BATCH, drops)))
        for number in range(len(tasks))
        for start in range(0, drops, BATCH)
    ]
