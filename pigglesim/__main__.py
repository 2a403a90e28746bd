"""`pigglesim`, and `python -m pigglesim`."""

import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line; until it can answer Ctrl-C, that simply ends the process."""
    answer = signal.getsignal(signal.SIGINT)
    if answer is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pigglesim.cli.app import main as run  # noqa: PLC0415 (it takes a while)

    signal.signal(signal.SIGINT, answer)
    run()


if __name__ == "__main__":
    main()
