"""Fuzz targets: a reader, the files to begin with, and the inputs that the tests replay."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from pigglesim.errors import PigglesimError, unknown_name

CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parent / "found"
CPU_LIMIT = 2.0
"""Processor time [s] that no small file may cost."""
_LONGEST = 4_000
"""Maximum characters of an error."""

Feed = Callable[[bytes], object]
"""Reads one file, given as bytes, as far as its user would; what it raises is judged."""


@unique
class Form(StrEnum):
    """How files of a target are written, and so how they are changed with sense."""

    TOML = "toml"
    JSON = "json"
    LINES = "lines"
    """One JSON value per line."""
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A reader of files from strangers."""

    name: str
    form: Form
    read: Callable[[Path], object]
    """Takes a path and does its user's work; throws, sends and saves nothing."""
    seeds: Callable[[], Sequence[bytes]]
    """Valid small files, of every sort there is."""
    file: str = "it"
    """Name of the file; it may be in a folder."""
    beside: Callable[[Path], object] = str
    """Writes into the folder what must be there beside the file."""
    wrap: Callable[[bytes], bytes] = bytes
    """Turns an input into the file."""
    words: tuple[str, ...] = ()
    """Words that mean something to the reader, beside those in the seeds."""
    inputs: int = 1_000_000
    """Inputs of a campaign."""
    most_bytes: int = 8_192
    """Maximum size of an input: hostile files are small, and small ones are quick."""

    def feed_in(self, folder: Path) -> Feed:
        """Return what writes each input to a file of an empty folder and reads it."""
        path = folder / self.file
        path.parent.mkdir(exist_ok=True)
        self.beside(folder)

        def feed(data: bytes) -> object:
            path.write_bytes(self.wrap(data))
            return self.read(path)

        return feed

    def known_inputs(self) -> list[bytes]:
        """Return the seeds, the saved corpus, and what once broke the reader."""
        files = [path for top in (CORPUS, FOUND) for path in sorted((top / self.name).glob("*"))]
        return [*self.seeds(), *(path.read_bytes() for path in files if path.is_file())]


_TARGETS: dict[str, Target] = {}


def target(
    name: str, form: Form, seeds: Callable[[], Sequence[bytes]], **more: object
) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    """Make the decorated reader a target; `more` are further fields of it."""

    def register(read: Callable[[Path], object]) -> Callable[[Path], object]:
        assert name not in _TARGETS, name
        _TARGETS[name] = Target(name=name, form=form, read=read, seeds=seeds, **more)
        return read

    return register


def targets() -> dict[str, Target]:
    """Return every target by its name."""
    for module in ("targets", "targets_folders", "targets_records"):
        import_module(f"scripts.trust.fuzzing.{module}")
    return _TARGETS


def find(name: str) -> Target:
    """Return the target of that name, or raise `SpecError`."""
    if name not in targets():
        raise unknown_name("target", name, _TARGETS)
    return _TARGETS[name]


def fault_in(error: BaseException) -> str:
    """Return what is wrong with an error that a reader raised; nothing if a person can use it."""
    if not isinstance(error, PigglesimError):
        return f"{type(error).__name__} instead of an error with a fix"
    text = str(error)
    if any(ord(letter) < 32 or letter == "\x7f" for letter in text):
        return "an error of more than one line, or one that commands the terminal"
    if len(text) > _LONGEST:
        return f"an error of {len(text)} characters"
    return "" if error.fix.strip() else "an error without a fix"


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a new temporary folder; in memory where possible: disks are slow to truncate."""
    memory = Path("/dev/shm")
    return TemporaryDirectory(prefix="pigglesim-fuzz-", dir=memory if memory.is_dir() else None)


def store(folder: Path, inputs: Sequence[bytes]) -> None:
    """Write inputs into a folder, each under its digest."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / sha256(data).hexdigest()[:12]).write_bytes(data)
