"""Folders of studies: the definition, the sealed shards, and files put aside.

The seal of a shard is the SHA-256 of its file.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pigglesim.durable_io import AppendFile, make_folder, replacing, write_atomically
from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.folder import LOCK, Folder, expect_definition, lock_folder, unwritable
from pigglesim.experiments.shard import (
    SCHEMA,
    Job,
    StudyPlan,
    check_shard,
    columns_of,
    make_shard,
    plan_of,
    read_counts,
    read_metadata,
    torn,
)
from pigglesim.experiments.study import Study
from pigglesim.files import FileKind, read_file, read_json

_VERB, _SHARDS, _TORN, _SUMS = "study", "shards", "torn", "sums"
_DEFINITION = f"{_VERB}.json"
_KIND = FileKind(name="study definition", max_bytes=4 * 1024**2, values=200_000)
_SUMS_KIND = FileKind(name="checksum", max_bytes=1 << 30)
_SUFFIX = ".parquet"
_NAME = re.compile(r"([0-9]{6,15})\.parquet")
_SUM = re.compile(r"([0-9]{6,15}) ([0-9a-f]{64})")
_UNLISTED = f"not in {_SUMS}"
_MARK = "shared"
_ENTRIES = {
    *(_DEFINITION, f"{_DEFINITION}.tmp", _SHARDS, _TORN, _SUMS, f"{_SUMS}.tmp"),
    *(LOCK, _MARK, f"{_MARK}.tmp"),
}


class _MadeOf(BaseModel):
    model_config = ConfigDict(strict=True)

    schema_: Annotated[int, Field(alias="schema", le=SCHEMA)]
    models: dict[str, Any]


class _Definition(BaseModel):
    model_config = ConfigDict(strict=True)

    study: dict[str, Any]
    digest: str
    made_of: _MadeOf


def _expect_utf8(folder: Path) -> None:
    """Refuse a folder with a path that DuckDB, which reads the shards, cannot take."""
    try:
        str(folder.resolve()).encode()
    except UnicodeEncodeError:
        raise RecordError(
            f"the path of the folder {folder} is not UTF-8", fix="rename it, or use another --out"
        ) from None


def read_definition(folder: Path) -> dict[str, Any]:
    """Return the content of `study.json` in a folder.

    Raises:
        RecordError: If it is not the folder of a study, or one of a newer version, or its path is
            not UTF-8.
    """
    _expect_utf8(folder)
    path = expect_definition(folder, _VERB, _ENTRIES)
    try:
        definition: dict[str, Any] = read_json(path, _KIND)
        _Definition.model_validate(definition)
    except SpecError as fault:
        raise fault.converted(RecordError, fix="use another --out") from None
    except ValidationError as faults:
        first = faults.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        newer = key == "made_of.schema" and first["type"] == "less_than_equal"
        raise RecordError(
            cut(f"invalid {key} in {path}: {first['msg']}"),
            fix="install a newer pigglesim" if newer else "use another --out",
        ) from None
    return definition


def stored_study(folder: Path) -> Study:
    """Return the study of a folder.

    Raises:
        RecordError: If it is not the folder of a study.
    """
    table = read_definition(folder)[_VERB]
    try:
        return Study.from_definition(table, source=_DEFINITION)
    except SpecError as fault:
        raise fault.converted(
            RecordError, where=str(folder / _DEFINITION), fix="use another --out"
        ) from None


def shard_numbers(folder: Path) -> list[int]:
    """Return the numbers of all shards that have a checksum and a file, in order."""
    seals = _read_seals(folder)[0]
    return sorted(number for number in seals if _shard_path(folder, number).is_file())


def whole_shards(folder: Path, study: Study) -> dict[int, Path]:
    """Return the file of each finished shard, by number, after comparing its checksum.

    `study` is the `stored_study` of the folder.

    Raises:
        RecordError: If any other file is among its shards.
    """
    # In this order: a running study writes a checksum before it names the shard. Workers that
    # share the folder name theirs before, and the study writes the checksum later.
    shared, files = (folder / _MARK).exists(), _shard_files(folder)
    judged = list(_checked_files(files, _read_seals(folder)[0], study.shard_count))
    if shared:
        judged = [each for each in judged if each[2] != _UNLISTED]
    faults = [f"{path.name} is {fault}" for path, _, fault in judged if fault]
    if faults:
        others = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise RecordError(
            f"{faults[0]}{others}",
            fix=f"run pigglesim study repair {quote(str(folder))}, which puts such files aside",
        )
    return {number: path for path, number, _ in judged}


def shard_seals(folder: Path) -> dict[int, str]:
    """Return the SHA-256 of each shard of a folder, by number."""
    return _read_seals(folder)[0]


def put_aside(folder: Path) -> list[str]:
    """Put aside all files that are not shards of their study; return a line for each.

    A shard that has lost its checksum gets it again.

    Raises:
        RecordError: If it is not the folder of a study, or in use.
        StoreError: If it cannot be written.
    """
    digest, count = str(read_definition(folder)["digest"]), stored_study(folder).shard_count
    try:
        with lock_folder(folder, _VERB), closing(_ShardSeals(folder)) as seals:
            return _sort_shards(folder, seals, digest=digest, count=count)[1]
    except OSError as fault:
        raise unwritable(folder, fault) from None


def _shard_path(folder: Path, number: int) -> Path:
    return folder / _SHARDS / f"{number:06d}{_SUFFIX}"


def _shard_files(folder: Path) -> list[Path]:
    """Return all files named like shards, in any case of letters, in order."""
    place = folder / _SHARDS
    files = place.iterdir() if place.is_dir() else ()
    return sorted(path for path in files if path.name.lower().endswith(_SUFFIX))


def _checked_files(
    files: Iterable[Path], seals: Mapping[int, str], count: int
) -> Iterator[tuple[Path, int, str]]:
    """Yield each file, its number, and why it is not a shard; empty if it is one."""
    for path in files:
        match = _NAME.fullmatch(path.name)
        number = int(match[1]) if match else -1
        if path.is_symlink() or not path.is_file():
            fault = "a link or not a file"
        elif not 0 <= number < count or path.name != f"{number:06d}{_SUFFIX}":
            fault = "not a shard of this study"
        elif number not in seals:
            fault = _UNLISTED
        else:
            fault = "" if _sha256(path) == seals[number] else "torn"
        yield path, number, fault


def _sort_shards(
    folder: Path, seals: "_ShardSeals", *, digest: str, count: int
) -> tuple[set[int], list[str]]:
    """Return the numbers of all whole shards, and a line for each file that was put aside."""
    numbers, notes = set[int](), list[str]()
    for path, number, fault_found in _checked_files(_shard_files(folder), seals.known, count):
        fault = fault_found
        if fault == _UNLISTED:
            try:
                metadata = read_metadata(path)
                own = (metadata.digest, metadata.number) == (digest, number)
                fault = "" if own else "of another study"
            except RecordError:
                fault = "torn"
            if not fault:
                seals.add(number, _sha256(path))
        if not fault:
            numbers.add(number)
            continue
        torn_folder = folder / _TORN
        make_folder(torn_folder)
        path.rename(_unused(torn_folder, path))
        again = " and is made again" if fault in {"torn", "of another study"} else ""
        notes.append(f"{path.name} is {fault}: it is put aside in {_TORN}/{again}")
    return numbers, notes


def _unused(aside: Path, path: Path) -> Path:
    """Return an unused name for a file, so that no file that was put aside is replaced."""
    names = (f"{path.stem}-{again}{path.suffix}" for again in range(2, 1_000_000))
    return next(aside / name for name in (path.name, *names) if not (aside / name).exists())


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedShard:
    """A shard that was checked and saved where it was made."""

    seal: str
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFolder:
    """The folder of a study, as workers on other machines may see it."""

    path: Path
    mark: str
    """Random word in it, which only those read who see this folder and no other of its name."""

    def made(self, job: Job, number: int) -> bytes | SavedShard:
        """Make a shard of a study, and save it there.

        Raises:
            StoreError: If the folder is in sight and cannot be written.
        """
        return self.saved(make_shard(job, number), job, number)

    def saved(self, parquet: bytes, job: Job, number: int) -> bytes | SavedShard:
        """Check and save the file of a shard; return its bytes if the folder is not in sight."""
        try:
            if (self.path / _MARK).read_text(encoding="ascii") != self.mark:
                return parquet
        except (OSError, ValueError):
            return parquet
        path = _shard_path(self.path, number)
        # Another worker may be saving the same shard: one that was taken for lost.
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            with replacing(path, part):
                part.write_bytes(parquet)
                counts = check_shard(part, number, plan_of(job))
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        return SavedShard(seal=hashlib.sha256(parquet).hexdigest(), counts=counts)


class Store(Folder):
    """The folder of one study, held by one process that adds shards to it."""

    def __init__(self, path: Path, plan: StudyPlan) -> None:
        _expect_utf8(path)
        self.plan = plan
        whole = {
            "made_of": plan.made_of,
            "digest": plan.digest,
            _VERB: plan.study.definition(),
            "columns": columns_of(plan.study),
        }
        super().__init__(path, verb=_VERB, own=_ENTRIES, whole=whole, beside=_SHARDS)

    def shard_file(self, number: int) -> Path:
        """Return the file of a shard."""
        return _shard_path(self.path, number)

    def shard_bytes(self, number: int) -> bytes:
        """Return the file of a finished shard."""
        return self.shard_file(number).read_bytes()

    def seal(self, number: int) -> str:
        """Return the SHA-256 of a finished shard."""
        return self._seals.known[number]

    def counts(self, numbers: Iterable[int]) -> dict[int, Counts]:
        """Return the counts of finished shards, by number."""
        numbers = list(numbers)
        counts = read_counts([self.shard_file(number) for number in numbers])
        return dict(zip(numbers, counts, strict=True))

    def share(self) -> SharedFolder:
        """Let workers on other machines save shards, where these see the folder.

        Raises:
            StoreError: If it cannot be written.
        """
        mark = secrets.token_hex(16)
        try:
            write_atomically(self.path / _MARK, mark.encode())
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        return SharedFolder(path=self.path.resolve(), mark=mark)

    def close(self) -> None:
        """Close the folder as others are closed; workers save nothing there any more."""
        with suppress(OSError):
            (self.path / _MARK).unlink()
        super().close()

    def add(self, number: int, shard: object) -> Counts:
        """Save a finished shard and return its counts.

        Args:
            number: Number of the shard.
            shard: Bytes of its file, which a worker may have got wrong; or a `SavedShard`, whose
                file has its seal compared whenever results are read.

        Raises:
            RecordError: If they are not that shard; nothing of it stays.
            StoreError: If it cannot be written; nothing of it stays, and all others do.
        """
        path = self.shard_file(number)
        if not isinstance(shard, bytes | SavedShard):
            raise torn(path, "not the bytes of a file")
        try:
            if isinstance(shard, SavedShard):
                counts = shard.counts
                self._seals.add(number, shard.seal)
            else:
                with replacing(path) as part:
                    part.write_bytes(shard)
                    counts = check_shard(part, number, self.plan)
                    self._seals.add(number, hashlib.sha256(shard).hexdigest())
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        self.finished.add(number)
        return counts

    def _read(self) -> dict[str, Any]:
        return read_definition(self.path)

    def _resume(self) -> None:
        for leftover in (self.path / _SHARDS).glob("*.tmp"):
            leftover.unlink()
            name = leftover.name.removesuffix(".tmp")
            self.notes.append(f"{name} was cut off while it was written: it is made again")
        self._seals = _ShardSeals(self.path)
        self._file = self._seals.file
        self.finished, notes = _sort_shards(
            self.path, self._seals, digest=self.digest, count=self.plan.study.shard_count
        )
        """Numbers of the finished shards."""
        self.notes += notes


class _ShardSeals:
    """The seals of shards: their checksums, in a file to which the holder of the lock adds."""

    def __init__(self, folder: Path) -> None:
        self.known, whole, text = _read_seals(folder)
        """Checksums by the number of the shard."""
        if whole != text:
            # Its last line was cut off, and belongs to no file yet.
            write_atomically(folder / _SUMS, whole.encode())
        self.file = AppendFile(folder / _SUMS)
        self.close = self.file.close

    def add(self, number: int, digest: str) -> None:
        """Save a checksum on the disk; nothing of it stays if that raises OSError."""
        if self.known.get(number) != digest:
            self.file.add(f"{number:06d} {digest}\n".encode())
            self.file.sync()
            self.known[number] = digest


def _read_seals(folder: Path) -> tuple[dict[int, str], str, str]:
    """Return the checksums by shard, the text of whole lines, and all of the file."""
    path = folder / _SUMS
    try:
        text = read_file(path, _SUMS_KIND).decode(errors="replace") if path.exists() else ""
    except SpecError as fault:
        raise fault.converted(RecordError) from None
    complete = text[: text.rfind("\n") + 1]
    rows = (_SUM.fullmatch(line) for line in complete.splitlines())
    return {int(row[1]): row[2] for row in rows if row}, complete, text


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def torn_fault(folder: Path, fault: object) -> RecordError:
    """Return the error for a shard of a folder that cannot be read."""
    why = " ".join(str(fault).split())[:200] or type(fault).__name__
    return RecordError(
        f"torn shard in {folder}: {why}", fix="run the study again, which remakes torn shards"
    )
