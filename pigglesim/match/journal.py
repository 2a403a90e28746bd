"""A match written down while it is played, so that what was played survives a kill.

The journal of `FILE` is `FILE.part`: sealed JSON lines, each handed to the system as its entry
happens. When the match is over the whole record is written to `FILE`, in the form of its suffix,
and the journal goes. A journal is in one process's hands; one without a line holds no match.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pigglesim.errors import RecordError
from pigglesim.lasting import Growing, sync_folder, take, write_whole
from pigglesim.match.entries import Entry, Header, MatchRecord, Status
from pigglesim.match.entry_json import entry_to_json, header_to_json
from pigglesim.match.faults import CutError
from pigglesim.match.record import read_record, write_record
from pigglesim.match.sealed import Sealer

__all__ = ["Journal", "finish", "is_begun", "journal_of", "read_unfinished"]


def journal_of(path: Path) -> Path:
    """Return the journal's file for a record that will be written to `path`."""
    return path.with_name(f"{path.name}.part")


def is_begun(path: Path) -> bool:
    """Whether there is a journal, with something in it, beside the record at `path`."""
    part = journal_of(path)
    return part.exists() and part.stat().st_size > 0


class Journal:
    """Writes a record while its match is played.

    Args:
        path: Where the whole record will be.
        header: Of the record.
        begun: Entries that were played before, in a match that is resumed.

    Raises:
        RecordError: If the journal cannot be written, or is another's.
    """

    def __init__(self, path: Path, header: Header, *, begun: Sequence[Entry] = ()) -> None:
        self._out = path
        self._part = journal_of(path)
        self._sealer = Sealer()
        lines = [self._sealer.line(header_to_json(header))]
        lines += [self._sealer.line(entry_to_json(entry)) for entry in begun]
        try:
            with self._part.open("a+b") as held:
                self._file = self._begin(held, "".join(lines).encode())
        except OSError as error:
            raise self._unwritable(error) from None

    def _begin(self, held: BinaryIO, lines: bytes) -> Growing:
        """Put the first lines into a journal that no other process has or has gone on with."""
        self._take(held)
        held.seek(0)
        there = held.read()
        if not lines.startswith(there[: there.rfind(b"\n") + 1]):
            raise self._others("another match, or one that was gone on with meanwhile")
        if os.name == "nt":  # pragma: no cover (what is open cannot be replaced there)
            held.close()
        # What was there before is replaced at once: a kill in between loses nothing.
        write_whole(self._part, lines)
        file = Growing(self._part)
        if not take(file.file):
            raise self._others("one that is still played")
        return file

    def _take(self, held: BinaryIO) -> None:
        """Take the journal, and see that it is still the one of that name."""
        found = os.fstat(held.fileno())
        if not take(held) or not os.path.samestat(found, self._part.stat()):
            raise self._others("one that is still played")

    def _others(self, what: str) -> RecordError:
        return RecordError(
            f"no unfinished match in {str(self._part)!r}",
            got=what,
            remedy=f"wait for it, or --resume {self._out}, or another --out",
        )

    def add(self, entry: Entry) -> None:
        """Write an entry down.

        Raises:
            RecordError: If it cannot be written; nothing of it stays.
        """
        try:
            self._file.add(self._sealer.line(entry_to_json(entry)).encode())
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Let go of the file; the journal stays until `finish`.

        Raises:
            RecordError: If the disk does not take it.
        """
        try:
            self._file.close()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> RecordError:
        return RecordError(
            f"to write {str(self._part)!r}",
            got=str(error.strerror),
            remedy="make room, or another --out",
        )


def finish(record: MatchRecord, path: Path) -> None:
    """Write the whole record to its file, and take the journal away.

    Raises:
        RecordError: If it cannot be written; the journal stays.
    """
    write_record(record, path)
    part = journal_of(path)
    if part.exists():
        part.unlink(missing_ok=True)
        sync_folder(part.parent)


def read_unfinished(path: Path) -> tuple[Header, tuple[Entry, ...]]:
    """Return header and entries of a match that was killed, cut off or interrupted.

    Args:
        path: Where its whole record was to be; the journal beside it comes first.

    Raises:
        RecordError: If there is none, it is broken, or the match is finished.
    """
    try:
        record = read_record(journal_of(path) if is_begun(path) else path)
    except CutError as cut:
        return cut.header, cut.entries
    if record.footer.status is Status.FINISHED:
        raise RecordError(
            f"an unfinished match in {str(path)!r}",
            got="one played to its end",
            remedy=f"pigglesim replay {path}",
        )
    return record.header, record.entries
