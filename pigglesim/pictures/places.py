"""Where a Piggle is drawn: where physics left it, or somewhere in its zone if none did."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from pigglesim.rolls import Landing, Zone
from pigglesim.scene.board import Board

__all__ = ["place_of", "spots"]

_SPOTS = 12
"""One for each Piggle of a match, so that none lies on another."""
_GRID = 60
"""Points across the board among which spots are chosen."""
_MARGINS = (0.015, 0.010, 0.006, 0.002)
"""Distances from the border of a zone to try [m]."""


def place_of(piggle: str, landing: Landing, board: Board) -> tuple[float, float, float]:
    """Return where to draw a Piggle [m].

    Rolls by odds tell pose and zone alone: there each Piggle has a spot of its own in each zone.
    """
    if landing.place is not None:
        return landing.place.position
    where = spots(board)[landing.zone]
    number = int(piggle[1:]) - 1 + (0 if piggle[0] == "A" else _SPOTS // 2)
    x, y = where[number % len(where)]
    return x, y, 0.0


@lru_cache(maxsize=4)
def spots(board: Board) -> Mapping[Zone, tuple[tuple[float, float], ...]]:
    """Return a dozen spots in each zone of a board [m], as far from each other as can be."""
    from shapely import get_coordinates  # noqa: PLC0415 (slow to import)

    middle = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * board.size
    grid = np.array([(x, y) for x in middle for y in middle])
    found = {zone: _spread(_inside(region, grid)) for zone, region in board.regions.items()}
    for zone, line in (
        (Zone.LINE_FIELD_PATH, board.field_borders),
        (Zone.LINE_PATH_WOODS, board.woods_border),
    ):
        found[zone] = _spread(get_coordinates(line.segmentize(board.size / _GRID)))
    return found


def _inside(region: Any, grid: Any) -> Any:  # noqa: ANN401 (shapely has no types)
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    # As far from the border as leaves room for all.
    for margin in _MARGINS:
        within = grid[contains_xy(region.buffer(-margin), grid[:, 0], grid[:, 1])]
        if len(within) >= _SPOTS:
            break
    return within


def _spread(points: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401 (an array)
    """Return a dozen of the points, each the farthest from those before it (Gonzalez 1985)."""
    chosen = [int(np.argmin(np.abs(points).sum(axis=1)))]
    far = np.full(len(points), np.inf)
    while len(chosen) < min(_SPOTS, len(points)):
        far = np.minimum(far, np.hypot(*(points - points[chosen[-1]]).T))
        chosen.append(int(np.argmax(far)))
    return tuple((float(x), float(y)) for x, y in points[chosen])
