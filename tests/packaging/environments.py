"""Install the wheel into clean environments, with and without each extra, and use it there.

A command, not a test: `scripts/packages`. Each environment is made by `venv` and pip, of the
versions that `scripts/constraints` pins; those with extras begin as copies of the one without.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.packaging.archives import ROOT, build, checkout_files
from tests.packaging.extras import APIS, VERBS
from tests.packaging.uses import UseError, expect_remedy, run, use, use_extra

__all__ = ["main"]

EXTRAS = ("adapters", "mujoco", "cluster", "convex", "video")
NAMES = ("python3.12", "python3.13", "python3.14")
"""Looked for beside the Python that runs this."""
BEGIN, END = "<!-- made by: scripts/packages", "<!-- end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one environment."""

    python: str
    extra: str
    megabytes: float
    """Installed by pip, without pip itself."""
    seconds: float
    """That pip took."""
    done: list[str] = field(default_factory=list)
    """What ran."""
    fault: str = ""

    def cells(self):
        """Return the row of the table."""
        verdict = f"FAILED: {self.fault}" if self.fault else "ok"
        size, time_taken = f"{self.megabytes:.0f} MB", f"{self.seconds:.0f} s"
        return (self.python, self.extra, size, time_taken, "; ".join(self.done), verdict)


def main():
    """Build, install, use, and tell."""
    parser = argparse.ArgumentParser(prog="scripts/packages", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the table of a page")
    parser.add_argument("--python", action="append", type=Path, help="another Python to try")
    words = parser.parse_args()
    rows, head = [], []
    with tempfile.TemporaryDirectory(prefix="pigglesim-packages-") as name:
        folder = Path(name)
        wheel = build(ROOT, folder / "wheel", "wheel")
        sdist = build(ROOT, folder / "sdist", "sdist")
        head = [f"wheel {_kb(wheel)}, sdist {_kb(sdist)} of {len(checkout_files())} files"]
        print(head[0], file=sys.stderr)
        try:
            for python in [Path(sys.executable), *(words.python or _found())]:
                each = EXTRAS if python == Path(sys.executable) else ()
                for row in _rows(python, wheel, folder, each):
                    rows.append(row)
                    print(" | ".join(row.cells()), file=sys.stderr)
        except KeyboardInterrupt:
            head.append("stopped early")
    text = _table(head, rows)
    print(text)
    if words.write and rows:
        _replace(words.write, text)
    sys.exit(any(row.fault for row in rows))


def _found():
    """Return the other Pythons on the PATH that start."""
    for name in NAMES:
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            yield Path(found)


def _rows(python, wheel, folder, extras):
    """Yield a row for the wheel alone, for each of these extras, and for all there are."""
    told = run([python, "-c", "import sys; print(*sys.version_info[:3], sep='.')"], folder)
    plain = folder / f"plain-{told.strip()}"
    run([python, "-m", "venv", plain], folder)
    for extra in ("", *extras, ",".join(EXTRAS)):
        place = plain
        if extra:
            place = folder / "with-extra"
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(plain, place, symlinks=True)
        yield _row(told.strip(), place, wheel, extra)


def _row(version, place, wheel, extra):
    """Return what came of installing the wheel with an extra, or several, and using it."""
    python = place / "bin" / "python"
    work = place / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    done, fault = [], ""
    start = time.monotonic()
    try:
        pins = place / "pins.txt"
        pins.write_text(_pins())
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run(
            [*pip, "--only-binary", ":all:", "-c", pins, f"{wheel}[{extra}]" if extra else wheel],
            work,
        )
        seconds = time.monotonic() - start
        run([python, "-m", "pip", "check"], work)
        names = {word for word in extra.split(",") if word}
        if not names:
            use(python, work, done)
        for name in sorted(names):
            use_extra(name, python, work, done)
        # PyBullet's place is taken by MuJoCo where it has no wheel.
        held = names | (set() if version.startswith("3.11.") else {"mujoco"})
        if not names:
            _expect_remedies(python, work, held, done)
    except UseError as caught:
        fault, seconds = str(caught), time.monotonic() - start
    size = sum(path.stat().st_size for path in _installed(place))
    return Row(
        python=version,
        extra="all" if "," in extra else extra or "none",
        megabytes=size / 1e6,
        seconds=seconds,
        done=done,
        fault=fault,
    )


def _expect_remedies(python, work, held, done):
    """Expect one line with the command from all that needs an extra that is not installed."""
    (work / "pig.stl").write_text("solid pig\nendsolid pig\n")
    asked = 0
    for extra, line in VERBS:
        if extra not in held:
            words = [python, "-m", "pigglesim", *line.split()]
            expect_remedy(words, work, extra)
            asked += 1
    for extra, code in APIS:
        if extra not in held:
            expect_remedy([python, "-c", code], work, extra)
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
    titles = ("Python", "extra", "installed", "pip took", "what ran", "verdict")
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "; ".join(head) + "\n\n" + "\n".join(lines)


def _replace(page, text):
    """Put the text where the page keeps what this command made."""
    old = page.read_text()
    start = old.index("\n", old.index(BEGIN)) + 1
    end = old.index(END, start)
    page.write_text(f"{old[:start]}{text}\n{old[end:]}")


if __name__ == "__main__":
    main()
