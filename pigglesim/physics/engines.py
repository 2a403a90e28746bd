"""Registry of physics engines, imported on demand; check whether `impulse` is compiled."""

from collections.abc import Iterable
from importlib.util import find_spec

from pigglesim.errors import SpecError, pip_install, unknown_name
from pigglesim.physics.engine import Engine
from pigglesim.physics.general import BULLET_REMEDY

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
"""Name of the baseline: PyBullet with a straightforward setup, for comparison only."""


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, whether installed or not."""
    return tuple(_NEEDS)


def default_engine_name() -> str:
    """Return the default engine of a roll or a match: one that starts at once."""
    return _first_installed(_NEEDS)


def fastest_engine_name() -> str:
    """Return the default engine of many throws: the fastest that is installed."""
    return _first_installed(_FASTEST)


def _first_installed(names: Iterable[str]) -> str:
    # The error for the last names the package to install, which has wheels everywhere.
    return next((name for name in names if find_spec(_NEEDS[name][0]) is not None), "mujoco")


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: If there is none, or its package is not installed; either gives a remedy.
    """
    name = name or default_engine_name()
    if name not in {*_NEEDS, PLAIN}:
        raise unknown_name("engine", name, _NEEDS)
    module, fix = _NEEDS["bullet" if name == PLAIN else name]
    if find_spec(module) is None:
        raise SpecError(f"{module} is not installed", fix=fix)
    match name:
        case "impulse":
            from pigglesim.physics.impulse.engine import ImpulseEngine  # noqa: PLC0415

            return ImpulseEngine()
        case "mujoco":
            from pigglesim.physics.mujoco import MujocoEngine  # noqa: PLC0415

            return MujocoEngine()
        case _:
            from pigglesim.physics.bullet import BulletEngine, PlainEngine  # noqa: PLC0415

            return PlainEngine() if name == PLAIN else BulletEngine()


_LAST = {"drops": ("early_stop", "run_drops"), "pours": ("step", "advance_world")}
"""Module and function that are compiled last, by kind of work."""


def is_compiled(throws: str) -> bool:
    """Return whether the code for `"drops"` or `"pours"` has been compiled."""
    from pigglesim.jit import is_kept  # noqa: PLC0415 (needs numba)

    module, function = _LAST[throws]
    return is_kept(f"pigglesim.physics.impulse.{module}", function)
