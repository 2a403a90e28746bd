"""A question answered in a process of its own, which may not take long or hold much.

Whoever asks may ask for anything, and a folder may come from anybody: what a question takes is
bound by the system, and a fault in the reader of its files ends that process alone.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.studies.crew import leave_with_parent, start_process
from pigglesim.studies.rows import Answer

if sys.platform != "win32":  # nothing binds a process there
    import resource

__all__ = ["LONGEST", "answered"]

LONGEST = 300.0
"""How long an answer may take, unless more is asked for [s]."""
_ROOM = 900 << 20
"""Bytes that an answer may take beside what the process has at its start."""
_ROWS = 200
"""Rows that are handed over together."""

_Message = tuple[str, Any]


@contextmanager
def answered(folder: Path, question: str, *, seconds: float = LONGEST) -> Iterator[Answer]:
    """Answer one SELECT of the throws of a study, in a process that ends with the block.

    Args:
        folder: Of the study.
        question: The SELECT.
        seconds: How long it may take in all, with the time in which its rows are read.

    Raises:
        RecordError: If it is no folder of a study.
        SpecError: If the question is none, or wrong, or takes too long or too much.
    """
    here, there = get_context("spawn").Pipe(duplex=False)
    process = start_process(_serve, (there, folder, question))
    there.close()
    try:
        messages = _messages(here, process, seconds)
        columns = next(messages)
        yield Answer(columns=columns, rows=messages)
    finally:
        here.close()
        # It holds nothing that would have to be put away.
        process.kill()
        process.join()
        process.close()


def _messages(
    pipe: "connection.Connection[Any, _Message]",
    process: Any,  # noqa: ANN401 (a SpawnProcess)
    seconds: float,
) -> Iterator[Any]:
    """Yield the names of the columns, then the rows."""
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        if left <= 0.0 or not pipe.poll(left):
            raise SpecError(
                f"a question that is answered in {seconds:g} s",
                got="one that takes longer",
                remedy="ask for less, or --time-limit with more seconds",
            )
        try:
            what, told = pipe.recv()
        except (EOFError, OSError):
            process.join()
            raise SpecError(
                "a question that DuckDB can answer",
                got=f"one that ended it, with {_ending(process.exitcode)}",
                remedy="ask for less, or check the folder with pigglesim study show",
            ) from None
        if what == "end":
            return
        if what == "fault":
            raise told
        if what == "columns":
            yield told
            continue
        for row in told:
            if time.monotonic() > end:
                break
            yield row


def _ending(status: int | None) -> str:
    return f"signal {-status}" if status is not None and status < 0 else f"status {status}"


def _serve(pipe: "connection.Connection[_Message, Any]", folder: Path, question: str) -> None:
    """Answer, and leave."""
    # Slow to import, and of no use to the process that asks.
    from pigglesim.studies.query import ask, open_throws  # noqa: PLC0415

    leave_with_parent()
    with suppress(BrokenPipeError), closing(pipe):
        try:
            with open_throws(folder) as throws:
                _bind_memory()
                _hand_over(pipe, ask(throws, question))
        except PigglesimError as fault:
            pipe.send(("fault", fault))
        except MemoryError:
            pipe.send(("fault", _too_much()))


def _hand_over(pipe: "connection.Connection[_Message, Any]", answer: Answer) -> None:
    pipe.send(("columns", answer.columns))
    rows = []
    for row in answer.rows:
        rows.append(row)
        if len(rows) == _ROWS:
            pipe.send(("rows", rows))
            rows = []
    pipe.send(("rows", rows))
    pipe.send(("end", None))


def _bind_memory() -> None:
    """Let this process hold so much more and no more, where the system can tell and bind it."""
    held = Path("/proc/self/statm")
    if sys.platform == "win32" or not held.exists():
        return
    now = int(held.read_text().split()[5]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = now + _ROOM
    resource.setrlimit(
        resource.RLIMIT_DATA,
        (most if hard == resource.RLIM_INFINITY else min(most, hard), hard),
    )


def _too_much() -> SpecError:
    return SpecError(
        f"an answer of up to {_ROOM >> 20} MB at a time",
        got="a larger one",
        remedy="ask for counts or for fewer rows",
    )
