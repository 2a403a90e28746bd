"""Engines of others that `scripts/bench.py` times beside ours. They are not for results."""

from importlib import import_module
from importlib.util import find_spec

from pigglesim.physics.engine import Engine

MODULES = {"rapier": "rapier3d", "box3d": "robox3d", "jolt": "culverin"}
"""Module that each peer needs, by its name."""


def installed() -> list[str]:
    """Return the peers whose module is installed."""
    return [name for name, module in MODULES.items() if find_spec(module) is not None]


def make_peer(name: str) -> Engine:
    """Return a peer.

    Raises:
        ImportError: If its module is not installed.
    """
    made: Engine = import_module(f"scripts.verification.{name}").engine()
    return made
