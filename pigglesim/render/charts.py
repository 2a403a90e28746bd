"""Charts of studies (shares, factors, points, convergence) and matches (ratings, turn totals)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.experiments.estimates import CellAnswers, Contrast, StudyAnswers
from pigglesim.experiments.standings import Standings
from pigglesim.experiments.statistics import Counts, Moments, Share, share_from
from pigglesim.games.piggy_six import Ending
from pigglesim.render.figure import (
    MARKERS,
    Mark,
    Row,
    RowPanel,
    apart,
    arms,
    axes_at,
    beside,
    colours_of,
    draw_rows,
    house_style,
    light,
    nothing,
    panel_grid,
    shown,
    shown_cell,
)
from pigglesim.render.palette import FAINT, INK, PAPER
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import Solution
from pigglesim.units import plus_minus, spelt, with_interval

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from pigglesim.experiments.statistics import Interval


@house_style()
def draw_share_bars(
    cells: Sequence[CellAnswers],
    *,
    quasi_static: Mapping[int, Mapping[str, float]] | None = None,
) -> "Figure":
    """Draw the share of each orientation, with a bar for each cell.

    A dashed stroke shows the exact share without momentum, by cell and orientation.
    """
    thrown = any(cell.throws for cell in cells)
    cells = [cell for cell in cells if any(share.trials for share in cell.shares)]
    if not cells:
        return nothing(thrown=thrown)
    names = list(dict.fromkeys(name for cell in cells for name in cell.orientations))
    colours, still = colours_of(names), quasi_static or {}
    groups: dict[str, list[Row]] = {}
    for name in names:
        for cell in cells:
            if name not in cell.orientations:
                continue
            share = cell.shares[cell.orientations.index(name)]
            called = shown_cell(cell.factors) or f"cell {cell.cell}"
            found = None if math.isnan(share.value) else share
            row = Row(
                label=shown(name) if len(cells) == 1 else called,
                marks=[Mark(found=found, words=plus_minus(share) if found else "no throws")],
                bars=[(share.value, light(colours[name]))] if found else [],
                reference=still.get(cell.cell, {}).get(name),
            )
            groups.setdefault("" if len(cells) == 1 else shown(name), []).append(row)
    panel = RowPanel(
        scale="share of the dice that show an orientation",
        groups=groups,
        colours={shown(name): colour for name, colour in colours.items()},
    )
    mark = "; ┆ without momentum" if still else ""
    note = f"whiskers: {cells[0].shares[0].level:.0%} intervals{mark}"
    return draw_rows("Share of each orientation", note, [panel])


_POINTS_COLOUR = "#34508f"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCounts:
    """Distribution of the points per throw."""

    throws: Counts
    """Number of throws that score 0, 1, 2, ... points, shape [point_count]."""
    independent: Array
    """Share of throws expected for independent dice, shape [point_count]."""

    @property
    def apart(self) -> float:
        """Total variation between both: the largest difference in the share of any event."""
        return float(np.abs(self.throws / self.throws.sum() - self.independent).sum()) / 2.0

    @property
    def noise(self) -> float:
        """Mean of that distance for independent dice, from noise alone."""
        from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415 (slow to import)

        total, share = int(self.throws.sum()), self.independent[self.independent < 1.0]
        # De Moivre's mean size of the deviation of a binomial count.
        above = np.floor(total * share) + 1.0
        rest = total - above
        ways = gammaln(total + 1.0) - gammaln(above + 1.0) - gammaln(rest + 1.0)
        chance = np.exp(ways + xlogy(above, share) + xlog1py(rest, -share))
        return float(np.sum(2.0 * above * (1.0 - share) * chance)) / (2.0 * total)


def point_counts(connection: "DuckDBPyConnection", *, cell: int) -> PointCounts:
    """Return the distribution of points per throw, counted in the database."""
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


@house_style()
def draw_points(counts: Sequence[tuple[str, PointCounts]], *, level: float) -> "Figure":
    """Draw the distribution of points per throw, with one panel per cell."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow to import)

    kept = [(name, found) for name, found in counts if found.throws.sum()]
    if not kept:
        return nothing()
    note = f"bars: share of throws, {level:.0%} intervals; ◇ were the dice of a throw independent"
    names = [shown(name, longest=60) for name, _ in kept]
    figure, panels = panel_grid(
        "Points of a throw", note, names, columns=2, size=(3.05, 1.75),
        around=(0.55, 0.45, 0.2, 0.55), above=14.0,
    )  # fmt: skip
    # Leave out rare high scores.
    last = max(
        int(np.flatnonzero((found.throws > 0) | (found.independent > 5e-4))[-1])
        for _, found in kept
    )
    top = 0.0
    for axes, (_, found) in zip(panels, kept, strict=True):
        total = int(found.throws.sum())
        # Each throw is a cluster of its own.
        shares = [
            share_from(Moments(clusters=total, tried=total, hits=hits, trials=total,
                               hits_hits=hits, hits_trials=hits, trials_trials=total), level=level)
            for hits in found.throws.tolist()
        ]  # fmt: skip
        top = max(top, *(share.high for share in shares))
        x, value = np.arange(len(shares)), [share.value for share in shares]
        axes.bar(x, value, width=0.78, color=light(_POINTS_COLOUR))
        axes.errorbar(x, value, yerr=arms(shares), linestyle="none", color=INK, elinewidth=0.9)
        axes.plot(
            x, found.independent, linestyle="none", marker="D", markersize=4.2,
            markerfacecolor=PAPER, markeredgecolor=FAINT, zorder=3,
        )  # fmt: skip
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("points", fontsize=8.5, color=FAINT)
        words = f"total variation {found.apart:.3f}, by noise alone {found.noise:.3f}"
        axes.text(0.0, 1.02, words, transform=axes.transAxes, fontsize=8, color=FAINT)
        axes.set_xlim(-0.7, last + 0.7)
    for axes in panels:
        axes.set_ylim(0.0, 1.04 * top)
    return figure


_FEWEST = 10
"""Number of throws at the first point; intervals of fewer are too wide to draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Shares after growing numbers of throws."""

    throws: tuple[int, ...]
    """Number of throws at each point."""
    shares: Mapping[str, tuple[Share, ...]]
    """Share at each point, by orientation."""


def convergence(
    connection: "DuckDBPyConnection",
    *,
    orientations: Sequence[str],
    cell: int,
    level: float = 0.95,
    points: int = 50,
) -> Convergence:
    """Return the shares after growing numbers of throws, counted in the database."""
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
    """Return the share of one orientation after each number of throws."""
    rows = connection.execute(
        "WITH counted AS (SELECT row_number() OVER (ORDER BY throw) AS place, "
        "count(orientation) AS lying, count(*) FILTER (orientation = ?) AS hits "
        "FROM throws WHERE NOT standing AND cell = ? GROUP BY throw), "
        "ends AS (SELECT unnest(?::BIGINT[]) AS last) "
        "SELECT count(*), count(*) FILTER (lying > 0), sum(hits), sum(lying), sum(hits * hits), "
        "sum(hits * lying), sum(lying * lying) "
        "FROM counted ASOF JOIN ends ON place <= last GROUP BY last ORDER BY last",
        [name, cell, list(throws)],
    ).fetchall()
    sums = np.cumsum(np.array(rows, dtype=np.int64), axis=0).tolist()
    parts = [part.name for part in fields(Moments)]
    moments = (Moments(**dict(zip(parts, row, strict=True))) for row in sums)
    return tuple(share_from(each, level=level) for each in moments)


@house_style()
def draw_convergence(curves: Sequence[tuple[str, Convergence]]) -> "Figure":
    """Draw each share with its interval against the number of throws, one panel per cell."""
    thrown = any(curve.throws for _, curve in curves)
    curves = [(name, curve) for name, curve in curves if curve.throws and curve.shares]
    if not curves:
        return nothing(thrown=thrown)
    every = [shares for _, curve in curves for shares in curve.shares.values()]
    names = [shown(name, longest=60) for name, _ in curves]
    figure, panels = panel_grid(
        "Shares as throws are added",
        f"bands: {every[0][0].level:.0%} intervals after so many throws",
        names,
        columns=2,
        size=(2.2 if len(curves) > 1 else 5.2, 2.2),
        around=(0.5, 0.5, 1.8, 0.3 if any(names) else 0.0),
    )
    colours = colours_of(dict.fromkeys(name for _, curve in curves for name in curve.shares))
    top = _top(every)
    for axes, (_, curve) in zip(panels, curves, strict=True):
        _curve(axes, curve, colours, top)
    return figure


def _top(curves: Sequence[tuple[Share, ...]]) -> float:
    """Return the upper end of the scale: the first and widest bands may reach over it."""
    ends = [share.value for shares in curves for share in shares]
    ends += [share.high for shares in curves for share in shares[len(shares) // 3 :]]
    return min(1.0, 1.04 * max((end for end in ends if not math.isnan(end)), default=1.0))


def _curve(axes: "Axes", curve: Convergence, colours: Mapping[str, str], top: float) -> None:
    from matplotlib.ticker import LogLocator, NullLocator  # noqa: PLC0415 (slow to import)

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
    first, last = curve.throws[0], curve.throws[-1]
    axes.set_xlim((first, last) if first < last else (0.5 * first, 2.0 * first))
    axes.set_ylim(0.0, top)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if last < 1000 * first else (1.0,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("throws", fontsize=8.5, color=FAINT)
    places = apart([share.value for _, share in finals], 0.085 * top)
    for (name, share), place in zip(finals, places, strict=True):
        words, colour = f"{shown(name, longest=14)} {plus_minus(share)}", colours[name]
        beside(axes, words, place, aside=5, va="center", fontsize=7.8, color=colour)


POINTS = "points a die"
"""Quantity of a contrast that is not a share."""
_MOST_ROWS = 60
"""Maximum number of differences drawn; the table has all."""
_MOST_PANELS = 12

Level = str | int | float


@house_style()
def draw_factor_levels(answers: StudyAnswers, factor: str) -> "Figure":
    """Draw the shares of orientations by the levels of a factor.

    Numeric levels are placed on a scale, other levels in the order of the cells. There is one
    panel per combination of levels of the other factors.
    """
    cells = [
        cell
        for cell in answers.cells
        if factor in cell.factors and any(share.trials for share in cell.shares)
    ]
    if not cells:
        return nothing(thrown=any(cell.throws for cell in answers.cells))
    every: dict[tuple[tuple[str, Level], ...], list[CellAnswers]] = {}
    for cell in cells:
        others = {name: level for name, level in cell.factors.items() if name != factor}
        every.setdefault(tuple(others.items()), []).append(cell)
    names = [shown_cell(dict(others)) for others in every][:_MOST_PANELS]
    more = f"; the first {len(names)} of {len(every)} panels" if len(names) < len(every) else ""
    figure, panels = panel_grid(
        f"Shares by {shown(factor)}",
        f"whiskers: {answers.level:.0%} intervals{more}",
        names,
        columns=3,
        size=({1: 4.35, 2: 3.05}.get(len(names), 1.9), 2.3),
        around=(0.5, 0.6, 1.15, 0.3 if any(names) else 0.0),
    )
    colours = colours_of(name for cell in answers.cells for name in cell.orientations)
    levels = list(dict.fromkeys(cell.factors[factor] for cell in cells))
    top = min(1.0, 1.04 * max(share.high for c in cells for share in c.shares if share.trials))
    for axes, members in zip(panels, every.values(), strict=False):
        _levels(axes, members, factor, levels, colours, top=top)
    return figure


def _levels(
    axes: "Axes",
    cells: Sequence[CellAnswers],
    factor: str,
    levels: Sequence[Level],
    colours: Mapping[str, str],
    *,
    top: float,
) -> None:
    numeric = all(isinstance(lv, int | float) and not isinstance(lv, bool) for lv in levels)
    places = {lv: float(lv) if numeric else float(k) for k, lv in enumerate(levels)}
    low, high = min(places.values()), max(places.values())
    span, ends = high - low or 1.0, []
    for k, name in enumerate(colours):
        known = sorted(
            (places[cell.factors[factor]], cell.cell, share)
            for cell in cells
            if name in cell.orientations
            and (share := cell.shares[cell.orientations.index(name)]).trials
        )
        if not known:
            continue
        # A little aside, so that no whisker hides another.
        aside = (k - (len(colours) - 1) / 2) * 0.022 * span
        shares = [share for *_, share in known]
        axes.errorbar(
            [place + aside for place, *_ in known], [share.value for share in shares],
            yerr=arms(shares), color=colours[name], marker=MARKERS[k % len(MARKERS)],
            markersize=4.5, linewidth=1.3, elinewidth=1.1, capsize=2,
        )  # fmt: skip
        ends.append((name, shares[-1].value))
    axes.set_xticks(list(places.values()), [shown(spelt(level), longest=14) for level in places])
    axes.set_xlim(low - 0.12 * span, high + 0.12 * span)
    axes.set_ylim(0.0, top)
    if numeric:
        axes.set_xlabel(shown(factor), fontsize=8.5, color=FAINT)
    for (name, _), place in zip(ends, apart([y for _, y in ends], 0.075 * top), strict=True):
        words, colour = shown(name, longest=16), colours[name]
        beside(axes, words, place, aside=3, va="center", fontsize=8, weight="bold", color=colour)


@house_style()
def draw_contrasts(answers: StudyAnswers, factor: str) -> "Figure":
    """Draw the effect of changing a factor's level, with the line of no change.

    Shares and points per die have separate scales. A mark is filled if its interval excludes
    zero.
    """
    mine = [
        each
        for each in answers.contrasts
        if each.factor == factor and math.isfinite(each.difference.value)
    ]
    mine.sort(key=lambda each: each.quantity == POINTS)
    kept = mine[:_MOST_ROWS]
    if not kept:
        return nothing(thrown=any(cell.throws for cell in answers.cells))
    known = colours_of(name for cell in answers.cells for name in cell.orientations)
    panels = []
    for points in (False, True):
        groups: dict[str, list[Row]] = {}
        for each in kept:
            if (each.quantity == POINTS) is points:
                words = plus_minus(each.difference, signed=True)
                colour = known.get(each.quantity, INK)
                mark = Mark(found=each.difference, words=words, colour=colour, marker="o")
                row = Row(label=_change(each), marks=[mark])
                groups.setdefault(shown(each.quantity), []).append(row)
        if groups:
            colours = {shown(name): colour for name, colour in known.items()}
            scale = f"difference in {POINTS if points else 'share'}"
            panels.append(RowPanel(scale=scale, groups=groups, colours=colours, none=0.0))
    note = f"high less low; {answers.level:.0%} intervals; filled: apart from zero"
    if len(kept) < len(mine):
        note += f"; the first {_MOST_ROWS} of {len(mine)}"
    return draw_rows(f"What {shown(factor)} changes", note, panels)


def _change(contrast: Contrast) -> str:
    words = f"{shown(spelt(contrast.low))} → {shown(spelt(contrast.high))}"
    others = shown_cell(contrast.others)
    return f"{words} ({others})" if others else words


_DOT = "#34508f"


@house_style()
def draw_ratings(found: Standings, *, game: str, level: float) -> "Figure":
    """Draw Elo ratings above and shares of points below, each with its interval."""
    agents = [_row(shown(each.name), each.elo, signed=True) for each in found.agents]
    meetings = [
        _row(
            f"{shown(one.first, longest=22)} \N{EN DASH} {shown(one.second, longest=22)}", one.share
        )
        for one in found.matchups
        if one.pairs
    ]
    panels = [
        RowPanel(name="Elo, against the mean of all", scale="", groups={"": agents}, none=0.0),
        RowPanel(
            name="share of the points that the first made of the two",
            scale="",
            groups={"": meetings},
            none=0.5,
        ),
    ]
    note = f"{game}; {found.pairs:,} pairs of matches, {level:.0%} intervals; filled: off the line"
    return draw_rows("Agents against each other", note, [each for each in panels if each.height])


def _row(label: str, found: "Interval | Share", *, signed: bool = False) -> Row:
    words = with_interval(found, signed=signed)
    return Row(label=label, marks=[Mark(found=found, words=words, colour=_DOT, marker="o")])


_SIDE = 3.9
"""Side of a panel [in]."""
_SHOWN = 0.6
"""Share of the target above which totals have one colour: there no turn is stopped early."""


@house_style()
def draw_stops(found: "Solution") -> "Figure":
    """Draw the roll/hold surface of each player, seen from above, as colours with contours.

    A race has one panel, because the first player does not matter.
    """
    match = found.match
    panels = {"the first player": found.stop_totals(first=True)}
    if match.ending is Ending.EQUAL_TURNS:
        panels["the second player"] = found.stop_totals(first=False)
    else:
        panels = {"whoever is to move": panels["the first player"]}
    note = (
        f"{match.dice.name} to {match.target}, {match.ending.replace('_', ' ')}; "
        f"who begins wins {found.first_player_win:.6f}"
    )
    figure, drawn = panel_grid(
        "Stop at this turn total", note, list(panels), columns=2, size=(_SIDE, _SIDE),
        around=(0.75, 0.6, 0.6, 0.2),
    )  # fmt: skip
    top = max(10.0, _SHOWN * match.target)
    for axes, totals in zip(drawn, panels.values(), strict=True):
        image = _surface(axes, totals, top)
    width, _ = figure.get_size_inches()
    bar = axes_at(figure, float(width) - 0.5, 0.6, 0.16, _SIDE)
    scale = figure.colorbar(image, cax=bar, extend="max")
    scale.outline.set_visible(False)
    bar.tick_params(length=0, labelsize=8.0, labelcolor=INK)
    return figure


def _surface(axes: "Axes", totals: Array, top: float) -> "AxesImage":
    """Draw one surface, and return its image for the colour scale."""
    shown = np.minimum(totals, top).T
    image = axes.imshow(
        shown, origin="lower", cmap="viridis", vmin=0.0, vmax=top, interpolation="nearest",
        aspect="equal",
    )  # fmt: skip
    levels = [level for level in (5, 10, 15, 20, 25, 30, 40) if level < top]
    lines = axes.contour(totals.T, levels=levels, colors="white", linewidths=0.6, alpha=0.7)
    axes.clabel(lines, fmt="%d", fontsize=7.0)
    axes.set_xlabel("own score", fontsize=8.5, color=FAINT)
    axes.set_ylabel("the other's score", fontsize=8.5, color=FAINT)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    return image
