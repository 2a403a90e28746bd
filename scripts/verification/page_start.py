"""Time the cold start of a page without a server, up to the first throw.

Run `python -m scripts.verification.page_start FOLDER` on a quiet machine, after `pigglesim site
FOLDER`. Each start has a new profile of Chromium and a local server of files. With `--node` it is
the processor time in node, of a match against `greedy` too, which a busy machine changes less.
"""

import argparse
import json
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

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


def main(words):
    """Start the page some times, and print the means with their intervals."""
    parser = argparse.ArgumentParser(prog="python -m scripts.verification.page_start")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--node", action="store_true", help="measure processor time and memory")
    asked = parser.parse_args(words)
    if asked.node:
        runner = Path(__file__).with_suffix(".mjs")
        command = ["node", str(runner), str(asked.folder.resolve())]
        starts = [json.loads(subprocess.check_output(command)) for _ in range(asked.starts)]
        for name in starts[0]:
            unit = "MB" if name.startswith("memory") else "s"
            print(f"{name}: {with_interval(mean_of(each[name] for each in starts))} {unit}")
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(asked.folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    found = []
    for _ in range(asked.starts):
        with chromium() as browser:
            page = browser.new_context().new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/", wait_until="commit")
            found.append(page.evaluate(_WATCH))
    for step, times in zip(STEPS, zip(*found, strict=True), strict=True):
        print(f"{step}: {with_interval(mean_of(time / 1000.0 for time in times))} s")
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
