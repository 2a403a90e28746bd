"""Agents that are not part of pigglesim: a Python class by its import path, or a command.

`package.module:Class:depth=2` and `my_agent.py:Class` name classes, `cmd:python3 my_agent.py` a
command. Such an agent is a program: it runs only if a user names it, never because a file does.
"""

import importlib
import importlib.util
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.errors import SpecError, cut
from pigglesim.games.game import Game

COMMAND = "cmd"
"""First word of the name of an agent that is a command."""

A = TypeVar("A")


def outside_name(name: str) -> str:
    """Return the name of an outside agent without blanks around it.

    Raises:
        SpecError: If a command is missing or its quotes do not match, or a parameter has no value.
    """
    kind, _, rest = name.strip().partition(":")
    if kind == COMMAND:
        try:
            words = shlex.split(rest)
        except ValueError as fault:
            raise _bad_name(name, str(fault)) from None
        if not words:
            raise _bad_name(name, "no command")
        return f"{kind}:{rest.strip()}"
    _keywords(name)
    return name.strip()


def _bad_name(name: str, problem: str) -> SpecError:
    return SpecError(
        f"invalid agent {cut(repr(name))}: {problem}",
        expected="module:Class:depth=2, my_agent.py:Class or cmd:python3 my_agent.py",
        fix="correct the name",
    )


def _keywords(name: str) -> dict[str, int | float | str]:
    """Return the parameters of a name `module:Class:depth=2`."""
    values: dict[str, int | float | str] = {}
    for word in name.strip().split(":")[2:]:
        key, equals, text = word.partition("=")
        if not equals or not key.isidentifier():
            raise _bad_name(name, f"{word!r} is not name=value")
        values[key] = _value(text)
    return values


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


class ImportedAgent:
    """An agent of a class outside pigglesim, under the name by which it was asked for."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.name, self._agent = name, agent

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return the choice of the object of that class."""
        return self._agent.choose(observation, legal_actions, rng=rng)


def outside_agent(name: str, game: Game[Any, Any] | None) -> Agent:
    """Return the agent of an outside name.

    A class is called with the game and its parameters; it needs the method `choose` of `Agent`.

    Raises:
        SpecError: If there is no game, no such module, class or program, or the class fails.
    """
    name = outside_name(name)
    if game is None:
        raise SpecError(f"agent {cut(name)} needs a game", fix="use make_agent(name, game=...)")
    if name.startswith(f"{COMMAND}:"):
        from pigglesim.agents.process import process_agent  # noqa: PLC0415 (loads pydantic)

        return process_agent(name, game)
    path, made_by, *_ = name.split(":")
    module = _module(path, name)
    if not hasattr(module, made_by):
        raise SpecError(f"no {made_by} in {path}", fix="check the name of the class")
    try:
        agent = getattr(module, made_by)(game, **_keywords(name))
    except Exception as error:
        raise _failed(name, error) from error
    if not callable(getattr(agent, "choose", None)):
        raise SpecError(f"{cut(name)} has no method choose", fix="write one, as Agent describes")
    return ImportedAgent(name, agent)


def _module(path: str, name: str) -> ModuleType:
    """Return a module by its import path, or a file that ends in `.py`."""
    try:
        if not path.endswith(".py"):
            return importlib.import_module(path)
        # The prefix keeps a file from hiding a module of the same name.
        module_name = f"pigglesim_agent_{Path(path).stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None and spec.loader is not None, "the suffix is known"
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise SpecError(
            f"agent {cut(name)}: {error}",
            fix="install it, or name a file of this folder as my_agent.py:Class",
        ) from None
    except FileNotFoundError:
        raise SpecError(f"agent {cut(name)}: no file {path}", fix="check the path") from None
    except Exception as error:
        raise _failed(name, error) from error
    return module


def _failed(name: str, error: Exception) -> SpecError:
    return SpecError(
        f"agent {cut(name)} cannot be made: {type(error).__name__}: {error}", fix="correct its code"
    )
