"""A table without a board of Piggles, painted as text."""

from collections.abc import Sequence
from textwrap import fill

from rich.text import Text

from pigglesim.render.palette import OWNER_COLOURS, SEAT_COLOURS
from pigglesim.table.layout import Cards, Note, Part, Piece, Scale, Square, Squares

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
        scales_end = isinstance(before, Scale) != isinstance(part, Scale)
        if scales_end or _is_list(part) or (_is_heading(part) and not _of_player(before)):
            text.append("\n" if before else "")
        match part:
            case Squares():
                text.append_text(_board(part))
            case Cards():
                text.append_text(_lines(part) if _is_list(part) else _row(part))
            case Scale():
                text.append_text(_scale(part, scales))
            case Note():
                text.append_text(_note(part, None if flows else _WRAPPED))
        text.append("\n")
    text.rstrip()
    return text


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
    text.append(f"{scale.name:{max(len(each.name) for each in all_scales)}}", style)
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
