"""A copy of the tree in which mutmut may work: its own settings, quick and repeatable tests."""

import shutil
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path

from tests.mutation.subjects import ROOT, Subject

_COPIED = ("pigglesim", "tests", "models", "scenes", "docs", "README.md", "scripts")
_CONFTEST = '''\
"""Tests in the workshop: quick and the same for every mutant."""

import warnings

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = 6


def pytest_collection_modifyitems(items):
    for item in items:
        inner = getattr(item.obj, "hypothesis", None)
        if inner is None:
            continue
        usual = item.obj._hypothesis_internal_use_settings
        # What fails need not be made small, and every mutant meets the same examples.
        item.obj._hypothesis_internal_use_settings = settings(
            usual,
            max_examples=min(EXAMPLES, usual.max_examples),
            phases=(Phase.explicit, Phase.generate),
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
    # Plain tests first: most mutants fall to them, and they are the quickest.
    items.sort(key=lambda item: hasattr(item.obj, "hypothesis"))
'''
_SETTINGS = """\
[tool.mutmut]
source_paths = ["pigglesim"]
only_mutate = [{only}]
also_copy = ["models", "scenes", "docs", "README.md", "scripts"]
pytest_add_cli_args_test_selection = [{selection}]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-W", "ignore"]
timeout_constant = 2.0
timeout_multiplier = 8.0
use_setproctitle = false
track_dependencies = false
use_git_change_detection = false

[tool.pytest.ini_options]
markers = ["slow: takes more than ten seconds"]
"""


def files_of(subject: Subject) -> list[Path]:
    """Return the files of a subject, relative to the root of the tree."""
    known = (path.relative_to(ROOT) for path in sorted((ROOT / "pigglesim").rglob("*.py")))
    return [path for path in known if any(_matches(path, glob) for glob in subject.sources)]


def _matches(path: Path, glob: str) -> bool:
    # A star of fnmatch crosses folders; a pattern of files stays in its own.
    return fnmatch(str(path), glob) and (
        not glob.endswith("*.py") or path.parent == Path(glob).parent
    )


def digest_of(subject: Subject) -> str:
    """Return what changes when a file of the subject changes."""
    return sha256(b"\0".join((ROOT / path).read_bytes() for path in files_of(subject))).hexdigest()


def set_up(folder: Path, subject: Subject) -> None:
    """Copy the tree into a folder and set mutmut up there for one subject.

    What is there already stays if the subject is as it was, so that its mutants are made once;
    tests are copied anew.
    """
    stamp, digest = folder / "digest", digest_of(subject)
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        stamp.write_text(digest)
    unwanted = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            # Times of files are kept: by them mutmut sees what is as it was.
            shutil.copytree(source, folder / name, ignore=unwanted, dirs_exist_ok=True)
        else:
            shutil.copy2(source, folder / name)
    # The usual one compiles the engine, which neither rules nor reading ask for.
    (folder / "tests" / "conftest.py").write_text(_CONFTEST)
    selection = list(subject.tests)
    if subject.keyword:
        selection = ["-k", subject.keyword, *selection]
    text = _SETTINGS.format(
        only=", ".join(f'"{path}"' for path in files_of(subject)),
        selection=", ".join(f'"{word}"' for word in selection),
    )
    (folder / "pyproject.toml").write_text(text)
