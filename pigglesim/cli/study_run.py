"""A study run into its folder: who does the work, what is shown meanwhile and at the end."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.options import (
    JsonOption,
    WorkersOption,
    chosen_workers,
    print_json,
    result_console,
)
from pigglesim.cli.progress import finish_undisturbed
from pigglesim.cli.same_command import typed
from pigglesim.cli.study_options import IntervalOption, LevelOption
from pigglesim.cli.study_view import Watch
from pigglesim.cli.study_watch import open_beside
from pigglesim.errors import RecordError, SpecError
from pigglesim.verbs.waiting import tell_of_compiling

__all__ = ["Manner", "run_study"]

_SHOWN_FAULTS = 5
_QUICK = 5_000_000
"""Throws that are asked in some seconds, even after a stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """The flags that tell how a study is run and told: all that changes no throw."""

    level: LevelOption = None
    interval: IntervalOption = "wilson"
    workers: WorkersOption = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address of a Dask scheduler to run the study on. Default: this machine.",
        ),
    ] = None
    watch: Annotated[
        bool, typer.Option("--watch", help="Show throws in a window as they are made.")
    ] = False
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html and pictures.")
    ] = True
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    as_json: JsonOption = False


def run_study(plan: Any, folder: Path, manner: Manner) -> int:  # noqa: ANN401 (a Plan)
    """Run a study, show what came of it, and return the exit status."""
    from pigglesim.studies.cluster import expect_dask
    from pigglesim.studies.store import Store
    from pigglesim.verbs.study_told import chosen_level, chosen_method

    chosen_method(manner.interval)
    chosen_level(manner.level, plan.study)
    if manner.cluster:
        if manner.workers is not None:
            raise SpecError(
                "--cluster or --workers",
                got="both",
                remedy="leave --workers out: the cluster has its own",
            )
        expect_dask()
    with Store(folder, plan) as store:
        for note in store.notes:
            print(f"pigglesim: {note}", file=sys.stderr)
        compiling = False
        if not manner.quiet:
            print(f"pigglesim: {folder}, seed {plan.study.seed}", file=sys.stderr)
            throws = "drops" if plan.study.kind == "drop" else "pours"
            compiling = tell_of_compiling(plan.study.engine, throws=throws)
        if manner.watch:
            open_beside(folder)
        made = _throw(store, manner, compiling=compiling)
        progress, stopped = made.progress, made.stopped
        for number, fault in list(progress.failed.items())[:_SHOWN_FAULTS]:
            print(f"pigglesim: shard {number} was given up: {fault}", file=sys.stderr)
        if progress.failed and not stopped:
            print(f"pigglesim: {_given_up(store, progress)}", file=sys.stderr)
        if stopped:
            print(
                f"pigglesim: stopped; {progress.throws:,} throws are kept; "
                f"to go on: {typed('study', '--out', str(folder))}",
                file=sys.stderr,
            )
        _tell(plan, folder, progress, manner, stopped=stopped)
    return 130 if stopped else 1 if progress.failed else 0


def _given_up(store: Any, progress: Any) -> RecordError:  # noqa: ANN401 (late imports)
    """Return what to tell of shards that were given up."""
    return RecordError(
        "every shard to be made",
        got=f"{len(progress.failed):,} given up, {progress.throws:,} throws kept",
        remedy=f"fix the faults above, then {typed('study', '--out', str(store.folder))}",
    )


def _throw(store: Any, manner: Manner, *, compiling: bool) -> Any:  # noqa: ANN401 (late imports)
    """Make every shard that is missing; return how it went."""
    from pigglesim.verbs.study_told import chosen_level
    from pigglesim.verbs.studying import run_store

    level = chosen_level(manner.level, store.plan.study)
    with Watch(store.plan.study, level=level, quiet=manner.quiet, compiling=compiling) as watch:
        return run_store(
            store,
            workers=chosen_workers(manner.workers),
            cluster=manner.cluster,
            watch=watch,
            settle=finish_undisturbed,
        )


def _tell(plan: Any, folder: Path, progress: Any, manner: Manner, *, stopped: bool) -> None:  # noqa: ANN401 (late imports)
    """Show what a run came to, and write its report."""
    from pigglesim.cli.study_table import show_answers
    from pigglesim.studies.run import target_of
    from pigglesim.verbs.study_report import make_report
    from pigglesim.verbs.study_told import ask_folder

    study, target = plan.study, target_of(plan.study)
    said, files = None, list[Path]()
    if progress.throws and not (stopped and progress.throws > _QUICK):
        said = ask_folder(folder, level=manner.level, interval=manner.interval)
        if not manner.as_json and said.answers:
            show_answers(result_console(), said.answers)
        # Whoever stops a run wants to go: the report can be had later.
        if manner.report and not stopped:
            files, notes = make_report(said)
            for note in notes:
                print(f"pigglesim: {note}", file=sys.stderr)
    reached = {"reached": target.reached(progress.cells)} if target else {}
    if manner.as_json:
        document = {
            "folder": str(folder),
            "digest": plan.digest,
            "study": study.definition(),
            "stopped": stopped,
            **reached,
            "throws": progress.throws,
            "shards_kept": progress.kept,
            "shards_made": progress.made,
            "failed": {str(number): fault for number, fault in progress.failed.items()},
            "report": str(files[0]) if files else None,
            "answers": said.document()["answers"] if said else None,
        }
        print_json(document)
        return
    console = result_console()
    if reached and not stopped and not progress.failed and not reached["reached"]:
        console.print("the precision was not reached: raise --max-throws, in another folder")
    if files:
        console.print(f"report: {files[0]}", soft_wrap=True)
    elif stopped and progress.throws:
        console.print(f"so far: {typed('study', 'report', str(folder))}", soft_wrap=True)
    left = "" if progress.made or stopped or progress.failed else " · nothing was left to do"
    console.print(
        f"{folder} · {progress.throws:,} throws · {study.engine}, seed {study.seed}{left}",
        style="dim",
        soft_wrap=True,
    )
