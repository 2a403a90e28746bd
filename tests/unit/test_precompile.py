"""What is compiled ahead is all that runs, and the progress of compiling is shown."""

import subprocess
import sys

import pytest

from pigglesim import precompile
from pigglesim.precompile import compile_ahead, is_compiled

USES = """
import pigglesim
from numba.core import event
from scripts.determinism.samples import MATCHES, matches, sweeps

class Compiled(event.Listener):
    def on_start(self, event):
        print(event.data["dispatcher"])

    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
for kind, throws in {"drop": 300, "pour": 3, "knock": 3}.items():
    pigglesim.study(kind, throws=throws, engine="impulse", seed=1)
pigglesim.study("drop", model="d6", factors={"friction": [0.2, 0.4]}, throws=100, engine="impulse")
for game in MATCHES:
    list(matches(game))
list(sweeps())
"""


@pytest.mark.slow
def test_after_compiling_ahead_nothing_that_is_run_is_compiled():
    compile_ahead()
    assert all(map(is_compiled, precompile._WORK))
    done = subprocess.run([sys.executable, "-c", USES], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("terminal", "said"),
    [
        (False, "pigglesim: compiling for drops, once: 3 functions, about 3 s ...\n"),
        (
            True,
            "\r\x1b[Kpigglesim: compiling for drops, once: 3 functions, about 3 s ..."
            "\r\x1b[Kpigglesim: compiling for drops, once: 1 of 3, fall ..."
            "\r\x1b[Kpigglesim: compiling for drops, once: 2 of 3, observe ..."
            "\r\x1b[Kpigglesim: compiling for drops, once: 2 of 3, fall ...\r\x1b[K",
        ),
    ],
)
def test_compiling_says_how_far_it_is(monkeypatch, capsys, terminal, said):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with precompile._progress("drops", 3) as seen:
        for name in ("fall", "observe", "fall"):
            seen(name)
    assert capsys.readouterr().err == said
