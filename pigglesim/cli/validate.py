"""`pigglesim validate` and `fit`: predict and fit the counts of real throws."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag
from pigglesim.cli.progress import Work
from pigglesim.cli.tracked_throws import fit_tracked_throws, show_throws, validate_throws
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.counted_dice import (
    CountedDie,
    DropTally,
    JudgedDie,
    counted_dice,
    drop_dice,
    drop_task,
    drops_for,
    has_counted_dice,
    judge,
    weak_p,
)
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.fit import (
    Emulator,
    Fit,
    FitFloor,
    FitPosterior,
    fit_folder,
    posterior,
)
from pigglesim.experiments.floor_posterior import (
    POSTERIOR_FILE,
    FloorPosterior,
    Floors,
    Prediction,
    drops_each,
    judge_left_out,
    model_throws_of,
    tasks_on,
)
from pigglesim.experiments.printing import SealedScore, sealed_score
from pigglesim.experiments.tracked_throws import DRAWS, find_tracked_throws
from pigglesim.physics.drop import DropEnding
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.rng import generator, seed_json
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor

_FLOORS, _TRACK_POINTS = 256, 400
FloorOption = Annotated[
    str, options.FLOOR, Flag("--floor"), "Floor and drop: a floor's name or a TOML file."
]
KindOption = Annotated[
    str | None,
    options.KIND,
    Flag("--kind"),
    "Kind of throw of every body: drop, flip, roll, tumbler or tower. Default: that of its "
    "die.toml, or drop.",
]
FloorsOption = Annotated[
    str,
    options.FLOORS,
    Flag("--floor"),
    "Floor and drop: a floor's name, a TOML file, or a fit's name or folder, for all its floors.",
]


def chosen_kind(kind: str | None) -> ThrowKind | None:
    """Return the kind of throw of single dice that a flag names; None for none."""
    kinds = [each for each in ThrowKind if each.single]
    if kind is not None and kind not in kinds:
        raise unknown_name("kind of throw of a single die", kind, kinds)
    return None if kind is None else ThrowKind(kind)


def validate(
    folder: Annotated[
        Path, ARGUMENT, Flag(metavar="DIR"), "Folder with die.toml or toss.toml files."
    ],
    throws: Annotated[
        int | None,
        Flag(low=100, high=10**8),
        "Drops per counted body. Default: 20,000, or ten times the largest count.",
    ] = None,
    parameters: Annotated[
        Path | None,
        Flag("--parameters", metavar="FILE"),
        "Body and surface of tracked throws, written by `fit`. Default: a solid cube, friction and "
        "restitution 0.3.",
    ] = None,
    draws: Annotated[
        int, Flag(low=10, high=10_000), "Draws per tracked throw that predict its face."
    ] = DRAWS,
    floor: FloorsOption = "tabletop",
    kind: KindOption = None,
    workers: options.Workers = None,
    seed: options.Seed = None,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Compare with real throws: bodies that people counted, and throws that cameras tracked.

    DIR holds one folder per body, with a die.toml: its mesh or box, the counts, and for each
    outcome the directions of the body that point to the floor. All are thrown on the same floor,
    in the kind of throw of their file or of --kind.
    The p of a body is that of a chi-square test, including the prediction's own noise. TV is the
    total variation from the counts, next to that expected from the sampling of the counts alone.
    The deficit is the log-likelihood that the prediction loses against the counts' own shares.

    With the folder of a fit as --floor, all of its weighted floors are used. The intervals then
    include the uncertainty of the floor, and the error of the law, estimated from the bodies of
    the fit that are left out.

    A folder of `pigglesim print` also has a prediction that was sealed before the counts, which
    are compared with it on the floor of --floor.

    Where DIR has a toss.toml with tracked throws, each is simulated from its state two frames
    before first contact, with the body and the surface of --parameters. The errors are means over
    the frames up to the end. The face is predicted from 200 draws of the start and the surface.

    Examples:
        pigglesim validate dice
        pigglesim validate tosses --parameters cube.toml
        pigglesim validate docs/examples/counted
        pigglesim validate dice --floor fit
        pigglesim validate coins --kind flip
        pigglesim validate dice/kitten --throws 100000 --seed 1 --json
    """
    chosen, root = Floors.of(floor), options.chosen_seed(seed)
    tracked = find_tracked_throws(folder)
    if parameters and not tracked:
        raise SpecError(f"no toss.toml in {folder}", fix="leave --parameters out")
    has_counts = not tracked or has_counted_dice(folder)
    dice = counted_dice(folder, kind=chosen_kind(kind)) if has_counts else []
    name, count = options.chosen_fast_engine(engine), options.chosen_workers(workers)
    version = engine_version(name)  # raises if it is not installed
    tosses, unfinished = list[dict[str, Any]](), ""
    if tracked:
        tosses, unfinished = validate_throws(
            tracked, parameters=parameters, engine=name, draws=draws, workers=count, seed=root
        )
    document: dict[str, Any] = {
        "tosses": tosses,
        "parameters": str(parameters) if parameters else None,
        "draws": draws,
        "engine": name,
        "engine_version": version,
        "seed": seed_json(root),
        "stopped": bool(unfinished),
        "unfinished": unfinished or None,
    }
    counted = None
    if dice and not unfinished:
        counted = _Counted.of(
            dice, chosen, throws=throws or drops_for(dice), engine=name, workers=count, seed=root
        )
        document |= counted.document()
    if as_json:
        consoles.print_json(document)
    else:
        consoles.show_unfinished(document["unfinished"] or "")
        if tracked:
            show_throws(tosses, f"{draws} draws · {name} {version} · seed {root}")
        if counted:
            counted.show(document)
    consoles.exit_if_stopped(document["stopped"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """Counted bodies compared with throws, and with the predictions sealed before the counts."""

    dice: Sequence[CountedDie]
    """All bodies, those without a verdict included."""
    floors: Floors
    throws: int
    """Drops per body that were requested."""
    verdicts: Sequence[JudgedDie]
    sealed: Sequence[SealedScore | None]
    """Score of the sealed prediction of each body with a verdict; None without one."""
    work: Work

    @classmethod
    def of(
        cls,
        dice: Sequence[CountedDie],
        floors: Floors,
        *,
        throws: int,
        engine: str,
        workers: int,
        seed: int,
    ) -> "_Counted":
        """Drop the bodies, and compare them."""
        sealed = [sealed_score(die, floors.id, seed=seed) for die in dice]
        verdicts, work = _dropped(
            dice, floors, throws=throws, engine=engine, workers=workers, seed=seed
        )
        return cls(
            dice=dice,
            floors=floors,
            throws=throws,
            verdicts=verdicts,
            sealed=sealed[: len(verdicts)],
            work=work,
        )

    def document(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        seals = {
            f"the sealed prediction of {verdict.die.name}": (seal.drops, sum(verdict.counts))
            for verdict, seal in zip(self.verdicts, self.sealed, strict=True)
            if seal is not None
        }
        materials = sorted({die.material for die in self.dice})
        return {
            "unfinished": self.work.unfinished or None,
            "stopped": self.work.stopped,
            "parameters": _parameters(self.floors.ground, materials),
            "fit": self.floors.known.model_dump() if self.floors.known else None,
            "throws": self.throws,
            "weak_p": weak_p(_drops(self.verdicts) | seals) or None,
            "bodies": [
                _body(verdict) | {"sealed": asdict(seal) if seal else None}
                for verdict, seal in zip(self.verdicts, self.sealed, strict=True)
            ],
            "deficit_sum": sum(
                verdict.score.deficit for verdict in self.verdicts if not verdict.die.trend_only
            ),
        }

    def show(self, document: dict[str, Any]) -> None:
        """Print the comparison; `document` also has the floors, the engine and the seed."""
        _show(self.verdicts, document)
        _show_sealed(self.verdicts, self.sealed)


def _dropped(
    dice: Sequence[CountedDie],
    chosen: Floors,
    *,
    throws: int,
    engine: str,
    workers: int,
    seed: int,
) -> tuple[list[JudgedDie], Work]:
    """Drop dice on one floor or on those of a fit, and return the verdict on each."""
    known, ground = chosen.known, chosen.ground
    if known:
        known.expect_fit(ground, dice)
    floors = known.floors if known else ()
    tasks = [
        task
        for die in dice
        for task in (
            tasks_on(floors, die, ground, engine=engine, seed=seed)
            if floors
            else [drop_task(die, ground, engine=engine, seed=seed)]
        )
    ]
    each = drops_each(throws, floors) if floors else throws
    for code in {die.kind.work for die in dice}:
        compile_for(code, engine=engine)
    tallies: dict[int, DropTally] = {}
    results = drop_dice(tasks, drops=each, workers=workers)
    with (
        Work("drops", "dropping", total=each * len(tasks), stoppable=True) as work,
        closing(results),
    ):
        for number, tally in results:
            tallies[number] = tallies[number] + tally if number in tallies else tally
            work.advance(tally.drops, name=dice[number // max(len(floors), 1)].name)
    verdicts = _verdicts(dice, tallies, known, seed=seed)
    if not verdicts:
        raise SpecError("stopped before any drop", fix="let it run longer")
    return verdicts, work


def _verdicts(
    dice: Sequence[CountedDie],
    tallies: Mapping[int, DropTally],
    known: FloorPosterior | None,
    *,
    seed: int,
) -> list[JudgedDie]:
    """Return the verdict on each of the first dice whose drops on every floor have begun."""
    verdicts = []
    for number, die in enumerate(dice):
        count = len(known.floors) if known else 1
        own = [tallies.get(number * count + k) for k in range(count)]
        begun = [tally for tally in own if tally is not None]
        if len(begun) < count:
            break
        if known is None:
            verdicts.append(judge(die, begun[0], seed=seed))
        else:
            prediction = Prediction(die=die, tallies=begun, weights=known.weights)
            verdicts.append(prediction.judged(model_throws=known.model_throws, seed=seed))
    return verdicts


def _drops(verdicts: Iterable[JudgedDie]) -> dict[str, tuple[int, int]]:
    """Return the numbers of drops and of counted throws by the name of the die."""
    return {each.die.name: (each.tally.drops, sum(each.counts)) for each in verdicts}


def _show_weak_p(document: dict[str, Any]) -> None:
    if document["weak_p"]:
        consoles.result_console().print(document["weak_p"], style="bold", soft_wrap=True)


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


def _parameters(ground: Floor, materials: list[str]) -> dict[str, Any]:
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


def _show(verdicts: Sequence[JudgedDie], document: dict[str, Any]) -> None:
    console = consoles.result_console()
    _show_weak_p(document)
    console.print(_shares_table(verdicts))
    console.print()
    console.print(_scores_table(verdicts))
    if any(verdict.budget for verdict in verdicts):
        console.print()
        console.print(consoles.budget_table(_budgets(verdicts)))
    console.print(
        f"\nsum of the deficits, trends left out: {document['deficit_sum']:.2f}\n"
        "rolled: without momentum · * labels unknown, best matching · ~ trend only"
    )
    console.print(
        f"{document['throws']} drops a body · {document['engine']} {document['engine_version']}"
        f" · {_floors_text(document)} · seed {document['seed']}",
        style="dim",
    )


def _floors_text(document: dict[str, Any]) -> str:
    fit, floor = document["fit"], document["parameters"]["floor"]
    return f"{len(fit['floors'])} floors of a fit" if fit else f"floor {floor}"


def _show_sealed(verdicts: Sequence[JudgedDie], sealed: Sequence[SealedScore | None]) -> None:
    """Print the counts next to the shares that were sealed before them, if there are any."""
    table = consoles.word_table("sealed", "outcome", ">counted", ">share", ">predicted", ">p")
    seals = []
    for die, seal in zip((verdict.die for verdict in verdicts), sealed, strict=True):
        if seal is None:
            continue
        for row, outcome in enumerate(seal.predicted):
            table.add_row(
                "" if row else die.name,
                outcome.label,
                str(die.counts[row]),
                f"{die.counts[row] / sum(die.counts):.3f}",
                f"{outcome.value:.3f} [{outcome.low:.3f}, {outcome.high:.3f}]",
                "" if row else f"{seal.score.p:.3f}",
            )
        seals.append(f"{die.name} sealed on {seal.date} · SHA-256 {seal.sha256[:16]}")
    if seals:
        console = consoles.result_console()
        console.print()
        console.print(table)
        console.print("\n".join(seals), style="dim")


def _name(verdict: JudgedDie) -> str:
    die = verdict.die
    mark = " *" if not die.labels_known else " ~" if die.trend_only else ""
    return f"{die.name}{mark}"


def _shares_table(verdicts: Sequence[JudgedDie]) -> Table:
    table = consoles.word_table("body", "outcome", ">counted", ">share", ">predicted", ">rolled")
    for verdict in verdicts:
        total = sum(verdict.counts)
        for row, outcome in enumerate(verdict.die.outcomes):
            table.add_row(
                _name(verdict) if row == 0 else "",
                outcome.label,
                str(verdict.counts[row]),
                f"{verdict.counts[row] / total:.3f}",
                str(verdict.predicted[row]),
                f"{verdict.quasi_static[row]:.3f}",
            )
        table.add_section()
    return table


def _scores_table(verdicts: Sequence[JudgedDie]) -> Table:
    table = consoles.word_table(
        "body", ">p", ">TV", ">by noise alone", ">deficit", ">no outcome", ">rolled's TV"
    )
    for verdict in verdicts:
        table.add_row(
            _name(verdict),
            *_cells(asdict(verdict.score)),
            f"{verdict.unclassified.value:.2%}",
            f"{verdict.quasi_static_score.tv:.3f}",
        )
    return table


def _budgets(verdicts: Sequence[JudgedDie]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the die, the outcome and the deviations of each share by source."""
    for verdict in verdicts:
        assert verdict.budget is not None
        for outcome, share in zip(verdict.die.outcomes, verdict.predicted, strict=True):
            yield _name(verdict), outcome.label, verdict.budget.deviations(share.value)


def _cells(score: dict[str, Any]) -> list[str]:
    return [*(f"{score[name]:.3f}" for name in ("p", "tv", "noise_tv")), f"{score['deficit']:.2f}"]


def fit(
    folder: Annotated[
        Path, ARGUMENT, Flag(metavar="DIR"), "Folder with die.toml files, or with a toss.toml."
    ],
    out: Annotated[
        Path,
        Flag(metavar="PATH"),
        "Folder that saves the drops on each floor; for tracked throws the TOML file to write.",
    ],
    points: Annotated[
        int | None,
        Flag(low=64, high=65_536),
        "Floors to try, or points for tracked throws. Default: 256, or 400.",
    ] = None,
    drops: Annotated[int, Flag(low=100), "Drops per die and floor."] = 1500,
    throws: Annotated[
        int | None,
        Flag(low=100, high=10**8),
        "Drops per die on the floor that the others predict, to score it. Default: 20,000, or ten "
        "times the largest count.",
    ] = None,
    trends: Annotated[bool, "Fit bodies whose throw is not known, too."] = False,
    floor: FloorOption = "tabletop",
    kind: KindOption = None,
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed; the same in all runs of one file."] = 1,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Fit a floor to counts of real throws, or body and surface to tracked ones.

    Every die below DIR that is more than a trend (--trends: those, too) is dropped on floors across
    the plausible range. The drops give the best floor with its 90 % range, how much the counts
    narrow each parameter, and how the shares depend on each. For every die they also give the
    floor fitted to the other dice alone (leave one body out), with the die's score there.

    The drops are saved in the folder given with --out: the same command resumes there.

    For tracked throws (a toss.toml in DIR), the body (centre of mass, inertia, rounding of its
    edges) and the surface (friction in impacts and while sliding, restitution, and how these vary
    from throw to throw) are fitted, each with a 95 % interval, and written to the file given with
    --out.

    Examples:
        pigglesim fit dice --out fit
        pigglesim fit tosses --out cube.toml
        pigglesim fit docs/examples/counted --trends --points 64 --drops 300 --out trend
        pigglesim fit dice --out fit --points 512 --drops 3000 --workers 8
    """
    ground, count = load_floor(floor), options.chosen_workers(workers)
    if (tracked := find_tracked_throws(folder)) and not has_counted_dice(folder):
        if len(tracked) > 1:
            raise SpecError(
                f"{len(tracked)} toss.toml files in {folder}", fix="fit them one by one"
            )
        fit_tracked_throws(
            tracked[0],
            out,
            engine=options.chosen_fast_engine(engine),
            points=points or _TRACK_POINTS,
            workers=count,
            seed=seed,
            as_json=as_json,
        )
        return
    points = points or _FLOORS
    dice = counted_dice(folder, kind=chosen_kind(kind))
    dice = [die for die in dice if trends or not die.trend_only]
    if not dice:
        raise SpecError(
            "no die that is more than a trend",
            fix="add --trends to fit bodies whose throw is not known, too",
        )
    plan = Fit(
        dice=tuple(dice),
        ground=ground,
        engine=options.chosen_fast_engine(engine),
        drops=drops,
        seed=seed,
    )
    compile_for(plan.kind.work, engine=plan.engine)
    floors = _tried_floors(plan, out, points, workers=count)
    emulators = plan.emulators(floors)
    fitted = posterior(emulators, dice, rng=generator(seed, "fit"))
    predictions, points_of = _left_out(
        plan, emulators, throws=throws or drops_for(dice), workers=count
    )
    verdicts = judge_left_out(predictions, seed=seed)
    left_out = [_body(verdict) | {"at": points_of[verdict.die.name]} for verdict in verdicts]
    model_throws, model_range = model_throws_of(predictions)
    FloorPosterior(
        ground=ground.id,
        ground_sha256=ground.sha256,
        fitted_to=tuple(die.name for die in dice),
        materials=tuple(sorted({die.material for die in dice})),
        kind=plan.kind,
        model_throws=model_throws,
        floors=fitted.floors,
    ).write(out / POSTERIOR_FILE)
    document = {
        "weak_p": weak_p(_drops(verdicts)) or None,
        "seed": seed_json(seed),
        "drops": drops,
        "engine": plan.engine,
        "points": len(floors),
        "parameters": _fitted_parameters(plan, fitted),
        "deficit": fitted.deficit,
        "best": dict(zip((p.name for p in plan.parameters), fitted.best.tolist(), strict=True)),
        "log_evidence": fitted.log_evidence,
        "floors": len(fitted.floors),
        "model_throws": {
            "value": model_throws,
            "low_90": model_range[0],
            "high_90": model_range[1],
        },
        "sensitivity": _sensitivity(dice, emulators, fitted),
        "left_out": left_out,
    }
    if as_json:
        consoles.print_json(document)
    else:
        _show_fit(document)


def _fitted_parameters(plan: Fit, fitted: FitPosterior) -> list[dict[str, Any]]:
    """Return the fitted parameters as JSON values."""
    return [
        {"name": p.name, "unit": p.unit, "range": [p.low, p.high], "ground": p.ground}
        | {name: float(getattr(fitted, name)[k]) for name in ("mean", "low", "high", "narrowing")}
        for k, p in enumerate(plan.parameters)
    ]


def _tried_floors(plan: Fit, out: Path, points: int, *, workers: int) -> list[FitFloor]:
    """Drop all dice on floors across the plausible range, and return what each gave."""
    with fit_folder(out, plan, points=points) as tried:
        existing = len(tried.items)
        with Work("floors", "trying floors", total=points, existing=existing) as work:
            tried.play(
                partial(partial, plan.drop_floor),
                wanted=points,
                workers=workers,
                watch=lambda grown: work.update(len(grown.items)),
            )
        return tried.items


def _left_out(
    plan: Fit, emulators: Sequence[Emulator], *, throws: int, workers: int
) -> tuple[list[Prediction], dict[str, dict[str, float]]]:
    """Return the prediction of each die by the others, and where their floors are, by die."""
    predictions, points_of = list[Prediction](), {}
    for k, die in enumerate(plan.dice):
        others = [j for j in range(len(plan.dice)) if j != k]
        if not others:
            break
        rng = generator(plan.seed, "fit without", die.name)
        fitted = posterior([emulators[j] for j in others], [plan.dice[j] for j in others], rng=rng)
        with consoles.progress_console().status(f"dropping {die.name} where the others point ..."):
            predictions.append(plan.predict(fitted, die, throws=throws, workers=workers))
        points_of[die.name] = {
            p.name: float(at) for p, at in zip(plan.parameters, fitted.mean, strict=True)
        }
    return predictions, points_of


def _sensitivity(
    dice: list[CountedDie], emulators: list[Emulator], fitted: FitPosterior
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


def _show_fit(document: dict[str, Any]) -> None:
    console = consoles.result_console()
    parameters = consoles.word_table("parameter", ">fit", ">90 %", ">tried", ">narrowed by")
    for row in document["parameters"]:
        parameters.add_row(
            f"{row['name']} {row['unit']}".strip(),
            f"{row['mean']:.3g}",
            f"{row['low']:.3g} to {row['high']:.3g}",
            "{:g} to {:g}".format(*row["range"]),
            f"{max(row['narrowing'], 0.0):.0%}",
        )
    console.print(parameters)
    console.print(
        f"least sum of deficits {document['deficit']:.2f} · {document['points']} floors, "
        f"{document['drops']} drops of each die on each\n",
        style="dim",
    )
    console.print(_moves_table(document["sensitivity"]))
    console.print()
    _show_weak_p(document)
    left_out = consoles.word_table(
        "left out", ">p", ">TV", ">by noise alone", ">deficit", ">fit to the others"
    )
    for row in document["left_out"]:
        left_out.add_row(
            row["name"], *_cells(row), ", ".join(f"{value:.3g}" for value in row["at"].values())
        )
    console.print(left_out)


def _moves_table(rows: list[dict[str, Any]]) -> Table:
    """Return a table of the changes of shares over the 90 % range of each parameter."""
    table = consoles.word_table("from low to high", "body", "each share moves by, ± 95 %")
    previous = ""
    for row in rows:
        name = f"{row['parameter']} {row['from']:.3g} to {row['to']:.3g}"
        moves = zip(row["outcomes"], row["change"], row["half_width"], strict=True)
        table.add_row(
            name if name != previous else "",
            row["body"],
            ", ".join(f"{label} {change:+.3f} ± {half:.3f}" for label, change, half in moves),
        )
        previous = name
    return table
