"""A moment of a film as a PNG."""

from pathlib import Path

from pigglesim.errors import SpecError
from pigglesim.files.whole import expect_suffix, whole_file
from pigglesim.films.film import Film
from pigglesim.scene.scene import Scene
from pigglesim.viewer.shot import Shot
from pigglesim.viewer.studio import Studio

__all__ = ["PICTURE_KINDS", "save_picture"]

PICTURE_KINDS = (".png",)


def save_picture(film: Film, scene: Scene, file: Path, *, shot: Shot, time: float | None) -> None:
    """Draw one moment of a film.

    Args:
        film: The film.
        scene: The table it was rolled on.
        file: Where to, `.png`; another of that name is replaced whole.
        shot: How it is seen.
        time: In the film [s]; None for its end, where all have come to rest.

    Raises:
        SpecError: If the file is of another kind or cannot be written, or nothing can be drawn.
    """
    from PIL import Image  # noqa: PLC0415 (slow to import)

    expect_suffix(file, PICTURE_KINDS)
    moment = film.end if time is None else time
    if not film.start <= moment <= film.end:
        raise SpecError(
            f"a time of the roll, from {film.start:g} to {film.end:.4g} s",
            got=f"{moment:g}",
            remedy="--at 0.5, or no --at for its end",
        )
    with Studio(scene, shot) as studio:
        studio.show(film, span=(moment, moment))
        pixels = studio.frame(moment)
    with whole_file(file) as part:
        Image.fromarray(pixels).save(part, format="PNG", compress_level=6)
