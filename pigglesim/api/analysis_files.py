"""Files of the analysis of a match: page, chart, annotated record, document."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pigglesim.durable_io import check_target, expect_new, write_target
from pigglesim.games.piggles.game import is_piggles
from pigglesim.match.record import write_record
from pigglesim.match.replay import branch_at, game_of
from pigglesim.render.charts import CurveMark, draw_win_probability
from pigglesim.render.figure import figure_bytes
from pigglesim.render.page import PagePicture, PageTable, Section, report_html
from pigglesim.render.svg import piggles_of, scene_of, state_svg, team_bodies
from pigglesim.scene.scene import Board
from pigglesim.tui.game_view import make_view, result_sentence
from pigglesim.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pigglesim.api.analysis import AnalysisResult, DecisionAnalysis

_RECORDS = (".txt", ".jsonl")
_KINDS = (".html", ".svg", ".png", *_RECORDS, ".json")
_VIEW = "Each value is as the player to move saw the game; hidden information is sampled."


def write_analysis(analysis: "AnalysisResult", file: Path, *, worst: int, overwrite: bool) -> Path:
    """Write an analysis to a file; `AnalysisResult.save` describes the arguments."""
    check_target(file, *_KINDS)
    kind = file.suffix.lower()
    if kind in {*_RECORDS, ".json"}:
        expect_new(file, overwrite=overwrite)
    if kind in _RECORDS:
        write_record(analysis.annotated(), file)
    elif kind == ".json":
        write_target(file, f"{analysis.to_json()}\n")
    elif kind == ".html":
        write_target(file, _page(analysis, analysis.worst(worst)))
    else:
        write_target(file, figure_bytes(_chart(analysis, analysis.worst(worst)), kind[1:]))
    return file


def _names(analysis: "AnalysisResult") -> dict[str, str]:
    """Return the name of each seat."""
    names = make_view(game_of(analysis.record)).names
    return {str(seat): name for seat, name in names.items()}


def _chart(analysis: "AnalysisResult", worst: "Sequence[DecisionAnalysis]") -> "Figure":
    curve, names = analysis.curve, _names(analysis)
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


def _ending(analysis: "AnalysisResult") -> str:
    names = make_view(game_of(analysis.record)).names
    return result_sentence(analysis.record.footer.result, names)


def _players(analysis: "AnalysisResult") -> str:
    header = analysis.record.header
    agents = list(header.agents.values())
    return " against ".join(agents) if len(agents) == 2 else header.game


def _page(analysis: "AnalysisResult", worst: "Sequence[DecisionAnalysis]") -> str:
    header, names = analysis.record.header, _names(analysis)
    picture = PagePicture(
        section="curve",
        name="win-probability",
        title="Win probability after each decision",
        figure=_chart(analysis, worst),
    )
    sections = [
        Section(
            name="curve", heading="Win probability", remark=_VIEW, pictures=[picture], tables=[]
        ),
        *(_worst_section(analysis, each, rank) for rank, each in enumerate(worst, start=1)),
        Section(
            name="decisions",
            heading="Every decision",
            remark="Shares of the win of the player to move, with 95 % intervals. "
            f"{analysis.source}",
            pictures=[],
            tables=[_table(analysis, worst)],
        ),
    ]
    stopped = "" if analysis.finished else " The analysis was stopped early."
    return report_html(
        title=f"Analysis of {_players(analysis)}",
        summary=f"{_ending(analysis)}.{stopped}",
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


def _worst_section(analysis: "AnalysisResult", found: "DecisionAnalysis", rank: int) -> Section:
    texts = (found.before[found.seat], found.after[found.seat], found.loss)
    better, played, lost = map(analysis.value_text, texts)
    return Section(
        name=f"worst-{rank}",
        heading=f"{rank}. Decision {found.decision}, round {found.round}: "
        f"{_names(analysis)[found.seat]}, {found.action}",
        remark=f"Better: {found.best}. It wins {better} instead of {played}; the loss is {lost}.",
        pictures=[],
        tables=[],
        drawing=_board(analysis, found),
    )


def _board(analysis: "AnalysisResult", found: "DecisionAnalysis") -> str:
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
        subtitle=f"round {found.round}, {_names(analysis)[found.seat]} to move",
    )


def _table(analysis: "AnalysisResult", worst: "Sequence[DecisionAnalysis]") -> PageTable:
    names, ranks = _names(analysis), {each.decision: rank for rank, each in enumerate(worst, 1)}
    rows = [
        [
            str(each.decision),
            str(each.round),
            names[each.seat],
            each.action,
            each.best if each.best != each.action else "",
            analysis.value_text(each.before[each.seat]),
            analysis.value_text(each.after[each.seat]),
            analysis.value_text(each.loss) if each.best != each.action else "",
            f"worst {ranks[each.decision]}" if each.decision in ranks else "",
        ]
        for each in analysis.decisions
    ]
    columns = [
        "decision",
        "round",
        "player",
        "played",
        "best",
        "wins after best",
        "after played",
        "loss",
        "",
    ]
    return PageTable(caption="Decisions", columns=columns, rows=rows)
