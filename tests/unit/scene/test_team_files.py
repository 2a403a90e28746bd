"""Team files: six Piggles each, and one clear line for what is wrong with one."""

import pytest

from pigglesim.data_files import team_file, team_names
from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.markings import Colour
from pigglesim.scene.load import check_owners, load_scene, load_team

TEXT = team_file("standard").read_text()


def load_with(tmp_path, old, new, name="mine.toml"):
    assert old in TEXT
    path = tmp_path / name
    path.write_text(TEXT.replace(old, new, 1))
    return load_team(str(path))


def test_the_teams_that_come_with_the_program():
    assert set(team_names()) == {"standard", "rare", "premium", *Colour}
    for name in team_names():
        team = load_team(name)
        assert team.id == name
        assert len(team.models) == 6


def test_the_modern_scene_plays_the_standard_team():
    for team in load_scene("piggles_modern").teams.values():
        assert team == load_team("standard").models


def test_arrows_and_spirals_have_a_short_name_too(tmp_path):
    team = load_with(tmp_path, 'rune = "left"', 'rune = "ccw_spiral"')
    assert team.models[0] == "piggle+orange+spiral_ccw"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('rune = "left"', 'rune = "lefft"', "'lefft'.*use left"),
        ('colour = "orange"', 'colour = "ornge"', "'ornge'.*use orange"),
        ('rune = "left"', 'rune = "left"\nmodel = "premum"', "'premum'.*use premium"),
        ('rune = "left"', 'model = "piggle+red"', 'has a livery; use model = "piggle"'),
        ('rune = "left"', 'runne = "left"', "piggle.0.runne: unknown key"),
        ('colour = "orange"\n', "", "piggle.0.colour: missing"),
        ('title = "Standard"', "title = ", "a team file in TOML"),
    ],
)
def test_a_team_at_fault_is_refused_in_one_line(tmp_path, old, new, fault):
    with pytest.raises(SpecError, match=fault) as raised:
        load_with(tmp_path, old, new)
    assert "\n" not in str(raised.value)


def test_a_piggle_with_an_id_has_one_owner(tmp_path):
    own = 'rune = "left"\nid = "Trotter"'
    team = load_with(tmp_path, 'rune = "left"', own)
    assert team.owned == ("Trotter",)
    with pytest.raises(SpecError, match="A and B both have the Piggle 'Trotter'"):
        check_owners({Seat.A: team, Seat.B: team})
    check_owners({Seat.A: team, Seat.B: load_team("standard")})
    twice = tmp_path / "twice.toml"
    twice.write_text(TEXT.replace('rune = "left"', own))
    with pytest.raises(SpecError, match=r"twice.toml has the Piggle 'Trotter' twice"):
        load_team(str(twice))
