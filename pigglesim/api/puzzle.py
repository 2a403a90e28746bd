"""Puzzles: positions with one best action."""

from datetime import date

from pigglesim.arguments import checked
from pigglesim.table.puzzles import Puzzle, number_of_day, puzzle_numbers, puzzle_of


@checked
def puzzle(
    number: int | None = None, *, game: str | None = None, theme: str | None = None
) -> Puzzle:
    """Return a puzzle: a position from a match of agents, with one best action.

    Games that were played on from every action, or exact values, show that it is best (p < 1e-6).

    Args:
        number: Number of the puzzle, from 1. Default: the puzzle of today.
        game: Game of the puzzle of today. Default: all.
        theme: Its theme, such as `"stop here"`. Default: all.

    Returns:
        The puzzle, with the value of every action.

    Raises:
        PigglesimError: If there is no such puzzle.

    Examples:
        >>> import pigglesim
        >>> puzzle = pigglesim.puzzle(7)
        >>> best = puzzle.options[puzzle.best].action
    """
    if number is None:
        number = number_of_day(date.today(), puzzle_numbers(game, theme))
    return puzzle_of(number)
