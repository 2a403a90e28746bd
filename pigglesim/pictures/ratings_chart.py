"""A tournament: the rating of each agent, and what every two made of each other's points."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pigglesim.pictures.style import (
    FAINT,
    INK,
    PAPER,
    RULE,
    blank,
    heading,
    house_style,
    name_panel,
    quiet,
    shown,
)
from pigglesim.tournaments.standings import MatchupStanding, Standings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pigglesim.studies.estimate import Interval, Share


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
    width, height = figure.get_size_inches()
    tall = _ROW * len(names)
    axes = figure.add_axes(
        (_LEFT / width, (top - tall) / height, (width - _LEFT - _RIGHT) / width, tall / height)
    )
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
