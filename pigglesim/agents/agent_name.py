"""Names of agents with their parameters: `mcts:nodes=400:explore=0.7`, read and written."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pigglesim.errors import SpecError, unknown_name

__all__ = ["Number", "Word", "format_name", "parse_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A parameter that is a number within bounds."""

    low: float
    high: float
    default: float | None
    """None where it is not in force unless it is given."""
    whole: bool = False

    def read(self, name: str, text: str) -> float:
        """Return the value of a text.

        Raises:
            SpecError: If it is no number, or out of bounds.
        """
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            fitting = self.default if self.default is not None else self.low
            raise SpecError(
                f"{name} to be {kind} from {self.low:g} to {self.high:g}",
                got=repr(text),
                remedy=f"{name}={fitting:g}",
            )
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A parameter that is one of some words."""

    choices: Sequence[str]
    default: str

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Raises:
            SpecError: If it is none of the words.
        """
        if text not in self.choices:
            raise SpecError(
                f"{name} to be {' or '.join(self.choices)}",
                got=repr(text),
                remedy=f"{name}={self.default}",
            )
        return text


Parameters = Mapping[str, Number | Word]


def parse_name(
    text: str, known: Mapping[str, Parameters]
) -> tuple[str, dict[str, float | str | None]]:
    """Return the kind of agent that a name means and all its parameters, the default ones too.

    A name is `kind`, `kind:name=value:name=value`, or `kind:value` for the first parameter.

    Args:
        text: The name.
        known: The parameters of each kind, by name.

    Raises:
        SpecError: If the kind or a parameter is unknown, given twice or out of bounds.
    """
    kind, *words = text.split(":")
    if kind not in known:
        raise unknown_name("agent", kind, known)
    parameters = known[kind]
    given: dict[str, float | str | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and len(words) == 1 and parameters:
            name, value = next(iter(parameters)), word
        if name not in parameters:
            raise _unknown_parameter(kind, name, parameters)
        if name in given:
            raise SpecError(f"{name} of {kind} once", got="it twice", remedy="leave one out")
        given[name] = parameters[name].read(f"{name} of {kind}", value)
    return kind, {name: given.get(name, at.default) for name, at in parameters.items()}


def _unknown_parameter(kind: str, name: str, parameters: Parameters) -> SpecError:
    if not parameters:
        return SpecError(f"no parameter of {kind}", got=repr(name), remedy=kind)
    return unknown_name(f"parameter of {kind}", name, parameters)


def format_name(
    kind: str, values: Mapping[str, float | str | None], known: Mapping[str, Parameters]
) -> str:
    """Return the shortest name that `parse_name` reads back to the same values."""
    words = [
        f"{name}={value if isinstance(value, str) else f'{value:.12g}'}"
        for name, value in values.items()
        if value is not None and value != known[kind][name].default
    ]
    return ":".join((kind, *words))
