"""Verbs whose parameters are groups of flags: a dataclass of options stands for all of them."""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from pigglesim.cli.numbers import number_parser
from pigglesim.units import Unit

__all__ = ["with_groups"]


def with_groups(run: Callable[..., None]) -> Callable[..., None]:
    """Return a verb in which each group of flags is taken apart.

    A parameter whose type is a dataclass is a group of flags: each of its fields, annotated as a
    parameter of a verb would be, is a flag, and what was typed arrives as one value. So several
    verbs share a group, with what it means, and none of them lists it.

    Numbers are read as `pigglesim.cli.numbers` does; one that is annotated with a `Unit` may be
    typed in any unit of that dimension, and arrives in that one.

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
    """Return the annotation of a flag; that of a number with what reads it."""
    if get_origin(kind) is not Annotated:
        return kind
    of, *details = get_args(kind)
    info = next((each for each in details if isinstance(each, ParameterInfo)), None)
    number = _number(of)
    if info is None or number is None or info.parser is not None:
        return kind
    declared = [word for word in info.param_decls or () if word.startswith("--")]
    is_option = isinstance(info, typer.models.OptionInfo)
    flag = declared[0] if declared else f"--{name.replace('_', '-')}"
    info = copy(info)
    info.parser = number_parser(
        flag if is_option else (info.metavar or name.upper()),
        number,
        low=info.min,
        high=info.max,
        default=default,
        unit=next((each for each in details if isinstance(each, Unit)), None),
    )
    return Annotated[of, info]


def _number(kind: Any) -> type[int] | type[float] | None:  # noqa: ANN401 (types)
    """Return the kind of number that a flag holds, alone or in a list; None for others."""
    if kind in (int, float):
        found: type[int] | type[float] = kind
        return found
    inner = [_number(each) for each in get_args(kind)]
    return next((each for each in inner if each), None)
