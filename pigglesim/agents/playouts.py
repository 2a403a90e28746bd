"""The value of a position, found by playing on to the end with an agent at every seat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.chance_model import ChanceModel
from pigglesim.agents.greedy import Greedy
from pigglesim.games.game import Concede, Game, NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PEN_SIZE, PigglesPhase, PigglesState
from pigglesim.landing import Seat


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
            position: PigglesState = state
            if position.phase is PigglesPhase.LOAD:
                return (Load(), Load(position.side(position.active).pen[:PEN_SIZE]))
        return self.game.legal_actions(state)
