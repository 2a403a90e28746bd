"""Drawings of the board from above, as SVG."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from textwrap import wrap
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import NUMBER_PARTS, is_numbered, worn_skin
from pigglesim.bodies.load import load_models
from pigglesim.bodies.mesh_files import hex_colour
from pigglesim.data_files import scene_names
from pigglesim.errors import SpecError
from pigglesim.games.piggles.game import Piggles, is_piggles
from pigglesim.games.piggles.state import PigglesState, owner
from pigglesim.landing import (
    ZONE_POINTS,
    ClassLanding,
    Landing,
    Orientation,
    ReadingRules,
    RestPlace,
    Seat,
    Zone,
)
from pigglesim.landing_reading import face_up, ground_contact, zone_points
from pigglesim.markings import split_livery
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.replay import game_of
from pigglesim.render.board import place_of
from pigglesim.render.board_print import board_inks
from pigglesim.render.figure import display_name
from pigglesim.render.palette import (
    EDGE,
    FAINT,
    INK,
    LINE,
    OWNER_COLOURS,
    PAPER,
    PLAIN,
    POSE_CORNERS,
    REGIONS,
    RULE,
    SIDES,
    UNPAINTED,
    ZONE_NAMES,
    landing_points,
    support_word,
)
from pigglesim.render.stage import Stage
from pigglesim.rotations import Array, Indices, rotate
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Print, Scene, printed_areas

_TEXT = 5.2
"""Size of letters [mm]."""
_PRINT = "print"
"""Id of the print over the areas of a board."""
_PRINTED: dict[Print, str] = {"line": LINE, "plain": PLAIN, **dict(REGIONS.items())}


def _tag(name: str, content: str = "", **attributes: str | float) -> str:
    """Return an element; lengths are rounded to hundredths [mm], and attributes escaped."""
    parts = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
        parts.append(f"{key.replace('_', '-')}={quoteattr(text)}")
    return f"<{' '.join(parts)}>{content}</{name}>" if content else f"<{' '.join(parts)}/>"


def _mark(pose: Orientation | None, x: float, y: float, *, size: float, colour: str) -> str:
    """Return the mark of an orientation at a point [mm]; an empty text for None."""
    if pose is None:
        return ""
    corners = " ".join(f"{x + size * a:.2f},{y - size * b:.2f}" for a, b in POSE_CORNERS[pose])
    return _tag("polygon", points=corners, fill=colour)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    colour: str = INK,
    anchor: str = "start",
    size: float = _TEXT,
    weight: str = "normal",
    turn: float = 0.0,
) -> str:
    """Return a line of text, anchored at a point [mm] and rotated clockwise."""
    if not text:
        return ""
    attributes = {"transform": f"rotate({turn} {x:.2f} {y:.2f})"} if turn else {}
    return _tag(
        "text", _plain(text), x=x, y=y, fill=colour, text_anchor=anchor, font_size=size,
        font_weight=weight, **attributes,
    )  # fmt: skip


def _plain(text: str) -> str:
    """Return text for XML: escaped, in one line, without control characters."""
    return escape(display_name(text, longest=400))


def area(polygon: Any, *, decimals: int = 3) -> str:  # noqa: ANN401 (shapely has no types)
    """Return polygons with their holes as the content of a path."""
    return loops(rings(polygon), decimals=decimals)


def rings(polygon: Any) -> list[Array]:  # noqa: ANN401 (shapely carries no types)
    """Return the outlines of polygons and of their holes, shape [corner_count, 2] each."""
    parts = getattr(polygon, "geoms", [polygon])
    lines = [ring for part in parts for ring in (part.exterior, *part.interiors)]
    return [np.asarray(ring.coords)[:-1, :2] for ring in lines]


def loops(lines: Iterable[Array], *, decimals: int = 2) -> str:
    """Return closed lines [m] as the content of a path [mm], each corner from the one before it."""
    commands = []
    for loop in lines:
        flat = np.round(1e3 * loop * [1.0, -1.0], decimals)
        steps = np.diff(flat, axis=0, prepend=np.zeros((1, 2)))
        rest = " ".join(f"{_short(x, decimals)} {_short(y, decimals)}" for x, y in steps[1:])
        commands.append(f"M{_short(flat[0, 0], decimals)} {_short(flat[0, 1], decimals)}l{rest}z")
    return "".join(commands)


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return text if text not in {"-0", ""} else "0"


_FINE = 1.2e-4
"""Tolerance for simplifying loops [m]: corners that stand out less are removed."""
_LEAST = 2e-8
"""Smallest area of a visible loop [m2]."""
_PIP = 5e-7
"""Smallest projected area of a visible pip [m2]: that on a side five degrees off upright, where a
die is cocked."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """Piece of one material, seen from above, filled by the nonzero rule."""

    part: str
    material: str
    height: float
    """Mean height of the visible part [m]; higher pieces cover lower ones."""
    loops: tuple[Array, ...]
    """Corners of closed lines [m], shape [corner_count, 2] each."""


def silhouette(body: Body, place: RestPlace) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the outline of a body's convex parts from above [m], as one geometry of shapely."""
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    rotation = np.array(place.rotation)
    parts = [rotate(rotation, part.vertices - body.mass.centre) for part in body.parts]
    flat = [(part + place.position)[:, :2] for part in parts]
    return union_all([MultiPoint(part).convex_hull for part in flat]).simplify(_FINE)


def outlines(body: Body, place: RestPlace) -> list[Outline]:
    """Return the visible outlines of a body from above, the lowest first, numbers last.

    Projected onto the plane, the upward faces of a piece have one winding. So the edges of only
    one face wind around every covered point at least once, and no face need be cut.
    """
    skin = worn_skin(body)
    turned = rotate(np.array(place.rotation), skin.vertices - body.mass.centre)
    points = turned + np.array(place.position)
    a, b, c = (points[skin.faces[:, k]] for k in range(3))
    facing_up = (b - a)[:, 0] * (c - a)[:, 1] > (b - a)[:, 1] * (c - a)[:, 0]
    names = skin.face_materials or ("unpainted",) * len(skin.faces)
    kinds = list(zip(skin.face_parts, names, strict=True))
    number = {kind: k for k, kind in enumerate(dict.fromkeys(kinds))}
    numbers = np.array([number[kind] for kind in kinds])
    pieces = []
    for (part, material), k in number.items():
        faces = skin.faces[facing_up & (numbers == k)]
        corners = (points[loop][:, :2] for loop in _loops(faces))
        # Small pips and numerals need all their corners.
        loops = _simpler(corners, *((0.0, _PIP) if part in NUMBER_PARTS else (_FINE, _LEAST)))
        if loops:
            height = float(points[faces].mean(axis=(0, 1))[2])
            pieces.append(Outline(part=part, material=material, height=height, loops=loops))
    return sorted(pieces, key=lambda outline: (outline.part in NUMBER_PARTS, outline.height))


def _simpler(loops: Iterable[Array], tolerance: float, min_area: float) -> tuple[Array, ...]:
    """Simplify loops to a tolerance [m], and drop those with less than an area [m2]."""
    from shapely import LinearRing, Polygon, get_coordinates  # noqa: PLC0415 (slow to import)

    simple = [LinearRing(loop).simplify(tolerance) for loop in loops if len(loop) > 2]
    return tuple(
        get_coordinates(ring)[:-1]
        for ring in simple
        if len(ring.coords) > 3 and Polygon(ring).area > min_area
    )


def _loops(faces: Indices) -> Iterator[Indices]:
    """Yield the closed loops of edges that belong to only one face."""
    if not len(faces):
        return
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    many = int(faces.max()) + 1
    forth, back = edges @ [many, 1], edges @ [1, many]
    onward: dict[int, list[int]] = {}
    for start, end in edges[~np.isin(forth, back)].tolist():
        onward.setdefault(start, []).append(end)
    while onward:
        start = next(iter(onward))
        loop, at = [], start
        # Each corner has as many edges in as out: a walk can only end where it began.
        while at in onward:
            loop.append(at)
            ends = onward[at]
            following = ends.pop()
            if not ends:
                del onward[at]
            at = following
        yield np.array(loop, dtype=np.int64)


_GAP = 1.0
"""Distance between an object and its label [mm]."""


_AROUND = np.array([(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)])
"""Directions from an object to the spots of its label, the best first."""


def box_about(x: float, y: float, width: float, height: float) -> tuple[float, ...]:
    """Return left, top, right and bottom of a box around its centre; y grows downwards."""
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def overlap_area(boxes: Array, others: Array) -> Array:
    """Return the total area that each box, shape [count, 4], shares with others, [m, 4]."""
    low = np.maximum(boxes[:, None, :2], others[:, :2])
    high = np.minimum(boxes[:, None, 2:], others[:, 2:])
    area: Array = np.prod(np.maximum(high - low, 0.0), axis=2).sum(axis=1)
    return area


def label_spots(
    boxes: Sequence[Sequence[float]], widths: Sequence[float], *, height: float, limit: float
) -> list[Array]:
    """Return the label of each object: below it, or at the spot with the least overlap.

    Args:
        boxes: Left, top, right and bottom of each object [mm].
        widths: Widths of the labels [mm].
        height: Height of every label [mm].
        limit: Largest distance of a label from the origin, across or down [mm].
    """
    taken = [np.array(box) for box in boxes]
    for box, width in zip(taken[: len(boxes)], widths, strict=True):
        half = np.array([width, height]) / 2
        offset = (box[2:] - box[:2]) / 2 + half + _GAP
        centres = (box[:2] + box[2:]) / 2 + offset * _AROUND
        spots = np.hstack([centres - half, centres + half])
        beyond = np.maximum(np.abs(spots) - limit, 0.0).max(axis=1)
        # The first of those that are as good.
        taken.append(spots[np.argmin(overlap_area(spots, np.array(taken)) + 1e3 * beyond)])
    return taken[len(boxes) :]


_WIDTH = 127.0
"""Width of the text [mm]."""
_LINE = 7.6
"""Line spacing of the text [mm]."""
_LETTERS = 46
"""Maximum characters per line of text."""
_KINDS = (("field", Zone.FIELD_NORTH), ("path", Zone.PATH_INNER), ("woods", Zone.WOODS))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardBody:
    """Body on the board, with all that is known of it."""

    name: str
    landing: Landing | None
    """Landing; None for a numbered die, which has no zone and is read by its upper face."""
    body: Body | None = None
    """Body with its livery; None to draw a mark instead."""
    owner: Seat | None = None
    worn: str = ""
    """Short text of its markings."""
    face: int = 0
    """Number that a die shows."""
    place: RestPlace | None = None
    """Position and rotation at rest; None without physics."""

    @property
    def colour(self) -> str:
        """Colour of its owner, sRGB."""
        return INK if self.owner is None else OWNER_COLOURS[self.owner]


def film_bodies(stage: Stage) -> list[BoardBody]:
    """Return the bodies at the end of a film: Piggles by landing, dice by face.

    Bodies that have no landing and are not dice are left out.
    """
    readings, last = stage.readings, stage.film.at(stage.film.end)
    bodies = []
    for number, (actor, body) in enumerate(zip(stage.film.actors, stage.bodies, strict=True)):
        landing, place = readings.get(actor.name), last.place(number)
        if landing is None and not is_numbered(body):
            continue
        bodies.append(
            BoardBody(
                name=actor.name,
                landing=landing,
                body=body,
                owner=actor.owner,
                worn=" ".join(word for word in (actor.color, actor.rune) if word),
                face=face_up(body, place) if landing is None else 0,
                place=landing.place if landing else place,
            )
        )
    return bodies


def _side_text(
    entries: Sequence[BoardBody], lines: Sequence[str], *, x: float, y: float, zones: bool
) -> tuple[list[str], float]:
    """Return the text right of and below a point [mm], and its lower end [mm]."""
    parts: list[str] = []

    def note(text: str, x: float = x) -> None:
        parts.append(_text(x, y, text, colour=FAINT, size=4.4))

    y += 4.0
    for entry in entries:
        parts += _entry_line(entry, x, y)
        if entry.worn and entry.landing:
            y += _LINE * 0.8
            note(entry.worn, x + 17.0)
        y += _LINE
    if any(entry.place is None for entry in entries):
        note("Rolled by odds: marks stand anywhere in their zones")
        y += _LINE
    parts.append(_tag("path", d=f"M{x:.2f} {y - 3:.2f}h{_WIDTH:.2f}", stroke=RULE))
    y += _LINE * 0.7
    for line in lines:
        first, *others = wrap(line, _LETTERS) or [""]
        parts.append(_text(x, y, first))
        for rest in others:
            y += _LINE * 0.85
            parts.append(_text(x + 4.0, y, rest))
        y += _LINE
    if not zones:
        return parts, y
    y += _LINE * 0.3
    for k, (kind, zone) in enumerate(_KINDS):
        at = x + 38.0 * k
        parts.append(
            _tag(
                "rect", x=at, y=y - 4, width=5, height=5, fill=REGIONS[zone], stroke=LINE,
                stroke_width=0.4,
            )
        )  # fmt: skip
        parts.append(_text(at + 7.0, y, f"{kind} {ZONE_POINTS[zone]}", colour=FAINT))
    if any(entry.body and entry.place for entry in entries):
        y += _LINE
        note("Dashed, or a dot: what decides the zone")
    return parts, y


def _entry_line(entry: BoardBody, x: float, y: float) -> Iterator[str]:
    """Yield the line of a Piggle (orientation, zone and points) or of a die (its number)."""
    landing = entry.landing
    if landing is None:
        yield _text(x, y, entry.name, colour=entry.colour, weight="bold")
        yield _text(x + 30.0, y, str(entry.face), weight="bold")
        return
    yield _mark(landing.orientation, x + 1.8, y - 1.8, size=1.7, colour=INK)
    yield _text(x + 5.5, y, entry.name, colour=entry.colour, weight="bold")
    yield _text(x + 17.0, y, f"{landing.label or ''} {support_word(landing)}".rstrip())
    yield _text(x + 74.0, y, ZONE_NAMES[landing.zone], colour=FAINT)
    yield _text(x + _WIDTH, y, str(landing_points(landing) or ""), anchor="end", weight="bold")


_TABLE = 16.0
"""Width of the table shown around the board [mm]."""
_HEAD = 24.0
"""Height of the title above [mm]."""
_HALO = 1.5
"""Width of the owner's colour around a Piggle [mm]."""
_LABEL = 6.4
"""Height of a label [mm]."""
_RULES = ReadingRules()
_LARGE = 1.6
"""Scale of letters on a page, where the board is small."""


def board_svg(
    board: Board,
    lying: Iterable[BoardBody],
    *,
    reading: ReadingRules = _RULES,
    again: bool = False,
) -> str:
    """Return a board with its bodies and large labels, for a page that has its own text.

    `again` refers to the print of an earlier drawing of the board on the page.
    """
    frame = box_about(0.0, 0.0, *[2e3 * board.half + 2.0 * _TABLE] * 2)
    entries = sorted(lying, key=attrgetter("name"))
    return _drawing(board, entries, frame, reading=reading, letters=_LARGE, again=again)


def top_view_svg(
    board: Board,
    lying: Iterable[BoardBody],
    *,
    title: str,
    subtitle: str = "",
    lines: Sequence[str] = (),
    reading: ReadingRules = _RULES,
) -> str:
    """Return a board with its bodies, next to a list of them.

    A body without a position is a mark anywhere in its zone; the list says so.
    """
    half = 1e3 * board.half
    entries = sorted(lying, key=attrgetter("name"))
    left, top = -half - _TABLE, -half - _TABLE - _HEAD
    beside, end = _side_text(entries, lines, x=half + _TABLE, y=-half, zones=not board.plain)
    right, bottom = half + _WIDTH + 2.0 * _TABLE, max(half, end) + _TABLE
    heading = [
        f"<title>{_plain(title)}</title>",
        _tag("rect", x=left, y=top, width=right - left, height=bottom - top, fill=PAPER),
        _text(-half, top + 12.5, display_name(title, longest=90), size=8.0, weight="bold"),
        _text(-half, top + 20.5, display_name(subtitle, longest=150), colour=FAINT),
    ]
    frame = left, top, right, bottom
    return _drawing(board, entries, frame, reading=reading, before=heading, after=beside)


def _drawing(
    board: Board,
    entries: Sequence[BoardBody],
    frame: Sequence[float],
    *,
    reading: ReadingRules,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    letters: float = 1.0,
    again: bool = False,
) -> str:
    """Return a drawing of the content of a frame; `letters` scales the text."""
    left, top, right, bottom = frame
    view = left, top, right - left, bottom - top
    summary = "; ".join(map(_sentence, entries)) or "nothing lies on the board"
    parts = [
        f"<desc>{_plain(f'Seen from above, North up: {summary}')}</desc>",
        *before,
        *_board(board, letters, again=again),
        *_bodies(board, entries, reading, letters=letters),
        *after,
    ]
    return _tag(
        "svg", "\n".join(["", *filter(None, parts), ""]), xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(f"{length:.2f}" for length in view), role="img",
        font_family="system-ui, sans-serif", font_size=_TEXT,
    ) + "\n"  # fmt: skip


def _board(board: Board, letters: float, *, again: bool) -> Iterator[str]:
    half = 1e3 * board.half
    yield _tag(
        "rect", x=-half - 1, y=-half - 1, width=2 * half + 2, height=2 * half + 2, rx=2, fill=EDGE
    )
    for kind, printed in printed_areas(board):
        # Outlined in their own colour, so that no seam shows between two of the same colour.
        colour, wide = _PRINTED[kind], 0.0 if kind == "line" else 0.3
        yield _tag(
            "path", data_zone=str(kind), fill=colour, stroke=colour, stroke_width=wide,
            d=area(printed),
        )  # fmt: skip
    # The areas are drawn: over them come trees, pebbles, points and names.
    lines = [ink for ink in board_inks(board) if ink.width]
    yield _tag("use", href=f"#{_PRINT}") if again else _tag(
        "g",
        "".join(
            _tag("path", stroke=ink.colour, stroke_width=ink.width, d=ink.path) for ink in lines
        ),
        id=_PRINT, fill="none", stroke_linecap="round", stroke_linejoin="round",
    )  # fmt: skip
    for name, x, y, turn in (
        ("North · B", 0.0, -half - 5.0, 0),
        ("South · A", 0.0, half + 5.0 + 4.0 * letters, 0),
        ("East", half + 5.0, 0.0, 90),
        ("West", -half - 5.0, 0.0, -90),
    ):
        if not board.plain:
            size = _TEXT * letters
            yield _text(x, y, name, colour=FAINT, anchor="middle", turn=turn, size=size)


def _bodies(
    board: Board, entries: Sequence[BoardBody], reading: ReadingRules, *, letters: float
) -> Iterator[str]:
    """Yield bodies and marks, the lowest first, and over them all the labels."""
    limit = 1e3 * board.half + _TABLE
    shown = []
    for entry in entries:
        x, y, z = (1e3 * metres for metres in _position(entry, board))
        if max(abs(x), abs(y)) < limit:
            shown.append((z, entry.name, x, -y, entry))
    shown.sort(key=lambda entry: entry[:2])
    boxes = []
    for _, _, x, y, entry in shown:
        if entry.body is None or entry.place is None:
            pose = entry.landing.orientation if entry.landing else None
            yield _mark(pose, x, y, size=5.0, colour=entry.colour)
            boxes.append(box_about(x, y, 10.0, 10.0))
            continue
        pieces = outlines(entry.body, entry.place)
        body = [*_drawn_body(entry.body, entry.place, pieces, entry.colour)]
        if entry.landing:
            body.append(_drawn_contact(entry.body, entry.place, board, reading))
        yield _tag("g", "\n".join(body), data_name=display_name(entry.name), **_attributes(entry))
        corners = 1e3 * np.concatenate([loop for piece in pieces for loop in piece.loops])
        (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
        boxes.append((left, -high, right, -low))
    widths = [letters * (3.1 * len(display_name(name)) + 8.0) for _, name, *_ in shown]
    labels = label_spots(boxes, widths, height=_LABEL * letters, limit=limit)
    for (*_, entry), label in zip(shown, labels, strict=True):
        yield _label(entry, label, letters)


def _attributes(entry: BoardBody) -> dict[str, str]:
    landing = entry.landing
    if landing is None:
        return {"data_face": str(entry.face)}
    attributes = {"data_pose": str(landing.orientation or ""), "data_zone": landing.zone.value}
    if isinstance(landing, ClassLanding):
        attributes["data_class"] = display_name(landing.class_name)
    return attributes


def _drawn_body(
    body: Body, place: RestPlace, pieces: Sequence[Outline], owner: str
) -> Iterator[str]:
    whole = area(silhouette(body, place), decimals=2)
    yield _tag(
        "path", d=whole, fill=owner, stroke=owner, stroke_width=2 * _HALO, stroke_linejoin="round"
    )
    colours = worn_skin(body).colours
    painted = [
        _tag("path", fill=hex_colour(colours.get(piece.material, UNPAINTED)), d=loops(piece.loops))
        for piece in pieces
    ]
    # A fine line around each piece: limbs have the colour of the body they lie on.
    yield _tag(
        "g", "\n".join(painted), stroke=INK, stroke_opacity=0.45, stroke_width=0.3,
        stroke_linejoin="round",
    )  # fmt: skip


def _drawn_contact(body: Body, place: RestPlace, board: Board, reading: ReadingRules) -> str:
    """Return the contact hull that decides the zone, or a spot; empty if nothing touches."""
    from shapely import MultiPoint, get_coordinates  # noqa: PLC0415 (slow to import)

    tolerance = reading.contact_tolerance_mm / 1000.0
    contacts = ground_contact(body, place, board, tolerance=tolerance).board
    if not len(contacts):
        return ""
    points = zone_points(body, place, board, reading)
    corners = [(1e3 * x, -1e3 * y) for x, y in get_coordinates(MultiPoint(points).convex_hull)]
    if len(corners) == 1:
        ((x, y),) = corners
        return _tag("circle", data_footprint="", cx=x, cy=y, r=0.9, fill=INK)
    around = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
    return _tag(
        "polygon", data_footprint="", points=around, fill="none", stroke=INK, stroke_width=0.5,
        stroke_dasharray="1.2 .9", stroke_linejoin="round",
    )  # fmt: skip


def _label(entry: BoardBody, box: Array, letters: float) -> str:
    """Return a name on its owner's colour, with the mark of the orientation."""
    left, top, right, bottom = box.tolist()
    x, y, high = (left + right) / 2, (top + bottom) / 2, bottom - top
    pose = entry.landing.orientation if entry.landing else None
    return (
        _tag(
            "rect", x=left, y=top, width=right - left, height=high, rx=high / 2,
            fill=entry.colour, stroke=PAPER, stroke_width=0.5,
        )
        + _mark(pose, left + 3.7 * letters, y, size=1.5 * letters, colour=PAPER)
        + _text(
            # Room for the mark.
            x + 2.2 * letters if pose else x, y + 1.6 * letters, entry.name, colour=PAPER,
            anchor="middle", size=4.4 * letters, weight="bold",
        )
    )  # fmt: skip


def _position(entry: BoardBody, board: Board) -> tuple[float, float, float]:
    if entry.place is not None:
        return entry.place.position
    if entry.landing is None or entry.landing.zone is Zone.OFF:
        return np.inf, np.inf, 0.0
    return place_of(entry.name, entry.landing, board)


def _sentence(entry: BoardBody) -> str:
    if entry.landing is None:
        return f"{entry.name} shows {entry.face}"
    return f"{entry.name} {entry.landing.label or ''} {ZONE_NAMES[entry.landing.zone]}"


def team_bodies(teams: Mapping[str, str]) -> dict[str, Body]:
    """Return the body of each Piggle with a known model, by the models of a record."""
    bodies = {}
    for name, model in teams.items():
        try:
            bodies[name] = load_models([model])[model]
        except SpecError:
            # An unknown custom model: the Piggle is drawn as a mark.
            continue
    return bodies


def board_bodies(
    landings: Iterable[tuple[str, Landing]],
    bodies: Mapping[str, Body],
    *,
    captured: Iterable[str] = (),
) -> list[BoardBody]:
    """Return the Piggles of a match on the board, with their bodies and players.

    A Piggle without a body is drawn as a mark; captured Piggles belong to the opponent.
    """
    drawn = []
    for name, landing in landings:
        if landing.zone is Zone.OFF:
            continue
        body = bodies.get(name)
        livery = split_livery(body.model)[1] if body else None
        player = owner(name).other if name in captured else owner(name)
        drawn.append(
            BoardBody(
                name=name, landing=landing, body=body, owner=player, place=landing.place,
                worn=livery.label if livery else "",
            )
        )  # fmt: skip
    return drawn


def state_svg(
    board: Board,
    state: PigglesState,
    *,
    bodies: Mapping[str, Body] | None = None,
    title: str,
    subtitle: str = "",
    reading: ReadingRules = _RULES,
) -> str:
    """Return a state as one SVG: the board from above, and the Piggles of each player.

    Without bodies in their liveries, by id, each Piggle is a mark.
    """
    drawn = board_bodies(state.board, bodies or {}, captured=state.captured)
    lines = [line for seat in SIDES for line in side_lines(state, seat)]
    return top_view_svg(board, drawn, title=title, subtitle=subtitle, lines=lines, reading=reading)


def side_lines(state: PigglesState, seat: Seat) -> list[str]:
    """Return the points of a player, and what its areas have."""
    side = state.side(seat)
    areas = {"Pen": side.pen, "Cup": side.cup, "Mud": side.mud_piggles, "Kitchen": side.kitchen}
    area_lines = [f"{seat}'s {name}: {' '.join(ids)}" for name, ids in areas.items() if ids]
    return [f"{SIDES[seat]}: {side.score} points", *area_lines]


def piggles_of(record: MatchRecord) -> Piggles:
    """Return the rules of a recorded match of Piggles.

    Raises:
        SpecError: If the game is unknown, or has no board.
    """
    game = game_of(record)
    if not is_piggles(game):
        raise SpecError(
            f"{record.header.game} has no board to draw",
            expected="a match of Piggles",
            fix="use pigglesim replay FILE",
        )
    return game


def scene_of(header: Header) -> Scene | None:
    """Return the scene of a recorded match; None unless it is a built-in one."""
    name = header.chance.get("scene")
    return load_scene(name) if isinstance(name, str) and name in scene_names() else None
