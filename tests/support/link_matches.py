"""Matches by link between two people who choose at random."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from pigglesim.api.links import link_setup
from pigglesim.games.game import Concede
from pigglesim.landing import Seat
from pigglesim.match.correspondence import Correspondence, LinkSetup, Opened
from pigglesim.match.link_memory import Memory, answering, finished, invited, opened
from pigglesim.match.links import LINK_GAMES, NONCE, LinkError, Terms, new_terms

QUICK = {game: "tabular" if "piggles" in game else "fair" for game in LINK_GAMES}
"""Source of chance without physics, by game."""


@cache
def _laid(game: str, rules: str, chance: str, teams: tuple[str, str]) -> LinkSetup:
    return link_setup(new_terms(game, rules=eval(rules), chance=chance, teams=teams))


def laid(terms: Terms) -> LinkSetup:
    """Return the table of some terms; equal terms share one, whose samplers are made once."""
    return _laid(terms.game, repr(dict(terms.rules)), terms.chance, terms.teams)


def choose(match: Correspondence, random: Random) -> None:
    """Take every decision of a message at random; nobody concedes."""
    while match.deciding:
        legal = match.game.legal_actions(match.state)
        match.decide(random.choice([n for n, each in enumerate(legal) if each != Concede()]))


@dataclass
class LinkMatch:
    """Two people, each with a memory of their own, and every link between them."""

    game: str = "piggles_classic"
    chance: str = "tabular"
    seed: int = 1
    seat: Seat = Seat.A
    rules: dict[str, Any] = field(default_factory=dict)
    memories: list[Memory | None] = field(default_factory=lambda: [None, None])
    texts: list[str] = field(default_factory=list)
    match: Correspondence = None

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def step(self) -> Correspondence:
        """Make the next link."""
        role = len(self.texts) % 2
        secret = self.random.randbytes(NONCE)
        if not self.texts:
            terms = new_terms(
                self.game, rules=self.rules, chance=self.chance, seat=self.seat, name="Ann"
            )
            match, memory = invited(terms, laid, secret=secret)
        else:
            result = opened(self.texts[-1], laid, self.memories[role])
            assert result.fault is None
            memory, match = answering(result, self.memories[role], name="Bob", secret=secret)
        choose(match, self.random)
        self.match, self.memories[role] = match, finished(match, memory)
        self.texts.append(self.memories[role].sent)
        return match

    def play(self, messages: int = 10_000) -> "LinkMatch":
        """Play to the end, or some messages."""
        while len(self.texts) < messages and not (self.match is not None and self.match.over):
            self.step()
        return self


def quick_match(
    game: str,
    chance: str,
    *,
    random: Random,
    choose: Callable[[Correspondence, Random], None] = choose,
) -> Correspondence:
    """Return a whole match, made at once by somebody who knows the secrets of both."""
    terms = new_terms(game, rules={}, chance=chance, seat=random.choice([Seat.A, Seat.B]))
    match, _ = invited(terms, laid, secret=random.randbytes(NONCE))
    match.give_nonces(1, Memory(role=1, secret=random.randbytes(NONCE)).nonces)
    choose(match, random)
    match.end_message()
    while not match.over:
        match.begin_message()
        choose(match, random)
        match.end_message()
    return match


def wire(text: str) -> bytearray:
    """Return the bytes of a link."""
    return bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def written(data: bytearray, *, check: bool = True) -> str:
    """Return the link of some bytes, with a right checksum."""
    if check:
        data[1:5] = hashlib.sha256(data[5:]).digest()[:4]
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def mutated(text: str, random: Random) -> str:
    """Return a link with some bytes or characters changed, half of them with a right checksum."""
    if random.random() < 0.2:
        at = random.randrange(len(text))
        return text[:at] + random.choice(["", "A", "_", "%", text[:9], "é"]) + text[at + 1 :]
    data = wire(text)
    for _ in range(random.choice([1, 1, 1, 2, 8])):
        at = random.randrange(len(data))
        match random.randrange(4):
            case 0:
                data[at] ^= 1 << random.randrange(8)
            case 1:
                data[at] = random.choice([0, 1, 127, 128, 255])
            case 2:
                del data[at : at + random.randrange(1, 9)]
            case 3:
                data[at:at] = random.randbytes(random.randrange(1, 9))
    return written(data, check=random.random() < 0.7)


def expect_plain(text: str, memory: Memory | None) -> Opened:
    """Return a link as it opens; every fault is one plain line."""
    result = opened(text, laid, memory)
    if result.fault is not None:
        line = str(result.fault)
        assert type(result.fault) is LinkError and line.isprintable() and len(line) < 700
    return result
