"""Piggles as text: actions, landings and whole positions, each read back to the same value.

A position is one line of `name=value` words; what is at its default is left out. A landing is
`up@field:N`, then `+leaning` or `+stacked`, then its place in brackets if physics gave one;
numbers are written so that they read back to the last bit.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Result
from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.state import (
    Act,
    Done,
    MudEntry,
    Position,
    Reason,
    Shield,
    Side,
    Sudden,
    in_order,
)
from pigglesim.games.piggles.validity import check_position
from pigglesim.games.place_notation import format_place, parse_place
from pigglesim.games.position_words import read_words, written
from pigglesim.rolls import BOARD_SEATS, CupHold, Landing, Orientation, Seat, Zone

__all__ = [
    "format_action",
    "format_landing",
    "format_position",
    "parse_action",
    "parse_landing",
    "parse_position",
    "read_position",
]

_LANDING = re.compile(
    r"(?P<pose>up|down|head|off)(?:@(?P<zone>[^+\[]+))?"
    r"(?P<leaning>\+leaning)?(?P<stacked>\+stacked)?(?:\[(?P<place>[^\]]*)\])?"
)
_SHIELD = re.compile(r"(?P<piggle>\w+):(?P<by>[AB])(?P<fresh>!?)(?P<rolled>\*?)")
_MUD = re.compile(r"(?P<piggle>\w+)@(?P<round>\d+)(?P<early>!?)")


def format_action(action: Load | Act | Done | Concede) -> str:
    """Return an action as text: `load A1 A3`, `skip`, `act A1 B2`, `done` or `concede`.

    A load from a hold of the player's own goes on: `load A1 A3 at across,back,height` [m].
    """
    match action:
        case Act(piggle=piggle, target=target):
            return f"act {piggle} {target}"
        case Done():
            return "done"
        case Concede():
            return "concede"
        case Load(piggles=()):
            return "skip"
        case Load(piggles=piggles, hold=hold):
            held = () if hold is None else ("at", _hold_text(hold))
            return " ".join(("load", *piggles, *held))


def parse_action(text: str) -> Load | Act | Done | Concede:
    """Return the action that a text names; the Piggles of a load may stand in any order.

    Raises:
        SpecError: If the text is no action.
    """
    match text.split():
        case ["concede"]:
            return Concede()
        case ["skip"]:
            return Load()
        case ["load", first, *rest, "at", hold]:
            return Load(in_order((first, *rest)), _parse_hold(hold))
        case ["load", first, *rest]:
            return Load(in_order((first, *rest)))
        case ["act", piggle, target]:
            return Act(piggle, target)
        case ["done"]:
            return Done()
        case _:
            raise SpecError(
                "an action",
                got=repr(text),
                remedy="load A1 A3, skip or concede; in Modern also act A1 B2 or done",
            )


def _hold_text(hold: CupHold) -> str:
    """Return a hold as `across,back,height` [m], to the last bit."""
    return ",".join(repr(float(part)) for part in (hold.across, hold.back, hold.height))


def _parse_hold(text: str) -> CupHold:
    try:
        across, back, height = (float(word) for word in text.split(","))
    except ValueError:
        raise SpecError(
            "three numbers of a hold", got=repr(text), remedy="across,back,height in metres"
        ) from None
    return CupHold(across=across, back=back, height=height)


def format_landing(landing: Landing) -> str:
    """Return a landing as text, such as `up@line:field/path+leaning`."""
    pose = "off" if landing.orientation is None else f"{landing.orientation}@{landing.zone}"
    leaning = "+leaning" if landing.leaning else ""
    stacked = "+stacked" if landing.stacked else ""
    return f"{pose}{leaning}{stacked}{format_place(landing.place)}"


def parse_landing(text: str) -> Landing:
    """Return the landing that `format_landing` wrote.

    Raises:
        SpecError: If the text is no landing.
    """
    match = _LANDING.fullmatch(text)
    if match is None or (match["pose"] == "off") != (match["zone"] is None):
        raise SpecError("a landing", got=repr(text), remedy="up@field:N, down@woods or off")
    off = match["zone"] is None
    if not off and match["zone"] not in set(Zone):
        raise SpecError("a zone", got=repr(match["zone"]), remedy=", ".join(Zone))
    return Landing(
        orientation=None if off else Orientation(match["pose"]),
        zone=Zone.OFF if off else Zone(match["zone"]),
        leaning=match["leaning"] is not None,
        stacked=match["stacked"] is not None,
        place=None if match["place"] is None else parse_place(match["place"]),
    )


def _side_words(seat: Seat, side: Side) -> Iterable[tuple[str, str]]:
    mud = (f"{e.piggle}@{e.round}{'!' if e.early else ''}" for e in side.mud)
    yield f"{seat}.pen", ",".join(side.pen)
    yield f"{seat}.cup", ",".join(side.cup)
    yield f"{seat}.mud", ",".join(mud)
    yield f"{seat}.kitchen", ",".join(side.kitchen)
    yield f"{seat}.charged", ",".join(side.charged)
    yield f"{seat}.late", ",".join(side.late)
    yield f"{seat}.score", str(side.score or "")
    yield f"{seat}.mud_bonuses", str(side.mud_bonuses or "")
    yield f"{seat}.kitchen_bonuses", str(side.kitchen_bonuses or "")


def _words(position: Position) -> Iterable[tuple[str, str]]:
    yield "round", str(position.round)
    yield "active", position.active
    yield "phase", position.phase
    for seat in BOARD_SEATS:
        yield from _side_words(seat, position.side(seat))
    yield "board", ";".join(f"{p}:{format_landing(landing)}" for p, landing in position.board)
    yield "credits", ",".join(f"{piggle}:{seat}" for piggle, seat in position.head_credits)
    yield "rerolls", str(position.rerolls or "")
    for seat in BOARD_SEATS:
        rolled = position.sudden.of(seat)
        yield f"sudden.{seat}", "" if rolled is None else format_landing(rolled)
    yield "sudden.rerolls", str(position.sudden.rerolls or "")
    result = position.result
    yield "result", "" if result is None else f"{result.winner or '-'}:{result.reason}"
    yield "captured", ",".join(position.captured)
    yield "shields", ",".join(_shield_text(shield) for shield in position.shields)
    yield "actors", ",".join(position.actors)
    yield "acted", ",".join(position.acted)
    act = position.pending
    yield "pending", "" if act is None else f"{act.piggle}:{act.target}"
    yield "hold", "" if position.hold is None else _hold_text(position.hold)


def _shield_text(shield: Shield) -> str:
    """Return a shield as `B2:A`, then `!` while its turn goes on and `*` once it was rolled."""
    return f"{shield.piggle}:{shield.by}{'!' if shield.fresh else ''}{'*' if shield.rolled else ''}"


def format_position(position: Position) -> str:
    """Return a position as one line of text."""
    return written(_words(position))


def parse_position(text: str) -> Position:
    """Return the position that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or a Piggle is
            in two places.
    """
    position = read_position(text)
    check_position(position)
    return position


def read_position(text: str) -> Position:
    """Return the position that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    return read_words(text, Position(), _READERS)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _mud(text: str) -> tuple[MudEntry, ...]:
    entries = []
    for word in _ids(text):
        match = _MUD.fullmatch(word)
        if match is None:
            raise ValueError(word)
        entries.append(
            MudEntry(piggle=match["piggle"], round=int(match["round"]), early=bool(match["early"]))
        )
    return tuple(entries)


def _board(text: str) -> tuple[tuple[str, Landing], ...]:
    pairs = (entry.partition(":") for entry in text.split(";"))
    return tuple((piggle, parse_landing(landing)) for piggle, _, landing in pairs)


def _credits(text: str) -> tuple[tuple[str, Seat], ...]:
    pairs = (entry.partition(":") for entry in _ids(text))
    return tuple((piggle, Seat(seat)) for piggle, _, seat in pairs)


def _shields(text: str) -> tuple[Shield, ...]:
    shields = []
    for word in _ids(text):
        match = _SHIELD.fullmatch(word)
        if match is None:
            raise ValueError(word)
        shields.append(
            Shield(
                piggle=match["piggle"],
                by=Seat(match["by"]),
                fresh=bool(match["fresh"]),
                rolled=bool(match["rolled"]),
            )
        )
    return tuple(shields)


def _act(text: str) -> Act:
    piggle, colon, target = text.partition(":")
    if not colon:
        raise ValueError(text)
    return Act(piggle, target)


def _result(text: str) -> Result:
    winner, _, reason = text.partition(":")
    return Result(winner=None if winner == "-" else Seat(winner), reason=Reason(reason))


_Reader = Callable[[Position, str], Position]


def _side_readers(seat: Seat) -> dict[str, _Reader]:
    """Return how to read the words of one player."""

    def put(change: Callable[[Side, str], Side]) -> _Reader:
        return lambda p, text: p.with_side(seat, change(p.side(seat), text))

    return {
        f"{seat}.pen": put(lambda side, text: replace(side, pen=_ids(text))),
        f"{seat}.cup": put(lambda side, text: replace(side, cup=_ids(text))),
        f"{seat}.mud": put(lambda side, text: replace(side, mud=_mud(text))),
        f"{seat}.kitchen": put(lambda side, text: replace(side, kitchen=_ids(text))),
        f"{seat}.charged": put(lambda side, text: replace(side, charged=_ids(text))),
        f"{seat}.late": put(lambda side, text: replace(side, late=_ids(text))),
        f"{seat}.score": put(lambda side, text: replace(side, score=int(text))),
        f"{seat}.mud_bonuses": put(lambda side, text: replace(side, mud_bonuses=int(text))),
        f"{seat}.kitchen_bonuses": put(lambda side, text: replace(side, kitchen_bonuses=int(text))),
    }


def _with_sudden(position: Position, sudden: Sudden) -> Position:
    return replace(position, sudden=sudden)


_READERS: dict[str, _Reader] = {
    "round": lambda p, text: replace(p, round=int(text)),
    "active": lambda p, text: replace(p, active=Seat(text)),
    "phase": lambda p, text: replace(p, phase=Phase(text)),
    **_side_readers(Seat.A),
    **_side_readers(Seat.B),
    "board": lambda p, text: replace(p, board=_board(text)),
    "credits": lambda p, text: replace(p, head_credits=_credits(text)),
    "rerolls": lambda p, text: replace(p, rerolls=int(text)),
    "sudden.A": lambda p, text: _with_sudden(p, replace(p.sudden, a=parse_landing(text))),
    "sudden.B": lambda p, text: _with_sudden(p, replace(p.sudden, b=parse_landing(text))),
    "sudden.rerolls": lambda p, text: _with_sudden(p, replace(p.sudden, rerolls=int(text))),
    "result": lambda p, text: replace(p, result=_result(text)),
    "captured": lambda p, text: replace(p, captured=_ids(text)),
    "shields": lambda p, text: replace(p, shields=_shields(text)),
    "actors": lambda p, text: replace(p, actors=_ids(text)),
    "acted": lambda p, text: replace(p, acted=_ids(text)),
    "pending": lambda p, text: replace(p, pending=_act(text)),
    "hold": lambda p, text: replace(p, hold=_parse_hold(text)),
}
