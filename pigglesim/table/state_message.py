"""Messages with a match as one person sees it: its state, the choices with reasons, and the log."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from pigglesim.agents.registry import level_of
from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Concede
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, Header, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.table.first_match import LESSONS, lessons
from pigglesim.table.layout import Dice, Part, Scale, Square, Squares, as_json
from pigglesim.table.session import HUMAN, LEARNER, Session
from pigglesim.table.view import Line, reason_words, winner_words


def player_words(header: Header, seat: Seat) -> str:
    """Return who plays at a seat: a person, by name if there is one, or the computer's level."""
    agent = header.agents[seat]
    if agent in {HUMAN, LEARNER}:
        return header.names.get(seat, "a person")
    opponent = level_of(header.game, agent)
    return f"computer ({agent if opponent is None else opponent.level})"


def agent_words(header: Header, seat: Seat) -> str:
    """Return the agent behind a level, with its rating; empty for a person."""
    agent = header.agents[seat]
    if agent in {HUMAN, LEARNER}:
        return ""
    opponent = level_of(header.game, agent)
    rating = "" if opponent is None else f", {opponent.rating} among agents of this game"
    return f"the agent {agent}{rating}"


def lines_message(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Return log lines as JSON values."""
    return [{"text": line.text, "tone": line.tone, "seat": line.seat} for line in lines]


def state_message(
    session: Session, seats: Sequence[Seat], *, spectates: bool, working: str = ""
) -> dict[str, Any]:
    """Return a match as the person at some of its seats sees it.

    Args:
        session: The match.
        seats: Seats that this person plays; empty for a spectator.
        spectates: Whether the person only watches; hidden cards are then hidden.
        working: Description of the work that is under way.
    """
    view = session.view
    # A pass that is the only choice is played at once.
    decides = session.awaited in seats and session.forced is None
    awaited = session.awaited if decides else None
    viewer = awaited or _last_of(session, seats)
    return {
        "is": "state",
        "at": len(session.events),
        "heading": session.heading,
        **table_message(
            session, session.state, session.events, seats, viewer=viewer, spectates=spectates
        ),
        "guide": view.guide(session.state, awaited),
        "awaited": session.awaited,
        "yours": awaited,
        "viewer": viewer,
        "curtain": view.hides and len(seats) > 1 and not session.over,
        "working": working,
        "over": session.over,
        "ending": _ending(session),
        "has_page": session.has_page,
        "legend": view.legend,
        "ordered": view.ordered,
        "marks": {
            piggle: {"words": mark.words, "worn": mark.worn, "skin": mark.skin}
            for piggle, mark in session.marks(session.state).items()
        },
        "effects": dict(view.effects),
        "lessons": [
            {"number": number, "of": len(LESSONS), "text": lesson.text}
            for number, lesson in (lessons(session, viewer) if viewer and not session.over else ())
        ],
        **(_choices(session, awaited) if awaited else {}),
    }


def table_message(
    session: Session,
    state: object,
    events: Sequence[MatchEvent[Any]],
    seats: Sequence[Seat] = (),
    *,
    viewer: Seat | None = None,
    spectates: bool = False,
) -> dict[str, Any]:
    """Return the table at some moment of a match: stage, points, areas and drawing.

    Args:
        session: The match.
        state: State at that moment.
        events: All events until then.
        seats: Seats that this person plays.
        viewer: Player whose hidden cards are shown; None for all.
        spectates: Whether the person only watches.
    """
    view, people = session.view, session.people
    columns, scores = view.columns(state), session.game.scores(state)
    points = view.points(events) if columns else {}
    return {
        "stage": view.heading(state),
        "columns": list(columns),
        "players": [
            {
                "seat": seat,
                "name": name,
                "player": "" if seat in people else player_words(session.header, seat),
                "person": seat in people,
                "colour": OWNER_COLOURS[seat],
                "rounds": [str(points.get((column, seat), "")) for column in columns],
                "now": scores[seat],
                "moves": seat == session.game.turn(state),
                "yours": seat in seats,
            }
            for seat, name in view.names.items()
        ],
        "areas": [
            {"name": area.name, "cells": [area.content.get(seat, "") for seat in view.names]}
            for area in view.areas(state)
        ],
        "felt": _felt(session, state, events, viewer, spectates=spectates),
    }


def _ending(session: Session) -> dict[str, Any] | None:
    """Return who has won and why; None while the match goes on."""
    result = session.progress.footer(session.game).result
    if result is None:
        return None
    return {
        "winners": [result.winner] if result.winner else list(result.shared),
        "headline": winner_words(result, session.view.names),
        "why": reason_words(result.reason),
    }


def _last_of(session: Session, seats: Sequence[Seat]) -> Seat | None:
    """Return the seat of the last decision of a person at some seats, or the first of them."""
    decided = (event.entry for event in reversed(session.events))
    own = (e.seat for e in decided if isinstance(e, Decision) and e.seat in seats)
    return next(own, seats[0] if seats else None)


def _choices(session: Session, seat: Seat) -> dict[str, Any]:
    """Return the decision of a person: a load, or a list of actions."""
    view, state, legal = session.view, session.state, session.legal
    apart = session.board is not None and not session.is_puzzle
    message: dict[str, Any] = {
        "skip": apart and view.skip is not None and view.skip in legal,
        "done": apart and view.done is not None and view.done in legal,
        "concede": any(isinstance(action, Concede) for action in legal),
        "seat": seat,
    }
    toggles = session.toggles
    if toggles is None:
        message["choices"] = [
            {
                "text": view.action_text(state, action),
                "heading": view.heading_of(state, action),
                "involved": list(view.involved(action)),
            }
            for action in listed_actions(session)
        ]
        return message
    message["load"] = [
        {
            "name": item,
            "free": item in toggles.free,
            "why": (view.effects if item in toggles.free else toggles.why).get(item, ""),
        }
        for item in toggles.items
    ]
    return message


def listed_actions(session: Session) -> list[Any]:
    """Return the actions in the list of the person to move: those without a button of their own."""
    if session.toggles is not None:
        return []
    done = None if session.board is None or session.is_puzzle else session.view.done
    return [action for action in session.choices if action != done]


def _felt(
    session: Session,
    state: object,
    events: Sequence[MatchEvent[Any]],
    viewer: Seat | None,
    *,
    spectates: bool,
) -> list[dict[str, Any]] | None:
    """Return the table of a game without a board of Piggles, as its parts; or None."""
    if session.board is not None:
        return None
    if session.view.hides and spectates and session.people and not session.over:
        table = session.view.public_table(state)
    else:
        table = session.view.table(state, None if spectates else viewer)
    if table is None:
        return None
    touched = _last_touched(session, events)
    parts: list[Part | Dice] = [
        _with_last(part, touched) if isinstance(part, Squares) else part for part in table
    ]
    rolled = events and isinstance(events[-1].entry, MatchOutcome)
    if (session.last_dice and rolled) or any(isinstance(part, Scale) and part.id for part in parts):
        parts.append(_dice(session, events))
    return as_json(parts)


def _last_touched(session: Session, events: Sequence[MatchEvent[Any]]) -> tuple[str, ...]:
    """Return what the latest decision that touches something touches, by id."""
    decisions = (e.action for e in reversed(events) if isinstance(e.entry, Decision))
    return next(filter(None, map(session.view.involved, decisions)), ())


def _with_last(board: Squares, touched: Sequence[str]) -> Squares:
    def marked(square: Square) -> Square:
        return replace(square, last=True) if square.id in touched else square

    return replace(board, squares=tuple(tuple(map(marked, row)) for row in board.squares))


def _dice(session: Session, events: Sequence[MatchEvent[Any]]) -> Dice:
    """Return the rolls of the latest turn in which dice were rolled."""
    rolled = [
        (session.game.round_of(event.before), event.entry.thrower, event.entry.result.faces)
        for event in events
        if isinstance(event.entry, MatchOutcome) and isinstance(event.entry.result, DiceResult)
    ]
    if not rolled:
        return Dice()
    turn = rolled[-1][:2]
    rolls = [roll[2] for roll in takewhile(lambda roll: roll[:2] == turn, reversed(rolled))]
    return Dice(rolls=tuple(reversed(rolls)), seat=turn[1])
