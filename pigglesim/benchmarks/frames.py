"""Pictures and videos: how fast they are drawn, by the clock, for all cores draw together."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pigglesim.benchmarks.timing import Spread, spread
from pigglesim.films.store import read_film, write_film
from pigglesim.physics.engines import default_engine_name
from pigglesim.render.camera import Shot
from pigglesim.render.offscreen import Studio
from pigglesim.render.stills import scene_film
from pigglesim.render.video import expect_encoder, frame_times, save_video
from pigglesim.scene.load import load_scene

_FRAMES = 30
"""Frames a measurement: a second without a graphics card."""
_IN_CUP = 0.3
"""When half of the Piggles are in the cup and half on the board [s]."""
_VIDEO = 4.0
"""Of the video that is timed [s]."""
VIDEO = Path("roll.mp4")
"""What is written for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFigures:
    """How fast a full table is drawn, a dozen Piggles, cup and board."""

    size: tuple[int, int]
    """Of a frame [pixels]."""
    bodies: int
    drawn: Spread
    """Frames a second, drawn as a window draws them while things move."""
    smooth: Spread
    """Frames a second, drawn with smooth edges."""
    read: Spread
    """Frames a second, drawn with smooth edges and read back for a file."""
    first: Spread
    """From the start of a process to its first frame [s]."""
    video: Spread
    """To draw and write a video of four seconds at 30 frames a second [s]."""
    video_frames: int


def time_frames(
    scene_name: str, *, repeats: int, tell: Callable[[], None] | None = None
) -> FrameFigures:
    """Return how fast a full table is drawn.

    Args:
        scene_name: The table, one that comes with pigglesim.
        repeats: How often each is timed.
        tell: Called after each measurement.

    Raises:
        SpecError: If this machine cannot draw, or not write videos.
    """
    expect_encoder(VIDEO)
    scene, shot = load_scene(scene_name), Shot()
    film = scene_film(scene_name, engine=default_engine_name())
    names = ("drawn", "smooth", "read", "first", "video")
    figures: dict[str, list[float]] = {name: [] for name in names}
    with Studio(scene, shot, as_window=True) as studio:
        studio.show(film)
        for repeat in range(repeats):
            figures["drawn"].append(_rate(studio.draw, repeat))
    with Studio(scene, shot) as studio:
        studio.show(film)
        for repeat in range(repeats):
            figures["smooth"].append(_rate(studio.draw, repeat))
            figures["read"].append(_rate(studio.frame, repeat))
            if tell is not None:
                tell()
    length = _VIDEO - (len(frame_times(film, shot)) / shot.fps - (film.end - film.start))
    slow = replace(shot, slow_motion=max(1.0, length / (film.end - film.start)))
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "roll.film"
        write_film(film, kept)
        for _ in range(repeats):
            figures["first"].append(_first_frame(kept))
            start = time.perf_counter()
            save_video([film], scene, kept.with_name(VIDEO.name), shot=slow)
            figures["video"].append(time.perf_counter() - start)
            if tell is not None:
                tell()
    return FrameFigures(
        size=shot.size,
        bodies=len(film.actors),
        video_frames=len(frame_times(film, slow)),
        **{name: spread(values) for name, values in figures.items()},
    )


def draw_first_frame(file: str) -> None:
    """Draw the first frame of a film in a file: what a process of its own is timed with."""
    film = read_film(Path(file))
    with Studio(load_scene(film.scene), Shot()) as studio:
        studio.show(film)
        studio.frame(film.start)


def _rate(draw: Callable[[float], object], repeat: int) -> float:
    """Return how many frames a second are drawn, each of another moment."""
    # What is compiled the first time is not what is measured.
    draw(_IN_CUP)
    start = time.perf_counter()
    for number in range(_FRAMES):
        draw(_IN_CUP + 1e-3 * (number + 1 + repeat / 7.0))
    return _FRAMES / (time.perf_counter() - start)


def _first_frame(file: Path) -> float:
    code = f"from pigglesim.benchmarks.frames import draw_first_frame as f; f({str(file)!r})"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True)
    return time.perf_counter() - start
