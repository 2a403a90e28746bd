"""Shares of orientations as bars with their intervals, cell beside cell."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pigglesim.pictures.style import (
    FAINT,
    INK,
    PAPER,
    blank,
    colours_of,
    heading,
    house_style,
    light,
    nothing,
    quiet,
    shown,
    shown_cell,
)
from pigglesim.studies.estimate import Share
from pigglesim.studies.estimates import CellAnswers
from pigglesim.studies.number_format import plus_minus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ROW, _GAP = 0.27, 0.42
"""Inches of a bar, and between the bars of two orientations."""
_HEAD, _FOOT = 0.95, 0.55
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
        height = _HEAD + _FOOT + _ROW * len(rows) + gap * (len(names) - 1)
        words = [label for label, _, _, _ in rows] + [shown(name) for name in names]
        left = 0.3 + _LETTER * max(len(word) for word in words)
        width = max(7.5, left + 4.8)
        figure = blank(width, height)
        level = cells[0].shares[0].level
        still = quasi_static or {}
        mark = "; ┆ without momentum" if still else ""
        heading(figure, "Share of each orientation", f"whiskers: {level:.0%} intervals{mark}")
        place = (left / width, _FOOT / height, (width - left - 1.35) / width)
        axes = figure.add_axes((*place, (height - _HEAD - _FOOT) / height))
        _bars(axes, cells, names, still)
        return figure


def _gap(cells: Sequence[CellAnswers]) -> float:
    return _GAP if len(cells) > 1 else _GAP / 4


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
        y += 0.0 if before is None else _ROW if before == name else _ROW + _gap(cells)
        places.append(y)
        before = name
    highest = max(share.high for *_, share in rows)
    quiet(axes, grid="x")
    for at, (_, name, cell, share) in zip(places, rows, strict=True):
        if math.isnan(share.value):
            axes.text(0.005, at, "no throws", va="center", color=FAINT)
            continue
        axes.barh(at, share.value, height=0.72 * _ROW, color=light(colours[name]))
        arms = [[share.value - share.low], [share.high - share.value]]
        axes.errorbar(
            share.value, at, xerr=arms, color=INK, elinewidth=1.1, capsize=2.5, capthick=1.1
        )
        exact = still.get(cell.cell, {}).get(name)
        if exact is not None:
            highest = max(highest, exact)
            ends = (at - 0.4 * _ROW, at + 0.4 * _ROW)
            axes.plot([exact] * 2, ends, color=PAPER, linewidth=2.8, zorder=1.5)
            axes.plot([exact] * 2, ends, color=FAINT, linewidth=1.4, dashes=(1.5, 0.8), zorder=1.6)
    right = min(1.0, 1.04 * highest)
    axes.set_xlim(0.0, right)
    for at, (*_, share) in zip(places, rows, strict=True):
        if not math.isnan(share.value):
            axes.annotate(
                plus_minus(share), (1.0, at), (6, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", va="center_baseline", fontsize=8.5,
            )  # fmt: skip
    axes.set_yticks(places, [label for label, *_ in rows])
    axes.set_ylim(places[-1] + 0.5 * _ROW, -0.5 * _ROW)
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
