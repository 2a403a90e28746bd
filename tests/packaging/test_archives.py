"""Wheel and sdist hold what is needed and nothing else, and repeat to the bit."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from pigglesim.errors import SpecError
from pigglesim.physics.impulse.webassembly import MANIFEST, MODULE
from scripts.build_hook import CompiledCodeHook
from scripts.cross_target.intermediate import KERNELS
from scripts.cross_target.memory import WebAssembly, kernels_from
from scripts.cross_target.replay import in_chromium, in_node, in_wasmtime, record
from scripts.determinism import samples
from scripts.determinism.fingerprints import digest as fingerprint
from scripts.rebuild import compared
from tests.packaging.archives import ROOT, build, checkout_files, copy_checkout
from tests.support.browser import need_program

WHEEL_LIMIT = 2_000_000
SDIST_LIMIT = 4_300_000
FILE_LIMIT = 400_000
"""Bytes. What grows past these does so knowingly."""
DATED = "1700000000"

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with what the wheel brings, as pip lays it out."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_has_every_file_of_the_package_its_models_and_scenes(wheel):
    wanted = {
        name if name.startswith("pigglesim/") else f"pigglesim/data/{name}"
        for name in checkout_files(tops=("pigglesim", "models", "scenes"))
    }
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(names) == sorted(wanted)


def test_the_sdist_is_the_checkout(sdist):
    stem = sdist.name.removesuffix(".tar.gz")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert {member.name for member in members} == {
        f"{stem}/{name}" for name in [*checkout_files(), "PKG-INFO"]
    }
    for member in members:
        assert member.isfile(), member.name
        source = ROOT / member.name.removeprefix(f"{stem}/")
        runs = source.exists() and os.access(source, os.X_OK)
        assert member.mode == (0o755 if runs else 0o644), member.name
        assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")


def test_both_stay_small(wheel, sdist):
    assert wheel.stat().st_size < WHEEL_LIMIT
    assert sdist.stat().st_size < SDIST_LIMIT
    with tarfile.open(sdist) as archive:
        large = [one.name for one in archive.getmembers() if one.size > FILE_LIMIT]
    assert large == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_build_elsewhere_has_the_same_bits(kind, request, tmp_path):
    """Another folder, order of files, age, umask, zone, language and hash seed; litter about."""
    other = copy_checkout(tmp_path / "elsewhere", files=checkout_files()[::-1])
    for number, path in enumerate(sorted(other.rglob("*"))):
        os.utime(path, (1e9 + 1e5 * number, 1e9 + 1e5 * number))
    for litter in (
        "pigglesim/physics/__pycache__/impulse.steps-1.py311.nbc",
        "pigglesim/__pycache__/rolls.cpython-311.pyc",
        "models/match.record.jsonl",
        "scenes/teams/__pycache__/x",
        "tests/.pytest_cache/v",
        "build/lib/pigglesim/old.py",
        ".venv/pyvenv.cfg",
        "notes.txt",
    ):
        (other / litter).parent.mkdir(parents=True, exist_ok=True)
        (other / litter).write_text("litter")
    env = {"TZ": "Pacific/Apia", "LC_ALL": "C", "PYTHONHASHSEED": "77"}
    before = os.umask(0o077)
    try:
        again = build(other, tmp_path / "out", kind, **env)
    finally:
        os.umask(before)
    assert digest(again) == digest(request.getfixturevalue(kind))


def test_a_date_from_outside_is_taken_and_repeats(wheel, unpacked, tmp_path):
    one = build(ROOT, tmp_path / "one", "wheel", SOURCE_DATE_EPOCH=DATED)
    other = build(unpacked, tmp_path / "other", "wheel", SOURCE_DATE_EPOCH=DATED)
    assert digest(one) == digest(other) != digest(wheel)
    assert {member.date_time[0] for member in zipfile.ZipFile(one).infolist()} == {2023}


def test_the_sdist_builds_the_same_wheel(wheel, unpacked, tmp_path):
    assert digest(build(unpacked, tmp_path, "wheel")) == digest(wheel)


def test_a_rebuild_tells_which_file_of_a_wheel_was_changed(wheel, tmp_path):
    assert compared(wheel) == [f"{wheel.name}: same, SHA-256 {digest(wheel)}"]
    changed = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(changed, "w") as written:
        for member in given.infolist():
            planted = b"#" if member.filename == "pigglesim/rng.py" else b""
            written.writestr(member, given.read(member) + planted)
        written.writestr("pigglesim/extra.py", "")
    assert compared(changed) == [
        f"{wheel.name}: differs",
        "  pigglesim/extra.py: only there",
        "  pigglesim/rng.py: differs",
    ]


def test_the_metadata_say_what_pyproject_says(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        found = message_from_string(archive.read(name).decode())
        entry_points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert (found["Name"], found["Version"]) == ("pigglesim", PROJECT["version"])
    assert found["Requires-Python"] == ">=3.11"
    assert found.get_payload() == (ROOT / "README.md").read_text()
    assert set(found.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert "pigglesim = pigglesim.__main__:main" in entry_points


def test_classifiers_are_known_ones():
    from trove_classifiers import classifiers

    assert set(PROJECT["classifiers"]) <= set(classifiers)
    assert PROJECT["classifiers"] == sorted(PROJECT["classifiers"])


def test_what_the_wheel_carries_it_can_use(installed, tmp_path):
    """From the unpacked wheel, outside the checkout: every scene, team, model and web page."""
    code = (
        "import pigglesim.data_files as c\n"
        "from pigglesim.scene.load import load_scene\n"
        "from pigglesim.bodies.load import load_model\n"
        "print(c.__file__, *(load_scene(n).id for n in c.scene_names()))\n"
        "print(*(load_model(n).model for n in c.model_names()))\n"
        "print(*(c.team_file(n).stem for n in c.team_names()))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    first, models, teams = done.stdout.splitlines()
    file, *scenes = first.split()
    assert Path(file).is_relative_to(installed)
    # As many as the checkout has.
    assert len(scenes) == len(list((ROOT / "scenes").glob("*.toml")))
    assert len(models.split()) == len(list((ROOT / "models").glob("*.toml")))
    assert len(teams.split()) == len(list((ROOT / "scenes" / "teams").glob("*.toml")))


STUDY = """
import pigglesim
from numba.core import event

class Compiled(event.Listener):
    def on_start(self, event):
        print("compiled", event.data["dispatcher"])

    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
for kind in ("drop", "pour"):
    pigglesim.study(kind, throws=1, engine="impulse")
print(pigglesim.__file__)
"""


@pytest.mark.slow
def test_a_wheel_with_compiled_code_throws_without_compiling_and_the_same_in_webassembly(tmp_path):
    wheel = build(ROOT, tmp_path / "out", "wheel", HATCH_BUILD_NO_HOOKS="false")
    installed = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    files = [*(installed / "pigglesim" / "compiled").rglob("*-*")]
    names = {path.name.partition("-")[0] for path in files}
    assert names >= {"run_drops", "run_throw", "play_on"}
    # numba names the code of a sum of arrays by an address: no build would repeat it.
    assert [path.name for path in files if b"__numba_array_expr" in path.read_bytes()] == []
    expect_all_in_the_bill(installed)
    env = {**os.environ, "PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(tmp_path)}
    words = [sys.executable, "-c", STUDY]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{installed / 'pigglesim' / '__init__.py'}\n"
    expect_the_same_in_webassembly(installed / "pigglesim" / "webassembly")


def test_a_compiler_that_is_killed_is_a_fault_of_the_build(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -9 $$\n")
    python.chmod(0o755)
    hook = CompiledCodeHook(str(ROOT), {}, None, None, str(tmp_path), "wheel")
    assert hook._compile(str(python), tmp_path / "copy") == f"{python} ended with status -9"


def expect_all_in_the_bill(installed):
    """Expect that the bill of materials names all compiled files and all dependencies."""
    (path,) = installed.glob("*.dist-info/sboms/*.cdx.json")
    components = json.loads(path.read_text())["components"]
    files = {each["name"]: each["hashes"] for each in components if each["type"] == "file"}
    shipped = [
        path
        for folder in ("compiled", "webassembly")
        for path in (installed / "pigglesim" / folder).rglob("*")
        if path.is_file()
    ]
    assert files == {
        path.relative_to(installed).as_posix(): [{"alg": "SHA-256", "content": digest(path)}]
        for path in shipped
    }
    libraries = {each["name"]: each for each in components if each["type"] == "library"}
    declared = [Requirement(word) for word in PROJECT["dependencies"]]
    assert libraries.keys() >= {each.name for each in declared if each.marker is None}
    for name, library in libraries.items():
        assert library["version"] == version(name) and library["licenses"], name


def expect_the_same_in_webassembly(folder):
    """Expect of the module in a wheel that it is of these sources, and throws like native code."""
    manifest = json.loads((folder / MANIFEST).read_text())
    assert set(manifest["kernels"]) == {kernel.__name__ for kernel in KERNELS}
    native = record(manifest, drop_count=200, pour_count=3)
    assert len(native.calls) >= 5
    need_program("node")
    need_program("chromium")
    for replay in (in_wasmtime, in_node, in_chromium):
        replayed = replay(folder, native.calls)
        assert (replayed.calls, replayed.differing) == (len(native.calls), 0), replay
    # A module of other sources, or another than its manifest tells, is refused.
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    (other / MODULE).write_bytes((folder / MODULE).read_bytes() + b"\0")
    with pytest.raises(SpecError, match=r"does not match impulse\.json.*scripts/make_wasm"):
        WebAssembly(other)
    changed = {**manifest, "sources": dict.fromkeys(manifest["sources"], "another")}
    (other / MODULE).write_bytes((folder / MODULE).read_bytes())
    (other / MANIFEST).write_text(json.dumps(changed))
    with pytest.raises(SpecError, match=r"other sources.*scripts/make_wasm"):
        WebAssembly(other)
    # Whole throws, with all that Python does before and after the kernels.
    thrown = throws()
    with kernels_from(WebAssembly(folder)):
        assert throws() == thrown


def throws():
    """Return the fingerprint of some throws of engine impulse."""
    return fingerprint((*samples.drops("impulse", 50), *samples.pours("impulse", 2)))


@pytest.mark.slow
def test_tests_run_from_the_sdist(unpacked):
    # What stands before all tests compiles the engine, which takes a minute in a new folder.
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"]
    words += ["tests/unit/games/test_house_rules.py", "tests/packaging/test_community.py"]
    words += ["tests/documentation/test_links.py", "-k", "change or citation or points_at or link"]
    env = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, cwd=unpacked, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout
