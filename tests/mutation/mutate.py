"""Mutate the rules and the reading, and count the mutants that a test kills: `scripts/mutate`.

mutmut does the work, in a copy of the tree that has settings of its own.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.experiments.statistics import binomial
from tests.measured_page import markdown_table, write_between

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "mutation"
"""The copy of the tree, the results and the diffs of the survivors."""
MUTATED = ("pigglesim/games/*", "pigglesim/reading.py", "pigglesim/landing.py",
           "pigglesim/chance_types.py")  # fmt: skip
TESTS = ("tests/unit/games", "tests/unit/reading", "tests/unit/scenarios", "tests/playthroughs",
         "tests/contracts/test_game_conformance.py")  # fmt: skip
SHARED = ("base", "game", "notation", "registry", "switches")
"""Modules of `games` that belong to no game."""
KILLED = ("killed", "timeout", "segfault", "suspicious", "caught by type check")
SURVIVED = ("survived", "no tests")
_SETTINGS = f"""\
[tool.mutmut]
source_paths = ["pigglesim"]
only_mutate = {json.dumps(MUTATED)}
# One test checks all errors of the games, and no other looks at their words.
do_not_mutate_patterns = ["Error\\\\(", "unknown_name\\\\(", "_fault\\\\("]
also_copy = ["models", "scenes", "docs", "README.md", "scripts"]
pytest_add_cli_args_test_selection = {json.dumps(TESTS)}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow"]
timeout_constant = 2.0
timeout_multiplier = 8.0
use_setproctitle = false
track_dependencies = false
use_git_change_detection = false

[tool.pytest.ini_options]
markers = ["slow: takes long"]
"""
_CONFTEST = '''\
"""The usual conftest compiles the engine, which rules and reading do not need."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutation", max_examples=6, phases=(Phase.explicit, Phase.generate), derandomize=True,
    database=None, deadline=None, suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutation")
'''


def main(
    *,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Mutants to draw at random. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 1,
    only: Annotated[str, typer.Option(help="Mutate only names that hold this text.")] = "",
    again: Annotated[
        bool, typer.Option("--again", help="Run only the survivors of the last run.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    write: Annotated[
        Path | None, typer.Option(help="Markdown page whose table is replaced.")
    ] = None,
) -> None:
    """Change one place of the rules or the reading at a time, and see whether a test fails.

    Results and the diffs of the survivors are kept in build/mutation. Examples:

      scripts/mutate --only piggy_six --sample 100

      scripts/mutate --sample 800 --workers 2 --write docs/trust/mutation.md
    """
    _copy_tree(anew=not again)
    page = write.absolute() if write else None
    os.chdir(FOLDER)  # mutmut reads its settings from there, when it is imported
    file = FOLDER / "results.json"
    if again:
        results: dict[str, str] = json.loads(file.read_text())
        names = [name for name, status in results.items() if status in SURVIVED]
    else:
        results, names = {}, [name for name in _mutants() if only in name]
        print(f"{len(names):,} mutants", file=sys.stderr)
        if sample is not None:
            names = random.Random(seed).sample(names, min(sample, len(names)))
    results |= _run(names, workers)
    file.write_text(json.dumps(results, indent=1))
    survivors = [name for name, status in results.items() if status in SURVIVED]
    (FOLDER / "survivors.diff").write_text("\n".join(map(_diff, survivors)))
    table = markdown_table(HEADINGS, rows(results))
    print(table)
    if page:
        write_between(page, "scripts/mutate", table)


def _copy_tree(*, anew: bool) -> None:
    """Copy the tree to where mutmut may work; without `anew`, only the tests."""
    if anew:
        shutil.rmtree(FOLDER, ignore_errors=True)
    names = ("pigglesim", "models", "scenes", "docs", "scripts", "tests") if anew else ("tests",)
    for name in names:
        unwanted = shutil.ignore_patterns("__pycache__", ".hypothesis")
        shutil.copytree(ROOT / name, FOLDER / name, ignore=unwanted, dirs_exist_ok=True)
    shutil.copy2(ROOT / "README.md", FOLDER)
    (FOLDER / "tests" / "conftest.py").write_text(_CONFTEST)
    (FOLDER / "pyproject.toml").write_text(_SETTINGS)


def _mutants() -> list[str]:
    """Make the mutants and return their names."""
    from mutmut.__main__ import collect_source_file_mutation_data, create_mutants

    create_mutants(1)
    found, _ = collect_source_file_mutation_data(mutant_names=())
    return [name for _, name, _ in found]


def _run(names: Sequence[str], workers: int) -> dict[str, str]:
    """Run the tests on mutants and return the status of each that was reached before Ctrl-C."""
    mutmut = Path(sys.executable).parent / "mutmut"
    words = [mutmut, "run", "--max-children", str(workers), *names]
    try:
        subprocess.run(words, stdout=sys.stderr, check=bool(names))
    except KeyboardInterrupt:
        print("stopped: the results so far are kept", file=sys.stderr)
    told = subprocess.run([mutmut, "results", "--all", "true"], capture_output=True, text=True)
    pairs = (line.strip().rpartition(": ") for line in told.stdout.splitlines())
    wanted = set(names)
    return {name: status for name, _, status in pairs if name in wanted}


def _diff(name: str) -> str:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    return f"# {name}\n{get_diff_for_mutant(name)}"


HEADINGS = ("package", "mutants run", "killed", "by time", "share killed", "95 % Wilson")


def rows(results: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return a row for each package and one for all, from the status of each mutant."""
    packages: dict[str, list[str]] = {}
    for name, status in results.items():
        if status in {*KILLED, *SURVIVED}:
            packages.setdefault(package_of(name), []).append(status)
    every = [status for found in packages.values() for status in found]
    return [_row(name, found) for name, found in sorted(packages.items())] + [_row("all", every)]


def package_of(name: str) -> str:
    """Return the package of a mutant, such as `games.piggles`; a game may be a module."""
    room, *inner, _ = name.split(".")[1:]
    return f"{room}.{inner[0]}" if inner and inner[0] not in SHARED else room


def _row(name: str, statuses: Iterable[str]) -> tuple[str, ...]:
    found = list(statuses)
    killed = sum(status in KILLED for status in found)
    share = binomial(killed, len(found))
    counts = (len(found), killed, found.count("timeout"))
    interval = f"{share.low:.1%} to {share.high:.1%}"
    return name, *(f"{count:,}" for count in counts), f"{share.value:.1%}", interval


if __name__ == "__main__":
    typer.run(main)
