"""Every fault a person can mend, said the same way: expected, got, try."""

import difflib
import re
import shlex
import sys
from collections.abc import Callable, Iterable

_MOST_SHOWN = 120
"""Characters of what was found that are told: enough to know it by."""
_MOST_TOLD = 1_000
"""Characters of each part of an error: who reads more of it has the file in hand."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What would break a line, command a terminal, turn its writing round or not be written at all."""


class PigglesimError(Exception):
    """A fault in what was asked for; its text is one line that tells the remedy.

    Args:
        expected: What would have been right.
        got: What was found instead.
        remedy: What to do about it, as an imperative.
    """

    exit_status = 2
    """Status with which the command line ends: 2 for bad input, 1 for work that failed."""

    def __init__(self, expected: str, *, got: str, remedy: str) -> None:
        self.expected = one_line(expected)
        self.got = one_line(got)
        self.remedy = one_line(remedy)
        super().__init__(f"expected {self.expected}, got {self.got}; try: {self.remedy}")

    def __reduce__(self) -> tuple[Callable[..., "PigglesimError"], tuple[object, ...]]:
        """Let it come out of another process as it was raised there."""
        return _again, (type(self), self.args, self.__dict__)


def _again(
    kind: type[PigglesimError], args: tuple[object, ...], held: dict[str, object]
) -> PigglesimError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(held)
    return error


class SpecError(PigglesimError):
    """A name, number or file that describes something impossible."""


class ArgumentError(SpecError, TypeError):
    """An argument of a function that it does not have, or of the wrong type."""


class RecordError(PigglesimError):
    """A record of a match that is cut, edited, of a newer version or not a record."""


class IllegalActionError(PigglesimError):
    """An action that the rules forbid in this state.

    Args:
        expected: What the rules allow here.
        got: The action.
        remedy: What to do instead.
        rule: The number of the rule that forbids it, such as `"R8"`.
    """

    def __init__(self, expected: str, *, got: str, remedy: str, rule: str) -> None:
        self.rule = rule
        super().__init__(f"{expected} ({rule})", got=got, remedy=remedy)


def cut(text: str, most: int = _MOST_SHOWN) -> str:
    """Return a text, without its end where it is longer than an error should be.

    Args:
        text: What was found, which may be anything.
        most: Characters to keep.
    """
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def one_line(text: str) -> str:
    """Return a text in which what a stranger's file put there cannot flood or harm a terminal.

    Args:
        text: What people are told; line breaks and what commands terminals is written out.
    """
    written = _CONTROL.sub(lambda found: ascii(found[0])[1:-1], cut(text, _MOST_TOLD))
    return cut(written, _MOST_TOLD)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SpecError:
    """Return the error for a name that is not known, with the nearest that are.

    Args:
        kind: What the name should name, such as `"scene"`.
        name: The name as given.
        known: Every name there is.
    """
    names = sorted(known)
    near = difflib.get_close_matches(name[:_MOST_SHOWN], names, n=3, cutoff=0.5)
    shown = near or names[:8]
    choice = " or ".join(shown) if near else ", ".join(shown)
    return SpecError(f"a known {kind}", got=cut(repr(name)), remedy=choice or f"add a {kind} first")


def pip_install(*packages: str) -> str:
    """Return the command that adds packages to the Python that runs this, wherever it was set up.

    An extra cannot be named: the project is on no index, and a checkout has its own environment.

    Args:
        packages: Names that an index knows.
    """
    return shlex.join([sys.executable or "python", "-m", "pip", "install", *packages])
