"""The camera of a film: it shows board and cup, and comes nearer while the last ones land."""

from dataclasses import dataclass

import numpy as np

from pigglesim.films.film import Film
from pigglesim.rotations import rotate
from pigglesim.scene.scene import Scene
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.shot import Shot

_STRIDE = 16
"""Of so many frames one is looked at for where bodies and cup go."""
_ROUND = 0.06
"""How far round the board a body is still looked at [m]."""
_LEAVING = 0.3
"""Before it is gone, the empty cup is taken away for so long [s]."""
_NEARING = 1.2
"""In so long at most the camera comes nearer [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPath:
    """From one camera to another, at rest before and after."""

    first: Camera
    last: Camera
    leaves: float
    """When it sets out [s]."""
    arrives: float
    """[s]"""

    def at(self, time: float) -> Camera:
        """Return the camera at a time of the film [s]."""
        if time >= self.arrives:
            return self.last
        share = max(0.0, (time - self.leaves) / (self.arrives - self.leaves))
        return self.first.towards(self.last, share * share * (3.0 - 2.0 * share))


def film_path(film: Film, scene: Scene, shot: Shot, span: tuple[float, float]) -> CameraPath:
    """Return the path of a camera that looks the way of a shot's.

    Args:
        film: What is seen.
        scene: The table.
        shot: The way one looks, and the shape of the picture.
        span: From when to when it is seen [s].
    """
    times = film.frames.times
    start, end = np.clip(span, times[0], times[-1]).tolist()
    leaves = min(max(float(times[_held(film)]), start), end)
    return CameraPath(
        first=_showing(film, scene, shot, (start, end)),
        last=_showing(film, scene, shot, (end, end)),
        leaves=leaves,
        arrives=min(end, leaves + _NEARING),
    )


def _showing(film: Film, scene: Scene, shot: Shot, span: tuple[float, float]) -> Camera:
    """Return the camera as near as shows the board and all that moves over it."""
    frames, half = film.frames, scene.board.half
    first, last = np.searchsorted(frames.times, span).tolist()
    seen = np.arange(first, min(last, frames.count - 1) + 1)[::_STRIDE]
    places = frames.positions[seen].reshape(-1, 3)
    near = places[np.abs(places[:, :2]).max(axis=1, initial=0.0) < half + _ROUND]
    points = [np.array([[x, y, 0.0] for x in (-half, half) for y in (-half, half)])]
    points += [near + _ROUND / 4.0 * side for side in (*np.eye(3), *-np.eye(3))]
    reach = np.array([scene.cup.outer_radius] * 2 + [scene.cup.depth / 2.0])
    box = reach * [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for index in seen.tolist():
        if index < _held(film) or first == last < frames.count - 1:
            centre, turn = frames.cup_positions[index], frames.cup_rotations[index]
            points.append(centre + rotate(turn, box))
    width, height = shot.size
    shown = np.vstack(points)
    return shot.camera.framing(shown[~np.isnan(shown[:, 0])], width / height)


def _held(film: Film) -> int:
    """Return the number of the frame from which on the empty cup is taken away."""
    times = film.frames.times
    there = np.flatnonzero(~np.isnan(film.frames.cup_positions[:, 0]))
    if not len(there):
        return 0
    return int(np.searchsorted(times, times[there[-1]] - _LEAVING))
