"""Mesh files that claim, name or cost more than a die: refused before anything is spent on them."""

import json
import struct
import sys
import time
import tracemalloc

import numpy as np
import pytest

from pigglesim.bodies.mesh_files import read_triangles
from pigglesim.bodies.scan import crossing_faces, fill_small_holes
from pigglesim.errors import SpecError
from tests.unit.bodies import scans

BALL = scans.ball(level=2)
_opened: list[str] = []
_listening = False


def _note(event: str, words: tuple[object, ...]) -> None:
    if _listening and event in {"open", "socket.connect", "socket.getaddrinfo"}:
        _opened.append(str(words[0]))


sys.addaudithook(_note)


@pytest.fixture
def opened():
    """Every file and address that is opened meanwhile."""
    global _listening
    _opened.clear()
    _listening = True
    yield _opened
    _listening = False


def glb(document: dict, binary: bytes = b"") -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    head = struct.pack("<3I", 0x46546C67, 2, size) + struct.pack("<2I", len(text), 0x4E4F534A)
    return head + text + struct.pack("<2I", len(binary), 0x004E4942) + binary


def triangle(**changed: object) -> dict:
    """A scene of one triangle, with something changed."""
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
        **changed,
    }


CORNERS = np.array([[0, 0, 0], [20, 0, 0], [0, 20, 0]], dtype="<f4").tobytes()
TWICE = [{"children": [number + 1, number + 1]} for number in range(40)] + [{"mesh": 0}]
NESTED = [{"mesh": 0, "children": [number + 1]} for number in range(2_999)] + [{"mesh": 0}]
MANY = {"bufferView": 0, "componentType": 5126, "count": 2**32 - 1, "type": "VEC3"}
PART = {"attributes": {"POSITION": 0}}
SHARED = triangle(
    meshes=[{"primitives": [{**PART, "indices": 1}] * 1000}],
    accessors=[
        {"bufferView": 0, "componentType": 5126, "count": 100_000, "type": "VEC3"},
        {"bufferView": 0, "componentType": 5125, "count": 3, "type": "SCALAR"},
    ],
    bufferViews=[{"buffer": 0, "byteLength": 12 * 100_000}],
    buffers=[{"byteLength": 12 * 100_000}],
)
"""A thousand triangles that share many corners, which a parser would copy for each."""
PLY = "ply\nformat {} 1.0\nelement vertex {}\n{}element face {}\n{}end_header\n"
XYZ = "property float x\nproperty float y\nproperty float z\n"
LIST = "property list uchar int vertex_indices\n"
HOSTILE = {
    "claim.stl": bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50),
    "none.stl": bytes(84),
    "text.stl": b"solid x\n" + b"facet normal 0 0 1\n" * 1000,
    "claim.ply": PLY.format("binary_little_endian", 2**32 - 1, XYZ, 1, LIST).encode(),
    "faces.ply": PLY.format("ascii", 3, XYZ, 4_000_000_000, LIST).encode() + b"0 0 0\n" * 9,
    "bare.ply": PLY.format("ascii", 10**9, "", 1, LIST).encode(),
    "odd.ply": PLY.format("binary_big_endian", 3, "property quad x\n", 1, LIST).encode(),
    "long.ply": b"ply\n" + b"comment x\n" * 100_000,
    "twice.glb": glb(triangle(nodes=TWICE), CORNERS),
    "ring.glb": glb(triangle(nodes=[{"mesh": 0, "children": [0]}]), CORNERS),
    "often.glb": glb(triangle(nodes=[{"mesh": 0}] * 20_000), CORNERS),
    "parts.glb": glb(triangle(meshes=[{"primitives": [PART] * 100_000}]), CORNERS),
    "shared.glb": glb(SHARED, bytes(12 * 100_000)),
    "claim.glb": glb(triangle(accessors=[MANY]), CORNERS),
    "nowhere.glb": glb(triangle(accessors=[{**MANY, "bufferView": 9}]), CORNERS),
    "zeros.glb": glb(triangle(accessors=[{**MANY, "bufferView": None}]), CORNERS),
    "beyond.glb": glb(triangle(bufferViews=[{"buffer": 0, "byteLength": 2**40}]), CORNERS),
    "uri.glb": glb(triangle(buffers=[{"byteLength": 36, "uri": "/dev/zero"}]), CORNERS),
    "chunk.glb": glb(triangle(), CORNERS)[:12] + struct.pack("<2I", 2**32 - 4, 0x4E4F534A),
    "deep.glb": glb(triangle(extras=eval("[" * 90 + "]" * 90)), CORNERS),
    "nan.obj": b"v 0 0 1e400\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "far.obj": b"v 0 0 1e300\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "index.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n",
    "fan.obj": b"v 0 0 0\n" + b"f" + b" 1" * 500_000 + b"\n" * 9,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_file_claims_is_not_believed(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(HOSTILE[name])
    began = time.process_time()
    tracemalloc.start()
    try:
        vertices, faces = read_triangles(path)
        # What is sound but for its size may be read: the rest is for those who mend it.
        assert len(faces) <= 500_000
        assert np.abs(vertices).max() < 1e9
    except SpecError as fault:
        assert str(fault).isprintable()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 300e6
    assert time.process_time() - began < 20.0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.obj", b"mtllib secret.mtl\nmtllib /etc/passwd\nusemtl x\n"),
        ("a.ply", b"ply\ncomment TextureFile secret.png\n"),
        ("a.glb", b""),
    ],
)
def test_a_mesh_opens_no_file_beside_it(tmp_path, opened, name, data):
    scans.write(BALL, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    if name == "a.obj":
        whole = data + whole
    elif name == "a.ply":
        whole = whole.replace(b"ply\n", data, 1)
    else:
        image = {"images": [{"uri": "secret.png"}], "textures": [{"source": 0}]}
        color = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
        part = {"attributes": {"POSITION": 0}, "material": 0}
        whole = glb(triangle(**image, materials=[color], meshes=[{"primitives": [part]}]), CORNERS)
    (tmp_path / name).write_bytes(whole)
    for secret in ("secret.mtl", "secret.png"):
        (tmp_path / secret).write_bytes(b"newmtl x\nmap_Kd secret.png\n")
    read_triangles(tmp_path / name)  # once, so that what is imported late is open already
    opened.clear()
    _, faces = read_triangles(tmp_path / name)
    assert len(faces)
    assert {
        path for path in opened if "secret" in path or "://" in path or "passwd" in path
    } == set()
    assert str(tmp_path / name) in opened


def test_nodes_are_bounded_in_number_and_depth(tmp_path):
    path = tmp_path / "a.glb"
    for nodes, problem in (
        (NESTED, "3,000 nodes, more than 1,000"),
        ([*NESTED[:64], {"mesh": 0}], "nodes nested more than 64 deep"),
    ):
        path.write_bytes(glb(triangle(nodes=nodes), CORNERS))
        with pytest.raises(SpecError, match=problem):
            read_triangles(path)
    path.write_bytes(glb(triangle(nodes=[*NESTED[:63], {"mesh": 0}]), CORNERS))
    assert len(read_triangles(path)[1]) == 64


def test_what_glb_draws_stays_what_it_was(tmp_path):
    vertices, faces = read_triangles(scans.write(BALL, tmp_path / "ball.glb"))
    assert len(faces) == len(BALL.faces)
    assert np.ptp(vertices, axis=0) == pytest.approx(np.ptp(BALL.vertices, axis=0), rel=1e-6)
    two = triangle(nodes=[{"children": [1, 2]}, {"mesh": 0}, {"mesh": 0, "translation": [5, 0, 0]}])
    (tmp_path / "two.glb").write_bytes(glb(two, CORNERS))
    vertices, faces = read_triangles(tmp_path / "two.glb")
    assert len(faces) == 2
    assert vertices[:, 0].max() == 25.0


@pytest.mark.slow
def test_faces_that_all_overlap_are_refused_before_they_fill_memory(monkeypatch):
    monkeypatch.setattr("pigglesim.bodies.scan._MIN_PAIR_LIMIT", 1_000_000)
    monkeypatch.setattr("pigglesim.bodies.scan._PAIRS", 100_000)
    monkeypatch.setattr("pigglesim.bodies.scan._MAX_CROSSINGS", 10**9)
    rng = np.random.default_rng(1)
    corners = rng.normal(size=(9_000, 3)) * 10
    faces = rng.permutation(9_000).reshape(-1, 3)
    tracemalloc.start()
    with pytest.raises(SpecError, match="remesh it"):
        crossing_faces(corners, faces)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.slow
def test_a_mesh_of_slivers_is_refused_before_it_takes_long():
    count = 8_000
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    ring = 10.0 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])
    corners = np.vstack([ring, [[0.0, 0.0, 10.0], [0.0, 0.0, -10.0]]])
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    upper = np.column_stack([here, there, np.full(count, count)])
    lower = np.column_stack([there, here, np.full(count, count + 1)])
    began = time.process_time()
    with pytest.raises(SpecError, match=r"over 5,000,000 overlapping pairs.*remesh it"):
        crossing_faces(corners, np.vstack([upper, lower]))
    assert time.process_time() - began < 20.0


def test_a_long_wall_seen_edge_on_is_no_reason_to_refuse():
    side = 300
    across, up = np.meshgrid(np.arange(side, dtype=float), np.arange(side, dtype=float))
    corners = np.column_stack([across.ravel(), np.zeros(across.size), up.ravel()])
    at = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1, 1)
    faces = np.vstack([at + np.array(cell) for cell in ((0, 1, side), (1, side + 1, side))])
    began = time.process_time()
    assert len(crossing_faces(corners, faces)) == 0
    assert time.process_time() - began < 20.0


def test_many_holes_take_time_by_their_number():
    count = 6_000
    corners = np.random.default_rng(2).normal(size=(3 * count, 3))
    began = time.process_time()
    fill_small_holes(corners, np.arange(3 * count).reshape(-1, 3))
    assert time.process_time() - began < 10.0
