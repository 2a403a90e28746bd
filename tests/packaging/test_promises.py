"""What SECURITY.md promises of verbs: nobody is told, and no other program is started.

That no module can run what a file says is checked by ruff and import-linter, see `pyproject.toml`.
"""

import subprocess
import sys


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
