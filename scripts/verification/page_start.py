"""Time the cold start of a page without a server, up to the first throw, or measure its memory.

Run `python -m scripts.verification.page_start FOLDER` on a quiet machine, after `pigglesim site
FOLDER`. Each start has a new profile of Chromium and a local server of files. With `--node` it is
the processor time in node, of a match against `greedy` too, which a busy machine changes less.
With `--memory` it is the memory of the page's process in Chromium, counted in two ways: what its
task manager shows, which is all that is no file and what is swapped, and PSS, in which the program
itself counts too, by share with other processes.
"""

import argparse
import json
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np

from pigglesim.experiments.statistics import mean_of
from pigglesim.units import with_interval
from tests.support.browser import chromium

STEPS = ("games can be chosen", "rules are ready", "table, cup loaded", "first throw begins")
_WATCH = """() => new Promise((resolve) => {
    const find = (name) => document.querySelector(name);
    const steps = [
        () => find("#begin-first"), () => find("#lost")?.hidden,
        () => find("#pour:not([disabled])"), () => pigglesim.table.running];
    const times = [];
    const look = () => {
        while (times.length < steps.length && window.pigglesim && steps[times.length]()) {
            times.push(performance.now());
            if (times.length === 1) find("#begin-first").click();
            if (times.length === 3) find("#pour").click();
        }
        if (times.length === steps.length) resolve(times);
        else setTimeout(look, 2);
    };
    look();
})"""
"""Presses the buttons as soon as they are there; returns the time of each step [ms]."""


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_words):
        pass


class _Memory(Thread):
    """Watches the largest process of pages until it is stopped."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.most, self.going = pids, np.zeros(2), True
        self.start()

    def run(self):
        """Look ten times a second."""
        while self.going:
            self.most = np.maximum(self.most, self.now())
            time.sleep(0.1)

    def now(self):
        """Return what it has now [MB]."""
        return np.max([_memory_of(pid) for pid in self.pids], axis=0)

    def stop(self):
        """Return the most that it had [MB]."""
        self.going = False
        self.join()
        return self.most


def _memory_of(pid):
    """Return the memory of a process as the browser's task manager counts it, and its PSS [MB]."""
    process, kilobytes = Path(f"/proc/{pid}"), {}
    for file in ("status", "smaps_rollup"):
        for line in (process / file).read_text().splitlines():
            name, _, rest = line.partition(":")
            if rest.endswith("kB"):
                kilobytes[name] = int(rest.split()[0])
    found = kilobytes["RssAnon"] + kilobytes["VmSwap"], kilobytes["Pss"]
    return 1.024e-3 * np.array(found)


def _measure_memory(browser, page):
    """Return the memory during a match, during its review, and after it, each in two ways [MB]."""
    page.wait_for_selector("#begin-first")
    page.wait_for_selector("#lost", state="hidden")
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    memory = _Memory([each["id"] for each in told["processInfo"] if each["type"] == "renderer"])
    page.evaluate("pigglesim.send(" + json.dumps(_MATCH) + ")")
    page.wait_for_selector("#rematch", timeout=_PATIENCE)
    match, memory = memory.stop(), _Memory(memory.pids)
    page.get_by_role("button", name="Review the match").click()
    page.wait_for_selector("svg.curve", timeout=_PATIENCE)
    return [*match, *memory.stop(), *memory.now()]


_MATCH = {"do": "new", "game": "piggles_classic", "players": ["greedy"] * 2, "seed": 1, "pace": 0}
_PATIENCE = 300_000
"""For a match, and for its review [ms]."""
_MEMORIES = tuple(
    f"{when}, {how}"
    for when in ("a match, at most", "its review, at most", "after the review")
    for how in ("task manager", "PSS")
)


def main(words):
    """Start the page some times, and print the means with their intervals."""
    parser = argparse.ArgumentParser(prog="python -m scripts.verification.page_start")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--node", action="store_true", help="measure processor time")
    parser.add_argument("--memory", action="store_true", help="measure memory")
    asked = parser.parse_args(words)
    if asked.node:
        runner = Path(__file__).with_suffix(".mjs")
        command = ["node", str(runner), str(asked.folder.resolve())]
        starts = [json.loads(subprocess.check_output(command)) for _ in range(asked.starts)]
        for name in starts[0]:
            print(f"{name}: {with_interval(mean_of(each[name] for each in starts))} s")
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(asked.folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    found = []
    for _ in range(asked.starts):
        with chromium() as browser:
            page = browser.new_context().new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/", wait_until="commit")
            found.append(
                _measure_memory(browser, page)
                if asked.memory
                else [milliseconds / 1000.0 for milliseconds in page.evaluate(_WATCH)]
            )
    names, unit = (_MEMORIES, "MB") if asked.memory else (STEPS, "s")
    for name, figures in zip(names, zip(*found, strict=True), strict=True):
        print(f"{name}: {with_interval(mean_of(figures))} {unit}")
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
