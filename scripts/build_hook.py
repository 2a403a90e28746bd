"""Ships compiled code in the wheel, so that nobody who installs it waits for the compiler.

Run by hatchling. Code is compiled where the project's dependencies are installed, from a copy of
the sources, and is used only by the very versions of Python and of the compiler that made it. A
wheel built without them, as in pip's isolated environments, has none and is right as well. The
engine's code for WebAssembly is made from the same sources, and runs anywhere. A bill of materials
names all of it.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PYTHONS = "PIGGLESIM_PYTHONS"
"""Variable with other Pythons, separated as in PATH, whose code the wheel gets as well."""
_ALL = "from pigglesim.precompile import compile_ahead; compile_ahead(workers=1)"


class CompiledCodeHook(BuildHookInterface):
    """Compiles before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install is compiled by scripts/setup: its sources change.
        if version == "editable":
            return
        self._folder = Path(mkdtemp(prefix="pigglesim-build-"))
        others = filter(None, os.environ.get(_PYTHONS, "").split(os.pathsep))
        pythons = [sys.executable, *others]
        folders = {python: self._folder / str(n) for n, python in enumerate(pythons)}
        with ThreadPoolExecutor() as pool:
            faults = [*filter(None, pool.map(self._compile, folders, folders.values()))]
        if faults:
            self.app.display_warning(f"the wheel has no compiled code: {' '.join(faults)}")
            return
        portable = folders[sys.executable] / "webassembly"
        native = [each / "pigglesim" / "__pycache__" / "compiled" for each in folders.values()]
        for lock in self._folder.rglob("*.lock"):
            lock.unlink()
        for folder in (*native, portable):
            build_data["force_include"][str(folder)] = f"pigglesim/{folder.name}"
        # It names what a run needs, and fails if something is not installed.
        bill = self._folder / "pigglesim.cdx.json"
        words = ["-m", "scripts.sbom", *map(str, (*native, portable)), "--out", str(bill)]
        if subprocess.run([sys.executable, *words], cwd=self.root, check=False).returncode:
            self.app.display_warning("the wheel has no bill of materials")
            return
        build_data["sbom_files"].append(str(bill))

    def _compile(self, python: str, folder: Path) -> str:
        """Compile all code in a copy of the sources; return the error, or an empty text.

        numba numbers the functions that a process compiles, and pickles sets. So one process after
        the other compiles in one order, with one seed of hashes: then the code is repeated.
        """
        for name in ("pigglesim", "models", "scenes", "scripts"):
            caches = shutil.ignore_patterns("__pycache__")
            shutil.copytree(Path(self.root, name), folder / name, ignore=caches)
        dropped = {"NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
        env = {key: word for key, word in os.environ.items() if key not in dropped}
        env |= {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
        env["PYTHONHASHSEED"] = "0"
        # The first compiles the code of throws, natively too; the second what is left.
        for words in (
            ["-m", "scripts.cross_target.build", str(folder / "webassembly")],
            ["-c", _ALL],
        ):
            done = subprocess.run(
                [python, *words],
                cwd=folder,
                env=env,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            if done.returncode:
                # A process that is killed, as where memory is short, says nothing.
                said = done.stderr.strip().rpartition("\n")[2]
                return said or f"{python} ended with status {done.returncode}"
        return ""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._folder)
