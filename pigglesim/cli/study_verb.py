"""`pigglesim study`: many throws, kept in a folder, resumed, asked."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    SeedOption,
    chosen_engine,
    chosen_floor_engine,
    chosen_seed,
    print_json,
    result_console,
)
from pigglesim.cli.progress import finish_undisturbed
from pigglesim.cli.study_view import Watch, reached, run_document, show_answer, show_run
from pigglesim.errors import SpecError, unknown_name

__all__ = ["register"]

_HELP = """Throw many times, keep every throw in a folder, and tell the shares with intervals.

A drop is one die on a floor, a pour a cup onto an empty board, a knock a cup onto six that stand. \
Each --factor NAME=LEVEL,LEVEL varies something: every combination is a cell, and cells start from \
the same random numbers. What can be varied is told where a name is wrong: --factor ?=1

Stopped at any moment (Ctrl-C, a kill, a full disk), the same command goes on where it was, or \
--out DIR alone. How many workers there are changes no bit.

Examples:

  pigglesim study --kind drop --throws 20000 --seed 5 --workers 2 --out drops

  pigglesim study --kind pour --model piggle --model premium --factor number=1,6 --half-width .01

  pigglesim study STUDY.toml --cluster tcp://host:8786

  pigglesim study show drops

  pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"

A STUDY.toml says the same in a file, and flags go before it: kind = "pour", models = ["piggle"], \
throws = 400 (or half_width = 0.01, level, max_throws), seed = 5, scene, engine, shard_size, and \
under [factors] a line such as friction = [0.2, 0.4].
"""
_QUERY_HELP = """Ask the throws of a study in SQL: one SELECT from the view `throws`.

There is a row for each die of each throw; DESCRIBE throws tells its columns.

Examples:

  pigglesim study query drops "SELECT pose, count(*) AS n FROM throws GROUP BY ALL ORDER BY n"

  pigglesim study query pours "SELECT zone, avg(points) FROM throws GROUP BY ALL" --json
"""
_DEFAULT = "run"
_FEW = {"drop": 10_000, "pour": 400, "knock": 400}
"""Throws where nothing says how many: half a minute or two on one core."""
_SHOWN_FAULTS = 5


class _StudyGroup(TyperGroup):
    """Runs a study where the first word is no verb of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (click's)
        """Put the hidden verb in front of words that are its own."""
        first = args[0] if args else "--help"
        if first not in self.commands:
            if not (first.startswith("-") or first.endswith(".toml") or Path(first).exists()):
                verbs = (name for name in self.commands if name != _DEFAULT)
                raise unknown_name("verb of study, or a study file", first, verbs)
            args = [_DEFAULT, *(args or [first])]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    verbs = typer.Typer(cls=_StudyGroup, help=_HELP, rich_markup_mode="rich")
    verbs.command(_DEFAULT, help=_HELP, hidden=True)(study)
    verbs.command("query", help=_QUERY_HELP)(query)
    verbs.command("show")(show)
    app.add_typer(verbs, name="study", short_help="Throw many times, keep and ask every throw.")


def study(
    file: Annotated[
        Path | None, typer.Argument(metavar="STUDY.toml", help="The study, in place of flags.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="drop, pour or knock.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="What is thrown; given again, a level. Of a pour also a,b,c: one cup."),
    ] = None,
    throws: Annotated[int | None, typer.Option(help="Of each cell.")] = None,
    half_width: Annotated[
        float | None, typer.Option(help="Throw until every share is known to this, instead.")
    ] = None,
    level: Annotated[float | None, typer.Option(help="Of the intervals then; .95.")] = None,
    max_throws: Annotated[int | None, typer.Option(help="Of each cell then, at most.")] = None,
    factor: Annotated[
        list[str] | None, typer.Option(help="What is varied, as in friction=0.2,0.4.")
    ] = None,
    scene: Annotated[
        str | None, typer.Option(help="The table, or the floor of a drop: a name or a TOML file.")
    ] = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder; ./studies/... if absent.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes. All cores if absent.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler that does the work instead.")
    ] = None,
    shard_size: Annotated[int | None, typer.Option(help="Throws a file of the folder.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a study into its folder."""
    from pigglesim.studies.identity import Plan
    from pigglesim.studies.store import StoreError

    flags: dict[str, Any] = {
        "kind": kind,
        "models": model,
        "throws": throws,
        "half_width": half_width,
        "level": level,
        "max_throws": max_throws,
        "scene": scene,
        "seed": None if seed is None else chosen_seed(seed),
        "engine": engine,
        "shard_size": shard_size,
        "factors": _factors(factor or []),
    }
    given = {name: value for name, value in flags.items() if value not in (None, [], {})}
    plan = Plan.of(_asked(file, given, out))
    folder = out or Path("studies") / _folder_name(plan)
    try:
        code = _run(plan, folder, workers or os.cpu_count() or 1, cluster, quiet, as_json)
    except StoreError as fault:
        print(f"pigglesim: {fault}", file=sys.stderr)
        code = 1
    if code:
        raise typer.Exit(code)


def _factors(words: list[str]) -> dict[str, list[str]]:
    """Return levels, as text, by factor."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, equals, levels = word.partition("=")
        if not equals or not levels.strip():
            raise SpecError(
                "a factor as NAME=LEVEL,LEVEL", got=repr(word), remedy="--factor friction=0.2,0.4"
            )
        found.setdefault(name.strip(), []).extend(level.strip() for level in levels.split(","))
    return found


def _asked(file: Path | None, given: dict[str, Any], out: Path | None) -> Any:  # noqa: ANN401 (a Study)
    """Return the study that a file and flags ask for; what only the folder knows is taken there."""
    from pigglesim.studies.store import stored_study
    from pigglesim.studies.study import Study
    from pigglesim.studies.study_file import checked_table, read_table

    there = out if out and (out / "study.json").is_file() else None
    if there and file is None and not given:
        return stored_study(there)
    source = "the flags" if file is None else file.name
    table = checked_table(read_table(file) if file else {}, source=source)
    table = checked_table({**table, **given}, source="the flags")
    found = str(table["kind"])
    if found == "drop":
        # One die has no cup: commas stand between levels.
        table["models"] = [name.strip() for word in table["models"] for name in word.split(",")]
    if not {"throws", "half_width", "level", "max_throws"} & table.keys():
        table["throws"] = _FEW[found]
    if "seed" not in table:
        table["seed"] = stored_study(there).seed if there else chosen_seed(None)
    choose = chosen_floor_engine if found == "drop" else chosen_engine
    table["engine"] = choose(table.get("engine"))
    return Study.from_definition(table)


def _folder_name(plan: Any) -> str:  # noqa: ANN401 (a Plan)
    models = "-".join(re.sub(r".*/|\.toml$", "", name) for name in plan.study.models)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{plan.study.kind}-{models}")[:60]
    return f"{name}-{plan.digest[:8]}"


def _run(
    plan: Any,  # noqa: ANN401 (a Plan)
    folder: Path,
    workers: int,
    cluster: str | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Run a study, show what came of it, and return the exit status."""
    from pigglesim.studies.made import Job
    from pigglesim.studies.run import Progress, recounted, run
    from pigglesim.studies.store import Store

    stopped, progress = False, Progress(cells=[])

    def keep(seen: Progress) -> None:
        nonlocal progress
        progress = seen
        watch(seen)

    with Store(folder, plan) as store:
        progress.kept = len(store.finished)
        for note in store.notes:
            print(f"pigglesim: {note}", file=sys.stderr)
        if not quiet:
            print(f"pigglesim: {folder}, seed {plan.study.seed}", file=sys.stderr)
        try:
            with (
                Watch(plan.study, quiet=quiet) as watch,
                _executor(Job.of(plan), workers, cluster, store) as executor,
            ):
                try:
                    progress = run(store, executor, watch=keep)
                except KeyboardInterrupt:
                    # From here on: a second one would lose what the first shall show.
                    finish_undisturbed()
                    raise
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
            progress = recounted(store, progress)
    for number, fault in list(progress.failed.items())[:_SHOWN_FAULTS]:
        print(f"pigglesim: shard {number} was given up: {fault}", file=sys.stderr)
    if stopped:
        print(
            f"pigglesim: stopped; {progress.throws:,} throws are kept; "
            f"to go on: pigglesim study --out {folder}",
            file=sys.stderr,
        )
    _tell(plan, folder, progress, stopped, as_json)
    return 130 if stopped else 1 if progress.failed else 0


def _executor(job: Any, workers: int, cluster: str | None, store: Any) -> Any:  # noqa: ANN401 (late imports)
    """Return what does the shards; processes are not started for nothing to do."""
    from pigglesim.studies.executor import InProcess

    missing = store.plan.study.shard_count - len(store.finished)
    if not missing:
        return InProcess(job)
    if cluster:
        from pigglesim.studies.cluster import Cluster

        return Cluster(job, cluster)
    if min(workers, missing) == 1:
        return InProcess(job)
    from pigglesim.studies.local import LocalWorkers

    return LocalWorkers(job, min(workers, missing))


def _tell(plan: Any, folder: Path, progress: Any, stopped: bool, as_json: bool) -> None:  # noqa: ANN401 (late imports)
    """Show what a run came to."""
    if as_json:
        head = {"folder": str(folder), "digest": plan.digest, "stopped": stopped}
        print_json(head | {"study": plan.study.definition()} | run_document(plan.study, progress))
        return
    if progress.throws:
        show_run(plan.study, progress)
    console = result_console()
    if plan.study.precision and not stopped and not reached(plan.study, progress):
        console.print("the precision was not reached: raise --max-throws, in another folder")
    left = "" if progress.made or stopped or progress.failed else " · nothing was left to do"
    level = plan.study.precision.level if plan.study.precision else 0.95
    console.print(
        f"{folder} · {progress.throws:,} throws · intervals hold {level:.0%} · "
        f"{plan.study.engine}, seed {plan.study.seed}{left}",
        style="dim",
        soft_wrap=True,
    )


def query(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")],
    question: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT.")],
    as_json: JsonOption = False,
) -> None:
    """Ask the throws of a study."""
    from pigglesim.studies.query import ask, open_throws

    with open_throws(folder) as connection:
        answer = ask(connection, question)
        if not as_json:
            show_answer(answer)
            return
        # Row by row: an answer may be longer than memory.
        between = "["
        for row in answer.rows:
            entry = dict(zip(answer.columns, row, strict=True))
            print(
                between, json.dumps(entry, ensure_ascii=False, allow_nan=False), sep="\n ", end=""
            )
            between = ","
        print("\n]" if between == "," else "[]")


def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")],
    as_json: JsonOption = False,
) -> None:
    """Tell what the study in a folder is, and how far it has come.

    Example: pigglesim study show drops
    """
    from pigglesim.studies.store import read_definition, shard_files, stored_study

    known, found = read_definition(folder), stored_study(folder)
    files = [path for path in shard_files(folder) if path.stem.isdigit()]
    numbers = [int(path.stem) for path in files if int(path.stem) < found.shard_count]
    document = {
        "folder": str(folder),
        "study": found.definition(),
        "made_of": known["made_of"],
        "digest": known["digest"],
        "cells": found.cell_count,
        "shards_done": len(numbers),
        "shards_at_most": found.shard_count,
        "throws_done": sum(len(found.shard(number).trials) for number in numbers),
        "throws_at_most": found.most_throws * found.cell_count,
        "bytes": sum(path.stat().st_size for path in files),
    }
    if as_json:
        print_json(document)
        return
    most = "at most " if found.precision else ""
    console = result_console()
    console.print(
        f"{folder}: {document['throws_done']:,} of {most}{document['throws_at_most']:,} throws, "
        f"{len(numbers):,} of {most}{found.shard_count:,} shards, "
        f"{document['bytes'] / 1e6:,.1f} MB",
        soft_wrap=True,
    )
    for table in (document["study"], document["made_of"]):
        for key, value in table.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            console.print(f"  {key:15} {text}", soft_wrap=True)
