"""Many matches at once as a vector environment of Gymnasium, in compiled code.

Each place plays the matches of `pigglesim.envs.gymnasium` by odds, with the same actions,
observations and masks: Piggles, Classic and Modern.

    from pigglesim.envs.vector import SeatVectorEnv

    env = SeatVectorEnv("classic", num_envs=4096, opponent="greedy")
    seen, infos = env.reset(seed=7)
    actions = np.array([np.flatnonzero(mask)[0] for mask in seen["action_mask"]])
    seen, rewards, terminated, truncated, infos = env.step(actions)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs import expect_extra

expect_extra("gymnasium")

from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402 (after it was looked for)
from gymnasium.vector.utils import batch_space  # noqa: E402

from pigglesim.agents import piggles_steps as kernel  # noqa: E402
from pigglesim.agents.compiled_playouts import (  # noqa: E402
    now_of,
    piggles_playouts,
    pigs_of,
)
from pigglesim.agents.piggles_kernel import PigglesTable  # noqa: E402
from pigglesim.agents.registry import canonical_name, parse_name  # noqa: E402
from pigglesim.chance.tabular import believed_chance  # noqa: E402
from pigglesim.envs.encoding import FeatureLayout  # noqa: E402
from pigglesim.envs.episode import (  # noqa: E402
    LearningTable,
    Rewards,
    check_illegal,
    make_table,
    read_seed,
)
from pigglesim.envs.piggles import (  # noqa: E402
    FULL_TALLY,
    PIGGLES,
    ZONE_COLUMNS,
    PigglesEncoder,
    marking_row,
    piggles_of,
)
from pigglesim.errors import IllegalActionError, SpecError, unknown_name  # noqa: E402
from pigglesim.games.piggles.areas import Load  # noqa: E402
from pigglesim.landing import BOARD_SEATS, Orientation, Seat, Zone  # noqa: E402
from pigglesim.precompile import compile_for  # noqa: E402
from pigglesim.rng import root_seed, sub_seed  # noqa: E402
from pigglesim.signals import signals_deferred  # noqa: E402

MAX_PLACES = 65_536
"""Maximum number of matches at once: 0.4 GB in Modern."""
_AREAS = ("pen", "board", "mud", "kitchen", "cup")
"""Columns of the areas of a Piggle, in the kernel's order."""
_SEATS = {"A": 0, "B": 1, "either": kernel.EITHER}
_OPPONENTS = ("greedy", "threshold", "uniform")
_MODES = {
    AutoresetMode.NEXT_STEP: kernel.NEXT_STEP,
    AutoresetMode.SAME_STEP: kernel.SAME_STEP,
    AutoresetMode.DISABLED: kernel.DISABLED,
}

Observations = dict[str, NDArray[Any]]
"""Dictionary of `observation` and `action_mask`, with a row per place."""
Bools = NDArray[np.bool_]


class SeatVectorEnv(VectorEnv[Observations, Any, NDArray[Any]]):
    """Matches for one player each; the others decide within a step.

    Place i has a random stream of its own, so its matches depend on its seed and on its actions
    alone. They are not those of `SeatEnv` under the same seed, only of the same distribution.

    Args:
        rules: `classic` or `modern`.
        num_envs: Number of matches at once.
        opponent: Agent at the other seat: `greedy`, `threshold:POINTS` or `uniform`.
        seat: Seat of the caller: `A`, `B`, or `either`, which is drawn for each match.
        illegal: Effect of an action outside the mask: it `loses` the match, or it `raises`
            `IllegalActionError` and changes nothing.
        rewards: Reward at the end: `result` (1, -1, 0) or `score` (difference in points).
        autoreset_mode: When the next match of a place begins: in the step after the end, which
            ignores the action, in the same step, or by `reset(options={"reset_mask": MASK})`.
        copy: True to return new arrays; else the next step writes into the returned ones.
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
        if not 1 <= num_envs <= MAX_PLACES:
            raise SpecError(
                f"invalid number of matches {num_envs}",
                expected=f"1 to {MAX_PLACES}",
                fix="use num_envs=4096",
            )
        check_illegal(illegal)
        for name, value, known in (("seat", seat, _SEATS), ("kind of rewards", rewards, Rewards)):
            if value not in {*known}:
                raise unknown_name(name, value, known)
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = autoreset_mode if autoreset_mode in _MODES else modes.get(str(autoreset_mode))
        if mode is None:
            raise unknown_name("autoreset mode", str(autoreset_mode), modes)
        learning_table = make_table(rules, **table)
        compile_for("matches")
        self._encoder = _encoder(learning_table)
        self._table, kind = _rules_of(self._encoder, learning_table.models, opponent)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self._numbers = _layout_of(self._encoder)
        self._raises, self._copy, self._begun = illegal == "raises", copy, False
        start = self._encoder.game.initial_state()
        by_score = rewards == Rewards.SCORE
        self._setting = kernel.Setting(
            pigs=pigs_of(start),
            now=now_of(start),
            seat=_SEATS[seat],
            opponent=kernel.UNIFORM if kind == "uniform" else kernel.GREEDY,
            by_score=by_score,
            penalty=-float(self._encoder.full_score) if by_score else -1.0,
            autoreset=_MODES[self.autoreset_mode],
        )
        size, count = self.layout.size, self._encoder.action_count
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._matches = kernel.new_matches(num_envs)
        self._answers = kernel.new_answers(num_envs, size, count, final=same_step)
        self._scratch = np.zeros((PIGGLES, 2)), np.zeros(count, dtype=np.int64)
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
        """Seat of the caller in each match, 0 for A and 1 for B."""
        return self._matches.seats.copy()

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
        places, seeds, matches = self._chosen(options), self._seeds(seed), self._matches
        for place in np.flatnonzero(places).tolist():
            if (own := seeds[place]) is not None:
                matches.streams[place, kernel.SEEDS] = sub_seed(own, "vector")
        self._begun = True
        matches.over[places] = True
        at = np.flatnonzero(places)
        chosen = _rows(matches, at)
        answers = _rows(self._answers, at)
        setting = self._setting._replace(autoreset=kernel.NEXT_STEP)
        self._step(chosen, np.zeros(len(at), dtype=np.int64), setting, answers)
        stored: list[NDArray[Any]] = [*matches, *self._answers]
        for whole, part in zip(stored, (*chosen, *answers), strict=True):
            if len(whole):
                whole[at] = part
        return self._observations(), {}

    def _step(
        self,
        matches: kernel.Matches,
        actions: NDArray[np.int64],
        setting: kernel.Setting,
        answers: kernel.Answers,
    ) -> None:
        with signals_deferred():
            parts = (matches, actions, self._table, self._numbers, setting, answers)
            kernel.step(*parts, *self._scratch)

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
        numbers = numbers.astype(np.int64)
        over = self._matches.over
        if not self._begun or (over.any() and self.autoreset_mode is AutoresetMode.DISABLED):
            raise SpecError(
                f"match {over.argmax()} is over or has not begun",
                fix='call reset(), or reset(options={"reset_mask": mask})',
            )
        if self._raises:
            self._check(numbers)
        self._step(self._matches, numbers, self._setting, self._answers)
        rewards, ended = self._answers.reward.copy(), self._answers.ended.copy()
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return self._observations(), rewards, ended, truncated, self._infos(ended)

    def _check(self, numbers: NDArray[np.int64]) -> None:
        with signals_deferred():
            at = kernel.first_illegal(self._matches, numbers, self._table, self._numbers)
        if at >= 0:
            raise IllegalActionError(
                f"action {numbers[at]} of match {at} is illegal",
                fix="use one of its action_mask",
                rule="the action mask",
            )

    def _observations(self) -> Observations:
        found: Observations = {
            "observation": self._answers.observation,
            "action_mask": self._answers.mask,
        }
        return {name: part.copy() for name, part in found.items()} if self._copy else found

    def _infos(self, ended: Bools) -> dict[str, Any]:
        if not ended.any():
            return {}
        scores: dict[str, Any] = {}
        for at, seat in enumerate(BOARD_SEATS):
            scores |= {seat.value: self._answers.score[:, at] * ended, f"_{seat.value}": ended}
        infos = {"scores": scores, "_scores": ended}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return infos
        final = np.full(self.num_envs, None, dtype=object)
        nothing = np.zeros(self._encoder.action_count, dtype=np.int8)
        final[ended] = [
            {"observation": numbers, "action_mask": nothing}
            for numbers in self._answers.final[ended]
        ]
        return {
            "final_obs": final,
            "_final_obs": ended,
            "final_info": infos,
            "_final_info": ended,
        }


def _rows(parts: Any, at: NDArray[np.int64]) -> Any:  # noqa: ANN401 (of the class of the parts)
    """Return copies of the parts at some places; parts without rows stay as they are."""
    named = zip(parts._fields, parts, strict=True)
    return parts._replace(**{name: part[at] for name, part in named if len(part)})


def _discrete(count: int) -> Any:  # noqa: ANN401 (a space of Gymnasium)
    from gymnasium import spaces  # noqa: PLC0415 (of an extra)

    return spaces.Discrete(count)


def _encoder(learning_table: LearningTable) -> PigglesEncoder:
    encoder = learning_table.encoder
    if not isinstance(encoder, PigglesEncoder):
        raise SpecError(
            f"compiled code does not play {learning_table.game.name} in environments",
            expected="classic or modern",
            fix="use pigglesim.envs.gymnasium",
        )
    return encoder


def _rules_of(
    encoder: PigglesEncoder, models: Mapping[str, str], opponent: str
) -> tuple[PigglesTable, str]:
    """Return rules and odds as numbers, with the threshold of the opponent, and its kind."""
    # Each Piggle rolls by the supplied odds of its model, and greedy believes so.
    chance = believed_chance("piggle", models)
    playouts = piggles_playouts(encoder.game, chance)
    if playouts is None:
        raise SpecError(
            "compiled code does not support these house rules", fix="use pigglesim.envs.gymnasium"
        )
    kind, values = parse_name(canonical_name(opponent))
    if kind not in _OPPONENTS:
        raise unknown_name("opponent in compiled code", opponent, _OPPONENTS)
    return replace(playouts, threshold=float(values.get("points") or 0.0)).table, kind


def _layout_of(encoder: PigglesEncoder) -> kernel.Layout:
    """Return the actions and observations of a game as numbers."""
    piggles, table = encoder.layout.blocks
    at = {column.name: place for place, column in enumerate(piggles.columns)}
    table_at = {each.name: piggles.size + place for place, each in enumerate(table.columns)}
    bits = {piggle: 1 << bit for bit, piggle in enumerate(piggles_of(Seat.A))}
    actions = (encoder.action_at(number, Seat.A) for number in range(encoder.action_count))
    loads = np.array(
        [sum(bits[p] for p in action.piggles) for action in actions if isinstance(action, Load)]
    )
    numbers = np.full(1 << int(loads.max()).bit_length(), -1)
    numbers[loads] = np.arange(len(loads))
    markings = dict(encoder.game.lineup)
    rows = (
        [marking_row(markings[p]) if p in markings else {} for p in piggles_of(seat)]
        for seat in BOARD_SEATS
    )
    zones = [zone for zone in Zone if zone is not Zone.OFF]
    return kernel.Layout(
        numbers=numbers,
        loads=loads,
        blank=np.array([encoder.layout.numbers((each, ({},))) for each in rows]),
        width=len(piggles.columns),
        areas=np.array([at[name] for name in _AREAS]),
        poses=np.array([at[pose.value] for pose in Orientation]),
        zones=np.array([[at[ZONE_COLUMNS[s][zone]] for zone in zones] for s in BOARD_SEATS]),
        piggle=np.array([at.get(name, -1) for name in kernel.PIGGLE_COLUMNS]),
        table=np.array([table_at[name] for name in kernel.TABLE_COLUMNS]),
        point=float(FULL_TALLY),
    )
