"""Base class of results, which can be converted to documents and to JSON."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class Result(ABC):
    """Result of a function; its JSON text is its document."""

    __slots__ = ()

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the result as JSON values; unknown values are None, units are in the names."""

    def to_json(self) -> str:
        """Return the document as JSON, like the output of the command line."""
        return json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=1)


def plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Convert mappings, lists and numbers to JSON values; None for a number that is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
