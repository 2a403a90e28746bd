"""`pigglesim` as a person starts it, and the same within the test's own process."""

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from typer.testing import CliRunner

from pigglesim.cli.app import app
from tests.support.doors import HUNG, QuickDoor


def run(*words, cwd=None, env=None, patience=300):
    """Run a verb to its end in a process of its own.

    With an environment of its own, `env` added to the usual, it is started afresh; else it is
    forked from a process that has loaded everything, which is all that starting takes time for.
    """
    if env:
        return run_afresh(*words, cwd=cwd, env=env, patience=patience)
    with TemporaryDirectory() as kept:
        files = tuple(Path(kept) / name for name in ("out", "err"))
        ended = _door().start(words, cwd or Path.cwd(), files=files).ended(patience)
    if ended.code == HUNG:
        raise subprocess.TimeoutExpired(words, patience, ended.out, ended.err)
    return subprocess.CompletedProcess(words, ended.code, ended.out, ended.err)


@cache
def _door():
    door = QuickDoor()
    door.__enter__()
    atexit.register(door.__exit__)
    return door


def run_afresh(*words, cwd=None, env=None, patience=300):
    """Run a verb to its end as a person starts it."""
    return subprocess.run(
        _command(words),
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=patience,
    )


def start(*words, env=None, **pipes):
    """Start a verb that a test will stop, in a group of its own, as a terminal does."""
    return subprocess.Popen(
        _command(words),
        text=True,
        start_new_session=True,
        env={**os.environ, **(env or {})},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | pipes,
    )


def run_here(*words, stdin=None):
    """Run a verb in this process: quicker, and a fault of its own is raised.

    Work that could be shared stays here as well, unless workers are asked for: to start them takes
    longer than what tests ask of them.
    """
    words = [str(word) for word in words]
    with patch("pigglesim.cli.options.os.cpu_count", return_value=1):
        return CliRunner().invoke(app, words, input=stdin, catch_exceptions=False)


def _command(words):
    return [sys.executable, "-m", "pigglesim", *map(str, words)]
