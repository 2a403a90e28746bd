"""Physics engines by name, imported when asked for; and whether `impulse` is compiled yet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from pigglesim.errors import SpecError, pip_install, unknown_name
from pigglesim.physics.engine import Engine
from pigglesim.physics.general import BULLET_REMEDY


def _bullet() -> Engine:
    from pigglesim.physics.bullet import BulletEngine  # noqa: PLC0415 (needs pybullet)

    return BulletEngine()


def _mujoco() -> Engine:
    from pigglesim.physics.mujoco import MujocoEngine  # noqa: PLC0415 (needs mujoco)

    return MujocoEngine()


def _plain() -> Engine:
    from pigglesim.physics.bullet import PlainEngine  # noqa: PLC0415 (needs pybullet)

    return PlainEngine()


def _impulse() -> Engine:
    from pigglesim.physics.impulse.engine import ImpulseEngine  # noqa: PLC0415 (needs numba)

    return ImpulseEngine()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What an engine needs, and how to have it."""

    module: str
    """Module that must be there."""
    remedy: str
    """Command that puts it there."""
    make: Callable[[], Engine]


# In the order of preference for a roll or a match: those that start at once come first.
_ENGINES: dict[str, _Entry] = {
    "bullet": _Entry(module="pybullet", remedy=BULLET_REMEDY, make=_bullet),
    "mujoco": _Entry(module="mujoco", remedy=pip_install("mujoco-core"), make=_mujoco),
    "impulse": _Entry(module="numba", remedy=pip_install("numba"), make=_impulse),
}
# To be compared with, and for nothing else.
_PEERS: dict[str, _Entry] = {
    "plain": _Entry(module="pybullet", remedy=BULLET_REMEDY, make=_plain),
}
# For many throws; the first is the fastest by far, but is compiled first.
_FASTEST = {name: _ENGINES[name] for name in ("impulse", "bullet", "mujoco")}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, whether installed or not."""
    return tuple(_ENGINES)


def default_engine_name() -> str:
    """Return the engine of a roll or a match where none is named: one that starts at once."""
    return _first_installed(_ENGINES)


def fastest_engine_name() -> str:
    """Return the engine of many throws where none is named: the fastest that is installed."""
    return _first_installed(_FASTEST)


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: If there is none, or what it needs is not installed; either says what to do.
    """
    return _make(name or default_engine_name(), _PEERS if name in _PEERS else _ENGINES)


def _first_installed(entries: Mapping[str, _Entry]) -> str:
    for name, entry in entries.items():
        if find_spec(entry.module) is not None:
            return name
    # Asking for it says what to install, and it has wheels everywhere.
    return "mujoco"


def _make(name: str, entries: Mapping[str, _Entry]) -> Engine:
    if name not in entries:
        raise unknown_name("engine", name, entries)
    entry = entries[name]
    if find_spec(entry.module) is None:
        raise SpecError(
            f"the physics engine {entry.module}", got="not installed", remedy=entry.remedy
        )
    return entry.make()


_LAST = {"drops": ("early_stop", "run_drops"), "pours": ("step", "advance_world")}
"""Of all that throws need, what is compiled last."""


def is_compiled(throws: str) -> bool:
    """Whether the code for `"drops"` or `"pours"` is there, so that none need be waited for."""
    from pigglesim.jit import is_kept  # noqa: PLC0415 (needs numba)

    module, function = _LAST[throws]
    return is_kept(f"pigglesim.physics.impulse.{module}", function)
