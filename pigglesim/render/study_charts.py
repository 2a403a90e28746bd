"""The charts of a study: shares, factors, points of a throw, convergence."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.render.figure import (
    MARKERS,
    apart,
    arms,
    axes_at,
    beside,
    blank,
    colours_of,
    heading,
    house_style,
    light,
    name_panel,
    nothing,
    quiet,
    shown,
    shown_cell,
)
from pigglesim.render.palette import FAINT, INK, PAPER
from pigglesim.rotations import Array
from pigglesim.studies.estimates import CellAnswers, Contrast, StudyAnswers
from pigglesim.studies.number_format import plus_minus, spelt
from pigglesim.studies.statistics import Counts, Share, share_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR_ROW, _BAR_GAP = 0.27, 0.42
"""Inches of a bar, and between the bars of two orientations."""
_BAR_HEAD, _BAR_FOOT = 0.95, 0.55
_LETTER = 0.078
"""Inches of a letter beside a bar."""


def draw_share_bars(
    cells: Sequence[CellAnswers],
    *,
    quasi_static: Mapping[int, Mapping[str, float]] | None = None,
) -> "Figure":
    """Draw the share of each orientation, with a bar for each cell.

    Args:
        cells: What the cells say.
        quasi_static: For comparison the exact share of each orientation without momentum, by
            cell; drawn as a light mark.
    """
    with house_style():
        thrown = any(cell.throws for cell in cells)
        cells = [cell for cell in cells if any(share.trials for share in cell.shares)]
        names = list(dict.fromkeys(name for cell in cells for name in cell.orientations))
        if not cells:
            return nothing(blank(7.5, 2.0), thrown=thrown)
        rows = _rows(cells, names)
        gap = _gap(cells)
        height = _BAR_HEAD + _BAR_FOOT + _BAR_ROW * len(rows) + gap * (len(names) - 1)
        words = [label for label, _, _, _ in rows] + [shown(name) for name in names]
        left = 0.3 + _LETTER * max(len(word) for word in words)
        width = max(7.5, left + 4.8)
        figure = blank(width, height)
        level = cells[0].shares[0].level
        still = quasi_static or {}
        mark = "; ┆ without momentum" if still else ""
        heading(figure, "Share of each orientation", f"whiskers: {level:.0%} intervals{mark}")
        place = (left / width, _BAR_FOOT / height, (width - left - 1.35) / width)
        axes = figure.add_axes((*place, (height - _BAR_HEAD - _BAR_FOOT) / height))
        _bars(axes, cells, names, still)
        return figure


def _gap(cells: Sequence[CellAnswers]) -> float:
    return _BAR_GAP if len(cells) > 1 else _BAR_GAP / 4


def _rows(
    cells: Sequence[CellAnswers], names: Sequence[str]
) -> list[tuple[str, str, CellAnswers, Share]]:
    """Return label, orientation, cell and share of each bar, from the top."""
    return [
        (
            shown(name) if len(cells) == 1 else shown_cell(cell.factors) or f"cell {cell.cell}",
            name,
            cell,
            cell.shares[cell.orientations.index(name)],
        )
        for name in names
        for cell in cells
        if name in cell.orientations
    ]


def _bars(
    axes: "Axes",
    cells: Sequence[CellAnswers],
    names: Sequence[str],
    still: Mapping[int, Mapping[str, float]],
) -> None:
    colours = colours_of(names)
    rows = _rows(cells, names)
    places, y, before = [], 0.0, None
    for _, name, _, _ in rows:
        y += 0.0 if before is None else _BAR_ROW if before == name else _BAR_ROW + _gap(cells)
        places.append(y)
        before = name
    highest = max(share.high for *_, share in rows)
    quiet(axes, grid="x")
    for at, (_, name, cell, share) in zip(places, rows, strict=True):
        if math.isnan(share.value):
            axes.text(0.005, at, "no throws", va="center", color=FAINT)
            continue
        axes.barh(at, share.value, height=0.72 * _BAR_ROW, color=light(colours[name]))
        axes.errorbar(
            share.value,
            at,
            xerr=arms([share]),
            color=INK,
            elinewidth=1.1,
            capsize=2.5,
            capthick=1.1,
        )
        exact = still.get(cell.cell, {}).get(name)
        if exact is not None:
            highest = max(highest, exact)
            ends = (at - 0.4 * _BAR_ROW, at + 0.4 * _BAR_ROW)
            axes.plot([exact] * 2, ends, color=PAPER, linewidth=2.8, zorder=1.5)
            axes.plot([exact] * 2, ends, color=FAINT, linewidth=1.4, dashes=(1.5, 0.8), zorder=1.6)
    right = min(1.0, 1.04 * highest)
    axes.set_xlim(0.0, right)
    for at, (*_, share) in zip(places, rows, strict=True):
        if not math.isnan(share.value):
            beside(axes, plus_minus(share), at, fontsize=8.5)
    axes.set_yticks(places, [label for label, *_ in rows])
    axes.set_ylim(places[-1] + 0.5 * _BAR_ROW, -0.5 * _BAR_ROW)
    axes.set_xlabel("share of the dice that show an orientation", fontsize=8.5)
    if len(cells) == 1:
        for label, (_, name, _, _) in zip(axes.get_yticklabels(), rows, strict=True):
            label.set_color(colours[name])
            label.set_fontweight("bold")
        return
    for name in names:
        top = min(at for at, row in zip(places, rows, strict=True) if row[1] == name)
        axes.annotate(
            shown(name), (0.0, top), (0, 9.5 + 3), xycoords="data", textcoords="offset points",
            color=colours[name], weight="bold", fontsize=9.5, va="center",
        )  # fmt: skip


_POINTS_COLOUR = "#34508f"


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
            axes = axes_at(figure, left, bottom, across - 0.75, 1.75)
            tops.append(_points_panel(axes, name, found, level=level))
            axes.set_xlim(-0.7, shown_to + 0.7)
        for axes in figure.axes:
            axes.set_ylim(0.0, 1.04 * max(tops))
        return figure


def _points_panel(axes: "Axes", name: str, found: PointCounts, *, level: float) -> float:
    """Draw one cell and return how high its whiskers reach."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow to import)

    quiet(axes)
    x = np.arange(len(found.throws))
    total = int(found.throws.sum())
    shares = [share_of(*_trials(int(many), total), level=level) for many in found.throws]
    value = np.array([share.value for share in shares])
    axes.bar(x, value, width=0.78, color=light(_POINTS_COLOUR))
    axes.errorbar(x, value, yerr=arms(shares), linestyle="none", color=INK, elinewidth=0.9)
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


_FEWEST = 10
"""Throws at the first point: fewer have no interval worth drawing."""
_CURVE_SIZE = (2.2, 2.2)
"""Inches of the axes of one cell."""
_CURVE_WORDS, _CURVE_LEFT = 1.8, 0.5
"""Inches for the final values, and for the scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Shares after the first few throws, after more, and after all."""

    throws: tuple[int, ...]
    """How many throws each point counts."""
    shares: Mapping[str, tuple[Share, ...]]
    """Of each orientation, a share for each point."""


def convergence(
    connection: "DuckDBPyConnection",
    *,
    orientations: Sequence[str],
    cell: int,
    level: float = 0.95,
    points: int = 50,
) -> Convergence:
    """Return the shares after growing numbers of throws, counted in the database.

    Args:
        connection: Holds the view `throws`.
        orientations: Those that are told apart.
        cell: The combination of factor levels.
        level: Of the intervals.
        points: How many numbers of throws at most.
    """
    counted = connection.execute(
        "SELECT count(DISTINCT throw) FROM throws WHERE NOT standing AND cell = ?", [cell]
    ).fetchone()
    total = counted[0] if counted else 0
    if not total:
        return Convergence(throws=(), shares=dict.fromkeys(orientations, ()))
    ends = np.geomspace(min(_FEWEST, total), total, points).round().astype(np.int64)
    throws = tuple(sorted({*ends.tolist()}))
    shares = {name: _shares(connection, name, cell, throws, level=level) for name in orientations}
    return Convergence(throws=throws, shares=shares)


def _shares(
    connection: "DuckDBPyConnection", name: str, cell: int, throws: Sequence[int], *, level: float
) -> tuple[Share, ...]:
    """Return the share of one orientation after so many throws."""
    rows = connection.execute(
        "WITH counted AS (SELECT row_number() OVER (ORDER BY throw) AS place, "
        "count(orientation) AS lying, count(*) FILTER (orientation = ?) AS hits "
        "FROM throws WHERE NOT standing AND cell = ? GROUP BY throw), "
        "ends AS (SELECT unnest(?::BIGINT[]) AS last) "
        "SELECT last, hits, lying, count(*) FROM counted ASOF JOIN ends ON place <= last "
        "GROUP BY ALL ORDER BY ALL",
        [name, cell, list(throws)],
    ).fetchall()
    # Throws that are alike are counted: there are few ways for a handful of dice to lie.
    many: dict[tuple[int, int], int] = {}
    found, place = [], 0
    for end in throws:
        while place < len(rows) and rows[place][0] == end:
            _, hits, lying, count = rows[place]
            many[hits, lying] = many.get((hits, lying), 0) + count
            place += 1
        kinds = np.array(sorted(many), dtype=np.int64)
        often = [many[hits, lying] for hits, lying in kinds.tolist()]
        clusters = np.repeat(kinds, often, axis=0)
        found.append(share_of(clusters[:, 0], clusters[:, 1], level=level))
    return tuple(found)


def draw_convergence(curves: Sequence[tuple[str, Convergence]]) -> "Figure":
    """Draw each share with its interval against the number of throws, a panel for each cell.

    Args:
        curves: Name and curves of each cell; the name of a single cell may be empty.
    """
    with house_style():
        thrown = any(curve.throws for _, curve in curves)
        curves = [(name, curve) for name, curve in curves if curve.throws and curve.shares]
        if not curves:
            return nothing(blank(7.5, 2.0), thrown=thrown)
        columns = min(2, len(curves))
        rows = math.ceil(len(curves) / columns)
        name_room = 0.3 if any(name for name, _ in curves) else 0.0
        across, down = _CURVE_LEFT + _CURVE_SIZE[0] + _CURVE_WORDS, _CURVE_SIZE[1] + 0.5 + name_room
        if len(curves) == 1:
            across += 3.0
        width, height = across * columns, down * rows + 0.72
        figure = blank(width, height)
        names = list(dict.fromkeys(name for _, curve in curves for name in curve.shares))
        colours = colours_of(names)
        top = _top([shares for _, curve in curves for shares in curve.shares.values()])
        level = next(s for _, c in curves for v in c.shares.values() for s in v).level
        heading(
            figure,
            "Shares as throws are added",
            f"bands: {level:.0%} intervals after so many throws",
        )
        for place, (name, curve) in enumerate(curves):
            row, column = divmod(place, columns)
            left, bottom = (
                column * across + _CURVE_LEFT,
                height - 0.72 - row * down - name_room - _CURVE_SIZE[1],
            )
            size = (across - _CURVE_LEFT - _CURVE_WORDS, _CURVE_SIZE[1])
            axes = axes_at(figure, left, bottom, size[0], size[1])
            _curve(axes, curve, colours, top)
            name_panel(axes, shown(name, longest=60), width=across - _CURVE_LEFT)
        return figure


def _top(curves: Sequence[tuple[Share, ...]]) -> float:
    """Return the upper end of the scale: the first and widest bands may reach over it."""
    ends = [share.value for shares in curves for share in shares]
    ends += [share.high for shares in curves for share in shares[len(shares) // 3 :]]
    return min(1.0, 1.04 * max((end for end in ends if not math.isnan(end)), default=1.0))


def _curve(axes: "Axes", curve: Convergence, colours: Mapping[str, str], top: float) -> None:
    from matplotlib.ticker import LogLocator, NullLocator  # noqa: PLC0415 (slow to import)

    quiet(axes)
    axes.set_xscale("log")
    finals = []
    for name, shares in curve.shares.items():
        kept = [k for k, share in enumerate(shares) if not math.isnan(share.value)]
        if not kept:
            continue
        x = [curve.throws[k] for k in kept]
        low, value, high = (
            [getattr(shares[k], part) for k in kept] for part in ("low", "value", "high")
        )
        colour = colours[name]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.axhline(value[-1], color=colour, linewidth=0.7, linestyle=(0, (4, 3)))
        axes.plot(x, value, color=colour, linewidth=1.5, marker="o" if len(x) == 1 else None)
        finals.append((name, shares[kept[-1]]))
    if curve.throws[0] == curve.throws[-1]:
        axes.set_xlim(0.5 * curve.throws[0], 2.0 * curve.throws[0])
    else:
        axes.set_xlim(curve.throws[0], curve.throws[-1])
    axes.set_ylim(0.0, top)
    decades = math.log10(curve.throws[-1] / curve.throws[0])
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if decades < 3 else (1.0,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("throws", fontsize=8.5, color=FAINT)
    places = apart([share.value for _, share in finals], 0.085 * top)
    for (name, share), place in zip(finals, places, strict=True):
        beside(
            axes,
            f"{shown(name, longest=14)} {plus_minus(share)}",
            place,
            aside=5,
            va="center",
            fontsize=7.8,
            color=colours[name],
        )


POINTS = "points a die"
"""The quantity of a contrast that is no share."""

_PANEL = (2.15, 2.3)
_LEFT, _WORDS, _HEAD, _FOOT = 0.5, 1.15, 1.05, 0.62
_ROW, _GROUP = 0.23, 0.36
_MOST_ROWS = 60
"""Differences drawn; the table holds all."""

_MOST_PANELS = 12

Level = str | int | float


def draw_factor_levels(answers: StudyAnswers, factor: str) -> "Figure":
    """Draw the shares of orientations by the levels of a factor.

    Numbers have their places on a scale, anything else comes in the order of the cells. There is
    a panel for each combination of levels of the other factors.

    Args:
        answers: What the study says.
        factor: A factor that it varies.
    """
    with house_style():
        cells = [
            cell
            for cell in answers.cells
            if factor in cell.factors and any(share.trials for share in cell.shares)
        ]
        if not cells:
            thrown = any(cell.throws for cell in answers.cells)
            return nothing(blank(7.5, 2.0), thrown=thrown)
        every = _panels(cells, factor)
        panels = every[:_MOST_PANELS]
        columns = min(3, len(panels))
        rows = math.ceil(len(panels) / columns)
        wide = _PANEL[0] + (2.2 if columns == 1 else 0.9 if columns == 2 else 0.0)
        width = columns * (wide + _LEFT) + _WORDS
        head = _HEAD if any(others for others, _ in panels) else _HEAD - 0.25
        height = head + rows * (_PANEL[1] + _FOOT) + 0.3 * (rows - 1)
        figure = blank(width, height)
        more = (
            f"; the first {len(panels)} of {len(every)} panels" if len(panels) < len(every) else ""
        )
        heading(
            figure, f"Shares by {shown(factor)}", f"whiskers: {answers.level:.0%} intervals{more}"
        )
        colours = colours_of(name for cell in answers.cells for name in cell.orientations)
        levels = list(dict.fromkeys(cell.factors[factor] for cell in cells))
        top = min(1.0, 1.04 * max(share.high for c in cells for share in c.shares if share.trials))
        for place, (others, members) in enumerate(panels):
            row, column = divmod(place, columns)
            left = _LEFT + column * (wide + _LEFT)
            bottom = height - head - _PANEL[1] - row * (_PANEL[1] + _FOOT + 0.3)
            axes = axes_at(figure, left, bottom, wide, _PANEL[1])
            last = column == columns - 1 or place == len(panels) - 1
            _levels(axes, members, factor, levels, colours, named=last, top=top)
            name_panel(axes, others, width=wide + 0.3)
        return figure


def _panels(cells: Sequence[CellAnswers], factor: str) -> list[tuple[str, list[CellAnswers]]]:
    """Return the cells that share the levels of the other factors, and what those are called."""
    found: dict[tuple[tuple[str, Level], ...], list[CellAnswers]] = {}
    for cell in cells:
        others = {name: level for name, level in cell.factors.items() if name != factor}
        found.setdefault(tuple(others.items()), []).append(cell)
    return [(shown_cell(dict(others)), members) for others, members in found.items()]


def _levels(
    axes: "Axes",
    cells: Sequence[CellAnswers],
    factor: str,
    levels: Sequence[Level],
    colours: Mapping[str, str],
    *,
    named: bool,
    top: float,
) -> None:
    quiet(axes)
    places = _places(levels)
    span = max(places.values()) - min(places.values()) or 1.0
    ends = []
    for k, name in enumerate(colours):
        known = [
            (places[cell.factors[factor]], cell.shares[cell.orientations.index(name)])
            for cell in cells
            if name in cell.orientations
        ]
        known = sorted(((x, s) for x, s in known if s.trials), key=lambda pair: pair[0])
        if not known:
            continue
        # A little aside, so that no whisker hides another.
        aside = (k - (len(colours) - 1) / 2) * 0.022 * span
        x = [place + aside for place, _ in known]
        y = [share.value for _, share in known]
        axes.errorbar(
            x, y, yerr=arms([s for _, s in known]), color=colours[name],
            marker=MARKERS[k % len(MARKERS)], markersize=4.5, linewidth=1.3, elinewidth=1.1,
            capsize=2,
        )  # fmt: skip
        ends.append((name, y[-1]))
    numeric = _numeric(levels)
    axes.set_xticks(
        [places[level] for level in levels], [shown(spelt(lv), longest=14) for lv in levels]
    )
    axes.set_xlim(min(places.values()) - 0.12 * span, max(places.values()) + 0.12 * span)
    axes.set_ylim(0.0, top)
    if numeric:
        axes.set_xlabel(shown(factor), fontsize=8.5, color=FAINT)
    if not named:
        return
    for (name, _), place in zip(ends, apart([y for _, y in ends], 0.075 * top), strict=True):
        beside(
            axes,
            shown(name, longest=16),
            place,
            aside=3,
            va="center",
            fontsize=8.5,
            weight="bold",
            color=colours[name],
        )


def _numeric(levels: Sequence[Level]) -> bool:
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels)


def _places(levels: Sequence[Level]) -> dict[Level, float]:
    """Return where each level stands on its axis."""
    if _numeric(levels):
        return {level: float(level) for level in levels}
    return {level: float(k) for k, level in enumerate(levels)}


def draw_contrasts(answers: StudyAnswers, factor: str) -> "Figure":
    """Draw what going from one level of a factor to another changes, with the line of no change.

    Shares have one scale, points of a die another. A mark is filled where its interval leaves out
    zero.

    Args:
        answers: What the study says.
        factor: A factor that it varies.
    """
    with house_style():
        mine = [
            each
            for each in answers.contrasts
            if each.factor == factor and math.isfinite(each.difference.value)
        ]
        mine.sort(key=lambda each: each.quantity == POINTS)
        kept = mine[:_MOST_ROWS]
        if not kept:
            thrown = any(cell.throws for cell in answers.cells)
            return nothing(blank(7.5, 2.0), thrown=thrown)
        names = list(dict.fromkeys(each.quantity for each in kept))
        scales = [
            part
            for part in (
                [name for name in names if name != POINTS],
                [name for name in names if name == POINTS],
            )
            if part
        ]
        sizes = [
            _ROW * sum(each.quantity in part for each in kept) + _GROUP * len(part)
            for part in scales
        ]
        height = _HEAD - 0.2 + sum(sizes) + 0.75 * len(scales)
        words = [_change(each) for each in kept] + [shown(each.quantity) + "  " for each in kept]
        left = 0.35 + 0.075 * max(len(word) for word in words)
        width = max(7.5, left + 4.8)
        figure = blank(width, height)
        note = f"high less low; {answers.level:.0%} intervals; filled: apart from zero"
        if len(kept) < len(mine):
            note += f"; the first {_MOST_ROWS} of {len(mine)}"
        heading(figure, f"What {shown(factor)} changes", note)
        bottom = height - (_HEAD - 0.2)
        known = colours_of(name for cell in answers.cells for name in cell.orientations)
        for part, size in zip(scales, sizes, strict=True):
            bottom -= size
            axes = axes_at(figure, left, bottom, width - left - 1.5, size)
            _differences(axes, [each for each in kept if each.quantity in part], part, known)
            axes.set_xlabel(
                "difference in points a die" if POINTS in part else "difference in share",
                fontsize=8.5, color=FAINT,
            )  # fmt: skip
            bottom -= 0.75
        return figure


def _change(contrast: Contrast) -> str:
    words = f"{shown(spelt(contrast.low))} → {shown(spelt(contrast.high))}"
    others = shown_cell(contrast.others)
    return f"{words} ({others})" if others else words


def _differences(
    axes: "Axes", contrasts: Sequence[Contrast], names: Sequence[str], colours: Mapping[str, str]
) -> None:
    quiet(axes, grid="x")
    axes.locator_params(axis="x", nbins=6)
    axes.axvline(0.0, color=INK, linewidth=1.0)
    ticks, labels, y = [], [], 0.0
    for name in names:
        y += _GROUP
        colour = colours.get(name, INK)
        axes.annotate(
            shown(name), (0.0, y - 0.5 * _ROW), (-4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", color=colour, weight="bold", fontsize=9.5, va="center",
            ha="right",
        )  # fmt: skip
        for each in (each for each in contrasts if each.quantity == name):
            found = each.difference
            told = found.low > 0.0 or found.high < 0.0
            axes.errorbar(
                found.value, y + 0.5 * _ROW, color=colour, marker="o", markersize=5,
                xerr=arms([found]),
                markerfacecolor=colour if told else PAPER, elinewidth=1.2, capsize=2,
            )  # fmt: skip
            beside(axes, plus_minus(found, signed=True), y + 0.5 * _ROW, fontsize=8.5)
            ticks.append(y + 0.5 * _ROW)
            labels.append(_change(each))
            y += _ROW
    axes.set_yticks(ticks, labels)
    axes.set_ylim(y, 0.0)
    axes.margins(x=0.06)
