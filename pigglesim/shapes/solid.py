"""Solids put together and cut apart, each face of the result still knowing whose it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Indices
from pigglesim.shapes.mesh import Mesh
from pigglesim.spatial import Array

if TYPE_CHECKING:
    from manifold3d import Manifold

__all__ = ["Label", "Labelled", "Piece", "combine", "weld"]

Label = tuple[str, str]
"""The part that owns a face and the material it is painted with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A solid that is added or, where `cut` is set, taken away."""

    label: Label
    mesh: Mesh
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelled:
    """A closed surface whose faces have labels."""

    vertices: Array
    """Shape [vertex_count, 3]."""
    faces: Indices
    labels: tuple[Label, ...]
    """One for each face."""


def combine(pieces: Sequence[Piece]) -> Labelled:
    """Return the union of the pieces that add, less those that cut; order does not matter.

    Raises:
        SpecError: If a piece is no closed solid or the union falls apart.
    """
    solids = [(piece, _solid(piece)) for piece in pieces]
    whole = _sum(solid for piece, solid in solids if not piece.cut)
    cuts = [solid for piece, solid in solids if piece.cut]
    if cuts:
        whole = whole - _sum(cuts)
    if len(whole.decompose()) != 1:
        raise SpecError(
            "parts that all touch",
            got=f"{len(whole.decompose())} separate solids",
            remedy="move the loose part into the body",
        )
    owner = {solid.original_id(): piece.label for piece, solid in solids}
    mesh = whole.to_mesh64()
    starts = np.asarray(mesh.run_index, dtype=np.int64) // 3
    labels: list[Label] = []
    for run, original in enumerate(mesh.run_original_id):
        labels += [owner[int(original)]] * int(starts[run + 1] - starts[run])
    vertices = np.asarray(mesh.vert_properties, dtype=float)[:, :3]
    faces = np.asarray(mesh.tri_verts, dtype=np.int64)
    merged = np.arange(len(vertices))
    merged[np.asarray(mesh.merge_from_vert, dtype=np.int64)] = np.asarray(
        mesh.merge_to_vert, dtype=np.int64
    )
    return Labelled(vertices=vertices, faces=merged[faces], labels=tuple(labels))


def _solid(piece: Piece) -> "Manifold":
    from manifold3d import Error, Manifold, Mesh64  # noqa: PLC0415  (needed to build only)

    solid = Manifold(
        Mesh64(
            np.ascontiguousarray(piece.mesh.vertices),
            np.ascontiguousarray(piece.mesh.faces.astype(np.uint64)),
        )
    ).as_original()
    if solid.status() != Error.NoError or not solid.volume() > 0:
        raise SpecError(
            f"part {piece.label[0]!r} to be a closed solid",
            got=f"{solid.status().name}, volume {solid.volume():.3g}",
            remedy="check the numbers of its shape",
        )
    return solid


def _sum(solids: Iterable["Manifold"]) -> "Manifold":
    from manifold3d import Manifold, OpType  # noqa: PLC0415  (needed to build only)

    return Manifold.batch_boolean(list(solids), OpType.Add)


def weld(surface: Labelled, *, decimals: int) -> Labelled:
    """Return the surface rounded to a grid; points that fall together become one.

    Faces that lose a corner are dropped; faces and vertices are put in an order that does not
    depend on how the solids were combined.
    """
    rounded = np.round(surface.vertices, decimals) + 0.0
    vertices, inverse = np.unique(rounded, axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[surface.faces]
    a, b, c = faces.T
    keep = np.flatnonzero((a != b) & (b != c) & (c != a))
    turn = np.argmin(faces[keep], axis=1)
    columns = [faces[keep, (turn + k) % 3] for k in range(3)]
    labels = [surface.labels[k] for k in keep]
    order = sorted(
        range(len(keep)), key=lambda k: (labels[k], *(int(column[k]) for column in columns))
    )
    ordered = np.stack(columns, axis=1)[order]
    used, flat = np.unique(ordered, return_inverse=True)
    return Labelled(
        vertices=vertices[used],
        faces=flat.reshape(-1, 3).astype(np.int64),
        labels=tuple(labels[k] for k in order),
    )
