"""Python as a page without a server runs it, under node."""

import shutil
import subprocess
import tempfile
from pathlib import Path

_RUNNER = Path(__file__).with_suffix(".mjs")


def run_in_page(folder: Path, program: str, **files: str) -> str:
    """Return the value of the last line of a program; it can import the files by their names."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in {"program": program, **files}.items():
            (Path(scratch) / f"{name}.py").write_text(text)
        words = [shutil.which("node"), _RUNNER, folder.resolve(), scratch]
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr[-3000:])
        return done.stdout.splitlines()[-1]
