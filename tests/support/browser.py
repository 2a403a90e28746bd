"""A real Chromium without a window, told what to do by the DevTools protocol over two pipes."""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
_SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
_PATIENCE = 60.0


def need_program(*names):
    """Return the path of a program; where there is none, skip, but fail where CI is set."""
    for name in names:
        if found := shutil.which(name):
            return found
    words = f"{' or '.join(names)} is not installed"
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(words)


@contextlib.contextmanager
def chromium():
    """Yield a Chromium driven by Playwright, which draws 3D in software."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        program = need_program("chromium", "chromium-browser", "google-chrome")
        flags = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


_LEFT = ("navigated", "context was destroyed", "Cannot find context", "Cannot find default")
"""What errors say of a page that is being left."""


class _LeftError(AssertionError):
    """The page was left before it answered."""


class Browser:
    """One tab; what it says on its console, and every error in it, is kept in `said`."""

    def __init__(self, *, webgl=True, size=(1000, 900)):
        program = need_program("chromium", "chromium-browser", "google-chrome")
        self._home = tempfile.mkdtemp(prefix="pigglesim-browser-")
        hears, self._out = os.pipe()
        self._in, tells = os.pipe()
        flags = [*_FLAGS, *(_SOFTWARE_GL if webgl else ["--disable-3d-apis"])]
        flags += [f"--user-data-dir={self._home}", f"--window-size={size[0]},{size[1]}"]
        # The browser hears on 3 and tells on 4.
        script = f'exec "$@" 3<&{hears} 4>&{tells}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, *flags, "about:blank"],
            pass_fds=(hears, tells),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(hears)
        os.close(tells)
        self._left = b""
        self._number = 0
        self._session = None
        self.said = []
        self.asked = []
        """Addresses that the page asked for."""
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self._home, ignore_errors=True)

    def send(self, method, **words):
        """Send a command and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": words}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if any(word in str(answer.get("error")) for word in _LEFT):
                    raise _LeftError(answer["error"])
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _receive(self):
        while b"\0" not in self._left:
            part = os.read(self._in, 1 << 20)
            assert part, "the browser has gone"
            self._left += part
        line, self._left = self._left.split(b"\0", 1)
        message = json.loads(line)
        parameters = message.get("params", {})
        match message.get("method"):
            case "Runtime.consoleAPICalled":
                self.said.append(
                    (parameters["type"], [arg.get("value") for arg in parameters["args"]])
                )
            case "Runtime.exceptionThrown":
                self.said.append(("exception", parameters["exceptionDetails"]))
            case "Log.entryAdded":
                self.said.append((parameters["entry"]["level"], parameters["entry"]["text"]))
            case "Network.requestWillBeSent":
                self.asked.append(parameters["request"]["url"])
        return message

    def open(self, file, *, until="true"):
        """Open a file and wait until it is there and something holds in it."""
        address = Path(file).resolve().as_uri()
        self.send("Page.navigate", url=address)
        self.wait(f"location.href === {address!r} && document.readyState === 'complete'")
        self.wait(until)

    def run(self, script):
        """Return the value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script):
        """Wait until an expression holds."""
        late = time.monotonic() + _PATIENCE
        while not self._holds(script):
            assert time.monotonic() < late, f"{script} never held; the page said {self.said}"
            time.sleep(0.05)

    def _holds(self, script):
        # While a page is loaded again there is none to ask.
        with contextlib.suppress(_LeftError):
            return self.run(script)

    def press(self, key, *, text=None):
        """Press a key and let it go."""
        words = {"key": key, **({"text": text} if text else {})}
        self.send("Input.dispatchKeyEvent", type="keyDown", **words)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def drag(self, start, end):
        """Drag with the left button."""
        (x, y), (to_x, to_y) = start, end
        mouse = "Input.dispatchMouseEvent"
        held = {"button": "left", "buttons": 1}
        self.send(mouse, type="mousePressed", x=x, y=y, clickCount=1, **held)
        for share in (0.25, 0.5, 0.75, 1.0):
            at = {"x": x + share * (to_x - x), "y": y + share * (to_y - y)}
            self.send(mouse, type="mouseMoved", **at, **held)
        self.send(mouse, type="mouseReleased", x=to_x, y=to_y, button="left")

    def screen(self, width, height, *, dark=False):
        """Be a screen of another size, in light or in dark."""
        small = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **small)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self):
        """Return a PNG of what is seen."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])
