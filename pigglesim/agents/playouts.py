"""What a position is worth by playing on to the end, with an agent at every seat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.chance_model import ChanceModel
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.rewards import rewards, settled
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PEN_SIZE, Phase, Position
from pigglesim.rolls import Seat

__all__ = ["AgentPlayouts", "Playouts"]


class Playouts(Protocol):
    """Plays games on to their end."""

    @property
    def batch(self) -> int:
        """How many are done at a time where no number is asked for."""

    def value(
        self,
        state: Any,  # noqa: ANN401 (of the game)
        count: int,
        *,
        rng: np.random.Generator,
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games.

        Args:
            state: A position in which a player is to move, or chance after a player has.
            count: How many games.
            rng: What every decision and roll is drawn from.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlayouts:
    """Plays on by the rules themselves, whatever the game."""

    game: Game[Any, Any]
    chance: ChanceModel
    agent: Agent
    """Decides at every seat; a quick one."""

    @property
    def batch(self) -> int:
        """One: a game by the rules takes longer than all that leads to it."""
        return 1

    def value(
        self,
        state: Any,  # noqa: ANN401 (of the game)
        count: int,
        *,
        rng: np.random.Generator,
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        sums = dict.fromkeys(self.game.scores(state), 0.0)
        for _ in range(count):
            for seat, reward in rewards(self.game, self._played(state, rng)).items():
                sums[seat] += reward
        return {seat: total / count for seat, total in sums.items()}

    def _played(self, state: object, rng: np.random.Generator) -> object:
        """Return the end of one game."""
        game = self.game
        while True:
            state, seat = settled(game, state, self.chance, rng=rng)
            if seat is None:
                return state
            action = self.agent.choose(game.observe(state, seat), self._offered(state), rng=rng)
            state = game.apply_action(state, action)

    def _offered(self, state: Any) -> Sequence[Any]:  # noqa: ANN401 (of the game)
        """Return what there is to choose from; of 64 loads greedy wants the least or the most."""
        if isinstance(self.agent, Greedy) and isinstance(self.game, Piggles):
            position: Position = state
            if position.phase is Phase.LOAD:
                return (Load(), Load(position.side(position.active).pen[:PEN_SIZE]))
        return self.game.legal_actions(state)
