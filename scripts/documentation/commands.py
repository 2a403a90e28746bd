"""The command reference: every verb's help as a page, from the program itself."""

import re

from typer import Context
from typer.cli import get_docs_for_click
from typer.main import get_command

from pigglesim.cli.app import app


def verbs():
    """Yield each verb that can be typed, in the order of the program's help, and its command."""
    yield from _below("pigglesim", get_command(app))


def _below(name, command):
    for word in command.list_commands(None) if hasattr(command, "list_commands") else ():
        verb = command.get_command(None, word)
        yield f"{name} {word}", verb
        yield from _below(f"{name} {word}", verb)


def reference() -> str:
    """Return the help of every verb in Markdown."""
    command = get_command(app)
    text = get_docs_for_click(obj=command, ctx=Context(command), name="pigglesim")
    text = text[text.index("\n## ") :].replace("\\[", "[")
    text = re.sub(
        r"(?m)^(#+) `(pigglesim (.*))`$",
        lambda found: f"{found[1]} {found[2]} {{ #{found[3].replace(' ', '-')} }}",
        text,
    )
    return re.sub(r"(?m)^Examples:\n((?: {4}.*\n)+)", _console_block, text)


def _console_block(found) -> str:
    commands = re.sub(r"\n {4}(?!pigglesim|printf)\s*", " ", found[1])
    commands = re.sub(r"(?m)^ {4}", "$ ", commands)
    return f"```console\n{commands.rstrip()}\n```\n"
