"""Results: values that show themselves as documents and as JSON."""

import json
import math
from collections.abc import Mapping
from typing import Any


class Result:
    """A result; its JSON is its document."""

    __slots__ = ()

    def document(self) -> dict[str, Any]:
        """Return all of it as plain values; what is not known is None, units are in the names."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the document as JSON, as the verb of the command line prints it."""
        return json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=1)


def plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return mappings, lists and numbers as JSON has them; None for a number that is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
