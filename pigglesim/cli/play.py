"""`pigglesim play`: matches for people, set up from flags or from a saved file."""

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.api.match_files import MatchSource
from pigglesim.api.play import PlaySettings, new_session, rematch_session, resumed_session
from pigglesim.cli import options
from pigglesim.cli.consoles import result_console
from pigglesim.cli.drawing import DrawFlags, watch
from pigglesim.cli.flags import Flag, command_here, same_command
from pigglesim.cli.match import ChanceFlags, GameFlags, refuse_settled, typed_agents
from pigglesim.errors import SpecError
from pigglesim.tui.plain import PlainTable
from pigglesim.tui.session import Session
from pigglesim.tui.table_show import TableShow

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
