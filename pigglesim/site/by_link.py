"""Matches by link in a page without a server: the page stores what only its player may know."""

from collections.abc import Callable
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.match.correspondence import Correspondence, Opened, SeededChance, SetUp
from pigglesim.match.link_memory import (
    Memory,
    answering,
    concluded,
    invited,
    memory_of,
    opened,
)
from pigglesim.match.links import link_text, match_of, new_terms, read_link
from pigglesim.scene.scene import Scene
from pigglesim.table.by_link import LinkSession

Message = dict[str, Any]


def recall(wish: Message) -> Message:
    """Return the message that asks the page what it stores of the match of a link."""
    text = link_text(str(wish["text"]))
    return {"is": "recall", "text": text, "match": (match_of(text) or b"").hex()}


def messages_in(text: str) -> int:
    """Return how many messages a link holds; 0 if it is none."""
    link, _ = read_link(text)
    return 0 if link is None else link.messages


def right_messages(session: LinkSession) -> int:
    """Return how many messages a session shows; 0 if something is wrong with its link."""
    return 0 if session.problem else session.match.messages


def link_session(
    wish: Message,
    *,
    name: str,
    set_up: SetUp,
    scene: Callable[[str], Scene | None],
    filmed: Callable[[str], SeededChance | None],
    adviser: Callable[[str], Agent],
    remember: Callable[[bytes, Memory], None],
) -> LinkSession:
    """Return the session of a new match by link, or of a link that the page has opened.

    Args:
        wish: Message of the page: the terms of the match, or the text of the link and the memory.
        name: Name of the person at the page.
        set_up: Function that sets up the table of some terms.
        scene: Function that returns the scene of a game.
        filmed: Function that returns the source of films of a source of chance; None for none.
        adviser: Function that returns the agent for hints in a game.
        remember: Function that makes the page store what to remember of a match.

    Raises:
        PigglesimError: If nothing of the link can be shown, or the terms are impossible.
    """
    memory: Memory | None
    result, shown, role = None, 0, None
    if wish["do"] == "new_by_link":
        terms = new_terms(
            wish["game"],
            rules=wish.get("rules") or {},
            chance=wish.get("chance"),
            seat=Seat(wish.get("seat", "A")),
            name=name,
        )
        match, memory = invited(terms, set_up)
    else:
        known = memory_of(wish["memory"]) if wish["memory"] else None
        role = None if known is None else known.role
        result = opened(str(wish["text"]), set_up, known)
        if result.match is None:
            raise result.fault or SpecError("no link", fix="copy the whole link")
        match, memory, shown = _answered(result, known, name=name, remember=remember)
    session = LinkSession(
        match,
        memory,
        role=role,
        remember=lambda each: remember(match.id, each),
        scene=scene(match.game.name),
        shown=shown,
        filmed=filmed(match.terms.chance),
        adviser=lambda: adviser(match.game.name),
    )
    if result is not None:
        session.problem = "" if result.fault is None else str(result.fault)
        session.answer = session.answer or result.answer
    session.text = str(wish.get("text", ""))
    return session


def _answered(
    result: Opened, known: Memory | None, *, name: str, remember: Callable[[bytes, Memory], None]
) -> tuple[Correspondence, Memory | None, int]:
    """Return the match of a link, the memory to answer it, if it can be, and the events shown."""
    match = result.match
    assert match is not None, "the link has a match"
    awaited = match.messages == 1 if known is None else match.next_role == known.role
    if result.fault is not None:
        return match, None, 0
    if not result.answer and not match.over and awaited:
        memory, match = answering(result, known, name=name)
        if known is None:
            return match, memory, 0
        # Another link with the same number is from now on a fork.
        remember(match.id, memory)
        return match, memory, match.starts[-2]
    if known is None:
        return match, None, 0
    if (last := concluded(result, known)) is not None:
        remember(match.id, last)
    return match, None, match.starts[-1]
