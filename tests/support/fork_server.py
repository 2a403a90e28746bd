"""A process that has loaded what `pigglesim` loads, and forks itself into it again and again.

Started as `python -m tests.support.fork_server`. Each line on standard input is a request, as JSON:
`words` of the command line, `folder` to stand in, its `environment`, files for `out` and `err`,
and a `plant`, a fault that is put into the process beforehand. The answer is the child's process
number; asked to `wait` for that, its exit status. The child runs `pigglesim.__main__.main` and
leaves by the interpreter's own way out.

Workers of the child are forked too, where a person's would be spawned: starting them afresh
takes longer than all of their work. A share of all runs goes through the front door instead.
"""

import gc
import json
import multiprocessing
import os
import signal
import sys
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from multiprocessing.util import register_after_fork


class _Forking(ForkContext):
    def Pipe(self, duplex=True):  # noqa: N802 (the name it has there)
        """Make a pipe of which a worker has its own end only, as one that is spawned."""
        here, there = super().Pipe(duplex)
        register_after_fork(here, Connection.close)
        return here, there


_FORKING = _Forking()


_LOADED = (
    "pigglesim.__main__",
    "pigglesim.cli.app",
    "pigglesim.cli.models",
    "pigglesim.cli.match",
    "pigglesim.bodies.scan",
    "pigglesim.experiments.tournament",
    "pigglesim.api.match",
    "pigglesim.api.names",
    "pigglesim.api.roll",
    "pigglesim.render.offscreen",
    "shapely",
    "trimesh",
)
_LOADED_WITH_DUCKDB = (
    "pigglesim.cli.study",
    "pigglesim.cli.series",
    "pigglesim.experiments.estimates",
    "pigglesim.experiments.run",
    "pigglesim.experiments.odds",
    "scripts.trust.faults.plants",
)


def _load():
    """Load every module of the verbs that are run, and the compiled drops."""
    multiprocessing.get_context = lambda method=None: _FORKING
    for name in _LOADED:
        import_module(name)
    from pigglesim.precompile import is_compiled

    if is_compiled("drops"):
        _drop()
    # What is there to stay is not walked through again at the end of every child; DuckDB counts
    # there what was never given back, and stays out of this.
    gc.collect()
    gc.freeze()
    for name in _LOADED_WITH_DUCKDB:
        import_module(name)


def _drop():
    """Drop a die once, which loads the compiled code."""
    from pigglesim.bodies.body import support_for
    from pigglesim.physics.drop import Dropper
    from pigglesim.physics.engines import make_engine
    from pigglesim.scene.load import load_floor
    from pigglesim.throws import sample_drops
    from tests.support.bodies import box_body

    body, floor = box_body(parts=False), load_floor("tabletop")
    dropper = Dropper(
        body,
        support_for(body),
        range(len(body.poses)),
        surface=floor.surface("plastic"),
        stepping=floor.stepping,
        engine=make_engine("impulse"),
    )
    drops = sample_drops(floor.fall, body, trials=range(1), seed=1, purpose=("compile",))
    dropper.drop_all(drops)


def serve():
    """Answer requests until there are no more; return in each child, with its request."""
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if not pid:
            return request
        print(pid, flush=True)
    os._exit(0)


def _become(request):
    """Be the process that was asked for, but for what it has loaded."""
    os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for name, number in (("in", 0), ("out", 1), ("err", 2)):
        mode = os.O_RDONLY if name == "in" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        handle = os.open(request.get(name) or os.devnull, mode, 0o666)
        os.dup2(handle, number)
        os.close(handle)
    sys.argv = ["pigglesim", *request["words"]]
    # As in a process that has just begun, which Ctrl-C ends until it can answer.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request.get("plant"):
        name, *words = request["plant"]
        getattr(import_module("scripts.trust.faults.plants"), name)(*words)


if __name__ == "__main__":
    _load()
    print("ready", flush=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _become(serve())
    from pigglesim.__main__ import main

    main()
