"""What drawings from above are made of: letters, marks of poses, closed lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pigglesim.bodies.body import Body, Indices
from pigglesim.bodies.livery import PIP_PART, is_numbered, worn_skin
from pigglesim.bodies.mesh_files import to_srgb
from pigglesim.landing import (
    ClassLanding,
    Landing,
    Orientation,
    ReadingRules,
    RestPlace,
    Seat,
    Zone,
)
from pigglesim.reading import POINTS, face_up, footprint_points, ground_contact
from pigglesim.render.board import place_of
from pigglesim.render.figure import shown
from pigglesim.render.palette import (
    EDGE,
    FAINT,
    INK,
    LINE,
    OWNER_COLOURS,
    PAPER,
    PLAIN,
    REGIONS,
    RULE,
    landing_points,
)
from pigglesim.render.stage import Stage
from pigglesim.rotations import Array, rotate
from pigglesim.scene.scene import Board

TEXT = 5.2
"""Size of letters [mm]."""
_MARKS = {
    Orientation.SNOUT_UP: ((0.0, 1.0), (1.0, -0.8), (-1.0, -0.8)),
    Orientation.SNOUT_DOWN: ((0.0, -1.0), (-1.0, 0.8), (1.0, 0.8)),
    Orientation.ON_THEIR_HEAD: ((0.0, 1.1), (0.9, 0.0), (0.0, -1.1), (-0.9, 0.0)),
}
"""Corners of the marks that the board as text has, for no font need know them."""


def owner_colour(owner: Seat | None) -> str:
    """Return the sRGB of a player; ink for nobody."""
    return INK if owner is None else OWNER_COLOURS[owner]


def mark(pose: Orientation | None, x: float, y: float, *, size: float, colour: str) -> str:
    """Return the mark of a pose about a point [mm]; nothing for no pose."""
    if pose is None:
        return ""
    corners = " ".join(f"{x + size * a:.2f},{y - size * b:.2f}" for a, b in _MARKS[pose])
    return f'<polygon points="{corners}" fill="{colour}"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    colour: str = INK,
    anchor: str = "start",
    size: float = TEXT,
    weight: str = "normal",
    turn: float = 0.0,
) -> str:
    """Return a line of words.

    Args:
        x: Where it begins, ends or has its middle, as `anchor` says [mm].
        y: Its foot [mm].
        words: Escaped here.
        colour: sRGB.
        anchor: `start`, `middle` or `end`.
        size: Of the letters [mm].
        weight: `normal` or `bold`.
        turn: Clockwise about its place [deg].
    """
    if not words:
        return ""
    turned = f' transform="rotate({turn} {x:.2f} {y:.2f})"' if turn else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}"{turned}>{plain(words)}</text>'
    )


def plain(text: str) -> str:
    """Return words as XML may hold them: on one line, without marks that no letter is."""
    return escape(shown(text, longest=400))


def srgb(colour: tuple[float, float, float]) -> str:
    """Return linear RGB, 0 to 1, as `#rrggbb`."""
    return "#" + "".join(f"{round(255 * to_srgb(part)):02x}" for part in colour)


def area(polygon: Any, *, decimals: int = 3) -> str:  # noqa: ANN401 (shapely has no types)
    """Return polygons with their holes as the content of a path."""
    return loops(rings(polygon), decimals=decimals)


def rings(polygon: Any) -> list[Array]:  # noqa: ANN401 (shapely carries no types)
    """Return the outlines of polygons and of their holes, shape [corner_count, 2] each."""
    parts = getattr(polygon, "geoms", [polygon])
    lines = [ring for each in parts for ring in (each.exterior, *each.interiors)]
    return [np.asarray(ring.coords)[:-1, :2] for ring in lines]


def loops(lines: Iterable[Array], *, decimals: int = 2) -> str:
    """Return closed lines [m] as the content of a path [mm], each corner from the one before it."""
    words = []
    for loop in lines:
        flat = np.round(1e3 * loop * [1.0, -1.0], decimals)
        steps = np.diff(flat, axis=0, prepend=np.zeros((1, 2)))
        rest = " ".join(f"{_short(x, decimals)} {_short(y, decimals)}" for x, y in steps[1:])
        words.append(f"M{_short(flat[0, 0], decimals)} {_short(flat[0, 1], decimals)}l{rest}z")
    return "".join(words)


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return text if text not in {"-0", ""} else "0"


_FINE = 1.2e-4
"""Corners that stand out from their loop by less than this [m] are left out."""
_LEAST = 2e-8
"""Loops around less than this [m2] are not seen."""
_PIP = 5e-7
"""Pips are not seen on a side so steep that less of each than this [m2] looks up: five degrees off
upright, where a die is cocked."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """A piece of one material, seen from above; what lies within by the nonzero rule is filled."""

    part: str
    material: str
    height: float
    """Mean height of what is seen of it [m]: what is higher covers what is lower."""
    loops: tuple[Array, ...]
    """Corners of closed lines [m], shape [corner_count, 2] each."""


def silhouette(body: Body, place: RestPlace) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the outline of a body's convex parts from above [m], as one geometry of shapely.

    Args:
        body: The body.
        place: How it lies.
    """
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    rotation = np.array(place.rotation)
    parts = [rotate(rotation, part.vertices - body.mass.centre) for part in body.parts]
    flat = [(part + place.position)[:, :2] for part in parts]
    return union_all([MultiPoint(part).convex_hull for part in flat]).simplify(_FINE)


def outlines(body: Body, place: RestPlace) -> list[Outline]:
    """Return what is seen of a body from above, the lowest first, pips over all they are on.

    The faces of a piece that look up all turn the same way when they are laid flat, so the edges
    that only one of them has go round every point they cover at least once: no face need be cut.

    Args:
        body: The body.
        place: How it lies.
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
    found = []
    for (part, material), k in number.items():
        faces = skin.faces[facing_up & (numbers == k)]
        drawn = (points[loop][:, :2] for loop in _loops(faces))
        # Of something small and round no corner can be spared.
        loops = _simpler(drawn, 0.0, _PIP) if part == PIP_PART else _simpler(drawn, _FINE, _LEAST)
        if loops:
            height = float(points[faces].mean(axis=(0, 1))[2])
            found.append(Outline(part=part, material=material, height=height, loops=loops))
    return sorted(found, key=lambda outline: (outline.part == PIP_PART, outline.height))


def _simpler(loops: Iterable[Array], fine: float, least: float) -> tuple[Array, ...]:
    """Return loops without corners that stand out by less [m], less those around less [m2]."""
    from shapely import LinearRing, Polygon, get_coordinates  # noqa: PLC0415 (slow to import)

    simple = [LinearRing(loop).simplify(fine) for loop in loops if len(loop) > 2]
    return tuple(
        get_coordinates(ring)[:-1]
        for ring in simple
        if len(ring.coords) > 3 and Polygon(ring).area > least
    )


def _loops(faces: Indices) -> Iterator[Indices]:
    """Yield the closed lines of edges that have a face on one side alone."""
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
"""Between a thing and its name [mm]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A thing in a picture and what it takes up there [mm]; y grows downwards."""

    x: float
    """Of its middle."""
    y: float
    left: float
    right: float
    top: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Return the area that two of them share [mm2]."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


def label_spots(
    things: Sequence[Box], widths: Sequence[float], *, height: float, limit: float
) -> list[tuple[float, float]]:
    """Return the middle of each thing's label: below it, or where it covers the least.

    Args:
        things: What is named.
        widths: Of the labels [mm].
        height: Of every label [mm].
        limit: No label reaches farther from the origin, across or down [mm].
    """
    labels: list[Box] = []
    for thing, width in zip(things, widths, strict=True):
        others = [other for other in things if other is not thing]
        labels.append(
            min(
                _around(thing, width, height),
                key=lambda box: (
                    sum(box.overlap(other) for other in (*others, *labels, thing))
                    + 1e3 * _beyond(box, limit)
                ),
            )
        )
    return [(label.x, label.y) for label in labels]


def _around(thing: Box, width: float, height: float) -> list[Box]:
    """Return boxes around a thing, the best first: below, above, beside, at the corners."""
    below, above = thing.bottom + _GAP + height / 2, thing.top - _GAP - height / 2
    right, left = thing.right + _GAP + width / 2, thing.left - _GAP - width / 2
    middles = [(thing.x, below), (thing.x, above), (right, thing.y), (left, thing.y)]
    middles += [(right, below), (left, below), (right, above), (left, above)]
    return [
        Box(
            x=x, y=y, left=x - width / 2, right=x + width / 2, top=y - height / 2,
            bottom=y + height / 2,
        )
        for x, y in middles
    ]  # fmt: skip


def _beyond(box: Box, limit: float) -> float:
    """Return how far a box reaches beyond a limit on any side [mm]."""
    return max(0.0, -limit - box.left, box.right - limit, -limit - box.top, box.bottom - limit)


WIDTH = 127.0
"""Of the words [mm]."""
_LINE = 7.6
"""From one line of words to the next [mm]."""
_LETTERS = 46
"""Letters in a line of words."""
_KINDS = (
    ("field", Zone.FIELD_NORTH),
    ("path", Zone.PATH_INNER),
    ("woods", Zone.WOODS),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lying:
    """A Piggle on the board, and what is known of it."""

    name: str
    landing: Landing
    body: Body | None = None
    """As it is dressed; None for a mark in its place."""
    owner: Seat | None = None
    worn: str = ""
    """Its marking in a few letters."""

    @property
    def place(self) -> RestPlace | None:
        """Where and how it lies, where physics tells."""
        return self.landing.place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LyingDie:
    """A numbered die on the board, which has no zone: it is read by its upper face."""

    name: str
    face: int
    place: RestPlace
    body: Body
    owner: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsBeside:
    """Lines beside the board, and where the last of them ends."""

    parts: Sequence[str]
    bottom: float
    """[mm]"""


def words_beside(
    entries: Sequence[Lying | LyingDie], words: Sequence[str], *, x: float, y: float, zones: bool
) -> WordsBeside:
    """Return a list of what lies on the board, further words, and what the zones pay.

    Args:
        entries: What lies on the board, in the order of the list.
        words: Lines to write under it.
        x: Where lines begin [mm].
        y: The top of the first line [mm].
        zones: Whether the board has any.
    """
    parts: list[str] = []
    y += 4.0
    for each in entries:
        if isinstance(each, LyingDie):
            parts += _die(each, x, y)
        else:
            parts += _piggle(each, x, y)
            if each.worn:
                y += _LINE * 0.8
                parts.append(text(x + 17.0, y, each.worn, colour=FAINT, size=4.4))
        y += _LINE
    if any(each.place is None for each in entries):
        note = "Rolled by odds: marks stand anywhere in their zones"
        parts.append(text(x, y, note, colour=FAINT, size=4.4))
        y += _LINE
    parts.append(f'<path d="M{x:.2f} {y - 3:.2f}h{WIDTH:.2f}" stroke="{RULE}"/>')
    y += _LINE * 0.7
    for line in words:
        first, *more = wrap(line, _LETTERS) or [""]
        parts.append(text(x, y, first))
        for rest in more:
            y += _LINE * 0.85
            parts.append(text(x + 4.0, y, rest))
        y += _LINE
    if not zones:
        return WordsBeside(parts=parts, bottom=y)
    y += _LINE * 0.3
    parts += _payments(x, y)
    if any(each.body and each.place for each in entries):
        y += _LINE
        note = "Dashed, or a dot: what decides the zone"
        parts.append(text(x, y, note, colour=FAINT, size=4.4))
    return WordsBeside(parts=parts, bottom=y)


def _piggle(each: Lying, x: float, y: float) -> Iterator[str]:
    """Yield the line of a Piggle: how it lies, in which zone, and what that pays."""
    landing, points = each.landing, landing_points(each.landing)
    pose = landing.label or ""
    note = " leans" if landing.leaning else " stacked" if landing.stacked else ""
    yield mark(landing.orientation, x + 1.8, y - 1.8, size=1.7, colour=INK)
    yield text(x + 5.5, y, each.name, colour=owner_colour(each.owner), weight="bold")
    yield text(x + 17.0, y, f"{pose}{note}")
    yield text(x + 74.0, y, landing.zone.value, colour=FAINT)
    yield text(x + WIDTH, y, str(points or ""), anchor="end", weight="bold")


def _die(each: LyingDie, x: float, y: float) -> Iterator[str]:
    """Yield the line of a die: its name and its number."""
    yield text(x, y, each.name, colour=owner_colour(each.owner), weight="bold")
    yield text(x + 30.0, y, str(each.face), weight="bold")


def _payments(x: float, y: float) -> Iterator[str]:
    """Yield a line of what the kinds of zones pay."""
    for k, (kind, zone) in enumerate(_KINDS):
        at = x + 38.0 * k
        yield (
            f'<rect x="{at:.2f}" y="{y - 4:.2f}" width="5" height="5" fill="{REGIONS[zone]}" '
            f'stroke="{LINE}" stroke-width=".4"/>'
        )
        yield text(at + 7.0, y, f"{kind} {POINTS[zone]}", colour=FAINT)


_AROUND = 16.0
"""How much of the table around the board is seen [mm]."""
_HEAD = 24.0
"""Height of the title above [mm]."""
_HALO = 1.5
"""Width of the owner's colour around a Piggle [mm]."""
_LABEL = 6.4
"""Height of a label [mm]."""
_PLAIN = ReadingRules()
_LARGE = 1.6
"""How much larger letters are on a page, where the board is small."""


def lying_in(stage: Stage) -> list[Lying | LyingDie]:
    """Return how everything came to lie in a film: Piggles as they were read, dice by their faces.

    What was not read and is no die is left out.
    """
    readings, last = stage.readings, stage.film.at(stage.film.end)
    lying: list[Lying | LyingDie] = []
    for number, (actor, body) in enumerate(zip(stage.film.actors, stage.bodies, strict=True)):
        if actor.name in readings:
            worn = " ".join(word for word in (actor.color, actor.rune) if word)
            landing = readings[actor.name]
            lying.append(
                Lying(name=actor.name, landing=landing, body=body, owner=actor.owner, worn=worn)
            )
        elif is_numbered(body):
            place, owner = last.place(number), actor.owner
            face = face_up(body, place)
            lying.append(LyingDie(name=actor.name, face=face, place=place, body=body, owner=owner))
    return lying


def board_svg(
    board: Board, lying: Iterable[Lying | LyingDie], *, reading: ReadingRules = _PLAIN
) -> str:
    """Return a board with what lies on it and large names, for a page with words of its own.

    Args:
        board: The board.
        lying: Everything to show.
        reading: By which it was read.
    """
    reach = 1e3 * board.half + _AROUND
    return _drawing(
        board,
        _by_name(lying),
        Box(x=0, y=0, left=-reach, right=reach, top=-reach, bottom=reach),
        reading=reading,
        letters=_LARGE,
    )


def top_view_svg(
    board: Board,
    lying: Iterable[Lying | LyingDie],
    *,
    title: str,
    subtitle: str = "",
    words: Sequence[str] = (),
    reading: ReadingRules = _PLAIN,
) -> str:
    """Return a board with what lies on it, and a list of it beside.

    Where physics tells no place, a mark stands somewhere in the zone; the list says so.

    Args:
        board: The board.
        lying: Everything to show.
        title: First line.
        subtitle: A fainter line under it.
        words: Lines to write under the list.
        reading: By which it was read.
    """
    half = 1e3 * board.half
    entries = _by_name(lying)
    left, top = -half - _AROUND, -half - _AROUND - _HEAD
    beside = words_beside(entries, words, x=half + _AROUND, y=-half, zones=not board.plain)
    frame = Box(
        x=0.0,
        y=0.0,
        left=left,
        right=half + WIDTH + 2.0 * _AROUND,
        top=top,
        bottom=max(half + _AROUND, beside.bottom + _AROUND),
    )
    heading = [
        f"<title>{plain(title)}</title>",
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{frame.right - left:.2f}" '
        f'height="{frame.bottom - top:.2f}" fill="{PAPER}"/>',
        text(-half, top + 12.5, shown(title, longest=90), size=8.0, weight="bold"),
        text(-half, top + 20.5, shown(subtitle, longest=150), colour=FAINT),
    ]
    return _drawing(board, entries, frame, reading=reading, before=heading, after=beside.parts)


def _drawing(
    board: Board,
    entries: Sequence[Lying | LyingDie],
    frame: Box,
    *,
    reading: ReadingRules,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    letters: float = 1.0,
) -> str:
    """Return a drawing of what a frame shows, its letters so many times as large as usual."""
    width, height = frame.right - frame.left, frame.bottom - frame.top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame.left:.2f} {frame.top:.2f} '
        f'{width:.2f} {height:.2f}" role="img" font-family="system-ui, sans-serif" '
        f'font-size="{TEXT}">',
        f"<desc>{plain(_description(entries))}</desc>",
        *before,
        *_board(board, letters),
        *_things(board, entries, reading, letters=letters),
        *after,
        "</svg>\n",
    ]
    return "\n".join(part for part in parts if part)


def _by_name(lying: Iterable[Lying | LyingDie]) -> list[Lying | LyingDie]:
    return sorted(lying, key=lambda each: each.name)


def _board(board: Board, letters: float) -> Iterable[str]:
    half = 1e3 * board.half
    yield (
        f'<rect x="{-half - 1:.2f}" y="{-half - 1:.2f}" width="{2 * half + 2:.2f}" '
        f'height="{2 * half + 2:.2f}" rx="2" fill="{EDGE}"/>'
    )
    if board.plain:
        yield (
            f'<rect x="{-half:.2f}" y="{-half:.2f}" width="{2 * half:.2f}" '
            f'height="{2 * half:.2f}" fill="{PLAIN}"/>'
        )
        return
    yield "<g>"
    for zone, region in board.regions.items():
        # Edged in their own colour: no seam shows between the two kinds of path.
        yield (
            f'<path data-zone="{zone.value}" fill="{REGIONS[zone]}" stroke="{REGIONS[zone]}" '
            f'stroke-width=".3" d="{area(region)}"/>'
        )
    yield f'</g>\n<g fill="{LINE}" fill-rule="evenodd">'
    for name, border in (("field/path", board.field_borders), ("path/woods", board.woods_border)):
        printed = border.buffer(board.line / 2.0, join_style="mitre")
        yield f'<path data-line="{name}" d="{area(printed)}"/>'
    yield "</g>"
    for name, x, y, turn in (
        ("North · B", 0.0, -half - 5.0, 0),
        ("South · A", 0.0, half + 5.0 + 4.0 * letters, 0),
        ("East", half + 5.0, 0.0, 90),
        ("West", -half - 5.0, 0.0, -90),
    ):
        size = TEXT * letters
        yield text(x, y, name, colour=FAINT, anchor="middle", turn=turn, size=size)


def _things(
    board: Board, entries: Sequence[Lying | LyingDie], reading: ReadingRules, *, letters: float
) -> Iterable[str]:
    """Yield bodies and marks, the lowest first, and over them all the labels."""
    limit = 1e3 * board.half + _AROUND
    seen = []
    for each in entries:
        x, y, z = (1e3 * metres for metres in _where(each, board))
        if max(abs(x), abs(y)) < limit:
            seen.append((z, each.name, x, -y, each))
    seen.sort(key=lambda entry: entry[:2])
    boxes = []
    for _, _, x, y, each in seen:
        if each.body is not None and each.place is not None:
            pieces = outlines(each.body, each.place)
            yield f"<g data-name={quoteattr(shown(each.name))} {_told(each)}>"
            yield from _drawn_body(each.body, each.place, pieces, owner_colour(each.owner))
            if isinstance(each, Lying):
                yield from _drawn_contact(each.body, each.place, board, reading)
            yield "</g>"
            corners = 1e3 * np.concatenate([loop for piece in pieces for loop in piece.loops])
            (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
            boxes.append(Box(x=x, y=y, left=left, right=right, top=-high, bottom=-low))
        else:
            yield _mark(each, x, y, size=5.0, colour=owner_colour(each.owner))
            boxes.append(Box(x=x, y=y, left=x - 5, right=x + 5, top=y - 5, bottom=y + 5))
    widths = [letters * (3.1 * len(shown(name)) + 8.0) for _, name, *_ in seen]
    spots = label_spots(boxes, widths, height=_LABEL * letters, limit=limit)
    for (*_, each), width, (x, y) in zip(seen, widths, spots, strict=True):
        yield _label(each, x, y, width, letters)


def _told(each: Lying | LyingDie) -> str:
    """Return what was read of a body, as attributes."""
    if isinstance(each, LyingDie):
        return f'data-face="{each.face}"'
    pose = each.landing.orientation.value if each.landing.orientation else ""
    told = f'data-pose={quoteattr(pose)} data-zone="{each.landing.zone.value}"'
    if isinstance(each.landing, ClassLanding):
        told += f" data-class={quoteattr(shown(each.landing.class_name))}"
    return told


def _drawn_body(
    body: Body, place: RestPlace, pieces: Sequence[Outline], owner: str
) -> Iterable[str]:
    whole = area(silhouette(body, place), decimals=2)
    yield (
        f'<path d="{whole}" fill="{owner}" stroke="{owner}" '
        f'stroke-width="{2 * _HALO}" stroke-linejoin="round"/>'
    )
    # A fine line around each piece: limbs have the colour of the body they lie on.
    yield f'<g stroke="{INK}" stroke-opacity=".45" stroke-width=".3" stroke-linejoin="round">'
    for piece in pieces:
        colour = srgb(worn_skin(body).colours.get(piece.material, (0.72, 0.62, 0.52)))
        yield f'<path fill="{colour}" d="{loops(piece.loops)}"/>'
    yield "</g>"


def _drawn_contact(
    body: Body, place: RestPlace, board: Board, reading: ReadingRules
) -> Iterable[str]:
    """Yield what decides a zone, of a body that touches the board."""
    tolerance = reading.contact_tolerance_mm / 1000.0
    contacts = ground_contact(body, place, board, tolerance=tolerance).board
    if len(contacts):
        yield _footprint(
            footprint_points(reading.line_rule, contacts, np.array(place.position[:2]))
        )


def _footprint(points: Array) -> str:
    """Return the convex hull of what decides a zone: a spot where that is one point."""
    from shapely import MultiPoint, get_coordinates  # noqa: PLC0415 (slow to import)

    corners = [(1e3 * x, -1e3 * y) for x, y in get_coordinates(MultiPoint(points).convex_hull)]
    if len(corners) == 1:
        ((x, y),) = corners
        return f'<circle data-footprint="" cx="{x:.2f}" cy="{y:.2f}" r=".9" fill="{INK}"/>'
    around = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
    return (
        f'<polygon data-footprint="" points="{around}" fill="none" stroke="{INK}" '
        'stroke-width=".5" stroke-dasharray="1.2 .9" stroke-linejoin="round"/>'
    )


def _mark(each: Lying | LyingDie, x: float, y: float, *, size: float, colour: str) -> str:
    """Return the mark of a Piggle's pose; dice have none."""
    pose = each.landing.orientation if isinstance(each, Lying) else None
    return mark(pose, x, y, size=size, colour=colour)


def _label(each: Lying | LyingDie, x: float, y: float, width: float, letters: float) -> str:
    """Return a name on its owner's colour, with the mark of the pose."""
    colour = owner_colour(each.owner)
    high = _LABEL * letters
    left = x - width / 2
    # Room for the mark.
    middle = x + 2.2 * letters if isinstance(each, Lying) and each.landing.orientation else x
    return (
        f'<rect x="{left:.2f}" y="{y - high / 2:.2f}" width="{width:.2f}" height="{high:.2f}" '
        f'rx="{high / 2:.2f}" fill="{colour}" stroke="{PAPER}" stroke-width=".5"/>'
        + _mark(each, left + 3.7 * letters, y, size=1.5 * letters, colour=PAPER)
        + text(
            middle, y + 1.6 * letters, each.name, colour=PAPER, anchor="middle",
            size=4.4 * letters, weight="bold",
        )
    )  # fmt: skip


def _where(each: Lying | LyingDie, board: Board) -> tuple[float, float, float]:
    if isinstance(each, LyingDie):
        return each.place.position
    landing = each.landing
    if landing.place is None and landing.zone is Zone.OFF:
        return np.inf, np.inf, 0.0
    return place_of(each.name, landing, board)


def _description(entries: Sequence[Lying | LyingDie]) -> str:
    told = "; ".join(_sentence(each) for each in entries)
    return "Seen from above, North up: " + (told or "nothing lies on the board")


def _sentence(each: Lying | LyingDie) -> str:
    if isinstance(each, LyingDie):
        return f"{each.name} shows {each.face}"
    return f"{each.name} {each.landing.label or ''} {each.landing.zone.value}"
