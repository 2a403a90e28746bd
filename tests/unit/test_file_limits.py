"""What a file may ask for: no few bytes make the program work for hours or take all memory."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pigglesim.api.roll import read_layout
from pigglesim.bodies.load import load_model, read_measured, read_spec
from pigglesim.bodies.mesh import convex_hull
from pigglesim.chance.odds import load_odds
from pigglesim.cli.options import RuleFlags
from pigglesim.data_files import model_file, odds_file, scene_file
from pigglesim.errors import SpecError
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.study import Study
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.games.registry import make_game
from pigglesim.scene.load import load_floor, load_scene, load_team

HUGE = 10**400
DIE = model_file("d6")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("iterations = 10", "iterations = 1000\ntime_step_ms = 0.01", "solver iterations"),
        ("time_limit_s = 6.0", "time_limit_s = 1e9", "stepping.time_limit_s"),
        ("shake_s = 0.4", "shake_s = 3600", "hand.shake_s"),
        ("shake_hz = 5.0", "shake_hz = 1e-300", "hand.shake_hz"),
        ("size_in = 13.0", "size_in = 1e-300", "board.size_in"),
        ("size_in = 13.0", f"size_in = {HUGE}", "board.size_in.* digits"),
        ("wall_mm = 3.0", "wall_mm = 1e-12", "cup.wall_mm"),
    ],
)
def test_scenes_that_would_take_hours_are_refused(tmp_path, old, new, problem):
    text = scene_file("piggles_classic").read_text()
    if "time_step_ms" in new:
        text = re.sub(r"time_step_ms = .*\n", "", text)
    key = old.split(" = ")[0]
    assert re.search(rf"(?m)^{key} = ", text)
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(rf"(?m)^{key} = .*$", new, text))
    with pytest.raises(SpecError, match=problem):
        load_scene(str(path))


def test_floors_and_teams_have_limits(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("".join(f"[surfaces.m{k}]\nfriction = 0.5\n" for k in range(3_000)))
    with pytest.raises(SpecError, match="at most 2,000 in a scene file"):
        load_floor(str(path))
    path.write_text('[[piggle]]\ncolour = "red"\n' * 1_500)
    with pytest.raises(SpecError, match="at most 2,000 in a team file"):
        load_team(str(path))
    path.write_text('id = "t"\ntitle = "T"\n' + '[[piggle]]\ncolour = "red"\n' * 100)
    with pytest.raises(SpecError, match="100 Piggles"):
        load_team(str(path))


def test_a_thousand_faults_are_reported_in_a_few_words(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("".join(f"{'k' * 50}{k} = 1\n" for k in range(1_500)))
    with pytest.raises(SpecError, match=r"and 15.. more") as fault:
        load_scene(str(path))
    assert len(str(fault.value)) < 1_500


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"throws": 10**12, "shard_size": 1}, "1 to 10,000,000"),
        ({"throws": 10**12, "shard_size": 10**12}, "1 to 100,000"),
        ({"kind": ThrowKind.DROP, "throws": 10**12, "shard_size": 10**9}, "up to 1,000,000"),
        ({"factors": {"friction": tuple(k / 1e6 for k in range(1, 10_002))}}, "1 to 10,000"),
        ({"throws": 0, "half_width": 1e-5, "factors": {"number": (1, 2)}}, "1 to 10,000,000"),
    ],
)
def test_studies_are_of_shards_that_a_folder_and_memory_hold(parts, problem):
    with pytest.raises(SpecError, match=problem):
        Study(**{"kind": ThrowKind.POUR, "throws": 1000, **parts})


def test_models_have_directions_sizes_and_densities():
    text = DIE.read_text()
    for old, new, problem in (
        ("up = [0.0, 0.0, 1.0]", "up = [0.0, 0.0, 1e-200]", "a direction must have a length"),
        ("up = [0.0, 0.0, 1.0]", "up = [0.0, 0.0, 1e200]", "a finite number up to"),
        ("density_kg_m3 = 1100.0", "density_kg_m3 = 1e-300", "density_kg_m3: must be 1 or more"),
        ("mass_kg = 0.0044", "mass_kg = 1e9\nx = 0.0044", "derived.mass_kg: must be 10000 or less"),
    ):
        assert old in text
        with pytest.raises(SpecError, match=problem):
            read_spec(text.replace(old, new), name="mine.toml")


def signed(folder: Path, change) -> str:
    """Return a die's file whose derived numbers were edited, and whose digest was made anew."""
    from pigglesim.bodies.load import digest_of, toml_text

    for suffix in (".obj", ".mtl"):
        (folder / f"d6{suffix}").write_bytes(DIE.with_suffix(suffix).read_bytes())
    spec = read_spec(DIE.read_text(), name="d6.toml")
    assert spec.derived is not None
    spec = spec.model_copy(update={"derived": spec.derived.model_copy(update=change(spec.derived))})
    digest = digest_of(spec, (folder / "d6.obj").read_bytes(), b"")
    assert spec.derived is not None
    spec = spec.model_copy(update={"derived": spec.derived.model_copy(update={"sha256": digest})})
    path = folder / "d6.toml"
    path.write_text(toml_text(spec))
    return str(path)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _: {"hull_vertices": "0 1 2 999999"}, "hull has vertices"),
        (lambda _: {"hull_vertices": "0 1 2 " + "9" * 4_000}, "hull has vertices"),
        (lambda was: {"hull_faces": was.hull_faces + " 0"}, "triangle has corners"),
        (lambda was: {"hull_faces": was.hull_faces + " 0 1 99999"}, "triangle has corners"),
        (lambda was: {"mass_kg": was.mass_kg * 1.001}, "0.004401"),
        (lambda _: {"mass_kg": 1e-300}, "0.004401"),
        (lambda _: {"centre_mm": (0.0, 0.0, 9.0)}, "centre of mass"),
        (lambda _: {"inertia_kg_m2": ((0.0,) * 3,) * 3}, "inertia"),
        (
            lambda _: {"inertia_kg_m2": ((1e-7, 0, 0), (0, 1e-7, 0), (0, 0, -1e-7))},
            "inertia",
        ),
    ],
)
def test_what_a_model_says_of_itself_is_checked_though_it_is_signed(tmp_path, change, problem):
    assert load_model(signed(tmp_path, lambda _: {})).mass.mass > 0.0
    with pytest.raises(SpecError, match=f"{problem}.*remove the table"):
        load_model(signed(tmp_path, change))


def test_points_in_one_plane_have_no_hull():
    flat = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    with pytest.raises(SpecError, match="thickness"):
        convex_hull(flat)


def test_house_rules_are_no_numbers_of_four_hundred_digits(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(f"rounds = {HUGE}\n")
    with pytest.raises(SpecError, match=r"digits.*finite number up to"):
        RuleFlags(house_rules=path).table()
    for word in ("rounds", "knock_distance_mm", "mud_delay"):
        for digits in (400, 5_000):
            with pytest.raises(SpecError, match=f"invalid {word}") as fault:
                make_game("piggles_classic", RuleFlags(rule=[f"{word}={'9' * digits}"]).table())
            assert len(str(fault.value)) < 400
            with pytest.raises(SpecError, match=f"invalid {word}"):
                PigglesRules.from_mapping({word: 10**digits})


def test_layouts_are_of_as_many_as_have_room(tmp_path):
    die = {
        "id": "A1", "model": "piggle", "orientation": "up", "zone": "field:N", "leaning": False,
        "position_m": [0.0, 0.0, 0.01], "rotation_xyzw": [0.0, 0.0, 0.0, 1.0],
        "stacked": False, "off_board": False,
    }  # fmt: skip
    path = tmp_path / "roll.json"
    path.write_text(json.dumps({"dice": [{**die, "id": f"A{k}"} for k in range(24)]}))
    assert len(read_layout(path)[0]) == 24
    path.write_text(json.dumps({"dice": [{**die, "id": f"A{k}"} for k in range(25)]}))
    with pytest.raises(SpecError, match="at most 24 fit"):
        read_layout(path)
    path.write_text(json.dumps({"dice": [die, die]}))
    with pytest.raises(SpecError, match="two Piggles of one id"):
        read_layout(path)


def test_odds_are_of_numbers_that_can_be_thrown(tmp_path):
    table = json.loads(odds_file("piggle").read_text())
    path = tmp_path / "odds.json"
    row = next(iter(table["thrown"].values()))
    for thrown in ({"9" * 4_000: row}, {"0": row}, {"101": row}, {}):
        path.write_text(json.dumps({**table, "thrown": thrown}))
        with pytest.raises(SpecError, match="again"):
            load_odds(str(path))
    path.write_text(json.dumps({**table, "departures": [{"of": 3, "thrown": "x"}]}))
    with pytest.raises(SpecError, match="again"):
        load_odds(str(path))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda row: row | {"pours": "many"}, "models.0.pours"),
        (lambda row: row | {"off": -1}, "models.0.off"),
        (lambda row: row | {"shares": {}}, "no share of"),
        (lambda row: row | {"model": None}, "models.0.model"),
        (lambda row: [row], "models.0"),
    ],
)
def test_measured_shares_are_of_their_kind(tmp_path, change, problem):
    table = json.loads((DIE.parent / "measured.json").read_text())
    path = tmp_path / "measured.json"
    path.write_text(json.dumps({"models": [change(table["models"][0])]}))
    with pytest.raises(SpecError, match=problem):
        read_measured(path)
