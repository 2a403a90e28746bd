"""Posterior of a fit: weighted floors, and predictions over all of them.

The true floor is one of a plausible set, and not the mean of the set. A prediction throws on all of
them. Its `ErrorBudget` has the errors of counting, of the floors, and of the laws.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pigglesim.data_files import fit_file, fit_names, floor_names
from pigglesim.durable_io import write_target
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.counted_dice import (
    CountedDie,
    DropTally,
    DropTask,
    ErrorBudget,
    JudgedDie,
    drop_all,
    drop_task,
    judge,
)
from pigglesim.experiments.factors import ThrowKind, release_of
from pigglesim.files import FileKind, read_json, validated
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Contact, Floor, Scene
from pigglesim.throws import DRAW_BLOCK

Place = TypeVar("Place", bound=Floor | Scene)

POSTERIOR_FILE = "floors.json"
"""File of a fit's folder that holds its weighted floors."""
_KIND = FileKind(name="fit", max_bytes=1024**2)
_MIN_DROPS = 20
"""Drops on each of all floors that suffice to distinguish the floors from noise of counting."""
MODEL_GRID = np.geomspace(20.0, 1e5, 200)
"""Throws that a law may be worth: from one that is right to a quarter of a share to a sure one."""

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Exact(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PlausibleFloor(_Exact):
    """One floor and drop, and the posterior probability that it has."""

    weight: Annotated[float, Field(gt=0.0, le=1.0)]
    friction: Annotated[float, Field(ge=0.0, le=5.0)]
    restitution: Annotated[float, Field(ge=0.0, le=1.0)]
    rolling_lever_mm: Annotated[float, Field(ge=0.0, le=50.0)]
    throw: dict[str, Finite]
    """Levels of the fitted factors of the throw, by name."""

    @classmethod
    def of_point(
        cls, point: Sequence[float], throw: Sequence[str], *, weight: float
    ) -> "PlausibleFloor":
        """Return the floor of a point: friction, restitution, lever, and the named levels."""
        friction, restitution, lever, *levels = point
        return cls(
            weight=weight,
            friction=friction,
            restitution=restitution,
            rolling_lever_mm=lever,
            throw=dict(zip(throw, levels, strict=True)),
        )

    @property
    def point(self) -> Array:
        """The floor's parameters, in the order and units of `fit.PARAMETERS`."""
        surface = self.friction, self.restitution, self.rolling_lever_mm
        return np.array([*surface, *self.throw.values()])

    def at(self, place: Place, kind: ThrowKind) -> Place:
        """Return a floor with this throw and surface, or a table whose board has this surface.

        All materials of a floor have the one surface. A table has its own hand: a pour has nothing
        of the throw of a single die.
        """
        contact = Contact(friction=self.friction, restitution=self.restitution)
        lever = self.rolling_lever_mm * 1e-3
        changed: dict[str, Any]
        if isinstance(place, Scene):
            changed = {"contacts": replace(place.contacts, board=contact, rolling_lever=lever)}
        else:
            changed = {
                "fall": release_of(kind, place, self.throw),
                "surfaces": {
                    material: replace(surface, contact=contact, rolling_lever=lever)
                    for material, surface in place.surfaces.items()
                },
            }
        return replace(place, **changed)


def task_at(
    at: PlausibleFloor, die: CountedDie, ground: Floor, name: str, *, engine: str, seed: int
) -> DropTask:
    """Return the throws of a die on a floor; throws of another `name` have other random numbers."""
    task = drop_task(die, at.at(ground, die.kind), engine=engine, seed=seed)
    return replace(task, name=f"{die.name}, {name}", fall=die.release(ground, at.throw))


def tasks_on(
    floors: Sequence[PlausibleFloor], die: CountedDie, ground: Floor, *, engine: str, seed: int
) -> list[DropTask]:
    """Return the drops of a die on each of some floors."""
    return [
        task_at(floor, die, ground, f"plausible floor {k}", engine=engine, seed=seed)
        for k, floor in enumerate(floors)
    ]


class FloorPosterior(_Exact):
    """Floors that agree with counted throws, by weight, and how far their law is to be trusted."""

    ground: str
    """Floor that gives everything which was not fitted."""
    ground_sha256: str
    fitted_to: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names of the bodies."""
    materials: Annotated[tuple[str, ...], Field(min_length=1)]
    """Their materials: the surfaces that were fitted."""
    kind: ThrowKind
    """Kind of throw that was fitted."""
    model_throws: Annotated[float, Field(gt=0.0)]
    """Counted throws that say as much about a share as the law."""
    floors: Annotated[tuple[PlausibleFloor, ...], Field(min_length=1, max_length=1024)]

    @model_validator(mode="after")
    def _weighted(self) -> "FloorPosterior":
        total = sum(floor.weight for floor in self.floors)
        if abs(total - 1.0) > 1e-6:
            raise ValueError(f"weights that add up to 1, not to {total:g}")
        if len({frozenset(floor.throw) for floor in self.floors}) > 1:
            raise ValueError("the same parameters of the throw for each floor")
        return self

    @property
    def weights(self) -> Array:
        """Weight of each floor, shape [floor_count]."""
        return np.array([floor.weight for floor in self.floors])

    def expect_fit(self, ground: Floor, dice: Sequence[CountedDie]) -> None:
        """Check that the floor below a fit has not changed since, and that it is of such dice.

        Raises:
            SpecError: If the floor has changed, or a die is of another material.
        """
        for die in dice:
            if die.kind is not self.kind:
                raise SpecError(
                    f"the fit is of a {self.kind}, {die.name} was thrown as a {die.kind}",
                    fix=f"add --kind {self.kind}, or use another fit",
                )
            if die.material not in self.materials:
                raise SpecError(
                    f"the fit is of {' and '.join(self.materials)} bodies, {die.name} is of "
                    f"{die.material}",
                    fix="validate bodies of its materials alone, or on one floor",
                )
        self.expect_ground(ground)

    def expect_ground(self, ground: Floor) -> None:
        """Raise SpecError if the floor below a fit has changed since."""
        if self.ground_sha256 != ground.sha256:
            raise SpecError(
                f"the floor {self.ground} has changed since the fit",
                fix="fit again: pigglesim fit DIR --out FOLDER",
            )

    def write(self, path: Path) -> None:
        """Write the floors to a file, completely or not at all."""
        write_target(path, self.model_dump_json(indent=1) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """One floor, or all the floors of a fit by weight: where dice are thrown."""

    name: str
    """Name or path, as the user gave it."""
    id: str
    """Name without a path."""
    sha256: str
    """Digest of everything that makes the floors what they are."""
    ground: Floor
    """The one floor, or the one below a fit, which gives everything that was not fitted."""
    known: FloorPosterior | None = None
    """The fit; None for one floor."""

    @classmethod
    def of(cls, name: str) -> "Floors":
        """Return the floor of a name or a file, or the floors of a fit: its name, folder or file.

        Raises:
            SpecError: If there is none, a file is faulty, or the ground has changed since the fit.
        """
        if not is_fit(name):
            ground = load_floor(name)
            return cls(name=name, id=ground.id, sha256=ground.sha256, ground=ground)
        known = read_posterior(
            Path(name) / POSTERIOR_FILE if Path(name).is_dir() else fit_file(name)
        )
        ground = load_floor(known.ground)
        known.expect_ground(ground)
        for floor in known.floors:
            floor.at(ground, known.kind)  # raises where a level of the throw cannot be
        digest = hashlib.sha256(known.model_dump_json().encode()).hexdigest()
        plain = Path(name).resolve().stem
        return cls(name=name, id=plain, sha256=digest, ground=ground, known=known)

    @property
    def weights(self) -> Array:
        """Weight of each floor, shape [floor_count]."""
        return self.known.weights if self.known else np.ones(1)

    @property
    def model_throws(self) -> float:
        """Counted throws that would be as exact as the law; infinite for one floor."""
        return self.known.model_throws if self.known else inf

    def places(self, place: Place) -> list[Place]:
        """Return a floor or a table with the surface of each of the floors, in their order."""
        if self.known is None:
            return [place]
        return [floor.at(place, self.known.kind) for floor in self.known.floors]

    def tasks(self, die: CountedDie, *, engine: str, seed: int) -> list[DropTask]:
        """Return the drops of a die on each of the floors."""
        if self.known is None:
            return [drop_task(die, self.ground, engine=engine, seed=seed)]
        return tasks_on(self.known.floors, die, self.ground, engine=engine, seed=seed)

    def judged(self, die: CountedDie, tallies: Sequence[DropTally], *, seed: int) -> JudgedDie:
        """Return how well drops of a die on each of the floors predict its counts."""
        if self.known is None:
            return judge(die, tallies[0], seed=seed)
        prediction = DiePrediction(die=die, tallies=tallies, weights=self.weights)
        return prediction.judged(model_throws=self.model_throws, seed=seed)

    def expect_kind(self, kind: ThrowKind) -> None:
        """Raise SpecError if the floors of a fit were found by another kind of throw."""
        if self.known is not None and self.known.kind is not kind:
            raise SpecError(
                f"the fit {self.id} is of a {self.known.kind}, not of a {kind}",
                fix="use a fit of such throws",
            )

    def drawn(self, trials: range, *, seed: int) -> Indices:
        """Return the number of the floor of each trial, drawn by weight.

        It is a function of the trial and the seed alone. Trials are drawn in blocks, as drops are.
        """
        first, last = trials.start // DRAW_BLOCK, (trials.stop - 1) // DRAW_BLOCK
        weights = self.weights / self.weights.sum()
        blocks = [
            generator(seed, "floor", block).choice(len(weights), DRAW_BLOCK, p=weights)
            for block in range(first, last + 1)
        ]
        drawn: Indices = np.concatenate(blocks)[trials.start - first * DRAW_BLOCK :]
        return drawn[: len(trials)]


def is_fit(name: str) -> bool:
    """Return whether a name is that of a fit, its folder or its file, and not of one floor.

    Raises:
        SpecError: If it is neither, nor a path.
    """
    known = {*floor_names(), *fit_names()}
    if name in fit_names() or name.endswith(".json") or Path(name).is_dir():
        return True
    if name not in known and not name.endswith(".toml") and "/" not in name:
        raise unknown_name("floor", name, known)
    return False


def read_posterior(path: Path) -> FloorPosterior:
    """Return the floors that a fit wrote into its folder.

    Raises:
        SpecError: If there are none, or the file is faulty.
    """
    return validated(
        FloorPosterior.model_validate_json,
        read_json(path, _KIND),
        expected=f"the floors of a fit in {path.name}",
        fix="fit again: pigglesim fit DIR --out FOLDER",
    )


def drawn_floors(
    points: Array, weights: Array, *, throw: Sequence[str], count: int
) -> list[PlausibleFloor]:
    """Return floors that stand for a weighted cloud of points.

    Systematic resampling (Kitagawa 1996): a point is taken as many times as one of `count` evenly
    spaced levels of the cumulated weights falls on it.

    Args:
        points: Shape [point_count, parameter_count], in the units of `fit.PARAMETERS`.
        weights: Shape [point_count]; they add up to 1.
        throw: Names of the factors of the throw.
        count: Number of levels; the floors are at most as many.
    """
    levels = (np.arange(count) + 0.5) / count
    taken = np.minimum(np.searchsorted(np.cumsum(weights), levels), len(weights) - 1)
    chosen, times = np.unique(taken, return_counts=True)
    return [
        PlausibleFloor.of_point(point, throw, weight=many / count)
        for many, point in zip(times.tolist(), points[chosen].tolist(), strict=True)
    ]


def budget_of(tallies: Sequence[DropTally], weights: Array, *, model_throws: float) -> ErrorBudget:
    """Return the error budget of shares dropped on several floors.

    The variance between floors is that of their observed shares without that of their counting,
    as a ratio to p (1 - p), pooled over the outcomes (method of moments).

    Args:
        tallies: Drops on each floor.
        weights: Weight of each floor; they add up to 1.
        model_throws: Counted throws that the law is worth.
    """
    counts = np.array([tally.counts[:-1] for tally in tallies], dtype=float)
    drops = counts.sum(axis=1)
    shares = counts / drops[:, None]
    mean = weights @ shares
    seen = weights @ (shares - mean) ** 2 / max(1.0 - float(weights @ weights), 1e-9)
    noise = weights @ (shares * (1.0 - shares) / (drops - 1.0)[:, None])
    between = max(0.0, float((seen - noise).sum() / (mean * (1.0 - mean)).sum()))
    return ErrorBudget(
        # The mean over weighted floors has counted so many throws.
        counting=float(weights**2 @ (1.0 / drops)),
        between=between if len(tallies) > 1 else 0.0,
        model=1.0 / model_throws,
    )


def mean_shares(tallies: Sequence[DropTally], weights: Array) -> Array:
    """Return the shares of the outcomes over weighted floors, shape [outcome_count]."""
    counts = np.array([tally.counts[:-1] for tally in tallies], dtype=float)
    shares: Array = weights @ (counts / counts.sum(axis=1, keepdims=True))
    return shares


def drops_each(throws: int, floors: Sequence[PlausibleFloor]) -> int:
    """Return the drops on each floor that make at least so many throws."""
    return max(-(-throws // len(floors)), _MIN_DROPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiePrediction:
    """Drops of a die on weighted floors that other bodies support."""

    die: CountedDie
    tallies: Sequence[DropTally]
    """Drops on each floor."""
    weights: Array
    """Weight of each floor; they add up to 1."""

    @classmethod
    def on(
        cls,
        floors: Sequence[PlausibleFloor],
        die: CountedDie,
        ground: Floor,
        *,
        throws: int,
        engine: str,
        seed: int,
        workers: int,
    ) -> "DiePrediction":
        """Drop a die on weighted floors, in all at least `throws` times."""
        tasks = tasks_on(floors, die, ground, engine=engine, seed=seed)
        return cls(
            die=die,
            tallies=drop_all(tasks, drops=drops_each(throws, floors), workers=workers),
            weights=np.array([floor.weight for floor in floors]),
        )

    def judged(self, *, model_throws: float, seed: int) -> JudgedDie:
        """Return how well it predicts the counts, if the law is worth so many throws."""
        return judge(
            self.die,
            reduce(add, self.tallies),
            seed=seed,
            predicted=mean_shares(self.tallies, self.weights),
            budget=budget_of(self.tallies, self.weights, model_throws=model_throws),
        )


def judge_left_out(predictions: Sequence[DiePrediction], *, seed: int) -> list[JudgedDie]:
    """Return how well bodies are predicted from the others, the law's error from the others too."""
    judged = []
    for prediction in predictions:
        others = [each for each in predictions if each is not prediction]
        judged.append(prediction.judged(model_throws=model_throws_of(others)[0], seed=seed))
    return judged


def model_throws_of(predictions: Sequence[DiePrediction]) -> tuple[float, tuple[float, float]]:
    """Return how many throws a law is worth, from bodies that it predicted without their counts.

    The counts of a body are Dirichlet-multinomial about the prediction. The prior is flat in the
    logarithm, from 20 to 100,000 throws; the value is the posterior mean of the law's variance.

    Args:
        predictions: Of each body, on floors that the counts of the others support. Without any,
            the prior's value is returned.

    Returns:
        The number of throws, and its 90 % interval.
    """
    log_likelihood = np.zeros(len(MODEL_GRID))
    for each in predictions:
        counts = np.array(each.die.counts, dtype=float)
        predicted = mean_shares(each.tallies, each.weights)
        budget = budget_of(each.tallies, each.weights, model_throws=inf)
        if not each.die.labels_known:
            counts, predicted = np.sort(counts), np.sort(predicted)
        throws = 1.0 / (budget.counting + budget.between + 1.0 / MODEL_GRID)
        log_likelihood += [float(log_likelihood_of(counts, predicted, each)) for each in throws]
    weights = np.exp(log_likelihood - log_likelihood.max())
    weights /= weights.sum()
    low, high = np.interp((0.05, 0.95), np.cumsum(weights), MODEL_GRID)
    return float(1.0 / (weights @ (1.0 / MODEL_GRID))), (float(low), float(high))


def log_likelihood_of(counts: Array, shares: Array, throws: float) -> Array:
    """Return the log probability of counts under a Dirichlet-multinomial, up to a constant.

    Args:
        counts: Shape [outcome_count].
        shares: Predicted, shape [..., outcome_count]; the result has the shape without the last.
        throws: Throws that the prediction is worth.
    """
    from scipy.special import gammaln  # noqa: PLC0415 (slow to import)

    # Half a throw each, as in `counted_dice.score`, so that no outcome is impossible.
    alpha = throws * (shares * throws + 0.5) / (throws + 0.5 * len(counts))
    terms: Array = gammaln(alpha + counts) - gammaln(alpha)
    total: Array = gammaln(throws) - gammaln(throws + counts.sum()) + terms.sum(axis=-1)
    return total
