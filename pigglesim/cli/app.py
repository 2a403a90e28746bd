"""The front door: one verb a file, every fault one line, exit 0, 1 (failed) or 2 (usage).

What is stopped leaves with 130 after Ctrl-C and with 143 after SIGTERM, as shells count signals.
"""

import os
import signal
import sys
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import Annotated

import typer

from pigglesim import __version__
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
from pigglesim.errors import PigglesimError

__all__ = ["app", "main"]

_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM

app = typer.Typer(
    name="pigglesim",
    help="Physical pig dice: poured from a cup, read on the board, scored by the rules.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"pigglesim {__version__}")
        raise typer.Exit


@app.callback()
def _front(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Tell the version and leave."
        ),
    ] = False,
) -> None:
    """Take what stands before the verb."""
    del version


for verb in (
    roll,
    view,
    match,
    replay,
    board,
    film,
    scenario,
    models,
    play,
    games,
    poses,
    model,
    validate,
    fit,
    converge,
    compare,
    study,
    tournament,
    balance,
    solve,
    bench,
    fingerprint,
):
    verb.register(app)


def main() -> None:
    """Run the command line and leave with its exit status."""
    terminated = _let_sigterm_interrupt()
    try:
        _run()
    except SystemExit as leaving:
        # A verb ends alike however it was stopped.
        if leaving.code == _INTERRUPTED and terminated.is_set():
            sys.exit(_TERMINATED)
        raise


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
        app(prog_name="pigglesim")
    except PigglesimError as error:
        print(f"pigglesim: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; a second flush at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("PIGGLESIM_TRACEBACK"):
            raise
        print(
            f"pigglesim: a fault of the program itself, {type(error).__name__}: {error}; "
            "try: run again with PIGGLESIM_TRACEBACK=1 and report what it prints",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        print("pigglesim: stopped", file=sys.stderr)
        sys.exit(_INTERRUPTED)
