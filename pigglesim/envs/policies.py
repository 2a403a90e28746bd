"""Agents of pigglesim as players of an environment."""

from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import canonical_name, make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.envs.episode import Episode
from pigglesim.games.game import Game
from pigglesim.rng import generator


class Policy:
    """An agent that plays any seat of an environment.

    It draws the same random numbers as in `pigglesim match --seed`, so the same agents under the
    same seed play the same match.

    Args:
        name: Name of the agent, as in `make_agent`.
        odds: File of odds, or model with supplied odds, for an agent that thinks ahead.
    """

    def __init__(self, name: str, *, odds: str) -> None:
        self.name = canonical_name(name)
        self._belief = TabularChance(seed=0, odds=load_odds(odds))
        self._made: tuple[Game[Any, Any], Agent] | None = None

    def __call__(self, env: Any) -> int | None:  # noqa: ANN401 (PettingZoo carries no types)
        """Return the number of the agent's action; None for a player who is out.

        Args:
            env: An environment of `pigglesim.envs.pettingzoo`, wrapped or not.
        """
        mover = env.agent_selection
        if env.terminations[mover] or env.truncations[mover]:
            return None
        return self.decide(env.unwrapped.episode)

    def decide(self, episode: Episode) -> int:
        """Return the number of the agent's action for the player to move."""
        seat = episode.to_move
        assert seat is not None
        rng = generator(episode.seed, "agent", seat.value, episode.decisions)
        action = self._agent(episode.game).choose(
            episode.game.observe(episode.state, seat), tuple(episode.legal.values()), rng=rng
        )
        return episode.number_of(action, seat)

    def _agent(self, game: Game[Any, Any]) -> Agent:
        if self._made is None or self._made[0] != game:
            self._made = (game, make_agent(self.name, game=game, chance=self._belief))
        return self._made[1]


def policy(name: str, *, odds: str = "piggle") -> Policy:
    """Return an agent as a callable that gives its action in an environment.

    The arguments are those of `Policy`.

    Raises:
        SpecError: If the name of the agent or of the odds is unknown.
    """
    return Policy(name, odds=odds)
