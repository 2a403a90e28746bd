"""The page without a server in the hunt: people play, reload, follow links and solve puzzles."""

import json
import secrets
import sys
from functools import cache
from hashlib import sha256
from random import Random
from types import ModuleType

import pytest

from pigglesim.games.registry import playable_names
from pigglesim.landing import Zone
from pigglesim.pose_reading import ORIENTATIONS, ZONES
from pigglesim.site.data import page_data, puzzle_data, six_data
from pigglesim.site.review import EFFORT
from pigglesim.site.table import PageTable
from scripts.trust.hunt.case import SEED, Kind, One, Some, expect
from tests.support.link_matches import mutated
from tests.support.link_pages import BASE, LinkPage

_STEPS = (
    *("play",) * 12,
    *("undo", "hint", "visit", "stale", "reload", "reload", "open", "new", "rematch", "concede"),
    *("review", "what_if", "damaged", "damaged", "stored", "link", "friend", "friend", "puzzle"),
    *("table", "throw", "name", "file"),
)
_PUZZLED = (*("puzzle",) * 3, *("play",) * 3, "hint", "stale", "damaged", "review", "reload")
_ODD = (
    *(None, -1, 0, 1, 99, 10**6, -1.0, 1e300, True, False, [], ["A1", "A1"], ["Z9"], {}, {"x": 1}),
    *("", "x", "A1", "1", "\ud7ff", "human", "greedy", "undo", "rematch", "piggyback", "os:system"),
)
_DAMAGED = {
    *("table", "at", "choice", "piggles", "decision", "number", "text", "memory"),
    *("wish", "actions", "row", "players", "seed", "game", "chance", "rules"),
}
"""Keys of messages and of stored matches that may have any value of their type."""
_MOST_STEPS = 6
"""Steps that a review makes before it is stopped, at most."""


def _engine(text):
    """Return where a throw ends, at random but always the same: the engine of browsers is slow."""
    throw = json.loads(text)
    del throw["quiet"]
    rng = Random(sha256(json.dumps(throw).encode()).digest())
    rows = [[rng.uniform(-0.1, 0.1) for _ in range(3)] + [0.0, 0.0, 0.0, 1.0]
            for _ in range(throw["rolled"])]  # fmt: skip
    landed, strikers = [], []
    for number in range(throw["rolled"] + len(throw["standing"])):
        zone = rng.randrange(len(ZONES))
        off = ZONES[zone] is Zone.OFF
        landed.append([-1 if off else rng.randrange(len(ORIENTATIONS)), zone, 0])
        struck = number >= throw["rolled"] and rng.random() < 0.3
        strikers.append(rng.randrange(throw["rolled"]) if struck else -1)
    return json.dumps({
        "places": rows + throw["standing"], "landed": landed, "strikers": strikers,
        "time": 1.0, "timed_out": False,
    })  # fmt: skip


@cache
def _data():
    for name, data in (("page_puzzles", puzzle_data()), ("page_six", six_data())):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].DATA = data
    EFFORT.update(dict.fromkeys(EFFORT, (2, 5)))
    return page_data()[0]


def _new_table():
    return PageTable(_data(), _engine)


def _checked(answers):
    for each in answers:
        text = each.get("text", "")
        if each["is"] == "fault":
            expect("has failed" not in text, "the page never fails", text)
            expect(text.isprintable() and text, "a refusal is one line", text)
    return answers


class _Page(LinkPage):
    """A page that is used at random."""

    def __init__(self, name, case):
        self.case, self.random, self.sent = case, Random(case["seed"]), []
        super().__init__(name, _new_table)

    def send(self, wish):
        # What a page remembers is what it has stored last.
        if wish["do"] != "kept" and "memory" not in wish:
            self.sent.append(wish)
        return _checked(super().send(wish))

    @property
    def at(self):
        return {"table": self.state.get("table", ""), "at": self.state.get("at", 0)}

    def ask(self, do, **words):
        return self.send({"do": do, **self.at, **words})

    def begin(self):
        game = next(g for g in _data().welcome["games"] if g["name"] == self.case["game"])
        draw = self.random
        if self.case["by_link"] and game["by_link"]:
            chance = draw.choice(game["chances"])
            words = {
                "game": game["name"],
                "chance": chance,
                "seat": draw.choice("AB"),
                "base": BASE,
            }
            return self.send({"do": "new_by_link", **words})
        count = draw.randint(game["min_players"], min(game["max_players"], 4))
        names = [*game["agents"], *(level["agent"] for level in game["levels"])]
        players = ["human", *(draw.choice(["human", *names]) for _ in range(count - 1))]
        draw.shuffle(players)
        return self.send({
            "do": "new", "game": game["name"], "players": players, "pace": 0.0,
            "seed": str(draw.randrange(2**31)), "chance": draw.choice(game["chances"]),
            "practice": draw.random() < 0.5, "rules": {},
        })  # fmt: skip

    def play_once(self):
        """Decide at random."""
        state, draw = self.state, self.random
        if not state.get("yours"):
            return
        free = [each["name"] for each in state.get("load") or () if each["free"]]
        if free:
            piggles = draw.sample(free, draw.randint(1, len(free)))
            self.ask("prepare_load", piggles=piggles)
            hold = {"across": draw.uniform(-9, 9), "back": 0.1, "height": draw.uniform(0, 9)}
            self.ask("load", piggles=piggles, hold=draw.choice([None, hold]))
        elif state["choices"]:
            self.ask("decide", choice=draw.randrange(len(state["choices"])))
        else:
            self.ask("ask", word="done" if state["done"] else "skip")

    def step(self, word):
        draw = self.random
        match word:
            case "play":
                self.play_once()
            case "undo" | "hint" | "rematch" | "concede":
                self.ask("ask", word=word)
            case "visit":
                self.ask("visit", decision=draw.choice([None, 0, 1, 5, 10**6]))
            case "stale":
                self.send(draw.choice(self.sent))
            case "reload":
                self.reload_as_before()
            case "open" if self.kept:
                self.send({"do": "open", "table": draw.choice(sorted(self.kept))})
            case "new":
                self.begin()
            case "review" | "what_if":
                self.review(word)
            case "damaged":
                wish = draw.choice(self.sent)
                self.send(wish if wish["do"] == "new" else self.damaged(wish))
            case "stored":
                self.open_damaged()
            case "link" if self.state.get("by_link", {}).get("answer"):
                self.open(mutated(self.state["by_link"]["answer"], draw))
            case "friend" if self.state.get("by_link", {}).get("answer"):
                self.answered()
            case "puzzle":
                number = draw.choice([None, 1, draw.randint(1, 500), draw.choice(_ODD)])
                answers = self.send({"do": "puzzle", "number": number})
                expect(answers, "every message of a puzzle is answered", number)
            case "table":
                self.send(
                    {"do": "set_table", "count": draw.randint(1, 6), "seat": draw.choice("AB")}
                )
            case "throw":
                self.send({"do": "throw", "onto": draw.random() < 0.5, "seed": draw.randrange(9)})
            case "name":
                self.send({"do": "name", "name": draw.choice([self.name, "<b>", "x" * 99])})
            case "file":
                self.ask("file")

    def damaged(self, table):
        """Return a table with one value that is another of its type."""
        keys = sorted(_DAMAGED & set(table))
        if not keys:
            return table
        key = self.random.choice(keys)
        odd = [each for each in _ODD if type(each) is type(table[key])]
        return table | {key: self.random.choice(odd)} if odd else table

    def open_damaged(self):
        """Reload with stored matches of which a part is another, open each, and go on as before."""
        kept, stored = self.kept, self.stored
        self.kept = {name: self.damaged(entry) for name, entry in kept.items()}
        for entry in self.kept.values():
            if isinstance(entry.get("wish"), dict):
                entry["wish"] = self.damaged(entry["wish"])
        self.stored = {name: self.random.choice(["{}", text[:-9]]) for name, text in stored.items()}
        table, state = self.table, self.state
        self.reload()
        for name in kept:
            self.send({"do": "open", "table": name})
        self.kept, self.stored, self.table, self.state = kept, stored, table, state

    def answered(self):
        """A friend opens the link, plays at random, and sends the next one."""
        friend = self.friend = getattr(self, "friend", None) or _Page("Bob", self.case)
        friend.open(self.state["by_link"]["answer"])
        if friend.state.get("by_link") and (text := friend.play(self.random)):
            self.open(text)

    def rows(self):
        """Return the list of matches; a match by link is kept from its first link on."""
        (listed,) = self.send({"do": "matches"})
        rows = [(row["table"], row["title"], bool(row["result"])) for row in listed["matches"]]
        by_link = {name for name, each in self.table.matches.items() if "by_link" in each.now()}
        return sorted(row for row in rows if row[0] in self.kept or row[0] not in by_link)

    def reload_as_before(self):
        """Reload the page: it has the same matches, and the match goes on as it was."""
        rows, name, before = self.rows(), self.state.get("table"), self.state
        match = self.table.matches.get(name) if name in self.kept else None
        self.reload()
        after = self.rows()
        expect(after == rows, "a page that is reloaded has the same matches", (after, rows))
        if match is None:
            return
        record = match.session.record()
        self.send({"do": "open", "table": name})
        again = self.table.matches.get(name)
        expect(again, "a match is there after a reload", name)
        same, link = again.session.record(), before.get("by_link")
        if link and (link["problem"] or not link["answer"]):
            # A message is kept when its link is made; what is wrong with another is said once.
            kept = record.entries[: len(same.entries)]
            expect(same.entries == kept, "messages are the same after a reload", (same, record))
            return
        expect(same == record, "a match is the same after a reload", (same, record))
        other = [(key, value, self.state.get(key)) for key, value in before.items()]
        other = [each for each in other if each[1] != each[2]]
        expect(not other, "a state is the same after a reload", other)

    def review(self, word):
        """Look back; an analysis that is stopped and made again after a reload is the same."""
        steps, found = self.random.randint(1, _MOST_STEPS), []
        decision = self.random.choice([0, 0, 1, 3, 10**6])
        for _ in range(2):
            answers = self.ask(word, **({"decision": decision} if word == "what_if" else {}))
            if not answers or answers[-1]["is"] != "analyse":
                return
            analyst = _new_table()
            for _ in range(2):
                heard = json.loads(analyst.hear(json.dumps(answers[-1]["wish"])))
                for _ in range(steps):
                    heard += json.loads(analyst.step())
                heard += json.loads(analyst.hear('{"do": "stop"}'))
                found.append(_checked(heard))
            self.reload_as_before()
        expect(all(each == found[0] for each in found), "a review is the same again", found)


def visit(case):
    """Use a page at random; in the end it goes on as it was after a reload.

    Returns:
        What the page has stored.
    """
    secret = Random(case["seed"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", secret.randbytes)
        patch.setattr(secrets, "randbits", secret.getrandbits)
        page = _Page("Ann", case)
        page.begin()
        for word in case["steps"]:
            page.step(word)
        page.reload_as_before()
    return [{**each, "row": {**each["row"], "seconds": 0}} for each in page.kept.values()]


def _kind(name, steps, **more):
    options = {"steps": steps, "by_link": One((False, True)), "game": One(playable_names())}
    return Kind(name=name, run=visit, options={**options, "seed": SEED}, **more)


KINDS = (
    _kind("page", Some(_STEPS, 5, 60), seconds=1.0),
    _kind("puzzle", Some(_PUZZLED, 3, 20), seconds=1.0),
)
