"""No file of a stranger is read past the limits: searched for in every module.

That none is run either, ruff and import-linter check.
"""

import ast
from pathlib import Path

import pytest

import pigglesim

PACKAGE = Path(pigglesim.__file__).parent

PARSERS = {("tomllib", "load"), ("tomllib", "loads"), ("json", "load")}
READS = {"read_text", "read_bytes", "open"}

OWN_READERS = {
    # The one way, and its parsers.
    "files.py",
    # Records, films, shards and notes of series and studies: each has limits of its own.
    "films/codec.py", "match/record.py", "experiments/folder.py",
    "solvers/dice_game.py", "experiments/store.py", "experiments/shard.py",
    "experiments/sql_sandbox.py",
    # Our own: folders made to last, sources for a digest, /dev/null, what the system tells of this
    # process, pages and programs that come with the package.
    "durable_io.py", "code_cache.py", "physics/bullet.py",
    "render/renderer.py", "render/web_page.py", "cli/app.py", "table/view.py",
    "physics/impulse/webassembly.py", "serve/server.py",
    "site/build.py", "site/compiling.py", "site/one_file.py",
}  # fmt: skip
"""Where files are opened beside the one way; the packages of TOML and JSON files have none."""


def calls(name):
    """Return the calls in a module of the package."""
    tree = ast.parse((PACKAGE / name).read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def called(call):
    """Return the owner of a called function, empty where it has no name, and the function."""
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        return (owner.id if isinstance(owner, ast.Name) else "", call.func.attr)
    return ("", call.func.id if isinstance(call.func, ast.Name) else "")


def opens(call):
    """Return whether a call reads a file past the one way, or parses one."""
    owner, name = called(call)
    if (owner, name) in PARSERS:
        return True
    if name == "open":
        modes = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
        texts = [str(node.value) for node in modes if isinstance(node, ast.Constant)]
        return owner not in {"Image", "webbrowser"} and not any(set(t) & set("wax+") for t in texts)
    return name in READS and isinstance(call.func, ast.Attribute)


def test_files_are_opened_in_one_place():
    names = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    for name in sorted(names - OWN_READERS):
        assert not [ast.unparse(call) for call in calls(name) if opens(call)], name
    for name in sorted(OWN_READERS):
        assert any(called(call)[1] in {*READS, "loads", "load"} for call in calls(name)), name


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("open(path)", True), ("path.open()", True), ("Image.open(path)", False),
        ("path.open('w')", False), ("path.read_text()", True), ("read_text(path, kind)", False),
        ("tomllib.loads(text)", True), ("json.loads(text)", False), ("path.open('rb')", True),
    ],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(text, bad):
    assert opens(ast.parse(text).body[0].value) is bad
