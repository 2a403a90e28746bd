"""Many matches at once as a vector environment of Gymnasium, in compiled code.

Each place plays the matches of `pigglesim.envs.gymnasium`, with the same actions, observations and
masks: Piggles by odds, Piggy Six, Pig Pile and Piggyback.

    from pigglesim.envs.vector import SeatVectorEnv

    env = SeatVectorEnv("classic", num_envs=4096, opponent="greedy")
    seen, infos = env.reset(seed=7)
    actions = np.array([np.flatnonzero(mask)[0] for mask in seen["action_mask"]])
    seen, rewards, terminated, truncated, infos = env.step(actions)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs import expect_extra

expect_extra("gymnasium")

from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402 (after it was looked for)
from gymnasium.vector.utils import batch_space  # noqa: E402

from pigglesim.agents.places import EITHER, GOES_ON, MAX_MATCHES, SEEDS, Bools  # noqa: E402
from pigglesim.envs.encoding import FeatureLayout  # noqa: E402
from pigglesim.envs.episode import Rewards, check_illegal, make_table, read_seed  # noqa: E402
from pigglesim.envs.vector_games import vector_game  # noqa: E402
from pigglesim.errors import IllegalActionError, SpecError, unknown_name  # noqa: E402
from pigglesim.rng import root_seed, sub_seed  # noqa: E402

MAX_PLACES = 65_536
"""Maximum number of matches at once: 0.4 GB in Modern."""
_TABLE = {"house_rules", "team_a", "team_b"}
"""Arguments of `make_table` that may be given: chance is by odds, or fair."""
_EITHER = "either"
_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)

Observations = dict[str, NDArray[Any]]
"""Dictionary of `observation` and `action_mask`, with a row per place."""


class SeatVectorEnv(VectorEnv[Observations, Any, NDArray[Any]]):
    """Matches for one player each; the others decide within a step.

    Place i has a random stream of its own, so its matches depend on its seed and on its actions
    alone. They are not those of `SeatEnv` under the same seed, only of the same distribution.

    Args:
        rules: `classic`, `modern`, `piggy_six`, `pig_pile` or `piggyback`.
        num_envs: Number of matches at once.
        opponent: Agent at every other seat: `greedy`, `uniform`, `threshold:POINTS` in Piggles, or
            `hold:POINTS` in Piggy Six.
        seat: Seat of the caller, such as `A`, or `either`, which is drawn for each match.
        illegal: Effect of an action outside the mask: it `loses` the match, or it `raises`
            `IllegalActionError` and changes nothing.
        rewards: Reward at the end: `result` (1, -1, 0) or `score` (difference in points, from the
            mean of the others).
        autoreset_mode: When the next match of a place begins: in the step after the end, which
            ignores the action, in the same step, or by `reset(options={"reset_mask": MASK})`.
        copy: True to return new arrays; else the next step writes into the returned ones, which
            must stay unchanged until then.
        table: `house_rules`, `team_a` and `team_b` of `make_table`.

    Raises:
        SpecError: If a name is unknown, a number out of range, or compiled code does not support
            the game or a house rule.
    """

    def __init__(
        self,
        rules: str = "classic",
        *,
        num_envs: int = 1,
        opponent: str = "greedy",
        seat: str = "either",
        illegal: str = "loses",
        rewards: str = "result",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **table: Any,  # noqa: ANN401 (of make_table)
    ) -> None:
        if int(num_envs) != num_envs or not 1 <= num_envs <= MAX_PLACES:
            raise SpecError(
                f"invalid number of matches {num_envs}",
                expected=f"1 to {MAX_PLACES}",
                fix="use num_envs=4096",
            )
        num_envs = int(num_envs)
        if others := [f"{name}={value}" for name, value in table.items() if name not in _TABLE]:
            raise SpecError(
                f"compiled code has no {', '.join(others)}",
                expected=", ".join(sorted(_TABLE)),
                fix="use pigglesim.envs.gymnasium",
            )
        check_illegal(illegal)
        if rewards not in {*Rewards}:
            raise unknown_name("kind of rewards", rewards, Rewards)
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = autoreset_mode if autoreset_mode in _MODES else modes.get(str(autoreset_mode))
        if mode is None:
            raise unknown_name("autoreset mode", str(autoreset_mode), modes)
        learning_table = make_table(rules, **table)
        self._encoder, game = learning_table.encoder, learning_table.game
        self._players = tuple(game.scores(game.initial_state()))
        seats = {player.value: at for at, player in enumerate(self._players)} | {_EITHER: EITHER}
        if seat not in seats:
            raise unknown_name("seat", seat, seats)
        self._game = vector_game(learning_table, num_envs, opponent, seats[seat])
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self._raises, self._copy, self._begun = illegal == "raises", copy, False
        self._by_score = rewards == Rewards.SCORE
        size, count = self.layout.size, self._encoder.action_count
        self._seen: Observations = {
            "observation": np.zeros((num_envs, size), dtype=np.float32),
            "action_mask": np.zeros((num_envs, count), dtype=np.int8),
        }
        self.single_observation_space = self.layout.space(count)
        self.single_action_space = _discrete(count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers; its text is a table."""
        return self._encoder.layout

    @property
    def seats(self) -> NDArray[np.int64]:
        """Seat of the caller in each match, 0 for A."""
        return self._game.places.seats.copy()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin a match at each place.

        Args:
            seed: Seed of the first place, where the others have the next ones; or one per place.
                Default: the next matches of the last seeds.
            options: `{"reset_mask": MASK}` begins only at those places.

        Raises:
            SpecError: If a seed is out of range, or there are more or fewer than places.
        """
        at, seeds, places = self._chosen(options), self._seeds(seed), self._game.places
        for place in np.flatnonzero(at).tolist():
            if (own := seeds[place]) is not None:
                places.streams[place, SEEDS] = sub_seed(own, "vector")
        self._begun = True
        places.over[at] = True
        self._begin(at)
        self._game.observe(at, *self._seen.values())
        return self._observations(), {}

    def _begin(self, at: Bools) -> None:
        self._game.play(at, np.zeros(self.num_envs, dtype=np.int64))
        self._expect_begun(at)

    def _expect_begun(self, at: Bools) -> None:
        if (never := self._game.places.over & at).any():
            raise SpecError(
                f"{MAX_MATCHES} matches ended before the caller of match {never.argmax()} decided",
                fix="use other house rules, or another seat",
            )

    def _chosen(self, options: Mapping[str, Any] | None) -> Bools:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        mask = (options or {}).get("reset_mask", everywhere)
        if not isinstance(mask, np.ndarray) or (mask.shape, mask.dtype) != ((self.num_envs,), bool):
            raise SpecError(
                "invalid reset_mask", fix=f"give a numpy array of {self.num_envs} bools"
            )
        return mask if self._begun else everywhere

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None and self._begun:
            return [None] * self.num_envs
        if seed is None or isinstance(seed, int | np.integer):
            first = root_seed(None) if seed is None else read_seed(int(seed))
            read_seed(first + self.num_envs - 1)
            return [first + place for place in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise SpecError(
                f"{len(seed)} seeds of {self.num_envs} matches", fix="give one per match"
            )
        fresh = [root_seed(None) if each is None and not self._begun else each for each in seed]
        return [None if each is None else read_seed(each) for each in fresh]

    def step(
        self,
        actions: Any,  # noqa: ANN401 (of the action space)
    ) -> tuple[Observations, NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """Take an action in each match, and play for the others until the caller decides again.

        The infos have the `scores` of the matches that ended, by seat; under `SAME_STEP` they have
        `final_obs` too, as `SyncVectorEnv` of Gymnasium.

        Raises:
            IllegalActionError: If an action is not legal, and illegal actions raise.
            SpecError: If they are not one number per match, or a match has not begun.
        """
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise SpecError(
                f"actions of shape {numbers.shape} and type {numbers.dtype}",
                fix=f"give {self.num_envs} whole numbers, one per match",
            )
        numbers, places = numbers.astype(np.int64), self._game.places
        over, same_step = places.over.copy(), self.autoreset_mode is AutoresetMode.SAME_STEP
        if not self._begun or (over.any() and self.autoreset_mode is AutoresetMode.DISABLED):
            raise SpecError(
                f"match {over.argmax()} is over or has not begun",
                fix='call reset(), or reset(options={"reset_mask": mask})',
            )
        legal = over | self._are_legal(numbers)
        if self._raises and not legal.all():
            raise IllegalActionError(
                f"action {numbers[legal.argmin()]} of match {legal.argmin()} is illegal",
                fix="use one of its action_mask",
                rule="the action mask",
            )
        places.over[~legal] = True
        self._game.play(legal, numbers)
        self._expect_begun(over)
        ended = places.over & ~over
        rewards, infos = self._rewards(ended), self._infos(ended)
        if same_step and ended.any():
            infos = self._final(ended, infos)
            self._begin(ended)
        self._game.observe(np.ones(self.num_envs, dtype=np.bool_), *self._seen.values())
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return self._observations(), rewards, ended, truncated, infos

    def _are_legal(self, numbers: NDArray[np.int64]) -> Bools:
        mask = self._seen["action_mask"]
        known: Bools = (numbers >= 0) & (numbers < mask.shape[1])
        known &= mask[np.arange(self.num_envs), numbers * known] == 1
        return known

    def _rewards(self, ended: Bools) -> NDArray[np.float64]:
        """Return the rewards as those of `Episode`; an illegal action is the worst loss."""
        places, others = self._game.places, len(self._players) - 1
        if self._by_score:
            own = places.scores[np.arange(self.num_envs), places.seats]
            paid = own - (places.scores.sum(axis=1) - own) / others
            penalty = -float(self._encoder.full_score)
        else:
            paid = places.outcome - (1.0 - places.outcome) / others
            penalty = -1.0
        return np.where(places.outcome == GOES_ON, penalty, paid) * ended

    def _observations(self) -> Observations:
        if not self._copy:
            return dict(self._seen)
        return {name: part.copy() for name, part in self._seen.items()}

    def _infos(self, ended: Bools) -> dict[str, Any]:
        if not ended.any():
            return {}
        scores: dict[str, Any] = {}
        for at, player in enumerate(self._players):
            own = self._game.places.scores[:, at] * ended
            scores |= {player.value: own, f"_{player.value}": ended}
        return {"scores": scores, "_scores": ended}

    def _final(self, ended: Bools, infos: dict[str, Any]) -> dict[str, Any]:
        """Return the infos with the last observations of matches, as those of `SyncVectorEnv`."""
        self._game.observe(ended, *self._seen.values())
        final = np.full(self.num_envs, None, dtype=object)
        nothing = np.zeros(self._encoder.action_count, dtype=np.int8)
        final[ended] = [
            {"observation": numbers, "action_mask": nothing}
            for numbers in self._seen["observation"][ended]
        ]
        return {
            "final_obs": final,
            "_final_obs": ended,
            "final_info": infos,
            "_final_info": ended,
        }


def _discrete(count: int) -> Any:  # noqa: ANN401 (a space of Gymnasium)
    from gymnasium import spaces  # noqa: PLC0415 (of an extra)

    return spaces.Discrete(count)
