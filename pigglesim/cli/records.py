"""Recorded matches: choose, list, convert, film and print them."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

import typer
from rich.console import Console
from rich.rule import Rule
from rich.status import Status
from rich.text import Text

from pigglesim.agents.registry import own_flags
from pigglesim.api.match import PlayedMatch
from pigglesim.api.match_files import MatchSource
from pigglesim.cli.consoles import note, print_json, progress_console, result_console
from pigglesim.cli.flags import command_here
from pigglesim.cli.progress import Work
from pigglesim.errors import RecordError, SpecError, one_line
from pigglesim.files import FileKind, read_text
from pigglesim.games.game import Game, NonPlayer
from pigglesim.landing import BOARD_SEATS, Zone
from pigglesim.match.entries import Comment, Header, MatchOutcome, MatchRecord
from pigglesim.match.record import LocatedRecord, read_record, scan, write_records
from pigglesim.match.replay import (
    branch_at,
    films_of,
    playback_of,
    without_positions,
)
from pigglesim.match.runner import MatchEvent
from pigglesim.render.viewer import Clip
from pigglesim.rng import seed_json
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Scene
from pigglesim.table.films import match_clips
from pigglesim.table.view import Tone, make_view, result_sentence
from pigglesim.tui.board_text import board_view
from pigglesim.tui.felt import areas_table, log_text, painted
from pigglesim.units import whole


class MatchView:
    """Printer of a match that is played or replayed, with hidden information.

    Inside `with`, a terminal shows a status line while the next roll is made.

    Args:
        game: Rules of the match.
        board: Board to draw after each roll; None for a game without one.
        console: Console to print on; None to print nothing.
    """

    def __init__(
        self, game: Game[Any, Any], board: Board | None, *, console: Console | None
    ) -> None:
        self._game, self._board, self._console = game, board, console
        self._view = make_view(game)
        self._turn: object = None
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._board is not None and (progress := progress_console()).is_terminal:
            self._status = progress.status("shaking the cup ...")
            self._status.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._status is not None:
            self._status.stop()

    def on_event(self, event: MatchEvent[Any]) -> None:
        """Print the effect of a decision or a roll, and the table at each turn."""
        if self._status is not None:
            # The progress line is hidden while a result is printed.
            self._status.stop()
        if self._console is not None:
            self._show(event, self._console)
        if self._status is not None:
            self._status.update(self._view.heading(event.after))
            self._status.start()

    def _show(self, event: MatchEvent[Any], console: Console) -> None:
        turn = self._game.turn(event.before)
        if turn is not NonPlayer.CHANCE and turn != self._turn:
            self._turn = turn
            console.print(Rule(self._view.heading(event.before)))
            if (table := self._view.table(event.before, None)) is not None:
                console.print(painted(table))
        if isinstance(event.entry, Comment):
            console.print(Text(event.entry.text, "italic"))
            return
        if isinstance(event.entry, MatchOutcome) and self._board is not None:
            self._draw(event, event.entry, self._board, console)
        # The end is printed once, by `show_end`.
        lines = [line for line in self._view.story(event) if line.tone is not Tone.END]
        if lines:
            console.print(log_text(lines))

    def _draw(
        self, event: MatchEvent[Any], outcome: MatchOutcome, board: Board, console: Console
    ) -> None:
        if self._view.sets_down(event.before) or not outcome.landings:
            # The story shows Piggles set down, and dice by their faces.
            return
        on_board = [(name, at) for name, at in outcome.landings if at.zone is not Zone.OFF]
        console.print(
            board_view(
                board,
                on_board,
                width=console.width,
                marked=outcome.piggles,
                below=areas_table(self._view, event.after, scores=self._game.scores(event.after)),
                worn=self._view.worn(event.after),
            )
        )


def _same_command(seed: int) -> str:
    """Return the command that plays this match again: the typed one, with the seed."""
    words = sys.argv[1:]
    return command_here(*words, *([] if "--seed" in words else ["--seed", str(seed)]))


def show_end(played: PlayedMatch, console: Console, record: Path | None) -> None:
    """Print the result of a match, and the command to see it again."""
    footer, header, names = played.record.footer, played.record.header, make_view(played.game).names
    console.print(Rule("end"))
    points = [f"{footer.scores.get(seat, 0)}" for seat in names]
    if len(names) > len(BOARD_SEATS):
        points = [f"{name} {own}" for name, own in zip(names.values(), points, strict=True)]
    score = (", " if len(names) > len(BOARD_SEATS) else " : ").join(points)
    console.print(Text(f"{result_sentence(footer.result, names)}, {score}", "bold"))
    own = own_flags(header.game)
    again = command_here("replay", str(record), *own) if record else _same_command(header.seed)
    console.print(f"seed {header.seed} · again: {again}", style="dim", soft_wrap=True)


FAULTY = 2
"""Exit status if a record is broken."""


def report_fault(located: LocatedRecord, *, several: bool) -> None:
    """Print the fault of a broken record and its line on standard error, in one line."""
    note(located.sentence if several else str(located.error))
    if located.error is not None and located.error.position is not None:
        print(f"  position before it: {one_line(located.error.position)}", file=sys.stderr)


def readable(located: LocatedRecord) -> MatchRecord:
    """Return the readable part of a record; exit with 2 if nothing is readable."""
    record = located.record or located.intact
    if record is None:
        report_fault(located, several=False)
        raise typer.Exit(FAULTY)
    return record


def chosen_record(file: Path, number: int | None) -> LocatedRecord | None:
    """Return the requested record, or the only one; None if there are many and no number."""
    records = scan(file)
    if number is None:
        candidates = list(islice(records, 2))
        return candidates[0] if len(candidates) == 1 else None
    chosen = next(islice(records, min(number - 1, sys.maxsize), None), None)
    if chosen is None:
        raise RecordError(
            f"no record {number} in {str(file)!r}, which has {sum(1 for _ in scan(file))}",
            fix=f"list them with pigglesim replay {file}",
        )
    return chosen


_POSITION = FileKind(name="position")


def read_position(text: str | None) -> str | None:
    """Return a position: the text itself, that in `@FILE`, or of a record, `@RECORD:DECISION`.

    Raises:
        PigglesimError: If the file cannot be read, or the record has no such decision.
    """
    if text is None or not text.startswith("@"):
        return text
    header = header_at(text)
    return read_text(Path(text[1:]), _POSITION).strip() if header is None else header.position


def header_at(text: str) -> Header | None:
    """Return the header of the record in `@RECORD:DECISION`, with the position there.

    Returns:
        None if the text does not name a record.

    Raises:
        PigglesimError: If the file cannot be read, or the record has no such decision.
    """
    file, _, number = text.removeprefix("@").rpartition(":")
    decision = whole(number)
    if not text.startswith("@") or not file or decision is None:
        return None
    record = read_record(Path(file))
    point = branch_at(record, decision)
    return replace(record.header, position=point.game.format_state(point.before.state))


def list_records(file: Path, *, as_json: bool) -> None:
    """Print one line per record of a file; exit with 2 if some are broken."""
    rows: list[dict[str, Any]] = []
    faults: list[LocatedRecord] = []
    console = result_console()
    for located in scan(file):
        if located.error is not None:
            faults.append(located)
            if not as_json:
                report_fault(located, several=True)
        elif located.record is not None:
            row = _row(located, located.record)
            if as_json:
                rows.append(row)
            else:
                console.print(_row_text(row), soft_wrap=True, markup=False)
    if as_json:
        print_json({"records": rows, "faults": [fault.to_json() for fault in faults]})
    else:
        console.print(f"one of them: {command_here('replay', str(file))} --record 1", style="dim")
    if faults:
        raise typer.Exit(FAULTY)


def _row(located: LocatedRecord, record: MatchRecord) -> dict[str, Any]:
    header, footer = record.header, record.footer
    winner = footer.result.winner if footer.result else None
    return {
        "record": located.number,
        "line": located.line,
        "game": header.game,
        "agents": {str(seat): name for seat, name in header.agents.items()},
        "seed": seed_json(header.seed),
        "winner": None if winner is None else str(winner),
        "reason": footer.result.reason if footer.result else str(footer.status),
        "scores": {str(seat): score for seat, score in footer.scores.items()},
        "decisions": len(record.decisions),
    }


def _row_text(row: dict[str, Any]) -> str:
    outcome = f"{row['winner']} wins" if row["winner"] else "no winner"
    scores = ", ".join(f"{seat} {score}" for seat, score in row["scores"].items())
    agents = ", ".join(f"{seat} {name}" for seat, name in row["agents"].items())
    return (
        f"{row['record']:>6}  {outcome} ({row['reason']}), {scores}; {agents}; "
        f"seed {row['seed']}, {row['decisions']} decisions, line {row['line']}"
    )


def convert(file: Path, number: int | None, target: Path, *, places: bool, as_json: bool) -> None:
    """Write the records of a file, or one of them, to another; exit with 2 if some are broken."""
    faults: list[LocatedRecord] = []

    def whole() -> Iterator[MatchRecord]:
        with Work("records", "written", quiet=as_json) as work:
            for located in scan(file):
                if number not in {None, located.number}:
                    continue
                if located.error is not None:
                    faults.append(located)
                    report_fault(located, several=True)
                elif located.record is not None:
                    yield located.record if places else without_positions(located.record)
                    work.advance()
                if number == located.number:
                    return

    count = write_records(whole(), target)
    if as_json:
        document = {"written": count, "file": str(target)}
        print_json(document | {"faults": [fault.to_json() for fault in faults]})
    else:
        result_console().print(f"{count} written to {target}", markup=False, soft_wrap=True)
    if faults or (number is not None and not count):
        raise typer.Exit(FAULTY)


def source_in(located: LocatedRecord, file: Path) -> MatchSource:
    """Return the readable part of a record in a file, as `readable` does, with its films."""
    return MatchSource(record=readable(located), file=file, number=located.number)


def clips_of(
    source: MatchSource, *, scene: str | None = None, first: int = 0, last: int | None = None
) -> tuple[Scene, Iterator[Clip]]:
    """Return the scene of a recorded match and an iterator that makes its rolls lazily."""
    record, outcomes = source.record, source.record.outcomes
    count = len(outcomes)
    last = count - 1 if last is None else last
    if first >= count:
        raise SpecError(
            f"no roll {first}, of {count}",
            fix="use --from-roll 0" if count else "use the record of another match",
        )
    saved, resimulation = source.saved_films, None
    if not all(saved.has(outcome.index) for outcome in outcomes[first : last + 1]):
        # Report now, not later, that a roll cannot be simulated again.
        chance = source.resimulation(
            scene=scene, instead=f"read it with pigglesim replay {source.file}"
        )
        resimulation = lambda: chance  # noqa: E731
    scene_name = record.header.chance.get("scene")
    loaded = load_scene(scene or (scene_name if isinstance(scene_name, str) else "piggles_classic"))
    films = films_of(record, saved=saved, resimulation=resimulation, first=first, last=last)
    playback = playback_of(record)
    return loaded, match_clips(
        playback.game,
        map(playback.take, record.entries),
        lambda _: next(films, None),
        scene=loaded,
        models=record.header.teams,
        first=first,
    )
