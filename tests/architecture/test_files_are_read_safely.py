"""No file of a stranger is read past the limits: searched for in every module.

That none is run either, `tests/packaging/test_promises.py` searches for.
"""

import ast
import re
from pathlib import Path

import pytest

import pigglesim

PACKAGE = Path(pigglesim.__file__).parent

PARSERS = {("tomllib", "load"), ("tomllib", "loads"), ("json", "load")}
_SUSPECT = re.compile(r"\bopen\b|read_text|read_bytes|tomllib|json")
"""What a source without any of these words need not be looked through for."""
READS = {"read_text", "read_bytes", "open"}

OWN_READERS = {
    # The one way, and its parsers.
    "files.py",
    # Records, films, shards and notes of series and studies: each has limits of its own.
    "films/codec.py", "match/record.py", "experiments/folder.py",
    "solvers/dice_game.py", "experiments/store.py", "experiments/shard.py",
    # Our own: folders made to last, sources for a digest, /dev/null, what the system tells of this
    # process, pages and programs that come with the package.
    "experiments/query.py", "durable_io.py", "jit.py", "physics/bullet.py",
    "render/gpu.py", "render/web_page.py", "cli/app.py", "tui/game_view.py",
}  # fmt: skip
"""Where files are opened beside the one way; the packages of TOML and JSON files have none."""


def source(name: str) -> ast.Module:
    return ast.parse((PACKAGE / name).read_text())


def calls(tree: ast.Module) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def called(call: ast.Call) -> tuple[str, str]:
    """Return what a call names: its owner, empty where it has none by name, and itself."""
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        return (owner.id if isinstance(owner, ast.Name) else "", call.func.attr)
    return ("", call.func.id if isinstance(call.func, ast.Name) else "")


def opens(call: ast.Call) -> bool:
    """Return whether a call reads a file past the one way, or parses one."""
    owner, name = called(call)
    if (owner, name) in PARSERS:
        return True
    if name == "open":
        return owner not in {"Image", "webbrowser"} and not writes(call)
    return name in READS and isinstance(call.func, ast.Attribute)


def test_files_are_opened_in_one_place():
    names = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    for name in sorted(names - OWN_READERS):
        if _SUSPECT.search((PACKAGE / name).read_text()):
            assert not [ast.unparse(call) for call in calls(source(name)) if opens(call)], name


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("open(path)", True), ("path.open()", True), ("Image.open(path)", False),
        ("path.open('w')", False), ("path.read_text()", True), ("read_text(path, kind)", False),
        ("tomllib.loads(text)", True), ("json.loads(text)", False), ("path.open('rb')", True),
    ],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(text, bad):
    (call,) = calls(ast.parse(text))
    assert opens(call) is bad


def writes(call: ast.Call) -> bool:
    """Return whether a call of `open` opens to write."""
    modes = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [node.value for node in modes if isinstance(node, ast.Constant)]
    return any(isinstance(text, str) and set(text) & set("wax+") for text in texts)


def test_the_readers_named_here_still_read():
    for name in sorted(OWN_READERS):
        assert any(called(call)[1] in {*READS, "loads", "load"} for call in calls(source(name))), (
            name
        )
