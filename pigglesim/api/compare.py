"""Pours at several levels of a factor, side by side: engines, time steps, or any other."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Annotated, Any, Literal

from pigglesim.api.study import study
from pigglesim.arguments import StoppableResult, checked, given, plain
from pigglesim.chance.physical import expect_pigs
from pigglesim.experiments.comparison import Comparison, PourCounts, compare, count_pours
from pigglesim.experiments.sql_sandbox import open_throws
from pigglesim.landing import Seat
from pigglesim.limits import Limits
from pigglesim.rng import Seed, root_seed, seed_json
from pigglesim.scene.load import load_scene
from pigglesim.units import level_text

POURS = Limits(2, 10**7)
"""Pours per level onto an empty board."""
KNOCK_POURS = Limits(0, 10**7)
"""Pours per level that are also made onto standing Piggles."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PourComparison(StoppableResult):
    """Shares of pours at each level of a factor, and their differences from the first level."""

    factor: str
    comparison: Comparison = field(repr=False)
    """Shares, points and distances, by level."""
    scene: str
    engine: str
    """Engine of the first level."""
    seed: int
    pours: int
    """Pours that were made, of all levels together."""
    wanted: int
    """Pours that were requested."""

    @property
    def _progress(self) -> tuple[int, int, str]:
        return self.pours, self.wanted, "pours"

    def document(self) -> dict[str, Any]:
        """Return the comparison as JSON values; unknown values are None."""
        return {
            "factor": self.factor,
            "scene": self.scene,
            "engine": self.engine,
            "seed": seed_json(self.seed),
            "stopped": not self.finished,
            "unfinished": self.unfinished or None,
            **plain(asdict(self.comparison)),
        }


@checked
def compare_pours(
    factor: str,
    levels: Sequence[str | int | float],
    *,
    pours: Annotated[int, POURS] = 100,
    knock_pours: Annotated[int | None, KNOCK_POURS] = None,
    model: str | None = None,
    scene: str | PathLike[str] = "piggles_classic",
    seed: Seed = None,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PourComparison:
    """Pour at several levels of a factor and compare shares of orientations, zones and knocks.

    An interruption (Ctrl-C) ends the pours early: those so far are compared.

    Args:
        factor: Factor of a pour, such as `"engine"`, `"time_step_ms"` or `"friction"`.
        levels: Its levels; each is compared with the first.
        pours: Pours per level onto an empty board, 2 or more.
        knock_pours: Pours per level that are also made onto six standing Piggles. Default: a
            quarter.
        model: Model of all Piggles. Default: the scene's.
        scene: Table: a name in `known().scenes`, or a path to a TOML file.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called after each shard with the numbers of pours made and wanted.

    Returns:
        The shares at each level and their differences, with 95 % intervals, and the total
        variation from the first level, with its bounds.

    Raises:
        PigglesimError: If a name is unknown, a level is invalid, or no pour was made.

    Examples:
        >>> import pigglesim
        >>> pigglesim.compare_pours("friction", [0.2, 0.4], pours=4, seed=1).comparison.points
    """
    table = load_scene(str(scene))
    team = [model] if model else table.teams[Seat.A]
    expect_pigs(team)
    root = root_seed(seed)
    knocks = min(pours, pours // 4 if knock_pours is None else knock_pours)
    sides: dict[str, list[PourCounts]] = {}
    done, wanted = 0, len(levels) * (pours + knocks)
    kinds: dict[Literal["pour", "knock"], int] = {"pour": pours, "knock": knocks}
    for kind, throws in kinds.items():
        if not throws:
            continue
        try:
            made = study(
                kind,
                model=",".join(team),
                throws=throws,
                factors={factor: levels},
                scene=scene,
                seed=root,
                workers=workers,
                progress=lambda now, _: progress and progress(done + now, wanted),  # noqa: B023
                **given(engine=engine),
            )
        except KeyboardInterrupt:
            if not sides:
                raise
            break  # before the first pour of this kind
        done += made.throws
        with open_throws(made.folder) as connection:
            sides[kind] = count_pours(connection, cells=len(levels), knocks=kind == "knock")
        if made.stopped:
            break
    (varied,) = made.study.varied()
    read = made.study.factors[varied.name]
    labels = [f"{level_text(level)} {varied.unit}".strip() for level in read]
    return PourComparison(
        factor=varied.name,
        comparison=compare(labels, sides["pour"], sides.get("knock", ()), seed=root),
        scene=table.id,
        engine=made.study.engine,
        seed=root,
        pours=done,
        wanted=wanted,
    )
