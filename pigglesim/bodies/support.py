"""Support function of a convex hull: its facets, edges and cells, and descent to stable poses."""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pigglesim.descent import (
    FROM_CORNER,
    OVER_EDGE,
    STAY,
    Cells,
    Vector,
    fall,
    nearest_facet,
    pose_below,
)
from pigglesim.errors import SpecError
from pigglesim.rotations import Array, Indices, transform

_FLAT = 3e-6
"""Largest distance of coplanar triangles' corners from their plane, as a share of the hull's size:
some 40 nm, a few times the rounding of a mesh file."""


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def unit(a: Vector) -> Vector:
    """Return a scaled to length 1."""
    size = math.sqrt(dot(a, a))
    return (a[0] / size, a[1] / size, a[2] / size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """A hull with coplanar triangles joined; offsets are from the centre of mass."""

    planes: list[tuple[Vector, tuple[int, ...]]]
    """Outward unit normal of each facet and its vertices, counter-clockwise from outside."""
    edges: list[tuple[int, int, int, int]]
    """Two vertices (the smaller first) and the two facets of each edge."""
    edge_between: dict[tuple[int, int], int]
    """The edge between two vertices, the smaller first."""
    feet: list[Vector | None]
    """Foot of the perpendicular from the centre to each edge where it lies inside it, else None."""
    spokes: list[list[tuple[int, Vector]]]
    """Edges at each vertex, with the vector from the edge's other end to it."""


def merge_facets(offsets: Array, faces: Indices) -> Facets:
    """Return the facets of a hull whose corners are at `offsets` from the centre."""
    w: list[Vector] = [(x, y, z) for x, y, z in offsets.tolist()]
    corners = offsets[faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    planes = []
    for members in _groups(offsets, faces, areas):
        x, y, z = areas[members].sum(axis=0).tolist()
        planes.append((unit((x, y, z)), _loop(faces[members])))
    planes = _without_straight_corners(planes)
    sides: dict[tuple[int, int], list[int]] = {}
    for k, (_, loop) in enumerate(planes):
        for a, b in zip(loop, loop[1:] + loop[:1], strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(k)
    edges = [(a, b, pair[0], pair[1]) for (a, b), pair in sorted(sides.items())]
    feet: list[Vector | None] = []
    spokes: list[list[tuple[int, Vector]]] = [[] for _ in w]
    for index, (a, b, _, _) in enumerate(edges):
        spokes[a].append((index, minus(w[a], w[b])))
        spokes[b].append((index, minus(w[b], w[a])))
        along = minus(w[b], w[a])
        share = -dot(w[a], along) / dot(along, along)
        wa = w[a]
        foot = (wa[0] + share * along[0], wa[1] + share * along[1], wa[2] + share * along[2])
        feet.append(foot if 0.0 < share < 1.0 else None)
    between = {(a, b): index for index, (a, b, _, _) in enumerate(edges)}
    return Facets(planes=planes, edges=edges, edge_between=between, feet=feet, spokes=spokes)


def _groups(offsets: Array, faces: Indices, area_vectors: Array) -> list[list[int]]:
    corners = offsets[faces]
    areas = np.linalg.norm(area_vectors, axis=1)
    normals = area_vectors / np.maximum(areas, 1e-300)[:, None]
    neighbours: dict[tuple[int, int], list[int]] = {}
    for k, (a, b, c) in enumerate(faces.tolist()):
        for pair in ((a, b), (b, c), (c, a)):
            neighbours.setdefault((min(pair), max(pair)), []).append(k)
    beside: list[list[int]] = [[] for _ in faces]
    for first, second in neighbours.values():
        beside[first].append(second)
        beside[second].append(first)
    grouped = np.zeros(len(faces), dtype=bool)
    groups = []
    size = float(np.max(np.abs(offsets)))
    # The largest triangle of a facet has the most accurate plane, so it gathers the others.
    for seed in np.argsort(-areas, kind="stable").tolist():
        if grouped[seed]:
            continue
        grouped[seed] = True
        members, front = [seed], [seed]
        while front:
            for other in beside[front.pop()]:
                if grouped[other]:
                    continue
                lift = np.max(np.abs((corners[other] - corners[seed, 0]) @ normals[seed]))
                # The normal of a sliver is meaningless.
                alike = areas[other] < 1e-6 * size**2 or normals[other] @ normals[seed] > 0
                if lift < _FLAT * size and alike:
                    grouped[other] = True
                    members.append(other)
                    front.append(other)
        groups.append(members)
    return groups


def _loop(triangles: Indices) -> tuple[int, ...]:
    """Return the outline of a set of triangles that form one convex polygon."""
    sides = [(t[k], t[(k + 1) % 3]) for t in triangles.tolist() for k in range(3)]
    inner = {*sides}
    following = {a: b for a, b in sides if (b, a) not in inner}
    start = min(following)
    loop = [start]
    while following[loop[-1]] != start:
        loop.append(following[loop[-1]])
    return tuple(loop)


def _without_straight_corners(
    planes: list[tuple[Vector, tuple[int, ...]]],
) -> list[tuple[Vector, tuple[int, ...]]]:
    """Drop vertices where fewer than three facets meet: they are inside an edge."""
    count: dict[int, int] = {}
    for _, loop in planes:
        for vertex in loop:
            count[vertex] = count.get(vertex, 0) + 1
    return [(n, tuple(v for v in loop if count[v] >= 3)) for n, loop in planes]


def cells_as_arrays(cells: Cells) -> Cells:
    """Return cells with arrays in place of lists, for compiled code."""
    vectors = ("corners", "sides", "feet", "normals", "pose_down")
    kinds: dict[str, type] = dict.fromkeys((*vectors, "pose_height", "pose_escape"), np.float64)
    kinds["held"] = np.bool_
    arrays: dict[str, Any] = {
        name: np.array(values, kinds.get(name, np.int64))
        for name, values in cells._asdict().items()
        if name != "grazing"
    }
    # Without entries a list does not show how many numbers each would have.
    arrays |= {name: arrays[name].reshape(-1, 3) for name in vectors}
    arrays["edges"] = arrays["edges"].reshape(-1, 4)
    return Cells(**arrays, grazing=cells.grazing)


_COMMON_CORNER: Vector = unit((0.412, -0.337, 0.847))
"""Common corner of the triangles that areas are summed from: off every symmetry."""


_Pass = tuple[int, int, int]
"""An edge that the body tips over between two poses, and the poses beyond its two facets."""


def _basin_shares(
    w: Sequence[Vector], facets: Facets, passes: Sequence[_Pass], count: int
) -> list[float] | None:
    """Return the share of the sphere in each basin; None if their borders do not close.

    They fail to close only where one saddle is, to the last bit, on the ridge of another.
    """
    areas = [0.0] * count
    ends: dict[tuple[int, int], int] = {}
    ridges = [_ridge(w, facets, edge) for edge, _, _ in passes]
    swept = _swept_areas([line for line, _, _ in ridges])
    for (_, left, right), (_, first, last), area in zip(passes, ridges, swept, strict=True):
        for pose, sign in ((left, 1), (right, -1)):
            areas[pose] += sign * area
            ends[pose, first] = ends.get((pose, first), 0) - sign
            ends[pose, last] = ends.get((pose, last), 0) + sign
    if any(ends.values()):
        return None
    if count == 1:
        return [1.0]
    shares = [area / (4 * math.pi) % 1.0 for area in areas]
    return shares if abs(sum(shares) - 1.0) < 1e-9 else None


def _ridge(w: Sequence[Vector], facets: Facets, edge: int) -> tuple[list[Vector], int, int]:
    """Return the ridge over a saddle, the edge's first facet on its left, and its two peaks."""
    a, b, left, right = facets.edges[edge]
    foot = facets.feet[edge]
    assert foot is not None
    top = unit(foot)
    to_left = minus(facets.planes[left][0], facets.planes[right][0])
    # Seen from outside, left of the path from b to a is top x (a - b).
    ab = minus(w[a], w[b])
    if dot(top, cross(ab, to_left)) < 0:
        a, b = b, a
    behind, first = _ascent(w, facets, top, b)
    ahead, last = _ascent(w, facets, top, a)
    return [*reversed(behind), top, *ahead], first, last


def _ascent(
    w: Sequence[Vector], facets: Facets, start: Vector, vertex: int
) -> tuple[list[Vector], int]:
    """Return the turning points of steepest ascent from `start`, and the vertex of its peak."""
    points: list[Vector] = []
    n = start
    while True:
        goal = w[vertex]
        along = dot(goal, n)
        t = (goal[0] - along * n[0], goal[1] - along * n[1], goal[2] - along * n[2])
        size = math.sqrt(dot(t, t))
        nearest, edge = math.inf, -1
        for candidate, side in facets.spokes[vertex]:
            # Ascent leaves only towards vertices beyond which the perpendicular's foot is:
            # rounding cannot send it back.
            if dot(goal, side) >= 0.0:
                continue
            angle = math.atan2(max(0.0, dot(n, side)) * size, -dot(t, side))
            if angle < nearest:
                nearest, edge = angle, candidate
        if edge < 0:
            points.append(unit(goal))
            return points, vertex
        # If the peak is on the border of its cell, rounding may put the border behind it.
        nearest = min(nearest, math.atan2(size, along))
        c, s = math.cos(nearest), math.sin(nearest) / (size or 1.0)
        n = unit((c * n[0] + s * t[0], c * n[1] + s * t[1], c * n[2] + s * t[2]))
        points.append(n)
        first, second = facets.edges[edge][:2]
        vertex = second if vertex == first else first


def _swept_areas(lines: Sequence[Sequence[Vector]]) -> list[float]:
    """Return for each line on the unit sphere the signed area of the triangles to one point.

    Summed over a closed border it is the area on the border's left, up to whole spheres (van
    Oosterom and Strackee 1983).
    """
    if not lines:
        return []
    points = np.array([point for line in lines for point in line])
    p, q = points[:-1], points[1:]
    # Products written out, and one arctangent at a time: those of BLAS and of numpy's vectors round
    # as the processor does.
    flat = 1.0 + _products(p, _COMMON_CORNER) + _products(q, _COMMON_CORNER) + _products(p, q)
    volume = _products(np.cross(p, q), _COMMON_CORNER)
    angles = map(math.atan2, volume.tolist(), flat.tolist())
    area = np.array([*(2.0 * angle for angle in angles), 0.0])
    ends = np.cumsum([len(line) for line in lines])
    area[ends - 1] = 0.0  # the step from one line to the next
    areas: list[float] = np.add.reduceat(area, np.append(0, ends[:-1])).tolist()
    return areas


def _products(p: Array, q: Array | Vector) -> Array:
    """Return the dot product of each row with `q`, or with its row there."""
    x, y, z = np.asarray(q).T
    result: Array = p[:, 0] * x + p[:, 1] * y + p[:, 2] * z
    return result


def merge_levels(
    classes: Sequence[object], saddles: Iterable[tuple[float, int, int]]
) -> list[float]:
    """Return the level at which each basin first joins one of another class; infinite if never.

    Flood by a union-find: at each saddle two lakes merge. Each lake stores the basins that have
    met only their own class, and drops them when another class joins.
    """
    levels = [math.inf] * len(classes)
    parent = list(range(len(classes)))
    undecided = [[k] for k in range(len(classes))]

    def find(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for height, first, second in sorted(saddles):
        small, large = find(first), find(second)
        if small == large:
            continue
        if len(undecided[small]) > len(undecided[large]):
            small, large = large, small
        merging = (undecided[small], undecided[large])
        parent[small] = large
        # A lake with an empty list holds two classes already.
        if all(merging) and classes[merging[0][0]] == classes[merging[1][0]]:
            undecided[large] += undecided[small]
            continue
        for member in (*merging[0], *merging[1]):
            levels[member] = height
        undecided[large] = []
    return levels


def spilled(
    bottoms: Mapping[int, float],
    saddles: Iterable[tuple[float, int, int]],
    *,
    shallow: Mapping[int, float],
) -> dict[int, int]:
    """Return for each basin the one it is merged into once all shallow ones have spilled over.

    The shallowest is merged first, over its lowest saddle, until none is below `shallow`.

    Args:
        bottoms: Height of the lowest point of each basin, by its number.
        saddles: Height of each saddle and the two basins that it joins.
        shallow: Minimum depth of each basin that remains, by its number.
    """
    beside: dict[int, dict[int, float]] = {k: {} for k in bottoms}
    for height, a, b in saddles:
        if a != b:
            beside[a][b] = beside[b][a] = min(height, beside[a].get(b, math.inf))

    def depth(k: int) -> float:
        return min(beside[k].values(), default=math.inf) - bottoms[k]

    queue = [(depth(k), k) for k in bottoms]
    heapq.heapify(queue)
    into: dict[int, int] = {}
    while queue:
        shallowest, k = heapq.heappop(queue)
        if k in into or shallowest != depth(k):
            continue  # it has been merged, or grown deeper since
        if shallowest >= shallow[k]:
            continue  # it remains, unless another is merged into it
        target = min(beside[k], key=lambda j: (beside[k][j], min(j, k), max(j, k)))
        for neighbour, height in beside.pop(k).items():
            del beside[neighbour][k]
            if neighbour != target:
                lower = min(height, beside[target].get(neighbour, math.inf))
                beside[target][neighbour] = beside[neighbour][target] = lower
        into[k] = target
        heapq.heappush(queue, (depth(target), target))
    merged_into = {}
    for k in bottoms:
        end = k
        while end in into:
            end = into[end]
        merged_into[k] = end
    return merged_into


_SHALLOW = 5e-6
"""Depth [m] below which a basin holds no body: half the rounding of a moulded die's edge."""

_BRINK = 1e-9
"""Share of the hull's size: a centre no farther inside an edge counts as past it. The body
balances there, and rounding must not give each side of the edge another answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """A minimum of h: a facet on which the body can rest."""

    down: Vector
    """Unit normal of the facet, body frame."""
    height: float
    """Height of the centre of mass [m]."""
    escape: float
    """Height of its basin's lowest saddle above it [m]; infinite where there is none."""
    vertices: tuple[int, ...]
    """Hull vertices of the facet."""


class Saddle(NamedTuple):
    """The lowest path between two basins."""

    height: float
    """Height of the centre of mass at the saddle [m]."""
    first: int
    second: int
    """Indices of the rests on both sides."""


def _cells_of(facets: Facets, corners: list[Vector], brink: float) -> Cells:
    """Return the hull for descent, without its poses."""
    spokes = list(chain.from_iterable(facets.spokes))
    return Cells(
        corners=corners,
        first=np.cumsum([0, *map(len, facets.spokes)]).tolist(),
        spokes=[edge for edge, _ in spokes],
        sides=[side for _, side in spokes],
        edges=facets.edges,
        held=[foot is not None for foot in facets.feet],
        feet=[foot or (0.0, 0.0, 0.0) for foot in facets.feet],
        normals=[normal for normal, _ in facets.planes],
        grazing=-1e-3 * brink,
        exits=[],
        exit_to=[],
        pose_of_facet=[],
        pose_down=[],
        pose_height=[],
        pose_escape=[],
    )


class SupportFunction:
    """The support function of a hull about a centre of mass, with its basins.

    Args:
        hull_vertices: Corners of a convex hull [m], shape [vertex_count, 3].
        hull_faces: Triangles, counter-clockwise from outside, shape [face_count, 3].
        centre: Centre of mass [m], inside the hull, shape [3].
        shallow: Depth [m] below which a basin is merged into the one it spills into.
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
        self.facets = merge_facets(self._offsets, self._faces)
        """The facets of the hull; their corners are those of `cells`."""
        lowest = min(dot(n, self._w[loop[0]]) for n, loop in self.facets.planes)
        if not lowest > 0:
            raise SpecError(
                f"the centre of mass is {-lowest * 1e3:.3g} mm outside the hull",
                fix="check the ballast and the mesh",
            )
        # Corners inside a joined facet or a straight edge have no cell of their own.
        self._corners = np.array([k for k, spokes in enumerate(self.facets.spokes) if spokes])
        self._cells = self._offsets[self._corners]
        self._brink = _BRINK * float(np.max(np.abs(self._offsets)))
        self.cells = _cells_of(self.facets, self._w, self._brink)
        self._outside: set[tuple[int, int]] = set()
        self._exits = [self._leave(k) for k in range(len(self.facets.planes))]
        self._settle_facets()
        self._shallow = shallow
        self._merge(shallow)
        self.cells = self.cells._replace(
            exits=[kind for kind, _ in self._exits],
            exit_to=[where for _, where in self._exits],
            pose_of_facet=self.pose_of_facet,
            pose_down=[pose.down for pose in self.poses],
            pose_height=[pose.height for pose in self.poses],
            pose_escape=[pose.escape for pose in self.poses],
        )
        """The hull and its poses, for descent."""

    def height(self, direction: Array) -> float:
        """Return the centre's height h [m] with the unit vector `direction`, shape [3], down."""
        return float(np.max(transform(direction[None, :], self._offsets)))

    @cached_property
    def cell_arrays(self) -> Cells:
        """Cells with arrays in place of lists, for compiled code."""
        return cells_as_arrays(self.cells)

    def decided_below(self, classes: Sequence[object]) -> list[float]:
        """Return for each pose the height [m] below which its class can no longer change.

        It is the highest point of the lowest path to any pose of another class; infinite where
        all reachable poses are of one class. A body in the pose's basin comes to rest in this
        class if its centre, with all energy turned into height, stays lower.
        """
        return merge_levels(classes, self.saddles)

    def shares(self) -> list[float]:
        """Return the share of all directions that roll without momentum into each pose.

        Exact: the areas of the basins, whose borders are arcs of great circles.
        """
        return list(self._shares)

    @cached_property
    def _shares(self) -> list[float]:
        shares = self._areas()
        # If symmetry puts one saddle on the ridge of another, any other centre separates them.
        for reach in (1e-9, 1e-8, 1e-7):
            if shares is not None:
                return shares
            shares = self._shares_beside(reach)
        raise SpecError(
            "rounding decides where a hull so finely cut rolls",
            fix="round the corners of the mesh to a hundredth of a millimetre",
        )

    def _shares_beside(self, reach: float) -> list[float] | None:
        """Return the shares for a centre displaced by `reach` times the body's size."""
        displacement = reach * float(np.max(np.abs(self._offsets))) * np.array([0.53, -0.31, 0.79])
        displaced = SupportFunction(self._offsets, self._faces, displacement, shallow=self._shallow)
        areas = displaced._areas()
        if areas is None:
            return None
        shares = [0.0] * len(self.poses)
        for rest, share in zip(displaced.poses, areas, strict=True):
            shares[self.descend(np.array(rest.down))] += share
        return shares

    def borders(self) -> list[tuple[Array, int, int]]:
        """Return the borders between basins, and the poses on both sides of each.

        A border is given by the corners of its arcs of great circles, unit vectors of the body
        frame, shape [point_count, 3].
        """
        return [
            (np.array(_ridge(self._w, self.facets, edge)[0]), left, right)
            for edge, left, right in self.passes()
        ]

    def _areas(self) -> list[float] | None:
        return _basin_shares(self._w, self.facets, self.passes(), len(self.poses))

    def passes(self) -> list[_Pass]:
        """Return the saddles between two different poses."""
        sides = [
            (edge, *(self.pose_of_facet[facet] for facet in self.facets.edges[edge][2:]))
            for edge in self._saddle_edges()
        ]
        return [(edge, left, right) for edge, left, right in sides if left != right]

    def descend(self, direction: Array) -> int:
        """Return the index in `poses` of the rest that steepest descent leads to.

        Args:
            direction: Direction down at the start, of any length but zero, body frame, shape [3].
        """
        x, y, z = unit((float(direction[0]), float(direction[1]), float(direction[2])))
        return pose_below(self.cells, self.lowest_corner(direction), x, y, z)

    def lowest_corner(self, direction: Array) -> int:
        """Return the lowest corner that has a cell, with `direction` pointing down."""
        n = unit((float(direction[0]), float(direction[1]), float(direction[2])))
        return int(self._corners[np.argmax(transform(np.array([n]), self._cells))])

    def _leave(self, facet: int) -> tuple[int, int]:
        """Return the next step of descent from a facet's normal: stay, an edge, or a vertex."""
        n, loop = self.facets.planes[facet]
        nearest, best = (STAY, facet), math.inf
        inside = True
        between = self.facets.edge_between
        for k, start in enumerate(loop):
            end = loop[(k + 1) % len(loop)]
            a, b = self._w[start], self._w[end]
            ab = minus(b, a)
            if dot(cross(a, ab), n) < self._brink * math.sqrt(dot(ab, ab)):
                inside = False
                self._outside.add((between[min(start, end), max(start, end)], facet))
            share = -dot(a, ab) / dot(ab, ab)
            clamped = min(1.0, max(0.0, share))
            p = (a[0] + clamped * ab[0], a[1] + clamped * ab[1], a[2] + clamped * ab[2])
            distance = dot(p, p)
            if distance < best:
                best = distance
                if clamped in {0.0, 1.0}:
                    nearest = (FROM_CORNER, start if clamped == 0.0 else end)
                else:
                    nearest = (OVER_EDGE, between[min(start, end), max(start, end)])
        return (STAY, facet) if inside else nearest

    def _settle_facets(self) -> None:
        """Find the stable facet where descent from each facet ends."""
        count = len(self.facets.planes)
        self._next_facet = list(range(count))
        for k, (kind, where) in enumerate(self._exits):
            if kind == OVER_EDGE:
                _, _, left, right = self.facets.edges[where]
                self._next_facet[k] = right if left == k else left
            elif kind == FROM_CORNER:
                normal, _ = self.facets.planes[k]
                facet, _, x, y, z = fall(self.cells, where, *normal, 20 * len(self._w))
                reached = facet if facet >= 0 else nearest_facet(self.cells, x, y, z)
                self._next_facet[k] = reached
        self._heights = [dot(n, self._w[loop[0]]) for n, loop in self.facets.planes]
        self._end = list(range(count))
        for k in range(count):
            end, steps = k, 0
            while self._next_facet[end] != end and steps < count:
                end, steps = self._next_facet[end], steps + 1
            self._end[k] = end

    def _merge(self, shallow: float) -> None:
        """Find saddles, merge shallow basins and number the rest, lowest first."""
        saddles = self._facet_saddles()
        stable = sorted({*self._end}, key=lambda k: (self._heights[k], k))
        home = spilled(
            {k: self._heights[k] for k in stable}, saddles, shallow=dict.fromkeys(stable, shallow)
        )
        remaining = [k for k in stable if home[k] == k]
        number = {k: i for i, k in enumerate(remaining)}
        self.pose_of_facet = tuple(number[home[end]] for end in self._end)
        """Index in `poses` of the rest that each facet of `cells` leads to."""
        lowest: dict[tuple[int, int], float] = {}
        for height, a, b in saddles:
            pair = (min(home[a], home[b]), max(home[a], home[b]))
            if pair[0] != pair[1]:
                lowest[pair] = min(height, lowest.get(pair, math.inf))
        self.saddles = tuple(
            Saddle(height=height, first=number[pair[0]], second=number[pair[1]])
            for pair, height in sorted(lowest.items(), key=lambda item: (item[1], item[0]))
        )
        """Lowest saddle between each two neighbouring poses, lowest first."""
        spill: dict[int, float] = {}
        for pair, height in lowest.items():
            for k in pair:
                spill[k] = min(height, spill.get(k, math.inf))
        self.poses = tuple(
            Rest(
                down=self.facets.planes[k][0],
                height=self._heights[k],
                escape=spill.get(k, math.inf) - self._heights[k],
                vertices=tuple(sorted(self.facets.planes[k][1])),
            )
            for k in remaining
        )
        """Stable poses, lowest first."""
        self.pose_facets = tuple(remaining)
        """Facet of each pose."""

    def _saddle_edges(self) -> list[int]:
        """Return the edges that the body can balance on: the centre is over their inside."""
        # The same test as for stable facets, so that rounding cannot make the two disagree.
        return [
            edge
            for edge, (_, _, left, right) in enumerate(self.facets.edges)
            if self.facets.feet[edge] is not None
            and (edge, left) not in self._outside
            and (edge, right) not in self._outside
        ]

    def _facet_saddles(self) -> list[tuple[float, int, int]]:
        """Return height and the two facets where descent ends, for every saddle."""
        saddles = []
        for edge in self._saddle_edges():
            foot, (_, _, left, right) = self.facets.feet[edge], self.facets.edges[edge]
            assert foot is not None
            saddles.append((math.sqrt(dot(foot, foot)), self._end[left], self._end[right]))
        return saddles
