"""The verbs that open a window, as far as they go without one."""

import json

import pytest

from pigglesim.errors import PigglesimError
from pigglesim.match.record import read_record
from tests.front_door import run_here


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
        told = next(text for text in texts if text.startswith(f"{die['id']} "))
        assert told.startswith(f"{die['id']} {poses[die['orientation']]}")
    assert [text for text in texts if text.startswith("seed 7, roll")] == [
        "seed 7, roll 0",
        "seed 7, roll 1",
    ]


def test_a_film_shows_what_its_roll_told(tmp_path):
    film = tmp_path / "r.film"
    assert run_here("roll", "2", "--seed", "7", "--film", film).exit_code == 0
    from_film = {text for text in seen(film) if text.startswith("A")}
    fresh = {text for text in seen("--seed", "7", "--piggles", "2") if text.startswith("A")}
    assert {text for text in from_film if " · " in text} == {
        text for text in fresh if " · " in text
    }


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


def test_a_match_may_be_entered_at_any_roll(record):
    texts = seen(record, "--from-roll", "1")
    assert sum(" rolls " in text and text[0] in "AB" for text in texts) == (
        len(read_record(record).outcomes) - 1
    )


def test_kept_films_are_shown_without_physics(record, tmp_path):
    copy = tmp_path / "kept.jsonl"
    copy.write_bytes(record.read_bytes())
    assert run_here("replay", copy, "--film", "--json").exit_code == 0
    assert seen(copy) == seen(record)


@pytest.fixture
def blind(monkeypatch, tmp_path):
    """A machine without a display, in a folder of its own."""
    monkeypatch.setenv("DISPLAY", "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--piggles", "7"], "1 to 6 Piggles"),
        (["--seat", "C"], "seat A or B"),
        (["--camera", "moon"], "a known camera"),
        (["--viewer", "mirror"], "a known viewer"),
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["nowhere.film"], "nowhere.film"),
        (["--json"], "--viewer null"),
        ([], "a display to open a window on"),
    ],
)
def test_bad_input_is_told(words, fault, blind):
    with pytest.raises(PigglesimError, match=fault):
        run_here("view", "--seed", "1", *words)


def test_a_roll_that_was_not_made_is_told(record):
    with pytest.raises(PigglesimError, match="--from-roll 0"):
        run_here("view", record, "--from-roll", "99", "--viewer", "null")


def test_a_record_without_physics_says_that_nothing_can_be_seen(blind):
    words = ("match", "--chance", "tabular", "--rule", "rounds=1", "--no-boards", "--seed", "1")
    assert run_here(*words, "--out", "t.jsonl").exit_code == 0
    with pytest.raises(PigglesimError, match="a match rolled on physics"):
        run_here("view", "t.jsonl", "--viewer", "null")


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["match", "--view", "--chance", "tabular"], "--chance physical"),
        (["match", "--view", "--b", "human"], "pigglesim play --view"),
        (["play", "--view", "--plain"], "--view alone"),
        (["study", "--watch", "--kind", "drop", "--throws", "100"], "--kind pour"),
        (["replay", "m.jsonl", "--view", "--what-if", "0"], "one at a time"),
    ],
)
def test_what_cannot_be_watched_says_what_to_do(words, remedy, blind):
    with pytest.raises(PigglesimError, match=remedy):
        run_here(*words)
    assert list(blind.iterdir()) == []


def test_a_match_whose_window_cannot_open_is_played_to_its_end(blind):
    words = ("match", "--view", "--seed", "3", "--rule", "rounds=1", "--no-boards")
    with pytest.raises(PigglesimError, match="DISPLAY is not set"):
        run_here(*words, "--out", "m.jsonl")
    assert read_record(blind / "m.jsonl").footer.result is not None


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
