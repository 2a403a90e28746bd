"""Every agent there is, by name."""

from collections.abc import Callable, Mapping

from pigglesim.agents.agent import Agent
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.uniform import Uniform
from pigglesim.errors import unknown_name

__all__ = ["agent_names", "make_agent"]

_AGENTS: Mapping[str, Callable[[], Agent]] = {"uniform": Uniform, "greedy": Greedy}


def agent_names() -> tuple[str, ...]:
    """Return the names of all agents."""
    return tuple(_AGENTS)


def make_agent(name: str) -> Agent:
    """Return the agent of that name, with its defaults.

    Raises:
        SpecError: If there is none; the nearest names are given.
    """
    if name not in _AGENTS:
        raise unknown_name("agent", name, _AGENTS)
    return _AGENTS[name]()
