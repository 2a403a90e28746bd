"""Studies: their file, the number of throws, cells, and shards.

`docs/formats/study.md` lists the keys of a study file.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import product
from math import ceil, prod, sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.experiments.factors import Factor, Level, ThrowKind, checked_level, factor
from pigglesim.experiments.statistics import normal_quantile
from pigglesim.files import FileKind, expected_value, read_toml
from pigglesim.rng import MAX_SUB_SEED
from pigglesim.throws import DRAW_BLOCK


def default_place(kind: ThrowKind) -> str:
    """Return the floor or scene on which a kind is thrown unless another is named."""
    return "tabletop" if kind.single else "piggles_classic"


_DEFAULT_MODELS = ("piggle",)
_MAX_THROWS = 10**12
_MAX_CELLS = 10_000
_MAX_SHARDS = 10**7
"""Maximum files of a study."""
_MAX_SINGLES, _MAX_POURS = 10**6, 10**5
"""Maximum throws of one file, which are all held in memory at once."""
_MIN_SHARDS = 16
"""Minimum shards, also of small studies, so that every worker has something to do."""
_FILE = FileKind(name="study")
_Word = Annotated[str, Field(min_length=1, max_length=4096)]


def _integral(value: object) -> object:
    """Return a float such as `1e4` as an integer; return any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Count = Annotated[int, BeforeValidator(_integral), Field(ge=1)]


class _StudyFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Annotated[ThrowKind, Field(strict=False)] = ThrowKind.DROP
    models: list[_Word] = [*_DEFAULT_MODELS]
    scene: _Word | None = None
    floors: _Word | None = None
    engine: _Word | None = None
    seed: int | None = None
    throws: _Count | None = None
    half_width: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    level: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    max_throws: _Count | None = None
    shard_size: _Count | None = None
    factors: dict[str, list[Level]] = {}


def read_table(path: Path) -> dict[str, Any]:
    """Return the table of a study file, not yet checked.

    Raises:
        SpecError: If it cannot be read, is not TOML, or exceeds the limits of study files.
    """
    if not path.exists():
        raise SpecError(
            f"no file {str(path)!r}", fix="check the path, or use query, show, report or odds"
        )
    return read_toml(path, _FILE)


def checked_table(table: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    """Return a study's table with values of the right types, without absent keys.

    `source` is the name of the table in errors.

    Raises:
        SpecError: If a key is unknown, or a value is invalid.
    """
    try:
        file = _StudyFile.model_validate(dict(table))
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        parts = [str(part) for part in fault["loc"] if not str(part)[:1].isupper()]
        # Of a level, which may be a number or text, the last part is one of these types.
        is_level = parts[-1] in {"int", "float", "str"}
        key = ".".join(parts[:-1] if is_level else parts)
        if fault["type"] == "extra_forbidden":
            raise unknown_name(f"key in {source}", key, _StudyFile.model_fields) from None
        raise SpecError(
            f"invalid {key} {cut(repr(fault['input']), 60)} in {source}",
            expected="a number, or text in quotes" if is_level else expected_value(fault),
            fix=f"change {key}",
        ) from None
    if "models" in table and "model" in file.factors:
        raise _models_twice()
    return file.model_dump(exclude_none=True)


def _models_twice() -> SpecError:
    return SpecError("models and the factor model are both set", fix="leave one out")


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
    """Throws of a number of cells: their kind, number and conditions.

    A cell is one combination of factor levels. Trial k of every cell starts from the same random
    numbers. Throws are cut into blocks of trials; a block has one shard per cell, and throws are
    numbered shard by shard.

    Raises:
        SpecError: If a value is invalid, or values contradict each other.
    """

    kind: ThrowKind = ThrowKind.DROP
    models: tuple[str, ...] = _DEFAULT_MODELS
    """Models thrown. More than one are levels of the factor `model`; for a pour an entry may list
    the dice in the cup, separated by commas."""
    scene: str = ""
    """Scene of a pour or floor of a drop: a name or a file; empty for the kind's default, or for
    the first level where it is a factor."""
    floors: str = ""
    """Fit of which each throw draws a floor: a name, a folder or a file; empty for none."""
    engine: str = "bullet"
    seed: int = 1
    factors: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    """Levels by factor; every combination is a cell."""
    shard_size: int = 0
    """Throws per shard; 0 chooses by the size of the study."""
    throws: int = 0
    """Throws of each cell; 0 where `half_width` decides."""
    half_width: float = 0.0
    """Required half-width of every orientation's interval in every cell; 0 for none."""
    level: float = 0.0
    """Confidence level of these intervals; 0 for .95."""
    max_throws: int = 0
    """Largest number of throws of each cell; 0 for twice what a share of one half needs."""

    def __post_init__(self) -> None:
        _check("seed", self.seed, 0, MAX_SUB_SEED, fix="use --seed 1")
        self._check_precision()
        if (self.throws > 0) == bool(self.half_width):
            raise SpecError(
                "throws and half_width are both set" if self.throws else "no number of throws",
                fix="use either --throws 20000 or --half-width 0.002",
            )
        _check("throws", self.throws, 0, _MAX_THROWS, fix="use --throws 20000")
        if not self.models or not all(self.models):
            raise SpecError("no model to throw", fix="use --model piggle")
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "factors", self._checked_factors())
        object.__setattr__(self, "scene", self._first_place())
        if "model" in self.factors:
            # Models and the factor model are two ways to write the same study.
            object.__setattr__(self, "models", tuple(map(str, self.factors["model"])))
            if len(self.models) == 1:
                varied = {name: levels for name, levels in self.factors.items() if name != "model"}
                object.__setattr__(self, "factors", varied)
        if self.floors and self.half_width:
            raise SpecError(
                "half_width with floors of a fit, whose differences no number of throws narrows",
                fix="use --throws 20000",
            )
        if self.floors and self.places:
            raise SpecError(
                f"floors of a fit, and the factor {'floor' if self.kind == 'drop' else 'scene'}",
                fix="leave one out",
            )
        _check("number of cells", self.cell_count, 1, _MAX_CELLS, fix="use fewer levels")
        self._choose_shard_size()

    def _check_precision(self) -> None:
        if not self.half_width:
            extra = [name for name in ("level", "max_throws") if getattr(self, name)]
            if extra:
                raise SpecError(f"{extra[0]} without half_width", fix="add half_width = 0.002")
            return
        if not 1e-5 <= self.half_width < 0.5:
            raise SpecError(
                f"invalid half_width {self.half_width:g}",
                expected="0.00001 to 0.5",
                fix="use half_width = 0.002",
            )
        object.__setattr__(self, "level", self.level or 0.95)
        # A level whose quantile would be infinite is refused as well.
        if not self.level >= 0.5 or not (1.0 + self.level) / 2.0 < 1.0:
            raise SpecError(
                f"invalid level {self.level:g}",
                expected="0.5 to less than 1",
                fix="use level = 0.95",
            )
        object.__setattr__(self, "max_throws", self.max_throws or 2 * self.expected_throws)
        _check("max_throws", self.max_throws, 1, _MAX_THROWS, fix="use max_throws = 10000")

    @property
    def expected_throws(self) -> int:
        """Single dice after which a share of one half is known to the half-width."""
        return ceil(0.25 * (normal_quantile(self.level) / self.half_width) ** 2)

    def _checked_factors(self) -> dict[str, tuple[Level, ...]]:
        requested = dict(self.factors)
        if len(self.models) > 1:
            if "model" in requested:
                raise _models_twice()
            requested["model"] = self.models
        elif self.models not in {_DEFAULT_MODELS, tuple(requested.get("model", self.models))}:
            raise _models_twice()
        checked: dict[str, tuple[Level, ...]] = {}
        # The model always comes first.
        for name, levels in sorted(requested.items(), key=lambda pair: pair[0] != "model"):
            spec = factor(self.kind, name)
            if spec.name in checked:
                raise SpecError(f"the factor {spec.name} is set twice", fix="leave one out")
            checked_levels = tuple(checked_level(spec, level, name=name) for level in levels)
            checked[spec.name] = checked_levels
            if not levels:
                raise SpecError(f"no levels of {name}", fix="give two or more")
            if len(set(checked_levels)) < len(levels):
                raise SpecError(
                    f"equal levels of {name}: {cut(', '.join(map(str, levels[:50])))}",
                    fix="leave repeated levels out",
                )
        return checked

    @property
    def places(self) -> tuple[str, ...]:
        """Levels of the factor `scene` or `floor`; empty if neither is varied."""
        levels = self.factors.get("floor" if self.kind.single else "scene", ())
        return tuple(map(str, levels))

    def _first_place(self) -> str:
        """Return the scene or floor of the first cell."""
        if not self.places:
            return self.scene or default_place(self.kind)
        if self.scene not in {"", self.places[0]}:
            raise SpecError("scene is set, and is a factor too", fix="leave one out")
        return self.places[0]

    def _choose_shard_size(self) -> None:
        per_cell = self.throws or min(self.expected_throws, self.max_throws)
        size = self.shard_size or default_shard_size(self.kind, per_cell * self.cell_count)
        unit = DRAW_BLOCK if self.kind.single else 1
        limit = _MAX_SINGLES if self.kind.single else _MAX_POURS
        if not 1 <= size <= limit or size % unit:
            nearest = min(limit // 10, max(unit, size // unit * unit))
            multiples = f"multiples of {unit} up to" if unit > 1 else "1 to"
            raise SpecError(
                f"invalid shard_size {size:,}",
                expected=f"{multiples} {limit:,}",
                fix=f"use shard_size = {nearest}, or leave it out",
            )
        object.__setattr__(self, "shard_size", size)
        fix = f"use fewer throws or cells, or a larger shard_size (up to {limit:,})"
        _check("number of shards", self.shard_count, 1, _MAX_SHARDS, fix=fix)

    @property
    def most_throws(self) -> int:
        """Maximum throws of each cell."""
        return self.throws or self.max_throws

    @property
    def cell_count(self) -> int:
        """Number of combinations of levels; 1 where nothing is varied."""
        return prod(len(levels) for levels in self.factors.values())

    @property
    def block_count(self) -> int:
        """Largest number of blocks of trials."""
        return -(-self.most_throws // self.shard_size)

    @property
    def shard_count(self) -> int:
        """Largest number of shards."""
        return self.block_count * self.cell_count

    def cells(self) -> list[dict[str, Level]]:
        """Return the levels of each cell, the last factor fastest."""
        names = list(self.factors)
        return [dict(zip(names, row, strict=True)) for row in product(*self.factors.values())]

    def varied(self) -> list[Factor]:
        """Return the factors that are varied."""
        return [factor(self.kind, name) for name in self.factors]

    def shard(self, number: int) -> Shard:
        """Return the cell and the trials of a shard.

        Raises:
            SpecError: If there is no such shard.
        """
        _check("number of a shard", number, 0, self.shard_count - 1, fix="use another")
        block, cell = divmod(number, self.cell_count)
        start = block * self.shard_size
        trials = range(start, min(start + self.shard_size, self.most_throws))
        first = self.cell_count * start + cell * len(trials)
        return Shard(number=number, cell=cell, trials=trials, first_throw=first)

    def blocks(self, first: int, end: int) -> Iterator[int]:
        """Yield the shards of the blocks from `first` to before `end`, at most the last."""
        yield from range(first * self.cell_count, min(end * self.cell_count, self.shard_count))

    def definition(self) -> dict[str, Any]:
        """Return the study as plain values, from which `from_definition` makes it again."""
        plain = {
            **{field_.name: getattr(self, field_.name) for field_ in fields(self)},
            "kind": str(self.kind),
            "models": list(self.models),
            "factors": {
                name: list(levels) for name, levels in self.factors.items() if name != "model"
            },
        }
        # A study has throws or a precision: keys of the other are left out.
        return {
            name: value
            for name, value in plain.items()
            if (value != 0 and (name, value) != ("floors", "")) or name == "seed"
        }

    @classmethod
    def from_definition(cls, table: Mapping[str, Any], *, source: str = "the study") -> "Study":
        """Return the study of a table in the form of a study file; `source` names it in errors.

        Raises:
            SpecError: If a key is unknown, a value is invalid, or values contradict each other.
        """
        return cls(**checked_table(table, source=source))

    def to_json(self) -> str:
        """Return the definition as one line, the same for equal studies."""
        return json.dumps(self.definition())


def _check(name: str, value: int, low: int, high: int, *, fix: str) -> None:
    """Raise SpecError unless a number is within bounds."""
    if not low <= value <= high:
        raise SpecError(f"invalid {name} {cut(str(value))}", expected=f"{low} to {high:,}", fix=fix)


def default_shard_size(kind: ThrowKind, throws: int) -> int:
    """Return a good number of throws per shard, from the number of all throws of a study.

    It takes about a second where throws are few, and grows with the root of their number, so that
    neither shards nor their files become too many.
    """
    share = ceil(throws / _MIN_SHARDS)
    if kind.single:
        size = min(share, max(1_000, min(20_000, round(2.0 * sqrt(throws)))))
        return max(1, ceil(size / DRAW_BLOCK)) * DRAW_BLOCK
    return max(1, min(share, max(25, min(250, round(sqrt(throws) / 4.0)))))
