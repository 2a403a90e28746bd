"""A match by messages between two people: both make each throw, and no server is needed.

docs/trust/links.md describes the protocol, and what a cheat could still do. Each player has a chain
of nonces, each the SHA-256 of the next one (Lamport 1981), so a nonce that is revealed is the
commitment to the next. A throw takes its seed from one nonce of each player. Whoever decides on it
reveals an own nonce and does not know the other's; whoever knows the other's is bound by the own
commitment and has nothing to decide.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import PigglesimError, cut
from pigglesim.games.game import JSON, Concede, Game, NonPlayer
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import MatchRecord, outcome_of
from pigglesim.match.links import (
    MAX_COUNT,
    SHORT,
    VERSION,
    Chain,
    Link,
    LinkError,
    Terms,
    read_link,
    terms_bytes,
)
from pigglesim.match.runner import MatchEvent, Progress, decided, make_header

INVITER, GUEST = 0, 1
"""Roles: the inviter sends messages 1, 3, 5 and so on, the guest the others."""
_MAX_EVENTS = 2_000
"""Maximum decisions and outcomes of a match by link."""
MAX_THROWS = {
    # Two dice take some 8 ms of processor time, and whoever opens a link makes all throws again.
    # A match of Piggy Six to 100 points has 77, and one in twenty more than 166.
    "physical": 250,
    # A Piggle takes less than a millisecond. The rules end every match long before.
    "tabular": 250,
    # Dice take half a millisecond, and a match to 300 points has some 230 throws.
    "fair": 800,
}
"""Maximum throws of a match by link, by its source of chance."""
_PROTOCOL = f"pigglesim link {VERSION}".encode()
REFUSE = "do not answer; ask your friend"


class SeededChance(Protocol):
    """Source of chance that can be used under many seeds."""

    def with_seed(self, seed: int) -> "SeededChance":
        """Return the same source under another seed."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return outcome number `index`."""

    def provenance(self) -> dict[str, JSON]:
        """Return everything on which the outcomes depend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSetup:
    """Game, models and source of chance that the terms of a link name on this machine."""

    game: Game[Any, Any]
    models: Mapping[str, str]
    """Model of each Piggle, by id."""
    source: SeededChance


def data_digest(source: SeededChance) -> bytes:
    """Return a digest of all on which the bits of a source depend, apart from its seed."""
    parts = source.provenance()
    kept = {name: parts[name] for name in sorted(parts) if name not in {"seed", "numpy_version"}}
    return _sha256("data", json.dumps(kept, sort_keys=True).encode())[:SHORT]


def _sha256(purpose: str, *parts: bytes) -> bytes:
    """Return a digest for one purpose; each part has its length, so that none runs into another."""
    return hashlib.sha256(_joined(purpose, *parts)).digest()


def _joined(purpose: str, *parts: bytes) -> bytes:
    words = (_PROTOCOL, purpose.encode(), *parts)
    return b"".join([len(part).to_bytes(4) + part for part in words])


class Nonces:
    """Nonces of one player from the commitment, number 0, up to the last one."""

    def __init__(self, role: int, *, count: int, last: bytes) -> None:
        values, head = [last], _joined("nonce", bytes([role]))
        for number in range(count, 0, -1):
            # Both have a fixed length.
            values.append(hashlib.sha256(head + number.to_bytes(4) + values[-1]).digest())
        self._values = values[::-1]

    def __getitem__(self, number: int) -> bytes:
        return self._values[number]

    def __len__(self) -> int:
        return len(self._values)

    def revealed(self, count: int) -> Chain:
        """Return what a link holds once `count` nonces are revealed."""
        return Chain(count=count, last=self._values[count])


class Correspondence:
    """A match by link: all messages so far, and the one that is being made.

    Args:
        terms: Terms of the inviter.
        table: What they stand for.
        inviter: Commitment of the inviter, which with the terms gives the match its id.
    """

    def __init__(self, terms: Terms, table: LinkSetup, *, inviter: bytes) -> None:
        self.terms, self.table = terms, table
        self.guest_name = ""
        self.id = _sha256("match", terms_bytes(terms), inviter)
        self.progress: Progress[Any] = Progress(state=table.game.initial_state())
        self.messages = 0
        """Number of finished messages."""
        self.choices: list[int | str] = []
        self.starts: list[int] = []
        """Number of events before each message."""
        self.places: list[tuple[int, str]] = []
        """Message and words of each choice."""
        self.seeds: list[int] = []
        """Seed of each throw."""
        self._revealed = [0, 0]
        self._nonces: list[Nonces | None] = [None, None]
        self._settled = 0
        # True while both nonces of the last exchange may serve: nobody has decided since.
        self._open = False
        self._decisions = _sha256("decisions", self.id)

    @property
    def game(self) -> Game[Any, Any]:
        """Rules of the match."""
        return self.table.game

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game)
        """Current state."""
        return self.progress.state

    @property
    def over(self) -> bool:
        """True if the match has ended."""
        return self.progress.is_over(self.game)

    @property
    def thrown_next(self) -> bool:
        """True if a throw is due that the next message settles."""
        return not self.over and self.game.turn(self.state) is NonPlayer.CHANCE

    def seat_of(self, role: int) -> Seat:
        """Return the seat of a role."""
        return self.terms.seat if role == INVITER else self.terms.seat.other

    @property
    def next_role(self) -> int:
        """Role of the player who sends the next message."""
        return self.messages % 2

    def names(self) -> dict[Seat, str]:
        """Return the names that the players gave."""
        names = {self.seat_of(INVITER): self.terms.name, self.seat_of(GUEST): self.guest_name}
        return {seat: name for seat, name in sorted(names.items()) if name}

    def give_nonces(self, role: int, nonces: "Nonces") -> None:
        """Set the known nonces of a player."""
        self._nonces[role] = nonces

    def begin_message(self) -> None:
        """Begin the next message: settle the throw that the other player left, if any."""
        role = self.next_role
        self.starts.append(len(self.progress.entries))
        number = self._settled + 1
        if self.thrown_next and self._revealed[1 - role] == number:
            self._reveal(role, number)
            self._settled, self._open = number, True
        self._follow()

    def _reveal(self, role: int, number: int) -> None:
        if number >= MAX_COUNT:
            raise LinkError("the match is too long for links", fix="end it here")
        nonces = self._nonces[role]
        if nonces is None or number >= len(nonces):
            raise LinkError(
                f"a nonce of {self.seat_of(role)} is missing",
                fix=REFUSE,
                message=self.messages + 1,
            )
        self._revealed[role] = number

    def _follow(self) -> None:
        """Play all that follows without a choice: forced decisions, and throws of the exchange."""
        while not self.over:
            if len(self.seeds) + self.progress.decisions > _MAX_EVENTS:
                raise LinkError("the match is too long for links", fix="end it here")
            if self.thrown_next:
                if not self._open:
                    return
                self._throw()
            elif (forced := self._forced()) is not None:
                self._apply(forced)
            else:
                return

    def _forced(self) -> Any:  # noqa: ANN401 (an action of the game)
        """Return the only action that is not to concede, or None."""
        actions = [
            each for each in self.game.legal_actions(self.state) if not isinstance(each, Concede)
        ]
        return actions[0] if len(actions) == 1 else None

    def _apply(self, action: object) -> None:
        seat = self.game.turn(self.state)
        assert isinstance(seat, Seat)
        event = decided(self.game, self.progress, action, seat=seat)
        text = self.game.format_action(action).encode()
        self._decisions = _sha256("decision", self._decisions, text)
        self.progress = self.progress.then(event)

    def _throw(self) -> None:
        index = self.progress.outcomes
        if index >= MAX_THROWS[self.terms.chance]:
            raise LinkError(f"more than {index:,} throws are too many for links", fix="end it here")
        inviter, guest = self._nonces
        assert inviter is not None and guest is not None
        parts = inviter[self._settled], guest[self._settled], self._decisions
        seed = int.from_bytes(_sha256("throw", self.id, index.to_bytes(4), *parts)[:16])
        before = self.state
        request = self.game.chance_request(before)
        result = self.table.source.with_seed(seed).answer(request, index=index)
        self.seeds.append(seed)
        self.progress = self.progress.then(
            MatchEvent(
                entry=outcome_of(request, result, index=index),
                before=before,
                after=self.game.apply_outcome(before, result),
            )
        )

    @property
    def deciding(self) -> bool:
        """True if the player who makes the message has to decide before it can be sent."""
        return not self.over and self.game.turn(self.state) is self.seat_of(self.next_role)

    def decide(self, choice: int | str) -> None:
        """Take a decision in the message: the number of a legal action, or its text.

        Raises:
            LinkError: If it is not legal.
        """
        turn = self.game.turn(self.state)
        where = f"decision {self.progress.decisions} of {turn}"
        legal = self.game.legal_actions(self.state)
        if isinstance(choice, int):
            if choice >= len(legal):
                raise LinkError(
                    f"{where} is number {choice} of the legal actions",
                    expected=f"0 to {len(legal) - 1}",
                    fix=REFUSE,
                    message=self.messages + 1,
                )
            action = legal[choice]
        else:
            action = self._unlisted(choice, where, legal)
        self._apply(action)
        self.choices.append(choice)
        self.places.append((self.messages + 1, where))
        self._open = False
        self._follow()

    def _unlisted(self, text: str, where: str, legal: tuple[Any, ...]) -> Any:  # noqa: ANN401 (an action of the game)
        try:
            action = self.game.parse_action(text)
            if self.game.format_action(action) != text or action in legal:
                raise LinkError(f"{cut(repr(text), 60)} is not as links have it", fix=REFUSE)
            if isinstance(getattr(action, "hold", None), HandThrow):
                # Its path and places leave nothing to the seed: it could be chosen by its result.
                problem = "a throw by a hand is not offered by link"
                raise LinkError(problem, fix="hold the cup instead, or leave the hold out")
            self.game.apply_action(self.state, action)
        except PigglesimError as error:
            raise error.converted(
                LinkError, where=f"message {self.messages + 1}: {where}", fix=REFUSE
            ) from None
        return action

    def choice_of(self, action: object) -> int | str:
        """Return a legal action as a link has it.

        Raises:
            IllegalActionError: If the rules forbid it.
        """
        self.game.apply_action(self.state, action)
        legal = self.game.legal_actions(self.state)
        return legal.index(action) if action in legal else self.game.format_action(action)

    def end_message(self) -> None:
        """End the message: its player has nothing more to decide before the other answers."""
        role, number = self.next_role, self._settled + 1
        # The first message reveals nothing: the guest has not committed to anything yet.
        if self.messages and self.thrown_next and self._revealed[role] < number:
            self._reveal(role, number)
        self.messages += 1

    def link(self) -> Link:
        """Return the link of the messages so far."""
        inviter, guest = self._nonces
        assert inviter is not None
        return Link(
            match=self.id[:SHORT],
            terms=self.terms,
            messages=self.messages,
            inviter=inviter.revealed(self._revealed[INVITER]),
            guest=None if guest is None else guest.revealed(self._revealed[GUEST]),
            seal=self.seal(),
            guest_name=self.guest_name,
            state=self.state_digest(),
            choices=tuple(self.choices),
        )

    def seal(self) -> bytes:
        """Return a digest of the guest's commitment and name; empty before the second message."""
        guest = self._nonces[GUEST]
        name = self.guest_name.encode()
        return b"" if guest is None else _sha256("guest", self.id, guest[0], name)[:SHORT]

    def state_digest(self) -> bytes:
        """Return a digest of the current state."""
        return _sha256("state", self.game.format_state(self.state).encode())[:SHORT]

    def revealed(self, role: int) -> int:
        """Return the number of nonces that a player has revealed."""
        return self._revealed[role]

    def record(self, text: str) -> MatchRecord:
        """Return the record of the match so far; `text` is the link that it is in."""
        header = make_header(
            self.game,
            agents=dict.fromkeys(BOARD_SEATS, "human"),
            chance=self.table.source,
            seed=0,
            teams=self.table.models,
        )
        # From the link the throws can be made again.
        chance = {**header.chance, "source": "link", "of": header.chance["source"], "link": text}
        chance.pop("seed", None)
        return self.progress.record(self.game, replace(header, chance=chance, names=self.names()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A link that was opened."""

    match: Correspondence | None
    """The match, up to what is right; None if not even its terms could be read."""
    fault: LinkError | None
    """What is wrong, if anything."""
    text: str
    answer: str = ""
    """Own answer that was sent already; empty if there is none."""


SetUp = Callable[[Terms], LinkSetup]
"""Function that sets up the table of some terms; it raises `PigglesimError` if it cannot."""


def replayed(text: str, set_up: SetUp) -> Opened:
    """Return the match of a link, with every decision and throw made again.

    It knows nothing of earlier links: `opened` compares with what a player remembers.
    """
    link, fault = read_link(text)
    if link is None:
        return Opened(match=None, fault=fault, text=text)
    match: Correspondence | None = None
    broken: LinkError | None = None
    try:
        match = _begun(link, set_up)
        _replay(match, link)
    except LinkError as error:
        broken = error
    except PigglesimError as error:
        number = 1 if match is None else match.messages + 1
        broken = error.converted(LinkError, where=f"message {number}", fix=REFUSE)
        broken.message = number
    if fault is not None and match is not None:
        number = min(match.messages + 1, link.messages)
        fault = fault.converted(LinkError, where=f"message {number}")
        fault.message = number
    return Opened(match=match, fault=fault or broken, text=text)


def _begun(link: Link, set_up: SetUp) -> Correspondence:
    nonces = Nonces(INVITER, count=link.inviter.count, last=link.inviter.last)
    table = set_up(link.terms)
    if data_digest(table.source) != link.terms.data:
        raise LinkError(
            "throws are made by another version, or with other models",
            fix="use the version of pigglesim that your friend uses",
            message=1,
        )
    match = Correspondence(link.terms, table, inviter=nonces[0])
    match.give_nonces(INVITER, nonces)
    if link.guest is not None:
        chain = Nonces(GUEST, count=link.guest.count, last=link.guest.last)
        match.give_nonces(GUEST, chain)
        match.guest_name = link.guest_name
    if match.id[:SHORT] != link.match:
        problem = "the terms, or the commitment of the inviter, are not those of the match"
        raise LinkError(problem, fix=REFUSE, message=1)
    if match.seal() != link.seal:
        problem = "the commitment or the name of the guest is not that of the match"
        raise LinkError(problem, fix=REFUSE, message=2)
    return match


def _replay(match: Correspondence, link: Link) -> None:
    choices = iter(link.choices)
    while match.messages < link.messages:
        number = match.messages + 1
        if number > 1 and match.over:
            raise LinkError("the match is over before it", fix=REFUSE, message=number)
        match.begin_message()
        while match.deciding:
            choice = next(choices, None)
            if choice is None:
                problem = f"decision {match.progress.decisions} is missing"
                raise LinkError(problem, fix=REFUSE, message=number)
            match.decide(choice)
        match.end_message()
    number = match.messages
    if next(choices, None) is not None:
        raise LinkError("decisions follow its end", fix=REFUSE, message=number)
    guest = link.guest.count if link.guest is not None else 0
    if (link.inviter.count, guest) != (match.revealed(INVITER), match.revealed(GUEST)):
        raise LinkError("it reveals another number of nonces", fix=REFUSE, message=number)
    if match.state_digest() != link.state:
        throws = match.progress.outcomes
        raise LinkError(
            f"after throw {throws - 1} the state is not the sender's"
            if throws
            else "the state is not the sender's",
            fix="use the version of pigglesim that your friend uses, or do not answer",
            message=number,
        )
