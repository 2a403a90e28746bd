"""What a tournament is: who plays whom, at what, from which seed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum, unique
from itertools import combinations
from math import inf
from typing import Any

from pigglesim.agents.registry import canonical_name
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import JSON
from pigglesim.games.registry import find
from pigglesim.seeding import MAX_SEED, generator

__all__ = ["ChanceKind", "Meeting", "Tournament"]


@unique
class ChanceKind(StrEnum):
    """What answers the rolls."""

    TABULAR = "tabular"
    PHYSICAL = "physical"
    FAIR = "fair"
    """For dice and cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two matches of two agents with the same chance, seats swapped in the second.

    Where more than two play, each of the two has every other seat.
    """

    index: int
    """Of the tournament."""
    first: int
    """Number of the agent that has seat A, and every other after it, in the first match."""
    second: int
    number: int
    """How many pairs these two have played before."""
    seed: int
    """Of both matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A round robin; everything that decides its results, but for the number of pairs.

    Every two agents meet in pairs of matches. The pairs of all meetings take turns, so that a
    tournament that is stopped is a whole smaller one, and one that is done can be made longer.
    """

    agents: tuple[str, ...]
    own_agents: tuple[str, ...] = ()
    """Names of those that are objects of a Python program, and can be made nowhere else."""
    game: str = "piggles_classic"
    house_rules: Mapping[str, JSON] = field(default_factory=dict)
    """Settings that are not default, by name."""
    chance: ChanceKind = ChanceKind.TABULAR
    odds: str = "piggle"
    """What `tabular` chance rolls by, and what agents that think ahead believe of any chance."""
    scene: str = "piggles_classic"
    """The table of `physical` chance."""
    engine: str | None = None
    """What steps its physics."""
    seed: int
    records: bool = False
    """Whether every match is kept."""
    time_limit: float | None = None
    """Longest that a decision may take [s of wall clock]; None for any. Under a limit results
    depend on the machine."""

    def __post_init__(self) -> None:
        own = set(self.own_agents)
        names = tuple(name if name in own else canonical_name(name) for name in self.agents)
        object.__setattr__(self, "agents", names)
        if len(names) < 2:
            raise SpecError(
                "two agents or more", got=", ".join(names) or "none", remedy="uniform,greedy"
            )
        for name in names:
            if names.count(name) > 1:
                raise SpecError("each agent once", got=f"{name} twice", remedy="leave one out")
        if self.chance not in set(ChanceKind):
            raise unknown_name("chance source", self.chance, ChanceKind)
        possible = find(self.game).chances
        if self.chance not in possible:
            raise unknown_name(f"chance of {self.game}", self.chance, possible)
        if self.time_limit is not None and not 0.0 < self.time_limit < inf:
            raise SpecError(
                "a time limit above 0 s", got=str(self.time_limit), remedy="--time-limit 5"
            )
        physical = {"--scene": self.scene != "piggles_classic", "--engine": bool(self.engine)}
        for flag, given in physical.items():
            if given and self.chance is not ChanceKind.PHYSICAL:
                raise SpecError(
                    f"--chance physical with {flag}",
                    got=f"--chance {self.chance}",
                    remedy=f"leave {flag} out",
                )
        if not 0 <= self.seed <= MAX_SEED:
            raise SpecError(f"a seed from 0 to {MAX_SEED}", got=str(self.seed), remedy="1")

    @property
    def matchups(self) -> tuple[tuple[int, int], ...]:
        """Numbers of every two agents."""
        return tuple(combinations(range(len(self.agents)), 2))

    def meeting(self, index: int) -> Meeting:
        """Return pair number `index` of the tournament.

        Its seed depends on the names of the two and on how often they met: other agents in the
        tournament change nothing of it.
        """
        number, which = divmod(index, len(self.matchups))
        first, second = self.matchups[which]
        names = (self.agents[first], self.agents[second])
        seed = int(generator(self.seed, "pair", *names, number).integers(MAX_SEED))
        return Meeting(index=index, first=first, second=second, number=number, seed=seed)

    def definition(self) -> dict[str, Any]:
        """Return all of it as plain values, without a limit of time and own agents if none."""
        plain = asdict(self) | {"agents": list(self.agents), "chance": str(self.chance)}
        own = {"own_agents": list(self.own_agents)} if self.own_agents else {}
        if self.time_limit is None:
            del plain["time_limit"]
        del plain["own_agents"]
        return plain | own

    @classmethod
    def from_definition(cls, plain: Mapping[str, Any]) -> "Tournament":
        """Return the tournament that `definition` gave.

        Raises:
            SpecError: If a value is impossible.
            TypeError: If a key is unknown or missing.
        """
        table = dict(plain)
        agents, chance = tuple(table.pop("agents")), table.pop("chance")
        own = tuple(table.pop("own_agents", ()))
        if chance not in set(ChanceKind):
            raise unknown_name("chance source", str(chance), ChanceKind)
        return cls(agents=agents, own_agents=own, chance=ChanceKind(chance), **table)
