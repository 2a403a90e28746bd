"""`pigglesim replay`: recorded matches, shown, stepped through, converted, branched off."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli.options import JsonOption, SeedOption
from pigglesim.cli.picture_options import (
    AtOption,
    CameraOption,
    FpsOption,
    PngOption,
    SizeOption,
    SlowMotionOption,
    VideoOption,
    pictures_asked,
)
from pigglesim.cli.sharing_options import GlbOption, HtmlOption, ShareTargets, SvgOption
from pigglesim.cli.watching import ViewOption
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.match.scan import Found

__all__ = ["register"]

_HELP = """Play a recorded match again: from the record alone, or on physics, bit for bit.

A file may hold many records, as JSON lines or as text: without --record it is listed, and broken
records are told. Whatever is written with --write is text if its name ends in .txt.

--html makes one page of all the rolls shown, --glb and --svg a file of each, numbered if there are
several; rolls that were not filmed are simulated again.

--what-if takes the match up at a decision (the first is 0), puts in --action or each legal action
in turn, and plays on: shares of results with 95 % intervals, and the mean score.

--video films all rolls of the rounds shown, --png draws how the last of them ended: from the films
kept beside the record, or rolled again.

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

  pigglesim replay match.jsonl --what-if 6 --action skip --action "load A1 A2" --times 200
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(replay)


def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `match --out` or --write wrote.")],
    record: Annotated[
        int | None, typer.Option(min=1, help="Which record of a file that holds many, from 1.")
    ] = None,
    from_round: Annotated[int, typer.Option(min=1, help="Show no round before this.")] = 1,
    to_round: Annotated[int | None, typer.Option(min=1, help="Show no round after this.")] = None,
    round_: Annotated[
        int | None, typer.Option("--round", min=1, help="Show this round alone.")
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="One move at a time: Enter next, b back, q quit.")
    ] = False,
    resimulate: Annotated[
        bool, typer.Option("--resimulate", help="Roll every roll again and compare every bit.")
    ] = False,
    film: Annotated[
        bool,
        typer.Option("--film", help="Keep a film of every roll beside the file, rolled again."),
    ] = False,
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True,
    write: Annotated[
        Path | None, typer.Option(help="Write the record, or all of the file, to this file.")
    ] = None,
    places: Annotated[
        bool, typer.Option(help="With --write: keep where bodies lie, to the last bit.")
    ] = True,
    what_if: Annotated[
        int | None, typer.Option(min=0, metavar="DECISION", help="Branch off at this decision.")
    ] = None,
    action: Annotated[
        list[str] | None,
        typer.Option(help="With --what-if: an action in its place; may be given again."),
    ] = None,
    times: Annotated[
        int, typer.Option(min=1, max=10**6, help="With --what-if: matches of each action.")
    ] = 100,
    chance: Annotated[
        str | None,
        typer.Option(help="With --what-if: physical or tabular; as in the record if absent."),
    ] = None,
    odds: Annotated[
        str | None, typer.Option(help="With --what-if: the odds of --chance tabular.")
    ] = None,
    a: Annotated[
        str | None, typer.Option("--a", help="With --what-if: agent of A; the record's if absent.")
    ] = None,
    b: Annotated[str | None, typer.Option("--b", help="With --what-if: agent of B.")] = None,
    seed: SeedOption = None,
    out: Annotated[
        Path | None, typer.Option(help="With --what-if: write the matches to this file.")
    ] = None,
    view: ViewOption = False,
    png: PngOption = None,
    video: VideoOption = None,
    size: SizeOption = None,
    fps: FpsOption = None,
    camera: CameraOption = None,
    slow_motion: SlowMotionOption = None,
    at: AtOption = None,
    glb: GlbOption = None,
    html: HtmlOption = None,
    svg: SvgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay one record, or list and convert many."""
    from pigglesim.cli.replay_choice import chosen_record, convert, list_records
    from pigglesim.cli.replay_films import keep_films
    from pigglesim.cli.replay_pictures import picture_replay
    from pigglesim.cli.replay_show import ReplayRequest, show_replay
    from pigglesim.cli.replay_what_if import WhatIf, show_what_if

    _refuse_loose(
        what_if is None,
        "--what-if",
        {"--action": action, "--odds": odds, "--chance": chance, "--a": a, "--b": b, "--out": out},
    )
    if step and as_json:
        raise SpecError("--step or --json", got="both", remedy="--json alone tells all")
    pictures = pictures_asked(context)
    _refuse_loose(write is None, "--write", {"--no-places": None if places else True})
    pictures_or_film = {"--film": film, "--png or --video": pictures.wanted, "--view": view}
    others = {
        "--write": write is not None,
        "--step": step,
        "--resimulate": resimulate,
        "--what-if": what_if is not None,
    }
    _refuse_both(pictures_or_film, others)
    shares = ShareTargets(glb=glb, html=html, svg=svg)
    shares.check()
    shares.refuse({"--write": write is not None, "--what-if": what_if is not None})
    if write is not None:
        convert(file, record, write, places=places, as_json=as_json)
        return
    rounds = (from_round, to_round) if round_ is None else (round_, round_)
    found = chosen_record(file, record)
    if found is None and (pictures.wanted or view):
        raise SpecError("one record to draw", got="a file of many", remedy="--record 1")
    if found is None:
        shares.refuse({"a file of many": True})
        list_records(file, as_json=as_json)
    elif what_if is not None:
        asked = WhatIf(
            decision=what_if,
            actions=tuple(action or ()),
            times=times,
            chance=chance,
            odds=odds,
            agents={"A": a, "B": b},
            seed=seed,
            out=out,
        )
        show_what_if(found, asked, as_json=as_json)
    elif film:
        keep_films(found, file, rounds=rounds, as_json=as_json)
        shares.match(found, file, rounds=rounds)
    else:
        request = ReplayRequest(
            rounds=rounds,
            step=step,
            resimulate=resimulate,
            boards=boards and not as_json,
        )
        picture_replay(found, file, request.rounds, pictures)
        show_replay(found, file, request, as_json=as_json)
        shares.match(found, file, rounds=request.rounds)
        if view:
            _watch(found, file, request.rounds)


def _watch(found: "Found", file: Path, rounds: tuple[int, int | None]) -> None:
    """Open a window on the rolls of some rounds."""
    from pigglesim.cli.replay_films import rolls_in
    from pigglesim.cli.watching import takes_of_record, watch
    from pigglesim.viewer.shows import Films

    record = found.record or found.so_far
    assert record is not None, "it has been shown"
    rolls = rolls_in(record, rounds)
    table, takes = takes_of_record(
        record, file, number=found.number, first=rolls[0], last=rolls[-1]
    )
    watch(Films(takes), table, title=file.name)


def _refuse_loose(loose: bool, flag: str, given: dict[str, object]) -> None:
    """Refuse flags that say nothing without another."""
    for name, value in given.items():
        if loose and value:
            raise SpecError(f"{flag} with {name}", got=f"{name} alone", remedy=f"add {flag}")


def _refuse_both(drawing: dict[str, bool], others: dict[str, bool]) -> None:
    """Refuse to draw a record that is written or stepped through in the same breath."""
    for name, wanted in drawing.items():
        if clash := [flag for flag, given in others.items() if wanted and given]:
            raise SpecError(
                f"{name} without what shows or writes the record",
                got=clash[0],
                remedy="one at a time",
            )
