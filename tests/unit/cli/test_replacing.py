"""A result that is there is replaced with --force alone; pictures are drawn again."""

import pytest

import pigglesim
from pigglesim.errors import SpecError
from tests.front_door import run_here

MATCH = ("match", "--game", "piggy_six", "--no-boards", "--chance", "fair")


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "match.jsonl"
    assert run_here(*MATCH, "--seed", 1, "--out", path).exit_code == 0
    return path


def test_a_finished_match_is_replaced_with_force_alone(record):
    before = record.read_bytes()
    with pytest.raises(
        SpecError, match=r"match\.jsonl, which exists; try: another name, or --force"
    ):
        run_here(*MATCH, "--seed", 2, "--out", record)
    assert record.read_bytes() == before
    assert [path.name for path in record.parent.iterdir()] == ["match.jsonl"]
    assert run_here(*MATCH, "--seed", 2, "--out", record, "--force").exit_code == 0
    assert record.read_bytes() != before


def test_films_of_a_match_that_is_replaced_do_not_stay(tmp_path):
    path = tmp_path / "match.jsonl"
    films = tmp_path / "match.jsonl.films"
    films.mkdir()
    (films / "roll-0099.film").write_bytes(b"of another match")
    with pytest.raises(SpecError, match="no films of another match"):
        run_here(*MATCH, "--seed", 2, "--out", path)
    assert run_here(*MATCH, "--seed", 2, "--out", path, "--force").exit_code == 0
    assert list(films.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "{record}", "--write", "{out}"),
        ("replay", "{record}", "--what-if", 1, "--times", 1, "--out", "{out}"),
        ("roll", 1, "--seed", 1, "--film", "{out}"),
        ("study", "odds", "nowhere", "--out", "{out}"),
    ],
    ids=lambda words: " ".join(map(str, words[:4])),
)
def test_no_verb_replaces_a_result(record, tmp_path, words):
    suffix = {"roll": ".film", "study": ".json"}.get(words[0], ".jsonl")
    out = tmp_path / f"mine{suffix}"
    out.write_text("mine")
    asked = [str(word).format(record=record, out=out) for word in words]
    with pytest.raises(SpecError, match="which exists; try: another name, or --force"):
        run_here(*asked)
    assert out.read_text() == "mine"
    if words[0] != "study":
        assert run_here(*asked, "--force").exit_code == 0
        assert out.read_bytes() != b"mine"


def test_from_python_a_result_is_replaced_with_overwrite_alone(tmp_path):
    match = pigglesim.play_match("piggy_six", chance="fair", seed=1)
    rolled = pigglesim.roll(1, seed=1)
    for result, name in (
        (match, "m.jsonl"),
        (match, "m.txt"),
        (rolled, "r.film"),
        (rolled, "r.json"),
    ):
        path = tmp_path / name
        path.write_text("mine")
        with pytest.raises(SpecError, match="overwrite=True"):
            result.save(path)
        assert path.read_text() == "mine"
        result.save(path, overwrite=True)
        assert path.read_bytes() != b"mine"
    with pytest.raises(SpecError, match="overwrite=True"):
        pigglesim.measure_odds([], out=tmp_path / "r.json")


def test_a_picture_is_drawn_again(tmp_path):
    rolled = pigglesim.roll(1, seed=1)
    path = tmp_path / "r.svg"
    path.write_text("old")
    assert rolled.save(path).read_text() != "old"
