"""Around every test: compiled code is made before, and signals are left as they were."""

import gc
import signal
import sys

import pytest
from hypothesis import settings

from pigglesim.precompile import compile_for

# A busy machine is slow, and that is no fault.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


def pytest_configure(config):
    # The workers of pytest-xdist start after this one is done.
    if hasattr(config, "workerinput"):
        return
    compile_for("drops")
    compile_for("pours")
    compile_for("copies")


def pytest_collection_finish():
    # What is loaded by now stays: a collection of garbage need not look through it each time.
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    # Libraries that count what is left of them at the end expect it to be collected.
    gc.unfreeze()


@pytest.fixture(autouse=True)
def usual_signals():
    """A test begins and ends with the signals of a terminal, whoever ran before and started it.

    A verb that was stopped ignores every further signal, as does what a shell runs in the
    background; whatever such a process starts would ignore them too.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def no_own_games():
    """A test knows no game that another one named."""
    yield
    for name, table in (
        ("pigglesim.games.registry", "_OWN"),
        ("pigglesim.match.own_games", "_LOADED"),
    ):
        if (module := sys.modules.get(name)) is not None:
            getattr(module, table).clear()


@pytest.fixture
def graphics():
    """A machine that can draw: without one a test fails where CI is set, and is left out else."""
    from tests.support.graphics import expect_graphics

    expect_graphics()
