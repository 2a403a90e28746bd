"""One match after another, as an environment plays them: decisions by number, chance by itself."""

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs.encoding import Floats
from pigglesim.envs.rendering import rendered
from pigglesim.envs.table import LearningTable
from pigglesim.errors import IllegalActionError, SpecError, unknown_name
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.landing import Seat
from pigglesim.rng import MAX_SEED, fresh_seed, generator

Mask = NDArray[np.int8]
"""1 for each action that is legal, else 0, shape [action_count]."""

Seen = dict[str, NDArray[Any]]
"""What a player sees: `observation`, shape [layout.size], and `action_mask`."""


@unique
class Rewards(StrEnum):
    """What a match pays at its end; all players together get 0."""

    RESULT = "result"
    """The winner 1, the others -1 in all; winners who share a win share that, and a draw is 0."""
    SCORE = "score"
    """The own points less the mean of the others', whoever has won."""


def read_rewards(name: str) -> Rewards:
    """Return the rewards of that name.

    Raises:
        SpecError: If there are none.
    """
    if name not in set(Rewards):
        raise unknown_name("kind of rewards", name, Rewards)
    return Rewards(name)


def read_seed(seed: int) -> int:
    """Return a seed that is one.

    Raises:
        SpecError: If it is below 0 or above the largest one.
    """
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"a seed from 0 to {MAX_SEED}", got=str(seed), remedy="seed=7")
    return int(seed)


class Episode:
    """A match that is played decision by decision; what chance answers follows each at once.

    Args:
        table: The game, and what answers its rolls.
        seed: Root seed of the first match; one is chosen if absent.
        rewards: What is paid at the end.
        concede: Whether giving up is an action, the last one.
    """

    def __init__(
        self, table: LearningTable, *, seed: int | None, rewards: Rewards, concede: bool
    ) -> None:
        self.table = table
        self.game = table.game
        self.encoder = table.encoder
        self.state: Any = self.game.initial_state()
        self.seats: tuple[Seat, ...] = tuple(self.game.scores(self.state))
        self.action_count = table.encoder.action_count + concede
        self.rewards = rewards
        self._concede = concede
        self._root = None if seed is None else read_seed(seed)
        self._number = -1
        self.seed = 0
        """Of this match: chance and agents of `pigglesim match --seed` draw the same from it."""
        self.decisions = 0
        """How many there were in this match."""
        self._rolls = 0
        self.told: tuple[str, ...] = ()
        """The last decision and what chance answered to it, in the notation of the game."""
        self.legal: Mapping[int, Any] = {}
        """The legal actions of the player to move, by number."""

    def begin(self, seed: int | None) -> None:
        """Begin the next match.

        Args:
            seed: Root seed; a match without one follows from the last that was given, and from
                how many were begun since.

        Raises:
            SpecError: If the seed is out of range.
        """
        if seed is not None:
            self._root, self._number = read_seed(seed), -1
        elif self._root is None:
            self._root = fresh_seed()
        self._number += 1
        self.seed = self._root
        if self._number:
            rng = generator(self._root, "episode", self._number)
            self.seed = int(rng.integers(MAX_SEED, endpoint=True))
        self._chance = self.table.chance_of(self.seed)
        self.state = self.game.initial_state()
        self.decisions = self._rolls = 0
        self._go_on(())

    @property
    def to_move(self) -> Seat | None:
        """Who decides; None when the match is over."""
        turn = self.game.turn(self.state)
        return turn if isinstance(turn, Seat) else None

    def play(self, number: int) -> None:
        """Take the action of that number, and let chance answer until somebody decides again.

        Raises:
            IllegalActionError: If it is not a legal one; the match stays as it is.
        """
        if number not in self.legal:
            raise self._illegal(number)
        action = self.legal[number]
        self.state = self.game.apply_action(self.state, action)
        self.decisions += 1
        self._go_on((self.game.format_action(action),))

    def stop(self) -> None:
        """End the match where it stands: nobody may do anything any more."""
        self.legal = {}

    def _illegal(self, number: int) -> IllegalActionError:
        seat = self.to_move
        got = f"number {number}"
        if seat is not None and 0 <= number < self.action_count:
            got += f", {self.game.format_action(self.action_at(number, seat))!r}"
        return IllegalActionError(
            "an action of the action mask",
            got=got,
            remedy=f"one of {', '.join(map(str, list(self.legal)[:8]))}, ..."
            if self.legal
            else "reset()",
            rule="R5",
        )

    def action_at(self, number: int, seat: Seat) -> Any:  # noqa: ANN401 (of any game)
        """Return the action of `seat` with that number, legal or not."""
        if number == self.encoder.action_count:
            return Concede()
        return self.encoder.action_at(number, seat)

    def number_of(self, action: Any, seat: Seat) -> int:  # noqa: ANN401 (of any game)
        """Return the number of an action of `seat`."""
        if isinstance(action, Concede):
            return self.encoder.action_count
        return self.encoder.action_number(action, seat)

    def _go_on(self, told: tuple[str, ...]) -> None:
        """Let chance answer until a player decides or the match is over."""
        while self.game.turn(self.state) is NonPlayer.CHANCE:
            request = self.game.chance_request(self.state)
            outcome = self._chance.answer(request, index=self._rolls)
            told = (*told, self.game.format_outcome(self.state, outcome))
            self.state = self.game.apply_outcome(self.state, outcome)
            self._rolls += 1
        self.told = told
        seat = self.to_move
        self.legal = (
            {}
            if seat is None
            else {
                self.number_of(action, seat): action
                for action in self.game.legal_actions(self.state)
                if self._concede or not isinstance(action, Concede)
            }
        )

    def mask(self, seat: Seat) -> Mask:
        """Return which actions `seat` may take now: none unless it decides."""
        mask = np.zeros(self.action_count, dtype=np.int8)
        if seat is self.to_move:
            mask[list(self.legal)] = 1
        return mask

    def observation(self, seat: Seat) -> Floats:
        """Return what `seat` sees as numbers."""
        return self.encoder.encode(self.game.observe(self.state, seat), seat)

    def seen(self, seat: Seat) -> Seen:
        """Return what `seat` sees, and what it may do."""
        return {"observation": self.observation(seat), "action_mask": self.mask(seat)}

    def paid(self) -> dict[Seat, float]:
        """Return what the match that is over pays each player."""
        others = len(self.seats) - 1
        scores = self.game.scores(self.state)
        if self.rewards is Rewards.SCORE:
            whole = sum(scores.values())
            return {seat: own - (whole - own) / others for seat, own in scores.items()}
        result = self.game.result(self.state)
        if result is None:
            return dict.fromkeys(self.seats, 0.0)
        shares = result.shares(self.seats)
        return {seat: share - (1.0 - share) / others for seat, share in shares.items()}

    @property
    def penalty(self) -> float:
        """What an illegal action pays who takes it: as much as the worst way to lose."""
        return -1.0 if self.rewards is Rewards.RESULT else -float(self.encoder.full_score)

    def info(self, seat: Seat) -> dict[str, Any]:
        """Return what else there is to tell `seat`, and of a match that is over how it ended."""
        told: dict[str, Any] = {
            "seat": seat.value,
            "seed": self.seed,
            "round": self.game.round_of(self.state),
            "told": list(self.told) if self.encoder.open_play else [],
        }
        result = self.game.result(self.state)
        if result is not None:
            told["winner"] = result.winner.value if result.winner else ""
            told["reason"] = str(result.reason)
            told["scores"] = {s.value: score for s, score in self.game.scores(self.state).items()}
        return told

    def render(self, mode: str | None) -> str | NDArray[np.uint8] | None:
        """Return the position as text or image, or print it where the mode is `human`.

        Raises:
            SpecError: If there is no mode.
        """
        told = self.told[0] if self.told and self.encoder.open_play else ""
        return rendered(self.table.painter, self.state, told, mode)
