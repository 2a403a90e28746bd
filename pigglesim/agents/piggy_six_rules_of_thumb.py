"""Agents of Piggy Six that need no solution: stop at a total, or by the mean of one turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six.game import Observation
from pigglesim.games.piggy_six.house_rules import DiceChoice, Ending
from pigglesim.games.piggy_six.state import Roll, Stop
from pigglesim.solvers.dice_game import DiceGame, dice_game
from pigglesim.solvers.one_turn import OneTurn, solve_turn

__all__ = ["Hold", "SixGreedy"]

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Rolls up to a turn total, or to the target; of a choice of dice always two."""

    name: str
    total: int
    """Turn total at which it stops."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return a stop if the total is reached, else a roll; nothing is drawn."""
        del rng
        seen = _seen(observation)
        now, own = seen.position, seen.position.points_of(seen.seat)
        enough = now.total >= self.total or own + now.total >= seen.rules.target
        return _pick(legal_actions, Stop() if enough else Roll(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class SixGreedy:
    """Rolls as long as that changes its score for the better on average.

    It knows the end: it never rolls on when a stop wins at once, and never stops behind in its
    last turn.
    """

    name: str = "greedy"

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return a roll or a stop; nothing is drawn."""
        del rng
        seen = _seen(observation)
        total, plan, over = seen.position.total, _plan(seen), _decided(seen)
        if over if over is not None else total >= plan.stop_at:
            return _pick(legal_actions, Stop())
        return _pick(legal_actions, Roll(plan.plan[total] if total < len(plan.plan) else 2))

    def reason(self, observation: object) -> str:
        """Return why, in words."""
        seen = _seen(observation)
        if _decided(seen) is not None:
            return "it is the last turn: whoever stops behind has lost"
        plan = _plan(seen)
        return (
            f"on average a turn brings most that stops at {plan.stop_at}, with "
            f"{seen.position.points_of(seen.seat)} points to lose by two sixes"
        )


def _seen(observation: object) -> Observation:
    if not isinstance(observation, Observation):
        raise SpecError(
            "an observation of piggy_six", got=type(observation).__name__, remedy="agent uniform"
        )
    return observation


def _pick(legal_actions: Sequence[A], wanted: Roll | Stop) -> A:
    """Return what is wanted, or the first thing that is allowed in its place: a roll."""
    return next((each for each in legal_actions if each == wanted), legal_actions[0])


def _decided(seen: Observation) -> bool | None:
    """Return whether a stop is right by the end of the game alone; None where that says nothing."""
    rules, now = seen.rules, seen.position
    points = now.points_of(seen.seat) + now.total
    best = max(now.points_of(seat) for seat in rules.seats if seat is not seen.seat)
    if rules.end is Ending.RACE:
        return True if points >= rules.target else None
    if best >= rules.target:
        return points > best
    last = seen.seat is rules.turn_order[-1]
    return True if last and points >= rules.target else None


def _plan(seen: Observation) -> OneTurn:
    rules, now = seen.rules, seen.position
    bank, numbers = now.points_of(seen.seat), rules.dice_numbers
    if rules.dice_choice is DiceChoice.PER_ROLL:
        return _solved(numbers, bank)
    if now.dice:
        return _solved((now.dice,), bank)
    return max((_solved((number,), bank) for number in numbers), key=lambda plan: plan.expected)


@lru_cache(maxsize=4096)
def _solved(numbers: tuple[int, ...], bank: int) -> OneTurn:
    return solve_turn(_game(numbers), bank=bank)


@lru_cache
def _game(numbers: tuple[int, ...]) -> DiceGame:
    return dice_game(numbers)
