"""Dice poured from the cup and read by their faces; cocked ones are thrown again or read anyway."""

import numpy as np

from pigglesim.asking import CockedDice, DiceRequest, DiceResult
from pigglesim.errors import SpecError
from pigglesim.physics.engine import Engine
from pigglesim.physics.simulate import Watch, simulate
from pigglesim.reading.contact import ground_contact
from pigglesim.reading.orientation import HOME_ANGLE, face_up, tilt
from pigglesim.rolls import RestPlace
from pigglesim.scene.board import Board
from pigglesim.scene.scene import Scene
from pigglesim.shapes.body import Body
from pigglesim.throws.pour import Pour

__all__ = ["is_cocked", "throw_dice"]

_TOUCH = 0.0005
"""How near the board a corner counts as touching [m], as for Piggles (P10)."""
_MOST_THROWS = 50
"""How often dice are thrown until none is cocked; then they are read by the nearest face. About one
throw of two dice in twenty has a cocked one: no such run will be seen."""


def throw_dice(
    request: DiceRequest,
    *,
    die: Body,
    scene: Scene,
    engine: Engine,
    rng: np.random.Generator,
    watch: Watch | None = None,
) -> DiceResult:
    """Return dice as they lie, drawn from `rng` and nothing else.

    Args:
        request: How many, and what is done with cocked ones.
        die: The body of each.
        scene: The table.
        engine: What steps it.
        rng: Where every throw of this answer comes from, one after the other.
        watch: Shown every throw as it happens.

    Raises:
        SpecError: If the die has other faces, or the cup cannot hold so many.
    """
    if request.sides != len(die.poses):
        raise SpecError(
            f"dice of {len(die.poses)} faces at this table",
            got=f"{request.sides}",
            remedy="--chance fair",
        )
    bodies = (die,) * request.count
    throws = 0
    while True:
        throw = Pour(scene=scene, seat=request.thrower).sample(bodies, rng=rng)
        places = simulate(scene, throw, bodies, engine=engine, watch=watch).rolled
        throws += 1
        cocked = any(is_cocked(die, place, scene.board) for place in places)
        if not cocked or request.cocked is CockedDice.NEAREST or throws == _MOST_THROWS:
            faces = tuple(face_up(die, place) for place in places)
            return DiceResult(faces=faces, places=places, throws=throws)


def is_cocked(die: Body, place: RestPlace, board: Board) -> bool:
    """Return whether a die does not lie flat on the board: aslant, on another die, or beside it."""
    ground = ground_contact(die, place, board, tolerance=_TOUCH)
    beside = ground.table or place.position[2] < 0.0
    return beside or not len(ground.board) or tilt(die, place) > HOME_ANGLE
