"""Install the wheel into clean environments, with and without each extra, and use it there.

A command, not a test: `scripts/packages`. Each environment is made by `venv` and by pip, or by uv
where there is one, of the versions that `scripts/constraints` pins; those with extras begin as
copies of the one without.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from scripts.measured_page import markdown_table, write_rows
from tests.packaging.archives import ROOT, build, checkout_files
from tests.packaging.uses import (
    APIS,
    PACKAGES,
    VERBS,
    UseError,
    default_engine,
    expect_install_hint,
    run,
    use,
    use_extra,
)

NONE, ALL = "none", "all"
EXTRAS = tuple(PACKAGES)
PINS = ("scripts/constraints/run.txt", "scripts/constraints/test.txt")
ORDER = (NONE, *EXTRAS, ALL)
HEADINGS = ("Python", "extra", "date", "size installed", "time to install", "what ran", "result")
NAMES = ("python3.12", "python3.13", "python3.14")
"""Looked for on the PATH beside the Python that runs this."""


def main(
    *,
    write: Annotated[Path | None, typer.Option(help="Page whose rows are replaced.")] = None,
    python: Annotated[
        list[Path] | None, typer.Option(help="Pythons to try. Default: all on the PATH.")
    ] = None,
    extra: Annotated[
        list[str] | None,
        typer.Option(help="Extras to try. Default: all; of other Pythons none and all."),
    ] = None,
) -> None:
    """Install the wheel into clean environments and use it there."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="pigglesim-packages-") as name:
        folder = Path(name)
        wheel = build(ROOT, folder / "wheel", "wheel", HATCH_BUILD_NO_HOOKS="false")
        sdist = build(ROOT, folder / "sdist", "sdist")
        sizes = (f"{file.stat().st_size / 1e3:,.0f} kB" for file in (wheel, sdist))
        head = "Wheel {}, sdist {} of {} files.".format(*sizes, len(checkout_files()))
        print(head, file=sys.stderr)
        try:
            for each in python or [Path(sys.executable), *_found()]:
                own = each == Path(sys.executable)
                extras = extra or (ORDER if own else [NONE, ALL])
                for row in _rows(each.absolute(), wheel, folder, sorted(extras, key=ORDER.index)):
                    rows.append(row)
                    print(" | ".join(row), file=sys.stderr)
        except KeyboardInterrupt:
            print("stopped; the rows so far:", file=sys.stderr)
    print(markdown_table(HEADINGS, rows, align="---"))
    if write:
        write_rows(write, "scripts/packages", rows, named_by=2)
    raise typer.Exit(any(row[-1] != "ok" for row in rows))


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
    """Return the row for installing the wheel with an extra, or several, and using it."""
    python, work = place / "bin" / "python", place / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    done, result = [], "ok"
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
            (work / "pig.stl").write_text("solid pig\nendsolid pig\n")
            # MuJoCo stands in for PyBullet where that has no wheel.
            there = default_engine(version)
            absent = [(e, [python, "-m", "pigglesim", *line.split()]) for e, line in VERBS]
            absent += [(e, [python, "-c", code]) for e, code in APIS]
            absent = [(e, words) for e, words in absent if e != there]
            for name, words in absent:
                expect_install_hint(words, work, PACKAGES[name])
            done.append(f"{len(absent)} uses of absent extras name them")
    except UseError as caught:
        result, seconds = f"FAILED: {caught}", time.monotonic() - start
    size = sum(path.stat().st_size for path in _installed(place)) / 1e6
    day, tool = datetime.now(UTC).date().isoformat(), "uv" if shutil.which("uv") else "pip"
    took = f"{seconds:.0f} s by {tool}"
    return version, extra, day, f"{size:.0f} MB", took, "; ".join(done), result


def _install(place, what):
    """Install a wheel and what it needs, wheels alone, in the pinned versions."""
    # Without their hashes, which pip takes for a whole list alone.
    text = "".join((ROOT / each).read_text() for each in PINS)
    pins = set(re.findall(r"^[\w.-]+==\S+", text, re.MULTILINE))
    (place / "pins.txt").write_text("\n".join(sorted(pins)) + "\n")
    python = place / "bin" / "python"
    words = [python, "-m", "pip", "install", "--disable-pip-version-check"]
    if shutil.which("uv"):
        words = ["uv", "pip", "install", "--python", python]
    pinned = ["--only-binary", ":all:", "--constraint", place / "pins.txt"]
    run([*words, "--quiet", *pinned, what], place)


def _installed(place):
    """Return the files that pip put there, without itself and what was compiled on the way."""
    for path in place.glob("lib/python*/site-packages/**/*"):
        brought = path.relative_to(place).parts[3].split("-")[0] == "pip"
        if path.is_file() and not brought and path.suffix not in {".pyc", ".nbc", ".nbi"}:
            yield path


if __name__ == "__main__":
    typer.run(main)
