"""The folder of a study: its definition, and a Parquet file of each finished shard.

`study.json` says what was thrown, `shards/000000.parquet` and so on hold the rows, and `sums` the
SHA-256 of each file, written before the file gets its name: whatever is found under its name is
whole or is seen not to be. Killed at any moment, what is finished stays.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.lasting import make_folder, name_for_good, sync_folder, take, write_whole
from pigglesim.studies.definition import checked_definition
from pigglesim.studies.identity import Plan
from pigglesim.studies.made import Made, check_made, read_counts, read_note
from pigglesim.studies.running_counts import Counts
from pigglesim.studies.study import Study
from pigglesim.studies.study_file import checked_table

__all__ = [
    "Store",
    "StoreError",
    "read_definition",
    "shard_files",
    "shard_number",
    "shard_numbers",
    "stored_study",
    "torn_shards",
]

_DEFINITION, _SHARDS, _TORN, _SUMS, _LOCK = "study.json", "shards", "torn", "sums", "lock"
_SUFFIX = ".parquet"
_DIGITS = frozenset("0123456789")
_NAME = re.compile(r"([0-9]{6,15})\.parquet")
_SUM = re.compile(r"([0-9]{6,15}) ([0-9a-f]{64})")
_OWN = {_DEFINITION, _DEFINITION + ".tmp", _SHARDS, _TORN, _SUMS, _SUMS + ".tmp", _LOCK}


class StoreError(PigglesimError):
    """The folder can no longer be written, say because the disk is full."""


def shard_files(folder: Path) -> list[Path]:
    """Return the files of all finished shards, in order.

    Raises:
        RecordError: If one is no file of its own: a link may lead anywhere, a pipe has no end.
    """
    place = folder / _SHARDS
    if not place.is_dir():
        return []
    found = []
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name[:1] in _DIGITS and entry.name.endswith(_SUFFIX):
                if not entry.is_file(follow_symlinks=False):
                    raise RecordError(
                        f"plain files in {place}",
                        got=f"{entry.name}, which is a link or no file",
                        remedy="put the file itself there, or remove it",
                    )
                found.append(place / entry.name)
    return sorted(found)


def shard_number(path: Path) -> int | None:
    """Return the number of a shard by the name of its file; None if it is no such name."""
    match = _NAME.fullmatch(path.name)
    return None if match is None else int(match[1])


def shard_numbers(folder: Path) -> list[int]:
    """Return the numbers of all finished shards, in order.

    Raises:
        RecordError: If one is no file of its own.
    """
    numbers = (shard_number(path) for path in shard_files(folder))
    return [number for number in numbers if number is not None]


def torn_shards(folder: Path) -> list[Path]:
    """Return the files of finished shards that are not what was written."""
    sums = _parsed_sums(folder)[0]
    known = {folder / _SHARDS / f"{number:06d}.parquet": digest for number, digest in sums.items()}
    return [path for path in shard_files(folder) if path in known and _sha256(path) != known[path]]


def read_definition(folder: Path) -> dict[str, Any]:
    """Return what `study.json` of a folder says.

    Raises:
        RecordError: If it is no folder of a study, or one of a newer version.
    """
    path = folder / _DEFINITION
    if not path.exists():
        raise RecordError(
            f"a folder that pigglesim study wrote, with {_DEFINITION}",
            got=f"{folder}, which has none" if folder.is_dir() else f"no folder {folder}",
            remedy="check the path, or another --out",
        )
    return checked_definition(path)


def stored_study(folder: Path) -> Study:
    """Return the study of a folder.

    Raises:
        RecordError: If it is no folder of a study.
    """
    table = read_definition(folder)["study"]
    try:
        return Study.from_definition(checked_table(table, source=_DEFINITION))
    except SpecError as fault:
        raise RecordError(
            f"{fault.expected} in {folder / _DEFINITION}", got=fault.got, remedy="another --out"
        ) from None


class Store:
    """The folder of one study, held by one process that adds shards to it.

    Args:
        folder: Made if there is none.
        plan: The study.

    Raises:
        RecordError: If the folder is of another study or in use.
        StoreError: If it cannot be written.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self.notes: list[str] = []
        """A line for each thing that the last run left unfinished or torn."""
        self._lock: TextIOWrapper | None = None
        try:
            self._open()
        except OSError as fault:
            self.close()
            raise _unwritable(folder, fault) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Store":
        """Return the store itself."""
        return self

    def __exit__(self, *fault: object) -> None:
        """Let others use the folder."""
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def path(self, number: int) -> Path:
        """Return the file of a shard."""
        return self.folder / _SHARDS / f"{number:06d}.parquet"

    def counts(self, numbers: Iterable[int]) -> dict[int, Counts]:
        """Return the counts of finished shards, by number."""
        asked = list(numbers)
        found = read_counts([self.path(number) for number in asked])
        return dict(zip(asked, found, strict=True))

    def add(self, made: Made) -> None:
        """Keep a finished shard.

        Raises:
            RecordError: If it is not the shard that it says it is; nothing of it stays.
            StoreError: If it cannot be written; nothing of it stays, and all others do.
        """
        path = self.path(made.number)
        beside = path.with_name(path.name + ".tmp")
        try:
            beside.write_bytes(made.parquet)
            check_made(made, beside, self.plan)
            self._add_sum(made.number, hashlib.sha256(made.parquet).hexdigest())
            name_for_good(beside, path)
        except RecordError:
            beside.unlink(missing_ok=True)
            raise
        except OSError as fault:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise _unwritable(self.folder, fault) from None
        self.finished.add(made.number)

    def _open(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise _no_study(self.folder, "a file")
        known = self.folder / _DEFINITION
        if known.exists():
            self._compare(read_definition(self.folder))
        elif self.folder.is_dir():
            strange = sorted({path.name for path in self.folder.iterdir()} - _OWN)
            if strange:
                raise _no_study(self.folder, f"a folder with {strange[0]} and no {_DEFINITION}")
        make_folder(self.folder / _SHARDS)
        self._take_lock()
        if known.exists():
            # Once more: another process may have made it meanwhile.
            self._compare(read_definition(self.folder))
        else:
            self._define(known)
        for left in (self.folder / _SHARDS).glob("*.tmp"):
            left.unlink()
            name = left.name.removesuffix(".tmp")
            self.notes.append(f"{name} was cut off while it was written: it is made again")
        self._sums = self._read_sums()
        self.finished = self._whole()
        """Numbers of the shards that are there."""

    def _define(self, path: Path) -> None:
        """Write what the study is."""
        whole = {
            "made_of": self.plan.made_of,
            "digest": self.plan.digest,
            "study": self.plan.study.definition(),
            "columns": self.plan.columns(),
        }
        write_whole(path, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())

    def _compare(self, found: dict[str, Any]) -> None:
        """Raise if the folder is of another study; say what differs."""
        if found["digest"] == self.plan.digest:
            return
        asked = {**self.plan.study.definition(), **self.plan.made_of}
        there = {**found["study"], **found["made_of"]}
        apart = [
            f"{key} {_short(there.get(key))} and not {_short(asked.get(key))}"
            for key in {**there, **asked}
            if there.get(key) != asked.get(key)
        ]
        raise RecordError(
            f"the same study in {self.folder}",
            got="another: " + ("; ".join(apart) or "its digest differs"),
            remedy="the same flags, or another --out",
        )

    def _take_lock(self) -> None:
        # It stays open as long as the store is: closing it lets go.
        self._lock = (self.folder / _LOCK).open("a+", encoding="utf-8")
        if not take(self._lock):
            raise RecordError(
                f"a study that nobody else is running in {self.folder}",
                got="another process at work there",
                remedy="wait for it, or another --out",
            )

    def _read_sums(self) -> dict[int, str]:
        found, whole, text = _parsed_sums(self.folder)
        if whole != text:
            # Cut short within its last line, which belongs to no file yet.
            write_whole(self.folder / _SUMS, whole.encode())
        return found

    def _add_sum(self, number: int, digest: str) -> None:
        if self._sums.get(number) == digest:
            return
        path = self.folder / _SUMS
        size = path.stat().st_size if path.exists() else 0
        try:
            with path.open("ab") as file:
                file.write(f"{number:06d} {digest}\n".encode())
                file.flush()
                os.fsync(file.fileno())
            if not size:
                sync_folder(self.folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(path, size)
            raise
        self._sums[number] = digest

    def _whole(self) -> set[int]:
        """Return the numbers of all whole shards; put aside what is not."""
        found = set()
        for path in shard_files(self.folder):
            number = shard_number(path)
            fault = self._fault(path, number)
            if fault is None and number is not None:
                found.add(number)
                continue
            aside = self.folder / _TORN
            aside.mkdir(exist_ok=True)
            path.replace(aside / path.name)
            again = "" if fault == "no shard of this study" else " and is made again"
            self.notes.append(f"{path.name} is {fault}: it is put aside in {_TORN}/{again}")
        return found

    def _fault(self, path: Path, number: int | None) -> str | None:
        """Return what is wrong with a file in the folder of shards, if anything."""
        if number is None or number >= self.plan.study.shard_count or path != self.path(number):
            return "no shard of this study"
        if number in self._sums:
            return None if _sha256(path) == self._sums[number] else "torn"
        try:
            note = read_note(path, scan=True)
        except RecordError:
            return "torn"
        if note.digest != self.plan.digest or note.number != number:
            return "of another study"
        return None


def _parsed_sums(folder: Path) -> tuple[dict[int, str], str, str]:
    """Return the sums by shard, the whole lines they stand in, and all of the file."""
    path = folder / _SUMS
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    rows = (_SUM.fullmatch(line) for line in whole.splitlines())
    found = {int(row[1]): row[2] for row in rows if row}
    return found, whole, text


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _no_study(folder: Path, what: str) -> RecordError:
    return RecordError(
        "a new folder, or one that pigglesim study wrote",
        got=f"{folder}, {what}",
        remedy="another --out",
    )


def _unwritable(folder: Path, fault: OSError) -> StoreError:
    return StoreError(
        f"a folder {folder} that can be written",
        got=fault.strerror or str(fault),
        remedy="make room or give another --out, then run the same command: it goes on",
    )
