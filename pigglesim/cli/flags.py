"""Flags of verbs: what each takes, groups of them, and numbers as people type them."""

import os
import re
import shlex
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from decimal import Decimal
from inspect import Parameter, Signature, signature
from math import isfinite
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from pigglesim.errors import SpecError, cut
from pigglesim.units import Unit, quantity

Complete = Callable[[typer.Context, str], list[str]]
"""Completes the word that was begun at a shell."""


class Flag:
    """How a parameter of a verb is typed; it stands in an annotation, before the text of its help.

    `Annotated[int | None, Flag("--round", low=1), "Round to show."]` is an option. Without names an
    option is called as its parameter is, and a switch that is on has a `--no-` beside it. Several
    flags in one annotation add up.

    Args:
        names: Of an option, with its dashes.
        metavar: Word that stands for the value in the help.
        complete: Completes the value at a shell.
        low: Smallest number allowed.
        high: Largest number allowed.
        positional: Whether it is typed without a name.
    """

    def __init__(
        self,
        *names: str,
        metavar: str | None = None,
        complete: Complete | None = None,
        low: float | None = None,
        high: float | None = None,
        positional: bool | None = None,
    ) -> None:
        words: dict[str, Any] = {"names": names or None, "metavar": metavar, "complete": complete}
        words |= {"low": low, "high": high, "positional": positional}
        self.given = {name: value for name, value in words.items() if value is not None}


WORD = Flag(positional=True)
"""A parameter that is typed without a name."""


def with_groups(run: Callable[..., None]) -> Callable[..., None]:
    """Return a verb in which each group of flags is taken apart.

    A parameter whose type is a dataclass is a group of flags: each of its fields, annotated as a
    parameter of a verb would be, is a flag, and what was typed arrives as one value. So several
    verbs share a group, with what it means, and none of them lists it.

    A number that is annotated with a `Unit` may be typed in any unit of that dimension, and arrives
    in that one.

    Args:
        run: The verb.
    """
    hints = get_type_hints(run, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    flags: list[Parameter] = []
    for name, parameter in signature(run).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            types = get_type_hints(kind, include_extras=True)
            own = [_flag(field, types[field.name]) for field in fields(kind)]
            groups[name] = kind, [flag.name for flag in own]
            flags += own
        else:
            kind = _readable(name, kind, parameter.default)
            flags.append(parameter.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY))

    def verb(**given: Any) -> None:  # noqa: ANN401 (of the flags' types)
        packed = {
            name: kind(**{flag: given.pop(flag) for flag in own})
            for name, (kind, own) in groups.items()
        }
        run(**given, **packed)

    verb.__name__, verb.__doc__ = run.__name__, run.__doc__
    verb.__signature__ = Signature(flags)  # type: ignore[attr-defined]
    verb.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return verb


def _flag(field: Field[Any], kind: object) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    kind = _readable(field.name, kind, default)
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _readable(name: str, kind: Any, default: object) -> Any:  # noqa: ANN401 (types)
    """Return the annotation of a flag as Typer takes it; that of a number with what reads it."""
    of, *details = get_args(kind) if get_origin(kind) is Annotated else (kind, None)
    if not any(isinstance(each, Flag | str) for each in details):
        return kind
    given: dict[str, Any] = {}
    for each in details:
        if isinstance(each, Flag):
            given |= each.given
    option = f"--{name.strip('_').replace('_', '-')}"
    positional, metavar = given.get("positional", False), given.get("metavar")
    names: tuple[str, ...] = given.get("names", (option,))
    if of is bool and default is True and "names" not in given:
        names = (f"{option}/--no-{option[2:]}",)
    words: dict[str, Any] = {
        "help": next((each for each in details if isinstance(each, str)), None),
        "metavar": metavar,
        "autocompletion": given.get("complete"),
    }
    if number := _number(of):
        words["parser"] = number_parser(
            metavar or name.upper() if positional else names[0],
            number,
            low=given.get("low"),
            high=given.get("high"),
            default=default,
            unit=next((each for each in details if isinstance(each, Unit)), None),
        )
    return Annotated[of, typer.Argument(**words) if positional else typer.Option(*names, **words)]


def _number(kind: Any) -> type[int] | type[float] | None:  # noqa: ANN401 (types)
    """Return the kind of number that a flag holds, alone or in a list; None for others."""
    if kind in (int, float):
        found: type[int] | type[float] = kind
        return found
    inner = [_number(each) for each in get_args(kind)]
    return next((each for each in inner if each), None)


_COUNT = re.compile(
    r"(?P<digits>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)?(?:\.\d*)?)(?:e(?P<power>\+?\d{1,2}))?"
    r"(?P<multiple>[kM]?)",
    re.IGNORECASE,
)
_MULTIPLES = {"": 0, "k": 3, "m": 6}


def whole_number(text: str) -> int | None:
    """Return a whole number as typed: `1e4`, `10k`, `10_000` or `10,000`; None if it is not one.

    Args:
        text: What was typed.
    """
    found = _COUNT.fullmatch(text.strip())
    if found is None or not re.search(r"\d", found["digits"]):
        return None
    digits = Decimal(found["digits"].replace(",", "").replace("_", ""))
    value = digits.scaleb(int(found["power"] or 0) + _MULTIPLES[found["multiple"].lower()])
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
    """Return what reads the value of a flag.

    Args:
        flag: As it is typed, for its errors.
        kind: Of number.
        low: The least it may be; None for no bound.
        high: The most it may be; None for no bound.
        default: Its value where it is not typed, which a remedy may propose.
        unit: Of a quantity, that in which a number without one is read; None for a plain number.
    """
    noun = "a whole number" if kind is int else "a number"
    if unit is not None:
        noun = f"{unit.dimension.noun} [{unit.name}]"
    expected = f"{flag} to be {noun}{_bounds(low, high)}"
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
        found = _read(value, kind, unit)
        if found is None:
            raise SpecError(expected, got=cut(repr(value)), remedy=f"{typed}{proposal}")
        if (low is not None and found < low) or (high is not None and found > high):
            nearest = low if low is not None and found < low else high
            raise SpecError(expected, got=cut(value), remedy=f"{typed}{nearest:.12g}")
        return found

    return parse


def _read(text: str, kind: type[int] | type[float], unit: Unit | None) -> int | float | None:
    if unit is not None:
        return quantity(text, unit)
    if kind is int:
        return whole_number(text)
    try:
        found = float(text)
    except ValueError:
        return None
    return found if isfinite(found) else None


def _bounds(low: float | None, high: float | None) -> str:
    """Return the bounds of a number in words."""
    if low is not None and high is not None:
        return f" from {low:,.12g} to {high:,.12g}"
    if low is not None:
        return f", {low:,.12g} or more"
    return "" if high is None else f", {high:,.12g} or less"


def typed(context: typer.Context, name: str) -> str | None:
    """Return a flag's value if it was typed, and None if it is at its default."""
    source = context.get_parameter_source(name)
    was_typed = source is not None and source.name == "COMMANDLINE"
    return str(context.params[name]) if was_typed else None


def refuse_beside_resume(context: typer.Context, names: Iterable[str]) -> None:
    """Refuse, beside --resume, what the record has settled.

    Args:
        context: Of the verb.
        names: Of its parameters that the record settles.

    Raises:
        SpecError: If some of them were typed.
    """
    refuse_idle(
        context,
        names,
        beside="--resume alone: the record has settled the rest",
        remedy="leave it out, or begin a new match without --resume",
    )


def refuse_idle(
    context: typer.Context, names: Iterable[str], *, beside: str, remedy: str = "leave it out"
) -> None:
    """Refuse flags that were typed where they would change nothing.

    Args:
        context: Of the verb.
        names: Of its parameters that have no effect here.
        beside: What is expected, such as `"no --seed without --what-if"`.
        remedy: What to do.

    Raises:
        SpecError: If some of them were typed.
    """
    parameters = {parameter.name: parameter for parameter in context.command.params}
    given = []
    for name in names:
        parameter = parameters[name]
        if typed(context, name) is not None:
            value = context.params[name]
            if parameter.param_type_name != "option":
                given.append(str(value))
            else:
                given.append((parameter.secondary_opts if value is False else parameter.opts)[0])
    if given:
        raise SpecError(beside, got=", ".join(given), remedy=remedy)


def refuse_loose(loose: bool, flag: str, given: Mapping[str, object]) -> None:
    """Refuse flags that say nothing without another."""
    for name, value in given.items():
        if loose and not (value is None or value is False or value == []):
            raise SpecError(f"{flag} with {name}", got=f"{name} alone", remedy=f"add {flag}")


def command_here(*words: str) -> str:
    """Return a command as a person types it here: in a checkout `./scripts/run`, which sets this.

    Args:
        words: A verb and its flags.
    """
    return shlex.join([os.environ.get("PIGGLESIM_COMMAND") or "pigglesim", *words])


def same_command(
    context: typer.Context, *, settled: Mapping[str, object], without: Container[str]
) -> str:
    """Return what was typed, with what was settled since, as one command.

    Args:
        context: Of the verb.
        settled: By name, values that were chosen where none was typed, such as the seed.
        without: Names of what changes nothing of the roll, such as where it is written.
    """
    words, flags = ["pigglesim", context.info_name or ""], []
    for param in context.command.params:
        name = param.name or ""
        if name in without or not (typed(context, name) is not None or name in settled):
            continue
        value = settled.get(name, context.params.get(name))
        if param.param_type_name == "argument":
            words.append(str(value))
        elif isinstance(value, bool):
            flags.append((param.opts if value else param.secondary_opts)[0])
        else:
            for each in value if isinstance(value, list | tuple) else (value,):
                flags += [param.opts[0], str(each)]
    return shlex.join([*words, *flags])
