"""The folder of a tournament: what is played, and a line for each pair that has been.

`tournament.json` says what is played, `pairs.jsonl` has a line for each pair, in their order, each
sealed by a hash of all before it; `records/` has the matches, if they are kept. Killed at any
moment, whole lines stay, and the first line that is not whole ends what counts.
"""

import errno
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError, RecordError
from pigglesim.tournaments.pair import Pair
from pigglesim.tournaments.tournament import Tournament

if sys.platform != "win32":  # nothing keeps two processes apart there
    import fcntl

__all__ = ["Folder", "FolderError", "stored_tournament"]

_DEFINITION, _PAIRS, _TORN, _RECORDS, _LOCK = (
    "tournament.json", "pairs.jsonl", "pairs.torn", "records", "lock",
)  # fmt: skip
_OWN = {_DEFINITION, _DEFINITION + ".tmp", _PAIRS, _TORN, _RECORDS, _LOCK}
_SCHEMA = 1


class FolderError(PigglesimError):
    """The folder can no longer be written, say because the disk is full."""


def _read(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / _DEFINITION).read_text(encoding="utf-8"))
        whole = found["schema"] <= _SCHEMA and found["digest"] == _digest(found)
    except FileNotFoundError:
        raise RecordError(
            f"a folder that pigglesim tournament wrote, with {_DEFINITION}",
            got=f"{folder}, which has none" if folder.is_dir() else f"no folder {folder}",
            remedy="check the path, or name --agents",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise _unreadable(folder, f"{type(fault).__name__} {fault}") from None
    if not whole:
        raise _unreadable(folder, "edited, or written by a newer pigglesim")
    return found


def _unreadable(folder: Path, what: str) -> RecordError:
    return RecordError(
        f"a {_DEFINITION} that can be read", got=f"that of {folder}: {what}", remedy="another --out"
    )


def stored_tournament(folder: Path) -> tuple[Tournament, int]:
    """Return the tournament of a folder, and how many pairs of every two were last asked for.

    Raises:
        RecordError: If it is no folder of a tournament.
    """
    found = _read(folder)
    try:
        return Tournament.from_definition(found["tournament"]), int(found["pairs"])
    except (TypeError, ValueError, KeyError) as fault:
        raise _unreadable(folder, str(fault)) from None


def _digest(whole: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything that decides the results; the number of pairs does not."""
    deciding = {"tournament": whole["tournament"], "made_of": whole["made_of"]}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


class Folder:
    """The folder of one tournament, held by one process that adds pairs to it.

    Args:
        path: Made if there is none.
        tournament: What is played.
        made_of: What the results depend on beside it.
        pairs: How many of every two are asked for.

    Raises:
        RecordError: If the folder is of another tournament or in use.
        FolderError: If it cannot be written.
    """

    def __init__(
        self, path: Path, tournament: Tournament, made_of: Mapping[str, Any], *, pairs: int
    ) -> None:
        self.path = path
        self.tournament = tournament
        self.pairs: list[Pair] = []
        """Played, in order."""
        self.notes: list[str] = []
        """A line for what was found torn."""
        self._whole: dict[str, Any] = {
            "schema": _SCHEMA,
            "made_of": dict(made_of),
            "tournament": tournament.definition(),
            "pairs": pairs,
        }
        self._whole["digest"] = _digest(self._whole)
        self._seal = ""
        self._lock: TextIOWrapper | None = None
        self._file: FileIO | None = None
        try:
            self._open()
        except OSError as fault:
            self.close()
            raise self._unwritable(fault) from None
        except BaseException:
            self.close()
            raise

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the results."""
        return str(self._whole["digest"])

    def __enter__(self) -> "Folder":
        """Return the folder itself."""
        return self

    def __exit__(self, *fault: object) -> None:
        """Let others use the folder."""
        self.close()

    def close(self) -> None:
        """Have all be on the disk, and let others use the folder."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def add(self, pair: Pair) -> None:
        """Keep the pair that comes next.

        Raises:
            FolderError: If it cannot be written; all before it stay.
        """
        if pair.index != len(self.pairs) or self._file is None:
            raise ValueError(f"pair {pair.index} where {len(self.pairs)} comes next")
        line, seal = _sealed(pair.to_json(), self._seal)
        try:
            for number, record in enumerate(pair.records):
                name = f"{pair.index:06d}-{number}.jsonl"
                _replace(self.path / _RECORDS / name, record.encode())
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as fault:
            raise self._unwritable(fault) from None
        self._seal = seal
        self.pairs.append(pair)

    def _open(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise self._strange("a file")
        known = self.path / _DEFINITION
        if known.exists():
            self._compare(_read(self.path))
        elif self.path.is_dir():
            strange = sorted({path.name for path in self.path.iterdir()} - _OWN)
            if strange:
                raise self._strange(f"a folder with {strange[0]} and no {_DEFINITION}")
        (self.path / _RECORDS if self.tournament.records else self.path).mkdir(
            parents=True, exist_ok=True
        )
        self._take_lock()
        if known.exists():
            # Once more: another process may have made it meanwhile.
            self._compare(_read(self.path))
        text = json.dumps(self._whole, indent=1, ensure_ascii=False) + "\n"
        _replace(known, text.encode())
        self._read_pairs()
        self._file = (self.path / _PAIRS).open("ab", buffering=0)

    def _compare(self, found: dict[str, Any]) -> None:
        """Raise if the folder is of another tournament; say what differs."""
        if found["digest"] == self._whole["digest"]:
            return
        there: dict[str, Any] = {**found["tournament"], **found["made_of"]}
        asked = {**self.tournament.definition(), **self._whole["made_of"]}
        apart = [
            f"{key} {_short(there.get(key))} and not {_short(asked.get(key))}"
            for key in {**there, **asked}
            if there.get(key) != asked.get(key)
        ]
        raise RecordError(
            f"the same tournament in {self.path}",
            got=f"another: {'; '.join(apart)}",
            remedy="the same flags, or another --out",
        )

    def _take_lock(self) -> None:
        # It stays open as long as the folder is: closing it lets go.
        self._lock = (self.path / _LOCK).open("a+", encoding="utf-8")
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(
                f"a tournament that nobody else is running in {self.path}",
                got="another process at work there",
                remedy="wait for it, or another --out",
            ) from None

    def _read_pairs(self) -> None:
        """Read all whole lines, and put aside what comes after them."""
        path = self.path / _PAIRS
        data = path.read_bytes() if path.exists() else b""
        end = 0
        for line in data.splitlines(keepends=True):
            found = self._pair_of(line)
            if found is None:
                break
            pair, self._seal = found
            self.pairs.append(pair)
            end += len(line)
        if end < len(data):
            with (self.path / _TORN).open("ab") as torn:
                torn.write(data[end:])
            _replace(path, data[:end])
            self.notes.append(
                f"{_PAIRS} is torn after {len(self.pairs)} pairs: the rest is put aside in "
                f"{_TORN} and is played again"
            )

    def _pair_of(self, line: bytes) -> tuple[Pair, str] | None:
        """Return the pair of a line, if it is the next, with its seal."""
        try:
            table = json.loads(line)
            table.pop("sha256")
            whole, seal = _sealed(table, self._seal)
            pair = Pair.from_json(table)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        return (pair, seal) if whole == line and pair.index == len(self.pairs) else None

    def _strange(self, what: str) -> RecordError:
        return RecordError(
            "a new folder, or one that pigglesim tournament wrote",
            got=f"{self.path}, {what}",
            remedy="another --out",
        )

    def _unwritable(self, fault: OSError) -> FolderError:
        return FolderError(
            f"a folder {self.path} that can be written",
            got=fault.strerror or str(fault),
            remedy="make room or give another --out, then run the same command: it goes on",
        )


def _sealed(plain: Mapping[str, Any], before: str) -> tuple[bytes, str]:
    """Return a line and its seal."""
    content = json.dumps(plain, separators=(",", ":"), allow_nan=False)
    seal = hashlib.sha256(f"{before}\n{content}".encode()).hexdigest()
    return f'{content[:-1]},"sha256":"{seal}"}}\n'.encode(), seal


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(path.name + ".tmp")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
