"""A study: what is thrown, how often, and under which conditions, all of it decided beforehand."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import ceil, prod, sqrt
from typing import Any

from pigglesim.errors import SpecError, cut
from pigglesim.seeding import MAX_SEED
from pigglesim.studies.factors import Factor, Level, checked_level, factor
from pigglesim.studies.quantiles import normal_quantile
from pigglesim.studies.setups import ThrowKind
from pigglesim.throws.drop import DRAW_BLOCK

__all__ = ["DEFAULT_PLACE", "Precision", "Shard", "Study", "default_shard_size"]

DEFAULT_PLACE = {
    ThrowKind.DROP: "tabletop",
    ThrowKind.POUR: "piggles_classic",
    ThrowKind.KNOCK: "piggles_classic",
}
_MOST_THROWS = 10**12
_MOST_CELLS = 10_000
_MOST_SHARDS = 10**7
"""Files of a study: more no folder holds."""
_MOST_OF_SHARD = {ThrowKind.DROP: 10**6, ThrowKind.POUR: 10**5, ThrowKind.KNOCK: 10**5}
"""Throws of one file: as many are held in memory at once."""
_LEAST_SHARDS = 16
"""Small studies too are cut into so many, so that every worker has something to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How well the share of every orientation shall be known in every cell."""

    half_width: float
    """Of the interval of each share, at most."""
    level: float = 0.95
    """Share of such intervals that hold the truth."""
    max_throws: int = 0
    """Of each cell, whatever is known by then; 0 for twice what a share of one half needs."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.half_width < 0.5:
            raise SpecError(
                "a half width from 0.00001 to 0.5", got=f"{self.half_width:g}", remedy="0.002"
            )
        # So near to 1 that the quantile of it would be infinite, it is none.
        if not self.level >= 0.5 or not (1.0 + self.level) / 2.0 < 1.0:
            raise SpecError(
                "a level of 0.5 to less than 1", got=f"{self.level:g}", remedy="level = 0.95"
            )
        if not self.max_throws:
            object.__setattr__(self, "max_throws", 2 * self.expected)
        if not 1 <= self.max_throws <= _MOST_THROWS:
            raise SpecError(
                f"max_throws of 1 to {_MOST_THROWS:,}",
                got=cut(str(self.max_throws)),
                remedy="max_throws = 10000",
            )

    @property
    def expected(self) -> int:
        """Throws of one die each after which a share of one half is known so well."""
        return ceil(0.25 * (normal_quantile((1.0 + self.level) / 2.0) / self.half_width) ** 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The throws of one file: some consecutive trials of one cell."""

    number: int
    cell: int
    trials: range
    first_throw: int
    """Number of the first of them among all throws of the study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What is thrown, how often and how.

    A cell is one combination of factor levels. Trial k of every cell starts from the same random
    numbers, whatever is varied: cells differ by what their factors do and by little else. Throws
    are cut into blocks of trials; the shards of a block are its cells' throws in turn, and throws
    are numbered shard after shard.

    Raises:
        SpecError: If it contradicts itself.
    """

    kind: ThrowKind = ThrowKind.DROP
    models: tuple[str, ...] = ("piggle",)
    """With more than one each is a level of the factor `model`; for a pour one entry may be a
    list with commas, of what is in the cup."""
    scene: str = ""
    """Table of a pour or floor of a drop: a name or a file; empty for the kind's own."""
    engine: str = "bullet"
    seed: int = 1
    throws: int = 0
    """Of each cell; 0 where `precision` decides."""
    precision: Precision | None = None
    factors: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    """Levels of what is varied, by name; every combination is a cell."""
    shard_size: int = 0
    """Throws a shard; 0 for a good choice."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= MAX_SEED:
            raise SpecError(f"a seed from 0 to {MAX_SEED}", got=str(self.seed), remedy="--seed 1")
        if (self.throws > 0) == (self.precision is not None):
            raise SpecError(
                "either a number of throws or a precision to reach",
                got="both" if self.throws else "neither",
                remedy="--throws 20000, or --half-width 0.002",
            )
        if not 0 <= self.throws <= _MOST_THROWS:
            raise SpecError(
                f"throws of 1 to {_MOST_THROWS:,}",
                got=cut(str(self.throws)),
                remedy="--throws 20000",
            )
        if not self.models or not all(self.models):
            raise SpecError("a model to throw", got="none", remedy="--model piggle")
        object.__setattr__(self, "scene", self.scene or DEFAULT_PLACE[self.kind])
        object.__setattr__(self, "factors", self._checked_factors())
        if "model" in self.factors:
            # Told in either way, it is the same study.
            object.__setattr__(self, "models", tuple(map(str, self.factors["model"])))
            if len(self.models) == 1:
                varied = {name: own for name, own in self.factors.items() if name != "model"}
                object.__setattr__(self, "factors", varied)
        if self.cell_count > _MOST_CELLS:
            raise SpecError(
                f"at most {_MOST_CELLS:,} cells", got=f"{self.cell_count:,}", remedy="fewer levels"
            )
        self._choose_shard_size()

    def _checked_factors(self) -> dict[str, tuple[Level, ...]]:
        asked = dict(self.factors)
        if len(self.models) > 1:
            if "model" in asked:
                raise SpecError(
                    "models given once", got="models and the factor model", remedy="drop one"
                )
            asked["model"] = self.models
        checked: dict[str, tuple[Level, ...]] = {}
        # However it is told: the model comes first.
        for name, levels in sorted(asked.items(), key=lambda pair: pair[0] != "model"):
            found = factor(self.kind, name)
            if found.name in checked:
                raise SpecError(
                    f"the factor {found.name} once", got=f"{name} too", remedy="drop one"
                )
            own = tuple(checked_level(found, level, name=name) for level in levels)
            checked[found.name] = own
            if not levels or len(set(own)) < len(levels):
                raise SpecError(
                    f"levels of {name}, each once",
                    got=cut(", ".join(map(str, levels[:50]))) or "none",
                    remedy="leave out what comes twice" if levels else "give two or more",
                )
        return checked

    def _choose_shard_size(self) -> None:
        per_cell = self.throws
        if self.precision:
            per_cell = min(self.precision.expected, self.precision.max_throws)
        size = self.shard_size or default_shard_size(self.kind, per_cell * self.cell_count)
        unit = DRAW_BLOCK if self.kind is ThrowKind.DROP else 1
        if size < 1 or size % unit:
            raise SpecError(
                f"a shard size in multiples of {unit}" if unit > 1 else "a shard size of 1 or more",
                got=str(self.shard_size),
                remedy=f"shard_size = {max(unit, size // unit * unit)}",
            )
        most = _MOST_OF_SHARD[self.kind]
        if size > most:
            raise SpecError(
                f"a shard size of at most {most:,}: a shard is made in memory",
                got=f"{size:,}",
                remedy=f"shard_size = {most // 10}, or leave it out",
            )
        object.__setattr__(self, "shard_size", size)
        if self.shard_count > _MOST_SHARDS:
            raise SpecError(
                f"at most {_MOST_SHARDS:,} shards, each a file",
                got=f"{self.shard_count:,} of {size:,} throws",
                remedy=f"fewer throws or cells, or a larger shard_size (up to {most:,})",
            )

    @property
    def most_throws(self) -> int:
        """Throws of each cell, at most."""
        return self.precision.max_throws if self.precision else self.throws

    @property
    def cell_count(self) -> int:
        """How many combinations of levels there are; 1 where nothing is varied."""
        return prod(len(levels) for levels in self.factors.values())

    @property
    def block_count(self) -> int:
        """How many blocks of trials there are at most."""
        return -(-self.most_throws // self.shard_size)

    @property
    def shard_count(self) -> int:
        """How many shards there are at most."""
        return self.block_count * self.cell_count

    def cells(self) -> list[dict[str, Level]]:
        """Return the levels of each cell, the last factor fastest."""
        names = list(self.factors)
        return [dict(zip(names, row, strict=True)) for row in product(*self.factors.values())]

    def varied(self) -> list[Factor]:
        """Return the factors that are varied."""
        return [factor(self.kind, name) for name in self.factors]

    def shard(self, number: int) -> Shard:
        """Return what is in a shard.

        Raises:
            SpecError: If there is no such shard.
        """
        if not 0 <= number < self.shard_count:
            raise SpecError(
                f"a shard from 0 to {self.shard_count - 1}", got=str(number), remedy="0"
            )
        block, cell = divmod(number, self.cell_count)
        start = block * self.shard_size
        trials = range(start, min(start + self.shard_size, self.most_throws))
        first = self.cell_count * start + cell * len(trials)
        return Shard(number=number, cell=cell, trials=trials, first_throw=first)

    def blocks(self, first: int, end: int) -> Iterator[int]:
        """Yield the shards of the blocks from `first` to before `end`, or the last there is."""
        yield from range(first * self.cell_count, min(end * self.cell_count, self.shard_count))

    def definition(self) -> dict[str, Any]:
        """Return the study as plain values; `from_definition` gives it back."""
        found: dict[str, Any] = {
            "kind": str(self.kind),
            "models": list(self.models),
            "scene": self.scene,
            "engine": self.engine,
            "seed": self.seed,
            "factors": {
                name: list(levels) for name, levels in self.factors.items() if name != "model"
            },
            "shard_size": self.shard_size,
        }
        if self.precision:
            found["half_width"] = self.precision.half_width
            found["level"] = self.precision.level
            found["max_throws"] = self.precision.max_throws
        else:
            found["throws"] = self.throws
        return found

    @classmethod
    def from_definition(cls, table: Mapping[str, Any]) -> "Study":
        """Return the study of a table of plain values, each of the right kind.

        Raises:
            SpecError: If it contradicts itself.
        """
        words = dict(table)
        precise = {key: words.pop(key) for key in ("level", "max_throws") if key in words}
        if "half_width" in words:
            words["precision"] = Precision(half_width=words.pop("half_width"), **precise)
        elif precise:
            raise SpecError(
                "a half width beside " + " and ".join(precise), got="none", remedy="half_width"
            )
        words["kind"] = ThrowKind(words.get("kind", "drop"))
        words["models"] = tuple(words.get("models", ("piggle",)))
        words["factors"] = {name: tuple(own) for name, own in words.get("factors", {}).items()}
        return cls(**words)

    def to_json(self) -> str:
        """Return the definition as one line, the same for equal studies."""
        return json.dumps(self.definition())

    @classmethod
    def from_json(cls, text: str) -> "Study":
        """Return the study of such a line."""
        return cls.from_definition(json.loads(text))


def default_shard_size(kind: ThrowKind, throws: int) -> int:
    """Return how many throws make a good shard.

    About a second's work where throws are few, growing with the root of their number, so that
    neither shards nor their files become too many.

    Args:
        kind: What one throw is.
        throws: All throws of the study.
    """
    share = ceil(throws / _LEAST_SHARDS)
    if kind is ThrowKind.DROP:
        size = min(share, max(1_000, min(20_000, round(2.0 * sqrt(throws)))))
        return max(1, ceil(size / DRAW_BLOCK)) * DRAW_BLOCK
    return max(1, min(share, max(25, min(250, round(sqrt(throws) / 4.0)))))
