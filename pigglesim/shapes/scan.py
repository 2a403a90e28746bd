"""A user's own mesh, mended where that is safe and refused with the reason where it is not."""

from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Indices
from pigglesim.shapes.check import LARGEST, SMALLEST
from pigglesim.shapes.crossing import crossing_faces
from pigglesim.shapes.mending import (
    fill_small_holes,
    open_edges,
    signed_volume,
    turned_alike,
    welded,
)
from pigglesim.shapes.meshfile import read_triangles
from pigglesim.spatial import Array

__all__ = ["LengthUnit", "Scan", "length_unit", "mended", "read_scan"]

_LIKELY_MM = (10.0, 60.0)
"""Sizes that dice and pigs have; a wrong unit is told by what would bring a mesh between them."""


@unique
class LengthUnit(StrEnum):
    """What one unit of a mesh file may stand for."""

    MILLIMETRE = "mm"
    CENTIMETRE = "cm"
    METRE = "m"
    INCH = "in"

    @property
    def millimetres(self) -> float:
        """Its length [mm]."""
        return {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}[self.value]


def length_unit(word: str) -> LengthUnit:
    """Return the unit of that name.

    Raises:
        SpecError: If there is none.
    """
    if word not in set(LengthUnit):
        raise SpecError(f"a unit: {', '.join(LengthUnit)}", got=repr(word), remedy="--unit mm")
    return LengthUnit(word)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan:
    """One closed surface, faces counter-clockwise from outside."""

    name: str
    """The file's name."""
    vertices: Array
    """[mm], on the grid of mesh files, shape [vertex_count, 3]."""
    faces: Indices
    notes: tuple[str, ...] = ()
    """What was mended, in words."""


def read_scan(file: Path, unit: LengthUnit) -> Scan:
    """Return the surface in an STL, OBJ, PLY or GLB file.

    Raises:
        SpecError: If it is no closed surface of a die's size, and could not be mended.
    """
    vertices, faces = read_triangles(file)
    _check_size(vertices, faces, unit, file.name)
    return mended(vertices * unit.millimetres, faces, name=file.name)


def mended(vertices: Array, faces: Indices, *, name: str) -> Scan:
    """Return a surface [mm] with corners joined, faces turned outwards and small holes filled.

    Raises:
        SpecError: If it is open, crosses itself, holds no volume or is of several pieces.
    """
    notes: list[str] = []
    vertices, faces, dropped = welded(vertices, faces)
    if dropped:
        notes.append(_counted(dropped, "empty or double face", "dropped"))
    if not len(faces) or _is_flat(vertices):
        raise _no_volume(name)
    faces, turned, pieces = turned_alike(faces, name=name)
    if turned:
        notes.append(_counted(turned, "face", "turned like their neighbours"))
    vertices, faces, holes = fill_small_holes(vertices, faces)
    if holes:
        notes.append(_counted(holes, "small hole", "filled"))
    if missing := open_edges(faces):
        raise SpecError(
            f"a closed surface in {name}",
            got=f"an open one: {missing} edges border on nothing",
            remedy="close the holes in a mesh editor and export it again",
        )
    if pieces > 1:
        raise SpecError(
            f"one shell in {name}",
            got=f"{pieces} separate shells",
            remedy="join them, or delete all but the outer one, and export it again",
        )
    volume = signed_volume(vertices, faces)
    if abs(volume) < 1e-6 * float(np.max(np.ptp(vertices, axis=0))) ** 3:
        raise _no_volume(name)
    _check_crossing(vertices, faces, name)
    if volume < 0:
        faces = faces[:, ::-1].copy()
        notes.append("the surface was inside out and is turned right side out")
    return Scan(name=name, vertices=vertices, faces=faces, notes=tuple(notes))


def _is_flat(vertices: Array) -> bool:
    """Return whether all corners lie in one plane: the two sides of a sheet fall together."""
    spread = np.linalg.eigvalsh(np.cov(vertices.T))
    return bool(spread[0] < 1e-12 * spread[-1])


def _counted(count: int, what: str, done: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''} {done}"


def _no_volume(name: str) -> SpecError:
    return SpecError(
        f"a solid in {name}",
        got="a mesh of zero volume",
        remedy="give it thickness: flat things cannot be dice",
    )


def _check_size(vertices: Array, faces: Indices, unit: LengthUnit, name: str) -> None:
    """Raise where the mesh, in the unit given, is no size for a die."""
    plain = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    size = plain * unit.millimetres
    if SMALLEST * 1e3 <= size <= LARGEST * 1e3:
        return
    low, high = _LIKELY_MM
    middle = (low * high) ** 0.5
    fits = [other for other in LengthUnit if low <= plain * other.millimetres <= high]
    best = min(fits, key=lambda u: abs(np.log(plain * u.millimetres / middle)), default=None)
    raise SpecError(
        f"a die of {SMALLEST * 1e3:g} to {LARGEST * 1e3:g} mm in {name}",
        got=f"{_length(size)} with --unit {unit}",
        remedy=f"--unit {best}, which makes it {_length(plain * best.millimetres)}"
        if best
        else f"scale the mesh, which is {plain:.4g} units long, to 27 mm or so",
    )


def _length(millimetres: float) -> str:
    return f"{millimetres / 1e3:.3g} m" if millimetres >= 1e3 else f"{millimetres:.3g} mm"


def _check_crossing(vertices: Array, faces: Indices, name: str) -> None:
    """Raise where the surface passes through itself, or is no manifold for another reason."""
    from manifold3d import Error, Manifold, Mesh64  # noqa: PLC0415  (needed for scans only)

    pairs = crossing_faces(vertices, faces)
    if len(pairs):
        x, y, z = vertices[faces[pairs[0, 0]]].mean(axis=0)
        raise SpecError(
            f"a surface that does not cross itself in {name}",
            got=f"{len(pairs)} crossings, the first near ({x:.4g}, {y:.4g}, {z:.4g}) mm",
            remedy="join the overlapping parts (boolean union, or remesh) and export it again",
        )
    solid = Manifold(
        Mesh64(np.ascontiguousarray(vertices), np.ascontiguousarray(faces.astype(np.uint64)))
    )
    if solid.status() != Error.NoError:
        raise SpecError(
            f"a surface with two faces at each edge in {name}",
            got=f"one that is not ({solid.status().name})",
            remedy="remesh it in a mesh editor and export it again",
        )
