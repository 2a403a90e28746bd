"""The web server: limits for connections that have shown no link, and its end."""

import asyncio
import errno
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from pigglesim.serve.access import Guest
from pigglesim.serve.messages import MAX_MESSAGE

MAX_STRANGERS = 64
"""Maximum connections that have shown no link; a further one closes the oldest."""
MAX_OF_GUEST = 100
"""Maximum connections that have shown the same link of a guest; a further one is closed."""
HEADER_TIME = 10.0
"""Maximum time for the headers of a request [s]."""
_BACKLOG = 128
"""Connections that wait to be accepted."""
_NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Connections:
    """Open connections of strangers, who have shown no link, and of guests; the oldest first."""

    def __init__(self) -> None:
        self._open: dict[Any, asyncio.Transport] = {}
        """Connection of a stranger by the address of its client."""
        self._of_guests: dict[Guest, list[asyncio.Transport]] = {}

    def came(self, client: object, transport: asyncio.Transport) -> None:
        """Note a new connection, and close the oldest beyond the limit."""
        self._open = {who: each for who, each in self._open.items() if not each.is_closing()}
        self._open[client] = transport
        while len(self._open) > MAX_STRANGERS:
            self._open.pop(next(iter(self._open))).abort()

    def showed_link(self, client: object, guest: Guest) -> None:
        """Note whose a connection is, for good; close it if the guest has too many."""
        transport = self._open.pop(client, None)
        if transport is None or guest.is_owner:
            return
        own = [each for each in self._of_guests.get(guest, ()) if not each.is_closing()]
        if len(own) >= MAX_OF_GUEST:
            transport.abort()
        else:
            own.append(transport)
        self._of_guests[guest] = own

    @property
    def strangers(self) -> int:
        """Number of connections that have shown no link."""
        return sum(not each.is_closing() for each in self._open.values())


class _Protocol(H11Protocol):
    """Connection that is closed if the headers of a request do not arrive in time."""

    def __init__(self, *, connections: Connections, **uvicorn_arguments: Any) -> None:  # noqa: ANN401
        super().__init__(**uvicorn_arguments)
        self._all = connections
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._all.came(self.client, transport)
        self._timer = self.loop.call_later(HEADER_TIME, transport.abort)

    def handle_events(self) -> None:
        """Handle the data that arrived; wait on if they end within headers."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._timer = self.loop.call_later(HEADER_TIME, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timer()
        super().connection_lost(exc)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class WebServer(uvicorn.Server):
    """Server of an application; `heard` is called with each signal, before it ends."""

    def __init__(
        self,
        app: ASGIApp,
        connections: Connections,
        *,
        heard: Callable[[int], object] | None = None,
    ) -> None:
        # Uvicorn takes any factory of protocols.
        protocol: Any = partial(_Protocol, connections=connections)
        super().__init__(
            uvicorn.Config(
                app=app,
                http=protocol,
                # Else it closes every handler of the program.
                log_config=None,
                log_level=logging.ERROR,
                access_log=False,
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE,
                ws_per_message_deflate=False,
                server_header=False,
                # Else a header changes the address of a client, by which connections are known.
                proxy_headers=False,
                date_header=False,
                backlog=_BACKLOG,
                timeout_graceful_shutdown=1,
            )
        )
        self._heard = heard

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 (of uvicorn)
        """Start to listen."""
        asyncio.get_running_loop().set_exception_handler(_FaultLog())
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ANN401 (of uvicorn)
        """Begin to end; uvicorn would wait for a second signal in vain where something hangs."""
        del frame
        if self._heard is not None:
            self._heard(sig)
        self.should_exit = True


class _FaultLog:
    """Log of the event loop's faults; that no connection can be accepted is logged once."""

    def __init__(self) -> None:
        self._full = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception")
        if not (isinstance(fault, OSError) and fault.errno in _NO_ROOM):
            loop.default_exception_handler(context)
        elif not self._full:
            self._full = True
            text = f"no connection can be accepted now: {fault.strerror}"
            logging.getLogger("uvicorn.error").error(text)
