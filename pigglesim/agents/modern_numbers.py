"""A game of Piggles Modern as numbers, for code that is compiled.

The twelve Piggles are A's from 0 to 5 and B's from 6 to 11; seats are 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.classic_kernel import DOWN, FIELDS, HEAD, OFF, PLACES

__all__ = [
    "ACTED",
    "ACTING",
    "ACTOR",
    "ALL",
    "BOARD",
    "BONUS",
    "CUP",
    "DOWN",
    "FIELDS",
    "HEAD",
    "KITCHEN",
    "KITCHEN_BONUS",
    "LIES",
    "MAY_ACT",
    "MUD",
    "MUD_BONUS",
    "NOBODY",
    "OFF",
    "OWED",
    "PEN",
    "PENDING",
    "PLACES",
    "ROLLED",
    "ROLLING",
    "ROUND",
    "SCORE",
    "SEAT",
    "SHIELD",
    "SIDE",
    "SINCE",
    "STAGE",
    "TARGET",
    "TEAM",
    "TIED",
    "TO_LOAD",
    "WHERE",
    "Floats",
    "Ints",
    "Table",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WHERE, SINCE, LIES, OWED, SIDE, SHIELD, ROLLED, MAY_ACT, ACTED = range(9)
"""Rows of what is known of each Piggle: area; round in which it came into the Mud; how it lies; who
is paid if it goes to the Kitchen, or -1; who has control of it; who shields it, or -1, and whether
the roll of that has begun; whether it may act, and has."""
PEN, BOARD, MUD, KITCHEN, CUP = range(5)
"""Where a Piggle is."""
SCORE, BONUS, ROUND, SEAT, STAGE, ACTOR, TARGET = 0, 2, 3, 4, 5, 6, 7
"""What is known of a game: the score of seat 0 and then of 1; points by knocks and effects of this
turn; the rest is of whoever is to move."""
TO_LOAD, ROLLING, ACTING, PENDING, TIED = range(5)
"""Stages: a roll is of what is in the cup, and a pending effect that of actor on target."""
TEAM, ALL = 6, 12
MUD_BONUS, KITCHEN_BONUS = 1, 2
NOBODY = -1


class Table(NamedTuple):
    """What decides how games go on."""

    thrown: Floats
    """Probabilities of landing so or lower as seat A throws, by number, shape [13, CLASSES]."""
    after: Floats
    """The same after a knock, by how it lay before, shape [OFF, CLASSES]."""
    knocked: Floats
    """Share knocked by numbers thrown and standing, and how they lie, shape [13, 13, OFF]."""
    poses: Floats
    """Of one Piggle alone: of landing Up, of that or Down, of those or on the head, shape [3]."""
    first: Ints
    """Who begins each round, shape [rounds + 1]; the first entry means nothing."""
    gains: Floats
    """What a Piggle rolled in each round gains on average [points], shape [rounds + 1]."""
    verbs: Ints
    """What each Piggle does when it acts, 0 for nothing, shape [12]."""
    colours: Ints
    """Shape [12]."""
    aims: Ints
    """Field of an effect by Piggle, its player and its own field, or -1, shape [12, 2, FIELDS]."""
    worth: float
    """What a Piggle that is rolled again is believed to pay [points]."""
    every: bool
    """Whether those act that were not rolled, too (M1)."""
    opposing: bool
    """Whether Orange, Red and Blue reach opposing Piggles alone (M7)."""
    exhaustion_round: int
    delay: int
    """Rounds from the Mud to the Recoup."""
    sudden_cap: int
