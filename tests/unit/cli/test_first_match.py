"""`pigglesim` without a verb: the first thing that anybody sees."""

import re
from pathlib import Path

import pytest

from pigglesim.cli import games
from pigglesim.errors import SpecError
from pigglesim.match.record import read_record
from scripts.documentation.commands import verbs
from tests.support.front_door import run_here

OUT = Path("pigglesim-output")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_match_is_shown_and_written_with_verbs_to_type_next(monkeypatch, graphics):
    monkeypatch.setenv("PIGGLESIM_COMMAND", "my pigs/run")
    lines = run_here().stdout.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) < 60
    record = read_record(OUT / "match-1" / "match.jsonl")
    assert record.header.seed == 1
    won = record.footer.result.winner
    best, other = sorted(record.footer.scores.values(), reverse=True)
    name = {"A": "South", "B": "North"}[won]
    assert f"{won} ({name}) wins on points, {best} : {other}" in lines
    # A line for each turn: a roll, or a decision to make none.
    skips = [entry for entry in record.decisions if entry.action == "skip"]
    turns = [line for line in lines if re.search(r" (South|North)  (rolls|skips|has no)", line)]
    assert len(turns) == len(record.outcomes) + len(skips)
    last = re.search(r"(\d+) : (\d+)$", turns[-1])
    assert tuple(map(int, last.groups())) == tuple(record.footer.scores.values())
    assert sum(" North ─" in line for line in lines) == 1
    for kind, begins in (("page", b"<!doctype html>"), ("picture", b"\x89PNG"), ("record", b"{")):
        (path,) = re.findall(rf"^{kind} +(\S+)", "\n".join(lines), re.MULTILINE)
        assert Path(path).read_bytes()[: len(begins)].lower() == begins.lower()
    names = {name.split()[1] for name, _ in verbs()} | {"--help"}
    assert all(re.fullmatch(r"  'my pigs/run' ([^ ]+).*", line)[1] in names for line in lines[-3:])


@pytest.mark.slow
def test_nothing_of_before_is_touched_and_without_opengl_the_picture_is_a_drawing(monkeypatch):
    (OUT / "match-1").mkdir(parents=True)
    (OUT / "match-1" / "match.html").write_text("mine")

    def refuse(*words, **more):
        raise SpecError("no OpenGL", fix="apt-get install libegl1")

    monkeypatch.setattr("pigglesim.render.offscreen.save_picture", refuse)
    shown = run_here().stdout
    assert (OUT / "match-1" / "match.html").read_text() == "mine"
    assert read_record(OUT / "match-2" / "match.jsonl").header.seed == 2
    assert "match-2/match.svg   from above; in 3D: apt-get install" in shown
    assert (OUT / "match-2" / "match.svg").read_text().startswith("<svg")


def test_where_no_folder_can_be_made_and_after_ctrl_c_nothing_is_left(monkeypatch):
    def stop(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(games, "play_match", stop)
    assert run_here().exit_code != 0
    assert not OUT.exists()
    OUT.write_text("a file in the way")
    with pytest.raises(SpecError, match="pigglesim-output cannot be made"):
        run_here()
