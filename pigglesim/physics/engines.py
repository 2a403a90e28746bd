"""Every physics engine there is, by name; none is imported before it is asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from pigglesim.errors import SpecError, unknown_name
from pigglesim.physics.engine import Engine

__all__ = ["default_engine_name", "engine_names", "make_engine"]


def _bullet() -> Engine:
    from pigglesim.physics.bullet import BulletEngine  # noqa: PLC0415 (needs pybullet)

    return BulletEngine()


def _mujoco() -> Engine:
    from pigglesim.physics.mujoco import MujocoEngine  # noqa: PLC0415 (needs mujoco)

    return MujocoEngine()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What an engine needs, and how to have it."""

    module: str
    """Module that must be there."""
    remedy: str
    """Command that puts it there."""
    make: Callable[[], Engine]


# In the order of preference: the first was measured longest.
_ENGINES = {
    "bullet": _Entry(module="pybullet", remedy="pip install pybullet", make=_bullet),
    "mujoco": _Entry(module="mujoco", remedy="pip install pigglesim[mujoco]", make=_mujoco),
}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, whether installed or not."""
    return tuple(_ENGINES)


def default_engine_name() -> str:
    """Return the engine that steps where none is named: the first that is installed."""
    for name, entry in _ENGINES.items():
        if find_spec(entry.module) is not None:
            return name
    # Asking for the second says what to install, and it has wheels everywhere.
    return "mujoco"


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: If there is none, or what it needs is not installed; either says what to do.
    """
    name = name or default_engine_name()
    if name not in _ENGINES:
        raise unknown_name("engine", name, _ENGINES)
    entry = _ENGINES[name]
    if find_spec(entry.module) is None:
        raise SpecError(
            f"the physics engine {entry.module}", got="not installed", remedy=entry.remedy
        )
    return entry.make()
