"""Limits of what strangers and guests may ask for, and what is left afterwards."""

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing

import pytest

from pigglesim.landing import Seat
from pigglesim.serve import connections, server
from pigglesim.serve.access import PROTOCOL, Guest
from pigglesim.serve.pages import BusyError, RequestBudget
from tests.support.serving import running
from tests.support.waiting import group_is_alive, wait_for

OWNER, FRIEND = Guest(), Guest(table="0123456789ab", seat=Seat.B)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def connected(served):
    made = socket.create_connection(("127.0.0.1", served.access.port), timeout=20)
    made.settimeout(20)
    return closing(made)


def is_closed(connection):
    """Return whether the server has closed a connection, once it has."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_strangers_beyond_the_limit_close_the_oldest_and_no_person(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "MAX_STRANGERS", 5)
    with running(tmp_path) as served, served.person() as person, ExitStack() as stack:
        strangers = [stack.enter_context(connected(served)) for _ in range(12)]
        assert all(is_closed(each) for each in strangers[:7])
        assert served.server.connections.strangers == 5
        # The person is not among them, and a new one finds room.
        assert "do" in person.refusal(do="fly")
        assert served.get("/", secret=served.secret)[0] == 200
        with served.person() as another:
            assert another.welcome["owner"]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_headers_that_do_not_arrive_close_the_connection(tmp_path, monkeypatch, sent):
    monkeypatch.setattr(connections, "HEADER_TIME", 0.05)
    with running(tmp_path) as served, connected(served) as slow:
        slow.sendall(sent)
        assert is_closed(slow)


def test_headers_of_a_second_request_must_arrive_too(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_TIME", 0.3)
    with running(tmp_path) as served, connected(served) as slow:
        slow.sendall(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nX: ")
        assert slow.recv(10_000).startswith(b"HTTP/1.1 421")
        # The rest of the answer may come later.
        while not is_closed(slow):
            pass


FLOOD = """
import logging, resource, socket, sys, threading
from pathlib import Path
from pigglesim.serve import connections
from tests.support.serving import running

class Heard(logging.StreamHandler):
    def emit(self, record):
        super().emit(record)
        full.set()

full = threading.Event()
connections.MAX_STRANGERS = 10_000
with running(Path(sys.argv[1])) as served:
    with served.person() as person:
        # What the server prepares at its start needs files too.
        person.send(do="set_table")
        person.until("board")
    logging.getLogger("uvicorn.error").addHandler(Heard())
    own = []
    most = len(list(Path("/proc/self/fd").iterdir())) + 20
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, 10_000))
    # Sockets of the clients first: what is left is too little for the server to accept them.
    for _ in range(15):
        own.append(socket.socket())
        own[-1].settimeout(20)
    for made in own:
        made.connect(("127.0.0.1", served.access.port))
    assert full.wait(60)
    # The server could accept only some; with room again it accepts the others.
    last, *others = reversed(own)
    for each in others:
        each.close()
    last.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    assert last.recv(100).startswith(b"HTTP/1.1 421")
"""


@pytest.mark.slow
def test_connections_that_cannot_be_accepted_are_logged_once(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FLOOD, tmp_path], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr.count("no connection can be accepted now") == 1
    assert done.stderr.count("\n") == 1


def test_a_guest_has_a_budget_that_comes_back_and_the_owner_has_none():
    now = [100.0]
    budget = RequestBudget(clock=lambda: now[0])
    for _ in range(20):
        budget.spend(FRIEND)
    with pytest.raises(BusyError, match=r"too many requests by this link; try again in 15 s"):
        budget.spend(FRIEND)
    budget.spend(Guest(table="0123456789ab"))
    for _ in range(1000):
        budget.spend(OWNER)
    now[0] += 15.0
    budget.spend(FRIEND)
    with pytest.raises(BusyError):
        budget.spend(FRIEND)
    now[0] += 1e6
    for _ in range(20):
        budget.spend(FRIEND)
    with pytest.raises(BusyError):
        budget.spend(FRIEND)


def finished_match(served, person):
    """Return a match that is over, and the secret of the seat that a friend may take."""
    person.send(do="new", players=["human", "human"], chance="tabular", seed=5)
    table = person.until("opened")["table"]
    state = person.until("state", where=lambda m: m["yours"])
    person.send(do="ask", table=table, at=state["at"], word="links")
    secret = person.until("links")["seats"][1]["link"].partition("token=")[2]
    person.send(do="ask", table=table, at=state["at"], word="concede")
    person.until("state", where=lambda m: m["over"])
    return table, secret


def test_a_guest_who_requests_too_much_does_not_hold_up_the_owner(tmp_path):
    with running(tmp_path) as served, served.person() as owner:
        table, secret = finished_match(served, owner)
        path = f"/match/{table}/match.jsonl"
        answers = [served.get(path, secret=secret) for _ in range(21)]
        assert [status for status, _, _ in answers] == [200] * 20 + [429]
        assert b"try again in" in answers[-1][2]
        with served.person(secret) as friend:
            friend.send(do="open", table=table)
            friend.until("state")
            for word in ("review", "what_if", "split"):
                wish = {} if word == "review" else {"decision": 0}
                assert "too many requests" in friend.refusal(do=word, table=table, **wish)
        assert served.get(path, secret=served.secret)[0] == 200
        owner.send(do="visit", table=table, decision=0)
        assert owner.until("visited")


def test_a_guest_is_not_shown_a_match_without_end(tmp_path):
    with running(tmp_path) as served, served.person() as owner:
        table, secret = finished_match(served, owner)
        allowed, served.server._showings._clock = served.server._showings, lambda: 0.0
        for _ in range(200):
            allowed.spend(FRIEND)
        allowed._clock = lambda: 0.5
        allowed.spend(FRIEND)
        with pytest.raises(BusyError):
            allowed.spend(FRIEND)
        with served.person(secret) as friend:
            served.server._showings = RequestBudget(credit=2, refill=1e6)
            for _ in range(2):
                friend.send(do="open", table=table)
                friend.until("state")
            assert "too many requests" in friend.refusal(do="open", table=table)
            assert "too many requests" in friend.refusal(do="visit", table=table, decision=0)
            assert "too many requests" in friend.refusal(do="visit", table=table)
        for _ in range(3):
            owner.send(do="open", table=table)
            owner.until("state")


def test_work_of_guests_waits_for_work_of_guests_alone(tmp_path):
    with running(tmp_path) as served:
        own = served.server
        assert own._desk_of(FRIEND) is not own._desk_of(OWNER)


def test_a_link_has_a_limit_of_open_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "_PAGES", 2)
    with running(tmp_path) as served, served.person() as owner:
        _, secret = finished_match(served, owner)
        with served.person(secret), served.person(secret):
            with pytest.raises(Exception, match=r"403|4429"), served.person(secret):
                pass
            with served.person() as again:
                assert again.welcome["owner"]


def test_downloads_leave_nothing(tmp_path, temporary):
    with running(tmp_path / "matches") as served, served.person() as person:
        table, _ = finished_match(served, person)
        for kind, status in (("jsonl", 200), ("txt", 200), ("gif", 409), ("exe", 404)):
            assert served.get(f"/match/{table}/m.{kind}", secret=served.secret)[0] == status
        person.send(do="set_table", count=1)
        person.until("board")
        person.send(do="throw", seed=5)
        person.until("thrown")
        page = person.welcome["page"]
        assert served.get(f"/page/{page}/throw.json", secret=served.secret)[0] == 200
        # A reader who goes in the middle.
        with connected(served) as hasty:
            words = f"GET /page/{page}/throw.html HTTP/1.1\r\nHost: 127.0.0.1:{served.access.port}"
            shown = f"Authorization: Bearer {served.secret}"
            hasty.sendall(f"{words}\r\n{shown}\r\n\r\n".encode())
            assert hasty.recv(100)
        wait_for(lambda: not [each for each in temporary.rglob("*") if each.is_file()])
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_studies_leave_nothing(tmp_path, temporary):
    with running(tmp_path / "matches") as served:
        with served.person() as person:
            for _ in range(2):
                person.send(do="study", model="d6", half_width=0.05, seed=4)
                person.until("studied", timeout=120)
            # Only the latest can be downloaded.
            (scratch,) = temporary.iterdir()
            assert len(list(scratch.iterdir())) == 1
            page = f"/page/{person.welcome['page']}"
            assert served.get(f"{page}/report.html", secret=served.secret)[0] == 200
            person.send(do="study", model="piggle", half_width=0.001, seed=4)
            person.until("study", timeout=60)
            person.send(do="stop")
            assert person.until("stopped", timeout=60)
            wait_for(lambda: list(scratch.iterdir()) == [])
            person.send(do="study", model="piggle", half_width=0.001, seed=4)
            person.until("study", timeout=60)
        # The page is closed while its study runs.
        wait_for(lambda: list(scratch.iterdir()) == [])
    assert list(temporary.iterdir()) == []


HANGING = """
import threading
import pigglesim.serve.pours
from pigglesim.cli.app import main

class Pours:
    def close(self):
        print("hangs", flush=True)
        while True:
            threading.Event().wait()

pigglesim.serve.pours.Pours = Pours
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_a_server_that_hangs(tmp_path, temporary, number):
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", HANGING, "serve", "--no-open", "--folder", tmp_path / "matches"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline().startswith("Open http")
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "hangs\n"
            process.send_signal(number)
            assert process.wait(60) == 128 + number
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_an_early_signal_leaves_no_file_and_no_process(tmp_path, temporary):
    """`EARLY_SIGNALS=50` tries more moments."""
    rng, environment = random.Random(3), {**os.environ, "TMPDIR": str(temporary)}
    words = [sys.executable, "-X", "faulthandler", "-P", "-m", "pigglesim"]
    words += ["serve", "--no-open", "--folder"]
    for number in range(int(os.environ.get("EARLY_SIGNALS", "5"))):
        with subprocess.Popen(
            [*words, tmp_path / str(number)], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=environment, start_new_session=True, text=True,
        ) as process:  # fmt: skip
            time.sleep(rng.uniform(0.05, 3.0))
            os.killpg(process.pid, signal.SIGINT)
            # Nothing of its group may be left when it has ended, or soon afterwards.
            try:
                process.wait(120)
            except subprocess.TimeoutExpired:
                # Where it hangs: the handler of `faulthandler` prints it.
                os.killpg(process.pid, signal.SIGABRT)
                pytest.fail(process.stderr.read())
        wait_for(lambda group=process.pid: not group_is_alive(group))
        assert list(temporary.iterdir()) == []


def request_of(served, secret, *headers):
    words = [f"GET /match/x/y HTTP/1.1\r\nHost: 127.0.0.1:{served.access.port}"]
    words += [f"Authorization: Bearer {secret}", *headers]
    return "\r\n".join([*words, "\r\n"]).encode()


def test_connections_of_a_guest_have_a_limit_and_those_of_the_owner_none(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "MAX_OF_GUEST", 3)
    with running(tmp_path) as served, served.person() as owner, ExitStack() as stack:
        _, secret = finished_match(served, owner)
        for shown, expected in ((secret, 3), (served.secret, 5)):
            made = [stack.enter_context(connected(served)) for _ in range(5)]
            for each in made:
                # A body that never ends keeps them open.
                each.sendall(request_of(served, shown, "Content-Length: 9"))
            assert sum(not is_closed(each) for each in made) == expected


def test_a_forwarded_address_makes_no_person_a_stranger(tmp_path):
    with running(tmp_path) as served:
        forwarded = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
        with served.person(**forwarded):
            assert served.server.connections.strangers == 0


EXIT = """
import atexit, sys, threading
from pigglesim.__main__ import main

def hang():
    print("hangs", flush=True)
    while True:
        threading.Event().wait()

atexit.register(hang)
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_a_server_whose_interpreter_hangs_at_its_end(tmp_path, number):
    with subprocess.Popen(
        [sys.executable, "-c", EXIT, "serve", "--no-open", "--folder", tmp_path],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline().startswith("Open http")
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "hangs\n"
            process.send_signal(number)
            assert process.wait(60) == -number
        finally:
            process.kill()


def test_a_page_that_is_gone_while_it_is_answered_ends_quietly(served):
    heads = {"host": served.address.removeprefix("http://"), "origin": served.address}
    scope = {
        "type": "websocket",
        "path": "/socket",
        "headers": [(name.encode(), text.encode()) for name, text in heads.items()],
        "subprotocols": [PROTOCOL, served.secret],
        "client": ("127.0.0.1", 1),
        "query_string": b"",
    }

    async def talk():
        gone = asyncio.Event()
        heard = iter([{"type": "websocket.connect"}, {"type": "websocket.receive", "text": "{}"}])

        async def receive():
            if (message := next(heard))["type"] == "websocket.receive":
                await gone.wait()
                await asyncio.sleep(0)
            return message

        async def send(message):
            if message["type"] == "websocket.send":
                gone.set()
                raise OSError

        await served.server.app()(scope, receive, send)

    asyncio.run(talk())
    assert not served.server.pages
