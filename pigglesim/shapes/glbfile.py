"""A GLB file brought down to its triangles: no materials, pictures, motions or other files.

Scenes of glTF can name one mesh many times over and claim numbers that are nowhere: what a file
would come to is counted before a parser makes room for it.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from pigglesim.errors import SpecError
from pigglesim.files.kinds import FileKind
from pigglesim.files.parsing import parse_json

__all__ = ["bare_glb"]

_KIND = FileKind(name="GLB", most_bytes=16 * 1024**2, depth=16, values=1_000_000, text=1 << 20)
_MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_HEADER, _CHUNK = struct.Struct("<3I"), struct.Struct("<2I")
_KEPT = ("asset", "scene", "scenes", "nodes", "meshes", "accessors", "bufferViews", "buffers")
_DRAWN = {"matrix", "translation", "rotation", "scale", "children", "mesh", "name"}
_COMPONENTS = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
"""Bytes of a component by its type."""
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_TRIANGLES = 4
"""The first mode of a primitive that is made of triangles."""
_MOST_NODES, _DEEPEST = 1_000, 64
"""Nodes of a file, and nodes one within another: a parser's work grows as their product."""


def bare_glb(data: bytes, *, name: str, most_faces: int) -> bytes:
    """Return a GLB file of the same shapes and nothing else.

    Args:
        data: What the file holds.
        name: The file's name, for errors.
        most_faces: Triangles of all its nodes together.

    Raises:
        SpecError: If it is no GLB, claims what it does not hold, or comes to more faces.
    """
    text, binary = _chunks(data, name)
    whole = parse_json(text, _KIND, where=name)
    try:
        bare = _bare(whole)
        _check_views(bare, len(binary))
        _check_accessors(bare)
        faces = _face_count(bare)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as fault:
        raise _damaged(name, f"{type(fault).__name__} {fault}") from None
    if faces > most_faces:
        raise SpecError(
            f"at most {most_faces:,} faces in {name}",
            got=f"{faces:,}",
            remedy="decimate the mesh, to 50,000 faces or so, and export it again",
        )
    content = json.dumps(bare, allow_nan=False).encode()
    content += b" " * (-len(content) % 4)
    binary += bytes(-len(binary) % 4)
    size = _HEADER.size + 2 * _CHUNK.size + len(content) + len(binary)
    parts = (_HEADER.pack(_MAGIC, 2, size), _CHUNK.pack(len(content), _JSON), content)
    return b"".join((*parts, _CHUNK.pack(len(binary), _BINARY), binary))


def _damaged(name: str, got: str) -> SpecError:
    return SpecError(
        f"a whole GLB file of version 2 in {name}",
        got=got,
        remedy="export it again as binary STL",
    )


def _chunks(data: bytes, name: str) -> tuple[str, bytes]:
    """Return the JSON and the binary part of a file."""
    if len(data) < _HEADER.size + _CHUNK.size:
        raise _damaged(name, f"{len(data)} bytes")
    magic, version, size = _HEADER.unpack_from(data)
    length, kind = _CHUNK.unpack_from(data, _HEADER.size)
    begin = _HEADER.size + _CHUNK.size
    if (magic, version, kind) != (_MAGIC, 2, _JSON) or size != len(data):
        raise _damaged(name, "another header, or another length than it says")
    if begin + length > len(data):
        raise _damaged(name, f"a chunk of {length:,} bytes in a file of {len(data):,}")
    try:
        text = data[begin : begin + length].decode()
    except UnicodeDecodeError:
        raise _damaged(name, "a first chunk that is no text") from None
    rest = data[begin + length :]
    if len(rest) < _CHUNK.size:
        return text, b""
    length, kind = _CHUNK.unpack_from(rest)
    if kind != _BINARY or _CHUNK.size + length > len(rest):
        raise _damaged(name, f"a second chunk of {length:,} bytes that is not there")
    return text, rest[_CHUNK.size : _CHUNK.size + length]


def _bare(whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return what gives the shapes; what a file cannot do without is there."""
    bare: dict[str, Any] = {key: whole[key] for key in _KEPT if key in whole}
    bare["asset"] = {"version": "2.0"}
    bare["nodes"] = [_own(node, _DRAWN) for node in whole.get("nodes", [])]
    bare["meshes"] = [{"primitives": _primitives(mesh)} for mesh in whole.get("meshes", [])]
    bare["accessors"] = [
        _own(accessor, {"bufferView", "byteOffset", "componentType", "count", "type", "normalized"})
        for accessor in whole.get("accessors", [])
    ]
    bare["bufferViews"] = [
        _own(view, {"buffer", "byteOffset", "byteLength", "byteStride"})
        for view in whole.get("bufferViews", [])
    ]
    (buffer,) = whole["buffers"]
    if "uri" in buffer:
        raise ValueError("a buffer in another file")
    bare["buffers"] = [{"byteLength": _whole(buffer["byteLength"])}]
    return bare


def _primitives(mesh: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for part in mesh["primitives"]:
        if "KHR_draco_mesh_compression" in part.get("extensions", {}):
            raise ValueError("a compressed mesh")
        own = _own(part, {"indices", "mode"})
        found.append({**own, "attributes": {"POSITION": _whole(part["attributes"]["POSITION"])}})
    return found


def _own(table: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: table[key] for key in keys & table.keys()}


def _whole(number: object) -> int:
    """Return a number that counts or points, which is whole and not negative."""
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} where a whole number stands")
    return number


def _check_views(bare: Mapping[str, Any], size: int) -> None:
    """Raise where a view reaches beyond the binary part."""
    for view in bare["bufferViews"]:
        end = _whole(view.get("byteOffset", 0)) + _whole(view["byteLength"])
        if _whole(view["buffer"]) or end > size or _whole(view.get("byteStride", 4)) > 252:
            raise ValueError("a view beyond the buffer")


def _check_accessors(bare: Mapping[str, Any]) -> None:
    """Raise where an accessor tells of more than its view holds."""
    for accessor in bare["accessors"]:
        view = bare["bufferViews"][_whole(accessor["bufferView"])]
        item = _COMPONENTS[accessor["componentType"]] * _WIDTHS[accessor["type"]]
        count, start = _whole(accessor["count"]), _whole(accessor.get("byteOffset", 0))
        step = view.get("byteStride", item)
        if count and (step < item or start + step * (count - 1) + item > view["byteLength"]):
            raise ValueError(f"{count:,} items in a view that holds fewer")


def _face_count(bare: Mapping[str, Any]) -> int:
    """Return the triangles of all nodes; each node has one parent at most, and no way leads back.

    What is drawn more than once counts as often.
    """
    meshes, nodes = bare["meshes"], bare["nodes"]
    if len(nodes) > _MOST_NODES:
        raise ValueError(f"{len(nodes):,} nodes, more than {_MOST_NODES:,}")
    of_mesh = [sum(_faces(bare, part) for part in mesh["primitives"]) for mesh in meshes]
    parents = [0] * len(nodes)
    total = 0
    for node in nodes:
        for child in node.get("children", ()):
            parents[_whole(child)] += 1
        if "mesh" in node:
            total += of_mesh[_whole(node["mesh"])]
    depths = _depths(nodes) if max(parents, default=0) <= 1 else []
    if len(depths) != len(nodes):
        raise ValueError("nodes that hang on one another in a ring, or on two")
    if max(depths, default=0) > _DEEPEST:
        raise ValueError(f"nodes nested more than {_DEEPEST} deep")
    # A parser may take every mesh once that no node draws.
    return max(total, sum(of_mesh))


def _faces(bare: Mapping[str, Any], part: Mapping[str, Any]) -> int:
    """Return how many triangles a primitive has at most; checks what it points at."""
    corners = bare["accessors"][part["attributes"]["POSITION"]]
    if corners["type"] != "VEC3":
        raise ValueError("positions that are no vectors")
    count = corners["count"]
    if "indices" in part:
        indices = bare["accessors"][_whole(part["indices"])]
        if indices["type"] != "SCALAR":
            raise ValueError("corners that are no numbers")
        count = indices["count"]
    mode = _whole(part.get("mode", _TRIANGLES))
    return int(count) // 3 if mode == _TRIANGLES else int(count)


def _depths(nodes: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the depth of every node that is reached from one that no other holds."""
    held = {child for node in nodes for child in node.get("children", ())}
    waiting = [(number, 1) for number in range(len(nodes)) if number not in held]
    depths = []
    while waiting:
        number, depth = waiting.pop()
        depths.append(depth)
        waiting.extend((child, depth + 1) for child in nodes[number].get("children", ()))
    return depths
