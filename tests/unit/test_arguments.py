"""Arguments of public functions: misspelt ones and wrong types are one line, before any work."""

import inspect

import numpy as np
import pytest

import pigglesim
from pigglesim.agents.greedy import Greedy


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: pigglesim.roll(hieght=4), r"roll\(\): unknown keyword 'hieght'; use height"),
        (lambda: pigglesim.study(worker=2), r"study\(\): unknown keyword 'worker'; use workers"),
        (lambda: pigglesim.roll(10**5000), "piggles of roll.. has too many digits"),
        (lambda: pigglesim.tournament(["greedy"], pair=2), "'pair'; use pairs"),
        (lambda: pigglesim.roll("three"), r"piggles 'three' of roll.. .expected int \| None\)"),
        (lambda: pigglesim.roll(2, height="4in"), r"height '4in' of .* float \| None"),
        (lambda: pigglesim.roll(True), "piggles True of .* int"),
        (lambda: pigglesim.roll(2, seed=1.5), r"seed 1.5 of .* int \| Generator \| None"),
        (lambda: pigglesim.play_match(chance=3), "chance 3 of play_match"),
        (lambda: pigglesim.play_match(films="yes"), "films 'yes' of play_match.. .expected bool"),
        (lambda: pigglesim.what_if(), "missing a required argument: 'match' .expected match, dec"),
        (lambda: pigglesim.roll(1, 2), "too many positional arguments"),
        (lambda: pigglesim.load_model(3), "name_or_path 3 of load_model.. .expected str"),
        (lambda: pigglesim.roll(1, seat="C"), "seat 'C' .expected A or B"),
        (lambda: pigglesim.make_agent("mcts"), r"no game; use make_agent\(name, game=...\),"),
        (lambda: pigglesim.make_agent("zzz"), "expected aim, .*, uniform.;"),
        (lambda: pigglesim.make_game("piggles_classic", {"zzz": 1}), r", \.\.\.\)"),
        (lambda: pigglesim.play_match(teams="red"), "teams 'red' of play_match"),
        (lambda: pigglesim.play_match(teams=("red",)), r"teams .'red',. of .* tuple\[str"),
        (lambda: pigglesim.study("pour", factors={"number": 2}), "factors .* of study"),
        (lambda: pigglesim.measure_odds("pours"), "studies 'pours' of measure_odds"),
        (lambda: pigglesim.tournament("greedy"), "agents 'greedy' of tournament"),
        (lambda: pigglesim.tournament(["greedy", "uniform"], workers=0), "invalid workers 0 of"),
    ],
)
def test_a_wrong_argument_is_reported_in_one_line(call, problem):
    with pytest.raises(pigglesim.PigglesimError, match=problem):
        call()


def test_a_wrong_argument_is_a_type_error_too():
    for words in ({"hieght": 4}, {"height": "4in"}):
        with pytest.raises(TypeError):
            pigglesim.roll(**words)


def test_values_that_are_as_good_are_taken(tmp_path):
    match = pigglesim.play_match(
        agents=(Greedy(), "uniform"),
        chance="tabular",
        seed=np.int64(7),
        house_rules={"rounds": 1},
        time_limit=60,
    )
    assert match.save(tmp_path / "m.txt").exists()
    assert pigglesim.study("drop", model=("d6",), throws=np.int32(20), seed=1).throws == 20


def test_every_public_function_checks_its_arguments():
    functions = [getattr(pigglesim, name) for name in pigglesim.__all__]
    found = [each for each in functions if inspect.isfunction(each)]
    assert len(found) > 10
    unchecked = [each.__name__ for each in found if not hasattr(each, "__wrapped__")]
    assert unchecked == ["known"]
