"""A server in this process, people who are connected to it, and what they hear."""

import asyncio
import json
import socket
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

from websockets.sync.client import connect

from pigglesim.serve.access import PROTOCOL, Access, saved_links
from pigglesim.serve.connections import WebServer
from pigglesim.serve.server import Server


class Running:
    """A running server."""

    def __init__(self, server):
        self.server, self.access = server, server.access
        self.address = f"http://127.0.0.1:{self.access.port}"
        self.secret = self.access.owner_link.split("=")[1]

    def get(self, path, *, secret=None, host=None, headers=None):
        """Return status, headers and body; redirects are not followed."""
        request = urllib.request.Request(self.address + path, headers=headers or {})
        if secret is not None:
            request.add_header("Authorization", f"Bearer {secret}")
        if host is not None:
            request.add_header("Host", host)
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    @contextmanager
    def person(self, secret=None, *, offered=..., **headers):
        """Connect a person: the owner, or the one with another secret or other subprotocols."""
        origin = headers.pop("Origin", self.address)
        if offered is ...:
            offered = [PROTOCOL, self.secret if secret is None else secret]
        with connect(
            self.address.replace("http", "ws") + "/socket",
            origin=origin,
            additional_headers=headers,
            subprotocols=offered,
            max_size=None,
            # Else what nobody reads holds up the end, for as long as the client waits for it.
            max_queue=None,
        ) as opened:
            yield Person(opened)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    """One connected page, which reads until it hears what it waits for."""

    def __init__(self, connection):
        self.connection, self.heard, self.texts = connection, [], []
        self.welcome = self.until("welcome")

    def send(self, **message):
        self.connection.send(json.dumps(message))

    def next(self, timeout=30):
        self.texts.append(self.connection.recv(timeout=timeout))
        message = json.loads(self.texts[-1])
        self.heard.append(message)
        return message

    def until(self, kind, *, where=lambda message: True, timeout=30):
        """Return the next message of a kind that fulfils a condition."""
        while True:
            message = self.next(timeout)
            if message["is"] == kind and where(message):
                return message
            assert kind == "fault" or message["is"] != "fault", message["text"]

    def refusal(self, **message):
        """Send a message and return the line that refuses it."""
        self.send(**message)
        return self.until("fault")["text"]

    def play_on(self, table, state, *, most=None):
        """Take the first choice of a match, or load at most so many Piggles, else all."""
        if "load" in state:
            free = [each["name"] for each in state["load"] if each["free"]]
            self.send(do="load", table=table, at=state["at"], piggles=free[:most])
        else:
            self.send(do="decide", table=table, at=state["at"], choice=0)


_KEYS = ["do", "load", "at", "table", "piggles", "decide", "choice", "hold", "new", "throw"]
_KEYS += ["word", "pace", "decision", "text", "name", "model", "count"]
_VALUES = [None, -1, 0, 2**70, "A1", [], ["A1"], {}, 1e308, "\ud7ff", True, ["A1"] * 500]
_VALUES += [1, 2, "hint", "undo", "done", "skip", "links", "rematch", "../x.jsonl", "<b>"]
_DEEDS = ["load", "decide", "ask", "pace", "visit", "open", "review", "what_if", "stop"]
_NEEDED = {"load": ["at", "piggles"], "decide": ["at", "choice"], "ask": ["at", "word"]}


def random_message(rng, table):
    """Return the text of a random message, often about a match, and sometimes cut."""
    keys = list(rng.choice(_KEYS, rng.integers(0, 5)))
    deed = str(rng.choice(_DEEDS)) if rng.random() < 0.7 else None
    if rng.random() < 0.5:
        keys = _NEEDED.get(deed, keys)
    message = {str(key): _VALUES[rng.integers(len(_VALUES))] for key in keys}
    if deed:
        message |= {"do": deed, "table": table}
    text = json.dumps(message)
    return text[: rng.integers(len(text) + 1)] if rng.random() < 0.2 else text


@contextmanager
def running(folder, pours=None):
    """Run a server of a folder of matches at a free port until the end of the block."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    guests = saved_links(folder).guests
    access = Access(host="127.0.0.1", port=listener.getsockname()[1], guests=guests)
    server = Server(folder, access, pours)
    uvicorn_server = WebServer(server.app(), server.connections)

    def work():
        asyncio.run(uvicorn_server.serve(sockets=[listener]))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while not uvicorn_server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    try:
        yield Running(server)
    finally:
        uvicorn_server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()
