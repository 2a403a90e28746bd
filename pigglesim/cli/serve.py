"""`pigglesim serve`: the table in a browser."""

import asyncio
import errno
import signal
import socket
import webbrowser
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from pigglesim.cli import options
from pigglesim.cli.consoles import note
from pigglesim.cli.flags import Flag
from pigglesim.errors import SpecError
from pigglesim.signals import EndingSignals

if TYPE_CHECKING:
    from pigglesim.api.play import PlaySettings
    from pigglesim.table.session import Session

_LOCAL = "127.0.0.1"
MATCHES = Path("matches")
"""Folder of the matches of the page, if none is named."""


def serve(
    folder: Annotated[
        Path, Flag(metavar="DIR"), "Folder of the matches; saved ones continue."
    ] = MATCHES,
    port: Annotated[
        int | None, Flag(low=1, high=65535), "Port. Default: the last one of the folder, or free."
    ] = None,
    host: Annotated[str, "Address at which others in the network reach this machine."] = _LOCAL,
    open: Annotated[bool, "Open the page in the browser."] = True,
    game: Annotated[
        list[str] | None,
        options.GAME,
        "Your own game to offer in the page, too: my_game.py:Class; repeatable.",
    ] = None,
) -> None:
    """Serve a page in which you throw, play, watch, review and study.

    The page is reached from this machine alone, by the printed link. With --host, anyone with an
    invitation link from the page can play or watch too. The connection is not encrypted, so use
    it only in a network that you trust.

    Matches are saved after every decision. Ctrl-C ends the server.

    Examples:
        pigglesim serve
        pigglesim serve --no-open --port 8765
        pigglesim serve --host 192.168.1.20
        pigglesim serve --game my_game.py:MyGame
    """
    for name in game or []:
        options.load_own_game(name)
    serve_page(folder, port=port, host=host, browser=open)


def serve_page(
    folder: Path,
    *,
    port: int | None = None,
    host: str = _LOCAL,
    browser: bool = True,
    match: "tuple[Session, PlaySettings] | None" = None,
) -> None:
    """Serve the page of a folder of matches until Ctrl-C; `match` is played in it at once."""
    from pigglesim.physics.engines import fastest_engine_name
    from pigglesim.precompile import compile_for
    from pigglesim.serve.access import Access, SavedLinks, saved_links
    from pigglesim.serve.connections import WebServer
    from pigglesim.serve.pours import Pours
    from pigglesim.serve.server import Server

    if host in {"", "0.0.0.0", "::", "*"}:
        raise SpecError(
            f"the address {host!r} stands for all addresses",
            expected="the one by which others reach this machine",
            fix="use --host with it, such as --host 192.168.1.20",
        )
    if folder.exists() and not folder.is_dir():
        raise SpecError(f"{folder} is a file", fix="use another --folder")
    server: Server | None = None

    def tidy() -> None:
        if server is not None:
            server.tidy()

    with EndingSignals(tidy) as ending, ExitStack() as stack:
        # A first throw must not wait for the compiler.
        compile_for("pours", engine=fastest_engine_name())
        try:
            saved = saved_links(folder)
        except SpecError as error:
            note(str(error))
            saved = SavedLinks()
        try:
            listener = _listener(host, port, saved.port)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            problem = f"port {port} is in use" if taken else f"{host}: {error.strerror}"
            fix = "use another --port" if taken else "correct --host"
            raise SpecError(problem, fix=fix) from None
        access = Access(host=host, port=listener.getsockname()[1], guests=saved.guests)
        pours = stack.enter_context(closing(Pours()))
        server = Server(folder, access, pours)
        stack.callback(server.close)
        if host != _LOCAL:
            note(
                f"Warning: anyone who reaches {host} and has a link can use this server, and "
                "the connection is not encrypted."
            )
        table = None if match is None else server.begin(*match)
        print(f"Open {access.owner_link_to(table)}")
        note("Matches are saved in " + str(folder) + "; Ctrl-C ends the server.")
        if browser:
            # Every user of the machine sees the words with which a program was started.
            page = access.save_opener(folder, table).resolve().as_uri()
            # Some browsers return only when they are closed.
            Thread(target=webbrowser.open, args=(page,), daemon=True).start()
        if not ending.first:
            web = WebServer(server.app(), server.connections, heard=ending.hear)
            asyncio.run(web.serve(sockets=[listener]))
    if ending.first:
        # The command ends as any other that is stopped.
        signal.raise_signal(ending.first)


def _listener(host: str, port: int | None, last: int | None) -> socket.socket:
    """Return a listening socket: at the port, else at the last one, else at a free one."""
    for number in (port,) if port else (last, 0):
        if number is None:
            continue
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except OSError as error:
            listener.close()
            if number != last or error.errno != errno.EADDRINUSE:
                raise
        else:
            # A browser that is quicker than the server then waits for it.
            listener.listen()
            return listener
    raise AssertionError("a free port is always tried")
