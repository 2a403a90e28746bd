"""Which points of a resting body touch the board, the table below, or another body."""

from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.landing import RestPlace
from pigglesim.rotations import Array, rotate
from pigglesim.scene.board import Board


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundContact:
    """Where a body meets the ground."""

    board: Array
    """Points on the board, seen from above [m], shape [contact_count, 2]; may be empty."""
    parts: frozenset[str]
    """Parts of the body that touch the board or the table."""
    table: bool
    """Whether any point touches the table below the board."""


def hull_in_world(body: Body, place: RestPlace) -> Array:
    """Return the corners of the hull where they lie [m], shape [hull_vertex_count, 3]."""
    turned = rotate(np.array(place.rotation), body.hull.vertices - body.mass.centre)
    corners: Array = turned + np.array(place.position)
    return corners


def ground_contact(
    body: Body, place: RestPlace, board: Board, *, tolerance: float
) -> GroundContact:
    """Return where a body touches the ground; only corners of its hull ever can.

    Args:
        body: The body.
        place: How it lies.
        board: The board it lies on, beside, or over the edge of.
        tolerance: How near counts as touching [m] (P10).
    """
    corners = hull_in_world(body, place)
    over_board = np.all(np.abs(corners[:, :2]) <= board.half, axis=1)
    on_board = over_board & (corners[:, 2] <= tolerance)
    on_table = ~over_board & (corners[:, 2] <= -board.thickness + tolerance)
    touching = np.flatnonzero(on_board | on_table)
    return GroundContact(
        board=corners[on_board][:, :2],
        parts=frozenset(body.hull.vertex_parts[i] for i in touching),
        table=bool(on_table.any()),
    )
