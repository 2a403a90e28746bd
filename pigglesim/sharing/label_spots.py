"""Where names are written beside what they name, so that none covers another."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "label_spots"]

_GAP = 1.0
"""Between a thing and its name [mm]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A thing in a picture and what it takes up there [mm]; y grows downwards."""

    x: float
    """Of its middle."""
    y: float
    left: float
    right: float
    top: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Return the area that two of them share [mm2]."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


def label_spots(
    things: Sequence[Box], widths: Sequence[float], *, height: float, limit: float
) -> list[tuple[float, float]]:
    """Return the middle of each thing's label: below it, or where it covers the least.

    Args:
        things: What is named.
        widths: Of the labels [mm].
        height: Of every label [mm].
        limit: No label reaches farther from the origin, across or down [mm].
    """
    labels: list[Box] = []
    for thing, width in zip(things, widths, strict=True):
        others = [other for other in things if other is not thing]
        labels.append(
            min(
                _around(thing, width, height),
                key=lambda box: (
                    sum(box.overlap(other) for other in (*others, *labels, thing))
                    + 1e3 * _beyond(box, limit)
                ),
            )
        )
    return [(label.x, label.y) for label in labels]


def _around(thing: Box, width: float, height: float) -> list[Box]:
    """Return boxes around a thing, the best first: below, above, beside, at the corners."""
    below, above = thing.bottom + _GAP + height / 2, thing.top - _GAP - height / 2
    right, left = thing.right + _GAP + width / 2, thing.left - _GAP - width / 2
    middles = [(thing.x, below), (thing.x, above), (right, thing.y), (left, thing.y)]
    middles += [(right, below), (left, below), (right, above), (left, above)]
    return [
        Box(
            x=x, y=y, left=x - width / 2, right=x + width / 2, top=y - height / 2,
            bottom=y + height / 2,
        )
        for x, y in middles
    ]  # fmt: skip


def _beyond(box: Box, limit: float) -> float:
    """Return how far a box reaches beyond a limit on any side [mm]."""
    return max(0.0, -limit - box.left, box.right - limit, -limit - box.top, box.bottom - limit)
