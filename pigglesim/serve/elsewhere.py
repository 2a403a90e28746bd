"""Work in a process of its own: the memory and libraries that it needs end with it."""

from collections.abc import Callable
from functools import partial
from multiprocessing import connection, get_context
from typing import Any, TypeVar

from pigglesim.errors import PigglesimError
from pigglesim.experiments.worker_pool import Outcome, leave_with_parent, start_process

T = TypeVar("T")


class WorkLostError(PigglesimError):
    """A process has died over its work."""


def elsewhere(
    task: Callable[..., T], *arguments: object, progress: Callable[[int, int], object] | None = None
) -> T:
    """Return the result of a function that runs in a process of its own.

    The function, its arguments and its result must pickle. With `progress`, the function has a
    parameter of this name; if `progress` raises, the process is killed.

    Raises:
        WorkLostError: If the process dies.
        Exception: The error of the function.
    """
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    work = partial(_work, reports=progress is not None)
    process = start_process(work, (sender, task, arguments))
    sender.close()
    try:
        while not isinstance(message := receiver.recv(), Outcome):
            assert progress is not None
            progress(*message)
    except (EOFError, OSError):
        raise WorkLostError("the work failed: its process died", fix="try again") from None
    finally:
        receiver.close()
        process.kill()
        process.join()
        process.close()
    if message.error is not None:
        raise message.error
    result: Any = message.result
    return result  # type: ignore[no-any-return]


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
