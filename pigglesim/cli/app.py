"""Entry point: all verbs, every error in one line, exit status 0, 1 (failed) or 2 (usage).

A stopped command exits with 130 after Ctrl-C and with 143 after SIGTERM, as shells do.
"""

import logging
import os
import re
import signal
import sys
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import Annotated

import typer

from pigglesim.cli.command_line import CommandLine, Verbs
from pigglesim.cli.flags import command_here
from pigglesim.cli.spelling import spell_unencodable
from pigglesim.errors import PigglesimError, cut, one_line
from pigglesim.signals import interrupts_in_libraries
from pigglesim.version import __version__

_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM
_VERBS = {
    "Watch": {
        "roll": "Throw a cup of Piggles onto the board and read how they land.",
        "view": "Watch rolls in a window: orbit, pause, step, scrub, inspect.",
        "film": "Summarise a film: who took part, how each landed, who was struck.",
        "board": "Show the board of a recorded match after a turn.",
        "replay": "Replay a recorded match: show, step, film, or ask what if.",
    },
    "Play": {
        "serve": "Serve a page in which you throw, play, watch, review and study.",
        "site": "Write a folder with which any web server serves the game.",
        "play": "Play a match in this terminal or a browser, by keys or mouse.",
        "link": "Play a match by messages: a link holds it whole, and nobody can choose a throw.",
        "match": "Let agents play a match; show the board after each turn.",
        "analyse": "Find where a recorded match was lost, decision by decision.",
        "puzzle": "Find the best action at a position, one puzzle a day.",
        "games": "List the games, their players and their sources of rolls.",
    },
    "Study": {
        "study": "Throw many times, save every throw, report shares with intervals.",
        "tournament": "Let agents play in pairs of matches and rate them, with intervals.",
        "balance": "Measure what each part of the game is worth.",
        "solve": "Solve Piggy Six exactly: winning chances and when to stop.",
    },
    "Designs": {
        "design": "Find a body whose shares meet a target when it is really dropped.",
        "print": "Write files to print a model, a tally sheet, and a sealed prediction.",
        "tally": "Count a list of throws into a die.toml.",
    },
    "Truth": {
        "validate": "Drop real bodies that people threw and counted, and compare.",
        "fit": "Fit a floor to counts of real throws, with its uncertainty.",
        "fair": "Test counts of a real die against equal or given shares.",
        "compare": "Pour with several physics engines and compare the shares.",
        "converge": "Pour with smaller time steps and compare the shares.",
        "odds": "Check the odds that `pigglesim study odds` writes against physics.",
    },
    "Tools": {
        "models": "List the models with their weight, poses, shares and liveries.",
        "model": "Make models of your own.",
        "poses": "Show the stable poses of a model or mesh file.",
        "scenario": "Check rule scenarios without physics.",
    },
}
"""Verbs with the first line of their help, by heading."""
_MODULES = {
    "balance": "series", "board": "replay", "converge": "compare", "fit": "validate",
    "model": "models", "odds": "compare", "play": "match", "poses": "models", "print": "design",
    "scenario": "games", "tournament": "series", "view": "film",
}  # fmt: skip
"""Module of each verb whose module has another name."""


class _AllVerbs(Verbs):
    headings, verb_modules = _VERBS, _MODULES


app = CommandLine(
    cls=_AllVerbs,
    name="pigglesim",
    help="Physics simulation of pig dice: pour a cup, read the board, score by the rules.\n\n"
    "Without a verb, a Classic match is played, and its page and picture are written.",
    invoke_without_command=True,
    add_completion=True,
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"pigglesim {__version__}")
        raise typer.Exit


@app.callback()
def _front(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Read the flags before the verb; without a verb, play a demonstration match."""
    del version
    if context.invoked_subcommand is None:
        from pigglesim.cli.games import play_first_match

        play_first_match()


def main() -> None:
    """Run the command line and exit with its status."""
    terminated = Event()
    try:
        _run(terminated)
    except SystemExit as exiting:
        # A verb ends in the same way for both signals.
        if exiting.code == _INTERRUPTED and terminated.is_set():
            sys.exit(_TERMINATED)
        raise


def _open_closed_streams() -> None:
    """Open /dev/null for closed standard streams, as some daemons leave them.

    Otherwise the first file opened would become that stream.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is this one.
            os.open(os.devnull, os.O_RDWR)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _ignore_foreign_settings() -> None:
    """Draw the same pictures everywhere: ignore the user's Matplotlib settings, and plugins.

    A foreign backend could fail, and none is needed: nothing is drawn on a screen. Matplotlib's
    warnings about its own settings files and folders affect no picture. Pydantic would search every
    installed package for plugins: none has work here.
    """
    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _let_sigterm_interrupt(terminated: Event) -> None:
    """Treat SIGTERM as Ctrl-C, so that finished work is not lost; set the event then."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        # Only once: a second interrupt, while workers stop, would orphan them.
        if not terminated.is_set():
            terminated.set()
            raise KeyboardInterrupt

    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, interrupt)


def _run(terminated: Event) -> None:
    try:
        _open_closed_streams()
        spell_unencodable()
        _ignore_foreign_settings()
        _let_sigterm_interrupt(terminated)
        try:
            with interrupts_in_libraries():
                app(prog_name="pigglesim")
        finally:
            # Flush here: errors at interpreter exit could not be reported.
            sys.stdout.flush()
    except SystemExit as exiting:
        # Typer turns an unhandled interrupt into a status, without a message.
        if isinstance(getattr(exiting.__context__, "__cause__", None), KeyboardInterrupt):
            print("pigglesim: stopped", file=sys.stderr)
        raise
    except PigglesimError as error:
        verbs = "|".join(verb for family in _VERBS.values() for verb in family)
        text = re.sub(rf"\bpigglesim (?=({verbs})\b)", lambda _: f"{command_here()} ", str(error))
        print(f"pigglesim: {text}", file=sys.stderr)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # The reader (head, less) has gone.
        _discard_output()
        sys.exit(1)
    except Exception as error:
        if os.environ.get("PIGGLESIM_TRACEBACK"):
            raise
        if isinstance(error, OSError):
            where = f" ({cut(one_line(str(error.filename)))})" if error.filename else ""
            message = f"{error.strerror or error}{where}; make room, or use other files"
        else:
            message = (
                f"internal error, {type(error).__name__}: {one_line(str(error))}; "
                "rerun with PIGGLESIM_TRACEBACK=1 and report the output"
            )
        print(f"pigglesim: {message}", file=sys.stderr)
        if isinstance(error, OSError):
            _discard_output()
        sys.exit(1)
    except KeyboardInterrupt:
        print("pigglesim: stopped", file=sys.stderr)
        sys.exit(_INTERRUPTED)


def _discard_output() -> None:
    """Discard pending standard output: another write would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
