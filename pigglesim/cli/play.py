"""`pigglesim play`: a match for people, in a terminal: against an agent, or two at one keyboard."""

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.options import AgentsOption, ChanceFlags, PlaceFlags, RuleFlags
from pigglesim.cli.resuming import refuse_beside_resume
from pigglesim.cli.same_command import same_command, typed
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.screen.setting import Setting

__all__ = ["register"]

_HELP = """Play a match in this terminal or a window, by keys or mouse.

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

  printf 'all\\nskip\\nquit\\n' | pigglesim play --seed 7 --plain
"""

_STOPPED = 130
_INSTEAD = "leave --view out: the match is played in this terminal"
_SEATED = {"A": "180,46,0.86", "B": "0,46,0.86"}
"""Where each player looks from at the window, over the own Pen."""
_SETTLED = (
    "named", "a", "b", "agents", "players", "game", "team_a", "team_b",
    "seed", "engine", "chance", "rule", "house_rules", "practice",
)  # fmt: skip
"""What a record has settled, which cannot be asked for beside --resume."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(play)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFlags:
    """The flags that tell who plays, and how."""

    a: Annotated[
        str | None,
        typer.Option(
            "--a",
            autocompletion=completions.players,
            metavar="AGENT",
            help="Player of A, South: human or an agent. Default: human.",
        ),
    ] = None
    b: Annotated[
        str | None,
        typer.Option(
            "--b",
            autocompletion=completions.players,
            metavar="AGENT",
            help="Player of B, North: human or an agent. Default: greedy.",
        ),
    ] = None
    agents: AgentsOption = None
    practice: Annotated[
        bool,
        typer.Option("--practice", help="Allow decisions to be taken back; the record notes it."),
    ] = False
    hints: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.agents,
            metavar="AGENT",
            help="Agent that gives hints. Default: the game's.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Time limit of an agent's decision; a slower agent forfeits. Default: none. [s]"
        ),
    ] = None


def play(
    context: typer.Context,
    *,
    seats: SeatFlags,
    place: PlaceFlags,
    chance: ChanceFlags,
    rules: RuleFlags,
    speed: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=100.0,
            help="Speed at which rolls are shown: 1 is real time, 0 shows no motion.",
        ),
    ] = 1.0,
    out: Annotated[
        Path | None, typer.Option(help="File to save to. Default: play-SEED.jsonl in this folder.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Saved match to continue.")] = None,
    view: Annotated[
        bool, typer.Option("--view", help="Play in a window: choose, aim and pour by mouse.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Play by lines of text, not full screen.")
    ] = False,
) -> None:
    """Play one match."""
    from pigglesim.cli.play_table import Manners, new_setting, resumed_setting

    manners = Manners(hints=seats.hints, speed=speed, time_limit=seats.time_limit)
    if resume is not None:
        refuse_beside_resume(context, _SETTLED)
        setting = resumed_setting(
            resume, scene_name=place.scene, odds=chance.odds, out=out, manners=manners
        )
    else:
        setting = new_setting(
            place=place.place(rules),
            agents=(seats.a, seats.b, seats.agents),
            seed=chance.seed,
            chance=(chance.chance, chance.engine, chance.odds),
            practice=seats.practice,
            out=out,
            manners=manners,
        )
    if view and plain:
        raise SpecError("--view or --plain", got="both", remedy="--view alone opens a window")
    from pigglesim.cli.play_table import rematch_setting

    command = same_command(context, settled={}, without={"seed", "out"})
    again = None if resume is not None else typed(*shlex.split(command)[1:])
    while _play(setting, view=view, plain=plain, again=again):
        setting = rematch_setting(
            setting, scene_name=place.scene, odds=chance.odds, manners=manners
        )


def _play(setting: "Setting", *, view: bool, plain: bool, again: str | None) -> bool:
    """Play it where people sit, and say where it is kept; return whether to play once more."""
    wish = ""
    if view:
        status, at_work = _at_window(setting), False
    elif plain or not _full_terminal():
        status, at_work = _at_lines(setting), False
    else:
        status, at_work, wish = _at_screen(setting)
    print(_farewell(setting, again))
    if wish == "page":
        _write_page(setting)
    if at_work:
        # Whoever leaves waits for no roll and no agent; all that was played is in the file.
        sys.stdout.flush()
        os._exit(status)
    if status:
        raise typer.Exit(status)
    return wish == "rematch"


def _write_page(setting: "Setting") -> None:
    """Write the match as a page beside its record."""
    from pigglesim.cli.progress import progress_bar
    from pigglesim.cli.sharing_options import tell_written
    from pigglesim.verbs.match_files import MatchSource, write_match_files

    source = MatchSource(record=setting.session.record(), file=setting.saves.path)
    with progress_bar("rolls") as bar:
        task = bar.add_task("filmed", total=None)
        written = list(
            write_match_files(
                source,
                html=setting.saves.path.with_suffix(".html"),
                watch=lambda done, count: bar.update(task, completed=done, total=count),
            )
        )
    tell_written(written)


def _full_terminal() -> bool:
    """Return whether there is a terminal in which a full screen can be shown."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") not in {
        None, "", "dumb",
    }  # fmt: skip


def _at_screen(setting: "Setting") -> tuple[int, bool, str]:
    """Play at the full screen.

    Returns:
        The exit status, whether a thread is still at work, and what was chosen after the match.
    """
    from pigglesim.screen.app import PlayApp

    app = PlayApp(setting)
    status = app.run()
    if app.fault is not None:
        raise app.fault
    at_work = app.labour.runs and not app.wish
    return app.return_code or 0 if status is None else status, at_work, app.wish


def _at_window(setting: "Setting") -> int:
    """Play in a window and return the exit status."""
    from pigglesim.cli.watching import watch
    from pigglesim.screen.table_show import TableShow

    session, scene = setting.session, setting.scene
    if scene is None or not setting.family.in_window:
        raise SpecError(
            "a game of Piggles or dice",
            got=session.game.name,
            remedy="no --view: it is played in the terminal",
        )
    people = [seat for seat, agent in session.agents.items() if agent is None]
    try:
        watch(
            TableShow(setting, scene),
            scene,
            title=setting.title,
            instead=_INSTEAD,
            # Who plays alone sits where the own Pen lies.
            camera=_SEATED[people[0]] if len(people) == 1 else "table",
            speed=setting.speed,
        )
    except KeyboardInterrupt:
        return _STOPPED
    return 0


def _at_lines(setting: "Setting") -> int:
    """Play by lines and return the exit status."""
    from collections.abc import Sequence

    from rich.console import RenderableType

    from pigglesim.cli.options import result_console
    from pigglesim.pictures.board import SHIELD_MARK, board_view
    from pigglesim.rolls import Landing
    from pigglesim.screen.plain import PlainTable

    console = result_console()

    def show_board(lying: Sequence[tuple[str, Landing]], state: object) -> RenderableType:
        worn = {
            piggle: f"{mark.worn}{SHIELD_MARK if mark.shielded else ''}"
            for piggle, mark in setting.marks(state).items()
        }
        # Only where something lies on a board is there one to be shown.
        assert setting.board is not None
        return board_view(setting.board, lying, width=console.width, worn=worn)

    try:
        PlainTable(setting, lines=sys.stdin, console=console, show_board=show_board).run()
    except KeyboardInterrupt:
        print()
        return _STOPPED
    return 0


def _farewell(setting: "Setting", again: str | None) -> str:
    """Return where the match is saved, and the commands to go on with it.

    Args:
        setting: The match.
        again: The command of a rematch; None where the match was resumed from a file.
    """
    session, saves = setting.session, setting.saves
    saved = f"{saves.farewell} · seed {session.header.seed}"
    if not saves.written:
        return f"{saved} · the same again: --seed {session.header.seed}"
    file = str(saves.path)
    if not session.over:
        return f"{saved} · go on: {typed('play', '--resume', file)}"
    lines = [f"{saved}", f"  review   {typed('replay', file)}"]
    if setting.has_page:
        page = str(saves.path.with_suffix(".html"))
        lines.append(f"  page     {typed('replay', file, '--html', page)}")
    if again is not None:
        lines.append(f"  rematch  {again}")
    return "\n".join(lines)
