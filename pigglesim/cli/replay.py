"""`pigglesim replay`: recorded matches, listed, shown, filmed, converted, branched off."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.api.sources import board_of_record, chance_of_record, source_of_record
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.cli.consoles import print_json, progress_bar, progress_console, result_console
from pigglesim.cli.drawing import (
    DRAWN_INSTEAD,
    PictureFlags,
    Pictures,
    ShareTargets,
    ViewOption,
    expect_to_show,
    watch,
)
from pigglesim.cli.flags import WORD, Flag, refuse_idle, refuse_loose
from pigglesim.cli.match_view import ViewOfMatch, match_document, show_end, view_of
from pigglesim.cli.options import ForceOption, JsonOption
from pigglesim.cli.records import FAULTY, chosen_record, convert, list_records, readable, tell_fault
from pigglesim.cli.what_if import WhatIfFlags, show_decisions, show_what_if
from pigglesim.durable_io import expect_new
from pigglesim.errors import SpecError, one_line
from pigglesim.films.store import films_beside
from pigglesim.games.game import NonPlayer
from pigglesim.match.entries import Decision, MatchOutcome, MatchRecord
from pigglesim.match.record import LocatedRecord
from pigglesim.match.replay import films_of, game_of
from pigglesim.match.replay import replay as replay_record
from pigglesim.match.runner import ChanceSource, Match, MatchEvent
from pigglesim.render.playlist import Clip, Films
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.tui.table_show import recorded_takes


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFlags:
    """The flags that tell which rounds are shown, and how."""

    from_round: Annotated[int, Flag(low=1), "First round shown."] = 1
    to_round: Annotated[int | None, Flag(low=1), "Last round shown. Default: the last."] = None
    round_: Annotated[int | None, Flag(low=1), "Only round shown. Default: all."] = None
    step: Annotated[bool, "Show one move at a time: Enter next, b back, q quit."] = False
    resimulate: Annotated[bool, "Simulate every roll again and compare every bit."] = False
    boards: Annotated[bool, "Show the board after each turn."] = True
    decisions: Annotated[bool, "List the decisions by number, for --what-if."] = False

    @property
    def rounds(self) -> tuple[int, int | None]:
        """The first and the last round shown; None for the last there is."""
        if self.round_ is not None:
            return self.round_, self.round_
        return self.from_round, self.to_round


def refuse_both(drawing: Mapping[str, bool], others: Mapping[str, bool]) -> None:
    """Refuse to draw a record that is written or stepped through in the same breath."""
    for name, wanted in drawing.items():
        if clash := [flag for flag, given in others.items() if wanted and given]:
            raise SpecError(
                f"{name} without what shows or writes the record",
                got=clash[0],
                remedy="one at a time",
            )


def keep_films(
    found: LocatedRecord, file: Path, *, rounds: tuple[int, int | None], as_json: bool
) -> None:
    """Keep a film of every roll of some rounds; of a record that is cut off of what is there.

    An interruption (Ctrl-C) leaves those that were made.

    Args:
        found: The record.
        file: Where it was.
        rounds: The first and the last; None for the last of the match.
        as_json: Whether to print a document alone.

    Raises:
        RecordError: If a roll was none of physics, comes out otherwise, or a kept film is broken.
        SpecError: If nothing was rolled in those rounds.
    """
    record = readable(found)
    folder, rolls = films_beside(file, number=found.number), rolls_in(record, rounds)
    made = 0
    films = films_of(
        record,
        kept=folder,
        again=lambda: FilmedChance(source=chance_of_record(record.header, flag="--film")),
        first=rolls[0],
        last=rolls[-1],
    )
    with progress_bar("films", quiet=as_json) as bar:
        task = bar.add_task("kept", total=len(rolls))
        for index, film in zip(rolls, films, strict=True):
            if not folder.has(index):
                folder.write(index, film)
                made += 1
            bar.advance(task)
    size = sum(folder.file(index).stat().st_size for index in rolls)
    if as_json:
        print_json({"films": len(rolls), "made": made, "bytes": size, "folder": str(folder.path)})
    else:
        result_console().print(
            f"{len(rolls)} films in {folder.path}, {size / 1000:.0f} kB; {made} of them made now",
            markup=False,
            soft_wrap=True,
        )
    if found.fault is not None:
        tell_fault(found.fault, many=False)
        raise typer.Exit(FAULTY)


def rolls_in(record: MatchRecord, rounds: tuple[int, int | None]) -> list[int]:
    """Return the numbers of the rolls of Piggles in some rounds."""
    game = game_of(record)
    first, last = rounds
    rolls: list[int] = []

    def on_event(event: MatchEvent[Any]) -> None:
        entry, number = event.entry, game.round_of(event.before)
        if not isinstance(entry, MatchOutcome) or isinstance(entry.result, ShuffleResult):
            return
        if first <= number <= (last or number):
            rolls.append(entry.index)

    replay_record(record, on_event=on_event)
    if not rolls:
        raise SpecError(
            "rounds in which anything was rolled",
            got=f"{first} to {last or 'the end'}",
            remedy="--from-round 1",
        )
    return rolls


def picture_replay(
    found: LocatedRecord, file: Path, rounds: tuple[int, int | None], pictures: Pictures
) -> None:
    """Film all rolls of some rounds, and draw how the last of them ended.

    Args:
        found: The record; if it is broken that is told where it is shown.
        file: Where it was found; films may have been kept beside it.
        rounds: The first and the last; None for the last of the match.
        pictures: What is wanted, if anything.

    Raises:
        RecordError: If a roll was none of physics, or comes out otherwise.
        SpecError: If nothing was rolled in those rounds, or nothing can be drawn.
    """
    record = found.record or found.so_far
    if record is None or not pictures.wanted:
        return
    rolls = rolls_in(record, rounds)
    # A picture alone is of the last roll.
    first = rolls[0] if pictures.video is not None else rolls[-1]
    films = []
    with progress_bar("rolls") as progress:
        wanted = sum(first <= index for index in rolls)
        task = progress.add_task("reading films, or rolling again", total=wanted)
        for film in films_of(
            record,
            kept=films_beside(file, number=found.number),
            again=lambda: FilmedChance(source=chance_of_record(record.header, flag="--png")),
            first=first,
            last=rolls[-1],
        ):
            films.append(film)
            progress.advance(task)
    pictures.take(films, load_scene(str(record.header.chance.get("scene", films[-1].scene))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What of a match shall be shown, and how."""

    rounds: tuple[int, int | None]
    """The first and the last; None for the last of the match."""
    step: bool
    resimulate: bool
    boards: bool


def show_replay(found: LocatedRecord, file: Path, request: ReplayRequest, *, as_json: bool) -> None:
    """Show a record; of one that is cut off what is there, and what is missing.

    Raises:
        RecordError: If a roll comes out otherwise than recorded.
        SpecError: If the rounds asked for were not played.
    """
    record = readable(found)
    played, kept = _shown(record, request), films_beside(file, number=found.number)
    if as_json:
        document = match_document(game_of(record), played) | {"resimulated": request.resimulate}
        if films := len(kept.rolls()):
            document["films"] = films
        if found.fault is not None:
            document["fault"] = found.fault.to_json()
        print_json(document)
    elif not request.step:
        show_end(game_of(record), played, result_console(), file)
        if found.so_far is not None:
            result_console().print(_missing(played))
        if films := len(kept.rolls()):
            told = f"films of {films} of {len(record.outcomes)} rolls: pigglesim film {kept.path}"
            result_console().print(told, style="dim", markup=False, soft_wrap=True)
    if request.resimulate:
        rolls = len(record.outcomes)
        progress_console().print(f"{rolls} rolls simulated again: every bit is the same")
    if found.fault is not None:
        tell_fault(found.fault, many=False)
        raise typer.Exit(FAULTY)


def _missing(played: Match[Any]) -> str:
    """Return what a record that is cut off does not hold, as a sentence."""
    game = game_of(played.record)
    turn = game.turn(played.state)
    if turn is NonPlayer.OVER:
        return "Cut off: only the footer is missing."
    due = "a roll" if turn is NonPlayer.CHANCE else f"the turn of {turn}"
    return f"Cut off in round {game.round_of(played.state)}: {due} and all after it are missing."


def _shown(record: MatchRecord, request: ReplayRequest) -> Match[Any]:
    """Play a record again, showing the moves asked for, and return it."""
    game, first = game_of(record), request.rounds[0]
    last = request.rounds[1]
    source = _source(record) if request.resimulate else None
    board = board_of_record(record.header)
    console = result_console() if request.boards or request.step else None
    events: list[MatchEvent[Any]] = []

    def in_rounds(event: MatchEvent[Any]) -> bool:
        number = game.round_of(event.before)
        return first <= number and (last is None or number <= last)

    with view_of(game, board, console=console) as view:

        def on_event(event: MatchEvent[Any]) -> None:
            if not in_rounds(event):
                return
            events.append(event)
            if not request.step:
                view.on_event(event)

        played = replay_record(record, resimulate=source, on_event=on_event)
    if not events and record.entries:
        raise SpecError(
            f"rounds from 1 to {game.round_of(played.state)}",
            got=f"{first} to {last or 'the end'}",
            remedy="--from-round 1",
        )
    if request.step:
        _step_through(events, view_of(game, board, console=console))
    return played


def _source(record: MatchRecord) -> ChanceSource:
    """Return what rolls a record again; fair dice and cards are drawn again from their seed."""
    if record.header.chance.get("source") == "fair":
        return source_of_record(record.header)
    return chance_of_record(record.header)


def _step_through(events: Sequence[MatchEvent[Any]], view: ViewOfMatch) -> None:
    """Show one move after another, as the person at the prompt asks for it."""
    at = 0
    while at < len(events):
        entry = events[at].entry
        if isinstance(entry, Decision):
            print(one_line(f"decision {entry.index}: {entry.seat} {entry.action}"))
        view.on_event(events[at])
        print(f"[{at + 1} of {len(events)}] Enter next, b back, q quit: ", end="", flush=True)
        answer = sys.stdin.readline()
        if not sys.stdin.isatty():
            # A pipe shows no key that was pressed: the line ends here.
            print()
        word = answer.strip().lower()
        if not answer or word in {"q", "quit"}:
            return
        at = max(0, at - 1) if word in {"b", "back"} else at + 1


def takes_of_record(
    record: MatchRecord,
    file: Path,
    *,
    number: int = 1,
    scene: str | None = None,
    first: int = 0,
    last: int | None = None,
) -> tuple[Scene, Iterator[Clip]]:
    """Return the table of a recorded match and its rolls, each made when it is asked for.

    Args:
        record: The match.
        file: Where the record is: films may lie beside it.
        number: Which record of the file it is, from 1.
        scene: The scene's file, where it was not one that comes with pigglesim.
        first: Number of the first roll to show.
        last: Number of the last one; None for all.

    Raises:
        PigglesimError: If there is no such roll, a kept film is broken, or there are no films
            and they cannot be made again.
    """
    outcomes = record.outcomes
    count = len(outcomes)
    last = count - 1 if last is None else last
    if first >= count:
        raise SpecError(
            f"a roll from 0 to {count - 1}" if count else "a match with a roll",
            got=str(first) if count else "none",
            remedy="--from-roll 0" if count else "the record of a match that was played",
        )
    kept = films_beside(file, number=number)
    again = None
    if not all(kept.has(outcome.index) for outcome in outcomes[first : last + 1]):
        # What cannot be simulated again is told now, not when its turn comes.
        physics = chance_of_record(record.header, scene=scene, flag="--view")
        again = partial(FilmedChance, source=physics)
    place = record.header.chance.get("scene")
    table = load_scene(scene or (place if isinstance(place, str) else "piggles_classic"))
    game = game_of(record)
    films = films_of(record, kept=kept, again=again, first=first, last=last)
    return table, recorded_takes(game, record, films, scene=table, first=first)


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
        _show_one(found, file, shown, drawn, film=film, as_json=as_json)
        shares.match(found, file, rounds=shown.rounds)
        if view:
            _watch(found, file, shown.rounds)


def _show_one(
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
