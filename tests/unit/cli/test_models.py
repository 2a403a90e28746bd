"""`models`, `poses` and `model import` as a person uses them."""

import json
import os
import pty
import re
import shlex
import sys
import time

import pytest
from typer.testing import CliRunner

from pigglesim.bodies.load import load_model, read_measured
from pigglesim.data_files import model_names
from pigglesim.errors import SpecError
from scripts import measure_models
from tests.support.front_door import run, run_here
from tests.unit.bodies import scans


def test_the_list_has_every_model_and_every_livery():
    document = json.loads(run_here("models", "--json").stdout)
    by_name = {entry["model"]: entry for entry in document["models"]}
    assert list(by_name) == list(model_names())
    for name in ("piggle", "premium", "premium_brass"):
        assert sum(by_name[name]["classes"].values()) == pytest.approx(1.0)
        assert by_name[name]["mass_g"] == 1e3 * load_model(name).mass.mass
    assert not by_name["d6"]["pig"]
    assert len(document["liveries"]["colours"]) == 5
    assert [rune["number"] for rune in document["liveries"]["runes"]] == list(range(1, 10))
    assert load_model(document["liveries"]["example"])
    shown = run_here("models").stdout
    assert all(word in shown for word in (*model_names(), "7 spiral_cw"))


@pytest.fixture
def folders(tmp_path):
    """A folder with `my_brick` in its `models`, and one beside it with another and a broken one."""
    file = scans.write(scans.brick(), tmp_path / "brick.stl")
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder, name in ((here / "models", "my_brick"), (elsewhere, "other")):
        words = ["model", "import", file, "--unit", "mm", "--face=+z", "--crown=+y", "--name", name]
        done = run(*words, "--out", folder)
        assert done.returncode == 0, done.stderr
    (elsewhere / "broken.toml").write_text("no model")
    (elsewhere / "piggle.toml").write_text("hides nothing")
    return here, elsewhere


@pytest.mark.slow
def test_own_models_are_listed_as_such_and_a_broken_one_is_reported(folders):
    here, elsewhere = folders
    how = {"cwd": here, "env": {"PIGGLESIM_MODELS": str(elsewhere)}}
    done = run("models", "--json", **how)
    assert done.returncode == 0
    entries = json.loads(done.stdout)["models"]
    own = [entry["model"] for entry in entries if entry["own"]]
    assert own == ["my_brick", "other"]
    assert [entry["model"] for entry in entries if not entry["own"]] == list(model_names())
    assert done.stderr.startswith("pigglesim: broken is left out: ")
    assert done.stderr.count("\n") == 1 and "broken.toml" in done.stderr
    table = run("models", **how).stdout
    assert "my_brick (own)" in table and "piggle (own)" not in table
    # What is asked for by name is not passed over.
    asked = run("models", "--only", "broken", **how)
    assert (asked.returncode, asked.stdout) == (2, "")


@pytest.mark.slow
def test_a_measurement_adds_its_models_to_the_file(tmp_path):
    file = tmp_path / "shares.json"
    words = ["--file", str(file), "--workers", "1", "--only"]
    for name in ("piggle", "premium+red"):
        done = CliRunner().invoke(measure_models.app, [*words, name, "--pours", "2"])
        assert done.exit_code == 0, done.output
    rows = read_measured(file)
    assert [(name, row.throws) for name, row in rows.items()] == [
        ("piggle", 12),
        ("premium+red", 12),
    ]
    assert rows["premium+red"].model_sha256 == load_model("premium").sha256
    # Fewer pours replace no longer measurement.
    less = CliRunner().invoke(measure_models.app, [*words, "piggle", "--pours", "1"])
    assert "holds 2 pours already, more than 1" in str(less.exception)
    assert read_measured(file) == rows


@pytest.fixture
def brick(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    return scans.write(scans.brick(), folder / "my brick.stl")


def test_poses_of_a_model_as_json():
    document = json.loads(run_here("poses", "piggle", "--json").stdout)
    assert document["classes"]["Snout-Up"] == pytest.approx(0.472, abs=0.001)
    assert document["mass_g"] == pytest.approx(3.82, abs=0.01)
    for pose in document["poses"]:
        energy = document["mass_g"] * 9.80665 * pose["escape_mm"]
        assert pose["escape_uj"] == pytest.approx(energy, rel=1e-9)
        # Into another class it is at least as far as into another pose.
        assert pose["other_class_mm"] >= pose["escape_mm"] - 1e-9


IMPORT = ("model", "import", "--unit", "mm", "--face=+z", "--crown=+y")


@pytest.mark.slow
def test_an_imported_model_rolls_and_plays_by_name_and_by_path(brick, tmp_path):
    done = run(*IMPORT, brick, "--name", "brick", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    names = [f"models/brick.{kind}" for kind in ("mtl", "obj", "toml")]
    assert document["files"] == names
    assert sorted(tmp_path.glob("models/*")) == [tmp_path / name for name in names]
    assert {pose["class"] for pose in document["poses"]} == {"up", "down", "head"}
    dice = [
        json.loads(run("roll", 1, "--model", name, "--seed", 1, "--json", cwd=tmp_path).stdout)
        for name in ("brick", "models/brick.toml")
    ]
    assert dice[0]["dice"] == dice[1]["dice"]
    assert dice[0]["dice"][0]["model"] == "brick"
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


def test_an_existing_model_is_replaced_only_on_request(brick, tmp_path):
    assert run(*IMPORT, brick, cwd=tmp_path).returncode == 0
    file = tmp_path / "models" / "my_brick.toml"
    before = file.read_bytes()
    done = run(*IMPORT, brick, "--density", 2000, cwd=tmp_path)
    assert (done.returncode, "--force" in done.stderr) == (2, True)
    assert file.read_bytes() == before
    assert run(*IMPORT, brick, "--density", 2000, "--force", cwd=tmp_path).returncode == 0
    assert file.read_bytes() != before


@pytest.mark.slow
def test_at_a_terminal_each_pose_is_prompted_for(brick, tmp_path):
    # Of what is no pig, Enter answers nothing; of a pig it takes what the axes suggest.
    ends = [b"n\n", b"\n", b"Snout-Up\n", b"end\n", b"end\n", *[b"side\n"] * 4]
    assert b"[up]" not in asked(brick, ["--out", str(tmp_path / "mine")], ends)
    names = re.findall("^face = .*", (tmp_path / "mine" / "my_brick.toml").read_text(), re.M)
    assert names == ['face = "end"'] * 2 + ['face = "side"'] * 4
    axes = ["--out", str(tmp_path / "pig"), "--face=+z", "--crown=+y"]
    seen = asked(brick, axes, [b"sideways\n", b"head\n", *[b"\n"] * 5])
    text = (tmp_path / "pig" / "my_brick.toml").read_text()
    assert text.count("[[pose_class]]") == 6
    assert 'orientation = "head"' in text.split("[[pose_class]]")[1]
    assert b"class 'sideways'" in seen


def tried(done):
    """Return the words of the command that an import suggests."""
    assert done.exit_code == 0, done.stderr
    return shlex.split(done.stdout.splitlines()[-1].removeprefix("try: pigglesim "))


@pytest.mark.parametrize(("size", "verb"), [(20.0, "roll"), (60.0, "study"), (199.0, "study")])
def test_the_command_that_an_import_suggests_works(tmp_path, monkeypatch, size, verb):
    monkeypatch.chdir(tmp_path)
    brick = scans.brick((size * 0.6, size * 0.8, size))
    file = scans.write(brick, tmp_path / "Öhrchen ぶた.stl")
    words = tried(run_here(*IMPORT, file))
    assert (words[0], words[-1]) == (verb, "öhrchen_ぶた")
    few = ["--seed", 1] if verb == "roll" else ["--throws", 20, "--seed", 1, "--no-report"]
    done = run_here(*words, *few, "--engine", "bullet")
    assert done.exit_code == 0, done.stderr
    if verb == "study":
        assert [folder.name[:15] for folder in (tmp_path / "studies").iterdir()] == [
            "drop-öhrchen_ぶた"
        ]


def test_glb_needs_no_unit_and_other_formats_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    glb = scans.write(scans.brick((0.012, 0.016, 0.02)), tmp_path / "brick.glb")
    document = json.loads(run_here("poses", glb, "--json").stdout)
    assert document["size_mm"] == pytest.approx([12, 16, 20], rel=1e-4)
    classes = ("--classes", "a,a,b,b,c,c")
    assert run_here("model", "import", glb, *classes).exit_code == 0
    stl = scans.write(scans.brick(), tmp_path / "brick.stl")
    with pytest.raises(SpecError, match="has no unit"):
        run_here("model", "import", stl, *classes)
