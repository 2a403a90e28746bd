"""Wavefront OBJ and MTL: the meshes of models, in millimetres, as text that diffs."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Indices
from pigglesim.errors import SpecError
from pigglesim.rotations import Array

DECIMALS = 5
"""Decimals of a millimetre in a file: ten nanometres, far below any contact."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjMesh:
    """What a file holds."""

    vertices: Array
    """As in the file [mm], shape [vertex_count, 3]."""
    faces: Indices
    groups: tuple[str, ...]
    """The `g` or `o` that each face stands under."""
    materials: tuple[str, ...]
    """The `usemtl` that each face stands under."""


def read_obj(text: str, *, name: str) -> ObjMesh:
    """Return the mesh in an OBJ text; polygons are cut into fans of triangles.

    Args:
        text: What the file holds.
        name: The file's name, for errors.

    Raises:
        SpecError: If a line cannot be read or a face has no such vertex.
    """
    points: list[float] = []
    corners: list[int] = []
    runs: list[tuple[int, str, str]] = []
    group, material = "body", ""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        key = words[0]
        try:
            if key == "f" and len(words) == 4 and "/" not in line:
                corners += (int(words[1]), int(words[2]), int(words[3]))
            elif key == "v":
                points += (float(words[1]), float(words[2]), float(words[3]))
            elif key == "f":
                corners += _fan([int(word.split("/", 1)[0]) for word in words[1:]])
            elif key in {"g", "o"}:
                runs.append((len(corners) // 3, group, material))
                group = words[1] if len(words) > 1 else "body"
            elif key == "usemtl":
                runs.append((len(corners) // 3, group, material))
                material = words[1]
        except (ValueError, IndexError):
            raise SpecError(
                f"lines such as `v 1 2 3` and `f 1 2 3` in {name}",
                got=f"{line.strip()[:60]!r} in line {number}",
                remedy="export the mesh again as plain Wavefront OBJ",
            ) from None
    vertices = np.array(points, dtype=float).reshape(-1, 3)
    faces = np.array(corners, dtype=np.int64).reshape(-1, 3) - 1
    _check(vertices, faces, name)
    runs.append((len(faces), group, material))
    groups: list[str] = []
    materials: list[str] = []
    for end, group, material in runs:
        materials += [material] * (end - len(groups))
        groups += [group] * (end - len(groups))
    return ObjMesh(vertices=vertices, faces=faces, groups=tuple(groups), materials=tuple(materials))


def _fan(corners: list[int]) -> list[int]:
    """Return the corners of the triangles that a polygon is cut into."""
    first, *others = corners
    pairs = itertools.pairwise(others)
    return [corner for second, third in pairs for corner in (first, second, third)]


def _check(vertices: Array, faces: Indices, name: str) -> None:
    if not len(faces):
        raise SpecError(
            f"a mesh in {name}", got="no faces at all", remedy="export the mesh with its faces"
        )
    if not np.all(np.isfinite(vertices)):
        raise SpecError(
            f"finite coordinates in {name}",
            got="NaN or infinity",
            remedy="export the mesh again: its coordinates are damaged",
        )
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise SpecError(
            f"faces among the {len(vertices)} vertices of {name}",
            got=f"a corner numbered {faces.max() + 1 if faces.min() >= 0 else faces.min() + 1}",
            remedy="export the mesh again with absolute vertex numbers from 1",
        )


def write_obj(
    header: str,
    objects: Iterable[tuple[str, str, Array, Indices]],
    *,
    materials_file: str = "",
    keyword: str = "g",
) -> str:
    """Return the OBJ text of some objects.

    Args:
        header: One line of comment.
        objects: Name, material, vertices [mm] and faces of each; an object without vertices of
            its own uses those of the objects before it.
        materials_file: Name of the MTL file, or empty.
        keyword: `"g"` for groups of one mesh, `"o"` for separate objects.
    """
    lines = [f"# {header}"]
    if materials_file:
        lines.append(f"mtllib {materials_file}")
    first, count = 1, 1
    name_before = material_before = ""
    for name, material, vertices, faces in objects:
        if len(vertices):
            first = count
            count += len(vertices)
        own = [f"v {_number(x)} {_number(y)} {_number(z)}" for x, y, z in vertices.tolist()]
        if keyword == "g":
            lines += own
        if name != name_before:
            lines.append(f"{keyword} {name}")
        if keyword == "o":
            lines += own
        if material and material != material_before:
            lines.append(f"usemtl {material}")
        name_before, material_before = name, material or material_before
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + first).tolist()]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def write_mtl(header: str, colours: Mapping[str, Sequence[float]]) -> str:
    """Return the MTL text of linear RGB colours; the file holds sRGB, as viewers expect."""
    lines = [f"# {header}"]
    for name, colour in sorted(colours.items()):
        shown = " ".join(f"{to_srgb(channel):.4f}" for channel in colour)
        lines += [f"newmtl {name}", f"Kd {shown}"]
    return "\n".join(lines) + "\n"


def read_mtl(text: str, *, name: str) -> dict[str, tuple[float, float, float]]:
    """Return the linear RGB colours of an MTL text.

    Raises:
        SpecError: If a colour is no colour.
    """
    colours: dict[str, tuple[float, float, float]] = {}
    material = ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["newmtl"] and len(words) > 1:
            material = words[1]
        elif words[:1] == ["Kd"]:
            try:
                red, green, blue = (to_linear(float(word)) for word in words[1:4])
            except ValueError:
                red = math.nan
            if not 0.0 <= red + green + blue <= 3.0:
                raise SpecError(
                    f"`Kd red green blue` between 0 and 1 in {name}",
                    got=repr(line.strip()),
                    remedy="give three numbers such as `Kd 0.9 0.6 0.6`",
                )
            colours[material] = (red, green, blue)
    return colours


def to_srgb(channel: float) -> float:
    """Return a linear channel in 0..1 as sRGB (IEC 61966-2-1)."""
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def to_linear(channel: float) -> float:
    """Return an sRGB channel as linear; ValueError outside 0..1."""
    if not 0.0 <= channel <= 1.0:
        raise ValueError(channel)
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
