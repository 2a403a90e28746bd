"""Counted bodies: their counts against drops, and floors fitted to them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

from pigglesim.arguments import JsonResult, StoppableResult, checked
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.counted_dice import (
    CountedDie,
    DropTask,
    JudgedDie,
    counted_dice,
    drop_all,
    drops_for,
    weak_p,
)
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.fit import Emulator, Fit, FitPosterior, fit_folder, posterior
from pigglesim.experiments.floor_posterior import (
    POSTERIOR_FILE,
    DiePrediction,
    FloorPosterior,
    Floors,
    drops_each,
    judge_left_out,
    model_throws_of,
)
from pigglesim.experiments.printing import SealedScore, sealed_score
from pigglesim.limits import POINTS, Limits
from pigglesim.physics.drop import DropEnding
from pigglesim.physics.engines import engine_version, fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, generator, root_seed, seed_json
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor

THROWS = Limits(100, 10**8)
"""Drops of a body that predict its counts."""
DROPS = Limits(100, 10**6)
"""Drops of a body on each of them."""


def known_kind(name: str | None) -> ThrowKind | None:
    """Return a kind of throw of a single die by its name; None for None.

    Raises:
        SpecError: If there is none of this name.
    """
    kinds = [each for each in ThrowKind if each.single]
    if name is not None and name not in kinds:
        raise unknown_name("kind of throw of a single die", name, kinds)
    return None if name is None else ThrowKind(name)


def _dice_in(folder: str | PathLike[str], kind: str | None) -> list[CountedDie]:
    """Return the counted dice below a folder; `kind` is the kind of throw of all, if given."""
    return counted_dice(Path(folder), kind=known_kind(kind))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Validation(StoppableResult):
    """Counts of bodies compared with drops, and with the predictions sealed before the counts."""

    bodies: tuple[JudgedDie, ...]
    """Counts and prediction of each body whose drops have begun; none if it was stopped before."""
    sealed: tuple[SealedScore | None, ...] = field(repr=False)
    """Score of the sealed prediction of each of them; None without one."""
    floors: Floors = field(repr=False)
    """Floor, or the floors of a fit."""
    materials: tuple[str, ...]
    """Materials of all bodies."""
    throws: int
    """Drops per body that were requested."""
    drops: int
    """Drops that were made, of all bodies together."""
    wanted: int
    """Drops that all bodies need."""
    engine: str
    seed: int

    @property
    def _progress(self) -> tuple[int, int, str]:
        return self.drops, self.wanted, "drops"

    def document(self) -> dict[str, Any]:
        """Return the comparison as JSON values; units are in the names."""
        seals = {
            f"the sealed prediction of {verdict.die.name}": (seal.drops, sum(verdict.counts))
            for verdict, seal in zip(self.bodies, self.sealed, strict=True)
            if seal is not None
        }
        known = self.floors.known
        return {
            "engine": self.engine,
            "engine_version": engine_version(self.engine),
            "seed": seed_json(self.seed),
            "stopped": not self.finished,
            "unfinished": self.unfinished or None,
            "parameters": _parameters(self.floors.ground, self.materials),
            "fit": known.model_dump() if known else None,
            "throws": self.throws,
            "weak_p": weak_p(_drops(self.bodies) | seals) or None,
            "bodies": [
                _body(verdict) | {"sealed": asdict(seal) if seal else None}
                for verdict, seal in zip(self.bodies, self.sealed, strict=True)
            ],
            "deficit_sum": sum(
                verdict.score.deficit for verdict in self.bodies if not verdict.die.trend_only
            ),
        }

    def __repr__(self) -> str:
        bodies = (f"{each.die.name} p {each.score.p:.3f}" for each in self.bodies)
        return f"Validation({', '.join(bodies)}; {self.floors.id}; seed {self.seed})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValidationPlan:
    """Bodies and floors of a validation, read and checked before the first drop."""

    dice: Sequence[CountedDie]
    sealed: Sequence[SealedScore | None]
    """Score of the sealed prediction of each body; None without one."""
    floors: Floors
    tasks: Sequence[DropTask]
    """Drops of each body on each floor."""
    throws: int
    """Drops per body that were requested."""
    drops: int
    """Drops per body and floor."""
    engine: str
    seed: int

    @classmethod
    def of(
        cls,
        folder: str | PathLike[str],
        *,
        throws: int | None,
        floor: str,
        kind: str | None,
        seed: int,
        engine: str,
    ) -> Self:
        """Read the bodies and the floors; the arguments are those of `validate`."""
        chosen = Floors.of(floor)
        dice = _dice_in(folder, kind)
        engine_version(engine)  # raises if it is not installed
        count = each = drops_for(dice) if throws is None else int(throws)
        sealed = tuple(sealed_score(die, chosen.id, seed=seed) for die in dice)
        if chosen.known:
            chosen.known.expect_fit(chosen.ground, dice)
            each = drops_each(count, chosen.known.floors)
        tasks = [task for die in dice for task in chosen.tasks(die, engine=engine, seed=seed)]
        for code in {die.kind.work for die in dice}:
            compile_for(code, engine=engine)
        return cls(
            dice=dice,
            sealed=sealed,
            floors=chosen,
            tasks=tasks,
            throws=count,
            drops=each,
            engine=engine,
            seed=seed,
        )

    def dropped(self, *, workers: int, progress: Callable[[int, int], object] | None) -> Validation:
        """Drop the bodies until all drops are made or Ctrl-C ends them, and compare them."""
        wanted, size = self.drops * len(self.tasks), len(self.floors.weights)
        tallies = drop_all(
            self.tasks,
            drops=self.drops,
            workers=workers,
            watch=lambda made: progress and progress(made, wanted),
            stoppable=True,
        )
        # Only dice whose drops have begun on every floor.
        begun = len(tallies) // size
        return Validation(
            bodies=tuple(
                self.floors.judged(die, tallies[k * size : (k + 1) * size], seed=self.seed)
                for k, die in enumerate(self.dice[:begun])
            ),
            sealed=tuple(self.sealed[:begun]),
            floors=self.floors,
            materials=tuple(sorted({die.material for die in self.dice})),
            throws=self.throws,
            drops=sum(tally.drops for tally in tallies),
            wanted=wanted,
            engine=self.engine,
            seed=self.seed,
        )


@checked
def validate(
    folder: str | PathLike[str],
    *,
    throws: Annotated[int | None, THROWS] = None,
    floor: str = "tabletop",
    kind: str | None = None,
    seed: Seed = None,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> Validation:
    """Drop bodies that people threw and counted, and compare the shares with their counts.

    An interruption (Ctrl-C) ends the drops early: the bodies so far are compared, if any.

    Args:
        folder: Folder with a die.toml per body.
        throws: Drops per body, 100 or more. Default: 20,000, or ten times the largest count.
        floor: Floor and drop: a floor's name, a TOML file, or a fit's name or folder, for all its
            floors.
        kind: Kind of throw of every body: `drop`, `flip`, `roll`, `tumbler` or `tower`. Default:
            that of its die.toml, or drop.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called after each batch with the numbers of drops made and wanted.

    Returns:
        The predicted shares of each body with 90 % intervals, and the score of its counts.

    Raises:
        PigglesimError: If there is no counted body, a file is faulty, a name is unknown, or a
            number is out of range.

    Examples:
        >>> import pigglesim
        >>> pigglesim.validate("dice", throws=400, seed=1).bodies[0].score.p
    """
    plan = ValidationPlan.of(
        folder,
        throws=throws,
        floor=floor,
        kind=kind,
        seed=root_seed(seed),
        engine=engine or fastest_engine_name(),
    )
    return plan.dropped(workers=workers, progress=progress)


def _drops(verdicts: Sequence[JudgedDie]) -> dict[str, tuple[int, int]]:
    """Return the numbers of drops and of counted throws by the name of the die."""
    return {each.die.name: (each.tally.drops, sum(each.counts)) for each in verdicts}


def _body(verdict: JudgedDie) -> dict[str, Any]:
    """Return a body with its counts and predictions as JSON values."""
    die, endings = verdict.die, zip(DropEnding, verdict.tally.endings, strict=True)
    return {
        "name": die.name,
        "material": die.material,
        "kind": die.kind,
        "labels_known": die.labels_known,
        "trend_only": die.trend_only,
        "outcomes": [outcome.label for outcome in die.outcomes],
        "counts": list(verdict.counts),
        "throws": verdict.tally.drops,
        "endings": {ending.value: count for ending, count in endings},
        "predicted": [asdict(share) for share in verdict.predicted],
        "within_90": list(verdict.within),
        "budget": asdict(verdict.budget) if verdict.budget else None,
        "unclassified": asdict(verdict.unclassified),
        **asdict(verdict.score),
        "quasi_static": {
            "predicted": list(verdict.quasi_static),
            **asdict(verdict.quasi_static_score),
        },
    }


def _parameters(ground: Floor, materials: Sequence[str]) -> dict[str, Any]:
    surfaces = {name: ground.surface(name) for name in materials}
    return {
        "floor": ground.id,
        "height_m": ground.drop.height,
        "drift_spread_m_s": ground.drop.drift_spread,
        "spin_spread_rad_s": ground.drop.spin_spread,
        "time_step_s": ground.stepping.time_step,
        "surfaces": {
            name: {
                "friction": surface.contact.friction,
                "restitution": surface.contact.restitution,
                "rolling_lever_m": surface.rolling_lever,
                "spinning_lever_m": surface.spinning_lever,
            }
            for name, surface in surfaces.items()
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FloorFit(JsonResult):
    """Floors that agree with counted throws, and how well each body is predicted by the others."""

    plan: Fit = field(repr=False)
    """The bodies, and the parameters with the ranges that were tried."""
    posterior: FitPosterior = field(repr=False)
    """Fitted parameters with their 90 % ranges, and the weighted floors."""
    law: FloorPosterior = field(repr=False)
    """Content of the folder: the floors, and how many counted throws the law is worth."""
    law_range: tuple[float, float]
    """90 % interval of the throws that the law is worth."""
    points: int
    """Number of floors that were tried."""
    emulators: tuple[Emulator, ...] = field(repr=False)
    """Shares of each body as functions of the floor."""
    left_out: tuple[JudgedDie, ...] = field(repr=False)
    """Counts of each body against its prediction by the others."""
    fits_without: tuple[FitPosterior, ...] = field(repr=False)
    """Fit to the other bodies, for each body left out."""
    notes: tuple[str, ...] = ()
    """Files of an earlier run that were set aside in the folder."""

    def document(self) -> dict[str, Any]:
        """Return the fit as JSON values; units are in the names."""
        plan, fitted = self.plan, self.posterior
        names = [each.name for each in plan.parameters]
        return {
            "weak_p": weak_p(_drops(self.left_out)) or None,
            "seed": seed_json(plan.seed),
            "drops": plan.drops,
            "engine": plan.engine,
            "points": self.points,
            "parameters": _fitted_parameters(plan, fitted),
            "deficit": fitted.deficit,
            "best": dict(zip(names, fitted.best.tolist(), strict=True)),
            "log_evidence": fitted.log_evidence,
            "floors": len(fitted.floors),
            "model_throws": {
                "value": self.law.model_throws,
                "low_90": self.law_range[0],
                "high_90": self.law_range[1],
            },
            "sensitivity": _sensitivity(plan.dice, self.emulators, fitted),
            "left_out": [
                _body(verdict) | {"at": dict(zip(names, others.mean.tolist(), strict=True))}
                for verdict, others in zip(self.left_out, self.fits_without, strict=True)
            ],
        }

    def __repr__(self) -> str:
        fitted = zip(self.plan.parameters, self.posterior.mean.tolist(), strict=True)
        values = (f"{each.name} {mean:.3g} {each.unit}".strip() for each, mean in fitted)
        return f"FloorFit({', '.join(values)}; {self.points} floors; seed {self.plan.seed})"


@checked
def fit(
    folder: str | PathLike[str],
    *,
    out: str | PathLike[str],
    points: Annotated[int, POINTS] = 256,
    drops: Annotated[int, DROPS] = 1500,
    throws: Annotated[int | None, THROWS] = None,
    trends: bool = False,
    floor: str = "tabletop",
    kind: str | None = None,
    seed: Seed = 1,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> FloorFit:
    """Fit a floor to counts of real throws.

    `validate`, `design` and `study` take the folder of the fit as a floor.
    An interruption (Ctrl-C) loses only the drops at work: the same call resumes the fit.

    Args:
        folder: Folder with a die.toml per body.
        out: Folder that saves the drops and the floors, new or of the same fit.
        points: Floors to try, 64 or more.
        drops: Drops per body and floor, 100 or more.
        throws: Drops per body on the floors that the others predict, to score it, 100 or more.
            Default: 20,000, or ten times the largest count.
        trends: Whether to fit bodies whose throw is not known, too.
        floor: Floor that gives all that is not fitted: a floor's name or a TOML file.
        kind: Kind of throw of every body: `drop`, `flip`, `roll`, `tumbler` or `tower`. Default:
            that of its die.toml, or drop.
        seed: Root seed, or a stream to draw it from; the same in all runs of one folder.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called with the numbers of drops made and wanted, first with those that
            the folder has.

    Returns:
        The fitted parameters with 90 % ranges, and how well each body is predicted by the others.

    Raises:
        PigglesimError: If there is no counted body, a name is unknown, a number is out of range, or
            the folder holds another fit, is in use or cannot be written.

    Examples:
        >>> import pigglesim
        >>> few = {"points": 64, "drops": 100, "throws": 200}
        >>> pigglesim.fit("dice", out="fit", trends=True, **few).posterior.mean
    """
    points, drops = int(points), int(drops)
    ground, path, root = load_floor(floor), Path(out), root_seed(seed)
    dice = [die for die in _dice_in(folder, kind) if trends or not die.trend_only]
    if not dice:
        raise SpecError(
            "no die that is more than a trend",
            fix="add --trends to fit bodies whose throw is not known, too",
        )
    plan = Fit(
        dice=tuple(dice),
        ground=ground,
        engine=engine or fastest_engine_name(),
        drops=drops,
        seed=root,
    )
    compile_for(plan.kind.work, engine=plan.engine)
    count = drops_for(dice) if throws is None else int(throws)
    a_floor = drops * len(dice)
    wanted = points * a_floor + (count * len(dice) if len(dice) > 1 else 0)

    def on_progress(made: int) -> None:
        if progress is not None:
            progress(made, wanted)

    with fit_folder(path, plan, points=points) as tried:
        on_progress(len(tried.items) * a_floor)
        tried.play(
            partial(partial, plan.drop_floor),
            wanted=points,
            workers=workers,
            watch=lambda grown: on_progress(len(grown.items) * a_floor),
        )
    emulators = plan.emulators(tried.items)
    fitted = posterior(emulators, dice, rng=generator(root, "fit"))
    predictions, others = list[DiePrediction](), _fits_without(plan, emulators)
    for die, known in zip(dice, others, strict=False):
        predictions.append(plan.predict(known, die, throws=count, workers=workers))
        on_progress(points * a_floor + count * len(predictions))
    model_throws, model_range = model_throws_of(predictions)
    law = FloorPosterior(
        ground=ground.id,
        ground_sha256=ground.sha256,
        fitted_to=tuple(die.name for die in dice),
        materials=tuple(sorted({die.material for die in dice})),
        kind=plan.kind,
        model_throws=model_throws,
        floors=fitted.floors,
    )
    law.write(path / POSTERIOR_FILE)
    return FloorFit(
        plan=plan,
        posterior=fitted,
        law=law,
        law_range=model_range,
        points=len(tried.items),
        emulators=tuple(emulators),
        left_out=tuple(judge_left_out(predictions, seed=root)),
        fits_without=tuple(others),
        notes=tuple(tried.notes),
    )


def _fits_without(plan: Fit, emulators: Sequence[Emulator]) -> list[FitPosterior]:
    """Return the fit to the other dice, for each die; none for a single die."""
    fits = []
    for die in plan.dice if len(plan.dice) > 1 else ():
        rest = [k for k, other in enumerate(plan.dice) if other is not die]
        rng = generator(plan.seed, "fit without", die.name)
        own, others = [emulators[k] for k in rest], [plan.dice[k] for k in rest]
        fits.append(posterior(own, others, rng=rng))
    return fits


def _fitted_parameters(plan: Fit, fitted: FitPosterior) -> list[dict[str, Any]]:
    """Return the fitted parameters as JSON values."""
    return [
        {"name": p.name, "unit": p.unit, "range": [p.low, p.high], "ground": p.ground}
        | {name: float(getattr(fitted, name)[k]) for name in ("mean", "low", "high", "narrowing")}
        for k, p in enumerate(plan.parameters)
    ]


def _sensitivity(
    dice: Sequence[CountedDie], emulators: Sequence[Emulator], fitted: FitPosterior
) -> list[dict[str, Any]]:
    """Return the change of every share from the low to the high end of each parameter's range."""
    rows = []
    for k, parameter in enumerate(emulators[0].ranges.parameters):
        low, high = fitted.mean.copy(), fitted.mean.copy()
        low[k], high[k] = fitted.low[k], fitted.high[k]
        for die, emulator in zip(dice, emulators, strict=True):
            change, error = emulator.change(low, high)
            rows.append(
                {
                    "parameter": parameter.name,
                    "from": float(low[k]),
                    "to": float(high[k]),
                    "body": die.name,
                    "outcomes": [outcome.label for outcome in die.outcomes],
                    "change": change.tolist(),
                    "half_width": (1.96 * error).tolist(),
                }
            )
    return rows
