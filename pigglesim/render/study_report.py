"""Report of a study: one page with all results, and its pictures as files."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pigglesim.bodies.body import Body, class_shares
from pigglesim.experiments.estimates import CellAnswers, StudyAnswers
from pigglesim.experiments.statistics import Interval, Share
from pigglesim.landing import Zone
from pigglesim.render.board_figure import draw_landing_map, landing_counts
from pigglesim.render.charts import (
    convergence,
    draw_contrasts,
    draw_convergence,
    draw_factor_levels,
    draw_points,
    draw_share_bars,
    point_counts,
)
from pigglesim.render.figure import cell_label, display_name
from pigglesim.render.page import PagePicture, PageTable, sections_of, table_of, write_report_page
from pigglesim.render.pose_sphere import down_directions, draw_pose_sphere
from pigglesim.scene.scene import Board
from pigglesim.units import DASH, cell_name, level_text, with_interval

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

    Raises:
        SpecError: If the folder cannot be written.
    """
    exact = _exact_shares(connection, answers, bodies, cell_bodies)
    pictures = list(_pictures(connection, answers=answers, bodies=bodies, exact=exact, board=board))
    return write_report_page(
        folder,
        title=str(metadata.get("title") or metadata.get("name") or "A study of throws"),
        summary=_summary(answers),
        sections=sections_of(_parts(answers, exact), pictures),
        metadata=metadata,
    )


def report_tables(answers: StudyAnswers) -> list[PageTable]:
    """Return the tables of a study's page."""
    return [table for section in sections_of(_parts(answers, {}), ()) for table in section.tables]


def _parts(
    answers: StudyAnswers, exact: Mapping[int, Mapping[str, float]]
) -> list[tuple[str, str, str, list[PageTable | None]]]:
    cells = answers.cells
    return [
        ("shares", "Orientations", _SHARES, [_shares(cells, exact)]),
        ("factors", "What the factors do", _FACTORS, [_contrasts(answers)]),
        ("places", "Where dice come to lie", _PLACES, [_zones(cells), *map(_joint, cells)]),
        ("points", "Points, knocks and likeness", _POINTS, [_scores(cells)]),
        ("directions", "What points down", "", []),
        ("convergence", "Were there enough throws?", "", []),
    ]


MOST_CELLS = 12
"""Maximum number of cells with pictures of their own; the tables have all."""
_SHARES = (
    "Of all rolled dice that show an orientation. Dice of one throw are one draw. The posterior "
    "is Dirichlet's from Jeffreys' prior. Without momentum: the exact share of directions that "
    "roll slowly into the orientation."
)
_FACTORS = "One factor changes, all others stay: the same randomness on both sides."
_PLACES = (
    "Shares of all rolled dice. A line is named by its two sides, and a die on it is counted there."
)
_POINTS = (
    "Likeness: how much more often two dice of one throw show the same orientation than "
    "independent dice would; p is of as much likeness or unlikeness, were they independent."
)


def _summary(answers: StudyAnswers) -> str:
    throws = sum(cell.throws for cell in answers.cells)
    dice = sum(cell.dice for cell in answers.cells)
    unsettled = sum(cell.unsettled for cell in answers.cells)
    if not throws:
        return "no throws"
    words = [
        f"{throws:,} throws of {dice:,} dice",
        f"{len(answers.cells):,} combinations of factor levels" if len(answers.cells) > 1 else "",
        f"{unsettled:,} dice still moved when time was up",
        f"intervals hold {answers.level:.0%}",
        f"pictures show the first {MOST_CELLS}" if len(answers.cells) > MOST_CELLS else "",
    ]
    return " · ".join(word for word in words if word)


def _called(cell: CellAnswers) -> str:
    return cell_name(cell.factors) or "all throws"


def _shares(cells: Sequence[CellAnswers], exact: Mapping[int, Mapping[str, float]]) -> PageTable:
    return table_of(
        "Share of each orientation",
        (
            {
                "cell": _called(cell),
                "orientation": name,
                "share": _value(share),
                "posterior": _value(cell.posterior.intervals[k]),
                "alpha of Dirichlet": f"{cell.posterior.alphas[k]:,.1f}",
                "without momentum": f"{still[name]:.4f}" if name in still else DASH,
                "dice": f"{share.trials:,}",
                "throws": f"{share.clusters:,}",
            }
            for cell in cells
            for still in [exact.get(cell.cell, {})]
            for k, (name, share) in enumerate(zip(cell.orientations, cell.shares, strict=True))
        ),
        headings=2,
    )


def _contrasts(answers: StudyAnswers) -> PageTable:
    return table_of(
        "Differences between levels",
        (
            {
                "factor": each.factor,
                "from": level_text(each.low),
                "to": level_text(each.high),
                "others": cell_name(each.others) or DASH,
                "quantity": each.quantity,
                "difference": _value(each.difference, signed=True),
            }
            for each in answers.contrasts
        ),
        headings=5,
    )


def _zones(cells: Sequence[CellAnswers]) -> PageTable:
    zones = list(dict.fromkeys(zone for cell in cells for zone in cell.zones or {}))
    known = [(_called(cell), cell.zones) for cell in cells if cell.zones]
    return PageTable(
        caption="Share of dice by zone",
        columns=["zone", *(name for name, _ in known)],
        rows=[[_plain(zone), *(_value(held.get(zone)) for _, held in known)] for zone in zones],
    )


def _joint(cell: CellAnswers) -> PageTable | None:
    if cell.joint is None:
        return None
    return PageTable(
        caption=f"Orientation by zone: {_called(cell)}",
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


def _scores(cells: Sequence[CellAnswers]) -> PageTable:
    rows = []
    for cell in cells:
        alike = cell.independence
        words = {
            "points a die": _value(cell.points_per_die),
            "points a throw": _value(cell.points_per_throw),
            "leaning": _value(cell.leaning),
            "off the board": _value(cell.off_board),
            "knocked": _value(cell.knocked),
            "knocks a throw": _value(cell.knocks_per_throw),
            "likeness": _value(alike.agreement if alike else None, signed=True),
            "p": DASH if alike is None or math.isnan(alike.p_value) else f"{alike.p_value:.2g}",
        }
        if any(word != DASH for word in words.values()):
            rows.append({"cell": _called(cell), **words})
    held = [name for name in (rows[0] if rows else ()) if any(row[name] != DASH for row in rows)]
    return table_of("Points, places and knocks", ({n: row[n] for n in held} for row in rows))


def _value(found: Share | Interval | None, *, signed: bool = False) -> str:
    return DASH if found is None else with_interval(found, signed=signed)


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
    found = {cell: cell_bodies.get(cell, bodies.get(model)) for cell, model in rows}
    each = {id(body): body for body in found.values() if body}
    shares = {key: class_shares(body) for key, body in each.items()}
    return {cell: shares[id(body)] for cell, body in found.items() if cell in cells and body}


def _pictures(
    connection: "DuckDBPyConnection",
    *,
    answers: StudyAnswers,
    bodies: Mapping[str, Body],
    exact: Mapping[int, Mapping[str, float]],
    board: Board | None,
) -> Iterator[PagePicture]:
    """Yield every picture of a study that has something to show."""
    few = [cell for cell in answers.cells if cell.throws][:MOST_CELLS]
    names = list(dict.fromkeys(name for cell in answers.cells for name in cell.orientations))
    bars = draw_share_bars(few, quasi_static=exact)
    yield PagePicture("shares", "shares", "Share of each orientation with its interval", bars)
    factors = list(dict.fromkeys(name for cell in answers.cells for name in cell.factors))
    for name, factor in zip(_file_names(factors), factors, strict=True):
        title, levels = f"Shares by {display_name(factor)}", draw_factor_levels(answers, factor)
        yield PagePicture("factors", f"levels-{name}", title, levels)
        if any(each.factor == factor for each in answers.contrasts):
            title, contrasts = (
                f"What {display_name(factor)} changes",
                draw_contrasts(answers, factor),
            )
            yield PagePicture("factors", f"contrasts-{name}", title, contrasts)
    if board is not None and any(cell.zones is not None for cell in few):
        for cell in few:
            found = landing_counts(connection, board=board, orientations=names, cell=cell.cell)
            called = cell_name(cell.factors)
            title = f"Where dice come to lie: {called}" if called else "Where dice come to lie"
            figure = draw_landing_map(found, board=board, title=title)
            name = f"landings-{cell.cell}"
            yield PagePicture("places", name, display_name(title, longest=80), figure, chart=False)
    called_cells = [(cell_label(cell.factors), cell) for cell in few]
    if any(cell.points_per_throw is not None for cell in few):
        counts = [(name, point_counts(connection, cell=cell.cell)) for name, cell in called_cells]
        points = draw_points(counts, level=answers.level)
        yield PagePicture("points", "points", "How many throws score how much", points)
    models = connection.execute(
        "SELECT DISTINCT model FROM throws WHERE NOT standing AND model IS NOT NULL ORDER BY model"
    ).fetchall()
    known = [model for (model,) in models if model in bodies][:MOST_CELLS]
    for name, model in zip(_file_names(known), known, strict=True):
        title, down = f"What points down: {model}", down_directions(connection, model=model)
        sphere, title = (
            draw_pose_sphere(bodies[model], down, title=title),
            display_name(title, longest=80),
        )
        yield PagePicture("directions", f"directions-{name}", title, sphere, chart=False)
    curves = [
        (name, convergence(connection, orientations=cell.orientations, cell=cell.cell,
                           level=answers.level))
        for name, cell in called_cells
    ]  # fmt: skip
    title = "Shares and their intervals against the number of throws"
    yield PagePicture("convergence", "convergence", title, draw_convergence(curves))


def _file_names(names: Sequence[str]) -> list[str]:
    """Return a name for the files of each: letters, digits and dashes, no two alike."""
    found: list[str] = []
    for number, name in enumerate(names, start=1):
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        found.append(plain if plain and plain not in found else f"{plain or 'other'}-{number}")
    return found
