"""The match by lines of text: whole, through a pipe, with good and with bad input."""

import io
import signal
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from pigglesim.chance.tabular import FairChance
from pigglesim.errors import PigglesimError
from pigglesim.games.game import Concede
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.tui.felt import score_table
from pigglesim.tui.plain import PlainTable
from tests.support.front_door import run_here, start
from tests.support.simple_odds import simple_chance
from tests.unit.tui.tables import session


def play(path, lines, **more):
    """Play what is written and return the setting and everything that was shown."""
    table, shown = session(path, **more), io.StringIO()
    console = Console(file=shown, width=96, color_system=None)
    PlainTable(table, lines=io.StringIO(lines), console=console).run()
    return table, shown.getvalue()


def test_a_whole_match_by_lines(tmp_path):
    file = tmp_path / "m.jsonl"
    table, shown = play(file, "all\nskip\n" * 9)
    assert table.over
    record = read_record(file)
    assert replay(record).state == table.state
    assert record.footer.result is not None
    for word in ("Landed:", "Tally of A", "Tally of B", "Resolve:", "Recoup:", "wins"):
        assert word in shown


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("7", "numbers such as 1 3"),
        ("B1", "numbers such as 1 3"),
        ("all 1", "numbers such as 1 3"),
        ("concede", "concede yes"),
        ("undo", "--practice"),
        ("\u00b2 \x07 \u0660", "numbers such as 1 3"),
    ],
)
def test_bad_input_gets_one_line_and_changes_nothing(tmp_path, line, remedy):
    file = tmp_path / "m.jsonl"
    table, shown = play(file, f"{line}\n")
    assert table.events == ()
    assert not file.exists()
    assert shown.count("\nA (South)> ") == 2
    assert remedy in shown.replace("\n", " ").replace("  ", " ")


def test_practice_takes_back_even_the_end(tmp_path):
    lines = "1\nundo\nundo\nconcede yes\nhint\nundo\n2\nquit\n"
    table, shown = play(tmp_path / "m.jsonl", lines, practice=True)
    assert shown.count("Taken back") == 2
    assert "no decision to take back" in shown
    assert "write undo or quit" in shown
    assert table.events[0].entry.action == "load A2"


@pytest.mark.slow
def test_through_a_pipe_the_end_of_the_input_saves_and_resuming_gives_the_same_bits(
    tmp_path, monkeypatch
):
    words = ["play", "--seed", "7", "--practice", "--chance", "tabular"]
    monkeypatch.chdir(tmp_path)
    whole = subprocess.run(
        [sys.executable, "-m", "pigglesim", *words, "--out", "whole.jsonl"],
        input="all\n2 4\nskip\n", capture_output=True, text=True,
    )  # fmt: skip
    assert (whole.returncode, whole.stderr) == (0, "")
    assert "\x1b" not in whole.stdout
    assert "saved in whole.jsonl" in whole.stdout
    assert "go on: pigglesim play --resume whole.jsonl" in whole.stdout

    def through(lines, *more):
        assert run_here(*more, stdin=lines).exit_code == 0

    through("all\n", *words)
    through("skip\nundo\n2 4\n", "play", "--resume", "play-7.jsonl")
    through("skip\n", "play", "--resume", "play-7.jsonl", "--plain")
    assert (tmp_path / "play-7.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len(replay(read_record(tmp_path / "play-7.jsonl")).record.decisions) == 8


def test_ctrl_c_saves_what_was_played(tmp_path):
    file = tmp_path / "m.jsonl"
    going = start("play", "--chance", "tabular", "--out", file, stdin=subprocess.PIPE)
    going.stdin.write("1\n")
    going.stdin.flush()
    shown = ""
    while shown.count("A (South)>") < 2:
        shown += going.stdout.read(1)
    going.send_signal(signal.SIGINT)
    rest, error = going.communicate(timeout=60)
    assert (going.returncode, error) == (130, "")
    assert "go on: pigglesim play --resume" in rest
    assert len(read_record(file).decisions) == 2


def test_a_match_that_is_over_is_not_resumed_and_a_file_not_overwritten(tmp_path):
    file = tmp_path / "m.jsonl"
    play(file, "concede yes\n")
    was = file.read_bytes()
    for words in (("--resume", file), ("--out", file)):
        with pytest.raises(PigglesimError, match=r"replay|--resume"):
            run_here("play", *words)
    assert file.read_bytes() == was


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, {}) for name in game_names()),
        ("piggy_six", {"three_dice": True}),
        ("pig_pile", {"advanced_deal": True, "rounds": 1}),
        ("piggyback", {"pickup_later": True, "allow_pass": True, "merge_rule": "en"}),
        ("piggles_modern", {"actors": "all_own_up", "team_a": ["red+adjacent"] * 6}),
    ],
)
def test_every_action_is_taken_by_its_text_in_a_record(tmp_path, name, rules):
    game, rng = make_game(name, rules), np.random.default_rng(7)
    piggles = name.startswith("piggles")
    table = session(
        tmp_path / "m.jsonl", game=game, agents=dict.fromkeys(game.seats), speed=0.0,
        chance=simple_chance(seed=7) if piggles else FairChance(seed=7),
        scene=name if piggles else None,
    )  # fmt: skip
    plain = PlainTable(table, lines=io.StringIO(), console=Console(file=io.StringIO()))
    decided = 0
    while not table.over and decided < 60:
        if not table.awaited:
            table.play(table.next_event())
            continue
        state, legal = table.state, [a for a in table.legal if not isinstance(a, Concede)]
        for action in legal:
            assert plain._choice(game.format_action(action).split()) == action
        text = game.format_action(legal[rng.integers(len(legal))])
        plain._obey(text.split())
        assert table.events[-1].entry.action == text
        assert table.events[-1].before == state
        decided += 1
    assert decided > 5


def test_a_hold_of_the_cup_can_be_written_and_to_concede_is_offered_where_it_is_legal(tmp_path):
    table, shown = play(tmp_path / "m.jsonl", "help\nload A1 A3 at 0.0,0.12,0.1\nquit\n")
    assert table.events[0].entry.action == "load A1 A3 at 0.0,0.12,0.1"
    assert "concede yes" in shown
    six = make_game("piggy_six")
    more = {"game": six, "scene": None, "chance": FairChance(seed=7)}
    table, shown = play(tmp_path / "6.jsonl", "help\nconcede yes\nfold\nroll\n", **more)
    assert "give the match up" not in shown
    assert "a number from 1 to 1, or the text of an action such as `roll`" in " ".join(
        shown.split()
    )
    assert table.events[0].entry.action == "roll"


def scores(table, width):
    """Return the lines of the points of a session in a narrow place."""
    console = Console(file=io.StringIO(), width=width)
    console.print(score_table(table, table.state, [], to_move=None, width=width))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    return [line.split() for line in lines]


def test_a_narrow_table_of_points_shows_whole_names():
    named = session(game=make_game("piggy_six"), chance=FairChance(seed=1))
    assert scores(named, 33)[1:] == [["Player", "A", "human", "0"], ["Player", "B", "greedy", "0"]]
    head, *rows = scores(session(b="greedy"), 33)
    assert head[-7:] == ["1", "2", "3", "4", "5", "6", "now"]
    assert rows == [["A", "human", "0"], ["B", "greedy", "0"]]
    # Before the game, rounds to come make room.
    other = session(b="threshold:3.25")
    name = other.agents[Seat.B].name
    head, *rows = scores(other, len(f"  B {name}") + len(" now") + 4 * 3)
    assert head[-5:] == ["1", "2", "3", "4", "now"]
    assert rows == [["A", "human", "0"], ["B", name, "0"]]
    assert scores(session(b="greedy"), 60)[1][:3] == ["A", "(South)", "human"]
