"""`puzzle`: today's, one by its number, of a game or theme; asked, answered, as JSON."""

import json
from datetime import date

import pytest

import pigglesim
from pigglesim.errors import PigglesimError
from pigglesim.table.puzzles import all_puzzles, number_of_day, puzzle_numbers, puzzle_of
from tests.support.front_door import run_here

SIX = next(k for k in puzzle_numbers("piggy_six") if len(puzzle_of(k).options) == 2)


def test_the_puzzle_of_today_is_shown_with_its_question():
    before = number_of_day(date.today())
    done = run_here("puzzle")
    # Midnight may pass.
    numbers = {before, number_of_day(date.today())}
    assert done.exit_code == 0
    assert any(f"Puzzle {number} of {len(all_puzzles())}" in done.stdout for number in numbers)
    assert "is best?" in done.stdout
    assert "--answer" in done.stdout


@pytest.mark.parametrize("right", [True, False])
def test_a_number_answers(right):
    puzzle = puzzle_of(SIX)
    choice = puzzle.best if right else 1 - puzzle.best
    done = run_here("puzzle", "--number", SIX, stdin=f"nine\n0\n{choice + 1}\n")
    assert done.exit_code == 0
    assert done.stdout.count("write a number from 1 to 2") == 2
    assert ("Right: " if right else "Better: ") in done.stdout
    assert f"Theme: {puzzle.theme}" in done.stdout


def test_any_other_line_repeats_the_question():
    done = run_here("puzzle", "--number", SIX, stdin=f"{'9' * 5_000}\n-1\n1.0\n1\n")
    assert done.exit_code == 0
    assert done.stdout.count("write a number from 1 to 2") == 3


def test_answer_and_json_have_the_same_values():
    shown = run_here("puzzle", "--number", SIX, "--answer").stdout
    document = json.loads(run_here("puzzle", "--number", SIX, "--json").stdout)
    assert document["number"] == SIX
    for option in document["options"]:
        assert f"{100 * option['value']:.2f} %" in shown


def test_python_has_the_same_puzzle():
    document = json.loads(run_here("puzzle", "--number", SIX, "--json").stdout)
    found = pigglesim.puzzle(SIX)
    assert (found.position, found.best) == (document["position"], document["best"])
    for other in ({"game": "piggy_six"}, {"theme": str(found.theme)}):
        with pytest.raises(PigglesimError, match="a number is one puzzle already"):
            pigglesim.puzzle(SIX, **other)
    assert pigglesim.puzzle(game="piggy_six", theme=str(found.theme)).theme is found.theme


def test_a_game_and_a_theme_choose():
    theme = str(puzzle_of(SIX).theme)
    done = run_here("puzzle", "--game", "piggy_six", "--theme", theme, "--json")
    document = json.loads(done.stdout)
    assert (document["game"], document["theme"]) == ("piggy_six", theme)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--number", 100_000], "no puzzle 100000 (expected 1 to "),
        (["--theme", "stop her"], "unknown theme 'stop her'"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--number", 1, "--game", "piggy_six"], "a number is one puzzle already"),
    ],
)
def test_faults_are_one_line(words, problem):
    with pytest.raises(PigglesimError) as caught:
        run_here("puzzle", *words)
    assert problem in str(caught.value)
