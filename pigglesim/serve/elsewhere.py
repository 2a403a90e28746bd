"""Work in a process of its own: the memory and libraries that it needs end with it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from pigglesim.errors import PigglesimError
from pigglesim.experiments.worker_pool import Outcome, leave_with_parent, start_process

T = TypeVar("T")
_running: set[BaseProcess] = set()


class WorkLostError(PigglesimError):
    """A process has died over its work."""


def elsewhere(
    task: Callable[..., T], *arguments: object, progress: Callable[[int, int], object] | None = None
) -> T:
    """Return the result of a function that runs in a process of its own.

    The function, its arguments and its result must pickle. It may start workers, which end with it.
    With `progress`, the function has a parameter of this name; if `progress` raises, the process is
    killed.

    Raises:
        WorkLostError: If the process dies, or is killed by `kill_running`.
        Exception: The error of the function.
    """
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    work = partial(_work, reports=progress is not None)
    process = start_process(work, (sender, task, arguments), has_workers=True)
    _running.add(process)
    sender.close()
    try:
        while not isinstance(message := receiver.recv(), Outcome):
            assert progress is not None
            progress(*message)
    except (EOFError, OSError):
        raise WorkLostError("the work failed: its process died", fix="try again") from None
    finally:
        receiver.close()
        _running.discard(process)
        process.kill()
        process.join()
        process.close()
    if message.error is not None:
        raise message.error
    result: Any = message.result
    return result  # type: ignore[no-any-return]


def kill_running() -> None:
    """Kill the processes of this module; who waits for one gets a `WorkLostError`."""
    for process in tuple(_running):
        # It may end by itself at this moment.
        with suppress(ValueError):
            process.kill()


def _work(
    sender: "connection.Connection[Any, Any]",
    task: Callable[..., Any],
    arguments: tuple[object, ...],
    *,
    reports: bool,
) -> None:
    leave_with_parent()

    def progress(done: int, total: int) -> None:
        sender.send((done, total))

    try:
        result = task(*arguments, **({"progress": progress} if reports else {}))
        outcome: Outcome[Any] = Outcome(number=0, result=result)
    except Exception as error:
        outcome = Outcome.raised(0, error)
    sender.send(outcome)
