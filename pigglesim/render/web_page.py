"""Pages that play films in 3D, with compressed meshes and trajectories, and their stories."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.mesh_files import srgb
from pigglesim.errors import SpecError
from pigglesim.films.codec import to_planes
from pigglesim.films.film import Frames
from pigglesim.landing import Seat
from pigglesim.render.board_print import board_inks
from pigglesim.render.camera import NEARING, framed_size
from pigglesim.render.figure import display_name
from pigglesim.render.meshes import coarse_faces, in_strips
from pigglesim.render.page import WEB, TextTable, rendered
from pigglesim.render.palette import (
    INK,
    OWNER_COLOURS,
    SUN,
    ZONE_NAMES,
    label_fields,
    landing_points,
    pose_mark,
    support_word,
)
from pigglesim.render.places import BESIDE
from pigglesim.render.stage import (
    WOOD_SIDE,
    Material,
    Solid,
    Stage,
    body_solids,
    cup_fittings,
    cup_solid,
    printed_solid,
    table_solid,
)
from pigglesim.render.svg import BoardBody, board_svg, film_bodies
from pigglesim.rotations import continuous
from pigglesim.scene.scene import Board, Cup
from pigglesim.version import __version__

_MOST = 32767
"""The largest whole number of 16 bits."""
_MATERIALS = 64
"""Maximum number of materials of one solid in the page."""
_TABLE = 1.7
"""Radius of the table [m]; it fades towards its rim."""


class PackedArrays:
    """Arrays in one run of bytes; equal ones are stored once."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._offsets: dict[bytes, int] = {}

    def put(self, array: NDArray[Any]) -> int:
        """Store an array and return its offset."""
        data = array.tobytes()
        if data not in self._offsets:
            self._offsets[data] = len(self._bytes)
            # Each begins at a multiple of four, as floats must.
            self._bytes += data + b"\0" * (-len(data) % 4)
        return self._offsets[data]

    def series(self, values: NDArray[Any], *, sums: int = 0) -> dict[str, int]:
        """Store a series of rows as integers that compress well.

        Their second differences are small. Other numbers are stored as sums, or as sums of sums:
        the page reads differences of rows for one of `sums`, and of differences for two.
        """
        rows = np.round(values).astype(np.int64).reshape(len(values), -1)
        for _ in range(sums):
            rows = np.cumsum(rows, axis=0)
        planes = np.frombuffer(to_planes(rows, width=4), dtype=np.uint8)
        return {"offset": self.put(planes), "rows": len(rows), "columns": rows.shape[1]}

    def packed(self, *, level: int = 9) -> str:
        """Return the bytes, compressed by deflate, in base64."""
        return base64.b64encode(zlib.compress(bytes(self._bytes), level)).decode()


def pack_memory(image: bytes, arrays: PackedArrays) -> dict[str, dict[str, int]]:
    """Store the memory of a kit in arrays, and return where."""
    data = np.frombuffer(image, np.uint8)
    words = np.pad(data, (0, -len(data) % 8)).view("<u8")
    # Numbers of one model recur in others, farther apart than the compression looks back.
    known, numbers = np.unique(words, return_inverse=True)
    steps = np.diff(known, prepend=known[:1] * 0)
    return {
        name: {"offset": arrays.put(planes.T.copy()), "rows": len(planes)}
        for name, planes in (
            ("words", steps.view(np.uint8).reshape(-1, 8)),
            ("numbers", numbers.astype("<u4").view(np.uint8).reshape(-1, 4)),
        )
    }


class Packing:
    """Packer of stages of one table; meshes and colours that they share are stored once."""

    def __init__(self, board: Board, cup: Cup) -> None:
        self.arrays = PackedArrays()
        """Meshes, and the films of chapters that are packed with them."""
        self._meshes: list[dict[str, Any]] = []
        self._mesh_of: dict[tuple[int, int, float], int] = {}
        self._palettes: list[list[list[float]]] = []
        self._solids: dict[Solid, dict[str, Any]] = {}
        self._table = _table(self, board, cup)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of meshes and of palettes so far."""
        return len(self._meshes), len(self._palettes)

    def chapter(self, stage: Stage, arrays: PackedArrays) -> dict[str, Any]:
        """Return the index of a stage, with its film stored in `arrays`."""
        film, frames, readings = stage.film, stage.film.frames, stage.readings
        # Read from the dice at rest: the facts in a film from elsewhere can be anything.
        faces = {body.name: str(body.face) for body in film_bodies(stage) if body.face}
        actors = [
            {
                "name": display_name(actor.name),
                **({"face": faces[actor.name]} if actor.name in faces else {}),
                "colour": OWNER_COLOURS[actor.owner] if actor.owner else INK,
                **label_fields(readings.get(actor.name), stage.board),
                "rest": rest - film.start,
                "solids": [self.solid(solid) for solid in body_solids(body)],
                "ring": srgb(OWNER_COLOURS[actor.owner]).round(4).tolist() if actor.owner else None,
                "gaps": actor.owner is Seat.B,
            }
            for actor, body, rest in zip(
                film.actors, stage.bodies, frames.rest_times().tolist(), strict=True
            )
        ]
        beats = sorted({impact.time - film.start for impact in film.impacts})
        return {"film": _packed_film(frames, arrays), "actors": actors, "beats": beats}

    def add_throw(self, again: "ThrowAgain") -> dict[str, Any]:
        """Add what throws again, and return its part of the index."""
        module, memory = (
            np.frombuffer(again.module, np.uint8),
            pack_memory(again.image, self.arrays),
        )
        span = {"offset": self.arrays.put(module), "size": len(module)}
        return {**again.index, "module": span, "memory": memory}

    def index(self, chapters: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Return the index of the packed bytes for the page."""
        return {
            **self._table,
            "meshes": self._meshes,
            "palettes": self._palettes,
            "chapters": list(chapters),
        }

    def solid(self, solid: Solid) -> dict[str, Any]:
        """Return the numbers of the mesh and the palette of a solid, and where its middle is."""
        if solid not in self._solids:
            self._solids[solid] = self._packed_solid(solid)
        return self._solids[solid]

    def _packed_solid(self, solid: Solid) -> dict[str, Any]:
        # About its middle, and rounded: the same for models that differ in their balance alone.
        low = solid.vertices.min(axis=0)
        points = np.round(solid.vertices - low, 9)
        middle = points.max(axis=0) / 2.0
        unit = max(float(middle.max()), 1e-6) / _MOST
        materials = np.minimum(solid.vertex_materials, _MATERIALS - 1)
        faces, order = in_strips(solid.faces)
        corners = np.column_stack([np.round((points - middle) / unit), materials])[order]
        # A corner comes first as the next number: what is stored is how far back each one is.
        flat = faces.ravel()
        back = np.maximum.accumulate(np.concatenate([[-1], flat[:-1]])) + 1 - flat
        place = self.arrays.series(corners, sums=1), self.arrays.series(back, sums=2)
        # Discs of two sizes have the same numbers, in other units.
        key = place[0]["offset"], place[1]["offset"], unit
        if key not in self._mesh_of:
            coarse = np.argsort(order)[coarse_faces(solid)].ravel()
            self._meshes.append(
                {
                    "corners": place[0],
                    "normals": self.arrays.series(127.0 * solid.normals[order], sums=1),
                    "indices": place[1],
                    "coarse": self.arrays.series(coarse, sums=1) if coarse.size else None,
                    "unit": unit,
                }
            )
            self._mesh_of[key] = len(self._meshes) - 1
        return {
            "mesh": self._mesh_of[key],
            "palette": self._palette(solid.materials),
            "middle": [round(value, 9) for value in (low + middle).tolist()],
        }

    def _palette(self, materials: Sequence[Material]) -> int:
        """Return the number of a list of colours, each with its roughness."""
        colours = [
            [round(part, 4) for part in material.paint] for material in materials[:_MATERIALS]
        ]
        if colours not in self._palettes:
            self._palettes.append(colours)
        return self._palettes.index(colours)


def _packed_film(frames: Frames, arrays: PackedArrays) -> dict[str, Any]:
    has_cup, (cup_positions, cup_rotations) = frames.has_cup, frames.cup_poses()
    positions = np.concatenate([frames.positions, cup_positions[:, None]], axis=1)
    rotations = np.concatenate([frames.rotations, cup_rotations[:, None]], axis=1)
    unit = max(float(np.abs(positions).max()), 1e-6) / _MOST
    return {
        "times": {
            "offset": arrays.put((frames.times - frames.times[0]).astype("<f4")),
            "rows": frames.count,
        },
        "unit": unit,
        "positions": arrays.series(positions / unit),
        "rotations": arrays.series(_MOST * continuous(rotations)),
        "cup_frames": frames.count if has_cup.all() else int(np.argmin(has_cup)),
    }


def _table(packing: Packing, board: Board, cup: Cup) -> dict[str, Any]:
    glass = cup_solid(cup)
    return {
        "board": board.size,
        "framed": framed_size(board),
        "nearing": NEARING,
        "pen": board.half + BESIDE,
        "sun": SUN,
        "print": [[ink.colour, round(ink.width, 2), ink.path] for ink in board_inks(board)],
        "ground": packing.solid(printed_solid(board)),
        "table": {**packing.solid(table_solid(board, _TABLE)), "reach": _TABLE, "wood": WOOD_SIDE},
        "cup": {
            **packing.solid(glass),
            "fittings": [packing.solid(part) for part in cup_fittings(cup)],
            "opacity": glass.materials[0].opacity,
            "radius": cup.outer_radius,
            "half": cup.depth / 2.0 + cup.wall,
        },
        "thickness": board.thickness,
    }


_SCRIPTS = (
    "vectors", "film", "clock", "camera", "shaders", "renderer", "labels", "player", "controls",
    "hand_throw", "thrower", "ghost", "hand", "page",
)  # fmt: skip
"""Modules in order of their dependencies."""
_LEFT_OUT = re.compile(r"^(import .*;\n|export | *//.*\n| */\*\*(.|\n)*?\*/\n| +)", re.MULTILINE)
"""What makes a script a module, and what a browser does not need: comments and indentation."""
_SPEEDS = [(2**power, f"{2**power}" if power >= 0 else f"1/{2**-power}") for power in range(-4, 4)]
_WHOLE = 20_000
"""Maximum characters of a fact, which is shown in full."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """Roll of a page."""

    stage: Stage
    title: str
    story: Sequence[str] = ()
    """Sentences on the events before and after the roll."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThrowAgain:
    """A cup that the page of one roll can throw, with engine `impulse`."""

    recorded_by: str
    """Engine of the recorded roll."""
    module: bytes
    """The engine in WebAssembly."""
    image: bytes
    """Its memory before a throw, without the zeros at the end."""
    index: dict[str, Any]
    """Numbers that `thrower.js` reads."""


def film_page(
    chapters: Sequence[Chapter],
    *,
    title: str,
    subtitle: str = "",
    scoreboard: TextTable | None = None,
    facts: Mapping[str, object],
    again: ThrowAgain | None = None,
) -> str:
    """Return a page of one roll or of many on one table.

    The facts reproduce the rolls, by name: seed, command, versions.

    Raises:
        SpecError: If there is no roll to show.
    """
    if not chapters:
        raise SpecError("the match has no rolls to show", fix="use a longer record")
    first = chapters[0].stage
    packing = Packing(first.board, first.cup)
    packed_chapters = [packing.chapter(chapter.stage, packing.arrays) for chapter in chapters]
    script = _script()
    contents = packing.index(packed_chapters)
    if again is not None:
        contents["again"] = packing.add_throw(again)
    index = json.dumps(contents, allow_nan=False, separators=(",", ":"))
    return rendered(
        "page.html",
        title=title,
        subtitle=subtitle,
        generator=f"pigglesim {__version__}",
        style=(WEB / "page.css").read_text(),
        script=script,
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        speeds=_SPEEDS,
        again=again,
        chapters=[_shown_chapter(chapter, again=k > 0) for k, chapter in enumerate(chapters)],
        scoreboard=scoreboard,
        facts=[
            (name, display_name(_spelt(value), longest=_WHOLE)) for name, value in facts.items()
        ],
        # It cannot close the element that it stands in.
        index=index.replace("<", "\\u003c"),
        packed=packing.arrays.packed(),
    )


def _script() -> str:
    """Return all modules as one script in a scope of its own, as a page on disk cannot import."""
    parts = [_LEFT_OUT.sub("", (WEB / f"{name}.js").read_text()) for name in _SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def _shown_chapter(chapter: Chapter, *, again: bool) -> dict[str, Any]:
    bodies = film_bodies(chapter.stage)
    dice = [body for body in bodies if body.landing is None]
    return {
        "title": chapter.title,
        "story": chapter.story,
        "drawing": board_svg(
            chapter.stage.board, bodies, reading=chapter.stage.reading, again=again
        ),
        "readings": _faces(dice) if dice else _readings(chapter.stage),
    }


_CAPTION = "How each came to lie"


def _faces(dice: Sequence[BoardBody]) -> TextTable:
    return TextTable(
        caption=_CAPTION,
        columns=["die", "shows"],
        rows=[[die.name, str(die.face)] for die in dice],
        owners=[die.owner for die in dice],
    )


def _readings(stage: Stage) -> TextTable:
    """Return the landing of each body."""
    knocks = {knock.struck: knock for knock in stage.film.knocks}
    rows, owners = [], []
    any_livery = any(actor.color for actor in stage.film.actors)
    for actor in stage.film.actors:
        landing = stage.readings.get(actor.name)
        if landing is None:
            continue
        notes = ["stood before"] if actor.standing else []
        notes += filter(None, [support_word(landing)])
        if actor.name in knocks:
            knock = knocks[actor.name]
            far = f"{1e3 * knock.distance:.0f} mm, {degrees(knock.angle):.0f}\u00b0"
            notes.append(f"knocked by {knock.by}: {far}")
        worn = " ".join(word for word in (actor.color, actor.rune) if word)
        pose = f"{pose_mark(landing)} {landing.label or ''}".strip()
        points = str(landing_points(landing) or "")
        cells = [pose, ZONE_NAMES[landing.zone], points, ", ".join(notes)]
        rows.append([actor.name, *([worn] if any_livery else []), *cells])
        owners.append(actor.owner)
    livery_column = ["wears"] if any_livery else []
    columns = ["Piggle", *livery_column, "pose", "zone", "points", ""]
    return TextTable(caption=_CAPTION, columns=columns, rows=rows, owners=owners)


def _spelt(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_spelt(inner)}" for name, inner in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
