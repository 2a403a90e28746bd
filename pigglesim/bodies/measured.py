"""Measured shares of the models, in a small file."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from pigglesim.files import FileKind, read_json, validated
from pigglesim.landing import Orientation

MEASURED_FILE = "measured.json"
"""Name of the file next to the models: not TOML, as each TOML file in that folder is a model."""


Text = Annotated[str, Field(max_length=80)]
Count = Annotated[int, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
_KIND = FileKind(name="measurements")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactShare:
    """A share with its 95 % interval."""

    value: Fraction
    low: Fraction
    high: Fraction

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredModel:
    """Counts of a model's landings, and everything that they depend on."""

    model: Text
    model_sha256: Text
    date: Text
    """Date of the measurement, such as `2026-11-21`."""
    pours: Count
    throws: Count
    """Number of Piggles poured, including those that left the board."""
    off: Count
    """Number of Piggles that left the board, which have no class."""
    seed: Count
    scene: Text
    scene_sha256: Text
    engine: Text
    engine_version: Text
    shares: dict[Orientation, ContactShare]
    """Shares of the Piggles on the board."""

    def __post_init__(self) -> None:
        if absent := [str(at) for at in Orientation if at not in self.shares]:
            raise ValueError(f"no share of {', '.join(absent)}")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Everything that the shares depend on, except chance."""
        return (self.model_sha256, self.scene_sha256, self.engine, self.engine_version)


@dataclass(frozen=True, slots=True)
class _MeasuredFile:
    models: list[MeasuredModel]


def read_measured(file: Path) -> dict[str, MeasuredModel]:
    """Return the row of each model in a file; none if there is no file.

    Raises:
        SpecError: If it cannot be read.
    """
    if not file.is_file():
        return {}
    found = validated(
        TypeAdapter(_MeasuredFile).validate_python,
        read_json(file, _KIND),
        expected=f"measured shares in {file.name}, as scripts/measure_models writes them",
        fix="remove the file and run scripts/measure_models",
    )
    return {row.model: row for row in found.models}


def measured_text(rows: Mapping[str, MeasuredModel]) -> str:
    """Return the text of a file that reads back as `rows`."""
    models = [asdict(row) for _, row in sorted(rows.items())]
    return json.dumps({"models": models}, indent=1) + "\n"
