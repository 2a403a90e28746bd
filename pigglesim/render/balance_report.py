"""Report of a balance study: tables, charts, and one page with all of them."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.experiments.balance import DIRECTIONAL, Subject, effect_name
from pigglesim.experiments.balance_findings import (
    KINDS,
    BalanceFindings,
    Effects,
    EffectUse,
    Findings,
    RuleDifference,
    Timeline,
    Values,
)
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.luck import WithoutLuck
from pigglesim.markings import Colour, Rune
from pigglesim.render.figure import (
    MARKERS,
    ChartMark,
    ChartRow,
    RowPanel,
    axes_at,
    display_name,
    draw_rows,
    error_bars,
    heading,
    house_style,
    lighten,
    new_figure,
    panel_grid,
    simplify_axes,
)
from pigglesim.render.page import PagePicture, TextTable, sections_of, table_of, write_report_page
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.units import DASH, MINUS, percent, plus_minus, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables_of(findings: Findings) -> list[tuple[str, list[TextTable]]]:
    """Return the tables of each section of the report; some may be empty."""
    results = findings.found
    panels = [panel for result in results for panel in effect_panels(result)]
    return [
        ("rules", [_rule_table(findings.differences)]),
        ("seats", [_seat_table(results)]),
        ("values", [*_value_tables(results), _comparison_table(results)]),
        ("luck", [_luck_table(results)]),
        ("course", _timeline_tables(_timelines(results))),
        ("effects", [_effect_table(panels)]),
    ]


def effect_panels(result: BalanceFindings) -> list[tuple[str, str, Effects]]:
    """Return the kind of team, the agent and the effects of each team with effects."""
    standard = result.timeline.effects if result.timeline else {}
    by_team = (("standard", standard), ("random", result.effects_random or {}))
    played = f"{result.agent}, {result.rules}" if result.rules else result.agent
    return [(teams, played, effects) for teams, effects in by_team if effects]


def _rule_table(differences: Sequence[RuleDifference]) -> TextTable:
    return table_of(
        "Differences between rules",
        (
            {
                "game": each.game,
                "agent": each.agent,
                "rule": ", ".join(
                    [f"{each.factor}: {each.high} - {each.low}"]
                    + [f"{name}={level}" for name, level in each.others.items()]
                ),
                "quantity": ", ".join([each.part] * (each.part != Subject.SEATS) + [each.quantity]),
                "difference": _difference(each.difference),
                "width": DASH if each.width_ratio is None else f"({each.width_ratio:.2f})",
                "pairs": f"{each.apart.trials:,}",
            }
            for each in differences
        ),
        headings=4,
    )


def _seat_table(results: Sequence[BalanceFindings]) -> TextTable:
    return table_of(
        "First player",
        (
            {
                "game": result.table,
                "agent": result.agent,
                "share of wins": with_interval(timeline.first_share),
                "lead [points]": _signed(timeline.first_lead),
                "matches": f"{timeline.matches:,}",
            }
            for result, timeline in _timelines(results)
        ),
        headings=2,
    )


def _value_tables(results: Sequence[BalanceFindings]) -> list[TextTable]:
    tables: list[list[dict[str, str]]] = [[], []]
    for result in results:
        points, wins = result.points_of, result.shares_of
        if points is None or wins is None:
            continue
        for number, values, win_shares in (
            (0, points.colours, wins.colours),
            (0, points.runes, wins.runes),
            (1, {kind: points.kinds[kind] for kind in KINDS}, wins.kinds),
        ):
            tables[number] += [
                {
                    "game": result.table,
                    "agent": result.agent,
                    "Piggle": name,
                    "points per match": _signed(value),
                    "wins above 0.5": _signed(win_shares[name]),
                    "pairs": f"{points.trials:,}",
                }
                for name, value in values.items()
            ]
    captions = (
        "One Piggle in a random team, against one without a rune",
        "Every kind of Piggle in a random team",
    )
    return [
        table_of(caption, rows, headings=3) for caption, rows in zip(captions, tables, strict=True)
    ]


def _comparison_table(results: Sequence[BalanceFindings]) -> TextTable:
    """Return the table of the values of whole teams."""
    return table_of(
        "Teams exchanged under the same dice",
        (
            {
                "game": result.table,
                "agent": result.agent,
                "team": comparison.name,
                "points per match": _difference(comparison.points),
                "wins above 0.5": _difference(comparison.share),
                "pairs that differ": plus_minus(comparison.differing),
                "pairs": f"{comparison.pairs:,}",
            }
            for result in results
            for comparison in result.comparisons
        ),
        headings=3,
    )


def _luck_table(results: Sequence[BalanceFindings]) -> TextTable:
    """Return the table of results without luck, where it is known."""
    return table_of(
        "Without luck (in parentheses: how many times narrower than with it)",
        (
            {
                "game": result.table,
                "agent": result.agent,
                "team": name,
                "share of wins": f"{plus_minus(less.points)} ({less.points_narrower:.1f})",
                "lead [points]": DASH
                if less.lead is None
                else f"{_difference(less.lead)} ({less.lead_narrower:.1f})",
            }
            for result in results
            for name, less in _without_luck(result)
        ),
        headings=3,
    )


def _without_luck(result: BalanceFindings) -> Iterator[tuple[str, WithoutLuck]]:
    """Yield the results without luck by the name of their team."""
    if result.timeline is not None and result.timeline.without_luck is not None:
        yield "first player", result.timeline.without_luck
    for comparison in result.comparisons:
        if comparison.without_luck is not None:
            yield comparison.name, comparison.without_luck


def _timeline_tables(
    timelines: Sequence[tuple[BalanceFindings, Timeline]],
) -> list[TextTable]:
    if len(timelines) > _ABREAST:
        first, others = timelines[:_ABREAST], timelines[_ABREAST:]
        return [*_timeline_tables(first), *_timeline_tables(others)]
    # Each name in a line of its own, so that the names of rules leave room for the first column.
    columns = [
        ",\n".join((result.game, result.rules, result.agent))
        if result.rules
        else f"{result.game}, {result.agent}"
        for result, _ in timelines
    ]
    names = list(_timeline_cells(timelines[0][1])) if timelines else []
    cells = [_timeline_cells(timeline) for _, timeline in timelines]
    rounds = max((len(timeline.by_round) for _, timeline in timelines), default=0)
    return [
        TextTable(
            caption="Length, scores, lead, endings, and where points come from",
            columns=["", *columns],
            rows=[[name, *(column.get(name, DASH) for column in cells)] for name in names],
        ),
        TextTable(
            caption="Mean scores after each round: who begins, who comes second",
            columns=["round", *columns],
            rows=[
                [str(number + 1), *(_round(timeline, number) for _, timeline in timelines)]
                for number in range(rounds)
            ],
        ),
    ]


_ABREAST = 2
"""Maximum number of columns of results that fit into a terminal."""


def _effect_table(panels: Sequence[tuple[str, str, Effects]]) -> TextTable:
    """Return the table of effects: Piggles per match, and shares of those that landed."""
    return table_of(
        "Effects: landed Snout-Up and uses a match; shares of those that landed",
        (
            {
                "agent": agent,
                "teams": teams,
                "effect": effect_name(effect),
                "landed": _mean(use.landed),
                "uses": _mean(use.uses),
                "used": plus_minus(use.used),
                "let go by": plus_minus(use.declined),
                "nobody there": plus_minus(use.no_target),
            }
            for teams, agent, effects in panels
            for effect, use in effects.items()
        ),
        headings=3,
    )


def _timelines(results: Sequence[BalanceFindings]) -> list[tuple[BalanceFindings, Timeline]]:
    return [(result, result.timeline) for result in results if result.timeline is not None]


def _timeline_cells(timeline: Timeline) -> dict[str, str]:
    """Return the summary figures of a timeline as text, by name."""
    cells: dict[str, str] = {}
    for name, spread in (*timeline.lengths.items(), ("score", timeline.scores)):
        cells[f"{name}, mean"] = plus_minus(spread.mean)
        cells[f"{name}, standard deviation"] = plus_minus(spread.deviation)
    cells["changes of the lead per match"] = plus_minus(timeline.lead_changes)
    cells["matches in which it changes"] = with_interval(timeline.comeback)
    for name, share in timeline.sources.items():
        cells[f"points gained from {name}"] = with_interval(share)
    cells["points to the Kitchen, both players"] = plus_minus(timeline.losses["kitchen"])
    cells["points that the floor of 0 gave back"] = _mean(timeline.losses["floor"])
    for name, share in sorted(timeline.endings.items()):
        cells[f"ended by {name.replace('_', ' ')}"] = with_interval(share)
    return cells


def _round(timeline: Timeline, number: int) -> str:
    if number >= len(timeline.by_round):
        return DASH
    first, second = timeline.by_round[number]
    return f"{plus_minus(first)}, {plus_minus(second)}"


_TOO_FEW = "too few pairs"


def _difference(interval: Interval | None) -> str:
    if interval is None:
        return "0 in all"
    if interval.high == interval.low:
        return f"{interval.value:+g} in all".replace("-", MINUS)
    return plus_minus(interval, signed=True) if isfinite(interval.low) else _TOO_FEW


def _mean(interval: Interval) -> str:
    """Return a mean as text; it has no uncertainty if all matches were equal."""
    return plus_minus(interval) if interval.high > interval.low else f"{interval.value:g} in all"


def _signed(interval: Interval) -> str:
    return with_interval(interval, signed=True) if isfinite(interval.low) else _TOO_FEW


_FIRST, _SECOND = "#34508f", "#bd5214"
_USED, _DECLINED, _NOBODY = "#0b7f63", "#bd5214", "#6f6966"
_AGENTS = ("#34508f", "#bd5214", "#0b7f63", "#9a3fe6")
_SIGNS = {"o": "●", "s": "■", "^": "▲"}
_GAIN, _LOSS = "#0b7f63", "#bd5214"


@house_style()
def draw_rounds(results: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the mean score of both players after each round, one panel per game and agent."""
    timelines = _timelines(results)
    names = [
        display_name(f"{_game(result.table)}, {result.agent}", longest=40)
        for result, _ in timelines
    ]
    note = f"means with {percent(level)} intervals"
    figure, panels = panel_grid(
        "Scores after each round", note, names, columns=2, size=(2.95, 1.75),
        around=(0.5, 0.62, 0.45, 0.38),
    )  # fmt: skip
    top = max(mean.high for _, timeline in timelines for both in timeline.by_round for mean in both)
    entries = (("● who begins", _FIRST), ("■ who comes second", _SECOND))
    for axes, (_, timeline) in zip(panels, timelines, strict=True):
        for player, colour, mark, offset in ((0, _FIRST, "o", -0.05), (1, _SECOND, "s", 0.05)):
            means = [both[player] for both in timeline.by_round]
            axes.errorbar(
                [number + offset for number in range(1, len(means) + 1)],
                [mean.value for mean in means], yerr=error_bars(means), color=colour, marker=mark,
                markersize=4, linewidth=1.4, elinewidth=1.1, capsize=2,
            )  # fmt: skip
        for line, (text, colour) in enumerate(entries):
            axes.text(
                0.02, 0.96 - 0.13 * line, text, transform=axes.transAxes, va="top", fontsize=8.5,
                weight="bold", color=colour,
            )  # fmt: skip
        axes.text(
            0.98, 0.05, f"lead at the end {plus_minus(timeline.first_lead, signed=True)}",
            transform=axes.transAxes, ha="right", fontsize=8.5, color=INK,
        )  # fmt: skip
        axes.set_xticks(range(1, len(timeline.by_round) + 1))
        axes.set_xlabel("round", fontsize=8.5, color=FAINT)
        axes.set_ylim(0.0, 1.06 * top)
    return figure


@house_style()
def draw_effects(panels: Sequence[tuple[str, str, Effects]], *, level: float) -> "Figure":
    """Draw the shares of each effect that were used or lapsed, one panel per kind of team."""

    def by_use(entry: tuple[str, EffectUse]) -> float:
        return -entry[1].used.value

    return draw_rows(
        "Outcomes of effects",
        f"of Piggles that landed Snout-Up and could have had one; {percent(level)} intervals",
        [
            RowPanel(
                name=f"{teams} teams, {display_name(agent)}",
                scale="share",
                groups={"": [_effect_row(*each) for each in sorted(effects.items(), key=by_use)]},
            )
            for teams, agent, effects in panels
        ],
        entries=[
            ("■ used", _USED), ("■ let go by", _DECLINED), ("■ nobody to act on", _NOBODY),
        ],
    )  # fmt: skip


def _effect_row(effect: str, use: EffectUse) -> ChartRow:
    text = f"{plus_minus(use.used)}   {plus_minus(use.uses)} per match"
    bars = (
        (use.used, _USED, 1.0), (use.declined, _DECLINED, 0.75), (use.no_target, _NOBODY, 0.28),
    )  # fmt: skip
    return ChartRow(
        label=effect_name(effect),
        marks=[ChartMark(estimate=use.used, text=text)],
        bars=[(share.value, lighten(colour, strength)) for share, colour, strength in bars],
    )


def rune_name(name: str) -> str:
    """Return the name of a rune with its number in the rules."""
    return f"{Rune(name).number} {Rune(name).value.replace('_', ' ')}"


@house_style()
def draw_seats(results: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the value of moving first, in wins and in points, by game and agent."""
    wins: dict[str, list[ChartRow]] = {}
    leads: dict[str, list[ChartRow]] = {}
    agents = list(dict.fromkeys(result.agent for result in results))
    for result, timeline in _timelines(results):
        share = timeline.first_share
        margin = Interval(
            value=100.0 * (share.value - 0.5), low=100.0 * (share.low - 0.5),
            high=100.0 * (share.high - 0.5), level=share.level, method=share.method,
        )  # fmt: skip
        for groups, value in ((wins, margin), (leads, timeline.first_lead)):
            row = ChartRow(label=result.agent, marks=_marks({result.agent: value}, agents))
            groups.setdefault(_game(result.table), []).append(row)
    return draw_rows(
        "Value of moving first",
        f"equal teams; {percent(level)} intervals",
        [
            RowPanel(scale="wins above one half [percentage points]", groups=wins, null=0.0),
            RowPanel(scale="lead at the end [points]", groups=leads, null=0.0),
        ],
        across=True,
    )


@house_style()
def draw_values(results: Sequence[BalanceFindings], *, level: float) -> "Figure":
    """Draw the values of colours, runes and Premium, for one Piggle and for a whole team."""
    agents = [result.agent for result in results]
    singles: dict[str, list[ChartRow]] = {}
    whole_teams: dict[str, list[ChartRow]] = {}

    def add(title: str, label: str, single: _Values, team: _Values) -> None:
        if single or any(team.values()):
            for groups, values in ((singles, single), (whole_teams, team)):
                row = ChartRow(label=label, marks=_marks(values, agents))
                groups.setdefault(title, []).append(row)

    estimates = [
        (result.agent, values)
        for result in results
        if (values := _finite_values(result)) is not None
    ]
    for colour in map(str, Colour):
        single = {agent: values.colours[colour] for agent, values in estimates}
        add("colours (runes 1 to 4)", colour, single, _compared(results, f"colour:{colour}"))
    for rune in map(str, Rune):
        single = {agent: values.runes[rune] for agent, values in estimates}
        add("runes", rune_name(rune), single, _compared(results, f"rune:{rune}"))
    add(
        "instead of plain",
        "premium",
        _compared(results, "premium:1"),
        _compared(results, "premium:6"),
    )
    modern = any(result.points_of or result.comparisons[2:] for result in results)
    against = "against Piggles without a rune (Premium: plain ones)" if modern else "against plain"
    entries = [
        (f"{_SIGNS.get(mark.marker, '◆')} {display_name(agent)}", mark.colour)
        for agent in agents
        for mark in _marks({agent: None}, agents)
    ]
    return draw_rows(
        f"Value of a Piggle in {_game(results[0].table)}",
        f"points per match, {against}; {percent(level)} intervals; filled: apart from zero",
        [
            RowPanel(scale="one Piggle of a team", groups=singles, null=0.0),
            RowPanel(scale="all six of a team", groups=whole_teams, null=0.0),
        ],
        across=True,
        entries=entries if len(agents) > 1 else (),
    )


def _finite_values(result: BalanceFindings) -> Values | None:
    """Return the values of Piggles in random teams; None if there were too few trials."""
    values = result.points_of
    return values if values is not None and isfinite(values.kinds[KINDS[0]].low) else None


def _has_values(result: BalanceFindings) -> bool:
    values = (comparison.points for comparison in result.comparisons)
    whole = any(value is not None and isfinite(value.low) for value in values)
    return whole or _finite_values(result) is not None


_Values = Mapping[str, Interval | None]
"""Values by agent; None if no pair of matches differed."""


def _compared(results: Sequence[BalanceFindings], name: str) -> _Values:
    return {
        result.agent: points if points is not None and isfinite(points.low) else None
        for result in results
        for comparison in result.comparisons
        if comparison.name == name
        for points in [comparison.points]
    }


def _marks(values: _Values, agents: Sequence[str]) -> list[ChartMark]:
    """Return a mark in the agent's colour and shape, for each agent with a value."""
    return [
        ChartMark(
            estimate=estimate,
            text="never differs" if estimate is None else plus_minus(estimate, signed=True),
            colour=_AGENTS[number % len(_AGENTS)],
            marker=MARKERS[number % len(MARKERS)],
        )
        for number, agent in enumerate(agents)
        if agent in values
        for estimate in [values[agent]]
    ]


def _game(name: str) -> str:
    name = name.replace("piggles_", "")
    return display_name(name[:1].upper() + name[1:], longest=40)


@house_style()
def draw_kinds(result: BalanceFindings, *, level: float) -> "Figure":
    """Draw the value of each colour with each directional rune, as a heat map."""
    values = result.points_of
    assert values is not None
    width, height = 7.4, 3.75
    figure = new_figure(width, height)
    heading(
        figure,
        f"Colour by direction, {_game(result.table)} played by {display_name(result.agent)}",
        f"points per match of one Piggle in a random team; {percent(level)} intervals; "
        "shaded if it differs from zero",
    )
    axes = axes_at(figure, 0.95, 0.45, 6.2, 2.5)
    largest = max(abs(estimate.value) for estimate in values.kinds.values()) or 1.0
    for row, colour in enumerate(Colour):
        for column, rune in enumerate(DIRECTIONAL):
            estimate = values.kinds[f"{colour}+{rune}"]
            significant = estimate.low > 0.0 or estimate.high < 0.0
            strength = 0.12 + 0.45 * abs(estimate.value) / largest
            shade = lighten(_GAIN if estimate.value > 0 else _LOSS, strength)
            axes.bar(
                column + 0.5, 0.92, bottom=row + 0.04, width=0.96, edgecolor=RULE,
                color=shade if significant else PAPER,
            )  # fmt: skip
            axes.text(
                column + 0.5, row + 0.5, plus_minus(estimate, signed=True), ha="center",
                va="center", fontsize=9, color=INK if significant else FAINT,
            )  # fmt: skip
    axes.set_xlim(0, len(DIRECTIONAL))
    axes.set_ylim(len(Colour), 0)
    axes.set_xticks(
        [column + 0.5 for column in range(len(DIRECTIONAL))],
        [rune_name(str(rune)) for rune in DIRECTIONAL],
    )
    axes.set_yticks([row + 0.5 for row in range(len(Colour))], [str(c) for c in Colour])
    simplify_axes(axes, grid="")
    axes.spines["bottom"].set_visible(False)
    return figure


def write_balance_report(
    folder: Path, *, findings: Findings, metadata: Mapping[str, Any], unfinished: str = ""
) -> list[Path]:
    """Write `report.html` and `pictures/*`, and return them; the same study gives the same bytes.

    The metadata are the inputs that determine the numbers; their `title` heads the page, with the
    progress of an unfinished study.

    Raises:
        SpecError: If the folder cannot be written.
    """
    parts = [(name, _HEADINGS[name], _REMARKS[name], own) for name, own in tables_of(findings)]
    return write_report_page(
        folder,
        title=str(metadata["title"]),
        summary=f"{findings.matches:,} matches · {percent(findings.level)} intervals",
        sections=sections_of(parts, list(_pictures(findings))),
        metadata=metadata,
        unfinished=unfinished,
    )


_REMARKS = {
    "rules": (
        "Every level of a rule is played with the same seeds, and each difference is the mean over "
        "matches, or pairs of matches, of one seed. Width: that of the interval over one of as "
        "many with different seeds; at 1 the common seeds gained nothing. Each interval stands "
        "alone: among many, some miss the truth by chance."
    ),
    "seats": "Both players have the same team and play alike; draws count as half a win.",
    "values": (
        "In pairs of matches with the same dice the teams are exchanged, so that equal teams do "
        "not differ. One in a random team: teams are drawn Piggle by Piggle, and one regression "
        "estimates all kinds, each against a Piggle without a rune. A whole team: "
        "six of one colour (with runes 1 to 4) or of one rune (of any colours) against six "
        "without runes. Premium Piggles replace plain ones of the standard team. "
        "Each interval stands alone: among many, some miss the truth by chance."
    ),
    "luck": (
        "The luck of a throw is its value less the mean value over its odds. Results without it "
        "have the same mean, and narrower intervals."
    ),
    "course": "Matches of equal standard teams.",
    "effects": (
        "An effect lapses if its Piggle points at nobody, or if the player declines it. Points "
        "from effects are the bonuses that they pay at once; Piggles that they bring onto or take "
        "off the board count with the zones."
    ),
}
_HEADINGS = {
    "rules": "Differences between rules",
    "seats": "Value of moving first",
    "values": "Value of a Piggle",
    "luck": "Without luck",
    "course": "Course of a match",
    "effects": "Effects",
}


def _pictures(findings: Findings) -> Iterator[PagePicture]:
    level, results = findings.level, findings.found
    timed = [result for result in results if result.timeline is not None]
    if timed:
        yield PagePicture("seats", "seats", _HEADINGS["seats"], draw_seats(timed, level=level))
        title, rounds = "Mean scores after each round", draw_rounds(timed, level=level)
        yield PagePicture("course", "rounds", title, rounds)
    yield from _value_pictures(results, level)
    panels = [panel for result in results for panel in effect_panels(result)]
    if panels:
        effects = draw_effects(panels, level=level)
        yield PagePicture("effects", "effects", "Outcomes of effects", effects)


def _value_pictures(results: Sequence[BalanceFindings], level: float) -> Iterator[PagePicture]:
    for number, table in enumerate(dict.fromkeys(result.table for result in results)):
        game_results = [result for result in results if result.table == table]
        if any(map(_has_values, game_results)):
            title, values = f"Value of a Piggle in {table}", draw_values(game_results, level=level)
            # Names of rules may not fit into that of a file.
            game = game_results[0].game
            name = f"{game}-{number}" if game_results[0].rules else game
            yield PagePicture("values", f"values-{name}", title, values)
    for number, result in enumerate(results):
        # With fewer trials than kinds, no value can be estimated.
        if result.points_of is not None and result.points_of.trials > len(KINDS):
            title = f"Value of each colour with each direction, by {result.agent}"
            figure = draw_kinds(result, level=level)
            yield PagePicture("values", f"kinds-{number}", title, figure)
