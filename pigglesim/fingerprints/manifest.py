"""Digests of results, and how they compare with those of other machines."""

import json
import os
import platform
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, StrEnum, unique
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

from pigglesim.bodies.load import load_model
from pigglesim.bodies.poses import support_for
from pigglesim.chance.odds import load_odds
from pigglesim.data_files import model_names
from pigglesim.errors import RecordError, unknown_name
from pigglesim.files import FileKind, read_json
from pigglesim.fingerprints.samples import (
    MATCHES,
    dice,
    drops,
    films,
    matches,
    physical_match,
    pours,
    shards,
    sweeps,
)
from pigglesim.version import __version__


def digest(value: object) -> str:
    """Return the SHA-256 of a value, written so that different values are written differently.

    Numbers count to the last bit, and a float differs from an integer; the order of mappings and of
    the fields of a dataclass counts. The layout of an array in memory does not count, nor do names
    of dataclasses, of their fields and of members of enums: renaming moves no bit.

    Args:
        value: Plain values, arrays, enums, frozen dataclasses, and whatever holds those.

    Raises:
        TypeError: If something else is in it.
    """
    hashed = sha256()
    todo = [value]
    # A stack, as results may be deep; what is inside comes after its own head, last part first.
    while todo:
        head, inside = _parts(todo.pop())
        hashed.update(head)
        todo += reversed(inside)
    return hashed.hexdigest()


def _parts(value: object) -> tuple[bytes, Sequence[object]]:
    """Return the bytes that begin a value, and the values that it holds."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return f"{value};".encode(), ()
    if isinstance(value, Enum):
        return b"enum;", (value.value,)
    if isinstance(value, int):
        return f"int {value};".encode(), ()
    if isinstance(value, float):
        return f"float {value.hex()};".encode(), ()
    if isinstance(value, str):
        return _text("text", value), ()
    if isinstance(value, bytes):
        return b"bytes %d;" % len(value) + value, ()
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        return f"mapping {len(value)};".encode(), [part for pair in value.items() for part in pair]
    if isinstance(value, Sequence):
        return f"sequence {len(value)};".encode(), value
    if is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
        return f"data {len(parts)};".encode(), parts
    raise TypeError(f"no canonical bytes of {type(value).__name__}")


def _text(kind: str, text: str) -> bytes:
    data = text.encode()
    return f"{kind} {len(data)};".encode() + data


def _array(array: np.ndarray) -> tuple[bytes, Sequence[object]]:
    head = f"array {array.shape};"
    if array.dtype.kind == "O":
        return head.encode(), array.ravel().tolist()
    kind = array.dtype.newbyteorder("<")
    return f"{head}{kind.str};".encode() + array.astype(kind).tobytes(), ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Print:
    """One fingerprint."""

    name: str
    """What it is of, with slashes between, such as `"throws/impulse/drops"`."""
    make: Callable[[], object]
    """Returns an iterator over what is digested."""
    packages: tuple[str, ...]
    """Those whose versions may change the bits; Python, numpy and pigglesim always may."""
    module: str = ""
    """What must be installed for it."""
    waits_for: str = ""
    """`"drops"` or `"pours"`, whose compiled code it waits for the first time."""
    quick: bool = True
    """Whether it takes a second or two at most."""

    def values(self) -> tuple[object, ...]:
        """Make the results."""
        made = self.make()
        return tuple(made) if isinstance(made, Iterator) else (made,)


_COMPILER = ("numba", "llvmlite")
_ENGINES = {
    # Drops, pours and throws of two dice; the compiled engine is the quickest by far.
    "impulse": ("numba", _COMPILER, (1000, 40, 40)),
    "bullet": ("pybullet", ("pybullet",), (60, 20, 20)),
    "mujoco": ("mujoco", ("mujoco-core",), (40, 8, 12)),
}
"""Of each engine: its module, its packages, and how much of each is thrown."""
_WAIT = {"drops": "drops", "pours": "pours", "dice": "pours"}


def prints() -> tuple[Print, ...]:
    """Return every fingerprint that can be taken here, quick ones and others."""
    found = [*_tables(), *_throws(), *_play()]
    return tuple(one for one in found if not one.module or find_spec(one.module) is not None)


def chosen_prints(only: Sequence[str], *, quick: bool) -> tuple[Print, ...]:
    """Return fingerprints by their names, or by how those begin.

    Args:
        only: Names, or first parts of them, such as `"throws/impulse"`; none for all.
        quick: Whether to leave out those that take long.

    Raises:
        SpecError: If nothing here has such a name.
    """
    known = [one for one in prints() if one.quick or not quick]
    for name in only:
        if not any(_within(one.name, name) for one in known):
            raise unknown_name("fingerprint", name, [one.name for one in known])
    return tuple(one for one in known if not only or any(_within(one.name, name) for name in only))


def _within(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part.rstrip('/')}/")


def _tables() -> Iterator[Print]:
    for name in model_names():
        yield Print(name=f"shapes/{name}", make=partial(_shape, name), packages=("scipy",))
    for name in ("piggle", "premium"):
        yield Print(name=f"odds/{name}", make=partial(load_odds, name), packages=())


def _throws() -> Iterator[Print]:
    for engine, (module, packages, counts) in _ENGINES.items():
        kinds = {"drops": drops, "pours": pours, "dice": dice}
        for (kind, make), count in zip(kinds.items(), counts, strict=True):
            yield Print(
                name=f"throws/{engine}/{kind}",
                make=partial(make, engine, count),
                packages=packages,
                module=module,
                waits_for=_WAIT[kind] if engine == "impulse" else "",
                quick=engine == "impulse" and kind == "drops",
            )
    yield Print(
        name="studies/drops",
        make=partial(shards, "impulse"),
        packages=_COMPILER,
        module="numba",
        waits_for="drops",
    )
    yield Print(
        name="films/dice",
        make=partial(films, "impulse"),
        packages=(*_COMPILER, "zlib"),
        module="numba",
        waits_for="pours",
        quick=False,
    )


def _play() -> Iterator[Print]:
    for game in MATCHES:
        yield Print(name=f"matches/{game}", make=partial(matches, game), packages=_COMPILER)
    yield Print(
        name="matches/physical",
        make=partial(physical_match, "impulse"),
        packages=_COMPILER,
        module="numba",
        waits_for="pours",
        quick=False,
    )
    yield Print(name="solvers/piggy_six", make=sweeps, packages=_COMPILER)


def _shape(name: str) -> tuple[object, ...]:
    """Return what is derived of a model: hull, mass, poses and how often each is rolled into."""
    body = load_model(name)
    return body, support_for(body).shares()


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


_ALWAYS = ("pigglesim", "python", "numpy", "libc", "processor")
"""What may change a bit of anything: `libc` has the sines, and numpy's linear algebra has code of
its own for processors with AVX-512, with FMA and without, which rounds in another order."""


@unique
class Verdict(StrEnum):
    """How a fingerprint is to that of the manifest."""

    SAME = "same"
    EXPLAINED = "explained"
    """Other bits, made with other versions."""
    FAULT = "fault"
    """Other bits, though everything that may change them is the same."""
    UNKNOWN = "unknown"
    """The manifest has none of this kind of machine, or none of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is found of one fingerprint."""

    name: str
    sha256: str
    verdict: Verdict
    sentence: str
    """What there is to say; empty where it is the same."""


def nearest(manifest: Iterable[Taken], here: Taken) -> Taken | None:
    """Return those of this kind of machine, of several the ones made with most of our versions."""
    alike = [taken for taken in manifest if taken.machine == here.machine]

    def shared(taken: Taken) -> int:
        return len(taken.versions.items() & here.versions.items())

    return max(alike, key=shared, default=None)


def compared(taken: Sequence[Print], here: Taken, there: Taken | None) -> tuple[Finding, ...]:
    """Return what is found of each fingerprint that was taken here.

    Args:
        taken: The fingerprints, in the order of the findings.
        here: What this machine has, with the digest of each of them.
        there: What the manifest has; None if it has nothing of such a machine.
    """
    return tuple(_finding(one, here, there) for one in taken)


def _finding(one: Print, here: Taken, there: Taken | None) -> Finding:
    own = here.prints[one.name]
    verdict, sentence = Verdict.SAME, ""
    if there is None:
        verdict, sentence = Verdict.UNKNOWN, f"no fingerprints of {here.machine} to compare with"
    elif one.name not in there.prints:
        verdict, sentence = Verdict.UNKNOWN, f"{one.name} is new: the manifest has none"
    elif there.prints[one.name] != own:
        changed = _changed((*_ALWAYS, *one.packages), there.versions, here.versions)
        if changed:
            verdict = Verdict.EXPLAINED
            made, now = (", ".join(words) for words in zip(*changed, strict=True))
            sentence = f"{one.name} differ: made with {made}, here {now}"
        else:
            verdict = Verdict.FAULT
            sentence = f"{one.name} differ, though made with the very same versions"
    return Finding(name=one.name, sha256=own, verdict=verdict, sentence=sentence)


def _changed(
    names: Iterable[str], made: Mapping[str, str], here: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return name and version as they were and as they are, of whatever is another version."""
    return [
        (f"{name} {made.get(name, 'absent')}", f"{name} {here.get(name, 'absent')}")
        for name in names
        if made.get(name) != here.get(name)
    ]
