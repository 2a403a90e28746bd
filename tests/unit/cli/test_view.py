"""The verbs that open a window, as far as they go without one."""

import json
import shlex

import numpy as np
import pytest

import pigglesim
from pigglesim.data_files import scene_file
from pigglesim.match.record import read_record
from tests.support.front_door import run_here
from tests.support.hands import HELD, shaken


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    file = tmp_path_factory.mktemp("records") / "m.jsonl"
    done = run_here("match", "--seed", "3", "--rule", "rounds=1", "--no-boards", "--out", file)
    assert done.exit_code == 0, done.output
    return file


def seen(*words):
    done = run_here("view", *words, "--viewer", "null", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["seen"]


def test_fresh_rolls_are_those_of_the_seed():
    texts = seen("--seed", "7", "--rolls", "2", "--piggles", "2")
    rolled = json.loads(run_here("roll", "2", "--seed", "7", "--json").stdout)
    poses = {"up": "▲ up", "down": "▼ down", "head": "◆ head"}
    for die in rolled["dice"]:
        line = next(text for text in texts if text.startswith(f"{die['id']} "))
        assert line.startswith(f"{die['id']} {poses[die['orientation']]}")
    assert [text for text in texts if text.startswith("seed 7, roll")] == [
        "seed 7, roll 1 of 2",
        "seed 7, roll 2 of 2",
    ]


@pytest.fixture
def own_scene(tmp_path):
    """A scene file whose id and whose path have to be quoted."""
    text = scene_file("piggles_classic").read_text()
    file = tmp_path / "my scene.toml"
    file.write_text(text.replace('id = "piggles_classic"', 'id = "my table"'))
    return file


@pytest.mark.parametrize("own", [False, True])
def test_a_path_of_the_hand_at_the_window_is_thrown_again_by_a_roll(monkeypatch, own_scene, own):
    samples, clips = shaken(np.random.default_rng(1), parked=HELD), []

    def watch(films, *_, **__):
        while films.busy() or not films.has_cup:
            films.clips(2)
        films.pour(samples)
        clips.extend(films.clips(0))
        return []

    monkeypatch.setattr("pigglesim.cli.film.watch", watch)
    table = ["--scene", str(own_scene)] if own else []
    done = run_here("view", "--seed", "7", "--piggles", "3", "--engine", "impulse", *table)
    again = shlex.split(done.stderr.partition("to throw it again: pigglesim ")[2])
    start = again[again.index("--start") + 1]
    thrown = pigglesim.roll(3, engine="impulse", start=start, **{"scene": own_scene} if own else {})
    assert dict(clips[-1].film.readings) == thrown.landings
    assert clips[-1].film.frames.times[-1] == thrown.film.frames.times[-1]
    document = json.loads(run_here(*again, "--json").stdout)
    assert document["scene"] == ("my table" if own else "piggles_classic")
    # The fresh roll before it is made again by its own command, at the same table.
    fresh = shlex.split(clips[0].film.origin["command"])
    assert ("--scene" in fresh, fresh[:2]) == (own, ["pigglesim", "view"])
    assert {*table, "--engine", "impulse"} <= {*fresh}


def test_the_rolls_of_a_record_come_in_order_with_the_score(record):
    texts = seen(record)
    match = read_record(record)
    titles = [text for text in texts if " rolls " in text and text[0] in "AB"]
    asked = [f"{outcome.thrower}" for outcome in match.outcomes]
    assert [title[0] for title in titles] == asked
    points = [str(match.footer.scores[seat]) for seat in sorted(match.footer.scores)]
    last = len(texts) - texts[::-1].index("Points") - 1
    assert texts[last + 1 : last + 3] == points
    assert any("wins" in text or "drawn" in text for text in texts)


def test_throws_of_a_study_are_watched_one_a_shard(tmp_path):
    folder = tmp_path / "s"
    words = ("--kind", "pour", "--throws", "2", "--factor", "number=1,2", "--shard-size", "1")
    done = run_here(
        "study", *words, "--seed", "3", "--out", folder, "--no-report", "--quiet", "--workers", "1"
    )
    assert done.exit_code == 0, done.output
    texts = run_here("study", "watch", folder, "--viewer", "null").stdout.splitlines()
    titles = [text for text in texts if text.startswith("Throw ")]
    assert titles == [f"Throw {n}: number {1 + n % 2}" for n in range(4)]
