"""How a film is to be seen: from where, how large, how fast. Checked before anything is drawn."""

import math
from dataclasses import dataclass

from pigglesim.errors import SpecError
from pigglesim.viewer.camera import VIEWS, Camera

LARGEST_SIDE = 8192
"""Pixels: what software draws into everywhere."""
_LEAST_SIDE = 16
_MOST_PIXELS = 7680 * 4320
"""Of one picture: with four samples each they take a gigabyte."""
_FASTEST = 240.0
"""Frames a second."""
_SLOWEST = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One way of looking at films."""

    size: tuple[int, int] = (1280, 720)
    """Width and height of the picture in pixels."""
    camera: Camera = VIEWS["table"]
    framed: bool = True
    """Whether the camera comes as near as shows the whole board and the cup."""
    labels: bool = True
    """Whether each Piggle that has come to rest tells its pose and its zone."""
    fps: float = 30.0
    """Frames a second of a video."""
    slow_motion: float = 1.0
    """How many times as long as the roll its video takes."""

    def __post_init__(self) -> None:
        check_size(self.size)
        # Written so that NaN fails too.
        if not 1.0 <= self.fps <= _FASTEST:
            raise SpecError(
                f"1 to {_FASTEST:g} frames a second", got=f"{self.fps:g}", remedy="--fps 30"
            )
        if not 1.0 <= self.slow_motion <= _SLOWEST:
            raise SpecError(
                f"a video 1 to {_SLOWEST:g} times as slow as the roll",
                got=f"{self.slow_motion:g}",
                remedy="--slow-motion 4",
            )


def parse_size(text: str) -> tuple[int, int]:
    """Return width and height of a text such as `"1280x720"`.

    Raises:
        SpecError: If it is no size, or one that is not drawn.
    """
    width, _, height = text.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise SpecError(
            "a size as WIDTHxHEIGHT in pixels", got=repr(text), remedy="--size 1280x720"
        )
    # Of a number with thousands of digits no more is needed than that it is too large.
    size = (int(width[:9]), int(height[:9]))
    check_size(size)
    return size


def check_size(size: tuple[int, int]) -> None:
    """Refuse a size that is not drawn.

    Raises:
        SpecError: If a side or the whole is too small or too large; the limits are named.
    """
    width, height = size
    if not (
        all(_LEAST_SIDE <= side <= LARGEST_SIDE for side in size) and width * height <= _MOST_PIXELS
    ):
        share = min(1.0, math.sqrt(_MOST_PIXELS / max(width * height, 1)), LARGEST_SIDE / max(size))
        fitting = [max(_LEAST_SIDE, 2 * int(side * share / 2)) for side in size]
        raise SpecError(
            f"a picture with sides of {_LEAST_SIDE} to {LARGEST_SIDE} pixels and at most "
            f"{_MOST_PIXELS / 1e6:.0f} million of them",
            got=f"{width}x{height}",
            remedy=f"--size {fitting[0]}x{fitting[1]}",
        )
