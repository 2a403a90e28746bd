"""Where a match that is being played is kept, so that nothing of it can be lost."""

from itertools import count
from pathlib import Path

from pigglesim.errors import RecordError, SpecError
from pigglesim.match.entries import MatchRecord
from pigglesim.match.record import write_record

__all__ = ["SaveFile", "fresh_file", "new_file"]


class SaveFile:
    """A file to which a match is written anew after every decision and roll.

    Args:
        path: The file; it is written when something was played, and not before.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = path.exists()
        """Whether there is anything to resume."""
        self.fault = ""
        """Why the last attempt to write failed, in one line; empty if it did not."""

    def save(self, record: MatchRecord) -> None:
        """Write the record; a disk that is full must not end the match, so a fault is kept."""
        try:
            write_record(record, self.path)
        except RecordError as error:
            self.fault = str(error)
        else:
            self.written, self.fault = True, ""

    @property
    def farewell(self) -> str:
        """What to say of it to a person who leaves."""
        if self.fault:
            return f"not saved: {self.fault}"
        if not self.written:
            return "nothing was played, nothing is saved"
        return f"saved in {self.path}"


def fresh_file(folder: Path, seed: int) -> Path:
    """Return a file in `folder` that is not there yet, named after the seed."""
    names = (f"play-{seed}{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


def new_file(path: Path) -> Path:
    """Return a file that a person has asked for.

    Raises:
        SpecError: If it exists already or its folder does not.
    """
    if path.exists():
        raise SpecError(
            "a new file for the match", got=f"{path}, which exists", remedy=f"--resume {path}"
        )
    if not path.parent.is_dir():
        raise SpecError("a file in a folder that exists", got=str(path), remedy="--out match.jsonl")
    return path
