"""Report of a study: one page with all results, and its pictures as files."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pigglesim.bodies.body import Body, class_shares, support_for
from pigglesim.data_files import safe_name
from pigglesim.experiments.estimates import ALIKE, CellAnswers, StudyAnswers
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import Share
from pigglesim.landing import Zone
from pigglesim.render.board_figure import draw_board, draw_landing_map, landing_counts
from pigglesim.render.charts import (
    convergence,
    draw_contrasts,
    draw_convergence,
    draw_factor_levels,
    draw_points,
    draw_share_bars,
    orientations_of,
    point_counts,
)
from pigglesim.render.figure import (
    axes_at,
    cell_label,
    display_name,
    figure_bytes,
    heading,
    label_ends,
    new_figure,
)
from pigglesim.render.page import (
    PagePicture,
    TextTable,
    report_html,
    sections_of,
    table_of,
    write_report_page,
)
from pigglesim.render.palette import PAPER
from pigglesim.render.pose_sphere import basin_image, down_directions, draw_pose_sphere
from pigglesim.scene.scene import Board
from pigglesim.units import DASH, cell_name, level_text, percent, with_interval

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def write_report(
    folder: Path,
    *,
    answers: StudyAnswers,
    metadata: Mapping[str, Any],
    connection: "DuckDBPyConnection",
    bodies: Mapping[str, Body],
    cell_bodies: Mapping[int, Body] = MappingProxyType({}),
    board: Board | None = None,
    unfinished: str = "",
) -> list[Path]:
    """Write `report.html` and `pictures/*`, and return them; the same study gives the same bytes.

    Args:
        folder: Existing folder of the study.
        answers: Results of the study.
        metadata: Inputs that determine every bit, shown unchanged; `title` heads the report.
        connection: Connection with the view `throws`.
        bodies: Dice by model; other models get no sphere.
        cell_bodies: Die by cell, if the ballast varies and a model is not a single body.
        board: Board of the throws; None for a floor.
        unfinished: Progress of an unfinished study, shown in the title and on every picture.

    Raises:
        SpecError: If the folder cannot be written.
    """
    exact = _exact_shares(connection, answers, bodies, cell_bodies)
    pictures = list(_pictures(connection, answers=answers, bodies=bodies, exact=exact, board=board))
    drawn = f" · pictures show the first {MOST_CELLS}" if len(answers.cells) > MOST_CELLS else ""
    return write_report_page(
        folder,
        title=str(metadata.get("title") or metadata.get("name") or "A study of throws"),
        summary=f"{study_summary(answers)}{drawn}",
        sections=sections_of(_parts(answers, exact), pictures),
        metadata=metadata,
        unfinished=unfinished,
    )


def prepare_report(bodies: Iterable[Body], board: Board | None = None) -> None:
    """Load and draw what a report needs besides the throws, while other processes throw."""
    # The first picture and page load what the others need.
    figure = new_figure(4.0, 3.0)
    heading(figure, "Title")
    axes = axes_at(figure, 1.0, 1.0, 1.0, 1.0)
    label_ends(axes, [("Line", 0.0, PAPER)], gap=0.1)
    if board is not None:
        draw_board(axes, board)
    picture = PagePicture("shares", "shares", "Title", figure)
    sections = sections_of([("shares", "Orientations", "", [])], [picture])
    report_html(title="Title", summary="", sections=sections, metadata={})
    figure_bytes(figure, "png")
    for body in bodies:
        for side in (0, 1):
            basin_image(support_for(body), side)


def report_tables(answers: StudyAnswers) -> list[TextTable]:
    """Return the tables of a study's page."""
    return [table for section in sections_of(_parts(answers, {}), ()) for table in section.tables]


def _parts(
    answers: StudyAnswers, exact: Mapping[int, Mapping[str, float]]
) -> list[tuple[str, str, str, list[TextTable | None]]]:
    cells = answers.cells
    return [
        ("shares", "Orientations", _SHARES, [_shares(cells, exact), _budgets(cells)]),
        ("factors", "What the factors do", _FACTORS, [_contrasts(answers)]),
        ("places", "Where dice land", _PLACES, [_zones(cells), *map(_joint, cells)]),
        ("points", "Points and knocks", _POINTS, [_scores(cells)]),
        ("directions", "What points down", "", []),
        ("convergence", "Were there enough throws?", "", []),
    ]


MOST_CELLS = 12
"""Maximum number of cells with pictures of their own; the tables have all."""
_SHARES = (
    "Shares are of all rolled dice that show an orientation. Dice of one throw are one cluster; "
    "where all or none are counted, each throw counts as one die. The posterior is Dirichlet's "
    "from Jeffreys' prior. Without momentum: the exact share of directions that roll slowly into "
    "the orientation."
)
_FACTORS = (
    "One factor changes, and all others are constant. Throw k starts from the same random numbers "
    "on both sides. Width: the width of the interval, over that of as many unpaired throws; at 1 "
    "pairing gained nothing. Among many intervals, some miss the true value by chance."
)
_PLACES = (
    "Shares of all rolled dice. A line is named by its two sides, and a die on it is counted there."
)
_POINTS = (
    "Pairs alike beyond chance: how many more pairs of dice of one throw show the same orientation "
    "than pairs of independent dice. p is the probability of a number at least as far from 0 if "
    "dice were independent."
)


def study_summary(answers: StudyAnswers) -> str:
    """Return the numbers of throws and the level of all intervals in one line."""
    throws = sum(cell.throws for cell in answers.cells)
    dice = sum(cell.dice for cell in answers.cells)
    unsettled = sum(cell.unsettled for cell in answers.cells)
    if not throws:
        return "no throws"
    parts = [
        f"{throws:,} throws, {dice:,} dice",
        f"{len(answers.cells):,} combinations of factor levels" if len(answers.cells) > 1 else "",
        f"{unsettled:,} dice still moved when time was up",
        f"{percent(answers.level)} intervals",
    ]
    return " · ".join(word for word in parts if word)


def _cell_title(cell: CellAnswers) -> str:
    return cell_name(cell.factors) or "all throws"


def _shares(cells: Sequence[CellAnswers], exact: Mapping[int, Mapping[str, float]]) -> TextTable:
    return table_of(
        "Share of each orientation",
        (
            {
                "cell": _cell_title(cell),
                "orientation": name,
                "share": _value(share),
                "posterior": _value(cell.posterior.intervals[k]),
                "alpha of Dirichlet": f"{cell.posterior.alphas[k]:,.1f}",
                **(
                    {"without momentum": f"{still[name]:.4f}" if name in still else DASH}
                    if exact
                    else {}
                ),
                "dice": f"{share.trials:,}",
                "throws": f"{share.clusters:,}",
            }
            for cell in cells
            for still in [exact.get(cell.cell, {})]
            for k, (name, share) in enumerate(zip(cell.orientations, cell.shares, strict=True))
        ),
        headings=2,
    )


def _budgets(cells: Sequence[CellAnswers]) -> TextTable | None:
    """Return the sources of the width of each share, where throws drew floors of a fit."""
    rows = [
        {
            "cell": _cell_title(cell),
            "orientation": name,
            **{source: f"{part:.4f}" for source, part in budget.deviations().items()},
            "all": f"{math.sqrt(budget.variance):.4f}",
        }
        for cell in cells
        for name, budget in zip(cell.orientations, cell.budgets or (), strict=bool(cell.budgets))
    ]
    caption = (
        "Sources of the width: one standard deviation of each share. The truth is one of the "
        "floors: no number of throws narrows floors, law and mesh"
    )
    return table_of(caption, rows, headings=2) if rows else None


def _contrasts(answers: StudyAnswers) -> TextTable:
    return table_of(
        "Differences between levels",
        (
            {
                "factor": contrast.factor,
                "from": level_text(contrast.low),
                "to": level_text(contrast.high),
                "others": cell_name(contrast.others) or DASH,
                "quantity": contrast.quantity,
                "difference": _value(contrast.difference, signed=True),
                "width": DASH if contrast.width_ratio is None else f"{contrast.width_ratio:.2f}",
            }
            for contrast in answers.contrasts
        ),
        headings=5,
    )


def _zones(cells: Sequence[CellAnswers]) -> TextTable:
    zones = list(dict.fromkeys(zone for cell in cells for zone in cell.zones or {}))
    by_cell = [(_cell_title(cell), cell.zones) for cell in cells if cell.zones]
    return TextTable(
        caption="Share of dice by zone",
        columns=["zone", *(name for name, _ in by_cell)],
        rows=[[_plain(zone), *(_value(cell.get(zone)) for _, cell in by_cell)] for zone in zones],
    )


def _joint(cell: CellAnswers) -> TextTable | None:
    if cell.joint is None:
        return None
    return TextTable(
        caption=f"Orientation by zone: {_cell_title(cell)}",
        columns=["zone", *cell.joint.orientations],
        rows=[
            [_plain(zone), *(_value(shares[k]) for shares in cell.joint.shares)]
            for k, zone in enumerate(cell.joint.zones)
            # Off the board a pose means nothing (P11).
            if zone != Zone.OFF or any(shares[k].value for shares in cell.joint.shares)
        ],
    )


def _plain(zone: str) -> str:
    return zone.replace(":", " ")


def _scores(cells: Sequence[CellAnswers]) -> TextTable:
    rows = []
    for cell in cells:
        values = {
            name: _value(found, signed=name == ALIKE) for name, found in cell.on_board.items()
        }
        if values:
            rows.append({"cell": _cell_title(cell), **values, "p": cell.p_of_alike})
    columns = dict.fromkeys(name for row in rows for name in row if row[name] != DASH)
    cells_of = ({name: row.get(name, DASH) for name in columns} for row in rows)
    return table_of("Points, places and knocks", cells_of)


def _value(estimate: Share | Interval | None, *, signed: bool = False) -> str:
    return DASH if estimate is None else with_interval(estimate, signed=signed)


def _exact_shares(
    connection: "DuckDBPyConnection",
    answers: StudyAnswers,
    bodies: Mapping[str, Body],
    cell_bodies: Mapping[int, Body],
) -> dict[int, dict[str, float]]:
    """Return the shares without momentum of each cell that throws a single known body."""
    rows = connection.execute(
        "SELECT cell, min(model) FROM throws WHERE NOT standing GROUP BY cell "
        "HAVING min(model) = max(model) ORDER BY cell"
    ).fetchall()
    cells = {cell.cell for cell in answers.cells}
    body_of = {cell: cell_bodies.get(cell, bodies.get(model)) for cell, model in rows}
    distinct = {id(body): body for body in body_of.values() if body}
    shares = {key: class_shares(body) for key, body in distinct.items()}
    return {cell: shares[id(body)] for cell, body in body_of.items() if cell in cells and body}


def _pictures(
    connection: "DuckDBPyConnection",
    *,
    answers: StudyAnswers,
    bodies: Mapping[str, Body],
    exact: Mapping[int, Mapping[str, float]],
    board: Board | None,
) -> Iterator[PagePicture]:
    cells = [cell for cell in answers.cells if cell.throws][:MOST_CELLS]
    names = orientations_of(answers.cells)
    bars = draw_share_bars(cells, quasi_static=exact)
    yield PagePicture("shares", "shares", "Share of each orientation with its interval", bars)
    yield from _factor_pictures(answers)
    if board is not None and any(cell.zones is not None for cell in cells):
        for cell in cells:
            landed = landing_counts(connection, board=board, orientations=names, cell=cell.cell)
            title = ": ".join(filter(None, ("Where dice land", cell_name(cell.factors))))
            figure = draw_landing_map(landed, board=board, title=title)
            name = f"landings-{cell.cell}"
            yield PagePicture("places", name, display_name(title, longest=80), figure, chart=False)
    alone = ", intervals of counting alone" if any(cell.budgets for cell in cells) else ""
    labelled = [(cell_label(cell.factors), cell) for cell in cells]
    if any(cell.points_per_throw is not None for cell in cells):
        counts = [(name, point_counts(connection, cell=cell.cell)) for name, cell in labelled]
        points = draw_points(counts, level=answers.level)
        yield PagePicture("points", "points", f"How many throws score how much{alone}", points)
    yield from _spheres(connection, bodies)
    curves = [
        (name, convergence(connection, orientations=cell.orientations, cell=cell.cell,
                           level=answers.level))
        for name, cell in labelled
    ]  # fmt: skip
    title = f"Shares and their intervals against the number of throws{alone}"
    yield PagePicture("convergence", "convergence", title, draw_convergence(curves))


def _factor_pictures(answers: StudyAnswers) -> Iterator[PagePicture]:
    factors = list(dict.fromkeys(name for cell in answers.cells for name in cell.factors))
    for name, factor in zip(_file_names(factors), factors, strict=True):
        shown, levels = display_name(factor), draw_factor_levels(answers, factor)
        yield PagePicture("factors", f"levels-{name}", f"Shares by {shown}", levels)
        if any(contrast.factor == factor for contrast in answers.contrasts):
            contrasts = draw_contrasts(answers, factor)
            yield PagePicture("factors", f"contrasts-{name}", f"What {shown} changes", contrasts)


def _spheres(connection: "DuckDBPyConnection", bodies: Mapping[str, Body]) -> Iterator[PagePicture]:
    models = connection.execute(
        "SELECT DISTINCT model FROM throws WHERE NOT standing AND model IS NOT NULL ORDER BY model"
    ).fetchall()
    known_models = [model for (model,) in models if model in bodies][:MOST_CELLS]
    for name, model in zip(_file_names(known_models), known_models, strict=True):
        title = f"What points down: {model}"
        sphere = draw_pose_sphere(
            bodies[model], down_directions(connection, model=model), title=title
        )
        title = display_name(title, longest=80)
        yield PagePicture("directions", f"directions-{name}", title, sphere, chart=False)


def _file_names(names: Sequence[str]) -> list[str]:
    """Return a name for the files of each: letters, digits and dashes, no two alike."""
    file_names: list[str] = []
    for number, name in enumerate(names, start=1):
        plain = safe_name(name.lower(), gap="-", marks="-")[:40]
        taken = not plain or plain in file_names
        file_names.append(f"{plain or 'other'}-{number}" if taken else plain)
    return file_names
