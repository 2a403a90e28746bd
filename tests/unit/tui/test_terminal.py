"""Every game at normal speed in a pseudo-terminal: real films, real timers, real keys."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

import pytest

from pigglesim.games.registry import game_names

_SIZE = (30, 100)
_ENOUGH = 6
"""Decisions and rolls after which a sitting ends; a resumed one goes on for as many more."""
_LONGEST = 120.0
"""A game that has not come so far by then does not go on [s]."""
_EVERY = 0.4
"""From one key to the next [s]: many films are seen in part, and some to their end."""
_ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>]")


class Terminal:
    """A match at a terminal of its own, whose keys choose whatever is offered first."""

    def __init__(self, file, *words):
        self.file, self.seen = file, bytearray()
        self._keys = 0
        self.master, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pigglesim", "play", *words, "--speed", "1"],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            # Without it nothing would be hung up when the terminal is closed.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(follower)

    @property
    def entries(self):
        """How much has been played, by the file in which it is saved."""
        return len(self.file.read_text().splitlines()) - 2 if self.file.exists() else 0

    @property
    def text(self):
        """Everything that was ever written on the screen."""
        return _ESCAPES.sub(b" ", self.seen).decode(errors="replace")

    def read(self):
        """Take what the screen shows."""
        try:
            while select.select([self.master], [], [], 0.0)[0]:
                self.seen += os.read(self.master, 65536)
        except OSError:
            # The other end is closed.
            self.process.wait(_LONGEST)

    def press(self):
        """Put everything into the cup, or mark the first entry and take it."""
        self._keys += 1
        os.write(self.master, (b"\r", b"1", b"a")[self._keys % 3])

    def leave(self):
        """Press q and return the exit status."""
        os.write(self.master, b"q")
        try:
            while self.process.poll() is None:
                self.read()
                time.sleep(0.02)
            self.read()
        finally:
            self.process.kill()
            os.close(self.master)
        return self.process.wait()


def _sit(terminals, goals):
    """Play at all terminals at the same time until each has come as far as it should."""
    deadline = time.monotonic() + _LONGEST
    at_play = dict(terminals)
    while at_play and time.monotonic() < deadline:
        for game, terminal in list(at_play.items()):
            terminal.read()
            if terminal.process.poll() is not None or terminal.entries >= goals[game]:
                del at_play[game]
            elif terminal.seen:
                terminal.press()
        time.sleep(_EVERY)
    codes = {game: terminal.leave() for game, terminal in terminals.items()}
    for game, terminal in terminals.items():
        assert "Traceback" not in terminal.text, f"{game}: {terminal.text[-3000:]}"
        assert codes[game] == 0, f"{game}: {terminal.text[-3000:]}"
        assert terminal.entries >= goals[game], f"{game} has stopped at {terminal.entries}"


@pytest.mark.slow
def test_every_game_goes_on_at_normal_speed_and_so_do_its_resumed_matches(tmp_path):
    files = {game: tmp_path / f"{game}.jsonl" for game in game_names()}
    goals = dict.fromkeys(game_names(), _ENOUGH)
    _sit(
        {
            game: Terminal(file, game, "--seed", "3", "--out", str(file))
            for game, file in files.items()
        },
        goals,
    )
    left = {game: files[game].read_text().splitlines()[:-1] for game in game_names()}
    for game, lines in left.items():
        chance = json.loads(lines[0])["chance"]["source"]
        assert chance == ("fair" if game in {"pig_pile", "lord_of_the_pigs"} else "physical")
    _sit(
        {game: Terminal(file, "--resume", str(file)) for game, file in files.items()},
        {game: len(left[game]) - 1 + _ENOUGH for game in game_names()},
    )
    for game in game_names():
        # A resumed match keeps all that was played, to the letter.
        assert files[game].read_text().splitlines()[: len(left[game])] == left[game]


@pytest.mark.slow
def test_a_terminal_that_is_closed_ends_the_program(tmp_path):
    terminal = Terminal(tmp_path / "m.jsonl", "--seed", "3", "--out", str(tmp_path / "m.jsonl"))
    deadline = time.monotonic() + _LONGEST
    while not terminal.entries and time.monotonic() < deadline:
        terminal.read()
        if terminal.seen:
            terminal.press()
        time.sleep(_EVERY)
    os.close(terminal.master)
    assert terminal.process.wait(_LONGEST) == 143
    assert terminal.entries
