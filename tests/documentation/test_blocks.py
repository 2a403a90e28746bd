"""Every command and every block of README and pages runs as it stands there."""

import re
import sys
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.documentation.pages import PAGES, ROOT, blocks
from tests.documentation.running import Page, in_order

HOW_TO = {f"docs/how-to/{name}.md" for name in ("share", "study", "tournaments", "watch")}
RUN_SET = {"README.md", "docs/tour.md", *HOW_TO}
"""Pages that need no more than `scripts/run` installs; some others are about an extra."""
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES if blocks(page)]
_RUNNER = {"_pytest", "execnet", "iniconfig", "pluggy", "pytest", "xdist"}
"""Runs the tests, and imports parts of its own at any time."""


def pinned(level):
    """Return the distributions that `scripts/setup` installs for a level."""
    text = (ROOT / "scripts" / "constraints" / f"{level}.txt").read_text()
    pins = map(Requirement, re.findall(r"^([\w.-]+==[^\\\n]+)", text, re.MULTILINE))
    return {canonicalize_name(pin.name) for pin in pins if not pin.marker or pin.marker.evaluate()}


@cache
def beyond_run_set():
    """Return the modules that tests alone install."""
    added = pinned("test") - pinned("run")
    found = packages_distributions().items()
    return {name for name, dists in found if {canonicalize_name(each) for each in dists} <= added}


@contextmanager
def run_set_only():
    """Let no module be imported that a run does not install."""
    names = beyond_run_set() - _RUNNER
    there = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.modules.update(dict.fromkeys(names))
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(there)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_a_page_shows_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    with run_set_only() if name in RUN_SET else nullcontext():
        Page(ROOT / name, tmp_path).run()


def test_what_tests_alone_install_cannot_be_imported_where_a_run_is_meant():
    assert {"distributed", "mujoco", "coacd", "pettingzoo", "nbclient"} <= beyond_run_set()
    assert not {"pigglesim", "numpy", "numba", "duckdb", "imageio_ffmpeg"} & beyond_run_set()
    with run_set_only(), pytest.raises(ImportError):
        import distributed  # noqa: F401
    import distributed as again

    assert again.__name__ == "distributed"


def test_the_two_commands_come_first():
    first = blocks(ROOT / "README.md")[0].text.splitlines()
    assert [line.split()[0] for line in first] == ["./scripts/run", "./scripts/test"]


def test_shown_lines_are_looked_for_in_their_order():
    assert in_order("a\n...\nc d...\n", "x\na\nb\nc d e\n")
    assert in_order("", "anything")
    assert not in_order("c\na\n", "a\nc\n")
    assert not in_order("a b\n", "a\n")
