"""Matches by link between pages without a server. The pages themselves can import this module."""

import json
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from pigglesim.match.links import KEY
from pigglesim.site.table import PageTable

BASE = "https://a.example/"
"""Address of all pages."""


class LinkPage:
    """A page as its script runs it: it stores what it is asked to, and answers with it."""

    def __init__(self, name: str, new_table: Callable[[], PageTable]) -> None:
        self.name, self.stored, self.new_table = name, dict[str, str](), new_table
        self.kept: dict[str, dict[str, Any]] = {}
        self.heard: list[dict[str, Any]] = []
        self.reload()

    def reload(self) -> None:
        self.table, self.state = self.new_table(), dict[str, Any]()
        self.send({"do": "name", "name": self.name})
        self.send({"do": "kept", "matches": list(self.kept.values())})

    def send(self, wish: dict[str, Any]) -> list[dict[str, Any]]:
        """Send a message, and return all answers, also of what then plays by itself."""
        answers: list[dict[str, Any]] = []
        messages = json.loads(self.table.hear(json.dumps(wish)))
        for number in count():
            answers += messages
            for message in messages:
                if message["is"] == "recall":
                    memory = self.stored.get(message["match"], "")
                    link = {**wish, **message, "do": "link", "memory": memory, "base": BASE}
                    return [*answers, *self.send(link)]
                if message["is"] == "remember":
                    self.stored[message["match"]] = message["text"]
                if message["is"] == "keep":
                    self.kept[message["table"]] = message
                if message["is"] == "state":
                    self.state = message
            # A page plays on after a fault, unless that came of it.
            if number and (not messages or messages[-1]["is"] == "fault"):
                break
            messages = json.loads(self.table.step())
        return answers

    def open(self, text: str) -> list[dict[str, Any]]:
        return self.send({"do": "link", "text": f"{KEY}{text}", "base": BASE})

    def play(self, random: Random) -> str:
        """Decide at random, half of the throws with a hold, until a link is due; return it."""
        while self.state["yours"]:
            at = {"table": self.state["table"], "at": self.state["at"]}
            if self.state.get("load"):
                free = [each["name"] for each in self.state["load"] if each["free"]]
                if free and random.random() < 0.8:
                    self.send({"do": "load", **at, "piggles": free, "hold": _hold(random)})
                else:
                    self.send({"do": "ask", **at, "word": "skip"})
            else:
                count = len(self.state["choices"])
                self.send({"do": "decide", **at, "choice": random.randrange(count)})
        return self.state["by_link"]["answer"]


def _hold(random: Random) -> dict[str, float] | None:
    if random.random() < 0.5:
        return None
    hold = {"across": random.uniform(-0.08, 0.08), "back": random.uniform(0.08, 0.1)}
    return {**hold, "height": random.uniform(0.05, 0.08), "swing": random.uniform(0.2, 0.9)}


def whole_match(game: str, chance: str, new_table: Callable[[], PageTable], random: Random) -> str:
    """Return the last link of a match between two pages."""
    begin = {"do": "new_by_link", "game": game, "chance": chance, "seat": random.choice("AB")}
    turn, other = LinkPage("Ann", new_table), LinkPage("Bob", new_table)
    turn.send(begin)
    text = turn.play(random)
    while not turn.state["over"]:
        turn, other = other, turn
        turn.open(text)
        text = turn.play(random) or text
    return text
