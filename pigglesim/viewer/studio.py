"""One film, any moment of it, as pixels: off the screen, the same every time."""

from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from pigglesim.films.film import Film, Still
from pigglesim.scene.scene import Scene
from pigglesim.viewer.bodies import bodies_of
from pigglesim.viewer.camera_path import film_path
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.labels import caption_plate, reading_plates
from pigglesim.viewer.offscreen import Offscreen
from pigglesim.viewer.plates import Plate
from pigglesim.viewer.shot import Shot

__all__ = ["Studio"]


class Studio:
    """Draws moments of a film; use it in a `with` block.

    Args:
        film: What is drawn.
        scene: The table that it was rolled on.
        shot: How it is seen.
        span: From when to when it is seen [s]; None for all of it.

    Raises:
        SpecError: On entering, if this machine cannot draw, or a model is unknown.
    """

    def __init__(
        self, film: Film, scene: Scene, shot: Shot, *, span: tuple[float, float] | None = None
    ) -> None:
        self.film = film
        self.shot = shot
        self._bodies = bodies_of(film.actors)
        self._owners = tuple(actor.owner for actor in film.actors)
        self._scene = scene
        self._offscreen = Offscreen(*shot.size)
        self._path = (
            film_path(film, scene, shot, span or (film.start, film.end)) if shot.framed else None
        )

    def __enter__(self) -> "Studio":
        """Set everything up on the graphics card, or on what stands in for it."""
        self._target = self._offscreen.__enter__()
        try:
            # Late: what it imports needs a library of OpenGL to be there.
            from pigglesim.viewer.renderer import Renderer  # noqa: PLC0415

            self._renderer = Renderer(self._scene, self._bodies, self._owners)
        except BaseException:
            self._offscreen.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give everything back."""
        self._offscreen.__exit__(kind, error, trace)

    def frame(self, time: float) -> NDArray[np.uint8]:
        """Return how the film looks at a time.

        Args:
            time: In the film [s]; at its end, and later, Piggles tell how they lie.

        Returns:
            RGB, the top row first, shape [height, width, 3].
        """
        still = self.film.at(time)
        camera = self._path.at(still.time) if self._path else self.shot.camera
        plates = self._plates(still, camera)
        self._renderer.draw(self._target.frame, self.shot.size, camera, still, plates)
        return np.ascontiguousarray(self._target.read()[..., :3])

    def _plates(self, still: Still, camera: Camera) -> list[Plate]:
        if not self.shot.labels:
            return []
        size, speed = self.shot.size, self.shot.slow_motion
        plates = [] if speed == 1.0 else [caption_plate(f"1/{speed:g} of the speed", size)]
        if still.time >= self.film.end:
            readings = dict(self.film.readings)
            plates += reading_plates(self.film.actors, readings, still, camera, size)
        return plates
