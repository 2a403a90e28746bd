"""Fuzz targets: a reader, the files to begin with, and the inputs that the tests replay."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from pigglesim.errors import PigglesimError, unknown_name
from tests import fuzzing

CPU_LIMIT = 2.0
"""Processor time [s] that no small file may cost."""
_LONGEST = 4_000
"""Characters of an error beyond which nobody reads it."""

Feed = Callable[[bytes], object]
"""Reads one file, given as bytes, as far as its user would; what it raises is judged."""


@unique
class Form(StrEnum):
    """How files of a target are written, and so how they are changed with sense."""

    TOML = "toml"
    JSON = "json"
    LINES = "lines"
    """One JSON value a line."""
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A reader of files from strangers."""

    name: str
    form: Form
    prepare: Callable[[Path], Feed]
    """Imports the reader, only now, so that it can be watched, and returns what feeds it; the
    folder is its own and empty. Nothing may be thrown, sent or kept."""
    seeds: Callable[[], Sequence[bytes]]
    """Sound files, small ones, of every sort there is."""
    readers: tuple[str, ...]
    """Modules or packages whose branches guide the search; nothing that is compiled."""
    words: tuple[str, ...] = ()
    """Words that mean something to the reader, beside those in the seeds."""
    inputs: int = 1_000_000
    """To feed it in a campaign, unless it is told otherwise."""
    most_bytes: int = 8_192
    """Of an input: what is hostile is small, and small is quick."""


def fault_in(error: BaseException) -> str:
    """Return what is wrong with what a reader raised; nothing if a person can mend the file by it.

    Args:
        error: What came out of a reader.
    """
    if not isinstance(error, PigglesimError):
        return f"{type(error).__name__} instead of an error that tells the remedy"
    text = str(error)
    if not text.isprintable() and any(ord(letter) < 32 or letter == "\x7f" for letter in text):
        return "an error of more than one line, or one that commands the terminal"
    if len(text) > _LONGEST:
        return f"an error of {len(text)} characters"
    return "" if error.fix.strip() else "an error without a fix"


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a new folder that vanishes; in memory where that goes: disks are slow to truncate."""
    memory = Path("/dev/shm")
    return TemporaryDirectory(prefix="pigglesim-fuzz-", dir=memory if memory.is_dir() else None)


def scratch_file(folder: Path, name: str, read: Callable[[Path], object]) -> Feed:
    """Return what writes each input to a file of the folder and has it read.

    Args:
        folder: Where.
        name: Of the file.
        read: Takes its path.
    """
    path = folder / name

    def feed(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return feed


CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parent / "found"


def kept(folder: Path, target: str) -> list[bytes]:
    """Return the inputs of a target that a folder keeps."""
    return [path.read_bytes() for path in sorted((folder / target).glob("*")) if path.is_file()]


def inputs_of(target: Target) -> list[bytes]:
    """Return the seeds of a target, what its corpus keeps, and what once broke its reader."""
    return [*target.seeds(), *kept(CORPUS, target.name), *kept(FOUND, target.name)]


def store(folder: Path, inputs: Sequence[bytes]) -> list[Path]:
    """Write inputs into a folder, each under its digest; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / sha256(data).hexdigest()[:12] for data in inputs]
    for path, data in zip(paths, inputs, strict=True):
        path.write_bytes(data)
    return paths


def targets() -> dict[str, Target]:
    """Return every target by its name, in the order of the modules."""
    found: dict[str, Target] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(fuzzing.__path__)):
        if module.startswith("targets_"):
            for target in importlib.import_module(f"tests.fuzzing.{module}").TARGETS:
                assert target.name not in found, f"two targets {target.name}"
                found[target.name] = target
    return found


def find(name: str) -> Target:
    """Return the target of that name, or raise `SpecError`."""
    known = targets()
    if name not in known:
        raise unknown_name("target", name, known)
    return known[name]
