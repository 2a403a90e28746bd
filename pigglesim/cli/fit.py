"""`pigglesim fit`: which floor agrees best with counted throws, and what the counts cannot tell."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.cli.consoles import print_json, progress_console, result_console, word_table
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import (
    FloorEngineOption,
    JsonOption,
    WorkersOption,
    chosen_fast_engine,
    chosen_workers,
)
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.validate import FloorOption
from pigglesim.errors import SpecError
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor
from pigglesim.validation.counted import counted_dice
from pigglesim.validation.fit import PARAMETERS, FitRun, posterior


def fit(
    folder: Annotated[Path, WORD, Flag(metavar="DIR"), "Folder with the die.toml files."],
    out: Annotated[Path, "File that keeps the drops, one line per floor."],
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

    The drops are kept in the file given with --out: run again, and it goes on where it was.

    Examples:
        pigglesim fit dice --out fit.jsonl
        pigglesim fit docs/examples/counted --trends --points 64 --drops 300 --out trend.jsonl
        pigglesim fit dice --out fit.jsonl --points 512 --drops 3000 --workers 8
    """
    ground, count = load_floor(floor), chosen_workers(workers)
    dice = [die for die in counted_dice(folder) if trends or not die.trend_only]
    if not dice:
        raise SpecError(
            "a die that is more than a trend",
            got="none",
            remedy="--trends: the floor is then that of a throw nobody described",
        )
    run = FitRun(
        path=out,
        dice=tuple(dice),
        ground=ground,
        engine=chosen_fast_engine(engine),
        drops=drops,
        seed=seed,
    )
    tell_of_compiling(run.engine, throws="drops")
    with progress_bar("drops") as bar:
        job = bar.add_task("trying floors", total=points * drops * len(dice))
        bar.advance(job, run.done * drops * len(dice))
        with closing(run.go_on(points, workers=count)) as done:
            for number in done:
                bar.advance(job, number)
    emulators = run.emulators()
    found = posterior(emulators, dice, rng=generator(seed, "fit"))
    left_out = []
    for k, die in enumerate(dice):
        others = [j for j in range(len(dice)) if j != k]
        if not others:
            break
        rng = generator(seed, "fit without", die.name)
        there = posterior([emulators[j] for j in others], [dice[j] for j in others], rng=rng)
        with progress_console().status(f"dropping {die.name} where the others point ..."):
            verdict = run.score_at(there.mean, die, throws=throws, workers=count)
        left_out.append((die, there, verdict))
    head = {"seed": seed, "drops": drops, "engine": run.engine, "points": run.done}
    document = _document(head, dice, emulators, found, left_out)
    if as_json:
        print_json(document)
    else:
        _show(document)


def _document(
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


def _show(document: dict[str, Any]) -> None:
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
