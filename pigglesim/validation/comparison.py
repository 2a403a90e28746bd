"""Tallies side by side: every share with its interval, differences, and how far apart in all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from pigglesim.landing import Orientation, Zone
from pigglesim.rng import generator
from pigglesim.studies.statistics import (
    Counts,
    Distance,
    Interval,
    Share,
    difference,
    distance,
    mean_of,
    share_of,
)
from pigglesim.studies.tally import KnockTally, PourTally


@unique
class Group(StrEnum):
    """Population of a share."""

    POSE = "pose"
    """Piggles on the board."""
    ZONE = "zone"
    """Piggles poured."""
    LEANING = "leaning"
    """Piggles on the board."""
    KNOCK = "knock"
    """Piggles that stood on the board before the pour."""


_CLASSES = {
    Group.POSE: tuple(pose.label for pose in Orientation),
    Group.ZONE: tuple(zone.value for zone in Zone),
    Group.LEANING: ("leans on another",),
    Group.KNOCK: ("knocked",),
}
"""Names of the shares of each group."""


@unique
class ComparisonVerdict(StrEnum):
    """Whether two sides are no further apart than a target."""

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


@dataclass(slots=True, kw_only=True)
class ComparisonTally:
    """The pours of one setting, as they come in."""

    label: str
    pours: list[PourTally]
    knocks: list[KnockTally]

    def add(self, result: PourTally | KnockTally) -> None:
        """Take in one pour."""
        if isinstance(result, PourTally):
            self.pours.append(result)
        else:
            self.knocks.append(result)

    def counts(self, group: Group) -> Counts:
        """Return the counts of a group's classes in each pour, shape [pour_count, class_count].

        A group of one class has a second: those of which it is not true.
        """
        match group:
            case Group.POSE:
                rows = [pour.poses for pour in self.pours]
            case Group.ZONE:
                rows = [pour.zones for pour in self.pours]
            case Group.LEANING:
                rows = [(p.leaning, sum(p.poses) - p.leaning) for p in self.pours]
            case Group.KNOCK:
                rows = [(k.knocked, k.standing - k.knocked) for k in self.knocks]
        return np.array(rows, dtype=np.int64).reshape(len(rows), max(2, len(_CLASSES[group])))


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
        """Return whether the two are at most `target` apart, as far as the bounds tell."""
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


def compare(tallies: Sequence[ComparisonTally], *, seed: int) -> Comparison:
    """Return tallies side by side, each but the first against the first.

    Args:
        tallies: Of each setting.
        seed: Root seed of the draws behind the distances.
    """
    groups = [group for group in Group if any(len(tally.counts(group)) for tally in tallies)]
    points = tuple(
        mean_of(np.array([pour.points for pour in tally.pours], dtype=float)) for tally in tallies
    )
    return Comparison(
        labels=tuple(tally.label for tally in tallies),
        pours=tuple(len(tally.pours) for tally in tallies),
        knock_pours=tuple(len(tally.knocks) for tally in tallies),
        unsettled=tuple(sum(not pour.settled for pour in tally.pours) for tally in tallies),
        rows=tuple(row for group in groups for row in _rows(group, tallies)),
        points=points,
        point_differences=tuple(difference(points[0], other) for other in points[1:]),
        apart=tuple(
            Apart(
                group=group,
                label=other.label,
                distance=distance(
                    tallies[0].counts(group),
                    other.counts(group),
                    rng=generator(seed, "distance", group.value, other.label),
                ),
            )
            for group in groups
            for other in tallies[1:]
        ),
    )


def _rows(group: Group, tallies: Sequence[ComparisonTally]) -> Iterator[ComparisonRow]:
    counts = [tally.counts(group) for tally in tallies]
    for column, name in enumerate(_CLASSES[group]):
        shares = tuple(share_of(count[:, column], count.sum(axis=1)) for count in counts)
        yield ComparisonRow(
            group=group,
            name=name,
            shares=shares,
            differences=tuple(difference(shares[0], other) for other in shares[1:]),
        )
