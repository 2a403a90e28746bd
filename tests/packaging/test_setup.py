"""Which Pythons the checkout's own scripts take, and that what they install is pinned for each."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TOOLS = ("bash", "cat", "cksum", "dirname", "flock", "mktemp", "rm", "tail", "cut", "grep")
PINS = ROOT / "scripts" / "constraints"


@pytest.fixture
def checkout(tmp_path):
    """A folder with what scripts/setup reads, and another for the only programs on the PATH."""
    for name in (
        "pyproject.toml",
        "scripts/setup",
        *(f"scripts/constraints/{p}.txt" for p in ("run", "test", "trust")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in TOOLS:
        (programs / tool).symlink_to(shutil.which(tool))
    return tmp_path


def pretend(checkout, name, version):
    """Put a Python on the PATH that says its version, and that it has no venv."""
    major, minor = version
    number = f"{major}.{minor}"
    # It answers what the script asks: whether a range holds it, its version, its modules.
    (checkout / "programs" / name).write_text(
        "#!/bin/bash\n"
        'case "$2" in\n'
        f'*"<= (3, "*) top=${{2##*(3, }}; top=${{top%%)*}}; [ {minor} -ge 11 ] && '
        f"[ {minor} -le $top ] ;;\n"
        f"*print*) echo {number} ;;\n"
        "*ensurepip*) exit 1 ;;\n"
        "*) exit 1 ;;\n"
        "esac\n"
    )
    (checkout / "programs" / name).chmod(0o755)


@pytest.mark.parametrize(
    ("level", "there", "said"),
    [
        *((level, {"python3": (3, 10)}, "no Python 3.11") for level in ("run", "test", "trust")),
        ("test", {"python3": (3, 14)}, "no Python 3.11 to 3.13, which tests need"),
        ("run", {"python3": (3, 13)}, "Python 3.13 has no venv"),
        ("run", {"python3.12": (3, 12), "python3": (3, 10)}, "Python 3.12 has no venv"),
        ("run", {"python3.13": (3, 13), "python3.11": (3, 11)}, "Python 3.13 has no venv"),
        ("test", {"python3.14": (3, 14), "python3": (3, 12)}, "Python 3.12 has no venv"),
        ("trust", {"python3.13": (3, 13), "python3": (3, 11)}, "Python 3.11 has no venv"),
        ("trust", {"python3": (3, 13)}, "no Python 3.11, which the long checks need"),
    ],
)
def test_a_run_takes_newer_pythons_than_tests_and_long_checks(checkout, level, there, said):
    for name, version in there.items():
        pretend(checkout, name, version)
    done = subprocess.run(
        [checkout / "scripts" / "setup", level],
        env={"PATH": str(checkout / "programs")},
        capture_output=True,
        text=True,
    )
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    # The Python that is chosen is the one whose missing module is reported.
    assert line.startswith("pigglesim: ") and said in line and "; install " in line
    assert not (checkout / ".venv").exists()


def pins(level):
    """Return the pinned versions of a level, by the name of the distribution.

    A list begins with the one before and may repeat a pin for other systems, never another version.
    """
    text = (PINS / f"{level}.txt").read_text()
    before = re.match(r"-r (\w+)\.txt\n", text)
    found = pins(before[1]) if before else {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        assert found.setdefault(name, version) == version
    return found


def test_everything_declared_is_pinned_and_hashed():
    run, test, trust = pins("run"), pins("test"), pins("trust")
    assert run.items() <= test.items() <= trust.items()
    for word in PROJECT["project"]["dependencies"]:
        requirement = Requirement(word)
        # What newer Pythons need instead of PyBullet is in the list of tests at the least.
        place = run if "python_version >=" not in str(requirement.marker) else test
        assert place[requirement.name] in requirement.specifier, word
    for words in PROJECT["project"]["optional-dependencies"].values():
        for word in words:
            assert test[Requirement(word).name] in Requirement(word).specifier, word
    for level in ("run", "test", "trust"):
        blocks = re.split(r"\n(?=\S)", (PINS / f"{level}.txt").read_text().strip())
        assert all("--hash=sha256:" in block or block.startswith("-r ") for block in blocks)
        assert not re.search(r"https?:", (PINS / f"{level}.txt").read_text())
