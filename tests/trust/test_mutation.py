"""The groups of mutation tests: of files that are there, and of all modules of experiments."""

from collections import Counter

import pytest

from scripts.trust.mutation.mutate import ROOT, SCOPES


@pytest.mark.parametrize("code", SCOPES)
def test_a_group_is_of_files_that_are_there(code):
    scope = SCOPES[code]
    assert all([*ROOT.glob(pattern)] for pattern in scope.mutated)
    left_out = [test.partition("::")[0] for test in scope.left_out]
    assert all((ROOT / test).exists() for test in (*scope.tests, *left_out))


def test_every_module_of_experiments_is_in_one_group():
    mutated = Counter(pattern for scope in SCOPES.values() for pattern in scope.mutated)
    folder = ROOT / "pigglesim" / "experiments"
    modules = {f"pigglesim/experiments/{file.name}" for file in folder.glob("[!_]*.py")}
    assert {name for name in mutated if "/experiments/" in name} == modules
    assert {mutated[name] for name in modules} == {1}
