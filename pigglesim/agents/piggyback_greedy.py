"""The agent of Piggyback that takes what an exchange is worth on average, one turn deep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggyback.game import PiggybackObservation
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    OTHER,
    Ability,
    Held,
    Keep,
    Move,
    PiggybackPhase,
    Respawn,
    Stack,
    Stand,
    Take,
    Warp,
    Word,
    neighbours,
)
from pigglesim.games.piggyback.turns import (
    Arms,
    arms_of,
    attack_odds,
    beating_odds,
    defence_odds,
    rolling,
)

A = TypeVar("A")

WORTH: Mapping[Ability, float] = {
    Ability.GREEN: 0.1,
    Ability.ORANGE: 0.25,
    Ability.YELLOW: 0.2,
    Ability.MAUVE: 0.1,
}
"""What a piece is worth to its holder [units]: about what it adds to the odds of a combat."""
PULL = 0.02
"""What a step towards a goal is worth [units]."""
PATIENCE = 4
"""Turns without combat or acquisition after which the pull is twice what it was: whoever steps up
to the enemy is attacked first, and if nobody did, every game would be a draw."""

_DIGITS = 9
"""Of a worth: what differs by the order of a sum only is equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackGreedy:
    """Attacks where that gains most, picks up what lies near, and keeps out of reach meanwhile.

    An exchange is worth the stack that is won by its odds, less the own one by theirs. A move is
    worth what it wins, less the exchange that the best attack on the space offers the enemy, and
    counted against what threatens the stack where it stands. In a combat it rolls and adds what
    gives the best odds, for no more pieces than that takes.
    """

    name: str = "greedy"
    """The name under which a record knows this agent."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return the action that is worth most; the first of equal ones.

        Raises:
            SpecError: If the game is not Piggyback.
        """
        del rng
        if not isinstance(observation, PiggybackObservation):
            raise SpecError(
                "a game of Piggyback for this agent greedy",
                got=type(observation).__name__,
                remedy="make_agent('greedy', game=...)",
            )
        weigher = _Weigher(observation)
        return max(legal_actions, key=weigher.worth)


def distance(one: int, other: int, size: int) -> int:
    """Return the steps between two spaces."""
    return max(abs(one % size - other % size), abs(one // size - other // size))


def _pieces_worth(held: Held) -> float:
    return sum(WORTH[ability] for ability in held)


def _stack_worth(stack: Stack) -> float:
    return stack.units + _pieces_worth(stack.held)


@cache
def exchange(attacker: Stack, defender: Stack) -> float:
    """Return what an attack is worth to the attacker on average [units]."""
    odds = float(attack_odds(arms_of(attacker), arms_of(defender)))
    return odds * _stack_worth(defender) - (1.0 - odds) * _stack_worth(attacker)


@cache
def roll_worth(left: int, force: int, defence: Arms) -> float:
    """Return the attacker's odds just before the first of so many rolls; 0 if none is left."""
    value = 0.0
    worths = [float(1 - defence_odds(face + force, defence)) for face in range(1, 7)]
    for _ in range(left):
        value = sum(max(worth, value) for worth in worths) / len(worths)
    return value


class _Weigher:
    """What the actions of one decision are worth.

    Args:
        seen: The position, and what the player who is to move may know.
    """

    def __init__(self, seen: PiggybackObservation) -> None:
        self._seat, self._position, self._layout = seen.seat, seen.state, seen.layout
        self._size = seen.layout.size
        self._own = dict(self._position.side(self._seat))
        self._enemy = dict(self._position.side(OTHER[self._seat]))
        self._lying = dict(self._position.pieces)
        quiet = max(0, self._position.ply - self._position.lively)
        self._pull = PULL * (1.0 + quiet / PATIENCE)

    def worth(self, action: object) -> float:
        """Return what an action is worth; only those of one decision can be compared."""
        return round(self._weighed(action), _DIGITS)

    def _weighed(self, action: object) -> float:
        match action:
            case Move():
                return self._move(action)
            case Take(space=space):
                return WORTH[self._lying[space]]
            case Warp():
                return self._warp(action)
            case Stand(force=force):
                return self._stand(force)
            case Word.ROLL:
                return self._roll()
            case Keep(held=held):
                return _pieces_worth(held)
            case Respawn(space=space):
                return self._respawn(space)
            case Word.FIGHT:
                return -self._attacked(self._own)
            case Concede():
                return -float("inf")
            case _:
                return 0.0

    def _danger(self, space: int, stack: Stack) -> float:
        """Return what the best attack on a stack would be worth to the enemy, at least 0."""
        threats = (self._enemy.get(near) for near in neighbours(self._size)[space])
        return max([0.0, *(exchange(near, stack) for near in threats if near is not None)])

    def _move(self, action: Move) -> float:
        stack = self._own[action.source]
        worth = self._danger(action.source, stack)
        roam = self._position.roam
        if roam is not None and Ability.GREEN in stack.held and roam.steps == 1 + roam.spent:
            stack = stack.without(Ability.GREEN)
            worth -= WORTH[Ability.GREEN]
        attacked = self._enemy.get(action.target)
        if attacked is not None:
            return worth + exchange(stack, attacked)
        friend = self._own.get(action.target)
        if friend is not None:
            worth += self._danger(action.target, friend)
            stack = Stack(stack.units + friend.units, stack.held + friend.held)
        elif action.take:
            ability = self._lying[action.target]
            stack = Stack(stack.units, (*stack.held, ability))
            worth += WORTH[ability]
        worth -= self._danger(action.target, stack)
        before, after = (self._way(at, stack) for at in (action.source, action.target))
        return worth + self._pull * (before - after)

    def _way(self, space: int, stack: Stack) -> int:
        """Return how far the nearest goal is: an enemy worth attacking, or a piece to pick up."""
        goals = [at for at, other in self._enemy.items() if exchange(stack, other) > 0.0]
        if len(stack.held) < MOST_HELD:
            goals += [at for at in self._lying if at not in self._own and at not in self._enemy]
        return min((distance(space, goal, self._size) for goal in goals), default=0)

    def _attacked(self, own: Mapping[int, Stack]) -> float:
        """Return what the declared attack is worth to the enemy."""
        combat = self._position.combat
        assert combat is not None
        return exchange(self._enemy[combat.source], own[combat.target])

    def _warp(self, action: Warp) -> float:
        if self._position.phase is not PiggybackPhase.WARP:
            # As a move it is kept for the next attack.
            return -1.0
        own = dict(self._own)
        own[action.holder], own[action.partner] = own[action.partner], own[action.holder]
        return -WORTH[Ability.MAUVE] - self._attacked(own)

    def _rolled(self) -> tuple[bool, int, int, Stack]:
        """Return whether the own side attacks, the last roll, the number of rolls, and who."""
        combat = self._position.combat
        assert combat is not None
        stack = rolling(self._position)[1]
        return self._position.phase is PiggybackPhase.ATTACK, combat.face, combat.rolls, stack

    def _stakes(self) -> float:
        """Return what both stacks together are worth: odds of a combat count for that much."""
        combat = self._position.combat
        assert combat is not None
        mine, other = combat.source, combat.target
        if self._seat is not self._position.active:
            mine, other = other, mine
        return _stack_worth(self._own[mine]) + _stack_worth(self._enemy[other])

    def _stand(self, force: int) -> float:
        attacking, face, _, _ = self._rolled()
        cost = WORTH[Ability.ORANGE] * force
        return self._odds(face + force, attacking=attacking) * self._stakes() - cost

    def _odds(self, result: int, *, attacking: bool) -> float:
        """Return the odds of the own side if it stands with a result."""
        combat = self._position.combat
        assert combat is not None
        if attacking:
            defence = arms_of(self._enemy[combat.target])
            return 1.0 - float(defence_odds(result, defence))
        return float(result > combat.attack)

    def _roll(self) -> float:
        attacking, _, rolls, stack = self._rolled()
        arms = arms_of(stack)
        left = max(0, arms.units - rolls) + arms.luck
        cost = 0.0 if rolls < arms.units else WORTH[Ability.YELLOW]
        combat = self._position.combat
        assert combat is not None
        if attacking:
            odds = roll_worth(left, arms.force, arms_of(self._enemy[combat.target]))
        else:
            odds = float(beating_odds(combat.attack, rolls=left, force=arms.force))
        return odds * self._stakes() - cost

    def _respawn(self, space: int) -> float:
        """Return what a piece on a space is worth: it goes to whoever is nearer."""
        own, enemy = (
            min(distance(space, at, self._size) for at in side) for side in (self._own, self._enemy)
        )
        return WORTH[self._layout.colours[space]] * (enemy - own)
