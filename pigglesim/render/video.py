"""A film as a video: MP4 and WebM by ffmpeg, GIF by Pillow."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pigglesim.durable_io import atomic_file, expect_suffix
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.render.camera import Shot
from pigglesim.render.offscreen import studio
from pigglesim.scene.scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image


VIDEO_KINDS = (".mp4", ".webm", ".gif")
GIF_SHOT = Shot(size=(640, 360), fps=25.0)
"""Default shot of a GIF: the file size grows with every pixel."""
_HOLD = 1.5
"""Time for which the end is shown, so that its labels can be read [s]."""
_TICKS = 100
"""Units of time per second in which a GIF stores durations ..."""
_LEAST_TICKS = 2
"""... and the minimum units per frame: players ignore shorter durations."""
_COLOURS = 255
_MOST_GIF = 300_000_000
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
    expect_suffix(file, VIDEO_KINDS)
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
    """Return the nearest shot that a file format supports, and the changes in words.

    MP4 and WebM need even sizes, a GIF needs hundredths of a second per frame.
    """
    if file.suffix.lower() in _ENCODERS:
        even = (shot.size[0] - shot.size[0] % 2, shot.size[1] - shot.size[1] % 2)
        if even == shot.size:
            return shot, ""
        told = "x".join(map(str, even))
        return replace(shot, size=even), f"{file.name}: an even size, {told}, as videos need"
    ticks = max(_LEAST_TICKS, round(_TICKS / shot.fps))
    fps = _TICKS / ticks
    if abs(fps - shot.fps) < 1e-9:
        return shot, ""
    told = f"{file.name}: {fps:.4g} frames a second, the nearest that a GIF can show"
    return replace(shot, fps=fps), told


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
    tell: Callable[[int, int], None] | None = None,
) -> None:
    """Draw films frame by frame into a video, one after the other.

    Args:
        films: One or more films.
        scene: Table of the rolls.
        file: Target file, `.mp4`, `.webm` or `.gif`; an existing one is replaced atomically,
            and stays unchanged after an error.
        shot: Camera, size and timing; it must suit the file format (`fitting_shot`).
        tell: Called after each frame with the numbers of finished and of all frames.

    Raises:
        SpecError: If the file cannot be written, or drawing or encoding fails.
    """
    expect_encoder(file)
    times = [frame_times(film, shot) for film in films]
    count = sum(map(len, times))
    is_gif = file.suffix.lower() == ".gif"
    if is_gif and count * shot.size[0] * shot.size[1] > _MOST_GIF:
        raise SpecError(
            f"{count} frames of {shot.size[0]}x{shot.size[1]} are too many for a GIF",
            expected=f"at most {_MOST_GIF / 1e6:.0f} million pixels",
            fix=f"use {file.stem}.mp4, or a smaller --size or --fps",
        )

    def drawn() -> Iterator[NDArray[np.uint8]]:
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
                if tell is not None:
                    tell(done, count)

    with studio(scene, shot) as drawing, atomic_file(file) as part:
        (_write_gif if is_gif else _write_with_ffmpeg)(drawn(), part, shot)


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
    from PIL import Image  # noqa: PLC0415 (slow to import)

    pictures = [Image.fromarray(frame) for frame in frames]
    palette = _palette(pictures)
    few = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    few[0].save(
        part, format="GIF", save_all=True, append_images=few[1:], loop=0,
        duration=round(1000 / shot.fps), disposal=1,
    )  # fmt: skip


def _palette(pictures: list["Image"]) -> "Image":
    """Return a picture with a palette of colours from the whole film."""
    from PIL import Image  # noqa: PLC0415 (slow to import)

    count = len(pictures)
    chosen = [pictures[k] for k in sorted({0, count // 3, 2 * count // 3, count - 1})]
    wide, high = chosen[0].size
    sheet = Image.new("RGB", (wide, high * len(chosen)))
    for row, picture in enumerate(chosen):
        sheet.paste(picture, (0, high * row))
    return sheet.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT)
