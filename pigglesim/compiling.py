"""How hot loops are compiled."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

__all__ = ["compiled"]

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


def compiled(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile when first called, and keep the result for the next process where one can."""
    made: Callable[_Args, _Result]
    try:
        made = njit(cache=True)(function)
    except RuntimeError:  # neither this folder nor the user's own can be written
        made = njit(cache=False)(function)
    return made
