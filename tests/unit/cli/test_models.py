"""`pigglesim models` as a person uses it: the list, the picture, and shares that survive Ctrl-C."""

import json
import os
import signal

import pytest

from pigglesim.bodies.load import load_model
from pigglesim.bodies.measured import read_measured
from pigglesim.data_files import model_names
from tests.front_door import run, start
from tests.unit.bodies import scans


def test_the_list_has_every_model_and_every_livery():
    done = run("models", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert [entry["model"] for entry in document["models"]] == list(model_names())
    by_name = {entry["model"]: entry for entry in document["models"]}
    for name in ("piggle", "premium", "premium_brass"):
        assert sum(by_name[name]["quasi_static"].values()) == pytest.approx(1.0)
        assert by_name[name]["mass_kg"] == load_model(name).mass.mass
    assert by_name["d6"]["quasi_static"] is None
    assert len(document["liveries"]["colours"]) == 5
    assert [rune["number"] for rune in document["liveries"]["runes"]] == list(range(1, 10))
    assert load_model(document["liveries"]["example"])


def test_the_list_is_for_people_too():
    done = run("models")
    assert done.returncode == 0
    for word in (*model_names(), "mass [g]", "blue (Crit)", "7 spiral_cw", "piggle+blue+left"):
        assert word in done.stdout


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
def test_own_models_are_listed_as_such_and_a_broken_one_is_told(folders):
    here, elsewhere = folders
    how = {"cwd": here, "env": {"PIGGLESIM_MODELS": str(elsewhere)}}
    done = run("models", "--json", **how)
    assert done.returncode == 0
    entries = json.loads(done.stdout)["models"]
    own = [entry["model"] for entry in entries if entry["own"]]
    assert own == ["my_brick", "other"]
    assert [entry["model"] for entry in entries if not entry["own"]] == list(model_names())
    assert done.stderr.startswith("pigglesim: broken is left out: expected ")
    assert done.stderr.count("\n") == 1 and "broken.toml" in done.stderr
    table = run("models", **how).stdout
    assert "my_brick (own)" in table and "piggle (own)" not in table
    # What is asked for by name is not passed over.
    asked = run("models", "--only", "broken", **how)
    assert (asked.returncode, asked.stdout) == (2, "")


def test_a_livery_lands_as_its_model_does():
    plain, worn = (
        json.loads(run("models", "--only", name, "--json").stdout)["models"][0]
        for name in ("premium", "premium+blue+left")
    )
    assert worn | {"model": "premium"} == plain


@pytest.mark.slow
def test_the_liveries_of_one_model_are_drawn(tmp_path):
    file = tmp_path / "sheet.png"
    done = run("models", "--only", "premium", "--plot", file)
    assert done.returncode == 0, done.stderr
    assert file.stat().st_size > 10_000


def test_a_measurement_adds_its_models_to_the_file(tmp_path):
    file = tmp_path / "shares.json"
    for name in ("piggle", "premium+red"):
        done = run(
            "models", "--only", name, "--measure", file, "--pours", 2, "--workers", 1, "--json"
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["models"][0]["measured"]["throws"] == 12
    rows = read_measured(file)
    assert sorted(rows) == ["piggle", "premium+red"]
    assert rows["premium+red"].model_sha256 == load_model("premium").sha256


@pytest.mark.slow
@pytest.mark.parametrize(("stop", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_keeps_what_is_done(tmp_path, stop, status):
    file = tmp_path / "shares.json"
    words = ["--measure", file, "--pours", 100_000, "--workers", 2]
    with start("models", *words, "--only", "piggle") as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("pouring: 1 of 100,000 pours")
        os.killpg(process.pid, stop)
        out, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert out == ""
    assert "Traceback" not in err
    assert "of 100000 pours in shares.json" in err
    row = read_measured(file)["piggle"]
    assert row.pours >= 1
    assert row.throws == 6 * row.pours


def test_numbered_dice_have_no_classes_to_measure(tmp_path):
    done = run("models", "--only", "d6", "--measure", tmp_path / "shares.json")
    assert done.returncode == 2
    assert "expected pigs" in done.stderr
    assert "study --kind pour --model d6" in done.stderr
