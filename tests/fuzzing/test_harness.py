"""The harness itself: it knows a fault, and writes the tables that it changed."""

import math

import pytest

from pigglesim.errors import SpecError
from tests.fuzzing.mutation import parsed, written
from tests.fuzzing.target import fault_in

CLEAR = SpecError("a word", expected="a number", fix="give one")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CLEAR, ""),
        (SpecError("x", expected="a number", fix=" "), "without a fix"),
        (ValueError("x"), "ValueError instead"),
        (RecursionError(), "RecursionError instead"),
        (MemoryError(), "MemoryError instead"),
    ],
)
def test_a_fault_is_anything_but_a_remedy_in_one_line(error, told):
    assert (told in fault_in(error)) if told else (fault_in(error) == "")


def test_errors_of_many_lines_or_letters_are_faults_if_the_program_lets_them_through():
    long = SpecError("y" * 10**6, expected="x", fix="z\n" * 10**5)
    assert fault_in(long) == ""  # the program cuts and writes out what it is given
    long.args = ("a\nb",)
    assert "more than one line" in fault_in(long)
    long.args = ("x" * 5_000,)
    assert "5000 characters" in fault_in(long)


@pytest.mark.parametrize("form", ["toml", "json"])
def test_tables_are_written_so_that_they_read_back(form):
    table = {"a": [1, 2.5, math.inf], "b": {"c.d": 'x"\n', "e": [{}, []]}, "f": True}
    assert parsed(written(table, form), form) == table
