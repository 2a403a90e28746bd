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

from tests.measured_page import write_between
from tests.packaging.archives import ROOT, build, checkout_files
from tests.packaging.extras import APIS, PACKAGES, VERBS
from tests.packaging.uses import UseError, expect_install_hint, run, use, use_extra

NONE, ALL = "none", "all"
EXTRAS = ("envs", "mujoco", "cluster", "convex")
ORDER = (NONE, *EXTRAS, ALL)
HEADINGS = ("Python", "extra", "date", "size installed", "time to install", "what ran", "result")
NAMES = ("python3.12", "python3.13", "python3.14")
"""Looked for on the PATH beside the Python that runs this."""


def main(
    *,
    write: Annotated[Path | None, typer.Option(help="Page whose table is replaced.")] = None,
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
        wheel = build(ROOT, folder / "wheel", "wheel")
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
    lines = ["| " + " | ".join(row) + " |" for row in (HEADINGS, *rows)]
    text = "\n".join([head, "", lines[0], "|" + "---|" * len(HEADINGS), *lines[1:]])
    print(text)
    if write and rows:
        write_between(write, "scripts/packages", text)
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
    size = sum(path.stat().st_size for path in _installed(place)) / 1e6
    day, tool = datetime.now(UTC).date().isoformat(), "uv" if shutil.which("uv") else "pip"
    result = f"FAILED: {fault}" if fault else "ok"
    return (
        version,
        extra,
        day,
        f"{size:.0f} MB",
        f"{seconds:.0f} s by {tool}",
        "; ".join(done),
        result,
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
            expect_install_hint(words, work, PACKAGES[extra])
            asked += 1
    for extra, code in APIS:
        if extra not in held:
            expect_install_hint([python, "-c", code], work, PACKAGES[extra])
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


if __name__ == "__main__":
    typer.run(main)
