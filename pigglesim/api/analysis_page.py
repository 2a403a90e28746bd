"""Page and chart of an analysis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pigglesim.api.analysis_report import AnalysisResult, DecisionAnalysis, value_text
from pigglesim.games.piggles.game import is_piggles
from pigglesim.landing import Seat
from pigglesim.match.replay import branch_at, game_of
from pigglesim.render.page import PagePicture, Section, TextTable, report_html
from pigglesim.render.svg import piggles_of, scene_of, state_svg, team_bodies
from pigglesim.scene.scene import Board
from pigglesim.table.view import result_sentence
from pigglesim.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_VIEW = "Each value is as the player to move saw the game; hidden information is sampled."


def analysis_chart(analysis: AnalysisResult, worst: Sequence[DecisionAnalysis]) -> "Figure":
    """Return the curve of the win probability, with the worst decisions."""
    from pigglesim.render.charts import (  # noqa: PLC0415 (charts of studies load their tools)
        CurveMark,
        draw_win_probability,
    )

    curve, names = analysis.curve, analysis.names
    if len(names) == 2:
        # The other player's curve is the same upside down.
        curve = dict(list(curve.items())[:1])
    points = {each.decision: point for point, each in enumerate(analysis.decisions)}
    marks = {
        names[seat]: [
            CurveMark(
                point=points[each.decision],
                before=each.before[seat].value,
                after=each.after[seat].value,
                label=f"{rank}: {each.seat}" if len(names) == 2 else str(rank),
            )
            for rank, each in enumerate(worst, start=1)
            if (len(names) == 2 or each.seat == seat) and seat in each.before
        ]
        for seat in curve
    }
    return draw_win_probability(
        {names[seat]: values for seat, values in curve.items()},
        rounds=[each.round for each in analysis.decisions],
        marks=marks,
        finished=analysis.finished and analysis.result is not None,
        title="Win probability after each decision",
        note=f"{_players(analysis)}; {_ending(analysis)}\nnumbered: the worst decisions, "
        "each with a line from the value of the best action",
    )


def _ending(analysis: AnalysisResult) -> str:
    names = {Seat(seat): name for seat, name in analysis.names.items()}
    return result_sentence(analysis.record.footer.result, names)


def _players(analysis: AnalysisResult) -> str:
    header = analysis.record.header
    agents = list(header.agents.values())
    return " against ".join(agents) if len(agents) == 2 else header.game


def analysis_page(analysis: AnalysisResult, worst: Sequence[DecisionAnalysis]) -> str:
    """Return a page with the curve, the worst decisions and every decision."""
    header, names = analysis.record.header, analysis.names
    picture = PagePicture(
        section="curve",
        name="win-probability",
        title="Win probability after each decision",
        figure=analysis_chart(analysis, worst),
    )
    sections = [
        Section(
            name="curve", heading="Win probability", remark=_VIEW, pictures=[picture], tables=[]
        ),
        *(_worst_section(analysis, each, rank) for rank, each in enumerate(worst, start=1)),
        Section(
            name="decisions",
            heading="Every decision",
            remark="Shares of the win of the player to move, with 95 % intervals. Without a better "
            f"action none was clearly better. {analysis.source}",
            pictures=[],
            tables=[_table(analysis, worst)],
        ),
    ]
    stopped = "" if analysis.finished else " The analysis was stopped early."
    return report_html(
        title=f"Analysis of {_players(analysis)}",
        summary=f"{_ending(analysis)}.{stopped} "
        f"{'; '.join((*analysis.sentences, *analysis.verdicts))}.",
        sections=sections,
        metadata={
            "game": header.game,
            "match seed": header.seed,
            "agents": {names[str(seat)]: agent for seat, agent in header.agents.items()},
            "analysed by": analysis.agent,
            "playouts of each action": analysis.playouts,
            "chance of playouts": analysis.chance,
            "seed of the analysis": analysis.seed,
            "pigglesim": __version__,
        },
    )


def _worst_section(analysis: AnalysisResult, found: DecisionAnalysis, rank: int) -> Section:
    texts = (found.before[found.seat], found.after[found.seat], found.loss)
    better, played, lost = map(value_text, texts)
    return Section(
        name=f"worst-{rank}",
        heading=f"{rank}. {found.name}",
        remark=f"Better: {found.better}. It wins {better} instead of {played}; the loss is {lost}."
        + (f" {found.why[0].upper()}{found.why[1:]}." if found.why else ""),
        pictures=[],
        tables=[],
        drawing=_board(analysis, found),
    )


def _board(analysis: AnalysisResult, found: DecisionAnalysis) -> str:
    """Return a drawing of the board before a decision; empty for a game without one."""
    record = analysis.record
    if not is_piggles(game_of(record)) or found.action.startswith("forfeits"):
        return ""
    scene = scene_of(record.header)
    return state_svg(
        scene.board if scene else Board(),
        branch_at(record, found.decision).before.state,
        bodies=team_bodies(record.header.teams),
        reading=piggles_of(record).rules.reading(),
        title=f"Before decision {found.decision}",
        subtitle=found.name,
    )


def _table(analysis: AnalysisResult, worst: Sequence[DecisionAnalysis]) -> TextTable:
    names, ranks = analysis.names, {each.decision: rank for rank, each in enumerate(worst, 1)}
    rows = [
        [
            str(each.decision),
            each.when,
            names[each.seat],
            each.action,
            each.best if each.clear else "",
            value_text(each.before[each.seat]) if each.clear else "",
            value_text(each.after[each.seat]),
            value_text(each.loss) if each.clear else "",
            value_text(luck[each.seat]) if each.seat in luck else "",
            f"worst {ranks[each.decision]}" if each.decision in ranks else "",
        ]
        for each, luck in zip(analysis.decisions, analysis.luck, strict=True)
    ]
    columns = [
        "decision", "when", "player", "played", "best", "wins after best", "after played", "loss",
        "luck after it", "",
    ]  # fmt: skip
    return TextTable(caption="Decisions", columns=columns, rows=rows)
