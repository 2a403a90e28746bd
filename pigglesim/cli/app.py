"""The front door: one verb a file, every fault one line, exit 0, 1 (failed) or 2 (usage).

What is stopped leaves with 130 after Ctrl-C and with 143 after SIGTERM, as shells count signals.
"""

import logging
import os
import signal
import sys
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import Annotated

import typer

from pigglesim.cli import (
    balance,
    bench,
    board,
    compare,
    converge,
    film,
    fingerprint,
    fit,
    games,
    match,
    model,
    models,
    odds,
    play,
    poses,
    replay,
    roll,
    scenario,
    solve,
    study,
    tournament,
    validate,
    view,
)
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.consoles import spell_unencodable
from pigglesim.errors import PigglesimError, one_line
from pigglesim.undisturbed import stops_are_heard
from pigglesim.version import __version__

__all__ = ["app", "main"]

_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM

app = CommandLine(
    name="pigglesim",
    help="Physics simulation of pig dice: pour a cup, read the board, score by the rules.\n\n"
    "Without a verb, a Classic match is played, and its page and picture are written.",
    invoke_without_command=True,
    add_completion=True,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"pigglesim {__version__}")
        raise typer.Exit


@app.callback()
def _front(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take what stands before the verb; without one, play a match to look at."""
    del version
    if context.invoked_subcommand is None:
        from pigglesim.cli.first_match import play_first_match

        play_first_match()


_VERBS = {
    "Watch": (roll, view, film, board, replay),
    "Play": (play, match, games),
    "Study": (study, tournament, balance, solve),
    "Truth": (validate, fit, compare, converge, odds, fingerprint),
    "Tools": (models, model, poses, scenario, bench),
}
for heading, verbs in _VERBS.items():
    app.under(heading, [verb.register for verb in verbs])


def main() -> None:
    """Run the command line and leave with its exit status."""
    _open_what_is_closed()
    spell_unencodable()
    _draw_alike()
    terminated = _let_sigterm_interrupt()
    try:
        _run()
    except SystemExit as leaving:
        # A verb ends alike however it was stopped.
        if leaving.code == _INTERRUPTED and terminated.is_set():
            sys.exit(_TERMINATED)
        raise


def _open_what_is_closed() -> None:
    """Let what was started without a standard stream, as by some daemons, have an empty one.

    Else the first file that is opened would become that stream.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free: this very one.
            os.open(os.devnull, os.O_RDWR)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _draw_alike() -> None:
    """Draw pictures alike everywhere: foreign settings of Matplotlib change nothing.

    A foreign backend would end every picture, and none is needed: nothing is drawn on a screen.
    What Matplotlib finds wrong with settings files and folders of its own concerns no picture.
    """
    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)


def _let_sigterm_interrupt() -> Event:
    """Let SIGTERM do as Ctrl-C does, so that nothing finished is lost; set the event then."""
    terminated = Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        # Once: a second one, while workers are stopped, would leave them behind.
        if not terminated.is_set():
            terminated.set()
            raise KeyboardInterrupt

    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, interrupt)
    return terminated


def _run() -> None:
    try:
        try:
            with stops_are_heard():
                app(prog_name="pigglesim")
        finally:
            # Here, and not when the interpreter ends, somebody can tell what goes wrong.
            sys.stdout.flush()
    except SystemExit as leaving:
        # Typer turns a stop that no verb answers into a status, and says nothing.
        if isinstance(getattr(leaving.__context__, "__cause__", None), KeyboardInterrupt):
            print("pigglesim: stopped", file=sys.stderr)
        raise
    except PigglesimError as error:
        print(f"pigglesim: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone.
        _say_no_more()
        sys.exit(1)
    except OSError as error:
        if os.environ.get("PIGGLESIM_TRACEBACK"):
            raise
        where = f" ({error.filename})" if error.filename else ""
        print(
            "pigglesim: expected output and files that can be written and read, got "
            f"{error.strerror or error}{where}; try: make room, or other files",
            file=sys.stderr,
        )
        _say_no_more()
        sys.exit(1)
    except Exception as error:
        if os.environ.get("PIGGLESIM_TRACEBACK"):
            raise
        print(
            f"pigglesim: a fault of the program itself, {type(error).__name__}: "
            f"{one_line(str(error))}; "
            "try: run again with PIGGLESIM_TRACEBACK=1 and report what it prints",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        print("pigglesim: stopped", file=sys.stderr)
        sys.exit(_INTERRUPTED)


def _say_no_more() -> None:
    """Drop what is still to be written to standard output: another try would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
