"""`pigglesim`, and `python -m pigglesim`."""

import os
import sys

_ON_PATH = f"{sys.path[0]}{os.sep}pigglesim{os.sep}"

if __name__ == "__main__" and not (sys.flags.safe_path or __file__.startswith(_ON_PATH)):
    # `-m` looks for modules in the current folder first, and that may be anybody's.
    del sys.path[0]

import gc  # noqa: E402 (only after the path is safe)
import signal  # noqa: E402
from typing import Any  # noqa: E402

_STOPS = (signal.SIGINT, signal.SIGTERM)

# The objects of imported modules are never garbage: searching them took a sixth of the imports.
# Workers import this module first.
gc.set_threshold(50_000, 100, 100)


def main() -> None:
    """Run the command line, and end; Ctrl-C before it is loaded ends the process at once."""
    answer = signal.getsignal(signal.SIGINT)
    if answer is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pigglesim.cli.app import main as run  # noqa: PLC0415 (it takes a while)
    from pigglesim.signals import leave  # noqa: PLC0415

    signal.signal(signal.SIGINT, answer)
    status: Any = 0
    try:
        try:
            run()
        except SystemExit as exiting:
            status = exiting.code or 0
        finally:
            # All is saved; a signal during the process's own exit would print a traceback. It must
            # end the process, though, if that exit hangs: the second signal does.
            stopped = status in {128 + number for number in _STOPS}
            _answer_stops(signal.SIG_DFL if stopped else _let_next_end)
    except KeyboardInterrupt:
        # The second one of a run that the first one has just ended.
        status = 128 + signal.SIGINT
    leave(status)


def _answer_stops(answer: Any) -> None:  # noqa: ANN401 (a handler, or a constant)
    for number in _STOPS:
        signal.signal(number, answer)


def _let_next_end(_number: int, _frame: object) -> None:
    _answer_stops(signal.SIG_DFL)


if __name__ == "__main__":
    main()
