"""`pigglesim link`: a match by messages, in which a link holds the whole match."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pigglesim.api.links import LinkMemories, link_setup
from pigglesim.cli import options
from pigglesim.cli.consoles import result_console, say
from pigglesim.cli.flags import ARGUMENT, Flag, command_here, refuse_idle
from pigglesim.cli.spelling import print_in_ascii
from pigglesim.durable_io import RECORDS, check_target, expect_new
from pigglesim.errors import SpecError
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.correspondence import Correspondence, Opened
from pigglesim.match.entries import is_person_name
from pigglesim.match.link_memory import Memory, answering, concluded, invited, opened
from pigglesim.match.links import KEY, link_text, match_of, new_terms, read_link
from pigglesim.match.record import write_record
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.table.by_link import LinkSession
from pigglesim.table.view import result_sentence
from pigglesim.tui.plain import PlainTable

_TERMS = ("game", "chance", "team_a", "team_b", "rule", "house_rules", "seat")
"""Flags of a new match."""
_MAX_ADDRESS = 200
"""Maximum characters of the address of a page, without the link."""


def link(
    context: typer.Context,
    *,
    link: Annotated[
        str | None, ARGUMENT, "Link from your friend, or its address. Default: a new match."
    ] = None,
    game: Annotated[
        str, options.GAME, "Game of a new match, with nothing hidden."
    ] = "piggles_classic",
    chance: options.MatchChance = None,
    team_a: Annotated[
        str, options.TEAM_OR_MODEL, "Piggles of A: a team or a model. Default: those of the scene."
    ] = "",
    team_b: Annotated[str, options.TEAM_OR_MODEL, "Piggles of B, as --team-a."] = "",
    rules: options.RuleFlags,
    seat: Annotated[str, options.SEAT, "Your seat in a new match: A or B."] = "A",
    name: Annotated[str, "Your name, which the link holds. Default: none."] = "",
    page: Annotated[
        str, Flag(metavar="URL"), "Address of a page to put links on. Default: none."
    ] = "",
    out: Annotated[
        Path | None, "Write the record of the match in the link, and do not answer."
    ] = None,
    force: options.Force = False,
    ascii_only: options.Ascii = False,
) -> None:
    r"""Play a match by messages: a link holds it whole, and nobody can choose a throw.

    Without a LINK a match begins. With one, every decision is checked by the rules and every throw
    is made again; what happened since your last turn is shown, you decide, and the next link is
    printed. Send it to your friend, by any message.

    What nobody else may know of a match is remembered in a file that only you can read. An answer
    cannot be taken back, and the same link gives the same answer again.

    Examples:
        pigglesim link --name Ann
        pigglesim link 'match=...' --name Bob
        pigglesim link 'https://example.org/play/#match=...'
        pigglesim link 'match=...' --out match.jsonl
    """
    print_in_ascii(ascii_only)
    if link is None:
        refuse_idle(context, ("out", "force"), why="there is no LINK to save")
    else:
        refuse_idle(context, _TERMS, why="the match of the LINK has begun")
        if out is None:
            refuse_idle(context, ("force",), why="without --out no file is written")
        else:
            refuse_idle(context, ("name", "page"), why="--out does not answer")
    if name and not is_person_name(name):
        raise SpecError("that is not a name that everybody can read", fix="use letters and digits")
    if link is not None:
        _open(link, name, page, out, overwrite=force)
        return
    terms = new_terms(
        game,
        rules=rules.table(),
        chance=chance,
        teams=(team_a, team_b),
        seat=Seat(seat),
        name=name,
    )
    match, memory = invited(terms, link_setup)
    _answer(match, memory, LinkMemories(), result_console(), address=_address(page))


def _open(link: str, name: str, page: str, out: Path | None, *, overwrite: bool) -> None:
    """Show a link, and answer it if this person can; with `out`, save its record instead."""
    console, memories, text = result_console(), LinkMemories(), link_text(link)
    fields, fault = read_link(text)
    if fields is None or fault is not None:
        # Nothing of it is remembered, but what was right is shown.
        number = match_of(text)
        known = memories.read(number) if number is not None else None
        _show(opened(text, link_setup, known), known, console)
    assert fields is not None
    known = memories.read(fields.match)
    if out is not None:
        _save(opened(text, link_setup, known), out, overwrite=overwrite)
        return
    address = _address(page or link.strip().rpartition("#")[0])
    if known is None and fields.messages > 1:
        _show(opened(text, link_setup, known), known, console)
        print("This match is not played on this device: it can be seen, not answered.")
        return
    with memories.locked(fields.match):
        known = memories.read(fields.match)
        result = opened(text, link_setup, known)
        if result.fault is not None or result.answer or _ended(result, known):
            _show_answered(result, known, memories, console, address=address)
            return
        memory, match = answering(result, known, name=name)
        if known is not None:
            # Another link with the same number is from now on a fork.
            memories.write(match.id, memory)
        since = match.starts[-2] if known is not None else 0
        _answer(match, memory, memories, console, address=address, since=since)


def _show_answered(
    result: Opened,
    known: Memory | None,
    memories: LinkMemories,
    console: Console,
    *,
    address: str,
) -> None:
    """Show a link that this person cannot answer, or has answered: with that answer again."""
    shown = _show(result, known, console)
    if result.answer:
        own = known is not None and result.text == known.sent
        said = "It is yours: your friend has to answer" if own else "You have answered it"
        _print_link(result.answer, address, f"{said}. Your last link, again")
    elif (last := concluded(result, known)) is not None:
        memories.write(shown.id, last)


def _ended(result: Opened, known: Memory | None) -> bool:
    """Return whether nothing can be answered: the match is over, or the link is one's own."""
    match = result.match
    return match is None or match.over or (known is not None and match.next_role != known.role)


def _show(result: Opened, known: Memory | None, console: Console) -> Correspondence:
    """Show a link that is not answered.

    Raises:
        LinkError: What is wrong with it, if anything; what was right has been shown.
    """
    match = result.match
    if match is not None:
        new = known is not None and result.fault is None
        shown = match.starts[-1] if new and match.starts else 0
        role = None if known is None else known.role
        session = LinkSession(match, role=role, scene=_scene(match), shown=shown)
        _LinkTable(session, console).run()
    if result.fault is not None:
        raise result.fault
    assert match is not None
    return match


def _scene(match: Correspondence) -> Scene | None:
    name = find(match.game.name).scene
    return None if name is None else load_scene(name)


def _save(result: Opened, out: Path, *, overwrite: bool) -> None:
    if result.fault is not None:
        raise result.fault
    assert result.match is not None
    check_target(out, *RECORDS)
    expect_new(out, overwrite=overwrite)
    write_record(result.match.record(result.text), out)
    say(f"saved in {out} · review: {command_here('replay', str(out))}")


def _answer(
    match: Correspondence,
    memory: Memory,
    memories: LinkMemories,
    console: Console,
    *,
    address: str,
    since: int = 0,
) -> None:
    """Let the person decide, and print the next link; nothing is sent if the person leaves."""
    begun = match.messages > 0
    friend = match.names().get(match.seat_of(memory.role).other, "your friend")
    session = LinkSession(
        match,
        memory,
        remember=partial(memories.write, match.id),
        scene=_scene(match),
        shown=since,
    )
    _LinkTable(session, console).run()
    if not session.answer:
        print(f"No link was made; the same {'link' if begun else 'command'} again goes on.")
        return
    if match.thrown_next:
        print(f"The throw is made with {friend}: you see it with the next link.")
    _print_link(session.answer, address, f"Send this link to {friend}")


def _print_link(text: str, address: str, words: str) -> None:
    # In quotes: to a shell, what begins with # is a comment.
    link = f"{address}#{KEY}{text}" if address else f"pigglesim link '{KEY}{text}'"
    print(f"{words} ({len(text)} characters):\n{link}")


def _address(text: str) -> str:
    """Return the address of a page, for links.

    Raises:
        SpecError: If it is not a plain one.
    """
    plain = text.isascii() and text.isprintable() and " " not in text
    if text and not (
        plain and len(text) <= _MAX_ADDRESS and text.startswith(("https://", "http://"))
    ):
        raise SpecError(
            "invalid address of a page",
            expected=f"http or https, at most {_MAX_ADDRESS} characters",
            fix="leave it out: the part from # on is enough",
        )
    return text


class _LinkTable(PlainTable):
    """A match by link in line mode."""

    def __init__(self, session: LinkSession, console: Console) -> None:
        super().__init__(session, lines=sys.stdin, console=console)
        self._link = session

    def run(self) -> None:
        """Show what the link brought, and ask until the answer is complete or the person leaves."""
        session = self._link
        if session.awaited:
            self.show_state()
        while session.arriving or (session.awaited and not self._left):
            if session.arriving:
                self._show_event(session.play(session.next_event()))
            else:
                self._ask()
        result = session.game.result(session.state)
        if result is not None:
            self._print(result_sentence(result, session.view.names), style="bold")
