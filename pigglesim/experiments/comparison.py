"""Tallies side by side: every share with its interval, differences, and how far apart in all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from pigglesim.experiments.statistics import (
    Counts,
    Distance,
    Interval,
    Share,
    difference,
    distance,
    mean_of,
    share_of,
)
from pigglesim.experiments.tally import Group, PourTally
from pigglesim.landing import Orientation, Zone
from pigglesim.rng import generator

_CLASSES = {
    Group.POSE: tuple(pose.label for pose in Orientation),
    Group.ZONE: tuple(zone.value for zone in Zone),
    Group.LEANING: ("leans on another",),
    Group.KNOCK: ("knocked",),
}
"""Names of the shares of each group."""


@unique
class ComparisonVerdict(StrEnum):
    """Verdict on two sides: at most a target apart, further apart, or undecided."""

    WITHIN = "within"
    BEYOND = "beyond"
    OPEN = "open"

    @property
    def sentence(self) -> str:
        """Meaning of the verdict, for people."""
        return {
            "within": "met",
            "beyond": "not met",
            "open": "open: more pours",
        }[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One share at every setting."""

    group: Group
    name: str
    shares: tuple[Share, ...]
    differences: tuple[Interval, ...]
    """Difference of each setting but the first from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Distance of a setting from the first in all classes of a group."""

    group: Group
    label: str
    distance: Distance

    def verdict(self, target: float) -> ComparisonVerdict:
        """Return whether the two are at most `target` apart, as far as the bounds show."""
        if self.distance.high <= target:
            return ComparisonVerdict.WITHIN
        return ComparisonVerdict.BEYOND if self.distance.low > target else ComparisonVerdict.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Settings side by side."""

    labels: tuple[str, ...]
    pours: tuple[int, ...]
    knock_pours: tuple[int, ...]
    unsettled: tuple[int, ...]
    """Pours in which time was up before all lay still."""
    rows: tuple[ComparisonRow, ...]
    points: tuple[Interval, ...]
    """Mean points of a pour."""
    point_differences: tuple[Interval, ...]
    apart: tuple[Apart, ...]


def compare(
    labels: Sequence[str], tallies: Sequence[Sequence[PourTally]], *, seed: int
) -> Comparison:
    """Return the pours of each label side by side, each but the first against the first.

    The root seed is that of the draws behind the distances.
    """
    counts = {
        group: found
        for group in Group
        if any(map(len, found := [_counts(own, group) for own in tallies]))
    }
    cleared = [[pour for pour in own if Group.POSE in pour.counts] for own in tallies]
    points = tuple(mean_of(np.array([pour.points for pour in own], dtype=float)) for own in cleared)
    return Comparison(
        labels=tuple(labels),
        pours=tuple(map(len, cleared)),
        knock_pours=tuple(len(own) - len(on) for own, on in zip(tallies, cleared, strict=True)),
        unsettled=tuple(sum(not pour.settled for pour in own) for own in cleared),
        rows=tuple(row for group, found in counts.items() for row in _rows(group, found)),
        points=points,
        point_differences=tuple(difference(points[0], other) for other in points[1:]),
        apart=tuple(
            Apart(
                group=group,
                label=label,
                distance=distance(
                    first, other, rng=generator(seed, "distance", group.value, label)
                ),
            )
            for group, (first, *others) in counts.items()
            for label, other in zip(labels[1:], others, strict=True)
        ),
    )


def _counts(tallies: Sequence[PourTally], group: Group) -> Counts:
    """Return the counts of a group's classes in each pour, shape [pour_count, class_count]."""
    rows = [pour.counts[group] for pour in tallies if group in pour.counts]
    return np.array(rows, dtype=np.int64).reshape(len(rows), max(2, len(_CLASSES[group])))


def _rows(group: Group, counts: Sequence[Counts]) -> Iterator[ComparisonRow]:
    for column, name in enumerate(_CLASSES[group]):
        shares = tuple(share_of(count[:, column], count.sum(axis=1)) for count in counts)
        yield ComparisonRow(
            group=group,
            name=name,
            shares=shares,
            differences=tuple(difference(shares[0], other) for other in shares[1:]),
        )
