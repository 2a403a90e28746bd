"""What can be shared of a roll, as flags of several verbs: `--glb`, `--html`, `--svg`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli.consoles import progress_console
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pigglesim.api.roll import Roll
    from pigglesim.films.film import Film
    from pigglesim.match.record import LocatedRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTargets:
    """The flags for files to write of what was rolled; None for each that nobody asked for."""

    glb: Annotated[
        Path | None,
        typer.Option(
            "--glb", help="Animated 3D model (glTF), a .glb file, for Blender and others."
        ),
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Page that plays it in 3D in any browser, offline, a .html file."
        ),
    ] = None
    svg: Annotated[
        Path | None,
        typer.Option("--svg", help="Drawing of the end from above, a .svg file."),
    ] = None

    def __bool__(self) -> bool:
        """Whether anything is to be written."""
        return any((self.glb, self.html, self.svg))

    @property
    def names(self) -> tuple[str, ...]:
        """What the flags are called, which change nothing of a roll."""
        return ("glb", "html", "svg")

    def check(self) -> None:
        """Raise `SpecError` for a file that cannot be written: before the work, not after it."""
        from pigglesim.render.files import check_target

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
        from pigglesim.cli.progress import progress_bar

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
