"""Import of a scan: repair of a mesh without guessing its shape, and the model made from it."""

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import (
    Body,
    ConvexPart,
    Skin,
    StablePose,
    stable_poses,
    support_for,
    support_of,
)
from pigglesim.bodies.load import (
    LARGEST,
    MAX_POSES,
    SMALLEST,
    ModelSpec,
    PoseClassSpec,
    artefacts,
    check_mesh,
    derived_text,
    no_volume,
    title_of,
    winding,
)
from pigglesim.bodies.mesh import (
    Mesh,
    convex_hull,
    hull_of,
    mass_of,
    outside_hull,
    signed_volume,
    thinned,
)
from pigglesim.bodies.mesh_error import is_ball
from pigglesim.bodies.mesh_files import DECIMALS, read_triangles, write_mtl, write_obj
from pigglesim.errors import SpecError, pip_install, unknown_name
from pigglesim.landing import Orientation
from pigglesim.rotations import Array, Indices

if TYPE_CHECKING:
    from manifold3d import Manifold

_MAX_PIECES = 100
"""Maximum number of pieces: each costs time for all faces."""
_HOLE_EDGES = 64
_HOLE_SHARE = 0.1
"""Largest width of a hole, as a share of the body, that counts as a flaw and not as its shape."""


def welded(vertices: Array, faces: Indices) -> tuple[Array, Indices, int]:
    """Return a mesh [mm] on the grid of mesh files, and the number of dropped faces."""
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
    """Return the edge's number, its direction (true for upward) and the face of every side."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = np.sort(sides, axis=1).T
    _, edge = np.unique(low * (int(faces.max()) + 1) + high, return_inverse=True)
    upward = (sides[:, 0] < sides[:, 1]).astype(np.int64)
    return edge.reshape(-1), upward, np.repeat(np.arange(len(faces)), 3)


def consistently_oriented(faces: Indices, *, name: str) -> tuple[Indices, int, Indices]:
    """Return consistently oriented faces, the number of flipped ones, and the shell of each.

    Raises:
        SpecError: If more than two faces meet at an edge, or the surface has only one side.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  (slow to import, needed for scans only)
    from scipy.sparse.csgraph import breadth_first_order, connected_components  # noqa: PLC0415

    edge, upward, face = _sides(faces)
    count = np.bincount(edge)
    if np.any(count > 2):
        raise SpecError(
            f"{name} has {int(np.sum(count > 2))} edges with more than two faces",
            fix="delete inner walls and double layers, or remesh, and export it again",
        )
    order = np.argsort(edge, kind="stable")
    paired = order[count[edge[order]] == 2].reshape(-1, 2)
    face_a, face_b = face[paired].T
    opposed = upward[paired[:, 0]] == upward[paired[:, 1]]
    graph = coo_array((np.ones(len(face_a)), (face_a, face_b)), shape=(len(faces),) * 2).tocsr()
    pieces, piece = connected_components(graph, directed=False)
    if pieces > _MAX_PIECES:
        raise SpecError(
            f"{name} has {pieces:,} separate pieces",
            expected=f"at most {_MAX_PIECES}",
            fix="merge coincident vertices and export it again",
        )
    flip = np.zeros(len(faces), dtype=bool)
    if np.any(opposed):
        odd = {*zip(face_a[opposed].tolist(), face_b[opposed].tolist(), strict=True)}
        for start in np.unique(piece, return_index=True)[1].tolist():
            walk, parents = breadth_first_order(graph, start, directed=False)
            for at in walk[1:].tolist():
                parent = int(parents[at])
                flip[at] = flip[parent] ^ ((parent, at) in odd or (at, parent) in odd)
        if np.any(opposed ^ flip[face_a] ^ flip[face_b]):
            raise SpecError(
                f"{name} has only one side, as a Klein bottle has",
                fix="remesh it in a mesh editor and export it again",
            )
        # Flip the minority: most faces are right.
        for k in range(pieces):
            in_piece = piece == k
            if 2 * np.sum(flip[in_piece]) > np.sum(in_piece):
                flip[in_piece] ^= True
    faces = np.where(flip[:, None], faces[:, ::-1], faces)
    return faces, int(np.sum(flip)), piece.astype(np.int64)


def fill_small_holes(vertices: Array, faces: Indices) -> tuple[Array, Indices, int]:
    """Return the mesh with small holes closed by fans about their middle, and their number."""
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
    """Return the rims of the holes, each as its corners in the order of the adjacent faces."""
    edge, _, _ = _sides(faces)
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    open_sides = sides[(np.bincount(edge) == 1)[edge]].tolist()
    following: dict[int, list[int]] = {}
    for start, end in open_sides:
        following.setdefault(start, []).append(end)
    # If two rims share a corner, their continuations are ambiguous.
    forked = {start for start, successors in following.items() if len(successors) > 1}
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


_FIRST_BATCH, _BATCH = 128, 20_000
"""Number of faces looked up at once, initially and at most."""
_PAIRS = 1_000_000
"""Approximate number of pairs processed together: a few hundred megabytes."""
_MIN_PAIR_LIMIT, _PER_FACE = 5_000_000, 100
"""Minimum limit of tested pairs per mesh, some seconds of work, and limit per face: boxes of small
faces overlap some 10 others."""
_SIEVED = 20
"""Number of pairs with separate boxes that take as long as a test of one pair."""
_OBLIQUE = np.linalg.qr(np.array([[3.0, 1.0, 2.0], [-1.0, 3.0, 1.0], [1.0, -2.0, 3.0]]))[0]
"""View in which walls, floors and axes of a body are not edge-on, so that fewer boxes overlap."""
_MAX_CROSSINGS = 100_000
"""Number of crossings after which the search ends."""
_DEPTH = 1e-4
"""Depth behind a face, as a share of the body's size, below which a side does not count: some 3 um.
Rounding and unions leave as much along sharp seams, and it changes no throw."""
_GRAZE = 1e-10
"""Volumes below this share of a cube around the two triangles are rounding: a touch."""


def crossing_faces(vertices: Array, faces: Indices) -> Indices:
    """Return the pairs of faces that intersect, shape [pair_count, 2].

    Two triangles cross if a side of one pierces the inside of the other. Triangles that only
    touch, are coplanar or share a side do not count.

    Raises:
        SpecError: If more faces are close to one another than can be tested.
    """
    corners = vertices[faces]
    depth = _DEPTH * float(np.max(np.ptp(corners.reshape(-1, 3), axis=0)))
    crossings = [np.zeros((0, 2), dtype=np.int64)]
    for first, second in _overlapping_pairs(corners):
        shared = sum(
            (faces[first, i] == faces[second, j]).astype(np.int64)
            for i, j in itertools.product(range(3), repeat=2)
        )
        keep = np.asarray(shared) < 2
        pair = first[keep], second[keep]
        for a, b in ((0, 1), (1, 0)):
            keep = _straddles(corners[pair[a]], corners[pair[b]])
            pair = pair[0][keep], pair[1][keep]
        cross = _pairs_cross(corners[pair[0]], corners[pair[1]], depth)
        crossings.append(np.column_stack([pair[0][cross], pair[1][cross]]))
        if sum(map(len, crossings)) > _MAX_CROSSINGS:
            break
    return np.concatenate(crossings)


def _overlapping_pairs(corners: Array) -> Iterator[tuple[Indices, Indices]]:
    """Yield the pairs of faces whose boxes overlap, the lower number first."""
    from shapely import STRtree, box  # noqa: PLC0415  (slow to import, needed for scans only)

    rotated = corners @ _OBLIQUE
    low, high = rotated.min(axis=1), rotated.max(axis=1)
    boxes = box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    tree = STRtree(boxes)
    limit = max(_MIN_PAIR_LIMIT, _PER_FACE * len(corners))
    start, count, work = 0, _FIRST_BATCH, 0
    while start < len(corners):
        first, second = tree.query(boxes[start : start + count]).astype(np.int64)
        first += start
        start += count
        count = max(1, min(_BATCH, 2 * count, int(count * _PAIRS / max(len(first), 1))))
        separate = (low[first, 2] > high[second, 2]) | (low[second, 2] > high[first, 2])
        overlapping = (first < second) & ~separate
        work += int(overlapping.sum()) + len(first) // _SIEVED
        if work > limit:
            raise SpecError(
                f"over {limit:,} overlapping pairs among {start:,} of {len(corners):,} faces",
                fix="remesh it in a mesh editor, with faces of like sizes, and export it again",
            )
        yield first[overlapping], second[overlapping]


def _straddles(first: Array, second: Array) -> NDArray[np.bool_]:
    """Return whether the first triangle's plane has corners of the second on both sides."""
    normal = np.cross(first[:, 1] - first[:, 0], first[:, 2] - first[:, 0])
    side = np.einsum("ij,ikj->ik", normal, second - first[:, :1])
    straddling: NDArray[np.bool_] = (side.min(axis=1) < 0) & (side.max(axis=1) > 0)
    return straddling


def _pairs_cross(first: Array, second: Array, depth: float) -> NDArray[np.bool_]:
    """Return whether each pair of triangles crosses; triangles have shape [pair_count, 3, 3]."""
    centre = first.mean(axis=1, keepdims=True)
    a, b = first - centre, second - centre
    reach = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(b).max(axis=(1, 2)))
    min_volume = _GRAZE * reach**3
    found = np.zeros(len(a), dtype=bool)
    for piercing, pierced in ((a, b), (b, a)):
        for k in range(3):
            found |= _pierces(piercing[:, k], piercing[:, (k + 1) % 3], pierced, min_volume, depth)
    return found


def _pierces(p: Array, q: Array, triangle: Array, least: Array, depth: float) -> NDArray[np.bool_]:
    """Return whether the segment from p to q passes through the inside of the triangle."""
    a, b, c = np.moveaxis(triangle, 1, 0)
    normal = np.cross(b - a, c - a)
    p_side = np.einsum("ij,ij->i", normal, p - a)
    q_side = np.einsum("ij,ij->i", normal, q - a)
    sides = [_volume(p, q, a, b), _volume(p, q, b, c), _volume(p, q, c, a)]
    margin = depth * np.linalg.norm(normal, axis=1)
    longest = np.max([np.linalg.norm(s, axis=1) for s in (b - a, c - b, a - c)], axis=0)
    through = np.linalg.norm(normal, axis=1) > depth * longest
    through &= (np.minimum(p_side, q_side) < -margin) & (np.maximum(p_side, q_side) > margin)
    # A crossing of a side counts, as symmetric bodies have it; one of a corner is a touch.
    positive = np.sum([side > least for side in sides], axis=0)
    negative = np.sum([side < -least for side in sides], axis=0)
    inside = (np.maximum(positive, negative) >= 2) & (np.minimum(positive, negative) == 0)
    pierced: NDArray[np.bool_] = through & inside
    return pierced


def _volume(p: Array, q: Array, a: Array, b: Array) -> Array:
    volumes: Array = np.einsum("ij,ij->i", np.cross(q - p, a - p), b - p)
    return volumes


_LIKELY_MM = (10.0, 60.0)
"""Usual sizes of dice and pigs [mm]; a wrong unit is guessed from the scale that leads there."""


@unique
class LengthUnit(StrEnum):
    """Units of length that a mesh file may use."""

    MILLIMETRE = "mm"
    CENTIMETRE = "cm"
    METRE = "m"
    INCH = "in"

    @property
    def millimetres(self) -> float:
        """Length [mm]."""
        return {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}[self.value]


def length_unit(name: str | None, file: Path) -> LengthUnit:
    """Return the unit of that name, or that of the file's format: glTF prescribes metres.

    Raises:
        SpecError: If there is no unit of that name, or the format has none.
    """
    if name is None and file.suffix.lower() == ".glb":
        return LengthUnit.METRE
    if name is None:
        raise SpecError(
            f"{file.name} has no unit", expected=", ".join(LengthUnit), fix="use --unit mm"
        )
    if name not in set(LengthUnit):
        raise unknown_name("unit of length", name, LengthUnit)
    return LengthUnit(name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan:
    """The closed surface of one solid, faces counter-clockwise from outside the material."""

    name: str
    """Name of the file."""
    vertices: Array
    """Vertices [mm], on the grid of mesh files, shape [vertex_count, 3]."""
    faces: Indices
    """Triangles: first those of the outer shell, then those of the cavities, which face inwards."""
    outer_count: int
    """Number of faces of the outer shell."""
    notes: tuple[str, ...] = ()
    """Descriptions of the repairs, and of the cavities."""


def read_scan(file: Path, unit: LengthUnit, *, join: bool = False) -> Scan:
    """Return the surface in an STL, OBJ, PLY or GLB file; `join` unites separate shells.

    Raises:
        SpecError: If it is not a closed surface of a die's size, and cannot be repaired.
    """
    vertices, faces = read_triangles(file)
    _check_size(vertices, faces, unit, file.name)
    return repaired(vertices * unit.millimetres, faces, name=file.name, join=join)


def repaired(vertices: Array, faces: Indices, *, name: str, join: bool = False) -> Scan:
    """Return a surface [mm] with corners joined, faces turned outwards and small holes filled.

    A shell inside another is a cavity if it faces inwards: its volume is empty.

    Raises:
        SpecError: If it is open, crosses itself, has no volume or has several solid shells that
            `join` does not unite.
    """
    vertices, faces, dropped = welded(vertices, faces)
    if not len(faces) or _is_flat(vertices):
        raise no_volume(name)
    faces, flipped, _ = consistently_oriented(faces, name=name)
    vertices, faces, holes = fill_small_holes(vertices, faces)
    if open_count := int(np.sum(np.bincount(_sides(faces)[0]) == 1)):
        raise SpecError(
            f"{name} has {open_count} open edges",
            fix="close the holes in a mesh editor and export it again",
        )
    # The faces that fill holes belong to shells too.
    _, _, shell = consistently_oriented(faces, name=name)
    shells = [faces[shell == number] for number in range(int(shell.max()) + 1)]
    if any(_has_no_volume(vertices, each) for each in shells):
        raise no_volume(name)
    crossing = _crossing_shells(vertices, faces, shell, name=name, join=join)
    notes = [
        _counted(count, noun, done)
        for count, noun, done in (
            (dropped, "empty or double face", "dropped"),
            (flipped, "face", "turned like their neighbours"),
            (holes, "small hole", "filled"),
        )
        if count
    ]
    solids, inside_out = _solids_of(vertices, shells, crossing)
    if inside_out:
        notes.append("the surface was inside out and is turned right side out")
    if len(solids) > 1 and join:
        joined = _united(vertices, solids, name)
        scan = repaired(joined.vertices, joined.faces, name=name)
        return replace(scan, notes=(*notes, f"{len(solids)} shells joined", *scan.notes))
    if len(solids) > 1:
        raise SpecError(
            f"{name} has {len(solids)} separate shells that face outwards",
            fix="use --join to unite them; a cavity has to face inwards",
        )
    outer, cavities = solids[0]
    if cavities:
        volume = -sum(signed_volume(vertices, each) for each in cavities)
        notes.append(f"{_counted(len(cavities), 'cavity', 'left empty')}, {volume:.4g} mm3")
    return Scan(
        name=name,
        vertices=vertices,
        faces=np.vstack([outer, *cavities]),
        outer_count=len(outer),
        notes=tuple(notes),
    )


def _counted(count: int, noun: str, done: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {plural if count > 1 else noun} {done}"


def _has_no_volume(vertices: Array, faces: Indices) -> bool:
    """Return whether a closed shell has hardly any volume."""
    size = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    return abs(signed_volume(vertices, faces)) < 1e-6 * size**3


def _is_flat(vertices: Array) -> bool:
    """Return whether all corners are in one plane: the two sides of a sheet coincide."""
    spread = np.linalg.eigvalsh(np.cov(vertices.T))
    return bool(spread[0] < 1e-12 * spread[-1])


def _check_size(vertices: Array, faces: Indices, unit: LengthUnit, name: str) -> None:
    """Raise if the mesh, in the given unit, does not have a die's size."""
    width = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    size = width * unit.millimetres
    if SMALLEST * 1e3 <= size <= LARGEST * 1e3:
        return
    low, high = _LIKELY_MM
    middle = (low * high) ** 0.5
    fits = [candidate for candidate in LengthUnit if low <= width * candidate.millimetres <= high]
    best = min(fits, key=lambda u: abs(np.log(width * u.millimetres / middle)), default=None)
    raise SpecError(
        f"{name} is {_length(size)} wide with --unit {unit}",
        expected=f"{SMALLEST * 1e3:g} to {LARGEST * 1e3:g} mm",
        fix=f"use --unit {best}, which makes it {_length(width * best.millimetres)}"
        if best
        else f"scale the mesh from {width:.4g} units to about 27 mm",
    )


def _length(millimetres: float) -> str:
    return f"{millimetres / 1e3:.3g} m" if millimetres >= 1e3 else f"{millimetres:.3g} mm"


def _manifold(vertices: Array, faces: Indices) -> "Manifold":
    from manifold3d import Manifold, Mesh64  # noqa: PLC0415  (needed for scans only)

    corners = np.ascontiguousarray(faces.astype(np.uint64))
    return Manifold(Mesh64(np.ascontiguousarray(vertices), corners))


def _crossing_shells(
    vertices: Array, faces: Indices, shell: Indices, *, name: str, join: bool
) -> set[tuple[int, int]]:
    """Return the pairs of shells that cross one another, which only `join` allows.

    Raises:
        SpecError: If a shell intersects itself or, without `join`, another one; or if the surface
            is not a manifold for another reason.
    """
    from manifold3d import Error  # noqa: PLC0415  (needed for scans only)

    pairs = crossing_faces(vertices, faces)
    first, second = np.sort(shell[pairs], axis=1).T
    wrong = pairs[first == second] if join else pairs
    if len(wrong):
        x, y, z = vertices[faces[wrong[0, 0]]].mean(axis=0)
        apart = bool(np.all(first != second))
        raise SpecError(
            f"{name} crosses itself {len(wrong)} times, first near ({x:.4g}, {y:.4g}, {z:.4g}) mm",
            fix="use --join to unite its shells"
            if apart
            else "join the overlapping parts (boolean union, or remesh) and export it again",
        )
    solid = _manifold(vertices, faces)
    if solid.status() != Error.NoError:
        raise SpecError(
            f"{name} is not a manifold ({solid.status().name})",
            fix="remesh it in a mesh editor and export it again",
        )
    return {*zip(first.tolist(), second.tolist(), strict=True)}


_Solid = tuple[Indices, list[Indices]]
"""Faces of the outer shell of a solid, and of each of its cavities."""
_SAMPLES = 5
"""Number of corners by which a shell is found inside another: one may touch it."""


def _solids_of(
    vertices: Array, shells: Sequence[Indices], crossing: Container[tuple[int, int]]
) -> tuple[list[_Solid], bool]:
    """Return the solids that shells enclose, outer shells outwards, and if any was inside out.

    A shell that is inside another and faces inwards is its cavity; each other one is a solid.
    """
    outward = np.array([signed_volume(vertices, shell) > 0 for shell in shells])
    around: list[list[int]] = [
        [
            other
            for other in range(len(shells))
            if other != inner
            and (min(inner, other), max(inner, other)) not in crossing
            and _is_inside(vertices, shells[inner], shells[other])
        ]
        for inner in range(len(shells))
    ]
    # The outermost shell decides what is outside; everything inside it is turned with it.
    outermost = [min((k, *around[k]), key=lambda j: len(around[j])) for k in range(len(shells))]
    turned = ~outward[outermost]
    solids: dict[int, _Solid] = {}
    for number in sorted(range(len(shells)), key=lambda k: len(around[k])):
        shell = shells[number][:, ::-1].copy() if turned[number] else shells[number]
        parent = max(around[number], key=lambda k: len(around[k]), default=-1)
        # A shell that faces inwards inside a cavity encloses material that is inside out.
        if parent in solids and outward[number] == turned[number]:
            solids[parent][1].append(shell)
        else:
            solids[number] = (shell if outward[number] ^ turned[number] else shell[:, ::-1], [])
    return list(solids.values()), bool(np.any(turned))


def _is_inside(vertices: Array, inner: Indices, outer: Indices) -> bool:
    """Return whether a shell that does not cross another is inside it."""
    corners, surface = vertices[np.unique(inner)], vertices[np.unique(outer)]
    if np.any(corners.min(axis=0) < surface.min(axis=0)) or np.any(
        corners.max(axis=0) > surface.max(axis=0)
    ):
        return False
    samples = corners[:: max(1, len(corners) // _SAMPLES)]
    return bool(np.median(np.abs(winding(vertices, outer, samples))) > 0.5)


def _united(vertices: Array, solids: Sequence[_Solid], name: str) -> Mesh:
    """Return the union of some solids.

    Raises:
        SpecError: If some of them touch no other.
    """
    from manifold3d import Manifold, OpType  # noqa: PLC0415  (needed for scans only)

    bodies = [_manifold(vertices, np.vstack([outer, *holes])) for outer, holes in solids]
    union = Manifold.batch_boolean(bodies, OpType.Add)
    pieces = [piece for piece in union.decompose() if piece.volume() > 0.0]
    if len(pieces) > 1:
        gap = pieces[0].min_gap(pieces[1], 2.0 * float(np.max(np.ptp(vertices, axis=0))))
        raise SpecError(
            f"{name} has {len(pieces)} pieces that do not touch, the first two {gap:.3g} mm apart",
            fix="move them together in a mesh editor and export it again",
        )
    # A cut leaves slivers that the grid of mesh files would fold.
    return _mesh_of(union.simplify(_CUT_TOLERANCE))


_CUT_TOLERANCE = 1e-3
"""Largest shift [mm] in the simplification of a union: a tenth of a contact distance."""
_CUT_CORNERS = 64
_PART_CORNERS = 140
_PART_TOLERANCE = 0.05
"""Largest distance [mm] of a part from those of the hull's corners that belong to it."""
_SIMPLIFY_TOLERANCE = 0.05
"""Largest shift [mm] in simplification before decomposition: ten times faster for a fine scan."""


def expect_coacd() -> None:
    """Raise unless CoACD is installed.

    Raises:
        SpecError: If it is not.
    """
    if find_spec("coacd") is None:
        raise SpecError(
            "coacd, which cuts convex parts, is not installed",
            fix=f"{pip_install('coacd')}, or use --parts hull",
        )


_CONCAVITY = 0.06
"""CoACD's threshold of concavity, from 0.01 (many parts) to 1."""


def convex_parts(vertices: Array, faces: Indices, *, keep: Array) -> dict[str, Array]:
    """Return the corners [mm] of each convex part, by name; the result is reproducible.

    CoACD drops corners, so parts are smaller than the skin. Every corner of the whole hull is
    added to its closest part, starting with those the body rests on.

    Args:
        vertices: Vertices of a closed surface [mm], shape [vertex_count, 3].
        faces: Triangles.
        keep: Corners of the hull [mm] on which a body rests, shape [corner_count, 3].

    Raises:
        SpecError: If CoACD is not installed.
    """
    expect_coacd()
    import coacd  # noqa: PLC0415  (an extra, and slow to import)

    coacd.set_log_level("error")
    plain = _simplified(vertices, faces)
    cut_pieces = coacd.run_coacd(
        coacd.Mesh(plain.vertices, plain.faces.astype(np.int32)),
        threshold=_CONCAVITY,
        max_ch_vertex=_CUT_CORNERS,
        decimate=True,
        seed=1,
    )
    pieces = [np.asarray(points, dtype=float) for points, _ in cut_pieces]
    hull = np.vstack([keep, convex_hull(vertices).vertices])
    nearest = np.argmin([outside_hull(piece, hull) for piece in pieces], axis=0)
    parts = {}
    for number, piece in enumerate(pieces, start=1):
        nearest_to_piece = nearest == number - 1
        # Corners to keep come first, so that their indices are known.
        first = np.arange(int(np.sum(nearest_to_piece[: len(keep)])))
        points = np.vstack([hull[nearest_to_piece], piece])
        parts[f"part_{number}"] = thinned(
            points, keep=first, tolerance=_PART_TOLERANCE, limit=_PART_CORNERS
        )
    return parts


def _simplified(vertices: Array, faces: Indices) -> Mesh:
    """Return the surface with fewer faces, within the tolerance of the decomposition."""
    return _mesh_of(_manifold(vertices, faces).simplify(_SIMPLIFY_TOLERANCE))


def _mesh_of(solid: "Manifold") -> Mesh:
    mesh = solid.to_mesh64()
    return Mesh(
        vertices=np.ascontiguousarray(np.asarray(mesh.vert_properties, dtype=float)[:, :3]),
        faces=np.asarray(mesh.tri_verts, dtype=np.int64),
    )


_PAINT = {"skin": (0.90, 0.50, 0.47)}
"""Paint in linear RGB: a scan has none, so it gets the Piggle's."""


def bare_body(scan: Scan, *, density: float) -> Body:
    """Return the body of a scan, of a density [kg/m3], before its poses have names.

    Raises:
        SpecError: If it cannot be a die, or has too many poses.
    """
    vertices = scan.vertices * 1e-3
    count = len(scan.faces)
    check_mesh(vertices, scan.faces, name=scan.name)
    skin = Skin(
        vertices=vertices,
        faces=scan.faces,
        face_parts=("body",) * count,
        face_materials=("skin",) * count,
        colours=dict(_PAINT),
    )
    mass = mass_of(vertices, scan.faces, density=density)
    hull, _ = hull_of(skin)
    support = support_of(hull, mass.centre)
    count = len(support.poses)
    if count > MAX_POSES or is_ball(support, vertices - mass.centre, scan.faces):
        raise artefacts(count, name=scan.name)
    poses = stable_poses(hull, mass.centre, classes=(), skin=skin)
    return Body(
        model=scan.name,
        skin=skin,
        hull=hull,
        parts=(ConvexPart(name="hull", vertices=hull.vertices),),
        mass=mass,
        poses=poses,
        sha256="",
        classed=True,
    )


def class_by_axes(pose: StablePose, *, face: Array, crown: Array) -> Orientation:
    """Return the likely name of a pose, by the directions of the pig's face and crown.

    It is on its head if the crown points down most; otherwise the face decides.

    Args:
        pose: A stable pose.
        face: Direction of the snout, in the axes of the mesh; any length but zero, shape [3].
        crown: Direction of the top of the head, likewise.
    """
    ahead = face / np.linalg.norm(face)
    upward = crown - ahead * float(crown @ ahead)
    if np.linalg.norm(upward) < 1e-6 * np.linalg.norm(crown):
        raise SpecError(
            "face and crown point along one line",
            fix="use --face +z --crown +y, as the mesh has them",
        )
    upward /= np.linalg.norm(upward)
    aside = np.cross(ahead, upward)
    forward, top, side = (float(pose.down @ axis) for axis in (ahead, upward, aside))
    if top > max(abs(forward), abs(side)):
        return Orientation.ON_THEIR_HEAD
    return Orientation.SNOUT_DOWN if forward > 0 else Orientation.SNOUT_UP


def resting_corners(body: Body) -> Array:
    """Return the corners of the hull [m] that support the body in a stable pose, shape [n, 3]."""
    support = support_for(body)
    used = sorted({vertex for rest in support.poses for vertex in rest.vertices})
    corners: Array = body.hull.vertices[used]
    return corners


def model_files(
    scan: Scan,
    body: Body,
    *,
    model: str,
    density: float,
    classes: Sequence[Orientation | str],
    parts: Mapping[str, Array],
) -> dict[str, str]:
    """Return the text of every file of a new model, by file name.

    Classes are those of each distinct pose, in their order. Parts are corners [mm] by name; empty
    to use the hull. The density is in kg/m3.

    Raises:
        SpecError: If the id or the density is impossible.
    """
    mesh = write_obj(
        f"{model}, millimetres",
        [("body", "skin", scan.vertices, scan.faces)],
        materials_file=f"{model}.mtl",
    )
    files = {f"{model}.obj": mesh, f"{model}.mtl": write_mtl(f"Colours of {model}", _PAINT)}
    parts_text = ""
    if parts:
        pieces = [
            (name, convex_hull(np.round(corners, DECIMALS) + 0.0))
            for name, corners in parts.items()
        ]
        parts_text = write_obj(
            f"Convex parts of {model} for collisions, millimetres",
            [(name, "", piece.vertices, piece.faces) for name, piece in pieces],
            keyword="o",
        )
        files[f"{model}_parts.obj"] = parts_text
    pose_classes = []
    names = [pose.name for pose in body.distinct_poses]
    class_of = dict(zip(names, classes, strict=True))
    for pose in body.poses:
        pose_class = class_of[pose.name]
        x, y, z = (round(value, 6) + 0.0 for value in pose.down.tolist())
        orientation = pose_class if isinstance(pose_class, Orientation) else None
        name = None if orientation else str(pose_class)
        pose_classes.append(PoseClassSpec(down=(x, y, z), orientation=orientation, name=name))
    plain = ModelSpec(
        id=model,
        name=title_of(model),
        mesh=f"{model}.obj",
        materials=f"{model}.mtl",
        parts=f"{model}_parts.obj" if parts else None,
        density_kg_m3=density,
        pose_class=tuple(pose_classes),
    )
    files[f"{model}.toml"] = derived_text(plain, mesh, parts_text, name=f"{model}.toml")
    return files
