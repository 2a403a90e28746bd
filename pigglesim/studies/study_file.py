"""Study files: TOML in plain words, with the unit in every key that has one.

An example, with every key there is:

```toml
kind = "pour"                    # drop: one die on a floor; pour: a cup onto an empty board;
                                 # knock: a cup onto the other team, which stands on the board
models = ["piggle", "premium"]   # each a level of its own; "piggle,piggle,premium" is one cup
scene = "piggles_classic"        # of a drop the floor; a name or a TOML file
engine = "bullet"
seed = 5                         # chosen if absent
throws = 20000                   # of each cell; or, in its place,
# half_width = 0.002             # throw until every share is known to this,
# level = 0.95                   # at this level,
# max_throws = 1000000           # but no more than this in each cell
# shard_size = 250               # throws a file; chosen if absent

[factors]                        # every combination of levels is a cell
friction = [0.2, 0.4]
number = [1, 3, 6]
```
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.files.faults import wanted
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_toml
from pigglesim.studies.setups import ThrowKind

__all__ = ["checked_table", "read_table"]

_KIND = FileKind(name="study")
_Level = str | int | float
_Word = Annotated[str, Field(min_length=1, max_length=4096)]


def _whole(value: object) -> object:
    """Return `1e4` as the whole number that it is; any other value as it came."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Count = Annotated[int, BeforeValidator(_whole), Field(ge=1)]


class _StudyFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Annotated[ThrowKind, Field(strict=False)] = ThrowKind.DROP
    models: list[_Word] = ["piggle"]
    scene: _Word | None = None
    engine: _Word | None = None
    seed: int | None = None
    throws: _Count | None = None
    half_width: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    level: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    max_throws: _Count | None = None
    shard_size: _Count | None = None
    factors: dict[str, list[_Level]] = {}


def read_table(path: Path) -> dict[str, Any]:
    """Return what a study file says, not yet checked.

    Raises:
        SpecError: If it cannot be read, is no TOML, or goes beyond the limits of study files.
    """
    if not path.exists():
        raise SpecError(
            "a study file that can be read",
            got=f"no file {str(path)!r}",
            remedy="check the path; or a verb: query, show, report, odds",
        )
    return read_toml(path, _KIND)


def checked_table(table: dict[str, Any], *, source: str) -> dict[str, Any]:
    """Return a study's table with every value of its right kind, and nothing that is absent.

    Args:
        table: As a file or flags have it.
        source: What to call it in a fault.

    Raises:
        SpecError: If a key is unknown, or its value impossible.
    """
    try:
        found = _StudyFile.model_validate(table)
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        key = ".".join(str(word) for word in fault["loc"] if not str(word)[:1].isupper())
        if fault["type"] == "extra_forbidden":
            raise unknown_name(f"key in {source}", key, _StudyFile.model_fields) from None
        raise SpecError(
            f"{key} in {source} to be {wanted(fault)}",
            got=cut(repr(fault["input"]), 60),
            remedy=f"change {key}",
        ) from None
    return found.model_dump(exclude_none=True)
