"""Definitions of studies: cells, shards, files, and invalid values."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.data_files import floor_file
from pigglesim.errors import SpecError
from pigglesim.experiments.factors import ThrowKind, factor, release_of
from pigglesim.experiments.shard import StudyPlan
from pigglesim.experiments.study import Study, read_table
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import INCH

DROP, POUR, KNOCK = ThrowKind.DROP, ThrowKind.POUR, ThrowKind.KNOCK


@given(
    throws=st.integers(1, 5000),
    blocks=st.integers(1, 8),
    levels=st.lists(st.integers(1, 3), max_size=2),
)
def test_throws_are_numbered_without_gaps(throws, blocks, levels):
    names = ("friction", "restitution")
    factors = {
        name: tuple(0.1 * (k + 1) for k in range(n)) for name, n in zip(names, levels, strict=False)
    }
    study = Study(throws=throws, shard_size=250 * blocks, factors=factors)
    numbers, trials = [], {cell: [] for cell in range(study.cell_count)}
    for number in range(study.shard_count):
        shard = study.shard(number)
        assert shard.cell == number % study.cell_count
        numbers += range(shard.first_throw, shard.first_throw + len(shard.trials))
        trials[shard.cell] += shard.trials
    assert numbers == list(range(throws * study.cell_count))
    assert all(own == list(range(throws)) for own in trials.values())


def test_cells_are_every_combination_in_a_fixed_order():
    study = Study(throws=1, models=("d6", "piggle"), factors={"friction": (0.2, 0.4)})
    assert [tuple(cell.values()) for cell in study.cells()] == [
        ("d6", 0.2), ("d6", 0.4), ("piggle", 0.2), ("piggle", 0.4),
    ]  # fmt: skip
    # The factor `model`, in any place, is the same study.
    factors = {"friction": (0.2, 0.4), "model": ("d6", "piggle")}
    assert Study(throws=1, factors=factors) == study
    assert Study(throws=1, factors={"model": ("d6",)}) == Study(throws=1, models=("d6",))


def test_a_floor_or_a_scene_is_a_factor(tmp_path):
    text = floor_file("felt").read_text()
    own = tmp_path / "own.toml"
    own.write_text(text.replace("restitution = ", "restitution = 0.111 # "))
    factors = {"height_mm": (50.0, 60.0), "floor": ("felt", str(own))}
    study = Study(throws=1, models=("d6",), factors=factors)
    assert study.scene == "felt"
    plan = StudyPlan.of(study)
    found = [(setup.floor.sha256, setup.floor.fall.height) for setup in plan.setups]
    first, second = (load_floor(name).sha256 for name in ("felt", str(own)))
    # The height is varied on either floor.
    assert found == [(first, 0.05), (second, 0.05), (first, 0.06), (second, 0.06)]
    assert plan.made_of["scenes"] == {"felt": first, str(own): second}
    own.write_text(f"{text}# edited\n")
    assert StudyPlan.of(study).digest != plan.digest
    tables = Study(kind=POUR, throws=1, factors={"scene": ("piggles_modern", "piggy_six")})
    scenes = [load_scene(name) for name in ("piggles_modern", "piggy_six")]
    setups = StudyPlan.of(tables).setups
    assert [setup.scene.sha256 for setup in setups] == [scene.sha256 for scene in scenes]
    assert [len(setup.models) for setup in setups] == [scene.capacity for scene in scenes]
    with pytest.raises(SpecError, match="scene is set, and is a factor too; leave one out"):
        Study(kind=POUR, throws=1, scene="piggyback", factors={"scene": ("piggles_modern",)})
    with pytest.raises(SpecError, match="unknown factor 'scene' of a knock"):
        Study(kind=KNOCK, throws=1, factors={"scene": ("piggles_modern", "piggles_classic")})


def test_a_name_of_several_factors_suggests_these_and_not_those_of_like_spelling():
    with pytest.raises(SpecError, match=r"use throw_spread or spin_spread_rad_s$"):
        factor(ThrowKind.ROLL, "spread")


@pytest.mark.parametrize(
    "study",
    [
        Study(kind=POUR, throws=3, factors={"scene": ("piggles_modern", "piggy_six")}),
        Study(throws=7, factors={"restitution": (0.5,), "friction": (0.4, 0.2)}),
        Study(kind=POUR, models=("piggle", "piggle,premium"), throws=3, factors={"number": (1, 2)}),
        Study(half_width=0.01, level=0.9, max_throws=5000),
    ],
)
def test_a_definition_reads_back(study):
    again = Study.from_definition(json.loads(study.to_json()))
    assert (again, again.cells()) == (study, study.cells())


def digest(**words):
    return StudyPlan.of(Study(**{"throws": 10, **words})).digest


def test_the_digest_depends_on_everything_that_decides_the_bits(floor):
    assert digest() == digest()
    friction, restitution = (0.2, 0.4), (0.1, 0.2)
    others = [
        digest(),
        digest(seed=2),
        digest(throws=11),
        digest(models=("premium",)),
        digest(scene=floor),
        digest(engine="mujoco"),
        digest(shard_size=500),
        digest(factors={"friction": friction}),
        digest(factors={"friction": friction[::-1]}),
        digest(factors={"friction": friction, "restitution": restitution}),
        digest(factors={"restitution": restitution, "friction": friction}),
        digest(kind=POUR),
        digest(kind=KNOCK),
    ]
    assert len(set(others)) == len(others)


def test_laws_that_the_engine_does_not_know_are_refused_before_the_first_throw(floor, tmp_path):
    file = tmp_path / "floor.toml"
    surface = "[surfaces.plastic]\n"
    file.write_text(Path(floor).read_text().replace(surface, f"{surface}impact_stages = 8\n"))
    assert digest(scene=str(file), engine="impulse")
    with pytest.raises(SpecError, match=r"engine mujoco does not support.*--engine impulse"):
        digest(scene=str(file), engine="mujoco")


def setup(kind=DROP, model="piggle", **levels):
    factors = {name: (level,) for name, level in levels.items()}
    plan = StudyPlan.of(Study(kind=kind, models=(model,), throws=1, factors=factors))
    return plan.setups[0], plan


def test_each_factor_of_a_drop_changes_its_own_number():
    found, _ = setup(friction=0.7, restitution=0.2, rolling_lever_mm=2, spinning_lever_mm=1)
    assert (found.surface.contact.friction, found.surface.contact.restitution) == (0.7, 0.2)
    assert (found.surface.rolling_lever, found.surface.spinning_lever) == (0.002, 0.001)
    found, _ = setup(height_mm=80, drift_spread_m_s=0.5, spin_spread_rad_s=3, time_step_ms=1)
    fall = found.floor.fall
    assert (fall.height, fall.drift_spread, fall.spin_spread) == (0.08, 0.5, 3.0)
    assert found.floor.stepping.time_step == 0.001
    found, _ = setup(material="steel")
    assert found.surface == found.floor.surfaces["steel"]


def test_each_factor_of_a_pour_changes_its_own_number():
    found, _ = setup(POUR, friction=0.7, restitution=0.2, rolling_lever_mm=2, board_friction=0.5)
    contacts = found.scene.contacts
    frictions = (contacts.board.friction, contacts.piggle.friction, contacts.cup.friction)
    assert frictions == (0.5, 0.7, 0.7)
    assert (contacts.cup.restitution, contacts.rolling_lever) == (0.2, 0.002)
    found, _ = setup(POUR, shake_s=1, tip_s=0.5, lip_height_in=3, end_back_in=2, number=4)
    hand = found.scene.hand
    assert (hand.shake_time, hand.tip_time, hand.lip_height) == (1.0, 0.5, 3 * INCH)
    # The cup travels as far from a place further forward.
    assert hand.start_back - hand.end_back == pytest.approx(1.5 * INCH)
    assert found.models == ("piggle",) * 4
    plan = setup(POUR, "piggle,d6", number=2)[1]
    assert [body.model for body in plan.cell_bodies(0)] == ["piggle", "d6"]


def test_a_ballast_of_another_weight_is_another_body():
    light, heavy = (
        setup(model="premium", ballast_g=grams)[1].cell_bodies(0)[0] for grams in (1.0, 2.0)
    )
    assert heavy.mass.mass - light.mass.mass == pytest.approx(1e-3)
    # The ballast is in the back, and moves the centre there.
    assert heavy.mass.centre[2] < light.mass.centre[2]
    assert heavy.sha256 != light.sha256


FAULTS = [
    ({"factors": {"friction": (-1,)}}, r"level -1 of friction .*above 0 and up to 5"),
    ({"factors": {"weather": (1,)}}, r"'weather'.*height_mm \[mm\]"),
    ({"factors": {"height_mm": (float("nan"),)}}, "height_mm"),
    ({"factors": {"friction": (True,)}}, "friction"),
    ({"factors": {"friction": (0.2, 0.2)}}, "equal levels"),
    ({"factors": {"friction": ()}}, "no levels"),
    ({"factors": {"material": ("wood",)}}, "plastic, printed, steel"),
    ({"factors": {"material": (5,)}}, "material"),
    ({"factors": {"ballast_g": (1,)}}, "premium"),
    ({"kind": POUR, "factors": {"number": (7,)}}, "number = 6"),
    ({"kind": POUR, "factors": {"number": (1.5,)}}, "a whole number"),
    ({"kind": POUR, "factors": {"lip_height_in": (1,)}}, "R9"),
    ({"kind": KNOCK, "factors": {"standing": (7,)}}, "standing = 6"),
    ({"models": ()}, "--model piggle"),
    ({"models": ("d6", "piggle"), "factors": {"model": ("d6",)}}, "both set"),
    ({"models": ("premium",), "factors": {"model": ("d6",)}}, "both set"),
    ({"models": ("premium",), "factors": {"model": ("premium", "d6")}}, "both set"),
    ({"seed": -1}, "--seed 1"),
    ({"throws": 0}, "no number of throws"),
    ({"throws": 10**13}, "throws 10000000000000"),
    ({"shard_size": 2_000_000}, "shard_size 2,000,000"),
    ({"shard_size": 300}, "multiples of 250"),
    ({"throws": 10**12, "shard_size": 250}, "shards 4000000000"),
    ({"factors": {"friction": tuple(k / 1e4 for k in range(1, 200)),
                  "restitution": tuple(k / 1e4 for k in range(200))}}, "cells"),
    *(({"throws": 0, "half_width": 0.1, **words}, next(reversed(words))) for words in (
        {"half_width": 0.7}, {"level": 1.0}, {"level": 1.0 - 2**-53}, {"max_throws": -1},
        {"max_throws": 10**13})),
    ({"level": 0.9}, "level without half_width"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "problem"), FAULTS, ids=range(len(FAULTS)))
def test_invalid_studies_are_refused_in_one_line(words, problem):
    with pytest.raises(SpecError, match=problem):
        StudyPlan.of(Study(**{"throws": 10, **words}))


EVERY_KEY = """
kind = "pour"
models = ["piggle", "premium"]
scene = "piggles_classic"
engine = "bullet"
seed = 5
shard_size = 250
throws = 20000
floors = "printed"
[factors]
friction = [0.2, 0.4]
number = [1, 3, 6]
"""
WIDTH = "half_width = 0.002\nlevel = 0.95\nmax_throws = 1000000\n"


def test_a_study_file_with_every_key_is_read():
    study = Study.from_definition(tomllib.loads(EVERY_KEY))
    assert (study.cell_count, study.floors) == (2 * 2 * 3, "printed")
    # No number of throws reaches a width on floors of a fit.
    bare = re.sub(r"(?m)^(throws|floors).*$", "", EVERY_KEY)
    table = tomllib.loads(WIDTH + bare)
    study = Study.from_definition(table)
    assert (study.half_width, study.level, study.max_throws) == (0.002, 0.95, 1_000_000)
    assert study.expected_throws == 240_092
    assert table.keys() >= study.definition().keys()


TABLES = [
    ('kind = "dorp"', "change kind"),
    ("throws = 0", "throws"),
    ("throws = 2.5", "throws"),
    ('models = "piggle"', "models"),
    ("[factors]\nfriction = 0.2", r"factors\.friction"),
    ("kind =", "Invalid value"),
]


@pytest.mark.parametrize(("text", "problem"), TABLES, ids=range(len(TABLES)))
def test_an_invalid_study_file_is_refused_in_one_line(tmp_path, text, problem):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(SpecError, match=problem):
        Study.from_definition(read_table(path), source=path.name)


def with_factors(kind, factors):
    return Study.from_definition({"kind": kind, "throws": 10, "factors": factors})


@pytest.mark.parametrize(
    ("kind", "asked", "stored"),
    [
        ("drop", {"height": ["2in", "50mm"]}, {"height_mm": (50.8, 50.0)}),
        ("drop", {"height_mm": [50, "10 cm"]}, {"height_mm": (50.0, 100.0)}),
        ("pour", {"height": ["4in", "10cm"]}, {"lip_height_in": (4.0, 3.93700787401575)}),
        ("pour", {"heading_spread": ["0.1rad"]}, {"heading_spread_deg": (5.72957795130823,)}),
    ],
)
def test_levels_may_have_their_own_unit(kind, asked, stored):
    assert dict(with_factors(kind, asked).factors) == stored


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({"height": [2, 4]}, "level 2 of height has no unit; use height=2mm"),
        ({"height": ["2s"]}, r"level 2s of height_mm \[mm\].*units are in, mm, cm"),
        ({"height": ["2in"], "height_mm": [3]}, "height_mm is set twice"),
        ({"spread": ["2"]}, "drift_spread_m_s or spin_spread_rad_s"),
    ],
)
def test_levels_without_a_clear_unit_are_refused(factors, said):
    with pytest.raises(SpecError, match=said):
        with_factors("drop", factors)


def test_a_table_with_models_and_the_factor_model_is_refused():
    table = {"throws": 4, "models": ["piggle"], "factors": {"model": ["premium"]}}
    with pytest.raises(SpecError, match="models and the factor model are both set; leave one out"):
        Study.from_definition(table)
    del table["models"]
    assert Study.from_definition(table).models == ("premium",)


def test_a_level_that_is_neither_number_nor_text_is_refused_by_its_place():
    match = r"invalid factors.friction.0 True in the study \(expected a number, or text in quotes\)"
    with pytest.raises(SpecError, match=f"{match}; change factors.friction.0$"):
        Study.from_definition({"throws": 4, "factors": {"friction": [True, 0.4]}})


@pytest.mark.parametrize(
    ("axis", "numbers"),
    [("z", (0.0, 0.0, 1.0)), ("-y", (0.0, -1.0, 0.0)), ("1:2:0", (1.0, 2.0, 0.0))],
)
def test_the_axis_of_a_flip_is_a_letter_or_three_numbers(axis, numbers):
    flip = release_of(ThrowKind.FLIP, load_floor("tabletop"), {"axis": axis})
    assert flip.axis == numbers


def test_two_numbers_are_no_axis():
    with pytest.raises(SpecError, match="invalid axis '1:2' of a flip"):
        release_of(ThrowKind.FLIP, load_floor("tabletop"), {"axis": "1:2"})
