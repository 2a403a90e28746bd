"""Ctrl-C within a query: DuckDB hears it too, and raises an error of its own in its place."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["stops_are_heard"]

_DUCKDB_SAYS = "Query interrupted"


@contextmanager
def stops_are_heard() -> Iterator[None]:
    """Let a stop within a query be the KeyboardInterrupt that it is anywhere else."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == _DUCKDB_SAYS:
            raise KeyboardInterrupt from None
        raise
