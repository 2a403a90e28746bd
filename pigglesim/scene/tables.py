"""TOML files read through tables that check every key; faults are told in one line."""

import hashlib
import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pigglesim.errors import SpecError

__all__ = ["FileTable", "read_table"]


class FileTable(BaseModel):
    """A table of a file: nothing unknown in it, and nothing in it changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_File = TypeVar("_File", bound=FileTable)


def read_table(path: Path, table: type[_File], *, kind: str, like: str) -> tuple[_File, str]:
    """Return what a file holds, checked, and its digest.

    Args:
        path: The file.
        table: What it must hold.
        kind: What such a file is called, such as `"scene"`.
        like: A file that shows how it is done.

    Raises:
        SpecError: If it is no TOML or does not hold what it must; every such key is named.
    """
    data = path.read_bytes()
    try:
        return table.model_validate(tomllib.loads(data.decode())), hashlib.sha256(data).hexdigest()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise SpecError(
            f"a {kind} file in TOML", got=f"{path.name}: {fault}", remedy="mend that line"
        ) from None
    except ValidationError as faults:
        raise SpecError(
            f"a {kind} file as {like} shows, in {path.name}",
            got="; ".join(_fault_text(fault) for fault in faults.errors()),
            remedy="mend the keys named",
        ) from None


def _fault_text(fault: "object") -> str:
    """Return one fault of a file as `key: what is wrong (got value)`."""
    assert isinstance(fault, dict)
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] in {"missing", "extra_forbidden"}:
        return f"{key}: {'missing' if fault['type'] == 'missing' else 'unknown key'}"
    return f"{key}: {fault['msg']} (got {fault['input']!r})"
