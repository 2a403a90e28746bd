"""Pages as they run: each page in a folder of its own, its blocks in their order.

What a comment before a block may say:

- `quick: THIS to THAT; ...` runs the block's commands with those words changed, because as they
  stand they take long;
- `not run: WHY` leaves the block out, as does `drawing: OF WHAT`;
- `measured: DATE, ...` says that it is a result of that day which takes too long to find again;
- `made by: COMMAND`, up to `<!-- end -->`, that the command writes the block there;
- `checked by: FILE` leaves it to another test, which must name the page;
- `as in: PAGE` says that these lines stand on that page too, which makes them;
- `saved as: FILE` writes the block into a file for the commands below;
- `output of: COMMAND` says which command of the page wrote these lines.

Of a console block, lines after `$ ` are commands and all others what they write; without any `$ `
all are commands. Of what is written `...` stands for anything, at the end of a line or as a line.
"""

import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scripts.documentation.pages import ROOT, Block, blocks
from tests.support.front_door import run_here
from tests.support.graphics import missing

KINDS = {"console", "python", "pycon", "toml", "json", "text", "sh", ""}
_WORDS = {
    *("", "quick", "not run", "measured", "made by", "drawing", "checked by", "output of", "as in"),
    "saved as",
}
_DIALOGUES = ROOT / "scripts" / "documentation" / "dialogues.py"
_PICTURES = {"--png", "--video"}


@dataclass(slots=True)
class Page:
    """One page, and what its commands have written so far."""

    path: Path
    folder: Path
    run_verb: Callable[..., Any] = run_here
    """Takes the words of a command line and what stands on its standard input."""
    written: dict[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    undrawn: set[str] = field(default_factory=set)
    """Commands that were left out because nothing can be drawn here."""

    def run(self) -> None:
        """Run all that the page shows; an assertion fails where it is not as shown."""
        for part in ("tests/scenarios", "docs/examples/counted", "docs/examples/players"):
            shutil.copytree(ROOT / part, self.folder / part, dirs_exist_ok=True)
        shown = blocks(self.path)
        for block in shown:
            assert block.kind in KINDS and block.word in _WORDS, f"{block.place}: {block.word}"
            if block.word in {"not run", "drawing"}:
                assert block.rest, f"{block.place}: expected a reason"
            elif block.word == "made by":
                assert (ROOT / block.rest.split()[0]).stat().st_mode & 0o111, block.place
            elif block.word == "measured":
                date.fromisoformat(block.rest.split(",")[0])
            elif block.word == "as in":
                lines = [other.text for other in blocks(ROOT / block.rest) if other.word != "as in"]
                assert block.text in lines, block.place
            elif block.word == "checked by":
                assert self.path.name in (ROOT / block.rest).read_text(), block.place
            elif block.kind == "pycon":
                # Dialogues with Python are run, as doctest does, by the test of such pages.
                assert self.path.name in _DIALOGUES.read_text(), block.place
            elif block.word != "output of":
                self._run(block)
        # A page may begin with what a command further down writes.
        for block in shown:
            if block.word == "output of" and _bare(block.rest) not in self.undrawn:
                assert in_order(block.text, self.written[_bare(block.rest)]), block.place

    def _run(self, block: Block) -> None:
        if block.word == "saved as":
            (self.folder / block.rest).write_text(block.text)
        if block.kind == "console":
            self._commands(block)
        elif block.kind == "python":
            exec(compile(block.text, block.place, "exec"), self.names)
        elif block.kind == "toml":
            tomllib.loads(block.text)
        elif block.kind == "json" and block.word != "saved as":
            (self.folder / "shown.json").write_text(block.text)
            done = self.run_verb("scenario", "shown.json")
            assert done.exit_code == 0, f"{block.place}: {done.output}"
        elif block.word != "saved as":
            raise AssertionError(f"{block.place}: expected a comment that says what checks it")

    def _commands(self, block: Block) -> None:
        for line, shown in _split(block.text):
            command = _bare(line)
            first, *words = shlex.split(command)
            if line.startswith("./"):
                path = ROOT / line.split()[0]
                assert path.stat().st_mode & 0o111, f"{block.place}: {first} has no run bit"
            if first != "pigglesim":
                # A script of the checkout, which runs these tests.
                continue
            draws = not words or _PICTURES.intersection(words)
            if draws and missing() and "CI" not in os.environ:
                # On a machine of one's own pictures may not be drawn.
                self.undrawn.add(command)
                continue
            # As `scripts/run` has it, what is shown to type next is typed likewise.
            called = line.split()[0]
            with patch.dict(os.environ, {"PIGGLESIM_COMMAND": called}):
                done = self.run_verb(*shlex.split(_quick(command, block))[1:], stdin="quit\n")
            assert done.exit_code == 0, f"{block.place}: {command}: {done.output}"
            assert done.stdout
            self.written[command] = done.stdout
            assert in_order(shown, done.stdout), f"{block.place}: {command}: {done.stdout}"


def in_order(shown: str, written: str) -> bool:
    """Return whether lines were written in the order shown; `...` stands for anything."""
    lines = iter(line.rstrip() for line in written.splitlines())
    wanted = (line.rstrip() for line in shown.splitlines())
    return all(any(_alike(want, line) for line in lines) for want in wanted if want != "...")


def _alike(want: str, line: str) -> bool:
    return line.startswith(want[:-3]) if want.endswith("...") else line == want


def _split(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it is shown to write."""
    lines = text.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return [(line, "") for line in lines]
    found: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def _bare(line: str) -> str:
    """Return a command without its remark, as `pigglesim` would be called."""
    return re.sub(r"^\./scripts/run\b", "pigglesim", re.split(r"\s+#", line)[0].strip())


def _quick(command: str, block: Block) -> str:
    """Return the command with what the comment changes; every change must be of use."""
    for change in filter(None, block.rest.split("; ")) if block.word == "quick" else ():
        this, _, that = change.partition(" to ")
        assert this in block.text, f"{block.place}: {this!r} is not there"
        command = command.replace(this, that)
    return command
