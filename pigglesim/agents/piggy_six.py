"""Agents of Piggy Six: the exact solution, and heuristics."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from pigglesim.agents.hold import Hold
from pigglesim.agents.six_greedy import SixGreedy
from pigglesim.agents.solved_six import SolvedSix
from pigglesim.errors import SpecError
from pigglesim.games import piggy_six as six
from pigglesim.landing import Seat
from pigglesim.solvers.dice_game import (
    MAX_SOLITAIRE_TARGET,
    PIGGY_SIX,
    TARGET,
    THREE_DICE,
    DuelResult,
    DuelState,
    OneTurn,
    Solitaire,
    SolitaireSolution,
    Solution,
    dice_game,
    solve_match,
    solve_solitaire,
    solve_turn,
)

A = TypeVar("A")
T = TypeVar("T", Solution, SolitaireSolution)


def why_unsolved(rules: six.PiggySixRules) -> str | None:
    """Return the reason why the optimal policy is unknown under these house rules, or None.

    The caps on the length of a game are ignored: they are never reached.
    """
    if rules.solitaire:
        default = six.PiggySixRules(solitaire=True)
        for name in ("tie", "three_dice", "bot_goal_stop"):
            if getattr(rules, name) != getattr(default, name):
                return f"{name}={getattr(rules, name)}"
        if rules.order is not six.Order.HUMAN_FIRST:
            return f"order={rules.order}"
        return None if rules.target <= MAX_SOLITAIRE_TARGET else f"target={rules.target}"
    if rules.players != 2:
        return f"players={rules.players}"
    if rules.tie is not six.Tie.SHARE:
        return f"tie={rules.tie}"
    if rules.three_dice and rules.dice_choice is not six.DiceChoice.PER_ROLL:
        return f"dice_choice={rules.dice_choice}"
    return None if rules.target <= TARGET.high else f"target={rules.target}"


def match_solution(
    rules: six.PiggySixRules, *, on_progress: Callable[[float], None] | None = None
) -> Solution:
    """Return the solution of a match of two, which `why_unsolved` allows.

    `on_progress` is called as by `solve_match`.

    Raises:
        KeyboardInterrupt: If the solver was stopped.
    """
    match = DuelResult(
        dice=THREE_DICE if rules.three_dice else PIGGY_SIX,
        target=rules.target,
        ending=rules.end,
        must_roll=rules.must_roll,
    )
    return _complete(solve_match(match, on_progress=on_progress))


@dataclass(frozen=True, kw_only=True)
class Optimal(SolvedSix):
    """An agent that follows the solution of the game, which is read from disk if cached.

    It is solved at the first decision, or by `solve`.
    """

    rules: six.PiggySixRules

    def __post_init__(self) -> None:
        reason = why_unsolved(self.rules)
        if reason is not None:
            raise SpecError(
                f"no solution is known under {reason}",
                expected="one or two players, shared ties, and a choice of dice for each roll",
                fix="use the agent greedy",
            )

    def solve(self) -> None:
        """Solve the game now, so that no decision waits for the solver."""
        _ = self._solitaire_solution if self.rules.solitaire else self._match_solution

    @cached_property
    def _match_solution(self) -> Solution:
        return match_solution(self.rules)

    @cached_property
    def _solitaire_solution(self) -> SolitaireSolution:
        rules = self.rules
        game = Solitaire(
            stops=(rules.bot_stop_1, rules.bot_stop_2),
            target=rules.target,
            ending=rules.end,
            must_roll=rules.must_roll,
        )
        return _complete(solve_solitaire(game))

    @property
    def bound(self) -> float:
        """Maximum distance between a value and the true one."""
        solitaire = self.rules.solitaire
        return (self._solitaire_solution if solitaire else self._match_solution).bound

    def action_values(self, seen: six.PiggySixObservation) -> dict[object, float]:
        """Return the win probability of each action."""
        state = seen.state
        if self.rules.solitaire:
            own, first, second = state.bank
            roll, stop = self._solitaire_solution.action_values(own, first, second, state.total)
            return {six.DiceRoll(2): roll, six.Stop(): stop}
        own, other = state.bank if seen.seat is Seat.A else state.bank[::-1]
        decision = DuelState(own=own, other=other, total=state.total, first=seen.seat is Seat.A)
        values = self._match_solution.action_values(decision, rolled=True)
        rolls: dict[object, float] = {six.DiceRoll(dice): win for dice, win in values.rolls.items()}
        return rolls | ({six.Stop(): values.stop} if values.stop is not None else {})


def _complete(solution: T) -> T:
    """Return a complete solution; raise `KeyboardInterrupt` again if it ended the solver early."""
    if not solution.solved:
        raise KeyboardInterrupt
    return solution


def six_agent(
    kind: str, rules: six.PiggySixRules, *, name: str, total: float | str | None = None
) -> Optimal | Hold | SixGreedy:
    """Return an agent that plays only Piggy Six.

    Args:
        kind: `hold`; `optimal`, which is solved here; or `best`. `best` is optimal, solved on first
            use, if the rules have a solution, and else greedy.
        rules: The house rules.
        name: The name in records.
        total: Turn total at which `hold` stops.
    """
    if kind == "best" and why_unsolved(rules) is not None:
        return SixGreedy(name=name)
    agent = Optimal(rules=rules, name=name)
    if kind == "optimal":
        agent.solve()
    return agent


def best_number(numbers: tuple[int, ...], bank: int) -> int:
    """Return the number of dice with which a whole turn has the highest expected score."""
    return max(numbers, key=lambda number: solved_plan((number,), bank).expected)


@lru_cache(maxsize=4096)
def solved_plan(numbers: tuple[int, ...], bank: int) -> OneTurn:
    """Return the plan of a turn that chooses one of these numbers of dice for each roll."""
    return solve_turn(_game(numbers), bank=bank)


_game = lru_cache(dice_game)
