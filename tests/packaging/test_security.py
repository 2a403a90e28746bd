"""Promises of SECURITY.md: files of a folder do not run, and verbs start and call nothing.

That no module can run what a file says is checked by ruff and import-linter, see `pyproject.toml`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.small_studies import low_floor, run_study, small

pytestmark = pytest.mark.slow

NAMES = (
    "multiprocessing", "numpy", "json", "duckdb", "random", "types", "logging", "socket", "pickle",
    "struct", "sitecustomize", "encodings", "typer", "threading", "pigglesim",
)  # fmt: skip
PYTHON = sys.executable
ENTRIES = {
    "installed": [str(Path(PYTHON).with_name("pigglesim"))],
    "module": [PYTHON, "-P", "-m", "pigglesim"],
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A folder of a study with modules in it, and the folder where each would leave a mark."""
    root, marks = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("marks")
    low_floor(root)
    before = Path.cwd()
    os.chdir(root)
    try:
        run_study(*small("--out", "mailed", throws=250))
    finally:
        os.chdir(before)
    return root / "mailed", marks


def plant(folder, marks, names):
    for name in names:
        (folder / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")


def run(entry, folder, *words):
    return subprocess.run([*entry, *words], cwd=folder, capture_output=True, text=True, timeout=300)


TOURNAMENT = (
    *("tournament", "--agents", "uniform,greedy", "--game", "piggy_six", "--pairs", "2"),
    *("--workers", "2", "--out", "games", "--json"),
)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("installed", ("study", "query", ".", "SELECT count(*) AS n FROM throws", "--json")),
        ("module", ("study", "query", ".", "SELECT count(*) AS n FROM throws", "--json")),
        ("module", ("study", "show", ".")),
        ("installed", TOURNAMENT),
    ],
    ids=lambda word: word if isinstance(word, str) else " ".join(word[:2]),
)
def test_no_module_of_the_current_folder_runs(planted, entry, words):
    folder, marks = planted
    plant(folder, marks, NAMES)
    ended = run(ENTRIES[entry], folder, *words)
    assert ended.returncode == 0, ended.stderr
    assert [path.name for path in marks.iterdir()] == []


def test_verbs_talk_to_nobody_and_start_nothing(tmp_path):
    """Read and write files of every common kind under an audit hook that tells what is opened."""
    code = """
import sys
from pathlib import Path

seen = []
TOLD = {"socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.system",
        "os.exec", "os.posix_spawn", "os.fork"}
sys.addaudithook(lambda event, words: seen.append((event, words)) if event in TOLD else None)
from typer.testing import CliRunner
from pigglesim.cli.app import app

for line in Path("lines").read_text().splitlines():
    done = CliRunner().invoke(app, line.split(), catch_exceptions=False)
    assert done.exit_code == 0, (line, done.output)
print(seen)
"""
    lines = [
        "match --chance tabular --seed 7 --rule rounds=2 --out m.jsonl --no-boards",
        "replay m.jsonl --write m.txt",
        "replay m.txt --no-boards",
        "roll 1 --seed 7 --json --film r.film --svg r.svg --html r.html",
        "film r.film --json",
        "models",
    ]
    (tmp_path / "lines").write_text("\n".join(lines))
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["[]"]), done.stderr
