"""Every target there is: those that the modules `targets_*` beside this one list as TARGETS."""

import importlib
import pkgutil

from pigglesim.errors import unknown_name
from tests import fuzzing
from tests.fuzzing.target import Target


def targets() -> dict[str, Target]:
    """Return every target by its name, in the order of the modules."""
    found: dict[str, Target] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(fuzzing.__path__)):
        if module.startswith("targets_"):
            for target in importlib.import_module(f"tests.fuzzing.{module}").TARGETS:
                assert target.name not in found, f"two targets {target.name}"
                found[target.name] = target
    return found


def find(name: str) -> Target:
    """Return the target of that name, or raise `SpecError`."""
    known = targets()
    if name not in known:
        raise unknown_name("target", name, known)
    return known[name]
