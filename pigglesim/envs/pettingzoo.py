"""Matches as environments of PettingZoo, in which players take turns (AEC).

    from pigglesim.envs import pettingzoo

    env = pettingzoo.env("classic")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        action = None if over else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

`player_0` is seat A, `player_1` seat B, and so on. `env.unwrapped.layout` describes every number of
an observation, `pigglesim.envs.piggles` every action.
"""

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs import expect_extra

expect_extra("pettingzoo", "gymnasium")

from gymnasium import spaces  # noqa: E402 (after it was looked for)
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

from pigglesim.envs.encoding import FeatureLayout  # noqa: E402
from pigglesim.envs.episode import (  # noqa: E402
    AgentObservation,
    Episode,
    EpisodeOptions,
    LearningTable,
    check_illegal,
    check_render_mode,
    make_table,
    read_options,
    render_modes,
    split_options,
)
from pigglesim.errors import SpecError  # noqa: E402
from pigglesim.games.game import Game  # noqa: E402


class MatchEnv(AECEnv):  # type: ignore[misc] # PettingZoo carries no types
    """A match with one decision per step; outcomes of chance follow within the step.

    Args:
        table: The game and its chance.
        seed: Root seed of the first match. Default: a random one.
        render_mode: `ansi`, `human`, `rgb_array` or None.
        options: `EpisodeOptions`.

    Raises:
        SpecError: If a name is unknown, or the seed out of range.
    """

    def __init__(
        self,
        table: LearningTable,
        *,
        seed: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[EpisodeOptions],
    ) -> None:
        super().__init__()
        self.render_mode = check_render_mode(render_mode, table.painter)
        self.metadata = {
            "name": f"{table.game.name}_v0",
            "render_modes": render_modes(table.painter),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.episode = Episode(table, seed=seed, **options)
        self.possible_agents = [f"player_{k}" for k in range(len(self.episode.seats))]
        self.seats = dict(zip(self.possible_agents, self.episode.seats, strict=True))
        self._agent_at = {seat: agent for agent, seat in self.seats.items()}
        count = self.episode.action_count
        self.action_spaces = dict.fromkeys(self.possible_agents, self.episode.action_space)
        self.observation_spaces = {
            agent: self.layout.space(count) for agent in self.possible_agents
        }
        players = len(self.possible_agents)
        low, high = np.tile(self.layout.low, players), np.tile(self.layout.high, players)
        self.state_space = spaces.Box(low, high, dtype=np.float32)
        self.agents: list[str] = []

    @property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers; its text is a table."""
        return self.episode.encoder.layout

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of `observation` and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 (a space, of either kind)
        """Return the space of the numbers of actions, or of numbers and holds."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        Args:
            seed: Root seed, as of `pigglesim match --seed`. Default: a seed derived from the last
                one and the number of matches since.
            options: `{"position": TEXT}` begins from a state, as `Game.format_state` writes it.

        Raises:
            SpecError: If the seed is out of range, or the position impossible.
        """
        self.episode.begin(seed, position=read_options(options))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[0]
        self._update()

    def _update(self) -> None:
        """Update the player to move, or the rewards at the end, and the infos."""
        seat = self.episode.to_move
        if seat is not None:
            self.agent_selection = self._agent_at[seat]
        else:
            rewards = self.episode.final_rewards()
            self.rewards = {agent: rewards[self.seats[agent]] for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: self.episode.info(self.seats[agent]) for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:  # noqa: ANN401 (of the action space)
        """Take an action for the player to move.

        Args:
            action: Number of the action, with `aim` also the hold; None for a player who is out.

        Raises:
            IllegalActionError: If it is not legal; the match is then unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise SpecError(
                f"no action of {agent}, who is to move", fix="use one of the action mask"
            )
        self.episode.take(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._update()
        self._accumulate_rewards()

    def observe(self, agent: str) -> AgentObservation:
        """Return a player's observation and action mask, all 0 unless it is to move."""
        return self.episode.agent_observation(self.seats[agent])

    def state(self) -> NDArray[np.float32]:
        """Return the observations of all players, shape [players * layout.size]."""
        return np.concatenate([self.episode.observation(seat) for seat in self.seats.values()])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text (`ansi`) or image (`rgb_array`), or print it (`human`)."""
        return self.episode.render(self.render_mode)

    def close(self) -> None:
        """Do nothing: there is no window to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])


def raw_env(
    rules: str | Game[Any, Any] = "classic",
    *,
    seed: int | None = None,
    render_mode: str | None = None,
    **options: Any,  # noqa: ANN401 (of an episode and of make_table)
) -> MatchEnv:
    """Return the environment without PettingZoo's wrappers.

    Options are `EpisodeOptions`, and `chance`, `house_rules`, `team_a`, `team_b`, `scene`, `odds`
    and `engine` of `make_table`.

    Raises:
        SpecError: If a name is unknown, or a file is invalid.
    """
    own, table = split_options(options)
    return MatchEnv(make_table(rules, **table), seed=seed, render_mode=render_mode, **own)


def env(
    rules: str | Game[Any, Any] = "classic",
    *,
    illegal: str = "loses",
    **options: Any,  # noqa: ANN401 (of raw_env)
) -> AECEnv:
    """Return the environment as PettingZoo wraps it.

    Args:
        rules: Name of a game, or your own, as in `make_table`.
        illegal: Effect of an action outside the mask: it `loses` the match, or it `raises`
            `IllegalActionError` and changes nothing.
        options: Options of `raw_env`.

    Raises:
        SpecError: If a name is unknown, a file is invalid, or `aim` is set.
    """
    check_illegal(illegal)
    if options.get("aim"):
        raise SpecError(
            "PettingZoo's wrappers take actions without a hold", fix="use raw_env(..., aim=True)"
        )
    match_env: AECEnv = raw_env(rules, **options)
    if illegal == "loses":
        penalty = match_env.episode.penalty
        match_env = wrappers.TerminateIllegalWrapper(match_env, illegal_reward=penalty)
    match_env = wrappers.AssertOutOfBoundsWrapper(match_env)
    return wrappers.OrderEnforcingWrapper(match_env)
