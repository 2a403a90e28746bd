"""Layouts as spaces of Gymnasium."""

import numpy as np

from pigglesim.envs.encoding import FeatureLayout
from pigglesim.envs.extra import expect_extra

expect_extra("gymnasium")

from gymnasium import spaces  # noqa: E402 (after it was looked for)


def seen_space(layout: FeatureLayout, action_count: int) -> spaces.Dict:
    """Return the space of what a player sees, and may do."""
    return spaces.Dict(
        {
            "observation": spaces.Box(layout.low, layout.high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (action_count,), dtype=np.int8),
        }
    )


def state_space(layout: FeatureLayout, players: int) -> spaces.Box:
    """Return the space of what all players see, one after the other."""
    low, high = np.tile(layout.low, players), np.tile(layout.high, players)
    return spaces.Box(low, high, dtype=np.float32)
