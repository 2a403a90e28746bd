"""Knocks of a roll, read from the landings before and after it."""

import math
from collections.abc import Callable, Mapping

from pigglesim.landing import Knock, Landing, ReadingRules, Zone

Rotation = tuple[float, float, float, float]
"""Unit quaternion (x, y, z, w) from a body's axes to the world's."""


def read_knocks(
    before: tuple[tuple[str, Landing], ...],
    after: Mapping[str, Landing],
    strikers: Mapping[str, str],
    rules: ReadingRules,
    *,
    angle_between: Callable[[Rotation, Rotation], float],
) -> tuple[Knock, ...]:
    """Return the knocks of a roll, in the order of the standing Piggles that it touched.

    Args:
        before: Piggles on the board before the roll.
        after: Landing of each Piggle after it.
        strikers: Rolled Piggle that touched each of them, directly or through others.
        rules: House rules of the reading.
        angle_between: Function for the angle [rad] between two rotations. Python's and the page's
            differ in the last bit, and recorded throws have both.
    """
    knocks = []
    for name, was in before:
        if name not in strikers:
            continue
        now = after[name]
        assert was.place is not None
        assert now.place is not None
        distance = math.dist(was.place.position[:2], now.place.position[:2])
        angle = angle_between(was.place.rotation, now.place.rotation)
        flipped, zone_changed = now.label != was.label, now.zone is not was.zone
        moved = distance > rules.knock_distance_mm / 1000.0
        turned = angle > math.radians(rules.knock_angle_deg)
        if moved or turned or flipped or zone_changed:
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
