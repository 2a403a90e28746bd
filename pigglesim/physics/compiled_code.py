"""Whether engine `impulse` must be compiled first; without its compiler, slow to import."""

from pigglesim.kept_code import is_kept

__all__ = ["is_compiled"]

_LAST = {"drops": ("impulse_decide", "settle_all"), "pours": ("impulse_pile", "advance_all")}
"""Of all that throws need, what is compiled last."""


def is_compiled(throws: str) -> bool:
    """Whether the code for `"drops"` or `"pours"` is there, so that none need be waited for."""
    module, function = _LAST[throws]
    return is_kept(f"pigglesim.physics.{module}", function)
