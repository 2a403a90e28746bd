"""Flags of verbs: their values, groups of flags, and parsing of typed numbers."""

import os
import re
import shlex
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from decimal import Decimal
from functools import partial
from inspect import Parameter, Signature, getdoc, signature
from math import isfinite
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.limits import Limits
from pigglesim.units import MAX_DIGITS, Unit, quantity

V = TypeVar("V", bound=Callable[..., None])
Complete = Callable[[typer.Context, str], list[str]]
"""Function that completes a partly typed word at a shell."""


class FlagProperties(TypedDict, total=False):
    """Properties of a flag."""

    metavar: str
    """Placeholder of the value in the help."""
    complete: Complete
    """Function that completes the value at a shell."""
    low: float
    """Smallest number allowed."""
    high: float
    """Largest number allowed."""
    choices: Sequence[str]
    """Words allowed."""
    suffixes: tuple[str, ...]
    """File suffixes allowed, in lower case."""
    needs: Sequence[str]
    """Parameters of which at least one is required with this one."""
    positional: bool
    """True if the value is typed without a name."""


class Flag:
    """Syntax of a parameter of a verb; part of an annotation, before the help text.

    `Annotated[int | None, Flag("--round", low=1), "Round to show."]` is an option. Without names an
    option is named after its parameter; a switch that is on by default also has a `--no-` form.
    Several flags in one annotation are merged.
    """

    def __init__(self, *names: str, **properties: Unpack[FlagProperties]) -> None:
        self.names = names
        self.properties = properties


ARGUMENT = Flag(positional=True)
"""Parameter that is typed without a name."""
Arguments: TypeAlias = dict[str, Any]
"""Values of flags that are arguments of a public function, by name."""


def documented_by(function: Callable[..., object]) -> Callable[[V], V]:
    """Return a decorator for a verb that does what a public function does.

    A flag without a text has that of the argument of the same name.
    """

    def decorate(run: V) -> V:
        run.argument_texts = _argument_texts(function)  # type: ignore[attr-defined]
        return run

    return decorate


def _argument_texts(function: Callable[..., object]) -> dict[str, str]:
    """Return the text of each argument in the docstring of a function."""
    arguments = (getdoc(function) or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    texts = {
        name: " ".join(text.replace("`", "").split()).removeprefix("Whether to ")
        for name, text in re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", arguments, re.MULTILINE)
    }
    return {name: f"{text[0].upper()}{text[1:]}" for name, text in texts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """Flags that are arguments of a public function."""

    kinds: Mapping[str, tuple[Any, Any]]
    """Annotation and default of each, by name."""
    texts: Mapping[str, str]


def arguments_of(
    function: Callable[..., object],
    *names: str,
    **flags: Flag,
) -> Any:  # noqa: ANN401 (of the verb's type)
    """Return arguments of a public function as a group of flags: the default of a parameter.

    Types, limits, defaults and texts are those of the function; `flags` have the syntax of some.
    The verb gets the values by name: `search: Arguments = arguments_of(design, "drops")`.
    """
    own = signature(function).parameters
    hints = {
        name: _as_typed(hint)
        for name, hint in get_type_hints(function, include_extras=True).items()
    }
    chosen = {**flags, **dict.fromkeys(names, Flag())}
    kinds = {
        name: (Annotated[hints[name], flag], own[name].default) for name, flag in chosen.items()
    }
    return _Taken(kinds=kinds, texts=_argument_texts(function))


def _as_typed(hint: Any) -> Any:  # noqa: ANN401 (types)
    """Return an annotation as Typer reads it: choices are words, and a path may be a name too."""
    parts = get_args(hint)
    if get_origin(hint) is Literal:
        return Annotated[str, Flag(choices=parts)]
    if not any(get_origin(part) is os.PathLike for part in parts):
        return hint
    return Path | None if type(None) in parts else Path


def with_groups(run: Callable[..., None]) -> Callable[..., None]:
    """Return a verb in which each group of flags is expanded into single flags.

    A parameter whose type is a dataclass is a group of flags. Each of its fields is a flag,
    annotated like a parameter of a verb. The verb receives the group as one value, so several
    verbs can share a group without listing its flags. So is one with the default `arguments_of`.

    A number annotated with a `Unit` may be typed in any unit of that dimension; it is converted
    to that unit.
    """
    hints = get_type_hints(run, include_extras=True)
    texts = {**getattr(run, "argument_texts", {})}
    groups: dict[str, tuple[Any, list[str]]] = {}
    kinds: dict[str, tuple[Any, Any]] = {}
    for name, parameter in signature(run).parameters.items():
        if isinstance(parameter.default, _Taken):
            groups[name] = dict, list(parameter.default.kinds)
            kinds |= parameter.default.kinds
            texts |= parameter.default.texts
        elif is_dataclass(hints[name]):
            types = get_type_hints(hints[name], include_extras=True)
            groups[name] = hints[name], list(types)
            for field in fields(hints[name]):
                default = Parameter.empty if field.default is MISSING else field.default
                kinds[field.name] = types[field.name], default
        else:
            kinds[name] = hints[name], parameter.default
    declared = {
        name: _Declared(name, kind, default, texts.get(name))
        for name, (kind, default) in kinds.items()
    }

    def verb(**values: Any) -> None:  # noqa: ANN401 (of the flags' types)
        for flag in declared.values():
            given = (values[name] is not None and values[name] is not False for name in flag.needs)
            if flag.needs and values[flag.name] != flag.default and not any(given):
                needed = " or ".join(declared[name].option for name in flag.needs)
                raise SpecError(f"{flag.option} needs {needed}", fix=f"add {needed}")
        packed = {
            name: kind(**{flag: values.pop(flag) for flag in own})
            for name, (kind, own) in groups.items()
        }
        run(**values, **packed)

    flags = [
        Parameter(
            flag.name,
            Parameter.KEYWORD_ONLY,
            default=flag.default,
            annotation=flag.annotation([declared[name].option for name in flag.needs]),
        )
        for flag in declared.values()
    ]
    verb.__name__, verb.__doc__ = run.__name__, run.__doc__
    verb.__signature__ = Signature(flags)  # type: ignore[attr-defined]
    verb.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return verb


class _Declared:
    """Flag as declared."""

    def __init__(
        self,
        name: str,
        kind: Any,  # noqa: ANN401 (types)
        default: object,
        text: str | None,
    ) -> None:
        self.name, self.default, self._kind = name, default, kind
        parts = get_args(kind) if get_origin(kind) is Annotated else (kind, None)
        self._type, *self._details = parts
        option = f"--{name.strip('_').replace('_', '-')}"
        self._names: tuple[str, ...] = (option,)
        if self._type is bool and default is True:
            self._names = (f"{option}/--no-{option[2:]}",)
        self._properties: FlagProperties = {}
        self._text = next((each for each in self._details if isinstance(each, str)), text)
        for detail in self._details:
            if isinstance(detail, Flag):
                self._properties.update(detail.properties)
                self._names = detail.names or self._names
            elif isinstance(detail, Limits):
                self._properties["low"], self._properties["high"] = detail
        self.needs = self._properties.get("needs", ())
        self.option = self._names[0].rpartition("/")[2]
        """Name in error messages; for a switch that is on by default, its `--no-` form."""

    def annotation(self, needs: Sequence[str]) -> Any:  # noqa: ANN401 (types)
        """Return the annotation for Typer, with a parser of the value."""
        text = self._text
        if text is None and not any(isinstance(each, Flag) for each in self._details):
            return self._kind
        positional = self._properties.get("positional", False)
        metavar = self._properties.get("metavar")
        typed = (metavar or self.name.upper()) if positional else self._names[0]
        settings: dict[str, Any] = {
            "help": f"With {' or '.join(needs)}: {_within(text or '')}" if needs else text,
            "metavar": metavar,
            "autocompletion": self._properties.get("complete"),
            "parser": self._parser(typed),
        }
        if positional:
            return Annotated[self._type, typer.Argument(**settings)]
        return Annotated[self._type, typer.Option(*self._names, **settings)]

    def _parser(self, typed: str) -> Callable[[Any], Any] | None:
        if number := _number_type(self._type):
            return number_parser(
                typed,
                number,
                low=self._properties.get("low"),
                high=self._properties.get("high"),
                default=self.default,
                unit=next((each for each in self._details if isinstance(each, Unit)), None),
            )
        if choices := self._properties.get("choices"):
            return partial(_one_of, typed.strip("-").lower(), choices)
        if suffixes := self._properties.get("suffixes"):
            return partial(_ending_in, suffixes)
        return None


def _within(text: str) -> str:
    """Return a text as it follows a colon; a word in capitals stays."""
    return text if text[1:2].isupper() else f"{text[:1].lower()}{text[1:]}"


def _one_of(noun: str, choices: Sequence[str], word: str) -> str:
    if word not in choices:
        raise unknown_name(noun, word, choices)
    return word


def _ending_in(suffixes: tuple[str, ...], file: str) -> Path:
    from pigglesim.durable_io import expect_suffix

    expect_suffix(Path(file), suffixes)
    return Path(file)


def _number_type(kind: Any) -> type[int] | type[float] | None:  # noqa: ANN401 (types)
    """Return the number type of a flag, single or in a list; None for other flags."""
    if kind in (int, float):
        number: type[int] | type[float] = kind
        return number
    return next(filter(None, map(_number_type, get_args(kind))), None)


_COUNT = re.compile(
    r"(?P<digits>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)?(?:\.\d*)?)(?:e(?P<power>\+?\d{1,2}))?"
    r"(?P<multiple>[kM]?)",
    re.IGNORECASE,
)
_MULTIPLES = {"": 0, "k": 3, "m": 6}


def whole_number(text: str) -> int | None:
    """Parse a whole number: `1e4`, `10k`, `10_000` or `10,000`; None if it is invalid."""
    match = _COUNT.fullmatch(text.strip())
    digits = match["digits"].replace(",", "").replace("_", "") if match else ""
    if match is None or not re.search(r"\d", digits):
        return None
    power = int(match["power"] or 0) + _MULTIPLES[match["multiple"].lower()]
    if len(digits) + power > MAX_DIGITS:
        return None
    value = Decimal(f"{digits}e{power}")
    return int(value) if value == value.to_integral_value() else None


def number_parser(
    flag: str,
    kind: type[int] | type[float],
    *,
    low: float | None = None,
    high: float | None = None,
    default: object = None,
    unit: Unit | None = None,
) -> Callable[[Any], int | float]:
    """Return a parser for the value of a numeric flag."""
    noun = "a whole number" if kind is int else "a number"
    if unit is not None:
        noun = f"{unit.dimension.noun} [{unit.name}]"
    invalid, expected = f"invalid {flag}", f"{noun}{_bounds(low, high)}"
    typed = f"{flag} " if flag.startswith("-") else ""
    if unit is not None:
        proposal = f"4{unit.name}, or another unit: {', '.join(unit.dimension.units)}"
    elif isinstance(default, int | float) and default:
        proposal = f"{default}"
    else:
        proposal = "400 (1e4 and 10k are numbers too)" if kind is int else f"{low or 0.5:g}"

    def parse(value: Any) -> int | float:  # noqa: ANN401 (what was typed, or the default)
        if not isinstance(value, str):
            return kind(value)
        number = _read(value, kind, unit)
        if number is None:
            raise SpecError(
                f"{invalid} {cut(repr(value))}", expected=expected, fix=f"use {typed}{proposal}"
            )
        if (low is not None and number < low) or (high is not None and number > high):
            nearest = low if low is not None and number < low else high
            if low is not None and high is not None and low <= number / 100.0 <= high < 1.0:
                # A share was typed in percent.
                nearest = number / 100.0
            raise SpecError(
                f"{invalid} {cut(value)}", expected=expected, fix=f"use {typed}{nearest:.12g}"
            )
        return number

    return parse


def _read(text: str, kind: type[int] | type[float], unit: Unit | None) -> int | float | None:
    if unit is not None:
        return quantity(text, unit)
    if kind is int:
        return whole_number(text)
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _bounds(low: float | None, high: float | None) -> str:
    """Return the bounds of a number as text."""
    if low is not None and high is not None:
        return f" from {low:,.12g} to {high:,.12g}"
    if low is not None:
        return f", {low:,.12g} or more"
    return "" if high is None else f", {high:,.12g} or less"


def typed(context: typer.Context, name: str) -> str | None:
    """Return a flag's value as text if it was typed, else None."""
    source = context.get_parameter_source(name)
    was_typed = source is not None and source.name == "COMMANDLINE"
    return str(context.params[name]) if was_typed else None


def typed_values(flags: Any, **others: object) -> dict[str, Any]:  # noqa: ANN401 (a group of flags)
    """Return the flags of a group that are set, by name; `others` override them."""
    values = {field.name: getattr(flags, field.name) for field in fields(flags)} | others
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value not in ([], {})
    }


def refuse_idle(
    context: typer.Context, names: Container[str], *, why: str, fix: str = "leave it out"
) -> None:
    """Raise SpecError if flags were typed that would have no effect."""
    idle = []
    for parameter in context.command.params:
        if parameter.name in names and typed(context, parameter.name) is not None:
            value = context.params[parameter.name]
            if parameter.param_type_name != "option":
                idle.append(str(value))
            else:
                idle.append((parameter.secondary_opts if value is False else parameter.opts)[0])
    if idle:
        raise SpecError(f"{', '.join(idle)} has no effect: {why}", fix=fix)


def command_here(*words: str) -> str:
    """Return a command as typed here; in a checkout, `./scripts/run` sets its first word."""
    return shlex.join([os.environ.get("PIGGLESIM_COMMAND") or "pigglesim", *words])


def same_command(
    context: typer.Context, *, settled: Mapping[str, object], without: Container[str]
) -> str:
    """Return the typed command, with values chosen since, as one command.

    Args:
        context: Context of the verb.
        settled: Values by name that were chosen because none was typed, such as the seed.
        without: Names of flags that do not affect the roll, such as its output file.
    """
    words, flags = ["pigglesim", context.info_name or ""], []
    for param in context.command.params:
        name = param.name or ""
        if name in without or not (typed(context, name) is not None or name in settled):
            continue
        value = settled.get(name, context.params.get(name))
        if param.param_type_name == "argument":
            words += map(str, value) if isinstance(value, list | tuple) else (str(value),)
        elif isinstance(value, bool):
            flags.append((param.opts if value else param.secondary_opts)[0])
        else:
            for item in value if isinstance(value, list | tuple) else (value,):
                flags += [param.opts[0], str(item)]
    return shlex.join([*words, *flags])
