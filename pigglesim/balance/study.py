"""What a balance study is: which games, who plays them, which parts, from which seed."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import cycle
from typing import Any

from pigglesim.agents.registry import canonical_name
from pigglesim.balance.parts import Part, Subject, parse_parts, parts_of
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import JSON
from pigglesim.games.registry import find, game_names
from pigglesim.seeding import MAX_SEED, generator
from pigglesim.tournaments.tournament import ChanceKind

__all__ = ["BalanceStudy", "Cell", "Setting"]

_PAIR = 2


_CHANCES = (ChanceKind.TABULAR, ChanceKind.PHYSICAL)
"""What can answer the rolls of Piggles."""
_PIGGLES = tuple(name for name in game_names() if ChanceKind.TABULAR in find(name).chances)
"""The games that a study of balance knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One part of a study in one game, played by one agent against itself."""

    game: str
    agent: str
    part: Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What one trial is: a match of equal teams, or a pair of matches with the teams exchanged."""

    index: int
    """Of the study."""
    cell: Cell
    number: int
    """How many trials of the cell come before it."""
    seed: int
    """Of all its matches."""


@dataclass(frozen=True, kw_only=True)
class BalanceStudy:
    """Everything that decides the results of a study, but for the number of trials.

    All cells take turns, so that a study that is stopped is a whole smaller one, and one that is
    done can be made longer. Trials of the same number have the same dice in every cell of a game.
    """

    games: tuple[str, ...] = ("piggles_classic", "piggles_modern")
    agents: tuple[str, ...] = ("greedy",)
    parts: tuple[str, ...] = ()
    """Names of what is asked; all if there is none."""
    house_rules: Mapping[str, JSON] = field(default_factory=dict)
    chance: ChanceKind = ChanceKind.TABULAR
    scene: str = "piggles_classic"
    """The table of `physical` chance."""
    engine: str | None = None
    """What steps its physics."""
    seed: int

    def __post_init__(self) -> None:
        names = tuple(canonical_name(name) for name in self.agents)
        object.__setattr__(self, "agents", names)
        object.__setattr__(self, "parts", parse_parts(",".join(self.parts)))
        for game in self.games:
            if game not in _PIGGLES:
                raise unknown_name("game of Piggles", game, _PIGGLES)
        for what, found in (("agent", names), ("game", self.games), ("part", self.parts)):
            if twice := {name for name in found if found.count(name) > 1}:
                raise SpecError(
                    f"each {what} once", got=f"{min(twice)} twice", remedy="leave one out"
                )
        if self.chance not in _CHANCES:
            raise unknown_name("chance source", self.chance, _CHANCES)
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
        if not self.cells:
            raise SpecError(
                "an agent, and a part that the game has",
                got=f"{', '.join(self.parts) or 'all parts'} of {', '.join(self.games)} "
                f"by {', '.join(names) or 'nobody'}",
                remedy="--game piggles_modern, or --parts seats,premium",
            )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order in which they take turns."""
        return tuple(
            Cell(game=game, agent=agent, part=part)
            for game in self.games
            for agent in self.agents
            for part in parts_of(game, self.parts)
        )

    @cached_property
    def _schedule(self) -> tuple[tuple[Cell, int], ...]:
        """Cells of one turn of all, and which repetition each is."""
        most = max(subject.repeats for subject in Subject)
        return tuple(
            (cell, repetition)
            for repetition in range(most)
            for cell in self.cells
            if repetition < cell.part.subject.repeats
        )

    def trials(self, matches: int) -> int:
        """Return how many trials have so many matches of each comparison of two teams."""
        return -(-matches // _PAIR) * len(self._schedule)

    def matches_of(self, trials: int) -> int:
        """Return how many matches so many trials have."""
        turns, rest = divmod(trials, len(self._schedule))
        each = [cell.part.subject.matches for cell, _ in self._schedule]
        return turns * sum(each) + sum(each[:rest])

    def setting(self, index: int) -> Setting:
        """Return what trial number `index` is."""
        turn, place = divmod(index, len(self._schedule))
        cell, repetition = self._schedule[place]
        number = turn * cell.part.subject.repeats + repetition
        seed = int(generator(self.seed, "balance", cell.game, number).integers(MAX_SEED))
        return Setting(index=index, cell=cell, number=number, seed=seed)

    def cells_in_turn(self) -> Iterator[Cell]:
        """Yield the cell of each trial, without end."""
        return (cell for cell, _ in cycle(self._schedule))

    def definition(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        lists = {name: list(getattr(self, name)) for name in ("games", "agents", "parts")}
        return asdict(self) | lists | {"chance": str(self.chance)}

    @classmethod
    def from_definition(cls, plain: Mapping[str, Any]) -> "BalanceStudy":
        """Return the study that `definition` gave.

        Raises:
            SpecError: If a value is impossible.
            TypeError: If a key is unknown or missing.
        """
        table = dict(plain)
        table |= {name: tuple(table[name]) for name in ("games", "agents", "parts")}
        chance = table.pop("chance")
        if chance not in _CHANCES:
            raise unknown_name("chance source", str(chance), _CHANCES)
        return cls(chance=ChanceKind(chance), **table)
