"""What the compiled code for many bodies at once works on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.physics.impulse_types import STATE_SIZE, work_room
from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["BOARD", "CUP", "MOST_BODIES", "Pile", "Room", "Shapes", "Table", "room_for_pile"]

MOST_BODIES = 24
"""Bodies that a world can hold."""
BOARD, CUP = MOST_BODIES, MOST_BODIES + 1
"""Rows of the board and of the cup among the bodies."""
_ROWS = MOST_BODIES + 2
_PAIRS = MOST_BODIES * (MOST_BODIES - 1) // 2
_CONTACTS = 512
_POLYGON = 16


class Shapes(NamedTuple):
    """Convex shapes one after another, each in the principal frame of its body."""

    corners: Array
    """Of all shapes [m], shape [corner_count, 3]."""
    links: Indices
    """Corners joined to each corner by an edge, counted within its shape."""
    ends: Indices
    """Where in `links` those of each corner begin, shape [corner_count + 1]."""
    seen: Indices
    """Mark of the last search that came by each corner; written in every step."""
    first: Indices
    """Where in `corners` each shape begins, shape [shape_count + 1]."""
    balls: Array
    """Centre and radius of a ball round each shape [m], shape [shape_count, 4]."""
    hulls: Indices
    """The shape that is the hull of each kind of body."""
    thins: Indices
    """The shape that is its thinned hull."""
    parts: Indices
    """The first of those it is made of, and one past the last, shape [kind_count, 2]."""
    box: int
    """The board's shape."""
    rim: int
    """The first piece of the cup's rim; the others follow, to the last shape."""


class Table(NamedTuple):
    """What bodies meet beside each other, and how; lengths in metres."""

    half: float
    """Half the side of the board."""
    thickness: float
    """Of the board, on its table."""
    piggle_friction: float
    piggle_restitution: float
    cup_friction: float
    cup_restitution: float
    cup_radius: float
    cup_half: float
    """Half the cup's depth."""
    cup_wall: float
    """Angle that each of the cup's flat walls takes up, seen from its axis [rad]."""
    iterations: int
    """Sweeps of the solver, at most."""


Pile = np.record
"""All bodies of a world, and room for what a step computes, as `Work` is for one die.

Rows of bodies come first, then the board's and the cup's:

* `states`: as for one die, with the place on the board; `lightness`: inverse masses; `rates`:
  inverse principal moments; `radii`: of the ball about the centre of mass that holds the body;
* `kinds`: in `Shapes`; `forms`: 0 in the cup, whole; 1 loose, in parts; 2 standing;
* `joint`: whether a body is stepped with others; `held`: whether anything touched it last;
* `places`, `turns`, `velocities`, `spins`, `inverses`: centre, principal to world axes, motion and
  inverse inertia, world axes; `pushes`: how far overlaps have moved it in this step;
* `resist`: impulses of turning against rolling, and against spinning; `weights_on`: the normal
  impulse from the board;
* `axes`: the last normal between two bodies, and their gap along it;
* `pairs`, `pair_count`: bodies near each other; `met`, `met_at`: which have pushed each other
  since the last look, and where at last;

of contacts:

* `first`, `second`: rows of the bodies; `kind`: 0 board, 1 another body, 2 cup; `at`: where;
  `ways`: normal, towards the first body, and two ways across; `gap`; `aim`: least normal velocity
  after the step; `push`, `drag`: impulses; `turning`: unit impulses' moments on both bodies;
  `gives`: the spin they give; `eases`: effective inverse inertia along the normal and across;
  `count`: how many there are;

of a search for the closest points: `way`, `drawn`, `normal`, `point`, `walked`, `simplex`,
`simplex_on`, `weights`; of faces that meet: `corner_list`, `faces`, `face_sizes`; of contacts to
choose from: `deepest`, `walls`; and of the cup: `has_cup`, and its place, quaternion, velocity and
spin, `cup`.
"""
_FIELDS: list[tuple[str, type, tuple[int, ...]]] = [
    ("states", np.float64, (MOST_BODIES, STATE_SIZE)),
    ("marks", np.int64, (MOST_BODIES, 2)),
    ("lightness", np.float64, (_ROWS,)),
    ("rates", np.float64, (MOST_BODIES, 3)),
    ("radii", np.float64, (MOST_BODIES,)),
    ("kinds", np.int64, (MOST_BODIES,)),
    ("forms", np.int64, (MOST_BODIES,)),
    ("joint", np.int64, (MOST_BODIES,)),
    ("held", np.int64, (MOST_BODIES,)),
    ("places", np.float64, (_ROWS, 3)),
    ("turns", np.float64, (_ROWS, 3, 3)),
    ("velocities", np.float64, (_ROWS, 3)),
    ("spins", np.float64, (_ROWS, 3)),
    ("inverses", np.float64, (_ROWS, 3, 3)),
    ("pushes", np.float64, (_ROWS, 3)),
    ("resist", np.float64, (MOST_BODIES, 3)),
    ("weights_on", np.float64, (MOST_BODIES,)),
    ("axes", np.float64, (_ROWS, _ROWS, 4)),
    ("pairs", np.int64, (_PAIRS, 2)),
    ("pair_count", np.int64, (1,)),
    ("met", np.int64, (MOST_BODIES, MOST_BODIES)),
    ("met_at", np.float64, (MOST_BODIES, MOST_BODIES, 3)),
    ("first", np.int64, (_CONTACTS,)),
    ("second", np.int64, (_CONTACTS,)),
    ("kind", np.int64, (_CONTACTS,)),
    ("at", np.float64, (_CONTACTS, 3)),
    ("ways", np.float64, (_CONTACTS, 3, 3)),
    ("gap", np.float64, (_CONTACTS,)),
    ("aim", np.float64, (_CONTACTS,)),
    ("push", np.float64, (_CONTACTS,)),
    ("drag", np.float64, (_CONTACTS, 2)),
    ("turning", np.float64, (_CONTACTS, 2, 3, 3)),
    ("gives", np.float64, (_CONTACTS, 2, 3, 3)),
    ("eases", np.float64, (_CONTACTS, 2)),
    ("count", np.int64, (1,)),
    ("way", np.float64, (3,)),
    ("drawn", np.float64, (3,)),
    ("normal", np.float64, (3,)),
    ("point", np.float64, (3,)),
    ("walked", np.int64, (2,)),
    ("simplex", np.float64, (4, 3)),
    ("simplex_on", np.float64, (4, 3)),
    ("weights", np.float64, (4,)),
    ("faces", np.float64, (2, _POLYGON, 4)),
    ("face_sizes", np.int64, (2,)),
    ("corner_list", np.int64, (2, _POLYGON)),
    ("deepest", np.float64, (8, 4)),
    ("walls", np.float64, (8, 4)),
    ("has_cup", np.int64, (1,)),
    ("cup", np.float64, (13,)),
]


class Room(NamedTuple):
    """The records of a world as arrays of one, which are handed to compiled code in no time."""

    pile: NDArray[np.void]
    work: NDArray[np.void]


def room_for_pile() -> Room:
    """Return room for the bodies of a world, with none in it."""
    return Room(pile=np.zeros(1, _FIELDS), work=work_room())
