"""What can be shared of a roll, as flags of several verbs: `--glb`, `--html`, `--svg`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli.options import progress_console
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pigglesim.chance.physical import PhysicalChance
    from pigglesim.films.film import Film
    from pigglesim.match.scan import Found
    from pigglesim.rolls import Landing, RollRequest
    from pigglesim.sharing.stage import Stage

__all__ = ["GlbOption", "HtmlOption", "ShareTargets", "SvgOption", "tell_written"]

GlbOption = Annotated[
    Path | None,
    typer.Option("--glb", help="Write the roll as animated 3D (glTF), for Blender and others."),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", help="Write one page that plays it in 3D, in any browser, offline."),
]
SvgOption = Annotated[
    Path | None, typer.Option("--svg", help="Write how everything came to lie, seen from above.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTargets:
    """Files to write of what was rolled; None for each that nobody asked for."""

    glb: Path | None
    html: Path | None
    svg: Path | None

    def __bool__(self) -> bool:
        """Whether anything is to be written."""
        return any((self.glb, self.html, self.svg))

    @property
    def names(self) -> tuple[str, ...]:
        """What the flags are called, which change nothing of a roll."""
        return ("glb", "html", "svg")

    def check(self) -> None:
        """Raise `SpecError` for a file that cannot be written: before the work, not after it."""
        from pigglesim.sharing.files import check_target

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

    def match(self, found: "Found", file: Path, *, rounds: tuple[int, int | None]) -> None:
        """Write what is asked for of the rolls of some rounds of a recorded match."""
        record = found.record or found.so_far
        if not self or record is None:
            return
        from pigglesim.cli.sharing_match import share_match

        share_match(record, file, self, number=found.number, rounds=rounds)

    def write_roll(self, film: "Film", chance: "PhysicalChance", request: "RollRequest") -> None:
        """Write what is asked for of the film of one roll.

        Args:
            film: The film.
            chance: What rolled it.
            request: What was asked of it.
        """
        if not self:
            return
        from pigglesim.pictures.marks import SIDES
        from pigglesim.sharing.stage import Stage

        stage = Stage.of(film, scene=chance.scene, bodies=chance.models, reading=request.reading)
        rolled = [actor for actor in film.actors if not actor.standing]
        names = " ".join(actor.name for actor in rolled)
        title = f"{SIDES[rolled[0].owner]} rolls {names}" if rolled and rolled[0].owner else names
        subtitle = f"{chance.scene.title} \u00b7 seed {chance.seed}"
        self._write(stage, title, subtitle, _story(stage, dict(request.standing)))

    def _write(self, stage: "Stage", title: str, subtitle: str, story: list[str]) -> None:
        from pigglesim.sharing.files import write_target

        if self.glb is not None:
            from pigglesim.sharing.glb import film_glb

            write_target(self.glb, film_glb(stage))
        if self.html is not None:
            from pigglesim.sharing.page import Chapter, film_page

            chapter = Chapter(stage=stage, title=title, story=story)
            facts = stage.film.origin
            write_target(
                self.html, film_page([chapter], title=title, subtitle=subtitle, facts=facts)
            )
        if self.svg is not None:
            from pigglesim.sharing.svg import lying_in, top_view_svg

            drawing = top_view_svg(
                stage.board,
                lying_in(stage),
                title=title,
                subtitle=subtitle,
                words=story,
                reading=stage.reading,
            )
            write_target(self.svg, drawing)
        tell_written([path for path in (self.glb, self.html, self.svg) if path is not None])


def tell_written(paths: "Iterable[Path]") -> None:
    """Name the files that were written, on standard error."""
    for path in paths:
        told = f"wrote {path}: {path.stat().st_size / 1000:.0f} kB"
        progress_console().print(told, markup=False, soft_wrap=True)


def _story(stage: "Stage", before: "Mapping[str, Landing]") -> list[str]:
    """Return what a roll did to what stood on the board, and what each side's would pay now."""
    from pigglesim.pictures.marks import SIDES, landing_points
    from pigglesim.screen.sentences import knock_sentence

    readings = stage.readings
    lines = [knock_sentence(knock, before, readings) for knock in stage.film.knocks]
    off = [name for name, at in readings.items() if at.orientation is None]
    if off:
        lines.append(f"Off the board: {', '.join(off)}")
    for seat, side in SIDES.items():
        own = [actor.name for actor in stage.film.actors if actor.owner is seat]
        if own:
            points = sum(landing_points(readings[name]) for name in own if name in readings)
            lines.append(f"On the board for {side}: {points}")
    return lines
