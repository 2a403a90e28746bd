"""What SECURITY.md promises of the program's own code: a file is data, and nobody is told."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "pigglesim").rglob("*.py"))
RUNS_CODE = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "code",
    "runpy",
}
TALKS = {"http", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "ssl", "webbrowser"}
RUN_BUILTINS = {"eval", "exec", "compile", "__import__"}

# Who may, and for what.
SOCKETS = {"pigglesim/studies/cluster.py"}  # sees whether the scheduler is there
OWN_CODE = {
    "pigglesim/jit.py",  # reads machine code that it sealed itself
    "pigglesim/studies/worker_pool.py",  # tells whether an error can be sent between our processes
    "pigglesim/tournaments/tournament.py",  # sends agents that are objects to our own workers
    "pigglesim/api/tournament.py",  # sees whether they can be sent
}
PROCESSES = {
    "pigglesim/cli/study.py",  # opens our own window beside a study
}


def faults(text):
    """Return what in some source could run a file's words, or talk to somebody."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            names = []
        for name in names:
            top = name.split(".")[0]
            if top in RUNS_CODE | TALKS | {"socket", "subprocess"} or name == "urllib.request":
                found.append(top)
        if isinstance(node, ast.Call):
            words = ast.unparse(node.func)
            if words in RUN_BUILTINS | {"os.system", "os.popen"} or words.startswith("os.exec"):
                found.append(words)
            if words.endswith("import_module") and not isinstance(node.args[0], ast.Constant):
                found.append(words)
            keys = {key.arg: ast.unparse(key.value) for key in node.keywords}
            if keys.get("shell", "False") != "False":
                found.append("shell")
            # What loads arrays says that it unpickles none, whatever the usual is.
            usual = "unsaid" if words == "np.load" else "False"
            if words.endswith((".load", ".save")) and keys.get("allow_pickle", usual) != "False":
                found.append("allow_pickle")
    return found


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import pickle", "pickle"),
        ("def f():\n    from yaml import load", "yaml"),
        ("import urllib.request", "urllib"),
        ("eval(input())", "eval"),
        ("import os\nos.execvp('x', [])", "os.execvp"),
        ("import_module(name)", "import_module"),
        ("importlib.import_module(name)", "importlib.import_module"),
        ("run(words, shell=True)", "shell"),
        ("np.load(f, allow_pickle=True)", "allow_pickle"),
        ("np.load(f)", "allow_pickle"),
    ],
)
def test_the_search_finds(text, fault):
    assert faults(text) == [fault]


@pytest.mark.parametrize(
    "text", ["np.load(f, allow_pickle=False)", "re.compile(word)", "table.load(f)", "json.loads(t)"]
)
def test_the_search_passes_what_runs_nothing(text):
    assert faults(text) == []


def test_no_source_can_run_what_a_file_says():
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        allowed = {"socket"} if name in SOCKETS else set()
        allowed |= {"subprocess"} if name in PROCESSES else set()
        # Each front door, of names and of verbs, opens rooms by a table of its own.
        doors = {"pigglesim/__init__.py", "pigglesim/cli/command_line.py"}
        allowed |= {"import_module"} if name in doors else set()
        allowed |= {"pickle"} if name in OWN_CODE else set()
        assert set(faults(path.read_text())) == allowed, name


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
