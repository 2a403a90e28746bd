"""A record as JSON lines, each sealed by a SHA-256 of all lines before it."""

import hashlib
import re

from pigglesim.errors import RecordError
from pigglesim.json_codec import from_json, to_json
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    SCHEMA,
    Comment,
    CutError,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    fault_of,
)

_KINDS: dict[str, type[Header | Entry | Footer]] = {
    "header": Header,
    "decision": Decision,
    "outcome": MatchOutcome,
    "forfeit": Forfeit,
    "comment": Comment,
    "footer": Footer,
}
"""What a line can hold, by the value of its first key."""
_NAMES = {kind: name for name, kind in _KINDS.items()}
_LINE = re.compile(r'\{"kind":"(\w+)",')
_HEADER = re.compile(r'\{"kind":"header","schema":(\d{1,9}),', re.ASCII)
_SEALED = re.compile(r'(.*),"sha256":"([0-9a-f]{64})"\}', re.DOTALL)


def parse_seat(value: object) -> Seat:
    """Return the seat that a value of a record names.

    Raises:
        RecordError: If it names none.
    """
    if not isinstance(value, str) or value not in set(Seat):
        raise RecordError("a seat", got=repr(value), remedy="use a newer pigglesim")
    return Seat(value)


class Sealer:
    """Seals the lines of one record, each by those before it."""

    def __init__(self) -> None:
        self._seal = ""
        self._count = 0

    def line(self, part: Header | Entry | Footer) -> str:
        """Return the next line, with its line end.

        Raises:
            RecordError: If a number in it is not finite.
        """
        try:
            # A lone surrogate, which UTF-8 cannot write, is a ValueError too.
            return self.seal(_content(part))
        except ValueError:
            raise RecordError(
                f"finite numbers in line {self._count + 1}",
                got="inf or nan",
                remedy="check the roll",
            ) from None

    def seal(self, content: str) -> str:
        """Return a JSON object as the next line, with its seal and line end."""
        self._seal = hashlib.sha256(f"{self._seal}\n{content}".encode()).hexdigest()
        self._count += 1
        return f'{content[:-1]},"sha256":"{self._seal}"}}\n'


def _content(part: Header | Entry | Footer) -> str:
    return f'{{"kind":"{_NAMES[type(part)]}",{to_json(part)[1:]}'


def format_sealed(record: MatchRecord) -> str:
    """Return a record as JSON lines.

    Raises:
        RecordError: If a number in it is not finite.
    """
    sealer = Sealer()
    return "".join(map(sealer.line, (record.header, *record.entries, record.footer)))


def _fault(got: str) -> RecordError:
    return RecordError(
        "the record as it was written", got=got, remedy="use an untouched copy of the record"
    )


def check_schema(schema: int, *, line: int, version: str) -> None:
    """Raise `LocatedError` if a record is not of the version that this program writes."""
    if schema != SCHEMA:
        raise LocatedError(
            f"a record of schema version {SCHEMA}",
            got=f"version {schema}",
            remedy=f"a pigglesim as new as the one that wrote it ({version})",
            line=line,
        )


def _parse(content: str) -> Header | Entry | Footer:
    """Return what a line without its seal holds.

    Raises:
        RecordError: If it holds no part of a record.
    """
    found = _LINE.match(content)
    if found is None or found[1] not in _KINDS:
        raise RecordError(
            "a decision, an outcome, a forfeit or a comment",
            got="a line of another kind",
            remedy="use a newer pigglesim",
        )
    return from_json(_KINDS[found[1]], "{" + content[found.end() :])


def parse_sealed(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record that JSON lines hold; the rules are not asked.

    Args:
        text: The lines.
        first: Number of the first line in its file.

    Raises:
        CutError: If its end is missing; what is there comes with the error.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the record
            is of a newer version or no record at all.
    """
    lines = text.removesuffix("\n").split("\n")
    begins = _HEADER.match(lines[0])
    if begins is None:
        raise LocatedError(
            "the header of a match", got="something else", remedy="check the path", line=first
        )
    version = re.search(r'"version":"([^"]{1,40})"', lines[0])
    check_schema(int(begins[1]), line=first, version=version[1] if version else "unknown")
    sealer, parts = Sealer(), list[Header | Entry | Footer]()
    for number, line in enumerate(lines, start=first):
        sealed = _SEALED.fullmatch(line)
        if sealed is None and number > first and line is lines[-1] and not text.endswith("\n"):
            # The last line was cut.
            break
        try:
            if sealed is None:
                raise _fault("a line that is cut, has no seal or is no JSON")
            if sealer.seal(f"{sealed[1]}}}") != f"{line}\n":
                raise _fault("a line edited, moved, or after one taken out")
            if parts and isinstance(parts[-1], Footer):
                raise _fault("a line after the footer")
            parts.append(_parse(f"{sealed[1]}}}"))
            if isinstance(parts[-1], Header) is not (number == first):
                raise _fault("a header in another place than the first line")
        except RecordError as error:
            raise fault_of(error, line=number) from None
        except UnicodeEncodeError:
            raise fault_of(_fault("what is no text"), line=number) from None
    header, *rest = parts
    assert isinstance(header, Header)
    entries = [part for part in rest if not isinstance(part, Header | Footer)]
    footer = rest[-1] if rest else None
    if not isinstance(footer, Footer):
        ends = "no more lines" if len(parts) == len(lines) else "half a line"
        raise CutError(header, entries, got=ends, line=first + len(lines) - 1)
    return MatchRecord(header=header, entries=tuple(entries), footer=footer)
