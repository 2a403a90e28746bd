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
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPILED = (
    *("throws", "piggyback", "piggles", "matches", "pig_pile"),
    *("piggyback_matches", "pig_pile_matches", "piggy_six_matches", "solvers"),
)
"""Kinds of work that the code for WebAssembly does not compile too."""


class CompiledCodeHook(BuildHookInterface):
    """Compiles before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install is compiled by scripts/setup: its sources change.
        if version == "editable":
            return
        self._folder = Path(mkdtemp(prefix="pigglesim-build-"))
        for name in ("pigglesim", "models", "scenes", "scripts"):
            caches = shutil.ignore_patterns("__pycache__")
            shutil.copytree(Path(self.root, name), self._folder / name, ignore=caches)
        dropped = {"NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
        env = {key: word for key, word in os.environ.items() if key not in dropped}
        env |= {"PYTHONPATH": str(self._folder), "XDG_CACHE_HOME": str(self._folder / "cache")}
        portable = self._folder / "webassembly"
        # The first compiles the code of throws, natively too; the second what is left.
        made = [
            subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=self._folder,
                env=env,
                stderr=subprocess.PIPE,
                text=True,
            )
            for words in (
                ["scripts.cross_target.build", str(portable)],
                ["pigglesim.precompile", *_COMPILED],
            )
        ]
        said = [process.communicate()[1].strip().rpartition("\n")[2] for process in made]
        if any(process.returncode for process in made):
            self.app.display_warning(f"the wheel has no compiled code: {' '.join(said)}")
            return
        native = self._folder / "pigglesim" / "__pycache__" / "compiled"
        for lock in native.glob("*.lock"):
            lock.unlink()
        for folder in (native, portable):
            build_data["force_include"][str(folder)] = f"pigglesim/{folder.name}"
        # It names what a run needs, and fails if something is not installed.
        bill = self._folder / "pigglesim.cdx.json"
        words = ["-m", "scripts.sbom", str(native), str(portable), "--out", str(bill)]
        if subprocess.run([sys.executable, *words], cwd=self.root, check=False).returncode:
            self.app.display_warning("the wheel has no bill of materials")
            return
        build_data["sbom_files"].append(str(bill))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._folder)
