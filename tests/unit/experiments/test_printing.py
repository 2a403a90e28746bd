"""Bodies to print, and sealed predictions: as heavy as the model, scored, and safe from change."""

import io
import json
import shutil
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from pigglesim.bodies.load import BallastSpec
from pigglesim.bodies.variant import ModelSource, read_source
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import DropTally, read_die
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.printing import (
    CLEARANCE,
    PREDICTION_FILE,
    SealedPrediction,
    predicted_floor,
    print_body,
    read_prediction,
    sealed_score,
    stl_bytes,
    threemf_bytes,
)


def with_ballast(centre, radius=3.0, **form):
    """Return a d6 of 16 mm with ballast."""
    source = read_source("d6")
    ballast = BallastSpec(density_kg_m3=7850.0, centre_mm=centre, radius_mm=radius, **form)
    spec = source.spec.model_copy(update={"ballast": ballast})
    return ModelSource(spec=spec, texts=source.texts, body=source.body)


BALL = {"form": "ball"}
CYLINDER = {"form": "cylinder", "length_mm": 4.0, "axis": (1.0, 1.0, 0.0)}


@pytest.mark.parametrize("form", [BALL, CYLINDER])
def test_a_print_is_watertight_and_as_heavy_as_its_model(form):
    made = print_body(with_ballast((1.0, 0.0, 2.0), **form), size=32.0, name="x")
    solid = trimesh.load(io.BytesIO(stl_bytes(made.surface)), file_type="stl")
    assert solid.is_watertight
    assert solid.is_winding_consistent
    assert np.ptp(solid.vertices, axis=0) == pytest.approx([32.0] * 3, abs=1e-4)
    # Twice as large: eight times the ballast.
    ball = 4 / 3 * np.pi * 6.0**3 if form is BALL else np.pi * 6.0**2 * 8.0
    assert made.ballast_g == pytest.approx(ball * 7.85e-3, rel=1e-6)
    outer = made.body.skin
    skin = trimesh.Trimesh(outer.vertices * 1e3, outer.faces, process=False).volume
    grown = ball * (1 + CLEARANCE / 6.0) ** 3
    assert ball < skin - solid.volume < 1.05 * grown
    # The gap around the ballast is all that the print weighs less.
    gap = (skin - solid.volume - ball) * 1.1e-3
    assert made.plastic_g + made.ballast_g + gap == pytest.approx(made.body.mass.mass * 1e3)
    assert gap < 0.01 * made.body.mass.mass * 1e3


def test_a_larger_print_has_its_centre_of_mass_at_the_same_place():
    small, large = (
        print_body(with_ballast((1.03, 0.0, 2.01), **BALL), size=size, name="x").body
        for size in (16.0, 24.0)
    )
    assert large.mass.centre == pytest.approx(1.5 * small.mass.centre, abs=1e-7)
    assert np.abs(small.mass.centre).max() > 1e-4


def test_a_pocket_has_room_for_its_ball():
    made = print_body(with_ballast((1.0, 0.0, 2.0), **BALL), size=32.0, name="x")
    inside = made.surface.faces[len(made.body.skin.faces) :]
    a, b, c = np.moveaxis(made.surface.vertices[inside] - np.array([2.0, 0.0, 4.0]), 1, 0)
    normals = np.cross(b - a, c - a)
    distances = np.abs(np.einsum("ij,ij->i", a, normals)) / np.linalg.norm(normals, axis=1)
    assert distances.min() == pytest.approx(6.0 + CLEARANCE, abs=1e-3)
    # From the ball to the top face: 16 - 4 - 6.1 mm, and less than the pocket's corners stand out.
    assert made.wall == pytest.approx(5.9, abs=0.15)


def test_the_3mf_is_the_same_surface():
    made = print_body(with_ballast((1.0, 0.0, 2.0), **BALL), size=32.0, name="x")
    data = threemf_bytes(made.surface)
    assert data == threemf_bytes(made.surface)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["[Content_Types].xml", "_rels/.rels", "3D/3dmodel.model"]
        model = ET.fromstring(archive.read("3D/3dmodel.model"))
    space = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"
    assert model.get("unit") == "millimeter"
    points = np.array(
        [[float(each.get(at)) for at in "xyz"] for each in model.iter(f"{space}vertex")]
    )
    faces = [
        [int(each.get(f"v{at}")) for at in (1, 2, 3)] for each in model.iter(f"{space}triangle")
    ]
    assert points == pytest.approx(made.surface.vertices, abs=1e-5)
    assert np.array_equal(faces, made.surface.faces)


@pytest.mark.parametrize("size", [3.0, 400.0, float("nan")])
def test_a_size_that_no_printer_makes(size):
    with pytest.raises(SpecError, match=r"expected 15 to 200 mm\); use --size 40mm"):
        print_body(read_source("d6"), size=size, name="x")


def test_ballast_that_pokes_out_or_leaves_no_wall():
    with pytest.raises(SpecError, match=r"of the ballast's surface is outside"):
        print_body(with_ballast((6.0, 0.0, 0.0), **BALL), size=32.0, name="x")
    thin = with_ballast((4.5, 0.0, 0.0), **BALL)
    with pytest.raises(SpecError, match=r"0\.\d+ mm thick .*at least 0.8 mm\); use --size \d+mm"):
        print_body(thin, size=20.0, name="x")
    assert print_body(thin, size=32.0, name="x").wall > 0.8


def test_a_skin_that_is_a_sheet_is_refused(tmp_path):
    box = trimesh.creation.box([20.0, 20.0, 0.5])
    box.export(tmp_path / "model.obj")
    faces = "".join(
        f'[[numbers]]\nname = "{name}"\nup = [0.0, 0.0, {up}]\n'
        for name, up in (("heads", 1.0), ("tails", -1.0))
    )
    text = 'id = "sheet"\nname = "Sheet"\nmesh = "model.obj"\ndensity_kg_m3 = 1100.0\n'
    (tmp_path / "model.toml").write_text(text + faces)
    with pytest.raises(SpecError, match=r"\d+% of the skin of sheet is thinner than 0.8 mm"):
        print_body(read_source(str(tmp_path)), size=20.0, name="x")
    assert print_body(read_source(str(tmp_path)), size=60.0, name="x").wall is None


MODELS = Path("models")
DIE = """
name = "my d6"
model = "d6.toml"
outcome = [
  {{ label = "low", count = {low}, down = [[0, 0, -1], [0, -1, 0], [-1, 0, 0]] }},
  {{ label = "high", count = {high}, down = [[0, 0, 1], [0, 1, 0], [1, 0, 0]] }},
]
"""


def folder_with(folder, low, high, **changes):
    """Return a die of a sealed prediction: 600 of 1,000 drops ended low."""
    for name in ("d6.toml", "d6.obj", "d6.mtl"):
        shutil.copy(MODELS / name, folder / name)
    (folder / "die.toml").write_text(DIE.format(low=low, high=high))
    die = read_die(folder / "die.toml")
    tally = DropTally(counts=(600, 400, 0), endings=(1000, 0, 0))
    prediction = SealedPrediction(
        pigglesim="0.1.0", engine="impulse", engine_version="1", seed=1, date="2026-11-23",
        model="d6", model_sha256=die.body.sha256, mass_g=4.5, size_mm=(16.0, 16.0, 16.0),
        floors=(predicted_floor(Floors.of("tabletop"), ["low", "high"], [tally]),),
    )  # fmt: skip
    (folder / PREDICTION_FILE).write_text(replace(prediction, **changes).text())
    return die


def test_counts_are_scored_against_the_sealed_shares(tmp_path):
    right = sealed_score(folder_with(tmp_path, 60, 40), "tabletop", seed=1)
    assert right.score.tv == pytest.approx(0.0, abs=1e-4)
    assert right.score.p > 0.9
    wrong = sealed_score(folder_with(tmp_path, 30, 70), "tabletop", seed=1)
    assert wrong.score.tv == pytest.approx(0.3, abs=1e-3)
    assert wrong.score.p < 1e-6


def test_a_prediction_over_a_fit_is_scored_with_what_is_not_known():
    """Floors of shares .5 and .7 alike: counts of .6 to within the law and the floors."""
    fit = Floors.of("printed")
    known = fit.known
    pair = [floor.model_copy(update={"weight": 0.5}) for floor in known.floors[:2]]
    floors = replace(fit, known=known.model_copy(update={"floors": tuple(pair)}))
    tallies = [DropTally(counts=(n, 1000 - n, 0), endings=(1000, 0, 0)) for n in (500, 700)]
    predicted = predicted_floor(floors, ["low", "high"], tallies, mesh={"low": 0.3})
    low, high = predicted.outcomes
    assert (low.value, low.hits, predicted.drops) == (pytest.approx(0.6), 1200, 2000)
    # Two floors .1 from their mean: a variance of .02, less that of counting 1,000 drops.
    assert low.floors == pytest.approx(np.sqrt(0.02 - 0.00023), rel=0.01)
    assert low.law == pytest.approx(np.sqrt(0.24 / known.model_throws))
    assert low.counting == pytest.approx(np.sqrt(0.24 / 2000))
    assert 1.0 / predicted.worth == pytest.approx(
        (high.floors**2 + high.law**2 + high.counting**2) / 0.24
    )
    # The error of the mesh, of this label alone, makes its interval wider.
    assert (low.mesh, high.mesh) == (0.3, 0.0)
    assert low.high - low.low > 1.3 * (high.high - high.low)


def test_a_prediction_reads_back_as_it_was_sealed(tmp_path):
    folder_with(tmp_path, 60, 40)
    prediction = read_prediction(tmp_path / PREDICTION_FILE)
    assert prediction.text() == (tmp_path / PREDICTION_FILE).read_text()
    (floor,) = prediction.floors
    low, high = floor.outcomes
    assert (low.value, high.value) == (0.6, 0.4)
    assert low.low < 0.6 < low.high


@pytest.mark.parametrize(
    "change",
    [("0.6", "0.61"), ('"seed": 1', '"seed": 2'), ("2026-11-23", "2026-11-24"), ("low", "Low")],
)
def test_every_change_breaks_the_seal(tmp_path, change):
    die = folder_with(tmp_path, 60, 40)
    file = tmp_path / PREDICTION_FILE
    text = file.read_text()
    file.write_text(text.replace(*change, 1))
    assert file.read_text() != text
    with pytest.raises(RecordError, match=r"changed after it was sealed.*expected.*; restore"):
        sealed_score(die, "tabletop", seed=1)


def test_a_prediction_for_another_body_floor_or_outcome_is_refused(tmp_path):
    other = folder_with(tmp_path, 60, 40, model_sha256="0" * 64)
    with pytest.raises(RecordError, match="another body"):
        sealed_score(other, "tabletop", seed=1)
    die = folder_with(tmp_path, 60, 40)
    with pytest.raises(SpecError, match=r"nothing for the floor 'felt' .*; use --floor tabletop"):
        sealed_score(die, "felt", seed=1)
    text = (tmp_path / "die.toml").read_text()
    (tmp_path / "die.toml").write_text(text.replace('"low"', '"few"'))
    with pytest.raises(RecordError, match=r"outcomes few, high \(expected low, high\)"):
        sealed_score(read_die(tmp_path / "die.toml"), "tabletop", seed=1)


@pytest.mark.parametrize("content", ["[]", "{}", json.dumps({"sha256": 3})])
def test_a_file_without_a_seal_is_no_prediction(tmp_path, content):
    (tmp_path / PREDICTION_FILE).write_text(content)
    with pytest.raises(RecordError, match="has no seal"):
        read_prediction(tmp_path / PREDICTION_FILE)


def test_a_sealed_prediction_of_another_format_is_refused(tmp_path):
    folder_with(tmp_path, 60, 40, format=2)
    with pytest.raises(RecordError, match=r"format: must be 1.*expected a prediction of format 1"):
        read_prediction(tmp_path / PREDICTION_FILE)


def test_a_model_in_another_folder_is_refused(tmp_path):
    (tmp_path / "die.toml").write_text(DIE.format(low=1, high=1).replace("d6.toml", "../d6.toml"))
    with pytest.raises(SpecError, match=r"\.\./d6\.toml"):
        read_die(tmp_path / "die.toml")
