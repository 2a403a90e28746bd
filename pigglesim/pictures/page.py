"""A report as one page that holds everything, and its pictures as files beside it."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pigglesim.errors import SpecError
from pigglesim.files.whole import whole_file
from pigglesim.pictures.report_pictures import Picture
from pigglesim.pictures.style import DARK, FAINT, INK, PAPER, RULE
from pigglesim.studies.numerals import DASH

__all__ = ["Section", "Table", "render_page", "write_page"]

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
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
    pictures: Sequence[Picture]
    tables: Sequence[Table]


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


def write_page(folder: Path, page: str, pictures: Sequence[Picture]) -> list[Path]:
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
            with whole_file(file) as part:
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
