"""Pages for users of Python: what they show is what comes of it, and the examples are typed."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import mypy.api
import nbformat
import pytest

import pigglesim
from scripts.documentation.dialogues import DIALOGUES, NOTEBOOK, executed, remade, shown_text
from tests.support.front_door import run_here
from tests.support.tracked_throws import rows, thrown_cube, write
from tests.unit.bodies import scans

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
SAYS = {
    "does_going_first_matter.py": (["3"], ["sides take turns to begin, 3 pairs:", "seat A wins"]),
    "is_this_die_fair.py": (["d6", "1000"], ["no face of d6 differs from 1/6 ("]),
    "learn_piggy_six.py": (["1"], ["0 decisions: 0.", "65,536 decisions: 0."]),
    "odds_of_a_house_rule.py": (["12"], ["six alike: ", "6 Snout-Up: ", "of 12 pours"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", DIALOGUES, ids=lambda page: page.stem)
def test_a_page_shows_what_comes_of_it(page):
    """If a change is meant: `scripts/make_pages`."""
    text = page.read_text(encoding="utf-8")
    assert remade(text) == text


@pytest.mark.slow
def test_the_notebook_runs_and_shows_what_comes_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    known = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(known)
    made = executed(nbformat.read(NOTEBOOK, as_version=4), tmp_path)
    assert shown_text(made) == shown_text(known)
    kinds = {
        kind
        for cell in made.cells
        for out in cell.get("outputs", [])
        for kind in out.get("data", {})
    }
    assert {"image/svg+xml", "text/html"} <= kinds
    assert not list(tmp_path.iterdir())
    assert NOTEBOOK.stat().st_size < 150_000


def test_every_example_is_known_here():
    assert {path.name for path in EXAMPLES} == set(SAYS)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    words, said = SAYS[path.name]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path), *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert all(line in done.stdout for line in said), done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_examples_are_typed_against_the_installed_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import pigglesim\n"
        "pigglesim.rol(2)\n"
        "pigglesim.roll(2, seat='C')\n"
        "pigglesim.roll(2, sead=1)\n"
        "share: str = pigglesim.study(throws=1).shares['up']\n"
    )
    cache = ROOT / ".mypy_cache" / "examples"
    words = ["--strict", "--config-file=", "--cache-dir", str(cache)]
    said, faults, _ = mypy.api.run([*words, *map(str, EXAMPLES), str(wrong)])
    assert not faults
    # Only the wrong file has errors, one per line.
    assert [int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line] == [
        *range(2, 6)
    ]
    assert said.count("wrong.py:") == said.count(": error: ") + said.count(": note: ")


def examples_of(name):
    """The source lines of a function's example."""
    text = inspect.getdoc(getattr(pigglesim, name)).partition("Examples:")[2]
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


@pytest.mark.slow
def test_the_example_of_every_function_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copytree(ROOT / "docs" / "examples" / "counted", "dice")
    scans.write(scans.brick(), tmp_path / "brick.stl")
    Path("tosses").mkdir()
    write(Path("tosses"), rows(thrown_cube()))
    pigglesim.roll(1, seed=7).save("seven.film")
    pigglesim.play_match("pig_pile", players=2, seed=1).save("many.jsonl")
    pigglesim.study("pour", throws=2, factors={"number": [1]}, seed=1, out="pours")
    words = "study --kind pour --throws 2 --factor number=1 --seed 1 --part 1/1 --out parts --quiet"
    assert run_here(*words.split()).exit_code == 0
    for name in pigglesim.__all__:
        if inspect.isfunction(getattr(pigglesim, name)):
            source = examples_of(name)
            assert source.startswith("import pigglesim\n"), name
            exec(compile(ast.parse(source), f"<{name}>", "exec"), {"__name__": "example"})
    assert Path("mine.json").is_file()
