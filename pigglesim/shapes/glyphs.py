"""The runes as shapes: our own drawings, of strokes, dots and plates in a square of side 2.

Seen by one who looks at the mark: +x to the right, +y up, the origin in the middle. A Piggle
lies at any angle, so that no rune may be another one turned round: left and right, and the two
of each pair of arrows and spirals, are mirror images with a sense of turning. "Across From" is
said to be an inverted "To the Left Of"; upside down it would be the right one turned round, so
that it is inverted in light and dark: the same hook cut out of a plate.
"""

import math
from collections.abc import Sequence
from typing import Any

from pigglesim.markings import Rune

__all__ = ["glyph"]

Point = tuple[float, float]

_WIDTH = 0.36
"""Width of a stroke: a tenth of the mark's height on each side still shows at 20 pixels."""
_CORNERS = 8
"""Corners of a quarter of a round end."""


def glyph(rune: Rune) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the filled outline of a rune, a shapely geometry within the square of side 2."""
    from shapely import Point as Dot  # noqa: PLC0415 (slow to import)
    from shapely import affinity, union_all  # noqa: PLC0415 (slow to import)

    match rune:
        case Rune.LEFT:
            return _hook()
        case Rune.ACROSS:
            plate = Dot(0.0, 0.0).buffer(1.0, quad_segs=2 * _CORNERS)
            return plate.difference(affinity.scale(_hook(0.34), 0.66, 0.66, origin=(0.0, 0.0)))
        case Rune.ADJACENT:
            diamond = ((0.0, 0.84), (0.84, 0.0), (0.0, -0.84), (-0.84, 0.0), (0.0, 0.84))
            dots = [Dot(x, 0.0).buffer(0.2, quad_segs=_CORNERS) for x in (-0.3, 0.3)]
            return union_all([_stroke(diamond, 0.28), *dots])
        case Rune.ARROW_CW:
            return _turning_arrow()
        case Rune.SPIRAL_CW:
            return _spiral()
        case Rune.SPLIT:
            return _split()
        case Rune.RIGHT | Rune.ARROW_CCW | Rune.SPIRAL_CCW:
            twin = {
                Rune.RIGHT: Rune.LEFT,
                Rune.ARROW_CCW: Rune.ARROW_CW,
                Rune.SPIRAL_CCW: Rune.SPIRAL_CW,
            }[rune]
            return affinity.scale(glyph(twin), -1.0, 1.0, origin=(0.0, 0.0))


def _stroke(points: Sequence[Point], width: float = _WIDTH) -> Any:  # noqa: ANN401 (shapely)
    from shapely import LineString  # noqa: PLC0415 (slow to import)

    return LineString(points).buffer(width / 2, quad_segs=_CORNERS)


def _arc(
    radius: float, start_deg: float, end_deg: float, *, end_radius: float = 0.0
) -> list[Point]:
    """Return points of an arc about the origin; with an `end_radius`, of a spiral."""
    count = max(2, round(abs(end_deg - start_deg) / 12.0))
    points = []
    for k in range(count + 1):
        share = k / count
        turn = math.radians(start_deg + (end_deg - start_deg) * share)
        reach = radius + ((end_radius or radius) - radius) * share
        points.append((reach * math.cos(turn), reach * math.sin(turn)))
    return points


def _hook(width: float = _WIDTH) -> Any:  # noqa: ANN401 (shapely)
    """Return a way that goes up and then turns to the left, with a barbed end."""
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    stem = [(0.62, -0.82), (0.62, 0.1)]
    bend = [(x + 0.3, y + 0.1) for x, y in _arc(0.32, 0.0, 90.0)]
    way = [*stem, *bend, (-0.7, 0.42)]
    barb = [(-0.3, 0.82), (-0.72, 0.42), (-0.3, 0.02)]
    return union_all([_stroke(way, width), _stroke(barb, width)])


def _turning_arrow() -> Any:  # noqa: ANN401 (shapely)
    """Return an open ring that runs clockwise into an arrow head."""
    from shapely import Polygon, union_all  # noqa: PLC0415 (slow to import)

    radius, foot_deg = 0.62, 48.0
    ring = _arc(radius, 300.0, foot_deg)
    turn = math.radians(foot_deg)
    outward, ahead = (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))
    head = [
        tuple(outward[axis] * (radius + across) + ahead[axis] * along for axis in (0, 1))
        for across, along in ((-0.46, 0.0), (0.46, 0.0), (-0.06, 0.66))
    ]
    return union_all([_stroke(ring, 0.28), Polygon(head).buffer(0.03, quad_segs=4)])


def _spiral() -> Any:  # noqa: ANN401 (shapely)
    """Return a line that winds out clockwise from a dot in its middle."""
    from shapely import Point as Dot  # noqa: PLC0415 (slow to import)
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    line = _arc(0.42, 220.0, -200.0, end_radius=0.85)
    return union_all([_stroke(line, 0.26), Dot(0.0, 0.0).buffer(0.17, quad_segs=_CORNERS)])


def _split() -> Any:  # noqa: ANN401 (shapely)
    """Return a line that comes down and parts into two curved legs."""
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    # A cubic Bezier curve: straight down at the fork, and straight down again at the foot.
    a, b, c, d = (0.0, 0.3), (0.0, -0.4), (0.64, 0.1), (0.64, -0.82)
    leg = []
    for k in range(17):
        t = k / 16
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (
            sum(w * point[axis] for w, point in zip(weights, (a, b, c, d), strict=True))
            for axis in (0, 1)
        )
        leg.append((x, y))
    trunk = [(0.0, 0.82), (0.0, 0.3)]
    legs = [[(side * x, y) for x, y in leg] for side in (1.0, -1.0)]
    return union_all([_stroke(trunk), *(_stroke(points) for points in legs)])
