"""Values as JSON knows them."""

import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return mappings, lists and numbers as JSON has them; None for a number that is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
