"""`pigglesim` as a person starts it, and the same within the test's own process."""

import os
import subprocess
import sys

from typer.testing import CliRunner

from pigglesim.cli.app import app


def run(*words, cwd=None, env=None, patience=300):
    """Run a verb to its end in a process of its own; `env` is added to the environment."""
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
    """Run a verb in this process: quicker, and a fault of its own is raised."""
    words = [str(word) for word in words]
    return CliRunner().invoke(app, words, input=stdin, catch_exceptions=False)


def _command(words):
    return [sys.executable, "-m", "pigglesim", *map(str, words)]
