"""Pictures, videos, files and windows of rolls.

Heavy modules are imported only when needed, so that help and completion are quick.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pigglesim.cli import options
from pigglesim.cli.consoles import note, progress_console
from pigglesim.cli.flags import Flag
from pigglesim.durable_io import PICTURES, check_target, expect_writable
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.api.match_files import MatchSource
    from pigglesim.api.roll import Roll
    from pigglesim.api.roll_files import Look
    from pigglesim.films.film import Film
    from pigglesim.render.stage import Stage
    from pigglesim.render.viewer import CertainTimes, Playlist
    from pigglesim.scene.scene import Scene

ViewOption = Annotated[bool, Flag("--view"), "Watch it in a window; F1 lists the keys."]

DRAWN_INSTEAD = "leave --view out: --png F.png and --video F.mp4 need no display"
"""Remedy of verbs that can draw to files without a display."""
_SIZE = (1280, 720)
_DRAWN = ("png", "video")
_COPIES = 100
"""Copies of each moment of a roll in the window: a second or two for six Piggles."""


def watch(
    show: "Playlist",
    scene: "Scene",
    *,
    title: str,
    instead: str,
    camera: str = "table",
    speed: float = 1.0,
    viewer: str = "window",
) -> list[str]:
    """Show rolls until the window is closed or, without a window, until they are over.

    `camera` is a name, or `azimuth,elevation,distance` [deg, deg, m]. `speed` is rounded to the
    nearest of the window's speeds; 1 is real time. `viewer` is `window`, or `null` for none. If no
    window opens, the error proposes `instead`.

    Returns:
        The lines of text that a window would have shown; empty with a window.

    Raises:
        SpecError: If the camera is unknown, or there is no display or no OpenGL 3.3.
    """
    from pigglesim.films.film import SPEEDS
    from pigglesim.render.camera import parse_camera
    from pigglesim.render.viewer import ViewerState
    from pigglesim.render.window import NullWindow, open_window

    state = ViewerState(
        show=show,
        scene=scene,
        size=_SIZE,
        camera=parse_camera(camera),
        speed=min(SPEEDS, key=lambda rate: abs(log2(rate) - log2(max(speed, 2.0**-4)))),
    )
    state.decide = partial(_certain_times, scene)
    if viewer == "null":
        window = NullWindow(state)
        window.run()
        return window.seen
    open_window(state, title=f"{title} - pigglesim", instead=instead)
    return []


def _certain_times(scene: "Scene", stage: "Stage", stopped: Callable[[], bool]) -> "CertainTimes":
    """Return when the orientation of each rolled body was certain, by engine impulse.

    Raises:
        SpecError: If it was stopped before.
    """
    from pigglesim.experiments.decided import LEVELS, decide_all
    from pigglesim.physics.looks import HandError
    from pigglesim.precompile import compile_for

    compile_for("copies")
    film = stage.film
    rolled = {
        actor.name: body
        for actor, body in zip(film.actors, stage.bodies, strict=True)
        if not actor.standing
    }

    def go_on(*_: int) -> None:
        if stopped():
            raise SpecError("stopped", fix="begin again")

    found = decide_all(
        film.frames, rolled, scene, error=HandError(), copies=_COPIES, progress=go_on
    )
    return {
        name: [(level, each.certain_from(level).time) for level in LEVELS]
        for name, each in found.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawFlags:
    """Flags to draw rolls and to export them to files for other programs."""

    png: Annotated[Path | None, Flag(suffixes=PICTURES), "Picture of the end in 3D, a .png."] = None
    video: Annotated[Path | None, "Video, a .mp4, .webm or .gif file."] = None
    size: Annotated[
        str | None,
        Flag(metavar="WxH", needs=_DRAWN),
        "Size of picture and video. Default: 1280x720, of a GIF 640x360. [pixels]",
    ] = None
    fps: Annotated[
        float | None, Flag(needs=("video",)), "Frame rate. Default: 30, of a GIF 25. [1/s]"
    ] = None
    camera: Annotated[
        str | None,
        options.VIEW,
        Flag(needs=_DRAWN),
        "Camera: table, top, south, north, east, west or low; or "
        "azimuth,elevation,distance, such as 180,35,0.7. Default: table. [deg, deg, m]",
    ] = None
    slow_motion: Annotated[
        float | None, Flag(needs=("video",)), "Slow motion factor: 1 to 64. Default: 1."
    ] = None
    at: Annotated[float | None, Flag(needs=("png",)), "Time. Default: the roll's end. [s]"] = None
    glb: Annotated[Path | None, "Animated 3D model (glTF), a .glb file."] = None
    html: Annotated[Path | None, "Page that plays it in 3D, a .html file."] = None
    svg: Annotated[Path | None, "Drawing of the end from above, a .svg file."] = None

    @property
    def pictures(self) -> bool:
        """True if a picture or a video is to be drawn."""
        return self.png is not None or self.video is not None

    @property
    def shared(self) -> list[Path]:
        """Other requested files."""
        return [path for path in (self.glb, self.html, self.svg) if path is not None]

    @property
    def _look(self) -> "Look":
        from pigglesim.api.roll_files import Look

        return Look(**{field.name: getattr(self, field.name) for field in fields(Look)})

    def check(self, *, view: bool = False) -> None:
        """Raise SpecError before the work if anything cannot be drawn, shown or written."""
        if self.pictures:
            self._look.picture()
        if self.png is not None:
            expect_writable(self.png)
        if self.video is not None:
            from pigglesim.render.offscreen import expect_encoder

            expect_encoder(self.video)
            expect_writable(self.video)
            _, changed = self._look.video(self.video)
            if changed:
                note(changed)
        for path, suffix in ((self.glb, ".glb"), (self.html, ".html"), (self.svg, ".svg")):
            if path is not None:
                check_target(path, suffix)
        if view:
            # First: pictures drawn while a window is open use its display.
            from pigglesim.render.window import expect_window

            expect_window(instead=DRAWN_INSTEAD)
        if self.pictures:
            from pigglesim.render.offscreen import offscreen

            with offscreen(16, 16):
                return

    def draw(self, films: Sequence["Film"], scene: "Scene") -> None:
        """Draw the picture of the last film and the video of all films, if requested."""
        for file in filter(None, (self.png, self.video)):
            from pigglesim.api.roll_files import save_drawn
            from pigglesim.cli.progress import Work

            with Work("frames", f"filming {file.name}") as work:
                size = save_drawn(films, scene, file, self._look, watch=work.update)
            report_written([file], "{}x{}, ".format(*size))

    def share_match(self, match: "MatchSource", *, rounds: tuple[int, int | None]) -> None:
        """Write the other requested files for some rounds of a recorded match."""
        if not self.shared:
            return
        from pigglesim.api.match_files import write_match_files
        from pigglesim.cli.progress import Work

        written: list[Path] = []
        try:
            with Work("rolls", "filmed") as work:
                for path in write_match_files(
                    match,
                    rounds=rounds,
                    html=self.html,
                    glb=self.glb,
                    svg=self.svg,
                    watch=work.update,
                ):
                    written.append(path)
        finally:
            report_written(written)

    def share_roll(self, roll: "Roll") -> None:
        """Write the other requested files for one roll."""
        report_written(roll.save(path) for path in self.shared)
        if any(path.suffix == ".html" for path in self.shared):
            from pigglesim.physics.impulse.webassembly import module_folder

            if module_folder() is None:
                note = "the page cannot throw again: scripts/make_wasm builds what it needs, once"
                progress_console().print(note)

    def share_films(self, films: "Sequence[Film]") -> None:
        """Write the other requested files for films of one table."""
        if not self.shared:
            return
        from pigglesim.api.roll_files import save_stages
        from pigglesim.render.stage import Stage
        from pigglesim.scene.load import load_scene

        scene = load_scene(films[0].scene)
        stages = [Stage.of(film, scene=scene) for film in films]
        for path in self.shared:
            report_written(save_stages(stages, scene, path))


def report_written(paths: "Iterable[Path]", about: str = "") -> None:
    """Print each file's name and size on standard error when it has been written."""
    for path in paths:
        line = f"wrote {path}: {about}{path.stat().st_size / 1000:,.0f} kB"
        progress_console().print(line, markup=False, soft_wrap=True)
