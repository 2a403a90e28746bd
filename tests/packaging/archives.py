"""Build wheel and sdist, and tell what the checkout holds for them."""

import fnmatch
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = (
    *("pigglesim", "models", "scenes", "tests", "scripts", "docs"),
    *("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"),
    *("pyproject.toml", ".gitignore"),
)
"""What an sdist is made of: all at the top level but what only this repository's host reads."""
LEFT_OUT = (Path("docs/stills/sheets"),)
"""Large pictures for those who change the page: they have the repository."""


def checkout_files(root=ROOT, tops=SHIPPED):
    """Return the files below `tops` that git would not ignore, relative to the root, in order."""
    ignored = [line.strip("/") for line in (root / ".gitignore").read_text().splitlines() if line]
    found = []
    for path in (file for top in tops for file in [root / top, *(root / top).rglob("*")]):
        inside = path.relative_to(root)
        wanted = not any(fnmatch.fnmatch(part, word) for part in inside.parts for word in ignored)
        left_out = any(each in (inside, *inside.parents) for each in LEFT_OUT)
        if path.is_file() and wanted and not left_out:
            found.append(inside.as_posix())
    return sorted(found)


def copy_checkout(folder, files=None):
    """Copy what is shipped into a folder, file by file in the order given, and return it."""
    for name in files or checkout_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
        (folder / name).chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
    return folder


def build(root, out, kind, **env):
    """Build the `wheel` or the `sdist` of a tree into a folder, and return the file."""
    inherited = {key: word for key, word in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    # Compiling for the wheel takes half a minute: one test and scripts/packages ask for it.
    inherited["HATCH_BUILD_NO_HOOKS"] = "true"
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    done = subprocess.run(words, cwd=root, env=inherited | env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (file,) = Path(out).glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return file
