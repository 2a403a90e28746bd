"""The board in cells and spots, from the same polygons as the zones."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.landing import Landing, Zone
from pigglesim.render.places import SPOTS, spot_of
from pigglesim.scene.scene import Board

_GRID = 60
"""Points across the board among which spots are chosen."""
_MARGINS = (0.015, 0.010, 0.006, 0.002)
"""Distances from the border of a zone to try [m]."""


def place_of(piggle: str, landing: Landing, board: Board) -> tuple[float, float, float]:
    """Return where to draw a Piggle [m].

    Rolls by odds give only orientation and zone; then each Piggle has its own spot in each zone.
    """
    if landing.place is not None:
        return landing.place.position
    return *spot_of(piggle, landing.zone, spots(board)), 0.0


@lru_cache(maxsize=4)
def spots(board: Board) -> Mapping[Zone, tuple[tuple[float, float], ...]]:
    """Return a dozen spots in each zone of a board [m], as far apart as possible."""
    from shapely import get_coordinates  # noqa: PLC0415 (slow to import)

    middle = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * board.size
    grid = np.array([(x, y) for x in middle for y in middle])
    spots_of = {zone: _spread(_inside(region, grid)) for zone, region in board.regions.items()}
    for zone, line in board.lines.items():
        spots_of[zone] = _spread(get_coordinates(line.segmentize(board.size / _GRID)))
    return spots_of


def _inside(region: Any, grid: Any) -> Any:  # noqa: ANN401 (shapely has no types)
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    # The largest margin that leaves room for all spots.
    for margin in _MARGINS:
        inside = grid[contains_xy(region.buffer(-margin), grid[:, 0], grid[:, 1])]
        if len(inside) >= SPOTS:
            break
    return inside


def _spread(points: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401 (an array)
    """Return a dozen of the points, each the farthest from those before it (Gonzalez 1985)."""
    chosen = [int(np.argmin(np.abs(points).sum(axis=1)))]
    far = np.full(len(points), np.inf)
    while len(chosen) < min(SPOTS, len(points)):
        far = np.minimum(far, np.hypot(*(points - points[chosen[-1]]).T))
        chosen.append(int(np.argmax(far)))
    return tuple((float(x), float(y)) for x, y in points[chosen])


GROUNDS = {
    "woods": ("♣", "#1f4a2a", "#17351f"),
    "path": ("·", "#8a7a55", "#c9b78a"),
    "field": (" ", "#2f6b3a", "#2f6b3a"),
}
"""Texture of each kind of region, its colour and that of the ground.

The texture alone distinguishes them without colours.
"""


@lru_cache(maxsize=8)
def region_kinds(board: Board, columns: int, rows: int) -> NDArray[np.str_]:
    """Return the kind of region (field, path, woods) in each cell of a grid, from the North-West.

    Shape [rows, columns]; cached, so do not modify it.
    """
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    x, y = np.meshgrid(
        ((np.arange(columns) + 0.5) / columns - 0.5) * board.size,
        (0.5 - (np.arange(rows) + 0.5) / rows) * board.size,
    )
    kinds = np.full(x.shape, "path", dtype="U5")
    for zone, region in board.regions.items():
        kinds[contains_xy(region, x, y)] = zone.value.split(":")[0]
    return kinds


def take_cells(
    at: tuple[float, float], width: int, *, columns: int, rows: int, taken: set[tuple[int, int]]
) -> tuple[int, int]:
    """Take the cells of a label in the nearest free row, and return its row and first column.

    Args:
        at: Its centre, east and north of the middle [board].
        width: Number of its characters.
        columns: Number of characters across the board.
        rows: Number of characters down the board.
        taken: Cells of other labels, as Piggles may touch; those of this one are added.
    """
    column = min(max(round((at[0] + 0.5) * columns - width / 2), 0), columns - width)
    row = min(max(int((0.5 - at[1]) * rows), 0), rows - 1)
    for shift in (0, 1, -1, 2, -2, 3, -3):
        cells = {(row + shift, column + k) for k in range(width)}
        if 0 <= row + shift < rows and not cells & taken:
            row += shift
            break
    taken.update((row, column + k) for k in range(width))
    return row, column
