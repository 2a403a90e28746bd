"""Widgets of the full screen: the board, and the panel of score, areas, log and choices.

The board is seen from above. A character is half as wide as high, so it shows two squares, one
above the other.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from math import dist
from time import monotonic
from typing import Any

import numpy as np
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical, VerticalScroll
from textual.events import Click
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList, Static

from pigglesim.cup_motion import Pose
from pigglesim.landing import Landing, Seat
from pigglesim.match.runner import MatchEvent
from pigglesim.render.board import GROUNDS, region_kinds, take_cells
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.rotations import rotate
from pigglesim.scene.scene import Board, Cup
from pigglesim.table.layout import Part
from pigglesim.table.session import Session
from pigglesim.table.view import GameView, Line, Toggles, Tone, log_lines
from pigglesim.tui.felt import (
    areas_table,
    dice_text,
    landings_table,
    log_text,
    painted,
    score_table,
)
from pigglesim.tui.tokens import Token

_SKINS = {Seat.A: "#e59ab0", Seat.B: "#9bb7e8"}
"""Colours of Piggles without a livery: the owner's colour as a pig's skin."""

_CUP = "#6b4a32"
_CUP_INSIDE = "#2e2019"
_RIM = "#a9825c"
_RADIUS = 0.0125
"""Radius of the disc that represents a Piggle [m]: half its mean length."""
_NEAR = 0.5
"""Height at which a Piggle appears twice as large [m]."""
_LIT = ("#1a1a1a", "#ffd84d")
"""Text and background colour of a highlighted name."""
_SMALLEST_DISC = 1.6
"""Minimum disc radius [squares]; smaller discs would only blur the names."""


@lru_cache(maxsize=4096)
def _segment(
    text: str, ink: str | None = None, ground: str | None = None, *, bold: bool = False
) -> Segment:
    """Return a character with its colours; None means the terminal's default."""
    return Segment(text, Style(color=ink, bgcolor=ground, bold=bold))


class _Picture:
    """Grid of squares, each a colour index."""

    def __init__(self, board: Board, side: int) -> None:
        self.board, self.side = board, side
        self.colours = [ground for _, _, ground in GROUNDS.values()]
        kinds = region_kinds(board, side, side)
        self.squares = np.select([kinds == kind for kind in GROUNDS], range(len(GROUNDS)))
        self.middle = (np.arange(side) + 0.5 - side / 2) * board.size / side

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fill a disc [m]."""
        if colour not in self.colours:
            self.colours.append(colour)
        across = (self.middle[None, :] - x) ** 2
        down = (-self.middle[:, None] - y) ** 2
        self.squares[across + down <= radius * radius] = self.colours.index(colour)


def _draw_cup(picture: _Picture, cup: Cup, pose: Pose) -> None:
    """Draw the cup as a row of discs from its floor to its mouth, the nearer ones above."""
    position, orientation = np.array(pose[0]), np.array(pose[1])
    axis = rotate(orientation, np.array([0.0, 0.0, 1.0]))
    # Draw upwards: the last disc is the visible end.
    order = np.linspace(-0.5, 0.5, 9) if axis[2] >= 0.0 else np.linspace(0.5, -0.5, 9)
    for step in order:
        x, y, _ = position + step * cup.depth * axis
        mouth = abs(step - 0.5) < 1e-9
        picture.disc(x, y, cup.outer_radius, _RIM if mouth else _CUP)
        if mouth and axis[2] > 0.0:
            picture.disc(x, y, cup.inner_radius, _CUP_INSIDE)


def draw(
    board: Board,
    tokens: Sequence[Token],
    *,
    side: int,
    cup: tuple[Cup, Pose] | None = None,
    colours: bool = True,
) -> list[list[Segment]]:
    """Return the board as characters, North up: `side` columns (even), and half as many rows.

    The earlier of overlapping names is drawn. Without `colours` regions differ by texture.
    """
    picture = _Picture(board, side)
    if cup is not None:
        _draw_cup(picture, *cup)
    if _RADIUS / board.size * side >= _SMALLEST_DISC:
        for token in tokens:
            x, y, z = token.position
            radius = _RADIUS * (1.0 + max(z, 0.0) / _NEAR)
            picture.disc(x, y, radius, token.colour or _SKINS[token.seat])
    rows = _coloured(picture) if colours else _textured(picture)
    _name_sides(rows)
    taken: set[tuple[int, int]] = set()
    for token in tokens:
        _write(rows, picture, token, taken)
    return rows


def _coloured(picture: _Picture) -> list[list[Segment]]:
    colours = picture.colours
    pairs = {
        (top, bottom): _segment("▀", colours[top], colours[bottom])
        if top != bottom
        else _segment(" ", None, colours[top])
        for top in range(len(colours))
        for bottom in range(len(colours))
    }
    upper, lower = picture.squares[0::2].tolist(), picture.squares[1::2].tolist()
    return [
        [pairs[pair] for pair in zip(top, bottom, strict=True)]
        for top, bottom in zip(upper, lower, strict=True)
    ]


def _textured(picture: _Picture) -> list[list[Segment]]:
    textures = [_segment(texture) for texture, _, _ in GROUNDS.values()]
    other = _segment("o")
    return [
        [textures[kind] if kind < len(textures) else other for kind in row]
        for row in picture.squares[0::2].tolist()
    ]


def _name_sides(rows: list[list[Segment]]) -> None:
    for row, text in ((rows[0], " North · B "), (rows[-1], " South · A ")):
        for at, character in enumerate(text, start=(len(row) - len(text)) // 2):
            ground = _ground(row[at])
            row[at] = _segment(character, "#d9e6d9" if ground else None, ground)


def _ground(cell: Segment) -> str | None:
    return cell.style.bgcolor.name if cell.style and cell.style.bgcolor else None


def _write(
    rows: list[list[Segment]], picture: _Picture, token: Token, taken: set[tuple[int, int]]
) -> None:
    """Write a Piggle's name at its position, or in the nearest free cells."""
    x, y, _ = token.position
    left, right = token.lit or ("", "")
    text = f"{left}{token.name}{token.mark}{right}"
    at = x / picture.board.size, y / picture.board.size
    row, column = take_cells(at, len(text), columns=picture.side, rows=len(rows), taken=taken)
    style: tuple[str, ...] = _LIT if token.lit else ("#ffffff", OWNER_COLOURS[token.seat])
    if not _ground(rows[row][column]):
        style = ()
    for place, character in enumerate(text, start=column):
        rows[row][place] = _segment(character, *style, bold=True)


_SMALLEST_BOARD = 16
"""Minimum columns of a board that is drawn."""
_REACH = 0.03
"""Maximum distance from a click to its Piggle [m]: slightly more than a Piggle's length."""


def board_side(width: int, height: int) -> int:
    """Return the columns of the largest board that fits into this width and height."""
    return max(min(width, 2 * height) // 2 * 2, 2)


class Picked(Message):
    """Message that a Piggle on the board was clicked."""

    def __init__(self, piggle: str) -> None:
        super().__init__()
        self.piggle = piggle


class BoardWidget(Widget):
    """Board widget, seen from above."""

    def __init__(self, board: Board, *, colours: bool) -> None:
        super().__init__(id="board")
        self._board = board
        self._colours = colours
        self.tokens: tuple[Token, ...] = ()
        """Piggles shown."""
        self._cup: tuple[Cup, Pose] | None = None
        self._strips: list[Strip] = []

    def show(self, tokens: Sequence[Token], cup: tuple[Cup, Pose] | None = None) -> None:
        """Show Piggles, and the cup if it is given."""
        self.tokens, self._cup = tuple(tokens), cup
        self.on_resize()

    def on_click(self, event: Click) -> None:
        """Post the Piggle nearest to a click, if one is in reach."""
        side = board_side(self.size.width, self.size.height)
        x = ((event.x + 0.5) / side - 0.5) * self._board.size
        y = (0.5 - (2 * event.y + 1) / side) * self._board.size
        nearest = min(self.tokens, key=lambda token: dist(token.position[:2], (x, y)), default=None)
        if nearest is not None and dist(nearest.position[:2], (x, y)) <= _REACH:
            event.stop()
            self.post_message(Picked(nearest.name))

    def on_resize(self) -> None:
        """Redraw at the new size."""
        side = board_side(self.size.width, self.size.height)
        rows: list[list[Segment]] = []
        if side >= _SMALLEST_BOARD:
            rows = draw(self._board, self.tokens, side=side, cup=self._cup, colours=self._colours)
        self._strips = [Strip(row).simplify() for row in rows]
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, Style())


class Button(Static):
    """Clickable text that runs an action of the app or the page, as a key does."""

    def __init__(self, text: str, action: str, *, name: str) -> None:
        super().__init__(text, id=name, classes="button", markup=False)
        self._action = action

    async def on_click(self, event: Click) -> None:
        """Run the action."""
        event.stop()
        await self.run_action(self._action)


_MOST = 12
"""Maximum items shown; those after the ninth have no key and must be clicked."""

_TYPING = 1.5
"""Maximum time between two digits of one number [s]."""


class Choices(Vertical):
    """Choices of the player to move; hidden if there are none."""

    def __init__(self, view: GameView) -> None:
        super().__init__(id="choices")
        self._view = view
        self._toggles: Toggles | None = None
        self._legal: tuple[Any, ...] = ()
        self.chosen: set[str] = set()
        """Items put into the cup so far."""
        self._last: tuple[str, ...] = ()
        self._typed, self._typed_at = 0, 0.0
        """Number typed so far for an entry, and the time of its last digit."""

    def compose(self) -> ComposeResult:
        """Compose the widgets of both kinds of choice."""
        with Grid(id="chips"):
            for number in range(1, _MOST + 1):
                yield Button("", f"app.press('pick', {number})", name=f"chip-{number}")
        with Horizontal(id="acts"):
            yield Button("", "app.press('roll')", name="act-roll")
            yield Button("a All", "app.press('all')", name="act-all")
            yield Button("s Skip", "app.press('skip')", name="act-skip")
        menu = OptionList(id="menu", markup=False, compact=True)
        menu.can_focus = False
        yield menu

    @property
    def listed(self) -> bool:
        """True if the decision is one of a list."""
        return bool(self._legal) and self._toggles is None

    @property
    def marked(self) -> tuple[str, ...]:
        """Piggles that the marked entry of the list involves, the acting one first."""
        return self._view.involved(self.action) if self.listed else ()

    @property
    def pointed(self) -> tuple[str, ...]:
        """Piggle that acts in the marked entry, or the last one put into the cup."""
        return self.marked[:1] if self.listed else self._last

    def offer(self, state: object, legal: Sequence[Any], *, words: Sequence[str] = ()) -> None:
        """Offer the legal actions of a state, named by the view or `words`; none hides the list."""
        self.chosen.clear()
        self._last = ()
        self._typed = 0
        self._legal = tuple(legal)
        self._toggles = self._view.toggles(state, legal)
        menu = self.query_one(OptionList)
        menu.clear_options()
        if self._toggles is None:
            listed = [("", word) for word in words] or self._view.listed(state, self._legal)
            menu.add_options(
                f"{above}{number} {text}" for number, (above, text) in enumerate(listed, start=1)
            )
            menu.highlighted = 0 if words else self._view.default(state, self._legal)
        self._show()

    def pick(self, number: int) -> bool:
        """Toggle an item, or mark an entry of the list; return True if that was possible."""
        if self._toggles is None:
            return self._mark(number)
        items = self._toggles.items
        if number > len(items) or items[number - 1] not in self._toggles.free:
            return False
        self.chosen ^= {items[number - 1]}
        self._last = (items[number - 1],)
        self._show()
        return True

    def _mark(self, digit: int) -> bool:
        """Mark the entry of the typed number; digits far apart in time start a new number."""
        now = monotonic()
        longer = 10 * self._typed + digit if now - self._typed_at < _TYPING else digit
        number = longer if longer <= len(self._legal) else digit
        if not 1 <= number <= len(self._legal):
            return False
        self._typed, self._typed_at = number, now
        self.query_one(OptionList).highlighted = number - 1
        return True

    def pick_about(self, piggle: str) -> None:
        """Mark the next entry of the list that involves a Piggle, if there is any."""
        menu = self.query_one(OptionList)
        if self.listed:
            count, marked = len(self._legal), menu.highlighted
            first = 0 if marked is None else marked + 1
            after = [(first + step) % count for step in range(count)]
            matches = (k for k in after if piggle in self._view.involved(self._legal[k]))
            menu.highlighted = next(matches, marked)

    def pick_all(self, *, into: bool) -> None:
        """Select all items, or none."""
        if self._toggles is not None:
            self.chosen = set(self._toggles.free) if into else set()
            self._show()

    @property
    def action(self) -> Any:  # noqa: ANN401 (an action of the game)
        """Chosen action, or None if nothing is chosen."""
        if self._toggles is not None:
            return self._toggles.action(frozenset(self.chosen)) if self.chosen else None
        marked = self.query_one(OptionList).highlighted
        return None if marked is None else self._legal[marked]

    def _show(self) -> None:
        toggles = self._toggles
        self.display = bool(self._legal)
        self.query_one("#chips").display = self.query_one("#acts").display = toggles is not None
        self.query_one("#menu").display = toggles is None
        if toggles is None:
            return
        self.query_one("#chips").set_class(any(toggles.marks.values()), "-worn")
        chips = self.query_one("#chips").query(Button)
        for number, (chip, item) in enumerate(zip_longest(chips, toggles.items[:_MOST]), start=1):
            chip.display = item is not None
            if item is not None:
                inside, free = item in self.chosen, item in toggles.free
                mark = "●" if inside else "○" if free else "·"
                livery = toggles.marks.get(item, "")
                chip.update(f"{number}{mark}{item}{livery and ' '}{livery}")
                chip.set_class(inside, "-in")
                chip.set_class(not free, "-not")
        roll = self.query_one("#act-roll", Button)
        empty = f"choose by 1-{len(toggles.items)}" if toggles.free else "nothing to roll"
        roll.update(f"Enter Roll {len(self.chosen)}" if self.chosen else empty)
        self.query_one("#act-all").display = bool(toggles.free)
        roll.set_class(bool(self.chosen), "-in")


class TablePane(VerticalScroll, can_focus=False):
    """Cards, dice or a board of squares, drawn as text by the game's view."""

    def __init__(self) -> None:
        super().__init__(Static(id="felt"), id="board")

    def show(
        self, parts: Sequence[Part], faces: Sequence[int] = (), *, fresh: bool = False
    ) -> None:
        """Show a table, and dice by their faces: dimmed unless they are `fresh`."""
        table = painted(parts)
        dice = Text(f"\n{dice_text(faces)}" if faces else "", style="bold" if fresh else "dim")
        felt = self.query_one("#felt", Static)
        felt.set_class(bool(table.no_wrap), "-cut")
        felt.update(table.append("\n").append_text(dice))


_ROOMY = 26
"""Minimum rows at which everything fits at once."""


class SidePanel(Vertical):
    """Panel next to the board."""

    class Resized(Message):
        """Message that the width has changed, into which the tables must fit."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="side")
        self._session = session
        self._logged: object = None
        """Content of the log after the last scrolling."""

    def compose(self) -> ComposeResult:
        """Compose the panel."""
        yield Static(id="score")
        yield Static(id="areas")
        yield Static(id="lying")
        with VerticalScroll(id="log", can_focus=False):
            yield Static(id="log-text", markup=False)
            yield Static(id="log-turn", markup=False)
            yield Static(id="notes", markup=False)
        yield Static(id="effect", markup=False)
        yield Choices(self._session.view)
        yield Button("any key  Go on", "app.press('on')", name="go-on")

    def on_resize(self) -> None:
        """Report the new width; the first events are shown before there is any."""
        self._logged = None
        self.post_message(self.Resized())

    def show(
        self,
        events: Sequence[MatchEvent[Any]],
        state: object,
        landings: Sequence[tuple[str, Landing]],
        landings_state: object,
        *,
        fresh: Iterable[str],
        to_move: Seat | None,
        waits: bool,
        notes: Iterable[Line],
        pointed: Iterable[str],
        seen: int,
    ) -> None:
        """Show events and the state after them, Piggles on the board, and the log with notes.

        `landings` are those of a state, `landings_state`; `fresh` Piggles have just landed. The
        first of `pointed` with an effect is explained. With `waits` a key must be pressed. The log
        is scrolled to the first event that the person has not `seen`, if the rest does not fit.
        """
        view, session = self._session.view, self._session
        score = score_table(session, state, events, to_move=to_move, width=self.size.width)
        self.query_one("#score", Static).update(score)
        self.query_one("#areas", Static).update(areas_table(view, state))
        width = self.size.width
        on_board = self.query_one("#lying", Static)
        on_board.update(landings_table(session, landings, landings_state, fresh=fresh, width=width))
        on_board.display = session.board is not None
        # A long list needs the rows more than the areas; a landing or a hint, than the legend.
        tight = self.size.height < _ROOMY
        crowded = tight and (waits or self.query_one(Choices).listed)
        self.query_one("#areas").display = not crowded
        effects = (view.effects[piggle] for piggle in pointed if piggle in view.effects)
        effect = self.query_one("#effect", Static)
        effect.update(next(effects, view.legend))
        lines, new = log_lines(view, events[:seen]), log_lines(view, events[seen:])
        said = [*notes]
        spare = not tight or not (crowded or len(said) > 1 or new)
        effect.display = bool(view.legend) and spare and not session.over
        if session.saves.fault:
            said.append(Line(f"Not saved! {session.saves.fault}", Tone.END))
        for name, part in (("#log-text", lines), ("#log-turn", new), ("#notes", said)):
            self.query_one(name, Static).update(log_text(part))
            self.query_one(name).display = bool(part)
        self.query_one("#go-on").display = waits
        logged = (lines, new, said, waits, to_move)
        if logged != self._logged:
            # The first refresh gives the texts their heights, on which the next one depends.
            self.call_after_refresh(self.call_after_refresh, self._scroll_log)
        self._logged = logged

    def _scroll_log(self) -> None:
        """Scroll the log to the notes, or else to the new events, or else to its end."""
        log = self.query_one("#log", VerticalScroll)
        parts = [part for part in ("#notes", "#log-turn") if self.query_one(part).display]
        if parts:
            # The first of several notes, as the best action of a hint, stays in sight.
            log.scroll_to_widget(self.query_one(parts[0]), top=True, animate=False)
        else:
            log.scroll_end(animate=False)
        log.border_title = "PgUp PgDn" if log.max_scroll_y else ""
