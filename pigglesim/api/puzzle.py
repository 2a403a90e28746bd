"""Puzzles: positions with one best action."""

from datetime import date

from pigglesim.api.match import set_up_game
from pigglesim.arguments import checked
from pigglesim.table.puzzles import (
    Puzzle,
    PuzzleSession,
    number_of_day,
    puzzle_numbers,
    puzzle_of,
)


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


def puzzle_session(number: int | None = None) -> PuzzleSession:
    """Return a puzzle as a match at its table; the puzzle of today without a number.

    Raises:
        SpecError: If there is no such number.
    """
    number = number_of_day(date.today()) if number is None else number
    found = puzzle_of(number)
    setup = set_up_game(found.game, None, rules=found.rules)
    return PuzzleSession(number, scene=setup.scene, teams=setup.models)
