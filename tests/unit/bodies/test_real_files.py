"""Mesh files as other programs write them: units, encodings, compression, cavities and shells."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from pigglesim.api.names import pose_shares, poses_document
from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import check_poses, load_model, read_spec
from pigglesim.bodies.mesh import convex_hull, signed_volume
from pigglesim.bodies.mesh_error import folded_poses
from pigglesim.bodies.mesh_files import read_triangles
from pigglesim.bodies.scan import (
    LengthUnit,
    bare_body,
    length_unit,
    model_files,
    read_scan,
    repaired,
)
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
    volume = signed_volume(scan.vertices, scan.faces)
    solid = signed_volume(alone.vertices, alone.faces)
    hollow = signed_volume(cavity.vertices, cavity.faces)
    # About half of each eye sticks out.
    eye = signed_volume(eyes[0].vertices, eyes[0].faces)
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
def test_names_retain_the_letters_of_any_script(text, name):
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


def body_of(mesh):
    return bare_body(repaired(mesh.vertices, mesh.faces, name="pig.stl"), density=1000.0)


def uv_ball(count):
    from trimesh.creation import uv_sphere

    return uv_sphere(radius=10.0, count=count)


def scattered_ball(count):
    points = np.random.default_rng(1).normal(size=(count, 3))
    return convex_hull(10.0 * points / np.linalg.norm(points, axis=1)[:, None])


@pytest.mark.parametrize(
    "mesh",
    [
        scans.ball(level=1),
        scans.ball(level=2),
        scans.ball(level=3),
        pytest.param(scans.ball(level=4), marks=pytest.mark.slow),
        pytest.param(scans.ball(level=5), marks=pytest.mark.slow),
        uv_ball((12, 12)),
        uv_ball((16, 16)),
        uv_ball((32, 24)),
        scattered_ball(500),
    ],
)
def test_a_ball_of_any_fineness_is_refused(mesh):
    with pytest.raises(SpecError, match="like a ball: facets of its mesh"):
        body_of(mesh)


def cylinder(height, sections, radius=12.0):
    from trimesh.creation import cylinder

    return cylinder(radius=radius, height=height, sections=sections)


@pytest.mark.parametrize("sections", [16, 31, 64, 200])
@pytest.mark.parametrize("height", [3.0, 20.0])
def test_a_coin_has_three_poses_however_round_it_is(sections, height):
    body = body_of(cylinder(height, sections))
    assert len(body.distinct_poses) == 3
    shares = pose_shares(body)
    assert sum(shares.values()) == pytest.approx(1.0)
    # The edge's share is the solid angle between the cones through the rims.
    edge = (height / 2) / np.hypot(12.0, height / 2)
    names = {pose.name: abs(pose.down[2]) for pose in body.poses}
    found = sum(share for name, share in shares.items() if names[name] < 0.5)
    assert found == pytest.approx(edge, rel=0.05)


PHI = (1.0 + 5.0**0.5) / 2.0


def many_sided(*corners):
    """Return the die whose faces touch a ball at these points, with all signs and in turn."""
    points = {
        tuple(np.roll(np.multiply(corner, signs), turn).round(9) + 0.0)
        for corner in corners
        for signs in product((1.0, -1.0), repeat=3)
        for turn in range(3)
    }
    planes = ConvexHull(np.array(sorted(points))).equations
    vertices = planes[:, :3] / -planes[:, 3:]
    return convex_hull(np.unique(np.round(vertices / np.abs(vertices).max() * 10.0, 6), axis=0))


@pytest.mark.parametrize(
    ("mesh", "count"),
    [
        (scans.ball(level=0), 20),  # a d20
        # A pentakis dodecahedron, a deltoidal hexecontahedron and a disdyakis triacontahedron.
        (many_sided((0, 1, 3 * PHI), (1, 2 + PHI, 2 * PHI), (PHI, 2, 2 * PHI + 1)), 60),
        (many_sided((1, 1, PHI**3), (PHI**2, PHI, 2 * PHI), (2 + PHI, 0, PHI**2)), 60),
        (
            many_sided(
                (1 / PHI, 1 / PHI, 3 + PHI),
                (2 / PHI, PHI, 1 + 2 * PHI),
                (1 / PHI, PHI**2, 3 * PHI - 1),
                (2 * PHI - 1, 2, 2 + PHI),
                (PHI, 3, 2 * PHI),
            ),
            120,
        ),
        (scans.brick(), 6),
        (scans.egg(), 2),
        (cylinder(20.0, 6), 8),  # six flat sides
    ],
)
def test_faces_of_a_body_are_not_folded(mesh, count):
    assert len(body_of(mesh).distinct_poses) == count


@pytest.mark.parametrize("name", ["piggle", "premium", "premium_brass", "d6"])
def test_no_pose_of_a_model_is_an_artefact(name):
    body = load_model(name)
    support, vertices = support_for(body), body.skin.vertices - body.mass.centre
    count = len(body.poses)
    assert folded_poses(support, vertices, body.skin.faces, [None] * count) == [*range(count)]


def test_folded_poses_are_one_row_and_one_class(tmp_path):
    coin = cylinder(3.0, 24)
    scan = repaired(coin.vertices, coin.faces, name="coin.stl")
    body = bare_body(scan, density=1000.0)
    classes = ["heads", "tails", "edge"]
    texts = model_files(scan, body, model="coin", density=1000.0, classes=classes, parts={})
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    coin = load_model(str(tmp_path / "coin.toml"))
    assert [pose.name for pose in coin.distinct_poses] == classes
    assert len(coin.poses) == 26
    rows = poses_document(coin)["poses"]
    assert [row["facets"] for row in rows] == [1, 1, len(coin.poses) - 2]
    # The edge tips over the rim, not over the next facet.
    radius = 12.0 * np.cos(np.pi / 24)
    saddle = np.hypot(radius, 1.5)
    assert rows[2]["escape_mm"] == pytest.approx(saddle - radius, abs=1e-4)
    assert rows[0]["escape_mm"] == pytest.approx(saddle - 1.5, abs=1e-4)


def test_a_mesh_that_rests_on_facets_alone_is_no_die(tmp_path):
    from trimesh.creation import capsule

    body = body_of(capsule(height=14.0, radius=8.0, count=(16, 16)))
    assert len(body.distinct_poses) == 1
    with pytest.raises(SpecError, match=r"16 stable poses.*facets of its mesh"):
        check_poses(body.poses, name="capsule.stl")
