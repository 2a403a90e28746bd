"""Puzzles: positions with one best action."""

from datetime import date

from pigglesim.api.game_setup import set_up_game
from pigglesim.arguments import checked
from pigglesim.errors import SpecError
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
        game: Game of the puzzle of today. Default: all. Not with `number`.
        theme: Its theme, such as `"stop here"`. Default: all. Not with `number`.

    Returns:
        The puzzle, with the value of every action.

    Raises:
        PigglesimError: If there is no such puzzle.

    Examples:
        >>> import pigglesim
        >>> puzzle = pigglesim.puzzle(7)
        >>> best = puzzle.options[puzzle.best].action
    """
    return puzzle_of(_number(number, game, theme))


def _number(number: int | None, game: str | None, theme: str | None) -> int:
    """Return the number of a puzzle: the one given, or that of today."""
    if number is None:
        return number_of_day(date.today(), puzzle_numbers(game, theme))
    if game is not None or theme is not None:
        raise SpecError("a number is one puzzle already", fix="leave game and theme out")
    return number


def puzzle_session(
    number: int | None = None, *, game: str | None = None, theme: str | None = None
) -> PuzzleSession:
    """Return a puzzle as a match at its table; the arguments are those of `puzzle`.

    Raises:
        SpecError: If there is no such puzzle.
    """
    number = _number(number, game, theme)
    found = puzzle_of(number)
    setup = set_up_game(found.game, None, rules=found.rules)
    return PuzzleSession(number, scene=setup.scene, teams=setup.models)
