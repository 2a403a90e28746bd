"""The greedy agent of Piggyback."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.games.game import Concede
from pigglesim.games.piggyback.game import (
    Arms,
    PiggybackObservation,
    arms_of,
    attack_odds,
    beating_odds,
    defence_odds,
    rolling,
)
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    OTHER,
    Ability,
    Combat,
    Held,
    Keep,
    Move,
    PiggybackPhase,
    PiggybackState,
    Respawn,
    Stack,
    Stand,
    Take,
    Warp,
    Word,
    neighbours,
)

PIECE_VALUE: Mapping[Ability, float] = {
    Ability.GREEN: 0.1,
    Ability.ORANGE: 0.25,
    Ability.YELLOW: 0.2,
    Ability.MAUVE: 0.1,
}
"""Value of a piece to its holder [units]: roughly its effect on the odds of a combat."""
PULL = 0.02
"""Value of a step towards a goal [units]."""
PATIENCE = 4
"""Turns without combat or acquisition that double the pull. A side that steps up to the enemy is
attacked first; if neither side did, every game would be a draw."""

_DIGITS = 9
"""Decimal digits of a value; rounding removes differences due to the order of a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackGreedy(OneStepAgent):
    """An agent that attacks for the largest gain, picks up nearby pieces and stays out of reach.

    The value of an exchange is the enemy stack times the probability to win, less the own stack
    times the probability to lose. The value of a move is its gain, less the best exchange that it
    offers the enemy, plus the threat that it escapes. In a combat the agent maximises its odds,
    with as few pieces as possible.
    """

    title: ClassVar = "Piggyback"
    observes: ClassVar = PiggybackObservation

    def value_function(self, observation: PiggybackObservation) -> Callable[[object], float]:
        """Return the value of an action [units]; only values of one decision are comparable."""
        return _PiggybackValue(observation)


def distance(one: int, other: int, size: int) -> int:
    """Return the number of steps between two spaces."""
    return max(abs(one % size - other % size), abs(one // size - other // size))


@cache
def distances(size: int) -> Sequence[Sequence[int]]:
    """Return `distance` of each two spaces."""
    spaces = range(size * size)
    return [[distance(one, other, size) for other in spaces] for one in spaces]


def _pieces_value(held: Held) -> float:
    return sum(PIECE_VALUE[ability] for ability in held)


def _stack_value(stack: Stack) -> float:
    return stack.units + _pieces_value(stack.held)


@cache
def exchange(attacker: Stack, defender: Stack) -> float:
    """Return the value of an attack to the attacker [units]."""
    odds = float(attack_odds(arms_of(attacker), arms_of(defender)))
    return odds * _stack_value(defender) - (1.0 - odds) * _stack_value(attacker)


@cache
def roll_odds(left: int, force: int, defence: Arms) -> float:
    """Return the attacker's odds before the first of the rolls left; 0 if none is left."""
    value = 0.0
    stands = [float(1 - defence_odds(face + force, defence)) for face in range(1, 7)]
    for _ in range(left):
        value = sum(max(stand, value) for stand in stands) / len(stands)
    return value


def combat_odds(state: PiggybackState, action: Stand | Word) -> float:
    """Return the odds of the roller to win a combat after standing, or after rolling again."""
    combat, arms = state.fight, arms_of(rolling(state)[1])
    left = max(0, arms.units - combat.rolls) + arms.luck
    attacks = state.phase is PiggybackPhase.ATTACK
    defence = arms_of(dict(state.side(OTHER[state.active]))[combat.target])
    if isinstance(action, Stand):
        result = combat.face + action.force
        return 1.0 - float(defence_odds(result, defence)) if attacks else result > combat.attack
    if attacks:
        return roll_odds(left, arms.force, defence)
    return float(beating_odds(combat.attack, rolls=left, force=arms.force))


class _PiggybackValue:
    """The value of each action at one observation [units]."""

    def __init__(self, observation: PiggybackObservation) -> None:
        self._seat, self._state = observation.seat, observation.state
        self._layout, self._size = observation.layout, observation.layout.size
        self._combat = self._state.combat or Combat(-1, -1)
        self._own = dict(self._state.side(self._seat))
        self._enemy = dict(self._state.side(OTHER[self._seat]))
        self._lying = dict(self._state.pieces)
        quiet = max(0, self._state.ply - self._state.lively)
        self._pull = PULL * (1.0 + quiet / PATIENCE)
        # Many moves have one source, and playouts ask for all of them.
        self._dangers: dict[tuple[int, Stack], float] = {}
        self._goals: dict[Stack, list[int]] = {}

    def __call__(self, action: object) -> float:
        return round(self._value(action), _DIGITS)

    def _value(self, action: object) -> float:
        match action:
            case Move():
                return self._move(action)
            case Take(space=space):
                return PIECE_VALUE[self._lying[space]]
            case Warp():
                return self._warp(action)
            case Stand(force=force):
                return self._stand(force)
            case Word.ROLL:
                return self._roll()
            case Keep(held=held):
                return _pieces_value(held)
            case Respawn(space=space):
                return self._respawn(space)
            case Word.FIGHT:
                return -self._attacked(self._own)
            case Concede():
                return -float("inf")
            case _:
                return 0.0

    def _danger(self, space: int, stack: Stack) -> float:
        """Return the enemy's value of its best attack on a stack, at least 0."""
        known = self._dangers.get((space, stack))
        if known is None:
            threats = (self._enemy.get(near) for near in neighbours(self._size)[space])
            known = max([0.0, *(exchange(near, stack) for near in threats if near is not None)])
            self._dangers[space, stack] = known
        return known

    def _move(self, action: Move) -> float:
        stack = self._own[action.source]
        value = self._danger(action.source, stack)
        roam = self._state.roam
        if roam is not None and Ability.GREEN in stack.held and roam.steps == 1 + roam.spent:
            stack = stack.without(Ability.GREEN)
            value -= PIECE_VALUE[Ability.GREEN]
        attacked = self._enemy.get(action.target)
        if attacked is not None:
            return value + exchange(stack, attacked)
        friend = self._own.get(action.target)
        if friend is not None:
            value += self._danger(action.target, friend)
            stack = Stack(stack.units + friend.units, stack.held + friend.held)
        elif action.take:
            ability = self._lying[action.target]
            stack = Stack(stack.units, (*stack.held, ability))
            value += PIECE_VALUE[ability]
        value -= self._danger(action.target, stack)
        before, after = (self._steps_to_goal(at, stack) for at in (action.source, action.target))
        return value + self._pull * (before - after)

    def _steps_to_goal(self, space: int, stack: Stack) -> int:
        """Return the steps to the nearest goal, which is a profitable attack or a piece."""
        goals = self._goals.get(stack)
        if goals is None:
            goals = [at for at, other in self._enemy.items() if exchange(stack, other) > 0.0]
            if len(stack.held) < MOST_HELD:
                goals += [at for at in self._lying if at not in self._own and at not in self._enemy]
            self._goals[stack] = goals
        apart = distances(self._size)[space]
        return min([apart[goal] for goal in goals], default=0)

    def _attacked(self, own: Mapping[int, Stack]) -> float:
        """Return the enemy's value of the declared attack."""
        combat = self._combat
        return exchange(self._enemy[combat.source], own[combat.target])

    def _warp(self, action: Warp) -> float:
        if self._state.phase is not PiggybackPhase.WARP:
            # A Warp as a move is saved for the next attack.
            return -1.0
        own = dict(self._own)
        own[action.holder], own[action.partner] = own[action.partner], own[action.holder]
        return -PIECE_VALUE[Ability.MAUVE] - self._attacked(own)

    def _stakes(self) -> float:
        """Return the value of both stacks together, which scales the odds of a combat."""
        own, other = self._combat.source, self._combat.target
        if self._seat is not self._state.active:
            own, other = other, own
        return _stack_value(self._own[own]) + _stack_value(self._enemy[other])

    def _stand(self, force: int) -> float:
        odds = combat_odds(self._state, Stand(force))
        return odds * self._stakes() - PIECE_VALUE[Ability.ORANGE] * force

    def _roll(self) -> float:
        by_units = self._combat.rolls < rolling(self._state)[1].units
        cost = 0.0 if by_units else PIECE_VALUE[Ability.YELLOW]
        return combat_odds(self._state, Word.ROLL) * self._stakes() - cost

    def _respawn(self, space: int) -> float:
        """Return the value of a piece on a space, which the nearer side gets."""
        own, enemy = (
            min(distances(self._size)[space][at] for at in side)
            for side in (self._own, self._enemy)
        )
        return PIECE_VALUE[self._layout.colours[space]] * (enemy - own)
