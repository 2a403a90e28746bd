"""A board from straight above as one SVG: the polygons that zones are read from, and the bodies.

Lengths are in millimetres from the middle of the board, East to the right and North up (so y is
turned round). Every letter is escaped, and a picture asks for nothing from elsewhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pigglesim.pictures.marks import OWNER_COLOURS, landing_points
from pigglesim.pictures.places import place_of
from pigglesim.pictures.style import FAINT, INK, PAPER, RULE, shown
from pigglesim.reading.contact import ground_contact
from pigglesim.reading.zone import POINTS
from pigglesim.rolls import Landing, Orientation, ReadingRules, Seat, Zone
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.shapes.objfile import to_srgb
from pigglesim.sharing.label_spots import Box, label_spots
from pigglesim.sharing.outlines import Outline, outlines, silhouette
from pigglesim.sharing.palette import BOARD, EDGE, LINE
from pigglesim.sharing.stage import Stage
from pigglesim.spatial import Array

__all__ = ["Lying", "film_svg", "top_view_svg"]

_AROUND = 16.0
"""How much of the table around the board is seen [mm]."""
_BESIDE = 140.0
"""Width of the words beside the board [mm]."""
_HEAD = 24.0
"""Height of the title above [mm]."""
_TEXT = 5.2
"""Size of letters [mm]."""
_LINE = 7.6
"""From one line of words to the next [mm]."""
_HALO = 1.5
"""Width of the owner's colour around a Piggle [mm]."""
_MARKS = {
    Orientation.SNOUT_UP: ((0.0, 1.0), (1.0, -0.8), (-1.0, -0.8)),
    Orientation.SNOUT_DOWN: ((0.0, -1.0), (-1.0, 0.8), (1.0, 0.8)),
    Orientation.ON_THEIR_HEAD: ((0.0, 1.1), (0.9, 0.0), (0.0, -1.1), (-0.9, 0.0)),
}
"""Corners of the marks that the board as text has, for no font need know them."""
_KINDS = (
    ("field", Zone.FIELD_NORTH),
    ("path", Zone.PATH_INNER),
    ("woods", Zone.WOODS),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lying:
    """One thing on the board, and what is known of it."""

    name: str
    landing: Landing
    body: Body | None = None
    """As it is dressed; None for a mark in its place."""
    owner: Seat | None = None
    worn: str = ""
    """Its marking in a few letters."""


def film_svg(stage: Stage, *, title: str, subtitle: str = "", words: Sequence[str] = ()) -> str:
    """Return how everything came to lie in a film.

    Args:
        stage: The film, with its table and its bodies.
        title: First line.
        subtitle: A fainter line under it.
        words: Lines to write under the list.
    """
    readings = stage.readings
    lying = [
        Lying(
            name=actor.name,
            landing=readings[actor.name],
            body=body,
            owner=actor.owner,
            worn=" ".join(word for word in (actor.color, actor.rune) if word),
        )
        for actor, body in zip(stage.film.actors, stage.bodies, strict=True)
        if actor.name in readings
    ]
    return top_view_svg(stage.board, lying, title=title, subtitle=subtitle, words=words)


def top_view_svg(
    board: Board,
    lying: Iterable[Lying],
    *,
    title: str,
    subtitle: str = "",
    words: Sequence[str] = (),
) -> str:
    """Return a board with what lies on it, and a list of it beside.

    Where physics tells no place, a mark stands somewhere in the zone; the list says so.

    Args:
        board: The board.
        lying: Everything to show.
        title: First line.
        subtitle: A fainter line under it.
        words: Lines to write under the list.
    """
    half = 1e3 * board.half
    entries = sorted(lying, key=lambda each: each.name)
    left, top = -half - _AROUND, -half - _AROUND - _HEAD
    width = 2 * (half + _AROUND) + _BESIDE
    list_lines = _list_lines(entries, words, x=half + _AROUND, y=-half)
    height = max(2 * (half + _AROUND) + _HEAD, list_lines.bottom + _AROUND - top)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.2f} {top:.2f} {width:.2f} '
        f'{height:.2f}" role="img" font-family="system-ui, sans-serif" font-size="{_TEXT}">',
        f"<title>{_words(title)}</title>",
        f"<desc>{_words(_description(entries))}</desc>",
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{PAPER}"/>',
        _text(-half, top + 12.5, title, size=8.0, weight="bold"),
        _text(-half, top + 20.5, subtitle, colour=FAINT),
        *_board(board),
        *_things(board, entries, limit=half + _AROUND),
        *list_lines.parts,
        "</svg>\n",
    ]
    return "\n".join(part for part in parts if part)


def _board(board: Board) -> Iterable[str]:
    half = 1e3 * board.half
    yield (
        f'<rect x="{-half - 1:.2f}" y="{-half - 1:.2f}" width="{2 * half + 2:.2f}" '
        f'height="{2 * half + 2:.2f}" rx="2" fill="{EDGE}"/>'
    )
    yield '<g id="regions">'
    for zone, region in board.regions.items():
        # Edged in their own colour: no seam shows between the two kinds of path.
        yield (
            f'<path data-zone="{zone.value}" fill="{BOARD[zone]}" stroke="{BOARD[zone]}" '
            f'stroke-width=".3" d="{_area(region)}"/>'
        )
    yield f'</g>\n<g id="lines" fill="{LINE}" fill-rule="evenodd">'
    for name, border in (("field/path", board.field_borders), ("path/woods", board.woods_border)):
        printed = border.buffer(board.line / 2.0, join_style="mitre")
        yield f'<path data-line="{name}" d="{_area(printed)}"/>'
    yield "</g>"
    for name, x, y, turn in (
        ("North · B", 0.0, -half - 6.0, 0),
        ("South · A", 0.0, half + 9.5, 0),
        ("East", half + 6.0, 0.0, 90),
        ("West", -half - 6.0, 0.0, -90),
    ):
        yield _text(x, y, name, colour=FAINT, anchor="middle", turn=turn)


def _things(board: Board, entries: Sequence[Lying], *, limit: float) -> Iterable[str]:
    """Yield bodies and marks, the lowest first, and over them all the labels."""
    seen = []
    for each in entries:
        x, y, z = (1e3 * metres for metres in _where(each, board))
        if max(abs(x), abs(y)) < limit:
            seen.append((z, each.name, x, -y, each))
    seen.sort(key=lambda entry: entry[:2])
    boxes = []
    for _, _, x, y, each in seen:
        if each.body is not None and each.landing.place is not None:
            pieces = outlines(each.body, each.landing.place)
            yield from _drawn_body(board, each, each.body, pieces)
            corners = 1e3 * np.concatenate([loop for piece in pieces for loop in piece.loops])
            (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
            boxes.append(Box(x=x, y=y, left=left, right=right, top=-high, bottom=-low))
        else:
            yield _mark(each.landing.orientation, x, y, size=5.0, colour=_colour(each.owner))
            boxes.append(Box(x=x, y=y, left=x - 5, right=x + 5, top=y - 5, bottom=y + 5))
    widths = [3.1 * len(shown(name)) + 8.0 for _, name, *_ in seen]
    spots = label_spots(boxes, widths, height=6.4, limit=limit)
    for (*_, each), width, (x, y) in zip(seen, widths, spots, strict=True):
        yield _label(each, x, y, width)


def _drawn_body(board: Board, each: Lying, body: Body, pieces: Sequence[Outline]) -> Iterable[str]:
    landing = each.landing
    assert landing.place is not None
    pose = landing.orientation.value if landing.orientation else ""
    yield (
        f"<g data-name={quoteattr(shown(each.name))} data-pose={quoteattr(pose)} "
        f'data-zone="{landing.zone.value}">'
    )
    whole = _area(silhouette(body, landing.place), decimals=2)
    yield (
        f'<path d="{whole}" fill="{_colour(each.owner)}" stroke="{_colour(each.owner)}" '
        f'stroke-width="{2 * _HALO}" stroke-linejoin="round"/>'
    )
    # A fine line around each piece: limbs have the colour of the body they lie on.
    yield f'<g stroke="{INK}" stroke-opacity=".45" stroke-width=".3" stroke-linejoin="round">'
    for piece in pieces:
        colour = _srgb(body.skin.colours.get(piece.material, (0.72, 0.62, 0.52)))
        yield f'<path fill="{colour}" d="{_loops(piece.loops)}"/>'
    yield "</g>"
    contacts = ground_contact(
        body, landing.place, board, tolerance=ReadingRules().contact_tolerance_mm / 1000.0
    ).board
    if len(contacts):
        yield _footprint(contacts)
    yield "</g>"


def _footprint(contacts: Array) -> str:
    """Return the convex hull of where a body touches the board, which decides its zone."""
    from shapely import MultiPoint, get_coordinates  # noqa: PLC0415 (slow to import)

    corners = get_coordinates(MultiPoint(contacts).convex_hull)
    points = " ".join(f"{1e3 * x:.2f},{-1e3 * y:.2f}" for x, y in corners)
    return (
        f'<polygon data-footprint="" points="{points}" fill="none" stroke="{INK}" '
        'stroke-width=".5" stroke-dasharray="1.2 .9" stroke-linejoin="round"/>'
    )


def _label(each: Lying, x: float, y: float, width: float) -> str:
    """Return a name on its owner's colour, with the mark of the pose."""
    colour = _colour(each.owner)
    return (
        f'<rect x="{x - width / 2:.2f}" y="{y - 3.2:.2f}" width="{width:.2f}" height="6.4" '
        f'rx="3.2" fill="{colour}" stroke="{PAPER}" stroke-width=".5"/>'
        + _mark(each.landing.orientation, x - width / 2 + 3.7, y, size=1.5, colour=PAPER)
        + _text(x + 2.2, y + 1.6, each.name, colour=PAPER, anchor="middle", size=4.4, weight="bold")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """Lines beside the board, and where the last of them ends."""

    parts: Sequence[str]
    bottom: float


def _list_lines(entries: Sequence[Lying], words: Sequence[str], *, x: float, y: float) -> _Words:
    parts = []
    y += 4.0
    for each in entries:
        landing, points = each.landing, landing_points(each.landing)
        pose = landing.orientation.label if landing.orientation else ""
        note = " leans" if landing.leaning else " stacked" if landing.stacked else ""
        parts.append(_mark(landing.orientation, x + 1.8, y - 1.8, size=1.7, colour=INK))
        name = _text(x + 5.5, y, each.name, colour=_colour(each.owner), weight="bold")
        parts += [name, _text(x + 17.0, y, f"{pose}{note}")]
        parts.append(_text(x + 71.0, y, landing.zone.value, colour=FAINT))
        parts.append(
            _text(x + _BESIDE - _AROUND, y, str(points or ""), anchor="end", weight="bold")
        )
        if each.worn:
            y += _LINE * 0.8
            parts.append(_text(x + 17.0, y, each.worn, colour=FAINT, size=4.4))
        y += _LINE
    if any(each.landing.place is None for each in entries):
        parts.append(
            _text(x, y, "Rolled by odds: marks stand anywhere in their zone", colour=FAINT)
        )
        y += _LINE
    parts.append(f'<path d="M{x:.2f} {y - 3:.2f}h{_BESIDE - _AROUND:.2f}" stroke="{RULE}"/>')
    y += _LINE * 0.7
    for line in words:
        parts.append(_text(x, y, line))
        y += _LINE
    for k, (kind, zone) in enumerate(_KINDS):
        at = x + 38.0 * k
        parts.append(
            f'<rect x="{at:.2f}" y="{y - 4:.2f}" width="5" height="5" fill="{BOARD[zone]}" '
            f'stroke="{LINE}" stroke-width=".4"/>'
        )
        parts.append(_text(at + 7.0, y, f"{kind} {POINTS[zone]}", colour=FAINT))
    y += _LINE
    parts.append(
        _text(x, y, "Dashed: where it touches, which decides the zone", colour=FAINT, size=4.4)
    )
    return _Words(parts=parts, bottom=y)


def _where(each: Lying, board: Board) -> tuple[float, float, float]:
    landing = each.landing
    if landing.place is None and landing.zone is Zone.OFF:
        return np.inf, np.inf, 0.0
    return place_of(each.name, landing, board)


def _description(entries: Sequence[Lying]) -> str:
    told = [
        f"{each.name} {each.landing.orientation.label if each.landing.orientation else ''} "
        f"{each.landing.zone.value}"
        for each in entries
    ]
    return "Seen from above, North up: " + ("; ".join(told) or "nothing lies on the board")


def _colour(owner: Seat | None) -> str:
    return INK if owner is None else OWNER_COLOURS[owner]


def _mark(pose: Orientation | None, x: float, y: float, *, size: float, colour: str) -> str:
    if pose is None:
        return ""
    corners = " ".join(f"{x + size * a:.2f},{y - size * b:.2f}" for a, b in _MARKS[pose])
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _text(
    x: float,
    y: float,
    words: str,
    *,
    colour: str = INK,
    anchor: str = "start",
    size: float = _TEXT,
    weight: str = "normal",
    turn: float = 0.0,
) -> str:
    if not words:
        return ""
    turned = f' transform="rotate({turn} {x:.2f} {y:.2f})"' if turn else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}"{turned}>{_words(words)}</text>'
    )


def _words(text: str) -> str:
    return escape(shown(text, longest=400))


def _srgb(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * to_srgb(part)):02x}" for part in colour)


def _area(polygon: Any, *, decimals: int = 3) -> str:  # noqa: ANN401 (shapely has no types)
    """Return polygons with their holes as the content of a path."""
    parts = getattr(polygon, "geoms", [polygon])
    rings = [np.asarray(ring.coords)[:-1] for each in parts for ring in _rings(each)]
    return _loops(rings, decimals=decimals)


def _rings(polygon: Any) -> Iterable[Any]:  # noqa: ANN401 (shapely carries no types)
    return (polygon.exterior, *polygon.interiors)


def _loops(loops: Iterable[Array], *, decimals: int = 2) -> str:
    """Return closed lines [m] as the content of a path [mm], each corner from the one before it."""
    words = []
    for loop in loops:
        flat = np.round(1e3 * loop * [1.0, -1.0], decimals)
        steps = np.diff(flat, axis=0, prepend=np.zeros((1, 2)))
        rest = " ".join(f"{_short(x, decimals)} {_short(y, decimals)}" for x, y in steps[1:])
        words.append(f"M{_short(flat[0, 0], decimals)} {_short(flat[0, 1], decimals)}l{rest}z")
    return "".join(words)


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return text if text not in {"-0", ""} else "0"
