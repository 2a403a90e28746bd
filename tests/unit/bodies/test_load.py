"""Model files: what loads, what is noticed, and what is refused with its remedy."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from pigglesim.bodies.load import MEASURED_FILE, load_model, read_spec, toml_text
from pigglesim.bodies.mesh import convex_hull, icosphere
from pigglesim.bodies.mesh_files import MetalColour, read_mtl, read_obj, write_mtl, write_obj
from pigglesim.data_files import model_file
from pigglesim.errors import SpecError
from scripts.piggle import build_files

MODELS = model_file("piggle").parent
SPHERE = icosphere(1)


def write_die(
    folder, *, vertices=8.0 * SPHERE.vertices, faces=SPHERE.faces, text=None, extra="",
    density="1100.0", mesh="die.obj",
):  # fmt: skip
    text = write_obj("test", [("body", "", vertices, faces)]) if text is None else text
    (folder / "die.obj").write_text(text)
    path = folder / "die.toml"
    head = f'id = "die"\nname = "Die"\nmesh = "{mesh}"\ndensity_kg_m3 = {density}\n'
    path.write_text(head + extra)
    return str(path)


def refused(path: str, remedy: str) -> None:
    with pytest.raises(SpecError, match=remedy):
        load_model(path)


@pytest.mark.slow
def test_building_again_gives_the_files_in_the_checkout(tmp_path):
    # What was measured is no work of the build: it goes into the page as it is found.
    shutil.copy(MODELS / MEASURED_FILE, tmp_path)
    build_files(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert first == {name: (MODELS / name).read_bytes() for name in first}
    assert len(first["piggle.obj"]) < 400_000
    assert sum(len(data) for data in first.values()) < 1_000_000


def test_a_ready_model_needs_no_mesh_library():
    code = (
        "import sys; from pigglesim.bodies.load import load_model; load_model('piggle');"
        "print([name for name in ('trimesh', 'scipy', 'manifold3d') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert result.stdout.strip() == "[]"


def test_the_model_file_reads_back_as_it_was_written():
    text = (MODELS / "premium.toml").read_text()
    assert toml_text(read_spec(text, name="premium.toml")) == text


def test_meshes_and_colours_round_trip():
    text = write_obj("test", [("a", "red", SPHERE.vertices, SPHERE.faces)])
    again = read_obj(text, name="a.obj")
    assert again.vertices == pytest.approx(SPHERE.vertices, abs=1e-5)
    assert np.array_equal(again.faces, SPHERE.faces)
    assert set(again.groups) == {"a"} and set(again.materials) == {"red"}
    colours = {"red": (0.8, 0.1, 0.002)}
    assert read_mtl(write_mtl("x", colours), name="x.mtl")["red"] == pytest.approx(
        colours["red"], abs=1e-4
    )


def test_metals_round_trip_and_the_brass_piggle_is_one():
    colours = {"red": (0.8, 0.1, 0.002), "gold": MetalColour((0.6, 0.4, 0.1))}
    again = read_mtl(write_mtl("x", colours), name="x.mtl")
    assert [isinstance(again[name], MetalColour) for name in colours] == [False, True]
    for model, metals in (("premium", False), ("premium_brass", True)):
        skin = load_model(model).skin
        for name in set(skin.colours) - {"eye", "glint"}:
            assert isinstance(skin.colours[name], MetalColour) is metals


def test_polygons_become_triangles():
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2/1/1 3/1/1 4/1/1\n"
    assert read_obj(text, name="a.obj").faces.tolist() == [[0, 1, 2], [0, 2, 3]]


@pytest.fixture
def copied(tmp_path):
    for name in ("piggle.toml", "piggle.obj", "piggle.mtl", "piggle_parts.obj"):
        shutil.copy(MODELS / name, tmp_path / name)
    return tmp_path


def test_an_edited_density_is_noticed(copied):
    path = copied / "piggle.toml"
    path.write_text(path.read_text().replace("density_kg_m3 = 1100.0", "density_kg_m3 = 2200.0"))
    body, plain = load_model(str(path)), load_model("piggle")
    assert body.mass.mass == pytest.approx(2 * plain.mass.mass)
    assert body.sha256 != plain.sha256
    assert [p.name for p in body.poses] == [p.name for p in plain.poses]


def test_an_edited_mesh_is_noticed(copied):
    path = copied / "piggle.obj"
    lines = path.read_text().splitlines()
    doubled = [
        " ".join(["v", *(str(2 * float(word)) for word in line.split()[1:])])
        if line.startswith("v ")
        else line
        for line in lines
    ]
    path.write_text("\n".join(doubled))
    body = load_model(str(copied / "piggle.toml"))
    assert body.mass.mass == pytest.approx(8 * load_model("piggle").mass.mass)


def test_edited_numbers_of_the_shape_require_a_build(copied):
    path = copied / "piggle.toml"
    path.write_text(path.read_text().replace("eye_radius_mm = 1.55", "eye_radius_mm = 1.8"))
    refused(str(path), "run scripts/build_models")


def ballast(line):
    return {"extra": f'[ballast]\nform = "ball"\ndensity_kg_m3 = 11340\n{line}\n'}


FAULTS = [
    ({"extra": "desnity = 3\n"}, "desnity: unknown key"),
    ({"extra": "ballast = 3\n"}, "ballast: must be a table"),
    ({"density": "0.0"}, "density_kg_m3: must be "),
    ({"density": "nan"}, "density_kg_m3"),
    ({"density": "inf"}, "density_kg_m3"),
    ({"density": "30000.0"}, "density_kg_m3: must be 23000 or less"),
    ({"density": '"heavy"'}, "density_kg_m3: must be a number"),
    ({"text": ""}, "export the mesh with its faces"),
    ({"text": "v 1 2\nf 1 1 1\n"}, "plain Wavefront OBJ"),
    ({"text": "v 1 2 nan\nf 1 1 1\n"}, "NaN"),
    ({"text": "v 1 2 3\nf 1 1 9\n"}, "vertex 9 .expected 1 to 1"),
    ({"text": "v 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\n"}, "close the holes"),
    ({"text": "v 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\nf 1 3 2\n"}, "give it thickness"),
    ({"faces": SPHERE.faces[:, ::-1]}, "flip its normals"),
    ({"vertices": SPHERE.vertices * 13_500.0}, "2 to 200 mm.*export the mesh in millimetres"),
    ({"vertices": SPHERE.vertices * 0.013}, "2 to 200 mm.*export the mesh in millimetres"),
    (ballast("centre_mm = [0, 0, 7]\nradius_mm = 2.0"), "move its centre_mm inwards"),
    (ballast("centre_mm = [0, 0, 0]\nradius_mm = 9.0"), "move its centre_mm inwards"),
    (
        ballast("centre_mm = [0, 0, 0]\nradius_mm = -1.0"),
        "ballast.radius_mm: must be 0.001",
    ),
    (ballast("centre_mm = [0, 0, 0]\nradius_mm = 1.0\nlength_mm = 2.0"), "belongs to a cylinder"),
    (ballast("centre_mm = [0, 0]\nradius_mm = 1.0"), "ballast.centre_mm"),
    (
        ballast("centre_mm = [0, 0, 0]\nradius_mm = 1.0\nradius = 1.0"),
        "ballast.radius: unknown",
    ),
    ({"mesh": "../die.obj"}, "same folder"),
    ({"mesh": "/etc/hostname"}, "same folder"),
]


@pytest.mark.parametrize(("change", "remedy"), FAULTS)
def test_a_faulty_model_is_refused(tmp_path, change, remedy):
    refused(write_die(tmp_path, **change), remedy)


def test_an_unknown_model_names_the_nearest():
    refused("pigle", "piggle")


def test_a_numbered_die_names_its_faces(tmp_path):
    corners = np.array([[x, y, z] for x in (-8, 8) for y in (-8, 8) for z in (-8.0, 8.0)])
    cube = convex_hull(corners)
    ups = {"1": [0, 0, 1], "6": [0, 0, -1], "2": [1, 0, 0]}
    ups |= {"5": [-1, 0, 0], "3": [0, 1, 0], "4": [0, -1, 0]}
    extra = "".join(f'[[numbers]]\nname = "{name}"\nup = {up}\n' for name, up in ups.items())
    body = load_model(write_die(tmp_path, vertices=cube.vertices, faces=cube.faces, extra=extra))
    assert {pose.name: pose.orientation for pose in body.poses} == dict.fromkeys("123456")
    for pose in body.poses:
        assert -pose.down == pytest.approx(ups[pose.name])


def test_the_six_sided_die_is_fair_and_square():
    body = load_model("d6")
    assert sorted(pose.name for pose in body.poses) == list("123456")
    assert all(pose.height == pytest.approx(8e-3, abs=1e-7) for pose in body.poses)
    assert all(pose.escape == pytest.approx(body.poses[0].escape, abs=1e-7) for pose in body.poses)
    sums = {
        int(a.name) + int(b.name) for a in body.poses for b in body.poses if a.down @ b.down < -0.99
    }
    assert sums == {7}


def test_a_folder_with_a_model_is_a_model_but_hides_none_of_the_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "d6"):
        (tmp_path / name).mkdir()
        for file in ("premium.toml", "piggle.obj", "piggle.mtl", "piggle_parts.obj"):
            target = "model.toml" if file.endswith(".toml") else file
            shutil.copy(model_file("d6").parent / file, tmp_path / name / target)
    assert load_model("mine").model == "premium"
    assert load_model(str(tmp_path / "d6")).model == "premium"
    assert load_model("d6").model == "d6"
    with pytest.raises(SpecError, match="unknown model 'mone'"):
        load_model("mone")
