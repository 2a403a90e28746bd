"""Command line to which verbs are added: help as plain text, errors in one line.

Help is formatted here and not by Typer. Its texts contain units in brackets, which rich reads as
markup, and a bordered table leaves little room for words in a terminal of 80 columns.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import environ
from textwrap import wrap
from typing import Any, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from pigglesim.cli.flags import with_groups
from pigglesim.errors import PigglesimError, SpecError, cut

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Click: TypeAlias = Any
"""Any object of click, which Typer ships without types."""
_UsageError: Click = typer.BadParameter.__base__
"""Typer's base class of all usage errors."""
_MAX_WIDTH = 100
"""Maximum width of a help text [columns]."""
_NAME_WIDTH = 26
"""Width of the names of options and arguments [columns]; a longer name has its own line."""
_EXAMPLE = re.compile(r"(?:pigglesim|printf|python) ")
_WORD = re.compile(r"""(?:-\S+ +(?=[^-\s]))?(?:"[^"]*"|'[^']*'|[^\s"'])+""")
"""Pattern of a word of a command, or of an option with its value."""
_METAVARS = {"int": "N", "float": "X", "Path": "FILE"}


class CommandLine(typer.Typer):
    """Typer application whose verbs may have groups of flags."""

    def __init__(self, **settings: Click) -> None:
        super().__init__(
            **{
                "cls": Verbs,
                "add_completion": False,
                "rich_markup_mode": None,
                "pretty_exceptions_enable": False,
                "context_settings": {"max_content_width": _MAX_WIDTH},
                **settings,
            }
        )

    def command(self, name: str | None = None, **settings: Click) -> _Decorator:  # type: ignore[override]
        """Return a decorator that adds a function as a verb."""
        add = super().command(name, **{"cls": Verb, **settings})
        return lambda run: add(with_groups(run))

    def callback(self, **settings: Click) -> _Decorator:  # type: ignore[override]
        """Return a decorator that adds a function for the flags before a verb."""
        add = super().callback(**{"cls": self.info.cls, **settings})
        return lambda run: add(with_groups(run))


class _Plain:
    """Mixin for verbs and groups: plain help, and usage errors in one line."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Click = None, **extra: Click
    ) -> Click:
        """Return the context of the typed arguments."""
        parent_path = f"{parent.command_path} " if parent else ""
        with _errors_in_one_line(self, f"{parent_path}{info_name or ''}".strip()):
            return super().make_context(info_name, args, parent, **extra)  # type: ignore[misc]

    def parse_args(self: Click, ctx: Click, args: list[str]) -> list[str]:
        """Parse the typed words; refuse an option of one value that is given twice."""
        if not ctx.resilient_parsing:
            # Typer would use the last value and drop the others without a word.
            _, _, typed = self.make_parser(ctx).parse_args(list(args))
            for option in {each for each in typed if typed.count(each) > 1 and _is_single(each)}:
                raise SpecError(
                    f"{option.opts[0]} is given twice, and takes one value", fix="leave one out"
                )
        parsed: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return parsed

    def format_help(self: Click, ctx: Click, formatter: Click) -> None:
        """Write the help: usage, text, examples, arguments, options and verbs."""
        arguments = [_usage_word(each) for each in self.params if not _is_option(each)]
        verbs = ["VERB ..."] if isinstance(self, Verbs) else []
        usage = [ctx.command_path.strip(), "[OPTIONS]", *arguments, *verbs]
        formatter.write(f"{_bold('Usage:')} {' '.join(usage)}\n")
        _write_text(self.help or "", formatter)
        _write_verbs(self, formatter)
        shown = [parameter for parameter in self.get_params(ctx) if not parameter.hidden]
        for heading, option in (("Arguments", False), ("Options", True)):
            rows = [_row(parameter) for parameter in shown if _is_option(parameter) is option]
            _write_rows(heading, rows, formatter)


class Verb(_Plain, TyperCommand):
    """Single verb."""


class Verbs(_Plain, TyperGroup):
    """Group of verbs."""

    headings: Mapping[str, Mapping[str, str]] = {}
    """Summaries of lazily imported verbs, by heading and name."""
    verb_modules: Mapping[str, str] = {}
    """Module of each of those verbs whose module has another name."""

    def list_commands(self, ctx: Click) -> list[str]:
        """Return the names of the verbs, in the order of the help."""
        own = (name for name in super().list_commands(ctx) if name not in self.lazy_summaries)
        return [*own, *self.lazy_summaries]

    @property
    def lazy_summaries(self) -> dict[str, str]:
        """Summaries of lazily imported verbs, by name."""
        return {name: text for verbs in self.headings.values() for name, text in verbs.items()}

    def get_command(self, ctx: Click, cmd_name: str) -> Click:
        """Return the verb of a name, imported if necessary; None if there is none."""
        if cmd_name in self.lazy_summaries and cmd_name not in self.commands:
            module = self.verb_modules.get(cmd_name, cmd_name)
            verb = getattr(import_module(f"pigglesim.cli.{module}"), cmd_name)
            commands = CommandLine()
            if isinstance(verb, CommandLine):
                commands.add_typer(verb, name=cmd_name)
            else:
                commands.command(cmd_name)(verb)
            self.commands.update(get_group(commands).commands)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: Click) -> Click:
        """Run the verb that was typed."""
        with _errors_in_one_line(self, ctx.command_path.strip()):
            return super().invoke(ctx)

    def resolve_command(self, ctx: Click, args: list[str]) -> Click:
        """Return the typed verb, with its arguments."""
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            path = ctx.command_path.strip()
            near = near_verbs(args[0], _summaries(self))
            raise SpecError(
                f"{cut(repr(args[0]))} is not a verb of {path}",
                fix=f"use {' or '.join(f'{path} {name}' for name in near) or f'{path} --help'}",
            )
        return super().resolve_command(ctx, args)


def near_verbs(word: str, summaries: Mapping[str, str]) -> list[str]:
    """Return up to two verbs with a similar start, a similar spelling or a matching summary."""
    word = word.lower()[:40]
    about = re.compile(rf"\b{re.escape(word[: max(4, len(word) - 2)])}", re.IGNORECASE)
    begun = [name for name in summaries if name.startswith(word) and word.strip("-")]
    # Words of five letters that share three are not similar.
    near = difflib.get_close_matches(word, summaries, n=2, cutoff=0.75)
    also = [name for name, text in summaries.items() if about.search(text)]
    return list(dict.fromkeys([*begun, *near, *also]))[:2]


def _summaries(group: Click) -> dict[str, str]:
    """Return the first paragraph of each verb's help, in the order of the help."""
    own = {
        name: " ".join((verb.short_help or verb.help or "").strip().partition("\n\n")[0].split())
        for name, verb in group.commands.items()
        if name not in group.lazy_summaries and not verb.hidden
    }
    return {**own, **group.lazy_summaries}


@contextmanager
def _errors_in_one_line(verb: Click, path: str) -> Iterator[None]:
    """Raise Typer's usage errors as errors of one line, with a remedy."""
    try:
        yield
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        raise _one_line_error(error, verb, path) from None


def _one_line_error(error: Click, verb: Click, path: str) -> PigglesimError:
    """Return an error of Typer in this program's wording."""
    kind, see_help = type(error).__name__, f"{path} --help"
    if kind == "NoSuchOption":
        return _unknown_option(error.option_name, verb, path)
    if kind == "MissingParameter":
        example = next(iter(_examples(verb.help or "")), see_help)
        return SpecError(f"{path} needs {_names(error.param)}", fix=f"use {example}")
    if kind == "BadOptionUsage":
        flag = error.option_name
        parameter = next(p for p in verb.params if flag in (*p.opts, *p.secondary_opts))
        if parameter.is_flag:
            return SpecError(f"{flag} takes no value", fix=f"use {flag} alone")
        return SpecError(
            f"{flag} needs a value", fix=f"use {flag} {_metavar(parameter)}, or see {see_help}"
        )
    if extra := re.search(r"unexpected extra argument\S* \((.*)\)", error.message, re.DOTALL):
        arguments = (_usage_word(each) for each in verb.params if not _is_option(each))
        return SpecError(
            f"unexpected {cut(repr(extra[1]))} after {' '.join([path, *arguments])}",
            fix=f"see {see_help}; quote a word that has spaces",
        )
    if "Missing command" in error.message:
        return SpecError(f"{path} needs a verb", fix=f"see {see_help}")
    where = f"{_names(error.param)}: " if getattr(error, "param", None) else ""
    return SpecError(f"{path}: {where}{error.message}", fix=f"see {see_help}")


def _unknown_option(name: str, verb: Click, path: str) -> SpecError:
    options = [
        option
        for parameter in verb.params
        if not parameter.hidden and _is_option(parameter)
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]
    near = difflib.get_close_matches(name[:40], options, n=2, cutoff=0.7)
    word = name.strip("-")
    if not near and len(word) > 2:
        near = [option for option in options if word in option][:2]
    fix = f"use {' or '.join(near)}" if near else f"see {path} --help"
    return SpecError(f"{cut(repr(name))} is not an option of {path}", fix=fix)


def _is_option(parameter: Click) -> bool:
    return bool(parameter.param_type_name == "option")


def _is_single(parameter: Click) -> bool:
    """Return whether a parameter is an option of one value, or a switch of two forms."""
    switch = parameter.is_flag and not parameter.secondary_opts
    return _is_option(parameter) and not parameter.multiple and not switch


def _usage_word(parameter: Click) -> str:
    """Return an argument as a usage line shows it."""
    name = str(parameter.metavar or parameter.name.upper()).strip("[]")
    dots = "..." if parameter.nargs == -1 and not name.endswith("...") else ""
    return f"{name}{dots}" if parameter.required else f"[{name}{dots}]"


def _metavar(parameter: Click) -> str:
    """Return the placeholder of an option's value."""
    if parameter.metavar:
        return str(parameter.metavar)
    kind = getattr(parameter.type_descriptor.annotation, "__name__", "")
    return _METAVARS.get(kind, "TEXT")


def _names(parameter: Click) -> str:
    """Return an argument or option as a help text lists it."""
    if not _is_option(parameter):
        return _usage_word(parameter)
    names = ", ".join(parameter.opts)
    if parameter.secondary_opts:
        return f"{names} / {', '.join(parameter.secondary_opts)}"
    return names if parameter.is_flag else f"{names} {_metavar(parameter)}"


def _row(parameter: Click) -> tuple[str, str]:
    """Return an argument or option, and its help with its default."""
    text, default = " ".join((parameter.help or "").split()), parameter.default
    added = ""
    if parameter.required:
        added = "Required."
    elif default is True and parameter.secondary_opts:
        added = f"Default: {parameter.opts[0]}."
    elif not (default is None or default == "" or isinstance(default, bool | list | tuple)):
        written = f"{default:,g}" if isinstance(default, float) else default
        added = f"Default: {f'{default:,}' if isinstance(default, int) else written}."
    # The unit comes last.
    before, bracket, unit = text.partition(" [") if text.endswith("]") else (text, "", "")
    return _names(parameter), f"{before} {added}".strip() + bracket + unit


def _write_verbs(group: Click, formatter: Click) -> None:
    """Write the verbs of a group and their summaries by heading; nothing for a single verb."""
    summaries = _summaries(group) if isinstance(group, Verbs) else {}
    column = max(map(len, summaries), default=0)
    parts = getattr(group, "headings", {})
    headings = {name: part for part, verbs in parts.items() for name in verbs}
    for heading in dict.fromkeys(headings.get(name, "Verbs") for name in summaries):
        own = [name for name in summaries if headings.get(name, "Verbs") == heading]
        _write_rows(heading, [(f"{name:{column}}", summaries[name]) for name in own], formatter)


def _examples(text: str) -> list[str]:
    """Return the example commands of a help text."""
    return [each for part in help_paragraphs(text) if isinstance(part, list) for each in part]


def help_paragraphs(text: str) -> Iterator[str | list[str]]:
    """Yield each paragraph of a help text in one line, and its examples as a list of commands."""
    for part in re.split(r"\n\s*\n", text.strip()):
        first, *others = part.strip().splitlines()
        if first.strip() != "Examples:":
            yield " ".join(part.split())
            continue
        commands: list[str] = []
        for line in map(str.strip, others):
            if _EXAMPLE.match(line):
                commands.append(line)
            else:
                commands[-1] += f" {line}"
        yield commands


def _write_text(text: str, formatter: Click) -> None:
    """Write a help text: paragraphs wrapped, and one example per line."""
    for part in help_paragraphs(text):
        if isinstance(part, list):
            lines = [_bold("Examples:"), *(_continued(each, formatter.width) for each in part)]
        else:
            lines = wrap(part, formatter.width, break_long_words=False, break_on_hyphens=False)
        formatter.write("\n" + "\n".join(lines) + "\n")


def _continued(command: str, width: int) -> str:
    """Return a command in continued shell lines, broken outside quotes."""
    lines, line = [], " "
    for word in _WORD.findall(command):
        if len(line) + len(word) + 3 > width and line.strip():
            lines.append(f"{line} \\")
            line = "     "
        line += f" {word}"
    return "\n".join([*lines, line])


def _write_rows(heading: str, rows: Sequence[tuple[str, str]], formatter: Click) -> None:
    """Write rows of a name and its text; nothing if there are none."""
    if not rows:
        return
    fitting = [len(name) for name, _ in rows if len(name) <= _NAME_WIDTH]
    column = 2 + max(fitting, default=_NAME_WIDTH) + 2
    formatter.write(f"\n{_bold(heading + ':')}\n")
    for name, text in rows:
        lines = wrap(text, formatter.width - column, break_long_words=False, break_on_hyphens=False)
        if len(name) > _NAME_WIDTH or not lines:
            formatter.write(f"  {name}\n")
        else:
            formatter.write(f"  {name:{column - 2}}{lines.pop(0)}\n")
        for line in lines:
            formatter.write(f"{'':{column}}{line}\n")


def _bold(text: str) -> str:
    """Return a bold heading; without a terminal Typer strips the style."""
    return text if environ.get("NO_COLOR") else typer.style(text, bold=True)
