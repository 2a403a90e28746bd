"""`pigglesim match` and `play`: matches of agents and of people, recorded and resumed."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.agents.agent import Agent
from pigglesim.agents.outside import COMMAND, ProcessAgent
from pigglesim.agents.registry import is_outside, own_flags
from pigglesim.api.game_setup import GameSetup, set_up_game
from pigglesim.api.match import (
    MatchSetup,
    play_match,
    resumed_match,
    seat_names,
    set_up_match,
)
from pigglesim.api.match_files import MatchSource
from pigglesim.api.play import PlaySettings, new_session, rematch_session, resumed_session
from pigglesim.api.sources import (
    odds_lines,
)
from pigglesim.cli import options
from pigglesim.cli.consoles import (
    exit_if_stopped,
    note,
    note_commands,
    print_json,
    result_console,
    say,
)
from pigglesim.cli.drawing import DrawFlags, ViewOption, watch
from pigglesim.cli.flags import (
    ARGUMENT,
    Flag,
    command_here,
    documented_by,
    refuse_idle,
    same_command,
    typed,
)
from pigglesim.cli.records import MatchView, read_position, show_end
from pigglesim.cli.serve import MATCHES, serve_page
from pigglesim.cli.spelling import print_in_ascii
from pigglesim.errors import SpecError
from pigglesim.films.codec import film_folder
from pigglesim.films.film import Film
from pigglesim.games.registry import is_own_game
from pigglesim.match.entries import Forfeit, Header, plain_line
from pigglesim.match.own_games import load_named_game
from pigglesim.match.record import (
    journal_of,
)
from pigglesim.match.runner import MatchEvent
from pigglesim.render.viewer import Playlist, made_ahead
from pigglesim.render.window import expect_window
from pigglesim.table.films import match_clips
from pigglesim.table.session import Session
from pigglesim.tui.plain import PlainTable


def _note_commands(header: Header) -> None:
    """Note which agents of a record cannot be compared with those that began it."""
    names = dict.fromkeys(header.agents.values())
    note_commands(name for name in names if name.startswith(f"{COMMAND}:"))


def _watched(
    setup: MatchSetup, out: Path | None
) -> tuple[MatchSetup, Callable[[Iterator[MatchEvent[Any]]], None]]:
    """Return a match whose rolls a window shows, and what shows them.

    If the window is closed, the match is played to its end.
    """
    instead = "leave --view out"
    if out is not None:
        instead += f", and draw it afterwards: pigglesim replay {out} --video F.mp4"
    films: dict[int, Film] = {}
    setup = setup.filmed(films.__setitem__, fix="leave --view out, or use --chance physical")
    scene = setup.scene
    assert scene is not None, "physics has a scene"
    expect_window(instead=instead)

    def follow(events: Iterator[MatchEvent[Any]]) -> None:
        models = setup.header.teams
        clips = match_clips(setup.game, events, films.pop, scene=scene, models=models)
        with closing(made_ahead(clips)) as ahead:
            shown = Playlist(ahead, busy_text="The match goes on")
            watch(shown, scene, title="A match", instead=instead)

    return setup, follow


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
            game and load_named_game(game)[0],
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
    date: Annotated[str | None, Flag(metavar="DATE")] = None


@documented_by(play_match)
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
            fix="use pigglesim play, or in a browser pigglesim play --view",
        )
    out = record.out
    if record.resume is not None:
        refuse_settled(context, "out", "force", "date")
        options.load_own_game(game_flags.typed_game())
        resume = record.resume
        out = resume.with_suffix("") if resume.suffix == journal_of(resume).suffix else resume
        setup = resumed_match(
            out,
            scene=typed(context, "scene"),
            odds=chance.odds,
            programs=_programs(a=a, b=b, agents=agents),
        )
        _note_commands(setup.header)
    else:
        base = game_flags.resolve(rules)
        setup = set_up_match(
            base,
            agents=seat_names(base.game, a=a, b=b, agents=options.seats_of(agents)),
            chance=chance.chance,
            engine=chance.engine,
            odds=chance.odds,
            seed=chance.seed,
            date=record.date,
        )
    if record.film:
        if out is None:
            raise SpecError("--film needs --out", fix="add --out match.jsonl")
        setup = setup.filmed(film_folder(out).write, fix="leave --film out")
    setup, follow = _watched(setup, out) if view else (setup, None)
    console = None if as_json or not boards else result_console()
    with MatchView(setup.game, setup.board, console=console) as shown:
        played = setup.play(
            out=out,
            overwrite=record.force,
            time_limit=time_limit,
            on_event=shown.on_event,
            follow=follow,
        )
    if as_json:
        print_json(played.document())
    else:
        show_end(played, result_console(), out)
        for line in odds_lines(setup.chance):
            result_console().print(line, style="dim")
    if (forfeit := played.record.forfeit) is not None:
        _note_forfeit(forfeit, setup.agents[forfeit.seat])
    exit_if_stopped(played.record.footer.result is None)


def _note_forfeit(forfeit: Forfeit, agent: Agent) -> None:
    """Note why an agent lost, and the errors that a program printed."""
    note(f"{agent.name} forfeits ({forfeit.cause.rule}, {forfeit.cause}): {forfeit.detail}")
    for line in agent.errors if isinstance(agent, ProcessAgent) else ():
        # The detail of a program that ended has its last line already.
        if plain_line(line) not in forfeit.detail:
            note(f"its standard error: {line}")


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
    out: Annotated[
        Path | None, "File to save to. Default: play-SEED.jsonl here, with --view in ./matches."
    ] = None,
    resume: Annotated[Path | None, "Saved match to continue."] = None,
    view: Annotated[bool, "Play in a browser: choose, aim and pour by mouse."] = False,
    plain: Annotated[bool, "Play by lines of text, not full screen."] = False,
    ascii_only: options.Ascii = False,
) -> None:
    r"""Play a match in this terminal or a browser, by keys or mouse.

    The match is saved after every decision.

    An agent that raises, returns an illegal action or exceeds --time-limit forfeits.

    Without a full terminal, or with --plain, the match is played by lines of text. With --view it
    is played in the page of `serve`, in 3D; Ctrl-C ends the server.

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
    if view:
        refuse_idle(context, ("plain", "speed", "ascii_only"), why="--view plays in the browser")
    settings = PlaySettings(
        hints=hints,
        speed=speed,
        time_limit=time_limit,
        scene=game_flags.scene,
        odds=chance.odds,
        folder=MATCHES if view else Path(),
        secret=view,
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
    if view:
        serve_page(session.saves.path.parent, match=(session, settings))
        return
    command = same_command(context, settled={}, without={"seed", "out"})
    again = None if resume is not None else command_here(*shlex.split(command)[1:])
    while _play(session, plain=plain, ascii_only=ascii_only, again=again):
        session = rematch_session(session, settings=settings)


def _play(session: Session, *, plain: bool, ascii_only: bool, again: str | None) -> bool:
    """Play a match, print where it is saved, and return True to play once more."""
    wish = ""
    if plain or not _full_terminal():
        status, at_work = _at_lines(session), False
    else:
        status, at_work, wish = _at_screen(session, ascii_only=ascii_only)
    say(_farewell(session, again))
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
