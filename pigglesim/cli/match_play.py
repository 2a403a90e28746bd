"""A match played and shown, written down meanwhile, and taken up again after a kill."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from pigglesim.agents.agent import Agent
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.cli.match_view import match_document, show_end, view_of
from pigglesim.cli.options import print_json, result_console
from pigglesim.errors import RecordError, SpecError
from pigglesim.files.whole import expect_new
from pigglesim.films.film import Film
from pigglesim.films.store import films_beside
from pigglesim.games.game import Game
from pigglesim.games.registry import make_game
from pigglesim.match.entries import Header
from pigglesim.match.record import (
    Journal,
    expect_record_name,
    finish,
    is_begun,
    journal_of,
    read_unfinished,
)
from pigglesim.match.replay import begin
from pigglesim.match.runner import Begun, ChanceSource, MatchEvent, make_header, play
from pigglesim.rolls import Seat
from pigglesim.scene.board import Board
from pigglesim.verbs.table import (
    agents_of_record,
    board_of_record,
    odds_lines,
    source_of_record,
)
from pigglesim.version import __version__

__all__ = ["MatchSetup", "filming", "play_match", "resumed"]

_STOPPED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """Everything that is settled before a match, or before it goes on."""

    game: Game[Any, Any]
    board: Board | None
    agents: Mapping[Seat, Agent]
    teams: Mapping[str, str]
    """The model of each Piggle, by id."""
    chance: ChanceSource
    seed: int
    date: str | None = None
    out: Path | None = None
    """Where to write the record."""
    force: bool = False
    """Whether a finished record may be replaced, with the films beside it."""
    begun: Begun[Any] | None = field(default=None, repr=False)
    """What was played before, of a match that is resumed."""

    def header(self) -> Header:
        """Return the header of the record."""
        return make_header(
            self.game,
            agents=self.agents,
            chance=self.chance,
            seed=self.seed,
            teams=self.teams,
            date=self.date,
        )


def resumed(path: Path, *, scene: str | None, odds: str | None) -> MatchSetup:
    """Return the set-up of a match that was killed or stopped, as far as it was played.

    Args:
        path: Where its record was to be, or the journal beside it.
        scene: File of its scene, where that does not come with pigglesim.
        odds: File of its odds, where those do not come with pigglesim.

    Raises:
        RecordError: If there is nothing to resume, or something is no longer as it was.
    """
    out = path.with_suffix("") if path.suffix == journal_of(path).suffix else path
    header, entries = read_unfinished(out)
    if header.version != __version__:
        raise RecordError(
            f"a match of pigglesim {__version__}",
            got=f"one of {header.version}",
            remedy="resume it with the version that began it",
        )
    game = make_game(header.game, dict(header.house_rules))
    setup = MatchSetup(
        game=game,
        board=board_of_record(header),
        agents=agents_of_record(header, game.seats),
        teams=header.teams,
        chance=source_of_record(header, scene=scene, odds=odds),
        seed=header.seed,
        date=header.date,
        out=out,
        begun=begin(game, entries),
    )
    if setup.header() != header:
        raise RecordError(
            "the same match as in the record",
            got=f"{setup.header()} for {header}",
            remedy="resume it with the version that began it",
        )
    return setup


def filming(setup: MatchSetup) -> MatchSetup:
    """Return the set-up with every roll filmed, in the folder beside the record.

    Raises:
        SpecError: If there will be no record, or its rolls are none of physics.
    """
    if setup.out is None:
        raise SpecError("--film with --out", got="--film alone", remedy="--out match.jsonl")
    if not isinstance(setup.chance, PhysicalChance):
        raise SpecError(
            "rolls on physics to film",
            got=f"a match whose chance is {setup.chance.provenance()['source']}",
            remedy="no --film",
        )
    folder = films_beside(setup.out)

    def keep(index: int, film: Film) -> None:
        folder.write(index, film)

    return replace(setup, chance=FilmedChance(source=setup.chance, show=keep))


def play_match(
    setup: MatchSetup,
    *,
    time_limit: float | None,
    boards: bool,
    as_json: bool,
    also: Callable[[MatchEvent[Any]], None] = lambda event: None,
) -> None:
    """Play a match, or go on with it, show it, and leave with 130 if it was stopped.

    Args:
        setup: What is played.
        time_limit: Longest that a decision may take [s]; None for any.
        boards: Whether to print the board after each turn.
        as_json: Whether to print a document alone.
        also: Told of each event, once it is written down.

    Raises:
        SpecError: If the time limit or the file for the record is at fault.
    """
    if setup.out is not None:
        _refuse_unwritable(setup.out, is_new=setup.begun is None, force=setup.force)
        if setup.force:
            films_beside(setup.out).clear()
    console = None if as_json or not boards else result_console()
    view = view_of(setup.game, setup.board, console=console)
    journal: Journal | None = None

    def on_event(event: MatchEvent[Any]) -> None:
        nonlocal journal
        if setup.out is not None:
            if journal is None:
                # Not before something has happened: a fault at once leaves no file behind.
                before = setup.begun.entries if setup.begun else ()
                journal = Journal(setup.out, setup.header(), begun=before)
            journal.add(event.entry)
        view.on_event(event)
        also(event)

    with view:
        played = play(
            setup.game,
            agents=setup.agents,
            chance=setup.chance,
            seed=setup.seed,
            teams=setup.teams,
            date=setup.date,
            on_event=on_event,
            begun=setup.begun,
            time_limit=time_limit,
        )
    if journal is not None:
        journal.close()
    if setup.out is not None:
        finish(played.record, setup.out)
    if as_json:
        print_json(match_document(setup.game, played))
    else:
        show_end(setup.game, played, result_console(), setup.out)
        for line in odds_lines(setup.chance):
            result_console().print(line, style="dim")
    if played.record.footer.result is None:
        raise typer.Exit(_STOPPED)


def _refuse_unwritable(out: Path, *, is_new: bool, force: bool) -> None:
    """Say before the match, not after it, that its record cannot be written."""
    expect_record_name(out)
    if out.is_dir() or not out.parent.is_dir():
        raise SpecError(
            "a file to write the record to, in a folder that exists",
            got=str(out),
            remedy="--out match.jsonl",
        )
    part = journal_of(out)
    if is_new and is_begun(out):
        raise SpecError(
            f"no unfinished match in {str(part)!r}",
            got="one that was killed, or is still played",
            remedy=f"--resume {out}, or remove it",
        )
    if is_new:
        expect_new(out, overwrite=force)
    films = films_beside(out)
    if is_new and films.rolls() and not force:
        raise SpecError(
            f"no films of another match in {str(films.path)!r}",
            got=f"{len(films.rolls())} of them",
            remedy="another --out, or --force to replace them",
        )
