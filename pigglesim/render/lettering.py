"""Letters, boxes and lines as plates: blocks of pixels, the same on every machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

_MODE = "CMYK"
"""Four channels that Pillow blends alike, as premultiplied red, green, blue and cover need it."""
_OFTEN = 4
"""Curves and lines are drawn so many times as large and then made smaller: smooth at any size."""


@lru_cache(maxsize=64)
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    """Return a font that comes with matplotlib, so that words look alike on every machine."""
    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None, "pictures need it"
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    file = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / name
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


def line_height(size: int) -> int:
    """Return the height of a line of text [pixels] in letters of a size [pixels]."""
    return round(1.35 * size)


@lru_cache(maxsize=4096)
def text_width(text: str, size: int, *, bold: bool = False) -> int:
    """Return the width of a line of text [pixels]."""
    return round(_font(size, bold=bold).getlength(text))


def wrapped(text: str, size: int, width: int) -> list[str]:
    """Return a text as lines that are no wider than asked [pixels], but for single long words."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


def cut(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return a text that is no wider than asked [pixels], with an ellipsis where it was cut."""
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

    def holds(self, x: float, y: float) -> bool:
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
class Plate:
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


def plate_of(items: Sequence[Item]) -> Plate:
    """Return boxes and letters as one plate, the last in front."""
    left, top = min(item.x for item in items), min(item.y for item in items)
    # Wherever it is moved to, it is drawn once.
    key = tuple(replace(item, x=item.x - left, y=item.y - top) for item in items)
    return Plate(pixels=_drawn(key), key=key, corner=(left, top))


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
            size = (item.width * _OFTEN, item.height * _OFTEN)
            cover = Image.new("L", size if item.radius else (item.width, item.height))
            ImageDraw.Draw(cover).rounded_rectangle(
                (0, 0, cover.width - 1, cover.height - 1),
                item.radius * _OFTEN,
                fill=round(255 * item.alpha),
            )
            mask = cover.reduce(_OFTEN) if item.radius else cover
            image.paste(_opaque(item.colour), (item.x, item.y), mask)
    return _read_only(np.array(image))


def line_plate(start: tuple[float, float], end: tuple[float, float], colour: str) -> Plate:
    """Return a thin line between two places of the picture [pixels], with a dot at its end."""
    left, top = (int(min(a, b)) - 3 for a, b in zip(start, end, strict=True))
    right, low = (int(max(a, b)) + 4 for a, b in zip(start, end, strict=True))
    cover = Image.new("L", ((right - left) * _OFTEN, (low - top) * _OFTEN))
    draw = ImageDraw.Draw(cover)
    (ax, ay), (bx, by) = (((x - left) * _OFTEN, (y - top) * _OFTEN) for x, y in (start, end))
    draw.line((ax, ay, bx, by), fill=235, width=round(1.4 * _OFTEN))
    draw.circle((bx, by), 2.0 * _OFTEN, fill=235)
    image = Image.new(_MODE, (right - left, low - top))
    image.paste(_opaque(colour), (0, 0), cover.reduce(_OFTEN))
    key = ("line", start, end, colour)
    return Plate(pixels=_read_only(np.array(image)), key=key, corner=(left, top))


def _opaque(colour: str) -> tuple[int, ...]:
    return (*ImageColor.getrgb(colour), 255)


def _read_only(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    pixels.setflags(write=False)
    return pixels
