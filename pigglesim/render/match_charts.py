"""Charts of matches: ratings of a tournament, and when to stop in Piggy Six."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.render.figure import axes_at, blank, heading, house_style, name_panel, quiet, shown
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.rotations import Array
from pigglesim.solvers.two_players import Solution
from pigglesim.tournaments.standings import MatchupStanding, Standings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from pigglesim.studies.statistics import Interval, Share

_DOT = "#34508f"
_ROW, _TOP, _BETWEEN, _BELOW = 0.3, 1.0, 0.8, 0.4
"""Heights [in]: of a row, above the first, between the two panels, below the last."""
_WIDTH, _LEFT, _RIGHT = 7.6, 2.9, 1.75
"""Width of the picture, and what names and numbers take of it [in]."""


def draw_ratings(found: Standings, *, game: str, level: float) -> "Figure":
    """Draw Elo ratings above and shares of points below, each with its interval.

    Args:
        found: How agents stand.
        game: What was played.
        level: Of the intervals.
    """
    meetings = [each for each in found.matchups if each.pairs]
    with house_style():
        rows = len(found.agents) + len(meetings)
        height = _TOP + _BETWEEN + _BELOW + _ROW * rows
        figure = blank(_WIDTH, height)
        note = f"{game}; {found.pairs:,} pairs of matches, {level:.0%} intervals"
        heading(figure, "Agents against each other", note)
        above = _panel(figure, height - _TOP, [shown(each.name) for each in found.agents])
        name_panel(above, "Elo, against the mean of all", width=6.0)
        _dots(above, [each.elo for each in found.agents], "{:+.1f}")
        above.axvline(0.0, color=FAINT, linewidth=0.8, zorder=1)
        below = height - _TOP - _ROW * len(found.agents) - _BETWEEN
        under = _panel(figure, below, [_named(each) for each in meetings])
        name_panel(under, "share of the points that the first made of the two", width=6.0)
        _dots(under, [each.share for each in meetings], "{:.3f}")
        under.axvline(0.5, color=FAINT, linewidth=0.8, zorder=1)
        return figure


def _named(each: MatchupStanding) -> str:
    return f"{shown(each.first, longest=22)} \N{EN DASH} {shown(each.second, longest=22)}"


def _panel(figure: "Figure", top: float, names: Sequence[str]) -> "Axes":
    """Return axes with a row for each name, their upper edge so many inches from below."""
    width, _ = figure.get_size_inches()
    tall = _ROW * len(names)
    axes = axes_at(figure, _LEFT, top - tall, width - _LEFT - _RIGHT, tall)
    quiet(axes, grid="x")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    return axes


def _dots(axes: "Axes", found: "Sequence[Interval | Share]", form: str) -> None:
    """Draw a dot and a whisker in each row, and write them at its end."""
    for row, each in enumerate(found):
        axes.plot([each.low, each.high], [row, row], color=_DOT, linewidth=2.2, zorder=2)
        axes.plot(
            [each.value], [row], marker="o", markersize=6.5, color=_DOT,
            markeredgecolor=PAPER, zorder=3,
        )  # fmt: skip
        numbers = (form.format(value) for value in (each.value, each.low, each.high))
        value, low, high = (text.replace("-", "\N{MINUS SIGN}") for text in numbers)
        axes.annotate(
            f"{value}  [{low}, {high}]", xy=(1.0, row), xycoords=axes.get_yaxis_transform(),
            xytext=(9, 0), textcoords="offset points", va="center", fontsize=8.5, color=INK,
            annotation_clip=False,
        )  # fmt: skip
        axes.axhline(row, color=RULE, linewidth=0.5, zorder=0)
    axes.margins(x=0.06)


_STOP_PANEL, _STOP_LEFT, _STOP_BETWEEN, _STOP_BELOW, _STOP_TOP = 3.9, 0.75, 0.75, 0.6, 0.95
"""Sizes [in]: a panel's side, and the room beside, between, below and above."""
_STOP_BAR = 1.0
"""Room for the scale [in]."""
_SHOWN = 0.6
"""Share of the target above which totals are drawn alike: there every turn is played to its end."""


def draw_stops(found: Solution) -> "Figure":
    """Draw the roll/hold surface of each player, seen from above, as colours with contours.

    Args:
        found: A solved match; of a race one panel, for there it matters not who began.
    """
    match = found.match
    panels = {"the first player": found.stop_totals(first=True)}
    if match.ending is Ending.EQUAL_TURNS:
        panels["the second player"] = found.stop_totals(first=False)
    else:
        panels = {"whoever is to move": panels["the first player"]}
    with house_style():
        count = len(panels)
        width = _STOP_LEFT + count * _STOP_PANEL + (count - 1) * _STOP_BETWEEN + _STOP_BAR
        height = _STOP_BELOW + _STOP_PANEL + _STOP_TOP
        figure = blank(width, height)
        note = (
            f"{match.dice.name} to {match.target}, {match.ending.replace('_', ' ')}; "
            f"who begins wins {found.first_player_win:.6f}"
        )
        heading(figure, "Stop at this turn total", note)
        top = max(10.0, _SHOWN * match.target)
        for number, (name, totals) in enumerate(panels.items()):
            left = _STOP_LEFT + number * (_STOP_PANEL + _STOP_BETWEEN)
            axes = axes_at(figure, left, _STOP_BELOW, _STOP_PANEL, _STOP_PANEL)
            image = _surface(axes, totals, top)
            name_panel(axes, name, width=_STOP_PANEL)
        place = (
            1 - (_STOP_BAR - 0.2) / width,
            _STOP_BELOW / height,
            0.16 / width,
            _STOP_PANEL / height,
        )
        scale = figure.colorbar(image, cax=figure.add_axes(place), extend="max")
        scale.outline.set_visible(False)
        scale.ax.tick_params(length=0, labelsize=8.0, labelcolor=INK)
    return figure


def _surface(axes: "Axes", totals: Array, top: float) -> "AxesImage":
    """Draw one surface, and return what a scale can be made of."""
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
    axes.tick_params(length=0, labelsize=8.0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return image
