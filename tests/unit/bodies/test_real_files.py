"""Mesh files as other programs write them: units, encodings, compression, cavities and shells."""

import numpy as np
import pytest

from pigglesim.bodies.load import load_model, read_spec
from pigglesim.bodies.mesh_files import read_triangles
from pigglesim.bodies.scan import LengthUnit, bare_body, length_unit, model_files, read_scan
from pigglesim.data_files import model_id
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


def turned(mesh):
    return scans.Mesh(vertices=mesh.vertices, faces=mesh.faces[:, ::-1])


BOX = scans.brick((20.0, 20.0, 20.0))
CAVITY = turned(scans.brick((10.0, 10.0, 10.0)))


def moved(mesh, by):
    return scans.Mesh(vertices=mesh.vertices + np.array(by), faces=mesh.faces)


def read(tmp_path, mesh, **options):
    return read_scan(scans.write(mesh, tmp_path / "pig.stl"), LengthUnit.MILLIMETRE, **options)


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_hollow_body_is_weighed_without_its_cavity(tmp_path, inside_out):
    # The cavity is off centre, so the centre of mass is too: a loaded die by its hollow.
    hollow = scans.joined(BOX, moved(CAVITY, [0, 0, 4]))
    scan = read(tmp_path, turned(hollow) if inside_out else hollow)
    assert "1 cavity left empty, 1000 mm3" in scan.notes
    body = bare_body(scan, density=1000.0)
    assert body.mass.mass == pytest.approx(1000 * (8e-6 - 1e-6))
    assert body.mass.centre == pytest.approx([0, 0, -4e-3 / 7])
    moment = 8e-3 * 0.02**2 / 6 - 1e-3 * 0.01**2 / 6
    assert body.mass.inertia[2, 2] == pytest.approx(moment)
    # By the parallel-axis theorem, about the common centre.
    shifted = moment + 8e-3 * (4e-3 / 7) ** 2 - 1e-3 * (4e-3 + 4e-3 / 7) ** 2
    assert body.mass.inertia[0, 0] == pytest.approx(shifted)


def test_the_files_of_a_hollow_body_load_with_its_mass(tmp_path):
    scan = read(tmp_path, scans.joined(BOX, CAVITY))
    body = bare_body(scan, density=1000.0)
    texts = model_files(scan, body, model="box", density=1000.0, classes=["side"] * 6, parts={})
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert load_model(str(tmp_path / "box.toml")).mass.mass == pytest.approx(7e-3)


@pytest.mark.parametrize(
    ("mesh", "remedy"),
    [
        # Filled or empty? The direction of its faces does not say empty.
        (scans.joined(BOX, turned(CAVITY)), "2 separate shells that face outwards; use --join"),
        (scans.joined(BOX, moved(BOX, [30, 0, 0])), "use --join"),
        # A ball rattles in the cavity.
        (scans.joined(BOX, CAVITY, scans.ball(2.0, level=1)), "use --join"),
        (scans.joined(BOX, CAVITY, turned(scans.ball(2.0, level=1))), "use --join"),
        (scans.joined(BOX, moved(BOX, [9, 1, 2])), "crosses itself.*use --join"),
    ],
)
def test_shells_that_are_not_one_solid_are_refused(tmp_path, mesh, remedy):
    with pytest.raises(SpecError, match=remedy):
        read(tmp_path, mesh)


def test_join_unites_eyes_and_head(tmp_path):
    head = scans.ball(10.0)
    eyes = [scans.ball(2.0, level=2, centre=(x, 9.0, 3.0)) for x in (-4.0, 4.0)]
    # One eye is inside out, a tooth is inside the head, and a cavity stays empty.
    tooth, cavity = scans.ball(1.0, level=1, centre=(0, -6, 0)), turned(scans.ball(3.0, level=2))
    alone = read(tmp_path, head)
    scan = read(tmp_path, scans.joined(head, eyes[0], turned(eyes[1]), tooth, cavity), join=True)
    assert "4 shells joined" in scan.notes
    assert any("1 cavity left empty" in note for note in scan.notes)
    volume = scans.signed_volume(scan.vertices, scan.faces)
    solid = scans.signed_volume(alone.vertices, alone.faces)
    hollow = scans.signed_volume(cavity.vertices, cavity.faces)
    # About half of each eye sticks out.
    eye = scans.signed_volume(eyes[0].vertices, eyes[0].faces)
    assert solid + hollow + 0.5 * eye < volume < solid + hollow + 2.0 * eye
    again = read_scan(tmp_path / "pig.stl", LengthUnit.MILLIMETRE, join=True)
    assert np.array_equal(again.vertices, scan.vertices)


def test_join_unites_no_pieces_that_are_apart(tmp_path):
    apart = scans.joined(BOX, moved(BOX, [23, 0, 0]))
    with pytest.raises(SpecError, match=r"2 pieces that do not touch, the first two 3 mm apart"):
        read(tmp_path, apart, join=True)
    with pytest.raises(SpecError, match="crosses itself"):
        read(tmp_path, scans.joined(scans.pierced_ball(), moved(BOX, [30, 0, 0])), join=True)


def test_join_leaves_one_shell_as_it_is(tmp_path):
    assert np.array_equal(read(tmp_path, BOX, join=True).faces, read(tmp_path, BOX).faces)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Öhrchen Größe 2", "öhrchen_größe_2"),
        ("O\u0308hrchen", "öhrchen"),  # decomposed, as macOS names files
        ("ぶた", "ぶた"),
        ("सूअर", "सूअर"),
        ("../.. /etc/passwd", "etc_passwd"),
        ("a\u202eb\x00c\\d:e", "a_b_c_d_e"),
        ("___", ""),
        ("x" * 99, "x" * 40),
    ],
)
def test_names_keep_the_letters_of_any_script(text, name):
    assert model_id(text) == name
    assert model_id(name) == name
    head = 'name = "A"\nmesh = "a.obj"\ndensity_kg_m3 = 1000\n'
    if name:
        assert read_spec(f'id = "{name}"\n{head}', name="a.toml").id == name


@pytest.mark.parametrize("name", ["a/b", "..", "a.b", ".a", "_a", "a b", "a\\\\b", "a\u202eb", ""])
def test_a_name_is_never_a_path(name):
    with pytest.raises(SpecError, match="id"):
        read_spec(
            f'id = "{name}"\nname = "A"\nmesh = "a.obj"\ndensity_kg_m3 = 1000\n', name="a.toml"
        )
