"""A roll as an animated GLB: glTF 2.0 in one file, for any 3D viewer.

The root node rotates the table's z-up frame into glTF's y-up frame, so that the nodes under
it move exactly as in the film. Every actor is a node about its centre of mass.
"""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.films.film import Film
from pigglesim.render.stage import (
    Material,
    Solid,
    Stage,
    board_solid,
    body_solids,
    cup_fittings,
    cup_solid,
    table_solid,
)
from pigglesim.rotations import Array, continuous
from pigglesim.version import __version__

_MAGIC, _VERSION = 0x46546C67, 2
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_TYPES = {"<f4": 5126, "<u2": 5123, "<u4": 5125}
_CORNERS, _FACES = 34962, 34963
"""Targets of buffer views: vertex attributes, indices."""
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_Y_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""Rotation by -90 degrees about x: the table's z becomes glTF's y."""
_AROUND = 0.10
"""Width of the table beyond the board, or beyond the farthest body [m]."""


def film_glb(stage: Stage) -> bytes:
    """Return a film as a GLB file, with one animation of the whole roll."""
    document = _Document()
    film, frames = stage.film, stage.film.frames
    farthest = float(np.abs(frames.positions[-1, :, :2]).max(initial=0.0))
    reach = max(stage.board.half * 2.0**0.5, farthest) + _AROUND
    nodes = [
        document.node("board", document.mesh("board", (board_solid(stage.board),))),
        document.node("table", document.mesh("table", (table_solid(stage.board, reach),))),
    ]
    times = frames.times - frames.times[0]
    for k, (actor, body) in enumerate(zip(film.actors, stage.bodies, strict=True)):
        node = document.node(actor.name, document.mesh(body.model, body_solids(body)))
        landing = stage.readings.get(actor.name)
        reading = {"pose": landing.label, "zone": landing.zone.value} if landing else {}
        owner = actor.owner.value if actor.owner else None
        document.nodes[node]["extras"] = {"owner": owner, "standing": actor.standing, **reading}
        document.move(node, times, frames.positions[:, k], frames.rotations[:, k])
        nodes.append(node)
    has_cup = frames.has_cup
    if has_cup.any():
        node = document.node(
            "cup", document.mesh("cup", (cup_solid(stage.cup), *cup_fittings(stage.cup)))
        )
        document.move(node, times, *frames.cup_poses())
        document.show(node, times, has_cup)
        nodes.append(node)
    return document.file(nodes, film)


class _Document:
    """A glTF document under construction; all references are by number."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._mesh_of: dict[tuple[Solid, ...], int] = {}
        self._materials: list[dict[str, Any]] = []
        self._material_of: dict[Material, int] = {}
        self._accessors: list[dict[str, Any]] = []
        self._accessor_of: dict[tuple[bytes, int | None, str], int] = {}
        self._views: list[dict[str, Any]] = []
        self._binary = bytearray()
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []

    def node(self, name: str, mesh: int) -> int:
        """Add a node that shows a mesh."""
        self.nodes.append({"name": name, "mesh": mesh})
        return len(self.nodes) - 1

    def mesh(self, name: str, solids: tuple[Solid, ...]) -> int:
        """Add a mesh of some solids; equal solids are added once."""
        if solids not in self._mesh_of:
            primitives = [part for solid in solids for part in self._primitives(solid)]
            self._meshes.append({"name": name, "primitives": primitives})
            self._mesh_of[solids] = len(self._meshes) - 1
        return self._mesh_of[solids]

    def _primitives(self, solid: Solid) -> list[dict[str, Any]]:
        """Return one primitive per material of a solid; all share its vertices."""
        attributes = {
            "POSITION": self._accessor(_floats(solid.vertices), _CORNERS, bounds=True),
            "NORMAL": self._accessor(
                _floats(solid.normals / np.linalg.norm(solid.normals, axis=1, keepdims=True)),
                _CORNERS,
            ),
        }
        ends = np.cumsum(solid.face_counts)
        wide = len(solid.vertices) > 0xFFFF
        faces = solid.faces.astype("<u4" if wide else "<u2")
        return [
            {
                "attributes": attributes,
                "indices": self._accessor(faces[end - count : end].reshape(-1), _FACES),
                "material": self._material(material),
            }
            for material, count, end in zip(solid.materials, solid.face_counts, ends, strict=True)
        ]

    def move(self, node: int, times: Array, positions: Array, rotations: Array) -> None:
        """Animate a node; without the animation it stays at its last transform."""
        turned = continuous(rotations)
        self.nodes[node] |= {
            "translation": np.float32(positions[-1]).tolist(),
            "rotation": np.float32(turned[-1]).tolist(),
        }
        for path, values in (("translation", positions), ("rotation", turned)):
            # Constant values need no channel.
            if np.any(values != values[-1]):
                self._channel(node, path, times, values, "LINEAR")

    def show(self, node: int, times: Array, visible: NDArray[np.bool_]) -> None:
        """Hide a node while it is absent: glTF can only scale it down."""
        if not visible.all():
            self.nodes[node]["scale"] = [float(visible[-1])] * 3
            scales = np.repeat(visible[:, None].astype(float), 3, axis=1)
            self._channel(node, "scale", times, scales, "STEP")

    def file(self, children: list[int], film: Film) -> bytes:
        """Return the document as a file."""
        self.nodes.append({"name": film.scene, "rotation": _Y_UP, "children": children})
        gltf: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"pigglesim {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [len(self.nodes) - 1]}],
            "nodes": self.nodes,
            "meshes": self._meshes,
            "materials": self._materials,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._binary)}],
            "extras": {"origin": dict(film.origin)},
        }
        if self._channels:
            gltf["animations"] = [
                {"name": "roll", "channels": self._channels, "samplers": self._samplers}
            ]
        text = json.dumps(gltf, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        length = 12 + 8 + len(text) + 8 + len(self._binary)
        return b"".join(
            [
                struct.pack("<3I", _MAGIC, _VERSION, length),
                struct.pack("<2I", len(text), _JSON),
                text,
                struct.pack("<2I", len(self._binary), _BIN),
                self._binary,
            ]
        )

    def _channel(self, node: int, path: str, times: Array, values: Array, method: str) -> None:
        # All channels have the same times, which are stored once.
        input_times = self._accessor(_floats(times[:, None]), bounds=True)
        output = self._accessor(_floats(values))
        self._samplers.append({"input": input_times, "output": output, "interpolation": method})
        target = {"node": node, "path": path}
        self._channels.append({"sampler": len(self._samplers) - 1, "target": target})

    def _material(self, material: Material) -> int:
        if material not in self._material_of:
            entry: dict[str, Any] = {
                "name": material.name,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*material.colour, material.opacity],
                    "metallicFactor": 0.0,
                    "roughnessFactor": material.roughness,
                },
            }
            if material.opacity < 1.0:
                entry |= {"alphaMode": "BLEND", "doubleSided": True}
            self._materials.append(entry)
            self._material_of[material] = len(self._materials) - 1
        return self._material_of[material]

    def _accessor(
        self, data: NDArray[Any], target: int | None = None, *, bounds: bool = False
    ) -> int:
        """Return the number of an accessor of some data; equal data is stored once."""
        kind = _KINDS[data.shape[1] if data.ndim == 2 else 1]
        key = (data.tobytes(), target, kind)
        if key not in self._accessor_of:
            accessor = {"componentType": _TYPES[data.dtype.str], "count": len(data), "type": kind}
            if bounds:
                accessor |= {"min": data.min(axis=0).tolist(), "max": data.max(axis=0).tolist()}
            view = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": data.nbytes}
            self._views.append(view if target is None else view | {"target": target})
            self._accessors.append({"bufferView": len(self._views) - 1, **accessor})
            self._accessor_of[key] = len(self._accessors) - 1
            # Every part begins at a multiple of four, as floats require.
            self._binary += key[0] + b"\0" * (-data.nbytes % 4)
        return self._accessor_of[key]


def _floats(values: Array) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype="<f4")
