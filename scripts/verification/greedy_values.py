"""Are values of Piggy Six right? `python -m scripts.verification.greedy_values N [PAGE]`.

Between two players `greedy` the value of a position is known exactly: a turn of a player with b
points stops at a total that depends on b alone, so the values of all turns are the solution of
linear equations. Values of N positions of `value_calibration`, means of 100 games, are compared
with it, and so are the results of these matches and of 2 N more. With PAGE the table is put there.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from pigglesim.experiments.statistics import mean_of
from pigglesim.games.piggy_six import PiggySixState, Stop
from pigglesim.landing import Seat
from pigglesim.solvers.dice_game import PIGGY_SIX, solve_turn
from pigglesim.solvers.kernel import column
from scripts.measured_page import markdown_table, write_between
from scripts.verification.value_calibration import Floats, Valued, drawn, slope, valued

COMMAND = "python -m scripts.verification.greedy_values N PAGE"
TARGET = 100
TOP = TARGET + 60
"""Scores up to which the first player's are distinct: greedy stops long before."""


class GreedyDuel:
    """Exact values of each turn between two players `greedy`, with equal turns to 100."""

    def __init__(self) -> None:
        self._dice = PIGGY_SIX.table(must_roll=True)
        self._stop_at = [solve_turn(PIGGY_SIX, bank=bank).stop_at for bank in range(TARGET)]
        self.first = np.full((TARGET, TARGET), 0.5)
        """Value of a turn for the first player, by own score and the other's."""
        self.second = np.full((TARGET, TOP), 0.5)
        for other in range(TARGET, TOP):
            self.second[:, other] = [self.turn(own, other, False)[0] for own in range(TARGET)]
        change = 1.0
        while change > 1e-10:
            before = self.first.copy()
            for total in range(2 * TARGET - 2, -1, -1):
                for own in range(max(0, total - TARGET + 1), min(total, TARGET - 1) + 1):
                    self.second[own, total - own] = self.turn(own, total - own, False)[0]
                    self.first[own, total - own] = self.turn(own, total - own, True)[0]
            change = float(np.abs(self.first - before).max())

    def turn(self, own: int, other: int, first: bool) -> tuple[float, Floats, Floats]:
        """Return the value of a turn, and of a stop and a roll at each score."""
        stop_at, goal = self._stop_at[own], TARGET
        if other >= TARGET:
            # The second player rolls until it leads.
            stops, stop_at, goal = np.zeros(other + 1), TOP, TOP
            stops[other], bust, reset = 0.5, 0.0, 0.0
        else:
            replies = self.second if first else self.first
            stops = 1.0 - replies[other]
            bust, reset = stops[own], stops[0]
            # The second player may still pass the first one's score.
            goal = TOP if first else TARGET
        rolls = np.zeros(len(stops))
        room = np.zeros(len(stops) + self._dice.gains.shape[1])
        value = column(own, stops, bust, reset, 1.0, self._dice, stop_at, goal, rolls, room)
        return value, stops, rolls

    def after(self, state: PiggySixState, action: object) -> float:
        """Return the value of an action for the player to move."""
        first = state.active is Seat.A
        own, other = state.bank if first else state.bank[::-1]
        _, stops, rolls = self.turn(own, other, first)
        points, values = own + state.total, stops if isinstance(action, Stop) else rolls
        # Every score above has won.
        return float(values[points]) if points < len(values) else 1.0


def compared(number: int, duel: GreedyDuel, *, sampled: bool) -> tuple[Valued, float]:
    """Return the value, the result and the weight of a position, and its exact value.

    Without `sampled` the value is the exact one.
    """
    record, point = drawn("piggy_six", "greedy", number)
    decision, result = point.decision, record.footer.result
    assert result is not None
    exact = duel.after(point.before.state, point.game.parse_action(decision.action))
    if sampled:
        return valued("piggy_six", "greedy", number), exact
    share, weight = result.shares(point.game.seats)[decision.seat], float(len(record.decisions))
    return Valued(value=exact, result=share, weight=weight), exact


def table(found: list[tuple[Valued, float]], others: list[Valued]) -> str:
    """Return what is measured of positions with their exact values, and of exact ones alone."""
    noisy = [each for each, _ in found]
    exact = [replace(each, value=value, noise=0.0) for each, value in found]
    of_values = [replace(each, result=value, noise=0.0) for each, value in found]
    of_exact = [replace(known, result=each.value) for each, known in zip(noisy, exact, strict=True)]
    plain = [replace(each, noise=0.0) for each in noisy]
    away = mean_of(each.value - value for each, value in found)
    return markdown_table(
        ("", f"{len(found):,} positions"),
        [
            ["values less exact values", str(away)],
            ["slope of values on exact values", str(slope(of_exact))],
            ["slope of exact values on values: what their noise takes", str(slope(of_values))],
            ["slope of results on values, with their noise", str(slope(plain))],
            ["slope of results on values, without it", str(slope(noisy))],
            ["slope of results on exact values", str(slope(exact))],
            [f"the same at {len(others):,} positions of other matches", str(slope(others))],
        ],
        align="---",
    )


def main() -> None:
    """Print the table, or write it to a page."""
    number, duel = int(sys.argv[1]), GreedyDuel()
    found = [compared(k, duel, sampled=True) for k in range(number)]
    later = range(number, 3 * number)
    text = table(found, [compared(k, duel, sampled=False)[0] for k in later])
    print(text)
    for page in map(Path, sys.argv[2:]):
        write_between(page, COMMAND, text)


if __name__ == "__main__":
    main()
