"""How matches go, drawn: scores by round, and what becomes of each effect."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigglesim.balance.findings import BalanceFindings, Course, Effects
from pigglesim.balance.trial import effect_name
from pigglesim.pictures.style import (
    FAINT,
    INK,
    blank,
    heading,
    house_style,
    light,
    name_panel,
    quiet,
    shown,
)
from pigglesim.studies.number_format import plus_minus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_FIRST, _SECOND = "#34508f", "#bd5214"
_USED, _DECLINED, _NOBODY = "#0b7f63", "#bd5214", "#6f6966"
_ROW = 0.27


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPanel:
    """What effects did in the matches of one kind of teams."""

    teams: str
    """What kind, such as `standard`."""
    agent: str
    effects: Effects


def draw_rounds(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the mean score of both players after each round, a panel for each game and agent.

    Args:
        found: What each game and agent came to.
        level: Of the intervals.
    """
    with house_style():
        known = [(each, each.course) for each in found if each.course is not None]
        columns = min(2, len(known))
        rows = math.ceil(len(known) / columns)
        across, down = 3.9, 2.75
        width, height = across * columns, 0.72 + down * rows
        figure = blank(width, height)
        heading(figure, "Scores after each round", f"means with {level:.0%} intervals")
        top = max(each.high for _, course in known for both in course.by_round for each in both)
        for place, (each, course) in enumerate(known):
            row, column = divmod(place, columns)
            left = column * across + 0.5
            bottom = height - 0.72 - (row + 1) * down + 0.62
            axes = figure.add_axes(
                (left / width, bottom / height, (across - 0.95) / width, (down - 1.0) / height)
            )
            _rounds(axes, course, top)
            game = each.game.replace("piggles_", "").capitalize()
            name_panel(axes, shown(f"{game}, {each.agent}", longest=40), width=3.0)
        return figure


def _rounds(axes: "Axes", course: Course, top: float) -> None:
    quiet(axes)
    for which, colour, mark, aside in ((0, _FIRST, "o", -0.05), (1, _SECOND, "s", 0.05)):
        own = [both[which] for both in course.by_round]
        x = [number + aside for number in range(1, len(own) + 1)]
        arms = [[each.value - each.low for each in own], [each.high - each.value for each in own]]
        axes.errorbar(
            x, [each.value for each in own], yerr=arms, color=colour, marker=mark, markersize=4,
            linewidth=1.4, elinewidth=1.1, capsize=2,
        )  # fmt: skip
    words = (("● who begins", _FIRST), ("■ who comes second", _SECOND))
    for line, (text, colour) in enumerate(words):
        axes.text(
            0.02, 0.96 - 0.13 * line, text, transform=axes.transAxes, va="top", fontsize=8.5,
            weight="bold", color=colour,
        )  # fmt: skip
    axes.text(
        0.98, 0.05, f"lead at the end {plus_minus(course.first_lead, signed=True)}",
        transform=axes.transAxes, ha="right", fontsize=8.5, color=INK,
    )  # fmt: skip
    axes.set_xticks(range(1, len(course.by_round) + 1))
    axes.set_xlabel("round", fontsize=8.5, color=FAINT)
    axes.set_ylim(0.0, 1.06 * top)


def draw_effects(panels: Sequence[EffectPanel], *, level: float) -> "Figure":
    """Draw of each effect how often it was used and why it lapsed, a panel for each kind of team.

    Args:
        panels: At least one, each with an effect.
        level: Of the intervals.
    """
    with house_style():
        left, width = 1.45, 8.4
        heights = [_ROW * len(panel.effects) + 0.95 for panel in panels]
        height = 0.95 + sum(heights)
        figure = blank(width, height)
        heading(
            figure,
            "What becomes of an effect",
            f"of Piggles that landed Snout-Up and could have had one; {level:.0%} intervals",
        )
        x = 0.18
        for text, colour in (
            ("■ used", _USED), ("■ let go by", _DECLINED), ("■ nobody to act on", _NOBODY),
        ):  # fmt: skip
            figure.text(
                x / width, 1 - 0.64 / height, text, va="top", fontsize=9, weight="bold",
                color=colour,
            )  # fmt: skip
            x += 0.35 + 0.088 * len(text)
        bottom = height - 0.95
        for panel, size in zip(panels, heights, strict=True):
            bottom -= size
            rows = _ROW * len(panel.effects)
            axes = figure.add_axes(
                (left / width, (bottom + 0.5) / height, (width - left - 2.8) / width, rows / height)
            )
            _bars(axes, panel.effects)
            name = f"{panel.teams} teams, {shown(panel.agent)}"
            name_panel(axes, name, width=4.5)
        return figure


def _bars(axes: "Axes", effects: Effects) -> None:
    quiet(axes, grid="x")
    words = sorted(effects, key=lambda word: -effects[word].used.value)
    for y, word in enumerate(words):
        each = effects[word]
        start = 0.0
        for share, colour, strength in (
            (each.used, _USED, 1.0), (each.declined, _DECLINED, 0.75),
            (each.no_target, _NOBODY, 0.28),
        ):  # fmt: skip
            axes.barh(y, share.value, left=start, height=0.72, color=light(colour, strength))
            start += share.value
        used = each.used
        axes.errorbar(
            used.value, y, xerr=[[used.value - used.low], [used.high - used.value]], color=INK,
            elinewidth=1.0, capsize=2,
        )  # fmt: skip
        axes.annotate(
            f"{plus_minus(used)}   {plus_minus(each.uses)} a match", (1.0, y), (6, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=8.2,
            va="center_baseline",
        )  # fmt: skip
    axes.set_yticks(range(len(words)), [effect_name(word) for word in words])
    axes.set_ylim(len(words) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("share", fontsize=8.5, color=FAINT)
