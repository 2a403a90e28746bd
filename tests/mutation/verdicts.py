"""What became of each mutant: mutmut is run over names, and its verdicts are kept in a file."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

from tests.mutation.subjects import ROOT, Subject
from tests.mutation.workshop import files_of

__all__ = ["KEPT", "Verdicts", "diffs", "digest_of", "judge", "read_verdicts", "write_verdicts"]

KEPT = ROOT / "build" / "mutation"
"""Where verdicts stay from call to call."""
_KILLED = ("killed", "timeout", "segfault", "suspicious", "caught by type check")
_SURVIVED = ("survived", "no tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What became of the mutants of one subject."""

    subject: str
    kind: str
    """What it is summed with."""
    made: int
    """Mutants that there are, errors' words left out."""
    words: int
    """Mutants that change only what an error says; none of them is run."""
    digest: str
    """Of the subject's files, so that names still mean the same mutants."""
    found: dict[str, str] = field(default_factory=dict)
    """The word of mutmut for each mutant that was run, by its name."""

    @property
    def killed(self) -> int:
        """How many a test failed under, ran out of time under or crashed under."""
        return sum(word in _KILLED for word in self.found.values())

    @property
    def timed_out(self) -> int:
        """How many of those killed ran out of time."""
        return Counter(self.found.values())["timeout"]

    @property
    def survivors(self) -> list[str]:
        """The names of those that no test noticed, or that no test runs."""
        return [name for name, word in self.found.items() if word in _SURVIVED]

    @property
    def run(self) -> int:
        """How many have a verdict."""
        return self.killed + len(self.survivors)


def digest_of(subject: Subject) -> str:
    """Return what changes when a file of the subject changes."""
    return sha256(b"\0".join((ROOT / path).read_bytes() for path in files_of(subject))).hexdigest()


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


def read_verdicts(subject: Subject) -> Verdicts | None:
    """Return what is kept of a subject, None if nothing is."""
    path = _path(subject)
    return Verdicts(**json.loads(path.read_text())) if path.exists() else None


def write_verdicts(verdicts: Verdicts, subject: Subject, shown: str) -> None:
    """Keep the verdicts, and beside them the diffs of the survivors."""
    KEPT.mkdir(parents=True, exist_ok=True)
    _path(subject).write_text(json.dumps(asdict(verdicts), indent=1))
    _path(subject).with_suffix(".diff").write_text(shown)


def _path(subject: Subject) -> Path:
    return KEPT / f"{subject.name.replace(' ', '_')}.json"
