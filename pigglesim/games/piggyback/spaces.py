"""The spaces of a square board: their names, their numbers and which of them touch.

Space number i of a board of n x n is column i % n and row i // n, counted from red's left corner;
its name is a letter and a number, `a1` being number 0.
"""

from functools import cache
from itertools import product

from pigglesim.errors import SpecError

__all__ = ["LARGEST", "SMALLEST", "at", "neighbours", "parse_space", "space_name"]

SMALLEST, LARGEST = 5, 16
"""Rows of the smallest board that holds all that a layout sets up, and of the largest."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def at(column: int, row: int, size: int) -> int:
    """Return the number of a space by its column and row, both from 1."""
    return (row - 1) * size + column - 1


def space_name(space: int, size: int) -> str:
    """Return the name of a space, such as `b1`."""
    return f"{_LETTERS[space % size]}{space // size + 1}"


def parse_space(text: str, size: int) -> int:
    """Return the number of the space of that name.

    Raises:
        SpecError: If no space of the board has it.
    """
    column, row = _LETTERS.find(text[:1]) if text else -1, text[1:]
    if not row.isdecimal() or row[0] == "0" or not (0 <= column < size and int(row) <= size):
        last = space_name(size * size - 1, size)
        raise SpecError(f"a space of the board, a1 to {last}", got=repr(text), remedy="a1")
    return at(column + 1, int(row), size)


@cache
def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the spaces that touch each space, by side or corner, in their order (R2)."""
    return tuple(
        tuple(
            at(column + right, row + up, size)
            for up, right in product((-1, 0, 1), repeat=2)
            if (up or right) and 1 <= column + right <= size and 1 <= row + up <= size
        )
        for row, column in product(range(1, size + 1), repeat=2)
    )
