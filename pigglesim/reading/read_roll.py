"""From resting bodies to what the rules hear: one landing a Piggle, and the knocks."""

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.landing import ClassLanding, Knock, Landing, ReadingRules, RestPlace, Zone
from pigglesim.reading.contact import GroundContact, ground_contact, hull_in_world
from pigglesim.reading.knock import read_knock
from pigglesim.reading.orientation import (
    HOME_ANGLE,
    orientation_alone,
    orientation_supported,
    pose_alone,
    tilt,
)
from pigglesim.reading.zone import classify, footprint_points
from pigglesim.rotations import Array
from pigglesim.scene.board import Board

Touch = tuple[Array, ...]
"""Points where a body meets others at rest [m], shape [3] each."""


def read_landing(
    body: Body, place: RestPlace, touches: Touch, *, board: Board, rules: ReadingRules
) -> Landing:
    """Read how one Piggle, or another body, lies; there is an answer for every state.

    Args:
        body: The Piggle's body.
        place: Where and how it lies.
        touches: Where it meets other Piggles.
        board: The board.
        rules: The house rules of reading.
    """
    ground = ground_contact(body, place, board, tolerance=rules.contact_tolerance_mm / 1000.0)
    grounded = len(ground.board) > 0 or ground.table
    held = bool(touches) and (not grounded or tilt(body, place) > HOME_ANGLE)
    leaning, stacked = held and grounded, held and not grounded
    zone = _zone(place, ground, touches, board, rules)
    orientation = None
    # Beside the board a pose means nothing to any rule (P11).
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
        if held:
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
    """Return the knocks of a roll, in the order in which the struck ones lay.

    Args:
        before: Who lay on the board, and how.
        after: How each lies now.
        strikers: For each that the roll reached by contact, the rolled Piggle it came from.
        rules: The house rules of reading.
    """
    knocks = (
        read_knock(name, strikers[name], landing, after[name], rules)
        for name, landing in before
        if name in strikers
    )
    return tuple(knock for knock in knocks if knock is not None)


def _zone(
    place: RestPlace, ground: GroundContact, touches: Touch, board: Board, rules: ReadingRules
) -> Zone:
    """Return the zone: off as soon as the table below carries any of it (P11)."""
    x, y, z = place.position
    if ground.table or z < -board.thickness:
        return Zone.OFF
    contacts = ground.board
    if not len(contacts):
        # Carried by others alone: its own points of support, seen from above (P12).
        contacts = np.array([point[:2] for point in touches]) if touches else np.array([[x, y]])
        if np.any(np.abs(contacts) > board.half):
            return Zone.OFF
    return classify(board, footprint_points(rules.line_rule, contacts, np.array([x, y])))


def _parts_at(body: Body, place: RestPlace, touches: Touch) -> frozenset[str]:
    """Return the parts that meet others: each point belongs to the nearest corner of the hull."""
    corners = hull_in_world(body, place)
    nearest = (int(np.argmin(np.linalg.norm(corners - point, axis=1))) for point in touches)
    return frozenset(body.hull.vertex_parts[i] for i in nearest)
