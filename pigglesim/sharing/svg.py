"""A board from straight above as one SVG: the polygons that zones are read from, and the bodies.

Lengths are in millimetres from the middle of the board, East to the right and North up (so y is
turned round). Every letter is escaped, and a picture asks for nothing from elsewhere.
"""

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from pigglesim.pictures.places import place_of
from pigglesim.pictures.style import FAINT, INK, PAPER, shown
from pigglesim.reading.contact import ground_contact
from pigglesim.reading.orientation import face_up
from pigglesim.reading.zone import footprint_points
from pigglesim.rolls import ClassLanding, ReadingRules, RestPlace, Zone
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.shapes.pips import is_numbered, worn_skin
from pigglesim.sharing.label_spots import Box, label_spots
from pigglesim.sharing.outlines import Outline, outlines, silhouette
from pigglesim.sharing.palette import BOARD, EDGE, LINE, PLAIN
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg_atoms import TEXT, area, loops, mark, owner_colour, plain, srgb, text
from pigglesim.sharing.svg_list import WIDTH, Lying, LyingDie, words_beside
from pigglesim.spatial import Array

__all__ = ["board_svg", "lying_in", "top_view_svg"]

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
            f'<path data-zone="{zone.value}" fill="{BOARD[zone]}" stroke="{BOARD[zone]}" '
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
