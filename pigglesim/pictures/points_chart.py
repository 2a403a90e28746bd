"""Points of a throw: how often each sum comes, and how often it would if dice did not meet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.pictures.style import (
    FAINT,
    INK,
    PAPER,
    blank,
    heading,
    house_style,
    light,
    name_panel,
    nothing,
    quiet,
    shown,
)
from pigglesim.rotations import Array
from pigglesim.studies.estimate import Counts, share_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_BAR = "#34508f"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCounts:
    """How many throws score how many points."""

    throws: Counts
    """Throws that score 0, 1, 2 and so on, shape [point_count]."""
    independent: Array
    """Share of throws that would if each die were drawn alone, shape [point_count]."""

    @property
    def apart(self) -> float:
        """Total variation between the two: at most by how much any event's share differs."""
        return float(np.abs(self.throws / self.throws.sum() - self.independent).sum()) / 2.0

    @property
    def noise(self) -> float:
        """What noise alone would make of that distance: its mean for independent dice."""
        from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415 (slow to import)

        total, share = int(self.throws.sum()), self.independent[self.independent < 1.0]
        # De Moivre's mean size of the deviation of a binomial count.
        above = np.floor(total * share) + 1.0
        rest = total - above
        ways = gammaln(total + 1.0) - gammaln(above + 1.0) - gammaln(rest + 1.0)
        chance = np.exp(ways + xlogy(above, share) + xlog1py(rest, -share))
        return float(np.sum(2.0 * above * (1.0 - share) * chance)) / (2.0 * total)


def point_counts(connection: "DuckDBPyConnection", *, cell: int) -> PointCounts:
    """Return how many throws score how much, counted in the database.

    Args:
        connection: Holds the view `throws`.
        cell: The combination of factor levels.
    """
    chosen = "FROM throws WHERE NOT standing AND points IS NOT NULL AND cell = ?"
    dice = connection.execute(
        f"SELECT points, count(*) {chosen} GROUP BY points", [cell]
    ).fetchall()
    if not dice:
        return PointCounts(throws=np.zeros(0, dtype=np.int64), independent=np.zeros(0))
    sums = connection.execute(
        f"WITH summed AS (SELECT count(*) AS dice, sum(points) AS points {chosen} GROUP BY throw) "
        "SELECT dice::INTEGER, points::INTEGER, count(*) FROM summed GROUP BY ALL",
        [cell],
    ).fetchall()
    one = np.zeros(max(points for points, _ in dice) + 1)
    for points, count in dice:
        one[points] += count
    one /= one.sum()
    most = max(many for many, _, _ in sums)
    throws = np.zeros(most * (len(one) - 1) + 1, dtype=np.int64)
    independent = np.zeros(len(throws))
    several = [np.ones(1)]
    for _ in range(most):
        several.append(np.convolve(several[-1], one))
    for many, points, count in sums:
        throws[points] += count
        independent[: len(several[many])] += count * several[many]
    return PointCounts(throws=throws, independent=independent / throws.sum())


def draw_points(counts: Sequence[tuple[str, PointCounts]], *, level: float) -> "Figure":
    """Draw how often a throw scores how much, a panel for each cell.

    Args:
        counts: Name and counts of each cell; the name of a single cell may be empty.
        level: Of the intervals.
    """
    with house_style():
        kept = [(name, found) for name, found in counts if found.throws.sum()]
        if not kept:
            return nothing(blank(7.5, 2.0))
        columns = min(2, len(kept))
        rows = math.ceil(len(kept) / columns)
        width, height = 7.6, 0.8 + 2.75 * rows
        figure = blank(width, height)
        note = (
            f"bars: share of throws, {level:.0%} intervals; ◇ were the dice of a throw independent"
        )
        heading(figure, "Points of a throw", note)
        # What hardly ever comes needs no room.
        shown_to = max(
            int(np.flatnonzero((found.throws > 0) | (found.independent > 5e-4))[-1])
            for _, found in kept
        )
        across, tops = width / columns, []
        for place, (name, found) in enumerate(kept):
            row, column = divmod(place, columns)
            left, bottom = column * across + 0.55, height - 0.8 - row * 2.75 - 2.2
            axes = figure.add_axes(
                (left / width, bottom / height, (across - 0.75) / width, 1.75 / height)
            )
            tops.append(_panel(axes, name, found, level=level))
            axes.set_xlim(-0.7, shown_to + 0.7)
        for axes in figure.axes:
            axes.set_ylim(0.0, 1.04 * max(tops))
        return figure


def _panel(axes: "Axes", name: str, found: PointCounts, *, level: float) -> float:
    """Draw one cell and return how high its whiskers reach."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow to import)

    quiet(axes)
    x = np.arange(len(found.throws))
    total = int(found.throws.sum())
    shares = [share_of(*_trials(int(many), total), level=level) for many in found.throws]
    value = np.array([share.value for share in shares])
    arms = [
        value - [share.low for share in shares],
        np.array([share.high for share in shares]) - value,
    ]
    axes.bar(x, value, width=0.78, color=light(_BAR))
    axes.errorbar(x, value, yerr=arms, linestyle="none", color=INK, elinewidth=0.9)
    axes.plot(
        x, found.independent, linestyle="none", marker="D", markersize=4.2,
        markerfacecolor=PAPER, markeredgecolor=FAINT, zorder=3,
    )  # fmt: skip
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("points", fontsize=8.5, color=FAINT)
    name_panel(axes, shown(name, longest=60), width=3.0, above=14.0)
    note = f"total variation {found.apart:.3f}, by noise alone {found.noise:.3f}"
    axes.text(0.0, 1.02, note, transform=axes.transAxes, fontsize=8, color=FAINT)
    return max(share.high for share in shares)


def _trials(hits: int, total: int) -> tuple[Counts, Counts]:
    return np.repeat(np.array([1, 0]), [hits, total - hits]), np.ones(total, dtype=np.int64)
