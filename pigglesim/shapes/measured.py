"""What was measured of the models by throwing them: a small file, and a table for people."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pigglesim.errors import SpecError, cut
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_json
from pigglesim.rolls import Orientation

__all__ = [
    "MEASURED_FILE",
    "MeasuredModel",
    "Share",
    "measured_lines",
    "measured_text",
    "read_measured",
]

MEASURED_FILE = "measured.json"
"""Name of the file beside the models: no TOML, for each TOML file in that folder is a model."""


_KIND = FileKind(name="measurements")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its interval at 95 %."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredModel:
    """How often a model landed in each class, and on what that depends."""

    model: str
    model_sha256: str
    date: str
    """Day of the measurement, such as `2026-11-21`."""
    pours: int
    throws: int
    """Piggles poured, those that left the board included."""
    off: int
    """Piggles that left the board: they have no class."""
    seed: int
    scene: str
    scene_sha256: str
    engine: str
    engine_version: str
    shares: dict[Orientation, Share]
    """Of the Piggles on the board."""

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
    try:
        rows = read_json(file, _KIND)
        found = [
            MeasuredModel(**row | {"shares": _shares(row["shares"])}) for row in rows["models"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SpecError(
            "measured shares, as scripts/measure_models writes them",
            got=f"{file.name}: {type(fault).__name__}: {cut(str(fault))}",
            remedy="remove the file and run scripts/measure_models",
        ) from None
    return {row.model: row for row in found}


def _shares(table: Mapping[str, Mapping[str, float]]) -> dict[Orientation, Share]:
    return {Orientation(name): Share(**share) for name, share in table.items()}


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
