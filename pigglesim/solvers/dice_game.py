"""Games in which dice are rolled for points until they turn, as numbers for a solver."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType

import numpy as np

from pigglesim.errors import unknown_name
from pigglesim.games.piggy_six.state import Fate, fate_of
from pigglesim.spatial import Array

__all__ = ["PIG", "PIGGY_SIX", "THREE_DICE", "DiceGame", "dice_game", "find_dice_game"]


@dataclass(frozen=True, kw_only=True)
class DiceGame:
    """What each choice of dice can do; every face of a die is as likely as the others."""

    name: str
    dice: tuple[int, ...]
    """How many dice may be rolled, one choice each."""
    fate: Callable[[Sequence[int]], Fate]
    """What a roll does."""

    @cached_property
    def gains(self) -> Array:
        """Chance of each gain without an end, by choice, shape [choice_count, most + 1]."""
        found = np.zeros((len(self.dice), 6 * max(self.dice) + 1))
        for row, number in enumerate(self.dice):
            for faces in product(range(1, 7), repeat=number):
                if self.fate(faces) is Fate.POINTS:
                    found[row, sum(faces)] += 1.0
            found[row] /= 6.0**number
        last = int(np.flatnonzero(found.sum(axis=0))[-1])
        shown: Array = np.ascontiguousarray(found[:, : last + 1])
        return shown

    @cached_property
    def busts(self) -> Array:
        """Chance that the turn is lost and no more, by choice, shape [choice_count]."""
        return self._share(Fate.BUST)

    @cached_property
    def resets(self) -> Array:
        """Chance that all points are lost, by choice, shape [choice_count]."""
        return self._share(Fate.RESET)

    @property
    def most(self) -> int:
        """The most that one roll can bring [points]."""
        return int(self.gains.shape[1]) - 1

    def _share(self, wanted: Fate) -> Array:
        return np.array(
            [
                sum(self.fate(faces) is wanted for faces in product(range(1, 7), repeat=number))
                / 6**number
                for number in self.dice
            ]
        )


def _pig(faces: Sequence[int]) -> Fate:
    """Return what a die does in Pig, where a one ends the turn."""
    return Fate.BUST if 1 in faces else Fate.POINTS


def dice_game(numbers: tuple[int, ...]) -> DiceGame:
    """Return Piggy Six with these numbers of dice to choose from for each roll."""
    return DiceGame(name=f"dice-{'-'.join(map(str, numbers))}", dice=numbers, fate=fate_of)


PIGGY_SIX = DiceGame(name="two-dice", dice=(2,), fate=fate_of)
THREE_DICE = DiceGame(name="three-dice", dice=(1, 2, 3), fate=fate_of)
"""One die, two or three, chosen for each roll."""
PIG = DiceGame(name="pig", dice=(1,), fate=_pig)
"""The game of which values are published (Neller and Presser 2004), to hold the solver to."""

_GAMES = MappingProxyType({game.name: game for game in (PIGGY_SIX, THREE_DICE, PIG)})


def find_dice_game(name: str) -> DiceGame:
    """Return the game of that name: `two-dice`, `three-dice` or `pig`.

    Raises:
        SpecError: If there is none.
    """
    if name not in _GAMES:
        raise unknown_name("variant", name, _GAMES)
    return _GAMES[name]
