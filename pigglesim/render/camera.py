"""Cameras, shots, and the path of a camera through a film."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.films.film import Film
from pigglesim.rotations import Array, rotate
from pigglesim.scene.scene import Board, Scene

_NEAR, _FAR = 0.02, 6.0
"""Distances of the near and the far clipping plane [m]."""
_NEAREST, _FARTHEST = 0.05, 3.0
"""Minimum and maximum distance of the eye from its target [m]."""
_HIGHEST = math.pi / 2.0
_LOWEST = math.radians(2.0)
"""Minimum elevation, which keeps the eye above the board [rad]."""
_ROAM = 0.4
"""Maximum distance of the target from the middle of the board [m]."""


@dataclass(frozen=True, kw_only=True)
class Camera:
    """An eye on a sphere around its target; every change returns another camera.

    Azimuth is the viewer's side, as on a compass: 0 North, 90 degrees East, 180 South.
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Point in the middle of the picture [m]."""
    azimuth: float = math.pi
    """Azimuth of the eye [rad]."""
    elevation: float = math.radians(40.0)
    """Elevation above the horizon [rad]; a right angle looks straight down."""
    distance: float = 0.7
    """Distance from the eye to the target [m]."""
    field_of_view: float = math.radians(24.0)
    """Angle from the lower to the upper edge of the picture [rad]."""

    def orbit(self, around: float, upward: float) -> "Camera":
        """Return this camera rotated around its target by two angles [rad]."""
        return replace(
            self,
            azimuth=math.remainder(self.azimuth + around, 2.0 * math.pi),
            elevation=min(max(self.elevation + upward, _LOWEST), _HIGHEST),
        )

    def zoom(self, factor: float) -> "Camera":
        """Return this camera nearer by a factor; a factor below 1 moves away."""
        return replace(self, distance=min(max(self.distance / factor, _NEAREST), _FARTHEST))

    def pan(self, right: float, upward: float) -> "Camera":
        """Return this camera moved in the plane of the picture, in heights of the picture."""
        height = 2.0 * self.distance * math.tan(self.field_of_view / 2.0)
        across, up, _ = self.axes
        moved = np.array(self.target) + height * (right * across + upward * up)
        x, y = (min(max(float(value), -_ROAM), _ROAM) for value in moved[:2])
        return replace(self, target=(x, y, min(max(float(moved[2]), 0.0), _ROAM)))

    def follow(self, point: tuple[float, float, float], *, share: float = 1.0) -> "Camera":
        """Return this camera with its target moved by a share of the distance to a point [m]."""
        x, y, z = (a + share * (b - a) for a, b in zip(self.target, point, strict=True))
        return replace(self, target=(x, y, z))

    def framing(self, points: Array, aspect: float, *, margin: float = 0.05) -> "Camera":
        """Return the nearest camera in the same direction that shows points [m], shape [count, 3].

        `aspect` is the width of the picture over its height; a share `margin` of the picture stays
        free along each edge.
        """
        matrix = self.projection(aspect)
        u, v, w = (points @ self.axes.T).T
        # The eye is in front of all points.
        centres, distances = [], [float(np.max(w)) + _NEAREST]
        for along, scale in ((u, matrix[0, 0]), (v, matrix[1, 1])):
            # A point is inside an edge if the eye is beyond a plane through the point.
            slope = (1.0 - 2.0 * margin) / scale
            right, left = np.max(along + slope * w), np.max(slope * w - along)
            centres.append((right - left) / 2.0)
            distances.append((right + left) / (2.0 * slope))
        eye = np.array([*centres, max(distances)])
        distance = min(max(float(eye[2] - np.mean(w)), _NEAREST), _FARTHEST)
        x, y, z = ((eye - [0.0, 0.0, distance]) @ self.axes).tolist()
        return replace(self, target=(x, y, z), distance=distance)

    @cached_property
    def axes(self) -> Array:
        """Right, up and backward of the picture in the world, unit rows, shape [3, 3]."""
        sin, cos = math.sin(self.azimuth), math.cos(self.azimuth)
        rise, flat = math.sin(self.elevation), math.cos(self.elevation)
        back = [flat * sin, flat * cos, rise]
        return np.array([[-cos, sin, 0.0], [-rise * sin, -rise * cos, flat], back])

    @cached_property
    def eye(self) -> Array:
        """Position of the eye [m], shape [3]."""
        eye_position: Array = np.array(self.target) + self.distance * self.axes[2]
        return eye_position

    @cached_property
    def view(self) -> Array:
        """Matrix from the world to the eye's frame, shape [4, 4]."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> Array:
        """Return the matrix from the eye's frame to clip space, shape [4, 4].

        `aspect` is the width of the picture over its height; a portrait picture shows as much from
        side to side as a square one.
        """
        scale = 1.0 / math.tan(self.field_of_view / 2.0)
        if aspect < 1.0:
            scale *= aspect
        depth = _NEAR - _FAR
        return np.array(
            [
                [scale / aspect, 0.0, 0.0, 0.0],
                [0.0, scale, 0.0, 0.0],
                [0.0, 0.0, (_FAR + _NEAR) / depth, 2.0 * _FAR * _NEAR / depth],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    def project(self, points: Array, size: tuple[int, int]) -> Array:
        """Return the pixels of points of the world [m], shape [count, 3], in a picture of a size.

        Returns:
            Pixels from the left, pixels from the top, and the distance along the line of sight
            [m], shape [count, 3]; points behind the eye are nan.
        """
        width, height = size
        seen = points @ self.view[:3, :3].T + self.view[:3, 3]
        away = -seen[:, 2]
        matrix = self.projection(width / height)
        with np.errstate(divide="ignore", invalid="ignore"):
            across = np.where(away > _NEAR, matrix[0, 0] * seen[:, 0] / away, np.nan)
            upward = np.where(away > _NEAR, matrix[1, 1] * seen[:, 1] / away, np.nan)
        return np.column_stack([(1 + across) / 2 * width, (1 - upward) / 2 * height, away])

    def ray(self, x: float, y: float, size: tuple[int, int]) -> tuple[Array, Array]:
        """Return the line of sight of a pixel from the upper left: eye [m] and unit direction."""
        width, height = size
        matrix = self.projection(width / height)
        across = (2.0 * x / width - 1.0) / matrix[0, 0]
        upward = (1.0 - 2.0 * y / height) / matrix[1, 1]
        direction = np.array([across, upward, -1.0]) @ self.axes
        return self.eye, direction / np.linalg.norm(direction)


def _view(azimuth: float, elevation: float, distance: float, height: float = 0.0) -> Camera:
    return Camera(
        target=(0.0, 0.0, height),
        azimuth=math.radians(azimuth),
        elevation=math.radians(elevation),
        distance=distance,
    )


VIEWS = {
    "table": _view(180.0, 50.0, 0.9),
    "top": _view(180.0, 90.0, 0.9),
    "south": _view(180.0, 34.0, 0.9, 0.02),
    "north": _view(0.0, 34.0, 0.9, 0.02),
    "east": _view(90.0, 34.0, 0.9, 0.02),
    "west": _view(270.0, 34.0, 0.9, 0.02),
    "low": _view(168.0, 13.0, 0.85, 0.04),
}
"""Cameras by name; `table` is the default for films."""


_VALUES = 3
"""Numbers of a view: azimuth, elevation and distance."""


def parse_camera(text: str) -> Camera:
    """Return the camera with a name or with `azimuth,elevation,distance`.

    Args:
        text: Text such as `"top"`, or `"180,35,0.7"`: compass degrees of the viewer's side,
            degrees above the horizon, and metres from the middle of the board.

    Raises:
        SpecError: If it is neither; the error names the nearest names.
    """
    if "," not in text:
        if text not in VIEWS:
            raise unknown_name("camera", text, VIEWS)
        return VIEWS[text]
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    return camera_at(numbers, shown=text)


def camera_at(numbers: Sequence[float], *, shown: str | None = None) -> Camera:
    """Return the camera at an azimuth and elevation [degrees] and a distance [m].

    `shown` is the text of the numbers for an error, if they came as text.

    Raises:
        SpecError: If they are not three numbers within the limits.
    """
    azimuth, elevation, distance = numbers if len(numbers) == _VALUES else (math.nan,) * _VALUES
    low, high = math.degrees(_LOWEST), math.degrees(_HIGHEST)
    # Written so that NaN also fails.
    if not (
        abs(azimuth) <= 360.0 and low <= elevation <= high and _NEAREST <= distance <= _FARTHEST
    ):
        raise SpecError(
            f"invalid camera {cut(repr(shown or numbers))}",
            expected="azimuth, elevation and distance of -360 to 360, "
            f"{low:g} to {high:g} degrees, {_NEAREST:g} to {_FARTHEST:g} m",
            fix=f"use --camera 155,38,0.78, or a name: {', '.join(VIEWS)}",
        )
    return _view(azimuth, elevation, distance)


MAX_SIDE = 8192
"""Maximum side of a picture [pixels], which all software renderers support."""
_MIN_SIDE = 16
_MAX_PIXELS = 7680 * 4320
"""Maximum pixels of one picture: with four samples each they take a gigabyte."""
_MAX_FPS = 240.0
"""Maximum frames per second."""
_MAX_SLOW_MOTION = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Camera, size and timing of pictures of films."""

    size: tuple[int, int] = (1280, 720)
    """Width and height of the picture in pixels."""
    camera: Camera = VIEWS["table"]
    framed: bool = True
    """True if the camera moves as near as the whole board and the cup allow."""
    labels: bool = True
    """True if each Piggle at rest has a label with its orientation and its zone."""
    fps: float = 30.0
    """Frames per second of a video."""
    slow_motion: float = 1.0
    """Duration of the video over that of the roll."""

    def __post_init__(self) -> None:
        check_size(self.size)
        # Written so that NaN also fails.
        if not 1.0 <= self.fps <= _MAX_FPS:
            raise SpecError(
                f"invalid frame rate {self.fps:g}",
                expected=f"1 to {_MAX_FPS:g} per second",
                fix="use --fps 30",
            )
        if not 1.0 <= self.slow_motion <= _MAX_SLOW_MOTION:
            raise SpecError(
                f"invalid slow motion {self.slow_motion:g}",
                expected=f"a factor from 1 to {_MAX_SLOW_MOTION:g}",
                fix="use --slow-motion 4",
            )


def parse_size(text: str) -> tuple[int, int]:
    """Return width and height of a text such as `"1280x720"`.

    Raises:
        SpecError: If it is not a size, or is outside the limits.
    """
    width, _, height = text.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise SpecError(
            f"invalid size {text!r}", expected="WIDTHxHEIGHT in pixels", fix="use --size 1280x720"
        )
    # A prefix of a number with thousands of digits suffices to see that it is too large.
    size = (int(width[:9]), int(height[:9]))
    check_size(size)
    return size


def check_size(size: tuple[int, int]) -> None:
    """Raise if a size is outside the limits.

    Raises:
        SpecError: If a side or the whole is too small or too large; the limits are named.
    """
    width, height = size
    if not (all(_MIN_SIDE <= side <= MAX_SIDE for side in size) and width * height <= _MAX_PIXELS):
        share = min(1.0, math.sqrt(_MAX_PIXELS / max(width * height, 1)), MAX_SIDE / max(*size, 1))
        fitting = [max(_MIN_SIDE, 2 * int(side * share / 2)) for side in size]
        raise SpecError(
            f"invalid size {width}x{height}",
            expected=f"sides of {_MIN_SIDE} to {MAX_SIDE} pixels, at most "
            f"{_MAX_PIXELS / 1e6:.0f} million in all",
            fix=f"use --size {fitting[0]}x{fitting[1]}",
        )


_AROUND_BOARD = 0.06
"""Margin around the board in which bodies are kept in view [m]."""
_AROUND_BODY = 0.015
"""Margin around the middle of a body [m]."""


NEARING = 0.2
"""Time at the end of a film in which the camera comes nearer to dice [s]; the cup is gone then."""


def framed_size(board: Board) -> float:
    """Return the side of the square that is always in the picture of bodies at rest [m].

    Dice are small on a board without a print, so that not all of it is shown.
    """
    return 0.6 * board.size if board.plain else board.size


def still_camera(film: Film, scene: Scene, shot: Shot, time: float) -> Camera:
    """Return the nearest camera in the direction of a shot that shows the table at a time [s].

    It shows the board, what is on it or just beside it, and the cup; at the end of a roll of
    dice only the part of the board around them.
    """
    still, board = film.at(time), scene.board
    nears = board.plain and film.actors
    share = min(max(1.0 - (film.end - time) / NEARING, 0.0), 1.0) if nears else 0.0
    left, back = share * film.frames.positions[-1, :, :2].mean(axis=0) if nears else (0.0, 0.0)
    half = (board.size + share * (framed_size(board) - board.size)) / 2.0
    corners = [[left + x, back + y, 0.0] for x in (-half, half) for y in (-half, half)]
    points = [np.array(corners)]
    near = np.abs(still.positions[:, :2]).max(axis=1, initial=0.0) < board.half + _AROUND_BOARD
    sides = _AROUND_BODY * np.vstack([np.eye(3), -np.eye(3)])
    points += [position + sides for position in still.positions[near]]
    if still.cup is not None:
        half_size = np.array([scene.cup.outer_radius] * 2 + [scene.cup.depth / 2.0])
        box = half_size * [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        points.append(np.array(still.cup[0]) + rotate(np.array(still.cup[1]), box))
    width, height = shot.size
    return shot.camera.framing(np.vstack(points), width / height)
