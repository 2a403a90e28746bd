"""HTML pages from templates, with pictures and tables; every name is escaped."""

import base64
import html
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.durable_io import write_target
from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.render.figure import DARK, corner_note, display_name, figure_bytes
from pigglesim.render.palette import FAINT, INK, PAPER, RULE
from pigglesim.units import DASH

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

_LARGEST_SVG = 300_000
"""Largest SVG in a page [bytes]; a larger picture is embedded as PNG."""


@dataclass(frozen=True, eq=False)
class PagePicture:
    """Picture of a report."""

    section: str
    """Section of the report that contains it."""
    name: str
    """Name of its files, without suffix: letters, digits and dashes."""
    title: str
    """Text alternative of the picture."""
    figure: "Figure"
    chart: bool = True
    """True if its colours may change on a dark page; False for maps."""

    @cached_property
    def svg(self) -> bytes:
        """Picture as SVG."""
        return figure_bytes(self.figure, "svg")

    @cached_property
    def png(self) -> bytes:
        """Picture as PNG."""
        return figure_bytes(self.figure, "png")

    @property
    def inline(self) -> str:
        """Picture as an element of a page, with escaped names."""
        width = round(96 * float(self.figure.get_size_inches()[0]))
        label = html.escape(self.title, quote=True)
        if len(self.svg) > _LARGEST_SVG:
            data = base64.b64encode(self.png).decode()
            return f'<img alt="{label}" width="{width}" src="data:image/png;base64,{data}">'
        # matplotlib escapes its texts; a page needs ids that no other picture has.
        text = self.svg.decode()
        text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
        text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.S)
        text = re.sub(r'(\sid="|xlink:href="#|url\(#)', rf"\g<1>{self.name}-", text)
        opening, rest = text.split(">", 1)
        opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
        css_class = "chart" if self.chart else "map"
        # The page defines these colours, light and dark; reused markers follow too.
        for colour in DARK if self.chart else ():
            rest = rest.replace(colour, f"var(--c{colour[1:]})")
        return (
            f'{opening} class="{css_class}" role="img" aria-label="{label}" '
            f'style="max-width: {width}px">{rest}'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """Table of text cells."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    headings: int = 1
    """Number of leading heading cells in a row."""
    owners: Sequence[Seat | None] = ()
    """Owner whose colour the headings of each row have; empty for no colours."""


def table_of(caption: str, rows: Iterable[Mapping[str, str]], *, headings: int = 1) -> TextTable:
    """Return a table from rows that map column names to text."""
    cells = list(rows)
    columns = list(cells[0]) if cells else []
    texts = [[row[column] for column in columns] for row in cells]
    return TextTable(caption=caption, columns=columns, rows=texts, headings=headings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Section of a page."""

    name: str
    """Name for links within the page."""
    heading: str
    remark: str = ""
    """Text before the pictures and tables."""
    method: str = ""
    """How they are computed; folded at the end of the section."""
    pictures: Sequence[PagePicture]
    tables: Sequence[TextTable]
    drawing: str = ""
    """Drawing of a board as SVG, with escaped names; empty for none."""


def sections_of(
    parts: Sequence[tuple[str, str, str, Sequence[TextTable | None]]],
    pictures: Sequence[PagePicture],
) -> list[Section]:
    """Return the non-empty sections; parts are name, heading, method and tables."""
    sections = []
    for name, heading, method, tables in parts:
        own = [picture for picture in pictures if picture.section == name]
        filled = [table for table in tables if table is not None and table.rows]
        if own or filled:
            sections.append(
                Section(name=name, heading=heading, method=method, pictures=own, tables=filled)
            )
    return sections


WEB = Path(__file__).parent / "web"
"""Scripts and styles of pages that play films."""
_LONGEST = 400
"""Maximum characters of a sentence."""


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 (slow)

    environment = Environment(
        loader=FileSystemLoader([Path(__file__).parent / "templates", WEB]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["group"] = lambda value: isinstance(value, Mapping)
    environment.tests["several"] = lambda value: isinstance(value, list | tuple)
    environment.tests["plain"] = lambda value: not isinstance(value, Mapping | list | tuple)
    environment.filters["printable"] = _printable
    environment.filters["name"] = partial(display_name, longest=_LONGEST)
    return environment


def rendered(template: str, **values: object) -> str:
    """Return a self-contained page, with every name escaped."""
    return _environment().get_template(template).render(**values)


def table_html(table: TextTable) -> str:
    """Return a table as an element of a page."""
    return str(_environment().get_template("table.html").module.grid(table))  # type: ignore[attr-defined]


def write_report_page(
    folder: Path,
    *,
    title: str,
    summary: str,
    sections: Sequence[Section],
    metadata: Mapping[str, Any],
    unfinished: str = "",
) -> list[Path]:
    """Write `report.html` and `pictures/*.png` and `*.svg`; return them, the page first.

    `unfinished`, the progress of what is not finished, is shown in the title and on each picture.

    Raises:
        SpecError: If the folder cannot be written.
    """
    if unfinished:
        title = f"{title} ({unfinished})"
        for picture in (picture for section in sections for picture in section.pictures):
            corner_note(picture.figure, unfinished)
    page = report_html(title=title, summary=summary, sections=sections, metadata=metadata)
    files: dict[Path, str | bytes] = {folder / "report.html": page}
    for picture in (picture for section in sections for picture in section.pictures):
        place = folder / "pictures" / picture.name
        files[place.with_suffix(".png")] = picture.png
        files[place.with_suffix(".svg")] = picture.svg
    pictures = folder / "pictures"
    # A folder may come from a stranger, and `pictures` in it may be a link.
    if pictures.is_symlink():
        raise SpecError(f"{pictures} is a link", fix="remove it or use another folder")
    try:
        pictures.mkdir(exist_ok=True)
    except OSError as fault:
        raise SpecError(
            f"cannot write {pictures}: {fault.strerror}", fix="use another folder"
        ) from None
    for file, content in files.items():
        write_target(file, content)
    return list(files)


def report_html(
    *, title: str, summary: str, sections: Sequence[Section], metadata: Mapping[str, Any]
) -> str:
    """Return the page of a report, which has no script; see `write_report_page`."""
    return rendered(
        "study_report.html",
        title=title,
        summary=summary,
        sections=sections,
        metadata=metadata,
        colours={"paper": PAPER, "ink": INK, "faint": FAINT, "rule": RULE},
        dark=DARK,
    )


def _printable(value: object) -> str:
    """Return a value as text, without characters that a page may not contain."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"} else "\ufffd"
        for c in str(value)
    )
