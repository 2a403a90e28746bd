"""How shares and their intervals narrow as throws are added."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.pictures.style import (
    FAINT,
    apart,
    blank,
    colours_of,
    heading,
    house_style,
    name_panel,
    nothing,
    quiet,
    shown,
)
from pigglesim.studies.estimate import Share, share_of
from pigglesim.studies.number_format import plus_minus

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_FEWEST = 10
"""Throws at the first point: fewer have no interval worth drawing."""
_PANEL = (2.2, 2.2)
"""Inches of the axes of one cell."""
_WORDS, _LEFT = 1.8, 0.5
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
        across, down = _LEFT + _PANEL[0] + _WORDS, _PANEL[1] + 0.5 + name_room
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
                column * across + _LEFT,
                height - 0.72 - row * down - name_room - _PANEL[1],
            )
            size = (across - _LEFT - _WORDS, _PANEL[1])
            axes = figure.add_axes(
                (left / width, bottom / height, size[0] / width, size[1] / height)
            )
            _curve(axes, curve, colours, top)
            name_panel(axes, shown(name, longest=60), width=across - _LEFT)
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
        axes.annotate(
            f"{shown(name, longest=14)} {plus_minus(share)}", (1.0, place), (5, 0), va="center",
            xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=7.8,
            color=colours[name], annotation_clip=False,
        )  # fmt: skip
