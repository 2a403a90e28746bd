"""Walk the newcomer's path: a fresh clone, `./scripts/run`, then all that README and tour show.

A command, not a test, for it installs all that a run needs: `scripts/newcomer`. Every command
is run in the environment that `./scripts/run` has made, in a folder whose path has a space; what it
writes is compared with what the page shows, as the suite does in the environment of the tests.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from scripts.documentation.pages import ROOT
from tests.documentation.running import Page

_PAGES = ("README.md", "docs/tour.md")
_LONGEST = 900.0
"""A command hangs that takes longer [s]."""


def main() -> None:
    """Clone what is committed, set it up, and run both pages."""
    with tempfile.TemporaryDirectory(prefix="new comer ") as name:
        clone = Path(name) / "pigglesim"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        began = time.monotonic()
        subprocess.run([clone / "scripts" / "setup", "run"], check=True)
        print(f"set up in {time.monotonic() - began:.0f} s")
        for page in _PAGES:
            began = time.monotonic()
            Page(ROOT / page, clone, run_verb=partial(_run, clone)).run()
            print(f"{page}: every command does what it shows, in {time.monotonic() - began:.0f} s")
            # What one page wrote is in the way of the other.
            subprocess.run(["git", "clean", "-fdq"], cwd=clone, check=True)


def _run(clone: Path, *words: str, stdin: str = "") -> SimpleNamespace:
    """Run a verb as the README types it."""
    environment = {key: word for key, word in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        ["./scripts/run", *words],
        cwd=clone,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
    )
    print(f"  {' '.join(words) or '(no verb)'}", file=sys.stderr)
    both = done.stdout + done.stderr
    return SimpleNamespace(exit_code=done.returncode, stdout=done.stdout, output=both)


if __name__ == "__main__":
    main()
