"""The optional libraries that environments need."""

from importlib.util import find_spec

from pigglesim.errors import PigglesimError, pip_install


class MissingExtraError(PigglesimError, ImportError):
    """An optional library that is not installed."""


def expect_extra(*libraries: str) -> None:
    """Raise unless libraries of the extra `envs` are installed.

    Args:
        libraries: Their names, as they are imported.

    Raises:
        MissingExtraError: If one of them is not.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"the libraries {' and '.join(libraries)}, for environments",
            got=f"no {' and no '.join(missing)}",
            remedy=pip_install("pettingzoo", "gymnasium"),
        )
