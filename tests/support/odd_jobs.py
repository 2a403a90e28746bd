"""Jobs that workers may be given, and what can go wrong with one; quick to import in a worker."""

import os
import signal
import time
from pathlib import Path

from tests.support.waiting import wait_for


class OpaqueError(Exception):
    """An error that goes into a pipe and does not come out of it."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


class Torn:
    """A result that cannot be read back."""

    def __reduce__(self):
        return int, ("no number",)


class _Unheard:
    """An object in whose end SIGTERM arrives, where Python ignores errors."""

    def __del__(self):
        signal.raise_signal(signal.SIGTERM)


def prepare():
    """Return what does a job."""
    return do


def do(job):
    """Do what a word says, with a path after it where it needs one; return the word."""
    word, _, path = job.partition(" ")
    match word:
        case "hang":
            time.sleep(3600)
        case "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(path).touch()
            time.sleep(3600)
        case "unheard":
            _Unheard()
        case "wait":
            wait_for(Path(path).exists)
        case "torn":
            return Torn()
        case "opaque":
            raise OpaqueError("this", "that")
        case "leave":
            os._exit(3)
    return word
