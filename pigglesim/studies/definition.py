"""What `study.json` must hold: looked at before anything in it is used."""

import re
from pathlib import Path
from typing import Any

from pigglesim.errors import RecordError, SpecError
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_json
from pigglesim.studies.columns import COLUMNS
from pigglesim.studies.identity import SCHEMA

__all__ = ["checked_definition"]

_KIND = FileKind(name="study definition", most_bytes=4 * 1024**2, values=200_000)
_COLUMN = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TYPES = frozenset(COLUMNS.values()) | {"DOUBLE"}
"""What a column may be: name and type become SQL."""
_MOST_COLUMNS = 64


def checked_definition(path: Path) -> dict[str, Any]:
    """Return what the definition of a study in a file says.

    Raises:
        RecordError: If it cannot be read, is no such definition, or one of a newer version.
    """
    try:
        found = read_json(path, _KIND)
        schema = found["made_of"]["schema"]
        whole = (
            isinstance(found["study"], dict)
            and isinstance(found["digest"], str)
            and isinstance(found["made_of"]["models"], dict)
        )
        sound = _are_columns(found["columns"])
    except SpecError as fault:
        raise RecordError(fault.expected, got=fault.got, remedy="another --out") from None
    except (KeyError, TypeError, AttributeError) as fault:
        raise RecordError(
            f"a {path.name} that can be read",
            got=f"{path}: {type(fault).__name__} {fault}",
            remedy="another --out",
        ) from None
    if not whole or not isinstance(schema, int) or schema > SCHEMA:
        raise RecordError(
            f"a study in the layout {SCHEMA} or older",
            got=f"{path.parent} in the layout {schema}",
            remedy="install a newer pigglesim",
        )
    if not sound:
        raise RecordError(
            f"the columns of a study in {path}",
            got="others",
            remedy="use the folder as pigglesim study wrote it",
        )
    return dict(found)


def _are_columns(columns: dict[str, str]) -> bool:
    """Return whether these are the columns of a study, and nothing that SQL would do more with."""
    return (
        len(columns) <= _MOST_COLUMNS
        and COLUMNS.keys() <= columns.keys()
        and all(_COLUMN.fullmatch(name) and kind in _TYPES for name, kind in columns.items())
    )
