"""Mutate code in one place at a time, and count the mutants that a test kills: `scripts/mutate`.

mutmut does the work, in a copy of the tree that has settings of its own.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.experiments.statistics import binomial
from scripts.measured_page import markdown_table, write_between, write_rows

ROOT = Path(__file__).parents[3]
_MUTMUT = Path(sys.executable).parent / "mutmut"
FOLDER = ROOT / "build" / "mutation"
"""For each code a copy of the tree, the results and the diffs of the survivors."""
SHARED = ("base", "game", "notation", "registry", "switches")
"""Modules of `games` that belong to no game."""
KILLED = ("killed", "timeout", "segfault", "suspicious", "caught by type check")
SURVIVED = ("survived", "no tests")
NOT_RUN = ("not checked",)


@unique
class Code(StrEnum):
    """Code to mutate."""

    RULES = "rules"
    STUDIES = "studies"
    SHARES = "shares"
    FITS = "fits"
    TOURNAMENTS = "tournaments"
    STATISTICS = "statistics"
    DESIGNS = "designs"
    THROWS = "throws"
    IMPULSE = "impulse"
    POURS = "pours"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is mutated, and the tests that may notice."""

    mutated: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """Tests that fail under mutmut itself."""
    plain: bool = False
    """True if compiled functions run as plain Python. mutmut mutates no decorated function, and a
    mutant acts only where Python looks it up."""


def _experiments(modules: str, tests: str, *left_out: str) -> Scope:
    return Scope(
        mutated=tuple(f"pigglesim/experiments/{name}.py" for name in modules.split()),
        tests=tuple(f"tests/unit/experiments/test_{name}.py" for name in tests.split()),
        left_out=tuple(f"tests/unit/experiments/test_{name}" for name in left_out),
    )


def _plain(modules: str, tests: str) -> Scope:
    return Scope(
        mutated=tuple(f"pigglesim/physics/impulse/{name}.py" for name in modules.split()),
        tests=tuple(f"tests/unit/physics/test_{name}.py" for name in tests.split()),
        plain=True,
    )


SCOPES = {
    Code.RULES: Scope(
        mutated=("pigglesim/games/*", "pigglesim/pose_reading.py", "pigglesim/landing_reading.py",
                 "pigglesim/knocks.py", "pigglesim/landing.py", "pigglesim/chance_types.py"),
        tests=("tests/unit/games", "tests/unit/reading", "tests/unit/scenarios",
               "tests/playthroughs", "tests/contracts/test_game_conformance.py"),
        # They compile the reading of poses, and no compiler takes what mutmut puts around it.
        left_out=("tests/unit/reading/test_pose_reading.py"
                  "::test_compiled_throws_read_as_ordinary_python_reads",
                  "tests/unit/reading/test_pose_reading.py"
                  "::test_each_body_is_read_once_by_the_engine_or_after_it"),
    ),
    Code.STUDIES: _experiments(
        "factors study shard store parts sql_sandbox stopping_rule run dask_cluster",
        "study_definition shard query run cluster parts",
    ),
    Code.SHARES: _experiments(
        "odds comparison decided fairness values",
        "odds_of_study comparison decided fairness values",
    ),
    Code.FITS: _experiments(
        "counted_dice throw_list fit floor_posterior inertial_parameters quadratics track_fit "
        "tracked_throws",
        "counted_dice floor_posterior inertial_parameters tracked_throws",
    ),
    Code.TOURNAMENTS: _experiments("tournament balance luck folder", "tournament balance luck"),
    Code.STATISTICS: _experiments(
        "interval statistics estimates balance_findings",
        "by_hand statistics interval_coverage balance shard run study_on_floors luck decided",
        # It compares the names of functions with a text, and mutmut adds names.
        "interval_coverage.py::test_every_estimate_of_the_statistics_is_among_the_cases",
    ),
    Code.DESIGNS: _experiments(
        "design printing worker_pool", "design printing worker_pool",
        # It interrupts its own process, which mutmut takes for an interrupt of the whole run.
        "worker_pool.py::test_ctrl_c_while_a_process_starts_is_heard_and_the_process_too",
    ),
    Code.THROWS: Scope(
        mutated=("pigglesim/throws.py",),
        tests=("tests/unit/test_throws.py", "tests/unit/api/test_throwing_again.py"),
    ),
    Code.IMPULSE: _plain(
        "broad_phase cup gjk manifold solver",
        "contact_solver gjk impulse_cup manifold plain_python",
    ),
    Code.POURS: _plain("drops engine flight pour step", "plain_python small_throws"),
}  # fmt: skip
_SETTINGS = """\
[tool.mutmut]
source_paths = ["pigglesim"]
only_mutate = {mutated}
# One test checks all errors of the games, and no other looks at their words.
do_not_mutate_patterns = ["Error\\\\(", "unknown_name\\\\(", "_fault\\\\("]
also_copy = ["models", "scenes", "docs", "README.md", "scripts"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow"{left_out}]
timeout_constant = 2.0
timeout_multiplier = 8.0
use_setproctitle = false
track_dependencies = false
use_git_change_detection = false

[tool.pytest.ini_options]
markers = ["slow: takes long"]
"""
_CONFTEST = '''\
"""The usual conftest compiles the engine, which these tests do not need, or find compiled."""

import re
import sys
import zlib

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutation", max_examples=6, phases=(Phase.explicit, Phase.generate), derandomize=True,
    database=None, deadline=None, suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutation")


def pytest_sessionstart():
    """Empty the caches of games: they hold values from before a mutant was switched on."""
    for name, module in list(sys.modules.items()):
        if name.startswith("pigglesim.games."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def pytest_make_parametrize_id(val, argname):
    """Name a text with brackets, colons or line ends by its sum: mutmut selects tests by name."""
    if isinstance(val, str) and not re.fullmatch(r"[\\w .,=+-]*", val):
        return f"{argname}{zlib.crc32(val.encode(errors='surrogatepass'))}"
'''


def main(
    *,
    code: Annotated[Code, typer.Option(help="Code to mutate.")] = Code.RULES,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Mutants to draw at random. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 1,
    only: Annotated[str, typer.Option(help="Mutate only names that hold this text.")] = "",
    test: Annotated[
        list[str] | None, typer.Option(help="File of tests to run. Default: those of the code.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run only the survivors of the last run.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Run the mutants that a stopped run left.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    write: Annotated[
        Path | None,
        typer.Option(help="Markdown page whose table or, with --only, rows are replaced."),
    ] = None,
) -> None:
    """Change one place of the code at a time, and see whether a test fails.

    Results and the diffs of the survivors are kept in build/mutation/CODE. Examples:

      scripts/mutate --only piggy_six --sample 100

      scripts/mutate --sample 800 --workers 2 --write docs/trust/mutation.md

      scripts/mutate --code impulse --sample 40 --write docs/trust/mutation.md
    """
    scope, folder = SCOPES[code], FOLDER / code
    scope = replace(scope, tests=tuple(test or scope.tests))
    continued = again or resume
    _copy_tree(scope, folder, only, anew=not continued)
    if scope.plain:
        compiled = [sys.executable, "-m", "tests.support.small_throws"]
        os.environ["PIGGLESIM_COMPILED_BITS"] = subprocess.check_output(compiled, text=True)
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "compiled")
    page = write.absolute() if write else None
    os.chdir(folder)  # mutmut reads its settings from there, when it is imported
    file = folder / "results.json"
    if continued:
        results = _statuses(json.loads(file.read_text()))
        wanted = SURVIVED if again else NOT_RUN
        names = [name for name, status in results.items() if status in wanted]
    else:
        names = [name for name in _mutants() if only in name]
        print(f"{len(names):,} mutants", file=sys.stderr)
        if sample is not None:
            names = random.Random(seed).sample(names, min(sample, len(names)))
        results = dict.fromkeys(names, "not checked")
        file.write_text(json.dumps(results, indent=1))
    results |= _run(names, workers)
    file.write_text(json.dumps(results, indent=1))
    survivors = [name for name, status in results.items() if status in SURVIVED]
    (folder / "survivors.diff").write_text("\n".join(map(_diff, survivors)))
    table, command = rows(results), f"scripts/mutate --code {code}"
    print(markdown_table(HEADINGS, table))
    if page and only:
        write_rows(page, command, table[:-1])
    elif page:
        write_between(page, command, markdown_table(HEADINGS, table))


def _copy_tree(scope: Scope, folder: Path, only: str, *, anew: bool) -> None:
    """Copy the tree to where mutmut may work; without `anew`, only the tests."""
    if anew:
        shutil.rmtree(folder, ignore_errors=True)
    copied = ("pigglesim", "models", "scenes", "docs", "scripts", "tests") if anew else ("tests",)
    for name in copied:
        unwanted = shutil.ignore_patterns("__pycache__", ".hypothesis")
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted, dirs_exist_ok=True)
    shutil.copy2(ROOT / "README.md", folder)
    # mutmut notes which tests reach a function. It looks at new tests only, not at longer ones.
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    if anew and (compiled := ROOT / "pigglesim" / "__pycache__" / "compiled").is_dir():
        shutil.copytree(compiled, folder / "compiled" / "pigglesim")
    names = (file.relative_to(folder).as_posix() for file in folder.glob("pigglesim/**/*.py"))
    files = [name for name in names if any(fnmatch(name, each) for each in scope.mutated)]
    # Those of one module need no mutants of the others, which take minutes to make.
    files = [name for name in files if only.startswith(_module(name))] or files
    for file in map(folder.joinpath, files if anew and scope.plain else ()):
        file.write_text(re.sub(r"^@compiled\w*\n", "", file.read_text(), flags=re.M))
    (folder / "tests" / "conftest.py").write_text(_CONFTEST)
    mutated, tests = json.dumps(files), json.dumps(scope.tests)
    left_out = "".join(f', "--deselect", "{test}"' for test in scope.left_out)
    settings = _SETTINGS.format(mutated=mutated, tests=tests, left_out=left_out)
    (folder / "pyproject.toml").write_text(settings)


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def _mutants() -> list[str]:
    """Make the mutants and return their names."""
    from mutmut.__main__ import collect_source_file_mutation_data, create_mutants

    create_mutants(1)
    found, _ = collect_source_file_mutation_data(mutant_names=())
    return [name for _, name, _ in found]


def _run(names: Sequence[str], workers: int) -> dict[str, str]:
    """Run the tests on mutants and return the status of each."""
    if not names:
        # Without a name mutmut runs every mutant.
        return {}
    words = [_MUTMUT, "run", "--max-children", str(workers), *names]
    try:
        subprocess.run(words, stdout=sys.stderr, check=True)
    except KeyboardInterrupt:
        print("stopped: the results so far are kept", file=sys.stderr)
    return _statuses(names)


def _statuses(names: Iterable[str]) -> dict[str, str]:
    """Return the status of each mutant; it outlives a run that was killed."""
    told = subprocess.run([_MUTMUT, "results", "--all", "true"], capture_output=True, text=True)
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
