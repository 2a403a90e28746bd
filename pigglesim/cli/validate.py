"""`pigglesim validate` and `fit`: predict and fit the counts of real throws."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pigglesim.api.counts import Validation, ValidationPlan
from pigglesim.api.counts import fit as fit_counts
from pigglesim.api.counts import validate as validate_counts
from pigglesim.api.tracked import TrackedValidation, fit_tracked, validate_tracked
from pigglesim.arguments import given
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Arguments, Flag, arguments_of, refuse_idle
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.cli.tracked_throws import show_fit, show_throws
from pigglesim.experiments.counted_dice import JudgedDie, has_counted_dice
from pigglesim.experiments.printing import SealedScore
from pigglesim.experiments.tracked_throws import find_tracked_throws
from pigglesim.limits import POINTS


def validate(
    context: typer.Context,
    *,
    folder: Annotated[
        Path, ARGUMENT, Flag(metavar="DIR"), "Folder with die.toml or toss.toml files."
    ],
    dropping: Arguments = arguments_of(
        validate_counts, "throws", floor=options.FLOORS, kind=options.KIND
    ),
    following: Arguments = arguments_of(validate_tracked, "draws", parameters=Flag(metavar="FILE")),
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
    tracked, counted = bool(find_tracked_throws(folder)), has_counted_dice(folder)
    if not tracked:
        refuse_idle(context, following, why=f"no toss.toml in {folder}")
    elif not counted:
        refuse_idle(context, dropping, why=f"no die.toml in {folder}")
    common: dict[str, Any] = {
        "seed": options.chosen_seed(seed),
        "engine": options.chosen_fast_engine(engine),
    }
    count = options.chosen_workers(workers)
    # All is read before the throws are followed, which may take minutes.
    plan = None
    if counted or not tracked:
        plan = ValidationPlan.of(folder, **common, **dropping)
    document: dict[str, Any] = {"stopped": False, "tosses": []}
    followed: TrackedValidation | None = None
    verdict: Validation | None = None
    if tracked:
        with Work("throws", "following") as work:
            followed = validate_tracked(
                folder, workers=count, progress=work.update, **common, **following
            )
            document = followed.document()
    if plan and not document["stopped"]:
        with Work("drops", "dropping", stoppable=True) as work:
            verdict = plan.dropped(workers=count, progress=work.update)
            document |= verdict.document()
        if work.stopped:
            document |= {"stopped": True, "unfinished": work.unfinished}
    if document["stopped"]:
        ignore_interrupts()
    if as_json:
        consoles.print_json(document)
    else:
        consoles.show_unfinished(document["unfinished"] or "")
        if followed:
            show_throws(followed)
        if verdict and verdict.bodies:
            _show(verdict.bodies, document)
            _show_sealed(verdict.bodies, verdict.sealed)
    consoles.exit_if_stopped(document["stopped"])


def _show_weak_p(document: dict[str, Any]) -> None:
    if document["weak_p"]:
        consoles.result_console().print(document["weak_p"], style="bold", soft_wrap=True)


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
    context: typer.Context,
    *,
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
        POINTS,
        "Floors to try, or points for tracked throws. Default: 256, or 400.",
    ] = None,
    dropping: Arguments = arguments_of(
        fit_counts, "drops", "throws", "trends", floor=options.FLOOR, kind=options.KIND
    ),
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
    common: dict[str, Any] = {
        "seed": seed,
        "engine": options.chosen_fast_engine(engine),
        "workers": options.chosen_workers(workers),
        **given(points=points),
    }
    if find_tracked_throws(folder) and not has_counted_dice(folder):
        refuse_idle(context, dropping, why=f"no die.toml in {folder}")
        with Work("points", "fitting") as work:
            tracked = fit_tracked(folder, out=out, progress=work.update, **common)
        if as_json:
            consoles.print_json(tracked.document())
        else:
            show_fit(tracked)
        return
    with Work("drops", "dropping", existing=None) as work:
        result = fit_counts(folder, out=out, progress=work.update, **common, **dropping)
    for line in result.notes:
        consoles.note(line)
    if as_json:
        consoles.print_json(result.document())
    else:
        _show_fit(result.document())


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
