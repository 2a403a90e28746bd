"""Plain Python throws with the bits of compiled code, so that its mutants can be told from it.

`scripts/mutate --code pours` and `--code impulse` run this in plain Python, on mutants.
"""

import json
import os
import subprocess
import sys

import pytest
from numba import config

from tests.support.small_throws import DROPPERS, THROWS, bits


@pytest.fixture(scope="module")
def other_bits():
    """The digests in plain Python, or those of compiled code, where this is plain Python."""
    if known := os.environ.get("PIGGLESIM_COMPILED_BITS"):
        return json.loads(known)
    return json.loads(
        subprocess.check_output(
            [sys.executable, "-m", "tests.support.small_throws"],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        )
    )


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if config.DISABLE_JIT else pytest.mark.slow)
        for name in (*THROWS, *DROPPERS)
    ],
)
def test_plain_python_has_the_bits_of_compiled_code(other_bits, name):
    assert bits(name) == other_bits[name]
