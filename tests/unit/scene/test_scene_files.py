"""A scene at fault is refused in one line that tells the remedy."""

import pytest

from pigglesim.data_files import scene_file
from pigglesim.errors import SpecError
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import INCH

TEXT = scene_file("piggles_classic").read_text()


def load_with(tmp_path, old, new):
    assert old in TEXT
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace(old, new))
    return load_scene(str(path))


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
        ("inner_in = 8.0", "inner_in = nan", r"board\.inner_in .*finite"),
        ("woods_in = 1.5", "woods_in = -1.5", r"board\.woods_in: must be 1e-06 or more"),
        ("lane_in = 1.0", "lane_in = 6.0", r"make lane_in or line_mm smaller"),
        ("depth_mm = 90.0", "depth_mm = inf", r"cup\.depth_mm .*finite"),
        ("depth_mm = 90.0", "depht_mm = 90.0", r"cup\.depth_mm: missing; cup\.depht_mm: unknown"),
        ("inner_radius_mm = 35.0", "inner_radius_mm = 900.0", r"change inner_radius_mm"),
        ("tip_deg = 130.0", "tip_deg = 60.0", r"hand\.tip_deg"),
        ("time_step_ms = 2.0", "time_step_ms = 20.0", r"use time_step_ms = 2"),
        ("iterations = 10", "iterations = 0", r"use iterations = 10"),
        ('title = "Piggles Classic"', "title = 3", r"title: must be a text in quotes .got 3."),
        ("[board]", "[board", r"a scene file in TOML.*mend that line"),
        ("[teams]\n", "[teams]\nC = ['piggle']\n", r"teams\.C"),
    ],
)
def test_a_fault_is_named_with_its_remedy(tmp_path, old, new, message):
    with pytest.raises(SpecError, match=message) as caught:
        load_with(tmp_path, old, new)
    assert "\n" not in str(caught.value)


def test_an_unknown_scene_is_told_the_nearest():
    with pytest.raises(SpecError, match="use piggles_classic"):
        load_scene("piggles_clasic")
