"""The miner of puzzles goes on where it stopped, and its file is what it found."""

import json
from dataclasses import replace

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.table import puzzles
from pigglesim.table.puzzles import Mined, format_puzzles, parse_puzzles
from scripts import puzzles as miner

ALL = puzzles.all_puzzles()
NOTHING = {"match": 7, "looked": 6, "tested": 1, "puzzles": []}


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Return a file of one puzzle and 7 matches, in place of the one that comes with pigglesim."""
    monkeypatch.setattr(puzzles, "__file__", str(tmp_path / "puzzles.py"))
    file = tmp_path / puzzles.FILE
    (six, *_) = (each for each in ALL if each.game == "piggy_six")
    file.write_text(format_puzzles([six], {"piggy_six": Mined(matches=7, looked=40, tested=3)}))
    return file


def test_a_folder_without_puzzles_changes_nothing(tmp_path, shipped):
    folder, before = tmp_path / "mined", shipped.read_text()
    folder.mkdir()
    with pytest.raises(SpecError, match="no new puzzles in "):
        miner.pack(folder)
    (folder / "piggy_six.jsonl").write_text(f"{json.dumps(NOTHING)}\n")
    with pytest.raises(SpecError, match="no new puzzles in "):
        miner.pack(folder)
    assert shipped.read_text() == before


def test_a_damaged_line_is_named_and_nothing_after_it_is_lost(tmp_path, shipped):
    file, before = tmp_path / "piggy_six.jsonl", shipped.read_text()
    mined = f"{json.dumps(NOTHING)}\n"
    for text in (f"{mined}{{\n{mined}", f"{mined}{{\n", f"{mined}\n{mined}"):
        file.write_text(text)
        for work in (lambda: miner.mine(tmp_path, "piggy_six", 0), lambda: miner.pack(tmp_path)):
            with pytest.raises(RecordError, match=r"piggy_six\.jsonl: line 2 is damaged"):
                work()
        assert file.read_text() == text
    file.write_text(f'{mined}{{"match": 8, "loo')
    miner.mine(tmp_path, "piggy_six", 0)
    assert file.read_text() == mined
    assert shipped.read_text() == before


def mined_line(number, puzzle):
    """Return a match in which a puzzle was mined."""
    found = {
        "rules": dict(puzzle.rules),
        "position": puzzle.position,
        "best": puzzle.options[puzzle.best].action,
        "actions": [option.action for option in puzzle.options],
        "values": [[option.value, option.noise] for option in puzzle.options],
        "loss": [puzzle.margin, puzzle.margin, puzzle.margin],
        "exact": puzzle.exact,
        "panel": puzzle.asked,
        "fails": list(puzzle.fails),
    }
    return f"{json.dumps({**NOTHING, 'match': number, 'puzzles': [found]})}\n"


def test_new_puzzles_take_the_places_of_those_with_the_smallest_margin():
    plan = miner._PLANS["piggy_six"]
    six = [each for each in ALL if each.game == "piggy_six"]
    (classic, *_) = (each for each in ALL if each.game == "piggles_classic")
    # One more than the plan wants: the one with the smallest margin makes room.
    six = [replace(six[0], margin=0.02, position=f"{k}") for k in range(plan.wanted + 1)]
    six[4] = replace(six[4], margin=0.01)
    kept = [*six[:9], classic, *six[9:]]
    new = [each for each in ALL if each.game == "piggles_classic"][1:3]
    fresh = [replace(each, margin=0.5) for each in new]
    placed = miner._placed(kept, fresh)
    assert placed == [*kept[:4], fresh[0], *kept[5:], fresh[1]]


def test_packing_adds_new_matches_once(tmp_path, shipped):
    first, again, other = [each for each in ALL if each.game == "piggy_six"][:3]
    lines = [mined_line(6, again), mined_line(7, first), mined_line(8, other)]
    (tmp_path / "piggy_six.jsonl").write_text("".join(lines))
    miner.pack(tmp_path)
    # The seventh match, number 6, was counted before, and the first puzzle is known.
    packed, mined = parse_puzzles(shipped.read_text())
    assert packed == (first, other)
    assert mined["piggy_six"] == Mined(matches=9, looked=52, tested=5)
    with pytest.raises(SpecError, match="no new puzzles"):
        miner.pack(tmp_path)


@pytest.mark.slow
def test_a_miner_that_was_stopped_finds_the_same(tmp_path, shipped):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    miner.mine(whole, "piggy_six", 5)
    miner.mine(parts, "piggy_six", 2)
    file = parts / "piggy_six.jsonl"
    # A line was being written.
    file.write_text(file.read_text() + '{"match": 99, "loo')
    miner.mine(parts, "piggy_six", 5)
    assert file.read_text() == (whole / "piggy_six.jsonl").read_text()
    assert json.loads(file.read_text().splitlines()[0])["match"] == 7
    miner.pack(whole)
    packed, _ = parse_puzzles(shipped.read_text(encoding="utf-8"))
    assert len(packed) == 5
    known = {(each.position, each.best) for each in ALL}
    assert {(each.position, each.best) for each in packed} <= known


@pytest.mark.slow
@pytest.mark.parametrize(("game", "number"), [("piggles_classic", 5), ("piggles_modern", 2)])
def test_a_match_that_is_mined_again_gives_the_puzzles_that_are_shipped(game, number):
    """The values too: they come from playouts with the seeds of the script."""
    shipped = {each.position: each for each in ALL if each.game == game}
    mined = miner._Miner(game).match(number)["puzzles"]
    again = [miner._revalued(miner._puzzle(game, each)) for each in mined]
    assert len(again) == 2
    assert again == [shipped[each.position] for each in again]


def test_what_cannot_be_mined_is_one_line(tmp_path, monkeypatch):
    folder = tmp_path / "mined"
    for words, said in (
        ([], "no folder"),
        ([str(folder), "poker=3"], "unknown game 'poker'"),
        ([str(folder), "piggy_six=many"], "invalid count in 'piggy_six=many'"),
        ([str(folder), "piggy_six"], "invalid count in 'piggy_six'"),
    ):
        monkeypatch.setattr("sys.argv", ["puzzles", *words])
        with pytest.raises(SystemExit, match=said):
            miner.main()
    assert not folder.exists()


@pytest.mark.slow
def test_a_best_action_that_is_not_better_is_refused():
    """Of equal actions none is confirmed, whichever the first playouts preferred."""
    found = miner._Miner("piggles_classic")
    found.match(0)
    state = found.game.initial_state()
    at = found.values(state, 2, 0)
    # At the beginning to throw all is best: any other is refused.
    assert found.tested(state, at.choices[0], at) is None
