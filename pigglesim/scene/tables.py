"""TOML files read through tables that check every key; faults are told in one line."""

import hashlib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pigglesim.errors import SpecError, cut
from pigglesim.files.faults import fault_text
from pigglesim.files.kinds import FileKind
from pigglesim.files.parsing import parse_toml
from pigglesim.files.reading import decoded, read_file

__all__ = ["FileTable", "read_table"]


class FileTable(BaseModel):
    """A table of a file: nothing unknown in it, and nothing in it changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_File = TypeVar("_File", bound=FileTable)
_MOST_FAULTS = 8
"""Faults of a file that are told at once: who has more has another file in hand."""


def read_table(path: Path, table: type[_File], *, kind: str, like: str) -> tuple[_File, str]:
    """Return what a file holds, checked, and its digest.

    Args:
        path: The file.
        table: What it must hold.
        kind: What such a file is called, such as `"scene"`.
        like: A file that shows how it is done.

    Raises:
        SpecError: If it cannot be read, is no TOML, goes beyond the limits of such files, or does
            not hold what it must; every such key is named.
    """
    limits = FileKind(name=kind, values=2_000)
    data = read_file(path, limits)
    plain = parse_toml(decoded(data, limits, where=path.name), limits, where=path.name)
    try:
        return table.model_validate(plain), hashlib.sha256(data).hexdigest()
    except ValidationError as faults:
        found = faults.errors(include_url=False)
        told = [_fault_text(fault) for fault in found[:_MOST_FAULTS]]
        told += [f"and {len(found) - _MOST_FAULTS} more"] if len(found) > _MOST_FAULTS else []
        raise SpecError(
            f"a {kind} file as {like} shows, in {path.name}",
            got="; ".join(told),
            remedy="mend the keys named",
        ) from None


def _fault_text(fault: "object") -> str:
    """Return one fault of a file as `key: what is wrong (got value)`."""
    assert isinstance(fault, dict)
    key = cut(".".join(str(part) for part in fault["loc"]))
    return f"{key}: {fault_text(fault)}"
