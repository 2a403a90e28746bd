"""Without the extra, one line that says how to get it."""

import subprocess
import sys

import pytest

from pigglesim.envs import MissingExtraError, expect_extra


@pytest.mark.parametrize("library", ["pettingzoo", "gymnasium"])
def test_importing_without_the_library_names_the_extra(library):
    code = f"import sys; sys.modules[{library!r}] = None; import pigglesim.envs.{library}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"need {library}; " in last
    assert last.endswith(" -m pip install pettingzoo gymnasium")


def test_it_is_an_import_error_and_one_of_ours():
    with pytest.raises(ImportError, match="a_library_that_is_not"):
        expect_extra("numpy", "a_library_that_is_not")
    assert issubclass(MissingExtraError, ImportError)
