"""Charts of studies (shares, factors, points, convergence) and matches (ratings, turn totals)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.experiments.estimates import CellAnswers, Contrast, StudyAnswers
from pigglesim.experiments.statistics import Counts, Moments, Share, share_from
from pigglesim.experiments.tournament import Standings
from pigglesim.games.piggy_six import Ending
from pigglesim.render.figure import (
    MARKERS,
    ChartMark,
    ChartRow,
    RowPanel,
    axes_at,
    cell_label,
    colours_of,
    display_name,
    draw_rows,
    empty_figure,
    error_bars,
    heading,
    house_style,
    label_ends,
    lighten,
    new_figure,
    panel_grid,
    simplify_axes,
)
from pigglesim.render.palette import FAINT, INK, PAPER
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import Solution
from pigglesim.units import level_text, percent, plus_minus, with_interval

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from pigglesim.experiments.interval import Interval


@house_style()
def draw_share_bars(
    cells: Sequence[CellAnswers], *, quasi_static: Mapping[int, Mapping[str, float]] | None = None
) -> "Figure":
    """Draw the share of each orientation, with a bar for each cell.

    Dashed strokes show `quasi_static`: exact shares without momentum, by cell and orientation.
    """
    thrown = any(cell.throws for cell in cells)
    cells = [cell for cell in cells if _has_dice(cell)]
    if not cells:
        return empty_figure(thrown=thrown)
    names = orientations_of(cells)
    colours, exact, single = colours_of(names), quasi_static or {}, len(cells) == 1
    groups: dict[str, list[ChartRow]] = {}
    for name in names:
        for cell in cells:
            share = _shares_of(cell).get(name)
            if share is not None:
                cell_name = cell_label(cell.factors) or f"cell {cell.cell}"
                row = _share_row(
                    display_name(name) if single else cell_name, share, lighten(colours[name]),
                    reference=exact.get(cell.cell, {}).get(name),
                )  # fmt: skip
                groups.setdefault("" if single else display_name(name), []).append(row)
    panel = RowPanel(
        scale="share of the dice that show an orientation",
        groups=groups,
        colours={display_name(name): colour for name, colour in colours.items()},
    )
    mark = "; ┆ without momentum" if exact else ""
    note = f"whiskers: {percent(cells[0].shares[0].level)} intervals{mark}"
    return draw_rows("Share of each orientation", note, [panel])


def _share_row(label: str, share: Share, colour: str, *, reference: float | None) -> ChartRow:
    """Return a bar with its interval; a share of no throws has neither."""
    if math.isnan(share.value):
        mark, bars = ChartMark(estimate=None, text="no throws"), []
    else:
        mark = ChartMark(estimate=share, text=plus_minus(share))
        bars = [(share.value, colour)]
    return ChartRow(label=label, marks=[mark], bars=bars, reference=reference)


def orientations_of(cells: Sequence[CellAnswers]) -> list[str]:
    """Return each orientation of some cells once."""
    return list(dict.fromkeys(chain.from_iterable(cell.orientations for cell in cells)))


def _shares_of(cell: CellAnswers) -> dict[str, Share]:
    return dict(zip(cell.orientations, cell.shares, strict=True))


def _has_dice(cell: CellAnswers) -> bool:
    return any(share.trials for share in cell.shares)


_POINTS_COLOUR = "#34508f"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCounts:
    """Distribution of the points per throw."""

    throws: Counts
    """Number of throws that score 0, 1, 2, ... points, shape [point_count]."""
    independent: Array
    """Share of throws expected for independent dice, shape [point_count]."""

    @property
    def total_variation(self) -> float:
        """Total variation distance between both: the largest difference in any event's share."""
        return float(np.abs(self.throws / self.throws.sum() - self.independent).sum()) / 2.0

    @property
    def noise(self) -> float:
        """Mean total variation that noise alone causes, if the dice are independent."""
        from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415 (slow to import)

        total, share = int(self.throws.sum()), self.independent[self.independent < 1.0]
        # De Moivre's mean size of the deviation of a binomial count.
        above = np.floor(total * share) + 1.0
        below = total - above
        log_binomial = gammaln(total + 1.0) - gammaln(above + 1.0) - gammaln(below + 1.0)
        chance = np.exp(log_binomial + xlogy(above, share) + xlog1py(below, -share))
        return float(np.sum(2.0 * above * (1.0 - share) * chance)) / (2.0 * total)


def point_counts(connection: "DuckDBPyConnection", *, cell: int) -> PointCounts:
    """Return the distribution of points per throw, counted in the database."""
    thrown = "FROM throws WHERE NOT standing AND points IS NOT NULL AND cell = ?"
    dice = connection.execute(
        f"SELECT points, count(*) {thrown} GROUP BY points", [cell]
    ).fetchall()
    if not dice:
        return PointCounts(throws=np.zeros(0, dtype=np.int64), independent=np.zeros(0))
    sums = connection.execute(
        f"WITH summed AS (SELECT count(*) AS dice, sum(points) AS points {thrown} GROUP BY throw) "
        "SELECT dice::INTEGER, points::INTEGER, count(*) FROM summed GROUP BY ALL",
        [cell],
    ).fetchall()
    per_die = np.zeros(max(points for points, _ in dice) + 1)
    for points, count in dice:
        per_die[points] += count
    per_die /= per_die.sum()
    max_dice = max(die_count for die_count, _, _ in sums)
    throws = np.zeros(max_dice * (len(per_die) - 1) + 1, dtype=np.int64)
    independent = np.zeros(len(throws))
    by_dice = [np.ones(1)]
    for _ in range(max_dice):
        by_dice.append(np.convolve(by_dice[-1], per_die))
    for die_count, points, count in sums:
        throws[points] += count
        independent[: len(by_dice[die_count])] += count * by_dice[die_count]
    return PointCounts(throws=throws, independent=independent / throws.sum())


@house_style()
def draw_points(counts: Sequence[tuple[str, PointCounts]], *, level: float) -> "Figure":
    """Draw the distribution of points per throw, with one panel per cell."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow to import)

    cells = [(name, cell) for name, cell in counts if cell.throws.sum()]
    if not cells:
        return empty_figure()
    note = f"bars: share of throws, {percent(level)} intervals; ◇ were dice of a throw independent"
    names = [display_name(name, longest=60) for name, _ in cells]
    figure, panels = panel_grid(
        "Points of a throw", note, names, columns=2, size=(3.05, 1.75),
        around=(0.55, 0.45, 0.2, 0.55), above=14.0,
    )  # fmt: skip
    # Leave out rare high scores.
    last = max(
        int(np.flatnonzero((cell.throws > 0) | (cell.independent > 5e-4))[-1]) for _, cell in cells
    )
    top = 0.0
    for axes, (_, cell) in zip(panels, cells, strict=True):
        total = int(cell.throws.sum())
        # Each throw is a cluster of its own.
        shares = [
            share_from(Moments(clusters=total, tried=total, hits=hits, trials=total,
                               hits_hits=hits, hits_trials=hits, trials_trials=total), level=level)
            for hits in cell.throws.tolist()
        ]  # fmt: skip
        top = max(top, *(share.high for share in shares))
        x, value = np.arange(len(shares)), [share.value for share in shares]
        axes.bar(x, value, width=0.78, color=lighten(_POINTS_COLOUR))
        axes.errorbar(
            x, value, yerr=error_bars(shares), linestyle="none", color=INK, elinewidth=0.9
        )
        axes.plot(
            x, cell.independent, linestyle="none", marker="D", markersize=4.2,
            markerfacecolor=PAPER, markeredgecolor=FAINT, zorder=3,
        )  # fmt: skip
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("points", fontsize=8.5, color=FAINT)
        text = f"total variation {cell.total_variation:.3f}, by noise alone {cell.noise:.3f}"
        axes.text(0.0, 1.02, text, transform=axes.transAxes, fontsize=8, color=FAINT)
        axes.set_xlim(-0.7, last + 0.7)
    for axes in panels:
        axes.set_ylim(0.0, 1.04 * top)
    return figure


_MIN_THROWS = 10
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
    row = connection.execute(
        "SELECT count(DISTINCT throw) FROM throws WHERE NOT standing AND cell = ?", [cell]
    ).fetchone()
    total = row[0] if row else 0
    if not total:
        return Convergence(throws=(), shares=dict.fromkeys(orientations, ()))
    ends = np.geomspace(min(_MIN_THROWS, total), total, points).round().astype(np.int64)
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
    names = [part.name for part in fields(Moments)]
    moments = (Moments(**dict(zip(names, row, strict=True))) for row in sums)
    return tuple(share_from(sample, level=level) for sample in moments)


@house_style()
def draw_convergence(curves: Sequence[tuple[str, Convergence]]) -> "Figure":
    """Draw each share with its interval against the number of throws, one panel per cell."""
    thrown = any(curve.throws for _, curve in curves)
    curves = [(name, curve) for name, curve in curves if curve.throws and curve.shares]
    if not curves:
        return empty_figure(thrown=thrown)
    all_shares = [shares for _, curve in curves for shares in curve.shares.values()]
    names = [display_name(name, longest=60) for name, _ in curves]
    figure, panels = panel_grid(
        "Shares as throws are added",
        f"bands: {percent(all_shares[0][0].level)} intervals after so many throws",
        names,
        columns=2,
        size=(2.2 if len(curves) > 1 else 5.2, 2.2),
        around=(0.5, 0.5, 1.8, 0.3 if any(names) else 0.0),
    )
    colours = colours_of(dict.fromkeys(name for _, curve in curves for name in curve.shares))
    top = _top(all_shares)
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
        valid = [k for k, share in enumerate(shares) if not math.isnan(share.value)]
        if not valid:
            continue
        x = [curve.throws[k] for k in valid]
        low, value, high = (
            [getattr(shares[k], part) for k in valid] for part in ("low", "value", "high")
        )
        colour = colours[name]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.axhline(value[-1], color=colour, linewidth=0.7, linestyle=(0, (4, 3)))
        axes.plot(x, value, color=colour, linewidth=1.5, marker="o" if len(x) == 1 else None)
        final = shares[valid[-1]]
        text = f"{display_name(name, longest=14)} {plus_minus(final)}"
        finals.append((text, final.value, colour))
    first, last = curve.throws[0], curve.throws[-1]
    axes.set_xlim((first, last) if first < last else (0.5 * first, 2.0 * first))
    axes.set_ylim(0.0, top)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if last < 1000 * first else (1.0,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("throws", fontsize=8.5, color=FAINT)
    label_ends(axes, finals, 0.085 * top, aside=5, va="center", fontsize=7.8)


POINTS = "points per die"
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
    cells = [cell for cell in answers.cells if factor in cell.factors and _has_dice(cell)]
    if not cells:
        return empty_figure(thrown=any(cell.throws for cell in answers.cells))
    cells_by_panel = _by_other_factors(cells, factor)
    names = [cell_label(dict(others)) for others in cells_by_panel][:_MOST_PANELS]
    count = len(cells_by_panel)
    more = f"; the first {len(names)} of {count} panels" if len(names) < count else ""
    figure, panels = panel_grid(
        f"Shares by {display_name(factor)}",
        f"whiskers: {percent(answers.level)} intervals{more}",
        names,
        columns=3,
        size=({1: 4.35, 2: 3.05}.get(len(names), 1.9), 2.3),
        around=(0.5, 0.6, 1.15, 0.3 if any(names) else 0.0),
    )
    colours = colours_of(orientations_of(answers.cells))
    levels = list(dict.fromkeys(cell.factors[factor] for cell in cells))
    top = min(1.0, 1.04 * max(share.high for c in cells for share in c.shares if share.trials))
    for axes, members in zip(panels, cells_by_panel.values(), strict=False):
        _levels(axes, members, factor, levels, colours, top=top)
    return figure


def _by_other_factors(
    cells: Sequence[CellAnswers], factor: str
) -> dict[tuple[tuple[str, Level], ...], list[CellAnswers]]:
    groups: dict[tuple[tuple[str, Level], ...], list[CellAnswers]] = {}
    for cell in cells:
        others = {name: level for name, level in cell.factors.items() if name != factor}
        groups.setdefault(tuple(others.items()), []).append(cell)
    return groups


def _levels(
    axes: "Axes",
    cells: Sequence[CellAnswers],
    factor: str,
    levels: Sequence[Level],
    colours: Mapping[str, str],
    *,
    top: float,
) -> None:
    numeric = all(type(level) in {int, float} for level in levels)
    places = dict(zip(levels, map(float, levels if numeric else range(len(levels))), strict=True))
    low, high = min(places.values()), max(places.values())
    span, ends = high - low or 1.0, []
    cells = sorted(cells, key=lambda cell: (places[cell.factors[factor]], cell.cell))
    for k, name in enumerate(colours):
        estimates = [
            (places[cell.factors[factor]], _shares_of(cell)[name])
            for cell in cells
            if name in cell.orientations and _shares_of(cell)[name].trials
        ]
        if not estimates:
            continue
        # Shift each a little, so that no whisker hides another.
        aside = (k - (len(colours) - 1) / 2) * 0.022 * span
        shares = [share for _, share in estimates]
        axes.errorbar(
            [position + aside for position, _ in estimates], [share.value for share in shares],
            yerr=error_bars(shares), color=colours[name], marker=MARKERS[k % len(MARKERS)],
            markersize=4.5, linewidth=1.3, elinewidth=1.1, capsize=2,
        )  # fmt: skip
        ends.append((display_name(name, longest=16), shares[-1].value, colours[name]))
    axes.set_xticks(
        list(places.values()), [display_name(level_text(level), longest=14) for level in places]
    )
    axes.set_xlim(low - 0.12 * span, high + 0.12 * span)
    axes.set_ylim(0.0, top)
    if numeric:
        axes.set_xlabel(display_name(factor), fontsize=8.5, color=FAINT)
    label_ends(axes, ends, 0.075 * top, aside=3, va="center", fontsize=8, weight="bold")


@house_style()
def draw_contrasts(answers: StudyAnswers, factor: str) -> "Figure":
    """Draw the effect of changing a factor's level, with the line of no change.

    Shares and points per die have separate scales. A mark is filled if its interval excludes
    zero.
    """
    contrasts = [
        contrast
        for contrast in answers.contrasts
        if contrast.factor == factor and math.isfinite(contrast.difference.value)
    ]
    contrasts.sort(key=lambda contrast: contrast.quantity == POINTS)
    drawn = contrasts[:_MOST_ROWS]
    if not drawn:
        return empty_figure(thrown=any(cell.throws for cell in answers.cells))
    palette = colours_of(orientations_of(answers.cells))
    panels = []
    for points in (False, True):
        groups: dict[str, list[ChartRow]] = {}
        for contrast in drawn:
            if (contrast.quantity == POINTS) is points:
                text = plus_minus(contrast.difference, signed=True)
                colour = palette.get(contrast.quantity, INK)
                mark = ChartMark(estimate=contrast.difference, text=text, colour=colour, marker="o")
                row = ChartRow(label=_change(contrast), marks=[mark])
                groups.setdefault(display_name(contrast.quantity), []).append(row)
        if groups:
            colours = {display_name(name): colour for name, colour in palette.items()}
            scale = f"difference in {POINTS if points else 'share'}"
            panels.append(RowPanel(scale=scale, groups=groups, colours=colours, null=0.0))
    note = f"high less low; {percent(answers.level)} intervals; filled: apart from zero"
    if len(drawn) < len(contrasts):
        note += f"; the first {_MOST_ROWS} of {len(contrasts)}"
    return draw_rows(f"What {display_name(factor)} changes", note, panels)


def _change(contrast: Contrast) -> str:
    levels = f"{display_name(level_text(contrast.low))} → {display_name(level_text(contrast.high))}"
    others = cell_label(contrast.others)
    return f"{levels} ({others})" if others else levels


_DOT = "#34508f"


@house_style()
def draw_ratings(standings: Standings, *, game: str, level: float) -> "Figure":
    """Draw Elo ratings above and shares of points below, each with its interval."""
    agents = [_row(display_name(agent.name), agent.elo, signed=True) for agent in standings.agents]
    matchups = [
        _row(" \N{EN DASH} ".join(display_name(name, longest=22) for name in names), matchup.share)
        for matchup in standings.matchups
        for names in [(matchup.first, matchup.second)]
        if matchup.pairs
    ]
    panels = [
        RowPanel(name="Elo, against the mean of all", scale="", groups={"": agents}, null=0.0),
        RowPanel(
            name="share of the points that the first made of the two",
            scale="",
            groups={"": matchups},
            null=0.5,
        ),
    ]
    pairs = f"{game}; {standings.pairs:,} pairs of matches"
    note = f"{pairs}, {percent(level)} intervals; filled: off the line"
    return draw_rows("Agents against each other", note, [panel for panel in panels if panel.height])


@house_style()
def draw_design(
    title: str,
    rows: "Sequence[tuple[str, float, Share, Share, tuple[float, float]]]",
    *,
    other: str,
) -> "Figure":
    """Draw shares of a design: the target dashed, the tried range as a bar.

    Each row is a label, the target, the shares of the design and of the `other` body, and the
    smallest and largest share that any candidate had.
    """
    drawn = []
    for label, wanted, share, guess, (low, high) in rows:
        marks = [
            ChartMark(estimate=share, text=with_interval(share), colour=_DOT, marker="o"),
            ChartMark(estimate=guess, text=with_interval(guess), colour=FAINT, marker="s"),
        ]
        bars = ((low, "none"), (high - low, lighten(_DOT, 0.25)))
        drawn.append(ChartRow(label=label, marks=marks, bars=bars, reference=wanted))
    panel = RowPanel(scale="share of drops", groups={"": drawn})
    note = "bar: shares that candidates had; dashed: target; with 95% intervals"
    entries = (("design", _DOT), (other, FAINT))
    return draw_rows(title, note, [panel], entries=entries)


@house_style()
def draw_fairness(
    rows: "Sequence[tuple[str, float, Share]]", *, p_value: float, test: str
) -> "Figure":
    """Draw counted shares beside expected ones: label, expected share and counted share."""
    drawn = [
        ChartRow(
            label=display_name(label),
            marks=[ChartMark(estimate=share, text=with_interval(share), colour=_DOT, marker="o")],
            reference=wanted,
        )
        for label, wanted, share in rows
    ]
    throws = rows[0][2].trials
    panel = RowPanel(scale="share of throws", groups={"": drawn})
    note = f"whiskers: {percent(rows[0][2].level)} intervals; dashed: expected"
    p = "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.4f}"
    return draw_rows(f"{throws:,} throws: {p}, {test}", note, [panel])


def _row(label: str, estimate: "Interval | Share", *, signed: bool = False) -> ChartRow:
    text = with_interval(estimate, signed=signed)
    return ChartRow(
        label=label, marks=[ChartMark(estimate=estimate, text=text, colour=_DOT, marker="o")]
    )


_SIDE = 3.9
"""Side of a panel [in]."""
_SHOWN = 0.6
"""Share of the target above which all totals have one colour: no turn is stopped there."""


@house_style()
def draw_stops(solution: "Solution") -> "Figure":
    """Draw the roll/hold surface of each player, seen from above, as colours with contours.

    A race has one panel, because the first player does not matter.
    """
    match = solution.match
    panels = {"the first player": solution.stop_totals(first=True)}
    if match.ending is Ending.EQUAL_TURNS:
        panels["the second player"] = solution.stop_totals(first=False)
    else:
        panels = {"the player to move": panels["the first player"]}
    note = (
        f"{match.dice.name} to {match.target}, {match.ending.replace('_', ' ')}; "
        f"who begins wins {solution.first_player_win:.6f}"
    )
    figure, all_axes = panel_grid(
        "Stop at this turn total", note, list(panels), columns=2, size=(_SIDE, _SIDE),
        around=(0.75, 0.6, 0.6, 0.2),
    )  # fmt: skip
    top = max(10.0, _SHOWN * match.target)
    for axes, totals in zip(all_axes, panels.values(), strict=True):
        image = _surface(axes, totals, top)
    width, _ = figure.get_size_inches()
    bar = axes_at(figure, float(width) - 0.5, 0.6, 0.16, _SIDE)
    scale = figure.colorbar(image, cax=bar, extend="max")
    scale.outline.set_visible(False)
    bar.tick_params(length=0, labelsize=8.0, labelcolor=INK)
    return figure


def _surface(axes: "Axes", totals: Array, top: float) -> "AxesImage":
    clipped = np.minimum(totals, top).T
    image = axes.imshow(
        clipped, origin="lower", cmap="viridis", vmin=0.0, vmax=top, interpolation="nearest",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveMark:
    """Decision that is marked in a curve of win probabilities."""

    point: int
    """Number of its point in the curve, from 0."""
    before: float
    """Win probability after the best action."""
    after: float
    """Win probability after the action played."""
    label: str


@house_style()
def draw_win_probability(
    curve: Mapping[str, Sequence[float]],
    *,
    rounds: Sequence[int],
    marks: Mapping[str, Sequence[CurveMark]],
    finished: bool,
    title: str,
    note: str,
) -> "Figure":
    """Draw the win probability of each player after each decision.

    Args:
        curve: Win probabilities by player, shape [point_count] each; of two players the first.
        rounds: Round of each decision, shape [decision_count].
        marks: Marked decisions by player; each is a line from the best action to the one played.
        finished: Whether the last point is the result.
        title: First line.
        note: A fainter line under it.
    """
    if not curve:
        return empty_figure(title)
    figure = new_figure(8.6, 4.2)
    heading(figure, title, note)
    axes = axes_at(figure, 0.75, 0.65, 6.6, 2.65)
    simplify_axes(axes)
    colours = colours_of(curve)
    for name, values in curve.items():
        points = range(len(values))
        axes.plot(points, values, color=colours[name], linewidth=1.6, drawstyle="steps-post")
        if finished:
            axes.plot(
                points[-1:], values[-1:], color=colours[name], marker="o", markersize=5,
                clip_on=False,
            )  # fmt: skip
        for mark in marks.get(name, ()):
            axes.plot(
                [mark.point] * 2, [mark.before, mark.after], color=INK, linewidth=1.2, zorder=4
            )
            axes.plot(mark.point, mark.after, color=INK, marker="o", markersize=4.5, zorder=4)
            up = mark.before <= mark.after
            axes.annotate(
                mark.label, (mark.point, mark.after), (5, 6 if up else -6), fontsize=8.5,
                textcoords="offset points", va="bottom" if up else "top", weight="bold",
            )  # fmt: skip
    ends = [(display_name(name), values[-1], colours[name]) for name, values in curve.items()]
    label_ends(axes, ends, 0.06, fontsize=8.8, weight="bold")
    first = {number: point for point, number in reversed(list(enumerate(rounds)))}
    starts = sorted((point, number) for number, point in first.items())
    shown = starts[:: max(1, math.ceil(len(starts) / 16))]
    axes.set_xticks([point for point, _ in shown], [str(number) for _, number in shown])
    axes.set_xlabel("round", fontsize=8.5, color=FAINT)
    axes.set_ylabel("win probability", fontsize=8.5, color=FAINT)
    axes.set_xlim(0, max(1, max(map(len, curve.values())) - (1 if finished else 0)))
    axes.set_ylim(-0.02, 1.02)
    return figure
