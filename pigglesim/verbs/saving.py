"""Rolls as files that can be shared: what the name of one ends in says as what."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pigglesim.errors import SpecError
from pigglesim.films.store import SUFFIX, write_film
from pigglesim.pictures.marks import SIDES, landing_points
from pigglesim.rolls import Landing
from pigglesim.scene.scene import Scene
from pigglesim.screen.sentences import knock_sentence
from pigglesim.sharing.files import numbered, write_target
from pigglesim.sharing.glb import film_glb
from pigglesim.sharing.page import Chapter, film_page
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg import lying_in, top_view_svg

__all__ = ["KINDS", "save_stage", "save_stages"]

_PICTURES, _VIDEOS = (".png",), (".mp4", ".webm", ".gif")
KINDS = (SUFFIX, ".html", ".glb", ".svg", *_PICTURES, *_VIDEOS)
"""What the name of a file may end in."""


def save_stage(stage: Stage, scene: Scene, file: Path, *, before: Mapping[str, Landing]) -> None:
    """Write a roll to a file.

    Args:
        stage: The film of the roll, with all that drawing it takes.
        scene: The table it was rolled on.
        file: Where to; another of that name is replaced, whole or not at all.
        before: How those lay that stood there, by id.

    Raises:
        PigglesimError: If it is of no such kind, or cannot be written or drawn.
    """
    match file.suffix.lower():
        case kind if kind == SUFFIX:
            write_film(stage.film, file)
        case ".glb":
            write_target(file, film_glb(stage))
        case ".html":
            write_target(file, _page(stage, scene, before))
        case ".svg":
            write_target(file, _drawing(stage, scene, before))
        case kind if kind in _PICTURES:
            from pigglesim.viewer.picture import save_picture  # noqa: PLC0415 (OpenGL)
            from pigglesim.viewer.shot import Shot  # noqa: PLC0415 (OpenGL)

            save_picture(stage.film, scene, file, shot=Shot(), time=None)
        case kind if kind in _VIDEOS:
            _film_video(stage, scene, file)
        case _:
            raise SpecError(
                f"a file that ends in {', '.join(KINDS)} or .json",
                got=repr(file.name),
                remedy=f"{file.stem or 'roll'}.html",
            )


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


def _film_video(stage: Stage, scene: Scene, file: Path) -> None:
    from pigglesim.viewer.shot import Shot  # noqa: PLC0415 (OpenGL)
    from pigglesim.viewer.video import (  # noqa: PLC0415 (OpenGL)
        GIF_SHOT,
        expect_encoder,
        fitting_shot,
        save_video,
    )

    expect_encoder(file)
    shot = GIF_SHOT if file.suffix.lower() == ".gif" else Shot()
    save_video([stage.film], scene, file, shot=fitting_shot(shot, file)[0])


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
    off = [name for name, at in readings.items() if at.orientation is None]
    if off:
        lines.append(f"Off the board: {', '.join(off)}")
    for seat, side in SIDES.items():
        own = [actor.name for actor in stage.film.actors if actor.owner is seat]
        if any(name in readings for name in own):
            points = sum(landing_points(readings[name]) for name in own if name in readings)
            lines.append(f"On the board for {side}: {points}")
    return lines
