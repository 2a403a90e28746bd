"""The agent `greedy` of Piggy Six, which needs no compiled code with two dice."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pigglesim.agents.hold import SixAgent
from pigglesim.errors import SpecError
from pigglesim.games import piggy_six as six

_TWO = (2,)
"""Numbers of dice of the usual rules."""


@dataclass(frozen=True, kw_only=True)
class SixGreedy(SixAgent):
    """An agent that rolls as long as that raises its expected score.

    It never rolls on when a stop wins at once, and never stops behind in its last turn.
    """

    def value_function(self, observation: six.PiggySixObservation) -> Callable[[Any], bool]:
        """Return whether an action is the preferred one."""
        total, plan, decided = observation.state.total, _plan(observation), _decided(observation)
        if decided if decided is not None else total >= len(plan):
            return lambda action: isinstance(action, six.Stop)
        roll = six.DiceRoll(plan[total] if total < len(plan) else 2)
        return lambda action: bool(action == roll)

    def reason(self, observation: object) -> str:
        """Return the reason for the decision in words."""
        seen = self.observed(observation)
        if _decided(seen) is not None:
            if max(seen.state.bank) < seen.rules.target:
                return "the target is reached: a stop wins at once"
            return "it is the last turn: a player who stops behind has lost"
        plan = _plan(seen)
        return (
            f"on average a turn gains the most if it stops at {len(plan)}, with "
            f"{seen.state.points_of(seen.seat)} points to lose by two sixes"
        )


# Matches at many places compile this function too, so it takes and returns plain numbers.
def must_stop(points: int, best: int, target: int, race: int, last: int) -> int:
    """Return 1 if the end of the game requires a stop, 0 if a roll, -1 if neither.

    Args:
        points: The player's points, with those of this turn.
        best: Most points of another player.
        target: Points that end the game.
        race: 1 if the first player at the target wins at once, else 0.
        last: 1 if the player is the last in the order of turns, else 0.
    """
    if race:
        return 1 if points >= target else -1
    if best >= target:
        return 1 if points > best else 0
    return 1 if last and points >= target else -1


def _decided(seen: six.PiggySixObservation) -> bool | None:
    """Return whether the end of the game requires a stop or a roll; None if it requires neither."""
    rules, state = seen.rules, seen.state
    points = state.points_of(seen.seat) + state.total
    best = max(state.points_of(seat) for seat in rules.seats if seat is not seen.seat)
    race, last = rules.end is six.Ending.RACE, seen.seat is rules.turn_order[-1]
    return {1: True, 0: False, -1: None}[must_stop(points, best, rules.target, race, last)]


def _plan(seen: six.PiggySixObservation) -> tuple[int, ...]:
    """Return the number of dice to roll at each turn total below that of a stop."""
    rules, state = seen.rules, seen.state
    bank, numbers = state.points_of(seen.seat), rules.dice_numbers
    if rules.dice_choice is six.DiceChoice.PER_ROLL:
        return turn_plan(numbers, bank)
    if state.dice:
        return turn_plan((state.dice,), bank)
    return turn_plan((_solver().best_number(numbers, bank),), bank)


@lru_cache(maxsize=4096)
def turn_plan(numbers: tuple[int, ...], bank: int) -> tuple[int, ...]:
    """Return the plan of a turn that maximises the expected score, with these numbers of dice.

    With two dice one more roll at turn total k changes the score by (150 - 11 k - bank) / 36 on
    average; see `solvers.dice_game.solve_turn`, which other numbers of dice need.
    """
    if numbers == _TWO:
        return _TWO * max(1, -((bank - 150) // 11))
    plan: tuple[int, ...] = _solver().solved_plan(numbers, bank).plan
    return plan


def _solver() -> Any:  # noqa: ANN401 (a module)
    try:
        from pigglesim.agents import piggy_six  # noqa: PLC0415 (compiles)
    except ImportError:
        raise SpecError(
            "greedy of Piggy Six has no plan for one die or three here", fix="use the agent hold"
        ) from None
    return piggy_six
