"""The pictures of a study's report: which there are, and how they are put into a page."""

import base64
import html
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.bodies.body import Body
from pigglesim.bodies.poses import class_shares
from pigglesim.durable_io import atomic_file
from pigglesim.errors import SpecError
from pigglesim.render.board_figure import draw_landing_map, landing_counts
from pigglesim.render.figure import DARK, drawn, shown, shown_cell
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.render.pose_sphere import down_directions, draw_pose_sphere
from pigglesim.render.study_charts import (
    convergence,
    draw_contrasts,
    draw_convergence,
    draw_factor_levels,
    draw_points,
    draw_share_bars,
    point_counts,
)
from pigglesim.scene.scene import Board
from pigglesim.studies.estimates import CellAnswers, StudyAnswers
from pigglesim.studies.number_format import DASH, cell_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.figure import Figure


MOST_CELLS = 12
"""Cells that have pictures of their own; the tables hold all."""

_LARGEST_SVG = 300_000
"""Bytes above which a page holds pixels instead of lines."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PagePicture:
    """One picture of a report."""

    section: str
    """The part of the report that it belongs to."""
    name: str
    """Of its files, without suffix: letters, digits and dashes."""
    title: str
    """What it shows, for who cannot see it."""
    figure: "Figure"
    chart: bool = True
    """Whether it may change its colours on a dark page; maps may not."""

    @cached_property
    def svg(self) -> bytes:
        """The picture as lines."""
        return drawn(self.figure, "svg")

    @cached_property
    def png(self) -> bytes:
        """The picture as pixels."""
        return drawn(self.figure, "png")

    @property
    def inline(self) -> str:
        """The picture as an element of a page; whatever names it holds are escaped."""
        width = round(96 * float(self.figure.get_size_inches()[0]))
        label = html.escape(self.title, quote=True)
        if len(self.svg) > _LARGEST_SVG:
            data = base64.b64encode(self.png).decode()
            return f'<img alt="{label}" width="{width}" src="data:image/png;base64,{data}">'
        # matplotlib escapes what it writes; a page needs marks that no other picture has.
        text = self.svg.decode()
        text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
        text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.S)
        text = re.sub(r'(\sid="|xlink:href="#|url\(#)', rf"\g<1>{self.name}-", text)
        opening, rest = text.split(">", 1)
        opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
        looks = "chart" if self.chart else "map"
        # The page says what these are, by day and by night; marks that are used again follow too.
        for colour in DARK if self.chart else ():
            rest = rest.replace(colour, f"var(--c{colour[1:]})")
        return (
            f'{opening} class="{looks}" role="img" aria-label="{label}" '
            f'style="max-width: {width}px">{rest}'
        )


def exact_shares(
    connection: "DuckDBPyConnection",
    answers: StudyAnswers,
    bodies: Mapping[str, Body],
    cell_bodies: Mapping[int, Body],
) -> dict[int, dict[str, float]]:
    """Return the shares without momentum of each cell whose dice are all of one known body.

    Args:
        connection: Holds the view `throws`.
        answers: What the study says.
        bodies: The dice, by model.
        cell_bodies: The die of a cell, where models are no name for one body.
    """
    rows = connection.execute(
        "SELECT cell, min(model) FROM throws WHERE NOT standing GROUP BY cell "
        "HAVING min(model) = max(model) ORDER BY cell"
    ).fetchall()
    cells = {cell.cell for cell in answers.cells}
    found = {cell: cell_bodies.get(cell, bodies.get(model)) for cell, model in rows}
    each = {id(body): body for body in found.values() if body}
    shares = {key: class_shares(body) for key, body in each.items()}
    return {cell: shares[id(body)] for cell, body in found.items() if cell in cells and body}


def report_pictures(
    connection: "DuckDBPyConnection",
    *,
    answers: StudyAnswers,
    bodies: Mapping[str, Body],
    exact: Mapping[int, Mapping[str, float]],
    board: Board | None,
) -> Iterator[PagePicture]:
    """Yield every picture of a study that has something to show.

    Args:
        connection: Holds the view `throws`.
        answers: What the study says.
        bodies: The dice, by model.
        exact: Shares of orientations without momentum, by cell, where they are known.
        board: What they were thrown onto; None for a floor.
    """
    few = [cell for cell in answers.cells if cell.throws][:MOST_CELLS]
    names = list(dict.fromkeys(name for cell in answers.cells for name in cell.orientations))
    yield PagePicture(
        section="shares",
        name="shares",
        title="Share of each orientation with its interval",
        figure=draw_share_bars(few, quasi_static=exact),
    )
    yield from _of_factors(answers)
    if board is not None and any(cell.zones is not None for cell in few):
        yield from _maps(connection, few, names, board)
    if any(cell.points_per_throw is not None for cell in few):
        counts = [
            (shown_cell(cell.factors), point_counts(connection, cell=cell.cell)) for cell in few
        ]
        yield PagePicture(
            section="points",
            name="points",
            title="How many throws score how much",
            figure=draw_points(counts, level=answers.level),
        )
    yield from _spheres(connection, bodies)
    curves = [
        (
            shown_cell(cell.factors),
            convergence(
                connection, orientations=cell.orientations, cell=cell.cell, level=answers.level
            ),
        )
        for cell in few
    ]
    yield PagePicture(
        section="convergence",
        name="convergence",
        title="Shares and their intervals against the number of throws",
        figure=draw_convergence(curves),
    )


def _of_factors(answers: StudyAnswers) -> Iterator[PagePicture]:
    factors = list(dict.fromkeys(name for cell in answers.cells for name in cell.factors))
    for name, factor in zip(_file_names(factors), factors, strict=True):
        yield PagePicture(
            section="factors",
            name=f"levels-{name}",
            title=f"Shares by {shown(factor)}",
            figure=draw_factor_levels(answers, factor),
        )
        if any(each.factor == factor for each in answers.contrasts):
            yield PagePicture(
                section="factors",
                name=f"contrasts-{name}",
                title=f"What {shown(factor)} changes",
                figure=draw_contrasts(answers, factor),
            )


def _maps(
    connection: "DuckDBPyConnection",
    cells: Sequence[CellAnswers],
    names: Sequence[str],
    board: Board,
) -> Iterator[PagePicture]:
    for cell in cells:
        counts = landing_counts(connection, board=board, orientations=names, cell=cell.cell)
        called = cell_name(cell.factors)
        title = f"Where dice come to lie: {called}" if called else "Where dice come to lie"
        yield PagePicture(
            section="places",
            name=f"landings-{cell.cell}",
            title=shown(title, longest=80),
            figure=draw_landing_map(counts, board=board, title=title),
            chart=False,
        )


def _spheres(connection: "DuckDBPyConnection", bodies: Mapping[str, Body]) -> Iterator[PagePicture]:
    models = connection.execute(
        "SELECT DISTINCT model FROM throws WHERE NOT standing AND model IS NOT NULL ORDER BY model"
    ).fetchall()
    known = [model for (model,) in models if model in bodies][:MOST_CELLS]
    for name, model in zip(_file_names(known), known, strict=True):
        title = f"What points down: {model}"
        yield PagePicture(
            section="directions",
            name=f"directions-{name}",
            title=shown(title, longest=80),
            figure=draw_pose_sphere(
                bodies[model], down_directions(connection, model=model), title=title
            ),
            chart=False,
        )


def _file_names(names: Sequence[str]) -> list[str]:
    """Return a name for the files of each: letters, digits and dashes, no two alike."""
    found: list[str] = []
    for number, name in enumerate(names, start=1):
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        found.append(plain if plain and plain not in found else f"{plain or 'other'}-{number}")
    return found


_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """A table of words."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    headings: int = 1
    """How many first entries of a row say what the row is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page."""

    name: str
    """By which the page links to it."""
    heading: str
    remark: str
    pictures: Sequence[PagePicture]
    tables: Sequence[PageTable]


def render_page(
    *, title: str, summary: str, sections: Sequence[Section], metadata: Mapping[str, Any]
) -> str:
    """Return a page: no script, nothing from elsewhere, every name escaped.

    Args:
        title: What heads it.
        summary: A line below.
        sections: Its parts.
        metadata: Everything that its numbers depend on, shown as it is.
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
    return environment.get_template("study_report.html").render(
        title=title,
        summary=summary,
        sections=sections,
        metadata=metadata,
        colours={"paper": PAPER, "ink": INK, "faint": FAINT, "rule": RULE},
        dark=DARK,
    )


def write_page(folder: Path, page: str, pictures: Sequence[PagePicture]) -> list[Path]:
    """Write `report.html` and `pictures/*.png` and `*.svg`; return them, the page first.

    Raises:
        SpecError: If the folder cannot be written.
    """
    files = [(folder / "report.html", page.encode("utf-8", "replace"))]
    for picture in pictures:
        place = folder / "pictures" / picture.name
        files.append((place.with_suffix(".png"), picture.png))
        files.append((place.with_suffix(".svg"), picture.svg))
    pictures_folder = folder / "pictures"
    if pictures_folder.is_symlink():
        raise _unwritable(f"{pictures_folder}, which leads elsewhere")
    try:
        pictures_folder.mkdir(exist_ok=True)
        for file, content in files:
            # A folder may come from anybody: what stands there under the name may be a link.
            with atomic_file(file) as part:
                part.write_bytes(content)
    except OSError as fault:
        raise _unwritable(f"{fault.filename or folder}: {fault.strerror}") from None
    return [file for file, _ in files]


def _unwritable(got: str) -> SpecError:
    return SpecError("a study's folder that can be written", got=got, remedy="check the path")


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
