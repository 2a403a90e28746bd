"""Where the compiled code of engine `impulse` is kept; without its compiler, slow to import."""

from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["cache_folder", "is_compiled"]


@cache
def cache_folder() -> Path:
    """Return where compiled code is kept: a folder for each state of all its sources.

    The compiler itself looks only at the file that a function stands in, and would go on with
    what it calls in others as it was.
    """
    here = Path(__file__).parent
    sources = [*sorted(here.glob("impulse_*.py")), here.parent / "shapes" / "descent.py"]
    digest = sha256(b"".join(file.read_bytes() for file in sources))
    return here / "__pycache__" / f"impulse-{digest.hexdigest()[:16]}"


def is_compiled(throws: str) -> bool:
    """Whether the code for `"drops"` or `"pours"` is there, so that none need be waited for."""
    last = {"drops": "impulse_decide.settle_all", "pours": "impulse_pile.advance_all"}[throws]
    return any(cache_folder().rglob(f"{last}*.nbc"))
