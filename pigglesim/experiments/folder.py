"""Folders of experiments: one definition, one writing process, and results that survive a kill.

A definition file describes the experiment, with a digest of everything that decides the results; a
folder of another definition is refused. The items of a series are lines of a file, each sealed by
a hash of all before it. After a kill, all lines before the first torn one still count.
"""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import ConfigDict, TypeAdapter

from pigglesim.durable_io import (
    AppendFile,
    expect_no_links,
    make_folder,
    try_lock,
    write_atomically,
)
from pigglesim.errors import PigglesimError, RecordError
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.files import FileKind, read_file, read_json

LOCK = "lock"
_SCHEMA = 2
_LINES = FileKind(name="series", max_bytes=1 << 29)


class StoreError(PigglesimError):
    """The folder can no longer be written, for example because the disk is full."""

    exit_status = 1


class Folder(ABC):
    """A folder of one definition, held by one process that adds results to it.

    Args:
        path: Folder, made if there is none.
        verb: Verb that writes such folders; the definition file has its name.
        own: All names that such a folder may hold.
        whole: The definition under `verb`, versions and hashes under `made_of`, and the `digest` of
            both.
        beside: Folder within it that is made first.

    Raises:
        RecordError: If the folder is of another definition or in use.
        StoreError: If it cannot be written.
    """

    def __init__(
        self, path: Path, *, verb: str, own: set[str], whole: dict[str, Any], beside: str = ""
    ) -> None:
        self.path = path
        self.notes: list[str] = []
        """A line for each file that the last run left unfinished or torn."""
        self._verb, self._own, self._content, self._beside = verb, own, whole, beside
        self._lock: TextIOWrapper | None = None
        self._file: AppendFile | None = None
        try:
            self._open()
        except OSError as fault:
            self._unlock()
            raise unwritable(path, fault) from None
        except BaseException:
            self._unlock()
            raise

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the results."""
        return str(self._content["digest"])

    @property
    def made_of(self) -> dict[str, Any]:
        """Versions and digests that the results depend on."""
        made_of: dict[str, Any] = self._content["made_of"]
        return made_of

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Sync everything to the disk, and let other processes use the folder.

        Raises:
            StoreError: If the sync fails.
        """
        try:
            if self._file is not None:
                self._file.close()
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        finally:
            self._unlock()

    def _unlock(self) -> None:
        self._file = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @abstractmethod
    def _read(self) -> dict[str, Any]:
        """Return the checked definition in the folder."""

    @abstractmethod
    def _resume(self) -> None:
        """Read the files of the folder, and put aside those that are not whole."""

    def _open(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise self._foreign_folder("is a file")
        expect_no_links(self.path, self._own)
        definition_file = self.path / f"{self._verb}.json"
        if definition_file.exists():
            self._compare(self._read())
        elif self.path.is_dir():
            foreign = sorted({path.name for path in self.path.iterdir()} - self._own)
            if foreign:
                raise self._foreign_folder(f"holds {foreign[0]} and no {definition_file.name}")
        make_folder(self.path / self._beside)
        self._lock = lock_folder(self.path, self._verb)
        # Read it again: another process may have made it meanwhile.
        stored = self._read() if definition_file.exists() else None
        if stored is not None:
            self._compare(stored)
        if stored != self._content:
            text = json.dumps(self._content, indent=1, ensure_ascii=False) + "\n"
            write_atomically(definition_file, text.encode())
        self._resume()

    def _compare(self, stored: dict[str, Any]) -> None:
        """Raise if the folder is of another definition; name the differences."""
        if stored["digest"] == self.digest:
            return
        named = {**self._content["made_of"], **self._content[self._verb]}
        for part in (self._verb, "made_of"):
            why = "; ".join(differences(stored[part], self._content[part], named))
            if why:
                break
        raise RecordError(
            f"{self.path} holds another {self._verb}: {why or 'its digest differs'}",
            fix="use the same flags and files, or another --out",
        )

    def _foreign_folder(self, why: str) -> RecordError:
        return RecordError(
            f"{self.path} {why}",
            expected=f"a new folder, or one that pigglesim {self._verb} wrote",
            fix="use another --out",
        )


def expect_definition(folder: Path, verb: str, own: set[str], *, fix: str = "") -> Path:
    """Return the path of the definition file in a folder without links.

    Raises:
        RecordError: If there is none, or a link in the folder.
    """
    expect_no_links(folder, own)
    path = folder / f"{verb}.json"
    if not path.exists():
        raise RecordError(
            f"no {path.name} in {folder}" if folder.is_dir() else f"no folder {folder}",
            expected=f"a folder that pigglesim {verb} wrote",
            fix=fix or "check the path",
        )
    return path


def lock_folder(folder: Path, verb: str) -> TextIOWrapper:
    """Return the lock of a folder, which this process holds until it is closed.

    Raises:
        RecordError: If another process holds it.
        OSError: If it cannot be written.
    """
    lock = (folder / LOCK).open("a+", encoding="utf-8")
    if try_lock(lock):
        return lock
    lock.close()
    raise RecordError(
        f"another process is running a {verb} in {folder}", fix="wait for it, or use another --out"
    )


def unwritable(folder: Path, fault: OSError) -> StoreError:
    """Return the error for a folder that cannot be written."""
    return StoreError(
        f"cannot write {folder}: {fault.strerror or fault}",
        fix="make room and repeat the command to resume, or use another --out",
    )


_DIGEST, _OF_FILE = re.compile("[0-9a-f]{64}"), "_sha256"


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], named: Mapping[str, Any], within: str = ""
) -> Iterator[str]:
    """Yield each difference of two tables; a digest is shown by the name of its file.

    `named` holds the name or file of a thing, such as `scene`, whose digest is `scene_sha256`.
    """
    for key in {**before, **now}:
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, named, f"{within}{key} ")
        elif all(isinstance(each, str) and _DIGEST.fullmatch(each) for each in (old, new)):
            what = key.removesuffix(_OF_FILE)
            name = f" {named[what]}" if what != key and isinstance(named.get(what), str) else ""
            yield f"{within}{what}{name} has changed"
        else:
            yield f"{within}{key} {_short_json(old)} and not {_short_json(new)}"


def _short_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


class SeriesItem(Protocol):
    """One played item of a series: a dataclass with a pydantic configuration."""

    @property
    def index(self) -> int:
        """Number in the series, from 0."""


I = TypeVar("I", bound=SeriesItem)  # noqa: E741 (an item)
D = TypeVar("D")
EXACT = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)
"""Configuration of items: values are not coerced, and unknown keys are refused."""


def plain_fields(definition: object) -> dict[str, Any]:
    """Return the entries of a mapping, or the fields of a dataclass, as JSON stores them."""
    fields = asdict(definition) if is_dataclass(definition) else definition  # type: ignore[arg-type]
    plain: dict[str, Any] = json.loads(json.dumps(fields))
    return plain


@dataclass(frozen=True, kw_only=True)
class SeriesKind(Generic[D, I]):
    """Contents of the folder of a series, and their names."""

    series: str
    """Verb that plays it, such as `"tournament"`."""
    items: str
    """Noun for its items, such as `"pairs"`."""
    definition: Callable[..., D]
    """Class of the definition, called with the plain values of its fields."""
    item: type[I]
    """Dataclass of an item; fields that are not default are saved in its line."""
    check: Callable[[I], None] = lambda item: None
    """Function that raises ValueError for an item of another series."""
    files: Callable[[I], Mapping[str, str]] = lambda item: {}
    """Function that returns extra files of an item, as texts by path in the folder."""
    digests: Callable[[I], Mapping[str, str]] = lambda item: {}
    """Function that returns the SHA-256 of each of these files, as the item stores it."""
    beside: str = ""
    """Folder for these texts."""
    made: frozenset[str] = frozenset()
    """Names of files that are made from the items later."""
    flag: str = ""
    """Flag that may be given in place of a folder that does not exist."""

    @property
    def lines(self) -> str:
        """Name of the file of all items."""
        return f"{self.items}.jsonl"

    @property
    def torn(self) -> str:
        """Name of the file of torn lines."""
        return f"{self.items}.torn"

    @property
    def own(self) -> set[str]:
        """All names that such a folder may hold."""
        files = {f"{self.series}.json", self.lines}
        names = files | {f"{name}.tmp" for name in files} | {self.torn, LOCK, *self.made}
        return names | ({self.beside} if self.beside else set())

    @cached_property
    def adapter(self) -> "TypeAdapter[I]":
        """Reads and writes an item as JSON, exactly."""
        return TypeAdapter(self.item)

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the content of the definition file of a folder.

        Raises:
            RecordError: If there is none, or it was edited.
        """
        fix = f"check the path, or use {self.flag}" if self.flag else "check the path"
        path = expect_definition(folder, self.series, self.own, fix=fix)
        try:
            content: dict[str, Any] = read_json(path, FileKind(name=f"{self.series} definition"))
            valid = content["schema"] == _SCHEMA and content["digest"] == self.digest(content)
            valid = valid and type(content[self.items]) is int
        except (PigglesimError, KeyError, TypeError) as fault:
            raise self._unreadable(folder, f"{type(fault).__name__} {fault}") from None
        if not valid:
            raise self._unreadable(folder, "edited, or written by another version of pigglesim")
        return content

    def stored(self, folder: Path) -> tuple[D, int]:
        """Return the definition of a folder, and the number of items last asked for.

        Raises:
            RecordError: If it is not such a folder.
        """
        content = self.read(folder)
        try:
            return self.definition(**content[self.series]), content[self.items]
        except (TypeError, ValueError, AttributeError) as fault:
            raise self._unreadable(folder, str(fault)) from None

    def digest(self, whole: Mapping[str, Any]) -> str:
        """Return the SHA-256 of everything that decides the results, without their number."""
        deciding = {self.series: whole[self.series], "made_of": whole["made_of"]}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()

    def stored_items(self, folder: Path) -> list[I]:
        """Return all whole items of a folder, without changing it.

        Raises:
            RecordError: If it is not such a folder.
        """
        self.read(folder)
        return self.whole_items(self.bytes_in(folder))[0]

    def bytes_in(self, folder: Path) -> bytes:
        """Return the file of items; empty if there is none."""
        path = folder / self.lines
        return read_file(path, _LINES) if path.exists() else b""

    def whole_items(self, data: bytes) -> tuple[list[I], str, int]:
        """Return the items of whole lines, the last one's seal, and the length of these lines."""
        items: list[I] = []
        seal, end = "", 0
        for line in data.splitlines(keepends=True):
            content = line[: -len(_SEAL.format("")) - 64] + b"}"
            whole, next_seal = sealed_line(content, seal)
            if whole != line:
                break
            try:
                item = self.adapter.validate_json(content)
                self.check(item)
            except ValueError:
                break
            if item.index != len(items):
                break
            items.append(item)
            seal, end = next_seal, end + len(line)
        return items, seal, end

    def _unreadable(self, folder: Path, why: str) -> RecordError:
        return RecordError(
            f"invalid {self.series}.json in {folder}: {why}", fix="use another --out"
        )


def _holds(path: Path, digest: str) -> bool:
    """Return whether a file is there, and has a SHA-256."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


_SEAL = ',"sha256":"{}"}}\n'


def sealed_line(content: bytes, before: str) -> tuple[bytes, str]:
    """Return a line with a JSON object, and its seal, from the seal of the line before it."""
    seal = hashlib.sha256(before.encode() + b"\n" + content).hexdigest()
    return content[:-1] + _SEAL.format(seal).encode(), seal


class SeriesFolder(Folder, Generic[D, I]):
    """The folder of one series, held by one process that adds items to it.

    The plain fields of the definition are stored, and `made_of`: versions and hashes that the
    results depend on.
    """

    def __init__(
        self,
        path: Path,
        kind: SeriesKind[D, I],
        definition: D,
        made_of: Mapping[str, Any],
        *,
        wanted: int,
    ) -> None:
        self.kind, self.definition = kind, definition
        self.items: list[I] = []
        """Finished items, in order."""
        self._seal = ""
        whole: dict[str, Any] = {
            "schema": _SCHEMA,
            "made_of": dict(made_of),
            kind.series: plain_fields(definition),
            kind.items: wanted,
        }
        whole["digest"] = kind.digest(whole)
        super().__init__(path, verb=kind.series, own=kind.own, whole=whole, beside=kind.beside)

    def add(self, item: I) -> None:
        """Save the next item.

        Raises:
            StoreError: If it cannot be written; all before it stay.
        """
        if item.index != len(self.items) or self._file is None:
            raise ValueError(f"item {item.index} where {len(self.items)} comes next")
        content = self.kind.adapter.dump_json(item, exclude_defaults=True)
        line, seal = sealed_line(content, self._seal)
        try:
            self._write_files(item)
            self._file.add(line)
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        self._seal = seal
        self.items.append(item)

    def _write_files(self, item: I) -> None:
        for name, text in self.kind.files(item).items():
            write_atomically(self.path / name, text.encode())

    def play(
        self,
        prepare: Callable[[], Callable[[int], I]],
        *,
        wanted: int,
        workers: int = 1,
        watch: Callable[[Self], None] = lambda folder: None,
    ) -> None:
        """Play every missing item, and every one again of which an extra file is damaged.

        Results come in the order of the series: the number of processes changes nothing but the
        time. Items that are unfinished at a stop are lost; all before them stay.

        Args:
            prepare: Function called once in each process; returns the function that plays an item
                by its index. With more than one worker it and the items must pickle.
            wanted: Number of items in the end.
            workers: Number of processes; 1 does all the work in this process.
            watch: Function called after each item.
        """
        missing = [*self._damaged, *range(len(self.items), wanted)]
        if not missing:
            return
        with closing(map_in_order(prepare, missing, workers=min(workers, len(missing)))) as played:
            for item in played:
                if item.index in self._damaged:
                    self._write_files(item)
                    self._damaged.remove(item.index)
                else:
                    self.add(item)
                watch(self)

    def _read(self) -> dict[str, Any]:
        return self.kind.read(self.path)

    def _resume(self) -> None:
        kind, data = self.kind, self.kind.bytes_in(self.path)
        self.items, self._seal, end = kind.whole_items(data)
        if end < len(data):
            with closing(AppendFile(self.path / kind.torn)) as torn:
                torn.add(data[end:])
            write_atomically(self.path / kind.lines, data[:end])
            self.notes.append(
                f"{kind.lines} is torn after {len(self.items)} {kind.items}: the rest is put "
                f"aside in {kind.torn} and is made again"
            )
        self._file = AppendFile(self.path / kind.lines)
        damaged = [
            (item.index, name)
            for item in self.items
            for name, digest in kind.digests(item).items()
            if not _holds(self.path / name, digest)
        ]
        self.notes += [f"{name} is missing or damaged, and is made again" for _, name in damaged]
        self._damaged = sorted({index for index, _ in damaged})
