"""What is told to whoever waits."""

import sys

from pigglesim.physics.compiled_code import is_compiled

__all__ = ["tell_of_compiling"]

_COMPILING = {"drops": "some ten seconds", "pours": "half a minute"}


def tell_of_compiling(engine: str, *, throws: str = "pours") -> None:
    """Say so on standard error if an engine must be compiled first, which happens once.

    Args:
        engine: Its name.
        throws: `"drops"` of single dice, or `"pours"`.
    """
    if engine == "impulse" and not is_compiled(throws):
        sys.stderr.write(
            f"pigglesim: compiling for {throws} (once; {_COMPILING[throws]}) ...\n",
        )
