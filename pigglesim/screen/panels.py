"""What is told beside the board, as tables of text: both front ends show the same."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import (
    OWNER_COLOURS,
    POSE_MARKS,
    SEAT_COLOURS,
    SHIELD_MARK,
    ZONE_NAMES,
    landing_points,
)
from pigglesim.rolls import BOARD_SEATS, Landing, Seat
from pigglesim.screen.family import Family, Line, Mark, Tone

__all__ = ["areas_table", "chronicle", "log_text", "lying_table", "score_table"]

_WIDE = 76
"""From this width on colours and runes are told in words beside their signs."""
_TONES = {
    Tone.TURN: "bold",
    Tone.ROLL: "",
    Tone.SCORE: "bold #d9a520",
    Tone.MOVE: "dim",
    Tone.NOTE: "italic #5fafaf",
    Tone.END: "bold reverse",
}


def _name(name: str, seat: Seat, *, marked: bool = False) -> Text:
    return Text(("> " if marked else "  ") + name, style=f"bold {SEAT_COLOURS[seat]}")


def score_table(
    family: Family,
    state: object,
    events: Sequence[MatchEvent[Any]],
    *,
    to_move: Seat | None,
    scores: Mapping[Seat, int],
    agents: Mapping[Seat, str],
    width: int,
) -> Table:
    """Return points by round, the player to move pointed out, and who plays at each seat.

    Args:
        family: How the game shows itself.
        state: The position.
        events: All that led to it.
        to_move: Whom to point out.
        scores: The points now.
        agents: Who plays at each seat.
        width: Characters in a line: what has no room is cut from the names.
    """
    points = family.points(events)
    columns = family.columns(state)
    room = max(width - 3 * len(columns) - len(" now"), 9)
    title = "  points by round" if columns else "  points"
    if len(title) > room:
        title = "  by round"
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(title, no_wrap=True, overflow="ellipsis", max_width=room)
    for name in columns:
        table.add_column(name, justify="right", min_width=2, no_wrap=True)
    table.add_column("now", justify="right", style="bold", no_wrap=True)
    for seat, called in family.names.items():
        cells = [str(points.get((name, seat), "")) for name in columns]
        who = _name(called, seat, marked=seat is to_move).append(
            f" {agents[seat]}", style="not bold dim"
        )
        table.add_row(who, *cells, str(scores[seat]))
    return table


def areas_table(family: Family, state: object) -> Table:
    """Return what the players have beside the board, each in a column."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, expand=True)
    table.add_column("", style="dim", no_wrap=True)
    for seat in family.names:
        table.add_column(seat.value, ratio=1, header_style=f"bold {SEAT_COLOURS[seat]}")
    for area in family.areas(state):
        table.add_row(area.name, *(area.held[seat] for seat in family.names))
    return table


def lying_table(
    lying: Iterable[tuple[str, Landing]],
    *,
    player_of: Callable[[str], Seat],
    marks: Mapping[str, Mark],
    fresh: Iterable[str] = (),
    width: int = 0,
) -> Table:
    """Return who lies on the board, each with pose, zone and what it pays; a player a column.

    Args:
        lying: Every Piggle on the board, by id.
        player_of: Who plays a Piggle now.
        marks: What each wears and bears.
        fresh: Those just rolled: their names are underlined.
        width: Characters in a line: where there is room, colours and runes are told in words too.
    """
    new, wide = set(fresh), width >= _WIDE
    own: dict[Seat, list[tuple[str, Landing]]] = {seat: [] for seat in BOARD_SEATS}
    for piggle, landing in sorted(lying):
        own[player_of(piggle)].append((piggle, landing))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, expand=True)
    for seat in BOARD_SEATS:
        title = f"on the board: {sum(landing_points(landing) for _, landing in own[seat])}"
        table.add_column(title, ratio=1, no_wrap=True, header_style=f"bold {SEAT_COLOURS[seat]}")
    cells = [
        [
            _lies(piggle, at, marks.get(piggle, Mark()), seat, fresh=piggle in new, wide=wide)
            for piggle, at in own[seat]
        ]
        for seat in BOARD_SEATS
    ]
    for row in range(max(len(each) for each in cells)):
        table.add_row(*(each[row] if row < len(each) else "" for each in cells))
    return table


def _lies(
    piggle: str, landing: Landing, mark: Mark, seat: Seat, *, fresh: bool, wide: bool
) -> Text:
    name = Text(piggle, style=f"bold #ffffff on {OWNER_COLOURS[seat]}")
    name.stylize("underline" if fresh else "")
    shield = SHIELD_MARK if mark.shielded else " "
    pose = POSE_MARKS[landing.orientation] if landing.orientation else " "
    leans = "~" if landing.leaning or landing.stacked else " "
    words = Text(f"{mark.worn}{shield}{pose}{leans}{ZONE_NAMES[landing.zone]:<10} ")
    words.append(f"{landing_points(landing) or '':>1}", style="bold")
    words.append(f" {mark.words}" if wide and mark.words else "", style="dim")
    return name.append_text(words)


def chronicle(family: Family, events: Iterable[MatchEvent[Any]]) -> list[Line]:
    """Return the whole story so far."""
    return [line for event in events for line in family.story(event)]


def log_text(lines: Iterable[Line]) -> Text:
    """Return lines of the log as one text."""
    text = Text()
    for number, line in enumerate(lines):
        style = _TONES[line.tone]
        if line.tone is Tone.TURN and line.seat is not None:
            style = f"bold {SEAT_COLOURS[line.seat]}"
        text.append(("\n" if number else "") + line.text, style=style)
    return text
