"""The flags by which verbs draw their rolls: pictures and videos, of the same simulation."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.progress import progress_bar
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.api.roll import Look
    from pigglesim.films.film import Film
    from pigglesim.render.camera import Shot
    from pigglesim.scene.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFlags:
    """The flags by which rolls are drawn."""

    png: Annotated[
        Path | None, typer.Option("--png", help="Picture of the end in 3D, a .png file.")
    ] = None
    video: Annotated[
        Path | None, typer.Option("--video", help="Video, a .mp4, .webm or .gif file.")
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            metavar="WxH",
            help="Size of picture and video. Default: 1280x720, of a GIF 640x360. [pixels]",
        ),
    ] = None
    fps: Annotated[
        float | None,
        typer.Option("--fps", help="Frame rate of the video. Default: 30, of a GIF 25. [1/s]"),
    ] = None
    camera: Annotated[
        str | None,
        typer.Option(
            "--camera",
            autocompletion=completions.views,
            metavar="VIEW",
            help="Camera: table, top, south, north, east, west or low; or "
            "azimuth,elevation,distance, such as 180,35,0.7. Default: table. [deg, "
            "deg, m]",
        ),
    ] = None
    slow_motion: Annotated[
        float | None,
        typer.Option("--slow-motion", help="Slow motion factor of the video: 1 to 64. Default: 1."),
    ] = None
    at: Annotated[
        float | None,
        typer.Option("--at", help="Time in the roll of the picture. Default: its end. [s]"),
    ] = None

    def pictures(self) -> "Pictures":
        """Return what is asked for, before any work is done for it.

        Raises:
            SpecError: If a flag says nothing or makes no sense, or a file cannot be written.
        """
        from pigglesim.api.roll import Look

        _refuse_loose(
            self.png or self.video,
            "--png or --video",
            {"--size": self.size, "--camera": self.camera},
        )
        _refuse_loose(self.video, "--video", {"--fps": self.fps, "--slow-motion": self.slow_motion})
        _refuse_loose(self.png, "--png", {"--at": self.at})
        look = Look(size=self.size, camera=self.camera, fps=self.fps, slow_motion=self.slow_motion)
        shot = look.picture()
        return Pictures(
            png=self.png,
            video=self.video,
            shot=shot,
            video_shot=_ready(self.png, self.video, look, shot),
            at=self.at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """What is to be drawn of some rolls; all of it is checked, but for what drawing shows."""

    png: Path | None
    video: Path | None
    shot: "Shot"
    """How the picture is seen."""
    video_shot: "Shot"
    """How the video is seen, as its kind of file takes it."""
    at: float | None
    """When in the last film the picture is taken [s]; None for its end."""

    @property
    def wanted(self) -> bool:
        """Whether there is anything to draw."""
        return self.png is not None or self.video is not None

    def take(self, films: Sequence["Film"], scene: "Scene") -> None:
        """Draw what is wanted, if anything; what was written is told on standard error.

        Args:
            films: One or more, in order: the video is of all, the picture of the last.
            scene: The table they were rolled on.

        Raises:
            SpecError: If this machine cannot draw, or a file cannot be written.
        """
        from pigglesim.render.offscreen import save_picture
        from pigglesim.render.video import save_video

        if self.png is not None:
            save_picture(films[-1], scene, self.png, shot=self.shot, time=self.at)
            _tell(self.png, self.shot)
        if self.video is not None:
            with progress_bar("frames") as progress:
                task = progress.add_task(f"filming {self.video.name}", total=None)
                save_video(
                    films,
                    scene,
                    self.video,
                    shot=self.video_shot,
                    tell=lambda done, count: progress.update(task, completed=done, total=count),
                )
            _tell(self.video, self.video_shot)


def _ready(png: Path | None, video: Path | None, look: "Look", shot: "Shot") -> "Shot":
    """Return the shot of a video as its kind takes it; refuse files that cannot be written."""
    from pigglesim.durable_io import expect_suffix, expect_writable
    from pigglesim.render.offscreen import PICTURE_KINDS
    from pigglesim.render.video import expect_encoder

    if png is not None:
        expect_suffix(png, PICTURE_KINDS)
        expect_writable(png)
    if video is None:
        return shot
    expect_encoder(video)
    expect_writable(video)
    fitting, changed = look.video(video)
    if changed:
        print(f"pigglesim: {changed}", file=sys.stderr)
    return fitting


def _refuse_loose(there: object, flag: str, given: dict[str, object]) -> None:
    """Refuse flags that say nothing without another."""
    for name, value in given.items():
        if there is None and value is not None:
            raise SpecError(f"{flag} with {name}", got=f"{name} alone", remedy=f"add {flag}")


def _tell(file: Path, shot: "Shot") -> None:
    width, height = shot.size
    kilobytes = file.stat().st_size / 1000
    print(f"wrote {file}: {width}x{height}, {kilobytes:,.0f} kB", file=sys.stderr)
