"""When throws are decided: `python -m scripts.verification.decided OUT [DIR PARAMS [THROWS]]`.

Drops a Piggle, a d6 and a coin on `tabletop`, and throws the tracked cube of DIR (a toss.toml) with
the parameters of PARAMS (by `pigglesim fit`). Prints the bits left after each bounce and the times
from which outcomes were certain, and writes OUT/decided.svg. Every throw is saved in
OUT/throws.jsonl, so that the same command resumes.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np

from pigglesim.bodies.body import Body, Skin, support_for
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of
from pigglesim.experiments.decided import LEVELS, Copier, decide, thrown
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import entropy_of, mean_of
from pigglesim.experiments.tracked_throws import measure_start, read_parameters, read_tracked_throws
from pigglesim.physics.looks import HandError
from pigglesim.render.figure import (
    axes_at,
    colours_of,
    draw_legend,
    error_bars,
    heading,
    new_figure,
    save_figure,
    simplify_axes,
)
from pigglesim.rotations import Array
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Stepping
from pigglesim.throws import Drop, sample_drops
from scripts.verification.medians import median_of

BOUNCES = 4
BITS = " | ".join(["at the release", "after bounce 1", *map(str, range(2, BOUNCES + 1))])
FACTORS = (0.25, 0.5, 2.0)
"""Other hands, for the Piggle: factors of all errors."""
SIDES = 48
"""Sides of the prism that is the coin."""


def coin_body() -> tuple[Body, list[str]]:
    """Return a coin of 24.26 mm by 1.75 mm, and the class of each of its poses."""
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = 12.13e-3 * np.column_stack([np.cos(angles), np.sin(angles)])
    mesh = convex_hull(np.array([[x, y, z] for x, y in ring for z in (-0.875e-3, 0.875e-3)]))
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("coin",) * len(mesh.faces))
    body = Body(
        model="coin",
        skin=skin,
        hull=hull_of(skin)[0],
        parts=(),
        mass=mass_of(mesh.vertices, mesh.faces, density=8900.0),
        poses=(),
        sha256="coin",
    )
    names = {-1: "heads", 0: "edge", 1: "tails"}
    return body, [names[round(pose.down[2])] for pose in support_for(body).poses]


Throw = tuple[Array, Copier]
"""Looks at a throw, and what copies them."""


def dropped(body: Body, labels: list[str], number: int) -> Throw:
    """Return one drop on the table top."""
    floor = load_floor("tabletop")
    trials = range(number, number + 1)
    (drop,) = sample_drops(floor.fall, body, trials=trials, seed=1, purpose=("drop", "decided"))
    surface, stepping = floor.surface("plastic"), floor.stepping
    copier = Copier(body=body, labels=labels, surface=surface, stepping=stepping)
    return thrown(drop, copier), copier


def tossed(folder: Path, parameters: Path) -> tuple[Callable[[int], Throw], int]:
    """Return what simulates a tracked throw from its measured start, and the number of throws."""
    throws, (fitted, _) = read_tracked_throws(folder / "toss.toml"), read_parameters(parameters)
    starts = [measure_start(track, fitted, throws.frame_time) for track in throws.tracks]
    known = [start for start in starts if start]
    body, step = fitted.body(), throws.frame_time / ceil(throws.frame_time / 0.002)
    copier = Copier(
        body=body,
        labels=[str(number) for number in range(len(support_for(body).poses))],
        surface=fitted.surface,
        stepping=Stepping(time_step=step, rest_time=0.06),
    )

    def throw(number: int) -> Throw:
        start = known[number]
        drop = Drop(
            height=float(start.position[2]),
            rotation=start.rotation,
            velocity=start.velocity,
            angular_velocity=start.angular_velocity,
        )
        return thrown(drop, copier), copier

    return throw, len(known)


def row_of(name: str, factor: float, number: int, throw: Throw) -> dict[str, object]:
    """Return one throw as JSON values: bits after each bounce, times, and the outcome."""
    looks, copier = throw
    decision = decide(looks, copier, error=HandError().times(factor), seed=number)
    bits = [look.bits.value for look in decision.after_bounces()]
    last = decision.looks[-1].bits.value
    return {
        "name": name,
        "factor": factor,
        "number": number,
        "outcome": decision.outcome,
        "bits": (bits + [last] * BOUNCES)[: BOUNCES + 1],
        "times": [decision.certain_from(level).time for level in LEVELS],
        "end": decision.end,
    }


def median(values: list[float]) -> str:
    """Return the median [ms] with its 95 % interval."""
    found = median_of(values)
    return f"{1e3 * found.value:.0f} [{1e3 * found.low:.0f}, {1e3 * found.high:.0f}]"


def rows_of(done: dict[tuple, dict], name: str, factor: float = 1.0) -> list[dict]:
    """Return the throws of a body, in their order."""
    return [
        row for (body, errors, _), row in sorted(done.items()) if (body, errors) == (name, factor)
    ]


def bits_of(rows: list[dict]) -> list[str]:
    """Return the mean bits at the release and after each bounce, with intervals."""
    return [str(mean_bits(rows, k)) for k in range(BOUNCES + 1)]


def mean_bits(rows: list[dict], bounces: int) -> Interval:
    """Return the mean bits after some bounces; no bits are negative."""
    mean = mean_of([row["bits"][bounces] for row in rows])
    return replace(mean, low=max(mean.low, 0.0))


def draw(rows: dict[str, list[dict]], file: Path) -> None:
    """Draw the mean bits after each bounce, and the share of throws still open over time."""
    figure, colours = new_figure(9.2, 3.7), colours_of(rows)
    heading(figure, "When a throw is decided")
    draw_legend(figure, [(name, colours[name]) for name in rows], down=0.5)
    left, right = (axes_at(figure, 0.55 + 4.55 * panel, 0.6, 3.8, 2.1) for panel in (0, 1))
    for shift, (name, throws) in enumerate(rows.items()):
        means = [mean_bits(throws, k) for k in range(BOUNCES + 1)]
        left.errorbar(
            np.arange(BOUNCES + 1) + 0.06 * shift - 0.09, [mean.value for mean in means],
            yerr=error_bars(means), color=colours[name], marker="o", markersize=4, capsize=2,
        )  # fmt: skip
        times = np.sort([row["times"][1] for row in throws])
        still = 1.0 - np.arange(len(times) + 1) / len(times)
        right.step([0.0, *times], still, where="post", color=colours[name])
    for axes, title, label in (
        (left, "bits left, mean and 95 %", "bounces so far"),
        (right, "share of throws less than 90 % certain", "time after the first look [s]"),
    ):
        simplify_axes(axes)
        axes.set_ylim(0.0)
        axes.set_title(title, loc="left", fontsize=9)
        axes.set_xlabel(label, fontsize=9)
    right.set_xlim(0.0, 0.4)
    save_figure(figure, file)


def main() -> None:
    """Throw, print the tables and draw."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    tasks: list[tuple[str, float, Callable[[int], Throw], int]] = []
    for name in ("piggle", "d6"):
        body = load_model(name)
        drop = partial(dropped, body, [pose.label for pose in body.poses])
        tasks.append((name, 1.0, drop, count))
    tasks.append(("coin", 1.0, partial(dropped, *coin_body()), count))
    if len(sys.argv) > 3:
        toss, tracked = tossed(Path(sys.argv[2]), Path(sys.argv[3]))
        tasks.append(("tracked cube", 1.0, toss, min(tracked, count)))
    tasks += [("piggle", factor, tasks[0][2], count) for factor in FACTORS]
    file = out / "throws.jsonl"
    saved = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(row["name"], row["factor"], row["number"]): row for row in saved}
    with file.open("a") as lines:
        for name, factor, throw, throws in tasks:
            for number in range(throws):
                if (name, factor, number) not in done:
                    row = row_of(name, factor, number, throw(number))
                    done[name, factor, number] = row
                    print(json.dumps(row), file=lines, flush=True)
    print(f"| body | entropy of the outcomes | {BITS} |\n|---|---{'|---' * (BOUNCES + 1)}|")
    usual = {name: rows_of(done, name) for name, factor, _, _ in tasks if factor == 1.0}
    for name, rows in usual.items():
        counts = np.unique([row["outcome"] for row in rows], return_counts=True)[1].tolist()
        known = entropy_of(counts, rng=np.random.default_rng(1))
        print("|", " | ".join([name, str(known), *bits_of(rows)]), "|")
    print("\n| body | 50 % | 90 % | 99 % | by energy |\n|---|---|---|---|---|")
    for name, rows in usual.items():
        times = [[row["times"][k] for row in rows] for k in range(len(LEVELS))]
        print(
            "|", " | ".join([name, *map(median, times), median([row["end"] for row in rows])]), "|"
        )
    print(f"\n| errors | {BITS} | 99 % certain |\n|---|---{'|---' * (BOUNCES + 1)}|")
    for factor in sorted((*FACTORS, 1.0)):
        rows = rows_of(done, "piggle", factor)
        cells = [f"{factor:g}", *bits_of(rows), median([row["times"][-1] for row in rows])]
        print("|", " | ".join(cells), "|")
    draw(usual, out / "decided.svg")


if __name__ == "__main__":
    main()
