"""Exact values of Piggy Six in a page without a server, by its usual rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any

from pigglesim.agents.solved_six import SolvedSix
from pigglesim.games import piggy_six as six
from pigglesim.landing import Seat

_DICE = 2
_ROLLS = [*product(range(1, 7), repeat=_DICE)]


def _share(wanted: six.Fate, total: int | None = None) -> float:
    """Return the probability of a fate, with a sum of the dice if one is given."""
    rolls = (roll for roll in _ROLLS if total is None or sum(roll) == total)
    return sum(six.fate_of(roll) is wanted for roll in rolls) / len(_ROLLS)


_GAINS = [(gain, _share(six.Fate.POINTS, gain)) for gain in range(1, 6 * _DICE + 1)]
_BUST, _RESET = _share(six.Fate.BUST), _share(six.Fate.RESET)
_MOST = max(gain for gain, share in _GAINS if share)
_MARGIN = 8 * _MOST
"""Number of distinct scores from the target up, as the solver has them."""


def _roll(bust: float, reset: float, after: Sequence[float]) -> float:
    """Return the value of a roll; `after` are those of the score and of higher ones."""
    value = _BUST * bust + _RESET * reset
    for gain, share in _GAINS[:_MOST]:
        value += share * after[gain]
    return value


@dataclass(frozen=True, slots=True)
class Turn:
    """Values in a turn, by the score with the points of the turn.

    They are those of `solvers.kernel.column` for two dice and best play, with the same bits.

    Args:
        own: Banked points.
        stops: Value of a stop; with more points the player has won.
        bust: Value of a lost turn.
        reset: Value of lost points.
    """

    own: int
    stops: Sequence[float]
    bust: float
    reset: float

    def roll(self, score: int) -> float:
        """Return the value of a roll."""
        values = [1.0] * (max(len(self.stops), score) + _MOST + 1)
        for at in range(len(self.stops) - 1, score, -1):
            roll = _roll(self.bust, self.reset, values[at : at + _MOST + 1])
            values[at] = max(roll, self.stops[at])
        return _roll(self.bust, self.reset, values[score : score + _MOST + 1])

    def stop(self, score: int) -> float:
        """Return the value of a stop."""
        return self.stops[score] if score < len(self.stops) else 1.0


def _last_turn(own: int, other: int) -> Turn:
    """Return the turn of the second player after the first has reached the target."""
    return Turn(own, [*[0.0] * other, 0.5], 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class PageSolution(SolvedSix):
    """An agent that has the value of each turn, and makes those of actions of them."""

    name: str = "best"
    error: float
    first: Sequence[Sequence[float]] = field(repr=False)
    """Value of a turn for the first player, by own score and the other's."""
    second: Sequence[Sequence[float]] = field(repr=False)
    """The same for the second player."""

    @property
    def bound(self) -> float:
        """Maximum distance between a value and the true one."""
        return self.error

    def action_values(self, seen: six.PiggySixObservation) -> Mapping[object, float]:
        """Return the win probability of each action."""
        state, first = seen.state, seen.seat is Seat.A
        own, other = state.bank if first else state.bank[::-1]
        turn, score = self._turn(own, other, first=first), own + state.total
        return {six.DiceRoll(_DICE): turn.roll(score), six.Stop(): turn.stop(score)}

    def _turn(self, own: int, other: int, *, first: bool) -> Turn:
        target = len(self.first)
        if other >= target:
            return _last_turn(own, other)
        replies = (self.second if first else self.first)[other]
        stops = [1.0 - reply for reply in replies]
        if first:
            # Then the second player has a last turn.
            above = range(target, target + _MARGIN)
            stops += [1.0 - _last_turn(other, score).roll(other) for score in above]
        return Turn(own, stops, 1.0 - replies[own], 1.0 - replies[0])


@cache
def page_solution() -> PageSolution:
    """Return the agent of the usual rules."""
    data: Any = import_module("page_six").DATA
    return PageSolution(**data)


def is_solved(rules: six.PiggySixRules) -> bool:
    """Return whether the values are those of these rules."""
    usual, free = six.PiggySixRules().to_mapping(), {"cocked_dice", "roll_cap", "round_cap"}
    return all(name in free or usual[name] == value for name, value in rules.to_mapping().items())
