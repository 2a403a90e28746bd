"""The most memory that this process has held, where the system tells it."""

import sys

if sys.platform != "win32":  # no module tells it there
    import resource

__all__ = ["peak_memory", "peak_memory_told"]


def peak_memory() -> float | None:
    """Return the most memory that this process has held [MB]; None where nothing tells it."""
    if sys.platform == "win32":
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # macOS counts bytes, other systems kilobytes.
    return most * (1 if sys.platform == "darwin" else 1024) / 1e6


def peak_memory_told(peak: float | None) -> str:
    """Return a peak of memory [MB] in words."""
    return "unknown" if peak is None else f"{peak:.0f} MB"
