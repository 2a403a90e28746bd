"""`pigglesim study`: run, watch, query and report a study in its folder, and write odds."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from csv import writer
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Timer
from typing import Annotated

import typer

from pigglesim.api.odds import measure_odds
from pigglesim.api.study import (
    StudyResult,
    chosen_level,
    compile_plan,
    read_study,
    results_of,
    run_study,
    settled_study,
    unfinished_study,
)
from pigglesim.api.study import study as study_throws
from pigglesim.api.study_parts import audit_study, merge_study, part_file, run_part
from pigglesim.chance.physical import FilmedChance
from pigglesim.cli import consoles, options
from pigglesim.cli.command_line import Click, CommandLine, Verb, Verbs
from pigglesim.cli.consoles import word_table
from pigglesim.cli.drawing import watch
from pigglesim.cli.flags import ARGUMENT, Flag, command_here, documented_by, typed_values
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.cli.study_tables import budgets_of, shares_in_short, show_query, show_results
from pigglesim.durable_io import atomic_file, check_target
from pigglesim.errors import RecordError, SpecError, unknown_name
from pigglesim.experiments import store
from pigglesim.experiments.dask_cluster import expect_dask
from pigglesim.experiments.factors import ThrowKind, factors_of
from pigglesim.experiments.floor_posterior import is_fit
from pigglesim.experiments.parts import Part, PartFile
from pigglesim.experiments.run import StudyProgress
from pigglesim.experiments.shard import StudyPlan, Thrower
from pigglesim.experiments.sql_sandbox import QueryAnswer, query_study
from pigglesim.experiments.statistics import Method
from pigglesim.experiments.stopping_rule import target_of
from pigglesim.experiments.study import Study, read_table
from pigglesim.limits import LEVEL
from pigglesim.render.viewer import Clip, Playlist
from pigglesim.scene.scene import Scene

FolderArgument = Annotated[Path, ARGUMENT, Flag(metavar="DIR"), "Folder of a study."]
IntervalOption = Annotated[
    str,
    Flag("--interval", metavar="FORM", choices=tuple(Method)),
    "Form of the intervals of shares: wilson or jeffreys.",
]
LevelOption = Annotated[
    float | None,
    LEVEL,
    "Confidence level of all intervals. Default: 0.95.",
]
_KINDS = ", ".join(ThrowKind)
_SHOWN_FAULTS = 5
_STARTED = 0.3
"""Time after which workers have been started [s]."""

_HELP = """Throw many times, save every throw, report shares with intervals.

A drop is one die on a floor, a pour a cup onto an empty board, a knock a cup onto six that stand.
One die can also be thrown as a flip, a roll along the floor, in a tumbler, and through a tower.
Each --factor NAME=LEVEL,LEVEL varies something: every combination is a cell. Throws of one number
start from the same random numbers in all cells, and each difference shows how much that narrows
it. `study factors` lists the factors. A level may have a unit of its own: --factor height=2in,50mm

If interrupted (Ctrl-C, kill, full disk), repeat the command, or give --out DIR alone, to resume.
The number of workers changes no bit. A worker that dies or hangs is replaced and its shard thrown
again, at most three times.

Examples:
    pigglesim study --kind drop --model piggle --throws 20000 --seed 5 --workers 2 --out drops
    pigglesim study --kind pour --model piggle --model premium --factor number=1,6 --half-width .01
    pigglesim study STUDY.toml --cluster tcp://host:8786
    pigglesim study --kind pour --throws 400 --out pours --watch
    pigglesim study show drops
    pigglesim study report drops
    pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"
    pigglesim study odds pours knocks --out odds.json

The view `throws` has one row per die; `study query DIR "DESCRIBE throws"` lists its columns.

A STUDY.toml sets the same in a file; flags override it: kind = "pour", models = ["piggle"],
throws = 400, seed = 5, and under [factors] a line such as friction = [0.2, 0.4].
"""
_DEFAULT = "run"


class _StudyGroup(Verbs):
    """Group of verbs that runs a study if the first word is not one of its verbs."""

    def parse_args(self, ctx: Click, args: list[str]) -> list[str]:
        """Insert the hidden verb if the words are its arguments."""
        first = args[0] if args else "--help"
        if first not in self.commands:
            if not (first.startswith("-") or first.endswith(".toml") or Path(first).exists()):
                verbs = (name for name in self.commands if name != _DEFAULT)
                raise unknown_name("verb of study, or a study file", first, verbs)
            args = [_DEFAULT, *(args or [first])]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


class _StudyCommand(Verb):
    """Hidden verb, which is never typed and which no usage line shows."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Click = None, **extra: Click
    ) -> Click:
        """Return a context with the name of its group."""
        return super().make_context("", args, parent, **extra)


study = CommandLine(cls=_StudyGroup, help=_HELP)


@study.command("watch")
def watch_throws(
    folder: FolderArgument, camera: options.Camera = "table", viewer: options.Viewer = "window"
) -> None:
    """Watch throws of a study in a window.

    The first throw of each shard is simulated again, bit for bit, as shards are finished. The study
    may still be running; nothing is changed.

    Examples:
        pigglesim study watch pours
        pigglesim study watch pours --camera top --viewer null
    """
    study = store.stored_study(folder)
    _expect_one_table(study)
    instead = f"--viewer null, or pigglesim study report {folder}"
    plan = StudyPlan.read(study)
    clips = Playlist(_clips(folder, plan), busy_text="Waiting for a shard")
    lines = watch(
        clips, plan.base.scene, title=f"{folder}", instead=instead, camera=camera, viewer=viewer
    )
    if lines:
        consoles.say("\n".join(lines))


def _expect_one_table(study: Study) -> None:
    """Raise SpecError for a study of drops, which has no table to show, or of several tables."""
    if study.kind.single:
        raise SpecError(
            f"a {study.kind} is on a floor, not on a table",
            fix="use --kind pour, or show the poses with pigglesim poses MODEL",
        )
    if len(study.places) > 1:
        raise SpecError("no window shows several tables", fix="watch a study of one scene")


def _clips(folder: Path, plan: StudyPlan) -> Iterator[Clip | None]:
    """Yield the first throw of each shard, in the order found; None while waiting."""
    study, thrower, seen = plan.study, Thrower(plan), set[int]()
    cells = study.cells()
    while len(seen) < study.shard_count:
        numbers = (number for number in store.shard_numbers(folder) if number < study.shard_count)
        number = next((number for number in numbers if number not in seen), None)
        if number is None:
            yield None
            continue
        seen.add(number)
        shard = study.shard(number)
        trial = shard.trials.start
        chance, request = thrower.pour(shard.cell, trial)
        _, film = FilmedChance(source=chance).filmed(request, index=trial)
        levels = ", ".join(f"{name} {level}" for name, level in cells[shard.cell].items())
        yield Clip(
            film=film,
            title=f"Throw {shard.first_throw}{f': {levels}' if levels else ''}",
            story=(f"trial {trial} of seed {study.seed}, shard {number} of {study.shard_count}",),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRunFlags:
    """Flags for running and showing a study, which do not affect its throws."""

    level: LevelOption = None
    interval: IntervalOption = "wilson"
    workers: options.Workers = None
    cluster: Annotated[str | None, Flag(metavar="ADDRESS")] = None
    watch: Annotated[bool, "Show throws in a window as they are made."] = False
    report: Annotated[bool, "Write report.html and pictures."] = True
    quiet: options.Quiet = False
    as_json: options.Json = False

    def run(self, plan: StudyPlan, folder: Path) -> None:
        """Make every missing shard, show the results, and exit."""
        if self.cluster:
            if self.workers is not None:
                raise SpecError(
                    "--workers with --cluster, which has its own", fix="leave --workers out"
                )
            expect_dask()
        workers = options.chosen_workers(self.workers)
        # This process waits for the others, and can do that much of the report meanwhile; not
        # before it has started them, which it would hold up.
        preparing = Timer(_STARTED, _prepare_report, (plan,))
        preparing.daemon = True
        if self.report and workers > 1:
            preparing.start()
        result = run_study(
            plan,
            folder,
            workers=workers,
            cluster=self.cluster,
            level=self.level,
            interval=self.interval,
            watching=self._watching,
            settle=ignore_interrupts,
        )
        assert result.run is not None
        resume = command_here("study", "--out", str(folder))
        for number, fault in list(result.failed.items())[:_SHOWN_FAULTS]:
            consoles.note(f"shard {number} was given up: {fault}")
        if result.stopped:
            consoles.note(f"stopped; {result.throws:,} throws are saved; to resume: {resume}")
        if preparing.is_alive():
            preparing.join()
        self._show(plan, result, result.run)
        consoles.exit_if_stopped(result.stopped)
        if result.failed:
            given_up = RecordError(
                f"{len(result.failed):,} shards given up, {result.throws:,} throws saved",
                fix=f"fix the faults above, then {resume}",
            )
            consoles.note(str(given_up))
            raise typer.Exit(1)

    def run_part(self, plan: StudyPlan, part: Part, place: Path) -> None:
        """Make a part of a study, unless it is there, show its file, and exit."""
        if self.cluster or self.watch:
            raise SpecError("--part with --cluster or --watch", fix="leave one out")
        file = part_file(plan, part, place)
        if file is None:
            result, file = run_part(
                plan,
                part,
                place,
                workers=options.chosen_workers(self.workers),
                watching=self._watching,
                settle=ignore_interrupts,
            )
            if file is None:
                for number, fault in list(result.failed.items())[:_SHOWN_FAULTS]:
                    consoles.note(f"shard {number} was given up: {fault}")
                consoles.note(f"{result.throws:,} throws are saved; repeat the command to resume")
                consoles.exit_if_stopped(result.stopped)
                raise typer.Exit(1)
        self._show_part(file)

    def _show_part(self, file: PartFile) -> None:
        part, study = file.part, file.study
        throws = sum(len(study.shard(number).trials) for number in file.sums)
        if self.as_json:
            consoles.print_json(
                {
                    "part": part.number,
                    "of": part.of,
                    "file": str(file.path),
                    "seal": file.seal,
                    "shards": len(file.sums),
                    "throws": throws,
                }
            )
            return
        consoles.say(f"{file.path}: part {part.number:,} of {part.of:,}, {throws:,} throws")
        print(f"seal {file.seal}")

    @contextmanager
    def _watching(self, opened: store.Store) -> Iterator[Callable[[StudyProgress], None]]:
        """Show the progress of a study while its folder is filled, and its throws with --watch."""
        study, folder = opened.plan.study, opened.path
        for line in opened.notes:
            consoles.note(line)
        if not self.quiet:
            consoles.note(f"{folder}, seed {study.seed}")
            if not self.cluster:
                compile_plan(opened.plan)
        if self.watch:
            # Run it in a separate process: it may outlive the study, or be closed earlier.
            command = [sys.executable, "-P", "-m", "pigglesim", "study", "watch", str(folder)]
            subprocess.Popen(command, stdin=subprocess.DEVNULL)
        level = chosen_level(self.level, study)
        existing = sum(len(study.shard(number).trials) for number in opened.finished)
        # The number of throws to a precision is known only from one check to the next.
        name = "throwing until the next check" if study.half_width else "throwing"
        with Work("throws", name, existing=existing, quiet=self.quiet) as work:

            def show_progress(progress: StudyProgress) -> None:
                later = existing - progress.kept_throws
                work.update(
                    progress.throws + later,
                    total=progress.wanted * study.cell_count + later,
                    # Intervals of the shares so far are those of counting alone.
                    results=lambda: "" if study.floors else shares_in_short(progress, level),
                )

            yield show_progress

    def _show(self, plan: StudyPlan, result: StudyResult, progress: StudyProgress) -> None:
        """Show the results of a run, and write its report."""
        target, files = target_of(plan.study), list[Path]()
        if result.answers and not self.as_json:
            consoles.show_unfinished(result.unfinished)
            show_results(consoles.result_console(), result.answers)
        # After Ctrl-C, exit without the report; it can be written later.
        if result.answers and self.report and not result.stopped:
            files, notes = result.write_report()
            for line in notes:
                consoles.note(line)
        reached = target.reached(progress.cells) if target else None
        if self.as_json:
            document = {
                **result.document(),
                "digest": plan.digest,
                "stopped": result.stopped,
                **({} if reached is None else {"reached": reached}),
                "shards_kept": progress.kept,
                "shards_made": progress.made,
                "failed": {str(number): fault for number, fault in progress.failed.items()},
                "report": str(files[0]) if files else None,
            }
            consoles.print_json(document)
        else:
            _show_end(result, progress, missed=reached is False, report=files[:1])


def _prepare_report(plan: StudyPlan) -> None:
    from pigglesim.render.study_report import prepare_report  # it draws, so it is slow to import

    place = plan.base.place
    prepare_report(plan.bodies.values(), place.board if isinstance(place, Scene) else None)


def _show_end(
    result: StudyResult, progress: StudyProgress, *, missed: bool, report: Sequence[Path]
) -> None:
    """Print what follows the results of a run: a missed precision, the report and the seed."""
    console, folder = consoles.result_console(), str(result.folder)
    complete = not (result.stopped or progress.failed)
    if complete and missed:
        console.print("the precision was not reached: raise --max-throws, in another folder")
    for page in report:
        console.print(f"report: {page}", soft_wrap=True)
    if result.stopped and progress.throws:
        console.print(f"so far: {command_here('study', 'report', folder)}", soft_wrap=True)
    note = " · nothing was left to do" if complete and not progress.made else ""
    line = (
        f"{folder} · {progress.throws:,} throws · {result.study.engine}, seed {result.study.seed}"
    )
    console.print(f"{line}{note}", style="dim", soft_wrap=True)


@study.command()
def factors(
    kind: Annotated[
        str | None,
        options.KIND,
        Flag(choices=tuple(ThrowKind)),
        f"Kind: {_KINDS}. Default: all.",
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the factors that a study may vary, with their units and bounds.

    Units and leading words may be left out: `height` is `height_mm` of a drop. A level may have a
    unit of its own, such as 2in.

    Examples:
        pigglesim study factors
        pigglesim study factors --kind drop --json
    """
    kinds = [ThrowKind(kind)] if kind else [*ThrowKind]
    found = {each: factors_of(each) for each in kinds}
    rows = {name: factor for own in found.values() for name, factor in own.items()}
    of = {name: [str(each) for each in kinds if name in found[each]] for name in rows}
    if as_json:
        entries = [
            {
                "name": name,
                "unit": factor.unit or None,
                "kinds": of[name],
                "low": factor.low if factor.kind is not str else None,
                "high": factor.high if math.isfinite(factor.high) else None,
                "about": factor.about,
            }
            for name, factor in rows.items()
        ]
        consoles.print_json({"factors": entries})
        return
    cells = (
        (name, factor.bounds, factor.about, ", ".join(of[name])) for name, factor in rows.items()
    )
    consoles.result_console().print(word_table("factor", "levels", "meaning", "of", rows=cells))


@study.command()
def query(
    folder: FolderArgument,
    question: Annotated[str, ARGUMENT, Flag(metavar="SQL"), "Question in SQL: one SELECT."],
    csv: Annotated[
        Path | None, Flag(metavar="FILE", suffixes=(".csv",)), "CSV file for all rows."
    ] = None,
    time_limit: Annotated[
        float,
        Flag(low=0.1, high=1e6),
        "Time limit of the answer, its printing included. [s]",
    ] = 300.0,
    as_json: options.Json = False,
) -> None:
    """Query the throws of a study in SQL.

    One SELECT from the view `throws`, which has one row per die; `DESCRIBE throws` lists its
    columns. The answer about an unfinished study begins with its progress. JSON has it under
    `unfinished`, null for a finished study, and the answer under `rows`.

    Examples:
        pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"
        pigglesim study query pours "SELECT zone, avg(points) FROM throws GROUP BY ALL" --json
        pigglesim study query pours "SELECT * FROM throws" --csv throws.csv
    """
    if csv is not None:
        check_target(csv, ".csv")
    with query_study(folder, question, seconds=time_limit) as answer:
        unfinished = unfinished_study(folder)
        if csv is not None:
            count = _write_csv(answer, csv)
            if as_json:
                document = {"unfinished": unfinished or None, "csv": str(csv), "rows": count}
                consoles.print_json(document)
            else:
                consoles.show_unfinished(unfinished)
                consoles.say(f"{csv}: {count:,} rows")
            return
        if not as_json:
            consoles.show_unfinished(unfinished)
            show_query(answer)
            return
        # Print row by row: an answer may be larger than memory.
        print(f'{{"unfinished": {consoles.json_text(unfinished or None)},\n"rows": [', end="")
        between = ""
        for row in answer.rows:
            entry = dict(zip(answer.columns, row, strict=True))
            print(between, consoles.json_text(entry), sep="\n ", end="")
            between = ","
        print("\n]}" if between else "]}")


def _write_csv(answer: QueryAnswer, file: Path) -> int:
    """Write an answer row by row, as it may be larger than memory; return the number of rows."""
    count = 0
    with atomic_file(file) as path, path.open("w", encoding="utf-8", newline="") as stream:
        lines = writer(stream, lineterminator="\n")
        lines.writerow(answer.columns)
        for row in answer.rows:
            lines.writerow(row)
            count += 1
    return count


@study.command()
def show(folder: FolderArgument, as_json: options.Json = False) -> None:
    """Show the definition and the progress of a study, and the error budget of one on a fit.

    Examples:
        pigglesim study show drops
        pigglesim study show drops --json
    """
    stored, study = store.read_definition(folder), store.stored_study(folder)
    shards = store.whole_shards(folder, study)
    # Only the text has the error budget.
    budget = bool(study.floors) and not as_json
    result = results_of(folder, study, shards, answers=budget)
    document = {
        "folder": str(folder),
        "study": study.definition(),
        "made_of": stored["made_of"],
        "digest": stored["digest"],
        "unfinished": result.unfinished or None,
        "cells": study.cell_count,
        "shards_done": len(shards),
        "shards_at_most": study.shard_count,
        "throws_done": sum(len(study.shard(number).trials) for number in shards),
        "throws_at_most": study.most_throws * study.cell_count,
        "bytes": sum(path.stat().st_size for path in shards.values()),
    }
    if as_json:
        consoles.print_json(document)
        return
    bound = "at most " if study.half_width else ""
    console = consoles.result_console()
    consoles.show_unfinished(result.unfinished)
    console.print(
        f"{folder}: {document['throws_done']:,} of {bound}{document['throws_at_most']:,} throws, "
        f"{len(shards):,} of {bound}{study.shard_count:,} shards, "
        f"{document['bytes'] / 1e6:,.1f} MB",
        soft_wrap=True,
    )
    for table in (document["study"], document["made_of"]):
        for key, value in table.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            console.print(f"  {key:15} {text}", soft_wrap=True)
    if result.answers:
        console.print()
        console.print(consoles.budget_table(budgets_of(result.answers.cells)))


@study.command("merge")
@documented_by(merge_study)
def merge_parts(
    parts: Annotated[list[Path], ARGUMENT, Flag(metavar="PART...")],
    out: Annotated[Path, Flag(metavar="DIR")],
    partial: bool = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Merge the parts of a study into its folder, after checking every shard.

    Every part has to be there once, made by the same versions from the same files. If interrupted,
    repeat the command.

    Examples:
        pigglesim study merge parts --out pours
        pigglesim study merge parts --out pours --partial --json
    """
    with Work("shards", "merging", quiet=quiet) as work:
        result = merge_study(
            parts, out, partial=partial, progress=lambda done, wanted: work.update(done, wanted)
        )
    if as_json:
        consoles.print_json(result.document())
        return
    if result.answers:
        consoles.show_unfinished(result.unfinished)
        show_results(consoles.result_console(), result.answers)
    consoles.say(f"{out} · {result.how_far}")


@study.command("audit")
@documented_by(audit_study)
def audit(
    folder: FolderArgument,
    share: float = 0.01,
    seed: options.Seed = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Throw some shards of a study again, drawn at random, and compare every bit.

    It is for studies that were made on other machines. It fails if any shard differs.

    Examples:
        pigglesim study audit pours
        pigglesim study audit pours --share 0.1 --json
    """
    with Work("shards", "throwing again", quiet=quiet) as work:
        found = audit_study(
            folder,
            share=share,
            seed=seed,
            workers=options.chosen_workers(workers),
            progress=lambda done, wanted: work.update(done, wanted),
        )
    if as_json:
        consoles.print_json(found.document())
    else:
        consoles.say(
            f"{folder}: {len(found.again):,} of {found.shards:,} shards thrown again, "
            f"{len(found.different):,} differ: a share of {found.share} of all shards"
        )
    if found.different:
        shown = ", ".join(map(str, found.different[:10]))
        fault = RecordError(
            f"shards that differ: {shown}{', ...' if len(found.different) > 10 else ''}",
            fix="find out how they were made, and make the study again",
        )
        consoles.note(str(fault))
        raise typer.Exit(1)


@study.command()
def repair(folder: FolderArgument) -> None:
    """Put aside every file of a study that is not one of its shards.

    Such files are moved to the folder torn/ in the study. Run the study again to make the missing
    throws.

    Examples:
        pigglesim study repair drops
    """
    notes = store.put_aside(folder)
    for line in notes:
        consoles.say(line)
    whole = f"{len(store.shard_numbers(folder)):,} shards are whole"
    consoles.say(f"{folder}: {whole}" if notes else f"{folder}: nothing to put aside, {whole}")


@study.command()
def report(
    folder: FolderArgument,
    level: LevelOption = None,
    interval: IntervalOption = "wilson",
    as_json: options.Json = False,
) -> None:
    """Show the results of a study and write report.html and pictures.

    The report of an unfinished study covers the throws so far, and says so first.

    Examples:
        pigglesim study report drops
        pigglesim study report drops --level 0.99 --interval jeffreys
    """
    result = read_study(folder, level=level, interval=interval)
    files, notes = result.write_report()
    pictures = [path for path in files if path.suffix == ".png"]
    for line in notes:
        consoles.note(line)
    if as_json:
        paths = {"report": str(files[0]), "pictures": [str(path) for path in pictures]}
        consoles.print_json({**result.document(), **paths, "notes": notes})
        return
    console = consoles.result_console()
    consoles.show_unfinished(result.unfinished)
    if result.answers:
        show_results(console, result.answers)
    console.print(f"report: {files[0]}", soft_wrap=True)
    console.print(
        f"{len(pictures)} pictures, each as .png and .svg: {pictures[0].parent}", soft_wrap=True
    )
    console.print(f"{folder} · {result.how_far}", style="dim", soft_wrap=True)


@study.command()
@documented_by(measure_odds)
def odds(
    folders: Annotated[
        list[Path], ARGUMENT, Flag(metavar="DIR..."), "Folders of studies of pours and of knocks."
    ],
    out: Annotated[Path, "File to write, NAME.json."],
    model: Annotated[str | None, options.MODEL] = None,
    seed: Annotated[int, "Root seed of the rolls that are compared."] = 1,
    partial: Annotated[bool, "Use unfinished studies, too; the file says so."] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write the odds of a model, for matches without physics.

    Studies of pours give the landings by the number thrown; studies of knocks also give the
    knocks. They vary only `number`, models and, for knocks, `standing`. The odds treat the Piggles
    of a pour as independent; the cost of this is reported as the total variation from the throws.
    An unfinished study is refused, as numbers of Piggles may be missing, unless --partial is given.

    Examples:
        pigglesim study --kind pour --factor number=1,2,3,4,5,6 --throws 2000 --out pours
        pigglesim study --kind knock --factor number=1,3,6 --factor standing=2,6 --out knocks
        pigglesim study odds pours knocks --out odds.json
        pigglesim match --chance tabular --odds odds.json
    """
    written = measure_odds(
        folders,
        model=model,
        seed=options.chosen_seed(seed),
        partial=partial,
        out=out,
        overwrite=force,
    )
    sources = zip(folders, written.source["studies"], strict=True)
    unfinished = {str(folder): of["unfinished"] for folder, of in sources if "unfinished" in of}
    if as_json:
        departures = [asdict(departure) for departure in written.departures]
        document = {"odds": str(out), "model": written.model, "departures": departures}
        consoles.print_json({**document, "unfinished": unfinished or None})
        return
    console = consoles.result_console()
    for folder, state in unfinished.items():
        consoles.show_unfinished(f"{state} of {folder}")
    if written.departures:
        numbers = (">thrown", ">standing", ">throws", ">value", ">by noise alone", ">bounds")
        rows = (
            (
                each.quantity, str(each.thrown), str(each.standing), f"{each.throws:,}",
                f"{each.value:.3f}", f"{each.floor:.3f}", f"{each.low:.3f} to {each.high:.3f}",
            )
            for each in written.departures
        )  # fmt: skip
        console.print(word_table("total variation of", *numbers, rows=rows))
    use = command_here("match", "--chance", "tabular", "--odds", str(out))
    console.print(f"odds of {written.model}: {use}", soft_wrap=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFlags:
    """Flags for the throws of a study, and their number."""

    kind: Annotated[str | None, options.KIND, f"Kind: {_KINDS}. Default: drop."] = None
    model: Annotated[
        list[str] | None,
        options.MODEL,
        "Model thrown; repeatable, each a level. In a pour also a,b,c for one cup. "
        "Default: piggle.",
    ] = None
    throws: int | None = None
    half_width: float | None = None
    max_throws: Annotated[int | None, "Maximum throws per cell, with --half-width."] = None
    factor: Annotated[
        list[str] | None,
        options.FACTOR,
        "Factor and its levels, such as friction=0.2,0.4 or height=50mm,100mm; repeatable.",
    ] = None
    scene: Annotated[
        str | None,
        options.SCENE_OR_FLOOR,
        "Scene, or floor of a single die: a name or a TOML file. Default: piggles_classic, of a "
        "single die tabletop.",
    ] = None
    floor: Annotated[
        str | None,
        options.FLOORS,
        "Fit whose floors are drawn, one for each throw: printed, or a fit's folder. Intervals "
        "then include the uncertainty of the floor. For a drop also one floor, as --scene.",
    ] = None
    seed: options.Seed = None
    engine: options.FastEngine = None
    shard_size: int | None = None

    def study(self, file: Path | None, folder: Path | None, *, level: float | None) -> Study:
        """Return the study of a file and these flags; values not given come from its folder."""
        floors, scene = self._floors_and_scene()
        values = typed_values(
            self,
            floor=None,
            floors=floors,
            scene=scene,
            model=None,
            models=self.model,
            factor=None,
            factors=options.factor_levels(self.factor or []),
        )
        known = folder is not None and (folder / "study.json").is_file()
        stored = store.stored_study(folder) if folder and known else None
        if stored and file is None and not values:
            return stored
        table = {**(read_table(file) if file else {}), **values}
        if level is not None and "half_width" in table:
            # A half-width needs a level; other studies take it when reporting.
            table["level"] = level
        source = "the flags" if file is None else file.name
        return settled_study(table, seed=stored.seed if stored else None, source=source)

    def _floors_and_scene(self) -> tuple[str | None, str | None]:
        """Return the fit whose floors are drawn, and the scene, which of a drop is its floor."""
        if self.floor is None:
            return None, self.scene
        if is_fit(self.floor):
            return self.floor, self.scene
        if self.scene:
            raise SpecError("--floor and --scene are the same here", fix="leave one out")
        return None, self.floor


@study.command(_DEFAULT, help=_HELP, hidden=True, cls=_StudyCommand)
@documented_by(study_throws)
def run_or_resume(
    *,
    file: Annotated[
        Path | None, ARGUMENT, Flag(metavar="STUDY.toml"), "Study file, instead of flags."
    ] = None,
    flags: StudyFlags,
    out: Annotated[
        Path | None, Flag(metavar="DIR"), "Folder of the study. Default: a new one in ./studies."
    ] = None,
    part: Annotated[
        str | None,
        Flag(metavar="K/N"),
        "Make only part K of N, such as 17/1000, as a file in --out, for `study merge`.",
    ] = None,
    running: StudyRunFlags,
) -> None:
    """Run a study into its folder."""
    if part is not None:
        if out is None:
            raise SpecError("--part without --out", fix="use --out parts in every part")
        if flags.seed is None and "seed" not in (read_table(file) if file else {}):
            raise SpecError("--part without a seed", fix="use the same --seed in every part")
        plan = StudyPlan.of(flags.study(file, None, level=running.level))
        running.run_part(plan, Part.parse(part, plan.study), out)
        return
    plan = StudyPlan.of(flags.study(file, out, level=running.level))
    if running.watch:
        from pigglesim.render.window import expect_window

        _expect_one_table(plan.study)
        expect_window(instead="leave --watch out: the report draws the throws")
    models = (re.sub(r".*/|\.toml$", "", name) for name in plan.study.models)
    folder = out or options.new_folder("studies", plan.study.kind, *models, plan.digest[:8])
    running.run(plan, folder)
