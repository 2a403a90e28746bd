"""Folders of experiments: one definition, held by one process at a time, whose results stay.

A definition file says what is thrown or played, with a digest of everything that decides the
results; a folder of another definition is refused. The items of a series are lines of a file, each
sealed by a hash of all before it. Killed at any moment, whole lines stay, and the first line that
is not whole ends what counts.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
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
_LINES = FileKind(name="series", most_bytes=1 << 29)


class StoreError(PigglesimError):
    """The folder can no longer be written, for example because the disk is full."""

    exit_status = 1


class Folder(ABC):
    """A folder of one definition, held by one process that adds results to it.

    Args:
        path: Made if there is none.
        verb: The verb that writes such folders; the definition file has its name.
        own: All names that such a folder may hold.
        whole: The definition under `verb`, what else decides the results under `made_of`, and the
            `digest` of both.
        beside: A folder within it that is made first.

    Raises:
        RecordError: If the folder is of another definition or in use.
        StoreError: If it cannot be written.
    """

    def __init__(
        self, path: Path, *, verb: str, own: set[str], whole: dict[str, Any], beside: str = ""
    ) -> None:
        self.path = path
        self.notes: list[str] = []
        """A line for each thing that the last run left unfinished or torn."""
        self._verb, self._own, self._whole, self._beside = verb, own, whole, beside
        self._lock: TextIOWrapper | None = None
        self._file: AppendFile | None = None
        try:
            self._open()
        except OSError as fault:
            self._let_go()
            raise unwritable(path, fault) from None
        except BaseException:
            self._let_go()
            raise

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the results."""
        return str(self._whole["digest"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Have everything be on the disk, and let others use the folder.

        Raises:
            StoreError: If the disk does not take the last of it.
        """
        try:
            if self._file is not None:
                self._file.close()
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._file = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @abstractmethod
    def _read(self) -> dict[str, Any]:
        """Return the definition that the folder holds, checked."""

    @abstractmethod
    def _resume(self) -> None:
        """Read the files of the folder, and put aside those that are not whole."""

    def _open(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise self._strange("a file")
        expect_no_links(self.path, self._own)
        known = self.path / f"{self._verb}.json"
        if known.exists():
            self._compare(self._read())
        elif self.path.is_dir():
            strange = sorted({path.name for path in self.path.iterdir()} - self._own)
            if strange:
                raise self._strange(f"a folder with {strange[0]} and no {known.name}")
        make_folder(self.path / self._beside)
        self._lock = _taken_lock(self.path, self._verb)
        # Once more: another process may have made it meanwhile.
        found = self._read() if known.exists() else None
        if found is not None:
            self._compare(found)
        if found != self._whole:
            text = json.dumps(self._whole, indent=1, ensure_ascii=False) + "\n"
            write_atomically(known, text.encode())
        self._resume()

    def _compare(self, found: dict[str, Any]) -> None:
        """Raise if the folder is of another definition; name the differences."""
        if found["digest"] == self.digest:
            return
        there, asked = ({**each[self._verb], **each["made_of"]} for each in (found, self._whole))
        apart = [
            f"{key} {_short(there.get(key))} and not {_short(asked.get(key))}"
            for key in {**there, **asked}
            if there.get(key) != asked.get(key)
        ]
        raise RecordError(
            f"another: {'; '.join(apart) or 'its digest differs'}",
            expected=f"the same {self._verb} in {self.path}",
            fix="the same flags, or another --out",
        )

    def _strange(self, what: str) -> RecordError:
        return RecordError(
            f"{self.path}, {what}",
            expected=f"a new folder, or one that pigglesim {self._verb} wrote",
            fix="another --out",
        )


def expect_definition(folder: Path, verb: str, own: set[str], *, fix: str = "") -> Path:
    """Return the definition file of a folder that is there, without links in it.

    Raises:
        RecordError: If there is none, or a link in the folder.
    """
    expect_no_links(folder, own)
    path = folder / f"{verb}.json"
    if not path.exists():
        raise RecordError(
            f"{folder}, which has none" if folder.is_dir() else f"no folder {folder}",
            expected=f"a folder that pigglesim {verb} wrote, with {path.name}",
            fix=fix or "check the path, or another --out",
        )
    return path


@contextmanager
def locked(folder: Path, verb: str) -> Iterator[None]:
    """Hold a folder that no other process holds.

    Raises:
        RecordError: If another process holds it.
        StoreError: If it cannot be written.
    """
    try:
        with _taken_lock(folder, verb):
            yield
    except OSError as fault:
        raise unwritable(folder, fault) from None


def _taken_lock(folder: Path, verb: str) -> TextIOWrapper:
    """Return the lock of a folder, in this process's hands until it is closed."""
    lock = (folder / LOCK).open("a+", encoding="utf-8")
    if try_lock(lock):
        return lock
    lock.close()
    raise RecordError(
        "another process at work there",
        expected=f"a {verb} that nobody else is running in {folder}",
        fix="wait for it, or another --out",
    )


def unwritable(folder: Path, fault: OSError) -> StoreError:
    """Return the error for a folder that the system does not write."""
    return StoreError(
        fault.strerror or str(fault),
        expected=f"a folder {folder} that can be written",
        fix="make room or give another --out, then run the same command: it goes on",
    )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


class SeriesItem(Protocol):
    """One played item of a series: a dataclass with a pydantic configuration."""

    @property
    def index(self) -> int:
        """Its place in the series."""


I = TypeVar("I", bound=SeriesItem)  # noqa: E741 (an item)
D = TypeVar("D")
EXACT = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)
"""Configuration of items: nothing is coerced, and nothing unknown is taken."""


def plain_fields(definition: object) -> dict[str, Any]:
    """Return the entries of a mapping, or the fields of a dataclass, as JSON stores them."""
    fields = asdict(definition) if is_dataclass(definition) else definition  # type: ignore[arg-type]
    found: dict[str, Any] = json.loads(json.dumps(fields))
    return found


@dataclass(frozen=True, kw_only=True)
class SeriesKind(Generic[D, I]):
    """Contents of the folder of a series, and what they are called."""

    series: str
    """The verb that plays it, such as `"tournament"`."""
    items: str
    """The noun for its items, such as `"pairs"`."""
    definition: Callable[..., D]
    """Dataclass of what is played, which takes the plain values of its fields."""
    item: type[I]
    """Dataclass of an item; all but its defaults is saved in its line."""
    check: Callable[[I], None] = lambda item: None
    """Raises ValueError for an item that is not of this very series."""
    files: Callable[[I], Mapping[str, str]] = lambda item: {}
    """Returns texts that an item saves beside its line, by their path in the folder."""
    beside: str = ""
    """A folder for these."""
    made: frozenset[str] = frozenset()
    """Names of what is made of the items later."""
    flag: str = ""
    """A flag that a person could give in place of a folder that is not there."""

    @property
    def lines(self) -> str:
        """The file of all items."""
        return f"{self.items}.jsonl"

    @property
    def torn(self) -> str:
        """The file of what was found torn."""
        return f"{self.items}.torn"

    @property
    def own(self) -> set[str]:
        """Every name that such a folder may hold."""
        files = {f"{self.series}.json", self.lines}
        names = files | {f"{name}.tmp" for name in files} | {self.torn, LOCK, *self.made}
        return names | ({self.beside} if self.beside else set())

    @cached_property
    def adapter(self) -> "TypeAdapter[I]":
        """Reads and writes an item as JSON, exactly."""
        return TypeAdapter(self.item)

    def read(self, folder: Path) -> dict[str, Any]:
        """Return what the definition file of a folder holds.

        Raises:
            RecordError: If there is none, or it was not written as it is.
        """
        fix = f"check the path, or name {self.flag}" if self.flag else "check the path"
        path = expect_definition(folder, self.series, self.own, fix=fix)
        try:
            found: dict[str, Any] = read_json(path, FileKind(name=f"{self.series} definition"))
            whole = found["schema"] == _SCHEMA and found["digest"] == self.digest(found)
            whole = whole and type(found[self.items]) is int
        except (PigglesimError, KeyError, TypeError) as fault:
            raise self._unreadable(folder, f"{type(fault).__name__} {fault}") from None
        if not whole:
            raise self._unreadable(folder, "edited, or written by another pigglesim")
        return found

    def stored(self, folder: Path) -> tuple[D, int]:
        """Return what a folder says is played, and how many items were last asked for.

        Raises:
            RecordError: If it is not such a folder.
        """
        found = self.read(folder)
        try:
            return self.definition(**found[self.series]), found[self.items]
        except (TypeError, ValueError, AttributeError) as fault:
            raise self._unreadable(folder, str(fault)) from None

    def digest(self, whole: Mapping[str, Any]) -> str:
        """Return the SHA-256 of everything that decides the results, not how many are wanted."""
        deciding = {self.series: whole[self.series], "made_of": whole["made_of"]}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()

    def stored_items(self, folder: Path) -> list[I]:
        """Return all whole items of a folder; nothing in it is changed.

        Raises:
            RecordError: If it is not such a folder.
        """
        self.read(folder)
        return self.whole_items(self.bytes_in(folder))[0]

    def bytes_in(self, folder: Path) -> bytes:
        """Return the file of items; nothing where there is none."""
        path = folder / self.lines
        return read_file(path, _LINES) if path.exists() else b""

    def whole_items(self, data: bytes) -> tuple[list[I], str, int]:
        """Return the items of whole lines, the last one's seal, and how many bytes they are."""
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

    def _unreadable(self, folder: Path, what: str) -> RecordError:
        return RecordError(
            f"that of {folder}: {what}",
            expected=f"a {self.series}.json that can be read",
            fix="another --out",
        )


_SEAL = ',"sha256":"{}"}}\n'


def sealed_line(content: bytes, before: str) -> tuple[bytes, str]:
    """Return a line and its seal.

    `content` is a JSON object of at least one key; `before` is the seal of the line before it,
    empty for the first.
    """
    seal = hashlib.sha256(before.encode() + b"\n" + content).hexdigest()
    return content[:-1] + _SEAL.format(seal).encode(), seal


class SeriesFolder(Folder, Generic[D, I]):
    """The folder of one series, held by one process that adds items to it.

    Args:
        path: Made if there is none.
        kind: Kind of its items.
        definition: Definition of the series; its plain fields are stored.
        made_of: Versions and hashes that the results depend on.
        wanted: How many items are asked for.

    Raises:
        RecordError: If the folder is of another series or in use.
        StoreError: If it cannot be written.
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
        """Played, in order."""
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
        """Save the item that comes next.

        Raises:
            StoreError: If it cannot be written; all before it stay.
        """
        if item.index != len(self.items) or self._file is None:
            raise ValueError(f"item {item.index} where {len(self.items)} comes next")
        content = self.kind.adapter.dump_json(item, exclude_defaults=True)
        line, seal = sealed_line(content, self._seal)
        try:
            for name, text in self.kind.files(item).items():
                write_atomically(self.path / name, text.encode())
            self._file.add(line)
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        self._seal = seal
        self.items.append(item)

    def play(
        self,
        prepare: Callable[[], Callable[[int], I]],
        *,
        wanted: int,
        workers: int = 1,
        watch: Callable[[Self], None] = lambda folder: None,
    ) -> None:
        """Play every item that is missing.

        Results come in the order of the series: how many processes share the work changes nothing
        but the time. What another process was at when it is stopped is lost; what came before
        stays.

        Args:
            prepare: Called once in each process; returns what plays an item by its index. With
                more than one worker it and the items must pickle.
            wanted: How many items there shall be.
            workers: Processes; with one all is done in this process.
            watch: Called after each item.
        """
        left = range(len(self.items), wanted)
        if not left:
            return
        with closing(map_in_order(prepare, left, workers=min(workers, len(left)))) as played:
            for item in played:
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
                f"aside in {kind.torn} and is played again"
            )
        self._file = AppendFile(self.path / kind.lines)
