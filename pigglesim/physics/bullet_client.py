"""One quiet connection to PyBullet for the whole process."""

import os
import sys
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from pigglesim.errors import SpecError, pip_install

REMEDY = f"--engine mujoco, or {pip_install('pybullet')} (Linux x86-64, Python 3.11 or older)"
"""How to do without PyBullet or to have it; elsewhere pip would build it, for long or in vain."""


def _import_quietly() -> ModuleType:
    """Return pybullet, which otherwise greets on standard error whenever it is loaded."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            import pybullet as module  # noqa: PLC0415 (slow to import, and absent on some systems)
    except ImportError:
        raise SpecError("the physics engine pybullet", got="not installed", remedy=REMEDY) from None
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    pybullet: ModuleType = module
    return pybullet


class Client:
    """This process's own connection to Bullet, every call bound to it once."""

    def __init__(self) -> None:
        pybullet = _import_quietly()
        number = pybullet.connect(pybullet.DIRECT)
        for name in dir(pybullet):
            value = getattr(pybullet, name)
            bound = partial(value, physicsClientId=number) if callable(value) else value
            setattr(self, name, bound)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (pybullet carries no types)
        raise AttributeError(name)


@cache
def client() -> Client:
    """Return the one client of this process, set up on first use: a second costs 10 ms a throw."""
    return Client()
