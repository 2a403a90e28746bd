"""`pigglesim replay`: recorded matches, shown, stepped through, converted, branched off."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.drawing import (
    DRAWN_INSTEAD,
    PictureFlags,
    Pictures,
    ShareTargets,
    ViewOption,
    expect_to_show,
    watch,
)
from pigglesim.cli.flags import WORD, Flag, refuse_idle
from pigglesim.cli.options import ForceOption, JsonOption
from pigglesim.cli.replay_choice import (
    ShownFlags,
    WhatIfFlags,
    chosen_record,
    convert,
    list_records,
    refuse_both,
    refuse_loose,
)
from pigglesim.cli.replay_show import (
    ReplayRequest,
    keep_films,
    picture_replay,
    rolls_in,
    show_replay,
)
from pigglesim.cli.replay_what_if import show_decisions, show_what_if
from pigglesim.cli.view import takes_of_record
from pigglesim.durable_io import expect_new
from pigglesim.errors import SpecError
from pigglesim.match.record import LocatedRecord
from pigglesim.render.playlist import Films

_ROUNDS = ("from_round", "to_round", "round_")
_OF_ONE = (*_ROUNDS, "step", "resimulate", "film", "boards")
"""Flags of one record that is shown."""


def replay(
    context: typer.Context,
    *,
    file: Annotated[Path, WORD, "Record written by `match --out` or by --write."],
    record: Annotated[
        int | None, Flag(low=1), "Record of a file that holds several, from 1."
    ] = None,
    shown: ShownFlags,
    film: Annotated[bool, "Simulate every roll again and save its film beside the file."] = False,
    write: Annotated[
        Path | None, "File to write the record to, or all records; text if it ends in .txt."
    ] = None,
    places: Annotated[bool, "With --write: keep the exact transforms of all bodies."] = True,
    branch: WhatIfFlags,
    view: ViewOption = False,
    pictures: PictureFlags,
    shares: ShareTargets,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replay a recorded match: show, step, film, or ask what if.

    It is shown from the record alone; --resimulate rolls every roll again and compares every bit.

    A file may hold several records, as JSON lines or as text: without --record they are listed, and
    broken ones are reported.

    --html makes one page of all the rolls shown, --glb and --svg a file of each, numbered if there
    are several; rolls that were not filmed are simulated again.

    --what-if branches off at a decision, tries each --action or each legal action, and plays on:
    shares of results and mean scores with 95 % intervals. --decisions lists the decisions by
    number. Rolls are by odds, which takes seconds; --chance physical takes minutes and uses all
    --workers.

    --video films all rolls of the rounds shown, --png draws how the last of them ended: from the
    films kept beside the record, or rolled again.

    Examples:
        pigglesim replay match.jsonl --from-round 5
        pigglesim replay match.jsonl --step
        pigglesim replay match.jsonl --view --from-round 3
        pigglesim replay match.jsonl --resimulate --no-boards
        pigglesim replay match.jsonl --no-boards --html match.html
        pigglesim replay match.jsonl --round 3 --svg boards.svg --glb rolls.glb
        pigglesim replay match.jsonl --film
        pigglesim replay match.jsonl --write match.txt
        pigglesim replay many.jsonl --record 17 --json
        pigglesim replay match.jsonl --from-round 2 --to-round 2 --video round2.mp4 --png round2.png
        pigglesim replay match.jsonl --decisions
        pigglesim replay match.jsonl --what-if 6
        pigglesim replay match.jsonl --what-if 6 --action skip --action "load A1 A2" --times 1e3
        pigglesim replay match.jsonl --what-if 6 --chance physical --times 20
    """
    branch.refuse_loose()
    if branch.decision is None:
        refuse_idle(
            context,
            ("times", "seed"),
            beside="--what-if DECISION",
            remedy="add --what-if, or leave it out",
        )
    if shown.round_ is not None:
        refuse_idle(context, ("from_round", "to_round"), beside="--round alone, for one round")
    if shown.step and as_json:
        raise SpecError("--step or --json", got="both", remedy="--json alone tells all")
    drawn = pictures.pictures()
    refuse_loose(write is None, "--write", {"--no-places": None if places else True})
    branches, writes = branch.decision is not None, write is not None
    refuse_both(
        {"--film": film, "--png or --video": drawn.wanted, "--view": view},
        {
            "--write": writes,
            "--step": shown.step,
            "--resimulate": shown.resimulate,
            "--what-if": branches,
            "--decisions": shown.decisions,
        },
    )
    shares.check()
    shares.refuse({"--write": writes, "--what-if": branches, "--decisions": shown.decisions})
    refuse_both(
        {"--decisions": shown.decisions},
        {
            "--write": writes,
            "--step": shown.step,
            "--resimulate": shown.resimulate,
            "--what-if": branches,
        },
    )
    if writes or branches:
        other = "--write" if writes else "--what-if"
        refuse_idle(context, _OF_ONE, beside=f"{other} alone, which shows no rounds")
    target = write or branch.out
    if target is not None:
        expect_new(target, overwrite=force)
    if write is not None:
        convert(file, record, write, places=places, as_json=as_json)
        return
    found = chosen_record(file, record)
    if found is None and (drawn.wanted or view):
        raise SpecError("one record to draw", got="a file of many", remedy="--record 1")
    if found is None:
        shares.refuse({"a file of many": True})
        refuse_idle(
            context, _OF_ONE, beside="one record of a file of many", remedy="add --record 1"
        )
        list_records(file, as_json=as_json)
        return
    expect_to_show(drawn, view=view)
    if branches:
        show_what_if(found, branch, as_json=as_json)
    elif shown.decisions:
        show_decisions(found, shown.rounds, file=file, as_json=as_json)
    else:
        _show(found, file, shown, drawn, film=film, as_json=as_json)
        shares.match(found, file, rounds=shown.rounds)
        if view:
            _watch(found, file, shown.rounds)


def _show(
    found: LocatedRecord,
    file: Path,
    shown: ShownFlags,
    drawn: Pictures,
    *,
    film: bool,
    as_json: bool,
) -> None:
    """Film one record, or draw and tell it."""
    if film:
        keep_films(found, file, rounds=shown.rounds, as_json=as_json)
        return
    picture_replay(found, file, shown.rounds, drawn)
    request = ReplayRequest(
        rounds=shown.rounds,
        step=shown.step,
        resimulate=shown.resimulate,
        boards=shown.boards and not as_json,
    )
    show_replay(found, file, request, as_json=as_json)


def _watch(found: LocatedRecord, file: Path, rounds: tuple[int, int | None]) -> None:
    """Open a window on the rolls of some rounds."""
    record = found.record or found.so_far
    assert record is not None, "it has been shown"
    rolls = rolls_in(record, rounds)
    table, takes = takes_of_record(
        record, file, number=found.number, first=rolls[0], last=rolls[-1]
    )
    watch(Films(takes), table, title=file.name, instead=DRAWN_INSTEAD)
