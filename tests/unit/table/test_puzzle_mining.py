"""The miner of puzzles goes on where it stopped, and its file is what it found."""

import json

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.table import puzzles
from pigglesim.table.puzzles import parse_puzzles
from scripts import puzzles as miner

SIX = {"piggy_six": miner._PLANS["piggy_six"]}
NOTHING = {"match": 0, "looked": 6, "tested": 0, "puzzles": []}


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Return a file in place of the one that comes with pigglesim."""
    monkeypatch.setattr(puzzles, "__file__", str(tmp_path / "puzzles.py"))
    file = tmp_path / puzzles.FILE
    file.write_text("as it was\n")
    return file


def test_a_folder_without_puzzles_changes_nothing(tmp_path, shipped):
    folder = tmp_path / "mined"
    for _ in range(2):
        # First there is no folder, then an empty one.
        with pytest.raises(SpecError, match=r"no .*piggles_classic\.jsonl"):
            miner.pack(folder)
        folder.mkdir(exist_ok=True)
    for game in miner._PLANS:
        (folder / f"{game}.jsonl").write_text(f"{json.dumps(NOTHING)}\n")
    with pytest.raises(RecordError, match="0 puzzles"):
        miner.pack(folder)
    assert shipped.read_text() == "as it was\n"


def test_a_damaged_line_is_named_and_nothing_after_it_is_lost(tmp_path, shipped, monkeypatch):
    monkeypatch.setattr(miner, "_PLANS", SIX)
    file = tmp_path / "piggy_six.jsonl"
    mined = f"{json.dumps(NOTHING)}\n"
    for text in (f"{mined}{{\n{mined}", f"{mined}{{\n", f"{mined}\n{mined}"):
        file.write_text(text)
        for work in (lambda: miner.mine(tmp_path, "piggy_six", 0), lambda: miner.pack(tmp_path)):
            with pytest.raises(RecordError, match=r"piggy_six\.jsonl: line 2 is damaged"):
                work()
        assert file.read_text() == text
    file.write_text(f'{mined}{{"match": 1, "loo')
    miner.mine(tmp_path, "piggy_six", 0)
    assert file.read_text() == mined
    assert shipped.read_text() == "as it was\n"


@pytest.mark.slow
def test_a_miner_that_was_stopped_finds_the_same(tmp_path, shipped, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    miner.mine(whole, "piggy_six", 4)
    miner.mine(parts, "piggy_six", 1)
    file = parts / "piggy_six.jsonl"
    # A line was being written.
    file.write_text(file.read_text() + '{"match": 99, "loo')
    miner.mine(parts, "piggy_six", 4)
    assert file.read_text() == (whole / "piggy_six.jsonl").read_text()
    monkeypatch.setattr(miner, "_PLANS", SIX)
    miner.pack(whole)
    packed = parse_puzzles(shipped.read_text(encoding="utf-8"))
    known = {(each.position, each.best) for each in puzzles.all_puzzles()}
    assert {(each.position, each.best) for each in packed} <= known


@pytest.mark.slow
@pytest.mark.parametrize(("game", "number"), [("piggles_classic", 5), ("piggles_modern", 2)])
def test_a_match_that_is_mined_again_gives_the_puzzles_that_are_shipped(game, number):
    """The values too: they come from playouts with the seeds of the script."""
    shipped = {each.position: each for each in puzzles.all_puzzles() if each.game == game}
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
