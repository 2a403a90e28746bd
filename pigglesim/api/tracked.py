"""Throws that cameras tracked: followed by a body and a surface, and both fitted to them."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from pigglesim.arguments import JsonResult, StoppableResult, checked
from pigglesim.durable_io import check_target, write_target
from pigglesim.errors import SpecError
from pigglesim.experiments.track_fit import TrackFit, fit_throws, parameter_file
from pigglesim.experiments.tracked_throws import (
    FollowedThrow,
    FollowTask,
    TrackedThrows,
    find_tracked_throws,
    first_face_scores,
    follow_all,
    read_parameters,
    read_tracked_throws,
    score_throws,
)
from pigglesim.limits import POINTS, Limits
from pigglesim.physics.engines import engine_version, fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, root_seed, seed_json

DRAWS = Limits(10, 10_000)
"""Draws of the start and the surface that predict the face of a throw."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackedValidation(StoppableResult):
    """Tracked throws, each simulated from its start."""

    sets: tuple[TrackedThrows, ...] = field(repr=False)
    followed: tuple[tuple[FollowedThrow, ...], ...] = field(repr=False)
    """Throws of each set that were followed."""
    parameters: Path | None
    """File with body and surface; None for a solid cube on a usual surface."""
    draws: int
    engine: str
    seed: int
    done: int
    """Throws that were followed or left out."""

    @property
    def _progress(self) -> tuple[int, int, str]:
        return self.done, sum(len(throws.tracks) for throws in self.sets), "throws"

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Errors and scores of each set of which a throw was followed."""
        pairs = zip(self.sets, self.followed, strict=True)
        return [_scores(throws, own) for throws, own in pairs if own]

    def document(self) -> dict[str, Any]:
        """Return the scores as JSON values; units are in the names."""
        return {
            "engine": self.engine,
            "engine_version": engine_version(self.engine),
            "seed": seed_json(self.seed),
            "stopped": not self.finished,
            "unfinished": self.unfinished or None,
            "parameters": str(self.parameters) if self.parameters else None,
            "tosses": self.scores,
            "draws": self.draws,
        }


def _scores(throws: TrackedThrows, followed: Sequence[FollowedThrow]) -> dict[str, Any]:
    numbers = {one.number for one in followed}
    left_out = [track.number for track in throws.tracks if track.number not in numbers]
    baseline = {name: asdict(value) for name, value in first_face_scores(followed).items()}
    return asdict(score_throws(throws.name, followed, left_out)) | {"first_face": baseline}


@checked
def validate_tracked(
    folder: str | PathLike[str],
    *,
    parameters: str | PathLike[str] | None = None,
    draws: Annotated[int, DRAWS] = 200,
    seed: Seed = None,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> TrackedValidation:
    """Simulate tracked throws from their start, and compare.

    An interruption (Ctrl-C) ends the work early: the throws so far are scored.

    Args:
        folder: Folder with toss.toml files.
        parameters: Body and surface of tracked throws, a file of `pigglesim fit`. Default: a solid
            cube, friction and restitution 0.3.
        draws: Draws per tracked throw that predict its face.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called after each throw with the numbers of throws done and wanted.

    Returns:
        The errors of each set over its frames, and how well its faces are predicted.

    Raises:
        PigglesimError: If there are no tracked throws, a file is faulty, or a name is unknown.

    Examples:
        >>> import pigglesim
        >>> pigglesim.validate_tracked("tosses", draws=10, seed=1).scores
    """
    paths = _tracked_in(folder)
    name, root = engine or fastest_engine_name(), root_seed(seed)
    engine_version(name)  # raises if it is not installed
    fitted = read_parameters(Path(parameters))[0] if parameters else None
    sets = tuple(map(read_tracked_throws, paths))
    compile_for("drops", engine=name)
    followed: list[list[FollowedThrow]] = [[] for _ in sets]
    done, wanted = 0, sum(len(throws.tracks) for throws in sets)
    with suppress(KeyboardInterrupt):
        for throws, own in zip(sets, followed, strict=True):
            task = FollowTask(
                throws=throws,
                parameters=fitted or throws.unfitted,
                engine=name,
                draws=int(draws),
                seed=root,
            )
            with closing(follow_all(task, workers=workers)) as results:
                for one in results:
                    own += [one] if one else []
                    done += 1
                    if progress is not None:
                        progress(done, wanted)
    return TrackedValidation(
        sets=sets,
        followed=tuple(map(tuple, followed)),
        parameters=Path(parameters) if parameters else None,
        draws=int(draws),
        engine=name,
        seed=root,
        done=done,
    )


def _tracked_in(folder: str | PathLike[str]) -> list[Path]:
    """Return the toss.toml files below a folder; at least one."""
    if paths := find_tracked_throws(Path(folder)):
        return paths
    raise SpecError(f"no toss.toml in {folder}", fix="name a folder with tracked throws")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackedFit(JsonResult):
    """Body and surface that follow tracked throws best."""

    name: str
    """Name of the throws."""
    found: TrackFit = field(repr=False)
    """Parameters with their 95 % intervals."""
    file: Path
    """Parameter file that was written."""
    engine: str
    seed: int

    def document(self) -> dict[str, Any]:
        """Return the fit as JSON values."""
        fit = self.found
        return {
            "name": self.name,
            "engine": self.engine,
            "throws": fit.throws,
            "seed": seed_json(self.seed),
            "loss": fit.loss,
            "parameters": [
                {
                    "name": one.name,
                    "unit": one.unit,
                    "value": float(fit.values[k]),
                    "low": float(fit.low[k]),
                    "high": float(fit.high[k]),
                    "range": [one.low, one.high],
                    "narrowing": float(fit.narrowing[k]),
                    "evidence": one.evidence,
                }
                for k, one in enumerate(fit.names)
            ],
            "out": str(self.file),
        }


@checked
def fit_tracked(
    folder: str | PathLike[str],
    *,
    out: str | PathLike[str],
    points: Annotated[int, POINTS] = 400,
    seed: Seed = 1,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> TrackedFit:
    """Fit body and surface to tracked throws, and write them to a file.

    Args:
        folder: Folder with one toss.toml.
        out: TOML file to write, for `validate_tracked(parameters=...)`.
        points: Bodies and surfaces to try, 64 or more.
        seed: Root seed, or a stream to draw it from.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called with the numbers of points tried and wanted.

    Returns:
        The parameters, each with a 95 % interval.

    Raises:
        PigglesimError: If there is not one set of throws, it has too few, a name is unknown, or
            the file cannot be written.

    Examples:
        >>> import pigglesim
        >>> pigglesim.fit_tracked("tosses", out="cube.toml", points=64).found.throws
    """
    path, *others = _tracked_in(folder)
    if others:
        raise SpecError(f"{len(others) + 1} toss.toml files in {folder}", fix="fit them one by one")
    file, name, root = Path(out), engine or fastest_engine_name(), root_seed(seed)
    if file.suffix != ".toml":
        raise SpecError(
            f"{str(file)!r} is not the name of a parameter file",
            expected="a name that ends with .toml, for tracked throws",
            fix="use --out PARAMS.toml",
        )
    check_target(file, ".toml")
    engine_version(name)  # raises if it is not installed
    throws, tried = read_tracked_throws(path), 0
    compile_for("drops", engine=name)

    def watch(more: int) -> None:
        nonlocal tried
        tried = min(tried + more, points)  # whole batches are tried
        if progress is not None:
            progress(tried, points)

    found = fit_throws(throws, name, points=int(points), workers=workers, seed=root, watch=watch)
    write_target(file, parameter_file(throws, found, name))
    return TrackedFit(name=throws.name, found=found, file=file, engine=name, seed=root)
