"""`pigglesim match` and `play`: matches of agents and of people, recorded and resumed."""

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.agents.agent import Agent
from pigglesim.agents.outside import COMMAND, ProcessAgent
from pigglesim.agents.registry import is_outside, make_agent, own_flags
from pigglesim.api.match import GameSetup, seat_names, set_up_game
from pigglesim.api.match_files import MatchSource
from pigglesim.api.play import PlaySettings, new_session, rematch_session, resumed_session
from pigglesim.api.sources import (
    agents_of_record,
    board_of_record,
    expect_same_code,
    odds_lines,
    source_of_record,
)
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.chance.tabular import believed_chance
from pigglesim.cli import options
from pigglesim.cli.consoles import exit_if_stopped, note, note_commands, print_json, result_console
from pigglesim.cli.drawing import DrawFlags, ViewOption, watch
from pigglesim.cli.flags import ARGUMENT, Flag, command_here, refuse_idle, same_command, typed
from pigglesim.cli.records import MatchView, match_document, read_position, show_end
from pigglesim.cli.spelling import print_in_ascii
from pigglesim.durable_io import expect_new
from pigglesim.errors import RecordError, SpecError
from pigglesim.films.codec import film_folder
from pigglesim.films.film import Film
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.registry import is_own_game, make_game
from pigglesim.landing import Seat
from pigglesim.match import runner
from pigglesim.match.entries import Forfeit, Header, MatchOutcome, plain_line
from pigglesim.match.own_games import named_game
from pigglesim.match.record import (
    Journal,
    expect_record_name,
    finish,
    is_begun,
    journal_of,
    read_unfinished,
)
from pigglesim.match.replay import begin
from pigglesim.match.runner import ChanceSource, MatchEvent, Progress, make_header
from pigglesim.render.session import Clip
from pigglesim.render.window import expect_window
from pigglesim.scene.scene import Board
from pigglesim.table.films import ClipMaker
from pigglesim.table.session import Session
from pigglesim.tui.plain import PlainTable
from pigglesim.tui.window import LiveShow, TableShow
from pigglesim.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """Complete set-up of a match, before it begins or resumes."""

    game: Game[Any, Any]
    header: Header
    """Header of the record."""
    board: Board | None
    agents: Mapping[Seat, Agent]
    chance: ChanceSource
    out: Path | None = None
    """File of the record; None to write none."""
    force: bool = False
    """True if a finished record and its films may be replaced."""
    begun: Progress[Any] | None = field(default=None, repr=False)
    """Part played before, if the match is resumed."""


def resumed(
    path: Path, *, scene: str | None, odds: str | None, programs: Sequence[str] = ()
) -> MatchSetup:
    """Return the set-up of an interrupted match, with the part played before.

    `programs` are the agents that are programs, as the user typed them.
    """
    out = path.with_suffix("") if path.suffix == journal_of(path).suffix else path
    header, entries = read_unfinished(out)
    if header.version != __version__:
        raise RecordError(
            f"the match was begun with pigglesim {header.version}, this is {__version__}",
            fix="resume it with that version",
        )
    game = make_game(header.game, dict(header.house_rules))
    agents = agents_of_record(header, game.seats, programs=programs)
    chance = source_of_record(header, scene=scene, odds=odds)
    now = make_header(
        game,
        agents=agents,
        chance=chance,
        seed=header.seed,
        teams=header.teams,
        date=header.date,
        position=header.position,
    )
    expect_same_code(header, now)
    _note_commands(header)
    if now != header:
        raise RecordError(
            f"the match has changed from {header} to {now}",
            fix="resume it with the version that began it",
        )
    return MatchSetup(
        game=game,
        header=now,
        board=board_of_record(header),
        agents=agents,
        chance=chance,
        out=out,
        begun=begin(game, entries, position=header.position).progress,
    )


def _note_commands(header: Header) -> None:
    """Note which agents of a record cannot be compared with those that began it."""
    names = dict.fromkeys(header.agents.values())
    note_commands(name for name in names if name.startswith(f"{COMMAND}:"))


def filming(setup: MatchSetup) -> MatchSetup:
    """Return the set-up with a film of every roll, in the folder next to the record."""
    if setup.out is None:
        raise SpecError("--film needs --out", fix="add --out match.jsonl")
    if not isinstance(setup.chance, PhysicalChance):
        raise SpecError(
            f"rolls of {setup.chance.provenance()['source']} chance cannot be filmed",
            fix="leave --film out",
        )
    folder = film_folder(setup.out)

    def save_film(index: int, film: Film) -> None:
        folder.write(index, film)

    return replace(setup, chance=FilmedChance(source=setup.chance, show=save_film))


def play_match(
    setup: MatchSetup,
    *,
    time_limit: float | None,
    boards: bool,
    as_json: bool,
    on_event: Callable[[MatchEvent[Any]], None] = lambda event: None,
) -> None:
    """Play or resume a match, show it, and exit with 130 if it was stopped.

    A decision may take at most `time_limit` [s]; `on_event` is called with each event once saved.
    """
    if setup.out is not None:
        _refuse_unwritable(setup.out, is_new=setup.begun is None, force=setup.force)
        if setup.force:
            film_folder(setup.out).clear()
    console = None if as_json or not boards else result_console()
    view = MatchView(setup.game, setup.board, console=console)
    journal: Journal | None = None

    def record_event(event: MatchEvent[Any]) -> None:
        nonlocal journal
        if setup.out is not None:
            if journal is None:
                # Only after the first event: an immediate error leaves no file.
                before = setup.begun.entries if setup.begun else ()
                journal = Journal(setup.out, setup.header, begun=before)
            journal.add(event.entry)
        view.on_event(event)
        on_event(event)

    header = setup.header
    with view:
        played = runner.play(
            setup.game,
            agents=setup.agents,
            chance=setup.chance,
            seed=header.seed,
            teams=header.teams,
            date=header.date,
            position=header.position,
            on_event=record_event,
            begun=setup.begun,
            time_limit=time_limit,
            interruptible=True,
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
    if (forfeit := played.record.forfeit) is not None:
        agent = setup.agents[forfeit.seat]
        note(f"{agent.name} forfeits ({forfeit.cause.rule}, {forfeit.cause}): {forfeit.detail}")
        for line in agent.errors if isinstance(agent, ProcessAgent) else ():
            # The detail of a program that ended has its last line already.
            if plain_line(line) not in forfeit.detail:
                note(f"its standard error: {line}")
    exit_if_stopped(played.record.footer.result is None)


def _refuse_unwritable(out: Path, *, is_new: bool, force: bool) -> None:
    """Raise SpecError before the match if its record cannot be written."""
    expect_record_name(out)
    if out.is_dir() or not out.parent.is_dir():
        raise SpecError(
            f"{out} is a folder, or in a folder that does not exist", fix="use --out match.jsonl"
        )
    part = journal_of(out)
    if is_new and is_begun(out):
        raise SpecError(
            f"an unfinished match in {str(part)!r}", fix=f"use --resume {out}, or remove it"
        )
    if is_new:
        expect_new(out, overwrite=force)
    films = film_folder(out)
    if is_new and films.rolls() and not force:
        raise SpecError(
            f"{len(films.rolls())} films of another match in {str(films.path)!r}",
            fix="use another --out, or --force to replace them",
        )


def watch_match(setup: MatchSetup, play_it: Callable[..., None]) -> None:
    """Play a match in a window; if the window is closed, the match is played to its end.

    `play_it` is `play_match` but for the set-up and `on_event`.
    """
    source = setup.chance
    if not isinstance(source, PhysicalChance | FilmedChance):
        raise SpecError(
            f"rolls of {source.provenance()['source']} chance cannot be watched",
            fix="leave --view out, or use --chance physical",
        )
    instead = "leave --view out"
    if setup.out is not None:
        instead += f", and draw it afterwards: pigglesim replay {setup.out} --video F.mp4"
    expect_window(instead=instead)
    filmed = source if isinstance(source, FilmedChance) else FilmedChance(source=source)
    films: dict[int, Film] = {}
    scene = filmed.source.scene

    def keep_film(index: int, film: Film) -> None:
        films[index] = film
        filmed.show(index, film)

    def task(show: Callable[[Clip], None]) -> None:
        clips = ClipMaker(setup.game, scene, setup.header.teams)

        def on_event(event: MatchEvent[Any]) -> None:
            entry = event.entry
            if isinstance(entry, MatchOutcome):
                show(clips.roll(event, films.pop(entry.index)))
                return
            clips.add(event)
            if setup.game.turn(event.after) is NonPlayer.OVER or isinstance(entry, Forfeit):
                show(clips.end(event.after))

        play_it(replace(setup, chance=replace(filmed, show=keep_film)), on_event=on_event)

    live = LiveShow(task, busy_text="The match goes on")
    try:
        watch(live, scene, title="A match", instead=instead)
    except KeyboardInterrupt:
        live.stop()
    finally:
        # Even if the window fails, the match is played and saved.
        live.finish()


def _programs(**flags: str | None) -> list[str]:
    """Return the agents that are programs, of flags by name; only `agents` has several."""
    names = [
        name
        for flag, text in flags.items()
        for name in (options.seats_of(text) or [] if flag == "agents" else [text])
    ]
    return [name for name in names if name and is_outside(name)]


def refuse_settled(context: typer.Context, *others: str) -> None:
    """Raise SpecError for flags typed with --resume that the record has settled.

    Agents and games that are programs are not: they run only if the user names them.
    """
    agents = [
        name for name in ("a", "b", "agents") if not _programs(**{name: typed(context, name)})
    ]
    games = [name for name in ("named", "game") if not is_own_game(typed(context, name) or "")]
    refuse_idle(
        context,
        (
            *agents, *games, "players", "team_a", "team_b", "seed", "engine",
            "chance", "rule", "house_rules", "position", *others,
        ),
        why="--resume takes it from the record",
        fix="leave it out, or begin a new match without --resume"
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFlags:
    """Flags for the game, the position, the scene, the number of players and the models."""

    named: Annotated[str | None, options.GAME, ARGUMENT, "Game, as --game."] = None
    players: options.Players = None
    game: options.Game = None
    scene: Annotated[
        str | None, options.SCENE, "Scene: a name or a TOML file. Default: the game's."
    ] = None
    team_a: Annotated[
        str | None,
        options.TEAM_OR_MODEL,
        "Piggles of A: one model for all, or six separated by commas; in Modern also a "
        "team or its TOML file. Default: the scene's.",
    ] = None
    team_b: Annotated[str | None, options.TEAM_OR_MODEL, "Piggles of B, as --team-a."] = None
    position: options.Position = None

    def typed_game(self) -> str | None:
        """Return the name of the game that the user typed, if any."""
        if self.named is not None and self.game is not None and self.named != self.game:
            raise SpecError(
                f"two games: {self.named} and {self.game}", fix=f"use --game {self.game}"
            )
        return self.named or self.game

    def resolve(self, rules: options.RuleFlags) -> GameSetup:
        """Return the game and its scene, under house rules."""
        game = self.typed_game()
        return set_up_game(
            game and named_game(game)[0],
            self.scene,
            rules=rules.table(),
            players=self.players,
            teams=(self.team_a, self.team_b),
            position=read_position(self.position),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceFlags:
    """Flags for the source of rolls of a match."""

    seed: options.Seed = None
    engine: options.Engine = None
    chance: options.MatchChance = None
    odds: options.Odds = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFlags:
    """Flags for the record and the films of a match."""

    out: Annotated[
        Path | None,
        Flag("--out", "--record"),
        "File to write the record to; text if it ends in .txt.",
    ] = None
    resume: Annotated[Path | None, "Interrupted record to continue."] = None
    film: Annotated[bool, "Save a film of every roll next to the record."] = False
    force: options.Force = False
    date: Annotated[
        str | None,
        Flag(metavar="DATE"),
        "Date to record; the system clock is not used. Default: none.",
    ] = None


def match(
    context: typer.Context,
    *,
    a: Annotated[
        str | None,
        options.AGENT,
        "Agent of A, South: greedy, uniform, mcts:nodes=400, ... Default: greedy.",
    ] = None,
    b: Annotated[str | None, options.AGENT, "Agent of B, North. Default: greedy."] = None,
    agents: options.Agents = None,
    game_flags: GameFlags,
    chance: ChanceFlags,
    rules: options.RuleFlags,
    record: RecordFlags,
    time_limit: options.TimeLimit = None,
    view: ViewOption = False,
    boards: Annotated[bool, "Show the board after each turn."] = True,
    ascii_only: options.Ascii = False,
    as_json: options.Json = False,
) -> None:
    """Let agents play a match; show the board after each turn.

    The default game is Piggles Classic, on physics; `pigglesim games` lists the others.

    With --out every entry is written to FILE.part as it happens, so an interrupted match is not
    lost: --resume completes it, with an identical record.

    An existing match is replaced only with --force.

    With --film every roll is saved in FILE.films, about 18 kB per roll.

    An agent that raises, returns an illegal action or exceeds --time-limit forfeits.

    An agent may be a program: my_agent.py:Class:depth=2, module:Class or "cmd:python3 my_agent.py".

    Examples:
        pigglesim match
        pigglesim match --a greedy --b uniform --seed 7 --out match.jsonl
        pigglesim match --resume match.jsonl
        pigglesim match --seed 7 --out match.jsonl --film
        pigglesim match --rule mud_delay=none --team-b premium --json
        pigglesim match --chance tabular --b uniform --no-boards
        pigglesim match --game piggles_modern --team-a red --team-b my_team.toml
        pigglesim match piggy_six --position "bank=75,88 active=A round=9" --chance fair
        pigglesim match pig_pile --players 4 --agents greedy,uniform,uniform,uniform
    """
    print_in_ascii(ascii_only)
    if "human" in {a, b}:
        raise SpecError(
            "a human cannot play in `match`",
            fix="use pigglesim play, or in a window pigglesim play --view",
        )
    if record.resume is not None:
        refuse_settled(context, "out", "force", "date")
        options.load_own_game(game_flags.typed_game())
        setup = resumed(
            record.resume,
            scene=typed(context, "scene"),
            odds=chance.odds,
            programs=_programs(a=a, b=b, agents=agents),
        )
    else:
        players = (a, b, options.seats_of(agents))
        setup = _new(game_flags.resolve(rules), chance, record, players)
    setup = filming(setup) if record.film else setup
    play_it = partial(play_match, time_limit=time_limit, boards=boards, as_json=as_json)
    if view:
        watch_match(setup, play_it)
    else:
        play_it(setup)


def _new(
    base: GameSetup,
    chance: ChanceFlags,
    record: RecordFlags,
    agents: tuple[str | None, str | None, Sequence[str] | None],
) -> MatchSetup:
    """Return the set-up of a new match."""
    belief = believed_chance(chance.odds, base.models)
    a, b, others = agents
    names = seat_names(base.game, a=a, b=b, agents=others)
    seed = options.chosen_seed(chance.seed, names.values())
    playing = {
        seat: make_agent(name, game=base.game, chance=belief) for seat, name in names.items()
    }
    source = base.source(chance.chance, engine=chance.engine, seed=seed, odds=chance.odds)
    header = make_header(
        base.game,
        agents=playing,
        chance=source,
        seed=seed,
        teams=base.models,
        date=record.date,
        position=base.position,
    )
    return MatchSetup(
        game=base.game,
        header=header,
        board=base.scene.board if base.scene else None,
        agents=playing,
        chance=source,
        out=record.out,
        force=record.force,
    )


_IN_TERMINAL = "leave --view out: the match is played in this terminal"
_SEAT_CAMERAS = {"A": "180,46,0.86", "B": "0,46,0.86"}
"""Camera of each player in the window, above the player's own Pen."""


def play(
    context: typer.Context,
    *,
    a: Annotated[str | None, options.PLAYER, "Player of A: human or an agent. Default: human."] = (
        None
    ),
    b: Annotated[str | None, options.PLAYER, "Player of B: human or an agent. Default: greedy."] = (
        None
    ),
    agents: options.Agents = None,
    practice: Annotated[bool, "Allow decisions to be taken back; the record notes it."] = False,
    hints: Annotated[str | None, options.AGENT, "Agent that gives hints. Default: the game's."] = (
        None
    ),
    time_limit: options.TimeLimit = None,
    game_flags: GameFlags,
    chance: ChanceFlags,
    rules: options.RuleFlags,
    speed: Annotated[
        float, Flag(low=0.0, high=100.0), "Playback speed: 1 is real time, 0 shows no motion."
    ] = 1.0,
    out: Annotated[Path | None, "File to save to. Default: play-SEED.jsonl in this folder."] = None,
    resume: Annotated[Path | None, "Saved match to continue."] = None,
    view: Annotated[bool, "Play in a window: choose, aim and pour by mouse."] = False,
    plain: Annotated[bool, "Play by lines of text, not full screen."] = False,
    ascii_only: options.Ascii = False,
) -> None:
    r"""Play a match in this terminal or a window, by keys or mouse.

    The match is saved after every decision.

    An agent that raises, returns an illegal action or exceeds --time-limit forfeits.

    Without a full terminal, or with --plain, the match is played by lines of text.

    Examples:
        pigglesim play
        pigglesim play --b human
        pigglesim play piggy_six --agents human,greedy,greedy --players 3
        pigglesim play --game piggles_modern --team-a rare --b mcts:nodes=200
        pigglesim play --practice --seed 7 --rule mud_delay=none
        pigglesim play --resume play-7.jsonl
        pigglesim play --view --b mcts
        printf 'all\nskip\nquit\n' | pigglesim play --seed 7 --plain
    """
    print_in_ascii(ascii_only)
    if view and plain:
        raise SpecError("--view with --plain", fix="use one of them")
    settings = PlaySettings(
        hints=hints,
        speed=speed,
        time_limit=time_limit,
        scene=game_flags.scene,
        odds=chance.odds,
    )
    if resume is not None:
        refuse_settled(context, "practice")
        options.load_own_game(game_flags.typed_game())
        programs = _programs(a=a, b=b, agents=agents)
        session = resumed_session(resume, out=out, settings=settings, programs=programs)
        _note_commands(session.header)
    else:
        session = new_session(
            game_setup=game_flags.resolve(rules),
            agents=(a, b, options.seats_of(agents)),
            seed=chance.seed,
            chance=(chance.chance, chance.engine),
            practice=practice,
            out=out,
            settings=settings,
        )
    command = same_command(context, settled={}, without={"seed", "out"})
    again = None if resume is not None else command_here(*shlex.split(command)[1:])
    while _play(session, view=view, plain=plain, ascii_only=ascii_only, again=again):
        session = rematch_session(session, settings=settings)


def _play(
    session: Session, *, view: bool, plain: bool, ascii_only: bool, again: str | None
) -> bool:
    """Play a match, print where it is saved, and return True to play once more."""
    wish = ""
    if view:
        status, at_work = _at_window(session), False
    elif plain or not _full_terminal():
        status, at_work = _at_lines(session), False
    else:
        status, at_work, wish = _at_screen(session, ascii_only=ascii_only)
    print(_farewell(session, again))
    if wish == "page":
        file = session.saves.path
        source = MatchSource(record=session.record(), file=file)
        DrawFlags(html=file.with_suffix(".html")).share_match(source, rounds=(1, None))
    if at_work:
        # Quit without waiting for a roll or an agent; every move is already in the file.
        sys.stdout.flush()
        os._exit(status)
    if status:
        raise typer.Exit(status)
    return wish == "rematch"


def _full_terminal() -> bool:
    """Return True if the terminal can show a full screen."""
    capable = os.environ.get("TERM", "") not in {"", "dumb"}
    return capable and all(each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr))


def _at_screen(session: Session, *, ascii_only: bool) -> tuple[int, bool, str]:
    """Play on the full screen of a terminal.

    Returns:
        The exit status, True if a thread is still at work, and the choice made after the match.
    """
    from pigglesim.tui.app import PlayApp

    app = PlayApp(session, ascii_only=ascii_only)
    status = app.run()
    if app.fault is not None:
        raise app.fault
    at_work = app.is_working and not app.wish
    return app.return_code or 0 if status is None else status, at_work, app.wish


def _at_window(session: Session) -> int:
    """Play in a window and return the exit status."""
    scene = session.scene
    if scene is None or not session.view.in_window:
        raise SpecError(f"{session.game.name} cannot be played in a window", fix="leave --view out")
    people = session.people
    try:
        watch(
            TableShow(session, scene),
            scene,
            title=session.title,
            instead=_IN_TERMINAL,
            # A single person sits at the side of the own Pen.
            camera=_SEAT_CAMERAS[people[0]] if len(people) == 1 else "table",
            speed=session.speed,
        )
    except KeyboardInterrupt:
        return 130
    return 0


def _at_lines(session: Session) -> int:
    """Play by lines of text and return the exit status."""
    try:
        PlainTable(session, lines=sys.stdin, console=result_console()).run()
    except KeyboardInterrupt:
        print()
        return 130
    return 0


def _farewell(session: Session, again: str | None) -> str:
    """Return the file of the match, and the commands to resume or repeat it."""
    saves = session.saves
    saved = f"{saves.farewell} · seed {session.header.seed}"
    if not saves.written:
        return f"{saved} · the same again: --seed {session.header.seed}"
    header, file = session.header, str(saves.path)
    if not session.over:
        own = own_flags(header.game, header.agents.values())
        return f"{saved} · go on: {command_here('play', '--resume', file, *own)}"
    own = own_flags(header.game)
    lines = [saved, f"  review   {command_here('replay', file, *own)}"]
    if session.has_page:
        page = str(saves.path.with_suffix(".html"))
        lines.append(f"  page     {command_here('replay', file, '--html', page, *own)}")
    if again is not None:
        lines.append(f"  rematch  {again}")
    return "\n".join(lines)
