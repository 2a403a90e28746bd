"""Do intervals of fits to tracked throws hold the truth?

    python -m scripts.verification.tracked_coverage OUT SETS [THROWS [POINTS]] [--write PAGE]

Each set has its own cube, and throws whose friction and restitution scatter by 10 %. The whole fit
measures the body and follows the throws; only the scatter itself is not fitted, to save time. OUT
has a line for each set: the same command resumes. Prints the table, or writes it into a page.
"""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.experiments import track_fit
from pigglesim.experiments.statistics import Share, binomial, share_of
from pigglesim.experiments.tracked_throws import (
    ThrowParameters,
    Track,
    TrackedThrows,
    TrackStart,
    TrackThrower,
)
from pigglesim.rng import generator
from pigglesim.rotations import random_quaternion
from scripts.measured_page import markdown_table, write_between

COMMAND = "python -m scripts.verification.tracked_coverage"
FRAME = 1.0 / 148.0
SIDE, MASS = 0.1, 0.37
SCATTER = 0.1
_FRAMES = 70
Rng = np.random.Generator


def thrown(
    parameters: ThrowParameters, throws: int, rng: Rng, *, noise: float = 3e-5, scatter: float = 0.0
) -> TrackedThrows:
    """Return tracked throws of a cube, with errors of the tracking [m]."""
    tracks = []
    for number in range(throws):
        start = TrackStart(
            first_frame=0,
            frame=0,
            position=np.array([0.0, 0.0, 0.22]),
            velocity=np.array([*rng.uniform(-1.0, 1.0, 2), -1.5]),
            rotation=random_quaternion(rng=rng),
            angular_velocity=rng.normal(0.0, 4.0, 3),
            covariance=np.eye(2),
            position_noise=0.0,
            rotation_noise=0.0,
        )
        own = parameters
        if scatter:
            friction, sliding, restitution = np.maximum(1.0 + scatter * rng.normal(size=3), 0.3)
            own = replace(
                parameters,
                friction=parameters.friction * friction,
                sliding_friction=(parameters.sliding_friction or parameters.friction) * sliding,
                restitution=parameters.restitution * restitution,
            )
        positions, rotations = TrackThrower(own, "impulse", FRAME).throw(start, _FRAMES)
        noisy = positions + rng.normal(0.0, noise, positions.shape)
        tracks.append(Track(number=number, positions=noisy, rotations=rotations))
    return TrackedThrows(
        name="cube",
        side=parameters.side,
        mass=parameters.mass,
        frame_time=FRAME,
        tracks=tuple(tracks),
    )


def drawn_cube(rng: Rng) -> ThrowParameters:
    """Return a cube with a body and a surface from wide ranges."""
    friction = float(rng.uniform(0.12, 0.4))
    solid = MASS * SIDE**2 / 6.0
    x, y, z = rng.normal(0.0, 0.003, 3).tolist()
    along, across, up = (solid * rng.uniform(1.05, 1.5, 3)).tolist()
    return ThrowParameters(
        side=SIDE,
        mass=MASS,
        centre=(x, y, z),
        inertia=(along, across, up),
        rounding=float(rng.uniform(0.002, 0.006)),
        friction=friction,
        sliding_friction=friction * float(rng.uniform(1.0, 1.4)),
        restitution=float(rng.uniform(0.2, 0.4)),
        impact_stages=track_fit.STAGES,
    )


def fitted(number: int, throws: int, points: int) -> dict[str, Any]:
    """Return the truth of a set by parameter, and the ends of its interval."""
    rng = generator(1, "tracked coverage", number)
    cube = drawn_cube(rng)
    tracked = thrown(cube, throws, rng, scatter=SCATTER)
    with patch.object(track_fit, "_with_scatter", lambda fit, *_args, **_words: fit):
        fit = track_fit.fit_throws(
            tracked, "impulse", points=points, workers=1, seed=number, watch=lambda _: None
        )
    known = asdict(cube)
    for k, axis in enumerate("xyz"):
        known |= {f"centre_{axis}": cube.centre[k], f"inertia_{axis}": cube.inertia[k]}
    truth = {one.name: known[one.name] / one.scale for one in fit.names}
    ends = zip(fit.low.tolist(), fit.high.tolist(), strict=True)
    return {"number": number, "throws": throws, "points": points, "truth": truth,
            "ends": dict(zip(truth, ends, strict=True))}  # fmt: skip


def coverage(sets: list[dict[str, Any]]) -> list[tuple[str, Share]]:
    """Return how many intervals hold the truth, by parameter, and of all."""
    hits = np.array(
        [[low <= one["truth"][name] <= high for name, (low, high) in one["ends"].items()]
         for one in sets],
        dtype=np.int64,
    )  # fmt: skip
    rows = [(name, binomial(int(own.sum()), len(own)))
            for name, own in zip(sets[0]["ends"], hits.T, strict=True)]  # fmt: skip
    return [*rows, ("all", share_of(hits.sum(axis=1), hits.shape[1]))]


def sets_in(out: Path, throws: int, points: int) -> list[dict[str, Any]]:
    """Return the saved sets of a file, none if it does not exist.

    Raises:
        SpecError: If they have other numbers of throws or points.
    """
    sets = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    for one in sets:
        if (one["throws"], one["points"]) != (throws, points):
            raise SpecError(
                f"{out} has sets of {one['throws']} throws and {one['points']} points",
                expected=f"{throws} and {points}",
                fix="use another OUT, or the same numbers",
            )
    return sets


def table(sets: list[dict[str, Any]]) -> str:
    """Return how many intervals hold the truth, as Markdown."""
    rows = []
    for name, share in coverage(sets):
        held = f"{round(share.value * share.trials)} of {share.trials}"
        bounds = f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]".replace("%", " %")
        rows.append((name.replace("_", " "), held, bounds))
    head = ("parameter", "intervals that hold the truth", "share")
    return markdown_table(head, rows)


def main() -> None:
    parser = ArgumentParser(prog=COMMAND)
    parser.add_argument("out", type=Path, metavar="OUT")
    for name, default in (("sets", None), ("throws", 30), ("points", 300)):
        nargs = None if default is None else "?"
        parser.add_argument(name, type=int, metavar=name.upper(), nargs=nargs, default=default)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    asked = parser.parse_args()
    try:
        sets = sets_in(asked.out, asked.throws, asked.points)
    except SpecError as fault:
        sys.exit(f"tracked_coverage: {fault}")
    for number in range(len(sets), asked.sets):
        sets.append(fitted(number, asked.throws, asked.points))
        with asked.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(sets[-1]) + "\n")
        print(f"{len(sets)} of {asked.sets} sets", file=sys.stderr)
    measured = datetime.fromtimestamp(asked.out.stat().st_mtime, UTC).date()
    text = f"{table(sets)}\n\nMeasured on {measured}."
    if asked.write:
        write_between(asked.write, COMMAND, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
