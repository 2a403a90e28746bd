"""Films, any moment of them, as pixels: off the screen, the same every time."""

from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from pigglesim.films.film import Film, Still
from pigglesim.scene.scene import Scene
from pigglesim.viewer.bodies import bodies_of
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.camera_path import film_path
from pigglesim.viewer.labels import caption_plate, film_caption, reading_plates
from pigglesim.viewer.offscreen import Offscreen
from pigglesim.viewer.plates import Plate
from pigglesim.viewer.shot import Shot

__all__ = ["Studio"]


class Studio:
    """Draws moments of films at one table; use it in a `with` block.

    Args:
        scene: The table that they were rolled on.
        shot: How they are seen.
        as_window: Whether to draw as a window does while things move: without smooth edges where
            there is no graphics card.

    Raises:
        SpecError: On entering, if this machine cannot draw.
    """

    def __init__(self, scene: Scene, shot: Shot, *, as_window: bool = False) -> None:
        self.shot = shot
        self._scene = scene
        self._offscreen = Offscreen(*shot.size, as_window=as_window)

    def __enter__(self) -> "Studio":
        """Set everything up on the graphics card, or on what stands in for it."""
        self._target = self._offscreen.__enter__()
        try:
            # Late: what it imports needs a library of OpenGL to be there.
            from pigglesim.viewer.renderer import Renderer  # noqa: PLC0415

            self._renderer = Renderer(self._scene, (), ())
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

    def show(self, film: Film, *, span: tuple[float, float] | None = None) -> None:
        """Take up a film.

        Args:
            film: What is drawn from now on.
            span: From when to when it will be seen [s]; None for all of it.

        Raises:
            SpecError: If a model is unknown.
        """
        owners = tuple(actor.owner for actor in film.actors)
        self._renderer.recast(bodies_of(film.actors), owners)
        self._film = film
        start, end = span or (film.start, film.end)
        self._path = film_path(film, self._scene, self.shot, (start, end))

    def draw(self, time: float) -> None:
        """Draw how the film looks at a time [s], and wait until it is done."""
        still = self._film.at(time)
        camera = self._path.at(still.time) if self.shot.framed else self.shot.camera
        plates = self._plates(still, camera) if self.shot.labels else []
        self._renderer.draw(self._target.frame, self.shot.size, camera, still, plates)
        self._target.finish()

    def frame(self, time: float) -> NDArray[np.uint8]:
        """Return how the film looks at a time.

        Args:
            time: In the film [s]; at its end, and later, Piggles tell how they lie.

        Returns:
            RGB, the top row first, shape [height, width, 3].
        """
        self.draw(time)
        return np.ascontiguousarray(self._target.read()[..., :3])

    def _plates(self, still: Still, camera: Camera) -> list[Plate]:
        film, size = self._film, self.shot.size
        plates = [caption_plate(film_caption(film, self.shot.slow_motion), size)]
        if still.time >= film.end:
            plates += reading_plates(film.actors, dict(film.readings), still, camera, size)
        return plates
