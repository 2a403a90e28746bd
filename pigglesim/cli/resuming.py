"""What was typed, told from what is at its default: for verbs that go on from a record."""

from collections.abc import Iterable

import typer

from pigglesim.errors import SpecError

__all__ = ["refuse_beside_resume", "typed"]


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
    parameters = {parameter.name: parameter for parameter in context.command.params}
    given = []
    for name in names:
        parameter = parameters[name]
        if typed(context, name) is not None:
            option = parameter.param_type_name == "option"
            given.append(parameter.opts[0] if option else str(context.params[name]))
    if given:
        raise SpecError(
            "--resume alone: the record has settled the rest",
            got=", ".join(given),
            remedy="leave it out, or begin a new match without --resume",
        )
