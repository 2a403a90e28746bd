"""Errors that a user can fix, all in one form: problem, expected, fix."""

import difflib
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

_MAX_INPUT = 120
"""Maximum characters of the input that are shown, enough to recognise it."""
_MAX_PART = 1_000
"""Maximum characters of each part of an error; the file holds the rest."""
_MAX_NAMES = 12
"""Maximum number of valid names that are listed."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that break a line, control a terminal, reverse text or cannot be encoded."""


class PigglesimError(Exception):
    """An invalid request; its text is one line: `problem (expected ...); fix`.

    Args:
        problem: Clause that says what is wrong, with the input found.
        expected: Description of valid input; empty if the problem says it.
        fix: Action that corrects it, as an imperative.
    """

    exit_status = 2
    """Exit status of the command line: 2 for bad input, 1 for work that failed."""

    def __init__(self, problem: str, *, fix: str, expected: str = "") -> None:
        self.problem = one_line(problem)
        self.expected = one_line(expected)
        self.fix = one_line(fix)
        meant = f" (expected {self.expected})" if expected else ""
        super().__init__(f"{self.problem}{meant}; {self.fix}")

    def converted(self, kind: type["AnyError"], *, where: str = "", fix: str = "") -> "AnyError":
        """Return this error as one of another class.

        Args:
            kind: Class of the new error.
            where: Place of the fault, put before the problem.
            fix: Action that corrects it; the same as before if empty.
        """
        problem = f"{where}: {self.problem}" if where else self.problem
        return kind(problem, expected=self.expected, fix=fix or self.fix)

    def __reduce__(self) -> tuple[Callable[..., "PigglesimError"], tuple[object, ...]]:
        """Return the parts to unpickle it from, so that it passes unchanged between processes."""
        return _restored, (type(self), self.args, self.__dict__)


AnyError = TypeVar("AnyError", bound=PigglesimError)


def _restored(
    kind: type[PigglesimError], args: tuple[object, ...], attributes: dict[str, object]
) -> PigglesimError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class SpecError(PigglesimError):
    """A name, number or file that describes something impossible."""


class ArgumentError(SpecError, TypeError):
    """An argument that is unknown to the function, or of the wrong type."""


class RecordError(PigglesimError):
    """A match record that is truncated, edited, of a newer version or not a record."""


class IllegalActionError(PigglesimError):
    """An action that the rules forbid in this state.

    Args:
        problem: Clause that says why the action is illegal.
        expected: Actions that the rules allow here; may be empty.
        fix: Action to take instead, as an imperative.
        rule: Number of the rule that forbids it, such as `"R8"`.
    """

    def __init__(self, problem: str, *, fix: str, rule: str, expected: str = "") -> None:
        self.rule = rule
        super().__init__(f"{problem}, by {rule}", expected=expected, fix=fix)


def cut(text: str, max_length: int = _MAX_INPUT) -> str:
    """Return a text, truncated where it is too long for an error.

    Args:
        text: Any text.
        max_length: Maximum length of the result.
    """
    return text if len(text) <= max_length else f"{text[: max_length - 4]} ..."


def one_line(text: str) -> str:
    """Escape and truncate untrusted text so that it cannot flood or harm a terminal.

    Args:
        text: Text to show; line breaks and control characters are escaped.
    """
    written = _CONTROL.sub(lambda match: ascii(match[0])[1:-1], cut(text, _MAX_PART))
    return cut(written, _MAX_PART)


def unknown_name(
    kind: str, name: str, known: Iterable[str], *, programs: bool = False
) -> SpecError:
    """Return the error for an unknown name, with the closest known names.

    Args:
        kind: Kind of thing named, such as `"scene"`.
        name: Name as given.
        known: All valid names.
        programs: True if a class in a file of the user can be named too.
    """
    if programs and name.endswith(".py"):
        return SpecError(
            f"unknown {kind} {cut(repr(name))}",
            expected="FILE.py:Class",
            fix=f"add the class: {cut(name)}:Class",
        )
    names = sorted(known)
    shown = [*names[:_MAX_NAMES], *(["..."] if len(names) > _MAX_NAMES else [])]
    closest = difflib.get_close_matches(name[:_MAX_INPUT], names, n=3, cutoff=0.5)
    return SpecError(
        f"unknown {kind} {cut(repr(name))}",
        expected=", ".join(shown) if not closest else "",
        fix=f"use {' or '.join(closest)}"
        if closest
        else "use one of these"
        if names
        else f"add a {kind}",
    )


def pip_install(*packages: str) -> str:
    """Return the command that installs packages into the running Python's environment.

    An extra cannot be named: no index has the project, and a checkout has its own environment.

    Args:
        packages: Names of packages on the index.
    """
    return shlex.join([sys.executable or "python", "-m", "pip", "install", *packages])
