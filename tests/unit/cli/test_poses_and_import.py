"""`poses` and `model import` as a person uses them."""

import json
import os
import pty
import sys
import time

import numpy as np
import pytest

from pigglesim.bodies.mesh import Mesh
from tests.front_door import run
from tests.unit.bodies import scans


@pytest.fixture
def brick(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    return scans.write(scans.brick(), folder / "my brick.stl")


def test_poses_of_a_model_as_json():
    done = run("poses", "piggle", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert sum(document["classes"].values()) == pytest.approx(1.0)
    assert document["classes"]["Snout-Up"] == pytest.approx(0.472, abs=0.001)
    assert document["mass_g"] == pytest.approx(3.82, abs=0.01)
    for pose in document["poses"]:
        assert pose["escape_uj"] == pytest.approx(
            document["mass_g"] * 9.80665 * pose["escape_mm"], rel=1e-9
        )
        # Into another class it is at least as far as into another pose.
        assert pose["other_class_mm"] >= pose["escape_mm"] - 1e-9


def test_poses_as_a_table():
    done = run("poses", "premium")
    assert done.returncode == 0, done.stderr
    for word in ("on-their-head", "Snout-Down", "57.1", "+0.69", "ear_left", "μJ"):
        assert word in done.stdout


def test_a_numbered_die_has_the_shares_of_its_numbers():
    document = json.loads(run("poses", "d6", "--json").stdout)
    assert sorted(document["classes"]) == list("123456")
    # Its mesh is cut to ten nanometres, no finer.
    assert list(document["classes"].values()) == pytest.approx([1 / 6] * 6, abs=3e-4)


@pytest.mark.slow
def test_poses_of_a_mesh_and_their_picture(brick):
    picture = brick.parent / "poses.png"
    done = run("poses", brick, "--unit", "mm", "--plot", picture)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("pose-") == 6
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_an_imported_model_rolls_and_plays_by_name_and_by_path(brick, tmp_path):
    done = run(
        "model", "import", brick, "--unit", "mm", "--name", "brick", "--face=+z", "--crown=+y",
        "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert sorted(file.name for file in (tmp_path / "models").iterdir()) == [
        "brick.mtl",
        "brick.obj",
        "brick.toml",
    ]
    assert document["files"] == [f"models/brick.{kind}" for kind in ("mtl", "obj", "toml")]
    classes = {pose["class"] for pose in document["poses"]}
    assert classes == {"up", "down", "head"}
    named = run("roll", 1, "--model", "brick", "--seed", 1, "--json", cwd=tmp_path)
    by_path = run("roll", 1, "--model", "models/brick.toml", "--seed", 1, "--json", cwd=tmp_path)
    assert named.returncode == 0, named.stderr
    assert json.loads(named.stdout)["dice"] == json.loads(by_path.stdout)["dice"]
    (die,) = json.loads(named.stdout)["dice"]
    assert die["model"] == "brick"
    env = {"PIGGLESIM_MODELS": str(tmp_path / "models")}
    words = ("match", "--team-b", "brick", "--seed", 1, "--rule", "rounds=1", "--json")
    assert run(*words, env=env, cwd=brick.parent).returncode == 0


def asked(brick, flags, answers):
    """Import a brick at a terminal; return what was shown there."""
    words = ["model", "import", brick.name, "--unit", "mm", *flags]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(brick.parent)
        os.execv(sys.executable, [sys.executable, "-m", "pigglesim", *words])
    seen = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            break
        if answers and seen.endswith(b": "):
            os.write(terminal, answers.pop(0))
            seen += b" "
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, seen.decode()
    return seen


def test_at_a_terminal_a_body_that_is_not_a_pig_gets_names_and_no_guess(brick, tmp_path):
    # Enter answers nothing: there is no guess to take.
    answers = [b"n\n", b"\n", b"Snout-Up\n", b"end\n", b"end\n", *[b"side\n"] * 4]
    seen = asked(brick, ["--out", str(tmp_path / "mine")], answers)
    assert b"[up]" not in seen
    names = [line for line in (tmp_path / "mine" / "my_brick.toml").read_text().splitlines()
             if line.startswith("face = ")]  # fmt: skip
    assert names == ['face = "end"'] * 2 + ['face = "side"'] * 4


@pytest.mark.slow
def test_a_body_that_is_not_a_pig_is_counted_by_its_own_names(brick, tmp_path):
    done = run(
        "model", "import", brick, "--unit", "mm", "--name", "brick", "--classes",
        "flat*2, edge*2, end, end", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    poses = json.loads(done.stdout)["poses"]
    assert [pose["class"] for pose in poses] == ["flat", "flat", "edge", "edge", "end", "end"]
    assert [pose["name"] for pose in poses][:3] == ["flat", "flat-2", "edge"]
    again = json.loads(run("poses", "brick", "--json", cwd=tmp_path).stdout)
    assert set(again["classes"]) == {"flat", "edge", "end"}
    assert again["classes"]["flat"] == pytest.approx(poses[0]["share"] + poses[1]["share"])
    words = ("--kind", "drop", "--model", "brick", "--throws", 60, "--seed", 1, "--workers", 1)
    done = run("study", *words, "--engine", "bullet", "--out", "s", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"flat"' in done.stdout and "Snout" not in done.stdout


@pytest.mark.parametrize(
    ("flags", "tried"),
    [
        (("--face=+z", "--crown=+y"), "try: pigglesim roll 3 --model my_brick"),
        (("--classes", "flat*2,edge*4"), "try: pigglesim study --kind drop --model my_brick"),
    ],
)
def test_the_next_command_suits_the_body(brick, tmp_path, flags, tried):
    done = run("model", "import", brick, "--unit", "mm", *flags, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == tried


def test_at_a_terminal_each_pose_is_asked(brick, tmp_path):
    # A wrong word is asked again; Enter takes what the axes suggest.
    seen = asked(
        brick,
        ["--out", str(tmp_path / "mine"), "--face=+z", "--crown=+y"],
        [b"sideways\n", b"head\n", *[b"\n"] * 5],
    )
    text = (tmp_path / "mine" / "my_brick.toml").read_text()
    assert text.count("[[pose_class]]") == 6
    assert 'orientation = "head"' in text.split("[[pose_class]]")[1]
    assert b"one of up, down, head" in seen


def test_what_was_mended_is_told(tmp_path):
    box = scans.brick()
    file = scans.write(Mesh(vertices=box.vertices, faces=box.faces[:, ::-1]), tmp_path / "b.ply")
    words = ("--face=+z", "--crown=+y")
    done = run("model", "import", file, "--unit", "mm", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mended: the surface was inside out" in done.stdout


def test_a_model_that_is_there_is_not_replaced_unasked(brick, tmp_path):
    words = ("model", "import", brick, "--unit", "mm", "--face=+z", "--crown=+y")
    assert run(*words, cwd=tmp_path).returncode == 0
    before = (tmp_path / "models" / "my_brick.toml").read_bytes()
    done = run(*words, "--density", 2000, cwd=tmp_path)
    assert done.returncode == 2
    assert "--force to replace it" in done.stderr
    assert (tmp_path / "models" / "my_brick.toml").read_bytes() == before
    assert run(*words, "--density", 2000, "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / "models" / "my_brick.toml").read_bytes() != before


def many_faces(path):
    count = 1_000_001
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    with path.open("wb") as out:
        out.write(b" " * 80 + np.uint32(count).tobytes())
        out.write(np.zeros(count, dtype=row).tobytes())
    return path


BAD_MESHES = {
    "open": (scans.open_ball, "close the holes"),
    "self-crossing": (scans.pierced_ball, "boolean union, or remesh"),
    "zero volume": (scans.flat_sheet, "give it thickness"),
    "several shells": (
        lambda: scans.joined(scans.ball(), scans.ball(centre=(30, 0, 0))),
        "delete all but the outer one",
    ),
    "wrong unit": (lambda: scans.ball(13_500.0), "scale the mesh"),
}


def refused(done, remedy, folder):
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pigglesim: expected ")
    assert ", got " in done.stderr and "; try: " in done.stderr
    assert remedy in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", BAD_MESHES)
def test_a_mesh_that_is_no_die_is_refused_and_nothing_written(name, tmp_path):
    make, remedy = BAD_MESHES[name]
    file = scans.write(make(), tmp_path / "pig.stl")
    here = tmp_path / "here"
    here.mkdir()
    done = run("model", "import", file, "--unit", "mm", "--yes", cwd=here)
    refused(done, remedy, here)


def test_a_pig_of_27_metres_is_a_wrong_unit(tmp_path):
    file = scans.write(scans.ball(13.5), tmp_path / "pig.stl")
    here = tmp_path / "here"
    here.mkdir()
    done = run("model", "import", file, "--unit", "m", "--yes", cwd=here)
    refused(done, "got 27 m with --unit m; try: --unit mm, which makes it 27 mm", here)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "words", "fault"),
    [
        (3, ["--yes"], "got 1,220: a ball has no poses to tell apart"),
        (3, ["--face=+z", "--crown=+y", "--json"], "got 1,220: a ball has no poses to tell apart"),
        # So fine that no facet holds it.
        (5, ["--yes"], "got 1: it comes to rest in one way alone"),
    ],
)
def test_a_ball_is_refused(level, words, fault, tmp_path):
    file = scans.write(scans.ball(13.5, level), tmp_path / "ball.stl")
    here = tmp_path / "here"
    here.mkdir()
    done = run("model", "import", file, "--unit", "mm", *words, cwd=here)
    refused(done, fault, here)


@pytest.mark.slow
def test_poses_of_a_ball_are_too_many_to_show_but_one_is_not(tmp_path):
    coarse = scans.write(scans.ball(13.5, 3), tmp_path / "coarse.stl")
    fine = scans.write(scans.ball(13.5, 5), tmp_path / "fine.stl")
    assert "a ball has no poses" in run("poses", coarse).stderr
    assert "never" in run("poses", fine).stdout


def test_a_million_faces_are_refused(tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    file = many_faces(tmp_path / "pig.stl")
    done = run("model", "import", file, "--unit", "mm", "--yes", cwd=here)
    refused(done, "decimate the mesh", here)


@pytest.mark.parametrize(
    ("ballast", "remedy"),
    [
        (
            "density_kg_m3 = 11340\ncentre_mm = [0, 0, 9]\nradius_mm = 3",
            "move its centre_mm inwards",
        ),
        ("density_kg_m3 = 30000\ncentre_mm = [0, 0, 0]\nradius_mm = 3", "denser than osmium"),
    ],
)
@pytest.mark.parametrize("verb", [("poses",), ("roll", 1, "--model")])
def test_impossible_ballast_is_refused(brick, tmp_path, ballast, remedy, verb):
    words = ("--name", "brick", "--classes", "a*6")
    assert run("model", "import", brick, "--unit", "mm", *words, cwd=tmp_path).returncode == 0
    model = tmp_path / "models" / "brick.toml"
    model.write_text(model.read_text() + f'\n[ballast]\nform = "ball"\n{ballast}\n')
    here = tmp_path / "here"
    here.mkdir()
    refused(run(*verb, model, cwd=here), remedy, here)


FAULTS = [
    ((), "--face +z --crown +y (where the snout and the top of the head of a pig point)"),
    # Agreeing to everything is not an answer to a question nobody asked.
    (("--yes",), "or --classes with your own names, as in --classes a*2,b*2,c*2"),
    (("--classes", "flat*2,edge*2,Snout-Up*2"), "--classes up,down,head"),
    (("--classes", "flat*2,edge*2,<b>,<b>"), "--classes top,bottom,side"),
    (("--classes", "flat*7"), "pigglesim poses FILE"),
    (("--face", "+z"), "--face +z --crown +y"),
    (("--face", "+z", "--crown", "up"), "--crown +z"),
    (("--face", "+z", "--crown", "0,0,2"), "--face +z --crown +y"),
    (("--classes", "up,down"), "pigglesim poses FILE"),
    (("--classes", "up,down,head,up,down,over"), "--classes up,down,head"),
    (("--yes", "--name", "piggle"), "--name my_piggle"),
    (("--yes", "--name", "My Pig"), "--name my_brick"),
    (("--yes", "--density", "30000"), "a density of 1 to 23,000 kg/m3"),
    (("--yes", "--density", "nan"), "--density 1100"),
    (("--yes", "--density", "1e-6"), "a density of 1 to 23,000 kg/m3, got 1e-06"),
    (("--yes", "--parts", "hul"), "try: hull"),
    (("--yes", "--unit", "km"), "--unit mm"),
    (("--yes", "--out", "{file}"), "--out models"),
]


@pytest.mark.parametrize(("words", "remedy"), FAULTS, ids=[" ".join(w) for w, _ in FAULTS])
def test_a_faulty_import_is_one_line_and_nothing_written(words, remedy, brick, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    flags = [word.format(file=brick) for word in words]
    done = run("model", "import", brick, "--unit", "mm", *flags, cwd=here)
    refused(done, remedy, here)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("piggle", "--plot", "poses.jpg"), "poses.png"),
        (("piggle", "--plot", "no/such/poses.png"), "a folder that exists"),
        (("piggle", "--unit", "mm"), "leave --unit out"),
        (("pigle",), "try: piggle"),
        (("pig.stl",), "check the path"),
    ],
)
def test_faults_of_poses_are_one_line(words, remedy, tmp_path):
    refused(run("poses", *words, cwd=tmp_path), remedy, tmp_path)
