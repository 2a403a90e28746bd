"""A match written down while it is played, so that what was played survives a kill.

The journal of `FILE` is `FILE.part`: sealed JSON lines, each handed to the system as its entry
happens. When the match is over the whole record is written to `FILE`, in the form of its suffix,
and the journal goes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from pigglesim.errors import RecordError
from pigglesim.match.entries import Entry, Header, MatchRecord, Status
from pigglesim.match.entry_json import entry_to_json, header_to_json
from pigglesim.match.faults import CutError
from pigglesim.match.record import read_record, write_record
from pigglesim.match.sealed import Sealer

__all__ = ["Journal", "finish", "journal_of", "read_unfinished"]


def journal_of(path: Path) -> Path:
    """Return the journal's file for a record that will be written to `path`."""
    return path.with_name(f"{path.name}.part")


class Journal:
    """Writes a record while its match is played.

    Args:
        path: Where the whole record will be.
        header: Of the record.
        begun: Entries that were played before, in a match that is resumed.

    Raises:
        RecordError: If the journal cannot be written.
    """

    def __init__(self, path: Path, header: Header, *, begun: Sequence[Entry] = ()) -> None:
        self._part = journal_of(path)
        self._sealer = Sealer()
        lines = [self._sealer.line(header_to_json(header))]
        lines += [self._sealer.line(entry_to_json(entry)) for entry in begun]
        # What was there before is replaced at once: a kill in between loses nothing.
        fresh = self._part.with_name(f".{self._part.name}.new")
        try:
            fresh.write_text("".join(lines), encoding="utf-8", newline="\n")
            fresh.replace(self._part)
            self._file: TextIO = self._part.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._unwritable(error) from None

    def add(self, entry: Entry) -> None:
        """Write an entry down.

        Raises:
            RecordError: If it cannot be written.
        """
        try:
            self._file.write(self._sealer.line(entry_to_json(entry)))
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Let go of the file; the journal stays until `finish`."""
        self._file.close()

    def _unwritable(self, error: OSError) -> RecordError:
        return RecordError(
            f"to write {str(self._part)!r}", got=str(error.strerror), remedy="another --out"
        )


def finish(record: MatchRecord, path: Path) -> None:
    """Write the whole record to its file, and take the journal away.

    Raises:
        RecordError: If it cannot be written; the journal stays.
    """
    write_record(record, path)
    journal_of(path).unlink(missing_ok=True)


def read_unfinished(path: Path) -> tuple[Header, tuple[Entry, ...]]:
    """Return header and entries of a match that was killed, cut off or interrupted.

    Args:
        path: Where its whole record was to be; the journal beside it comes first.

    Raises:
        RecordError: If there is none, it is broken, or the match is finished.
    """
    part = journal_of(path)
    try:
        record = read_record(part if part.exists() else path)
    except CutError as cut:
        return cut.header, cut.entries
    if record.footer.status is Status.FINISHED:
        raise RecordError(
            f"an unfinished match in {str(path)!r}",
            got="one played to its end",
            remedy=f"pigglesim replay {path}",
        )
    return record.header, record.entries
