"""`pigglesim play`: matches for people, set up from flags or from a saved file."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.agents.agent import Agent
from pigglesim.agents.playouts import ChanceModel
from pigglesim.agents.registry import agent_names, is_outside, make_agent
from pigglesim.api.match import GameSetup, seat_names
from pigglesim.api.match_files import MatchSource
from pigglesim.api.sources import expect_typed, source_of_record, typed_programs
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.chance.tabular import believed_chance
from pigglesim.cli import options
from pigglesim.cli.consoles import result_console
from pigglesim.cli.drawing import DrawFlags, watch
from pigglesim.cli.flags import Flag, command_here, same_command
from pigglesim.cli.match import ChanceFlags, GameFlags, refuse_settled, typed_agents
from pigglesim.data_files import scene_names
from pigglesim.errors import RecordError, SpecError, unknown_name
from pigglesim.films.film import Film
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.entries import Header
from pigglesim.match.record import read_record
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import ChanceSource, MatchEvent
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.tui.plain import PlainTable
from pigglesim.tui.session import HUMAN, LEARNER, SaveFile, Session, fresh_file, new_file
from pigglesim.tui.table_show import TableShow


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """Settings of a match that its record does not store."""

    hints: str | None
    """Agent that gives hints; None for the game's default."""
    speed: float
    """Playback speed of rolls; 1 is real time."""
    time_limit: float | None = None
    """Time limit of an agent's decision [s]; None for no limit."""
    scene: str | None = None
    """File of a scene that is not part of pigglesim."""
    odds: str | None = None
    """File of odds that are not part of pigglesim."""


def new_session(
    *,
    game_setup: GameSetup,
    agents: tuple[str | None, str | None, str | None],
    seed: int | None,
    chance: tuple[str | None, str | None],
    practice: bool,
    out: Path | None,
    settings: PlaySettings,
) -> Session:
    """Return the session of a new match.

    `agents` are the players of A, of B and of all seats: `human`, or names of agents. By default a
    person plays A, and agents play all other seats. `chance` is the source of rolls and its engine.
    Without `out` the file is named after the seed.
    """
    root = options.chosen_seed(seed)
    a, b, others = agents
    kind, engine = chance
    first = HUMAN if a is None and others is None else a
    return _session(
        game_setup.game,
        scene=game_setup.scene,
        players=seat_names(game_setup.game, a=first, b=b, agents=others, default="greedy"),
        chance=game_setup.source(kind, engine=engine, seed=root, odds=settings.odds),
        seed=root,
        teams=game_setup.models,
        position=game_setup.position,
        practice=practice,
        file=fresh_file(Path(), root) if out is None else new_file(out),
        settings=settings,
    )


def resumed_session(
    file: Path, *, out: Path | None, settings: PlaySettings, programs: Sequence[str] = ()
) -> Session:
    """Return the session of a saved match, to resume it.

    `programs` are the agents that are programs, as the user typed them.
    """
    record = read_record(file)
    header = record.header
    named = typed_programs(header, programs)
    for seat, agent in header.agents.items():
        expect_typed(seat, agent, named)
    events: list[MatchEvent[Any]] = []
    replay(record, on_event=events.append)
    if record.footer.result is not None:
        raise RecordError(f"the match in {file} is over", fix=f"use pigglesim replay {file}")
    table = settings.scene or _scene_of_record(header)
    return _session(
        game_of(record),
        scene=load_scene(table) if table else None,
        players=header.agents,
        chance=source_of_record(header, scene=settings.scene, odds=settings.odds),
        seed=header.seed,
        teams=header.teams,
        position=header.position,
        practice=LEARNER in header.agents.values(),
        file=file if out is None else new_file(out),
        settings=settings,
        events=events,
    )


def rematch_session(session: Session, *, settings: PlaySettings) -> Session:
    """Return the same match again, with a new seed and a new file."""
    seed = options.chosen_seed(None)
    chance = session.header.chance
    seeded = {**chance, "seed": seed} if "seed" in chance else chance
    header = replace(session.header, seed=seed, chance=seeded)
    return _session(
        session.game,
        scene=session.scene,
        players=header.agents,
        chance=source_of_record(header, scene=settings.scene, odds=settings.odds),
        seed=seed,
        teams=header.teams,
        position=header.position,
        practice=session.practice,
        file=fresh_file(session.saves.path.parent, seed),
        settings=settings,
    )


def _session(
    game: Game[Any, Any],
    *,
    scene: Scene | None,
    players: Mapping[Seat, str],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str],
    position: str | None,
    practice: bool,
    file: Path,
    settings: PlaySettings,
    events: Sequence[MatchEvent[Any]] = (),
) -> Session:
    """Return the session of a match, with its adviser and file."""
    belief = believed_chance(settings.odds, teams)
    if isinstance(chance, PhysicalChance):

        def keep(_index: int, film: Film) -> None:
            session.film = film

        chance = FilmedChance(source=chance, show=keep)

    @cache
    def adviser() -> Agent:
        return make_agent(settings.hints or find(game.name).adviser, game=game, chance=belief)

    if settings.hints:
        # Report a wrong name at once; compiling a game's own adviser can wait.
        adviser()
    session = Session(
        game,
        agents={seat: _player(players[seat], game, belief) for seat in game.seats},
        chance=chance,
        seed=seed,
        teams=teams,
        position=position,
        saves=SaveFile(file),
        practice=practice,
        events=events,
        time_limit=settings.time_limit,
        scene=scene,
        adviser=adviser,
        speed=settings.speed,
    )
    return session


def _player(name: str, game: Game[Any, Any], belief: ChanceModel) -> Agent | None:
    """Return an agent, or None for a person."""
    if name in {HUMAN, LEARNER}:
        return None
    # Parameters of the agent may follow its name.
    if not is_outside(name) and name.partition(":")[0] not in agent_names():
        raise unknown_name("player", name, (HUMAN, *agent_names()))
    return make_agent(name, game=game, chance=belief)


def _scene_of_record(header: Header) -> str | None:
    """Return the scene of a recorded match; odds name no scene, so use the game's."""
    default = find(header.game).scene
    name = header.chance.get("scene", default)
    return name if isinstance(name, str) and name in scene_names() else default


_INSTEAD = "leave --view out: the match is played in this terminal"
_SEAT_CAMERAS = {"A": "180,46,0.86", "B": "0,46,0.86"}
"""Camera of each player in the window, above the player's own Pen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFlags:
    """Flags for the players, practice and hints."""

    a: Annotated[str | None, options.PLAYER, "Player of A: human or an agent. Default: human."] = (
        None
    )
    b: Annotated[str | None, options.PLAYER, "Player of B: human or an agent. Default: greedy."] = (
        None
    )
    agents: options.Agents = None
    practice: Annotated[bool, "Allow decisions to be taken back; the record notes it."] = False
    hints: Annotated[str | None, options.AGENT, "Agent that gives hints. Default: the game's."] = (
        None
    )
    time_limit: options.TimeLimit = None


def play(
    context: typer.Context,
    *,
    seats: SeatFlags,
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
    if view and plain:
        raise SpecError("--view with --plain", fix="use one of them")
    settings = PlaySettings(
        hints=seats.hints,
        speed=speed,
        time_limit=seats.time_limit,
        scene=game_flags.scene,
        odds=chance.odds,
    )
    if resume is not None:
        refuse_settled(context, "practice")
        programs = typed_agents(seats.a, seats.b, seats.agents)
        session = resumed_session(resume, out=out, settings=settings, programs=programs)
    else:
        session = new_session(
            game_setup=game_flags.resolve(rules),
            agents=(seats.a, seats.b, seats.agents),
            seed=chance.seed,
            chance=(chance.chance, chance.engine),
            practice=seats.practice,
            out=out,
            settings=settings,
        )
    command = same_command(context, settled={}, without={"seed", "out"})
    again = None if resume is not None else command_here(*shlex.split(command)[1:])
    while _play(session, view=view, plain=plain, again=again):
        session = rematch_session(session, settings=settings)


def _play(session: Session, *, view: bool, plain: bool, again: str | None) -> bool:
    """Play a match, print where it is saved, and return True to play once more."""
    wish = ""
    if view:
        status, at_work = _at_window(session), False
    elif plain or not _full_terminal():
        status, at_work = _at_lines(session), False
    else:
        status, at_work, wish = _at_screen(session)
    print(_farewell(session, again))
    if wish == "page":
        _write_page(session)
    if at_work:
        # Quit without waiting for a roll or an agent; every move is already in the file.
        sys.stdout.flush()
        os._exit(status)
    if status:
        raise typer.Exit(status)
    return wish == "rematch"


def _write_page(session: Session) -> None:
    """Write the match as a page next to its record."""
    source = MatchSource(record=session.record(), file=session.saves.path)
    DrawFlags(html=session.saves.path.with_suffix(".html")).share_match(source, rounds=(1, None))


def _full_terminal() -> bool:
    """Return True if the terminal can show a full screen."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") not in {
        None, "", "dumb",
    }  # fmt: skip


def _at_screen(session: Session) -> tuple[int, bool, str]:
    """Play on the full screen of a terminal.

    Returns:
        The exit status, True if a thread is still at work, and the choice made after the match.
    """
    from pigglesim.tui.app import PlayApp

    app = PlayApp(session)
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
            instead=_INSTEAD,
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
    file = str(saves.path)
    if not session.over:
        return f"{saved} · go on: {command_here('play', '--resume', file)}"
    lines = [f"{saved}", f"  review   {command_here('replay', file)}"]
    if session.has_page:
        page = str(saves.path.with_suffix(".html"))
        lines.append(f"  page     {command_here('replay', file, '--html', page)}")
    if again is not None:
        lines.append(f"  rematch  {again}")
    return "\n".join(lines)
