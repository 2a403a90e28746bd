"""A sheet of every livery, from the front and from the back."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import Livery, dress
from pigglesim.errors import SpecError
from pigglesim.markings import Colour, Rune
from pigglesim.pictures.pixels import Shading, View, look_at, painted, srgb
from pigglesim.rotations import Array

FRONT = View.toward((0.22, -0.12, 1.0))
BACK = View.toward((-0.18, 0.16, -1.0))
"""A little from one side, so that one sees that it is round."""

_GROUND = np.array([0.921, 0.903, 0.861])
"""Linear RGB of the paper."""
_RUNES: tuple[Rune | None, ...] = (None, *Rune)
_MARGIN = 0.9
"""Inches for the names of the rows."""
_DPI = 100
_FINE = 3
"""Samples across a pixel: the tiles are small."""


def draw_lineup(body: Body, *, view: View, pixels: int) -> Array:
    """Return one image of all liveries: a row for each colour, a column for each rune.

    Args:
        body: A Piggle in its plain skin.
        view: From where each is seen.
        pixels: Width and height of each tile.

    Returns:
        sRGB in 0..1, shape [5 * pixels, 10 * pixels, 3].
    """
    looks: dict[Rune | None, Shading] = {}
    rows = []
    for colour in Colour:
        tiles = []
        for rune in _RUNES:
            skin = dress(body, Livery(colour=colour, rune=rune)).skin
            # A colour moves no vertex, and a rune only adds faces: one look at the runeless
            # skin, and one at the faces of each rune, serve all.
            if rune not in looks:
                bare, size = looks.get(None), (pixels, pixels)
                looks[rune] = look_at(skin, view, size=size, fine=_FINE, known=bare)
            tiles.append(painted(looks[rune], skin, ground=_GROUND))
        rows.append(np.concatenate(tiles, axis=1))
    return np.concatenate(rows, axis=0)


def save_lineup(body: Body, file: Path, *, pixels: int = 140) -> None:
    """Save the sheet of all liveries of a Piggle as a picture.

    Args:
        body: A Piggle in its plain skin.
        file: Where to; the suffix says the format, such as `.png`, `.pdf` or `.svg`.
        pixels: Width and height of each Piggle.

    Raises:
        SpecError: If the suffix names no format, or the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    # Before the work, not after it.
    if file.suffix.lstrip(".").lower() not in Figure().canvas.get_supported_filetypes():
        raise SpecError(
            "a file name that ends in a format of pictures",
            got=repr(file.name),
            remedy="such as lineup.png",
        )
    if not file.parent.is_dir():
        raise SpecError(
            "a folder to write a picture into", got=str(file.parent), remedy="check the path"
        )
    sheets = [("front", FRONT), ("back", BACK)]
    images = [draw_lineup(body, view=view, pixels=pixels) for _, view in sheets]
    wide, high = images[0].shape[1] / _DPI, images[0].shape[0] / _DPI
    heading = 0.55
    size = (wide + _MARGIN, len(images) * (high + heading))
    paper = tuple(srgb(_GROUND).tolist())
    figure = Figure(figsize=size, dpi=_DPI, facecolor=paper)
    for k, ((side, _), image) in enumerate(zip(sheets, images, strict=True)):
        bottom = (len(images) - 1 - k) * (high + heading)
        place = (_MARGIN / size[0], bottom / size[1], wide / size[0], high / size[1])
        axes = figure.add_axes(place)
        axes.imshow(image, interpolation="nearest")
        axes.set_yticks(_middles(len(Colour), pixels), [colour.label for colour in Colour])
        axes.set_xticks(_middles(len(_RUNES), pixels), _headings(side))
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelsize=8)
        for spine in axes.spines.values():
            spine.set_visible(False)
    try:
        figure.savefig(file, dpi=_DPI, facecolor=paper)
    except OSError as fault:
        raise SpecError(
            "a place to write a picture", got=f"{file}: {fault.strerror}", remedy="check the path"
        ) from None


def _middles(count: int, pixels: int) -> list[float]:
    return [(k + 0.5) * pixels - 0.5 for k in range(count)]


def _headings(side: str) -> Sequence[str]:
    names = ["runeless" if rune is None else f"{rune.number} {rune.value}" for rune in _RUNES]
    return [f"{side}, {names[0]}", *names[1:]]
