"""Faults that are put into a process before it is `pigglesim`: of its disk, workers and clock."""

import ctypes
import errno
import os
import resource
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pigglesim.experiments import worker_pool


def disk_of(size):
    """Let no file grow beyond so many bytes: as on a full disk, writes are cut short, then fail."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def in_namespaces_of(pid):
    """See the disks that another process sees."""
    here = Path.cwd()
    # What Python calls so came with 3.12.
    library = ctypes.CDLL(None, use_errno=True)
    for name in ("user", "mnt"):
        handle = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
        if library.setns(handle, 0):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), name)
        os.close(handle)
    os.chdir(here)


def temporary_files_on(pid, folder):
    """Have temporary files in a folder that is on the disks that another process sees."""
    in_namespaces_of(pid)
    tempfile.tempdir = os.environ["TMPDIR"] = folder


def read_only(folder):
    """Let nothing be written in a folder."""
    above = str(Path(folder).absolute())
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def refuse(event, words):
        changes = event in {"os.mkdir", "os.rename", "os.remove"}
        if not changes and not (event == "open" and words[2] & writing):
            return
        path = words[0]
        if not isinstance(path, int) and str(Path(path).absolute()).startswith(above):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    sys.addaudithook(refuse)


def failing_call(name, count, number):
    """Let a call to the system fail with an error, from its so many-th time on."""
    really, left = getattr(os, name), [count]

    def called(*words, **more):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(number, os.strerror(number))
        return really(*words, **more)

    setattr(os, name, called)


def closed_output():
    """Close standard output, as some that start daemons do."""
    os.close(1)


def clock_set_back():
    """Let it be a summer day of 1999."""
    time.time = lambda: 930_000_000.0


class _Nonsense:
    """A result that cannot be unpickled."""

    def __reduce__(self):
        return int, ("no number",)


def bad_worker(kind, marks):
    """Let a worker do something bad at one of its jobs, and leave a mark in a new folder.

    Kinds: die, hang, nonsense (its answer cannot be unpickled) or ids (it does another job).
    """
    # Seconds, where a person's has a minute at least; ten times the longest on any machine.
    worker_pool._MINIMUM, worker_pool._FACTOR, worker_pool._CHECK_INTERVAL = 2.0, 10.0, 0.2
    answer = worker_pool._do
    Path(marks).mkdir()

    def answered(ready, number, job):
        try:
            os.close(os.open(f"{marks}/0", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return answer(ready, number, job)
        if kind in {"die", "hang"}:
            os.kill(os.getpid(), {"die": signal.SIGKILL, "hang": signal.SIGSTOP}[kind])
        done = answer(ready, number, job ^ 1 if kind == "ids" else job)
        return replace(done, result=_Nonsense()) if kind == "nonsense" else done

    worker_pool._do = answered
