"""Takes SHA-256 digests of results of every kind, and compares them with those of a manifest.

Run by `scripts/fingerprint`. Throws of every engine, matches of every game, a study, solvers, odds,
shapes and a film are made from fixed seeds. Where bits differ, the versions that differ too are
named, and the exit status is 0; it is 1 where bits differ though the machine is of the same kind
and every version that may change them is the same.
"""

import argparse
import json
import os
import platform
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from llvmlite.binding import get_host_cpu_features

from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import load_model
from pigglesim.chance.odds import load_odds
from pigglesim.data_files import model_names
from pigglesim.errors import SpecError
from pigglesim.version import __version__
from scripts.determinism.samples import (
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
class Fingerprint:
    """One result whose digest is taken."""

    name: str
    """With slashes between, such as `"throws/impulse/drops"`."""
    make: Callable[[], object]
    """Returns what is digested, or an iterator over it."""
    packages: tuple[str, ...] = ()
    """Those whose versions may change the bits; `_ALWAYS` always may."""
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
    "bullet": ("pybullet", ("pybullet", "pybullet-arm64"), (60, 20, 20)),
    "mujoco": ("mujoco", ("mujoco-core",), (40, 8, 12)),
}
"""Of each engine: its module, its packages, and how much of each is thrown."""


def all_fingerprints() -> Iterator[Fingerprint]:
    """Yield every fingerprint that can be taken here."""
    for name in model_names():
        yield Fingerprint(name=f"shapes/{name}", make=partial(_shape, name), packages=("scipy",))
    for name in ("piggle", "premium"):
        yield Fingerprint(name=f"odds/{name}", make=partial(load_odds, name))
    for engine, (module, packages, counts) in _ENGINES.items():
        if find_spec(module) is None:
            continue
        for make, count in zip((drops, pours, dice), counts, strict=True):
            yield Fingerprint(
                name=f"throws/{engine}/{make.__name__}",
                make=partial(make, engine, count),
                packages=packages,
                quick=engine == "impulse" and make is drops,
            )
    compiled = partial(Fingerprint, packages=_COMPILER)
    yield compiled(name="studies/drops", make=partial(shards, "impulse"))
    yield Fingerprint(
        name="films/dice",
        make=partial(films, "impulse"),
        packages=(*_COMPILER, "zlib"),
        quick=False,
    )
    for game in MATCHES:
        yield compiled(name=f"matches/{game}", make=partial(matches, game))
    yield compiled(name="matches/physical", make=partial(physical_match, "impulse"), quick=False)
    yield compiled(name="solvers/piggy_six", make=sweeps)


def chosen_fingerprints(only: Sequence[str], *, quick: bool) -> tuple[Fingerprint, ...]:
    """Return fingerprints by their names, or by how those begin, such as `"throws/impulse"`.

    Raises:
        ValueError: If nothing here has such a name.
    """
    known = [one for one in all_fingerprints() if one.quick or not quick]
    for name in only:
        if not any(_within(one.name, name) for one in known):
            raise ValueError(f"unknown {name!r}, known: {', '.join(one.name for one in known)}")
    return tuple(one for one in known if not only or any(_within(one.name, name) for name in only))


def _within(name: str, part: str) -> bool:
    return f"{name}/".startswith(f"{part.rstrip('/')}/")


def _shape(name: str) -> tuple[object, ...]:
    """Return what is derived of a model: hull, mass, poses and how often each is rolled into."""
    body = load_model(name)
    return body, support_for(body).shares()


OWN = Path(__file__).with_name("manifest.json")
_PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "pybullet", "pybullet-arm64", "mujoco-core")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The fingerprints of one machine."""

    machine: str
    """Its kind, such as `"Linux x86_64"`."""
    versions: dict[str, str]
    """Of whatever may change a bit, by name."""
    prints: dict[str, str]
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


def read_manifest(path: Path) -> list[Taken]:
    """Return the fingerprints in a file, those of one machine after another."""
    return [Taken(**each) for each in json.loads(path.read_text())["taken"]]


def write_manifest(taken: Taken, path: Path) -> None:
    """Write fingerprints to a file, in place of those of the same kind of machine."""
    others = read_manifest(path) if path.exists() else []
    kept = [*(each for each in others if each.machine != taken.machine), taken]
    table = {"taken": [asdict(each) for each in kept]}
    path.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")


_ALWAYS = ("pigglesim", "python", "numpy", "libc", "processor")
"""What may change a bit of anything: `libc` has the sines, and numpy's linear algebra has code of
its own for processors with AVX-512, with FMA and without, which rounds in another order."""


class Verdict(StrEnum):
    """How a fingerprint is to that of the manifest."""

    SAME = "same"
    EXPLAINED = "explained"
    """Other bits, made with other versions."""
    FAULT = "fault"
    """Other bits, though everything that may change them is the same."""
    UNKNOWN = "unknown"
    """The manifest has none of this kind of machine, or none of that name."""


def nearest(manifest: Iterable[Taken], here: Taken) -> Taken | None:
    """Return those of this kind of machine, of several the ones made with most of our versions."""
    alike = [taken for taken in manifest if taken.machine == here.machine]
    return max(
        alike, key=lambda taken: len(taken.versions.items() & here.versions.items()), default=None
    )


def compare(one: Fingerprint, here: Taken, there: Taken | None) -> tuple[Verdict, str]:
    """Return how a fingerprint is to that of the manifest, and a sentence unless it is the same."""
    if there is None:
        return Verdict.UNKNOWN, f"no fingerprints of {here.machine} to compare with"
    if one.name not in there.prints:
        return Verdict.UNKNOWN, f"{one.name} is new: the manifest has none"
    if there.prints[one.name] == here.prints[one.name]:
        return Verdict.SAME, ""
    changed = [
        (
            f"{name} {there.versions.get(name, 'absent')}",
            f"{name} {here.versions.get(name, 'absent')}",
        )
        for name in (*_ALWAYS, *one.packages)
        if there.versions.get(name) != here.versions.get(name)
    ]
    if not changed:
        return Verdict.FAULT, f"{one.name} differ, though made with the very same versions"
    made, now = (", ".join(words) for words in zip(*changed, strict=True))
    return Verdict.EXPLAINED, f"{one.name} differ: made with {made}, here {now}"


def _kernels(folder: Path | None) -> AbstractContextManager[None]:
    """Return what lets engine `impulse` throw by a module of WebAssembly, if there is one."""
    if folder is None:
        return nullcontext()
    from scripts.cross_target.memory import (
        WebAssembly,
        kernels_from,
    )

    return kernels_from(WebAssembly(folder))


def main(words: Sequence[str] | None = None) -> int:
    """Take fingerprints, compare them and return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/fingerprint", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="take only those that are quick")
    parser.add_argument("--only", metavar="NAMES", help="names or their beginnings, with commas")
    parser.add_argument("--against", type=Path, default=OWN, help="manifest to compare with")
    parser.add_argument("--write", type=Path, metavar="FILE", help="manifest to write")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--webassembly",
        type=Path,
        metavar="FOLDER",
        help="throw by the module that scripts/make_wasm made there (engine impulse)",
    )
    asked = parser.parse_args(words)
    if asked.write and (asked.only or asked.quick):
        parser.error("--write takes all fingerprints: leave --only and --quick out")
    try:
        only = asked.only.split(",") if asked.only else []
        chosen = chosen_fingerprints(only, quick=asked.quick)
        manifest = read_manifest(asked.against)
        kernels = _kernels(asked.webassembly)
    except (ValueError, OSError, SpecError) as error:
        parser.error(str(error))
    here = versions_here()
    there = nearest(manifest, here)
    found = {}
    with kernels:
        for one in chosen:
            print(f"{one.name} ...", file=sys.stderr, flush=True)
            here.prints[one.name] = digest(one.values())
            found[one.name] = compare(one, here, there)
    if asked.write:
        write_manifest(here, asked.write)
    if asked.json:
        print(json.dumps({**asdict(here), "verdicts": found}, indent=1))
    else:
        for name, (verdict, _) in found.items():
            print(f"{name:25} {here.prints[name][:16]}  {verdict}")
        print(*dict.fromkeys(sentence for _, sentence in found.values() if sentence), sep="\n")
        print(", ".join(f"{name} {number}" for name, number in here.versions.items()))
    return int(any(verdict is Verdict.FAULT for verdict, _ in found.values()))


if __name__ == "__main__":
    sys.exit(main())
