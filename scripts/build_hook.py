"""Ships compiled code in the wheel, so that nobody who installs it waits for the compiler.

Run by hatchling. Code is compiled where the project's dependencies are installed, from a copy of
the sources, and is used only by the very versions of Python and of the compiler that made it. A
wheel built without them, as in pip's isolated environments, has none and is right as well.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCodeHook(BuildHookInterface):
    """Compiles before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install is compiled by scripts/setup: its sources change.
        if version == "editable":
            return
        self._folder = Path(mkdtemp(prefix="pigglesim-build-"))
        for name in ("pigglesim", "models", "scenes"):
            caches = shutil.ignore_patterns("__pycache__")
            shutil.copytree(Path(self.root, name), self._folder / name, ignore=caches)
        dropped = {"NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
        env = {key: word for key, word in os.environ.items() if key not in dropped}
        env |= {"PYTHONPATH": str(self._folder), "XDG_CACHE_HOME": str(self._folder / "cache")}
        words = [sys.executable, "-m", "pigglesim.precompile"]
        done = subprocess.run(words, cwd=self._folder, env=env, capture_output=True, text=True)
        if done.returncode:
            said = done.stderr.strip().rpartition("\n")[2]
            self.app.display_warning(f"the wheel has no compiled code: {said}")
            return
        made = self._folder / "pigglesim" / "__pycache__" / "compiled"
        for lock in made.glob("*.lock"):
            lock.unlink()
        build_data["force_include"][str(made)] = "pigglesim/compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._folder)
