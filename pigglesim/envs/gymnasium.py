"""Matches as environments of Gymnasium: one seat decides, agents of pigglesim play the others.

Importing this module registers `PigglesClassic-v0`, `PigglesModern-v0` and all other games:

    import gymnasium
    import pigglesim.envs.gymnasium

    env = gymnasium.make("PigglesClassic-v0", opponent="greedy")

MaskablePPO of sb3-contrib finds the action masks in `action_masks()`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs import expect_extra

expect_extra("gymnasium")

import gymnasium  # noqa: E402 (after it was looked for)

from pigglesim.envs.encoding import FeatureLayout  # noqa: E402
from pigglesim.envs.episode import (  # noqa: E402
    RENDER_MODES,
    AgentObservation,
    Episode,
    Policy,
    check_illegal,
    check_render_mode,
    game_of,
    make_table,
    read_options,
    read_seed,
    render_modes,
    rule_names,
    split_options,
)
from pigglesim.errors import IllegalActionError, SpecError, unknown_name  # noqa: E402
from pigglesim.games.game import Game  # noqa: E402
from pigglesim.rng import generator  # noqa: E402

_EITHER = "either"
_MAX_MATCHES = 1000
"""Maximum matches begun until the caller decides in one."""

IDS = {rules: f"{game_of(rules).title().replace('_', '')}-v0" for rules in rule_names()}
"""Gymnasium's id of each environment, by the name of its rules."""


class SeatEnv(gymnasium.Env[Any, Any]):
    """A match for one player; the others decide within a step.

    Args:
        rules: Name of a game, or your own, as in `make_table`.
        opponent: Agent at every other seat, such as `greedy`.
        seat: Seat of the caller: `A`, `B`, or `either`, which is drawn for each match.
        illegal: Effect of an action outside the mask: it `loses` the match, or it `raises`
            `IllegalActionError` and changes nothing.
        render_mode: `ansi`, `human`, `rgb_array` or None.
        options: `EpisodeOptions`, and `chance`, `house_rules`, `team_a`, `team_b`, `scene`, `odds`
            and `engine` of `make_table`.

    Raises:
        SpecError: If a name is unknown, or a file is invalid.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (Gymnasium's)

    def __init__(
        self,
        rules: str | Game[Any, Any] = "classic",
        *,
        opponent: str = "greedy",
        seat: str = _EITHER,
        illegal: str = "loses",
        render_mode: str | None = None,
        **options: Any,  # noqa: ANN401 (of an episode and of make_table)
    ) -> None:
        own, table = split_options(options)
        learning_table = make_table(rules, **table)
        check_illegal(illegal)
        self.render_mode = check_render_mode(render_mode, learning_table.painter)
        self.metadata = {**self.metadata, "render_modes": render_modes(learning_table.painter)}
        self.episode = Episode(learning_table, seed=None, **own)
        self._seats = tuple(seat for seat in self.episode.seats if seat not in learning_table.idle)
        seats = {seat.value: seat for seat in self._seats}
        if seat not in {*seats, _EITHER}:
            raise unknown_name("seat", seat, (*seats, _EITHER))
        self._requested_seat = seats.get(seat)
        self._opponent = Policy(opponent)
        self._raises = illegal == "raises"
        self.seat = self.episode.seats[0]
        count = self.episode.action_count
        self.action_space = self.episode.action_space
        self.observation_space = self.layout.space(count)

    @property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers; its text is a table."""
        return self.episode.encoder.layout

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[AgentObservation, dict[str, Any]]:
        """Begin a match, and play for the others until the caller decides.

        If the others end a match before that, the next one begins.

        Args:
            seed: Root seed. Default: a seed derived from the last one and the number of matches
                since.
            options: `{"position": TEXT}` begins from a state, as `Game.format_state` writes it.

        Raises:
            SpecError: If the seed is out of range, or the position impossible, or the caller does
                not decide in any of many matches from it.
        """
        position = read_options(options)
        super().reset(seed=None if seed is None else read_seed(seed))
        self.episode.begin(seed, position=position)
        self._sit_down()
        for _ in range(_MAX_MATCHES):
            if self.episode.to_move is not None:
                break
            self.episode.begin(None, position=position)
            self._sit_down()
        else:
            raise SpecError(
                f"{_MAX_MATCHES} matches ended before {self.seat} was to move",
                fix="use another position, or another seat",
            )
        if self.render_mode == "human":
            self.render()
        return self._observe(), self.episode.info(self.seat)

    def _sit_down(self) -> None:
        """Choose a seat, and play for the others until it is to move."""
        seats = self._seats
        drawn = int(generator(self.episode.seed, "seat").integers(len(seats)))
        self.seat = self._requested_seat or seats[drawn]
        self._wait()

    def _wait(self) -> None:
        while self.episode.to_move not in {self.seat, None}:
            self.episode.play(self._opponent.decide(self.episode))

    def step(
        self,
        action: Any,  # noqa: ANN401 (of the action space)
    ) -> tuple[AgentObservation, float, bool, bool, dict[str, Any]]:
        """Take an action, and play for the others until the caller decides again.

        The action is its number; with `aim` also the hold.

        Raises:
            IllegalActionError: If it is not legal, and illegal actions raise.
        """
        try:
            self.episode.take(action)
        except IllegalActionError as fault:
            if self._raises or not self.episode.legal:
                raise
            self.episode.stop()
            info = {**self.episode.info(self.seat), "illegal": str(fault)}
            return self._observe(), self.episode.penalty, True, False, info
        self._wait()
        over = self.episode.to_move is None
        reward = self.episode.final_rewards()[self.seat] if over else 0.0
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, over, False, self.episode.info(self.seat)

    def _observe(self) -> AgentObservation:
        return self.episode.agent_observation(self.seat)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions, for sb3-contrib, shape [action_count]."""
        return self.episode.mask(self.seat).astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text (`ansi`) or image (`rgb_array`), or print it (`human`)."""
        return self.episode.render(self.render_mode)


_COMPILED = {"classic", "modern", "pig_pile", "piggy_six", "piggyback"}
"""Rules that compiled code plays at many places."""
_VECTOR = "pigglesim.envs.vector:SeatVectorEnv"

for _rules, _id in IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(
            id=_id,
            entry_point="pigglesim.envs.gymnasium:SeatEnv",
            vector_entry_point=_VECTOR if _rules in _COMPILED else None,
            kwargs={"rules": _rules},
        )
