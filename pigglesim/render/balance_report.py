"""Report of a balance study: tables, charts, and one page with all of them."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.experiments.balance import DIRECTIONAL, effect_name
from pigglesim.experiments.balance_findings import (
    KINDS,
    BalanceFindings,
    Effects,
    EffectUse,
    Findings,
    Timeline,
)
from pigglesim.experiments.statistics import Interval
from pigglesim.markings import Colour, Rune
from pigglesim.render.figure import (
    MARKERS,
    Mark,
    Row,
    RowPanel,
    arms,
    axes_at,
    blank,
    draw_rows,
    heading,
    house_style,
    light,
    panel_grid,
    quiet,
    shown,
)
from pigglesim.render.page import PagePicture, PageTable, sections_of, table_of, write_report_page
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.units import DASH, plus_minus, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables_of(findings: Findings) -> list[tuple[str, list[PageTable]]]:
    """Return the tables of each section of the report; some may be empty."""
    every = findings.found
    panels = [panel for each in every for panel in effect_panels(each)]
    return [
        ("seats", [_seat_table(every)]),
        ("values", [*_value_tables(every), _comparison_table(every)]),
        ("course", _course_tables(every)),
        ("effects", [_effect_table(panels)]),
    ]


def effect_panels(found: BalanceFindings) -> list[tuple[str, str, Effects]]:
    """Return the kind of team, the agent and the use of effects, where there is any."""
    standard = found.timeline.effects if found.timeline else {}
    both = (("standard", standard), ("random", found.effects_random or {}))
    return [(teams, found.agent, effects) for teams, effects in both if effects]


def _seat_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return the table of the value of moving first."""
    return table_of(
        "Whoever begins",
        (
            {
                "game": each.game,
                "agent": each.agent,
                "share of wins": with_interval(course.first_share),
                "lead [points]": _signed(course.first_lead),
                "matches": f"{course.matches:,}",
            }
            for each, course in _courses(found)
        ),
        headings=2,
    )


def _value_tables(found: Sequence[BalanceFindings]) -> list[PageTable]:
    """Return tables of the values of Piggles in random teams: colours and runes, and every kind."""
    parts: list[list[dict[str, str]]] = [[], []]
    for each in found:
        points, won = each.points_of, each.shares_of
        if points is None or won is None:
            continue
        for part, told, shares in (
            (0, points.colours, won.colours),
            (0, points.runes, won.runes),
            (1, {kind: points.kinds[kind] for kind in KINDS}, won.kinds),
        ):
            parts[part] += [
                {
                    "game": each.game,
                    "agent": each.agent,
                    "Piggle": name,
                    "points a match": _signed(value),
                    "share of wins": _signed(shares[name]),
                    "pairs": f"{points.trials:,}",
                }
                for name, value in told.items()
            ]
    captions = (
        "One Piggle in a random team, against one without a rune",
        "Every kind of Piggle in a random team",
    )
    return [
        table_of(caption, rows, headings=3) for caption, rows in zip(captions, parts, strict=True)
    ]


def _comparison_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return the table of the values of whole teams; pairs apart are those with a difference."""
    return table_of(
        "Teams exchanged under the same dice",
        (
            {
                "game": each.game,
                "agent": each.agent,
                "team": one.name,
                "points a match": _apart(one.points),
                "share of wins": _apart(one.share),
                "pairs apart": plus_minus(one.told_apart),
                "pairs": f"{one.pairs:,}",
            }
            for each in found
            for one in each.comparisons
        ),
        headings=3,
    )


def _course_tables(found: Sequence[BalanceFindings]) -> list[PageTable]:
    """Return tables of the course of matches: in numbers, and round by round."""
    known = _courses(found)
    columns = [f"{each.game}, {each.agent}" for each, _ in known]
    names = list(_told(known[0][1])) if known else []
    told = [_told(course) for _, course in known]
    rounds = max((len(course.by_round) for _, course in known), default=0)
    return [
        PageTable(
            caption="Length, scores, lead, endings, and where points come from",
            columns=["", *columns],
            rows=[[name, *(one.get(name, DASH) for one in told)] for name in names],
        ),
        PageTable(
            caption="Mean scores after each round: who begins, who comes second",
            columns=["round", *columns],
            rows=[
                [str(number + 1), *(_round(course, number) for _, course in known)]
                for number in range(rounds)
            ],
        ),
    ]


def _effect_table(panels: Sequence[tuple[str, str, Effects]]) -> PageTable:
    """Return the table of effects: Piggles per match, and shares of those that landed."""
    return table_of(
        "Effects: landed Snout-Up and uses a match; what came of those that landed",
        (
            {
                "agent": agent,
                "teams": teams,
                "effect": effect_name(word),
                "landed": _mean(each.landed),
                "uses": _mean(each.uses),
                "used": plus_minus(each.used),
                "let go by": plus_minus(each.declined),
                "nobody there": plus_minus(each.no_target),
            }
            for teams, agent, effects in panels
            for word, each in effects.items()
        ),
        headings=3,
    )


def _courses(found: Sequence[BalanceFindings]) -> list[tuple[BalanceFindings, Timeline]]:
    return [(each, each.timeline) for each in found if each.timeline is not None]


def _told(course: Timeline) -> dict[str, str]:
    """Return the numbers of a course, by name."""
    told: dict[str, str] = {}
    for name, spread in (*course.lengths.items(), ("score", course.scores)):
        told[f"{name}, mean"] = plus_minus(spread.mean)
        told[f"{name}, standard deviation"] = plus_minus(spread.deviation)
    told["changes of the lead a match"] = plus_minus(course.lead_changes)
    told["matches in which it changes"] = with_interval(course.comeback)
    for name, share in course.sources.items():
        told[f"points gained from {name}"] = with_interval(share)
    told["points to the Kitchen, both players"] = plus_minus(course.losses["kitchen"])
    told["points that the floor of 0 gave back"] = _mean(course.losses["floor"])
    for name, share in sorted(course.endings.items()):
        told[f"ended by {name.replace('_', ' ')}"] = with_interval(share)
    return told


def _round(course: Timeline, number: int) -> str:
    if number >= len(course.by_round):
        return DASH
    first, second = course.by_round[number]
    return f"{plus_minus(first)}, {plus_minus(second)}"


def _apart(found: Interval | None) -> str:
    if found is None:
        return "never"
    return plus_minus(found, signed=True) if isfinite(found.low) else DASH


def _mean(found: Interval) -> str:
    """Return a mean as text; it has no uncertainty if all matches were equal."""
    return plus_minus(found) if found.high > found.low else f"{found.value:g} in all"


def _signed(found: Interval) -> str:
    return with_interval(found, signed=True) if isfinite(found.low) else DASH


_FIRST, _SECOND = "#34508f", "#bd5214"
_USED, _DECLINED, _NOBODY = "#0b7f63", "#bd5214", "#6f6966"
_AGENTS = ("#34508f", "#bd5214", "#0b7f63", "#9a3fe6")
_SIGNS = {"o": "●", "s": "■", "^": "▲"}
_GAIN, _LOSS = "#0b7f63", "#bd5214"


@house_style()
def draw_rounds(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the mean score of both players after each round, one panel per game and agent."""
    known = _courses(found)
    names = [shown(f"{_game(each.game)}, {each.agent}", longest=40) for each, _ in known]
    note = f"means with {level:.0%} intervals"
    figure, panels = panel_grid(
        "Scores after each round", note, names, columns=2, size=(2.95, 1.75),
        around=(0.5, 0.62, 0.45, 0.38),
    )  # fmt: skip
    top = max(each.high for _, course in known for both in course.by_round for each in both)
    words = (("● who begins", _FIRST), ("■ who comes second", _SECOND))
    for axes, (_, course) in zip(panels, known, strict=True):
        for which, colour, mark, aside in ((0, _FIRST, "o", -0.05), (1, _SECOND, "s", 0.05)):
            own = [both[which] for both in course.by_round]
            axes.errorbar(
                [number + aside for number in range(1, len(own) + 1)],
                [each.value for each in own], yerr=arms(own), color=colour, marker=mark,
                markersize=4, linewidth=1.4, elinewidth=1.1, capsize=2,
            )  # fmt: skip
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
    return figure


@house_style()
def draw_effects(panels: Sequence[tuple[str, str, Effects]], *, level: float) -> "Figure":
    """Draw the share of each effect used and lapsed, by reason, one panel per kind of team."""

    def by_use(entry: tuple[str, EffectUse]) -> float:
        return -entry[1].used.value

    return draw_rows(
        "What becomes of an effect",
        f"of Piggles that landed Snout-Up and could have had one; {level:.0%} intervals",
        [
            RowPanel(
                name=f"{teams} teams, {shown(agent)}",
                scale="share",
                groups={"": [_effect_row(*each) for each in sorted(effects.items(), key=by_use)]},
            )
            for teams, agent, effects in panels
        ],
        entries=[
            ("■ used", _USED), ("■ let go by", _DECLINED), ("■ nobody to act on", _NOBODY),
        ],
    )  # fmt: skip


def _effect_row(word: str, each: EffectUse) -> Row:
    words = f"{plus_minus(each.used)}   {plus_minus(each.uses)} a match"
    bars = (
        (each.used, _USED, 1.0), (each.declined, _DECLINED, 0.75), (each.no_target, _NOBODY, 0.28),
    )  # fmt: skip
    return Row(
        label=effect_name(word),
        marks=[Mark(found=each.used, words=words)],
        bars=[(share.value, light(colour, strength)) for share, colour, strength in bars],
    )


def rune_name(name: str) -> str:
    """Return the name of a rune with its number in the rules."""
    return f"{Rune(name).number} {Rune(name).value.replace('_', ' ')}"


@house_style()
def draw_seats(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the value of moving first, in wins and in points, by game and agent."""
    wins: dict[str, list[Row]] = {}
    leads: dict[str, list[Row]] = {}
    agents = list(dict.fromkeys(each.agent for each in found))
    for each, course in _courses(found):
        won = course.first_share
        above = Interval(
            value=100.0 * (won.value - 0.5), low=100.0 * (won.low - 0.5),
            high=100.0 * (won.high - 0.5), level=won.level, method=won.method,
        )  # fmt: skip
        for groups, value in ((wins, above), (leads, course.first_lead)):
            row = Row(label=each.agent, marks=_marks({each.agent: value}, agents))
            groups.setdefault(_game(each.game), []).append(row)
    return draw_rows(
        "What it is worth to begin",
        f"equal teams; {level:.0%} intervals",
        [
            RowPanel(scale="wins above one half [percentage points]", groups=wins, none=0.0),
            RowPanel(scale="lead at the end [points]", groups=leads, none=0.0),
        ],
        across=True,
    )


@house_style()
def draw_values(found: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the values of colours, runes and Premium, for one Piggle and for a whole team."""
    agents = [each.agent for each in found]
    singles: dict[str, list[Row]] = {}
    teams: dict[str, list[Row]] = {}

    def add(title: str, label: str, one: _Values, six: _Values) -> None:
        if one or any(six.values()):
            for groups, values in ((singles, one), (teams, six)):
                row = Row(label=label, marks=_marks(values, agents))
                groups.setdefault(title, []).append(row)

    known = [
        (each.agent, values)
        for each in found
        if (values := each.points_of) is not None and isfinite(values.kinds[KINDS[0]].low)
    ]
    for colour in map(str, Colour):
        one = {agent: values.colours[colour] for agent, values in known}
        add("colours (runes 1 to 4)", colour, one, _compared(found, f"colour:{colour}"))
    for rune in map(str, Rune):
        one = {agent: values.runes[rune] for agent, values in known}
        add("runes", rune_name(rune), one, _compared(found, f"rune:{rune}"))
    add("instead of plain", "premium", _compared(found, "premium:1"), _compared(found, "premium:6"))
    modern = any(each.points_of or each.comparisons[2:] for each in found)
    against = "against Piggles without a rune (Premium: plain ones)" if modern else "against plain"
    signs = [
        (f"{_SIGNS.get(mark.marker, '◆')} {shown(agent)}", mark.colour)
        for agent in agents
        for mark in _marks({agent: None}, agents)
    ]
    return draw_rows(
        f"What a Piggle is worth in {_game(found[0].game)}",
        f"points a match, {against}; {level:.0%} intervals; filled: apart from zero",
        [
            RowPanel(scale="one Piggle of a team", groups=singles, none=0.0),
            RowPanel(scale="all six of a team", groups=teams, none=0.0),
        ],
        across=True,
        entries=signs if len(agents) > 1 else (),
    )


_Values = Mapping[str, Interval | None]
"""Values by agent; None without any difference."""


def _compared(found: Sequence[BalanceFindings], name: str) -> _Values:
    return {
        each.agent: points if points is not None and isfinite(points.low) else None
        for each in found
        for comparison in each.comparisons
        if comparison.name == name
        for points in [comparison.points]
    }


def _marks(values: _Values, agents: Sequence[str]) -> list[Mark]:
    """Return a mark in the agent's colour and shape, for each agent with a value."""
    return [
        Mark(
            found=found,
            words="never differs" if found is None else plus_minus(found, signed=True),
            colour=_AGENTS[place % len(_AGENTS)],
            marker=MARKERS[place % len(MARKERS)],
        )
        for place, agent in enumerate(agents)
        if agent in values
        for found in [values[agent]]
    ]


def _game(name: str) -> str:
    return shown(name.replace("piggles_", "").capitalize())


@house_style()
def draw_kinds(found: BalanceFindings, *, level: float) -> "Figure":
    """Draw the value of each colour with each directional rune, as a heat map."""
    values = found.points_of
    assert values is not None
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
            shade = light(_GAIN if each.value > 0 else _LOSS, 0.12 + 0.45 * abs(each.value) / most)
            axes.bar(
                column + 0.5, 0.92, bottom=row + 0.04, width=0.96, edgecolor=RULE,
                color=shade if told else PAPER,
            )  # fmt: skip
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
    quiet(axes, grid="")
    axes.spines["bottom"].set_visible(False)
    return figure


def write_balance_report(
    folder: Path, *, findings: Findings, metadata: Mapping[str, Any]
) -> list[Path]:
    """Write `report.html` and `pictures/*`, and return them; the same study gives the same bytes.

    The metadata are the inputs that determine the numbers; their `title` heads the page.

    Raises:
        SpecError: If the folder cannot be written.
    """
    parts = [(name, _HEADINGS[name], _REMARKS[name], own) for name, own in tables_of(findings)]
    return write_report_page(
        folder,
        title=str(metadata["title"]),
        summary=f"{findings.matches:,} matches · intervals hold {findings.level:.0%}",
        sections=sections_of(parts, list(_pictures(findings))),
        metadata=metadata,
    )


_REMARKS = {
    "seats": "Both players have the same team and play alike; draws count as half a win.",
    "values": (
        "In pairs of matches with the same dice the teams are exchanged, so that equal teams "
        "differ by nothing. One in a random team: teams are drawn Piggle by Piggle, and one "
        "regression tells all kinds at once, each against a Piggle without a rune. A whole team: "
        "six of one colour (with runes 1 to 4) or of one rune (of any colours) against six "
        "without runes. Premium Piggles replace plain ones of the standard team. "
        "Of many intervals of 95 % one in twenty misses: one shade among twenty is no news."
    ),
    "course": "Matches of equal standard teams.",
    "effects": (
        "An effect lapses where nobody lies where its Piggle points, or where the player lets it "
        "go by. Points from effects are the bonuses that they pay at once; what they bring onto "
        "or take off the board counts with the zones."
    ),
}
_HEADINGS = {
    "seats": "What it is worth to begin",
    "values": "What a Piggle is worth",
    "course": "How a match goes",
    "effects": "What effects do",
}


def _pictures(findings: Findings) -> Iterator[PagePicture]:
    level, every = findings.level, findings.found
    known = [each for each in every if each.timeline is not None]
    if known:
        yield PagePicture("seats", "seats", _HEADINGS["seats"], draw_seats(known, level=level))
        title, rounds = "Mean scores after each round", draw_rounds(known, level=level)
        yield PagePicture("course", "rounds", title, rounds)
    for game in dict.fromkeys(each.game for each in every):
        own = [each for each in every if each.game == game]
        if any(each.points_of or each.comparisons for each in own):
            title, values = f"What a Piggle is worth in {game}", draw_values(own, level=level)
            yield PagePicture("values", f"values-{game}", title, values)
    for number, each in enumerate(every):
        # With fewer trials than kinds, no value can be estimated.
        if each.points_of is not None and each.points_of.trials > len(KINDS):
            title = f"What each colour is worth with each direction, by {each.agent}"
            figure = draw_kinds(each, level=level)
            yield PagePicture("values", f"kinds-{number}", title, figure)
    panels = [panel for each in every for panel in effect_panels(each)]
    if panels:
        effects = draw_effects(panels, level=level)
        yield PagePicture("effects", "effects", "What becomes of an effect", effects)
