"""Actions and observations of Piggyback as numbers, seen from the player's side of the board.

Actions have a fixed order, the same for both seats.

Spaces go by their numbers as the mover sees them: for blue the board is turned by half a turn, so
that both play upwards. On the usual board of 64 spaces, with 420 pairs of spaces that touch:

| numbers | action |
|---|---|
| 0 to 419 | move, by source and then by target; what lies there stays |
| 420 to 839 | the same, acquiring the piece there |
| 840 to 4935 | Warp: 840 + 64 holder + partner |
| 4936 to 4999 | acquire what lies under a stack, by space |
| 5000 to 5063 | put a piece from the bank on a space |
| 5064 to 5066 | stand, with so many Firepowers |
| 5067 to 5081 | keep, by the abilities: two, one, none |
| 5082 to 5087 | pass, end, fight, roll, leave, as `Word` has them |
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement

import numpy as np

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Floats
from pigglesim.games.piggyback.game import Piggyback, PiggybackObservation
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    TEAM,
    Ability,
    Combat,
    Held,
    Keep,
    Move,
    PiggybackAction,
    PiggybackPhase,
    Respawn,
    Roam,
    Stand,
    Take,
    Warp,
    Word,
    neighbours,
    space_name,
)
from pigglesim.landing import Seat


def seen_space(space: int, size: int, seat: Seat) -> int:
    """Return the number of a space as a player sees it, and back again."""
    return space if seat is Seat.A else size * size - 1 - space


def _actions(size: int) -> tuple[PiggybackAction, ...]:
    """Return every action on a board of that size, in order, as red sees it."""
    spaces = range(size * size)
    pairs = [(a, b) for a, touching in enumerate(neighbours(size)) for b in touching]
    return (
        *(Move(source, target) for source, target in pairs),
        *(Move(source, target, take=True) for source, target in pairs),
        *(Warp(holder, partner) for holder in spaces for partner in spaces),
        *(Take(space) for space in spaces),
        *(Respawn(space) for space in spaces),
        *(Stand(force) for force in range(MOST_HELD + 1)),
        *(
            Keep(held)
            for count in range(MOST_HELD, -1, -1)
            for held in combinations_with_replacement(Ability, count)
        ),
        *Word,
    )


def _seen(action: PiggybackAction, size: int, seat: Seat) -> PiggybackAction:
    """Return an action as a player sees it, and back again."""

    def turned(space: int) -> int:
        return seen_space(space, size, seat)

    match action:
        case Move(source=source, target=target, take=take):
            return Move(turned(source), turned(target), take=take)
        case Warp(holder=holder, partner=partner):
            return Warp(turned(holder), turned(partner))
        case Take(space=space):
            return Take(turned(space))
        case Respawn(space=space):
            return Respawn(turned(space))
        case _:
            return action


@cache
def _action_list(size: int, seat: Seat) -> ActionList[PiggybackAction]:
    return ActionList(_seen(action, size, seat) for action in _actions(size))


_MOST_ROLLS = MOST_UNITS + MOST_HELD
_MOST_RESULT = 6 + MOST_HELD
_MOST_PIECES = 4
"""Of each colour."""
_MOST_STEPS = 4
_NO_COMBAT = Combat(-1, -1)
_NO_ROAM = Roam(-1)


def _by_colour(name: str, meaning: str) -> tuple[Column, ...]:
    return tuple(
        Column(name=f"{name}_{ability}", meaning=meaning.format(ability.label))
        for ability in Ability
    )


_SPACE = (
    Column(name="own", meaning="own units / 3"),
    Column(name="other", meaning="the other's units / 3"),
    *_by_colour("held", "{} of the stack / 2"),
    *_by_colour("lying", "a piece of {}"),
    *_by_colour("initial", "an initial space of {}"),
    Column(name="moving", meaning="who has moved and may move on"),
    Column(name="attacker", meaning="the attacker in a combat"),
    Column(name="attacked", meaning="the attacked space in a combat"),
)
_TABLE = (
    Column(name="turn", meaning="the own turn, whoever decides now"),
    *(Column(name=phase.value, meaning=f"the phase is {phase}") for phase in PiggybackPhase),
    Column(name="ply", meaning="turns that are over / the most"),
    Column(name="quiet", meaning="turns without combat or acquisition / the most"),
    Column(name="steps", meaning="of who has moved / 4"),
    Column(name="spent", meaning="Boosts used in this turn / 2"),
    Column(name="rolls", meaning="of who rolls in the combat / 5"),
    Column(name="face", meaning="the last roll / 6"),
    Column(name="attack", meaning="what the attacker has come to / 8"),
    Column(name="won", meaning="the own side has won the combat"),
    Column(name="lost", meaning="the other side has won the combat"),
    *_by_colour("loot", "unused {} of who has lost / 2"),
    *_by_colour("bank", "{} in the bank / 4"),
    *_by_colour("discarded", "{} out of the game / 4"),
    Column(name="opening", meaning="what red rolled for the start / 6"),
)


@dataclass(frozen=True, kw_only=True)
class PiggybackEncoder(Encoder[PiggybackAction]):
    """Actions and observations of one game of Piggyback.

    `layout` tells every number. Left out is how often the rolls for the start were equal.
    """

    game: Piggyback

    @cached_property
    def layout(self) -> FeatureLayout:
        """What stands where in an observation."""
        size = self.game.layout.size
        spaces = tuple(space_name(space, size) for space in range(size * size))
        return FeatureLayout(
            blocks=(
                Block(name="spaces", rows=spaces, columns=_SPACE),
                Block(name="table", rows=("table",), columns=_TABLE),
            )
        )

    @property
    def full_score(self) -> int:
        """All units are left."""
        return TEAM

    def numbers(self, observation: PiggybackObservation, seat: Seat) -> Iterator[float]:
        """Yield what `seat` sees as numbers."""
        yield from self._spaces(observation, seat).ravel().tolist()
        yield from _table(observation, seat)

    def _spaces(self, seen: PiggybackObservation, seat: Seat) -> Floats:
        """Return the rows of the board, the own side first."""
        position, size = seen.state, seen.layout.size
        rows = np.zeros((size * size, len(_SPACE)), dtype=np.float32)

        def row(space: int) -> Floats:
            found: Floats = rows[seen_space(space, size, seat)]
            return found

        for column, side in enumerate((seat, OTHER[seat])):
            for space, stack in position.side(side):
                row(space)[column] = stack.units / MOST_UNITS
                row(space)[2:6] = _shares(stack.held, MOST_HELD)
        for space, ability in position.pieces:
            row(space)[6:10] = _flags(ability)
        for space, ability in seen.layout.colours.items():
            row(space)[10:14] = _flags(ability)
        if position.roam is not None:
            row(position.roam.space)[14] = 1.0
        if position.combat is not None:
            row(position.combat.source)[15] = 1.0
            row(position.combat.target)[16] = 1.0
        return rows

    def actions(self, seat: Seat) -> ActionList[PiggybackAction]:
        """Return all actions of `seat`."""
        return _action_list(self.game.layout.size, seat)


def _shares(held: Held, most: int) -> list[float]:
    return [held.count(ability) / most for ability in Ability]


def _flags(ability: Ability) -> list[float]:
    return [float(ability is each) for each in Ability]


def _table(seen: PiggybackObservation, seat: Seat) -> Iterator[float]:
    """Yield the row of the table."""
    position, rules = seen.state, seen.rules
    yield position.active is seat
    yield from (position.phase is phase for phase in PiggybackPhase)
    yield position.ply / rules.cap
    yield max(0, position.ply - position.lively) / rules.quiet_cap
    roam, combat = position.roam or _NO_ROAM, position.combat or _NO_COMBAT
    yield roam.steps / _MOST_STEPS
    yield roam.spent / MOST_HELD
    yield combat.rolls / _MOST_ROLLS
    yield combat.face / 6
    yield combat.attack / _MOST_RESULT
    yield combat.winner is seat
    yield combat.winner is OTHER[seat]
    yield from _shares(combat.loot, MOST_HELD)
    yield from _shares(position.bank, _MOST_PIECES)
    yield from _shares(position.discarded, _MOST_PIECES)
    yield position.opening / 6
