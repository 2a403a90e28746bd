"""What each varied factor does: shares by its levels, and differences between levels."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pigglesim.pictures.style import (
    FAINT,
    INK,
    MARKERS,
    PAPER,
    apart,
    blank,
    colours_of,
    heading,
    house_style,
    name_panel,
    nothing,
    quiet,
    shown,
    shown_cell,
)
from pigglesim.studies.estimates import CellAnswers, Contrast, StudyAnswers
from pigglesim.studies.number_format import plus_minus, spelt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
            axes = figure.add_axes(
                (left / width, bottom / height, wide / width, _PANEL[1] / height)
            )
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
        arms = [[s.value - s.low for _, s in known], [s.high - s.value for _, s in known]]
        axes.errorbar(
            x, y, yerr=arms, color=colours[name], marker=MARKERS[k % len(MARKERS)],
            markersize=4.5, linewidth=1.3, elinewidth=1.1, capsize=2,
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
        axes.annotate(
            shown(name, longest=16), (1.0, place), (3, 0), va="center", fontsize=8.5,
            xycoords=("axes fraction", "data"), textcoords="offset points", weight="bold",
            color=colours[name], annotation_clip=False,
        )  # fmt: skip


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
            axes = figure.add_axes(
                (left / width, bottom / height, (width - left - 1.5) / width, size / height)
            )
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
                xerr=[[found.value - found.low], [found.high - found.value]],
                markerfacecolor=colour if told else PAPER, elinewidth=1.2, capsize=2,
            )  # fmt: skip
            axes.annotate(
                plus_minus(found, signed=True), (1.0, y + 0.5 * _ROW), (6, 0), fontsize=8.5,
                xycoords=("axes fraction", "data"), textcoords="offset points",
                va="center_baseline",
            )  # fmt: skip
            ticks.append(y + 0.5 * _ROW)
            labels.append(_change(each))
            y += _ROW
    axes.set_yticks(ticks, labels)
    axes.set_ylim(y, 0.0)
    axes.margins(x=0.06)
