"""Reading of resting bodies as landings: contacts, orientation, zone and knocks."""

import math
from dataclasses import dataclass
from math import acos, radians

import numpy as np

from pigglesim.bodies.body import Body, StablePose, orientation_of, pose_at
from pigglesim.landing import (
    FIELD_LINES,
    FIELDS,
    ClassLanding,
    Knock,
    Landing,
    LineRule,
    Orientation,
    ReadingRules,
    RestPlace,
    Zone,
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


HOME_ANGLE = radians(3.0)
"""Rotation out of a stable pose below which a body counts as resting in it [rad]."""


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


def orientation_alone(pig: Body, place: RestPlace) -> Orientation:
    """Return the orientation of the stable pose that a pig would descend into if left alone."""
    orientation = pose_alone(pig, place).orientation
    assert orientation is not None
    return orientation


def orientation_supported(
    pig: Body, place: RestPlace, touching_parts: frozenset[str]
) -> Orientation:
    """Return the orientation of a pig that leans on or is stacked on another, by its axes (P12).

    If the model file names the poses, the axes have no meaning, and its basin decides instead.
    """
    if pig.classed:
        return orientation_alone(pig, place)
    return orientation_of(_down(place), touching_parts)


_PATHS = (Zone.PATH_INNER, Zone.PATH_OUTER)


def footprint_points(rule: LineRule, contacts: Array, centre: Array) -> Array:
    """Return the points that the house rule `line_rule` uses.

    Args:
        rule: Part of a Piggle that decides its zone (P10).
        contacts: Points where it touches the board [m], shape [contact_count, 2].
        centre: Its centre of mass seen from above [m], shape [2].

    Returns:
        Points [m], shape [point_count, 2].
    """
    match rule:
        case LineRule.FOOTPRINT:
            return contacts
        case LineRule.CONTACT_CENTROID:
            middle: Array = contacts.mean(axis=0, keepdims=True)
            return middle
        case LineRule.COM:
            return centre[None, :]


def classify(board: Board, points: Array) -> Zone:
    """Return the zone of a footprint: the lowest-paying region that its hull touches counts (P10).

    A footprint that touches a printed line, or extends to both of its sides, is on that line.
    Inner and outer path pay the same and have no line between them: there the middle of the
    footprint decides. Of two fields that a footprint on a field/path line touches, the one nearer
    to its middle names the line (M6). `points` are its corners [m], shape [point_count, 2].
    """
    import shapely  # noqa: PLC0415 (slow to import)

    footprint = shapely.convex_hull(shapely.multipoints(points))
    meets = shapely.intersects(list(board.regions.values()), footprint).tolist()
    touched = {zone for zone, met in zip(board.regions, meets, strict=True) if met}
    half_line = board.line / 2.0
    inward = touched - {Zone.WOODS}
    if footprint.distance(board.lines[Zone.LINE_PATH_WOODS]) <= half_line or (
        Zone.WOODS in touched and inward
    ):
        return Zone.LINE_PATH_WOODS
    if not inward:
        return Zone.WOODS
    middle = shapely.Point(*np.mean(points, axis=0))
    lines = [board.lines[FIELD_LINES[field]] for field in FIELDS]
    near = shapely.dwithin(lines, footprint, half_line).tolist()
    fields = [zone for zone, lined in zip(FIELDS, near, strict=True) if lined or zone in touched]
    if any(near) or (fields and touched.intersection(_PATHS)):
        return FIELD_LINES[min(fields, key=lambda zone: board.regions[zone].distance(middle))]
    if fields:
        return fields[0]
    return min(_PATHS, key=lambda zone: board.regions[zone].distance(middle))


Touch = tuple[Array, ...]
"""Points where a body touches others at rest [m], shape [3] each."""


def read_landing(
    body: Body, place: RestPlace, touches: Touch, *, board: Board, rules: ReadingRules
) -> Landing:
    """Return the landing of a Piggle or another body; every state has one."""
    ground = ground_contact(body, place, board, tolerance=rules.contact_tolerance_mm / 1000.0)
    grounded = len(ground.board) > 0 or ground.table
    supported = bool(touches) and (not grounded or tilt(body, place) > HOME_ANGLE)
    leaning, stacked = supported and grounded, supported and not grounded
    zone = _zone(place, ground, touches, board, rules)
    orientation = None
    # Off the board an orientation has no meaning in any rule (P11).
    if zone is not Zone.OFF:
        if not body.pig:
            return ClassLanding(
                class_name=pose_alone(body, place).label,
                orientation=None,
                zone=zone,
                leaning=leaning,
                stacked=stacked,
                place=place,
            )
        if supported:
            parts = ground.parts | _parts_at(body, place, touches)
            orientation = orientation_supported(body, place, parts)
        else:
            orientation = orientation_alone(body, place)
    return Landing(
        orientation=orientation, zone=zone, leaning=leaning, stacked=stacked, place=place
    )


def read_knocks(
    before: tuple[tuple[str, Landing], ...],
    after: dict[str, Landing],
    strikers: dict[str, str],
    rules: ReadingRules,
) -> tuple[Knock, ...]:
    """Return the knocks of a roll, in the order of the standing Piggles that it touched."""
    knocks = []
    for name, was in before:
        if name not in strikers:
            continue
        now = after[name]
        assert was.place is not None
        assert now.place is not None
        distance = math.dist(was.place.position[:2], now.place.position[:2])
        angle = angle_between(np.array(was.place.rotation), np.array(now.place.rotation))
        flipped, zone_changed = now.label != was.label, now.zone is not was.zone
        moved = distance > rules.knock_distance_mm / 1000.0
        if moved or angle > radians(rules.knock_angle_deg) or flipped or zone_changed:
            knocks.append(
                Knock(
                    struck=name,
                    by=strikers[name],
                    distance=distance,
                    angle=angle,
                    flipped=flipped,
                    zone_changed=zone_changed,
                    off_board=now.zone is Zone.OFF,
                )
            )
    return tuple(knocks)


def _zone(
    place: RestPlace, ground: GroundContact, touches: Touch, board: Board, rules: ReadingRules
) -> Zone:
    """Return the zone: off if the table below carries any part of it (P11)."""
    x, y, z = place.position
    if ground.table or z < -board.thickness:
        return Zone.OFF
    contacts = ground.board
    if not len(contacts):
        # Supported by others alone: its points of support, seen from above (P12).
        contacts = np.array([point[:2] for point in touches]) if touches else np.array([[x, y]])
        if np.any(np.abs(contacts) > board.half):
            return Zone.OFF
    return classify(board, footprint_points(rules.line_rule, contacts, np.array([x, y])))


def _parts_at(body: Body, place: RestPlace, touches: Touch) -> frozenset[str]:
    """Return the parts that touch others: each point belongs to the closest corner of the hull."""
    corners = hull_in_world(body, place)
    nearest = (int(np.argmin(np.linalg.norm(corners - point, axis=1))) for point in touches)
    return frozenset(body.hull.vertex_parts[i] for i in nearest)
