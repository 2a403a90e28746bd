"""The table painted as text: its parts, the score, the areas, the landings and the log."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from textwrap import fill
from typing import Any, TextIO

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pigglesim.games.game import Game
from pigglesim.landing import BOARD_SEATS, Landing, Seat
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import (
    OWNER_COLOURS,
    POSE_MARKS,
    SEAT_COLOURS,
    SHIELD_MARK,
    ZONE_NAMES,
    landing_points,
)
from pigglesim.scene.scene import Board
from pigglesim.table.layout import Cards, Note, Part, Piece, Piles, Scale, Square, Squares
from pigglesim.table.session import HUMAN, Session
from pigglesim.table.view import GameView, Line, Mark, Tone, make_view
from pigglesim.tui.board_text import board_view

_SQUARE = 5
"""Width of a square [characters]."""
_BAR = 20
"""Maximum length of a scale [characters]."""
_FACE_DOWN = "▒"
_WRAPPED = 45
"""Width of sentences where lines are cut: that of the table on the smallest screen."""


def painted(parts: Sequence[Part]) -> Text:
    """Return a table as text.

    Rows of cards are broken where a screen is narrow. Without any, lines are cut there: their
    numbers come first.
    """
    scales = [part for part in parts if isinstance(part, Scale)]
    flows = any(isinstance(part, Cards) and not _is_list(part) for part in parts)
    text = Text(no_wrap=not flows)
    for before, part in zip((None, *parts), parts, strict=False):
        if _stands_apart(part, before):
            text.append("\n")
        match part:
            case Squares():
                text.append_text(_board(part))
            case Cards():
                text.append_text(_lines(part) if _is_list(part) else _row(part))
            case Piles(counts=counts):
                piles = (f"{name} {count}" for name, count in counts)
                text.append(" · ".join([*piles, part.text]), "dim")
            case Scale():
                text.append_text(_scale(part, scales))
            case Note():
                text.append_text(_note(part, None if flows else _WRAPPED))
        text.append("\n")
    text.rstrip()
    return text


def _stands_apart(part: Part, before: Part | None) -> bool:
    """Return whether there is a blank line above a part."""
    if before is None:
        return False
    scales_end = isinstance(before, Scale) != isinstance(part, Scale)
    return scales_end or _is_list(part) or (_is_heading(part) and not _of_player(before))


def _is_list(part: Part) -> bool:
    return isinstance(part, Cards) and bool(part.columns)


def _is_heading(part: Part) -> bool:
    """Return whether a part begins what lies before a player."""
    return isinstance(part, Note) and part.seat is not None and bool(part.text)


def _of_player(part: Part | None) -> bool:
    return isinstance(part, Cards | Note) and part.seat is not None


def _bold(seat_of: Cards | Note) -> str:
    seat = seat_of.seat
    return f"bold {SEAT_COLOURS[seat]}" if seat else "bold"


def _board(board: Squares) -> Text:
    text = Text()
    for name, row in zip(board.rows, board.squares, strict=True):
        text.append(f"{name:>3} ", "dim")
        for square in row:
            text.append_text(_square(square))
        text.append("\n")
    names = "".join(name.center(_SQUARE) for name in board.columns)
    return text.append(f"    {names}", "dim")


def _square(square: Square) -> Text:
    """Return a space: a stack in its colours, a piece in brackets, or a dot."""
    if not square.pieces:
        return Text(("x" if square.marked else "·").center(_SQUARE), "dim")
    piece, *below = square.pieces
    if piece.seat is None:
        return Text(f"({piece.label})".center(_SQUARE), f"bold {piece.colour}")
    name = f"{piece.label}{',' if below else ''}".center(_SQUARE)
    cell = Text(name, f"bold #ffffff on {OWNER_COLOURS[piece.seat]}")
    cell.stylize("underline" if square.marked else "")
    return cell


def _row(cards: Cards) -> Text:
    text = Text(f"    {cards.name:<6}" if cards.seat else f"{cards.name}  ", _bold(cards))
    text.append(f"({cards.more} more) " if cards.more else "", "dim")
    gap = "  " if any(" " in card.label for card in cards.cards) else " "
    # Cards face down whose signs are shown, to those who watch.
    turned = [card for card in cards.cards if card.face_down and card.label.isalnum()]
    rest = [card for card in cards.cards if card not in turned]
    text.append_text(Text(gap).join(map(_card, rest)))
    if turned:
        text.append("  face down ", "dim").append_text(Text(gap).join(map(_card, turned)))
    return text.append(f"{' ' * bool(cards.cards)}{cards.note}" if cards.note else "", "dim")


def _card(card: Piece) -> Text:
    if card.face_down:
        return Text(_FACE_DOWN if card.label == "" else card.label, "dim")
    return Text(card.label, f"bold {card.colour}" if card.colour else "bold")


def _lines(cards: Cards) -> Text:
    """Return cards in lines, with their numbers in columns and their names last."""
    first = max(len(text) for text in (cards.name, *(card.label for card in cards.cards)))
    columns = [cards.columns, *(card.numbers for card in cards.cards)]
    widths = [max(2, *map(len, column)) for column in zip(*columns, strict=True)]

    def numbers(cells: Sequence[str]) -> str:
        words = [
            f" {cell:<{width}}" if width > len("needs") else f" {cell:>{width}}"
            for cell, width in zip(cells, widths, strict=True)
        ]
        return "".join(words)

    text = Text(f"{cards.name:<{first}}{numbers(cards.columns)}", _bold(cards))
    for card in cards.cards:
        style = f"bold {SEAT_COLOURS[card.seat]}" if card.seat else "bold"
        text.append(f"\n{card.label:<{first}}", style).append(f"{numbers(card.numbers)} ")
        text.append(card.words, "dim").append(f"\n  {card.note}" if card.note else "", "dim")
    return text


def _scale(scale: Scale, all_scales: Sequence[Scale]) -> Text:
    """Return a number as a bar; one above the end extends beyond it."""
    style = f"bold {SEAT_COLOURS[scale.seat]}" if scale.seat else "bold"
    text = Text("▸ " if scale.moves else "  ", "bold")
    name, note = (
        f"{getattr(scale, each):{max(len(getattr(other, each)) for other in all_scales)}}"
        for each in ("name", "note")
    )
    text.append(f"{name} {note}" if note else name, style)
    text.append(f" {_value(scale):>{max(3, *(len(_value(each)) for each in all_scales))}} ", "bold")
    length = min(_BAR, scale.high)
    whole, both = (
        round(length * number / scale.high) for number in (scale.value, scale.value + scale.gain)
    )
    text.append("█" * whole, "green").append("▒" * (both - whole), "yellow")
    return text.append("·" * (length - both), "dim")


def _value(scale: Scale) -> str:
    return f"{scale.value} + {scale.gain}" if scale.gain else str(scale.value)


def _note(note: Note, width: int | None) -> Text:
    lead = "> " if note.moves else "  " if note.seat and note.text else ""
    gap = " " * 3 if note.seat and note.text else ""
    line = f"{lead}{note.strong}{gap}{note.text}"
    text = Text(line if width is None else fill(line, width), "dim")
    text.stylize(_bold(note), 0, len(lead + note.strong))
    return text


_WIDE = 76
"""Minimum width at which colours and runes are also named in words [characters]."""
_TONES = {
    Tone.TURN: "bold",
    Tone.ROLL: "",
    Tone.SCORE: "bold #d9a520",
    Tone.MOVE: "dim",
    Tone.NOTE: "italic #5fafaf",
    Tone.END: "bold reverse",
}


_LEAST_ROUNDS = 3
"""Rounds whose points stay next to long names."""


def _short(name: str) -> str:
    """Return a player's name without what all names share, and without its place."""
    return name.removeprefix("Player ").split(" (")[0]


def score_table(
    session: Session,
    state: object,
    events: Sequence[MatchEvent[Any]],
    *,
    to_move: Seat | None,
    width: int,
) -> Table:
    """Return the score by round and the player at each seat, with the player to move highlighted.

    Where `width` characters are too few for all, players have short names, and then rounds to come
    and the earliest ones are left out; longer names of agents are cut.
    """
    view, scores = session.view, session.game.scores(state)
    columns = list(view.columns(state))
    points = view.points(events) if columns else {}
    names = dict(view.names)
    agents = {seat: agent.name if agent else HUMAN for seat, agent in session.agents.items()}

    def missing() -> int:
        """Return how many characters the widest name lacks."""
        longest = max(len(f"  {names[seat]} {agents[seat]}") for seat in names)
        return longest - (width - 3 * len(columns) - len(" now"))

    if missing() > 0:
        names = {seat: _short(name) for seat, name in names.items()}
    while missing() > 0 and len(columns) > _LEAST_ROUNDS:
        played = any((columns[-1], seat) in points for seat in names)
        columns.pop(0 if played else -1)
    room = max(width - 3 * len(columns) - len(" now"), 9)
    title = f"  score by {view.round_name}" if columns else "  score"
    if len(title) > room:
        title = f"  by {view.round_name}"
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(title, no_wrap=True, overflow="ellipsis", max_width=room)
    for name in columns:
        table.add_column(name, justify="right", min_width=2, no_wrap=True)
    table.add_column("now", justify="right", style="bold", no_wrap=True)
    for seat, player in names.items():
        cells = [str(points.get((name, seat), "")) for name in columns]
        label = Text("> " if seat is to_move else "  ", style=f"bold {SEAT_COLOURS[seat]}")
        label.append(player).append(f" {agents[seat]}", style="not bold dim")
        table.add_row(label, *cells, str(scores[seat]))
    return table


def areas_table(
    view: GameView, state: object, *, scores: Mapping[Seat, int] | None = None
) -> Table:
    """Return the areas next to the board, one column per player, below their scores if given."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, expand=True)
    table.add_column("", style="dim", no_wrap=True)
    for seat, player in view.names.items():
        name = Text(player.removeprefix("Player "), no_wrap=True, overflow="ellipsis")
        table.add_column(name, ratio=1, header_style=f"bold {SEAT_COLOURS[seat]}")
    if scores is not None:
        table.add_row("points", *(Text(str(scores[seat]), style="bold") for seat in view.names))
    for area in view.areas(state):
        table.add_row(area.name, *(area.content[seat] for seat in view.names))
    return table


def landings_table(
    session: Session,
    landings: Iterable[tuple[str, Landing]],
    state: object,
    *,
    fresh: Iterable[str] = (),
    width: int = 0,
) -> Table:
    """Return the Piggles on the board with orientation, zone and points; one column per player.

    Names of `fresh` Piggles are underlined. If `width` characters allow it, colours and runes are
    also named in words.
    """
    new, wide, marks = set(fresh), width >= _WIDE, session.marks(state)
    own: dict[Seat, list[tuple[str, Landing]]] = {seat: [] for seat in BOARD_SEATS}
    for piggle, landing in sorted(landings):
        own[session.view.player_of(state, piggle)].append((piggle, landing))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, expand=True)
    for seat in BOARD_SEATS:
        title = f"on the board: {sum(landing_points(landing) for _, landing in own[seat])}"
        table.add_column(title, ratio=1, no_wrap=True, header_style=f"bold {SEAT_COLOURS[seat]}")
    cells: list[list[Text]] = [
        [
            _cell(piggle, landing, marks.get(piggle), seat, fresh=piggle in new, wide=wide)
            for piggle, landing in own[seat]
        ]
        for seat in BOARD_SEATS
    ]
    for row in zip_longest(*cells, fillvalue=Text()):
        table.add_row(*row)
    return table


def _cell(
    piggle: str, landing: Landing, mark: Mark | None, seat: Seat, *, fresh: bool, wide: bool
) -> Text:
    mark = mark or Mark()
    name = Text(piggle, style=f"bold #ffffff on {OWNER_COLOURS[seat]}")
    name.stylize("underline" if fresh else "")
    shield = SHIELD_MARK if mark.shielded else " "
    pose = POSE_MARKS[landing.orientation] if landing.orientation else " "
    leans = "~" if landing.leaning or landing.stacked else " "
    text = Text(f"{mark.worn}{shield}{pose}{leans}{ZONE_NAMES[landing.zone]:<10} ")
    text.append(f"{landing_points(landing) or '':>1}", style="bold")
    text.append(f" {mark.words}" if wide and mark.words else "", style="dim")
    return name.append_text(text)


def log_text(lines: Iterable[Line]) -> Text:
    """Return log lines as one text."""
    text = Text()
    for number, line in enumerate(lines):
        style = _TONES[line.tone]
        if line.tone is Tone.TURN and line.seat is not None:
            style = f"bold {SEAT_COLOURS[line.seat]}"
        text.append(("\n" if number else "") + line.text, style=style)
    return text


_ROWS = (("23456", "", "456"), ("6", "135", "6"), ("456", "", "23456"))
"""Faces with a pip, for each of the nine positions."""


def dice_text(faces: Sequence[int]) -> str:
    """Return dice with their pips, side by side, five lines high."""
    rows = ["  ".join("┌───────┐" for _ in faces)]
    for row in _ROWS:
        cells = (" ".join("●" if str(face) in pips else " " for pips in row) for face in faces)
        rows.append("  ".join(f"│ {cell} │" for cell in cells))
    rows.append("  ".join("└───────┘" for _ in faces))
    return "\n".join(f"  {row}" for row in rows)


_STATE_WIDTH = 100
"""Width of the text of a state [columns]."""


def print_state(
    game: Game[Any, Any],
    state: Any,  # noqa: ANN401 (of any game)
    board: Board | None,
    *,
    heading: str,
    caption: str,
    file: TextIO | None,
) -> None:
    """Print a state under a heading and a caption, on a board if the game has one.

    A `file` receives text without colours; None prints to standard output.
    """
    view = make_view(game)
    if board is None:
        table: RenderableType = painted(view.table(state, None) or ())
    else:
        areas = areas_table(view, state, scores=game.scores(state))
        landings, worn = view.landings(state), view.worn(state)
        table = board_view(board, landings, width=_STATE_WIDTH, below=areas, worn=worn)
    console = Console(file=file, width=_STATE_WIDTH, highlight=False)
    console.print(Group(Text(heading), Text(caption), table))
