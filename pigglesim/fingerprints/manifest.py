"""Fingerprints as a file: on what machine they were taken, with which versions."""

import json
import os
import platform
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

from pigglesim.errors import RecordError
from pigglesim.files import FileKind, read_json
from pigglesim.version import __version__

FORMAT = 1
"""Number of the layout; it grows when a reader of today could not read it."""
OWN = Path(__file__).with_name("manifest.json")
"""The manifest that comes with pigglesim."""
_PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "pybullet", "mujoco-core")
_SHA = 64
_MANIFEST = FileKind(name="manifest", most_bytes=1024 * 1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The fingerprints of one machine."""

    machine: str
    """Its kind, such as `"Linux x86_64"`."""
    versions: Mapping[str, str]
    """Of whatever may change a bit, by name."""
    prints: Mapping[str, str]
    """SHA-256 of each result, by name."""


def versions_here() -> Taken:
    """Return this machine and its versions, without fingerprints yet."""
    found = {
        "pigglesim": __version__,
        "python": platform.python_version(),
        "libc": " ".join(platform.libc_ver()).strip() or "another",
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "processor": _processor(),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return Taken(machine=f"{platform.system()} {platform.machine()}", versions=found, prints={})


def _processor() -> str:
    """Return what the linear algebra of numpy chooses its code by, and rounds by."""
    if chosen := os.environ.get("OPENBLAS_CORETYPE"):
        return f"as {chosen}"
    has = get_host_cpu_features()
    if has.get("avx512f"):
        return "with AVX-512"
    return "with FMA" if has.get("fma") else "without FMA"


def read_manifest(path: Path) -> tuple[Taken, ...]:
    """Return the fingerprints in a file, those of one machine after another.

    Raises:
        SpecError: If it cannot be read, or is no JSON.
        RecordError: If it is no manifest.
    """
    try:
        table = read_json(path, _MANIFEST)
        if table["format"] != FORMAT:
            raise ValueError(f"format {table['format']!r}")
        taken = tuple(_taken(each) for each in table["taken"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RecordError(
            f"a manifest at {str(path)!r}",
            got=f"something else: {type(error).__name__} {error}"[:200],
            remedy="pigglesim fingerprint --write FILE",
        ) from None
    return taken


def write_manifest(taken: Taken, path: Path) -> None:
    """Write fingerprints to a file, in place of those of the same kind of machine.

    Those of other kinds that the file holds stay.

    Raises:
        RecordError: If the file cannot be written, or holds something else.
    """
    others = read_manifest(path) if path.exists() else ()
    kept = [each for each in others if each.machine != taken.machine]
    table = {"format": FORMAT, "taken": [_plain(each) for each in (*kept, taken)]}
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise RecordError(
            f"to write {str(path)!r}", got=str(error.strerror), remedy="another --write"
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _plain(taken: Taken) -> dict[str, object]:
    return {
        "machine": taken.machine,
        "versions": dict(taken.versions),
        "prints": dict(sorted(taken.prints.items())),
    }


def _taken(table: Mapping[str, object]) -> Taken:
    machine, versions, prints = (table[name] for name in ("machine", "versions", "prints"))
    if not isinstance(machine, str):
        raise ValueError("a machine without a name")
    if not isinstance(versions, dict) or not isinstance(prints, dict):
        raise ValueError("versions or prints that are no table")
    if not all(isinstance(text, str) for text in (*versions.values(), *prints.values())):
        raise ValueError("a version or a print that is no text")
    if any(len(sha) != _SHA for sha in prints.values()):
        raise ValueError("a print that is no SHA-256")
    return Taken(machine=machine, versions=versions, prints=prints)
