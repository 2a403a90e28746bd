"""Compiled code follows its sources wherever they stand, and outlives its damaged files."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import pigglesim
from pigglesim.jit_cache import sources

PACKAGE = Path(pigglesim.__file__).parent
CALLEE = """
from pigglesim.jit import compiled
from pigglesim.numbers import STEP

@compiled
def inner(x):
    return x + STEP
"""
CALLER = """
from pigglesim.callee import inner
from pigglesim.jit import compiled

@compiled
def outer(x):
    return 10 * inner(x)
"""
MAIN = """
import json
from pigglesim.caller import outer
print(json.dumps({"value": outer(1), "hits": sum(outer.stats.cache_hits.values())}))
"""


@pytest.fixture
def package(tmp_path):
    """A package of the same name with the real way of compiling, and little to compile."""
    folder = tmp_path / "pigglesim"
    folder.mkdir()
    for name in ("jit.py", "jit_cache.py", "durable_io.py", "errors.py", "signals.py"):
        (folder / name).write_text((PACKAGE / name).read_text())
    (folder / "__init__.py").write_text("")
    (folder / "numbers.py").write_text("STEP = 2\n")
    (folder / "callee.py").write_text(CALLEE)
    (folder / "caller.py").write_text(CALLER)
    return folder


TOGETHER = """
import time
from pathlib import Path
import pigglesim.caller
Path(f"ready-{time.monotonic_ns()}").touch()
while len(list(Path().glob("ready-*"))) < 2:
    time.sleep(0.001)
"""
HOLDING = """
import sys, time
from pathlib import Path
from pigglesim.durable_io import try_lock
Path(sys.argv[1]).parent.mkdir(parents=True)
file = open(sys.argv[1], "ab")
assert try_lock(file)
print("taken", flush=True)
time.sleep(600)
"""


def begin(package, code=MAIN, *words):
    own = {
        "PYTHONPATH": str(package.parent),
        "XDG_CACHE_HOME": str(package.parent / "cache"),
        # Python itself would not see an edit that neither the size nor the time of a file tells.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    dropped = {"NUMBA_CACHE_DIR", "PYTHONPATH"}
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=package.parent,
        env=environment | own,
    )


def end(process):
    told, faults = process.communicate(timeout=120)
    assert not faults
    return json.loads(told)


def edit(path, old, new):
    """Change a file so that neither its size nor its time tells of it."""
    before = path.stat()
    path.write_text(path.read_text().replace(old, new))
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.slow
def test_an_edit_of_what_is_called_is_seen_though_its_caller_is_as_it_was(package):
    assert end(begin(package)) == {"value": 30, "hits": 0}
    edit(package / "numbers.py", "2", "3")
    assert end(begin(package)) == {"value": 40, "hits": 0}
    edit(package / "callee.py", "x + STEP", "x - STEP")
    assert end(begin(package)) == {"value": -20, "hits": 0}
    edit(package / "callee.py", "x - STEP", "x + STEP")
    assert end(begin(package)) == {"value": 40, "hits": 1}


@pytest.mark.slow
def test_processes_at_once_and_damaged_files_are_survived_where_sources_cannot_be_written(package):
    (package / "__pycache__").write_text("in the way of a folder")
    for process in [begin(package) for _ in range(2)]:
        assert end(process)["value"] == 30
    files = [path for path in (package.parent / "cache").rglob("*-*") if path.is_file()]
    assert {path.name.split("-")[0] for path in files} == {"inner", "outer"}
    for path in files:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
    assert end(begin(package)) == {"value": 30, "hits": 0}


def test_of_two_processes_that_need_the_same_code_one_compiles_it(package):
    found = [end(process) for process in [begin(package, TOGETHER + MAIN) for _ in range(2)]]
    assert [one["value"] for one in found] == [30, 30]
    assert sorted(one["hits"] for one in found) == [0, 1]


def test_one_that_waits_for_a_process_to_compile_goes_on_when_that_dies(package):
    holder = begin(package, HOLDING, package / "__pycache__" / "compiled" / "compiling.lock")
    assert holder.stdout.readline() == "taken\n"
    waiting = begin(package)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(3.0)
    holder.kill()
    holder.communicate()
    assert end(waiting) == {"value": 30, "hits": 0}


def kernels():
    """Yield the modules that have compiled functions, by their names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "from pigglesim.jit import" in path.read_text():
            name = ".".join(("pigglesim", *path.relative_to(PACKAGE).with_suffix("").parts))
            yield name, importlib.import_module(name)


def test_every_function_that_compiled_code_calls_is_among_its_sources():
    checked = 0
    for name, module in kernels():
        files = set(sources(name))
        for function in vars(module).values():
            if isinstance(function, Dispatcher) and function.__module__ == name:
                reached = (function.py_func.__globals__.get(n) for n in function.__code__.co_names)
                for called in reached:
                    if isinstance(called, Dispatcher):
                        assert Path(called.__code__.co_filename) in files
                        checked += 1
    assert checked > 100


def test_nothing_is_compiled_in_any_other_way():
    users = [path.name for path in PACKAGE.rglob("*.py") if "numba import" in path.read_text()]
    assert users == ["jit.py"]
