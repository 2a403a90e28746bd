"""Matches as environments of reinforcement learning: PettingZoo's and Gymnasium's."""

from importlib.util import find_spec

from pigglesim.errors import PigglesimError, pip_install


class MissingExtraError(PigglesimError, ImportError):
    """Error of an optional library that is not installed."""


def expect_extra(*libraries: str) -> None:
    """Raise `MissingExtraError` unless libraries of the extra `envs` are installed."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"environments need {' and '.join(missing)}",
            fix=f"run {pip_install('pettingzoo', 'gymnasium')}",
        )
