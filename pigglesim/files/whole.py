"""Files that are there whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pigglesim.durable_io import name_for_good
from pigglesim.errors import RecordError, SpecError


def expect_new(file: Path, *, overwrite: bool) -> None:
    """Refuse to replace a result that is there: records, films, odds and models are results.

    Pictures and pages are none: they are drawn of results, and are drawn again.

    Args:
        file: Where the result is to be.
        overwrite: Whether it may replace another.

    Raises:
        SpecError: If it is there and may not be replaced.
    """
    if file.exists() and not overwrite:
        raise SpecError(
            "a new file",
            got=f"{file}, which exists",
            remedy="another name, or --force to replace it (in Python overwrite=True)",
        )


def expect_suffix(file: Path, kinds: tuple[str, ...]) -> None:
    """Refuse a file whose name does not end as one of `kinds`.

    Raises:
        SpecError: If it ends otherwise.
    """
    if file.suffix.lower() not in kinds:
        raise SpecError(
            f"a file that ends in {' or '.join(kinds)}",
            got=repr(file.name),
            remedy=f"{file.stem or 'roll'}{kinds[0]}",
        )


def expect_writable(file: Path) -> None:
    """Refuse a file that cannot be written, before the work is done that it is for.

    Raises:
        SpecError: If its folder is not there or does not take it.
    """
    folder = file.parent
    if file.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        reason = (
            "a folder"
            if file.is_dir()
            else "no such folder"
            if not folder.is_dir()
            else "a folder that cannot be written to"
        )
        raise _unwritable(file, reason)


def expect_no_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of these names is a link: it may lead anywhere.

    Raises:
        RecordError: If one is.
    """
    for name in sorted(names):
        if (folder / name).is_symlink():
            raise RecordError(
                f"files and folders of its own in {folder}",
                got=f"{name}, which is a link",
                remedy="put in its place what it leads to, or remove it",
            )


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Give a file to write to that takes its name when all has gone well, and else is gone.

    Raises:
        SpecError: If it cannot be written.
    """
    # The name's end tells those who write what kind it is.
    part = file.with_name(f".{file.stem}.{os.getpid()}.part{file.suffix}")
    try:
        yield part
        name_for_good(part, file)
    except OSError as fault:
        raise _unwritable(file, fault.strerror or str(fault)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _unwritable(file: Path, reason: str) -> SpecError:
    return SpecError(
        "a file that can be written",
        got=f"{file}: {reason}",
        remedy="give a file in a folder that exists",
    )
