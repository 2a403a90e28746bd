"""Files of rolls: pages, drawings, 3D, pictures and videos.

A page can throw the cup of a roll again: it has the engine's WebAssembly, with the start of that
throw in its memory.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pigglesim.bodies.body import Body
from pigglesim.durable_io import DRAWN, FILM, PAGES, PICTURES, VIDEOS, numbered, write_target
from pigglesim.errors import SpecError
from pigglesim.films.codec import write_film
from pigglesim.films.film import Film
from pigglesim.landing import Landing, RollRequest, Zone
from pigglesim.render.glb import film_glb
from pigglesim.render.palette import SIDES, landing_points
from pigglesim.render.stage import Stage
from pigglesim.render.svg import film_bodies, top_view_svg
from pigglesim.render.throw_kit import throw_kit
from pigglesim.render.web_page import Chapter, ThrowAgain, film_page
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.table.view import knock_sentence

if TYPE_CHECKING:
    from pigglesim.render.camera import Shot

KINDS = (FILM, *PAGES, *DRAWN)
"""Suffixes of the files to which a roll can be saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Settings of a picture or video; None for the default."""

    size: str | tuple[int, int] | None = None
    """Size [pixels], such as `"1280x720"` or `(1280, 720)`."""
    camera: str | Sequence[float] | None = None
    """Name of a view, or azimuth, elevation [degrees] and distance [m]."""
    fps: float | None = None
    """Frame rate of a video [1/s]."""
    slow_motion: float | None = None
    """Duration of the video relative to the roll, 1 to 64."""
    at: float | None = None
    """Time in the roll of a picture [s]; None for its end."""

    def picture(self) -> "Shot":
        """Return the settings for drawing a picture."""
        from pigglesim.render.camera import (  # noqa: PLC0415 (OpenGL)
            Shot,
            camera_at,
            parse_camera,
            parse_size,
        )

        shot = Shot()
        if isinstance(self.camera, str):
            # A named view is moved to frame everything; a view by numbers is not moved.
            camera, framed = parse_camera(self.camera), "," not in self.camera
            shot = replace(shot, camera=camera, framed=framed)
        elif self.camera is not None:
            shot = replace(shot, camera=camera_at(self.camera), framed=False)
        if self.size is not None:
            size = parse_size(self.size) if isinstance(self.size, str) else self.size
            shot = replace(shot, size=size)
        return shot

    def video(self, file: Path) -> "tuple[Shot, str]":
        """Return the settings for a video of this file type, and a note on any adjustment."""
        from pigglesim.render.offscreen import GIF_SHOT, fitting_shot  # noqa: PLC0415 (OpenGL)

        shot = self.picture()
        if file.suffix.lower() == ".gif":
            # GIF files grow with every pixel.
            size = GIF_SHOT.size if self.size is None else shot.size
            shot = replace(shot, fps=GIF_SHOT.fps, size=size)
        if self.fps is not None:
            shot = replace(shot, fps=self.fps)
        if self.slow_motion is not None:
            shot = replace(shot, slow_motion=self.slow_motion)
        return fitting_shot(shot, file)


def expect_kind(file: Path, kinds: Sequence[str], look: Look) -> str:
    """Return the suffix of a file in lower case, which must be one of `kinds`.

    Raises:
        SpecError: If it is not one of these, or a setting of `look` has no effect on this type.
    """
    kind = file.suffix.lower()
    if kind not in kinds:
        raise SpecError(
            f"unknown file type of {file.name!r}",
            expected=f"{', '.join(kinds[:-1])} or {kinds[-1]}",
            fix=f"use {file.stem or 'roll'}.html",
        )
    for name, value, suffixes in (
        ("size", look.size, DRAWN),
        ("camera", look.camera, DRAWN),
        ("fps", look.fps, VIDEOS),
        ("slow_motion", look.slow_motion, VIDEOS),
        ("at", look.at, PICTURES),
    ):
        if value is not None and kind not in suffixes:
            raise SpecError(
                f"{name} has no effect on {file.name!r}",
                fix=f"leave {name} out, or use {' or '.join(suffixes)}",
            )
    return kind


def save_drawn(
    films: Sequence[Film],
    scene: Scene,
    file: Path,
    look: Look,
    *,
    watch: Callable[[int, int], None] = lambda done, count: None,
) -> tuple[int, int]:
    """Draw the end of the last film, or all films as a video; return the size [pixels].

    `watch` is called with the numbers of frames done and wanted.

    Raises:
        SpecError: If a value is invalid, the file cannot be written or nothing can be drawn.
    """
    if file.suffix.lower() in PICTURES:
        from pigglesim.render.offscreen import save_picture  # noqa: PLC0415 (OpenGL)

        shot = look.picture()
        save_picture(films[-1], scene, file, shot=shot, time=look.at)
        return shot.size
    from pigglesim.render.offscreen import expect_encoder, save_video  # noqa: PLC0415 (OpenGL)

    expect_encoder(file)
    shot, _ = look.video(file)
    save_video(films, scene, file, shot=shot, on_progress=watch)
    return shot.size


def save_film(film: Film, file: Path, look: Look) -> None:
    """Write a film to a file, as `save_stages` does."""
    expect_kind(file, KINDS, look)
    scene = load_scene(film.scene)
    save_stages([Stage.of(film, scene=scene)], scene, file, look=look)


def save_stages(
    stages: Sequence[Stage],
    scene: Scene,
    file: Path,
    *,
    before: Mapping[str, Landing] = MappingProxyType({}),
    look: Look = Look(),
    again: ThrowAgain | None = None,
) -> list[Path]:
    """Write rolls to one page, or to one file each, numbered from 1; return the files.

    An existing file is replaced atomically. `before` are the landings, by id, of the Piggles that
    stood on the board before; `again` is the cup that a page can throw.

    Raises:
        PigglesimError: If the file type is unknown, or a file cannot be written or drawn.
    """
    kind = expect_kind(file, KINDS, look)
    if kind == ".html":
        write_target(file, _page(stages, scene, before, again))
        return [file]
    written = [numbered(file, number, len(stages)) for number in range(1, len(stages) + 1)]
    for stage, path in zip(stages, written, strict=True):
        if kind == FILM:
            write_film(stage.film, path)
        elif kind in DRAWN:
            save_drawn([stage.film], scene, path, look)
        else:
            content = film_glb(stage) if kind == ".glb" else _drawing(stage, scene, before)
            write_target(path, content)
    return written


def _page(
    stages: Sequence[Stage],
    scene: Scene,
    before: Mapping[str, Landing],
    again: ThrowAgain | None,
) -> str:
    several = len(stages) > 1
    chapters = [
        Chapter(
            stage=stage,
            title=f"Roll {number}: {_title(stage)}" if several else _title(stage),
            story=_story(stage, before),
        )
        for number, stage in enumerate(stages, start=1)
    ]
    title = f"{len(stages)} rolls" if several else chapters[0].title
    facts = stages[0].film.origin
    subtitle = _subtitle(stages[0], scene)
    return film_page(chapters, title=title, subtitle=subtitle, facts=facts, again=again)


def _drawing(stage: Stage, scene: Scene, before: Mapping[str, Landing]) -> str:
    return top_view_svg(
        stage.board,
        film_bodies(stage),
        title=_title(stage),
        subtitle=_subtitle(stage, scene),
        lines=_story(stage, before),
        reading=stage.reading,
    )


def _title(stage: Stage) -> str:
    rolled = [actor for actor in stage.film.actors if not actor.standing]
    names = " ".join(actor.name for actor in rolled)
    owner = rolled[0].owner if rolled else None
    return f"{SIDES.get(owner, owner.value)} rolls {names}" if owner else names


def _subtitle(stage: Stage, scene: Scene) -> str:
    origin = stage.film.origin
    drawn = "start given" if "start" in origin else f"seed {origin.get('seed', 'unknown')}"
    return f"{scene.title} \u00b7 {drawn}"


def _story(stage: Stage, before: Mapping[str, Landing]) -> list[str]:
    """Return sentences on the effects of a roll on standing Piggles, and each side's points."""
    readings = stage.readings
    lines = [
        knock_sentence(knock, before, readings)
        for knock in stage.film.knocks
        if knock.struck in before
    ]
    off = [name for name, at in readings.items() if at.zone is Zone.OFF]
    if off:
        lines.append(f"Off the board: {', '.join(off)}")
    for seat, side in SIDES.items():
        own = [
            readings[actor.name]
            for actor, body in zip(stage.film.actors, stage.bodies, strict=True)
            # The rules score only pigs.
            if actor.owner is seat and body.pig and actor.name in readings
        ]
        if own:
            points = sum(map(landing_points, own))
            lines.append(f"On the board for {side}: {points}")
    return lines


def throw_again(
    scene: Scene,
    request: RollRequest,
    bodies: tuple[Body, ...],
    *,
    engine: str,
    command: str | None = None,
) -> ThrowAgain | None:
    """Return what a page needs to throw the cup of a roll again; None if it cannot.

    It throws with engine `impulse`, whichever `engine` made the roll: Piggles from the cup onto an
    empty board, read by the standard rules. A wheel has the engine's WebAssembly, and the set-up
    of a checkout makes it. `command` throws the starts that the page draws.
    """
    kit = None if request.standing else throw_kit(scene, request, bodies)
    if kit is None:
        return None
    return ThrowAgain(
        recorded_by=engine,
        module=kit.module,
        image=kit.image,
        index={
            **kit.index,
            "repeat": [f"{command} --start=", ""]
            if command
            else [f'pigglesim.roll({len(bodies)}, ..., engine="impulse", start="', '")'],
        },
    )
