"""Convex parts of a scan, for collisions: cut by CoACD, mended where the floor will meet them."""

from importlib.util import find_spec

import numpy as np

from pigglesim.errors import SpecError, pip_install
from pigglesim.shapes.body import Indices
from pigglesim.shapes.hull import thinned
from pigglesim.shapes.mesh import Mesh, convex_hull, hull_planes
from pigglesim.spatial import Array

__all__ = ["convex_parts", "expect_cutter"]

_CUT_CORNERS = 64
_PART_CORNERS = 140
_PART_TOLERANCE = 0.05
"""How far [mm] a part may fall short of the hull's corners that it carries."""
_SIMPLER = 0.05
"""How far [mm] the surface may move before it is cut: a fine scan is cut ten times as fast."""
_SEED = 1


def expect_cutter() -> None:
    """Raise unless CoACD is installed.

    Raises:
        SpecError: If it is not.
    """
    if find_spec("coacd") is None:
        raise SpecError(
            "the package coacd, which cuts convex parts",
            got="none installed",
            remedy=f"{pip_install('coacd')}, or --parts hull",
        )


def convex_parts(
    vertices: Array, faces: Indices, *, keep: Array, coarseness: float = 0.06
) -> dict[str, Array]:
    """Return the corners [mm] of each convex part, by name; the same parts every time.

    CoACD keeps few corners, so that parts fall short of the skin. Every corner of the whole
    hull is given back to the part nearest to it, first of all those the body rests on.

    Args:
        vertices: Of a closed surface [mm], shape [vertex_count, 3].
        faces: Triangles.
        keep: Corners of the hull [mm] that a resting body stands on, shape [corner_count, 3].
        coarseness: CoACD's threshold of concavity, from 0.01 (many parts) to 1.

    Raises:
        SpecError: If CoACD is not installed.
    """
    expect_cutter()
    import coacd  # noqa: PLC0415  (an extra, and slow to import)

    coacd.set_log_level("error")
    plain = _simplified(vertices, faces)
    cut = coacd.run_coacd(
        coacd.Mesh(plain.vertices, plain.faces.astype(np.int32)),
        threshold=coarseness,
        max_ch_vertex=_CUT_CORNERS,
        decimate=True,
        seed=_SEED,
    )
    pieces = [np.asarray(points, dtype=float) for points, _ in cut]
    hull = np.vstack([keep, convex_hull(vertices).vertices])
    nearest = np.argmin([_outside(piece, hull) for piece in pieces], axis=0)
    found = {}
    for number, piece in enumerate(pieces, start=1):
        mine = nearest == number - 1
        # Those to keep stand first, so that their places are known.
        first = np.arange(int(np.sum(mine[: len(keep)])))
        points = np.vstack([hull[mine], piece])
        found[f"part_{number}"] = thinned(
            points, keep=first, tolerance=_PART_TOLERANCE, limit=_PART_CORNERS
        )
    return found


def _simplified(vertices: Array, faces: Indices) -> Mesh:
    """Return the surface with fewer faces, nowhere farther off than is left out anyway."""
    from manifold3d import Manifold, Mesh64  # noqa: PLC0415  (needed to build only)

    solid = Manifold(
        Mesh64(np.ascontiguousarray(vertices), np.ascontiguousarray(faces.astype(np.uint64)))
    )
    found = solid.simplify(_SIMPLER).to_mesh64()
    return Mesh(
        vertices=np.ascontiguousarray(np.asarray(found.vert_properties, dtype=float)[:, :3]),
        faces=np.asarray(found.tri_verts, dtype=np.int64),
    )


def _outside(piece: Array, points: Array) -> Array:
    """Return how far each point lies outside a convex piece; negative inside."""
    normals, offsets = hull_planes(piece)
    found: Array = np.max(points @ normals.T - offsets, axis=1)
    return found
