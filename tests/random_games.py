"""Games of dice and cards played at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pigglesim.chance.fair import fair_draw
from pigglesim.games.game import Game, NonPlayer


def walk(game: Game[Any, Any], seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Play a random game, giving each position, the move or outcome, and the position after it."""
    rng = np.random.default_rng(seed)
    state = game.initial_state()
    while (turn := game.turn(state)) is not NonPlayer.OVER:
        if turn is NonPlayer.CHANCE:
            move: Any = fair_draw(game.chance_request(state), rng=rng)
            after = game.apply_outcome(state, move)
        else:
            legal = game.legal_actions(state)
            move = legal[int(rng.integers(len(legal)))]
            after = game.apply_action(state, move)
        yield state, move, after
        state = after
