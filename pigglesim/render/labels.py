"""Texts over a picture as blocks of pixels, the same on every machine, and labels of landings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from pigglesim.films.film import Film, FilmActor, Still
from pigglesim.landing import Landing, Orientation, Zone
from pigglesim.render.camera import Camera
from pigglesim.render.figure import display_name
from pigglesim.render.palette import (
    FAINT,
    INK,
    OWNER_COLOURS,
    PAPER,
    POSE_MARKS,
    ZONE_NAMES,
    landing_points,
    pose_mark,
    support_word,
)
from pigglesim.render.svg import overlap_area
from pigglesim.rotations import Array

_MODE = "CMYK"
"""Mode with four channels that Pillow blends alike, as premultiplied RGB and opacity require."""
_SCALE = 4
"""Factor by which curves and lines are drawn larger, then reduced, so that they are smooth."""


@lru_cache(maxsize=64)
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    """Return a font that comes with matplotlib, so that words look alike on every machine."""
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None, "pictures need it"
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    file = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / name
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


def line_height(size: int) -> int:
    """Return the height of a line of text [pixels] in letters of a size [pixels]."""
    return round(1.35 * size)


@lru_cache(maxsize=4096)
def text_width(text: str, size: int, *, bold: bool = False) -> int:
    """Return the width of a line of text [pixels]."""
    return round(_font(size, bold=bold).getlength(text))


def wrap_text(text: str, size: int, width: int) -> list[str]:
    """Return a text as lines of at most a width [pixels], except for single long words."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


def truncate(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return a text of at most a width [pixels], with an ellipsis where it was cut."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(f"{text}…", size, bold=bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelBox:
    """A rectangle of one colour; x and y are its upper left corner [pixels]."""

    x: int
    y: int
    width: int
    height: int
    colour: str
    alpha: float = 1.0
    radius: int = 0
    """Radius of its corners [pixels]."""

    def contains(self, x: float, y: float) -> bool:
        """Return whether a pixel lies in it."""
        return 0 <= x - self.x < self.width and 0 <= y - self.y < self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One line of letters; x and y are its upper left corner [pixels]."""

    x: int
    y: int
    text: str
    size: int
    colour: str
    bold: bool = False

    @property
    def width(self) -> int:
        """Width of the letters [pixels]."""
        return max(text_width(self.text, self.size, bold=self.bold) + 2, 1)

    @property
    def height(self) -> int:
        """Height of the line [pixels]."""
        return line_height(self.size)


Item = PanelBox | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlate:
    """A block of pixels at a place of the picture."""

    pixels: NDArray[np.uint8] = field(compare=False)
    """RGBA with premultiplied colours, the top row first, shape [height, width, 4]; read-only."""
    key: tuple[object, ...]
    """Distinguishes its pixels from those of others."""
    corner: tuple[int, int] = field(compare=False)
    """Its upper left in the picture, from the left and from the top [pixels]."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        return self.pixels.shape[1], self.pixels.shape[0]


def plate_of(items: Sequence[Item]) -> LabelPlate:
    """Return boxes and letters as one plate, the last in front."""
    left, top = min(item.x for item in items), min(item.y for item in items)
    # Wherever it is moved to, it is drawn once.
    key = tuple(replace(item, x=item.x - left, y=item.y - top) for item in items)
    return LabelPlate(pixels=_drawn(key), key=key, corner=(left, top))


@lru_cache(maxsize=256)
def _drawn(items: tuple[Item, ...]) -> NDArray[np.uint8]:
    width = max(item.x + item.width for item in items)
    height = max(item.y + item.height for item in items)
    image = Image.new(_MODE, (max(width, 1), max(height, 1)))
    draw = ImageDraw.Draw(image)
    for item in items:
        if isinstance(item, Text):
            draw.text(
                (item.x, item.y + round(1.02 * item.size)), item.text, fill=_opaque(item.colour),
                font=_font(item.size, bold=item.bold), anchor="ls",
            )  # fmt: skip
        elif item.width > 0:
            size = (item.width * _SCALE, item.height * _SCALE)
            cover = Image.new("L", size if item.radius else (item.width, item.height))
            ImageDraw.Draw(cover).rounded_rectangle(
                (0, 0, cover.width - 1, cover.height - 1),
                item.radius * _SCALE,
                fill=round(255 * item.alpha),
            )
            mask = cover.reduce(_SCALE) if item.radius else cover
            image.paste(_opaque(item.colour), (item.x, item.y), mask)
    return _read_only(np.array(image))


def line_plate(start: tuple[float, float], end: tuple[float, float], colour: str) -> LabelPlate:
    """Return a thin line between two places of the picture [pixels], with a dot at its end."""
    left, top = (int(min(a, b)) - 3 for a, b in zip(start, end, strict=True))
    right, low = (int(max(a, b)) + 4 for a, b in zip(start, end, strict=True))
    cover = Image.new("L", ((right - left) * _SCALE, (low - top) * _SCALE))
    draw = ImageDraw.Draw(cover)
    (ax, ay), (bx, by) = (((x - left) * _SCALE, (y - top) * _SCALE) for x, y in (start, end))
    draw.line((ax, ay, bx, by), fill=235, width=round(1.4 * _SCALE))
    draw.circle((bx, by), 2.0 * _SCALE, fill=235)
    image = Image.new(_MODE, (right - left, low - top))
    image.paste(_opaque(colour), (0, 0), cover.reduce(_SCALE))
    key = ("line", start, end, colour)
    return LabelPlate(pixels=_read_only(np.array(image)), key=key, corner=(left, top))


def _opaque(colour: str) -> tuple[int, ...]:
    return (*ImageColor.getrgb(colour), 255)


def _read_only(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    pixels.setflags(write=False)
    return pixels


_TEXT = 13.5 / 720.0
"""Font size, in heights of the picture."""
_LEAST, _TINY = 9, 7
"""Minimum readable font size of text, and of names and signs alone [pixels]."""
_SMALL = 6.0
"""Font size below which a picture has no room for words [pixels]."""
_SHORT = 6
"""Maximum length of a label shown if there is no orientation mark [characters]."""
_RADIUS = 0.0125
"""Radius around a body that its label leaves free [m]."""
_DIRECTIONS = 16
_STEPS = (0.0, 0.5, 1.2, 2.2, 3.5, 5.0, 7.0)
"""Distances to try for a label, in its own heights."""
# Above first, then alternately to both sides; all near offsets before all farther ones.
_TURNS = np.array([(k + 1) // 2 * (1 if k % 2 else -1) for k in range(_DIRECTIONS)])
_ANGLES: Array = np.tile(2.0 * np.pi * _TURNS / _DIRECTIONS, len(_STEPS))
_SINES: Array = np.sin(_ANGLES)
_COSINES: Array = np.cos(_ANGLES)
_AWAY: Array = np.repeat(np.array(_STEPS, dtype=np.float64), _DIRECTIONS)
_POSES = {
    Orientation.SNOUT_UP: "up",
    Orientation.SNOUT_DOWN: "down",
    Orientation.ON_THEIR_HEAD: "head",
}


def label_text(landing: Landing) -> str:
    """Return the landing of a Piggle in a few words: `"▲ up · field S · 3"`."""
    if landing.zone is Zone.OFF:
        return "off the board"
    pose = landing.orientation
    parts = [f"{POSE_MARKS[pose]} {_POSES[pose]}" if pose else display_name(landing.label)]
    parts += [ZONE_NAMES[landing.zone], support_word(landing), str(landing_points(landing) or "")]
    return " · ".join(filter(None, parts))


def film_caption(film: Film, slow_motion: float = 1.0) -> str:
    """Return a one-line caption of a film: `"B rolls 6 · seed 7 · roll 1"`."""
    rolled = [actor for actor in film.actors if not actor.standing]
    owners = sorted({str(actor.owner) for actor in rolled if actor.owner})
    parts = [f"{' and '.join(owners)} rolls {len(rolled)}" if owners else f"{len(rolled)} rolled"]
    # Only the rolls of a match are known by number; others by a command.
    keys = ("seed",) if "command" in film.origin else ("seed", "roll")
    parts += [f"{key} {film.origin[key]}" for key in keys if key in film.origin]
    if slow_motion != 1.0:
        parts.append(f"{slow_motion:g} times as slow")
    return " · ".join(parts)


def caption_plate(text: str, size: tuple[int, int]) -> LabelPlate:
    """Return a line of text for the lower left of a picture."""
    letters = _letters(size)
    plate = _label("", text, FAINT, letters)
    return replace(plate, corner=(letters, size[1] - plate.size[1] - letters))


def _label(name: str, text: str, ground: str, letters: int) -> LabelPlate:
    """Return a name on its owner's colour, if there is one, followed by a text."""
    high, pad, corner = (round(share * letters) for share in (1.62, 0.42, 0.36))
    split = text_width(name, letters, bold=True) + 2 * pad if name else 0
    wide = split + text_width(text, letters) + 2 * pad
    y = (high - line_height(letters)) // 2
    paper = PanelBox(x=0, y=0, width=wide, height=high, colour=PAPER, alpha=0.92, radius=corner)
    label = Text(x=split + pad, y=y, text=text, size=letters, colour=INK)
    if not name:
        return plate_of([paper, label])
    owner = replace(paper, width=split, colour=ground, alpha=1.0)
    heading = replace(label, x=pad, text=name, colour="#ffffff", bold=True)
    return plate_of([paper, label, owner, heading])


def reading_plates(
    actors: Sequence[FilmActor],
    readings: Mapping[str, Landing],
    still: Still,
    camera: Camera,
    size: tuple[int, int],
    *,
    keep_out: Sequence[tuple[int, int, int, int]] = (),
) -> list[LabelPlate]:
    """Return a label for each Piggle with a reading, and a line to it from a distant label.

    `keep_out` are left, top, width and height of other texts in the picture [pixels].
    """
    projected = camera.project(still.positions, size)
    scale = camera.projection(size[0] / size[1])[1, 1] * size[1] / 2.0
    centres = np.nan_to_num(projected[:, :2], nan=-1e6)
    reach = scale * _RADIUS / np.maximum(np.nan_to_num(projected[:, 2]), 1e-3)[:, None]
    bodies = np.hstack([centres - reach, centres + reach])
    taken = [(x, y, x + wide, y + high) for x, y, wide, high in keep_out]
    plates, lines = [], []
    # Bodies in front are placed first.
    for number in np.argsort(projected[:, 2], kind="stable").tolist():
        actor, (x, y) = actors[number], centres[number].tolist()
        if actor.name not in readings or not (0.0 <= x < size[0] and 0.0 <= y < size[1]):
            continue
        ground = OWNER_COLOURS[actor.owner] if actor.owner else FAINT
        letters, reading = _letters(size), readings[actor.name]
        text = (
            label_text(reading)
            if letters >= _LEAST
            else pose_mark(reading) or display_name(reading.label or "off", longest=_SHORT)
        )
        plate = _label(actor.name, text, ground, letters)
        wide, high = plate.size
        radius = float(reach[number, 0])
        left, top = _place((x, y), radius, plate.size, bodies, taken, size)
        taken.append((left, top, left + wide, top + high))
        plates.append(replace(plate, corner=(left, top)))
        start = (min(max(x, left), left + wide), min(max(y, top), top + high))
        if math.dist(start, (x, y)) > radius + 0.7 * high:
            lines.append(line_plate(start, (x, y), ground))
    return lines + plates[::-1]


def _letters(size: tuple[int, int]) -> int:
    fitting = _TEXT * min(size[1], 0.75 * size[0])
    return max(_LEAST, round(fitting)) if fitting >= _SMALL else _TINY


def _place(
    middle: tuple[float, float],
    radius: float,
    label: tuple[int, int],
    bodies: Array,
    taken: Sequence[tuple[int, int, int, int]],
    size: tuple[int, int],
) -> tuple[int, int]:
    """Return the position where a label hides least; among equals, the nearest to its body."""
    (x, y), (wide, high) = middle, label
    middle_x = x + _SINES * (radius + wide / 2.0 + _AWAY * high)
    middle_y = y - _COSINES * (radius + high / 2.0 + 2.0 + _AWAY * high)
    left = np.rint(np.clip(middle_x - wide / 2.0, 0.0, size[0] - wide))
    top = np.rint(np.clip(middle_y - high / 2.0, 0.0, size[1] - high))
    spots = np.column_stack([left, top, left + wide, top + high])
    edges = np.array(taken, dtype=float).reshape(-1, 4)
    cost = 6.0 * overlap_area(spots + np.array([-2, -2, 2, 2]), edges) + 2.5 * overlap_area(
        spots, bodies
    )
    near_x, near_y = np.clip(x, left, left + wide), np.clip(y, top, top + high)
    cost += high * np.hypot(near_x - x, near_y - y)
    # Round to 0.001 pixels, so that ties resolve to the first on every machine.
    best = int(np.argmin(np.round(cost, 3)))
    return int(left[best]), int(top[best])
