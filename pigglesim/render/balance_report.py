"""The report of a balance study: its tables, and one page that holds everything."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from pigglesim.balance.findings import KINDS, BalanceFindings, Effects, Findings, Timeline
from pigglesim.balance.trial import effect_name
from pigglesim.render.balance_charts import (
    EffectPanel,
    draw_effects,
    draw_kinds,
    draw_rounds,
    draw_seats,
    draw_values,
)
from pigglesim.render.report_page import PagePicture, PageTable, Section, render_page, write_page
from pigglesim.studies.number_format import DASH, plus_minus, with_interval
from pigglesim.studies.statistics import Interval


def tables_of(findings: Findings) -> list[tuple[str, list[PageTable]]]:
    """Return every table, by the part of the report that it belongs to; some may be empty."""
    every = findings.found
    panels = [panel for each in every for panel in effect_panels(each)]
    return [
        ("seats", [_seat_table(every)]),
        ("values", [_value_table(every), _kind_table(every), _comparison_table(every)]),
        ("course", _course_tables(every)),
        ("effects", [_effect_table(panels)]),
    ]


def effect_panels(found: BalanceFindings) -> list[EffectPanel]:
    """Return what effects did in each kind of team, where they did anything."""
    both = (
        EffectPanel(teams="standard", agent=found.agent, effects=_standard(found)),
        EffectPanel(teams="random", agent=found.agent, effects=found.effects_random or {}),
    )
    return [panel for panel in both if panel.effects]


def _standard(found: BalanceFindings) -> Effects:
    return found.timeline.effects if found.timeline else {}


def _seat_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return what it is worth to begin."""
    return PageTable(
        caption="Whoever begins",
        columns=["game", "agent", "share of wins", "lead [points]", "matches"],
        rows=[
            [
                each.game, each.agent, with_interval(course.first_share),
                _signed(course.first_lead), f"{course.matches:,}",
            ]
            for each, course in _courses(found)
        ],
        headings=2,
    )  # fmt: skip


def _value_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return what colours and runes are worth in random teams."""
    rows = []
    for each in found:
        points, shares = each.points_of, each.shares_of
        if points is None or shares is None:
            continue
        for told, won in ((points.colours, shares.colours), (points.runes, shares.runes)):
            rows += [
                [each.game, each.agent, name, _signed(told[name]), _signed(won[name]),
                 f"{points.trials:,}"]
                for name in told
            ]  # fmt: skip
    return PageTable(
        caption="One Piggle in a random team, against one without a rune",
        columns=["game", "agent", "Piggle", "points a match", "share of wins", "pairs"],
        rows=rows,
        headings=3,
    )


def _kind_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return what every kind of Piggle is worth in random teams."""
    return PageTable(
        caption="Every kind of Piggle in a random team",
        columns=["game", "agent", "Piggle", "points a match", "share of wins"],
        rows=[
            [each.game, each.agent, kind, _signed(points.kinds[kind]), _signed(won.kinds[kind])]
            for each in found
            if (points := each.points_of) is not None and (won := each.shares_of) is not None
            for kind in KINDS
        ],
        headings=3,
    )


def _comparison_table(found: Sequence[BalanceFindings]) -> PageTable:
    """Return what whole teams are worth; pairs apart are those in which it made a difference."""
    return PageTable(
        caption="Teams exchanged under the same dice",
        columns=[
            "game", "agent", "team", "points a match", "share of wins",
            "pairs apart", "pairs",
        ],
        rows=[
            [
                each.game, each.agent, one.name, _apart(one.points), _apart(one.share),
                plus_minus(one.told_apart), f"{one.pairs:,}",
            ]
            for each in found
            for one in each.comparisons
        ],
        headings=3,
    )  # fmt: skip


def _course_tables(found: Sequence[BalanceFindings]) -> list[PageTable]:
    """Return how matches go: in numbers, and round by round."""
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


def _effect_table(panels: Sequence[EffectPanel]) -> PageTable:
    """Return what became of each effect: Piggles a match, and shares of those that landed."""
    return PageTable(
        caption="Effects: landed Snout-Up and uses a match; what came of those that landed",
        columns=[
            "agent", "teams", "effect", "landed", "uses", "used", "let go by", "nobody there",
        ],
        rows=[
            [
                panel.agent, panel.teams, effect_name(word), _mean(each.landed), _mean(each.uses),
                plus_minus(each.used), plus_minus(each.declined), plus_minus(each.no_target),
            ]
            for panel in panels
            for word, each in panel.effects.items()
        ],
        headings=3,
    )  # fmt: skip


def _courses(found: Sequence[BalanceFindings]) -> list[tuple[BalanceFindings, Timeline]]:
    return [(each, each.timeline) for each in found if each.timeline is not None]


def _told(course: Timeline) -> dict[str, str]:
    """Return the numbers of a course, by what they are called."""
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
    """Return a mean; nothing tells how well it is known where all matches were alike."""
    return plus_minus(found) if found.high > found.low else f"{found.value:g} in all"


def _signed(found: Interval) -> str:
    return with_interval(found, signed=True) if isfinite(found.low) else DASH


def write_balance_report(
    folder: Path, *, findings: Findings, metadata: Mapping[str, Any]
) -> list[Path]:
    """Write `report.html` and `pictures/*.png` and `*.svg`; the same study gives the same bytes.

    Args:
        folder: Of the study; it exists.
        findings: What it says, of at least one trial.
        metadata: Everything that its numbers depend on; `title` heads the page.

    Returns:
        What was written, the page first.

    Raises:
        SpecError: If the folder cannot be written.
    """
    pictures = list(_pictures(findings))
    page = render_page(
        title=str(metadata["title"]),
        summary=f"{findings.matches:,} matches · intervals hold {findings.level:.0%}",
        sections=list(_sections(findings, pictures)),
        metadata=metadata,
    )
    return write_page(folder, page, pictures)


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
    level = findings.level
    known = [each for each in findings.found if each.timeline is not None]
    if known:
        yield PagePicture(
            section="seats", name="seats", title="What it is worth to begin",
            figure=draw_seats(known, level=level),
        )  # fmt: skip
        yield PagePicture(
            section="course", name="rounds", title="Mean scores after each round",
            figure=draw_rounds(known, level=level),
        )  # fmt: skip
    for game in dict.fromkeys(each.game for each in findings.found):
        own = [each for each in findings.found if each.game == game]
        if any(each.points_of or each.comparisons for each in own):
            yield PagePicture(
                section="values", name=f"values-{game}",
                title=f"What a Piggle is worth in {game}", figure=draw_values(own, level=level),
            )  # fmt: skip
    for number, each in enumerate(findings.found):
        # Fewer trials than kinds tell nothing of any.
        if each.points_of is not None and each.points_of.trials > len(KINDS):
            yield PagePicture(
                section="values", name=f"kinds-{number}",
                title=f"What each colour is worth with each direction, by {each.agent}",
                figure=draw_kinds(each, level=level),
            )  # fmt: skip
    panels = [panel for each in findings.found for panel in effect_panels(each)]
    if panels:
        yield PagePicture(
            section="effects", name="effects", title="What becomes of an effect",
            figure=draw_effects(panels, level=level),
        )  # fmt: skip


def _sections(findings: Findings, pictures: Sequence[PagePicture]) -> Iterator[Section]:
    for name, own in tables_of(findings):
        held = [table for table in own if table.rows]
        mine = [picture for picture in pictures if picture.section == name]
        if held or mine:
            yield Section(
                name=name, heading=_HEADINGS[name], remark=_REMARKS[name], pictures=mine,
                tables=held,
            )  # fmt: skip
