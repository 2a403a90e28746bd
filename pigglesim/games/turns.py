"""What every game says to those who act out of turn."""

from collections.abc import Callable
from typing import TypeVar

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import NonPlayer, Turn
from pigglesim.landing import Seat

_A = TypeVar("_A")


def require_player(turn: Turn, action: _A, write: Callable[[_A], str], *, rule: str) -> Seat:
    """Return the player whose turn it is.

    Args:
        turn: Whose turn it is.
        action: What somebody wants to do.
        write: Writes it as text.
        rule: The number of the rule that says who acts when.

    Raises:
        IllegalActionError: If it is no player's turn.
    """
    if isinstance(turn, Seat):
        return turn
    raise IllegalActionError(
        "an action on a player's turn",
        got=f"{write(action)!r} while {_waiting(turn)}",
        remedy="apply_outcome" if turn is NonPlayer.CHANCE else "start a new game",
        rule=rule,
    )


def require_chance(turn: Turn) -> None:
    """Raise `SpecError` unless chance is due."""
    if turn is not NonPlayer.CHANCE:
        raise SpecError("chance's turn", got=_waiting(turn), remedy="ask turn(state) first")


def _waiting(turn: Turn) -> str:
    if isinstance(turn, Seat):
        return f"{turn} is to move"
    return "chance is due" if turn is NonPlayer.CHANCE else "the game is over"
