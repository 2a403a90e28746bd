"""Piggy Six as numbers: the own points first, then the others' in the order of their turns."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pigglesim.adapters.layout import Block, Column, Floats, Layout
from pigglesim.games.piggy_six.rulebook import Observation, PiggySix, SixAction
from pigglesim.games.piggy_six.state import Position, Roll, Stop
from pigglesim.rolls import Seat

__all__ = ["PiggySixEncoder"]

_MOST = 4.0
"""Points above so many times the target are told as that many."""


@dataclass(frozen=True, kw_only=True)
class PiggySixEncoder:
    """Actions and observations of one game of Piggy Six.

    Actions are the rolls that the house rules know, fewest dice first, and last to stop.
    """

    game: PiggySix

    @cached_property
    def layout(self) -> Layout:
        """What stands where in an observation."""
        others = (f"other {number}" for number in range(1, len(self.game.seats)))
        player = (
            Column(name="points", meaning="points written down [target]", high=_MOST),
            Column(name="moves", meaning="has the turn"),
            Column(name="later", meaning="has a turn after the one at hand in this round"),
            Column(name="stop", meaning="turn total at which it stops [target], 0 of a person"),
        )
        dice = (
            Column(name=f"dice_{number}", meaning=f"the turn goes on with {number} dice")
            for number in (1, 2, 3)
        )
        table = (
            Column(name="total", meaning="points of the turn at hand [target]", high=_MOST),
            Column(name="rolls", meaning="rolls of the turn at hand [roll_cap]"),
            *dice,
            Column(name="round", meaning="number of the round [round_cap]"),
            Column(name="over", meaning="the game is over"),
        )
        return Layout(
            blocks=(
                Block(name="players", rows=("own", *others), columns=player),
                Block(name="table", rows=("table",), columns=table),
            )
        )

    @property
    def action_count(self) -> int:
        """How many actions there are in all."""
        return len(self._actions)

    @property
    def full_score(self) -> int:
        """The target [points]."""
        return self.game.rules.target

    @property
    def open_play(self) -> bool:
        """Whether everyone sees every decision and roll: so it is in Piggy Six."""
        return True

    def encode(self, observation: object, seat: Seat) -> Floats:
        """Return what `seat` sees as numbers, shape [layout.size]."""
        assert isinstance(observation, Observation)
        return np.array(list(self._numbers(observation.position, seat)), dtype=np.float32)

    def action_number(self, action: SixAction, seat: Seat) -> int:
        """Return the number of an action, the same for every seat."""
        del seat
        return self._actions.index(action)

    def action_at(self, number: int, seat: Seat) -> SixAction:
        """Return the action with that number."""
        del seat
        return self._actions[number]

    @cached_property
    def _actions(self) -> tuple[SixAction, ...]:
        return (*(Roll(number) for number in self.game.rules.dice_numbers), Stop())

    def _numbers(self, position: Position, seat: Seat) -> Iterator[float]:
        rules = self.game.rules
        order, stops = rules.turn_order, rules.stops
        own, active = order.index(seat), order.index(position.active)
        playing = position.result is None
        for player in (*order[own:], *order[:own]):
            yield min(position.points_of(player) / rules.target, _MOST)
            yield playing and player is position.active
            yield playing and order.index(player) > active
            yield min(stops.get(player, 0) / rules.target, 1.0)
        yield min(position.total / rules.target, _MOST)
        yield position.rolls / rules.roll_cap
        yield from (position.dice == number for number in (1, 2, 3))
        yield position.round / rules.round_cap
        yield not playing
