"""Landings of resting bodies, as `pose_reading` reads them, and their contacts."""

from dataclasses import dataclass
from math import acos

import numpy as np

from pigglesim.bodies.body import Body, StablePose, pose_at, read_body
from pigglesim.knocks import Rotation
from pigglesim.landing import STANDARD_READING, ClassLanding, Landing, ReadingRules, RestPlace, Zone
from pigglesim.pose_reading import (
    LEANING,
    ORIENTATIONS,
    STACKED,
    ZONES,
    BoardPrint,
    read_pose,
)
from pigglesim.rotations import Array, angle_between, dot, rotate, to_matrix
from pigglesim.scene.scene import Board


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundContact:
    """Contacts of a body with the ground."""

    board: Array
    """Points on the board, seen from above [m], shape [contact_count, 2]; may be empty."""
    parts: frozenset[str]
    """Parts of the body that touch the board or the table."""
    table: bool
    """True if any point touches the table below the board."""


def hull_in_world(body: Body, place: RestPlace) -> Array:
    """Return the corners of the hull in the world [m], shape [hull_vertex_count, 3]."""
    rotated = rotate(np.array(place.rotation), body.hull.vertices - body.mass.centre)
    corners: Array = rotated + np.array(place.position)
    return corners


def ground_contact(
    body: Body, place: RestPlace, board: Board, *, tolerance: float
) -> GroundContact:
    """Return the contacts of a body with the ground: corners of its hull within `tolerance` [m]."""
    corners = hull_in_world(body, place)
    low = np.flatnonzero(corners[:, 2] <= tolerance)
    corners = corners[low]
    on_board = np.all(np.abs(corners[:, :2]) <= board.half, axis=1)
    on_table = ~on_board & (corners[:, 2] <= -board.thickness + tolerance)
    touching = low[on_board | on_table].tolist()
    return GroundContact(
        board=corners[on_board][:, :2],
        parts=frozenset(body.hull.vertex_parts[i] for i in touching),
        table=bool(on_table.any()),
    )


def _down(place: RestPlace) -> Array:
    """Return the direction of the floor in body axes, shape [3]."""
    down: Array = -to_matrix(np.array(place.rotation))[2]
    return down


def tilt(body: Body, place: RestPlace) -> float:
    """Return the angle [rad] between a body and the stable pose whose basin it is in."""
    down = _down(place)
    cosine = dot(pose_at(body, down).down, down)
    return acos(min(1.0, max(-1.0, cosine)))


def face_up(die: Body, place: RestPlace) -> int:
    """Return the face closest to upward: that opposite the one closest to downward."""
    down = _down(place)
    pose = max(die.poses, key=lambda pose: dot(pose.down, down))
    return int(pose.name)


def pose_alone(body: Body, place: RestPlace) -> StablePose:
    """Return the stable pose that a body would descend into if left alone."""
    return pose_at(body, _down(place))


def zone_points(body: Body, place: RestPlace, board: Board, rules: ReadingRules) -> Array:
    """Return the points that decide the zone of a body alone [m], shape [point_count, 2]."""
    points = _memory(body, ())
    *_, count = _read(body, place, (), board.lengths(rules), points)
    return np.array(points[:count])


Touch = tuple[Array, ...]
"""Points where a body touches others at rest [m], shape [3] each."""


def read_landing(
    body: Body,
    place: RestPlace,
    touches: Touch,
    *,
    board: Board,
    rules: ReadingRules,
    reading: tuple[int, int, int] | None = None,
) -> Landing:
    """Return the landing of a Piggle or another body; every state has one.

    Args:
        body: The body.
        place: Where it rests.
        touches: Points where it touches others.
        board: The board.
        rules: House rules of the reading.
        reading: Its reading by the usual rules, if it is known; else it is read here.
    """
    usual = rules == STANDARD_READING or board.lengths(rules) == board.lengths()
    if reading is None or not usual:
        memory = _memory(body, touches)
        reading = _read(body, place, touches, board.lengths(rules), memory)[:3]
    orientation, number, support = reading
    zone, leaning, stacked = ZONES[number], support == LEANING, support == STACKED
    if zone is not Zone.OFF and not body.pig:
        return ClassLanding(
            class_name=pose_alone(body, place).label,
            orientation=None,
            zone=zone,
            leaning=leaning,
            stacked=stacked,
            place=place,
        )
    return Landing(
        orientation=ORIENTATIONS[orientation] if orientation >= 0 else None,
        zone=zone,
        leaning=leaning,
        stacked=stacked,
        place=place,
    )


def _memory(body: Body, touches: Touch) -> list[list[float]]:
    return [[0.0, 0.0] for _ in range(len(body.hull.vertices) + len(touches) + 1)]


def _read(
    body: Body, place: RestPlace, touches: Touch, lengths: BoardPrint, points: list[list[float]]
) -> tuple[int, int, int, int]:
    at = [point.tolist() for point in touches]
    placed = (*place.position, *place.rotation)
    return read_pose(read_body(body), lengths, placed, at, len(at), points)


def turned(first: Rotation, second: Rotation) -> float:
    """Return the angle [rad] of the rotation that takes one rotation to the other."""
    return angle_between(np.array(first), np.array(second))
