"""Who was knocked: reached by a chain of contact from the roll, and moved by it (P18)."""

import math

import numpy as np

from pigglesim.landing import Knock, Landing, ReadingRules, RestPlace, Zone
from pigglesim.rotations import angle_between


def read_knock(
    struck: str, striker: str, before: Landing, after: Landing, rules: ReadingRules
) -> Knock | None:
    """Return the knock of a Piggle that the roll touched, or None if it did not move by it.

    Args:
        struck: The Piggle that lay on the board.
        striker: The rolled Piggle whose chain of contact reached it.
        before: How it lay.
        after: How it lies.
        rules: The least distance and angle that count.
    """
    assert before.place is not None
    assert after.place is not None
    distance, angle = _moved(before.place, after.place)
    flipped = after.label != before.label
    zone_changed = after.zone is not before.zone
    moved = distance > rules.knock_distance_mm / 1000.0
    turned = angle > math.radians(rules.knock_angle_deg)
    if not (moved or turned or flipped or zone_changed):
        return None
    return Knock(
        struck=struck,
        by=striker,
        distance=distance,
        angle=angle,
        flipped=flipped,
        zone_changed=zone_changed,
        off_board=after.zone is Zone.OFF,
    )


def _moved(before: RestPlace, after: RestPlace) -> tuple[float, float]:
    """Return how far [m] in the plane of the board and by what angle [rad] a body moved."""
    distance = math.hypot(
        after.position[0] - before.position[0], after.position[1] - before.position[1]
    )
    return distance, angle_between(np.array(before.rotation), np.array(after.rotation))
