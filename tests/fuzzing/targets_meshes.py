"""Meshes that people bring: STL, OBJ, PLY and GLB, up to what a model is made of."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tests.fuzzing.target import Feed, Form, Target, scratch_file

_SIDE = 20.0
"""Of the solids in the seeds, in units of the file."""


def _solids() -> dict[str, tuple[object, object]]:
    """Return corners and faces of a tetrahedron, a cube and a cube with a hole."""
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * _SIDE
    of_it = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * _SIDE
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    of_cube = np.array([t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))])
    return {
        "tetrahedron": (tetrahedron, of_it),
        "cube": (cube, of_cube),
        "open": (cube, of_cube[:-1]),
    }


def _seeds(kinds: tuple[str, ...], extra: tuple[bytes, ...] = ()) -> Sequence[bytes]:
    """Return the solids as files of some kinds."""
    from trimesh import Trimesh

    found = []
    for name, (corners, faces) in _solids().items():
        mesh = Trimesh(vertices=corners, faces=faces, process=False)
        # An open cube is refused, and stays out: seeds are sound.
        if name != "open":
            found += [_exported(mesh, kind) for kind in kinds]
    return [*found, *extra]


def _exported(mesh: object, kind: str) -> bytes:
    words = {"encoding": "ascii"} if kind == "ply ascii" else {}
    data = mesh.export(file_type=kind.partition(" ")[0], **words)  # type: ignore[attr-defined]
    return data.encode() if isinstance(data, str) else data


_POLYGONS = b"""mtllib other.mtl
o cube
v 0 0 0
v 20 0 0
v 20 20 0
v 0 20 0
v 0 0 20
v 20 0 20
v 20 20 20
v 0 20 20
vt 0 0
vn 0 0 1
usemtl red
f 4/1/1 3/1/1 2/1/1 1/1/1
f 5//1 6//1 7//1 8//1
f 1 2 6 5
f -7 -6 -2 -3
g back
f 3 4 8 7
f 4 1 5 8
"""


def _prepare(folder: Path, *, suffix: str) -> Feed:
    from pigglesim.bodies.scan import LengthUnit, bare_body, read_scan

    def read(path: Path) -> object:
        scan = read_scan(path, LengthUnit.MILLIMETRE)
        assert np.all(np.isfinite(scan.vertices))
        assert len(scan.faces) < 10_000
        return bare_body(scan, density=1000.0)

    return scratch_file(folder, f"it{suffix}", read)


_READERS = ("pigglesim.files", "pigglesim.bodies")
TARGETS = (
    Target(
        name="mesh-stl", form=Form.BINARY, prepare=partial(_prepare, suffix=".stl"),
        seeds=partial(_seeds, ("stl", "stl_ascii")),
        readers=_READERS, most_bytes=4_096, inputs=100_000,
    ),
    Target(
        name="mesh-obj", form=Form.TEXT, prepare=partial(_prepare, suffix=".obj"),
        seeds=partial(_seeds, ("obj",), (_POLYGONS,)),
        readers=_READERS, most_bytes=4_096, inputs=100_000,
    ),
    Target(
        name="mesh-ply", form=Form.BINARY, prepare=partial(_prepare, suffix=".ply"),
        seeds=partial(_seeds, ("ply", "ply ascii")),
        readers=_READERS, most_bytes=4_096, inputs=100_000,
        words=("element vertex 4294967295", "property list uchar int vertex_indices"),
    ),
    Target(
        name="mesh-glb", form=Form.BINARY, prepare=partial(_prepare, suffix=".glb"),
        seeds=partial(_seeds, ("glb",)),
        readers=_READERS, most_bytes=4_096, inputs=100_000,
    ),
)  # fmt: skip
