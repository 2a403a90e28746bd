"""The harness itself: it sees what it is there to see, and writes what it saw."""

import math
import random

import pytest

from pigglesim.errors import SpecError
from tests.fuzzing.target import fault_in
from tests.fuzzing.trees import edited, parsed, written

CLEAR = SpecError("a number", got="a word", remedy="give one")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CLEAR, ""),
        (SpecError("a number", got="x", remedy=" "), "without a remedy"),
        (ValueError("x"), "ValueError instead"),
        (RecursionError(), "RecursionError instead"),
        (MemoryError(), "MemoryError instead"),
    ],
)
def test_a_fault_is_anything_but_a_remedy_in_one_line(error, told):
    assert (told in fault_in(error)) if told else (fault_in(error) == "")


def test_errors_of_many_lines_or_letters_are_faults_if_the_program_lets_them_through():
    long = SpecError("x", got="y" * 10**6, remedy="z\n" * 10**5)
    assert fault_in(long) == ""  # the program cuts and writes out what it is given
    long.args = ("a\nb",)
    assert "more than one line" in fault_in(long)
    long.args = ("x" * 5_000,)
    assert "5000 characters" in fault_in(long)


def test_edited_tables_are_written_so_that_they_read_back():
    table = {"a": [1, 2.5, math.inf], "b": {"c.d": 'x"\n', "e": [{}, []]}, "f": True}
    for form in ("toml", "json"):
        value = parsed(written(table, form), form)
        assert value is not None
        assert value[0] == table
    rng = random.Random(1)
    value, paths = parsed(written(table, "toml"), "toml")
    changed = [edited(value, paths, [9], ["b"], rng) for _ in range(300)]
    assert sum(each != table for each in changed) > 200
    assert value == table  # an edit shares with what it was made of, and leaves it as it is
