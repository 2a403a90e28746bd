"""Triangles as the graphics card takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Surface", "joined"]

Floats = NDArray[np.float32]
"""An array of single precision; its shape and unit stand in the docstring that names it."""

_AnyFloats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surface:
    """A mesh with a normal and a colour at each vertex."""

    positions: Floats
    """[m], shape [vertex_count, 3]."""
    normals: Floats
    """Unit vectors, shape [vertex_count, 3]."""
    colours: Floats
    """Linear RGB in 0..1, shape [vertex_count, 3]."""
    faces: NDArray[np.uint32]
    """Corners, counter-clockwise from outside, shape [face_count, 3]."""

    @classmethod
    def of(
        cls, positions: _AnyFloats, normals: _AnyFloats, colours: _AnyFloats, faces: object
    ) -> "Surface":
        """Return the surface of arrays of any precision; a single normal or colour is for all."""
        shape = np.shape(positions)
        return cls(
            positions=np.ascontiguousarray(positions, dtype=np.float32),
            normals=np.array(np.broadcast_to(normals, shape), dtype=np.float32),
            colours=np.array(np.broadcast_to(colours, shape), dtype=np.float32),
            faces=np.ascontiguousarray(faces, dtype=np.uint32),
        )

    @property
    def interleaved(self) -> Floats:
        """Position, normal and colour of each vertex in a row, shape [vertex_count, 9]."""
        return np.hstack([self.positions, self.normals, self.colours])


def joined(surfaces: Sequence[Surface]) -> Surface:
    """Return several surfaces as one."""
    starts = np.cumsum([0, *(len(each.positions) for each in surfaces[:-1])])
    return Surface(
        positions=np.vstack([each.positions for each in surfaces]),
        normals=np.vstack([each.normals for each in surfaces]),
        colours=np.vstack([each.colours for each in surfaces]),
        faces=np.vstack(
            [each.faces + np.uint32(k) for each, k in zip(surfaces, starts, strict=True)]
        ),
    )
