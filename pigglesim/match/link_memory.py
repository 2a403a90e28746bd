"""Memory of a player for a match by link, so that no link is answered twice differently."""

import json
import secrets
from dataclasses import dataclass, field, replace

from pigglesim.landing import Seat
from pigglesim.match.correspondence import (
    GUEST,
    INVITER,
    REFUSE,
    Correspondence,
    Nonces,
    Opened,
    SetUp,
    data_digest,
    replayed,
)
from pigglesim.match.links import (
    MAX_COUNT,
    NONCE,
    VERSION,
    Chain,
    Link,
    LinkError,
    Terms,
    format_link,
    read_link,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Memory of a player for one match; nobody else may read the secret."""

    role: int
    secret: bytes = field(repr=False)
    """End of the own chain of nonces."""
    sent: str = ""
    """Last own link; empty for a guest who has not answered yet."""
    seen: str = ""
    """Last link of the other player that was right."""

    def to_json(self) -> str:
        """Return the text that `memory_of` reads."""
        plain = {"role": self.role, "secret": self.secret.hex(), "sent": self.sent}
        return json.dumps({"version": VERSION, **plain, "seen": self.seen})

    @property
    def nonces(self) -> Nonces:
        """All own nonces."""
        return Nonces(self.role, count=MAX_COUNT, last=self.secret)


def memory_of(text: str) -> Memory:
    """Return the memory of a text of `Memory.to_json`.

    Raises:
        LinkError: If it is not such a text.
    """
    try:
        plain = json.loads(text)
        role, secret = plain["role"], bytes.fromhex(plain["secret"])
        sent, seen = str(plain["sent"]), str(plain["seen"])
        damaged = plain["version"] != VERSION or role not in {INVITER, GUEST}
    except (ValueError, TypeError, KeyError, RecursionError):
        role, secret, sent, seen, damaged = 0, b"", "", "", True
    if damaged or len(secret) != NONCE:
        raise LinkError(
            "what this device remembers of the match is damaged", fix="begin a new match"
        )
    return Memory(role=role, secret=secret, sent=sent, seen=seen)


def invited(
    terms: Terms, set_up: SetUp, *, secret: bytes | None = None
) -> tuple[Correspondence, Memory]:
    """Return a new match with its first message begun, and what the inviter has to remember.

    The digest of the data in the terms is that of this machine.
    """
    table = set_up(terms)
    terms = replace(terms, data=data_digest(table.source))
    memory = Memory(role=INVITER, secret=secret or secrets.token_bytes(NONCE))
    nonces = memory.nonces
    match = Correspondence(terms, table, inviter=nonces[0])
    match.give_nonces(INVITER, nonces)
    match.begin_message()
    return match, memory


def answering(
    result: Opened, memory: Memory | None, *, name: str = "", secret: bytes | None = None
) -> tuple[Memory, Correspondence]:
    """Begin the answer to a link that is right: what the player has to remember, and the match.

    It settles the throw that the other player left. A guest who remembers nothing accepts the
    invitation, under a name.

    Raises:
        LinkError: If this player has no answer to give.
    """
    match = result.match
    if match is None or result.fault is not None:
        raise result.fault or LinkError("no match", fix=REFUSE)
    if match.over:
        raise LinkError("the match is over", fix="begin a new one")
    if memory is None:
        if match.messages > 1:
            problem = "this match is not played on this device"
            raise LinkError(problem, fix="open the link where you played before")
        memory = Memory(role=GUEST, secret=secret or secrets.token_bytes(NONCE))
        match.guest_name = name
    if match.next_role != memory.role:
        raise LinkError("your friend has to answer this link", fix="send it to your friend")
    match.give_nonces(memory.role, memory.nonces)
    match.begin_message()
    return replace(memory, seen=result.text), match


def finished(match: Correspondence, memory: Memory) -> Memory:
    """End the message, and return what to remember before its link, `sent`, is shown."""
    match.end_message()
    return replace(memory, sent=format_link(match.link()))


def concluded(result: Opened, memory: Memory | None) -> Memory | None:
    """Return what to remember of a link of the other player that ends the match; None if it is not.

    Nothing answers such a link, and another one with the same number is from now on a fork.
    """
    match = result.match
    ends = match is not None and match.over and result.fault is None and not result.answer
    return replace(memory, seen=result.text) if ends and memory is not None else None


def opened(text: str, set_up: SetUp, memory: Memory | None) -> Opened:
    """Return the match of a link, compared with what the player remembers of it.

    A guest who opens an invitation remembers nothing. Of a link that is wrong the match up to the
    own last link is returned, or more if the link agrees with it.
    """
    if memory is None:
        return replayed(text, set_up)
    link, broken = read_link(text)
    fault = None if link is None or broken is not None else _departure(link, memory, set_up)
    result = Opened(match=None, fault=fault, text=text)
    if fault is None:
        result = replayed(text, set_up)
    sent = read_link(memory.sent)[0] if memory.sent else None
    if sent is None:
        return result
    if result.fault is None:
        answered = link is not None and link.messages <= sent.messages
        return replace(result, answer=memory.sent) if answered else result
    known, shown = replayed(memory.sent, set_up).match, result.match
    if known is None or (shown is not None and _continues(shown, known)):
        return result
    fault = result.fault
    if fault.message is None:
        number = known.messages + 1
        fault = fault.converted(LinkError, where=f"message {number}")
        fault.message = number
    return replace(result, match=known, fault=fault)


def _continues(match: Correspondence, known: Correspondence) -> bool:
    return match.progress.entries[: len(known.progress.entries)] == known.progress.entries


def _departure(link: Link, memory: Memory, set_up: SetUp) -> LinkError | None:
    """Return how a link departs from the own last one, or from one that was opened before."""
    for text, whose in ((memory.sent, "you sent it"), (memory.seen, "you opened it before")):
        known = read_link(text)[0] if text else None
        if known is None:
            continue
        first, last = sorted((known, link), key=lambda each: each.messages)
        for role, (early, late) in enumerate(
            ((first.inviter, last.inviter), (first.guest, last.guest))
        ):
            if early is not None and not _opens(role, early, late):
                problem = f"a nonce of {_seat(link, role)} does not open the commitment to it"
                return LinkError(problem, fix=REFUSE, message=link.messages)
        if first.seal and first.seal != last.seal:
            problem = f"the name of the guest is not as {whose}"
            return LinkError(problem, fix=REFUSE, message=2)
        same = last.choices[: len(first.choices)] == first.choices
        if not same or (first.messages == last.messages and first.choices != last.choices):
            message, words = _first_difference(known, link, set_up)
            problem = f"{words} is not as {whose}"
            return LinkError(problem, fix=REFUSE, message=message)
    sent = read_link(memory.sent)[0] if memory.sent else None
    if sent is not None and link.messages > sent.messages + 1:
        return LinkError(
            f"it skips message {sent.messages + 1}, which only your friend can make, or "
            f"{sent.messages + 2}, which only you can",
            fix=REFUSE,
            message=link.messages,
        )
    return None


def _seat(link: Link, role: int) -> Seat:
    return link.terms.seat if role == INVITER else link.terms.seat.other


def _opens(role: int, early: Chain, late: Chain | None) -> bool:
    """Return whether the nonces of a later link begin with those of an earlier one."""
    if late is None or late.count < early.count:
        return False
    return Nonces(role, count=late.count, last=late.last)[early.count] == early.last


def _first_difference(known: Link, link: Link, set_up: SetUp) -> tuple[int, str]:
    """Return the message of the first decision that differs, and its name."""
    pairs = zip(known.choices, link.choices, strict=False)
    at = next(
        (number for number, (own, other) in enumerate(pairs) if own != other),
        min(len(known.choices), len(link.choices)),
    )
    match = replayed(format_link(known), set_up).match
    if match is not None and at < len(match.places):
        return match.places[at]
    return link.messages, "the number of decisions"
