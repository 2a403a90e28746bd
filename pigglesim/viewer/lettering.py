"""Letters: how wide a text is, and its picture; the same everywhere, for the font comes along."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont


@lru_cache(maxsize=32)
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    # Matplotlib brings the font; to import all of it would be slow.
    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(found.origin).parent / "mpl-data/fonts/ttf" / name, size)


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
