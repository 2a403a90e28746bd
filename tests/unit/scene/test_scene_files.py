"""Scene and team files: values in SI units, one line per fault, and models beside the file."""

import shutil

import pytest

from pigglesim.bodies.load import load_model
from pigglesim.data_files import model_file, scene_file, team_file, team_names
from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.markings import Colour
from pigglesim.scene.load import check_owners, load_scene, load_team
from pigglesim.scene.scene import INCH

SCENE = scene_file("piggles_classic").read_text()
TEAM = team_file("standard").read_text()


def load_with(load, text, tmp_path, old, new):
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1))
    return load(str(path))


def test_the_numbers_of_the_file_are_those_of_the_scene():
    scene = load_scene("piggles_classic")
    assert scene.board.size == pytest.approx(13 * INCH)
    assert scene.cup.inner_radius == pytest.approx(0.035)
    assert scene.hand.lip_height == pytest.approx(4.75 * INCH)
    assert scene.stepping.time_step == pytest.approx(0.002)
    assert scene.capacity == 6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ring_in = 1.0", "ring_in = 1.2", r"add up to 13.4 in, its size is 13 in"),
        ("inner_in = 8.0", "inner_in = nan", r"board\.inner_in"),
        ("woods_in = 1.5", "woods_in = -1.5", r"board\.woods_in: must be 1e-06 or more"),
        ("lane_in = 1.0", "lane_in = 6.0", r"make lane_in or line_mm smaller"),
        ("depth_mm = 90.0", "depth_mm = inf", r"cup\.depth_mm"),
        ("depth_mm = 90.0", "depht_mm = 90.0", r"cup\.depth_mm: missing; cup\.depht_mm: unknown"),
        ("inner_radius_mm = 35.0", "inner_radius_mm = 900.0", r"change inner_radius_mm"),
        ("tip_deg = 130.0", "tip_deg = 60.0", r"hand\.tip_deg"),
        ("time_step_ms = 2.0", "time_step_ms = 20.0", r"use time_step_ms = 2"),
        ("iterations = 10", "iterations = 0", r"use iterations = 10"),
        ('title = "Piggles Classic"', "title = 3", r"title: must be a text in quotes .got 3."),
        ("[board]", "[board", r"mine\.toml.*TOML|TOML.*mine\.toml"),
        ("[teams]\n", "[teams]\nC = ['piggle']\n", r"teams\.C"),
    ],
)
def test_a_faulty_scene_is_refused_in_one_line(tmp_path, old, new, message):
    with pytest.raises(SpecError, match=message):
        load_with(load_scene, SCENE, tmp_path, old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('rune = "left"', 'rune = "lefft"', "'lefft'.*use left"),
        ('colour = "orange"', 'colour = "ornge"', "'ornge'.*use orange"),
        ('rune = "left"', 'rune = "left"\nmodel = "premum"', "'premum'.*use premium"),
        ('rune = "left"', 'model = "piggle+red"', 'has a livery; use model = "piggle"'),
        ('rune = "left"', 'runne = "left"', "piggle.0.runne: unknown key"),
        ('colour = "orange"\n', "", "piggle.0.colour: missing"),
        ('title = "Standard"', "title = ", r"mine\.toml.*TOML|TOML.*mine\.toml"),
    ],
)
def test_a_faulty_team_is_refused_in_one_line(tmp_path, old, new, message):
    with pytest.raises(SpecError, match=message):
        load_with(load_team, TEAM, tmp_path, old, new)


def test_an_unknown_scene_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match="use piggles_classic"):
        load_scene("piggles_clasic")


def test_the_teams_that_come_with_the_program():
    assert set(team_names()) == {"standard", "rare", "premium", *Colour}
    for name in team_names():
        team = load_team(name)
        assert team.id == name
        assert len(team.models) == 6
    for team in load_scene("piggles_modern").teams.values():
        assert team == load_team("standard").models


def test_arrows_and_spirals_have_a_short_name_too(tmp_path):
    team = load_with(load_team, TEAM, tmp_path, 'rune = "left"', 'rune = "ccw_spiral"')
    assert team.models[0] == "piggle+orange+spiral_ccw"


def test_a_piggle_with_an_id_has_one_owner(tmp_path):
    own = 'rune = "left"\nid = "Trotter"'
    team = load_with(load_team, TEAM, tmp_path, 'rune = "left"', own)
    assert team.owned == ("Trotter",)
    with pytest.raises(SpecError, match="A and B both have the Piggle 'Trotter'"):
        check_owners({Seat.A: team, Seat.B: team})
    check_owners({Seat.A: team, Seat.B: load_team("standard")})
    twice = tmp_path / "twice.toml"
    twice.write_text(TEAM.replace('rune = "left"', own))
    with pytest.raises(SpecError, match=r"twice.toml has the Piggle 'Trotter' twice"):
        load_team(str(twice))


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
def test_scenes_and_teams_name_nothing_outside_their_folder(folder, name):
    scene, team = folder / "scene.toml", folder / "team.toml"
    scene.write_text(scene.read_text().replace('model = "d6"', f"model = '{name}'"))
    team.write_text(team.read_text().replace("colour =", f"model = '{name}'\ncolour =", 1))
    for load, path in ((load_scene, scene), (load_team, team)):
        with pytest.raises(SpecError, match=path.name):
            load(str(path))


def test_a_link_leads_nowhere(folder):
    scene = folder / "scene.toml"
    (folder / "link.toml").symlink_to(model_file("d6"))
    scene.write_text(scene.read_text().replace('model = "d6"', 'model = "link.toml"'))
    with pytest.raises(SpecError, match=r"link\.toml next to scene\.toml is a link"):
        load_scene(str(scene))
