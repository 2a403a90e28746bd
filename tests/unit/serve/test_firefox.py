"""One throw in Firefox, which is told what to do by WebDriver BiDi over a socket."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from websockets.sync.client import connect

from tests.support.browser import need_program
from tests.support.serving import running
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
# Firefox has WebGL 2 without a graphics card only on a screen, here one without a monitor.
SOFTWARE_GL = {"LIBGL_ALWAYS_SOFTWARE": "1", "MOZ_X11_EGL": "1"}


class Firefox:
    """One tab; what it says on its console, and every address that it asks for, is kept."""

    def __init__(self, socket):
        self._socket, self._number, self.said, self.asked = socket, 0, [], []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self._tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method, **words):
        """Send a command and return its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": words}))
        while (heard := json.loads(self._socket.recv(60))).get("id") != self._number:
            if heard["method"] == "log.entryAdded" and heard["params"]["level"] == "error":
                self.said.append(heard["params"]["text"])
            elif heard["method"] == "network.beforeRequestSent":
                self.asked.append(heard["params"]["request"]["url"])
        assert heard["type"] == "success", heard
        return heard["result"]

    def open(self, link):
        """Open a link and wait until its page has loaded."""
        self.send("browsingContext.navigate", context=self._tab, url=link, wait="complete")

    def wait(self, script):
        """Wait until an expression holds."""
        until, target = time.monotonic() + 60, {"context": self._tab}
        words = {"target": target, "awaitPromise": False}
        while not self.send("script.evaluate", expression=f"!!({script})", **words)["result"][
            "value"
        ]:
            assert time.monotonic() < until, f"{script} never held; the page said {self.said}"
            time.sleep(0.1)


@contextmanager
def firefox(profile):
    words = [need_program("xvfb-run"), "--auto-servernum", need_program("firefox-esr", "firefox")]
    words += ["--profile", str(profile), "--remote-debugging-port", "0", "about:blank"]
    with (profile / "stderr").open("w") as stderr:
        process = subprocess.Popen(
            words, env=os.environ | SOFTWARE_GL, stderr=stderr, start_new_session=True
        )
    try:
        listens = partial(re.search, r"BiDi listening on (\S+)")
        wait_for(lambda: listens((profile / "stderr").read_text()))
        address = listens((profile / "stderr").read_text())[1]
        with connect(f"{address}/session", max_size=None) as socket:
            yield Firefox(socket)
    finally:
        # xvfb-run ends its screen at this signal, if it hears it.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_the_cup_is_thrown_in_firefox(tmp_path):
    (tmp_path / "profile").mkdir()
    with running(tmp_path / "matches") as served, firefox(tmp_path / "profile") as tab:
        tab.open(served.access.owner_link + "/throw")
        tab.wait("window.pigglesim?.table.grip?.numbers.length")
        tab.wait("document.querySelector('#panel button.main').click() ?? true")
        tab.wait("document.querySelector('.result code')")
        tab.wait("pigglesim.table.player.still")
        assert not tab.said
        assert all(url.startswith((served.address, "data:", "ws://127.")) for url in tab.asked)
