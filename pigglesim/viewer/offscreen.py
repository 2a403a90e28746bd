"""A place to draw where there is no screen: a context by EGL and a target of any size."""

import sys
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.viewer.gpu import Target

__all__ = ["GL_PACKAGES", "Offscreen"]

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

    def __enter__(self) -> "Target":
        """Return the target, its context being current."""
        self._window = _hidden_window()
        # Late: what it imports needs a library of OpenGL to be there.
        from pigglesim.viewer.gpu import Target, draws_in_software  # noqa: PLC0415

        if self._as_window and draws_in_software():
            return Target(*self.size, samples=(0,))
        return Target(*self.size)

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
