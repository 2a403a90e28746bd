"""Push-your-luck dice games as numbers for solvers, and cached solutions."""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from pigglesim.data_files import user_cache
from pigglesim.durable_io import atomic_file
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggy_six import Fate, fate_of
from pigglesim.rotations import Array
from pigglesim.solvers.kernel import DiceTable


@dataclass(frozen=True, kw_only=True)
class DiceGame:
    """Choices of fair dice and the results of their rolls."""

    name: str
    dice: tuple[int, ...]
    """Number of dice of each choice."""
    fate: Callable[[Sequence[int]], Fate]
    """Function that returns the result of a roll."""

    @cached_property
    def gains(self) -> Array:
        """Probability of each gain without a bust, by choice, shape [choice_count, most + 1]."""
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
        """Probability that the turn's points are lost, by choice, shape [choice_count]."""
        return self._share(Fate.BUST)

    @cached_property
    def resets(self) -> Array:
        """Probability that all points are lost, by choice, shape [choice_count]."""
        return self._share(Fate.RESET)

    def table(self, *, must_roll: bool) -> DiceTable:
        """Return the dice as compiled code takes them."""
        return DiceTable(self.gains, self.busts, self.resets, must_roll)

    @property
    def most(self) -> int:
        """Maximum gain of a roll [points]."""
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
    """Return the result of a roll in Pig, where a one ends the turn."""
    return Fate.BUST if 1 in faces else Fate.POINTS


def dice_game(numbers: tuple[int, ...]) -> DiceGame:
    """Return Piggy Six with the numbers of dice that each roll can choose."""
    return DiceGame(name=f"dice-{'-'.join(map(str, numbers))}", dice=numbers, fate=fate_of)


PIGGY_SIX = DiceGame(name="two-dice", dice=(2,), fate=fate_of)
THREE_DICE = DiceGame(name="three-dice", dice=(1, 2, 3), fate=fate_of)
"""Piggy Six with one die, two or three, chosen for each roll."""
PIG = DiceGame(name="pig", dice=(1,), fate=_pig)
"""Pig, whose published values (Neller and Presser 2004) verify the solver."""

_GAMES = MappingProxyType({game.name: game for game in (PIGGY_SIX, THREE_DICE, PIG)})


def find_dice_game(name: str) -> DiceGame:
    """Return the game of a name: `two-dice`, `three-dice` or `pig`.

    Raises:
        SpecError: If there is none.
    """
    if name not in _GAMES:
        raise unknown_name("variant", name, _GAMES)
    return _GAMES[name]


TOLERANCE = 1e-9
"""Maximum distance between the bounds of a solved game."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Quality of a solution."""

    bound: float
    """Maximum distance between a value and the true one."""
    sweeps: int
    seconds: float
    """Solving time [s]; 0 if the solution was read from disk."""

    @property
    def solved(self) -> bool:
        """True if the bounds have met; false after an interrupt."""
        return self.bound <= TOLERANCE


def sweep_until_solved(sweep: Callable[[], float], tell: Callable[[float], None] | None) -> int:
    """Sweep until the bounds have met or Ctrl-C is pressed, and return the number of sweeps.

    Each sweep returns the distance between the bounds, which is passed to `tell`.
    """
    sweeps, apart = 0, 1.0
    with suppress(KeyboardInterrupt):
        while apart > TOLERANCE:
            apart = sweep()
            sweeps += 1
            if tell is not None:
                tell(apart)
    return sweeps


def solutions_folder() -> Path | None:
    """Return the folder of cached solutions; None for a user without a home folder."""
    own = user_cache()
    return own / "solutions" if own else None


def load_solution(
    key: str, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[Mapping[str, Array], int] | None:
    """Return cached arrays and the number of their sweeps; None if absent or damaged.

    The key holds everything on which the arrays depend.
    """
    if (path := _file(key)) is None:
        return None
    try:
        # The file is opened first, so that it is closed even if it is damaged.
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in (*shapes, "sweeps", "key")}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    # Comparing keys detects two keys with the same digest.
    fitting = all(arrays[name].shape == shape for name, shape in shapes.items())
    return (arrays, int(arrays["sweeps"])) if fitting and str(arrays["key"]) == key else None


def save_solution(key: str, arrays: Mapping[str, Array], sweeps: int) -> None:
    """Cache arrays under a key, unless the folder cannot be written."""
    if (target := _file(key)) is None:
        return
    named: dict[str, Any] = {"key": np.array(key), "sweeps": np.array(sweeps), **arrays}
    # Concurrent readers see either the complete old file or the complete new one.
    with suppress(OSError, SpecError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as part:
            np.savez_compressed(part, **named)


def _file(key: str) -> Path | None:
    own = solutions_folder()
    return own and own / f"{sha256(key.encode()).hexdigest()[:24]}.npz"
