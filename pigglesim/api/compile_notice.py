"""A note on standard error for people who wait while code compiles."""

import sys

from pigglesim.physics.engines import is_compiled

_COMPILING = {"drops": 20, "pours": 60}
"""Seconds on a core that nobody else uses."""


def tell_of_compiling(engine: str, *, throws: str = "pours") -> bool:
    """Say so on standard error if an engine must be compiled first, which happens once.

    Throws are `"drops"` of single dice, or `"pours"`.

    Returns:
        Whether it must be.
    """
    compiles = engine == "impulse" and not is_compiled(throws)
    if compiles:
        sys.stderr.write(
            f"pigglesim: compiling for {throws} (once; about {_COMPILING[throws]} s on a free core,"
            " longer where others use it) ...\n",
        )
    return compiles
