"""The charts of a balance study: how matches go, what effects do, and what each part is worth."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from pigglesim.balance.findings import KINDS, BalanceFindings, Effects, TeamComparison, Timeline
from pigglesim.balance.study import DIRECTIONAL
from pigglesim.balance.trial import effect_name
from pigglesim.markings import Colour, Rune
from pigglesim.render.figure import (
    MARKERS,
    arms,
    axes_at,
    beside,
    blank,
    heading,
    house_style,
    light,
    name_panel,
    quiet,
    shown,
)
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.studies.number_format import plus_minus
from pigglesim.studies.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

_FIRST, _SECOND = "#34508f", "#bd5214"
_USED, _DECLINED, _NOBODY = "#0b7f63", "#bd5214", "#6f6966"
_EFFECT_ROW = 0.27


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
        known = [(each, each.timeline) for each in found if each.timeline is not None]
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
            axes = axes_at(figure, left, bottom, across - 0.95, down - 1.0)
            _rounds(axes, course, top)
            game = each.game.replace("piggles_", "").capitalize()
            name_panel(axes, shown(f"{game}, {each.agent}", longest=40), width=3.0)
        return figure


def _rounds(axes: "Axes", course: Timeline, top: float) -> None:
    quiet(axes)
    for which, colour, mark, aside in ((0, _FIRST, "o", -0.05), (1, _SECOND, "s", 0.05)):
        own = [both[which] for both in course.by_round]
        x = [number + aside for number in range(1, len(own) + 1)]
        axes.errorbar(
            x, [each.value for each in own], yerr=arms(own), color=colour, marker=mark,
            markersize=4, linewidth=1.4, elinewidth=1.1, capsize=2,
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
        heights = [_EFFECT_ROW * len(panel.effects) + 0.95 for panel in panels]
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
            rows = _EFFECT_ROW * len(panel.effects)
            axes = axes_at(figure, left, bottom + 0.5, width - left - 2.8, rows)
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
            used.value, y, xerr=arms([used]), color=INK,
            elinewidth=1.0, capsize=2,
        )  # fmt: skip
        beside(axes, f"{plus_minus(used)}   {plus_minus(each.uses)} a match", y, fontsize=8.2)
    axes.set_yticks(range(len(words)), [effect_name(word) for word in words])
    axes.set_ylim(len(words) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("share", fontsize=8.5, color=FAINT)


_ROW, _GROUP = 0.3, 0.34
"""Inches of a row, and of the words over a group of rows."""
_HEAD, _FOOT, _LEFT = 0.98, 0.62, 1.95
_PANEL, _APART = 2.75, 0.3
_AGENTS = ("#34508f", "#bd5214", "#0b7f63", "#9a3fe6")
_GAIN, _LOSS = "#0b7f63", "#bd5214"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    label: str
    panels: tuple[Mapping[str, Interval | None], ...]
    """In each panel the value by agent; None where it never made a difference."""


def rune_name(name: str) -> str:
    """Return a rune with the number that the rules give it."""
    return f"{Rune(name).number} {Rune(name).value.replace('_', ' ')}"


def draw_seats(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw what it is worth to begin, in wins and in points, by game and agent.

    Args:
        found: What each game and agent came to.
        level: Of the intervals.
    """
    rows: dict[str, list[_Row]] = {}
    agents = list(dict.fromkeys(each.agent for each in found))
    for each in found:
        if each.timeline is None:
            continue
        won = each.timeline.first_share
        above = Interval(
            value=100.0 * (won.value - 0.5), low=100.0 * (won.low - 0.5),
            high=100.0 * (won.high - 0.5), level=won.level, method=won.method,
        )  # fmt: skip
        rows.setdefault(_game(each.game), []).append(
            _Row(
                label=each.agent,
                panels=({each.agent: above}, {each.agent: each.timeline.first_lead}),
            )
        )
    return _forest(
        "What it is worth to begin",
        f"equal teams; {level:.0%} intervals",
        rows,
        panels=("wins above one half [percentage points]", "lead at the end [points]"),
        agents=agents,
        legend=False,
    )


def draw_values(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw what colours, runes and Premium are worth: one Piggle, and a whole team of them.

    Args:
        found: Of one game, by each agent.
        level: Of the intervals.
    """
    agents = [each.agent for each in found]
    groups: dict[str, list[_Row]] = {}
    for title, subject, names in (
        ("colours (runes 1 to 4)", "colour", [str(colour) for colour in Colour]),
        ("runes", "rune", [str(rune) for rune in Rune]),
    ):
        for name in names:
            one: dict[str, Interval | None] = {
                each.agent: (values.colours if subject == "colour" else values.runes)[name]
                for each in found
                if (values := each.points_of) is not None and isfinite(values.kinds[KINDS[0]].low)
            }
            six = _compared(found, f"{subject}:{name}")
            if one or any(six.values()):
                label = name if subject == "colour" else rune_name(name)
                groups.setdefault(title, []).append(_Row(label=label, panels=(one, six)))
    one, six = _compared(found, "premium:1"), _compared(found, "premium:6")
    if one or six:
        groups["instead of plain"] = [_Row(label="premium", panels=(one, six))]
    modern = any(each.points_of or each.comparisons[2:] for each in found)
    against = "against Piggles without a rune (Premium: plain ones)" if modern else "against plain"
    return _forest(
        f"What a Piggle is worth in {_game(found[0].game)}",
        f"points a match, {against}; {level:.0%} intervals; filled: apart from zero",
        groups,
        panels=("one Piggle of a team", "all six of a team"),
        agents=agents,
        legend=len(agents) > 1,
    )


def _compared(found: Sequence[BalanceFindings], name: str) -> dict[str, Interval | None]:
    return {
        each.agent: _told(comparison)
        for each in found
        for comparison in each.comparisons
        if comparison.name == name
    }


def _told(comparison: TeamComparison) -> Interval | None:
    points = comparison.points
    return points if points is not None and isfinite(points.low) else None


def _game(name: str) -> str:
    return shown(name.replace("piggles_", "").capitalize())


def _forest(
    title: str,
    subtitle: str,
    groups: Mapping[str, Sequence[_Row]],
    *,
    panels: tuple[str, str],
    agents: Sequence[str],
    legend: bool,
) -> "Figure":
    """Draw rows of intervals in two panels that share their labels."""
    with house_style():
        words = 1.15
        size = sum(_ROW * len(rows) + _GROUP for rows in groups.values())
        height = _HEAD + size + _FOOT - (0.0 if legend else 0.22)
        width = _LEFT + 2 * (_PANEL + words) + _APART
        figure = blank(width, height)
        heading(figure, title, subtitle)
        for number, name in enumerate(panels):
            left = _LEFT + number * (_PANEL + words + _APART)
            axes = axes_at(figure, left, _FOOT, _PANEL, size)
            _panel(axes, groups, number, agents, labelled=number == 0)
            axes.set_xlabel(name, fontsize=8.5, color=FAINT)
        if legend:
            _legend(figure, agents, width, height)
        return figure


def _panel(
    axes: "Axes",
    groups: Mapping[str, Sequence[_Row]],
    number: int,
    agents: Sequence[str],
    *,
    labelled: bool,
) -> None:
    quiet(axes, grid="x")
    axes.locator_params(axis="x", nbins=6)
    axes.axvline(0.0, color=INK, linewidth=1.0)
    ticks, labels, y = [], [], 0.0
    for title, rows in groups.items():
        y += _GROUP
        if labelled:
            axes.annotate(
                title, (0.0, y - 0.42 * _GROUP), (8 - 72 * (_LEFT - 0.1), 0), va="center",
                xycoords=("axes fraction", "data"), textcoords="offset points", weight="bold",
                fontsize=9,
            )  # fmt: skip
        for row in rows:
            _marks(axes, row.panels[number], y + 0.5 * _ROW, agents)
            ticks.append(y + 0.5 * _ROW)
            labels.append(row.label)
            y += _ROW
    axes.set_yticks(ticks, labels if labelled else [""] * len(ticks))
    axes.set_ylim(y, 0.0)
    axes.margins(x=0.06)


def _marks(
    axes: "Axes", values: Mapping[str, Interval | None], y: float, agents: Sequence[str]
) -> None:
    for place, agent in enumerate(agents):
        if agent not in values:
            continue
        found = values[agent]
        colour = _AGENTS[place % len(_AGENTS)]
        # Agents beside each other, so that no whisker hides another.
        aside = (place - (len(agents) - 1) / 2) * 0.42 * _ROW if len(values) > 1 else 0.0
        words = "never differs" if found is None else plus_minus(found, signed=True)
        beside(axes, words, y + aside, color=colour, fontsize=8.0 if len(values) == 1 else 6.6)
        if found is None:
            continue
        told = found.low > 0.0 or found.high < 0.0
        axes.errorbar(
            found.value, y + aside, color=colour, marker=MARKERS[place % len(MARKERS)],
            markersize=4.6, xerr=arms([found]),
            markerfacecolor=colour if told else PAPER, elinewidth=1.2, capsize=2,
        )  # fmt: skip


def _legend(figure: "Figure", agents: Sequence[str], width: float, height: float) -> None:
    """Name the agents in their colours, under the title."""
    x = 0.18
    for place, agent in enumerate(agents):
        mark = {"o": "●", "s": "■", "^": "▲"}.get(MARKERS[place % len(MARKERS)], "◆")
        figure.text(
            x / width, 1 - 0.66 / height, f"{mark} {shown(agent)}", va="top", fontsize=9,
            weight="bold", color=_AGENTS[place % len(_AGENTS)],
        )  # fmt: skip
        x += 0.4 + 0.085 * len(shown(agent))


def draw_kinds(found: BalanceFindings, *, level: float) -> "Figure":
    """Draw what each colour is worth with each directional rune, as a table of shades.

    Args:
        found: With the values of random teams.
        level: Of the intervals.
    """
    values = found.points_of
    assert values is not None
    with house_style():
        width, height = 7.4, 3.75
        figure = blank(width, height)
        heading(
            figure,
            f"Colour by direction, {_game(found.game)} played by {shown(found.agent)}",
            f"points a match of one Piggle in a random team; {level:.0%} intervals; "
            "shaded where it is apart from zero",
        )
        axes = axes_at(figure, 0.95, 0.45, 6.2, 2.5)
        most = max(abs(each.value) for each in values.kinds.values()) or 1.0
        for row, colour in enumerate(Colour):
            for column, rune in enumerate(DIRECTIONAL):
                each = values.kinds[f"{colour}+{rune}"]
                told = each.low > 0.0 or each.high < 0.0
                shade = light(
                    _GAIN if each.value > 0 else _LOSS, 0.12 + 0.45 * abs(each.value) / most
                )
                axes.add_patch(_tile(column, row, shade if told else PAPER))
                axes.text(
                    column + 0.5, row + 0.5, plus_minus(each, signed=True), ha="center",
                    va="center", fontsize=9, color=INK if told else FAINT,
                )  # fmt: skip
        axes.set_xlim(0, len(DIRECTIONAL))
        axes.set_ylim(len(Colour), 0)
        axes.set_xticks(
            [column + 0.5 for column in range(len(DIRECTIONAL))],
            [rune_name(str(rune)) for rune in DIRECTIONAL],
        )
        axes.set_yticks([row + 0.5 for row in range(len(Colour))], [str(c) for c in Colour])
        axes.tick_params(length=0)
        axes.set_facecolor("none")
        for side in axes.spines.values():
            side.set_visible(False)
        return figure


def _tile(x: float, y: float, colour: str) -> "Rectangle":
    from matplotlib.patches import Rectangle  # noqa: PLC0415 (slow to import)

    return Rectangle((x + 0.02, y + 0.04), 0.96, 0.92, facecolor=colour, edgecolor=RULE)
