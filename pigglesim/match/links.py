"""Links that hold a whole match: a strict binary form, read by one bounded reader.

`pigglesim.match.correspondence` gives the fields their meaning. The text is base64url, in the
fragment of an address, which browsers do not send to any server.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite

from pigglesim.errors import PigglesimError, SpecError, cut, unknown_name
from pigglesim.games.game import JSON
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import is_person_name

VERSION = 1
"""Version of the form and of the protocol: the only one that is written or read."""
KEY = "match="
"""Beginning of the fragment."""
MAX_LENGTH = 4_096
"""Maximum characters of the text."""
MAX_COUNT = 2_048
"""Maximum messages of a match, and so of nonces of a player."""
NONCE = 32
"""Length of a nonce [bytes]: that of SHA-256, so that nobody finds two with one commitment."""
SHORT = 8
"""Length of digests that find differences, and protect against nobody [bytes]."""
_CHECKSUM = 4
_MAX_RULES, _MAX_TEXT = 80, 120
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_CUT = "copy the whole link again from the message"


_HIDDEN = ("pig_pile", "lord_of_the_pigs")
"""Games with cards in hidden hands: a link would show them."""
LINK_GAMES = tuple(name for name in game_names() if name not in _HIDDEN)
"""Games that can be played by link."""


class LinkError(PigglesimError):
    """A link that cannot be read, or that breaks the rules or the protocol.

    Args:
        message: Number of the message that is wrong, from 1; None if unknown.
    """

    def __init__(
        self, problem: str, *, fix: str, expected: str = "", message: int | None = None
    ) -> None:
        self.message = message
        where = "" if message is None else f"message {message}: "
        super().__init__(where + problem, expected=expected, fix=fix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Everything that the inviter fixes in the first message."""

    game: str
    rules: Mapping[str, JSON]
    """House rules that are not the default, by name: bools, numbers and words."""
    chance: str
    """Source of chance, a word of the registry of games."""
    teams: tuple[str, str]
    """Piggles of A and of B by name; empty for those of the scene."""
    seat: Seat
    """Seat of the inviter."""
    name: str
    """Name of the inviter; empty if not given."""
    data: bytes
    """Digest of all on which the bits of a throw depend: engine, scene, models or odds."""


def new_terms(
    game: str,
    *,
    rules: Mapping[str, object],
    chance: str | None = None,
    teams: tuple[str, str] = ("", ""),
    seat: Seat = Seat.A,
    name: str = "",
) -> Terms:
    """Return the terms of a new match by link, without the digest of the data.

    Raises:
        SpecError: If the game cannot be played by link, a name is unknown, or a link cannot hold
            something of the terms.
    """
    entry = find(expect_link_game(game))
    made, default = make_game(game, dict(rules)).settings(), make_game(game).settings()
    changed = {rule: value for rule, value in made.items() if value != default[rule]}
    terms = Terms(
        game=game,
        rules=changed,
        chance=chance or entry.chances[0],
        teams=teams,
        seat=seat,
        name=name,
        data=b"",
    )
    try:
        _read_terms(_FieldReader(terms_bytes(terms) + bytes(SHORT)))
    except LinkError as error:
        raise error.converted(SpecError, fix="leave it out: a link cannot hold it") from None
    return terms


def expect_link_game(name: str) -> str:
    """Return a name; raise `SpecError` unless it is that of a game that can be played by link."""
    if name in _HIDDEN:
        raise SpecError(
            f"{name} has cards in hidden hands, which a link would show",
            expected=", ".join(LINK_GAMES),
            fix="play it with pigglesim serve",
        )
    if name not in LINK_GAMES:
        raise unknown_name("game", name, LINK_GAMES)
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Nonces of a player that a link reveals: all follow from the last one."""

    count: int
    """Number of nonces that were revealed after the commitment."""
    last: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Fields of a link."""

    match: bytes
    """Beginning of the match's id, by which a player finds it."""
    terms: Terms
    messages: int
    """Number of messages so far; those of odd number are the inviter's."""
    inviter: Chain
    guest: Chain | None
    """None in the first message."""
    guest_name: str = ""
    seal: bytes = b""
    """Digest of the commitment of the guest; empty in the first message."""
    state: bytes
    """Digest of the state in which the sender left the match."""
    choices: tuple[int | str, ...]
    """Decisions of both players, without those that the rules force: each is the number of a legal
    action, or the text of one that is not listed, such as a load with a hold of the cup."""


class _End(Exception):  # noqa: N818 (caught here alone)
    """The bytes end in the middle of a field."""


class _FieldReader:
    """Fields of bounded size from bytes, one after the other; each has one form."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def raw(self, size: int) -> bytes:
        if size > self.left:
            raise _End
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, most: int, what: str) -> int:
        """Return a whole number of at most 28 bits, seven to a byte, without needless bytes."""
        value = 0
        for place in range(4):
            (byte,) = self.raw(1)
            value |= (byte & 127) << 7 * place
            if byte < 128:
                if (place and not byte) or value > most:
                    break
                return value
        raise LinkError(f"invalid {what} {value}", expected=f"0 to {most}", fix=_CUT)

    def text(self, what: str) -> str:
        size = self.number(_MAX_TEXT, f"length of the {what}")
        data = self.raw(size)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise LinkError(f"the {what} is not text", fix=_CUT) from None
        if not text.isprintable():
            raise LinkError(f"the {what} has control characters", fix=_CUT)
        return text


def _number(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _text(value: str) -> bytes:
    if not value.isprintable():
        raise LinkError(f"{cut(repr(value), 60)} has control characters", fix="leave them out")
    data = value.encode()
    if len(data) > _MAX_TEXT:
        raise LinkError(
            f"{cut(repr(value), 60)} has {len(data)} bytes",
            expected=f"at most {_MAX_TEXT}",
            fix="use a shorter one",
        )
    return _number(len(data)) + data


def terms_bytes(terms: Terms) -> bytes:
    """Return the terms as a link holds them."""
    rules = sorted(terms.rules.items())
    parts = [_text(terms.game), _text(terms.chance), _number(len(rules))]
    for name, value in rules:
        parts += [_text(name), _text(json.dumps(value, ensure_ascii=False))]
    parts += [*map(_text, terms.teams), bytes([BOARD_SEATS.index(terms.seat)])]
    return b"".join([*parts, _text(terms.name), terms.data])


def _read_terms(reader: _FieldReader) -> Terms:
    game, chance = reader.text("game"), reader.text("chance")
    rules: dict[str, JSON] = {}
    for _ in range(reader.number(_MAX_RULES, "number of house rules")):
        name, value = reader.text("name of a house rule"), reader.text("house rule")
        if rules and name <= max(rules):
            raise LinkError(f"the house rule {cut(name)} is out of order", fix=_CUT)
        rules[name] = _read_value(name, value)
    teams = reader.text("team of A"), reader.text("team of B")
    seat = BOARD_SEATS[reader.number(1, "seat")]
    return Terms(
        game=game,
        rules=rules,
        chance=chance,
        teams=teams,
        seat=seat,
        name=_read_name(reader),
        data=reader.raw(SHORT),
    )


def _read_value(name: str, text: str) -> JSON:
    try:
        value: JSON = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    finite = isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value))
    if not finite or json.dumps(value, ensure_ascii=False) != text:
        raise LinkError(f"invalid house rule {cut(f'{name}={text}', 60)}", fix=_CUT)
    return value


def _read_name(reader: _FieldReader) -> str:
    name = reader.text("name of a player")
    if name and not is_person_name(name):
        raise LinkError("the name of a player is not that of a person", fix=_CUT)
    return name


def _read_chain(reader: _FieldReader) -> Chain:
    count = reader.number(MAX_COUNT - 1, "number of nonces")
    return Chain(count=count, last=reader.raw(NONCE))


def _chain_bytes(chain: Chain) -> bytes:
    return _number(chain.count) + chain.last


def format_link(link: Link) -> str:
    """Return the text that `read_link` reads as this link.

    Raises:
        LinkError: If a field or the whole is too long.
    """
    parts = [link.match, terms_bytes(link.terms), _number(link.messages), link.state]
    parts.append(_chain_bytes(link.inviter))
    if link.guest is not None:
        parts += [_text(link.guest_name), _chain_bytes(link.guest), link.seal]
    for choice in link.choices:
        # Zero announces a text.
        parts.append(_number(choice + 1) if isinstance(choice, int) else b"\0" + _text(choice))
    body = b"".join(parts)
    data = bytes([VERSION]) + _checksum(body) + body
    text = base64.urlsafe_b64encode(data).decode().rstrip("=")
    if len(text) > MAX_LENGTH or link.messages > MAX_COUNT:
        raise LinkError("the match is too long for a link", fix="end it here")
    return text


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:_CHECKSUM]


def link_text(address: str) -> str:
    """Return the text of a link in an address, or in a line that holds nothing else."""
    text = address.strip()
    if "#" in text:
        text = text[text.rindex("#") + 1 :]
    return text.removeprefix(KEY)


def match_of(text: str) -> bytes | None:
    """Return the match that a link names, even if the link is cut or changed after that place."""
    data = _decoded(text[: (2 + _CHECKSUM + SHORT) * 2])
    found = data[1 + _CHECKSUM :][:SHORT]
    return found if len(found) == SHORT else None


def read_link(text: str) -> tuple[Link | None, LinkError | None]:
    """Return the fields of a link, and what is wrong with its form.

    Of a link that was cut or edited the fields before that place are returned, unless not even the
    nonces are among them. Nothing is known to be right there.
    """
    fault: LinkError | None = None
    if len(text) > MAX_LENGTH:
        problem = f"the link has {len(text):,} characters"
        return None, LinkError(problem, expected=f"at most {MAX_LENGTH:,}", fix=_CUT)
    good = next((at for at, sign in enumerate(text) if sign not in _ALPHABET), len(text))
    if good < len(text):
        problem = f"the link has {text[good]!r} at character {good + 1}"
        fault, text = LinkError(problem, expected="letters, digits, - and _", fix=_CUT), text[:good]
    data = _decoded(text)
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        fault = fault or LinkError("the link was cut or changed on its way", fix=_CUT)
    if not data:
        return None, fault or LinkError("no link", fix=_CUT)
    if data[0] != VERSION:
        return None, fault or LinkError(
            f"a link of version {data[0]}",
            expected=str(VERSION),
            fix="use the version of pigglesim that your friend uses",
        )
    body = data[1 + _CHECKSUM :]
    if _checksum(body) != data[1 : 1 + _CHECKSUM]:
        fault = fault or LinkError("the link was cut or changed on its way", fix=_CUT)
    link, broken = _read_body(_FieldReader(body))
    return link, fault or broken


def _decoded(text: str) -> bytes:
    at = next((at for at, sign in enumerate(text) if sign not in _ALPHABET), len(text))
    whole = text[: at - (at % 4 == 1)]
    return base64.urlsafe_b64decode(whole + "=" * (-len(whole) % 4))


def _read_body(reader: _FieldReader) -> tuple[Link | None, LinkError | None]:
    choices: list[int | str] = []
    link: Link | None = None
    try:
        match, terms = reader.raw(SHORT), _read_terms(reader)
        messages = reader.number(MAX_COUNT, "number of messages")
        if not messages:
            raise LinkError("a link without a message", fix=_CUT)
        state = reader.raw(SHORT)
        inviter = _read_chain(reader)
        guest_name, guest, seal = "", None, b""
        if messages > 1:
            guest_name, guest = _read_name(reader), _read_chain(reader)
            seal = reader.raw(SHORT)
        link = Link(
            match=match,
            terms=terms,
            messages=messages,
            inviter=inviter,
            guest=guest,
            guest_name=guest_name,
            seal=seal,
            state=state,
            choices=(),
        )
        while reader.left:
            code = reader.number(1 << 20, "number of a decision")
            choices.append(code - 1 if code else reader.text("decision"))
        fault = None
    except LinkError as error:
        fault = error
    except _End:
        fault = LinkError("the link ends too early", fix=_CUT)
    return link and replace(link, choices=tuple(choices)), fault
