"""`pigglesim`, and `python -m pigglesim`."""

import os
import sys

_ON_PATH = f"{sys.path[0]}{os.sep}pigglesim{os.sep}"

if __name__ == "__main__" and not (sys.flags.safe_path or __file__.startswith(_ON_PATH)):
    # `-m` looks for modules in the current folder first, and that may be anybody's.
    del sys.path[0]

import signal  # noqa: E402 (only after the path is safe)


def main() -> None:
    """Run the command line; Ctrl-C before it is loaded ends the process at once."""
    answer = signal.getsignal(signal.SIGINT)
    if answer is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pigglesim.cli.app import main as run  # noqa: PLC0415 (it takes a while)

    signal.signal(signal.SIGINT, answer)
    try:
        run()
    finally:
        # All is saved; a signal during the interpreter's own exit would print a traceback.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
