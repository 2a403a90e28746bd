"""What `scripts/setup run` installs, and a way to do without everything else."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement

from tests.documentation.pages import ROOT

_RUNNER = {"_pytest", "execnet", "iniconfig", "pluggy", "pytest", "xdist"}
"""Runs the tests, and imports parts of its own at any time."""


@cache
def beyond_run_set() -> frozenset[str]:
    """Return the modules that tests alone install, by their names at the top level."""
    run, test = (_pinned(level) for level in ("run", "test"))
    found = packages_distributions()
    named = {name: {_plain(dist) for dist in dists} for name, dists in found.items()}
    return frozenset(name for name, dists in named.items() if dists <= test - run)


@contextmanager
def run_set_only() -> Iterator[None]:
    """Let no module be imported that a run does not install."""
    names = beyond_run_set() - _RUNNER
    there = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(there)


def _pinned(level: str) -> set[str]:
    text = (ROOT / "scripts" / "constraints" / f"{level}.txt").read_text()
    pins = (Requirement(pin) for pin in re.findall(r"^([\w.-]+==[^\\\n]+)", text, re.MULTILINE))
    return {_plain(pin.name) for pin in pins if pin.marker is None or pin.marker.evaluate()}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
