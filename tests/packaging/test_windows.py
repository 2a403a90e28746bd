"""The program starts where Python lacks what only POSIX systems have, as it does on Windows.

What stands in for that system here is shown to the package alone: its modules find another `sys`,
`os` and `signal`, and no module that Windows lacks. Libraries go on as on the system they are on.
"""

import json
import os
import subprocess
import sys

import pytest

AS_THERE = """
import builtins, contextlib, io, json, os, signal, sys, types

ABSENT = {"curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog",
          "termios", "tty"}
SIGNALS = {"CTRL_BREAK_EVENT", "CTRL_C_EVENT", "Handlers", "NSIG", "SIGABRT", "SIGBREAK", "SIGFPE",
           "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN", "Signals",
           "default_int_handler", "getsignal", "raise_signal", "set_wakeup_fd", "signal",
           "strsignal", "valid_signals"}
POSIX = {"O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "WNOHANG", "chown",
         "fchmod", "fdatasync", "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups",
         "getloadavg", "getpgid", "getpriority", "getsid", "getuid", "killpg", "mkfifo", "nice",
         "openpty", "pread", "pwrite", "register_at_fork", "sched_getaffinity", "sendfile",
         "setpriority", "setsid", "statvfs", "sync", "sysconf", "ttyname", "uname", "wait3"}


class Stand(types.ModuleType):
    def __init__(self, real, lacks, **others):
        super().__init__(real.__name__)
        self.__dict__.update(others, _real=real, _lacks=lacks)

    def __getattr__(self, name):
        if self._lacks(name):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(self._real, name)


THERE = {
    "sys": Stand(sys, lambda name: False, platform="win32"),
    "os": Stand(os, POSIX.__contains__, name="nt"),
    "signal": Stand(signal, lambda name: name[0] != "_" and name not in SIGNALS),
}
really = builtins.__import__


def there(name, globals=None, locals=None, fromlist=(), level=0):
    if not level and (globals or {}).get("__name__", "").partition(".")[0] == "pigglesim":
        if name in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in THERE:
            return THERE[name]
    return really(name, globals, locals, fromlist, level)


builtins.__import__ = there
found = []
from pigglesim.cli.app import main

for words, typed in json.loads(sys.argv[1]):
    out, said, status = io.StringIO(), io.StringIO(), 0
    sys.argv, sys.stdin = ["pigglesim", *words], io.StringIO(typed)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    found.append([status, out.getvalue(), said.getvalue()])
import pigglesim.durable_io
found.append(hasattr(pigglesim.durable_io, "fcntl"))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """What came of verbs, by their first words: exit status, output, what was said beside it."""
    tried = {
        "--help": (["--help"], ""),
        "games": (["games"], ""),
        "roll": (["roll", "1", "--seed", "7", "--json"], ""),
        "match": (["match", "--chance", "tabular", "--seed", "7", "--out", "m.jsonl"], ""),
        "replay": (["replay", "m.jsonl"], ""),
        "play": (["play", "--plain", "--chance", "tabular", "--seed", "7"], "h\nq\n"),
        "solve": (["solve", "piggy_six", "--target", "12"], ""),
        "solve --json": (["solve", "piggy_six", "--target", "12", "--json"], ""),
    }
    words = [sys.executable, "-c", AS_THERE, json.dumps(list(tried.values()))]
    folder = tmp_path_factory.mktemp("windows")
    env = {**os.environ, "PIGGLESIM_TRACEBACK": "1", "XDG_CACHE_HOME": str(folder)}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    *found, posix = json.loads(done.stdout.splitlines()[-1])
    # Else what stands in for that system would not be seen.
    assert posix is False
    return dict(zip(tried, found, strict=True))


@pytest.mark.parametrize("verb", ["--help", "games", "roll", "match", "replay", "play", "solve"])
def test_a_verb_does_its_work_there(verb, there):
    status, out, said = there[verb]
    assert (status, "Traceback" in said) == (0, False), said
    assert out


def test_a_measure_that_nothing_tells_is_told_as_unknown(there):
    assert "memory unknown" in there["solve"][1]
    assert json.loads(there["solve --json"][1])["peak_memory_mb"] is None


_MEMORY = """
from pigglesim.cli.options import peak_memory
before = peak_memory()
held = b"x" * 300_000_000
print(peak_memory() - before)
"""


def test_where_the_system_tells_it_it_is_told():
    # By a shell between: a process begins with the peak of the one that began it.
    words = ["sh", "-c", '"$0" -c "$1"; true', sys.executable, _MEMORY]
    told = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert 250.0 < told < 350.0
