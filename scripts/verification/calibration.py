"""Are predictions over the floors of a fit calibrated? `scripts/calibration`.

Simulation-based calibration (Talts et al. 2018): a world is a floor, an error of the law and five
synthetic bodies, all drawn from the priors of `fit`. The counts of four bodies are simulated and
fitted, and the counts of the fifth are predicted. Over many worlds, ranks of the truth are uniform.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from pydantic import TypeAdapter
from scipy.stats import chisquare, norm

from pigglesim.bodies.body import Skin, support_for
from pigglesim.bodies.mesh import convex_hull
from pigglesim.durable_io import make_folder, write_target
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.experiments.counted_dice import CountedDie, DieOutcome, count_law, solid_body
from pigglesim.experiments.fit import PARAMETERS, Emulator, Fit, fit_folder, posterior
from pigglesim.experiments.floor_posterior import (
    MODEL_GRID,
    DiePrediction,
    PlausibleFloor,
    model_throws_of,
    task_at,
)
from pigglesim.experiments.folder import EXACT, SeriesFolder, SeriesKind
from pigglesim.experiments.statistics import binomial, share_of
from pigglesim.experiments.track_fit import fit_throws
from pigglesim.experiments.tracked_throws import (
    DRAWS,
    FollowedThrow,
    FollowTask,
    find_tracked_throws,
    follow_all,
    read_tracked_throws,
)
from pigglesim.rng import generator, sub_seed
from pigglesim.scene.load import load_floor
from scripts.measured_page import markdown_table, write_between

POOL, FITTED = 8, 4
"""Bodies that were dropped on all floors of the design, and those of them that a world counts."""
POINTS, DROPS = 128, 1000
"""Floors of the design, and drops of each body on each."""
THROWS = 2560
"""Drops of a body that is predicted: 20 on each of 128 floors."""
SAMPLES = 20_000
MOST = 6
"""Outcomes of a body at most; the rarest poses are one outcome."""
BINS = 10
FLOOR = load_floor("tabletop")
Rng = np.random.Generator


def synthetic_die(rng: Rng, name: str) -> CountedDie:
    """Return a box, a prism or an irregular polyhedron of random size, not counted yet."""
    kind = rng.integers(3)
    if kind == 0:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points = signs * rng.uniform(5.0, 10.0, 3)
    elif kind == 1:
        sides, half = int(rng.integers(3, 7)), rng.uniform(3.0, 10.0)
        turn = np.arange(sides) * 2.0 * np.pi / sides
        ring = 9.0 * np.column_stack([np.cos(turn), np.sin(turn)])
        points = np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-half, half)])
    else:
        points = rng.normal(size=(10, 3))
        points *= rng.uniform(7.0, 12.0, 3) / np.linalg.norm(points, axis=1)[:, None]
    mesh = convex_hull(points * 1e-3)
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("die",) * len(mesh.faces))
    body = solid_body(name, skin, material="printed", sha256=name)
    support = support_for(body)
    # Poses of one height are one outcome, as the ends of a prism are; rare ones are one, too.
    groups: dict[float, list[int]] = {}
    for pose, rest in enumerate(support.poses):
        groups.setdefault(round(rest.height, 7), []).append(pose)
    shares = support.shares()
    ordered = sorted(groups.values(), key=lambda poses: -sum(shares[pose] for pose in poses))
    rare = [pose for poses in ordered[MOST - 1 :] for pose in poses]
    outcomes = [*ordered[: MOST - 1], *([rare] if rare else [])]
    return CountedDie(
        path=Path(name),
        name=name,
        source="synthetic",
        material="printed",
        body=body,
        sha256=name,
        support=support,
        outcomes=tuple(
            DieOutcome(label=str(number), count=0, poses=tuple(poses))
            for number, poses in enumerate(outcomes)
        ),
        labels_known=True,
        trend_only=False,
    )


def urn(fresh: Sequence[int], throws: int, worth: float, rng: Rng) -> list[int]:
    """Return the outcomes of throws whose law strays from the simulation by `worth` throws.

    Blackwell and MacQueen's urn (1973): counts are Dirichlet-multinomial about the shares of the
    fresh outcomes, which need not be known.
    """
    seen: list[int] = []
    more = iter(fresh)
    for number in range(throws):
        new = next(more, None) if rng.random() * (worth + number) < worth else None
        seen.append(seen[rng.integers(number)] if new is None and seen else new or 0)
    return seen


def counted(die: CountedDie, point: np.ndarray, worth: float, seed: int) -> CountedDie:
    """Return a die with some hundred counts on the floor of a point."""
    rng = generator(seed, "counts", die.name)
    throws = int(rng.integers(300, 700))
    throw = [parameter.factor for parameter in PARAMETERS if parameter.factor]
    at = PlausibleFloor.of_point(point.tolist(), throw, weight=1.0)
    task = task_at(at, die, FLOOR, "truth", engine="impulse", seed=seed)
    tally = task.drop(range(throws)).counts[:-1]
    fresh = rng.permutation(np.repeat(np.arange(len(tally)), tally)).tolist()
    counts = np.bincount(urn(fresh, throws, worth, rng), minlength=len(tally)).tolist()
    outcomes = (
        replace(outcome, count=count) for outcome, count in zip(die.outcomes, counts, strict=True)
    )
    return replace(die, outcomes=tuple(outcomes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Counts of one body, and what was predicted of them."""

    __pydantic_config__ = EXACT

    counts: tuple[int, ...]
    shares: tuple[float, ...]
    worth: float
    within: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One floor, one error of the law, and five bodies."""

    __pydantic_config__ = EXACT

    index: int
    law: float
    """Throws that the law is worth here."""
    found: float
    """Throws that it is found to be worth."""
    ranks: tuple[float, ...]
    """Posterior weight below each parameter of the floor."""
    new: Check
    """The body that was not counted before."""
    left_out: tuple[Check, ...]
    """The counted bodies, each predicted from the others."""


def checked(prediction: DiePrediction, model_throws: float, seed: int) -> Check:
    """Return what the product predicts for a body, and its counts."""
    judged = prediction.judged(model_throws=model_throws, seed=seed)
    assert judged.budget is not None
    return Check(
        counts=judged.counts,
        shares=tuple(share.value for share in judged.predicted),
        worth=judged.budget.throws,
        within=judged.within,
    )


def world_of(plan: Fit, emulators: Sequence[Emulator], index: int) -> World:
    """Draw a world, count four bodies in it, fit them, and predict the fifth."""
    seed = sub_seed(plan.seed, "world", index)
    rng = generator(seed, "world")
    (point,) = plan.ranges.points(rng.uniform(-1.0, 1.0, (1, len(PARAMETERS))))
    law = float(rng.choice(MODEL_GRID))
    chosen = rng.permutation(len(plan.dice))[:FITTED].tolist()
    dice = {k: counted(plan.dice[k], point, law, seed) for k in chosen}
    new = counted(synthetic_die(rng, f"new {index}"), point, law, seed)
    own = replace(plan, seed=seed)

    def predicted(die: CountedDie, others: Sequence[int]) -> tuple[DiePrediction, np.ndarray]:
        known = posterior(
            [emulators[k] for k in others],
            [dice[k] for k in others],
            rng=generator(seed, "fit", die.name),
            samples=SAMPLES,
        )
        weights = np.array([floor.weight for floor in known.floors])
        below = np.array([floor.point < point for floor in known.floors])
        return own.predict(known, die, throws=THROWS, workers=1), weights @ below

    left_out = [predicted(dice[k], [j for j in chosen if j != k])[0] for k in chosen]
    found = model_throws_of(left_out)[0]
    prediction, ranks = predicted(new, chosen)
    return World(
        index=index,
        law=law,
        found=found,
        ranks=tuple(ranks.tolist()),
        new=checked(prediction, found, seed),
        left_out=tuple(
            checked(each, model_throws_of([other for other in left_out if other is not each])[0],
                    seed)
            for each in left_out
        ),
    )  # fmt: skip


_KIND: SeriesKind[dict[str, Any], World] = SeriesKind(
    series="calibration", items="worlds", definition=dict, item=World
)


def worlds_in(out: Path, *, wanted: int, seed: int, points: int, drops: int) -> list[World]:
    """Return the worlds of a folder, after adding those that are missing."""
    rng = generator(seed, "pool")
    pool = tuple(synthetic_die(rng, f"pool {number}") for number in range(POOL))
    plan = Fit(dice=pool, ground=FLOOR, engine="impulse", drops=drops, seed=seed)
    make_folder(out)
    with fit_folder(out / "grid", plan, points=points) as tried:
        tried.play(
            partial(partial, plan.drop_floor),
            wanted=points,
            watch=lambda grown: note(f"{len(grown.items)} of {points} floors"),
        )
        emulators = plan.emulators(tried.items[:points])
        made_of = {**tried.made_of, "floors": points}
    with SeriesFolder(out / "worlds", _KIND, {"seed": seed}, made_of, wanted=wanted) as folder:
        folder.play(
            lambda: partial(world_of, plan, emulators),
            wanted=wanted,
            watch=lambda grown: note(f"{len(grown.items)} of {wanted} worlds"),
        )
        return folder.items[:wanted]


def note(text: str) -> None:
    """Print progress."""
    print(text, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def uniform_p(ranks: Sequence[float]) -> float:
    """Return the p of a chi-square test that ranks are uniform from 0 to 1."""
    counts = np.histogram(ranks, BINS, (0.0, 1.0))[0]
    return float(chisquare(counts).pvalue)


def rank_of(check: Check, outcome: int, rng: Rng) -> float:
    """Return the randomised rank of a count in its predictive law."""
    count, total = check.counts[outcome], sum(check.counts)
    law = count_law(total, check.shares[outcome], check.worth)
    return float(law.cdf(count - 1) + rng.random() * law.pmf(count))


# Faces of tracked throws.


def faces_in(out: Path, tosses: Path, *, seed: int, points: int) -> list[FollowedThrow]:
    """Return every tracked throw, its face predicted by a fit to the other half of the throws."""
    if not (files := find_tracked_throws(tosses)):
        raise SpecError(f"no toss.toml in {tosses}", fix="give a folder of tracked throws")
    throws = read_tracked_throws(files[0])
    make_folder(out)
    followed: list[FollowedThrow] = []
    for half in (0, 1):
        file = out / f"faces-{half}.json"
        if not file.exists():
            note(f"fitting body and surface to half {half + 1} of {throws.name}")
            others = replace(throws, tracks=throws.tracks[half::2])
            fitted = fit_throws(
                others, "impulse", points=points, workers=1, seed=seed, watch=lambda done: None
            )
            task = FollowTask(
                throws=replace(throws, tracks=throws.tracks[1 - half :: 2]),
                parameters=fitted.parameters,
                engine="impulse",
                draws=DRAWS,
                seed=seed,
            )
            found = [one for one in follow_all(task, workers=1) if one]
            write_target(file, _FACES.dump_json(found, indent=1) + b"\n")
        followed += _FACES.validate_json(file.read_bytes())
    return followed


_FACES = TypeAdapter(list[FollowedThrow])
_EDGES = (0.0, 0.02, 0.1, 0.3, 0.7, 0.9, 0.98, 1.0)


def reliability(followed: Sequence[FollowedThrow]) -> tuple[list[dict[str, Any]], float]:
    """Return how often faces came up by their predicted probability, and p.

    p is of the log score: whether it is what the predictions expect of themselves.
    """
    shares = np.array([one.shares for one in followed])
    came = np.eye(6, dtype=bool)[[one.face for one in followed]]
    rows = []
    for low, high in pairwise(_EDGES):
        chosen = (shares >= low) & ((shares < high) | (high == 1.0))
        if chosen.any():
            found = binomial(int(came[chosen].sum()), int(chosen.sum()))
            rows.append({"low": low, "high": high, "predicted": float(shares[chosen].mean()),
                         "came": asdict(found)})  # fmt: skip
    surprise = -np.log(shares)
    expected = (shares * surprise).sum(axis=1)
    variance = (shares * surprise**2).sum(axis=1) - expected**2
    stray = (surprise[came] - expected).sum() / np.sqrt(variance.sum())
    return rows, float(2.0 * norm.sf(abs(stray)))


# The page.


def inside(checks: Sequence[Sequence[bool]]) -> dict[str, Any]:
    """Return the share of outcomes inside their intervals; those of one group are alike."""
    hits = np.array([sum(group) for group in checks])
    return asdict(share_of(hits, np.array([len(group) for group in checks])))


def findings(worlds: Sequence[World], seed: int) -> dict[str, Any]:
    """Return the calibration of some worlds as JSON values."""
    names = [f"{parameter.name} of the floor" for parameter in PARAMETERS]
    ranks = dict(zip(names, np.array([world.ranks for world in worlds]).T, strict=True))
    picked = []
    for world in worlds:
        rng = generator(seed, "rank", world.index)
        picked.append(rank_of(world.new, int(rng.integers(len(world.new.counts))), rng))
    ranks["count of a body not fitted"] = np.array(picked)
    law = np.array([world.law for world in worlds])
    return {
        "worlds": len(worlds),
        "ranks": {name: {"p": uniform_p(of), "counts": np.histogram(of, BINS, (0, 1))[0].tolist()}
                  for name, of in ranks.items()},
        "inside_90": {
            "a body not fitted": inside([world.new.within for world in worlds]),
            "a fitted body, left out": inside(
                [[hit for check in world.left_out for hit in check.within] for world in worlds]
            ),
        },
        "inside_90_by_law": {
            f"{low:,} to {high:,} throws": inside(
                [world.new.within for world, own in zip(worlds, law, strict=True)
                 if low <= own < high]
            )
            for low, high in ((20, 100), (100, 1000), (1000, 100_001))
            if ((law >= low) & (law < high)).any()
        },
    }  # fmt: skip


def percent(share: dict[str, Any]) -> str:
    """Return a share with its 95 % interval."""
    return f"{share['value']:.1%} [{share['low']:.1%}, {share['high']:.1%}]".replace("%", " %")


def text_of(found: dict[str, Any]) -> str:
    """Return the tables of the page."""
    parts = []
    if bodies := found.get("counted"):
        rows = [(name, f"{sum(hits)} of {len(hits)}") for name, hits in bodies["bodies"].items()]
        rows.append(("all", f"{bodies['inside']} of {bodies['of']}: {percent(bodies['share'])}"))
        parts += ["**Counted bodies**, each left out:",
                  markdown_table(("body", "inside 90 %"), rows, align="---")]  # fmt: skip
    if worlds := found.get("synthetic"):
        parts.append(f"**{worlds['worlds']} synthetic worlds.** Counts inside 90 % intervals:")
        rows = [(name, percent(share)) for name, share in worlds["inside_90"].items()]
        rows += [(f"not fitted, law worth {name}", percent(share))
                 for name, share in worlds["inside_90_by_law"].items()]  # fmt: skip
        parts.append(markdown_table(("body", "inside 90 %"), rows, align="---"))
        parts.append("Ranks of the truth, in tenths of the posterior or of the prediction:")
        rows = [
            (name, ", ".join(map(str, each["counts"])), f"{each['p']:.2f}")
            for name, each in worlds["ranks"].items()
        ]
        parts.append(markdown_table(("truth", "worlds by rank", "p"), rows, align="---"))
    if faces := found.get("faces"):
        parts.append(
            f"**Faces of {faces['throws']} tracked throws**, by a fit to the other half. The log "
            f"score is what the predictions expect of themselves with p = {faces['p']:.2f}."
        )
        rows = [
            (f"{row['low']:g} to {row['high']:g}", f"{row['predicted']:.3f}",
             f"{row['came']['trials']:,}",
             f"{row['came']['value']:.3f} [{row['came']['low']:.3f}, {row['came']['high']:.3f}]")
            for row in faces["reliability"]
        ]  # fmt: skip
        heads = ("predicted probability", "mean", "faces", "share that came up")
        parts.append(markdown_table(heads, rows, align="---"))
    return "\n\n".join(parts)


def counted_bodies(file: Path) -> dict[str, Any]:
    """Return the counted shares inside 90 % intervals of the JSON of `pigglesim fit`."""
    try:
        bodies = {
            row["name"]: row["within_90"] for row in json.loads(file.read_bytes())["left_out"]
        }
        hits = [[bool(hit) for hit in row] for row in bodies.values()]
        share = binomial(sum(map(sum, hits)), sum(map(len, hits)))
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as fault:
        raise SpecError(
            f"no bodies left out in {file} ({type(fault).__name__})",
            fix="pigglesim fit DIR --out FOLDER --json > FILE",
        ) from None
    return {"bodies": bodies, "inside": round(share.value * share.trials), "of": share.trials,
            "share": asdict(share)}  # fmt: skip


APP = typer.Typer(add_completion=False)


@APP.command()
def main(
    out: Annotated[Path, typer.Argument(help="Folder that saves the progress.")],
    worlds: Annotated[int, typer.Option(min=0, max=100_000, help="Synthetic worlds.")] = 200,
    fit: Annotated[
        Path | None, typer.Option(help="JSON of `pigglesim fit` of counted bodies.")
    ] = None,
    tosses: Annotated[Path | None, typer.Option(help="Folder with a toss.toml.")] = None,
    points: Annotated[int, typer.Option(min=64, help="Floors of the design.")] = POINTS,
    drops: Annotated[int, typer.Option(min=100, help="Drops per body and floor.")] = DROPS,
    track_points: Annotated[
        int, typer.Option(min=100, help="Points per half of the tosses.")
    ] = 1500,
    seed: Annotated[int, typer.Option(help="Root seed.")] = 1,
    write: Annotated[Path | None, typer.Option(help="Page whose tables are replaced.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that predictions over the floors of a fit are calibrated.

    Ctrl-C keeps all finished worlds; the same command resumes.
    """
    try:
        found: dict[str, Any] = {}
        if fit:
            found["counted"] = counted_bodies(fit)
        if worlds:
            made = worlds_in(out, wanted=worlds, seed=seed, points=points, drops=drops)
            found["synthetic"] = findings(made, seed)
        if tosses:
            followed = faces_in(out, tosses, seed=seed, points=track_points)
            rows, p = reliability(followed)
            found["faces"] = {"throws": len(followed), "reliability": rows, "p": p}
        if write:
            write_between(write, "scripts/calibration", text_of(found))
    except PigglesimError as fault:
        print(f"calibration: {fault}", file=sys.stderr)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        print(f"\nstopped; progress is saved in {out}: repeat the command", file=sys.stderr)
        raise typer.Exit(130) from None
    print(json.dumps(found, indent=1) if as_json else text_of(found))


if __name__ == "__main__":
    APP()
