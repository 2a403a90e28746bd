"""A place to draw where there is no screen: a context by EGL and a target of any size."""

import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.durable_io import atomic_file, expect_suffix
from pigglesim.errors import SpecError
from pigglesim.films.film import Film, Still
from pigglesim.render.camera import Camera, Shot, film_path
from pigglesim.render.labels import caption_plate, film_caption, reading_plates
from pigglesim.render.lettering import Plate
from pigglesim.render.stage import bodies_of
from pigglesim.scene.scene import Scene

if TYPE_CHECKING:
    from pigglesim.render.gpu import GpuTarget


GL_PACKAGES = "libegl1 libgl1 libgl1-mesa-dri"
"""What Debian and its kin call what draws without a screen and without a graphics card."""
_OLDEST = (3, 3)


class Offscreen:
    """A context of OpenGL 3.3 with a target to draw into; use it in a `with` block.

    Args:
        width: Pixels.
        height: Pixels.
        as_window: Whether to do without smooth edges where there is no graphics card.

    Raises:
        SpecError: On entering, if this machine has no OpenGL, or one below 3.3.
    """

    def __init__(self, width: int, height: int, *, as_window: bool = False) -> None:
        self.size = (width, height)
        self._as_window = as_window

    def __enter__(self) -> "GpuTarget":
        """Return the target, its context being current."""
        self._window = _hidden_window()
        # Late: what it imports needs a library of OpenGL to be there.
        from pigglesim.render.gpu import GpuTarget, draws_in_software  # noqa: PLC0415

        if self._as_window and draws_in_software():
            return GpuTarget(*self.size, samples=(0,))
        return GpuTarget(*self.size)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the context back, and with it all that was made in it."""
        self._window.close()


def _hidden_window() -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return a window that nobody sees, its context current."""
    import pyglet  # noqa: PLC0415 (slow to import)

    # Before anything of OpenGL is imported; a viewer that is open keeps its own way.
    if "pyglet.gl" not in sys.modules:
        pyglet.options["headless"] = sys.platform.startswith("linux")
        pyglet.options["shadow_window"] = False
        pyglet.options["debug_gl"] = False
    try:
        from pyglet import gl  # noqa: PLC0415
        from pyglet.window import Window  # noqa: PLC0415

        major, minor = _OLDEST
        config = gl.Config(  # type: ignore[abstract] # pyglet fills it in
            major_version=major, minor_version=minor, red_size=8, green_size=8, blue_size=8,
            alpha_size=8, depth_size=24, double_buffer=False,
        )  # fmt: skip
        with warnings.catch_warnings():
            # It tells what happened just before it fails.
            warnings.simplefilter("ignore")
            window = Window(width=16, height=16, config=config, visible=False)
    except Exception as fault:
        # Drivers and pyglet fail in a dozen ways here: whatever it is, there is no OpenGL.
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise SpecError(
            "OpenGL 3.3, which draws pictures",
            got=f"none that works here ({reason})",
            remedy=f"apt-get install {GL_PACKAGES}",
        ) from None
    found = window.context.get_info().get_version()
    if tuple(found[:2]) < _OLDEST:
        window.close()
        raise SpecError(
            "OpenGL 3.3, which draws pictures",
            got=".".join(str(part) for part in found[:2]),
            remedy=f"LIBGL_ALWAYS_SOFTWARE=1, or apt-get install {GL_PACKAGES}",
        )
    return window


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
            from pigglesim.render.renderer import Renderer  # noqa: PLC0415

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


PICTURE_KINDS = (".png",)


def save_picture(film: Film, scene: Scene, file: Path, *, shot: Shot, time: float | None) -> None:
    """Draw one moment of a film.

    Args:
        film: The film.
        scene: The table it was rolled on.
        file: Where to, `.png`; another of that name is replaced whole.
        shot: How it is seen.
        time: In the film [s]; None for its end, where all have come to rest.

    Raises:
        SpecError: If the file is of another kind or cannot be written, or nothing can be drawn.
    """
    from PIL import Image  # noqa: PLC0415 (slow to import)

    expect_suffix(file, PICTURE_KINDS)
    moment = film.end if time is None else time
    if not film.start <= moment <= film.end:
        raise SpecError(
            f"a time of the roll, from {film.start:g} to {film.end:.4g} s",
            got=f"{moment:g}",
            remedy="--at 0.5, or no --at for its end",
        )
    with Studio(scene, shot) as studio:
        studio.show(film, span=(moment, moment))
        pixels = studio.frame(moment)
    with atomic_file(file) as part:
        Image.fromarray(pixels).save(part, format="PNG", compress_level=6)
