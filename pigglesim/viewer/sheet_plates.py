"""What is written over a picture, as plates of pixels; what has not changed is not made again."""

from functools import lru_cache

import numpy as np

from pigglesim.spatial import Array
from pigglesim.viewer.lettering import line_height, text_picture, text_width
from pigglesim.viewer.overlay import Box, Sheet, Text
from pigglesim.viewer.palette import srgb
from pigglesim.viewer.plates import Plate

__all__ = ["sheet_plates"]

_Item = Box | Text


def sheet_plates(sheet: Sheet) -> tuple[Plate, ...]:
    """Return a plate for each group of a sheet, in order."""
    return tuple(_plate(tuple(group)) for group in sheet.groups if group)


def _bounds(item: _Item) -> tuple[int, int, int, int]:
    """Return left, top, right and lower edge of an item [pixels]."""
    if isinstance(item, Box):
        return item.x, item.y, item.x + item.width, item.y + item.height
    wide = text_width(item.text, item.size, bold=item.bold) + 2
    return item.x, item.y, item.x + max(wide, 1), item.y + line_height(item.size)


@lru_cache(maxsize=96)
def _plate(items: tuple[_Item, ...]) -> Plate:
    edges = np.array([_bounds(item) for item in items])
    left, top = edges[:, :2].min(axis=0).tolist()
    right, low = edges[:, 2:].max(axis=0).tolist()
    pixels = np.zeros((max(low - top, 1), max(right - left, 1), 4))
    for item, (x, y, end, bottom) in zip(items, edges.tolist(), strict=True):
        part = pixels[y - top : bottom - top, x - left : end - left]
        if isinstance(item, Box):
            _lay(part, srgb(item.colour), np.full(part.shape[:2], item.alpha))
        elif item.text:
            cover = text_picture(item.text, item.size, bold=item.bold) / 255.0
            _lay(part, srgb(item.colour), cover[: part.shape[0], : part.shape[1]])
    whole = np.round(255.0 * pixels).astype(np.uint8)
    return Plate(pixels=whole, key=items, corner=(left, top))


def _lay(under: Array, colour: Array, cover: Array) -> None:
    """Lay a colour over premultiplied pixels, in place; each is covered in part."""
    under *= (1.0 - cover)[:, :, None]
    under[:, :, :3] += cover[:, :, None] * colour
    under[:, :, 3] += cover
