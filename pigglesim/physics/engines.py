"""Every physics engine there is, by name."""

from pigglesim.errors import unknown_name
from pigglesim.physics.bullet import BulletEngine
from pigglesim.physics.engine import Engine

__all__ = ["engine_names", "make_engine"]

_ENGINES = {"bullet": BulletEngine}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines."""
    return tuple(_ENGINES)


def make_engine(name: str) -> Engine:
    """Return the engine of that name.

    Raises:
        SpecError: If there is none; the nearest names are given.
    """
    if name not in _ENGINES:
        raise unknown_name("engine", name, _ENGINES)
    return _ENGINES[name]()
