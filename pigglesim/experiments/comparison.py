"""Cells of studies side by side: pours by orientation, zone, leaning and knocks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

import duckdb
import numpy as np

from pigglesim.experiments.estimates import sql_text
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import (
    Counts,
    Share,
    TotalVariation,
    difference,
    mean_of,
    share_of,
    total_variation,
)
from pigglesim.landing import READ_ZONES, Orientation
from pigglesim.rng import generator
from pigglesim.rotations import Indices


@unique
class Group(StrEnum):
    """Population and classes of some counts."""

    POSE = "pose"
    """Piggles on the board, by orientation."""
    ZONE = "zone"
    """Piggles poured, by zone."""
    LEANING = "leaning"
    """Piggles on the board: those that lean or lie on another, and all others."""
    KNOCK = "knock"
    """Piggles that stood on the board before the pour: those knocked (P18), and all others."""


_CLASSES: Mapping[Group, Mapping[str, str]] = {
    Group.POSE: {each.label: f"orientation = {sql_text(each.label)}" for each in Orientation},
    Group.ZONE: {each.value: f"zone = {sql_text(each.value)}" for each in READ_ZONES},
    Group.LEANING: {
        "leans on another": "zone <> 'off' AND (leaning OR stacked)",
        "": "zone <> 'off' AND NOT (leaning OR stacked)",
    },
    Group.KNOCK: {"knocked": "knocked", "": "NOT knocked"},
}
"""Condition on a die of each class, in SQL; classes without a name complete a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PourCounts:
    """Counts of the pours of one cell."""

    counts: Mapping[Group, Counts]
    """Dice by class, shape [pour_count, class_count]: `KNOCK` of a study of knocks, else others."""
    points: Indices
    """Points of the Snout-Up Piggles of each pour (R3), shape [pour_count]."""
    unsettled: int
    """Pours in which time was up before all lay still."""


def count_pours(
    connection: duckdb.DuckDBPyConnection, *, cells: int, knocks: bool
) -> list[PourCounts]:
    """Return the counts of each cell of a study of pours, or of knocks."""
    groups = [group for group in Group if (group is Group.KNOCK) is knocks]
    dice = "standing" if knocks else "NOT standing"
    columns = [
        f"count(*) FILTER ({dice} AND {condition})"
        for group in groups
        for condition in _CLASSES[group].values()
    ]
    sides = []
    for cell in range(cells):
        rows = connection.execute(
            f"SELECT coalesce(sum(points) FILTER ({dice}), 0), any_value(ending) = 'timed-out', "
            f'{", ".join(columns)} FROM throws WHERE cell = ? GROUP BY "throw" ORDER BY "throw"',
            [cell],
        ).fetchall()
        table = np.array(rows, dtype=np.int64).reshape(len(rows), len(columns) + 2)
        ends = np.cumsum([2, *(len(_CLASSES[group]) for group in groups)])
        sides.append(
            PourCounts(
                counts={
                    group: table[:, start:end]
                    for group, start, end in zip(groups, ends, ends[1:], strict=False)
                },
                points=table[:, 0],
                unsettled=int(table[:, 1].sum()),
            )
        )
    return sides


@unique
class ComparisonVerdict(StrEnum):
    """Verdict on two sides: at most a target apart, further apart, or undecided."""

    WITHIN = "within"
    BEYOND = "beyond"
    OPEN = "open"

    @property
    def sentence(self) -> str:
        """Verdict as a phrase of a table."""
        return {"within": "met", "beyond": "not met", "open": "open: more pours"}[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One share of every cell."""

    group: Group
    name: str
    shares: tuple[Share, ...]
    differences: tuple[Interval, ...]
    """Difference of each cell but the first from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Distance of a cell from the first in all classes of a group."""

    group: Group
    label: str
    distance: TotalVariation

    def verdict(self, target: float) -> ComparisonVerdict:
        """Return whether the two are at most `target` apart, as far as the bounds show."""
        if self.distance.high <= target:
            return ComparisonVerdict.WITHIN
        return ComparisonVerdict.BEYOND if self.distance.low > target else ComparisonVerdict.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Cells side by side."""

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
    labels: Sequence[str],
    pours: Sequence[PourCounts],
    knocks: Sequence[PourCounts] = (),
    *,
    seed: int,
) -> Comparison:
    """Return the cells side by side, each but the first against the first.

    The root seed is that of the draws behind the distances.
    """
    counts = {
        group: [side.counts[group] for side in sides]
        for sides in (pours, knocks)
        for group in (sides[0].counts if sides else ())
    }
    points = tuple(mean_of(side.points.tolist()) for side in pours)
    return Comparison(
        labels=tuple(labels),
        pours=tuple(len(side.points) for side in pours),
        knock_pours=tuple(len(side.points) for side in knocks) or (0,) * len(pours),
        unsettled=tuple(side.unsettled for side in pours),
        rows=tuple(row for group, sides in counts.items() for row in _rows(group, sides)),
        points=points,
        point_differences=tuple(difference(points[0], other) for other in points[1:]),
        apart=tuple(
            Apart(
                group=group,
                label=label,
                distance=total_variation(
                    first, other, rng=generator(seed, "distance", group.value, label)
                ),
            )
            for group, (first, *others) in counts.items()
            for label, other in zip(labels[1:], others, strict=True)
        ),
    )


def _rows(group: Group, counts: Sequence[Counts]) -> Iterator[ComparisonRow]:
    for column, name in enumerate(filter(None, _CLASSES[group])):
        shares = tuple(share_of(count[:, column], count.sum(axis=1)) for count in counts)
        yield ComparisonRow(
            group=group,
            name=name,
            shares=shares,
            differences=tuple(difference(shares[0], other) for other in shares[1:]),
        )
