"""The report of a study: one page that holds everything, and its pictures as files."""

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pigglesim.errors import SpecError
from pigglesim.pictures.numerals import DASH, cell_name, spelt, with_interval
from pigglesim.pictures.report_pictures import (
    MOST_CELLS,
    Picture,
    exact_shares,
    report_pictures,
)
from pigglesim.pictures.style import DARK, FAINT, INK, PAPER, RULE
from pigglesim.rolls import Zone
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.studies.answers import CellAnswers, StudyAnswers
from pigglesim.studies.estimate import Interval, Share

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["report_page", "write_report"]

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table of words."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    headings: int = 1
    """How many first entries of a row say what the row is about."""


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
    files = [(folder / "report.html", page.encode("utf-8", "replace"))]
    for picture in pictures:
        place = folder / "pictures" / picture.name
        files.append((place.with_suffix(".png"), picture.png))
        files.append((place.with_suffix(".svg"), picture.svg))
    try:
        (folder / "pictures").mkdir(exist_ok=True)
        for file, content in files:
            file.write_bytes(content)
    except OSError as fault:
        raise SpecError(
            "a study's folder that can be written",
            got=f"{fault.filename or folder}: {fault.strerror}",
            remedy="check the path",
        ) from None
    return [file for file, _ in files]


def report_page(
    answers: StudyAnswers,
    *,
    metadata: Mapping[str, Any],
    pictures: Sequence[Picture],
    exact: Mapping[int, Mapping[str, float]],
) -> str:
    """Return the page of a study: no script, nothing from elsewhere, every name escaped.

    Args:
        answers: What the study says.
        metadata: Everything that its bits depend on.
        pictures: What to show in its parts.
        exact: Shares of orientations without momentum, by cell, where they are known.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 (slow)

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["group"] = lambda value: isinstance(value, Mapping)
    environment.tests["several"] = lambda value: isinstance(value, list | tuple)
    environment.tests["plain"] = lambda value: not isinstance(value, Mapping | list | tuple)
    environment.filters["words"] = _words
    title = str(metadata.get("title") or metadata.get("name") or "A study of throws")
    return environment.get_template("study_report.html").render(
        title=title,
        summary=_summary(answers),
        sections=list(_sections(answers, pictures, exact)),
        metadata=metadata,
        colours={"paper": PAPER, "ink": INK, "faint": FAINT, "rule": RULE},
        dark=DARK,
    )


def _sections(
    answers: StudyAnswers, pictures: Sequence[Picture], exact: Mapping[int, Mapping[str, float]]
) -> Iterator[dict[str, Any]]:
    """Yield name, heading, remark, pictures and tables of each part that has any."""
    cells = answers.cells
    parts: tuple[tuple[str, str, str, list[_Table | None]], ...] = (
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
            yield {
                "name": name, "heading": heading, "remark": remark, "pictures": mine,
                "tables": held,
            }  # fmt: skip


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


def _shares(cells: Sequence[CellAnswers], exact: Mapping[int, Mapping[str, float]]) -> _Table:
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
    return _Table(
        caption="Share of each orientation",
        columns=[*columns, "dice", "throws"],
        rows=rows,
        headings=2,
    )


def _contrasts(answers: StudyAnswers) -> _Table:
    return _Table(
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


def _zones(cells: Sequence[CellAnswers]) -> _Table:
    zones = list(dict.fromkeys(zone for cell in cells for zone in cell.zones or {}))
    known = [(_called(cell), cell.zones) for cell in cells if cell.zones]
    return _Table(
        caption="Share of dice by zone",
        columns=["zone", *(name for name, _ in known)],
        rows=[[_plain(zone), *(_value(held.get(zone)) for _, held in known)] for zone in zones],
    )


def _joint(cell: CellAnswers) -> _Table | None:
    if cell.joint is None:
        return None
    return _Table(
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


def _scores(cells: Sequence[CellAnswers]) -> _Table:
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
    return _Table(
        caption="Points, places and knocks",
        columns=[columns[k] for k in held],
        rows=[[row[k] for k in held] for row in rows],
    )


def _value(found: Share | Interval | None, *, signed: bool = False) -> str:
    return DASH if found is None else with_interval(found, signed=signed)


def _words(value: object) -> str:
    """Return a value as words: no marks that a page may not hold."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"} else "\ufffd"
        for c in str(value)
    )
