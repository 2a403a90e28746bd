"""The command reference: every verb's help as a page, from the program itself."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from pigglesim.cli.app import app
from pigglesim.cli.command_line import help_paragraphs


def verbs() -> Iterator[tuple[str, Any]]:
    """Yield each verb that can be typed, in the order of the program's help, and its command."""
    yield from _below("pigglesim", get_command(app))


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    for word in command.list_commands(None) if hasattr(command, "list_commands") else ():
        verb = command.get_command(None, word)
        yield f"{name} {word}", verb
        yield from _below(f"{name} {word}", verb)


def reference() -> str:
    """Return the help of every verb in Markdown."""
    return "\n\n".join(_verb(name, verb) for name, verb in verbs())


def _verb(name: str, verb: Any) -> str:
    """Return one verb: what it does, its examples, its arguments and flags."""
    level = "#" * len(name.split())
    arguments = [given for given in verb.params if not given.opts[0].startswith("-")]
    words = " ".join(given.metavar or given.opts[0].upper() for given in arguments)
    parts = [f"{level} {name} {{ #{name.removeprefix('pigglesim ').replace(' ', '-')} }}"]
    parts.append(_help(verb.help or ""))
    shown = [given for given in verb.params if not given.hidden]
    if shown:
        usage = f"{name} [OPTIONS] {words}".rstrip()
        parts.append(f"Usage: `{usage}`")
        rows = [
            f"| {_code(names_of(given))} | {_default(given)} | {_cell(given.help)} |"
            for given in shown
        ]
        parts.append("\n".join(["| | default | |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _help(text: str) -> str:
    """Return a help text with its examples as one block."""
    shown = []
    for part in help_paragraphs(text):
        if isinstance(part, list):
            shown.append("\n".join(["```console", *(f"$ {command}" for command in part), "```"]))
        else:
            shown.append(part)
    return "\n\n".join(shown)


def names_of(given: Any) -> tuple[str, ...]:
    """Return how an argument or a flag of a verb is written."""
    if not given.opts[0].startswith("-"):
        return (given.metavar or given.opts[0].upper(),)
    return (*given.opts, *given.secondary_opts)


def _code(names: tuple[str, ...]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _default(given: Any) -> str:
    """Return what a flag is if it is not given; nothing where its absence has its own meaning."""
    value = given.default
    if value is None or value is False or callable(value) or not given.show_default:
        return "required" if given.required else ""
    if value is True:
        return f"`{given.opts[0]}`"
    return f"`{', '.join(map(str, value)) if isinstance(value, list | tuple) else value}`"


def _cell(text: str | None) -> str:
    """Return a text that may stand in a table."""
    return " ".join((text or "").replace("\\[", "[").replace("|", "\\|").split())
