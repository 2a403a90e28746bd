"""What can be mended in a triangle mesh without guessing at its shape."""

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Indices
from pigglesim.shapes.objfile import DECIMALS
from pigglesim.spatial import Array

__all__ = ["fill_small_holes", "open_edges", "signed_volume", "turned_alike", "welded"]

_MOST_PIECES = 1000
"""No flaw of a scan: each takes time for all its faces."""
_HOLE_EDGES = 64
_HOLE_SHARE = 0.1
"""A hole wider than this share of the body is no flaw of the scan but part of its shape."""


def welded(vertices: Array, faces: Indices) -> tuple[Array, Indices, int]:
    """Return the mesh on the grid of mesh files, and how many faces were empty or double.

    Args:
        vertices: [mm], shape [vertex_count, 3]; those that fall together become one.
        faces: Triangles.
    """
    rounded = np.round(vertices, DECIMALS) + 0.0
    points, inverse = np.unique(rounded, axis=0, return_inverse=True)
    corners = inverse.reshape(-1)[faces]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    corners = corners[np.sort(first)]
    used, flat = np.unique(corners, return_inverse=True)
    dropped = len(faces) - len(corners)
    return points[used], flat.reshape(-1, 3).astype(np.int64), dropped


def _sides(faces: Indices) -> tuple[Indices, Indices, Indices]:
    """Return for each side of each face its edge's number, whether it runs upward, and its face."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = np.sort(sides, axis=1).T
    _, edge = np.unique(low * (int(faces.max()) + 1) + high, return_inverse=True)
    upward = (sides[:, 0] < sides[:, 1]).astype(np.int64)
    return edge.reshape(-1), upward, np.repeat(np.arange(len(faces)), 3)


def turned_alike(faces: Indices, *, name: str) -> tuple[Indices, int, int]:
    """Return the faces turned like their neighbours, how many were turned, and of how many shells.

    Raises:
        SpecError: If more than two faces meet at an edge, or the surface has one side only.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  (slow to import, needed for scans only)
    from scipy.sparse.csgraph import breadth_first_order, connected_components  # noqa: PLC0415

    edge, upward, face = _sides(faces)
    count = np.bincount(edge)
    if np.any(count > 2):
        raise SpecError(
            f"at most two faces at each edge in {name}",
            got=f"{int(np.sum(count > 2))} edges with more",
            remedy="delete inner walls and double layers, or remesh, and export it again",
        )
    order = np.argsort(edge, kind="stable")
    paired = order[count[edge[order]] == 2].reshape(-1, 2)
    one, two = face[paired].T
    opposed = upward[paired[:, 0]] == upward[paired[:, 1]]
    graph = coo_array((np.ones(len(one)), (one, two)), shape=(len(faces),) * 2).tocsr()
    pieces, piece = connected_components(graph, directed=False)
    if pieces > _MOST_PIECES:
        raise SpecError(
            f"one shell in {name}",
            got=f"{pieces:,} separate pieces",
            remedy="join the corners that lie in one place, and export it again",
        )
    flip = np.zeros(len(faces), dtype=bool)
    if np.any(opposed):
        odd = {(a, b) for a, b in zip(one[opposed].tolist(), two[opposed].tolist(), strict=True)}
        for start in np.unique(piece, return_index=True)[1].tolist():
            walk, before = breadth_first_order(graph, start, directed=False)
            for at in walk[1:].tolist():
                last = int(before[at])
                flip[at] = flip[last] ^ ((last, at) in odd or (at, last) in odd)
        if np.any(opposed ^ flip[one] ^ flip[two]):
            raise SpecError(
                f"a surface with an inside and an outside in {name}",
                got="one that cannot be turned one way, as a Klein bottle cannot",
                remedy="remesh it in a mesh editor and export it again",
            )
        # Turn the fewer: what most faces say is meant.
        for k in range(pieces):
            mine = piece == k
            if 2 * np.sum(flip[mine]) > np.sum(mine):
                flip[mine] ^= True
    faces = np.where(flip[:, None], faces[:, ::-1], faces)
    return faces, int(np.sum(flip)), int(pieces)


def open_edges(faces: Indices) -> int:
    """Return how many edges border on one face alone."""
    return int(np.sum(np.bincount(_sides(faces)[0]) == 1))


def fill_small_holes(vertices: Array, faces: Indices) -> tuple[Array, Indices, int]:
    """Return the mesh with small holes closed by fans about their middle, and their number.

    Args:
        vertices: Shape [vertex_count, 3].
        faces: Triangles, turned alike.
    """
    limit = _HOLE_SHARE * float(np.max(np.ptp(vertices, axis=0)))
    points, added = [vertices], []
    count = len(vertices)
    for loop in _borders(faces):
        corners = vertices[loop]
        if len(loop) > _HOLE_EDGES or float(np.max(np.ptp(corners, axis=0))) > limit:
            continue
        if len(loop) == 3:
            added.append(loop[::-1])
            continue
        points.append(np.round(corners.mean(axis=0, keepdims=True), DECIMALS))
        added += [
            [second, first, count] for first, second in zip(loop, loop[1:] + loop[:1], strict=True)
        ]
        count += 1
    if not added:
        return vertices, faces, 0
    holes = count - len(vertices) + sum(1 for triangle in added if max(triangle) < len(vertices))
    return np.vstack(points), np.vstack([faces, np.array(added, dtype=np.int64)]), holes


def _borders(faces: Indices) -> list[list[int]]:
    """Return the rims of the holes, each as its corners in the order of the faces beside it."""
    edge, _, _ = _sides(faces)
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    lonely = sides[(np.bincount(edge) == 1)[edge]].tolist()
    following: dict[int, list[int]] = {}
    for start, end in lonely:
        following.setdefault(start, []).append(end)
    # Where two rims meet in a corner nobody knows which goes on where.
    forked = {start for start, ends in following.items() if len(ends) > 1}
    loops = []
    for start in sorted(following):
        if start not in following:
            continue
        loop, at = [start], following.pop(start)[0]
        while at != start and at in following:
            loop.append(at)
            at = following.pop(at)[0]
        if at == start and not forked.intersection(loop):
            loops.append(loop)
    return loops


def signed_volume(vertices: Array, faces: Indices) -> float:
    """Return the volume of a closed surface, negative where it is inside out."""
    a, b, c = np.moveaxis(vertices[faces] - vertices.mean(axis=0), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
