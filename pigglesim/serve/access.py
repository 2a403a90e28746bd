"""Access: secrets in links, headers of requests, and files of secrets."""

import os
from dataclasses import dataclass, field
from hashlib import blake2b
from hmac import compare_digest
from html import escape
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import HTTPConnection

from pigglesim.durable_io import is_private, private_file
from pigglesim.errors import SpecError
from pigglesim.files import FileKind, read_with_status
from pigglesim.landing import Seat

_STATE = ".serve.json"
"""File of the secrets of a folder of matches, so that links survive a new start of the server."""
_OPENER = "open-in-browser.html"
"""Page that leads the browser of the owner to the link, which no command line then shows.

Browsers in a sandbox read no hidden files, and no folder for temporary ones.
"""
_KIND = FileKind(name="links", max_bytes=1024**2)
PROTOCOL = "pigglesim"
"""Subprotocol of the sockets; the secret follows it in the list that a page offers."""
_USUAL_PORT = 80
"""Port of HTTP, which an address leaves out."""


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

    file: int = 0
    """Inode of this file: a copy has another, and its author may know the secrets."""
    port: int | None = Field(default=None, gt=0, lt=65536)
    guests: dict[Annotated[str, Field(min_length=32)], Guest] = {}


@dataclass(kw_only=True)
class Access:
    """Secrets of one server, with the addresses under which it is reached.

    A secret is in a link behind `#`, which browsers send to no server. The page stores it for its
    own tab and origin, and shows it in a header of each request. There is no cookie, as a browser
    sends cookies to every port of a machine. Requests under another name than the server's own are
    refused, as they may come from a foreign page (DNS rebinding), and so are WebSockets opened by a
    foreign page.
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
        """Accepted values of the Host header, in small letters, as browsers write them."""
        # An address leaves out the usual port.
        names = ("127.0.0.1", "localhost") if self.host == "127.0.0.1" else (self.host.lower(),)
        full = tuple(f"{name}:{self.port}" for name in names)
        return (*full, *names) if self.port == _USUAL_PORT else full

    def link(self, secret: str) -> str:
        """Return the link that a person with a secret opens."""
        return f"http://{self.host}:{self.port}/#token={secret}"

    @property
    def owner_link(self) -> str:
        """Link of the owner."""
        return self.owner_link_to(None)

    @property
    def _owner(self) -> str:
        """Secret of the owner."""
        return next(secret for secret, guest in self.guests.items() if guest.is_owner)

    def owner_link_to(self, table: str | None) -> str:
        """Return the link of the owner to a match; None for the first page."""
        return self.link(self._owner) + (f"/match/{table}" if table else "")

    def table_of(self, path: Path) -> str:
        """Return the name of the table of a saved match, in links and addresses.

        The name of the file may hold the seed, so the digest has a key: nobody finds it by search.
        """
        return blake2b(os.fsencode(path.name), key=self._owner.encode(), digest_size=6).hexdigest()

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
        return (host or "").lower() in self.hosts

    def is_own_origin(self, origin: str | None) -> bool:
        """Return whether a page of this server sent a request."""
        return (origin or "").lower() in {f"http://{host}" for host in self.hosts}

    def save(self, folder: Path) -> None:
        """Save the port and the secrets with the matches, readable for their owner alone.

        Raises:
            SpecError: If the file cannot be written, or not be hidden.
        """
        links = SavedLinks(port=self.port, guests=self.guests)
        with private_file(folder / _STATE) as file:
            links = links.model_copy(update={"file": os.fstat(file.fileno()).st_ino})
            file.write(links.model_dump_json())

    def save_opener(self, folder: Path, table: str | None = None) -> Path:
        """Save the page that leads the owner's browser to `owner_link_to`, and return its path.

        Raises:
            SpecError: As `save`.
        """
        link = escape(self.owner_link_to(table))
        with private_file(path := folder / _OPENER) as file:
            file.write(
                '<!doctype html><meta charset="utf-8"><title>pigglesim</title>'
                f'<meta http-equiv="refresh" content="0; url={link}"><a href="{link}">pigglesim</a>'
            )
        return path


def remove_opener(folder: Path) -> None:
    """Remove the page of `Access.save_opener`, if there is one."""
    (folder / _OPENER).unlink(missing_ok=True)


def shown_secret(connection: HTTPConnection) -> str | None:
    """Return the secret that a page shows with a request, or with the opening of a socket.

    Browsers let pages set no header of a socket but the list of its subprotocols.
    """
    if connection.scope["type"] == "websocket":
        first, *others = connection.scope["subprotocols"] or [""]
        return others[0] if first == PROTOCOL and len(others) == 1 else None
    kind, _, secret = connection.headers.get("authorization", "").partition(" ")
    return secret if kind == "Bearer" else None


def saved_links(folder: Path) -> SavedLinks:
    """Return the port and the people of the last server of a folder; none if there was none.

    Raises:
        SpecError: If others know, could know or have written these secrets, or they are damaged.
    """
    path = folder / _STATE
    if not os.path.lexists(path):
        return SavedLinks()
    try:
        data, status = read_with_status(path, _KIND)
        links = SavedLinks.model_validate_json(data)
    except (SpecError, ValidationError):
        links, status = SavedLinks(), None
    if status is None or not is_private(status) or links.file != status.st_ino:
        raise SpecError(
            f"{path} may come from others, so its links are void",
            expected="the file that the last server wrote, not a link or a copy, with mode 600",
            fix="send new invitations",
        )
    return links
