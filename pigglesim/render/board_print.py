"""Print of a board: woods with trees, a path with pebbles, the points of the zones, and the seats.

The shapes follow the board's lengths, so that every scene has its own print. The page paints them
on a canvas, pictures and windows by Pillow, and drawings as SVG.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pigglesim.landing import ZONE_POINTS, Seat, Zone
from pigglesim.render.palette import (
    CLEARING,
    CROWNS,
    FIGURE,
    LINE,
    OWNER_COLOURS,
    PEBBLES,
    PLAIN,
    REGIONS,
)
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board

_SIZE, _OVER = 1536, 2
"""Side of a painted print [pixels], and the factor by which it is painted larger."""
_SEED, _TRIES = 11, 2500
"""Seed of the places of trees and pebbles, and the places that are tried."""
_QUARTER = np.array([[0, 1], [-1, 0]])
"""Quarter turn of a row from North to East."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ink:
    """Shapes of one colour, over those before it; lengths are in millimetres, y to the South."""

    colour: str
    loops: Sequence[Array]
    """Corners of filled loops, or of lines if there is a `width`, shape [corner_count, 2] each."""
    width: float = 0.0
    """Width of lines with round ends, or of dots of one corner; 0 to fill the loops."""

    @property
    def path(self) -> str:
        """Shapes as the content of a path of SVG."""
        # A line without length is not drawn everywhere.
        ends = ("h.01" if len(loop) == 1 else "" if self.width else "z" for loop in self.loops)
        texts = (" ".join(f"{x:.4g} {y:.4g}" for x, y in np.round(loop, 1)) for loop in self.loops)
        return "".join(f"M{text}{end}" for text, end in zip(texts, ends, strict=True))


def _arc(x: float, y: float, r: float, start: float, end: float, *, tall: float = 1.0) -> Array:
    """Return points of an arc, by angles in quarter turns from East to South."""
    turn = np.linspace(start, end, 2 + round(4 * abs(end - start))) * np.pi / 2.0
    return np.column_stack([x + r * np.cos(turn), y + r * tall * np.sin(turn)])


def _line(*points: tuple[float, float]) -> Array:
    return np.array(points, dtype=float)


# Strokes of characters about their middle, two units high.
_STROKES: dict[str, tuple[Array, ...]] = {
    "1": (_line((-0.42, -0.55), (0.06, -0.95), (0.06, 0.95)),),
    "2": (np.vstack([_arc(0, -0.37, 0.56, -2.1, 0.45), _line((-0.6, 0.93), (0.62, 0.93))]),),
    "3": (np.vstack([_arc(-0.02, -0.47, 0.5, -1.75, 0.9), _arc(-0.02, 0.43, 0.56, -0.9, 1.78)]),),
    "H": (_line((-0.6, -1), (-0.6, 1)), _line((0.6, -1), (0.6, 1)), _line((-0.6, 0), (0.6, 0))),
    "N": (_line((-0.62, 1), (-0.62, -1), (0.62, 1), (0.62, -1)),),
    "O": (_arc(0, 0, 0.75, 0, 4, tall=1.34),),
    "R": (
        np.vstack(
            [_line((-0.55, 1), (-0.55, -1)), _arc(0.05, -0.47, 0.53, -1, 1), _line((-0.55, 0.06))]
        ),
        _line((0.05, 0.06), (0.62, 1)),
    ),
    "S": (np.vstack([_arc(0, -0.48, 0.54, -0.3, -2.9), _arc(0, 0.46, 0.56, -0.9, 1.75)]),),
    "T": (_line((-0.72, -1), (0.72, -1)), _line((0, -1), (0, 1))),
    "U": (np.vstack([_line((-0.62, -1)), _arc(0, 0.3, 0.62, 2, 0, tall=1.13), _line((0.62, -1))]),),
}
_ADVANCE = 2.15
"""Distance between letters, in half heights."""


def lettering(text: str, at: Array, half: float, colour: str, *, turn: int = 0) -> Ink:
    """Return drawn capitals or digits about a point, of half a height, turned by quarters [mm]."""
    matrix = np.linalg.matrix_power(_QUARTER, turn)
    loops = []
    for number, letter in enumerate(text):
        start = _ADVANCE * (number - (len(text) - 1) / 2.0)
        shift = np.array([start, 0.0])
        loops += [(stroke + shift) @ matrix * half + at for stroke in _STROKES[letter]]
    return Ink(colour=colour, loops=loops, width=0.36 * half)


def _square(half: float) -> Array:
    return half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def _trees_and_pebbles(
    board: Board, corners: Sequence[Array], spots: Sequence[Array]
) -> tuple[Mapping[float, Array], Mapping[float, Array]]:
    """Return the circles of trees and of pebbles, which leave the numbers free."""
    half, line, lane = 1e3 * board.half, 1e3 * board.line, 1e3 * board.lane
    inner, wide, stone = 500.0 * board.inner, 1e3 * board.woods, 1e3 * board.ring
    ring, middle = 1e3 * (board.inner / 2.0 + board.ring), half - wide / 2.0
    rng = np.random.default_rng(_SEED)
    trees = _scattered(
        rng, half, [0.13 * wide, 0.18 * wide, 0.24 * wide], gap=0.76,
        fits=lambda x, y, r: ring + line + r < max(x, y) < half - r,
        free=[(at, 0.27 * wide) for at in corners]
        + [((0, y), 1.4 * wide) for y in (middle, -middle)],
    )  # fmt: skip
    pebbles = _scattered(
        rng, half, [0.04 * stone, 0.08 * stone, 0.13 * stone], gap=2.1,
        fits=lambda x, y, r: max(x, y) < ring - line - r
        and (max(x, y) > inner + line + r or abs(x - y) < 2.0**0.5 * (lane / 2.0 - line - r)),
        free=[(at, 0.36 * stone) for at in spots],
    )  # fmt: skip
    return trees, pebbles


@lru_cache(maxsize=8)
def board_inks(board: Board) -> tuple[Ink, ...]:
    """Return the print of a board, from the lowest ink to the last."""
    half, line = 1e3 * board.half, 1e3 * board.line
    if board.plain:
        return _plain_inks(half)
    ring, wide = 1e3 * (board.inner / 2.0 + board.ring), 1e3 * board.woods
    inner, lane = 500.0 * board.inner, 1e3 * board.lane
    cut = lane / 2.0**0.5
    middle, band, stone = half - wide / 2.0, (inner + ring) / 2.0, 1e3 * board.ring
    corners = [np.array([x, y]) for x in (-middle, middle) for y in (-middle, middle)]
    spots = [np.array(xy) for xy in ((0, 0), (band, 0), (-band, 0), (0, band), (0, -band))]
    trees, pebbles = _trees_and_pebbles(board, corners, spots)
    field = np.array([(0.0, -cut), (inner - cut, -inner), (cut - inner, -inner)])
    fields = [field @ np.linalg.matrix_power(_QUARTER, k) for k in range(4)]
    # The middle of the largest circle in a field.
    deep = -(cut + (inner - cut) * 2.0**0.5 / (1.0 + 2.0**0.5))
    paper, path, woods = (REGIONS[zone] for zone in _NUMBERED)
    field_points, path_points, woods_points = (str(ZONE_POINTS[zone]) for zone in _NUMBERED)
    return (
        Ink(colour=woods, loops=[_square(half)]),
        *_dots(CROWNS[0], trees, 1.0, shift=(0.12, 0.16)),
        *_dots(CROWNS[1], trees, 0.93),
        *_dots(CROWNS[2], trees, 0.66, shift=(-0.12, -0.14)),
        *_dots(CROWNS[3], trees, 0.34, shift=(-0.28, -0.32)),
        Ink(colour=LINE, loops=[_square(ring + line / 2.0)]),
        Ink(colour=path, loops=[_square(ring - line / 2.0)]),
        *_dots(PEBBLES[0], pebbles, 1.0, shift=(0.14, 0.2)),
        *_dots(PEBBLES[1], pebbles, 1.0),
        Ink(colour=LINE, loops=[_grown(loop, line / 2.0) for loop in fields]),
        Ink(colour=paper, loops=[_grown(loop, -line / 2.0) for loop in fields]),
        Ink(colour=CLEARING, loops=[at[None] for at in corners], width=0.52 * wide),
        Ink(colour=paper, loops=[at[None] for at in spots], width=0.66 * stone),
        *_field_points(field_points, deep, 0.22 * (inner - cut)),
        *(lettering(path_points, at, 0.19 * stone, LINE, turn=2 * (at[1] < 0)) for at in spots),
        *(lettering(woods_points, at, 0.14 * wide, LINE, turn=2 * (at[1] < 0)) for at in corners),
        *_seat_plates(middle, wide),
    )


def _plain_inks(half: float) -> tuple[Ink, ...]:
    """Return a plain board: its ground, and a frame."""
    frame = np.vstack([_square(0.93 * half), _square(0.93 * half)[:1]])
    return (
        Ink(colour=PLAIN, loops=[_square(half)]),
        Ink(colour=CROWNS[1], loops=[frame], width=0.008 * half),
    )


def _field_points(points: str, deep: float, half: float) -> Iterator[Ink]:
    """Yield the points of each field, `deep` from the middle of the board."""
    for k, turn in enumerate((2, 3, 0, 1)):
        at = np.array([0.0, deep]) @ np.linalg.matrix_power(_QUARTER, k)
        yield lettering(points, at, half, FIGURE, turn=turn)


def _seat_plates(middle: float, wide: float) -> Iterator[Ink]:
    """Yield the name plates of both seats, in the middle of the woods before them."""
    for seat, name, y, turn in ((Seat.A, "SOUTH", middle, 0), (Seat.B, "NORTH", -middle, 2)):
        plate = _line((-wide, y), (wide, y))
        yield Ink(colour=OWNER_COLOURS[seat], loops=[plate], width=0.5 * wide)
        yield lettering(name, plate.mean(axis=0), 0.13 * wide, "#ffffff", turn=turn)


_NUMBERED = (Zone.FIELD_NORTH, Zone.PATH_OUTER, Zone.WOODS)
"""A zone of each colour, whose points are printed."""


def _dots(
    colour: str,
    scattered: Mapping[float, Array],
    share: float,
    *,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Iterator[Ink]:
    """Yield dots of a share of their radius, moved by shares of it."""
    for radius, places in scattered.items():
        moved = places + radius * np.array(shift)
        yield Ink(colour=colour, loops=[at[None] for at in moved], width=2.0 * radius * share)


def _grown(loop: Array, by: float) -> Array:
    """Return a loop moved outwards by a distance, with mitred corners."""
    before, after = loop - np.roll(loop, 1, axis=0), np.roll(loop, -1, axis=0) - loop
    a, b = (edge / np.linalg.norm(edge, axis=1)[:, None] for edge in (before, after))
    turn = np.sign(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    normal = turn * np.column_stack([a[:, 1] + b[:, 1], -a[:, 0] - b[:, 0]])
    share = 1.0 + np.sum(a * b, axis=1)
    moved: Array = loop + by * normal / share[:, None]
    return moved


def _scattered(
    rng: np.random.Generator,
    half: float,
    radii: Sequence[float],
    *,
    gap: float,
    free: Sequence[tuple[Sequence[float] | Array, float]],
    fits: Callable[[float, float, float], bool],
) -> Mapping[float, Array]:
    """Return random places in a square, by radius, outside free discs.

    `fits` judges the distances of a place from both axes, and a radius.
    """
    # Middle and radius of each disc so far, and which share of two radii keeps it away.
    known = np.array([[*at, radius, 1.05] for at, radius in free])
    places: dict[float, list[Array]] = {radius: [] for radius in radii}
    for number, at in enumerate(rng.uniform(-half, half, (_TRIES, 2))):
        radius = radii[number % len(radii)]
        x, y = np.abs(at).tolist()
        if not fits(x, y, radius):
            continue
        apart = np.hypot(known[:, 0] - at[0], known[:, 1] - at[1])
        if np.all(apart > (known[:, 2] + radius) * known[:, 3]):
            known = np.vstack([known, [*at, radius, gap]])
            places[radius].append(at)
    return {radius: np.array(found).reshape(-1, 2) for radius, found in places.items()}


@lru_cache(maxsize=4)
def painted(board: Board) -> NDArray[np.uint8]:
    """Return the print as pixels, RGBA, North first, shape [height, width, 4]."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 (slow to import)

    side = _SIZE * _OVER
    scale, image = side / (2e3 * board.half), Image.new("RGB", (side, side))
    draw = ImageDraw.Draw(image)

    for ink in board_inks(board):
        wide = ink.width * scale
        for loop in ink.loops:
            corners = [tuple(point) for point in (loop * scale + side / 2.0).tolist()]
            if not wide:
                draw.polygon(corners, fill=ink.colour)
                continue
            draw.line(corners, fill=ink.colour, width=round(wide), joint="curve")
            for x, y in (corners[0], corners[-1]):
                draw.circle((x, y), wide / 2.0, fill=ink.colour)
    return np.asarray(image.reduce(_OVER).convert("RGBA"))
