"""A scene or a team names models by id, or files that lie beside it, and nothing else."""

import shutil

import pytest

from pigglesim.bodies.load import load_model
from pigglesim.data_files import model_file, scene_file, team_file
from pigglesim.errors import SpecError
from pigglesim.scene.load import load_scene, load_team

OUTSIDE = (
    "/etc/die.toml", "../die.toml", "sub/die.toml", "/dev/stdin.toml", "CON.toml", "..\\d6.toml",
    "C:\\d6.toml", "~/d6.toml/", "./d6.toml",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A folder with a scene of dice, a team, and a die of its own."""
    own = tmp_path / "own"
    own.mkdir()
    for name in ("d6.toml", "d6.obj", "d6.mtl"):
        source = model_file("d6").with_name(name)
        if source.exists():
            shutil.copy(source, own / name)
    shutil.copy(scene_file("piggy_six"), own / "scene.toml")
    shutil.copy(team_file("standard"), own / "team.toml")
    return own


def test_a_file_beside_the_scene_is_taken_from_wherever_one_stands(folder):
    scene = folder / "scene.toml"
    scene.write_text(scene.read_text().replace('model = "d6"', 'model = "d6.toml"'))
    found = load_scene(str(scene)).dice
    assert found is not None
    assert found.model == str(folder / "d6.toml")
    assert load_model(found.model).model == load_model("d6").model


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_scene_names_nothing_outside_its_folder(folder, name):
    scene = folder / "scene.toml"
    scene.write_text(scene.read_text().replace('model = "d6"', f"model = '{name}'"))
    with pytest.raises(SpecError, match=r"in the folder of scene\.toml"):
        load_scene(str(scene))


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_team_names_nothing_outside_its_folder(folder, name):
    team = folder / "team.toml"
    team.write_text(team.read_text().replace("colour =", f"model = '{name}'\ncolour =", 1))
    with pytest.raises(SpecError, match=r"in the folder of team\.toml"):
        load_team(str(team))


def test_a_link_leads_nowhere(folder):
    scene = folder / "scene.toml"
    (folder / "link.toml").symlink_to(model_file("d6"))
    scene.write_text(scene.read_text().replace('model = "d6"', 'model = "link.toml"'))
    with pytest.raises(SpecError, match=r"link\.toml next to scene\.toml is a link"):
        load_scene(str(scene))
