"""Verbs whose parameters are groups of flags: a dataclass of options stands for all of them."""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

import typer

__all__ = ["add_verb", "with_groups"]


def add_verb(app: typer.Typer, run: Callable[..., None], **settings: Any) -> None:  # noqa: ANN401 (typer's)
    """Add a verb with groups of flags to a command line, by the settings of `typer.command`."""
    app.command(**settings)(with_groups(run))


def with_groups(run: Callable[..., None]) -> Callable[..., None]:
    """Return a verb in which each group of flags is taken apart.

    A parameter whose type is a dataclass is a group of flags: each of its fields, annotated as a
    parameter of a verb would be, is a flag, and what was typed arrives as one value. So several
    verbs share a group, with what it means, and none of them lists it.

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
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
