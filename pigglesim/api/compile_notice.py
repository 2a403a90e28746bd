"""Note on standard error before code is compiled, which makes the user wait."""

import sys

from pigglesim.physics.engine import is_compiled

_COMPILING = {"drops": 20, "pours": 60}
"""Compile time on an idle core [s]."""


def tell_of_compiling(engine: str, *, throws: str = "pours") -> bool:
    """Print a note on standard error if an engine must first be compiled, which happens once.

    Throws are `"drops"` of single dice, or `"pours"`.

    Returns:
        True if it must be compiled.
    """
    compiles = engine == "impulse" and not is_compiled(throws)
    if compiles:
        sys.stderr.write(
            f"pigglesim: compiling for {throws} (once; about {_COMPILING[throws]} s on a free core,"
            " longer where others use it) ...\n",
        )
    return compiles
