"""`pigglesim odds`: whether what is rolled by odds comes out as on physics."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.chance.odds import load_odds
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.completions import ENGINE, MODEL
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import (
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_fast_engine,
    chosen_seed,
    chosen_workers,
)
from pigglesim.physics.engines import make_engine
from pigglesim.studies.odds_check import Check, OddsCheck, check_odds

odds = CommandLine(
    help="Check the odds that `pigglesim study odds` writes against physics.", no_args_is_help=True
)


@odds.command()
def check(
    model: Annotated[str, MODEL, "Model: piggle or premium."] = "piggle",
    file: Annotated[
        Path | None, Flag("--odds"), "A file written by `study odds`. Default: those of the model."
    ] = None,
    matches: Annotated[int, Flag(low=2), "Matches on physics."] = 100,
    throws: Annotated[
        int | None, Flag(low=2), "Throws of each number on physics. Default: as many as --matches."
    ] = None,
    workers: WorkersOption = None,
    seed: SeedOption = None,
    engine: Annotated[
        str | None, ENGINE, "Physics engine. Default: the fastest that is installed."
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play and throw on physics and by odds, and show both side by side.

    Matches of Classic, greedy against greedy: the mean of both scores, and how many Piggles are
    knocked to another pose (flips), are knocked, and are knocked to another zone. Throws of 1, 3
    and 6 onto the six of the other team: how each of these stood, and how it lies then, as its pose
    and the points that its zone pays. By odds each match and each throw is done ten times. All
    throws are new: no table was measured on them. Lines marked apart have intervals that do not
    overlap; of 20 equal numbers, fewer than one is. Nothing is written. Ctrl-C shows what is done.

    Examples:
        pigglesim odds check --matches 4 --throws 10 --seed 1
        pigglesim odds check --model premium --matches 200 --workers 4 --json
    """
    stepping, root = chosen_fast_engine(engine), chosen_seed(seed)
    table = load_odds(str(file) if file else model)
    make_engine(stepping)
    tell_of_compiling(stepping)
    wanted = Check(
        odds=table, matches=matches, throws=throws or matches, engine=stepping, seed=root
    )
    told, stopped = [], False
    with progress_bar("matches and throws") as bar:
        task = bar.add_task("checking", total=sum(1 for _ in wanted.jobs()))
        try:
            with closing(check_odds(wanted, workers=chosen_workers(workers))) as results:
                for each in results:
                    told.append(each)
                    bar.advance(task)
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
    found = OddsCheck.of(told)
    if as_json:
        print_json(_document(found))
    else:
        _show(found)
        foot = f"odds of {table.model} · {stepping}, seed {root}"
        result_console().print(f"{foot}{' · stopped before its end' if stopped else ''}")
    if stopped:
        raise typer.Exit(130)


def _document(found: Any) -> dict[str, Any]:  # noqa: ANN401 (OddsCheck)
    return {
        "match": {name: _sides(sides) for name, sides in found.match.items()},
        "transitions": [
            {
                "thrown": row.thrown,
                "standing": row.standing,
                "before": row.before,
                "after": row.after,
                **_sides(row.sides),
            }
            for row in found.transitions
        ],
    }


def _sides(sides: Any) -> dict[str, dict[str, float]]:  # noqa: ANN401 (Sides)
    return {
        name: {"value": number.value, "low": number.low, "high": number.high}
        for name, number in (("physics", sides.physics), ("odds", sides.odds))
    }


def _show(found: Any) -> None:  # noqa: ANN401 (OddsCheck)
    console = result_console()
    heads = ("physics", "odds", "")
    table = word_table("a match", *heads)
    for name, sides in found.match.items():
        table.add_row(name.replace("_", " "), *_cells(sides, 2))
    if found.match:
        console.print(table)
        console.print()
    table = word_table(">thrown", ">onto", ">stood", "before", "after", *heads)
    last = None
    for row in found.transitions:
        first = (row.thrown, row.before) != last
        last = (row.thrown, row.before)
        about = (str(row.thrown), str(row.standing), f"{row.stood:,}", row.before)
        table.add_row(*(about if first else [""] * 4), row.after, *_cells(row.sides, 3))
    if found.transitions:
        console.print(table)
    numbers = [*found.match.values(), *(row.sides for row in found.transitions)]
    apart = sum(sides.apart for sides in numbers)
    console.print(
        f"{found.matches:,} matches and {found.throws:,} throws on physics, ten times as many by "
        f"odds; intervals hold 95 %; apart: {apart} of {len(numbers)}",
        soft_wrap=True,
    )


def _cells(sides: Any, digits: int) -> tuple[str, ...]:  # noqa: ANN401 (Sides)
    """Return both numbers with their intervals, and whether these are apart."""
    return (
        *(
            f"{number.value:.{digits}f} ({number.low:.{digits}f} to {number.high:.{digits}f})"
            for number in (sides.physics, sides.odds)
        ),
        "apart" if sides.apart else "",
    )
