"""Mesh files: OBJ and MTL in millimetres for models, and untrusted STL, PLY and GLB files."""

import codecs
import io
import itertools
import json
import math
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, parse_json, read_file
from pigglesim.rotations import Array, Indices

DECIMALS = 5
"""Decimals of a millimetre in a file: ten nanometres, far below any contact distance."""

FACE_LIMIT = 1_000_000
"""Maximum number of faces: more take minutes and gigabytes, and change no throw."""
_MAX_COORDINATE = 1e9
"""Largest coordinate, in any unit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjMesh:
    """The contents of an OBJ file."""

    vertices: Array
    """Vertices as in the file [mm], shape [vertex_count, 3]."""
    faces: Indices
    groups: tuple[str, ...]
    """Group or object (`g` or `o`) of each face."""
    materials: tuple[str, ...]
    """Material (`usemtl`) of each face."""


def read_obj(text: str, *, name: str) -> ObjMesh:
    """Return the mesh in an OBJ text; polygons are cut into fans of triangles.

    Raises:
        SpecError: If a line is invalid or a face has an unknown vertex.
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
                f"invalid line {number} of {name}: {line.strip()[:60]!r}",
                fix="export the mesh again as plain Wavefront OBJ",
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
    first, *rest = corners
    pairs = itertools.pairwise(rest)
    return [corner for second, third in pairs for corner in (first, second, third)]


def _check(vertices: Array, faces: Indices, name: str) -> None:
    if not len(faces):
        raise SpecError(f"{name} has no faces", fix="export the mesh with its faces")
    _check_face_count(len(faces), name)
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise SpecError(
            f"a face of {name} has the vertex "
            f"{faces.max() + 1 if faces.min() >= 0 else faces.min() + 1}",
            expected=f"1 to {len(vertices)}",
            fix="export the mesh again with absolute vertex numbers",
        )
    # Beyond this, corners cannot be distinguished, and their products overflow.
    if not np.all(np.abs(vertices) <= _MAX_COORDINATE):
        raise SpecError(
            f"{name} has NaN, infinite or huge coordinates", fix="export the mesh again"
        )


def _check_face_count(count: int, name: str) -> None:
    if count > FACE_LIMIT:
        raise SpecError(
            f"{name} has {count:,} faces",
            expected=f"at most {FACE_LIMIT:,}",
            fix="decimate the mesh, to 50,000 faces or so, and export it again",
        )


def _invalid(kind: str, name: str, problem: str) -> SpecError:
    return SpecError(f"invalid {kind} in {name}: {problem}", fix="export it again as binary STL")


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
        rows = [f"v {_number(x)} {_number(y)} {_number(z)}" for x, y, z in vertices.tolist()]
        if keyword == "g":
            lines += rows
        if name != name_before:
            lines.append(f"{keyword} {name}")
        if keyword == "o":
            lines += rows
        if material and material != material_before:
            lines.append(f"usemtl {material}")
        name_before, material_before = name, material or material_before
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + first).tolist()]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class MetalColour(tuple[float, float, float]):
    """Linear RGB of a metal."""

    __slots__ = ()


def write_mtl(header: str, colours: Mapping[str, Sequence[float]]) -> str:
    """Return the MTL text of linear RGB colours; the file holds sRGB, as viewers expect."""
    lines = [f"# {header}"]
    for name, colour in sorted(colours.items()):
        srgb = " ".join(f"{to_srgb(channel):.4f}" for channel in colour)
        lines += [
            f"newmtl {name}",
            f"Kd {srgb}",
            *(["Pm 1"] if isinstance(colour, MetalColour) else []),
        ]
    return "\n".join(lines) + "\n"


def read_mtl(text: str, *, name: str) -> dict[str, tuple[float, float, float]]:
    """Return the linear RGB colours of an MTL text.

    Raises:
        SpecError: If a colour is invalid.
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
                    f"invalid colour {line.strip()!r} in {name}",
                    fix="use three numbers from 0 to 1, as in `Kd 0.9 0.6 0.6`",
                )
            colours[material] = (red, green, blue)
        elif words == ["Pm", "1"] and material in colours:
            # Of the physical extension of the format.
            colours[material] = MetalColour(colours[material])
    return colours


def to_srgb(channel: float) -> float:
    """Return a linear channel in 0..1 as sRGB (IEC 61966-2-1)."""
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def to_linear(channel: float) -> float:
    """Return an sRGB channel as linear; ValueError outside 0..1."""
    if not 0.0 <= channel <= 1.0:
        raise ValueError(channel)
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def srgb(colour: str) -> Array:
    """Return a colour `#rrggbb` as display values, 0 to 1, shape [3]."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def hex_colour(linear: Iterable[float]) -> str:
    """Return linear RGB, 0 to 1, as sRGB `#rrggbb`."""
    return "#" + "".join(f"{round(255 * to_srgb(part)):02x}" for part in linear)


_MAX_HEADER = 16_384
_MAX_ELEMENTS, _MAX_PROPERTIES = 8, 64
_SIZES = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), 1),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "int32", "uint32", "float", "float32"), 4),
    **dict.fromkeys(("double", "float64", "int64", "uint64"), 8),
}
"""Bytes of a value of each type."""
_FORMAT = re.compile(r"format (ascii|binary_little_endian|binary_big_endian) 1\.0")
_ELEMENT = re.compile(r"element ([A-Za-z_][A-Za-z0-9_]*) (\d{1,12})", re.ASCII)
_PROPERTY = re.compile(r"property (\w+) (\S+)", re.ASCII)
_LIST = re.compile(r"property list (\w+) (\w+) (\S+)", re.ASCII)


def check_ply(data: bytes, *, name: str) -> None:
    """Raise if the header of a PLY file is invalid, or claims more than the file can contain.

    Raises:
        SpecError: If so, with the invalid line.
    """
    head, end, _ = data[:_MAX_HEADER].partition(b"end_header")
    lines = [" ".join(line.split()) for line in head.decode("ascii", "replace").splitlines()]
    if not end or lines[:1] != ["ply"]:
        raise _invalid("PLY header", name, "no header")
    is_ascii, rows = _ply_elements(lines[1:], name)
    if len(rows) > _MAX_ELEMENTS or len(lines) > _MAX_ELEMENTS * _MAX_PROPERTIES:
        raise _invalid("PLY header", name, f"{len(rows)} elements in {len(lines)} lines")
    if any(count and not size for count, size in rows):
        raise _invalid("PLY header", name, "an element without properties")
    claimed, available = sum(count * size for count, size in rows), len(data) - len(head) - len(end)
    # The last value of a text needs no separator.
    if claimed > available + is_ascii:
        raise SpecError(
            f"{name} has {available:,} bytes after its header",
            expected=f"at least {claimed:,}, as it says",
            fix="export the mesh again",
        )


def _ply_elements(lines: Sequence[str], name: str) -> tuple[bool, list[tuple[int, int]]]:
    """Return whether a PLY is a text, and the count and the minimum bytes of each element."""
    is_ascii = True
    rows: list[tuple[int, int]] = []
    for line in lines:
        if not line or line.startswith(("comment", "obj_info")):
            continue
        if match := _FORMAT.fullmatch(line):
            is_ascii = match[1] == "ascii"
        elif match := _ELEMENT.fullmatch(line):
            rows.append((int(match[2]), 0))
        elif rows:
            count, size = rows[-1]
            rows[-1] = (count, size + _min_bytes(line, name, is_ascii=is_ascii))
        else:
            raise _invalid("PLY header", name, repr(cut(line)))
    return is_ascii, rows


def _min_bytes(line: str, name: str, *, is_ascii: bool) -> int:
    """Return the minimum number of bytes of a property: in a text a digit and a blank."""
    types: tuple[str, ...]
    if match := _LIST.fullmatch(line):
        types = (match[1], match[2])
    elif match := _PROPERTY.fullmatch(line):
        types = (match[1],)
    else:
        raise _invalid("PLY header", name, repr(cut(line)))
    if any(type_name not in _SIZES for type_name in types):
        raise _invalid("PLY header", name, repr(cut(line)))
    return 2 if is_ascii else _SIZES[types[0]]


_GLB = FileKind(name="GLB", max_bytes=16 * 1024**2, depth=16, values=1_000_000, text=1 << 20)
_MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_HEADER, _CHUNK = struct.Struct("<3I"), struct.Struct("<2I")
_TOP_KEYS = ("asset", "scene", "scenes", "nodes", "meshes", "accessors", "bufferViews", "buffers")
_NODE_KEYS = {"matrix", "translation", "rotation", "scale", "children", "mesh", "name"}
_COMPONENTS = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
"""Bytes of a component by its type."""
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_COMPRESSIONS = {
    "KHR_draco_mesh_compression": "Draco",
    "EXT_meshopt_compression": "meshopt",
    "KHR_meshopt_compression": "meshopt",
}
"""Compressions of shapes by the extension of glTF."""
_QUANTISATION = "KHR_mesh_quantization"
_TRIANGLES = 4
"""First mode of a primitive that consists of triangles."""
_MAX_NODES, _MAX_DEPTH = 1_000, 64
"""Maximum nodes of a file, and their nesting: a parser's work grows as the product."""
_MAX_SHAPES = 2_000
"""Maximum primitives that all nodes draw together: a parser handles each on its own."""


def bare_glb(data: bytes, *, name: str) -> bytes:
    """Return a GLB file with only the shapes of another.

    Raises:
        SpecError: If it is not GLB, claims more data than it has, or has too many faces.
    """
    text, binary = _chunks(data, name)
    content = parse_json(text, _GLB, where=name)
    try:
        for compression in _compressions(content):
            raise SpecError(
                f"the mesh in {name} is compressed with {compression}",
                fix="export it again as GLB without compression, or as binary STL",
            )
        bare = _shapes_only(content)
        _check_views(bare, len(binary))
        _check_accessors(bare)
        faces = _face_count(bare)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as fault:
        raise _invalid("GLB file", name, f"{type(fault).__name__} {fault}") from None
    _check_face_count(faces, name)
    json_bytes = json.dumps(bare, allow_nan=False).encode()
    json_bytes += b" " * (-len(json_bytes) % 4)
    binary += bytes(-len(binary) % 4)
    size = _HEADER.size + 2 * _CHUNK.size + len(json_bytes) + len(binary)
    head = (_HEADER.pack(_MAGIC, 2, size), _CHUNK.pack(len(json_bytes), _JSON), json_bytes)
    return b"".join((*head, _CHUNK.pack(len(binary), _BINARY), binary))


def _chunks(data: bytes, name: str) -> tuple[str, bytes]:
    """Return the JSON and the binary part of a file."""
    if len(data) < _HEADER.size + _CHUNK.size:
        raise _invalid("GLB file", name, f"{len(data)} bytes")
    magic, version, size = _HEADER.unpack_from(data)
    length, kind = _CHUNK.unpack_from(data, _HEADER.size)
    begin = _HEADER.size + _CHUNK.size
    if (magic, version, kind) != (_MAGIC, 2, _JSON) or size != len(data):
        raise _invalid("GLB file", name, "wrong magic number, version or length")
    if begin + length > len(data):
        raise _invalid("GLB file", name, f"a chunk of {length:,} bytes in a file of {len(data):,}")
    try:
        text = data[begin : begin + length].decode()
    except UnicodeDecodeError:
        raise _invalid("GLB file", name, "the first chunk is not UTF-8") from None
    rest = data[begin + length :]
    if len(rest) < _CHUNK.size:
        return text, b""
    length, kind = _CHUNK.unpack_from(rest)
    if kind != _BINARY or _CHUNK.size + length > len(rest):
        raise _invalid(
            "GLB file", name, f"the second chunk of {length:,} bytes is cut off or not binary"
        )
    return text, rest[_CHUNK.size : _CHUNK.size + length]


def _compressions(content: Mapping[str, Any]) -> list[str]:
    """Return the names of the methods that compressed the shapes; textures do not matter."""
    used = {*content.get("extensionsUsed", ()), *content.get("extensionsRequired", ())}
    names = [name for extension, name in _COMPRESSIONS.items() if extension in used]
    positions = (
        content["accessors"][_index(shape["attributes"]["POSITION"])]
        for mesh in content.get("meshes", ())
        for shape in mesh["primitives"]
    )
    # Whole numbers that stand for fractions; trimesh reads them as whole numbers.
    return names or [_QUANTISATION for each in positions if each.get("normalized")][:1]


def _shapes_only(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of the shapes, after checking that all required parts are there."""
    bare: dict[str, Any] = {key: content[key] for key in _TOP_KEYS if key in content}
    bare["asset"] = {"version": "2.0"}
    bare["nodes"] = [_only(node, _NODE_KEYS) for node in content.get("nodes", [])]
    bare["meshes"] = [{"primitives": _primitives(mesh)} for mesh in content.get("meshes", [])]
    bare["accessors"] = [
        _only(item, {"bufferView", "byteOffset", "componentType", "count", "type", "normalized"})
        for item in content.get("accessors", [])
    ]
    bare["bufferViews"] = [
        _only(view, {"buffer", "byteOffset", "byteLength", "byteStride"})
        for view in content.get("bufferViews", [])
    ]
    (buffer,) = content["buffers"]
    if "uri" in buffer:
        raise ValueError("a buffer in another file")
    bare["buffers"] = [{"byteLength": _index(buffer["byteLength"])}]
    return bare


def _primitives(mesh: Mapping[str, Any]) -> list[dict[str, Any]]:
    primitives = []
    for shape in mesh["primitives"]:
        fields = _only(shape, {"indices", "mode"})
        positions = {"POSITION": _index(shape["attributes"]["POSITION"])}
        primitives.append({**fields, "attributes": positions})
    return primitives


def _only(table: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: table[key] for key in keys & table.keys()}


def _index(number: object) -> int:
    """Return a count or index after checking that it is a non-negative integer."""
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is not a count or an index")
    return number


def _check_views(bare: Mapping[str, Any], size: int) -> None:
    """Raise if a view extends beyond the binary part."""
    for view in bare["bufferViews"]:
        end = _index(view.get("byteOffset", 0)) + _index(view["byteLength"])
        if _index(view["buffer"]) or end > size or _index(view.get("byteStride", 4)) > 252:
            raise ValueError("a view beyond the buffer")


def _check_accessors(bare: Mapping[str, Any]) -> None:
    """Raise if an accessor claims more than its view has."""
    for accessor in bare["accessors"]:
        view = bare["bufferViews"][_index(accessor["bufferView"])]
        item = _COMPONENTS[accessor["componentType"]] * _WIDTHS[accessor["type"]]
        count, start = _index(accessor["count"]), _index(accessor.get("byteOffset", 0))
        step = view.get("byteStride", item)
        if count and (step < item or start + step * (count - 1) + item > view["byteLength"]):
            raise ValueError(f"{count:,} items in a view that holds fewer")


def _face_count(bare: Mapping[str, Any]) -> int:
    """Return the number of triangles of all nodes; they must form trees.

    Shapes that are drawn several times count as often.
    """
    meshes, nodes = bare["meshes"], bare["nodes"]
    if len(nodes) > _MAX_NODES:
        raise ValueError(f"{len(nodes):,} nodes, more than {_MAX_NODES:,}")
    _check_shape_count(nodes, meshes)
    of_mesh = [sum(_faces(bare, primitive) for primitive in mesh["primitives"]) for mesh in meshes]
    parents = [0] * len(nodes)
    total = 0
    for node in nodes:
        for child in node.get("children", ()):
            parents[_index(child)] += 1
        if "mesh" in node:
            total += of_mesh[_index(node["mesh"])]
    depths = _depths(nodes) if max(parents, default=0) <= 1 else []
    if len(depths) != len(nodes):
        raise ValueError("nodes that form a ring, or have two parents")
    if max(depths, default=0) > _MAX_DEPTH:
        raise ValueError(f"nodes nested more than {_MAX_DEPTH} deep")
    # A parser may read each mesh once even if no node draws it.
    return max(total, sum(of_mesh))


def _check_shape_count(
    nodes: Sequence[Mapping[str, Any]], meshes: Sequence[Mapping[str, Any]]
) -> None:
    of_mesh = [len(mesh["primitives"]) for mesh in meshes]
    drawn = sum(of_mesh[_index(node["mesh"])] for node in nodes if "mesh" in node)
    if (count := max(drawn, sum(of_mesh))) > _MAX_SHAPES:
        raise ValueError(f"{count:,} primitives, more than {_MAX_SHAPES:,}")


def _faces(bare: Mapping[str, Any], primitive: Mapping[str, Any]) -> int:
    """Return the maximum number of triangles of a primitive; check its references.

    A third of its corners counts as much: a parser copies them for each primitive that shares them.
    """
    corners = bare["accessors"][primitive["attributes"]["POSITION"]]
    if corners["type"] != "VEC3":
        raise ValueError("positions that are not vectors")
    count = vertices = corners["count"]
    if "indices" in primitive:
        indices = bare["accessors"][_index(primitive["indices"])]
        if indices["type"] != "SCALAR":
            raise ValueError("indices that are not single numbers")
        count = indices["count"]
    mode = _index(primitive.get("mode", _TRIANGLES))
    return max(int(count) // 3 if mode == _TRIANGLES else int(count), int(vertices) // 3)


def _depths(nodes: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the depth of every node that is reachable from a root."""
    children = {child for node in nodes for child in node.get("children", ())}
    pending = [(number, 1) for number in range(len(nodes)) if number not in children]
    depths = []
    while pending:
        number, depth = pending.pop()
        depths.append(depth)
        pending.extend((child, depth + 1) for child in nodes[number].get("children", ()))
    return depths


SUFFIXES = (".stl", ".obj", ".ply", ".glb")
MESH_FILE = FileKind(name="mesh", max_bytes=128 * 1024**2)


def read_triangles(file: Path) -> tuple[Array, Indices]:
    """Return corners in the file's own unit and triangles, all parts of a scene combined.

    Raises:
        SpecError: If it is not such a file, too large, or its mesh is damaged.
    """
    _suffix(file.name)
    return triangles_in(read_file(file, MESH_FILE), name=file.name)


def _suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise SpecError(
            f"{cut(repr(name))} is not a mesh file",
            expected=", ".join(SUFFIXES),
            fix="export the mesh as STL",
        )
    return suffix


def triangles_in(data: bytes, *, name: str) -> tuple[Array, Indices]:
    """Return corners and triangles as `read_triangles`, from the bytes of a file of that name."""
    suffix = _suffix(name)
    if suffix == ".glb":
        data = bare_glb(data, name=name)
    else:
        if data.startswith(_BYTE_ORDER_MARKS) and not _has_stl_size(data):
            data = _in_utf8(data)
        if suffix == ".ply":
            check_ply(data, name=name)
        elif suffix == ".obj" or not _is_binary_stl(data, name=name):
            data = _in_utf8(data)
    vertices, faces = _parsed(data, suffix, name)
    _check(vertices, faces, name)
    return vertices, faces


_STL_HEADER, _STL_FACE = 84, 50
"""Bytes of a binary STL's header, and of each face."""


_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _stl_faces(data: bytes) -> int:
    """Return the number of faces that the header of a binary STL claims."""
    return int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")


def _has_stl_size(data: bytes) -> bool:
    return len(data) == _STL_HEADER + _STL_FACE * _stl_faces(data)


def _is_binary_stl(data: bytes, *, name: str) -> bool:
    """Return whether an STL is binary; raise if its size does not match its number of faces."""
    if _has_stl_size(data):
        return True
    if data[:_STL_HEADER].lstrip()[:5].lower() == b"solid":
        return False
    if len(data) < _STL_HEADER:
        raise SpecError(
            f"{name} has {len(data)} bytes",
            expected=f"an STL header of {_STL_HEADER}",
            fix="export the mesh again",
        )
    claimed = _stl_faces(data)
    raise SpecError(
        f"{name} has {len(data):,} bytes",
        expected=f"{_STL_HEADER + _STL_FACE * claimed:,} for its {claimed:,} faces",
        fix="export the mesh again as binary STL",
    )


def _in_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8 without byte order mark; if not Unicode, it is taken as Latin-1."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig").encode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()


class _NoFiles:
    """A resolver that refuses every file named in a mesh."""

    def get(self, name: str) -> NoReturn:
        """Refuse the file."""
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
            cut(f"{name}: {type(fault).__name__}: {lines[0] if lines else 'unreadable'}"),
            fix="export it again as binary STL",
        ) from None
    return vertices, faces


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear RGB, 0 to 1, of an sRGB colour `#rrggbb`."""
    red, green, blue = (to_linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue
