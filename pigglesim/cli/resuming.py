"""What was typed, told from what is at its default, and flags that would say nothing."""

from collections.abc import Iterable

import typer

from pigglesim.errors import SpecError

__all__ = ["refuse_beside_resume", "refuse_idle", "typed"]


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
