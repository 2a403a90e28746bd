"""Install the wheel into clean environments, with and without each extra, and use it there.

A command, not a test: `scripts/packages`. Each environment is made by `venv` and by pip, or by uv
where there is one, of the versions that `scripts/constraints` pins; those with extras begin as
copies of the one without.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.packaging.archives import ROOT, build, checkout_files
from tests.packaging.extras import APIS, PACKAGES, VERBS
from tests.packaging.uses import UseError, expect_remedy, run, use, use_extra

NONE, ALL = "none", "all"
EXTRAS = ("envs", "mujoco", "cluster", "convex")
ORDER = (NONE, *EXTRAS, ALL)
TITLES = ("Python", "extra", "tried", "installed", "in", "what ran", "verdict")
NAMES = ("python3.12", "python3.13", "python3.14")
"""Looked for beside the Python that runs this."""
BEGIN, END = "<!-- made by: scripts/packages", "<!-- end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one environment."""

    python: str
    extra: str
    megabytes: float
    """Installed, without pip itself."""
    seconds: float
    """That installing took."""
    done: list[str] = field(default_factory=list)
    """What ran."""
    fault: str = ""

    def cells(self):
        """Return the row of the table."""
        verdict = f"FAILED: {self.fault}" if self.fault else "ok"
        size, day = f"{self.megabytes:.0f} MB", datetime.now(UTC).date().isoformat()
        taken = f"{self.seconds:.0f} s by {'uv' if shutil.which('uv') else 'pip'}"
        return (self.python, self.extra, day, size, taken, "; ".join(self.done), verdict)


def main():
    """Build, install, use, and tell."""
    parser = argparse.ArgumentParser(prog="scripts/packages", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the rows into a page")
    parser.add_argument(
        "--python", action="append", type=Path, help="a Python to try; all that are found if absent"
    )
    parser.add_argument(
        "--extra",
        action="append",
        choices=ORDER,
        help="an environment to try; if absent all, and of other Pythons `none` and `all`",
    )
    words = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="pigglesim-packages-") as name:
        folder = Path(name)
        wheel = build(ROOT, folder / "wheel", "wheel")
        sdist = build(ROOT, folder / "sdist", "sdist")
        head = f"Wheel {_kb(wheel)}, sdist {_kb(sdist)} of {len(checkout_files())} files."
        print(head, file=sys.stderr)
        try:
            for python in words.python or [Path(sys.executable), *_found()]:
                own = python == Path(sys.executable)
                extras = words.extra or (ORDER if own else [NONE, ALL])
                for row in _rows(python.absolute(), wheel, folder, sorted(extras, key=ORDER.index)):
                    rows.append(row)
                    print(" | ".join(row.cells()), file=sys.stderr)
        except KeyboardInterrupt:
            print("stopped; what is done is told", file=sys.stderr)
    print(_table(head, [row.cells() for row in rows]))
    if words.write and rows:
        replace_rows(words.write, head, rows)
    sys.exit(any(row.fault for row in rows))


def _found():
    """Return the other Pythons on the PATH that start."""
    for name in NAMES:
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            yield Path(found)


def _rows(python, wheel, folder, extras):
    """Yield a row for each of these environments."""
    version = run([python, "-c", "import platform as p; print(p.python_version())"], folder).strip()
    plain = folder / f"plain-{version}"
    run([python, "-m", "venv", plain], folder)
    if NONE not in extras:
        _install(plain, wheel)
    for extra in extras:
        place = plain
        if extra != NONE:
            place = folder / "with-extra"
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(plain, place, symlinks=True)
        yield _row(version, place, wheel, extra)


def _row(version, place, wheel, extra):
    """Return what came of installing the wheel with an extra, or several, and using it."""
    python = place / "bin" / "python"
    work = place / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    done, fault = [], ""
    start = time.monotonic()
    try:
        names = {NONE: (), ALL: EXTRAS}.get(extra, (extra,))
        _install(place, f"{wheel}[{','.join(names)}]" if names else wheel)
        seconds = time.monotonic() - start
        run([python, "-m", "pip", "check"], work)
        for name in names:
            use_extra(name, python, work, done)
        if not names:
            use(python, work, done)
            # MuJoCo stands in for PyBullet where that has no wheel.
            held = set() if version.startswith("3.11.") else {"mujoco"}
            _expect_remedies(python, work, held, done)
    except UseError as caught:
        fault, seconds = str(caught), time.monotonic() - start
    size = sum(path.stat().st_size for path in _installed(place))
    return Row(
        python=version,
        extra=extra,
        megabytes=size / 1e6,
        seconds=seconds,
        done=done,
        fault=fault,
    )


def _install(place, what):
    """Install a wheel and what it needs, wheels alone."""
    pins = place / "pins.txt"
    pins.write_text(_pins())
    python = place / "bin" / "python"
    words = [python, "-m", "pip", "install", "--disable-pip-version-check"]
    if shutil.which("uv"):
        words = ["uv", "pip", "install", "--python", python]
    run([*words, "--quiet", "--only-binary", ":all:", "--constraint", pins, what], place)


def _expect_remedies(python, work, held, done):
    """Expect one line with the command from all that needs an extra that is not installed."""
    (work / "pig.stl").write_text("solid pig\nendsolid pig\n")
    asked = 0
    for extra, line in VERBS:
        if extra not in held:
            words = [python, "-m", "pigglesim", *line.split()]
            expect_remedy(words, work, PACKAGES[extra])
            asked += 1
    for extra, code in APIS:
        if extra not in held:
            expect_remedy([python, "-c", code], work, PACKAGES[extra])
            asked += 1
    done.append(f"{asked} uses of absent extras name them")


def _installed(place):
    """Return the files that pip put there, without itself and what was compiled on the way."""
    for path in place.glob("lib/python*/site-packages/**/*"):
        brought = path.relative_to(place).parts[3].split("-")[0] == "pip"
        if path.is_file() and not brought and path.suffix not in {".pyc", ".nbc", ".nbi"}:
            yield path


def _pins():
    """Return the pinned versions without their hashes, which pip takes for a whole list alone."""
    lines = (ROOT / "scripts" / "constraints" / "test.txt").read_text()
    return "\n".join(re.findall(r"^[\w.-]+==\S+", lines, re.MULTILINE)) + "\n"


def _kb(file):
    return f"{file.stat().st_size / 1e3:,.0f} kB"


def _table(head, rows):
    lines = ["| " + " | ".join(TITLES) + " |", "|" + "---|" * len(TITLES)]
    return head + "\n\n" + "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def replace_rows(page, head, rows):
    """Put rows where the page keeps what this command made; of other environments they stay."""
    old = page.read_text()
    start = old.index("\n", old.index(BEGIN)) + 1
    end = old.index(END, start)
    kept = [tuple(line.strip("| ").split(" | ")) for line in old[start:end].splitlines()[4:]]
    merged = {row[:2]: row for row in [*kept, *(row.cells() for row in rows)]}
    ready = sorted(
        merged.values(),
        key=lambda row: ([int(part) for part in row[0].split(".")], ORDER.index(row[1])),
    )
    page.write_text(f"{old[:start]}{_table(head, ready)}\n{old[end:]}")


if __name__ == "__main__":
    main()
