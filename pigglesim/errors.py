"""Every fault a person can mend, said the same way: expected, got, try."""

import difflib
from collections.abc import Callable, Iterable

__all__ = [
    "IllegalActionError",
    "PigglesimError",
    "RecordError",
    "SpecError",
    "unknown_name",
]


class PigglesimError(Exception):
    """A fault in what was asked for; its text is one line that tells the remedy.

    Args:
        expected: What would have been right.
        got: What was found instead.
        remedy: What to do about it, as an imperative.
    """

    def __init__(self, expected: str, *, got: str, remedy: str) -> None:
        self.expected = expected
        self.got = got
        self.remedy = remedy
        super().__init__(f"expected {expected}, got {got}; try: {remedy}")

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


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SpecError:
    """Return the error for a name that is not known, with the nearest that are.

    Args:
        kind: What the name should name, such as `"scene"`.
        name: The name as given.
        known: Every name there is.
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    shown = near or names[:8]
    choice = " or ".join(shown) if near else ", ".join(shown)
    return SpecError(f"a known {kind}", got=repr(name), remedy=choice or f"add a {kind} first")
