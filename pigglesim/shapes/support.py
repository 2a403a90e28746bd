"""How high a body's centre stands on each direction, and where it rolls from there.

Standing on direction n of its own frame, a body's centre of mass is at the height
h(n) = max over hull vertices v of (v - c) . n. A body that is let go slowly follows the
steepest descent of h over the sphere, which is exact and has no steps: over the normal cone of
a vertex the path is a great circle away from it; it crosses the arc of an edge, or slides along
that arc where the foot of the perpendicular from c falls inside the edge; at the normal of a
facet it stops if the foot falls inside the facet and else leaves through the nearest point.
(The rolling model of Baktash, Sharp, Zhou, Jacobson and Crane 2025, "Putting Rigid Bodies to
Rest".)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.basins import Pass, basin_shares, merge_levels, ridge_lines, spilled
from pigglesim.shapes.body import Indices
from pigglesim.shapes.descent import Cells, cells_of, fall
from pigglesim.shapes.facets import Vector, cross, dot, merge_facets, minus, unit
from pigglesim.spatial import Array, transform

__all__ = ["Rest", "Saddle", "SupportFunction"]

_SHALLOW = 5e-6
"""Basins shallower than this [m] hold nothing: half the rounding of a moulded die's edge."""

_BRINK = 1e-9
"""A centre that stands this share of the hull's size inside an edge or less is past it: the
body balances there, and rounding must not say otherwise on one side of the edge alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """A minimum of h: a facet the body can stand on."""

    down: Vector
    """Unit normal of the facet, body frame."""
    height: float
    """Height of the centre of mass [m]."""
    escape: float
    """Height of the lowest saddle of its basin above it [m]; infinite where there is none."""
    vertices: tuple[int, ...]
    """Hull vertices of the facet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saddle:
    """A lowest way over between two basins."""

    height: float
    """Height of the centre of mass on the way over [m]."""
    first: int
    second: int
    """Indices of the rests on both sides."""


class SupportFunction:
    """The support function of a hull about a centre of mass, with its basins.

    Args:
        hull_vertices: Corners of a convex hull [m], shape [vertex_count, 3].
        hull_faces: Triangles, counter-clockwise from outside, shape [face_count, 3].
        centre: Centre of mass [m], inside the hull, shape [3].
        shallow: Basins shallower than this [m] are merged into the one they spill into.
    """

    def __init__(
        self,
        hull_vertices: Array,
        hull_faces: Indices,
        centre: Array,
        *,
        shallow: float = _SHALLOW,
    ) -> None:
        self._offsets = np.asarray(hull_vertices, dtype=float) - centre
        self._w: list[Vector] = [(x, y, z) for x, y, z in self._offsets.tolist()]
        self._faces = np.asarray(hull_faces, dtype=np.int64)
        self._facets = merge_facets(self._offsets, self._faces)
        lowest = min(dot(n, self._w[loop[0]]) for n, loop in self._facets.planes)
        if not lowest > 0:
            raise SpecError(
                "the centre of mass inside the hull",
                got=f"it lies {-lowest * 1e3:.3g} mm outside",
                remedy="check the ballast and the mesh",
            )
        # Corners inside a joined facet or a straight edge have no cell of their own.
        self._corners = np.array([k for k, spokes in enumerate(self._facets.spokes) if spokes])
        self._cells = self._offsets[self._corners]
        self._brink = _BRINK * float(np.max(np.abs(self._offsets)))
        self._cells_of = cells_of(self._w, self._facets, grazing=-1e-3 * self._brink)
        self._outside: set[tuple[int, int]] = set()
        self._exits = [self._leave(k) for k in range(len(self._facets.planes))]
        self._settle_facets()
        self._shallow = shallow
        self._merge(shallow)

    @property
    def poses(self) -> tuple[Rest, ...]:
        """The stable poses, lowest first."""
        return self._rests

    @property
    def saddles(self) -> tuple[Saddle, ...]:
        """The lowest way over between each two neighbouring poses, lowest first."""
        return self._saddles

    def height(self, direction: Array) -> float:
        """Return h [m] with `direction` (unit, body frame, shape [3]) pointing down."""
        return float(np.max(transform(direction[None, :], self._offsets)))

    def decided_below(self, classes: Sequence[object]) -> list[float]:
        """Return for each pose the height [m] below which its class can no longer change.

        It is the highest point of the lowest way to any pose of another class; infinite where
        all poses that can be reached are of one class. A body in the pose's basin whose centre,
        with all its energy turned into height, stays lower comes to rest in this class.

        Args:
            classes: The class of each pose, in the order of `poses`; compared by equality.
        """
        return merge_levels(classes, [(way.height, way.first, way.second) for way in self._saddles])

    def shares(self) -> list[float]:
        """Return the share of all directions that roll without momentum into each pose.

        Exact: the areas of the basins, whose borders are arcs of great circles.
        """
        return list(self._shares)

    @cached_property
    def _shares(self) -> list[float]:
        found = self._areas()
        # Where symmetry puts one saddle on the ridge of another, any other centre parts them.
        for reach in (1e-9, 1e-8, 1e-7):
            if found is not None:
                return found
            found = self._shares_beside(reach)
        raise SpecError(
            "basins whose borders close",
            got="a hull so finely cut that rounding decides where it rolls",
            remedy="round the corners of the mesh to a hundredth of a millimetre",
        )

    def _shares_beside(self, reach: float) -> list[float] | None:
        """Return the shares for a centre that lies `reach` of the body's size aside."""
        aside = reach * float(np.max(np.abs(self._offsets))) * np.array([0.53, -0.31, 0.79])
        other = SupportFunction(self._offsets, self._faces, aside, shallow=self._shallow)
        areas = other._areas()
        if areas is None:
            return None
        found = [0.0] * len(self._rests)
        for rest, share in zip(other.poses, areas, strict=True):
            found[self.descend(np.array(rest.down))] += share
        return found

    def borders(self) -> list[tuple[Array, int, int]]:
        """Return the lines that part basins, and the poses on both sides of each.

        A line is the turning points of arcs of great circles, unit vectors of the body frame,
        shape [point_count, 3].
        """
        passes = self._passes()
        lines = ridge_lines(self._w, self._facets, passes)
        return [
            (np.array(line), way.left, way.right) for line, way in zip(lines, passes, strict=True)
        ]

    def _areas(self) -> list[float] | None:
        return basin_shares(self._w, self._facets, self._passes(), len(self._rests))

    def _passes(self) -> list[Pass]:
        """Return the saddles between two poses that are not the same."""
        passes = []
        for edge in self._saddle_edges():
            _, _, left, right = self._facets.edges[edge]
            sides = self._basin_of_facet[left], self._basin_of_facet[right]
            if sides[0] != sides[1]:
                passes.append(Pass(edge=edge, left=sides[0], right=sides[1]))
        return passes

    def descend(self, direction: Array) -> int:
        """Return the index in `poses` of the rest that steepest descent leads to.

        Args:
            direction: Points down at the start; any length but zero, body frame, shape [3].
        """
        n = unit((float(direction[0]), float(direction[1]), float(direction[2])))
        vertex = int(self._corners[np.argmax(transform(np.array([n]), self._cells))])
        return self._basin_of_facet[self._fall(vertex, n)]

    @property
    def cells(self) -> Cells:
        """The hull as descent sees it."""
        return self._cells_of

    @property
    def pose_of_facet(self) -> tuple[int, ...]:
        """For each facet of `cells`, the index in `poses` of the rest it leads to."""
        return tuple(self._basin_of_facet)

    def path(self, direction: Array) -> tuple[Array, int]:
        """Return the turning points of the descent, shape [point_count, 3], and the pose."""
        n = unit((float(direction[0]), float(direction[1]), float(direction[2])))
        trace = [n]
        vertex = int(self._corners[np.argmax(transform(np.array([n]), self._cells))])
        facet = self._trace(vertex, n, trace)
        while self._next_facet[facet] != facet and len(trace) < 10_000:
            kind, where = self._exits[facet]
            n = self._facets.planes[facet][0]
            if kind == "edge":
                facet = self._other_side(where, facet)
                trace.append(self._facets.planes[facet][0])
            else:
                facet = self._trace(where, n, trace)
        return np.array(trace), self._basin_of_facet[facet]

    def _fall(self, vertex: int, n: Vector) -> int:
        """Return the first facet that descent reaches from `n` in the cell of `vertex`."""
        facet, _, x, y, z = fall(self._cells_of, vertex, *n, 20 * len(self._w))
        return facet if facet >= 0 else self._facet_of((x, y, z))

    def _facet_of(self, n: Vector) -> int:
        # Rounding alone can circle at a corner where many arcs meet: its facet is the answer.
        return max(range(len(self._facets.planes)), key=lambda k: dot(self._facets.planes[k][0], n))

    def _trace(self, vertex: int, n: Vector, trace: list[Vector]) -> int:
        """Return the same as `_fall`, and add the turning points on the way there."""
        for _ in range(20 * len(self._w)):
            facet, vertex, *ends = fall(self._cells_of, vertex, *n, 1)
            n = (ends[0], ends[1], ends[2])
            trace.append(n)
            if facet >= 0:
                trace.append(self._facets.planes[facet][0])
                return facet
        return self._facet_of(n)

    def _leave(self, facet: int) -> tuple[str, int]:
        """Return how descent goes on from a facet's normal: stays, by an edge, or by a vertex."""
        n, loop = self._facets.planes[facet]
        nearest, best = ("stay", facet), math.inf
        inside = True
        between = self._facets.edge_between
        for k, start in enumerate(loop):
            end = loop[(k + 1) % len(loop)]
            a, b = self._w[start], self._w[end]
            ab = minus(b, a)
            if dot(cross(a, ab), n) < self._brink * math.sqrt(dot(ab, ab)):
                inside = False
                self._outside.add((between[min(start, end), max(start, end)], facet))
            share = -dot(a, ab) / dot(ab, ab)
            held = min(1.0, max(0.0, share))
            p = (a[0] + held * ab[0], a[1] + held * ab[1], a[2] + held * ab[2])
            distance = dot(p, p)
            if distance < best:
                best = distance
                if held in {0.0, 1.0}:
                    nearest = ("vertex", start if held == 0.0 else end)
                else:
                    nearest = ("edge", between[min(start, end), max(start, end)])
        return ("stay", facet) if inside else nearest

    def _other_side(self, edge: int, facet: int) -> int:
        _, _, left, right = self._facets.edges[edge]
        return right if left == facet else left

    def _settle_facets(self) -> None:
        """Follow every facet to the stable facet where its descent ends."""
        count = len(self._facets.planes)
        self._next_facet = list(range(count))
        for k, (kind, where) in enumerate(self._exits):
            if kind == "edge":
                self._next_facet[k] = self._other_side(where, k)
            elif kind == "vertex":
                self._next_facet[k] = self._fall(where, self._facets.planes[k][0])
        heights = [dot(n, self._w[loop[0]]) for n, loop in self._facets.planes]
        self._end = list(range(count))
        for k in range(count):
            end, steps = k, 0
            while self._next_facet[end] != end and steps < count:
                end, steps = self._next_facet[end], steps + 1
            self._end[k] = end
        self._heights = heights

    def _merge(self, shallow: float) -> None:
        """Find saddles, merge shallow basins and number what is left, lowest first."""
        ways = self._ways()
        stable = sorted({*self._end}, key=lambda k: (self._heights[k], k))
        home = spilled({k: self._heights[k] for k in stable}, ways, shallow=shallow)
        kept = [k for k in stable if home[k] == k]
        number = {k: i for i, k in enumerate(kept)}
        self._basin_of_facet = [number[home[end]] for end in self._end]
        lowest = _lowest_ways(ways, home)
        self._saddles = tuple(
            Saddle(height=height, first=number[pair[0]], second=number[pair[1]])
            for pair, height in sorted(lowest.items(), key=lambda item: (item[1], item[0]))
        )
        spill = _spills(lowest)
        self._rests = tuple(self._rest(k, spill.get(k, math.inf)) for k in kept)

    def _rest(self, facet: int, over: float) -> Rest:
        n, loop = self._facets.planes[facet]
        height = self._heights[facet]
        return Rest(down=n, height=height, escape=over - height, vertices=tuple(sorted(loop)))

    def _saddle_edges(self) -> list[int]:
        """Return the edges that the body can balance on: the centre stands over their inside."""
        # The test of stable facets: rounding cannot make one of the two without the other.
        return [
            edge
            for edge, (_, _, left, right) in enumerate(self._facets.edges)
            if self._facets.feet[edge] is not None
            and (edge, left) not in self._outside
            and (edge, right) not in self._outside
        ]

    def _ways(self) -> list[tuple[float, int, int]]:
        """Return height and the two facets where descent ends, for every saddle."""
        found = []
        for edge in self._saddle_edges():
            foot, (_, _, left, right) = self._facets.feet[edge], self._facets.edges[edge]
            assert foot is not None
            found.append((math.sqrt(dot(foot, foot)), self._end[left], self._end[right]))
        return found


def _spills(lowest: dict[tuple[int, int], float]) -> dict[int, float]:
    """Return the height at which each basin spills into a neighbour."""
    found: dict[int, float] = {}
    for pair, height in lowest.items():
        for k in pair:
            found[k] = min(height, found.get(k, math.inf))
    return found


def _lowest_ways(
    ways: list[tuple[float, int, int]], home: dict[int, int]
) -> dict[tuple[int, int], float]:
    """Return the lowest saddle between each two merged basins."""
    lowest: dict[tuple[int, int], float] = {}
    for height, a, b in ways:
        pair = (min(home[a], home[b]), max(home[a], home[b]))
        if pair[0] != pair[1]:
            lowest[pair] = min(height, lowest.get(pair, math.inf))
    return lowest
