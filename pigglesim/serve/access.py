"""Who may see and do what: secrets in links and cookies, and the headers of requests."""

from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pigglesim.durable_io import write_target
from pigglesim.errors import SpecError
from pigglesim.files import FileKind, read_text
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


class SavedLinks(BaseModel):
    """Links of a folder of matches, as its file stores them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: int | None = Field(default=None, gt=0, lt=65536)
    guests: dict[Annotated[str, Field(min_length=32)], Guest] = {}


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
        path = folder / _STATE
        path.touch(mode=0o600)
        write_target(path, SavedLinks(port=self.port, guests=self.guests).model_dump_json())
        path.chmod(0o600)


def saved_links(folder: Path) -> SavedLinks:
    """Return the port and the people of the last server of a folder; none if they are unknown."""
    try:
        return SavedLinks.model_validate_json(read_text(folder / _STATE, _KIND))
    except (SpecError, ValidationError):
        return SavedLinks()
