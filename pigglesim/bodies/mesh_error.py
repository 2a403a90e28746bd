"""Error of a mesh that stands for a smooth body, and poses that only its facets distinguish.

A mesh of a ball rests on facets, a ball does not. Where neighbouring facets are at small angles,
as in a fine mesh, the surface between them may be smooth. Its corners are on the smooth body, which
is convex there: the body lies between the hull and the planes that touch it at the corners of the
hull. The height of the centre of mass over a facet is known only to the distance between the facet
and those planes, the error of the mesh. A pose that is no deeper than that may not exist.
"""

import math
from collections.abc import Sequence

import numpy as np

from pigglesim.bodies.support import SupportFunction, spilled
from pigglesim.rotations import Array, Indices

_SHARP = math.cos(math.radians(30.0)) - 1e-6
"""Cosine of the angle of facets above which their edge belongs to the body: the usual limit of
smooth shading in modelling programs. The faces of a d20 are 41.8 degrees apart."""
_ON_HULL = 1e-5
"""Distance from a facet, as a share of the hull's size, within which a face belongs to it."""
_ONE_HEIGHT = 0.05
"""Difference in height of facets that touch one ball, as a share of the height of the corners over
them. Rounding makes 0.001; balls of equal triangles have 0.14 and more, those of rings 0.44."""


def folded_poses(
    support: SupportFunction, vertices: Array, faces: Indices, classes: Sequence[object]
) -> list[int]:
    """Return for each pose the lowest one that it is, but for the facets of the mesh.

    Args:
        support: The support function of the hull about the centre of mass, with its poses.
        vertices: Corners of the skin about that centre [m], shape [vertex_count, 3].
        faces: Triangles of the skin.
        classes: Class of each pose; only poses of one class are folded.
    """
    skin = HullFacets(support, vertices, faces)
    if skin.is_many_sided():
        return [*range(len(support.poses))]
    errors = {number: skin.error(facet) for number, facet in enumerate(support.pose_facets)}
    # Over a sharp edge the body tips, over a smooth one it may roll.
    saddles = [
        (float(np.linalg.norm(support.cells.feet[edge])), first, second)
        for edge, first, second in support.passes()
        if classes[first] == classes[second] and skin.is_smooth(edge)
    ]
    bottoms = {number: rest.height for number, rest in enumerate(support.poses)}
    into = spilled(bottoms, saddles, shallow=errors)
    lowest: dict[int, int] = {}
    for number, group in into.items():
        lowest.setdefault(group, number)
    return [lowest[into[number]] for number in bottoms]


def is_ball(support: SupportFunction, vertices: Array, faces: Indices) -> bool:
    """Return whether a hull is a mesh of a ball about the centre of mass.

    Its corners are then at one distance, compared with the height of the ball over a facet, and
    its edges are smooth: those of a d20 are sharp. The facets of a d60 are at one distance instead.
    The arguments are those of `folded_poses`.
    """
    skin = HullFacets(support, vertices, faces)
    corners = [corner for corner, spokes in enumerate(support.facets.spokes) if spokes]
    distances = np.linalg.norm(np.array(support.cells.corners)[corners], axis=1)
    height = float(distances.max()) - support.poses[0].height
    edges = range(len(support.facets.edges))
    smooth = bool(np.ptp(distances) < height / 2.0) and all(map(skin.is_smooth, edges))
    return smooth and not skin.is_many_sided()


class HullFacets:
    """The facets of a hull, with those that are the surface of the body."""

    def __init__(self, support: SupportFunction, vertices: Array, faces: Indices) -> None:
        self._facets = support.facets
        self._corners = np.array(support.cells.corners)
        self._normals = np.array([normal for normal, _ in self._facets.planes])
        self._heights = np.array(
            [np.dot(normal, self._corners[loop[0]]) for normal, loop in self._facets.planes]
        )
        self._areas = np.array([_area(self._corners[list(p)]) for _, p in self._facets.planes])
        self._is_skin = self._covered(vertices, faces) >= 0.5 * self._areas

    def _covered(self, vertices: Array, faces: Indices) -> Array:
        """Return the area of the skin on each facet [m2]; a facet may bridge a hollow instead."""
        from scipy.spatial import cKDTree  # noqa: PLC0415  (slow to import, needed to build only)

        corners = vertices[faces]
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        doubled = np.linalg.norm(cross, axis=1)
        normals = cross / np.maximum(doubled, 1e-300)[:, None]
        nearest = np.asarray(cKDTree(self._normals).query(normals)[1], dtype=np.int64)
        depth = np.einsum("ikj,ij->ik", corners, self._normals[nearest])
        depth = np.abs(depth - self._heights[nearest][:, None]).max(axis=1)
        on_hull = depth < _ON_HULL * float(np.max(np.abs(self._corners)))
        covered = np.bincount(
            nearest[on_hull], weights=0.5 * doubled[on_hull], minlength=len(self._normals)
        )
        return np.asarray(covered, dtype=float)

    def error(self, facet: int) -> float:
        """Return the distance of a facet from the planes that touch the smooth body around it."""
        from scipy.optimize import linprog  # noqa: PLC0415  (slow to import, needed to build only)

        if not self._is_skin[facet]:
            return 0.0
        planes: dict[tuple[float, ...], float] = {}
        around, beyond = {facet}, set()
        for corner in self._facets.planes[facet][1]:
            smooth, sharp = self._fan(facet, corner)
            around.update(smooth)
            beyond.update(sharp)
        for near in around:
            for corner in self._facets.planes[near][1]:
                normal = self._normal(near, corner)
                planes[tuple(normal.tolist())] = float(normal @ self._corners[corner])
        # A facet beyond a sharp edge bounds the body, too.
        planes |= {
            tuple(self._normals[each].tolist()): float(self._heights[each]) for each in beyond
        }
        # By duality, no point between the planes is higher over the facet than the least sum.
        least = linprog([*planes.values()], A_eq=np.array([*planes]).T, b_eq=self._normals[facet])
        return max(0.0, float(least.fun - self._heights[facet])) if least.success else 0.0

    def is_many_sided(self) -> bool:
        """Return whether the body is a die of many equal faces: all facets touch one ball.

        The facets of a mesh of a ball do not, as their sizes differ.
        """
        low, high = float(self._heights.min()), float(self._heights.max())
        reach = float(np.linalg.norm(self._corners, axis=1).max())
        edges = range(len(self._facets.edges))
        return high - low < _ONE_HEIGHT * (reach - low) and all(map(self.is_smooth, edges))

    def bulges(self) -> Array:
        """Return a point of the smooth body over the middle of each smooth edge.

        The curve over an edge is perpendicular to the normals at its ends: a cubic, as in curved
        PN triangles (Vlachos, Peters, Boyd and Mitchell 2001). Shape [smooth_edge_count, 3].
        """
        points = []
        for edge, (start, end, left, _) in enumerate(self._facets.edges):
            if not self.is_smooth(edge):
                continue
            way = self._corners[end] - self._corners[start]
            middle = (self._corners[start] + self._corners[end]) / 2.0
            for corner, along in ((start, way), (end, -way)):
                normal = self._normal(left, corner)
                middle = middle - (along @ normal) * normal / 8.0
            points.append(middle)
        return np.array(points).reshape(-1, 3)

    def _normal(self, facet: int, corner: int) -> Array:
        """Return the normal of the smooth body at a corner of a facet, shape [3]."""
        fan = self._fan(facet, corner)[0]
        normal = np.sum([self._areas[each] * self._normals[each] for each in fan], axis=0)
        return np.asarray(normal / np.linalg.norm(normal), dtype=float)

    def is_smooth(self, edge: int) -> bool:
        """Return whether the body may be smooth at an edge: two of its own facets, hardly apart."""
        _, _, left, right = self._facets.edges[edge]
        cosine = float(self._normals[left] @ self._normals[right])
        return bool(self._is_skin[left] and self._is_skin[right] and cosine >= _SHARP)

    def _fan(self, facet: int, corner: int) -> tuple[list[int], list[int]]:
        """Return the facets at a corner over smooth edges from one, and those over sharp edges."""
        smooth, sharp, front = [facet], [], [facet]
        while front:
            at = front.pop()
            for edge, _ in self._facets.spokes[corner]:
                sides = self._facets.edges[edge][2:]
                other = sides[1] if sides[0] == at else sides[0]
                if at not in sides or other in smooth or other in sharp:
                    continue
                if self.is_smooth(edge):
                    smooth.append(other)
                    front.append(other)
                else:
                    sharp.append(other)
        return smooth, sharp


def _area(polygon: Array) -> float:
    arms = polygon[1:] - polygon[0]
    return 0.5 * float(np.linalg.norm(np.cross(arms[:-1], arms[1:]).sum(axis=0)))
