"""Whether engine `impulse` must be compiled first; without its compiler, slow to import."""

from pigglesim.jit_cache import is_kept

_LAST = {"drops": ("early_stop", "run_drops"), "pours": ("step", "advance_world")}
"""Of all that throws need, what is compiled last."""


def is_compiled(throws: str) -> bool:
    """Whether the code for `"drops"` or `"pours"` is there, so that none need be waited for."""
    module, function = _LAST[throws]
    return is_kept(f"pigglesim.physics.impulse.{module}", function)
