"""Mutants run by mutmut: its word for each, and what each changes."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

from tests.mutation.subjects import Subject
from tests.mutation.workshop import files_of


def judge(subject: Subject, names: Sequence[str], folder: Path) -> dict[str, str]:
    """Run mutmut over mutants of a subject, return its word for each; Ctrl-C keeps what is done.

    Args:
        subject: What is mutated.
        names: The mutants.
        folder: Where the subject was set up, see `workshop.set_up`.
    """
    mutmut = Path(sys.executable).parent / "mutmut"
    try:
        done = subprocess.run(
            [mutmut, "run", "--max-children", "1", *names],
            cwd=folder,
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"mutmut ended with {done.returncode}: see what it printed")
    except KeyboardInterrupt:
        print("stopped: what was run so far is kept", file=sys.stderr)
    wanted, found = set(names), {}
    with chdir(folder):
        for path in files_of(subject):
            data = SourceFileMutationData(path=path)
            data.load()
            for name, code in data.exit_code_by_key.items():
                if name in wanted and code is not None:
                    found[name] = status_by_exit_code[code]
    return found


def diffs(names: Sequence[str], folder: Path) -> str:
    """Return what each mutant changes, as text."""
    reset_config()
    with chdir(folder):
        return "\n".join(f"# {name}\n{get_diff_for_mutant(name)}" for name in names)
