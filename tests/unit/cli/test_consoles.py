"""What strangers wrote reaches a terminal as letters, never as a command."""

import io
import json
import os
from unittest.mock import patch

import pytest
from rich.table import Table
from rich.text import Text

from pigglesim.cli.consoles import PlainConsole, json_text
from pigglesim.errors import RecordError

HOSTILE = [
    "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "a\rb",
    "\x08\x08", "‮evil‬", "⁦x⁩", "\x7f", "[link=http://x]y[/link]", "[/]",
    "[red]", ":pig:", "\u2028", "\ud800",
]  # fmt: skip


def shown(*things: object) -> str:
    with patch.dict(os.environ, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        console = PlainConsole(width=200)
    console.file = io.StringIO()
    for thing in things:
        console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("words", HOSTILE)
def test_words_are_letters_however_they_are_printed(words):
    table = Table(box=None)
    table.add_column(f"h{words}")
    table.add_row(words, Text(words))
    for line in shown(words, Text(words, "italic"), table, f"x {words}").splitlines():
        plain = line
        for style in ("\x1b[3m", "\x1b[1m", "\x1b[0m"):
            # What the program itself draws: italics and bold headings.
            plain = plain.replace(style, "")
        assert plain.isprintable(), ascii(line)
    if words.isprintable():
        assert words in shown(words)


def test_lines_and_styles_of_the_program_stay():
    assert shown(Text("one\ntwo", "bold")) == "\x1b[1mone\x1b[0m\n\x1b[1mtwo\x1b[0m\n"


@pytest.mark.parametrize("words", HOSTILE)
def test_json_holds_the_same_and_shows_nothing(words):
    text = json_text({words: [words]}, indent=1)
    assert json.loads(text) == {words: [words]}
    assert text.replace("\n", "").isprintable()
    assert json_text(["ü€🐷"]) == '["ü€🐷"]'


@pytest.mark.parametrize("words", HOSTILE)
def test_errors_are_one_line_that_can_be_printed(words):
    assert str(RecordError(words * 100_000, expected=words, fix=words)).isprintable()
    assert len(str(RecordError(words * 100_000, expected=words, fix=words))) < 4_000
