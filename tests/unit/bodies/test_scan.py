"""Scans: what is mended and said, and what is refused with its remedy."""

import sys

import numpy as np
import pytest

from pigglesim.bodies.mesh import Mesh, signed_volume
from pigglesim.bodies.scan import LengthUnit, crossing_faces, read_scan, repaired
from pigglesim.errors import SpecError
from tests.unit.bodies import scans

BALL = scans.ball()


def mend(mesh):
    return repaired(mesh.vertices, mesh.faces, name="pig.stl")


def refused(mesh, remedy):
    with pytest.raises(SpecError, match=remedy):
        mend(mesh)


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".glb"])
def test_every_format_gives_the_same_body(tmp_path, suffix):
    scan = read_scan(scans.write(scans.brick(), tmp_path / f"brick{suffix}"), LengthUnit.MILLIMETRE)
    assert len(scan.vertices) == 8 and len(scan.faces) == 12
    assert signed_volume(scan.vertices, scan.faces) == pytest.approx(12 * 16 * 20, rel=1e-5)
    assert scan.notes == ()


REPAIRS = [
    (np.where((np.arange(len(BALL.faces)) % 7 == 0)[:, None], BALL.faces[:, ::-1], BALL.faces),
     f"{len(BALL.faces[::7])} faces turned like their neighbours"),
    (BALL.faces[:, ::-1], "the surface was inside out and is turned right side out"),
    (np.vstack([BALL.faces, BALL.faces[:2], [[0, 0, 1]]]), "3 empty or double faces dropped"),
]  # fmt: skip


@pytest.mark.parametrize(("faces", "note"), REPAIRS, ids=["turned", "inside out", "double"])
def test_faults_are_repaired_and_noted(faces, note):
    scan = mend(Mesh(vertices=BALL.vertices, faces=faces))
    assert signed_volume(scan.vertices, scan.faces) > 0
    assert scan.notes == (note,)
    assert len(scan.faces) == len(BALL.faces)


def test_small_holes_are_filled():
    # One face, and all the faces about one corner.
    fine = scans.ball(level=4)
    corner = int(np.argmax(fine.vertices[:, 2]))
    gone = np.any(fine.faces == corner, axis=1)
    gone[int(np.argmin(fine.vertices[fine.faces].mean(axis=1)[:, 2]))] = True
    scan = mend(Mesh(vertices=fine.vertices, faces=fine.faces[~gone]))
    assert scan.notes == ("2 small holes filled",)
    whole = signed_volume(fine.vertices, fine.faces)
    assert signed_volume(scan.vertices, scan.faces) == pytest.approx(whole, rel=0.01)


BOX = scans.brick((10.0, 10.0, 10.0))
BESIDE = Mesh(vertices=BOX.vertices + np.array([10.0, 10.0, 0.0]), faces=BOX.faces)
FLAT = Mesh(vertices=np.zeros((3, 3)), faces=np.array([[0, 1, 2]]))


@pytest.mark.parametrize(
    ("mesh", "remedy"),
    [
        (scans.open_ball(), "open edges; close the holes"),
        (scans.pierced_ball(), "crosses itself .* near .*boolean union"),
        (scans.flat_sheet(), "give it thickness"),
        (FLAT, "give it thickness"),
        (scans.moebius(), "one side.*remesh"),
        (scans.joined(BOX, BESIDE), "edges with more than two faces.*remesh"),
    ],
)
def test_what_is_no_closed_solid_is_refused(mesh, remedy):
    refused(mesh, remedy)


def test_too_many_faces_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pigglesim.bodies.mesh_files.FACE_LIMIT", 100)
    with pytest.raises(SpecError, match="decimate the mesh"):
        read_scan(scans.write(BALL, tmp_path / "ball.stl"), LengthUnit.MILLIMETRE)


@pytest.mark.parametrize(
    ("size", "unit", "remedy"),
    [
        (
            27.0,
            "m",
            "27 m wide with --unit m (expected 2 to 200 mm); use --unit mm, which makes it 27 mm",
        ),
        (0.027, "mm", "use --unit m, which makes it 27 mm"),
        (1.06, "mm", "use --unit in, which makes it 26.9 mm"),
        (2.7, "m", "use --unit cm, which makes it 27 mm"),
        (5000.0, "mm", "scale the mesh from 5000 units"),
    ],
)
def test_a_wrong_unit_is_reported_with_the_right_one(tmp_path, size, unit, remedy):
    brick = scans.brick((size / 2, size / 2, size))
    with pytest.raises(SpecError) as caught:
        read_scan(scans.write(brick, tmp_path / "pig.stl"), LengthUnit(unit))
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "remedy"),
    [
        ("pig.step", b"ISO-10303-21;", "export the mesh as STL"),
        ("pig.stl", b"", "0 bytes"),
        ("pig.stl", b"solid x\nfacet\n", "no faces"),
        (
            "pig.stl",
            bytes(80) + b"\xff\xff\xff\xff" + bytes(50),
            r"pig\.stl has 134 bytes .*214,748,364,834 for its 4,294,967,295 faces",
        ),
        ("pig.ply", b"\x00\x01 no mesh", "export"),
        ("pig.obj", b"v 1 2 3\n", "export"),
    ],
)
def test_files_that_hold_no_mesh_are_refused(tmp_path, name, data, remedy):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SpecError, match=remedy):
        read_scan(tmp_path / name, LengthUnit.MILLIMETRE)


def test_crossing_is_distinguished_from_touching():
    floor = [[0.0, 0, 0], [4, 0, 0], [0, 4, 0]]
    through = [[1.0, 1, -1], [1, 1, 1], [5, 5, 1]]
    touching = [[1.0, 1, 0], [1, 1, 1], [5, 5, 1]]
    beside = [[1.0, 1, 2], [1, 1, 3], [5, 5, 3]]
    for other, wanted in ((through, 1), (touching, 0), (beside, 0)):
        vertices = np.array(floor + other)
        faces = np.array([[0, 1, 2], [3, 4, 5]])
        assert len(crossing_faces(vertices, faces)) == wanted


def test_two_balls_cross_along_a_ring():
    both = scans.joined(BALL, scans.ball(centre=(9.0, 0.1, 0.2)))
    pairs = crossing_faces(both.vertices, both.faces)
    assert len(pairs) > 50
    middle = both.vertices[both.faces[pairs[:, 0]]].mean(axis=1)
    assert middle[:, 0] == pytest.approx(np.full(len(pairs), 4.5), abs=1.5)
    assert len(crossing_faces(BALL.vertices, BALL.faces)) == 0


@pytest.mark.parametrize("suffix", [".obj", ".stl"])
def test_words_in_another_encoding_are_no_fault(tmp_path, suffix, monkeypatch):
    # The library asks another one, which is not needed for anything else, what encoding it is.
    monkeypatch.setitem(sys.modules, "chardet", None)
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    path = scans.write(BALL, tmp_path / f"ball{suffix}")
    if suffix == ".stl":
        from trimesh import load_mesh

        path.write_text(load_mesh(path).export(file_type="stl_ascii").replace("solid", "# K", 1))
        path.write_bytes(path.read_bytes().replace(b"# K", "solid König".encode("latin-1"), 1))
    else:
        path.write_bytes("# König\n".encode("latin-1") + path.read_bytes())
    assert len(read_scan(path, LengthUnit.MILLIMETRE).faces) == len(BALL.faces)
