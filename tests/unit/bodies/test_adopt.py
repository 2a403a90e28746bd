"""From a scan to a model whose file says what its poses are called."""

import numpy as np
import pytest

from pigglesim.bodies.body import StablePose
from pigglesim.bodies.load import load_model, read_spec
from pigglesim.bodies.mesh import hull_planes
from pigglesim.bodies.mesh_files import write_obj
from pigglesim.bodies.scan import (
    bare_body,
    class_by_axes,
    convex_parts,
    model_files,
    repaired,
    resting_corners,
)
from pigglesim.data_files import model_file, user_model_names
from pigglesim.errors import SpecError
from pigglesim.landing import Orientation
from tests.unit.bodies import scans

UP, DOWN, HEAD = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN, Orientation.ON_THEIR_HEAD
Z, Y = np.array([0.0, 0, 1]), np.array([0.0, 1, 0])


def scan_of(mesh):
    return repaired(mesh.vertices, mesh.faces, name="pig.stl")


@pytest.fixture(scope="module")
def brick():
    scan = scan_of(scans.brick())
    return scan, bare_body(scan, density=1000.0)


def written(folder, brick, **options):
    scan, body = brick
    classes = [class_by_axes(pose, face=Z, crown=Y) for pose in body.poses]
    options = {"model": "mine", "density": 1000.0, "classes": classes, "parts": {}} | options
    for name, text in model_files(scan, body, **options).items():
        (folder / name).write_text(text)
    return folder / f"{options['model']}.toml"


def test_a_bare_body_weighs_and_rests_but_says_no_class(brick):
    _, body = brick
    assert body.mass.mass == pytest.approx(1000 * 12e-3 * 16e-3 * 20e-3)
    assert [pose.name for pose in body.poses] == [f"pose-{k}" for k in range(1, 7)]
    assert {pose.orientation for pose in body.poses} == {None}


@pytest.mark.parametrize(
    ("down", "expected"),
    [
        ((0, 0, -1), UP),
        ((0, 0, 1), DOWN),
        ((0, 1, 0), HEAD),
        ((0, -1, 0.1), DOWN),
        ((0.80, 0.09, 0.60), DOWN),  # a Piggle on its cheek
        ((0, 0.852, 0.523), HEAD),  # on its head
        ((0, 0.407, 0.914), DOWN),  # on its snout
        ((0, 0.14, -0.99), UP),
    ],
)
def test_axes_decide_the_class(down, expected):
    unit = np.array(down, dtype=float) / np.linalg.norm(down)
    pose = StablePose(
        name="a", orientation=None, down=unit, height=0.01, escape=0.001, parts=("body",)
    )
    assert class_by_axes(pose, face=Z, crown=Y) is expected
    # The crown need not be square to the face.
    assert class_by_axes(pose, face=3 * Z, crown=2 * Y + 0.5 * Z) is expected


def test_the_files_load_and_hold_what_was_given(tmp_path, brick):
    path = written(tmp_path, brick)
    body = load_model(str(path))
    spec = read_spec(path.read_text(), name=path.name)
    assert spec.derived is not None and spec.derived.sha256 == body.sha256
    assert body.classed
    for pose in body.poses:
        assert pose.orientation is class_by_axes(pose, face=Z, crown=Y)
    assert {pose.name for pose in body.poses} >= {"snout-up", "snout-down", "on-their-head"}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.mtl", "mine.obj", "mine.toml"]


def test_the_basin_decides_and_not_the_angle(tmp_path, brick):
    # A flat box: from 40 degrees off its large face it still falls flat on it.
    scan = scan_of(scans.brick((30.0, 30.0, 6.0)))
    body = bare_body(scan, density=1000.0)
    path = written(tmp_path, (scan, body), classes=[UP] * 6)
    text = path.read_text().split("[[pose_class]]")[0]
    tilt = np.deg2rad(65.0)
    rows = [((0, 0, -1), "up"), ((np.sin(tilt), 0, np.cos(tilt)), "head"), ((1, 0, 0), "down")]
    text += "".join(
        f'[[pose_class]]\ndown = [{x}, {y}, {z}]\norientation = "{word}"\n'
        for (x, y, z), word in rows
    )
    path.write_text(text)
    by_down = {
        tuple(np.round(p.down).astype(int)): p.orientation for p in load_model(str(path)).poses
    }
    assert by_down[0, 0, 1] is HEAD
    assert by_down[0, 0, -1] is UP
    assert by_down[1, 0, 0] is DOWN
    # Where nothing points into the basin the nearest entry holds.
    assert by_down[-1, 0, 0] is UP


def test_own_models_are_found_by_name(tmp_path, brick, monkeypatch):
    folder = tmp_path / "models"
    folder.mkdir()
    written(folder, brick)
    monkeypatch.chdir(tmp_path)
    assert load_model("mine").model == "mine"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pytest.raises(SpecError, match="unknown model"):
        load_model("mine")
    monkeypatch.setenv("PIGGLESIM_MODELS", f"{tmp_path / 'none'}:{folder}")
    assert load_model("mine").model == "mine"
    with pytest.raises(SpecError, match="use mine"):
        load_model("mime")


@pytest.mark.slow
def test_a_file_whose_mesh_became_a_ball_is_refused(tmp_path, brick):
    path = written(tmp_path, brick)
    ball = scans.ball(13.5, level=5)
    mesh = write_obj("", [("body", "skin", ball.vertices, ball.faces)], materials_file="mine.mtl")
    (tmp_path / "mine.obj").write_text(mesh)
    with pytest.raises(SpecError, match=r"mine\.obj has 1 stable poses"):
        load_model(str(path))


def test_own_models_hide_none_of_the_programs(tmp_path, monkeypatch):
    (tmp_path / "piggle.toml").write_text("no model")
    monkeypatch.setenv("PIGGLESIM_MODELS", str(tmp_path))
    assert model_file("piggle").parent != tmp_path
    assert user_model_names() == ()


@pytest.mark.slow
def test_convex_parts_cover_the_hull_and_come_out_the_same():
    scan = scan_of(scans.egg())
    body = bare_body(scan, density=1100.0)
    keep = resting_corners(body) * 1e3
    parts = convex_parts(scan.vertices, scan.faces, keep=keep)
    again = convex_parts(scan.vertices, scan.faces, keep=keep)
    assert parts.keys() == again.keys()
    assert all(np.array_equal(parts[name], again[name]) for name in parts)
    outside = np.full(len(body.hull.vertices), np.inf)
    for part in parts.values():
        normals, offsets = hull_planes(part)
        outside = np.minimum(
            outside, np.max(body.hull.vertices * 1e3 @ normals.T - offsets, axis=1)
        )
    assert np.max(outside) < 0.3
    corners = np.vstack(list(parts.values()))
    for corner in keep:
        assert np.min(np.linalg.norm(corners - corner, axis=1)) < 1e-9


def test_parts_are_saved_beside_the_model(tmp_path, brick):
    _, body = brick
    parts = {"part_1": body.hull.vertices * 1e3}
    mine = load_model(str(written(tmp_path, brick, parts=parts)))
    assert [part.name for part in mine.parts] == ["part_1"]
    assert (tmp_path / "mine_parts.obj").is_file()


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ('orientation = "up"\nname = "side"', "any other body's a name"),
        ("", "any other body's a name"),
        ('name = "side"\n[[pose_class]]\ndown = [0, 0, 1]\norientation = "up"', "all have a name"),
        ('name = "<b>"', "pose_class.0.name"),
        ('orientation = "sideways"', "'down' or 'head' .got 'sideways'"),
        ('name = "side"\n[[numbers]]\nname = "1"\nup = [0, 0, 1]', "not both"),
        ('name = "side"\n[[pose_class]]\ndown = [0, 0, 0]\nname = "b"', "must have a length"),
    ],
)
def test_impossible_pose_classes_are_refused(rows, fault):
    head = 'id = "a"\nname = "A"\nmesh = "a.obj"\ndensity_kg_m3 = 1000\n'
    with pytest.raises(SpecError, match=fault):
        read_spec(f"{head}[[pose_class]]\ndown = [0, 0, -1]\n{rows}\n", name="a.toml")
