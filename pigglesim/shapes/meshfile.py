"""Triangles out of files that others wrote: STL, OBJ, PLY and GLB, with nothing else opened.

What a file claims to hold is compared with its size before room is made for it; textures,
materials and other files that it names are left alone.
"""

import io
from pathlib import Path
from typing import NoReturn

import numpy as np

from pigglesim.errors import SpecError, cut
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_file
from pigglesim.shapes.body import Indices
from pigglesim.shapes.glbfile import bare_glb
from pigglesim.shapes.plyfile import check_ply
from pigglesim.spatial import Array

__all__ = ["FACE_LIMIT", "SUFFIXES", "read_triangles"]

FACE_LIMIT = 1_000_000
"""More faces than this take minutes and gigabytes, and change no throw."""
SUFFIXES = (".stl", ".obj", ".ply", ".glb")
_KIND = FileKind(name="mesh", most_bytes=128 * 1024**2)


def read_triangles(file: Path) -> tuple[Array, Indices]:
    """Return corners in the file's own unit and triangles, all parts of a scene put together.

    Raises:
        SpecError: If it is no such file, too large, or its mesh is damaged.
    """
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise SpecError(
            f"a mesh file: {', '.join(SUFFIXES)}",
            got=repr(file.name),
            remedy="export the mesh as STL",
        )
    data = read_file(file, _KIND)
    if suffix == ".glb":
        data = bare_glb(data, name=file.name, most_faces=FACE_LIMIT)
    elif suffix == ".ply":
        check_ply(data, name=file.name)
    elif suffix == ".obj" or not _is_binary_stl(data, name=file.name):
        data = _in_utf8(data)
    vertices, faces = _parsed(data, suffix, file.name)
    if not len(faces):
        raise SpecError(
            f"a mesh in {file.name}", got="no faces at all", remedy="export the mesh with its faces"
        )
    if len(faces) > FACE_LIMIT:
        raise SpecError(
            f"at most {FACE_LIMIT:,} faces in {file.name}",
            got=f"{len(faces):,}",
            remedy="decimate the mesh, to 50,000 faces or so, and export it again",
        )
    corners = vertices[faces.reshape(-1)] if _are_corners(faces, len(vertices)) else None
    # Corners beyond this are not told apart, and their products are no numbers.
    if corners is None or not np.all(np.abs(corners) <= _FARTHEST):
        raise SpecError(
            f"sound coordinates in {file.name}",
            got="NaN, infinity or a face without corners",
            remedy="export the mesh again: it is damaged",
        )
    return vertices, faces


_FARTHEST = 1e9
_STL_HEADER, _STL_FACE = 84, 50
"""Bytes of a binary STL before its faces, and of each face."""


def _is_binary_stl(data: bytes, *, name: str) -> bool:
    """Return whether an STL is binary, not text.

    Raises:
        SpecError: If it is binary and its size is not that of the faces it claims.
    """
    claimed = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")
    size = _STL_HEADER + _STL_FACE * claimed
    if len(data) == size:
        return True
    if data[:_STL_HEADER].lstrip()[:5].lower() == b"solid":
        return False
    if len(data) < _STL_HEADER:
        raise SpecError(
            f"an STL header of {_STL_HEADER} bytes in {name}",
            got=f"a file of {len(data)}",
            remedy="export the mesh again: it is cut off",
        )
    raise SpecError(
        f"{size:,} bytes for the {claimed:,} faces that {name} claims",
        got=f"{len(data):,}",
        remedy="export the mesh again as binary STL: it is cut off or damaged",
    )


def _in_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8; one in another encoding is taken as Latin-1, as in comments."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def _are_corners(faces: Indices, count: int) -> bool:
    return bool(faces.min() >= 0 and faces.max() < count)


class _NoFiles:
    """What a parser asks for the files that a mesh names: there are none."""

    def get(self, name: str) -> NoReturn:
        """Refuse."""
        raise FileNotFoundError(f"{cut(name)}, which is not read")

    __getitem__ = get

    def keys(self) -> list[str]:
        """Return no names."""
        return []


def _parsed(data: bytes, suffix: str, name: str) -> tuple[Array, Indices]:
    from trimesh import load_mesh  # noqa: PLC0415  (slow to import, needed for scans only)

    try:
        mesh = load_mesh(
            io.BytesIO(data),
            file_type=suffix[1:],
            resolver=_NoFiles(),
            process=False,
            skip_materials=True,
        )
        vertices = np.array(mesh.vertices, dtype=float).reshape(-1, 3)
        faces = np.array(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as fault:  # a parser of foreign files may fail in any way
        lines = str(fault).splitlines()
        raise SpecError(
            f"a readable mesh in {name}",
            got=cut(f"{type(fault).__name__}: {lines[0] if lines else 'none'}"),
            remedy="export it again as binary STL",
        ) from None
    return vertices, faces
