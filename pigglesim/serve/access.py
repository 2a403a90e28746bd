"""Who may see and do what: secrets in links and cookies, and the headers of requests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from pigglesim.durable_io import write_target
from pigglesim.errors import SpecError
from pigglesim.files import FileKind, parse_json, read_text
from pigglesim.landing import Seat

_STATE = ".serve.json"
"""File of the secrets of a folder of matches, so that links survive a new start of the server."""
_KIND = FileKind(name="links", max_bytes=1024**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Person with a link: the owner of the server, a player at one seat, or a spectator."""

    table: str | None = None
    """Match that the person may see; None for the owner, who may see all."""
    seat: Seat | None = None
    """Seat that the person plays; None for a spectator, and for the owner."""

    @property
    def is_owner(self) -> bool:
        """True for the person who started the server."""
        return self.table is None

    def may_see(self, table: str) -> bool:
        """Return whether the person may see a match."""
        return self.is_owner or self.table == table


@dataclass(kw_only=True)
class Access:
    """Secrets of one server, with the addresses under which it is reached.

    A secret comes in a link once and then in a cookie. Requests under another name than the
    server's own are refused, as they may come from a foreign page (DNS rebinding), and so are
    WebSockets opened by a foreign page.
    """

    host: str
    port: int
    guests: dict[str, Guest] = field(default_factory=dict)
    """Person by secret."""

    def __post_init__(self) -> None:
        if not any(guest.is_owner for guest in self.guests.values()):
            self.guests[token_urlsafe(24)] = Guest()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Accepted values of the Host header."""
        names = ("127.0.0.1", "localhost") if self.host == "127.0.0.1" else (self.host,)
        return tuple(f"{name}:{self.port}" for name in names)

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies do not distinguish ports, so it names the port."""
        return f"pigglesim-{self.port}"

    def link(self, secret: str) -> str:
        """Return the link that a person with a secret opens."""
        return f"http://{self.host}:{self.port}/?token={secret}"

    @property
    def owner_link(self) -> str:
        """Link of the owner."""
        return self.link(next(secret for secret, guest in self.guests.items() if guest.is_owner))

    def invite(self, guest: Guest) -> str:
        """Return the link of a guest; the same guest keeps the same link."""
        for secret, known in self.guests.items():
            if known == guest:
                return self.link(secret)
        secret = token_urlsafe(24)
        self.guests[secret] = guest
        return self.link(secret)

    def guest_of(self, secret: str | None) -> Guest | None:
        """Return the person with a secret, or None, in a time independent of the secret."""
        found = None
        for known, guest in self.guests.items():
            if compare_digest(known.encode(), (secret or "").encode()):
                found = guest
        return found

    def is_own_host(self, host: str | None) -> bool:
        """Return whether a request names this server."""
        return host in self.hosts

    def is_own_origin(self, origin: str | None) -> bool:
        """Return whether a page of this server sent a request."""
        return origin in {f"http://{host}" for host in self.hosts}

    def save(self, folder: Path) -> None:
        """Keep the port and the secrets with the matches, readable for their owner alone."""
        guests = {
            secret: {"table": guest.table, "seat": guest.seat}
            for secret, guest in self.guests.items()
        }
        path = folder / _STATE
        path.touch(mode=0o600)
        write_target(path, json.dumps({"port": self.port, "guests": guests}))
        path.chmod(0o600)


def saved_port(folder: Path) -> int | None:
    """Return the port that a server of this folder had last, if it is known."""
    port = _saved(folder).get("port")
    return port if isinstance(port, int) and 0 < port < 65536 else None


def saved_guests(folder: Path) -> dict[str, Guest]:
    """Return the people who had links to the matches in a folder; empty if none is known."""
    guests = _saved(folder).get("guests")
    found = {}
    for secret, fields in guests.items() if isinstance(guests, Mapping) else ():
        if isinstance(fields, Mapping) and len(str(secret)) >= 32:
            table, seat = fields.get("table"), fields.get("seat")
            if (table is None or isinstance(table, str)) and seat in {None, *Seat}:
                found[str(secret)] = Guest(table=table, seat=seat and Seat(seat))
    return found


def _saved(folder: Path) -> Mapping[str, Any]:
    try:
        saved = parse_json(read_text(folder / _STATE, _KIND), _KIND, where=_STATE)
    except SpecError:
        return {}
    return saved if isinstance(saved, Mapping) else {}
