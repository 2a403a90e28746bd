"""The served page of the hunt: people join, play, leave and reload, and some send nonsense."""

import contextlib
import io
import json
import shutil
import tempfile
import time
from pathlib import Path

from pigglesim.match.record import read_record, read_unfinished
from pigglesim.match.replay import replay
from pigglesim.rng import generator
from pigglesim.table.recorded import RecordedSession
from scripts.trust.hunt.case import SEED, Kind, One, Some, expect
from tests.support.serving import random_message, running

_STEPS = (
    *("play",) * 8,
    *("join", "join", "watch", "tab", "reload", "leave", "hint", "undo", "skip", "name", "visit"),
    *("garbage", "garbage", "again", "stale", "table", "throw", "concede", "rematch", "restart"),
)
_LONGEST = 300.0
"""Time after which a server that does not answer is a fault [s]: a machine may be loaded."""
_PATIENCE = 60.0
"""Time after which pages that differ are a fault [s]."""
_MARK = "Input tag 'fly'"


class _Page:
    """A connected page, and the messages that it sent."""

    def __init__(self, stack, served, secret, table):
        self.stack, self.secret = stack, secret
        self.person = stack.enter_context(served.person(secret))
        self.recorded = False
        self.sent, self.table = [], table
        if table is not None:
            self.send(do="open", table=table)

    @property
    def state(self):
        """The latest state of a match that it heard, or None."""
        states = (each for each in reversed(self.person.heard) if each["is"] == "state")
        return next(states, None)

    def send(self, **message):
        self.sent.append(json.dumps(message))
        self.person.connection.send(self.sent[-1])

    def settle(self):
        """Hear everything up to the answer to a message that nothing else sends."""
        self.person.send(do="fly")
        while True:
            message = self.person.next(timeout=_LONGEST)
            text = message.get("text", "")
            expect("has failed" not in json.dumps(message), "the server never fails", message)
            if message["is"] == "fault":
                expect("\n" not in text and text, "a refusal is one line", message)
            if message["is"] == "opened":
                # A match that is over and watched again has a name of its own.
                self.table, self.recorded = message["table"], message["recorded"]
            if _MARK in text:
                return


class _Evening:
    """A server, the pages that are open, and one match of two people or against an agent."""

    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.rng = generator(case["seed"], "hunt evening")
        self.pages, self.table, self.secrets = [], None, {}
        self.events = 0

    def open(self, stack, served):
        """Connect the owner to a new server, and the match that was there."""
        self.stack, self.served = stack, served
        self.pages = [_Page(stack, served, served.secret, self.table)]
        if self.table is None:
            self.begin()

    def begin(self):
        owner = self.pages[0]
        owner.send(
            do="new", game=self.case["game"], players=self.players(), pace=0.0,
            chance="tabular" if "piggles" in self.case["game"] else "fair",
            seed=self.case["seed"],
        )  # fmt: skip
        self.table = owner.table = owner.person.until("opened")["table"]
        owner.send(do="ask", table=self.table, at=0, word="links")
        links = owner.person.until("links")
        self.secrets = {
            "watch": links["watch"].split("=")[1],
            "join": next(
                (each["link"].split("=")[1] for each in links["seats"][1:] if each["link"]), None
            ),
        }

    def players(self):
        return {"people": ["human", "human"], "agent": ["human", "greedy"]}[self.case["players"]]

    def settle(self, more=()):
        for page in (*self.pages, *more):
            page.settle()

    def step(self, word):
        """Do one thing, if it can be done now."""
        rng = self.rng
        page = self.pages[int(rng.integers(len(self.pages)))]
        page.settle()
        state, table = page.state, page.table
        at = state["at"] if state else 0
        if word in {"join", "watch"}:
            secret = self.secrets[word]
            if secret and len(self.pages) < 6:
                # After a rematch the same link shows the new match.
                invited_to = self.served.access.guests[secret].table
                self.pages.append(_Page(self.stack, self.served, secret, invited_to))
        elif word == "tab" and len(self.pages) < 6:
            self.pages.append(_Page(self.stack, self.served, page.secret, page.table))
        elif word in {"reload", "leave"}:
            page.person.connection.close()
            self.pages.remove(page)
            if word == "reload" or page.secret == self.served.secret:
                self.pages.insert(0, _Page(self.stack, self.served, page.secret, page.table))
            if not any(each.secret == self.served.secret for each in self.pages):
                owner = _Page(self.stack, self.served, self.served.secret, self.table)
                self.pages.insert(0, owner)
        elif word == "play" and state and state["yours"]:
            if "load" in state:
                free = [each["name"] for each in state["load"] if each["free"]]
                some = free[: int(rng.integers(1, len(free) + 1))] if free else []
                page.send(do="load", table=table, at=at, piggles=some)
            else:
                choice = int(rng.integers(max(len(state["choices"]), 1)))
                page.send(do="decide", table=table, at=at, choice=choice)
        elif word == "stale" and state:
            page.send(do="decide", table=table, at=max(at - 1, 0), choice=0)
            page.send(do="decide", table=table, at=at, choice=0)
            page.send(do="decide", table=table, at=at, choice=0)
        elif word == "again" and page.sent:
            page.person.connection.send(page.sent[int(rng.integers(len(page.sent)))])
        elif word == "garbage":
            page.person.connection.send(random_message(rng, table))
        elif word == "name":
            page.send(do="name", name=f"Ann {int(rng.integers(9))}")
        elif word == "visit":
            page.send(do="visit", table=table, decision=int(rng.integers(5)))
        elif word == "table":
            page.send(do="set_table")
        elif word == "throw":
            page.send(do="throw", engine="impulse", seed=int(rng.integers(9)))
        elif word in {"hint", "undo", "skip", "concede", "rematch"}:
            page.send(do="ask", table=table, at=at, word=word)

    def check(self):
        """Open pages and new ones come to see the same, and no page hears another one's secret."""
        self.settle()
        until = time.monotonic() + _PATIENCE
        views = [_Page(self.stack, self.served, page.secret, page.table) for page in self.pages]
        while True:
            self.settle(views)
            looking = [page for page in (*self.pages, *views) if not page.recorded]
            seen = [(page.table, page.state["at"] if page.state else None) for page in looking]
            matches = self.served.server.matches
            due = [(table, len(matches[table].session.events)) for table, _ in seen]
            # Agents play on meanwhile.
            if seen == due:
                break
            expect(time.monotonic() < until, "all pages come to see the same", (seen, due))
        for view in views:
            view.person.connection.close()
        for page in self.pages:
            others = {self.served.secret, *filter(None, self.secrets.values())} - {page.secret}
            if page.secret != self.served.secret:
                heard = "".join(page.person.texts)
                expect(not any(each in heard for each in others), "no page hears another's secret")
        return self.served.server.matches[self.pages[0].table]


def evening(case):
    """Spend an evening with a server; in the end its record is whole and replays."""
    folder = Path(tempfile.mkdtemp(prefix="pigglesim-hunt-"))
    spent, heard = _Evening(case, folder), io.StringIO()
    # Between two restarts of the server.
    parts, part = [], []
    for word in case["steps"]:
        if word == "restart":
            parts, part = [*parts, part], []
        else:
            part.append(word)
    try:
        with contextlib.redirect_stderr(heard):
            for steps in (*parts, part):
                with running(folder) as served, contextlib.ExitStack() as stack:
                    spent.open(stack, served)
                    for word in steps:
                        spent.step(word)
                    session = spent.check().session
                    path, events = session.saves.path, len(session.events)
                if not isinstance(session, RecordedSession):
                    _check_saved(path, events)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    expect("Traceback" not in heard.getvalue(), "the server prints no traceback", heard.getvalue())


def _check_saved(path, events):
    """The saved match has at least the events that people saw, and replays."""
    if path.exists():
        record = read_record(path)
        replay(record)
        expect(len(record.entries) >= events, "nothing seen is lost", (len(record.entries), events))
    elif events:
        begun = read_unfinished(path)
        expect(len(begun.entries) >= events, "nothing seen is lost", (len(begun.entries), events))


KINDS = (
    Kind(
        name="served", run=evening, seconds=1.8,
        options={
            "game": One(("piggles_classic", "piggles_modern", "piggyback", "piggy_six")),
            "players": One(("people", "people", "agent")),
            "steps": Some(_STEPS, 5, 50),
            "seed": SEED,
        },
    ),
)  # fmt: skip
