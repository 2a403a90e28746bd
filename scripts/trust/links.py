"""Figures of docs/trust/links.md: `python -m scripts.trust.links`.

Matches are played whole, their last links are replayed and compared bit by bit, and links are
mutated: each has to open, or to end in one plain line. Those by physics have a table of their own,
because they take long; among them is a match with as many throws as a link may hold.
"""

import argparse
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from statistics import quantiles

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import believed_chance
from pigglesim.experiments.statistics import mean_of
from pigglesim.match.correspondence import GUEST, MAX_THROWS, replayed
from pigglesim.match.link_memory import Memory, finished, invited
from pigglesim.match.links import LINK_GAMES, NONCE, LinkError, format_link, new_terms, read_link
from pigglesim.rng import generator
from pigglesim.units import with_interval
from scripts.documentation.pages import ROOT
from scripts.measured_page import markdown_table, write_between
from tests.support.link_matches import (
    QUICK,
    LinkMatch,
    expect_plain,
    laid,
    mutated,
    quick_match,
)

PAGE = ROOT / "docs" / "trust" / "links.md"
_AGENTS = {"piggyback": "uniform", "piggy_six": "best"}
_FEWER = {"piggyback": 5, "piggy_six": 5}
"""Factor of fewer matches, of games whose matches are long."""
_SLOWEST = {"odds and dice": 2.0, "physics": 8.0}
"""Maximum processor time of one link, by what makes its throws [s]."""


def main(words):
    """Play, mutate, and print the figures or put them into the page."""
    parser = argparse.ArgumentParser(prog="python -m scripts.trust.links", description=__doc__)
    parser.add_argument("--matches", type=int, default=0, help="matches of each game")
    parser.add_argument("--mutated", type=int, default=0, help="mutated links")
    parser.add_argument("--physics", type=int, default=0, help="mutated links by physics")
    parser.add_argument("--write", action="store_true", help=f"write to {PAGE.name}")
    asked = parser.parse_args(words)
    for mode, number, table in (
        ("--matches", asked.matches, matches),
        ("--mutated", asked.mutated, mutations),
        ("--physics", asked.physics, physics),
    ):
        if not number:
            continue
        text = table(number)
        if asked.write:
            write_between(PAGE, f"python -m scripts.trust.links {mode}", text)
        else:
            print(text)


@dataclass
class _Choosing:
    """An agent that takes the decisions of both players."""

    agent: object
    number: int = 0

    def __call__(self, match, random):
        while match.deciding:
            seat = match.game.turn(match.state)
            legal = match.game.legal_actions(match.state)
            seen = match.game.observe(match.state, seat)
            self.number += 1
            action = self.agent.choose(seen, legal, rng=generator(1, "links", self.number))
            match.decide(match.choice_of(action))


def matches(number):
    """Return the table of messages and lengths; every match is replayed to the bit."""
    rows = []
    for game in LINK_GAMES:
        random, played, name = Random(1), [], _AGENTS.get(game, "greedy")
        game_rules = quick_match(game, QUICK[game], random=Random(2)).game
        choosing = _Choosing(make_agent(name, game=game_rules, chance=believed_chance()))
        for _ in range(max(2, number // _FEWER.get(game, 1))):
            match = quick_match(game, QUICK[game], random=random, choose=choosing)
            text = format_link(match.link())
            again = replayed(text, laid)
            if again.fault is not None:
                raise AssertionError(str(again.fault))
            if repr(again.match.progress.entries) != repr(match.progress.entries):
                raise AssertionError(f"{text} replays otherwise")
            played.append((match.progress.outcomes, match.messages, len(text)))
        columns = [_column(each) for each in zip(*played, strict=True)]
        rows.append([game, name, f"{len(played):,}", *columns])
    heads = ["game", "players", "matches", "throws", "messages", "characters of the last link"]
    return markdown_table(heads, rows)


def _column(values):
    """Return a mean with its interval, and the range of nine in ten."""
    mean = mean_of(map(float, values))
    cuts = quantiles(values, n=20)
    return f"{with_interval(mean)}, {cuts[0]:.0f} to {cuts[-1]:.0f}"


def mutations(number):
    """Return the table of what mutated links end in, by odds and dice."""
    games = [LinkMatch(game, QUICK[game], seed=9).play(12) for game in LINK_GAMES]
    return _ends(games, number, most=_SLOWEST["odds and dice"])


def physics(number):
    """Return the table of what mutated links end in, by physics."""
    games = [LinkMatch(game, "physical", seed=9).play(12) for game in LINK_GAMES]
    return _ends([*games, _longest()], number, most=_SLOWEST["physics"])


def _longest():
    """Return a match of as many throws by physics as a link may have, of three dice each."""
    rules = {"target": 300, "three_dice": True}
    terms = new_terms("piggy_six", rules=rules, chance="physical")
    match, inviter = invited(terms, laid, secret=bytes(NONCE))
    played = LinkMatch(memories=[inviter, Memory(role=GUEST, secret=bytes(NONCE))])
    match.give_nonces(GUEST, played.memories[GUEST].nonces)
    with suppress(LinkError):
        while True:
            while match.deciding:
                match.decide(match.choice_of(match.game.parse_action("roll 3")))
            role = match.next_role
            played.memories[role] = finished(match, played.memories[role])
            played.texts.append(played.memories[role].sent)
            match.begin_message()
    assert match.progress.outcomes == MAX_THROWS["physical"]
    # The first links are short.
    del played.texts[:-2]
    return played


def _ends(games, number, *, most):
    random, counts, slowest = Random(1), Counter(), 0.0
    for _ in range(number):
        played = random.choice(games)
        at = random.randrange(len(played.texts))
        sender = (read_link(played.texts[at])[0].messages - 1) % 2
        memory = random.choice([None, played.memories[1 - sender]])
        text = mutated(played.texts[at], random)
        began = time.process_time()
        result = expect_plain(text, memory)
        slowest = max(slowest, time.process_time() - began)
        shown = result.match is not None and bool(result.match.progress.entries)
        if result.fault is None:
            own = replayed(played.texts[at], laid).match
            if result.match.progress.entries[: len(own.progress.entries)] != own.progress.entries:
                raise AssertionError(f"{text} opens as another match")
            counts["opens: nothing was changed", shown] += 1
        else:
            named = result.fault.message is not None
            counts["one line that names the message" if named else "one line", shown] += 1
    if slowest > most:
        raise AssertionError(f"a link took {slowest:.1f} s")
    rows = [[end, "yes" if shown else "no", f"{n:,}"] for (end, shown), n in sorted(counts.items())]
    time_taken = f"{1000 * slowest:.0f} ms" if slowest < 1.0 else f"{slowest:.1f} s"
    rows.append([f"all, the slowest in {time_taken} of processor time", "", f"{number:,}"])
    return markdown_table(["end", "something of the match is shown", "links"], rows)


if __name__ == "__main__":
    main(sys.argv[1:])
