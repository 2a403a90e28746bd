"""`pigglesim validate` and `fit`: counts of real throws, predicted and fitted."""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.cli.completions import FLOOR
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    progress_console,
    result_console,
    word_table,
)
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import (
    FloorEngineOption,
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_fast_engine,
    chosen_seed,
    chosen_workers,
)
from pigglesim.errors import SpecError
from pigglesim.physics.drop import DropEnding
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor
from pigglesim.validation.counted import counted_dice
from pigglesim.validation.fit import PARAMETERS, Fit, fit_folder, posterior
from pigglesim.validation.validate import DropTally, drop_dice, drop_task, judge

FloorOption = Annotated[
    str, FLOOR, Flag("--floor"), "Floor and drop: a floor's name or a TOML file."
]


def validate(
    folder: Annotated[Path, WORD, Flag(metavar="DIR"), "Folder with the die.toml files."],
    throws: Annotated[int, Flag(low=100, high=10**8), "Drops per body."] = 20_000,
    floor: FloorOption = "tabletop",
    workers: WorkersOption = None,
    seed: SeedOption = None,
    engine: FloorEngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Drop real bodies that people threw and counted, and compare.

    DIR holds a folder for each body, with a die.toml: its mesh or box, the counts, and for each
    outcome the directions of the body that point to the floor. All are dropped on the same floor.
    The p of a body is that of chi-square, with the prediction's own noise; TV is the total
    variation from the counts, beside what the sampling of the counts alone makes; the deficit is
    how much log-likelihood the prediction loses against the counts' own shares.

    Examples:
        pigglesim validate dice
        pigglesim validate docs/examples/counted
        pigglesim validate dice/kitten --throws 100000 --seed 1 --json
    """
    ground, root = load_floor(floor), chosen_seed(seed)
    dice = counted_dice(folder)
    name = chosen_fast_engine(engine)
    version = make_engine(name).version
    tasks = [drop_task(die, ground, engine=name, seed=root) for die in dice]
    tallies: dict[int, DropTally] = {}
    stopped = False
    tell_of_compiling(name, throws="drops")
    with progress_bar("drops") as bar:
        job = bar.add_task("dropping", total=throws * len(tasks))
        results = drop_dice(tasks, drops=throws, workers=chosen_workers(workers))
        try:
            with closing(results):
                for number, tally in results:
                    tallies[number] = tallies[number] + tally if number in tallies else tally
                    bar.update(job, advance=tally.drops, description=dice[number].name)
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
    if not tallies:
        raise SpecError("some drops", got="none before the stop", remedy="let it run longer")
    verdicts = [judge(dice[number], tally, seed=root) for number, tally in tallies.items()]
    surfaces = {die.material: ground.surface(die.material) for die in dice}
    document = {
        "bodies": [_body_document(verdict) for verdict in verdicts],
        "parameters": _parameters(ground, surfaces),
        "throws": throws,
        "deficit_sum": sum(
            verdict.score.deficit for verdict in verdicts if not verdict.die.trend_only
        ),
        "engine": name,
        "engine_version": version,
        "seed": root,
        "stopped": stopped,
    }
    if as_json:
        print_json(document)
    else:
        _show(verdicts, document)
    if stopped:
        raise typer.Exit(130)


def _body_document(verdict: Any) -> dict[str, Any]:  # noqa: ANN401 (late imports)
    die = verdict.die
    return {
        "name": die.name,
        "outcomes": [outcome.label for outcome in die.outcomes],
        "counts": list(verdict.counts),
        "labels_known": die.labels_known,
        "trend_only": die.trend_only,
        "material": die.material,
        "predicted": [share.value for share in verdict.predicted],
        "predicted_low": [share.low for share in verdict.predicted],
        "predicted_high": [share.high for share in verdict.predicted],
        "level": verdict.predicted[0].level,
        "throws": verdict.tally.drops,
        "p": verdict.score.p,
        "tv": verdict.score.tv,
        "noise_tv": verdict.score.noise_tv,
        "deficit": verdict.score.deficit,
        "unclassified": verdict.unclassified.value,
        "unclassified_high": verdict.unclassified.high,
        "quasi_static": list(verdict.quasi_static),
        "quasi_static_tv": verdict.quasi_static_score.tv,
        "quasi_static_deficit": verdict.quasi_static_score.deficit,
        "quasi_static_p": verdict.quasi_static_score.p,
        "endings": _endings(verdict.tally),
    }


def _endings(tally: Any) -> dict[str, int]:  # noqa: ANN401 (late imports)
    return {ending.value: count for ending, count in zip(DropEnding, tally.endings, strict=True)}


def _parameters(ground: Any, surfaces: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 (late imports)
    return {
        "floor": ground.id,
        "height_m": ground.fall.height,
        "drift_spread_m_s": ground.fall.drift_spread,
        "spin_spread_rad_s": ground.fall.spin_spread,
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


def _show(verdicts: list[Any], document: dict[str, Any]) -> None:
    console = result_console()
    console.print(_shares_table(verdicts))
    console.print()
    console.print(_scores_table(verdicts))
    console.print(
        f"\nsum of the deficits, trends left out: {document['deficit_sum']:.2f}\n"
        "rolled: without momentum · * labels unknown, best matching · ~ trend only"
    )
    console.print(
        f"{document['throws']} drops a body · {document['engine']} {document['engine_version']}"
        f" · floor {document['parameters']['floor']} · seed {document['seed']}"
        + (" · stopped before its end" if document["stopped"] else ""),
        style="dim",
    )


def _name(verdict: Any) -> str:  # noqa: ANN401 (late imports)
    die = verdict.die
    mark = " *" if not die.labels_known else " ~" if die.trend_only else ""
    return f"{die.name}{mark}"


def _shares_table(verdicts: list[Any]) -> Table:
    table = word_table("body", "outcome", ">counted", ">share", ">predicted", ">rolled")
    for verdict in verdicts:
        total = sum(verdict.counts)
        for row, outcome in enumerate(verdict.die.outcomes):
            share = verdict.predicted[row]
            table.add_row(
                _name(verdict) if row == 0 else "",
                outcome.label,
                str(verdict.counts[row]),
                f"{verdict.counts[row] / total:.3f}",
                f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]",
                f"{verdict.quasi_static[row]:.3f}",
            )
        table.add_section()
    return table


def _scores_table(verdicts: list[Any]) -> Table:
    table = word_table(
        "body", ">p", ">TV", ">by noise alone", ">deficit", ">no outcome", ">rolled's TV"
    )
    for verdict in verdicts:
        found = verdict.score
        table.add_row(
            _name(verdict),
            f"{found.p:.3f}",
            f"{found.tv:.3f}",
            f"{found.noise_tv:.3f}",
            f"{found.deficit:.2f}",
            f"{verdict.unclassified.value:.2%}",
            f"{verdict.quasi_static_score.tv:.3f}",
        )
    return table


def fit(
    folder: Annotated[Path, WORD, Flag(metavar="DIR"), "Folder with the die.toml files."],
    out: Annotated[Path, Flag(metavar="DIR"), "Folder that saves the drops on each floor."],
    points: Annotated[int, Flag(low=64, high=65_536), "Number of floors to try."] = 256,
    drops: Annotated[int, Flag(low=100), "Drops per die and floor."] = 1500,
    throws: Annotated[
        int, Flag(low=100), "Drops per die on the floor that the others predict, to score it."
    ] = 20_000,
    trends: Annotated[bool, "Fit bodies whose throw is not known, too."] = False,
    floor: FloorOption = "tabletop",
    workers: WorkersOption = None,
    seed: Annotated[int, "Root seed; the same in all runs of one file."] = 1,
    engine: FloorEngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fit a floor to counts of real throws, with its uncertainty.

    Every die below DIR that is more than a trend (--trends: those, too) is dropped at points all
    over the plausible floors. From these drops come: the floor that the counts ask for with its 90
    % range, how far the counts narrow each parameter, how the shares move with each, and for every
    die the floor that the other dice alone ask for (leave one body out), with its score there.

    The drops are saved in the folder given with --out: the same command resumes there.

    Examples:
        pigglesim fit dice --out fit
        pigglesim fit docs/examples/counted --trends --points 64 --drops 300 --out trend
        pigglesim fit dice --out fit --points 512 --drops 3000 --workers 8
    """
    ground, count = load_floor(floor), chosen_workers(workers)
    dice = [die for die in counted_dice(folder) if trends or not die.trend_only]
    if not dice:
        raise SpecError(
            "a die that is more than a trend",
            got="none",
            remedy="--trends: the floor is then that of a throw nobody described",
        )
    asked = Fit(
        dice=tuple(dice),
        ground=ground,
        engine=chosen_fast_engine(engine),
        drops=drops,
        seed=seed,
    )
    tell_of_compiling(asked.engine, throws="drops")
    with progress_bar("floors") as bar, fit_folder(out, asked, points=points) as tries:
        job = bar.add_task("trying floors", total=points, completed=len(tries.items))
        tries.play(
            partial(partial, asked.drop_floor),
            wanted=points,
            workers=count,
            watch=lambda tried: bar.update(job, completed=len(tried.items)),
        )
        floors = tries.items
    emulators = asked.emulators(floors)
    found = posterior(emulators, dice, rng=generator(seed, "fit"))
    left_out = []
    for k, die in enumerate(dice):
        others = [j for j in range(len(dice)) if j != k]
        if not others:
            break
        rng = generator(seed, "fit without", die.name)
        there = posterior([emulators[j] for j in others], [dice[j] for j in others], rng=rng)
        with progress_console().status(f"dropping {die.name} where the others point ..."):
            verdict = asked.score_at(there.mean, die, throws=throws, workers=count)
        left_out.append((die, there, verdict))
    head = {"seed": seed, "drops": drops, "engine": asked.engine, "points": len(floors)}
    document = _fit_document(head, dice, emulators, found, left_out)
    if as_json:
        print_json(document)
    else:
        _show_fit(document)


def _fit_document(
    head: dict[str, Any],
    dice: list[Any],
    emulators: list[Any],
    found: Any,  # noqa: ANN401 (late imports)
    left_out: list[Any],
) -> dict[str, Any]:
    def point(values: Any) -> dict[str, float]:  # noqa: ANN401 (an array)
        return {p.name: float(v) for p, v in zip(PARAMETERS, values, strict=True)}

    return head | {
        "parameters": [
            {"name": p.name, "unit": p.unit, "range": [p.low, p.high], "ground": p.ground}
            | {"value": float(found.mean[k]), "low": float(found.low[k])}
            | {"high": float(found.high[k]), "told": float(found.told[k])}
            for k, p in enumerate(PARAMETERS)
        ],
        "deficit": found.deficit,
        "sensitivity": _sensitivity(dice, emulators, found),
        "left_out": [
            {
                "name": die.name,
                "at": point(there.mean),
                "predicted": [share.value for share in verdict.predicted],
                "counts": list(verdict.counts),
                "p": verdict.score.p,
                "tv": verdict.score.tv,
                "noise_tv": verdict.score.noise_tv,
                "deficit": verdict.score.deficit,
            }
            for die, there, verdict in left_out
        ],
    }


def _sensitivity(dice: list[Any], emulators: list[Any], found: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (late imports)
    """Return how every share moves from the low to the high end of each parameter's range."""
    rows = []
    for k, parameter in enumerate(PARAMETERS):
        low, high = found.mean.copy(), found.mean.copy()
        low[k], high[k] = found.low[k], found.high[k]
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
    console = result_console()
    fitted = word_table("parameter", ">fit", ">90 %", ">tried", ">narrowed by")
    for row in document["parameters"]:
        fitted.add_row(
            f"{row['name']} {row['unit']}".strip(),
            f"{row['value']:.3g}",
            f"{row['low']:.3g} to {row['high']:.3g}",
            "{:g} to {:g}".format(*row["range"]),
            f"{max(row['told'], 0.0):.0%}",
        )
    console.print(fitted)
    console.print(
        f"least sum of deficits {document['deficit']:.2f} · {document['points']} floors, "
        f"{document['drops']} drops of each die on each\n",
        style="dim",
    )
    console.print(_moves_table(document["sensitivity"]))
    console.print()
    out = word_table("left out", ">p", ">TV", ">by noise alone", ">deficit", ">fit to the others")
    for row in document["left_out"]:
        out.add_row(
            row["name"],
            f"{row['p']:.3f}",
            f"{row['tv']:.3f}",
            f"{row['noise_tv']:.3f}",
            f"{row['deficit']:.2f}",
            ", ".join(f"{value:.3g}" for value in row["at"].values()),
        )
    console.print(out)


def _moves_table(rows: list[dict[str, Any]]) -> Table:
    """Return how shares move with each parameter from the low to the high of its 90 %."""
    table = word_table("from low to high", "body", "each share moves by, ± 95 %")
    last = ""
    for row in rows:
        name = f"{row['parameter']} {row['from']:.3g} to {row['to']:.3g}"
        moves = zip(row["outcomes"], row["change"], row["half_width"], strict=True)
        table.add_row(
            name if name != last else "",
            row["body"],
            ", ".join(f"{label} {change:+.3f} ± {half:.3f}" for label, change, half in moves),
        )
        last = name
    return table
