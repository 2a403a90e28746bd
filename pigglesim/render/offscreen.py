"""Drawing without a screen: an EGL context and a target of any size."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.durable_io import atomic_file, expect_suffix
from pigglesim.errors import SpecError
from pigglesim.films.film import Film, Still
from pigglesim.render.camera import Camera, Shot, film_path
from pigglesim.render.labels import caption_plate, film_caption, reading_plates
from pigglesim.render.lettering import Plate
from pigglesim.render.stage import Stage
from pigglesim.scene.scene import Scene

if TYPE_CHECKING:
    from pigglesim.render.gpu import GpuTarget


GL_PACKAGES = "libegl1 libgl1 libgl1-mesa-dri"
"""Debian packages for drawing without a screen and without a graphics card."""
_OLDEST = (3, 3)


@contextmanager
def offscreen(width: int, height: int, *, as_window: bool = False) -> "Iterator[GpuTarget]":
    """Yield a target of a size in pixels, with its context of OpenGL 3.3 current.

    Drawing `as_window` omits antialiasing if there is no graphics card.

    Raises:
        SpecError: If this machine has no OpenGL, or one below 3.3.
    """
    window = gl_window((16, 16), visible=False)
    try:
        # Late: its imports need an OpenGL library.
        from pigglesim.render.gpu import SAMPLES, GpuTarget, draws_in_software  # noqa: PLC0415

        plain = as_window and draws_in_software()
        yield GpuTarget(width, height, samples=(0,) if plain else SAMPLES)
    finally:
        window.close()


def gl_window(size: tuple[int, int], *, on_screen: str = "", **options: Any) -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return a window, with its context of OpenGL 3.3 current.

    Args:
        size: Width and height [pixels].
        on_screen: Advice if there is no display; empty for an invisible window.
        options: Options of pyglet's window.

    Raises:
        SpecError: If there is no display for it, or no OpenGL 3.3.
    """
    on_linux = sys.platform.startswith("linux")
    if on_screen and on_linux and not os.environ.get("DISPLAY"):
        raise SpecError("no display: DISPLAY is not set", fix=on_screen)
    import pyglet  # noqa: PLC0415 (slow to import)

    # Set before any OpenGL import; an open viewer keeps its own mode.
    if "pyglet.gl" not in sys.modules:
        pyglet.options["headless"] = on_linux and not on_screen
        pyglet.options["shadow_window"] = False
        pyglet.options["debug_gl"] = False
    try:
        from pyglet import gl  # noqa: PLC0415
        from pyglet.window import Window  # noqa: PLC0415

        major, minor = _OLDEST
        # Antialiasing happens offscreen, and is decided per picture.
        config = gl.Config(  # type: ignore[abstract] # pyglet fills it in
            major_version=major, minor_version=minor, red_size=8, green_size=8, blue_size=8,
            depth_size=24, double_buffer=bool(on_screen), forward_compatible=True,
        )  # fmt: skip
        with warnings.catch_warnings():
            # This call reports the cause just before it fails.
            warnings.simplefilter("ignore")
            window = Window(*size, config=config, **options)
        found = window.context.get_info().get_version()
        if tuple(found[:2]) < _OLDEST:
            window.close()
            raise RuntimeError(".".join(str(part) for part in found[:2]))
    except Exception as fault:
        if "Display" in type(fault).__name__:
            problem = f"no display at {os.environ.get('DISPLAY', '')!r}"
            raise SpecError(problem, fix=on_screen) from None
        # Drivers and pyglet fail in a dozen ways here: all mean that there is no OpenGL.
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise SpecError(
            f"OpenGL 3.3 is not available: {reason}",
            fix=f"apt-get install {GL_PACKAGES} and set LIBGL_ALWAYS_SOFTWARE=1"
            + (f", or {on_screen}" if on_screen else ""),
        ) from None
    return window


@contextmanager
def studio(scene: Scene, shot: Shot, *, as_window: bool = False) -> "Iterator[Studio]":
    """Yield a studio at a table; `as_window` as for `offscreen`.

    Raises:
        SpecError: If this machine cannot draw.
    """
    with offscreen(*shot.size, as_window=as_window) as target:
        yield Studio(scene, shot, target)


class Studio:
    """Renderer of moments of films at one table, into a target."""

    def __init__(self, scene: Scene, shot: Shot, target: "GpuTarget") -> None:
        # Late: its imports need an OpenGL library.
        from pigglesim.render.renderer import Renderer  # noqa: PLC0415

        self.shot = shot
        self._scene = scene
        self._target = target
        self._renderer = Renderer(scene)

    def show(self, film: Film, *, span: tuple[float, float] | None = None) -> None:
        """Load a film, and the span of time to be shown [s]; None for all of it.

        Raises:
            SpecError: If a model is unknown.
        """
        self._renderer.recast(Stage.of(film, scene=self._scene))
        self._film = film
        start, end = span or (film.start, film.end)
        self._path = film_path(film, self._scene, self.shot, (start, end))

    def draw(self, time: float) -> None:
        """Draw the film at a time [s], and wait until it is done."""
        still = self._film.at(time)
        camera = self._path.at(still.time) if self.shot.framed else self.shot.camera
        plates = self._plates(still, camera) if self.shot.labels else []
        self._renderer.draw(self._target.frame, self.shot.size, camera, still, plates=plates)
        self._target.finish()

    def frame(self, time: float) -> NDArray[np.uint8]:
        """Return the picture of the film at a time.

        Args:
            time: Time in the film [s]; from its end on, Piggles have labels.

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
    """Draw one moment of a film to a file.

    Args:
        film: The film.
        scene: Table of the roll.
        file: Target file, `.png`; an existing one is replaced atomically.
        shot: Camera, size and labels.
        time: Time in the film [s]; None for its end, when all bodies are at rest.

    Raises:
        SpecError: If the file is of another kind or cannot be written, or drawing fails.
    """
    from PIL import Image  # noqa: PLC0415 (slow to import)

    expect_suffix(file, PICTURE_KINDS)
    moment = film.end if time is None else time
    if not film.start <= moment <= film.end:
        raise SpecError(
            f"invalid time {moment:g} s",
            expected=f"{film.start:g} to {film.end:.4g} s",
            fix="use --at 0.5, or leave out --at for the end",
        )
    with studio(scene, shot) as drawn:
        drawn.show(film, span=(moment, moment))
        pixels = drawn.frame(moment)
    with atomic_file(file) as part:
        Image.fromarray(pixels).save(part, format="PNG", compress_level=6)
