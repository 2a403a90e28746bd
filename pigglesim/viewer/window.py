"""The window: what it hears goes to the viewer's events, what they give back is drawn."""

import ctypes
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import SpecError
from pigglesim.viewer.events import Events
from pigglesim.viewer.labels import reading_plates
from pigglesim.viewer.offscreen import GL_PACKAGES
from pigglesim.viewer.plates import Plate
from pigglesim.viewer.session import Watching
from pigglesim.viewer.sheet_plates import sheet_plates
from pigglesim.viewer.sight import Sight

if TYPE_CHECKING:
    from pigglesim.viewer.gpu import Target

__all__ = ["expect_window", "open_window"]

_RATE = 60.0
"""Pictures a second at most."""
_LONGEST_STEP = 0.1
"""A picture that took longer holds the clock back, so that nothing is skipped [s]."""
_LEAST_SIZE = (320, 240)
_MOVING = 5
"""How much of what a picture shows is where things are, and from where one looks."""
_BUTTONS = {1: "left", 2: "middle", 4: "right"}


def expect_window(*, instead: str) -> None:
    """Raise unless a window can be opened here, before the work that it is to show.

    Args:
        instead: What to do without one.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3.
    """
    _opened(_LEAST_SIZE, title="", instead=instead, visible=False).close()


def open_window(watching: Watching, *, title: str, instead: str) -> None:
    """Show it all in a window until it is closed.

    Args:
        watching: The viewer's state; its size is that of the window at first.
        title: Of the window.
        instead: What to do without a window.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3, or the context was lost.
    """
    window = _opened(watching.size, title=title, instead=instead, visible=True)
    try:
        _Screen(window, watching).run()
    finally:
        watching.close()
        window.close()


def _opened(size: tuple[int, int], *, title: str, instead: str, visible: bool) -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return a window."""
    if os.name == "posix" and os.uname().sysname == "Linux" and not os.environ.get("DISPLAY"):
        raise SpecError("a display to open a window on", got="DISPLAY is not set", remedy=instead)
    import pyglet  # noqa: PLC0415 (slow to import)

    pyglet.options["shadow_window"] = False
    pyglet.options["debug_gl"] = False
    try:
        # These look for a library of OpenGL and for a display.
        from pyglet import gl  # noqa: PLC0415
        from pyglet.window import Window  # noqa: PLC0415
    except Exception as fault:
        raise _no_window(fault, instead) from None
    width, height = size
    # Edges are smoothed off the screen: whether they are is decided picture by picture.
    config = gl.Config(  # type: ignore[abstract]  # as pyglet's own manual has it
        double_buffer=True, depth_size=24, red_size=8, green_size=8, blue_size=8,
        major_version=3, minor_version=3, forward_compatible=True,
    )  # fmt: skip
    try:
        return Window(
            width, height, caption=title, resizable=True, config=config, vsync=True, visible=visible
        )
    except Exception as fault:
        # Drivers and pyglet fail in a dozen ways here: whatever it is, there is no window.
        raise _no_window(fault, instead) from None


def _no_window(fault: Exception, instead: str) -> SpecError:
    """Return why no window opens, as one line with a remedy."""
    if "Display" in type(fault).__name__:
        return SpecError(
            "a display to open a window on",
            got=f"none at {os.environ.get('DISPLAY', '')!r}",
            remedy=instead,
        )
    if isinstance(fault, ImportError):
        return SpecError(
            "OpenGL to draw with", got=_one_line(fault), remedy=f"apt-get install {GL_PACKAGES}"
        )
    return SpecError(
        "a display with OpenGL 3.3",
        got=_one_line(fault),
        remedy=f"apt-get install {GL_PACKAGES} and LIBGL_ALWAYS_SOFTWARE=1; or {instead}",
    )


def _one_line(fault: Exception) -> str:
    return " ".join(str(fault).split()) or type(fault).__name__


def _seen(size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return what was drawn into the window, the top row first, shape [height, width, 3]."""
    from pyglet import gl  # noqa: PLC0415 (needs a context)

    width, height = size
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    gl.glReadBuffer(gl.GL_BACK)
    pointer = pixels.ctypes.data_as(ctypes.c_void_p)
    gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pointer)
    return np.ascontiguousarray(pixels[::-1, :, :3])


class _Screen:
    """A window and the renderer in it."""

    def __init__(self, window: Any, watching: Watching) -> None:  # noqa: ANN401
        # All of these need a context.
        from pigglesim.viewer import gpu  # noqa: PLC0415
        from pigglesim.viewer.line_painter import LinePainter  # noqa: PLC0415
        from pigglesim.viewer.renderer import Renderer  # noqa: PLC0415

        self._window = window
        self._watching = watching
        self._events = Events(watching)
        self._renderer = Renderer(watching.scene, (), ())
        self._lines = LinePainter()
        self._cast: object = None
        self._drawn: tuple[Any, ...] | None = None
        self._in_software = gpu.draws_in_software()
        self._make_target = gpu.Target
        self._target: Target | None = None
        self._rough = False
        """Whether the picture that is seen has jagged edges."""
        window.set_minimum_size(*_LEAST_SIZE)
        self._listen()

    def run(self) -> None:
        """Show one picture after another until the window is closed."""
        window, watching = self._window, self._watching
        before = time.perf_counter()
        while not watching.closed:
            window.switch_to()
            window.dispatch_events()
            if watching.full_screen is not window.fullscreen:
                window.set_fullscreen(watching.full_screen)
            now = time.perf_counter()
            sight = self._events.frame(min(now - before, _LONGEST_STEP))
            before = now
            self._draw(sight)
            left = 1.0 / _RATE - (time.perf_counter() - now)
            if left > 0.0:
                time.sleep(left)

    def _draw(self, sight: Sight) -> None:
        """Draw a picture, unless it is just the one that is seen."""
        size = self._window.get_framebuffer_size()
        same = (
            size,
            sight.camera,
            sight.still.positions.tobytes(),
            sight.still.orientations.tobytes(),
            sight.still.cup,
            tuple(map(tuple, sight.sheet.groups)),
            tuple(sight.labels),
            [line.points.tobytes() for line in sight.lines],
        )
        again = self._rough or self._watching.wants_picture
        if same == self._drawn and not again:
            return
        # Without a graphics card edges are smooth as soon as nothing moves any more.
        moves = self._drawn is None or same[:_MOVING] != self._drawn[:_MOVING]
        self._rough = self._in_software and moves and not self._watching.wants_picture
        if sight.screening is not self._cast and sight.screening is not None:
            actors = sight.screening.film.actors
            self._renderer.recast(sight.screening.bodies, [actor.owner for actor in actors])
            self._cast = sight.screening
        target = None if self._rough else self._smooth(size)
        self._renderer.draw(target.frame if target else 0, size, sight.camera, sight.still)
        self._lines.draw(size, sight.camera, sight.lines)
        self._renderer.draw_plates(size, [*self._labels(sight, size), *sheet_plates(sight.sheet)])
        if target is not None:
            target.show()
        if self._watching.wants_picture:
            self._watching.wants_picture = False
            self._save()
        self._window.flip()
        self._drawn = same

    def _smooth(self, size: tuple[int, int]) -> "Target | None":
        """Return where a picture with smooth edges is drawn; None if there is no memory for it."""
        if self._target is None or self._target.size != size:
            if self._target is not None:
                self._target.drop()
            try:
                self._target = self._make_target(*size)
            except SpecError:
                self._target = None
        return self._target

    @staticmethod
    def _labels(sight: Sight, size: tuple[int, int]) -> list[Plate]:
        if sight.screening is None:
            return []
        actors = sight.screening.film.actors
        panels = [
            (box.x, box.y, box.width, box.height) for name, box in sight.sheet.areas if not name
        ]
        return reading_plates(
            actors, sight.labels, sight.still, sight.camera, size, keep_out=panels
        )

    def _save(self) -> None:
        """Save what was drawn under a name that is free."""
        from PIL import Image  # noqa: PLC0415 (needed here alone)

        names = (Path(f"pigglesim-{number}.png") for number in range(1, 10_000))
        file = next(name for name in names if not name.exists())
        try:
            Image.fromarray(_seen(self._window.get_framebuffer_size())).save(file)
        except OSError as fault:
            self._watching.said = f"Not saved: {_one_line(fault)}"
        else:
            self._watching.said = f"Saved as {file}."

    # What the window hears.

    def _listen(self) -> None:
        from pyglet.window import key  # noqa: PLC0415 (needs a display)

        events, window = self._events, self._window

        def name_of(symbol: int, modifiers: int) -> str:
            word = key.symbol_string(symbol).lower().removeprefix("num_").lstrip("_")
            ctrl = modifiers & (key.MOD_CTRL | key.MOD_COMMAND)
            shift = modifiers & key.MOD_SHIFT
            return f"{'ctrl+' if ctrl else ''}{'shift+' if shift else ''}{word}"

        def place(x: float, y: float) -> tuple[float, float]:
            ratio = window.get_pixel_ratio()
            return x * ratio, (window.height - y) * ratio

        def on_key_press(symbol: int, modifiers: int) -> bool:
            events.key_down(name_of(symbol, modifiers))
            return True

        def on_key_release(symbol: int, modifiers: int) -> None:
            events.key_up(name_of(symbol, 0))

        def on_mouse_motion(x: float, y: float, dx: float, dy: float) -> None:
            events.move(*place(x, y))

        def on_mouse_press(x: float, y: float, button: int, modifiers: int) -> None:
            events.press(*place(x, y), _BUTTONS.get(button, "left"))

        def on_mouse_release(x: float, y: float, button: int, modifiers: int) -> None:
            events.release(*place(x, y))

        def on_mouse_drag(
            x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
        ) -> None:
            ratio = window.get_pixel_ratio()
            events.drag(*place(x, y), dx * ratio, -dy * ratio)

        def on_mouse_scroll(x: float, y: float, scroll_x: float, scroll_y: float) -> None:
            events.wheel(*place(x, y), scroll_y)

        def on_mouse_leave(x: float, y: float) -> None:
            events.leave()

        def on_resize(width: int, height: int) -> bool:
            events.resize(*window.get_framebuffer_size())
            return True

        def on_close() -> bool:
            self._watching.close()
            return True

        window.push_handlers(
            on_key_press, on_key_release, on_mouse_motion, on_mouse_press, on_mouse_release,
            on_mouse_drag, on_mouse_scroll, on_mouse_leave, on_resize, on_close,
        )  # fmt: skip
        events.resize(*window.get_framebuffer_size())
