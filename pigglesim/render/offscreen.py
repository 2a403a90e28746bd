"""Pictures and videos of films, drawn without a screen: PNG and GIF by Pillow, others by ffmpeg."""

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pigglesim.durable_io import PICTURES, VIDEOS, atomic_file, expect_suffix
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.render.camera import Shot, still_camera
from pigglesim.render.labels import caption_plate, film_caption, reading_plates
from pigglesim.render.stage import Stage
from pigglesim.scene.scene import Scene

if TYPE_CHECKING:
    from pigglesim.render.renderer import RenderTarget

GL_PACKAGES = "libegl1 libgl1 libgl1-mesa-dri"
"""Debian packages for drawing without a screen and without a graphics card."""
_OLDEST = (3, 3)


@contextmanager
def offscreen(width: int, height: int) -> "Iterator[RenderTarget]":
    """Yield a target of a size in pixels, with its context of OpenGL 3.3 current.

    Raises:
        SpecError: If this machine has no OpenGL, or one below 3.3.
    """
    window = gl_window((16, 16), visible=False)
    try:
        # Late: its imports need an OpenGL library.
        from pigglesim.render.renderer import RenderTarget  # noqa: PLC0415

        yield RenderTarget(width, height)
    finally:
        window.close()


def gl_window(size: tuple[int, int], *, on_screen: str = "", **options: Any) -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return a window of a size in pixels, with its context of OpenGL 3.3 current.

    `on_screen` is advice if there is no display, and empty for an invisible window; the other
    options are those of pyglet's window.

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
        version = window.context.get_info().get_version()
        if tuple(version[:2]) < _OLDEST:
            window.close()
            raise RuntimeError(".".join(str(part) for part in version[:2]))
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
def studio(scene: Scene, shot: Shot) -> "Iterator[Studio]":
    """Yield a studio at a table.

    Raises:
        SpecError: If this machine cannot draw.
    """
    with offscreen(*shot.size) as target:
        yield Studio(scene, shot, target)


class Studio:
    """Renderer of moments of films at one table, into a target."""

    def __init__(self, scene: Scene, shot: Shot, target: "RenderTarget") -> None:
        # Late: its imports need an OpenGL library.
        from pigglesim.render.renderer import Renderer  # noqa: PLC0415

        self.shot = shot
        self._scene = scene
        self._target = target
        self._renderer = Renderer(scene)

    def show(self, film: Film, *, time: float | None = None) -> None:
        """Load a film, and frame it as it is at a time [s]; None for its end.

        Raises:
            SpecError: If a model is unknown.
        """
        self._renderer.set_stage(Stage.of(film, scene=self._scene))
        self._film = film
        self._camera = self.shot.camera
        if self.shot.framed:
            moment = film.end if time is None else time
            self._camera = still_camera(film, self._scene, self.shot, moment)

    def frame(self, time: float) -> NDArray[np.uint8]:
        """Return the picture of the film at a time [s]; from its end on, Piggles have labels.

        RGB, the top row first, shape [height, width, 3].
        """
        still = self._film.at(time)
        film, camera, size, plates = self._film, self._camera, self.shot.size, []
        if self.shot.framed and self._scene.board.plain:
            camera = still_camera(film, self._scene, self.shot, time)
        if self.shot.labels:
            plates = [caption_plate(film_caption(film, self.shot.slow_motion), size)]
            if still.time >= film.end:
                plates += reading_plates(film.actors, dict(film.readings), still, camera, size)
        self._renderer.draw(self._target.frame, self.shot.size, camera, still, plates=plates)
        return np.ascontiguousarray(self._target.read()[..., :3])


def save_picture(film: Film, scene: Scene, file: Path, *, shot: Shot, time: float | None) -> None:
    """Draw one moment of a film [s], by default its end, to a `.png` file, replaced atomically.

    Raises:
        SpecError: If the file is of another kind or cannot be written, or drawing fails.
    """
    expect_suffix(file, PICTURES)
    moment = film.end if time is None else time
    if not film.start <= moment <= film.end:
        raise SpecError(
            f"invalid time {moment:g} s",
            expected=f"{film.start:g} to {film.end:.4g} s",
            fix="use --at 0.5, or leave out --at for the end",
        )
    with studio(scene, shot) as drawn:
        drawn.show(film, time=moment)
        pixels = drawn.frame(moment)
    with atomic_file(file) as part:
        Image.fromarray(pixels).save(part, format="PNG", compress_level=6)


GIF_SHOT = Shot(size=(640, 360), fps=25.0)
"""Default shot of a GIF: the file size grows with every pixel."""
_HOLD = 1.5
"""Time for which the end is shown, so that its labels can be read [s]."""
_TICKS = 100
"""Units of time per second in a GIF."""
_MIN_TICKS = 2
"""Minimum units of time per frame of a GIF: players ignore shorter durations."""
_COLOURS = 255
_MAX_GIF = 300_000_000
"""Maximum pixels of a GIF in all its frames, which are all in memory before it is written."""
_COLOUR = [
    *("-vf", "scale=out_color_matrix=bt709:out_range=tv"),
    *("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
]
"""Colour conversion and its tags: without them players of large videos show other colours."""
_ENCODERS = {
    # Nearly lossless and fast to encode; the index is moved to the front for players.
    ".mp4": ("libx264", ["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]),
    ".webm": (
        "libvpx-vp9",
        ["-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "6", "-row-mt", "1"],
    ),
}


def expect_encoder(file: Path) -> None:
    """Raise if this machine cannot write a video.

    Raises:
        SpecError: If the file is of another kind, or there is no ffmpeg to write it.
    """
    expect_suffix(file, VIDEOS)
    if file.suffix.lower() in _ENCODERS:
        import imageio_ffmpeg  # noqa: PLC0415 (slow to import)

        try:
            imageio_ffmpeg.get_ffmpeg_exe()
        except RuntimeError as fault:
            raise SpecError(
                f"no ffmpeg to write {file.suffix.lower()}: {fault}",
                fix="apt-get install ffmpeg, or write a .gif",
            ) from None


def fitting_shot(shot: Shot, file: Path) -> tuple[Shot, str]:
    """Return the nearest shot that a file format supports, and a note on the change.

    MP4 and WebM need even sizes, a GIF needs hundredths of a second per frame.
    """
    if file.suffix.lower() in _ENCODERS:
        even = (shot.size[0] - shot.size[0] % 2, shot.size[1] - shot.size[1] % 2)
        if even == shot.size:
            return shot, ""
        change = "x".join(map(str, even))
        return replace(shot, size=even), f"{file.name}: an even size, {change}, as videos need"
    ticks = max(_MIN_TICKS, round(_TICKS / shot.fps))
    fps = _TICKS / ticks
    if abs(fps - shot.fps) < 1e-9:
        return shot, ""
    change = f"{file.name}: {fps:.4g} frames per second, the nearest that a GIF can show"
    return replace(shot, fps=fps), change


def frame_times(film: Film, shot: Shot) -> list[float]:
    """Return the time in the film of each video frame [s]: the last frames show its end."""
    step = 1.0 / (shot.fps * shot.slow_motion)
    moving = int(np.ceil((film.end - film.start) / step - 1e-9))
    held = max(1, round(_HOLD * shot.fps))
    return [film.start + step * k for k in range(moving)] + [film.end] * held


def save_video(
    films: Sequence[Film],
    scene: Scene,
    file: Path,
    *,
    shot: Shot,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Draw films one after the other into a video.

    `on_progress(done, count)` is called after each frame.

    The file is `.mp4`, `.webm` or `.gif`; it is replaced atomically, and stays unchanged after an
    error. The shot must suit the format (`fitting_shot`).

    Raises:
        SpecError: If the file cannot be written, or drawing or encoding fails.
    """
    expect_encoder(file)
    times = [frame_times(film, shot) for film in films]
    count = sum(map(len, times))
    is_gif = file.suffix.lower() == ".gif"
    if is_gif and count * shot.size[0] * shot.size[1] > _MAX_GIF:
        raise SpecError(
            f"{count} frames of {shot.size[0]}x{shot.size[1]} are too many for a GIF",
            expected=f"at most {_MAX_GIF / 1e6:.0f} million pixels",
            fix=f"use {file.stem}.mp4, or a smaller --size or --fps",
        )

    def frames() -> Iterator[NDArray[np.uint8]]:
        done = 0
        for film, moments in zip(films, times, strict=True):
            drawing.show(film)
            last = math.nan
            for moment in moments:
                if moment != last:
                    # Unchanged frames are not drawn again.
                    last, pixels = moment, drawing.frame(moment)
                yield pixels
                done += 1
                if on_progress is not None:
                    on_progress(done, count)

    with studio(scene, shot) as drawing, atomic_file(file) as part:
        (_write_gif if is_gif else _write_with_ffmpeg)(frames(), part, shot)


def _write_with_ffmpeg(frames: Iterator[NDArray[np.uint8]], part: Path, shot: Shot) -> None:
    import imageio_ffmpeg  # noqa: PLC0415 (slow to import)

    codec, settings = _ENCODERS[part.suffix.lower()]
    writer = imageio_ffmpeg.write_frames(
        str(part), shot.size, fps=shot.fps, codec=codec, quality=None, macro_block_size=1,
        pix_fmt_out="yuv420p", output_params=[*settings, *_COLOUR], ffmpeg_log_level="error",
    )  # fmt: skip
    writer.send(None)
    try:
        for frame in frames:
            writer.send(frame)
    finally:
        writer.close()


def _write_gif(frames: Iterator[NDArray[np.uint8]], part: Path, shot: Shot) -> None:
    """Write a GIF with one palette, so that no colour flickers between frames."""
    pictures = [Image.fromarray(frame) for frame in frames]
    palette = _palette(pictures)
    few = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    few[0].save(
        part, format="GIF", save_all=True, append_images=few[1:], loop=0,
        duration=round(1000 / shot.fps), disposal=1,
    )  # fmt: skip


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """Return a picture with a palette of colours from the whole film."""
    count = len(pictures)
    chosen = [pictures[k] for k in sorted({0, count // 3, 2 * count // 3, count - 1})]
    wide, high = chosen[0].size
    sheet = Image.new("RGB", (wide, high * len(chosen)))
    for row, picture in enumerate(chosen):
        sheet.paste(picture, (0, high * row))
    return sheet.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT)
