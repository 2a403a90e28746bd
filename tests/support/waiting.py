"""Waiting for another process or thread, also on a busy machine."""

import os
import time

PATIENCE = 120.0
"""Time for what a quiet machine does in a second or two [s]."""


def wait_for(find):
    """Wait until a function returns something true, and return that."""
    until = time.monotonic() + PATIENCE
    while not (found := find()):
        assert time.monotonic() < until, find
        time.sleep(0.01)
    return found


def group_is_alive(group):
    """Return whether a process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
