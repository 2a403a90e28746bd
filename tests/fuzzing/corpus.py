"""Inputs that are kept: a few that reach all there is to reach, and what once broke a reader."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from tests.fuzzing.target import Target

FOLDER = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parent / "found"


def kept(folder: Path, target: str) -> list[bytes]:
    """Return the inputs of a target that a folder keeps."""
    return [path.read_bytes() for path in sorted((folder / target).glob("*")) if path.is_file()]


def inputs_of(target: Target) -> list[bytes]:
    """Return the seeds of a target, what its corpus keeps, and what once broke its reader."""
    return [*target.seeds(), *kept(FOLDER, target.name), *kept(FOUND, target.name)]


def store(folder: Path, inputs: Sequence[bytes]) -> list[Path]:
    """Write inputs into a folder, each under its digest; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / sha256(data).hexdigest()[:12] for data in inputs]
    for path, data in zip(paths, inputs, strict=True):
        path.write_bytes(data)
    return paths
