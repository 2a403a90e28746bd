"""Verbs that ask the folder of a study: query, show, report and odds."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pigglesim.cli import completions
from pigglesim.cli.consoles import json_text
from pigglesim.cli.options import ForceOption, JsonOption, print_json, result_console
from pigglesim.cli.study_options import IntervalOption, LevelOption
from pigglesim.cli.study_view import show_answer
from pigglesim.cli.study_watch import WATCH_HELP, watch_throws
from pigglesim.errors import one_line

__all__ = ["register_folder_verbs"]

_QUERY_HELP = """Ask the throws of a study in SQL.

One SELECT from the view `throws`, which has one row per die; `DESCRIBE throws` lists its columns.

Examples:

  pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"

  pigglesim study query pours "SELECT zone, avg(points) FROM throws GROUP BY ALL" --json
"""
_ODDS_HELP = """Write the odds of a model, for matches without physics.

Studies of pours tell how Piggles lie by the number thrown, studies of knocks what is knocked too. \
They vary `number` (and `standing`, of knocks) and nothing else, but models. A table takes the \
Piggles of a pour as independent: what that costs is told as a total variation from the throws.

Examples:

  pigglesim study --kind pour --factor number=1,2,3,4,5,6 --throws 2000 --out pours

  pigglesim study --kind knock --factor number=1,3,6 --factor standing=2,6 --out knocks

  pigglesim study odds pours knocks --out odds.json

  pigglesim match --chance tabular --odds odds.json
"""
_SHOW_HELP = """Show what a study is and how far it has come.

Examples:

  pigglesim study show drops

  pigglesim study show drops --json
"""
_REPORT_HELP = """Show the results of a study and write report.html and pictures.

The report of an unfinished study covers the throws so far.

Examples:

  pigglesim study report drops

  pigglesim study report drops --level 0.99 --interval jeffreys
"""
_REPAIR_HELP = """Put aside every file of a study that is not one of its shards.

Such files go to the folder torn/ in the study. Run the study again to throw what is missing then.

Examples:

  pigglesim study repair drops
"""
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a study.")]


def register_folder_verbs(verbs: typer.Typer) -> None:
    """Add the verbs to those of `study`."""
    verbs.command("report", help=_REPORT_HELP)(report)
    verbs.command("show", help=_SHOW_HELP)(show)
    verbs.command("repair", help=_REPAIR_HELP)(repair)
    verbs.command("query", help=_QUERY_HELP)(query)
    verbs.command("odds", help=_ODDS_HELP)(odds)
    verbs.command("watch", help=WATCH_HELP)(watch_throws)


def query(
    folder: FolderArgument,
    question: Annotated[str, typer.Argument(metavar="SQL", help="Question in SQL: one SELECT.")],
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Time limit of the answer, its printing included. [s]"),
    ] = 300.0,
    as_json: JsonOption = False,
) -> None:
    """Ask the throws of a study."""
    from pigglesim.studies.sql_sandbox import answered

    with answered(folder, question, seconds=time_limit) as answer:
        if not as_json:
            show_answer(answer)
            return
        # Row by row: an answer may be longer than memory.
        between = "["
        for row in answer.rows:
            entry = dict(zip(answer.columns, row, strict=True))
            print(between, json_text(entry), sep="\n ", end="")
            between = ","
        print("\n]" if between == "," else "[]")


def show(
    folder: FolderArgument,
    as_json: JsonOption = False,
) -> None:
    """Show a study."""
    from pigglesim.studies.store import read_definition, stored_study, whole_shards

    known, found = read_definition(folder), stored_study(folder)
    shards = whole_shards(folder)
    document = {
        "folder": str(folder),
        "study": found.definition(),
        "made_of": known["made_of"],
        "digest": known["digest"],
        "cells": found.cell_count,
        "shards_done": len(shards),
        "shards_at_most": found.shard_count,
        "throws_done": sum(len(found.shard(number).trials) for number in shards),
        "throws_at_most": found.most_throws * found.cell_count,
        "bytes": sum(path.stat().st_size for path in shards.values()),
    }
    if as_json:
        print_json(document)
        return
    most = "at most " if found.precision else ""
    console = result_console()
    console.print(
        f"{folder}: {document['throws_done']:,} of {most}{document['throws_at_most']:,} throws, "
        f"{len(shards):,} of {most}{found.shard_count:,} shards, "
        f"{document['bytes'] / 1e6:,.1f} MB",
        soft_wrap=True,
    )
    for table in (document["study"], document["made_of"]):
        for key, value in table.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            console.print(f"  {key:15} {text}", soft_wrap=True)


def repair(folder: FolderArgument) -> None:
    """Repair a study."""
    from pigglesim.studies.store import put_aside, shard_numbers

    notes = put_aside(folder)
    for note in notes:
        print(note)
    left = f"{len(shard_numbers(folder)):,} shards are whole"
    print(f"{folder}: {left}" if notes else f"{folder}: nothing to put aside, {left}")


def report(
    folder: FolderArgument,
    level: LevelOption = None,
    interval: IntervalOption = "wilson",
    as_json: JsonOption = False,
) -> None:
    """Report a study."""
    from pigglesim.cli.study_table import show_answers
    from pigglesim.verbs.study_report import make_report
    from pigglesim.verbs.study_told import ask_folder

    said = ask_folder(folder, level=level, interval=interval)
    files, notes = make_report(said)
    pictures = [path for path in files if path.suffix == ".png"]
    for note in notes:
        print(f"pigglesim: {one_line(note)}", file=sys.stderr)
    if as_json:
        told = {"report": str(files[0]), "pictures": [str(path) for path in pictures]}
        print_json({**said.document(), **told, "notes": notes})
        return
    console = result_console()
    if said.answers:
        show_answers(console, said.answers)
    console.print(f"report: {files[0]}", soft_wrap=True)
    console.print(
        f"{len(pictures)} pictures, each as .png and .svg: {pictures[0].parent}", soft_wrap=True
    )
    console.print(f"{folder} · {said.how_far}", style="dim", soft_wrap=True)


def odds(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders of studies of pours and of knocks."),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write, NAME.json.")],
    model: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.models,
            metavar="MODEL",
            help="Model whose odds are written. Default: the only one thrown.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Root seed of the rolls that are compared.")] = 1,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write odds."""
    from dataclasses import asdict

    from pigglesim.cli.options import chosen_seed
    from pigglesim.verbs.odds import measure_odds

    found = measure_odds(folders, model=model, seed=chosen_seed(seed), out=out, overwrite=force)
    if as_json:
        departures = [asdict(each) for each in found.departures]
        print_json({"odds": str(out), "model": found.model, "departures": departures})
        return
    _show_odds(found)
    result_console().print(
        f"odds of {found.model}: pigglesim match --chance tabular --odds {out}", soft_wrap=True
    )


def _show_odds(found: Any) -> None:  # noqa: ANN401 (Odds)
    """Print how far rolls by odds are from the throws."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("total variation of")
    for name in ("thrown", "standing", "throws", "value", "by noise alone", "bounds"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found.departures:
        table.add_row(
            each.of,
            str(each.thrown),
            str(each.standing),
            f"{each.throws:,}",
            f"{each.value:.3f}",
            f"{each.floor:.3f}",
            f"{each.low:.3f} to {each.high:.3f}",
        )
    console = result_console()
    if found.departures:
        console.print(table)
