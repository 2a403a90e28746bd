"""Folders of studies: shards, their sums, and what was put aside."""

import hashlib
import re
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from shlex import quote
from typing import Any

from pigglesim.durable_io import AppendFile, make_folder, publish_file, write_atomically
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.folder import LOCK, Folder, expect_definition, locked, unwritable
from pigglesim.experiments.shard import (
    FinishedShard,
    StudyPlan,
    check_shard,
    checked_definition,
    read_counts,
    read_metadata,
)
from pigglesim.experiments.study import Study

_VERB, _SHARDS, _TORN, _SUMS = "study", "shards", "torn", "sums"
_DEFINITION = f"{_VERB}.json"
_SUFFIX = ".parquet"
_NAME = re.compile(r"([0-9]{6,15})\.parquet")
_SUM = re.compile(r"([0-9]{6,15}) ([0-9a-f]{64})")
_OWN = {_DEFINITION, f"{_DEFINITION}.tmp", _SHARDS, _TORN, _SUMS, f"{_SUMS}.tmp", LOCK}


def shard_numbers(folder: Path) -> list[int]:
    """Return the numbers of all shards that have a sum and are there, in order."""
    sums = _parsed_sums(folder)[0]
    return sorted(number for number in sums if _shard_path(folder, number).is_file())


def whole_shards(folder: Path) -> dict[int, Path]:
    """Return the file of each finished shard, by number: each is what its sum says.

    Raises:
        RecordError: If it is no folder of a study, or any other file is among its shards.
    """
    count = stored_study(folder).shard_count
    # In this order: a study that is at work writes a sum before it names the shard.
    files, found, strange = _shard_files(folder), dict[int, Path](), list[str]()
    sums = _parsed_sums(folder)[0]
    for path in files:
        number = _number(path, count)
        fault = _misnamed(path, number) or _unlike_sum(path, sums.get(number or 0))
        if fault or number is None:
            strange.append(f"{path.name}, which is {fault}")
        else:
            found[number] = path
    if strange:
        more = f", and {len(strange) - 1} more" if len(strange) > 1 else ""
        raise RecordError(
            f"{strange[0]}{more}",
            expected=f"only shards that {folder / _SUMS} vouches for",
            fix=f"pigglesim study repair {quote(str(folder))}: it puts aside what is none",
        )
    return found


def put_aside(folder: Path) -> list[str]:
    """Put aside all files among the shards of a study that are none; return a line for each.

    What has lost nothing but its sum gets that again.

    Raises:
        RecordError: If it is no folder of a study, or in use.
        StoreError: If it cannot be written.
    """
    digest, count = str(read_definition(folder)["digest"]), stored_study(folder).shard_count
    with locked(folder, _VERB), closing(_Sums(folder)) as sums:
        return _sorted_out(folder, sums, digest=digest, count=count)[1]


def _shard_path(folder: Path, number: int) -> Path:
    return folder / _SHARDS / f"{number:06d}{_SUFFIX}"


def _shard_files(folder: Path) -> list[Path]:
    """Return all that is named as shards are, or nearly so, in order."""
    place = folder / _SHARDS
    if not place.is_dir():
        return []
    return sorted(path for path in place.iterdir() if path.name.lower().endswith(_SUFFIX))


def _number(path: Path, count: int) -> int | None:
    """Return the number of a shard by the name of its file; None if it is no such name."""
    match = _NAME.fullmatch(path.name)
    number = None if match is None else int(match[1])
    return number if number is not None and number < count else None


def _misnamed(path: Path, number: int | None) -> str:
    """Return why a file is no shard by its name and kind; nothing if it may be one."""
    if path.is_symlink() or not path.is_file():
        return "a link or no file"
    if number is None or path.name != f"{number:06d}{_SUFFIX}":
        return "no shard of this study"
    return ""


def _unlike_sum(path: Path, digest: str | None) -> str:
    if digest is None:
        return f"not in {_SUMS}"
    return "" if _sha256(path) == digest else "torn"


def _sorted_out(
    folder: Path, sums: "_Sums", *, digest: str, count: int
) -> tuple[set[int], list[str]]:
    """Return the numbers of all whole shards, and a line for each file that was put aside."""
    found, notes = set[int](), list[str]()
    for path in _shard_files(folder):
        number = _number(path, count)
        fault = _misnamed(path, number)
        if not fault and number in sums.known:
            fault = _unlike_sum(path, sums.known[number])
        elif not fault and number is not None:
            fault = _unlike_note(path, digest, number)
            if not fault:
                sums.add(number, _sha256(path))
        if not fault and number is not None:
            found.add(number)
            continue
        aside = folder / _TORN
        make_folder(aside)
        path.rename(_free(aside, path))
        again = " and is made again" if fault in {"torn", "of another study"} else ""
        notes.append(f"{path.name} is {fault}: it is put aside in {_TORN}/{again}")
    return found, notes


def _unlike_note(path: Path, digest: str, number: int) -> str:
    """Return what is wrong with a file that has no sum; nothing if it is that very shard."""
    try:
        note = read_metadata(path, scan=True)
    except RecordError:
        return "torn"
    return "" if (note.digest, note.number) == (digest, number) else "of another study"


def _free(aside: Path, path: Path) -> Path:
    """Return a name for a file that no other has: nothing that was put aside is replaced."""
    names = (f"{path.stem}-{again}{path.suffix}" for again in range(2, 1_000_000))
    return next(aside / name for name in (path.name, *names) if not (aside / name).exists())


def read_definition(folder: Path) -> dict[str, Any]:
    """Return what `study.json` of a folder says.

    Raises:
        RecordError: If it is no folder of a study, or one of a newer version.
    """
    return checked_definition(expect_definition(folder, _VERB, _OWN))


def stored_study(folder: Path) -> Study:
    """Return the study of a folder.

    Raises:
        RecordError: If it is no folder of a study.
    """
    table = read_definition(folder)["study"]
    try:
        return Study.from_definition(table, source=_DEFINITION)
    except SpecError as fault:
        raise fault.converted(
            RecordError, where=str(folder / _DEFINITION), fix="use another --out"
        ) from None


class Store(Folder):
    """The folder of one study, held by one process that adds shards to it.

    The folder is made if there is none.

    Raises:
        RecordError: If the folder is of another study or in use.
        StoreError: If it cannot be written.
    """

    def __init__(self, path: Path, plan: StudyPlan) -> None:
        self.plan = plan
        whole = {
            "made_of": plan.made_of,
            "digest": plan.digest,
            _VERB: plan.study.definition(),
            "columns": plan.columns(),
        }
        super().__init__(path, verb=_VERB, own=_OWN, whole=whole, beside=_SHARDS)

    def shard_file(self, number: int) -> Path:
        """Return the file of a shard."""
        return _shard_path(self.path, number)

    def counts(self, numbers: Iterable[int]) -> dict[int, Counts]:
        """Return the counts of finished shards, by number."""
        asked = list(numbers)
        found = read_counts([self.shard_file(number) for number in asked])
        return dict(zip(asked, found, strict=True))

    def add(self, made: FinishedShard) -> None:
        """Save a finished shard.

        Raises:
            RecordError: If it is not the shard that it says it is; nothing of it stays.
            StoreError: If it cannot be written; nothing of it stays, and all others do.
        """
        path = self.shard_file(made.number)
        beside = path.with_name(path.name + ".tmp")
        try:
            beside.write_bytes(made.parquet)
            check_shard(made, beside, self.plan)
            self._sums.add(made.number, hashlib.sha256(made.parquet).hexdigest())
            publish_file(beside, path)
        except RecordError:
            beside.unlink(missing_ok=True)
            raise
        except OSError as fault:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise unwritable(self.path, fault) from None
        self.finished.add(made.number)

    def _read(self) -> dict[str, Any]:
        return read_definition(self.path)

    def _resume(self) -> None:
        for left in (self.path / _SHARDS).glob("*.tmp"):
            left.unlink()
            name = left.name.removesuffix(".tmp")
            self.notes.append(f"{name} was cut off while it was written: it is made again")
        self._sums = _Sums(self.path)
        self._file = self._sums.file
        found, notes = _sorted_out(
            self.path, self._sums, digest=self.plan.digest, count=self.plan.study.shard_count
        )
        self.finished = found
        """Numbers of the shards that are there."""
        self.notes += notes


class _Sums:
    """The file of the sums of a study's shards, which the holder of the lock adds to."""

    def __init__(self, folder: Path) -> None:
        self.known, whole, text = _parsed_sums(folder)
        """Sums by the number of the shard."""
        if whole != text:
            # Cut short within its last line, which belongs to no file yet.
            write_atomically(folder / _SUMS, whole.encode())
        self.file = AppendFile(folder / _SUMS)

    def add(self, number: int, digest: str) -> None:
        """Save a sum on the disk.

        Raises:
            OSError: If it cannot be written; nothing of it stays.
        """
        if self.known.get(number) != digest:
            self.file.add(f"{number:06d} {digest}\n".encode())
            self.file.sync()
            self.known[number] = digest

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()


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


def torn_fault(folder: Path, fault: object) -> RecordError:
    """Return the error for a shard of a folder that is not what was written."""
    return RecordError(
        " ".join(str(fault).split())[:200] or type(fault).__name__,
        expected=f"whole shards in {folder}",
        fix="run the study again: it makes torn shards anew",
    )
