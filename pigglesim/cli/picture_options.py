"""The flags by which verbs draw their rolls: pictures and videos, of the same simulation."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli.progress import progress_bar
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.films.film import Film
    from pigglesim.scene.scene import Scene
    from pigglesim.viewer.shot import Shot

__all__ = [
    "AtOption",
    "CameraOption",
    "FpsOption",
    "Pictures",
    "PngOption",
    "SizeOption",
    "SlowMotionOption",
    "VideoOption",
    "pictures_asked",
]

PngOption = Annotated[
    Path | None, typer.Option("--png", help="Draw how it ends, in 3D, to this .png.")
]
VideoOption = Annotated[
    Path | None, typer.Option("--video", help="Film it, to this .mp4, .webm or .gif.")
]
SizeOption = Annotated[
    str | None,
    typer.Option("--size", help="Of picture and video in pixels: 1280x720, a GIF 640x360."),
]
FpsOption = Annotated[
    float | None, typer.Option("--fps", help="Frames a second of the video: 30, a GIF 25.")
]
CameraOption = Annotated[
    str | None,
    typer.Option(
        "--camera",
        help="table, top, south, north, east, west or low; or azimuth,elevation,distance in "
        "degrees and metres, such as 180,35,0.7.",
    ),
]
SlowMotionOption = Annotated[
    float | None, typer.Option("--slow-motion", help="Film it so many times as slow: 1 to 64.")
]
AtOption = Annotated[
    float | None, typer.Option("--at", help="Draw the picture at this time of the roll [s].")
]


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
        from pigglesim.viewer.picture import save_picture
        from pigglesim.viewer.video import save_video

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


def pictures_asked(context: typer.Context) -> Pictures:
    """Return what the flags of a verb ask for, before any work is done for it.

    Args:
        context: Of a verb that has all the options of this module.

    Raises:
        SpecError: If a flag says nothing or makes no sense, or a file cannot be written.
    """
    from pigglesim.viewer.camera import parse_camera
    from pigglesim.viewer.shot import Shot, parse_size
    from pigglesim.viewer.video import GIF_SHOT

    given = context.params
    png, video = (None if given[name] is None else Path(given[name]) for name in ("png", "video"))
    size, camera = given["size"], given["camera"]
    fps, slow_motion, at = given["fps"], given["slow_motion"], given["at"]
    _refuse_loose(png or video, "--png or --video", {"--size": size, "--camera": camera})
    _refuse_loose(video, "--video", {"--fps": fps, "--slow-motion": slow_motion})
    _refuse_loose(png, "--png", {"--at": at})
    shot = Shot()
    if camera is not None:
        # A view by name comes as near as shows all; one by numbers stays where it is.
        shot = replace(shot, camera=parse_camera(camera), framed="," not in camera)
    if size is not None:
        shot = replace(shot, size=parse_size(size))
    filmed = shot
    if video is not None and video.suffix.lower() == ".gif":
        # Such files grow with every pixel.
        small = GIF_SHOT.size if size is None else shot.size
        filmed = replace(filmed, fps=GIF_SHOT.fps, size=small)
    if fps is not None:
        filmed = replace(filmed, fps=fps)
    if slow_motion is not None:
        filmed = replace(filmed, slow_motion=slow_motion)
    return Pictures(png=png, video=video, shot=shot, video_shot=_ready(png, video, filmed), at=at)


def _ready(png: Path | None, video: Path | None, shot: "Shot") -> "Shot":
    """Return the shot of a video as its kind takes it; refuse files that cannot be written."""
    from pigglesim.files.whole import expect_suffix, expect_writable
    from pigglesim.viewer.picture import PICTURE_KINDS
    from pigglesim.viewer.video import expect_encoder, fitting_shot

    if png is not None:
        expect_suffix(png, PICTURE_KINDS)
        expect_writable(png)
    if video is None:
        return shot
    expect_encoder(video)
    expect_writable(video)
    fitting, changed = fitting_shot(shot, video)
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
