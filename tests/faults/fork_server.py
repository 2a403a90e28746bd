"""A process that has loaded what `pigglesim` loads, and forks itself into it again and again.

Started as `python -m tests.faults.fork_server`. Each line on standard input is a request, as JSON:
`words` of the command line, `folder` to stand in, files for `out` and `err`, and a `plant`, a
fault that is put into the process beforehand. The child runs `pigglesim.cli.app.main` and leaves
by the interpreter's own way out. Answers are the child's process number, then its exit status.

Workers of the child are forked too, where a person's would be spawned: starting them afresh
takes longer than all of their work. A share of all runs goes through the front door instead.
"""

import json
import multiprocessing
import os
import signal
import sys
from functools import cache

__all__ = ["serve"]

_get_context = multiprocessing.get_context


@cache
def _quick_context(method=None):
    return _get_context("fork")


def _load():
    """Load every module of the verbs that are run, and the compiled drops."""
    multiprocessing.get_context = _quick_context
    import duckdb  # noqa: F401

    import pigglesim.cli.app
    import pigglesim.cli.match_play
    import pigglesim.cli.study_run
    import pigglesim.cli.study_table
    import pigglesim.cli.tournament_view
    import pigglesim.studies.answers
    import pigglesim.studies.cluster
    import pigglesim.studies.local
    import pigglesim.studies.odds
    import pigglesim.tournaments.pair  # noqa: F401
    from pigglesim.physics.compiled_code import is_compiled
    from tests.conftest import _drop

    if is_compiled("drops"):
        _drop()


def serve():
    """Answer requests until there are no more; return in each child, with its request."""
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if not pid:
            return request
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)


def _become(request):
    """Be the process that was asked for, but for what it has loaded."""
    os.setsid()
    os.chdir(request["folder"])
    for name, number in (("in", 0), ("out", 1), ("err", 2)):
        mode = os.O_RDONLY if name == "in" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        handle = os.open(request.get(name) or os.devnull, mode, 0o666)
        os.dup2(handle, number)
        os.close(handle)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["pigglesim", *request["words"]]
    plant = request.get("plant")
    if plant:
        from tests.faults import plants

        getattr(plants, plant[0])(*plant[1:])


if __name__ == "__main__":
    _load()
    print("ready", flush=True)
    _become(serve())
    from pigglesim.cli.app import main

    main()
