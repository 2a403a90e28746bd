"""One roll in Python: the command line's own, bit for bit, and every file that it can become."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageSequence

import pigglesim
from pigglesim.api.roll_files import KINDS
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import ReadingRules, Zone
from tests.support.front_door import run_here


@pytest.fixture(scope="module")
def two():
    return pigglesim.roll(2, seed=7)


def test_it_is_the_roll_of_the_command_line(two):
    document = json.loads(run_here("roll", 2, "--seed", 7, "--json").stdout)
    assert json.loads(two.to_json()) == document
    assert two.points == {die["id"]: die["points"] for die in document["dice"]}
    assert two.models == {die["id"]: die["model"] for die in document["dice"]}


def test_a_roll_goes_onto_another_and_onto_one_of_a_file(two, tmp_path):
    file = two.save(tmp_path / "two.json")
    onto, again = (pigglesim.roll(1, seed=8, seat="B", onto=each) for each in (two, str(file)))
    assert again.document() == onto.document()
    lying = [name for name, at in two.landings.items() if at.zone is not Zone.OFF]
    assert list(onto.landings) == ["B1", *lying]
    unmoved = set(lying) - {knock.struck for knock in onto.knocks}
    assert all(onto.landings[name].zone == two.landings[name].zone for name in unmoved)
    with pytest.raises(SpecError, match=r"A1 in the cup and on the board.*--seat B"):
        pigglesim.roll(1, seed=8, onto=two)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"copies": 0}, r"invalid copies 0 \(expected 1 to 100,000\); use copies=1"),
        ({"copies": -3}, "invalid copies -3"),
        ({"copies": 10**9}, "invalid copies 1000000000"),
        ({"copies": 1.5}, r"invalid copies 1.5 of decided\(\) \(expected int"),
        ({"hand_error": -1.0}, r"invalid hand_error -1.0 \(expected 0 to 20\); use hand_error=0"),
        ({"hand_error": float("nan")}, "invalid hand_error nan"),
        ({"hand_error": 21}, "invalid hand_error 21"),
        ({"copy": 3}, "unknown keyword 'copy'; use copies"),
    ],
)
def test_what_no_look_can_have_is_one_line(two, words, problem):
    with pytest.raises(PigglesimError, match=problem):
        two.decided(**words)


def test_copies_of_another_engines_roll_are_refused(two):
    other = replace(two, provenance={**two.provenance, "engine": "bullet"})
    with pytest.raises(SpecError, match=r"engine bullet rolled, and .*; use --engine impulse"):
        other.decided()


def test_the_seed_may_be_drawn_from_a_stream():
    drawn = [pigglesim.roll(1, seed=rng).seed for rng in map(np.random.default_rng, (5, 5, 6))]
    assert drawn[0] == drawn[1] != drawn[2]


def test_rolls_of_one_seed_differ_by_their_number(two):
    again, other = (pigglesim.roll(2, seed=7, number=number) for number in (0, 1))
    assert again.document() == two.document()
    assert other.document()["dice"] != two.document()["dice"]
    assert other.film.origin["roll"] == 1


def test_it_becomes_every_file_that_needs_no_picture_drawn(two, tmp_path):
    starts = {".film": b"", ".html": b"<!doctype html>", ".glb": b"glTF", ".svg": b"<svg"}
    for kind, start in starts.items():
        path = two.save(tmp_path / f"roll{kind}")
        assert path.read_bytes().startswith(start)
        assert path.stat().st_size > 1000
    assert json.loads(two.save(tmp_path / "roll.json").read_text()) == two.document()
    kept = pigglesim.read_film(str(tmp_path / "roll.film"))
    assert kept.frames.count == two.film.frames.count
    assert kept.readings == two.film.readings
    assert set(starts) < set(KINDS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"seat": "C"}, "seat 'C'"),
        ({"number": -1}, "-1"),
        ({"scene": "piggy_six"}, "piggy_six"),
        ({"house_rules": {"line_rle": "com"}}, "line_rule"),
    ],
)
def test_the_impossible_is_refused_in_one_line(words, message):
    with pytest.raises(pigglesim.PigglesimError) as fault:
        pigglesim.roll(**words)
    assert message in str(fault.value)


def test_the_cup_is_held_as_by_the_flags():
    flags = ["--height", 5, "--across", 1, "--back", 3]
    document = json.loads(run_here("roll", 1, "--seed", 7, *flags, "--json").stdout)
    rolled = pigglesim.roll(1, seed=7, height=5, across=1, back=3)
    assert json.loads(rolled.to_json()) == document
    assert rolled.request.hold.height == pytest.approx(5 * 0.0254)
    with pytest.raises(SpecError, match="leave hold out"):
        pigglesim.roll(1, seed=7, height=5, hold=rolled.request.hold)


@pytest.mark.usefixtures("graphics")
def test_pictures_and_videos_have_the_requested_size_time_and_length(two, tmp_path):
    look = {"size": (160, 90), "camera": "low"}
    with Image.open(two.save(tmp_path / "a.png", **look, at=0.2)) as picture:
        assert picture.size == (160, 90)
        early = np.asarray(picture)
    with Image.open(two.film.save(tmp_path / "b.png", **look)) as picture:
        assert (np.asarray(picture) != early).any()
    counts = []
    for slow in (1, 3):
        file = two.film.save(tmp_path / "v.gif", size="64x48", fps=10, slow_motion=slow)
        with Image.open(file) as video:
            counts.append(sum(1 for _ in ImageSequence.Iterator(video)))
            assert video.size == (64, 48)
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    ("file", "words", "message"),
    [
        ("a.html", {"size": "64x64"}, "leave size out"),
        ("a.png", {"fps": 25}, "leave fps out"),
        ("a.mp4", {"at": 0.5}, "leave at out"),
        ("a.png", {"at": 99}, "99"),
        ("a.png", {"at": float("nan")}, "nan"),
        ("a.png", {"size": "huge"}, "huge"),
        ("a.png", {"camera": (1, 2)}, "azimuth, elevation and distance"),
        ("a.jsn", {}, r"'a\.jsn'"),
    ],
)
def test_what_a_file_cannot_show_is_refused_in_one_line(two, tmp_path, file, words, message):
    with pytest.raises(SpecError, match=message):
        two.save(tmp_path / file, **words)
    with pytest.raises(SpecError):
        two.film.save(tmp_path / file, **words)
    assert list(tmp_path.iterdir()) == []


def test_a_roll_without_house_rules_is_read_by_the_defaults_of_the_game():
    # A roll takes these without loading the game.
    assert PigglesRules().reading() == ReadingRules()
