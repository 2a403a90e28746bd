"""When to stop in Piggy Six: the turn total at which a stop is best, over both scores."""

from typing import TYPE_CHECKING

import numpy as np

from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.pictures.style import FAINT, INK, blank, heading, house_style, name_panel
from pigglesim.rotations import Array
from pigglesim.solvers.two_players import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage


_PANEL, _LEFT, _BETWEEN, _BELOW, _TOP = 3.9, 0.75, 0.75, 0.6, 0.95
"""Sizes [in]: a panel's side, and the room beside, between, below and above."""
_BAR = 1.0
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
        width = _LEFT + count * _PANEL + (count - 1) * _BETWEEN + _BAR
        height = _BELOW + _PANEL + _TOP
        figure = blank(width, height)
        note = (
            f"{match.dice.name} to {match.target}, {match.ending.replace('_', ' ')}; "
            f"who begins wins {found.first_player_win:.6f}"
        )
        heading(figure, "Stop at this turn total", note)
        top = max(10.0, _SHOWN * match.target)
        for number, (name, totals) in enumerate(panels.items()):
            left = _LEFT + number * (_PANEL + _BETWEEN)
            axes = figure.add_axes((left / width, _BELOW / height, _PANEL / width, _PANEL / height))
            image = _surface(axes, totals, top)
            name_panel(axes, name, width=_PANEL)
        place = (1 - (_BAR - 0.2) / width, _BELOW / height, 0.16 / width, _PANEL / height)
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
