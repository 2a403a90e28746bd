"""The pictures of a study's report: which there are, and how they are put into a page."""

import base64
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pigglesim.pictures.convergence_curve import convergence, draw_convergence
from pigglesim.pictures.factor_plot import draw_contrasts, draw_factor_levels
from pigglesim.pictures.landing_map import draw_landing_map, landing_counts
from pigglesim.pictures.points_chart import draw_points, point_counts
from pigglesim.pictures.pose_sphere import class_shares, down_directions, draw_pose_sphere
from pigglesim.pictures.share_bars import draw_share_bars
from pigglesim.pictures.style import DARK, drawn, shown, shown_cell
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.studies.answers import CellAnswers, StudyAnswers
from pigglesim.studies.numerals import cell_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.figure import Figure

__all__ = ["MOST_CELLS", "Picture", "exact_shares", "report_pictures"]

MOST_CELLS = 12
"""Cells that have pictures of their own; the tables hold all."""

_LARGEST_SVG = 300_000
"""Bytes above which a page holds pixels instead of lines."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
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
) -> Iterator[Picture]:
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
    yield Picture(
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
        yield Picture(
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
    yield Picture(
        section="convergence",
        name="convergence",
        title="Shares and their intervals against the number of throws",
        figure=draw_convergence(curves),
    )


def _of_factors(answers: StudyAnswers) -> Iterator[Picture]:
    factors = list(dict.fromkeys(name for cell in answers.cells for name in cell.factors))
    for name, factor in zip(_file_names(factors), factors, strict=True):
        yield Picture(
            section="factors",
            name=f"levels-{name}",
            title=f"Shares by {shown(factor)}",
            figure=draw_factor_levels(answers, factor),
        )
        if any(each.factor == factor for each in answers.contrasts):
            yield Picture(
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
) -> Iterator[Picture]:
    for cell in cells:
        counts = landing_counts(connection, board=board, orientations=names, cell=cell.cell)
        called = cell_name(cell.factors)
        title = f"Where dice come to lie: {called}" if called else "Where dice come to lie"
        yield Picture(
            section="places",
            name=f"landings-{cell.cell}",
            title=shown(title, longest=80),
            figure=draw_landing_map(counts, board=board, title=title),
            chart=False,
        )


def _spheres(connection: "DuckDBPyConnection", bodies: Mapping[str, Body]) -> Iterator[Picture]:
    models = connection.execute(
        "SELECT DISTINCT model FROM throws WHERE NOT standing AND model IS NOT NULL ORDER BY model"
    ).fetchall()
    known = [model for (model,) in models if model in bodies][:MOST_CELLS]
    for name, model in zip(_file_names(known), known, strict=True):
        title = f"What points down: {model}"
        yield Picture(
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
