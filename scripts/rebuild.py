"""Build wheel and sdist again and compare them with others to the bit. Run by `scripts/rebuild`.

A wheel says itself whether it has compiled code: it is built again with or without. Native code is
the same where the compiler is: one with the code of several Pythons needs the same
PIGGLESIM_PYTHONS. A file with a date from outside needs the same SOURCE_DATE_EPOCH.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
_SHOWN = 10
"""Most files that are named for one wheel or sdist."""


def members(file: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a wheel or sdist, by its name."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            return {name: sha256(wheel.read(name)).hexdigest() for name in wheel.namelist()}
    with tarfile.open(file) as sdist:
        found = ((each.name, sdist.extractfile(each)) for each in sdist)
        return {name: sha256(data.read()).hexdigest() for name, data in found if data}


def build_again(file: Path, out: Path) -> Path:
    """Build a wheel or sdist like `file` from this checkout into a folder."""
    wheel = file.suffix == ".whl"
    compiled = wheel and any(name.startswith("pigglesim/compiled/") for name in members(file))
    kind = "wheel" if wheel else "sdist"
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    env = os.environ | {"HATCH_BUILD_NO_HOOKS": str(not compiled).lower()}
    subprocess.run(words, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
    (built,) = out.iterdir()
    return built


def compared(file: Path) -> list[str]:
    """Return the SHA-256 of a file that is the same, or a line for each member that differs."""
    with TemporaryDirectory() as folder:
        built = build_again(file, Path(folder))
        digest = sha256(file.read_bytes()).hexdigest()
        if sha256(built.read_bytes()).hexdigest() == digest:
            return [f"{file.name}: same, SHA-256 {digest}"]
        ours, theirs = members(built), members(file)
    names = sorted(
        name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)
    )
    lines = [f"  {name}: {_difference(name, ours, theirs)}" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        lines.append(f"  and {len(names) - _SHOWN} more")
    return [f"{file.name}: differs", *(lines or ["  dates, modes or order of its files"])]


def _difference(name: str, ours: dict[str, str], theirs: dict[str, str]) -> str:
    return (
        "differs"
        if name in ours and name in theirs
        else f"only {'here' if name in ours else 'there'}"
    )


def main() -> int:
    """Compare each file; the exit status is 1 if one differs."""
    parser = argparse.ArgumentParser(prog="scripts/rebuild", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="wheels and sdists to compare with")
    arguments = parser.parse_args()
    for file in arguments.files:
        if not file.name.endswith((".whl", ".tar.gz")) or not file.is_file():
            parser.error(f"{file} is no wheel or sdist")
    reports = [compared(file) for file in arguments.files]
    print(*(line for lines in reports for line in lines), sep="\n")
    return int(any(len(lines) > 1 for lines in reports))


if __name__ == "__main__":
    sys.exit(main())
