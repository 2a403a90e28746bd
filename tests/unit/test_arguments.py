"""Arguments of public functions: misspelt ones and wrong types are one line, before any work."""

import inspect

import numpy as np
import pytest

import pigglesim
from pigglesim.agents.greedy import Greedy


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pigglesim.roll(hieght=4), r"keyword of roll\(\), got 'hieght'; try: height"),
        (lambda: pigglesim.study(worker=2), r"keyword of study\(\), got 'worker'; try: workers"),
        (lambda: pigglesim.tournament(["greedy"], pair=2), "got 'pair'; try: pairs"),
        (lambda: pigglesim.roll("three"), r"piggles of roll\(\) as int, got 'three', of type str"),
        (
            lambda: pigglesim.roll(2, height="4in"),
            r"height of roll\(\) as float \| None, got '4in'",
        ),
        (lambda: pigglesim.roll(True), r"piggles of roll\(\) as int, got True, of type bool"),
        (
            lambda: pigglesim.roll(2, seed=1.5),
            r"seed of roll.. as int \| Generator \| None, got",
        ),
        (lambda: pigglesim.play_match(chance=3), "chance of play_match.. as .*got 3, of type int"),
        (lambda: pigglesim.play_match(films="yes"), "films of play_match.. as bool, got 'yes'"),
        (lambda: pigglesim.what_if(), "match, decision, .*missing a required argument: 'match'"),
        (lambda: pigglesim.roll(1, 2), "got too many positional arguments"),
        (lambda: pigglesim.load_model(3), "name_or_path of load_model.. as str, got 3"),
        (lambda: pigglesim.roll(1, seat="C"), "seat A or B, got 'C'"),
    ],
)
def test_a_wrong_argument_is_told_in_a_line(call, told):
    with pytest.raises(pigglesim.PigglesimError, match=told) as caught:
        call()
    assert "\n" not in str(caught.value)


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
