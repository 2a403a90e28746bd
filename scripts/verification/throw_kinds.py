"""Which kind of throw counts support: `python -m scripts.verification.throw_kinds SHARED OUT SET`.

Sets, by their names: `coins` (thick coins, .354 and .577 of their diameter thick, about 1,000 flips
each), `d6` (3 % shorter along one axis), `d20` (one tipped by a turning carton), `printed`
(four printed bodies) and `steel` (square prisms). SHARED is the folder of the counts, OUT one that
saves the throws: the same command resumes there. Further words are the kinds to try, by default
all.

Each kind throws the bodies of a set on floors and throws spread evenly over their plausible ranges
(`fit.parameters_of`, the prior). The counts are Dirichlet-multinomial about the simulated shares,
and a law is worth some 340 counted throws (docs/physics/accuracy.md). The marginal likelihood of a
kind is the mean of that likelihood over the prior: by the emulator of `fit`, corrected by throws on
floors drawn from its posterior (importance sampling). Bayes factors are over the drop. Prints
Markdown.
"""

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from pigglesim.bodies.load import load_model
from pigglesim.experiments.counted_dice import CountedDie, counted_dice
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.fit import Fit, fit_folder, parameters_of
from pigglesim.experiments.floor_posterior import PlausibleFloor, log_likelihood_of, task_at
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor
from scripts.verification.steel import STEEL
from scripts.verification.trends import die_of, icosahedron

FLOOR = load_floor("tabletop")
LAW = 340.0
"""Counted throws that a law is worth."""
SHORTER = 0.09
"""Share by which the d6 is shorter: 3 % takes too many throws. Its slope is taken as constant."""
KINDS = {
    "drop": (ThrowKind.DROP, {}),
    "flip": (ThrowKind.FLIP, {}),
    "flip of any start": (ThrowKind.FLIP, {"start": "any"}),
    "roll": (ThrowKind.ROLL, {}),
    "roll against a wall": (ThrowKind.ROLL, {"wall_mm": 200.0}),
    "tower": (ThrowKind.TOWER, {}),
    "tumbler": (ThrowKind.TUMBLER, {}),
}
RANGES = {
    "coins": {"rolling lever": (0.005, 2.0)},
    "steel": {"rolling lever": (0.01, 2.0)},
    "printed": {"length": (100.0, 250.0)},
}
"""Other ranges than those of a fit [mm]: hard smooth bodies roll far, and the printed ones, up to
62 mm across, need a larger box."""
DROPS = 250, 100
"""Throws of each body on each floor of the design, and in the slow tumbler."""
SAMPLES, DRAWN, MOST = 20_000, 48, 300
"""Floors that are weighed by the emulator, and those drawn from them that are thrown on: the most
where the relative error of the evidence would be above `COARSE`."""
COARSE = 0.65


def with_counts(die: CountedDie, counts: list[int]) -> CountedDie:
    """Return a die with other counts."""
    outcomes = [replace(each, count=n) for each, n in zip(die.outcomes, counts, strict=True)]
    return replace(die, outcomes=tuple(outcomes))


def coins() -> Iterator[CountedDie]:
    """Yield the thick coins, with the side as the second outcome."""
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False) + np.pi / 48
    middles = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    rim = np.stack([np.cos(turns), np.sin(turns)], axis=1) * 10.0
    rim = rim @ np.array(
        [[np.cos(turns[0]), np.sin(turns[0])], [-np.sin(turns[0]), np.cos(turns[0])]]
    )
    for thickness, share in ((0.354, 0.132), (0.577, 0.410)):
        points = np.array([[x, y, z] for x, y in rim for z in (-10 * thickness, 10 * thickness)])
        downs = [[np.array([0, 0, 1]), np.array([0, 0, -1])], list(middles)]
        side = round(1000 * share)
        yield with_counts(die_of(f"coin {thickness}", points, downs), [1000 - side, side])


def shortened_d6() -> Iterator[CountedDie]:
    """Yield a shorter d6, with the pair across its short axis as the first outcome.

    Its counts have the slope of 2.0 ± 0.3 (95 %) of several dice.
    """
    corners = load_model("d6").hull.vertices * 1e3 * [1.0, 1.0, 1.0 - SHORTER]
    pair, *others = ([sign * np.eye(3)[axis] for sign in (1, -1)] for axis in (2, 0, 1))
    share, error = (1.0 + 2.0 * SHORTER) / 3.0, 0.3 / 1.96 * SHORTER / 3.0
    throws = round(share * (1.0 - share) / error**2)
    across = round(throws * share)
    yield with_counts(
        die_of("d6", corners, [pair, list(chain(*others))]), [across, throws - across]
    )


def d20s(shared: Path) -> Iterator[CountedDie]:
    """Yield the d20s, with the five pairs of faces that are closest together as one outcome."""
    for row in csv.DictReader((shared / "d20.csv").open(encoding="utf-8")):
        diameters = np.array(row["mm"].split(), float)
        # The one whose faces differ most: its slope alone is clear.
        if len(diameters) != 10 or "crystal" not in row["die"]:
            continue
        relative = sum(np.array(row[name].split(), float) for name in ("p_side_rel", "p_opp_rel"))
        points, pairs = icosahedron(diameters)
        order = np.argsort(diameters)
        downs = [list(chain(*(pairs[k] for k in half))) for half in (order[:5], order[5:])]
        throws, share = int(row["rolls"]), float(relative[order[:5]].sum() / relative.sum())
        counts = [round(throws * share), throws - round(throws * share)]
        yield with_counts(die_of(row["die"], points, downs), counts)


def dice_of(name: str, shared: Path) -> list[CountedDie]:
    """Return the bodies of a set."""
    if name in {"printed", "steel"}:
        dice = [die for die in counted_dice(shared / "dice") if die.material == name]
        return dice[::2] if name == "steel" else dice
    return list({"coins": coins, "d6": shortened_d6, "d20": partial(d20s, shared)}[name]())


def log_likelihood(
    dice: list[CountedDie], shares: list[np.ndarray], throws: float, law: float
) -> float:
    """Return the log probability of all counts, if shares and law are worth so many throws."""
    total = 0.0
    for die, own in zip(dice, shares, strict=True):
        counts, predicted = np.array(die.counts, float), own
        if not die.labels_known:
            counts, predicted = np.sort(counts), np.sort(predicted)
        total += log_likelihood_of(counts, predicted, 1.0 / (1.0 / throws + 1.0 / law))
    return total


@dataclass(frozen=True)
class Tried:
    """What the counts of a set say of a kind of throw."""

    evidence: float
    """Logarithm of the marginal likelihood."""
    error: float
    """Its standard error."""
    shares: list[tuple[float, float]]
    """Mean and standard deviation over the posterior of the first outcome's share, by die."""
    throw: str
    """Posterior mean and two standard deviations of each parameter."""


def tried(name: str, kind: str, dice: list[CountedDie], out: Path) -> Tried:
    """Throw the dice of a set in a kind of throw, and compare."""
    which, throw = KINDS[kind]
    dice = [replace(die, kind=which, throw=throw) for die in dice]
    ranges = STEEL if name == "steel" and kind == "drop" else parameters_of(which)
    other = RANGES.get(name, {})
    ranges = tuple(
        replace(p, low=other[p.name][0], high=other[p.name][1]) if p.name in other else p
        for p in ranges
    )
    # By symmetry a law is exact for equal faces: the error is that of the counts alone.
    alike = name in {"d6", "d20"}
    law = np.inf if alike else LAW
    drops = DROPS[kind == "tumbler"] * (3 if alike else 1)
    plan = Fit(
        dice=tuple(dice), ground=FLOOR, engine="impulse", drops=drops, seed=1,
        parameters=ranges,
    )  # fmt: skip
    wanted = 3 * plan.ranges.features(plan.ranges.design(1, seed=1)).shape[1]
    with fit_folder(out / f"{name}, {kind}", plan, points=wanted) as saved:
        saved.play(lambda: plan.drop_floor, wanted=wanted)
        emulators = plan.emulators(saved.items)
    # The emulator's own posterior, by the same likelihood.
    rng = generator(1, "kinds")
    points = plan.ranges.points(rng.uniform(-1.0, 1.0, (SAMPLES, len(plan.parameters))))
    emulated = [emulator.shares(points) for emulator in emulators]
    logs = np.array(
        [log_likelihood(dice, [own[k] for own in emulated], 1e9, law) for k in range(SAMPLES)]
    )
    weights = np.exp(logs - logs.max())
    log_mean = float(np.log(weights.mean()) + logs.max())
    drawn = rng.choice(SAMPLES, MOST, p=weights / weights.sum())
    ratios, shares = [], []
    for number, k in enumerate(drawn.tolist()):
        at = PlausibleFloor.of_point(points[k].tolist(), plan.ranges.throw, weight=1.0)
        found = []
        for die in dice:
            task = task_at(at, die, FLOOR, f"check {number}", engine="impulse", seed=1)
            counts = np.array(task.drop(range(drops)).counts[:-1]) + 0.5
            found.append(counts / counts.sum())
        ratios.append(log_likelihood(dice, found, drops, law) - logs[k])
        shares.append([own[0] for own in found])
        ratio = np.exp(ratios)
        error = float(ratio.std() / ratio.mean() / len(ratio) ** 0.5)
        if len(ratios) == DRAWN and error < COARSE:
            break
    ratio_weights = ratio / ratio.sum()
    mean = ratio_weights @ np.array(shares)
    spread = np.sqrt(ratio_weights @ (np.array(shares) - mean) ** 2)
    posterior = points[drawn[: len(ratio)]]
    middle, away = ratio_weights @ posterior, np.std(posterior, axis=0)
    return Tried(
        evidence=log_mean + float(np.log(ratio.mean())),
        error=error,
        shares=list(zip(mean.tolist(), spread.tolist(), strict=True)),
        throw=", ".join(
            f"{p.name} {value:.2g} ± {2 * sd:.1g} {p.unit}".strip()
            for p, value, sd in zip(plan.parameters, middle, away, strict=True)
        ),
    )


def main() -> None:
    shared, out, name, *kinds = sys.argv[1:]
    dice = dice_of(name, Path(shared))
    print("Counted:", ", ".join(f"{d.name} {d.counts[0] / sum(d.counts):.3f}" for d in dice))
    print("| throw | ln Bayes factor | predicted, ± 95 % | parameters, ± 95 % |")
    print("|---|---|---|---|")
    base = None
    saved = TypeAdapter(Tried)
    for kind in ["drop", *(kinds or [kind for kind in KINDS if kind != "drop"])]:
        file = Path(out) / f"{name}, {kind}.json"
        if not file.exists():
            file.write_bytes(saved.dump_json(tried(name, kind, dice, Path(out))))
        found = saved.validate_json(file.read_bytes())
        base = base or found
        half = 0.0 if found is base else 1.96 * np.hypot(found.error, base.error)
        shares = ", ".join(f"{mean:.3f} ± {1.96 * sd:.3f}" for mean, sd in found.shares)
        factor = f"{found.evidence - base.evidence:+.1f} ± {half:.1f}"
        print(f"| {kind} | {factor} | {shares} | {found.throw} |", flush=True)


if __name__ == "__main__":
    main()
