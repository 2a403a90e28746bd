"""What a question in SQL is answered with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a question was answered with."""

    columns: tuple[str, ...]
    """Names, each once."""
    rows: Iterator[tuple[Any, ...]]
    """Values that JSON knows; read as they are needed."""
