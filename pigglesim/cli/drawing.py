"""What verbs draw, show and share of rolls: pictures, videos, files and windows.

What is heavy is imported when it is needed: help and what a shell completes come at once.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pigglesim.cli.completions import VIEW
from pigglesim.cli.consoles import progress_bar, progress_console
from pigglesim.cli.flags import Flag, refuse_loose
from pigglesim.errors import SpecError, unknown_name

if TYPE_CHECKING:
    from pigglesim.api.roll import Look, Roll
    from pigglesim.films.film import Film
    from pigglesim.match.record import LocatedRecord
    from pigglesim.render.camera import Shot
    from pigglesim.render.playlist import Show
    from pigglesim.scene.scene import Scene

ViewOption = Annotated[bool, Flag("--view"), "Watch it in a window; F1 lists the keys."]

DRAWN_INSTEAD = "leave --view out: --png F.png and --video F.mp4 need no display"
"""The remedy of verbs that can draw what they cannot show."""
_SIZE = (1280, 720)
_VIEWERS = ("window", "null")


def expect_to_show(drawn: "Pictures", *, view: bool = False, instead: str = DRAWN_INSTEAD) -> None:
    """Raise unless this machine can draw and show what is asked for, before the work for it.

    Args:
        drawn: Pictures and videos that are asked for.
        view: Whether a window is.
        instead: What to do where no window opens.

    Raises:
        SpecError: If it has no display or no OpenGL 3.3.
    """
    if view:
        # First: what is drawn beside a window is drawn on its display.
        from pigglesim.render.window import expect_window

        expect_window(instead=instead)
    if drawn.wanted:
        from pigglesim.render.offscreen import offscreen

        with offscreen(16, 16):
            return


def watch(
    show: "Show",
    scene: "Scene",
    *,
    title: str,
    instead: str,
    camera: str = "table",
    speed: float = 1.0,
    viewer: str = "window",
) -> list[str]:
    """Show it until the window is closed, or all is over where there is none.

    Args:
        show: What is to be seen.
        scene: The table it stands on.
        title: Of the window.
        instead: What to do where no window opens.
        camera: Where one looks from at first: a name, or `azimuth,elevation,distance`.
        speed: How much faster than in life rolls are shown; the nearest that there is is taken.
        viewer: `window`, or `null` for none.

    Returns:
        What could be read where there is no window.

    Raises:
        SpecError: If there is no such viewer or camera, no display, or no OpenGL 3.3.
    """
    from pigglesim.films.playback import SPEEDS
    from pigglesim.render.camera import parse_camera
    from pigglesim.render.session import Watching
    from pigglesim.render.window import NullWindow

    if viewer not in _VIEWERS:
        raise unknown_name("viewer", viewer, _VIEWERS)
    watching = Watching(
        show=show,
        scene=scene,
        size=_SIZE,
        camera=parse_camera(camera),
        speed=min(SPEEDS, key=lambda each: abs(log2(each) - log2(max(speed, 2.0**-4)))),
    )
    if viewer == "null":
        nobody = NullWindow(watching)
        nobody.run()
        return nobody.seen
    from pigglesim.render.window import open_window

    open_window(watching, title=f"{title} - pigglesim", instead=instead)
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFlags:
    """The flags by which rolls are drawn."""

    png: Annotated[Path | None, "Picture of the end in 3D, a .png file."] = None
    video: Annotated[Path | None, "Video, a .mp4, .webm or .gif file."] = None
    size: Annotated[
        str | None,
        Flag(metavar="WxH"),
        "Size of picture and video. Default: 1280x720, of a GIF 640x360. [pixels]",
    ] = None
    fps: Annotated[float | None, "Frame rate of the video. Default: 30, of a GIF 25. [1/s]"] = None
    camera: Annotated[
        str | None,
        VIEW,
        "Camera: table, top, south, north, east, west or low; or "
        "azimuth,elevation,distance, such as 180,35,0.7. Default: table. [deg, deg, m]",
    ] = None
    slow_motion: Annotated[
        float | None, "Slow motion factor of the video: 1 to 64. Default: 1."
    ] = None
    at: Annotated[float | None, "Time in the roll of the picture. Default: its end. [s]"] = None

    def pictures(self) -> "Pictures":
        """Return what is asked for, before any work is done for it.

        Raises:
            SpecError: If a flag says nothing or makes no sense, or a file cannot be written.
        """
        from pigglesim.api.roll import Look

        refuse_loose(
            not (self.png or self.video),
            "--png or --video",
            {"--size": self.size, "--camera": self.camera},
        )
        refuse_loose(
            not self.video, "--video", {"--fps": self.fps, "--slow-motion": self.slow_motion}
        )
        refuse_loose(not self.png, "--png", {"--at": self.at})
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


def _tell(file: Path, shot: "Shot") -> None:
    width, height = shot.size
    kilobytes = file.stat().st_size / 1000
    print(f"wrote {file}: {width}x{height}, {kilobytes:,.0f} kB", file=sys.stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTargets:
    """The flags for files to write of what was rolled; None for each that nobody asked for."""

    glb: Annotated[
        Path | None, "Animated 3D model (glTF), a .glb file, for Blender and others."
    ] = None
    html: Annotated[
        Path | None, "Page that plays it in 3D in any browser, offline, a .html file."
    ] = None
    svg: Annotated[Path | None, "Drawing of the end from above, a .svg file."] = None

    def __bool__(self) -> bool:
        """Whether anything is to be written."""
        return any((self.glb, self.html, self.svg))

    @property
    def names(self) -> tuple[str, ...]:
        """What the flags are called, which change nothing of a roll."""
        return ("glb", "html", "svg")

    def check(self) -> None:
        """Raise `SpecError` for a file that cannot be written: before the work, not after it."""
        from pigglesim.durable_io import check_target

        for path, suffix in ((self.glb, ".glb"), (self.html, ".html"), (self.svg, ".svg")):
            if path is not None:
                check_target(path, suffix)

    def refuse(self, others: "Mapping[str, bool]") -> None:
        """Raise `SpecError` if files are asked for beside what shows no roll.

        Args:
            others: What may have been asked for besides, and whether it was.
        """
        if self and (given := [name for name, asked in others.items() if asked]):
            raise SpecError(
                "one record to show, whose rolls are shared",
                got=given[0],
                remedy="one at a time; --record 1 for the first of many",
            )

    def match(self, found: "LocatedRecord", file: Path, *, rounds: tuple[int, int | None]) -> None:
        """Write what is asked for of the rolls of some rounds of a recorded match."""
        record = found.record or found.so_far
        if not self or record is None:
            return
        from pigglesim.api.match_files import MatchSource, write_match_files

        written: list[Path] = []
        try:
            with progress_bar("rolls") as bar:
                task = bar.add_task("filmed", total=None)
                for path in write_match_files(
                    MatchSource(record=record, file=file, number=found.number),
                    rounds=rounds,
                    html=self.html,
                    glb=self.glb,
                    svg=self.svg,
                    watch=lambda done, count: bar.update(task, completed=done, total=count),
                ):
                    written.append(path)
        finally:
            tell_written(written)

    def write_roll(self, roll: "Roll") -> None:
        """Write what is asked for of one roll."""
        written = [roll.save(path) for path in (self.glb, self.html, self.svg) if path is not None]
        tell_written(written)

    def write_films(self, films: "Sequence[Film]") -> None:
        """Write what is asked for of films, all rolled at one table."""
        if not self:
            return
        from pigglesim.api.roll import save_stages
        from pigglesim.render.stage import Stage
        from pigglesim.scene.load import load_scene

        scene = load_scene(films[0].scene)
        stages = [Stage.of(film, scene=scene) for film in films]
        for path in (self.glb, self.html, self.svg):
            if path is not None:
                tell_written(save_stages(stages, scene, path))


def tell_written(paths: "Iterable[Path]") -> None:
    """Name the files that were written, on standard error."""
    for path in paths:
        told = f"wrote {path}: {path.stat().st_size / 1000:.0f} kB"
        progress_console().print(told, markup=False, soft_wrap=True)
