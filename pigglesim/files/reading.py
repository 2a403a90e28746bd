"""Files as bytes and text: regular ones only, no larger than their kind, and beside one another."""

import os
import stat
from pathlib import Path
from typing import Any

from pigglesim.errors import SpecError, cut
from pigglesim.files.kinds import FileKind
from pigglesim.files.parsing import parse_json, parse_toml

_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"}
)
"""Names that are devices in every folder of Windows, whatever their suffix."""


def read_file(path: Path, kind: FileKind) -> bytes:
    """Return what a file holds.

    Args:
        path: The file, or a link to it.
        kind: What it should be.

    Raises:
        SpecError: If there is none, it is no regular file (a folder, a pipe, a device), it cannot
            be read, or it is larger than its kind may be.
    """
    return _read(path, kind, follow=True)


def _read(path: Path, kind: FileKind, *, follow: bool) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    # Looked at before it is opened, since to open a pipe waits and to open a device may do things;
    # and again after, since it may have been exchanged meanwhile.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        _check_file(path, path.stat() if follow else path.lstat(), kind)
        with os.fdopen(os.open(path, flags), "rb") as file:
            _check_file(path, os.fstat(file.fileno()), kind)
            data = file.read(kind.most_bytes + 1)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise SpecError(
            f"{kind.noun} that can be read",
            got=f"{cut(str(path), 400)}: {why}",
            remedy="check the path" if follow else "check its name",
        ) from None
    if len(data) > kind.most_bytes:
        raise _too_big(path, f"more than {kind.most_bytes:,}", kind)
    return data


def _check_file(path: Path, found: os.stat_result, kind: FileKind) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SpecError(
            f"{kind.noun}",
            got=f"{cut(str(path), 400)}, which is {_sort(found.st_mode)}",
            remedy="give a regular file: write what it holds to one first",
        )
    if found.st_size > kind.most_bytes:
        raise _too_big(path, f"{found.st_size:,}", kind)


def _sort(mode: int) -> str:
    sorts = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISLNK, "a link"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((word for is_it, word in sorts if is_it(mode)), "a device")


def _too_big(path: Path, size: str, kind: FileKind) -> SpecError:
    return SpecError(
        f"{kind.noun} of at most {kind.most_bytes:,} bytes",
        got=f"{cut(str(path), 400)} of {size}",
        remedy="make it smaller, or check that it is the file you mean",
    )


def read_text(path: Path, kind: FileKind) -> str:
    """Return the text that a file of UTF-8 holds.

    Raises:
        SpecError: If it cannot be read, is larger than its kind may be, or is no UTF-8.
    """
    return decoded(read_file(path, kind), kind, where=path.name)


def decoded(data: bytes, kind: FileKind, *, where: str) -> str:
    """Return the text that bytes of UTF-8 hold, without a byte order mark.

    Args:
        data: What the file holds.
        kind: What it should be.
        where: What to call it in a fault, such as its name.

    Raises:
        SpecError: If it is no UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise SpecError(
            f"{kind.noun} in UTF-8",
            got=f"{where}: byte 0x{data[fault.start]:02x} in line {line}",
            remedy="save it as UTF-8 text",
        ) from None


def beside(path: Path, name: str, kind: FileKind) -> Path:
    """Return the path of a file that another file names: a bare name, in that file's own folder.

    Args:
        path: The file that names it; where it is a link, the folder is that of what it leads to.
        name: The name.
        kind: What the named file should be.

    Raises:
        SpecError: If the name leads elsewhere, or would be a device on some machine.
    """
    stem = name.partition(".")[0].rstrip(" ").upper()
    if (
        not name
        or any(letter in name for letter in '/\\:*?"<>|')
        or not name.isprintable()
        or name != name.strip(" ").rstrip(".")
        or stem in _DEVICES
        or len(name.encode()) > 255
    ):
        raise SpecError(
            f"the bare name of {kind.noun} in the folder of {path.name}",
            got=cut(repr(name)),
            remedy="put the file beside it and give its bare name",
        )
    return path.resolve().parent / name


def read_beside(path: Path, name: str, kind: FileKind) -> bytes:
    """Return what a file holds that another file names: a bare name, in that file's own folder.

    Args:
        path: The file that names it.
        name: The name; no link, for it would lead elsewhere.
        kind: What the named file should be.

    Raises:
        SpecError: If the name leads elsewhere, or the file cannot be read.
    """
    return _read(beside(path, name, kind), kind, follow=False)


def read_toml(path: Path, kind: FileKind) -> dict[str, Any]:
    """Return the table that a TOML file holds.

    Raises:
        SpecError: If it cannot be read, is no TOML, or goes beyond the limits of its kind.
    """
    return parse_toml(read_text(path, kind), kind, where=path.name)


def read_json(path: Path, kind: FileKind) -> Any:  # noqa: ANN401 (JSON)
    """Return what a JSON file holds.

    Raises:
        SpecError: If it cannot be read, is no JSON, or goes beyond the limits of its kind.
    """
    return parse_json(read_text(path, kind), kind, where=path.name)
