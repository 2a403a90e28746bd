"""Games in which dice are rolled for points until they turn, as numbers for a solver."""

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
from pigglesim.games.piggy_six.rules import Fate, fate_of
from pigglesim.rotations import Array


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


def solutions_folder() -> Path | None:
    """Return where solutions are kept, which saves time alone; None for a user without a home."""
    own = user_cache()
    return own / "solutions" if own else None


def kept(key: str) -> Mapping[str, Array] | None:
    """Return what was kept under a key, or None: a file that is damaged counts as none.

    Args:
        key: Everything that the arrays depend on.
    """
    if (path := _file(key)) is None:
        return None
    try:
        # Opened here, so that a damaged file is closed again too.
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    # Of two keys with one digest, which will not happen, the other's arrays are not ours.
    return arrays if str(arrays.pop("key", "")) == key else None


def keep(key: str, arrays: Mapping[str, Array]) -> None:
    """Keep arrays under a key; where the folder cannot be written they are not kept."""
    if (target := _file(key)) is None:
        return
    named: dict[str, Any] = {"key": np.array(key), **arrays}
    # Whoever reads meanwhile has the old file or the new one, whole.
    with suppress(OSError, SpecError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as part:
            np.savez_compressed(part, **named)


def _file(key: str) -> Path | None:
    own = solutions_folder()
    return own and own / f"{sha256(key.encode()).hexdigest()[:24]}.npz"
