"""The program runs where Python lacks the modules and functions of POSIX, as on Windows.

Only the package sees the replacements of `sys`, `os` and `signal`; libraries see the real system.
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


@pytest.mark.slow
def test_verbs_do_their_work_there(tmp_path):
    solve = ["solve", "piggy_six", "--target", "12"]
    tried = [
        (["--help"], ""),
        (["games"], ""),
        (["roll", "1", "--seed", "7", "--json"], ""),
        (["match", "--chance", "tabular", "--seed", "7", "--out", "m.jsonl"], ""),
        (["replay", "m.jsonl"], ""),
        (["play", "--plain", "--chance", "tabular", "--seed", "7"], "h\nq\n"),
        (solve, ""),
        ([*solve, "--json"], ""),
    ]
    words = [sys.executable, "-c", AS_THERE, json.dumps(tried)]
    env = {**os.environ, "PIGGLESIM_TRACEBACK": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    *found, posix = json.loads(done.stdout.splitlines()[-1])
    # Else the replacement for that system would not be seen.
    assert posix is False
    for (verb, _), (status, out, said) in zip(tried, found, strict=True):
        assert (status, "Traceback" in said, bool(out)) == (0, False, True), (verb, said)
    assert json.loads(found[-1][1])["solved"]
