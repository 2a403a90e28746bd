"""What is wrong with a record, and where in its file."""

from collections.abc import Sequence
from dataclasses import dataclass

from pigglesim.errors import IllegalActionError, PigglesimError, RecordError
from pigglesim.games.game import JSON
from pigglesim.match.entries import Entry, Header

__all__ = ["CutError", "Fault", "LocatedError", "fault_of"]


class LocatedError(RecordError):
    """A fault at one place of a record.

    Args:
        expected: What would have been right.
        got: What was found instead.
        remedy: What to do about it.
        line: Number of the line in the file, from 1; None where there is no file.
        entry: Which entry of the record it is, from 0; None for header and footer.
        position: The position before it, in the notation of the game, where the rules refuse it.
        rule: The number of the rule that does.
    """

    def __init__(
        self,
        expected: str,
        *,
        got: str,
        remedy: str,
        line: int | None = None,
        entry: int | None = None,
        position: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(
            expected if line is None else f"{expected} in line {line}", got=got, remedy=remedy
        )
        self.line = line
        self.entry = entry
        self.position = position
        self.rule = rule

    def in_line(self, line: int | None) -> "LocatedError":
        """Return the same fault, with the line where it stands."""
        return LocatedError(
            self.expected,
            got=self.got,
            remedy=self.remedy,
            line=line,
            entry=self.entry,
            position=self.position,
            rule=self.rule,
        )


class CutError(LocatedError):
    """A record whose end is missing; what is there is whole.

    Args:
        header: What was settled before the match.
        entries: Every entry up to the cut.
        got: How the file ends.
        line: The last line that is there.
    """

    def __init__(self, header: Header, entries: Sequence[Entry], *, got: str, line: int) -> None:
        super().__init__(
            "a footer after the last entry",
            got=f"{got}: the rest of this record was cut off",
            remedy="use a whole copy, or go on with it: pigglesim match --resume FILE",
            line=line,
        )
        self.header = header
        self.entries = tuple(entries)


def fault_of(
    error: PigglesimError,
    *,
    line: int | None = None,
    entry: int | None = None,
    what: str | None = None,
    position: str | None = None,
) -> LocatedError:
    """Return an error as a fault of a record; one that is a fault already only gets its line.

    Args:
        error: What was raised while a part of the record was read or played.
        line: Its line in the file.
        entry: Which entry it is.
        what: Name of the entry, such as `decision 3`.
        position: The position before it, in the notation of the game.
    """
    if isinstance(error, LocatedError):
        return error if error.line is not None else error.in_line(line)
    return LocatedError(
        error.expected if what is None else f"{error.expected} at {what}",
        got=error.got,
        remedy=error.remedy,
        line=line,
        entry=entry,
        position=position,
        rule=error.rule if isinstance(error, IllegalActionError) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A record of a file that cannot be used, and why."""

    file: str
    record: int
    """Which record of the file, from 1."""
    line: int
    """Where in the file."""
    error: LocatedError

    @property
    def sentence(self) -> str:
        """The fault in one line."""
        return f"{self.file}, record {self.record}: {self.error}"

    def to_json(self) -> dict[str, JSON]:
        """Return the fault as plain values."""
        error = self.error
        plain: dict[str, JSON] = {
            "file": self.file,
            "record": self.record,
            "line": self.line,
            "expected": error.expected,
            "got": error.got,
            "remedy": error.remedy,
        }
        if error.rule is not None:
            plain["rule"] = error.rule
        if error.position is not None:
            plain["position"] = error.position
        return plain
