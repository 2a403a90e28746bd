"""Sealed predictions: what a change of them is answered with, and how counts are scored."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import DropTally, read_die
from pigglesim.experiments.printing import (
    PREDICTION_FILE,
    Prediction,
    predicted_floor,
    read_prediction,
    sealed_score,
)
from pigglesim.scene.load import load_floor

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
    prediction = Prediction(
        pigglesim="0.1.0", engine="impulse", engine_version="1", seed=1, date="2026-11-23",
        model="d6", model_sha256=die.body.sha256, mass_g=4.5, size_mm=(16.0, 16.0, 16.0),
        floors=(predicted_floor(load_floor("tabletop"), ["low", "high"], tally),),
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


def test_a_tally_that_nobody_filled_in(tmp_path):
    with pytest.raises(SpecError, match="no throw was counted: fill in the counts"):
        folder_with(tmp_path, 0, 0)


def test_a_model_in_another_folder_is_refused(tmp_path):
    (tmp_path / "die.toml").write_text(DIE.format(low=1, high=1).replace("d6.toml", "../d6.toml"))
    with pytest.raises(SpecError, match=r"\.\./d6\.toml"):
        read_die(tmp_path / "die.toml")
