"""The command that rolls the same again, for whoever was handed its film or picture."""

import os
import shlex
from collections.abc import Container, Mapping

import typer

__all__ = ["same_command", "typed"]


def typed(*words: str) -> str:
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
        source = context.get_parameter_source(name)
        typed = source is not None and source.name == "COMMANDLINE"
        if name in without or not (typed or name in settled):
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
