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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["roll", "--seed", "1", "--png", "a.png"], "leave --view out: --png F.png and --video"),
        (["match", "--seed", "3"], "leave --view out$"),
        (["match", "--out", "m.jsonl"], "leave --view out, .*: pigglesim replay m.jsonl --video"),
        (["play", "--seed", "3"], "leave --view out: the match is played in this terminal"),
    ],
)
def test_a_window_that_cannot_open_is_told_before_any_work(words, remedy, blind):
    with pytest.raises(PigglesimError, match=f"DISPLAY is not set; try: {remedy}"):
        run_here(*words, "--view")
    assert list(blind.iterdir()) == []


def test_each_verb_says_what_it_can_do_without_a_window(record, blind):
    with pytest.raises(PigglesimError, match="leave --view out: --png"):
        run_here("replay", record, "--view")
    with pytest.raises(PigglesimError, match=r"try: pigglesim replay .* --png F\.png or --video"):
        run_here("view", record)
    with pytest.raises(PigglesimError, match=r"try: pigglesim roll --png F\.png or --video F\.mp4"):
        run_here("view")
    with pytest.raises(PigglesimError, match="leave --watch out: the report draws"):
        run_here("study", "--watch", "--kind", "pour", "--throws", "2", "--out", "s")
    assert list(blind.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["view", "m.jsonl", "--seed", "3"], "m.jsonl alone, whose rolls are shown, got --seed"),
        (["view", "r.film", "--from-roll", "1"], "the record of a match, .*got --from-roll"),
        (["view", "--record", "1"], "the record of a match, .*got --record"),
        (["replay", "m.jsonl", "--times", "5"], "--what-if DECISION, got --times"),
        (["replay", "m.jsonl", "--seed", "5"], "--what-if DECISION, got --seed"),
        (["replay", "m.jsonl", "--round", "1", "--to-round", "2"], "--round alone"),
        (["replay", "m.jsonl", "--write", "a", "--to-round", "2"], "--write alone, which shows"),
        (["replay", "m.jsonl", "--what-if", "0", "--round", "2"], "--what-if alone, which shows"),
        (["match", "--chance", "tabular", "--engine", "bullet"], "--chance physical with --engine"),
        (["match", "--a", "greedy", "--b", "greedy", "--agents", "uniform"], "--agents, or --a"),
        (["tournament", "--agents", "greedy,uniform", "--engine", "bullet"], "--chance physical"),
        (["tournament", "--agents", "greedy,uniform", "--scene", "x"], "physical with --scene"),
        (["balance", "--engine", "bullet"], "--chance physical with --engine"),
        (["study", "--throws", "9", "--cluster", "x", "--workers", "2"], "--cluster or --workers"),
        (["match", "--chance", "tabular", "--out", "m.html"], "a record that ends in .jsonl or"),
        (["roll", "--at", "99"], "--png with --at, got --at alone"),
        (["roll", "--size", "64x64"], "--png or --video with --size"),
    ],
)
def test_flags_that_would_change_nothing_are_refused(words, fault, blind):
    with pytest.raises(PigglesimError, match=fault) as caught:
        run_here(*words)
    assert "\n" not in str(caught.value)
    assert list(blind.iterdir()) == []


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
