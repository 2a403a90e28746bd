"""Letters and plates of words as blocks of pixels, the same on every machine."""

from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont


@lru_cache(maxsize=64)
def _font(size: int, *, bold: bool, basic: bool = False) -> ImageFont.FreeTypeFont:
    """Return a font that comes with matplotlib, so that words look alike on every machine."""
    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None, "pictures need it"
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    file = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / name
    layout = ImageFont.Layout.BASIC if basic else None
    return ImageFont.truetype(str(file), size, layout_engine=layout)


def line_height(size: int) -> int:
    """Return how high a line of text is [pixels], the gap to the next one included.

    Args:
        size: Of the letters [pixels].
    """
    return round(1.35 * size)


@lru_cache(maxsize=4096)
def text_width(text: str, size: int, *, bold: bool = False) -> int:
    """Return how wide a line of text is [pixels]."""
    return round(_font(size, bold=bold).getlength(text))


@lru_cache(maxsize=512)
def text_picture(text: str, size: int, *, bold: bool = False) -> NDArray[np.uint8]:
    """Return how much of each pixel a line of text covers, 0 to 255, top row first."""
    width, height = max(text_width(text, size, bold=bold) + 2, 1), line_height(size)
    image = Image.new("L", (width, height), 0)
    font = _font(size, bold=bold)
    baseline = round(1.02 * size)
    ImageDraw.Draw(image).text((0, baseline), text, fill=255, font=font, anchor="ls")
    return np.asarray(image)


def wrapped(text: str, size: int, width: int, *, bold: bool = False) -> list[str]:
    """Return a text as lines that are no wider than asked [pixels], but for single long words."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size, bold=bold) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


_PAPER, _INK, _NAME = "#fffdf8", "#2b2726", "#ffffff"
_COVER = 0.92
"""How far a plate hides what is behind it."""
_OFTEN = 4
"""All is drawn so many times as large and then made smaller: smooth at any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate:
    """A block of pixels at a place of the picture."""

    pixels: NDArray[np.uint8] = field(compare=False)
    """RGBA with premultiplied colours, the top row first, shape [height, width, 4]."""
    key: tuple[object, ...]
    """What tells its pixels from those of others."""
    corner: tuple[int, int] = field(compare=False)
    """Its upper left in the picture, from the left and from the top [pixels]."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        return self.pixels.shape[1], self.pixels.shape[0]


def line_plate(start: tuple[float, float], end: tuple[float, float], colour: str) -> Plate:
    """Return a thin line between two places of the picture [pixels], with a dot at its end."""
    left, top = (int(min(a, b)) - 3 for a, b in zip(start, end, strict=True))
    right, low = (int(max(a, b)) + 4 for a, b in zip(start, end, strict=True))
    image = Image.new("RGBA", ((right - left) * _OFTEN, (low - top) * _OFTEN), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    (ax, ay), (bx, by) = (((x - left) * _OFTEN, (y - top) * _OFTEN) for x, y in (start, end))
    draw.line((ax, ay, bx, by), fill=colour, width=round(1.4 * _OFTEN))
    dot = 2.0 * _OFTEN
    draw.ellipse((bx - dot, by - dot, bx + dot, by + dot), fill=colour)
    key = ("line", start, end, colour)
    return Plate(pixels=_shrunk(image), key=key, corner=(left, top))


@lru_cache(maxsize=256)
def text_pixels(name: str, text: str, *, ground: str, letters: int) -> NDArray[np.uint8]:
    """Return words on a plate: a name on its owner's colour, then what is told of it.

    Args:
        name: On the left; none if empty.
        text: Beside it.
        ground: Colour under the name, as `#rrggbb`.
        letters: Their size [pixels].

    Returns:
        RGBA with premultiplied colours, read-only, shape [height, width, 4].
    """
    bold, plain = (_font(_OFTEN * letters, bold=each, basic=True) for each in (True, False))
    pad, high = 0.42 * letters, round(1.62 * letters)
    name_wide = bold.getlength(name) / _OFTEN + 2 * pad if name else 0.0
    wide = round(name_wide + plain.getlength(text) / _OFTEN + 2 * pad)
    image = Image.new("RGBA", (wide * _OFTEN, high * _OFTEN), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    right, low = wide * _OFTEN - 1, high * _OFTEN - 1
    radius = round(0.36 * letters * _OFTEN)
    draw.rounded_rectangle((0, 0, right, low), radius, fill=_PAPER)
    if name:
        split = round(name_wide * _OFTEN)
        corners = (True, False, False, True)
        draw.rounded_rectangle((0, 0, split, low), radius, fill=ground, corners=corners)
        draw.text((pad * _OFTEN, low / 2), name, font=bold, fill=_NAME, anchor="lm")
    start = (name_wide + pad) * _OFTEN
    draw.text((start, low / 2), text, font=plain, fill=_INK, anchor="lm")
    return _shrunk(image)


def _shrunk(image: Image.Image) -> NDArray[np.uint8]:
    """Return a picture at its true size, its colours premultiplied and a little transparent."""
    size = (image.width // _OFTEN, image.height // _OFTEN)
    pixels = np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float64)
    cover = pixels[..., 3:] / 255.0 * _COVER
    plate = np.round(np.concatenate([pixels[..., :3] * cover, 255.0 * cover], axis=2))
    done: NDArray[np.uint8] = plate.astype(np.uint8)
    done.setflags(write=False)
    return done
