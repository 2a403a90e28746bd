"""Film files: single ones, or the films of a match in a folder next to its record."""

import re
from dataclasses import dataclass
from pathlib import Path

from pigglesim.durable_io import make_folder, write_target
from pigglesim.errors import RecordError
from pigglesim.films.codec import LARGEST, decode, encode
from pigglesim.films.film import Film

SUFFIX = ".film"
"""Suffix of a film's file."""

_ROLL = re.compile(rf"roll-(\d{{4,9}}){re.escape(SUFFIX)}")


def write_film(film: Film, path: Path) -> int:
    """Write a film to a file, replacing an existing one atomically, and return its size in bytes.

    Raises:
        SpecError: If the file cannot be written, or the film is longer or wider than any roll.
    """
    content = encode(film)
    write_target(path, content)
    return len(content)


def read_film(path: Path) -> Film:
    """Return the film in a file.

    Raises:
        RecordError: If it cannot be read, or is not a complete and unchanged film.
    """
    try:
        # Special files, such as a pipe, may have no end.
        if not path.is_file():
            raise FileNotFoundError(0, "no such file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(
            f"{str(path)!r} is not readable: {reason}", fix="write one by pigglesim roll --film"
        ) from None
    if len(content) > LARGEST:
        raise RecordError(
            f"{str(path)!r} has more than {LARGEST} bytes, too many for a film",
            fix="check the path",
        )
    try:
        return decode(content)
    except RecordError as error:
        raise error.converted(RecordError, where=str(path)) from None


def films_beside(record: Path, *, number: int = 1) -> "FilmFolder":
    """Return the folder with the films of a match, which is next to its record.

    Args:
        record: File of the record.
        number: Number of the record in a file with many, from 1.
    """
    middle = "" if number == 1 else f".{number}"
    return FilmFolder(path=record.with_name(f"{record.name}{middle}.films"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmFolder:
    """The films of one match, by the number of the roll."""

    path: Path
    """Path of the folder, which need not exist."""

    def file(self, index: int) -> Path:
        """Return the path for the film of a roll; the file need not exist."""
        return self.path / f"roll-{index:04}{SUFFIX}"

    def rolls(self) -> tuple[int, ...]:
        """Return the numbers of the rolls with a saved film, in order."""
        names = (_ROLL.fullmatch(path.name) for path in self.path.glob(f"*{SUFFIX}"))
        return tuple(sorted(int(name[1]) for name in names if name))

    def has(self, index: int) -> bool:
        """Return True if the film of a roll is saved."""
        return self.file(index).is_file()

    def read(self, index: int) -> Film:
        """Return the film of a roll.

        Raises:
            RecordError: If it is not saved, or is not a complete and unchanged film.
        """
        return read_film(self.file(index))

    def clear(self) -> None:
        """Remove the films of all rolls.

        Raises:
            RecordError: If they cannot be removed.
        """
        try:
            for index in self.rolls():
                self.file(index).unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def write(self, index: int, film: Film) -> int:
        """Save the film of a roll and return its size in bytes; the first one creates the folder.

        Raises:
            PigglesimError: If it cannot be written.
        """
        try:
            make_folder(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        return write_film(film, self.file(index))

    def _unwritable(self, fault: OSError) -> RecordError:
        problem = f"the folder of films {str(self.path)!r} is not writable: {fault.strerror}"
        return RecordError(problem, fix="use another --out")
