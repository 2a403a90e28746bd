"""`pigglesim serve` as a person starts it: what other users of the machine see of it."""

import logging
import os
import re
import stat
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.browser import chromium
from tests.support.front_door import start
from tests.support.serving import running
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
STAND_IN = """#!{python}
import os, sys, time
with open({seen!r} + ".part", "w") as file:
    print(os.getpid(), sys.argv[1], file=file)
os.rename({seen!r} + ".part", {seen!r})
time.sleep(600)
"""
"""A browser that writes down what it was started with, and stays open."""


def words_in(path):
    wait_for(path.exists)
    return path.read_text().split()


def command_lines():
    """Return the command line of every process that this user sees, as `ps` shows them."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield place.read_bytes()
        except OSError:
            continue


@contextmanager
def started(folder, tmp_path):
    """Start the server with a stand-in browser; give its process, its link and what was opened."""
    seen, program = tmp_path / "seen", tmp_path / "stand-in"
    program.write_text(STAND_IN.format(python=sys.executable, seen=str(seen)))
    program.chmod(0o755)
    seen.unlink(missing_ok=True)
    env = {"BROWSER": f"{program} %s", "PYTHONUNBUFFERED": "1"}
    with start("serve", "--folder", folder, env=env) as process:
        link = re.search(r"http\S+", process.stdout.readline())[0]
        browser, opened = words_in(seen)
        try:
            yield process, link, opened
        finally:
            os.kill(int(browser), 9)
            process.kill()


def test_the_browser_is_opened_without_the_secret_in_a_command_line(tmp_path):
    folder = tmp_path / "matches"
    with started(folder, tmp_path) as (process, link, opened):
        secret = link.partition("#token=")[2]
        assert len(secret) == 32
        page = Path(opened.removeprefix("file://"))
        lines = list(command_lines())
        # The browser was started with this page, and no process with the secret.
        assert any(opened.encode() in line for line in lines)
        assert not any(secret.encode() in line for line in lines)
        assert page.parent == folder and stat.S_IMODE(page.stat().st_mode) == 0o600
        with chromium() as browser:
            tab = browser.new_page()
            tab.goto(opened)
            tab.wait_for_selector("#tabs a", timeout=120_000)
            tab.wait_for_selector(".card", timeout=120_000)
            # The secret is in no address that is stored, and in no command line of a browser.
            assert "token" not in tab.url
            assert not any(secret.encode() in line for line in command_lines())
            assert not tab.context.cookies()
            tab.reload()
            tab.wait_for_selector(".card", timeout=120_000)
        process.terminate()
        process.wait(60)
        assert not page.exists()


def test_after_a_kill_the_same_links_are_valid_unless_the_folder_was_copied(tmp_path):
    folder = tmp_path / "matches"
    with started(folder, tmp_path) as (process, link, _):
        process.kill()
    with started(folder, tmp_path) as (process, again, _):
        assert again == link
        process.kill()
    (folder / ".serve.json").chmod(0o644)
    with started(folder, tmp_path) as (process, new, _):
        assert new.partition("#")[2] != link.partition("#")[2]
        assert "its links are void" in process.stderr.readline()


@pytest.mark.parametrize("seed", [7, None])
def test_play_opens_the_page_on_its_match(tmp_path, seed):
    words = ("play", "--view", "--chance", "tabular", *(["--seed", str(seed)] if seed else []))
    with start(*words, cwd=tmp_path, env={"BROWSER": "true", "PYTHONUNBUFFERED": "1"}) as process:
        try:
            assert re.search(r"/#token=[\w-]{32}/match/[0-9a-f]{12}$", process.stdout.readline())
            (file,) = (tmp_path / "matches").glob("play-*.jsonl")
            chosen = int(file.stem.removeprefix("play-"))
            # Guests see the rolls: a seed that nobody chose is too large for a search.
            assert chosen == seed if seed else chosen > 10**20
        finally:
            process.terminate()
            process.wait(60)


def test_a_server_leaves_the_handlers_of_a_program_alone(tmp_path):
    closed = []

    class Kept(logging.NullHandler):
        def close(self):
            closed.append(self)
            super().close()

    kept = Kept()
    with running(tmp_path):
        assert closed == []
    kept.close()
    assert closed == [kept]
