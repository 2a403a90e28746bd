"""What the end of a game is worth to each player, and the way there that nobody decides."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pigglesim.agents.chance_model import ChanceModel
from pigglesim.games.game import Concede, Game, NonPlayer
from pigglesim.rolls import Seat

__all__ = ["rewards", "serious", "settled"]


def rewards(game: Game[Any, Any], state: object) -> dict[Seat, float]:
    """Return the share of the win of each player: equal ones of a draw and of a shared win.

    Args:
        game: The rules.
        state: A position in which the game is over.
    """
    result = game.result(state)
    assert result is not None
    return result.shares(game.seats)


def settled(
    game: Game[Any, Any], state: object, chance: ChanceModel, *, rng: np.random.Generator
) -> tuple[Any, Seat | None]:
    """Return the next position that somebody decides in, and who; None when the game is over.

    Args:
        game: The rules.
        state: Any position.
        chance: Answers what is asked of chance on the way.
        rng: What it draws from.
    """
    while True:
        match game.turn(state):
            case NonPlayer.CHANCE:
                outcome = chance.draw(game.chance_request(state), rng=rng)
                state = game.apply_outcome(state, outcome)
            case NonPlayer.OVER:
                return state, None
            case seat:
                return state, seat


def serious(actions: Sequence[Any]) -> list[Any]:
    """Return the actions without giving up, unless nothing else is left."""
    return [action for action in actions if not isinstance(action, Concede)] or list(actions)
