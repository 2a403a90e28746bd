"""`pigglesim validate` and `fit` for tracked throws: a folder with a toss.toml."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pigglesim.cli import consoles
from pigglesim.cli.progress import Work
from pigglesim.durable_io import check_target, write_target
from pigglesim.errors import SpecError
from pigglesim.experiments.track_fit import fit_throws, parameter_file
from pigglesim.experiments.tracked_throws import (
    FollowedThrow,
    FollowTask,
    TrackedThrows,
    first_face_scores,
    follow_all,
    read_parameters,
    read_tracked_throws,
    score_throws,
)
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.rng import seed_json

_FACES = {"face_right": "right face", "log_score": "log score", "brier": "Brier score"}


def validate_throws(
    paths: Sequence[Path],
    *,
    parameters: Path | None,
    engine: str,
    draws: int,
    workers: int,
    seed: int,
) -> tuple[list[dict[str, Any]], str]:
    """Follow tracked throws, and return the scores of each set as JSON values.

    Args:
        paths: The toss.toml of each set.
        parameters: File of `pigglesim fit`; None for a solid cube on a usual surface.
        engine: Name of the engine.
        draws: Starts of each throw from which its face is predicted.
        workers: Number of processes.
        seed: Seed of the starts.

    Returns:
        The scores, and the progress if Ctrl-C ended it early, else an empty text.
    """
    engine_version(engine)  # raises if it is not installed
    fitted = read_parameters(parameters)[0] if parameters else None
    sets = [read_tracked_throws(path) for path in paths]
    compile_for("drops", engine=engine)
    documents = []
    with Work(
        "throws", "following", total=sum(len(one.tracks) for one in sets), stoppable=True
    ) as work:
        for throws in sets:
            task = FollowTask(
                throws=throws,
                parameters=fitted or throws.unfitted,
                engine=engine,
                draws=draws,
                seed=seed,
            )
            followed: list[FollowedThrow] = []
            documents.append((throws, followed))
            with closing(follow_all(task, workers=workers)) as results:
                for one in results:
                    followed += [one] if one else []
                    work.advance()
    scores = [_scores(throws, followed) for throws, followed in documents if followed]
    return scores, work.unfinished


def _scores(throws: TrackedThrows, followed: list[FollowedThrow]) -> dict[str, Any]:
    numbers = {one.number for one in followed}
    left_out = [track.number for track in throws.tracks if track.number not in numbers]
    score = score_throws(throws.name, followed, left_out)
    baseline = {name: asdict(value) for name, value in first_face_scores(followed).items()}
    return asdict(score) | {"first_face": baseline}


def show_throws(tosses: Sequence[dict[str, Any]], footer: str) -> None:
    """Print the scores of tracked throws."""
    console = consoles.result_console()
    for one in tosses:
        table = consoles.word_table(
            f"{one['count']} throws of {one['name']}", ">simulated", ">face at first contact"
        )
        table.add_row("position error, % of the side", _cell(one["position_error_percent"], 1), "")
        table.add_row("rotation error, °", _cell(one["rotation_error_degrees"], 1), "")
        for name, title in _FACES.items():
            table.add_row(title, _cell(one[name], 3), _cell(one["first_face"][name], 3))
        console.print(table)
    console.print(f"mean ± standard error over the throws · {footer}", style="dim")


def _cell(measured: dict[str, float], digits: int) -> str:
    return f"{measured['value']:.{digits}f} ± {measured['se']:.{digits}f}"


def fit_tracked_throws(
    path: Path, out: Path, *, engine: str, points: int, workers: int, seed: int, as_json: bool
) -> None:
    """Fit body and surface to tracked throws, and write them to a file."""
    if out.suffix != ".toml":
        raise SpecError(
            f"{str(out)!r} is not the name of a parameter file",
            expected="a name that ends with .toml, for tracked throws",
            fix="use --out PARAMS.toml",
        )
    check_target(out, ".toml")
    engine_version(engine)
    throws = read_tracked_throws(path)
    compile_for("drops", engine=engine)
    with Work("points", "fitting", total=points) as work:
        fit = fit_throws(
            throws, engine, points=points, workers=workers, seed=seed, watch=work.advance
        )
    write_target(out, parameter_file(throws, fit, engine))
    document: dict[str, Any] = {
        "name": throws.name,
        "engine": engine,
        "throws": fit.throws,
        "seed": seed_json(seed),
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
        "out": str(out),
    }
    if as_json:
        consoles.print_json(document)
        return
    table = consoles.word_table("parameter", ">fit", ">95 %", "unit", ">narrowed by", "from")
    for one in document["parameters"]:
        table.add_row(
            one["name"].replace("_", " "),
            f"{one['value']:.4g}",
            f"{one['low']:.4g} to {one['high']:.4g}",
            one["unit"],
            f"{one['narrowing']:.0%}".replace("%", " %"),
            one["evidence"],
        )
    console = consoles.result_console()
    console.print(table)
    console.print(
        f"{fit.throws} throws of {throws.name} · {engine} {engine_version(engine)} · seed {seed}"
        f" · wrote {out}",
        style="dim",
    )
