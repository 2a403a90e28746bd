"""The camera of a film: it shows board and cup, and comes nearer while the last ones land."""

from dataclasses import dataclass

import numpy as np

from pigglesim.films.film import Film
from pigglesim.scene.scene import Scene
from pigglesim.spatial import Array
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.shot import Shot

__all__ = ["CameraPath", "film_path"]

_STRIDE = 7
"""Of so many poses one is looked at for where bodies go."""
_ROUND = 0.06
"""How far round the board a body is still looked at, and from how high on the cup is seen [m]."""
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
    there = times[~np.isnan(film.frames.cup_positions[:, 0])]
    gone = float(there[-1]) if len(there) else start
    leaves = min(max(gone - _LEAVING, start), end)
    return CameraPath(
        first=_showing(film, scene, shot, (start, end)),
        last=_showing(film, scene, shot, (end, end)),
        leaves=leaves,
        arrives=min(end, leaves + _NEARING),
    )


def _showing(film: Film, scene: Scene, shot: Shot, span: tuple[float, float]) -> Camera:
    """Return the camera as near as shows the board and all that moves over it."""
    first, last = np.searchsorted(film.frames.times, span).tolist()
    places: Array = film.frames.positions[first : last + 1].reshape(-1, 3)
    if first != last:
        places = places[::_STRIDE]
    half = scene.board.half
    near = places[np.abs(places[:, :2]).max(axis=1, initial=0.0) < half + _ROUND]
    # High up they are in the cup, which is to be seen too.
    spread = np.where(near[:, 2:] > _ROUND, scene.cup.outer_radius, _ROUND / 4.0)
    corners = np.array([[x, y, 0.0] for x in (-half, half) for y in (-half, half)])
    points = np.vstack([corners, *(near + spread * side for side in (*np.eye(3), *-np.eye(3)))])
    width, height = shot.size
    return shot.camera.framing(points, width / height)
