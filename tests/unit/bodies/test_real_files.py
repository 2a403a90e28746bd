"""Mesh files as other programs write them: units, encodings, compression, cavities and shells."""

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh_files import read_triangles
from pigglesim.bodies.scan import LengthUnit, bare_body, length_unit, model_files, read_scan
from pigglesim.errors import SpecError
from tests.unit.bodies import scans
from tests.unit.bodies.test_hostile_meshes import CORNERS, glb, triangle

BALL = scans.ball(level=2)


def test_glb_is_in_metres_and_its_nodes_scale(tmp_path):
    file = tmp_path / "cube.glb"
    # The triangle has sides of 20: with its node's scale they are 20 mm.
    node = {"mesh": 0, "scale": [0.001, 0.001, 0.001]}
    file.write_bytes(glb(triangle(nodes=[node]), CORNERS))
    vertices, _ = read_triangles(file)
    assert np.ptp(vertices, axis=0)[:2] == pytest.approx([0.02, 0.02])
    assert length_unit(None, file) is LengthUnit.METRE
    assert length_unit("mm", file) is LengthUnit.MILLIMETRE
    brick = scans.brick((0.012, 0.016, 0.020))
    scan = read_scan(scans.write(brick, file), length_unit(None, file))
    assert np.ptp(scan.vertices, axis=0) == pytest.approx([12, 16, 20], rel=1e-5)
    with pytest.raises(SpecError, match="use --unit mm"):
        length_unit(None, tmp_path / "cube.stl")


def test_a_huge_glb_says_that_glb_is_in_metres(tmp_path):
    file = scans.write(scans.brick((20.0, 20.0, 20.0)), tmp_path / "cube.glb")
    with pytest.raises(SpecError, match=r"20 m wide with --unit m .*use --unit mm"):
        read_scan(file, length_unit(None, file))


@pytest.mark.parametrize(
    ("name", "extension", "word"),
    [
        ("pig.glb", "KHR_draco_mesh_compression", "Draco"),
        ("pig.glb", "EXT_meshopt_compression", "meshopt"),
        ("pig.glb", "KHR_meshopt_compression", "meshopt"),
    ],
)
def test_a_compressed_mesh_is_named_as_such(tmp_path, name, extension, word):
    # As compressors write it: the data are in the extension, a second buffer is a placeholder.
    document = triangle(
        extensionsUsed=[extension],
        extensionsRequired=[extension],
        accessors=[{"componentType": 5126, "count": 3, "type": "VEC3"}],
        buffers=[{"byteLength": 36}, {"byteLength": 99}],
    )
    (tmp_path / name).write_bytes(glb(document, CORNERS))
    with pytest.raises(SpecError, match=f"compressed with {word}.*without compression"):
        read_triangles(tmp_path / name)


def test_compressed_textures_change_no_shape(tmp_path):
    document = triangle(
        extensionsUsed=["KHR_texture_basisu"],
        extensionsRequired=["KHR_texture_basisu"],
        images=[{"mimeType": "image/ktx2", "bufferView": 0}],
    )
    (tmp_path / "pig.glb").write_bytes(glb(document, CORNERS))
    assert len(read_triangles(tmp_path / "pig.glb")[1]) == 1


def test_quantised_positions_are_not_read_as_millions(tmp_path):
    positions = np.array([[0, 0, 0], [32767, 0, 0], [0, -32767, 0]], dtype="<i2")
    kind = {"componentType": 5122, "count": 3, "type": "VEC3", "normalized": True}
    document = triangle(
        accessors=[{"bufferView": 0, **kind}],
        bufferViews=[{"buffer": 0, "byteLength": 18}],
        buffers=[{"byteLength": 18}],
    )
    (tmp_path / "pig.glb").write_bytes(glb(document, positions.tobytes()))
    with pytest.raises(SpecError, match="compressed with KHR_mesh_quantization"):
        read_triangles(tmp_path / "pig.glb")


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply"])
def test_a_byte_order_mark_is_not_part_of_the_mesh(tmp_path, suffix, mark):
    from trimesh import Trimesh

    kinds = {".stl": "stl_ascii", ".obj": "obj", ".ply": "ply"}
    mesh = Trimesh(BALL.vertices, BALL.faces, process=False)
    words = {"encoding": "ascii"} if suffix == ".ply" else {}
    text = mesh.export(file_type=kinds[suffix], **words)
    text = text if isinstance(text, str) else text.decode()
    (tmp_path / f"a{suffix}").write_bytes(text.encode(mark))
    assert len(read_triangles(tmp_path / f"a{suffix}")[1]) == len(BALL.faces)
