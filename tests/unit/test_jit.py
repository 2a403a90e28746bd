"""Compiled code follows its sources, outlives damaged files, and can be interrupted."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_name
from numba import njit
from numba.core.dispatcher import Dispatcher

import pigglesim
from pigglesim.code_cache import cached_code, code_folders, is_cached, sources, store_code
from pigglesim.data_files import user_cache
from pigglesim.jit import compiled
from pigglesim.solvers import dice_game as solutions

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
    return make_package(tmp_path / "pigglesim")


def make_package(folder):
    """Make a package of the same name with the real way of compiling, and little to compile."""
    folder.mkdir()
    for name in (
        "code_cache.py",
        "jit.py",
        "data_files.py",
        "durable_io.py",
        "errors.py",
        "signals.py",
    ):
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
    printed, faults = process.communicate(timeout=120)
    assert not faults
    return json.loads(printed)


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


def test_code_compiled_again_in_another_folder_has_the_same_bytes(package, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # as the build of a wheel does
    (tmp_path / "elsewhere").mkdir()
    other = make_package(tmp_path / "elsewhere" / "pigglesim")
    made = []
    for each in (package, other):
        assert end(begin(each)) == {"value": 30, "hits": 0}
        folder = each / "__pycache__" / "compiled"
        files = [path for path in folder.rglob("*-*") if path.is_file()]
        made.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert len(made[0]) == 2
    assert made[0] == made[1]


def test_of_two_processes_that_need_the_same_code_one_compiles_it(package):
    found = [end(process) for process in [begin(package, TOGETHER + MAIN) for _ in range(2)]]
    assert [one["value"] for one in found] == [30, 30]
    assert sorted(one["hits"] for one in found) == [0, 1]


def test_one_that_waits_for_a_process_to_compile_goes_on_when_that_dies(package):
    lock = package / "__pycache__" / "compiled" / "pigglesim.caller.lock"
    holder = begin(package, HOLDING, lock)
    assert holder.stdout.readline() == "taken\n"
    waiting = begin(package)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(3.0)
    holder.kill()
    holder.communicate()
    assert end(waiting) == {"value": 30, "hits": 0}


@compiled
def scaled(x, factor, offset=0):
    return x * factor + offset


@compiled
def combined(x):
    return scaled(x, 2, 1) + scaled(x, 3, 5) + scaled(x, factor=4, offset=7)


def test_a_function_is_not_compiled_again_for_each_constant_that_it_is_called_with():
    assert combined(1.0) == 22.0
    assert [str(kinds) for kinds in scaled.signatures] == ["(float64, int64, int64)"]


@compiled
def entry(array, index):
    return array[index]


def test_indices_count_from_the_end_outside_the_engine():
    assert entry(np.arange(3.0), -1) == 2.0


def test_code_is_for_any_processor_and_that_of_others_stays_for_this_one():
    assert combined(1.0) == 22.0
    (made,) = combined.overloads.values()
    assert made.library.codegen.magic_tuple()[1:] == ("generic", "")
    own = njit(lambda x: x + 1)
    assert own(1) == 2
    (made,) = own.overloads.values()
    assert made.library.codegen.magic_tuple()[1] == get_host_cpu_name() != "generic"


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """A package whose compiled code is a part of it."""
    package = make_package(tmp_path_factory.mktemp("shipped") / "pigglesim")
    assert end(begin(package)) == {"value": 30, "hits": 0}
    (package / "__pycache__" / "compiled").rename(package / "compiled")
    return package


@pytest.fixture
def shipped(compiled_once, tmp_path):
    """A copy of that package, and the files of its compiled code."""
    package = shutil.copytree(compiled_once, tmp_path / "pigglesim")
    return package, [path for path in (package / "compiled").rglob("*-*") if path.is_file()]


@pytest.mark.slow
def test_shipped_code_is_used_and_left_as_it_is(shipped):
    package, files = shipped
    assert end(begin(package)) == {"value": 30, "hits": 1}
    edit(package / "numbers.py", "2", "3")
    assert end(begin(package)) == {"value": 40, "hits": 0}
    edit(package / "numbers.py", "3", "2")
    assert end(begin(package)) == {"value": 30, "hits": 1}
    assert [path for path in (package / "compiled").rglob("*-*") if path.is_file()] == files


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["torn", "swapped", "foreign"])
def test_shipped_code_that_is_unfit_is_compiled_again_without_a_word(shipped, harm):
    package, files = shipped
    if harm == "torn":
        for path in files:
            path.write_bytes(path.read_bytes()[:1000])
    elif harm == "swapped":
        whole = [path.read_bytes() for path in files]
        for path, data in zip(files, reversed(whole), strict=True):
            path.write_bytes(data)
    else:  # as other versions of the compiler name it
        for path in {path.parent for path in files}:
            path.rename(path.with_name("0" * 24))
    assert end(begin(package)) == {"value": 30, "hits": 0}
    assert end(begin(package)) == {"value": 30, "hits": 1}


def test_a_folder_that_an_older_checkout_has_left_hides_no_module(package):
    (package / "callee" / "__pycache__").mkdir(parents=True)
    assert end(begin(package)) == {"value": 30, "hits": 0}
    assert end(begin(package)) == {"value": 30, "hits": 1}


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
                for used in reached:
                    if isinstance(used, Dispatcher | FunctionType):
                        assert Path(used.__code__.co_filename) in files
                        checked += 1
                    elif isinstance(used, ModuleType) and used.__name__.startswith("pigglesim"):
                        assert Path(used.__file__) in files
    assert checked > 100


def test_an_edit_elsewhere_compiles_no_throw_again():
    folders = {PACKAGE, *(PACKAGE / "physics" / name for name in ("", "impulse"))}
    for module in ("pour", "drops"):
        files = sources(f"pigglesim.physics.impulse.{module}")
        assert {file.parent for file in files} <= folders
        assert PACKAGE / "__init__.py" not in files
        assert len(files) <= 21


def test_nothing_is_compiled_in_any_other_way():
    users = [path.name for path in PACKAGE.rglob("*.py") if "numba import" in path.read_text()]
    assert users == ["jit.py"]


MODULE = "pigglesim.solvers.kernel"
CODE = bytes(range(256)) * 4


@pytest.fixture
def code_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    code_folders.cache_clear()
    # The first is that of shipped code.
    yield code_folders(MODULE)[1]
    code_folders.cache_clear()


def only_file(folder):
    (file,) = folder.iterdir()
    return file


def test_code_comes_back_whole_for_its_own_types_or_not_at_all(code_folder):
    assert not is_cached(MODULE, "f")
    store_code(MODULE, "f", "int64", CODE)
    assert cached_code(MODULE, "f", "int64") == CODE
    assert cached_code(MODULE, "f", "float64") is None
    assert cached_code(MODULE, "g", "int64") is None
    assert (is_cached(MODULE, "f"), is_cached(MODULE, "g")) == (True, False)
    file = only_file(code_folder)
    whole = file.read_bytes()
    changed = (whole[:at] + bytes([byte ^ 1]) + whole[at + 1 :] for at, byte in enumerate(whole))
    for other in (*changed, b"", whole[:33], whole[:-1], whole + b"\0"):
        file.write_bytes(other)
        assert cached_code(MODULE, "f", "int64") is None
    store_code(MODULE, "f", "int64", CODE)
    assert cached_code(MODULE, "f", "int64") == CODE


def test_what_cannot_be_written_goes_to_the_next_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    folders = [tmp_path / top / "m" / "state" for top in ("shipped", "file", "own")]
    monkeypatch.setattr("pigglesim.code_cache.code_folders", lambda module: folders)
    store_code(MODULE, "f", "int64", CODE)
    assert cached_code(MODULE, "f", "int64") == CODE
    assert only_file(folders[2])
    assert not folders[0].exists()
    monkeypatch.setattr("pigglesim.code_cache.code_folders", lambda module: folders[:2])
    store_code(MODULE, "f", "int64", CODE)
    assert cached_code(MODULE, "f", "int64") is None


def test_code_of_old_states_is_deleted(code_folder):
    for age in range(5):
        old = code_folder.parent / f"state{age}"
        old.mkdir(parents=True)
        os.utime(old, (1e9 - age, 1e9 - age))
    store_code(MODULE, "f", "int64", CODE)
    assert {path.name for path in code_folder.parent.iterdir()} == {
        code_folder.name,
        "state0",
        "state1",
    }


# Without `signals_deferred` the first ends with a segmentation fault, and every fifth signal
# of the second is lost or becomes an error of the compiler's own.
RUNNING = """
import mmap, os, random, signal, time
import numpy as np
from pigglesim.jit import compiled
from pigglesim.signals import signals_deferred

@compiled
def draw(rng):
    return rng.random()

def work():
    with signals_deferred():
        return draw(rng)

rng = np.random.default_rng(1)
work()
# What was heard, in eight bytes, and whether no signal comes any more.
own, shared, heard, calls = os.getpid(), mmap.mmap(-1, 9), 0, 0
if not os.fork():
    waits = random.Random(1)
    while int.from_bytes(shared[:8]) < 2000 and os.getppid() == own:
        time.sleep(waits.random() * 0.002)
        os.kill(own, signal.SIGINT)
    shared[8] = 1
    os._exit(0)

def drawing():
    global calls
    while not shared[8]:
        work()
        calls += 1
    time.sleep(0.05)

while not shared[8]:
    try:
        while not shared[8]:
            try:
                drawing()
            except KeyboardInterrupt:
                heard += 1
                shared[:8] = heard.to_bytes(8)
    except KeyboardInterrupt:
        heard += 1
        shared[:8] = heard.to_bytes(8)
print(heard, calls)
"""
COMPILING = """
import os, signal, threading, time
import numpy as np
from pigglesim.jit import compiled

SOURCE = '''
def total(numbers):
    found = 0.0
    for number in numbers:
        found += np.sin(number) if number > 0.5 else np.cos(number) * {factor}
    return found
'''

def fresh(factor):
    names = {"np": np, "__name__": "fresh"}
    exec(SOURCE.format(factor=factor), names)
    return compiled(names["total"])

numbers = np.zeros(3)
fresh(1)(numbers)
begun = time.monotonic()
fresh(2)(numbers)
took, heard = time.monotonic() - begun, 0
for k in range(12):
    function = fresh(k)
    stop = lambda: os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(took * (k + 0.5) / 12, stop)
    try:
        timer.start()
        function(numbers)
        timer.join()
        time.sleep(0.05)
    except KeyboardInterrupt:
        heard += 1
    timer.join()
    assert function(numbers) == 3.0 * k
print(heard)
"""


def numbers_of(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
def test_thousands_of_interrupts_while_compiled_code_unpacks_a_generator_end_only_calls():
    heard, calls = numbers_of(RUNNING)
    assert heard >= 2000
    assert calls > 1000


@pytest.mark.slow
def test_an_interrupt_of_the_compiler_is_heard_and_what_it_compiles_is_right_afterwards():
    assert numbers_of(COMPILING) == [12]


@pytest.fixture
def homeless(monkeypatch):
    """A user without HOME and without an entry among users, as in some containers."""

    def unknown(_user):
        raise KeyError("getpwuid(): uid not found")

    for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    code_folders.cache_clear()
    yield
    code_folders.cache_clear()


@pytest.mark.usefixtures("homeless")
def test_without_a_home_nothing_is_cached_in_one():
    assert user_cache() is None
    assert code_folders("pigglesim.physics.impulse.step")
    assert solutions.solutions_folder() is None
    assert solutions.solve_match(solutions.DuelResult(dice=solutions.PIG, target=1)).solved
