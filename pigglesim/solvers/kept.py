"""Solutions kept on disk between runs, in the user's own folder for such things."""

import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from pigglesim.kept_code import user_cache
from pigglesim.lasting import name_for_good
from pigglesim.spatial import Array

__all__ = ["keep", "kept", "solutions_folder"]


def solutions_folder() -> Path | None:
    """Return where solutions are kept, which saves time alone; None for a user without a home."""
    own = user_cache()
    return own / "solutions" if own else None


def kept(key: str) -> Mapping[str, Array] | None:
    """Return what was kept under a key, or None: a file that is damaged counts as none.

    Args:
        key: Everything that the arrays depend on.
    """
    if (path := _file(key)) is None:
        return None
    try:
        # Opened here, so that a damaged file is closed again too.
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    # Of two keys with one digest, which will not happen, the other's arrays are not ours.
    return arrays if str(arrays.pop("key", "")) == key else None


def keep(key: str, arrays: Mapping[str, Array]) -> None:
    """Keep arrays under a key; where the folder cannot be written they are not kept."""
    if (target := _file(key)) is None:
        return
    part = target.with_name(f".{target.stem}.{os.getpid()}.part")
    named: dict[str, Any] = {"key": np.array(key), **arrays}
    with suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                np.savez_compressed(file, **named)
            # Whoever reads meanwhile has the old file or the new one, whole.
            name_for_good(part, target)
        finally:
            part.unlink(missing_ok=True)


def _file(key: str) -> Path | None:
    own = solutions_folder()
    return own and own / f"{sha256(key.encode()).hexdigest()[:24]}.npz"
