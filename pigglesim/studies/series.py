"""The folder of a series: what is played, and a line for each item that has been.

A definition file says what is played; a file of lines has one for each item, in their order, each
sealed by a hash of all before it. Killed at any moment, whole lines stay, and the first line that
is not whole ends what counts.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from pigglesim.durable_io import Growing, expect_no_links, make_folder, take, write_whole
from pigglesim.errors import PigglesimError, RecordError
from pigglesim.files import FileKind, read_file, read_json
from pigglesim.studies.worker_pool import map_in_order

_LOCK = "lock"
_SCHEMA = 1
_LINES = FileKind(name="series", most_bytes=1 << 29)


class SeriesItem(Protocol):
    """One thing of a series that has been played."""

    @property
    def index(self) -> int:
        """Its place in the series."""

    def to_json(self) -> dict[str, Any]:
        """Return what is kept of it in its line, as plain values."""

    def files(self) -> Mapping[str, str]:
        """Return texts that are kept beside the lines, by their path in the folder."""


I = TypeVar("I", bound=SeriesItem)  # noqa: E741 (an item)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesKind(Generic[I]):
    """What a folder holds, and what that is called."""

    series: str
    """What is played, such as `"tournament"`; the verb has its name."""
    items: str
    """What it consists of, such as `"pairs"`."""
    read: Callable[[Mapping[str, Any]], I]
    """Makes an item from what its `to_json` gave; raises ValueError, KeyError or TypeError."""
    beside: str | None = None
    """A folder for what items keep beside their lines."""
    made: frozenset[str] = frozenset()
    """Names of what is made of the items later."""
    flag: str = ""
    """What a person could give in place of a folder that is not there."""

    @property
    def definition(self) -> str:
        """The file that says what is played."""
        return f"{self.series}.json"

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
        names = {self.definition, f"{self.definition}.tmp", self.lines, f"{self.lines}.tmp"}
        return names | {self.torn, _LOCK} | self.made | ({self.beside} if self.beside else set())


class FolderError(PigglesimError):
    """The folder can no longer be written, say because the disk is full."""


def _read(folder: Path, kind: SeriesKind[Any]) -> dict[str, Any]:
    expect_no_links(folder, kind.own)
    path = folder / kind.definition
    if not path.exists():
        raise RecordError(
            f"a folder that pigglesim {kind.series} wrote, with {kind.definition}",
            got=f"{folder}, which has none" if folder.is_dir() else f"no folder {folder}",
            remedy=f"check the path{kind.flag and f', or name {kind.flag}'}",
        )
    try:
        found: dict[str, Any] = read_json(path, FileKind(name=f"{kind.series} definition"))
        whole = found["schema"] <= _SCHEMA and found["digest"] == _digest(found, kind)
    except (PigglesimError, KeyError, TypeError) as fault:
        raise _unreadable(folder, kind, f"{type(fault).__name__} {fault}") from None
    if not whole:
        raise _unreadable(folder, kind, "edited, or written by a newer pigglesim")
    return found


def _unreadable(folder: Path, kind: SeriesKind[Any], what: str) -> RecordError:
    return RecordError(
        f"a {kind.definition} that can be read",
        got=f"that of {folder}: {what}",
        remedy="another --out",
    )


def stored_definition(folder: Path, kind: SeriesKind[Any]) -> tuple[dict[str, Any], int]:
    """Return what a folder says is played, and how many items were last asked for.

    Raises:
        RecordError: If it is no such folder.
    """
    found = _read(folder, kind)
    try:
        return dict(found[kind.series]), int(found[kind.items])
    except (TypeError, ValueError, KeyError, OverflowError) as fault:
        raise _unreadable(folder, kind, str(fault)) from None


def _digest(whole: Mapping[str, Any], kind: SeriesKind[Any]) -> str:
    """Return the SHA-256 of everything that decides the results; how many are wanted does not."""
    deciding = {kind.series: whole[kind.series], "made_of": whole["made_of"]}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


class SeriesFolder(Generic[I]):
    """The folder of one series, held by one process that adds items to it.

    Args:
        path: Made if there is none.
        kind: What it holds.
        definition: What is played, as plain values.
        made_of: What the results depend on beside it.
        wanted: How many are asked for.

    Raises:
        RecordError: If the folder is of another series or in use.
        FolderError: If it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        kind: SeriesKind[I],
        definition: Mapping[str, Any],
        made_of: Mapping[str, Any],
        *,
        wanted: int,
    ) -> None:
        self.path = path
        self.kind = kind
        self.items: list[I] = []
        """Played, in order."""
        self.notes: list[str] = []
        """A line for what was found torn."""
        self._whole: dict[str, Any] = {
            "schema": _SCHEMA,
            "made_of": dict(made_of),
            kind.series: dict(definition),
            kind.items: wanted,
        }
        self._whole["digest"] = _digest(self._whole, kind)
        self._seal = ""
        self._lock: TextIOWrapper | None = None
        self._file: Growing | None = None
        try:
            self._open()
        except OSError as fault:
            self._let_go()
            raise self._unwritable(fault) from None
        except BaseException:
            self._let_go()
            raise

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the results."""
        return str(self._whole["digest"])

    def __enter__(self) -> Self:
        """Return the folder itself."""
        return self

    def __exit__(self, *fault: object) -> None:
        """Let others use the folder."""
        self.close()

    def close(self) -> None:
        """Have all be on the disk, and let others use the folder.

        Raises:
            FolderError: If the disk does not take the last of it.
        """
        try:
            if self._file is not None:
                self._file.close()
        except OSError as fault:
            raise self._unwritable(fault) from None
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._file = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def add(self, item: I) -> None:
        """Keep the item that comes next.

        Raises:
            FolderError: If it cannot be written; all before it stay.
        """
        if item.index != len(self.items) or self._file is None:
            raise ValueError(f"item {item.index} where {len(self.items)} comes next")
        line, seal = sealed_line(item.to_json(), self._seal)
        try:
            for name, text in item.files().items():
                write_whole(self.path / name, text.encode())
            self._file.add(line)
        except OSError as fault:
            raise self._unwritable(fault) from None
        self._seal = seal
        self.items.append(item)

    def _open(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise self._strange("a file")
        expect_no_links(self.path, self.kind.own)
        known = self.path / self.kind.definition
        if known.exists():
            self._compare(_read(self.path, self.kind))
        elif self.path.is_dir():
            strange = sorted({path.name for path in self.path.iterdir()} - self.kind.own)
            if strange:
                raise self._strange(f"a folder with {strange[0]} and no {self.kind.definition}")
        make_folder(self.path / (self.kind.beside or ""))
        self._take_lock()
        if known.exists():
            # Once more: another process may have made it meanwhile.
            self._compare(_read(self.path, self.kind))
        text = json.dumps(self._whole, indent=1, ensure_ascii=False) + "\n"
        write_whole(known, text.encode())
        self._read_items()
        self._file = Growing(self.path / self.kind.lines)

    def _compare(self, found: dict[str, Any]) -> None:
        """Raise if the folder is of another series; say what differs."""
        if found["digest"] == self._whole["digest"]:
            return
        there: dict[str, Any] = {**found[self.kind.series], **found["made_of"]}
        asked = {**self._whole[self.kind.series], **self._whole["made_of"]}
        apart = [
            f"{key} {_short(there.get(key))} and not {_short(asked.get(key))}"
            for key in {**there, **asked}
            if there.get(key) != asked.get(key)
        ]
        raise RecordError(
            f"the same {self.kind.series} in {self.path}",
            got=f"another: {'; '.join(apart)}",
            remedy="the same flags, or another --out",
        )

    def _take_lock(self) -> None:
        # It stays open as long as the folder is: closing it lets go.
        self._lock = (self.path / _LOCK).open("a+", encoding="utf-8")
        if not take(self._lock):
            raise RecordError(
                f"a {self.kind.series} that nobody else is running in {self.path}",
                got="another process at work there",
                remedy="wait for it, or another --out",
            )

    def _read_items(self) -> None:
        """Read all whole lines, and put aside what comes after them."""
        path = self.path / self.kind.lines
        data = _lines(path)
        self.items, self._seal, end = _whole_items(data, self.kind)
        if end < len(data):
            with closing(Growing(self.path / self.kind.torn)) as torn:
                torn.add(data[end:])
            write_whole(path, data[:end])
            kind = self.kind
            self.notes.append(
                f"{kind.lines} is torn after {len(self.items)} {kind.items}: the rest is put "
                f"aside in {kind.torn} and is played again"
            )

    def _strange(self, what: str) -> RecordError:
        return RecordError(
            f"a new folder, or one that pigglesim {self.kind.series} wrote",
            got=f"{self.path}, {what}",
            remedy="another --out",
        )

    def _unwritable(self, fault: OSError) -> FolderError:
        return FolderError(
            f"a folder {self.path} that can be written",
            got=fault.strerror or str(fault),
            remedy="make room or give another --out, then run the same command: it goes on",
        )


def stored_items(folder: Path, kind: SeriesKind[I]) -> list[I]:
    """Return all whole items of a folder; nothing of it is changed.

    Raises:
        RecordError: If it is no such folder.
    """
    _read(folder, kind)
    path = folder / kind.lines
    return _whole_items(_lines(path), kind)[0]


def _lines(path: Path) -> bytes:
    """Return what the file of items holds; nothing where there is none."""
    return read_file(path, _LINES) if path.exists() else b""


def _whole_items(data: bytes, kind: SeriesKind[I]) -> tuple[list[I], str, int]:
    """Return the items of whole lines, the last one's seal, and how many bytes they are."""
    items: list[I] = []
    seal, end = "", 0
    for line in data.splitlines(keepends=True):
        try:
            table = json.loads(line)
            table.pop("sha256")
            whole, next_seal = sealed_line(table, seal)
            item = kind.read(table)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            break
        if whole != line or item.index != len(items):
            break
        items.append(item)
        seal, end = next_seal, end + len(line)
    return items, seal, end


def sealed_line(plain: Mapping[str, Any], before: str) -> tuple[bytes, str]:
    """Return a line and its seal.

    Args:
        plain: What the line holds.
        before: The seal of the line before it; empty for the first.
    """
    content = json.dumps(plain, separators=(",", ":"), allow_nan=False)
    seal = hashlib.sha256(f"{before}\n{content}".encode()).hexdigest()
    return f'{content[:-1]},"sha256":"{seal}"}}\n'.encode(), seal


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def run(
    folder: SeriesFolder[I],
    prepare: Callable[[], Callable[[int], I]],
    *,
    wanted: int,
    workers: int = 1,
    watch: Callable[[SeriesFolder[I]], None] = lambda folder: None,
) -> None:
    """Play every item that is missing.

    Results come in the order of the series: how many processes share the work changes nothing but
    the time. What another process was at when it is stopped is lost; what came before stays.

    Args:
        folder: Of the series.
        prepare: Called once in each process; returns what plays an item by its index. With more
            than one worker it and the items must pickle.
        wanted: How many items there shall be.
        workers: Processes; with one all is done in this process.
        watch: Called after each item.
    """
    left = range(len(folder.items), wanted)
    if not left:
        return
    with closing(map_in_order(prepare, left, workers=min(workers, len(left)))) as played:
        for item in played:
            folder.add(item)
            watch(folder)
