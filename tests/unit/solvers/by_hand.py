"""Another way to solve Piggy Six: every position through the rules, then policies as equations.

No value iteration and none of the solver's own numbers: positions are walked by the game itself,
a policy of each player makes a linear system, and each player in turn improves its own (strategy
iteration, after Hoffman and Karp 1966) until neither can.
"""

from collections import Counter
from itertools import product

import numpy as np
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import spsolve

from pigglesim.chance_types import DiceResult
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggy_six import PiggySix, PiggySixState, Stop
from pigglesim.landing import Seat


class _Positions:
    """All positions that can come up, as numbers; rounds are not told apart."""

    def __init__(self, game: PiggySix, top: int) -> None:
        self.game, self.top = game, top
        self.number: dict[object, int] = {}
        self.todo: list[PiggySixState] = []
        self.shares: dict[int, float] = {}
        self.chances: dict[int, list[tuple[float, int]]] = {}
        self.choices: dict[int, list[int]] = {}
        self.mover: dict[int, Seat] = {}
        self.start = self.of(game.initial_state())
        while self.todo:
            self.look(self.todo.pop())

    def of(self, state: PiggySixState) -> int:
        key = (state.bank, state.active, state.total, state.rolls > 0, state.rolling, state.result)
        if key not in self.number:
            self.number[key] = len(self.number)
            self.todo.append(state)
        return self.number[key]

    def look(self, state: PiggySixState) -> None:
        at, turn = self.of(state), self.game.turn(state)
        if turn is NonPlayer.OVER:
            self.shares[at] = state.result.shares(self.game.seats)[Seat.A]
        elif turn is NonPlayer.CHANCE:
            # The same dice in another order lead to the same.
            rolls = Counter(
                tuple(sorted(faces)) for faces in product(range(1, 7), repeat=state.dice)
            )
            after = {f: self.game.apply_outcome(state, DiceResult(faces=f)) for f in rolls}
            self.chances[at] = [
                (count / rolls.total(), self.of(after[f])) for f, count in rolls.items()
            ]
        else:
            legal = list(self.game.legal_actions(state))
            if state.total >= self.top:
                # Never a mistake so far above any target; without it there were no end of totals.
                legal = [Stop()]
            self.choices[at] = [self.of(self.game.apply_action(state, a)) for a in legal]
            self.mover[at] = turn


def win_by_policies(game: PiggySix, *, top: int) -> float:
    """Return A's share of the win with best play of all who decide.

    Args:
        game: The rules, with small numbers.
        top: Turn total at which every turn is stopped.
    """
    table = _Positions(game, top)
    # To roll up to the top ends in the end, whoever else does what.
    policy = {at: after[0] for at, after in table.choices.items()}
    while True:
        for seat in (Seat.A, Seat.B):
            values = _improve(table, policy, seat)
        if not _better(table, policy, values, Seat.A):
            return float(values[table.start])


def _improve(table, policy, seat):
    while True:
        values = _evaluate(table, policy)
        better = _better(table, policy, values, seat)
        if not better:
            return values
        policy.update(better)


def _better(table, policy, values, seat):
    sign = 1.0 if seat is Seat.A else -1.0
    better = {}
    for at, after in table.choices.items():
        if table.mover[at] is seat:
            best = max(after, key=lambda one: sign * values[one])
            if sign * values[best] > sign * values[policy[at]] + 1e-12:
                better[at] = best
    return better


def _evaluate(table, policy):
    moves = [(at, after, share) for at, ways in table.chances.items() for share, after in ways]
    moves += [(at, after, 1.0) for at, after in policy.items()]
    rows, columns, weights = zip(*moves, strict=True)
    constant = np.zeros(len(table.number))
    constant[list(table.shares)] = list(table.shares.values())
    shape = (len(constant), len(constant))
    system = eye_array(len(constant)) - csc_array((weights, (rows, columns)), shape)
    return spsolve(csc_array(system), constant)
