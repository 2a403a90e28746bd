"""The board: a square of nested regions, and the table under it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from pigglesim.errors import SpecError
from pigglesim.landing import Zone
from pigglesim.rotations import Array

INCH = 0.0254
"""Metres in an inch, exactly (the international yard, 1959)."""

_FIELDS = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)


@dataclass(frozen=True, kw_only=True)
class Board:
    """Fields in an X of lanes, a ring of path, the woods, the edge (R2, P10).

    Seen from above, North is +y and East is +x; the top surface is z = 0. The inner square is cut
    by two diagonal lanes into four triangular fields. Regions are exact polygons, and they are the
    only source of zones, of drawings and of area fractions.
    """

    size: float = 13.0 * INCH
    """Side of the whole board [m]."""
    woods: float = 1.5 * INCH
    """Width of the outermost ring [m]."""
    ring: float = 1.0 * INCH
    """Width of the square band of path [m]."""
    inner: float = 8.0 * INCH
    """Side of the inner square [m]."""
    lane: float = 1.0 * INCH
    """Width of a diagonal lane, across it [m]."""
    line: float = 0.002
    """Printed width of a line, centred on the border it draws [m]."""
    thickness: float = 0.012
    """Height of the board above the table [m]."""
    plain: bool = False
    """Whether nothing is printed on it: dice are read by their faces, wherever they lie."""

    def __post_init__(self) -> None:
        widths = {
            "size": self.size,
            "woods": self.woods,
            "ring": self.ring,
            "inner": self.inner,
            "lane": self.lane,
            "line": self.line,
            "thickness": self.thickness,
        }
        for name, value in widths.items():
            # Written so that NaN fails too.
            if not 0.0 < value < 10.0:
                raise SpecError(
                    f"a board whose {name} is a positive length below 10 m",
                    got=f"{value:g} m",
                    remedy=f"give {name} a positive length",
                )
        total = self.inner + 2.0 * (self.ring + self.woods)
        if abs(total - self.size) > 1e-6:
            raise SpecError(
                f"board regions that add up to its size, {self.size / INCH:g} in",
                got=f"inner + 2 (ring + woods) = {total / INCH:g} in",
                remedy="change inner_in, ring_in, woods_in or size_in until they add up",
            )
        if self.lane * 2**0.5 >= self.inner or 2 * self.line >= min(
            self.lane, self.ring, self.woods
        ):
            raise SpecError(
                "lanes narrower than the inner square and lines under half as wide as any region",
                got=f"lane {self.lane / INCH:g} in, inner {self.inner / INCH:g} in, "
                f"line {self.line * 1000:g} mm",
                remedy="make lane_in or line_mm smaller",
            )

    @classmethod
    def unprinted(cls, *, size: float, thickness: float) -> "Board":
        """Return a plain board [m]; its regions, which nothing asks for, are the common ones."""
        common = cls()
        scale = size / common.size
        return cls(
            size=size,
            woods=common.woods * scale,
            ring=common.ring * scale,
            inner=common.inner * scale,
            lane=common.lane * scale,
            line=common.line * scale,
            thickness=thickness,
            plain=True,
        )

    @property
    def half(self) -> float:
        """Half the side of the board [m]."""
        return self.size / 2.0

    @cached_property
    def regions(self) -> dict[Zone, Any]:
        """Polygons of the eight regions that have an area, by zone; borders at mid-line."""
        from shapely import MultiPolygon, Polygon, box, union_all  # noqa: PLC0415 (slow to import)

        def square(half: float) -> Polygon:
            return box(-half, -half, half, half)

        inner, ring = self.inner / 2.0, self.inner / 2.0 + self.ring
        # A lane's border meets the inner square this far from its corner, and the other lane's
        # border this far from the centre.
        cut = self.lane / 2**0.5
        north = Polygon([(0.0, cut), (inner - cut, inner), (cut - inner, inner)])
        turns = ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))
        fields = {
            zone: Polygon([(a * x + b * y, c * x + d * y) for x, y in north.exterior.coords])
            for zone, (a, b, c, d) in zip(_FIELDS, turns, strict=True)
        }
        lanes = square(inner).difference(union_all(list(fields.values())))
        assert not isinstance(lanes, MultiPolygon)
        return {
            **fields,
            Zone.PATH_INNER: lanes,
            Zone.PATH_OUTER: square(ring).difference(square(inner)),
            Zone.WOODS: square(self.half).difference(square(ring)),
        }

    @cached_property
    def field_borders(self) -> Any:  # noqa: ANN401 (shapely carries no types)
        """The middle of the printed field/path lines, as one geometry."""
        from shapely import union_all  # noqa: PLC0415 (slow to import)

        return union_all([self.regions[zone].boundary for zone in _FIELDS])

    @cached_property
    def woods_border(self) -> Any:  # noqa: ANN401 (shapely carries no types)
        """The middle of the printed path/woods line, as one geometry."""
        from shapely import box  # noqa: PLC0415 (slow to import)

        ring = self.inner / 2.0 + self.ring
        return box(-ring, -ring, ring, ring).exterior


Print: TypeAlias = Zone | Literal["line", "plain"]
"""What an area of the board's top shows: a region, the lines, or that nothing is printed."""


def printed_areas(board: Board) -> Iterator[tuple[Print, Any]]:
    """Yield what is printed on a board, and the area it covers as a geometry of shapely [m].

    They are the polygons that zones are read from, so that a picture from above shows at each point
    the zone that is read there; the lines come last. A plain board is one area.
    """
    from shapely import box, union_all  # noqa: PLC0415 (slow to import)

    if board.plain:
        yield "plain", box(-board.half, -board.half, board.half, board.half)
        return
    borders = (board.field_borders, board.woods_border)
    lines = union_all([each.buffer(board.line / 2.0, join_style="mitre") for each in borders])
    for zone, region in board.regions.items():
        yield zone, region.difference(lines)
    yield "line", lines


def triangles_of(area: Any) -> Array:  # noqa: ANN401 (shapely carries no types)
    """Return the triangles of an area, counter-clockwise [m], shape [triangle_count, 3, 2]."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415 (slow)

    points = get_coordinates(constrained_delaunay_triangles(area))
    # Each ring gives its first corner again at its end.
    corners: Array = points.reshape(-1, 4, 2)[:, :3]
    ahead, back = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = ahead[:, 0] * back[:, 1] < ahead[:, 1] * back[:, 0]
    corners[clockwise] = corners[clockwise][:, ::-1]
    return corners
