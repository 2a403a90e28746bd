"""What was measured of the models by throwing them: a small file, and a table for people."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, fault_text, read_json
from pigglesim.landing import Orientation

MEASURED_FILE = "measured.json"
"""Name of the file beside the models: no TOML, for each TOML file in that folder is a model."""


Text = Annotated[str, Field(max_length=80)]
Count = Annotated[int, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
_KIND = FileKind(name="measurements")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactShare:
    """A share with its interval at 95 %."""

    value: Fraction
    low: Fraction
    high: Fraction

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredModel:
    """How often a model landed in each class, and on what that depends."""

    model: Text
    model_sha256: Text
    date: Text
    """Day of the measurement, such as `2026-11-21`."""
    pours: Count
    throws: Count
    """Piggles poured, those that left the board included."""
    off: Count
    """Piggles that left the board: they have no class."""
    seed: Count
    scene: Text
    scene_sha256: Text
    engine: Text
    engine_version: Text
    shares: dict[Orientation, ContactShare]
    """Of the Piggles on the board."""

    def __post_init__(self) -> None:
        if absent := [str(at) for at in Orientation if at not in self.shares]:
            raise ValueError(f"no share of {', '.join(absent)}")

    @property
    def inputs(self) -> tuple[str, ...]:
        """What the shares depend on, but for chance."""
        return (self.model_sha256, self.scene_sha256, self.engine, self.engine_version)


def read_measured(file: Path) -> dict[str, MeasuredModel]:
    """Return what a file says of each model; nothing if there is no file.

    Raises:
        SpecError: If it cannot be read.
    """
    if not file.is_file():
        return {}
    rows = read_json(file, _KIND)
    try:
        found = _rows().validate_python(rows.get("models") if isinstance(rows, dict) else None)
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        key = ".".join(str(part) for part in ("models", *fault["loc"]))
        raise SpecError(
            "measured shares, as scripts/measure_models writes them",
            got=f"{file.name}: {cut(key)}: {fault_text(fault)}",
            remedy="remove the file and run scripts/measure_models",
        ) from None
    return {row.model: row for row in found}


@cache
def _rows() -> TypeAdapter[list[MeasuredModel]]:
    return TypeAdapter(list[MeasuredModel])


def measured_text(rows: Mapping[str, MeasuredModel]) -> str:
    """Return the file that reads back as `rows`."""
    models = [asdict(row) for _, row in sorted(rows.items())]
    return json.dumps({"models": models}, indent=1) + "\n"


def measured_lines(rows: Mapping[str, MeasuredModel], digests: Mapping[str, str]) -> list[str]:
    """Return the table of what was measured, in Markdown.

    Args:
        rows: What was measured.
        digests: SHA-256 of each model as it is now, in the order of the table; a row that was
            measured on another one says so.
    """
    classes = list(Orientation)
    head = ["model", "date", "throws", "pours", *(at.label for at in classes), "off", "with"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for model, digest in digests.items():
        row = rows.get(model)
        if row is None:
            continue
        stale = "" if row.model_sha256 == digest else ", before the model was last changed"
        made = f"{row.scene} {row.scene_sha256[:8]}, {row.engine} {row.engine_version}{stale}"
        shares = [str(row.shares[at]) for at in classes]
        cells = [model, row.date, str(row.throws), str(row.pours), *shares, str(row.off), made]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
