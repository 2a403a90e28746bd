"""Time a page from the press of "When decided?" to the marks, over throws of six Piggles.

Run `python -m scripts.verification.page_moments [FOLDER] [--throws N]`. It needs Chromium, and the
WebAssembly of `scripts/make_wasm`. With a FOLDER of `pigglesim site` it is the page without a
server. Processor times change less on a busy machine.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from pigglesim.serve.pours import Pours
from scripts.verification.decided import median
from tests.support.browser import chromium
from tests.support.marks import throw
from tests.support.serving import running

_PRESS = """() => {
    const { moments } = pigglesim.table;
    const began = performance.now();
    const times = [];
    const waiting = [];
    window.marked = (row) => new Promise((resolve) => {
        waiting[row] = resolve;
        if (times[row] !== undefined) resolve(times[row]);
    });
    new MutationObserver((_, observer) => requestAnimationFrame(() => {
        times.push(performance.now() - began);
        waiting[times.length - 1]?.(times.at(-1));
        if (times.length === 2) observer.disconnect();
    })).observe(document.querySelector("#moments"), { childList: true });
    document.querySelector("#when").click();
}"""
"""Presses the button; `marked` then gives when marks were drawn, from few copies or all [ms]."""
_LOOKS = "() => pigglesim.table.moments.dice.reduce((sum, die) => sum + die.looks.length, 0)"


def worker_time() -> float:
    """Return the processor time of the workers in browsers of this process [s], each a thread."""
    parents, ticks = {}, 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(place.parent.name)] = int(_fields(place)[1])
    for process in parents:
        above = process
        while above in parents and above != os.getpid():
            above = parents[above]
        if above != os.getpid():
            continue
        for name in Path(f"/proc/{process}/task").glob("*/comm"):
            with suppress(OSError):
                if name.read_text().startswith("DedicatedWorker"):
                    user, system = _fields(name.with_name("stat"))[11:13]
                    ticks += int(user) + int(system)
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(stat: Path) -> list[str]:
    """Return the fields of a process or thread in `proc`, after its number and name."""
    return stat.read_text().rpartition(")")[2].split()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words):
        pass


@contextmanager
def served(folder: Path | None) -> Iterator[str]:
    """Serve pages, or the files of a page without a server, and yield the address."""
    if folder is None:
        pours = Pours()
        try:
            with TemporaryDirectory() as place, running(Path(place), pours=pours) as server:
                yield f"{server.access.owner_link}/throw"
        finally:
            pours.close()
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/#/throw"
    server.shutdown()


def main(words: list[str]) -> None:
    """Throw some times, and print medians with their intervals."""
    parser = argparse.ArgumentParser(prog="python -m scripts.verification.page_moments")
    parser.add_argument("folder", type=Path, metavar="FOLDER", nargs="?")
    parser.add_argument("--throws", type=int, default=20)
    asked = parser.parse_args(words)
    found = []
    with served(asked.folder) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
        page.set_default_timeout(120_000)
        page.goto(address)
        for seed in range(1, asked.throws + 1):
            throw(page, seed=seed)
            page.locator(".result .remark", has_text=f"seed {seed},").wait_for()
            before = worker_time()
            page.evaluate(_PRESS)
            marks = []
            for row in range(2):
                waited = page.evaluate("(row) => marked(row)", row) / 1000.0
                marks.append((waited, worker_time() - before))
            found.append((page.evaluate(_LOOKS) / 1000.0, marks))
            page.get_by_role("button", name="Hide marks").click()
    print(f"looks at a throw: {median([looks for looks, _ in found])}")
    for row, copies in enumerate((100, 400)):
        waits, works = zip(*(marks[row] for _, marks in found), strict=True)
        print(f"marks from {copies} copies of each look: {median([*waits])} ms,", end=" ")
        print(f"processor time of the worker {median([*works])} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
