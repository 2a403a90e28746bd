"""What is kept of compiled code, and what of it is believed."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pigglesim import jit_cache as kept_code
from pigglesim.jit_cache import code_folders, is_kept, keep, kept, sources

MODULE = "pigglesim.solvers.kernel"
CODE = bytes(range(256)) * 4


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    code_folders.cache_clear()
    yield code_folders(MODULE)[0]
    code_folders.cache_clear()


def only_file(folder):
    (file,) = folder.iterdir()
    return file


def test_what_is_kept_comes_back_for_the_same_types_alone(folder):
    assert not is_kept(MODULE, "f")
    keep(MODULE, "f", "int64", CODE)
    assert kept(MODULE, "f", "int64") == CODE
    assert kept(MODULE, "f", "float64") is None
    assert kept(MODULE, "g", "int64") is None
    assert is_kept(MODULE, "f")
    assert not is_kept(MODULE, "g")


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 500, 32 + len(CODE) - 1])
def test_a_torn_file_counts_as_none(folder, size):
    keep(MODULE, "f", "int64", CODE)
    file = only_file(folder)
    file.write_bytes(file.read_bytes()[:size])
    assert kept(MODULE, "f", "int64") is None
    keep(MODULE, "f", "int64", CODE)
    assert kept(MODULE, "f", "int64") == CODE


def test_no_byte_of_a_file_can_change_unseen(folder):
    keep(MODULE, "f", "int64", CODE)
    file = only_file(folder)
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert kept(MODULE, "f", "int64") is None
    file.write_bytes(whole + b"\0")
    assert kept(MODULE, "f", "int64") is None


def test_code_under_the_name_of_other_types_counts_as_none(folder):
    keep(MODULE, "f", "int64", CODE)
    first = only_file(folder)
    keep(MODULE, "f", "float64", b"other")
    (second,) = set(folder.iterdir()) - {first}
    shutil.copyfile(second, first)
    assert kept(MODULE, "f", "int64") is None
    assert kept(MODULE, "f", "float64") == b"other"


def test_writers_at_once_leave_each_code_under_its_own_name(folder):
    keys = [f"type {k}" for k in range(8)]

    def work(turn):
        key = keys[turn % len(keys)]
        keep(MODULE, "f", key, key.encode() * 1000)
        return kept(MODULE, "f", key) == key.encode() * 1000

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
    assert len(list(folder.iterdir())) == len(keys)


def test_what_cannot_be_written_is_kept_in_the_next_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    folders = (tmp_path / "file" / "m" / "state", tmp_path / "own" / "m" / "state")
    monkeypatch.setattr(kept_code, "code_folders", lambda module: folders)
    keep(MODULE, "f", "int64", CODE)
    assert kept(MODULE, "f", "int64") == CODE
    assert only_file(folders[1])
    monkeypatch.setattr(kept_code, "code_folders", lambda module: folders[:1])
    keep(MODULE, "f", "int64", CODE)
    assert kept(MODULE, "f", "int64") is None


def test_code_is_looked_for_beside_the_sources_and_then_in_the_users_own_folder(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    code_folders.cache_clear()
    beside, own = code_folders(MODULE)
    code_folders.cache_clear()
    assert beside.is_relative_to(Path(kept_code.__file__).parent / "__pycache__")
    assert own.parts[-2:] == beside.parts[-2:]
    assert code_folders("numpy.linalg") == ()


def test_states_that_lie_behind_are_swept(folder):
    for age in range(5):
        old = folder.parent / f"state{age}"
        old.mkdir(parents=True)
        os.utime(old, (1e9 - age, 1e9 - age))
    keep(MODULE, "f", "int64", CODE)
    assert {path.name for path in folder.parent.iterdir()} == {folder.name, "state0", "state1"}


def test_sources_are_a_module_and_all_that_it_imports():
    names = {path.name for path in sources("pigglesim.solvers.kernel")}
    assert names == {"kernel.py", "jit.py"}
    names = {path.name for path in sources("pigglesim.agents.piggyback_playouts")}
    assert {"piggyback_kernel.py", "piggyback_greedy.py", "landing.py", "state.py"} <= names
