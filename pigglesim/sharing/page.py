"""Rolls as one page that plays them: a file that opens from disk and asks for nothing else.

Everything is in it: the script, the meshes, the films. Where there are no scripts, or no WebGL 2,
it shows the same rolls as drawings and tables. Every name is escaped, and a policy in the page
lets no script run but its own.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from typing import Any

from pigglesim.errors import SpecError
from pigglesim.pictures.marks import ZONE_NAMES, landing_points, pose_mark
from pigglesim.pictures.style import shown
from pigglesim.rolls import Seat
from pigglesim.sharing.packing import Packing
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg import board_svg, lying_in
from pigglesim.sharing.svg_list import LyingDie
from pigglesim.version import __version__

__all__ = ["Chapter", "Grid", "GridRow", "film_page"]

_WEB = Path(__file__).parent / "web"
_SCRIPTS = (
    "vectors", "film", "clock", "camera", "shaders", "renderer", "labels", "player", "hands",
    "page",
)  # fmt: skip
"""In the order in which each needs those before it."""
_SPEEDS = (
    (0.0625, "1/16"),
    (0.125, "1/8"),
    (0.25, "1/4"),
    (0.5, "1/2"),
    (1, "1"),
    (2, "2"),
    (4, "4"),
    (8, "8"),
)
_LONGEST, _WHOLE = 400, 20_000
"""Letters of a sentence, and of a fact, which is told to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A row of a table; its first word heads it."""

    words: Sequence[str]
    owner: Seat | None = None
    """Whose colour the first word has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of words."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[GridRow]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """One roll of a page."""

    stage: Stage
    title: str
    story: Sequence[str] = ()
    """What led to it and what came of it, a sentence each."""


def film_page(
    chapters: Sequence[Chapter],
    *,
    title: str,
    subtitle: str = "",
    scoreboard: Grid | None = None,
    facts: Mapping[str, object],
) -> str:
    """Return a page of one roll or of many.

    Args:
        chapters: The rolls, all at one table.
        title: What heads the page.
        subtitle: A line below.
        scoreboard: The points of a match.
        facts: What rolls the same again, by name: seed, command, versions.

    Raises:
        SpecError: If there is no roll to show.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 (slow)

    if not chapters:
        raise SpecError("rolls to show", got="none", remedy="a record of a match with rolls")
    packing = Packing(chapters[0].stage)
    for chapter in chapters:
        packing.add(chapter.stage)
    script = _script()
    environment = Environment(
        loader=FileSystemLoader(_WEB),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        title=_plain(title),
        subtitle=_plain(subtitle),
        generator=f"pigglesim {__version__}",
        style=(_WEB / "page.css").read_text(),
        script=script,
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        speeds=_SPEEDS,
        chapters=[_shown_chapter(chapter) for chapter in chapters],
        scoreboard=_plain_grid(scoreboard) if scoreboard else None,
        facts=[
            (_plain(name), shown(_spelt(value), longest=_WHOLE)) for name, value in facts.items()
        ],
        told=_json(packing.told()),
        packed=packing.packed(),
    )


def _script() -> str:
    """Return all scripts as one, which shares nothing with the page but what it says."""
    parts = [(_WEB / f"{name}.js").read_text() for name in _SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def _shown_chapter(chapter: Chapter) -> dict[str, Any]:
    lying = lying_in(chapter.stage)
    dice = [each for each in lying if isinstance(each, LyingDie)]
    return {
        "title": _plain(chapter.title),
        "story": [_plain(line) for line in chapter.story],
        "drawing": board_svg(chapter.stage.board, lying, reading=chapter.stage.reading),
        "readings": _plain_grid(_faces(dice) if dice else _readings(chapter.stage)),
    }


def _faces(dice: Sequence[LyingDie]) -> Grid:
    """Return the number of each die."""
    rows = [GridRow(words=[die.name, str(die.face)], owner=die.owner) for die in dice]
    return Grid(caption="How each came to lie", columns=["die", "shows"], rows=rows)


def _readings(stage: Stage) -> Grid:
    """Return how each body came to lie."""
    knocks = {knock.struck: knock for knock in stage.film.knocks}
    rows = []
    worn_at_all = any(actor.color for actor in stage.film.actors)
    for actor in stage.film.actors:
        landing = stage.readings.get(actor.name)
        if landing is None:
            continue
        points = landing_points(landing)
        notes = ["stood before"] if actor.standing else []
        notes += ["leans"] if landing.leaning else ["stacked"] if landing.stacked else []
        if actor.name in knocks:
            knock = knocks[actor.name]
            far = f"{1e3 * knock.distance:.0f} mm, {degrees(knock.angle):.0f}\u00b0"
            notes.append(f"knocked by {knock.by}: {far}")
        worn = " ".join(word for word in (actor.color, actor.rune) if word)
        words = [
            actor.name,
            *([worn] if worn_at_all else []),
            f"{pose_mark(landing)} {landing.label or ''}".strip(),
            ZONE_NAMES[landing.zone],
            str(points or ""),
            ", ".join(notes),
        ]
        rows.append(GridRow(words=words, owner=actor.owner))
    wears = ["wears"] if worn_at_all else []
    return Grid(
        caption="How each came to lie",
        columns=["Piggle", *wears, "pose", "zone", "points", ""],
        rows=rows,
    )


def _plain_grid(grid: Grid) -> dict[str, Any]:
    return {
        "caption": _plain(grid.caption),
        "columns": [_plain(word) for word in grid.columns],
        "rows": [
            {"owner": row.owner.value if row.owner else "", "words": [_plain(w) for w in row.words]}
            for row in grid.rows
        ],
    }


def _spelt(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_spelt(inner)}" for name, inner in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    return shown(text, longest=_LONGEST)


def _json(value: object) -> str:
    """Return JSON that may stand in a page: nothing in it ends the element it stands in."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
