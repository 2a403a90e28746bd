"""The report of a study: one page that holds everything, and its pictures as files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pigglesim.bodies.body import Body
from pigglesim.landing import Zone
from pigglesim.render.report_page import (
    MOST_CELLS,
    PagePicture,
    PageTable,
    Section,
    exact_shares,
    render_page,
    report_pictures,
    write_page,
)
from pigglesim.scene.scene import Board
from pigglesim.studies.estimates import CellAnswers, StudyAnswers
from pigglesim.studies.number_format import DASH, cell_name, spelt, with_interval
from pigglesim.studies.statistics import Interval, Share

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
    """Write `report.html` and `pictures/*.png` and `*.svg`; the same study gives the same bytes.

    Args:
        folder: Of the study; it exists.
        answers: What the study says.
        metadata: Everything that its bits depend on, shown as it is; `title` heads the report.
        connection: Holds the view `throws`.
        bodies: The dice, by model; what is not among them has no sphere.
        cell_bodies: The die of a cell, where models are no name for one body: of other ballast.
        board: What they were thrown onto; None for a floor.

    Returns:
        What was written, the report first.

    Raises:
        SpecError: If the folder cannot be written.
    """
    exact = exact_shares(connection, answers, bodies, cell_bodies)
    pictures = list(
        report_pictures(connection, answers=answers, bodies=bodies, exact=exact, board=board)
    )
    page = report_page(answers, metadata=metadata, pictures=pictures, exact=exact)
    return write_page(folder, page, pictures)


def report_page(
    answers: StudyAnswers,
    *,
    metadata: Mapping[str, Any],
    pictures: Sequence[PagePicture],
    exact: Mapping[int, Mapping[str, float]],
) -> str:
    """Return the page of a study: no script, nothing from elsewhere, every name escaped.

    Args:
        answers: What the study says.
        metadata: Everything that its bits depend on.
        pictures: What to show in its parts.
        exact: Shares of orientations without momentum, by cell, where they are known.
    """
    title = str(metadata.get("title") or metadata.get("name") or "A study of throws")
    return render_page(
        title=title,
        summary=_summary(answers),
        sections=list(_sections(answers, pictures, exact)),
        metadata=metadata,
    )


def report_tables(answers: StudyAnswers) -> list[PageTable]:
    """Return the tables of a study's page."""
    return [table for section in _sections(answers, (), {}) for table in section.tables]


def _sections(
    answers: StudyAnswers, pictures: Sequence[PagePicture], exact: Mapping[int, Mapping[str, float]]
) -> Iterator[Section]:
    """Yield each part that has anything to show."""
    cells = answers.cells
    parts: tuple[tuple[str, str, str, list[PageTable | None]], ...] = (
        ("shares", "Orientations", _SHARES, [_shares(cells, exact)]),
        ("factors", "What the factors do", _FACTORS, [_contrasts(answers)]),
        ("places", "Where dice come to lie", _PLACES, [_zones(cells), *map(_joint, cells)]),
        ("points", "Points, knocks and likeness", _POINTS, [_scores(cells)]),
        ("directions", "What points down", "", []),
        ("convergence", "Were there enough throws?", "", []),
    )
    for name, heading, remark, tables in parts:
        mine = [picture for picture in pictures if picture.section == name]
        held = [table for table in tables if table is not None and table.rows]
        if mine or held:
            yield Section(name=name, heading=heading, remark=remark, pictures=mine, tables=held)


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
    rows = []
    for cell in cells:
        for name, share, after, alpha in zip(
            cell.orientations,
            cell.shares,
            cell.posterior.intervals,
            cell.posterior.alphas,
            strict=True,
        ):
            still = exact.get(cell.cell, {}).get(name)
            rows.append(
                [
                    _called(cell), name, _value(share), _value(after), f"{alpha:,.1f}",
                    DASH if still is None else f"{still:.4f}", f"{share.trials:,}",
                    f"{share.clusters:,}",
                ]
            )  # fmt: skip
    columns = [
        "cell",
        "orientation",
        "share",
        "posterior",
        "alpha of Dirichlet",
        "without momentum",
    ]
    return PageTable(
        caption="Share of each orientation",
        columns=[*columns, "dice", "throws"],
        rows=rows,
        headings=2,
    )


def _contrasts(answers: StudyAnswers) -> PageTable:
    return PageTable(
        caption="Differences between levels",
        columns=["factor", "from", "to", "others", "quantity", "difference"],
        rows=[
            [
                each.factor, spelt(each.low), spelt(each.high), cell_name(each.others) or DASH,
                each.quantity, _value(each.difference, signed=True),
            ]
            for each in answers.contrasts
        ],
        headings=5,
    )  # fmt: skip


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
        row = [
            _called(cell), _value(cell.points_per_die), _value(cell.points_per_throw),
            _value(cell.leaning), _value(cell.off_board), _value(cell.knocked),
            _value(cell.knocks_per_throw), _value(alike.agreement if alike else None, signed=True),
            DASH if alike is None or math.isnan(alike.p_value) else f"{alike.p_value:.2g}",
        ]  # fmt: skip
        if any(word != DASH for word in row[1:]):
            rows.append(row)
    columns = ["cell", "points a die", "points a throw", "leaning", "off the board", "knocked"]
    columns += ["knocks a throw", "likeness", "p"]
    held = [k for k in range(len(columns)) if any(row[k] != DASH for row in rows)]
    return PageTable(
        caption="Points, places and knocks",
        columns=[columns[k] for k in held],
        rows=[[row[k] for k in held] for row in rows],
    )


def _value(found: Share | Interval | None, *, signed: bool = False) -> str:
    return DASH if found is None else with_interval(found, signed=signed)
