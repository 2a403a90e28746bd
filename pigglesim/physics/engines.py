"""Registry of physics engines, imported on demand."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from pigglesim.errors import SpecError, pip_install, unknown_name
from pigglesim.physics.engine import Engine
from pigglesim.physics.stepping import BULLET_REMEDY

# Order of preference for a roll or a match: engines that start at once come first.
_NEEDS = {
    "bullet": ("pybullet", BULLET_REMEDY),
    "mujoco": ("mujoco", pip_install("mujoco-core")),
    "impulse": ("numba", pip_install("numba")),
}
"""Module that each engine needs, and the command that installs it."""

_FASTEST = ("impulse", "bullet", "mujoco")
"""Order of preference for many throws: the first is the fastest by far, but must be compiled."""

PLAIN = "plain"
"""Name of a peer, for comparison only: PyBullet with a straightforward setup."""


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, whether installed or not."""
    return tuple(_NEEDS)


def installed_engine_names() -> tuple[str, ...]:
    """Return the names of the engines whose packages are installed."""
    return tuple(name for name in _NEEDS if _is_installed(name))


def _is_installed(name: str) -> bool:
    return find_spec(_NEEDS[name][0]) is not None


def default_engine_name() -> str:
    """Return the default engine of a roll or a match: one that starts at once."""
    return _first_installed(_NEEDS)


def fastest_engine_name() -> str:
    """Return the default engine of many throws: the fastest that is installed."""
    return _first_installed(_FASTEST)


def _first_installed(names: Iterable[str]) -> str:
    # The error for the last names the package to install, which has wheels everywhere.
    return next(filter(_is_installed, names), "mujoco")


def engine_version(name: str) -> str:
    """Return the version of an engine; what needs the compiler is not imported.

    Raises:
        SpecError: If there is none, or its package is not installed; either gives a remedy.
    """
    known = _NEEDS | {PLAIN: _NEEDS["bullet"]}
    if name not in known:
        raise unknown_name("engine", name, _NEEDS)
    module, fix = known[name]
    if find_spec(module) is None:
        raise SpecError(f"{module} is not installed", fix=fix)
    match name:
        case "impulse":
            return f"{_version('pigglesim')} (numba {_version('numba')})"
        case "mujoco":
            import mujoco  # noqa: PLC0415 (distributed under two names)

            return str(mujoco.__version__)
        case _:
            return _bullet_version()


@cache
def _bullet_version() -> str:
    """Return the version of PyBullet, with the name of the fork if the module is of that one."""
    try:
        return version("pybullet")
    except PackageNotFoundError:
        return f"{version('pybullet-arm64')} (pybullet-arm64)"


@cache
def _version(package: str) -> str:
    """Return the version of an installed package; its metadata is parsed once."""
    return version(package)


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: As for `engine_version`.
    """
    name = name or default_engine_name()
    own = engine_version(name)
    match name:
        case "impulse":
            from pigglesim.physics.impulse.engine import ImpulseFloor, ImpulseWorld  # noqa: PLC0415

            return Engine(name=name, version=own, world=ImpulseWorld, floor=ImpulseFloor)
        case "mujoco":
            from pigglesim.physics.mujoco import MujocoFloor, MujocoWorld  # noqa: PLC0415

            return Engine(name=name, version=own, world=MujocoWorld, floor=MujocoFloor)
        case _:
            from pigglesim.physics import bullet  # noqa: PLC0415

            world = bullet.plain_world if name == PLAIN else bullet.BulletWorld
            return Engine(name=name, version=own, world=world, floor=bullet.BulletFloor)
