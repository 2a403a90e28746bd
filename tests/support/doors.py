"""Two ways into the program: the front door, as a person starts it, and a quick one."""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from json import dumps
from pathlib import Path

from tests.support.waiting import group_is_alive

_ROOT = Path(__file__).parents[2]
_LONGEST = 120.0
"""Time after which a program hangs [s]."""
HUNG = -1000
"""Exit status of a program that had to be killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Program that has ended."""

    code: int
    """Exit status; below 0 the signal that ended it."""
    out: str
    err: str
    seconds: float


class Running:
    """Program at work, whose process `pid` leads a group; `wait(seconds)` gives its status."""

    def __init__(self, pid, wait, files):
        self.pid = pid
        self._wait = wait
        self._out, self._err = files
        self._began = time.monotonic()

    def children(self):
        """Return its child processes, in order, without the one that Python needs for them."""
        text = _text_of(Path(f"/proc/{self.pid}/task/{self.pid}/children"))
        commands = {int(word): _text_of(Path(f"/proc/{word}/cmdline")) for word in text.split()}
        return [pid for pid, command in commands.items() if "resource_tracker" not in command]

    def is_alive(self):
        """Return True until it has ended."""
        text = _text_of(Path(f"/proc/{self.pid}/stat"))
        return bool(text) and text.rpartition(")")[2].split()[0] != "Z"

    def send(self, number, pids=None):
        """Send a signal to some processes, or to the whole group."""
        for pid in [-self.pid] if pids is None else pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def ended(self, within=_LONGEST):
        """Wait for its end, and kill it if it hangs."""
        code = self._wait(within)
        if code is None:
            self.send(signal.SIGKILL)
            self._wait(_LONGEST)
            code = HUNG
        seconds = time.monotonic() - self._began
        # Whoever is left of the group, as after a kill of the parent alone, must go by itself.
        until = time.monotonic() + _LONGEST
        while group_is_alive(self.pid) and time.monotonic() < until:
            time.sleep(0.005)
        if group_is_alive(self.pid):
            self.send(signal.SIGKILL)
            code = HUNG
        out, err = (path.read_text(errors="replace") for path in (self._out, self._err))
        return Ended(code=code, out=out, err=err, seconds=seconds)


def _text_of(path):
    with suppress(OSError):
        return path.read_text(errors="replace")
    return ""


def _pipes_of(folder, suffix):
    return tuple(folder.with_name(f"{folder.name}{suffix}.{name}") for name in ("out", "err"))


class FrontDoor:
    """Starts `python -m pigglesim`."""

    def start(self, words, folder, *, out=None, plant=None, suffix=""):
        """Start it in a folder; its output goes to files beside that, or to `out`."""
        assert plant is None, "what is planted needs the quick door"
        paths = _pipes_of(folder, suffix)
        files = [path.open("w") for path in (out or paths[0], paths[1])]
        process = subprocess.Popen(
            [sys.executable, "-m", "pigglesim", *map(str, words)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=files[0],
            stderr=files[1],
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
        for file in files:
            file.close()

        def wait(seconds):
            with suppress(subprocess.TimeoutExpired):
                return process.wait(seconds)
            return None

        return Running(process.pid, wait, paths)

    def run(self, words, folder, **more):
        """Run it to its end."""
        return self.start(words, folder, **more).ended()


class QuickDoor(FrontDoor):
    """Forks a process that has everything loaded; a context manager.

    Args:
        apart: Whether that process is in a session of its own, where Ctrl-C does not reach it.
    """

    def __init__(self, *, apart=False):
        self._apart = apart

    def __enter__(self):
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=self._apart,
            text=True,
        )
        assert self._server.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *fault):
        self._server.stdin.close()
        self._server.wait(_LONGEST)
        self._server.stdout.close()

    def start(self, words, folder, *, out=None, plant=None, suffix="", files=None):
        """Start it in a folder; its output goes to files beside that, or to `out` or `files`."""
        paths = files or _pipes_of(folder, suffix)
        for path in paths:
            path.write_text("")
        request = {
            "words": [str(word) for word in words],
            "folder": str(folder),
            "out": str(out or paths[0]),
            "err": str(paths[1]),
            "plant": plant,
            "environment": dict(os.environ),
        }
        self._ask(request)
        answers = self._server.stdout
        pid = int(answers.readline())
        asked = []

        def wait(seconds):
            if not asked:
                asked.append(pid)
                self._ask({"wait": pid})
            if not select.select([answers], [], [], seconds)[0]:
                return None
            return int(answers.readline())

        return Running(pid, wait, paths)

    def _ask(self, request):
        print(dumps(request), file=self._server.stdin, flush=True)
