"""Charts of matches: ratings of a tournament, and when to stop in Piggy Six."""

from typing import TYPE_CHECKING

import numpy as np

from pigglesim.experiments.standings import Standings
from pigglesim.games.piggy_six import Ending
from pigglesim.render.figure import (
    Mark,
    Row,
    RowPanel,
    axes_at,
    draw_rows,
    house_style,
    panel_grid,
    shown,
)
from pigglesim.render.palette import FAINT, INK
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import Solution
from pigglesim.units import with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from pigglesim.experiments.statistics import Interval, Share

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
def draw_stops(found: Solution) -> "Figure":
    """Draw the roll/hold surface of each player, seen from above, as colours with contours.

    Args:
        found: Solved match; a race has one panel, because the first player does not matter.
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
