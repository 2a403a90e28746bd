"""Rolls as files that can be shared: the suffix of a file says what it becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pigglesim.errors import SpecError, cut
from pigglesim.films.film import Film
from pigglesim.films.store import SUFFIX, write_film
from pigglesim.pictures.board import SIDES, landing_points
from pigglesim.rolls import Landing, Zone
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.screen.sentences import knock_sentence
from pigglesim.sharing.files import numbered, write_target
from pigglesim.sharing.glb import film_glb
from pigglesim.sharing.page import Chapter, film_page
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg import lying_in, top_view_svg

if TYPE_CHECKING:
    from pigglesim.viewer.shot import Shot

__all__ = [
    "DRAWN",
    "KINDS",
    "VIDEOS",
    "Look",
    "expect_kind",
    "save_drawn",
    "save_film",
    "save_stage",
    "save_stages",
]

_PICTURES, VIDEOS = (".png",), (".mp4", ".webm", ".gif")
DRAWN = (*_PICTURES, *VIDEOS)
"""Files that need OpenGL."""
KINDS = (SUFFIX, ".html", ".glb", ".svg", *DRAWN)
"""Suffixes of the files that a roll can become."""
_CAMERA = 3
"""Numbers that place a camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a picture or video is drawn; None for the usual value."""

    size: str | tuple[int, int] | None = None
    """Pixels, such as `"1280x720"` or `(1280, 720)`."""
    camera: str | Sequence[float] | None = None
    """A view by name, or azimuth, elevation [degrees] and distance [m]."""
    fps: float | None = None
    """Frames per second of a video."""
    slow_motion: float | None = None
    """How many times as long as the roll its video takes."""
    at: float | None = None
    """Time in the roll of a picture [s]; None for its end."""

    def picture(self) -> "Shot":
        """Return how a picture is drawn.

        Raises:
            SpecError: If a value is impossible.
        """
        from pigglesim.viewer.camera import parse_camera  # noqa: PLC0415 (OpenGL)
        from pigglesim.viewer.shot import Shot, parse_size  # noqa: PLC0415 (OpenGL)

        shot = Shot()
        if self.camera is not None:
            words = self.camera
            if not isinstance(words, str):
                if len(words) != _CAMERA:
                    raise SpecError(
                        "a camera as azimuth, elevation and distance",
                        got=cut(repr(words)),
                        remedy="camera=(155, 38, 0.78)",
                    )
                words = ",".join(f"{number:g}" for number in words)
            # A view by name comes as near as shows all; one by numbers stays where it is.
            shot = replace(shot, camera=parse_camera(words), framed="," not in words)
        if self.size is not None:
            size = self.size if isinstance(self.size, str) else "x".join(map(str, self.size))
            shot = replace(shot, size=parse_size(size))
        return shot

    def video(self, file: Path) -> "tuple[Shot, str]":
        """Return how a video is drawn as its kind of file takes it, and what was changed for that.

        Raises:
            SpecError: If a value is impossible.
        """
        from pigglesim.viewer.video import GIF_SHOT, fitting_shot  # noqa: PLC0415 (OpenGL)

        shot = self.picture()
        if file.suffix.lower() == ".gif":
            # Such files grow with every pixel.
            small = GIF_SHOT.size if self.size is None else shot.size
            shot = replace(shot, fps=GIF_SHOT.fps, size=small)
        if self.fps is not None:
            shot = replace(shot, fps=self.fps)
        if self.slow_motion is not None:
            shot = replace(shot, slow_motion=self.slow_motion)
        return fitting_shot(shot, file)


def expect_kind(file: Path, kinds: Sequence[str], look: Look) -> str:
    """Return the suffix of a file, in small letters.

    Args:
        file: To be written.
        kinds: The suffixes that there are.
        look: How pictures are drawn.

    Raises:
        SpecError: If it is none of these kinds, or the look says what has no effect on its kind.
    """
    kind = file.suffix.lower()
    if kind not in kinds:
        raise SpecError(
            f"a file that ends in {', '.join(kinds[:-1])} or {kinds[-1]}",
            got=repr(file.name),
            remedy=f"{file.stem or 'roll'}.html",
        )
    for name, value, takes in (
        ("size", look.size, DRAWN),
        ("camera", look.camera, DRAWN),
        ("fps", look.fps, VIDEOS),
        ("slow_motion", look.slow_motion, VIDEOS),
        ("at", look.at, _PICTURES),
    ):
        if value is not None and kind not in takes:
            raise SpecError(
                f"{name} with a file that ends in {' or '.join(takes)}",
                got=repr(file.name),
                remedy=f"leave {name} out",
            )
    return kind


def save_drawn(films: Sequence[Film], scene: Scene, file: Path, look: Look) -> None:
    """Draw films: the end of the last as a picture, or all as a video, by the suffix of the file.

    Raises:
        SpecError: If a value is impossible, the file cannot be written or nothing can be drawn.
    """
    if file.suffix.lower() in _PICTURES:
        from pigglesim.viewer.picture import save_picture  # noqa: PLC0415 (OpenGL)

        save_picture(films[-1], scene, file, shot=look.picture(), time=look.at)
        return
    from pigglesim.viewer.video import expect_encoder, save_video  # noqa: PLC0415 (OpenGL)

    expect_encoder(file)
    save_video(films, scene, file, shot=look.video(file)[0])


def save_film(film: Film, file: Path, look: Look) -> None:
    """Write a film to a file, as of `save_stage`."""
    expect_kind(file, KINDS, look)
    scene = load_scene(film.scene)
    save_stage(Stage.of(film, scene=scene), scene, file, before={}, look=look)


def save_stage(
    stage: Stage,
    scene: Scene,
    file: Path,
    *,
    before: Mapping[str, Landing],
    look: Look = Look(),
) -> None:
    """Write a roll to a file.

    Args:
        stage: The film of the roll, with all that drawing it takes.
        scene: The table it was rolled on.
        file: Where to; another of that name is replaced, whole or not at all.
        before: How those lay that stood there, by id.
        look: How a picture or video is drawn.

    Raises:
        PigglesimError: If it is of no such kind, or cannot be written or drawn.
    """
    match expect_kind(file, KINDS, look):
        case kind if kind == SUFFIX:
            write_film(stage.film, file)
        case ".glb":
            write_target(file, film_glb(stage))
        case ".html":
            write_target(file, _page(stage, scene, before))
        case ".svg":
            write_target(file, _drawing(stage, scene, before))
        case _:
            save_drawn([stage.film], scene, file, look)


def save_stages(stages: Sequence[Stage], scene: Scene, file: Path) -> list[Path]:
    """Write many rolls: to one page, or to a file each, numbered from 1; return what was written.

    Args:
        stages: The films of the rolls, with all that drawing them takes, in order.
        scene: The table they were rolled on.
        file: Where to, as of `save_stage`.

    Raises:
        PigglesimError: If it is of no such kind, or cannot be written or drawn.
    """
    if len(stages) > 1 and file.suffix.lower() == ".html":
        chapters = [
            Chapter(stage=stage, title=f"Roll {place}: {_title(stage)}", story=_story(stage, {}))
            for place, stage in enumerate(stages, start=1)
        ]
        facts = stages[0].film.origin
        title, subtitle = f"{len(stages)} rolls", _subtitle(stages[0], scene)
        write_target(file, film_page(chapters, title=title, subtitle=subtitle, facts=facts))
        return [file]
    written = [numbered(file, place, len(stages)) for place in range(1, len(stages) + 1)]
    for stage, path in zip(stages, written, strict=True):
        save_stage(stage, scene, path, before={})
    return written


def _page(stage: Stage, scene: Scene, before: Mapping[str, Landing]) -> str:
    title = _title(stage)
    chapter = Chapter(stage=stage, title=title, story=_story(stage, before))
    facts = stage.film.origin
    return film_page([chapter], title=title, subtitle=_subtitle(stage, scene), facts=facts)


def _drawing(stage: Stage, scene: Scene, before: Mapping[str, Landing]) -> str:
    return top_view_svg(
        stage.board,
        lying_in(stage),
        title=_title(stage),
        subtitle=_subtitle(stage, scene),
        words=_story(stage, before),
        reading=stage.reading,
    )


def _title(stage: Stage) -> str:
    rolled = [actor for actor in stage.film.actors if not actor.standing]
    names = " ".join(actor.name for actor in rolled)
    owner = rolled[0].owner if rolled else None
    return f"{SIDES.get(owner, owner.value)} rolls {names}" if owner else names


def _subtitle(stage: Stage, scene: Scene) -> str:
    return f"{scene.title} \u00b7 seed {stage.film.origin.get('seed', 'unknown')}"


def _story(stage: Stage, before: Mapping[str, Landing]) -> list[str]:
    """Return what a roll did to what stood on the board, and what each side's would pay now."""
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
            # The rules pay for pigs alone.
            if actor.owner is seat and body.pig and actor.name in readings
        ]
        if own:
            points = sum(map(landing_points, own))
            lines.append(f"On the board for {side}: {points}")
    return lines
