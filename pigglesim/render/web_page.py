"""Films and what is seen in them as one string of bytes, small enough for a page.

The page's script reads it back: corners of meshes and poses of bodies as whole numbers of 16 bits
with a unit each; poses as differences of differences over time, which lets all that lies still
vanish when it is deflated.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import SpecError
from pigglesim.films.film import FilmActor, Frames
from pigglesim.landing import Landing, Seat, Zone
from pigglesim.render.figure import shown
from pigglesim.render.palette import (
    INK,
    OWNER_COLOURS,
    ZONE_NAMES,
    landing_points,
    pose_mark,
)
from pigglesim.render.stage import (
    Material,
    Solid,
    Stage,
    board_solid,
    body_solids,
    cup_solid,
    ring_solid,
    table_solid,
)
from pigglesim.render.svg import Lying, board_svg, lying_in
from pigglesim.rotations import Array, continuous
from pigglesim.scene.scene import Board
from pigglesim.version import __version__

_MOST = 32767
"""The largest whole number of 16 bits."""
_MATERIALS = 64
"""Materials that the page can tell apart in one solid."""
_TABLE = 0.55
"""Radius of the table [m]; it fades towards its rim."""
_RING = 0.0165
"""Radius of the ring under a body that lies still [m]."""


class Packing:
    """Takes stages of one table and packs them; what they share is kept once.

    Args:
        stage: The first of them, for the board and the cup.
    """

    def __init__(self, stage: Stage) -> None:
        self._bytes = bytearray()
        self._offsets: dict[bytes, int] = {}
        self._meshes: list[dict[str, Any]] = []
        self._mesh_of: dict[tuple[int, int], int] = {}
        self._palettes: list[list[list[float]]] = []
        self._chapters: list[dict[str, Any]] = []
        self._table = _table(self, stage)

    def add(self, stage: Stage) -> None:
        """Take one more film."""
        film, frames, readings = stage.film, stage.film.frames, stage.readings
        actors = [
            {
                **_told(actor, readings.get(actor.name), stage.board),
                "rest": rest - film.start,
                "solids": [self.solid(solid) for solid in body_solids(body)],
                "ring": self._ring(actor),
            }
            for actor, body, rest in zip(
                film.actors, stage.bodies, frames.rest_times().tolist(), strict=True
            )
        ]
        beats = sorted({impact.time - film.start for impact in film.impacts})
        self._chapters.append({"film": self._film(frames), "actors": actors, "beats": beats})

    def told(self) -> dict[str, Any]:
        """Return what the page must know to find its way through the bytes."""
        return {
            **self._table,
            "meshes": self._meshes,
            "palettes": self._palettes,
            "chapters": self._chapters,
        }

    def packed(self) -> str:
        """Return the bytes, deflated, in base64."""
        return base64.b64encode(zlib.compress(bytes(self._bytes), 9)).decode()

    def solid(self, solid: Solid) -> dict[str, int]:
        """Return which mesh and which palette show a solid."""
        unit = max(float(np.abs(solid.vertices).max()), 1e-6) / _MOST
        materials = np.minimum(solid.vertex_materials, _MATERIALS - 1)
        corners = np.column_stack([np.round(solid.vertices / unit), materials]).astype("<i2")
        normals = np.column_stack([np.round(127.0 * solid.normals), np.zeros(len(corners))])
        wide = len(corners) > 0xFFFF
        indices = solid.faces.reshape(-1).astype("<u4" if wide else "<u2")
        place = (self._put(corners), self._put(indices))
        if place not in self._mesh_of:
            self._meshes.append(
                {
                    "corners": place[0],
                    "normals": self._put(normals.astype("<i1")),
                    "indices": place[1],
                    "vertices": len(corners),
                    "count": len(indices),
                    "unit": unit,
                    "wide": wide,
                }
            )
            self._mesh_of[place] = len(self._meshes) - 1
        return {"mesh": self._mesh_of[place], "palette": self._palette(solid.materials)}

    def _ring(self, actor: FilmActor) -> int | None:
        if actor.owner is None:
            return None
        owner = Material.of("owner", OWNER_COLOURS[actor.owner], roughness=0.9)
        return self._palette((owner,))

    def _palette(self, materials: Sequence[Material]) -> int:
        """Return the number of a list of colours, each with its roughness."""
        colours = [
            [round(part, 4) for part in (*each.colour, each.roughness)]
            for each in materials[:_MATERIALS]
        ]
        if colours not in self._palettes:
            self._palettes.append(colours)
        return self._palettes.index(colours)

    def _film(self, frames: Frames) -> dict[str, Any]:
        there, (cup_positions, cup_rotations) = frames.has_cup, frames.cup_poses()
        positions = np.concatenate([frames.positions, cup_positions[:, None]], axis=1)
        rotations = np.concatenate([frames.rotations, cup_rotations[:, None]], axis=1)
        unit = max(float(np.abs(positions).max()), 1e-6) / _MOST
        return {
            "times": {
                "offset": self._put((frames.times - frames.times[0]).astype("<f4")),
                "rows": frames.count,
            },
            "unit": unit,
            "positions": self._series(positions / unit),
            "rotations": self._series(_MOST * continuous(rotations)),
            "cup_frames": frames.count if there.all() else int(np.argmin(there)),
        }

    def _series(self, values: Array) -> dict[str, int]:
        """Put numbers over time, shape [time_count, ...], as differences of differences."""
        rows = np.round(values).astype(np.int64).reshape(len(values), -1)
        for _ in range(2):
            rows = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), dtype=np.int64))
        words = rows.astype("<i2").view("<u2").reshape(-1)
        planes = np.concatenate([words & 0xFF, words >> 8]).astype("<u1")
        return {"offset": self._put(planes), "rows": len(rows), "columns": rows.shape[1]}

    def _put(self, array: NDArray[Any]) -> int:
        """Return where some numbers begin; the same are kept once."""
        data = array.tobytes()
        if data not in self._offsets:
            self._offsets[data] = len(self._bytes)
            # Each begins at a multiple of four, as floats must.
            self._bytes += data + b"\0" * (-len(data) % 4)
        return self._offsets[data]


def _table(packing: Packing, stage: Stage) -> dict[str, Any]:
    """Return what all chapters share."""
    cup = cup_solid(stage.cup)
    return {
        "board": stage.board.size,
        "ground": packing.solid(board_solid(stage.board)),
        "table": {**packing.solid(table_solid(stage.board, _TABLE)), "reach": _TABLE},
        "cup": {
            **packing.solid(cup),
            "opacity": cup.materials[0].opacity,
            "radius": stage.cup.outer_radius,
            "half": stage.cup.depth / 2.0 + stage.cup.wall,
        },
        "ring": {**packing.solid(ring_solid()), "radius": _RING},
    }


def _told(actor: FilmActor, landing: Landing | None, board: Board) -> dict[str, Any]:
    """Return what a label says of an actor."""
    name = shown(actor.name)
    colour = OWNER_COLOURS[actor.owner] if actor.owner else INK
    off = landing is not None and landing.zone is Zone.OFF
    told = {"name": name, "colour": colour, "floor": -board.thickness if off else 0.0}
    if landing is None:
        return told | {"mark": "", "points": 0, "told": ""}
    points = landing_points(landing)
    mark = pose_mark(landing)
    pose = shown(landing.label or "")
    words = [word for word in (pose, ZONE_NAMES[landing.zone]) if word]
    return told | {"mark": mark, "points": points, "told": ", ".join(words)}


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
    dice = [each for each in lying if each.landing is None]
    return {
        "title": _plain(chapter.title),
        "story": [_plain(line) for line in chapter.story],
        "drawing": board_svg(chapter.stage.board, lying, reading=chapter.stage.reading),
        "readings": _plain_grid(_faces(dice) if dice else _readings(chapter.stage)),
    }


def _faces(dice: Sequence[Lying]) -> Grid:
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
