"""The miner of puzzles goes on where it stopped, and its file is what it found."""

import pytest

from pigglesim.table import puzzles
from pigglesim.table.puzzles import parse_puzzles
from scripts import puzzles as miner

pytestmark = pytest.mark.slow


def test_a_miner_that_was_stopped_finds_the_same(tmp_path, monkeypatch):
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
    monkeypatch.setattr(puzzles, "__file__", str(tmp_path / "puzzles.py"))
    miner.pack(whole)
    packed = parse_puzzles((tmp_path / puzzles.FILE).read_text(encoding="utf-8"))
    known = {(each.position, each.best) for each in puzzles.all_puzzles()}
    assert {(each.position, each.best) for each in packed} <= known


def test_a_best_action_that_is_not_better_is_refused():
    """Of equal actions none is confirmed, whichever the first playouts preferred."""
    found = miner._Miner("piggles_classic")
    found.match(0)
    state = found.game.initial_state()
    at = found.values(state, 2, 0)
    # At the beginning to throw all is best: any other is refused.
    assert found.tested(state, at.choices[0], at) is None
