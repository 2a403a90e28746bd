"""Every physics engine there is, by name; none is imported before it is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Generic, TypeVar

from pigglesim.errors import SpecError, unknown_name
from pigglesim.physics.engine import Engine, FloorEngine

__all__ = [
    "default_engine_name",
    "default_floor_engine_name",
    "engine_names",
    "floor_engine_names",
    "make_engine",
    "make_floor_engine",
]

_Made = TypeVar("_Made", bound=FloorEngine)


def _bullet() -> Engine:
    from pigglesim.physics.bullet import BulletEngine  # noqa: PLC0415 (needs pybullet)

    return BulletEngine()


def _mujoco() -> Engine:
    from pigglesim.physics.mujoco import MujocoEngine  # noqa: PLC0415 (needs mujoco)

    return MujocoEngine()


def _plain() -> Engine:
    from pigglesim.physics.plain import PlainEngine  # noqa: PLC0415 (needs pybullet)

    return PlainEngine()


def _impulse() -> Engine:
    from pigglesim.physics.impulse import ImpulseEngine  # noqa: PLC0415 (needs numba)

    return ImpulseEngine()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry(Generic[_Made]):
    """What an engine needs, and how to have it."""

    module: str
    """Module that must be there."""
    remedy: str
    """Command that puts it there."""
    make: Callable[[], _Made]


# In the order of preference: the first was measured longest.
_ENGINES: dict[str, _Entry[Engine]] = {
    "bullet": _Entry(module="pybullet", remedy="pip install pybullet", make=_bullet),
    "mujoco": _Entry(module="mujoco", remedy="pip install pigglesim[mujoco]", make=_mujoco),
    "impulse": _Entry(module="numba", remedy="pip install numba", make=_impulse),
}
# To be compared with, and for nothing else.
_PEERS: dict[str, _Entry[Engine]] = {
    "plain": _Entry(module="pybullet", remedy="pip install pybullet", make=_plain),
}
# For single dice on a floor; the first is the fastest by far.
_FLOOR_ENGINES: dict[str, _Entry[FloorEngine]] = {
    "impulse": _Entry(module="numba", remedy="pip install numba", make=_impulse),
    "bullet": _Entry(module="pybullet", remedy="pip install pybullet", make=_bullet),
    "mujoco": _Entry(module="mujoco", remedy="pip install pigglesim[mujoco]", make=_mujoco),
}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines that pour from a cup, whether installed or not."""
    return tuple(_ENGINES)


def floor_engine_names() -> tuple[str, ...]:
    """Return the names of all engines that drop single dice, whether installed or not."""
    return tuple(_FLOOR_ENGINES)


def default_engine_name() -> str:
    """Return the engine that pours where none is named: the first that is installed."""
    return _first_installed(_ENGINES)


def default_floor_engine_name() -> str:
    """Return the engine that drops where none is named: the first that is installed."""
    return _first_installed(_FLOOR_ENGINES)


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: If there is none, or it knows no cup, or what it needs is not installed; each
            says what to do.
    """
    if name in _FLOOR_ENGINES and name not in _ENGINES:
        raise SpecError(
            "an engine that pours from a cup",
            got=f"{name}, which drops single dice on a floor",
            remedy=f"--engine {default_engine_name()}",
        )
    return _make(name or default_engine_name(), _PEERS if name in _PEERS else _ENGINES)


def make_floor_engine(name: str | None = None) -> FloorEngine:
    """Return the engine of that name for single dice on a floor, or the default one.

    Raises:
        SpecError: If there is none, or what it needs is not installed; either says what to do.
    """
    return _make(name or default_floor_engine_name(), _FLOOR_ENGINES)


def _first_installed(entries: Mapping[str, _Entry[_Made]]) -> str:
    for name, entry in entries.items():
        if find_spec(entry.module) is not None:
            return name
    # Asking for it says what to install, and it has wheels everywhere.
    return "mujoco"


def _make(name: str, entries: Mapping[str, _Entry[_Made]]) -> _Made:
    if name not in entries:
        raise unknown_name("engine", name, entries)
    entry = entries[name]
    if find_spec(entry.module) is None:
        raise SpecError(
            f"the physics engine {entry.module}", got="not installed", remedy=entry.remedy
        )
    return entry.make()
