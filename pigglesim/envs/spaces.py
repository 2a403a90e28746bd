"""Layouts as spaces of Gymnasium, and the optional libraries that environments need."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.envs.encoding import FeatureLayout
from pigglesim.errors import PigglesimError, pip_install

if TYPE_CHECKING:
    from gymnasium import spaces


class MissingExtraError(PigglesimError, ImportError):
    """An optional library that is not installed."""


def expect_extra(*libraries: str) -> None:
    """Raise unless libraries of the extra `envs` are installed.

    Args:
        libraries: Their names, as they are imported.

    Raises:
        MissingExtraError: If one of them is not.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"the libraries {' and '.join(libraries)}, for environments",
            got=f"no {' and no '.join(missing)}",
            remedy=pip_install("pettingzoo", "gymnasium"),
        )


def seen_space(layout: FeatureLayout, action_count: int) -> "spaces.Dict":
    """Return the space of what a player sees, and may do."""
    from gymnasium import spaces  # noqa: PLC0415 (an extra)

    return spaces.Dict(
        {
            "observation": spaces.Box(layout.low, layout.high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (action_count,), dtype=np.int8),
        }
    )


def state_space(layout: FeatureLayout, players: int) -> "spaces.Box":
    """Return the space of what all players see, one after the other."""
    from gymnasium import spaces  # noqa: PLC0415 (an extra)

    low, high = np.tile(layout.low, players), np.tile(layout.high, players)
    return spaces.Box(low, high, dtype=np.float32)
