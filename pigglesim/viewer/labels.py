"""Words in a picture: what is written where, and each as a plate of pixels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pigglesim.films.film import Actor, Still
from pigglesim.pictures.marks import POSE_MARKS, ZONE_NAMES, landing_points
from pigglesim.rolls import Landing, Zone
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.palette import OWNERS

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["Plate", "caption_plate", "label_text", "reading_plates", "text_plate"]

_PAPER, _INK, _NAME = "#fffdf8", "#2b2726", "#ffffff"
_NOBODY = "#6f6966"
"""Ground of a name that belongs to no player."""
_TEXT = 13.5 / 720.0
"""Size of letters, in heights of the picture."""
_ABOVE = 0.019
"""How far above the middle of a body its label points to [m]."""
_GAP = 2
"""Pixels between two labels."""
_COVER = 0.90
"""How far a label hides what is behind it."""
_OFTEN = 4
"""Letters are drawn so many times as large and then made smaller: smooth at any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate:
    """A block of pixels at a place of the picture."""

    pixels: NDArray[np.uint8] = field(compare=False)
    """RGBA with premultiplied colours, the top row first, shape [height, width, 4]."""
    key: tuple[object, ...]
    """What tells its pixels from those of others."""
    corner: tuple[int, int]
    """Its upper left in the picture, from the left and from the top [pixels]."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        return self.pixels.shape[1], self.pixels.shape[0]


def label_text(landing: Landing) -> str:
    """Return how a Piggle lies, in a few words: `"▲ field S  3"`."""
    if landing.zone is Zone.OFF or landing.orientation is None:
        return "off the board"
    words = [POSE_MARKS[landing.orientation], ZONE_NAMES[landing.zone]]
    if landing.stacked or landing.leaning:
        words.append("stacked" if landing.stacked else "leans")
    points = landing_points(landing)
    return " ".join(words) + (f"  {points}" if points else "")


def reading_plates(
    actors: Sequence[Actor],
    readings: Mapping[str, Landing],
    still: Still,
    camera: Camera,
    size: tuple[int, int],
) -> list[Plate]:
    """Return a label for each Piggle that has been read, none over another.

    Args:
        actors: Who lies there, in the order of the still.
        readings: How each lies, by name; one that is missing has no label.
        still: Where each lies.
        camera: Where one looks from.
        size: Width and height of the picture in pixels.
    """
    seen = camera.project(still.positions + camera.axes[1] * _ABOVE, size)
    taken: list[tuple[int, int, int, int]] = []
    plates = []
    # Those in front keep their places; the ones behind them give way upwards.
    for number in np.argsort(seen[:, 2]).tolist():
        actor, (x, y, _) = actors[number], seen[number].tolist()
        if actor.name not in readings or not (0 <= x < size[0] and 0 <= y < size[1]):
            continue
        ground = OWNERS[actor.owner] if actor.owner else _NOBODY
        text = label_text(readings[actor.name])
        pixels = text_plate(actor.name, text, ground=ground, letters=_letters(size))
        high, wide = pixels.shape[:2]
        left = int(min(max(x - wide / 2, 0), size[0] - wide))
        box = _free(taken, (left, int(y) - high, wide, high))
        taken.append(box)
        key = (actor.name, text, ground, high)
        plates.append(Plate(pixels=pixels, key=key, corner=(box[0], max(box[1], 0))))
    return plates[::-1]


def caption_plate(text: str, size: tuple[int, int]) -> Plate:
    """Return a line of words for the lower left of a picture."""
    pixels = text_plate("", text, ground=_NOBODY, letters=_letters(size))
    margin = _letters(size) // 2 + 2
    corner = (margin, size[1] - pixels.shape[0] - margin)
    return Plate(pixels=pixels, key=("caption", text, pixels.shape[0]), corner=corner)


def _letters(size: tuple[int, int]) -> int:
    """Return the size of letters for a picture [pixels]."""
    return max(9, round(_TEXT * min(size[1], 0.75 * size[0])))


def _free(
    taken: Sequence[tuple[int, int, int, int]], box: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Return a box moved up until it meets none of those that are taken."""
    left, top, wide, high = box
    moved = True
    while moved:
        moved = False
        for other_left, other_top, other_wide, other_high in taken:
            beside = left >= other_left + other_wide + _GAP or other_left >= left + wide + _GAP
            apart = top >= other_top + other_high + _GAP or other_top >= top + high + _GAP
            if not beside and not apart:
                top, moved = other_top - high - _GAP, True
    return left, top, wide, high


@lru_cache(maxsize=256)
def text_plate(name: str, text: str, *, ground: str, letters: int) -> NDArray[np.uint8]:
    """Return words on a plate: a name on its owner's colour, then what is told of it.

    Args:
        name: On the left; none if empty.
        text: Beside it.
        ground: Colour under the name, as `#rrggbb`.
        letters: Their size [pixels].

    Returns:
        RGBA with premultiplied colours, read-only, shape [height, width, 4].
    """
    from PIL import Image, ImageDraw  # noqa: PLC0415 (slow to import)

    bold, plain = _font("DejaVuSans-Bold.ttf", letters), _font("DejaVuSans.ttf", letters)
    pad, high = 0.42 * letters, round(1.62 * letters)
    name_wide = bold.getlength(name) / _OFTEN + 2 * pad if name else 0.0
    wide = round(name_wide + plain.getlength(text) / _OFTEN + 2 * pad)
    image = Image.new("RGBA", (wide * _OFTEN, high * _OFTEN), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    ends = (0, 0, wide * _OFTEN - 1, high * _OFTEN - 1)
    radius = round(0.36 * letters * _OFTEN)
    draw.rounded_rectangle(ends, radius, fill=_PAPER)
    middle = high * _OFTEN / 2
    if name:
        split = round(name_wide * _OFTEN)
        corners = (True, False, False, True)
        draw.rounded_rectangle((0, 0, split, ends[3]), radius, fill=ground, corners=corners)
        draw.text((pad * _OFTEN, middle), name, font=bold, fill=_NAME, anchor="lm")
    start = (name_wide + pad) * _OFTEN
    draw.text((start, middle), text, font=plain, fill=_INK, anchor="lm")
    small = image.resize((wide, high), Image.Resampling.BOX)
    pixels = np.asarray(small, dtype=np.float64)
    cover = pixels[..., 3:] / 255.0 * _COVER
    plate = np.round(np.concatenate([pixels[..., :3] * cover, 255.0 * cover], axis=2))
    done = plate.astype(np.uint8)
    done.setflags(write=False)
    return done


@lru_cache(maxsize=32)
def _font(file: str, letters: int) -> "FreeTypeFont":
    """Return a font that comes with matplotlib, so that words look alike on every machine."""
    from PIL import ImageFont  # noqa: PLC0415 (slow to import)

    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None
    folder = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
    return ImageFont.truetype(
        str(folder / file), letters * _OFTEN, layout_engine=ImageFont.Layout.BASIC
    )
