"""Panels, buttons and the time bar over the picture, in pixels from its upper left corner."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pigglesim.films.playback import FilmPlayback
from pigglesim.landing import Seat
from pigglesim.render.lettering import (
    Item,
    PanelBox,
    Plate,
    Text,
    cut,
    line_height,
    plate_of,
    text_width,
    wrapped,
)
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.render.playlist import Scoreboard

INK, SOFT, PAPER, DARK, GOLD = "#2d2621", "#7b7067", "#fffdf8", "#2d2621", "#c98a1b"
_MARGIN, _PAD, _GAP = 14, 10, 6
_TEXT, _SMALL, _TITLE = 14, 12, 16
_SCORE_WIDTH, _READING_WIDTH, _NAME_WIDTH = 344, 300, 62
_BAR_HEIGHT, _BAR_LEFT, _BAR_RIGHT = 44, 190, 150
_BUTTON_HEIGHT = line_height(_TEXT) + 8
_MOST_STORY = 9
"""Maximum lines shown of a story: the last ones."""


@dataclass(slots=True, kw_only=True)
class Sheet:
    """Panels and texts over one picture, in drawing order."""

    size: tuple[int, int]
    """Width and height of the window [pixels]."""
    groups: list[list[Item]] = field(default_factory=list)
    """Items drawn together, such as a panel with its contents."""
    areas: list[tuple[str, PanelBox]] = field(default_factory=list)
    """Clickable areas with their actions; later ones are on top."""

    def area_at(self, x: float, y: float) -> str | None:
        """Return the action of a click there; the name of a panel without an action is empty."""
        found = (name for name, box in reversed(self.areas) if box.holds(x, y))
        return next(found, None)

    def fitting(self, width: int) -> int:
        """Return a width that fits into the window [pixels]."""
        return min(width, self.size[0] - 2 * _MARGIN)

    def add(self, *items: Item) -> None:
        """Add items to the last group."""
        self.groups[-1] += items

    def begin(self, *items: Item) -> None:
        """Begin another group."""
        self.groups.append(list(items))

    def panel(
        self, x: int, y: int, width: int, rows: "Sequence[Row]", *, alpha: float = 0.88
    ) -> int:
        """Begin a panel of rows with a thin outline; clicks do not pass through it.

        Returns:
            Lower edge of the panel [pixels].
        """
        height = 2 * _PAD + sum(row.height for row in rows)
        edge = PanelBox(
            x=x - 1, y=y - 1, width=width + 2, height=height + 2, colour=SOFT, alpha=0.35
        )
        body = PanelBox(x=x, y=y, width=width, height=height, colour=PAPER, alpha=alpha)
        self.begin(edge, body)
        self.areas.append(("", body))
        top = y + _PAD
        for row in rows:
            for left, text, look in row.texts:
                self.write(x + _PAD + left, top, text, look)
            for left, button in row.buttons:
                self._button(x + _PAD + left, top, button)
            top += row.height
        return y + height

    def write(self, x: int, y: int, text: str, look: "Look") -> None:
        """Add a line of text to the last group."""
        self.add(Text(x=x, y=y, text=text, size=look.size, colour=look.colour, bold=look.bold))

    def _button(self, x: int, y: int, button: "PanelButton") -> None:
        ground = DARK if button.lit else "#e9e1d3"
        ink = PAPER if button.lit else SOFT if button.off else INK
        width = _button_width(button.text)
        box = PanelBox(x=x, y=y, width=width, height=_BUTTON_HEIGHT, colour=ground, radius=3)
        self.add(box)
        self.write(x + 9, y + 6, button.text, Look(colour=ink))
        self.areas.append(("" if button.off else button.name, box))

    @property
    def texts(self) -> list[str]:
        """All lines of text, in order."""
        return [item.text for group in self.groups for item in group if isinstance(item, Text)]

    @property
    def plates(self) -> list[Plate]:
        """One plate per group, in order."""
        return [plate_of(group) for group in self.groups if group]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Size, colour and weight of text."""

    size: int = _SMALL
    colour: str = INK
    bold: bool = False


_PLAIN, _FAINT, _HEAD = Look(), Look(colour=SOFT), Look(size=_TITLE, bold=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelButton:
    """A clickable button."""

    text: str
    name: str
    """Action of a click on it."""
    lit: bool = False
    off: bool = False
    """True if it is disabled."""


def _button_width(text: str) -> int:
    return text_width(text, _SMALL) + 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Texts and buttons side by side in a panel, each with its distance from the left."""

    height: int
    """Height of the row [pixels]."""
    texts: Sequence[tuple[int, str, Look]] = ()
    buttons: Sequence[tuple[int, PanelButton]] = ()


def _row(text: str, look: Look = _PLAIN, *, within: int | None = None) -> Row:
    """Return a row of one text, cut to a maximum width [pixels]."""
    shown = text if within is None else cut(text, look.size, within, bold=look.bold)
    return Row(height=line_height(look.size), texts=[(0, shown, look)])


def _gap(height: int) -> Row:
    return Row(height=height)


def _story(texts: Sequence[str], width: int, look: Look = _PLAIN) -> list[Row]:
    """Return the last lines of some sentences."""
    lines = [line for text in texts for line in wrapped(text, look.size, width)]
    return [_row(line, look) for line in lines[-_MOST_STORY:]]


def add_score(sheet: Sheet, title: str, score: Scoreboard | None, story: Sequence[str]) -> int:
    """Add the title, the score of the match and the story, at the upper left.

    Returns:
        Lower edge of the panel [pixels].
    """
    width = sheet.fitting(_SCORE_WIDTH)
    inner = width - 2 * _PAD
    rows = [_row(title, _HEAD, within=inner)]
    if score:
        rows.append(_row(score.heading, _FAINT, within=inner))
        column = (inner - _NAME_WIDTH) // 2
        for number, row in enumerate(score.rows):
            texts = [(0, row.name, _FAINT)]
            for left, (seat, text) in zip((0, column), row.cells, strict=False):
                look = Look(colour=OWNER_COLOURS[seat] if seat else INK)
                texts.append((_NAME_WIDTH + left, cut(text, _SMALL, column - _GAP), look))
            if number == 0:
                rows.append(_gap(_GAP))
            rows.append(Row(height=line_height(_TEXT), texts=texts))
    if told := _story(story, inner):
        rows += [_gap(_GAP), *told]
    return sheet.panel(_MARGIN, _MARGIN, width, rows)


def add_reading(sheet: Sheet, title: str, rows: Sequence[tuple[str, str]], colour: str) -> None:
    """Add the full reading of one Piggle at the upper right."""
    width = sheet.fitting(_READING_WIDTH)
    lines = [_row(title, _HEAD), _gap(4)]
    for name, text in rows:
        for number, line in enumerate(wrapped(text, _SMALL, width - 2 * _PAD - 92) or [""]):
            names = [] if number else [(2, name, _FAINT)]
            height = line_height(_SMALL) + 1
            lines.append(Row(height=height, texts=[*names, (94, line, _PLAIN)]))
    x = sheet.size[0] - width - _MARGIN
    low = sheet.panel(x, _MARGIN, width, lines)
    sheet.add(PanelBox(x=x, y=_MARGIN, width=4, height=low - _MARGIN, colour=colour))


def add_help(sheet: Sheet, columns: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Add the page of keys over everything, in columns; a heading has no second text."""
    width, height = sheet.size
    count = max(len(column) for column in columns)
    size = max(min(13, (height - 90) // max(count, 1) * 10 // 14), 8)
    each = min((width - 2 * _MARGIN - 2 * _PAD) // len(columns), 34 * size)
    rows: list[list[tuple[int, str, Look]]] = [[] for _ in range(count)]
    for number, column in enumerate(columns):
        left, right = number * each, number * each + round(10.5 * size)
        for row, (shown, does) in zip(rows, column, strict=False):
            colour = INK if does else GOLD
            row.append((left, shown, Look(size=size, bold=True, colour=colour)))
            row.append((right, cut(does, size, left + each - right - 8), Look(size=size)))
    box_width = each * len(columns) + 2 * _PAD
    box_height = count * round(1.4 * size) + 2 * _PAD
    x, y = (width - box_width) // 2, max((height - _BAR_HEIGHT - box_height) // 2, 4)
    lines = [Row(height=round(1.4 * size), texts=row) for row in rows]
    sheet.panel(x, y, box_width, lines, alpha=0.97)
    sheet.areas.append(("clear", sheet.areas[-1][1]))


def add_buttons(
    sheet: Sheet, top: int, guide: str, rows: Sequence[Sequence[PanelButton]], notes: Sequence[str]
) -> None:
    """Add a person's options at the left: a sentence, notes such as a hint, rows of buttons."""
    width = sheet.fitting(_SCORE_WIDTH)
    inner = width - 2 * _PAD
    lines = [_row(line) for line in wrapped(guide, _SMALL, inner)]
    lines += [*_story(notes, inner, Look(colour=OWNER_COLOURS[Seat.B])), _gap(4)]
    for row in rows:
        left, buttons = 0, []
        for button in row:
            shown = replace(button, text=cut(button.text, _SMALL, inner - 18))
            buttons.append((left, shown))
            left += _button_width(shown.text) + _GAP
        lines.append(Row(height=_BUTTON_HEIGHT + _GAP, buttons=buttons))
    sheet.panel(_MARGIN, top + _MARGIN // 2, width, lines)


def add_name(sheet: Sheet, x: int, y: int, name: str, colour: str) -> None:
    """Add a name in its owner's colour, with the middle of its upper edge at a pixel."""
    sheet.begin()
    look = Look(colour=colour, bold=True)
    sheet.write(x - text_width(name, _SMALL, bold=True) // 2, y, name, look)


def add_notice(sheet: Sheet, text: str) -> None:
    """Add one sentence above the time bar."""
    row = _row(text, within=sheet.size[0] - 4 * _MARGIN)
    width = text_width(row.texts[0][1], _SMALL) + 2 * _PAD
    x, y = (sheet.size[0] - width) // 2, sheet.size[1] - _BAR_HEIGHT - row.height - 2 * _PAD - 8
    sheet.panel(x, y, width, [row])


def _track(size: tuple[int, int]) -> PanelBox:
    width, height = size
    left, right = (_BAR_LEFT, _BAR_RIGHT) if width > 560 else (60, 20)
    return PanelBox(
        x=left, y=height - _BAR_HEIGHT + 18, width=max(width - left - right, 40), height=8,
        colour=SOFT, alpha=0.35,
    )  # fmt: skip


def bar_share(x: float, size: tuple[int, int]) -> float:
    """Return the share of the roll before a pixel of the bar, in 0..1."""
    track = _track(size)
    return min(max((x - track.x) / track.width, 0.0), 1.0)


def add_bar(sheet: Sheet, clock: FilmPlayback, now: float, place: str) -> None:
    """Add the time bar along the lower edge: play, a track with the contacts, speed, roll.

    Args:
        sheet: Sheet to add to.
        clock: Playback state of the film.
        now: External time [s].
        place: Number of the roll, such as `2 of 3`; empty for the only one.
    """
    film, time, playing = clock.film, clock.time(now), clock.playing and not clock.over(now)
    width, height = sheet.size
    top, track = height - _BAR_HEIGHT, _track(sheet.size)
    span = max(film.end - film.start, 1e-9)

    def along(moment: float) -> int:
        return track.x + round(track.width * (moment - film.start) / span)

    ground = PanelBox(x=0, y=top, width=width, height=_BAR_HEIGHT, colour=PAPER, alpha=0.88)
    play = PanelBox(x=_MARGIN, y=top + 8, width=30, height=28, colour=DARK, radius=3)
    grip = PanelBox(x=track.x - 8, y=top, width=track.width + 16, height=_BAR_HEIGHT, colour=PAPER)
    sheet.areas += [("", ground), ("play", play), ("bar", grip)]
    sheet.begin(ground, play, track)
    knocked = {knock.struck for knock in film.knocks}
    for hit in film.impacts:
        colour = OWNER_COLOURS[Seat.A] if hit.struck in knocked else GOLD
        sheet.add(PanelBox(x=along(hit.time) - 1, y=track.y - 5, width=3, height=18, colour=colour))
    # The changing parts form their own group, so that only they are redrawn.
    done = along(time) - track.x
    sheet.begin(PanelBox(x=track.x, y=track.y, width=done, height=8, colour=INK, alpha=0.6))
    sheet.begin(PanelBox(x=along(time) - 4, y=track.y - 5, width=8, height=18, colour=DARK))
    sheet.begin()
    sheet.write(play.x + 9, play.y + 4, "‖" if playing else "▶", Look(size=_TEXT, colour=PAPER))
    if track.x == _BAR_LEFT:
        speed = f"{Fraction(clock.speed)}x{' ∞' if clock.loop else ''}"
        for x, text, look in (
            (_MARGIN + 42, f"{time - film.start:.2f} / {span:.2f} s", _PLAIN),
            (width - _BAR_RIGHT + 14, speed, Look(bold=True)),
            (width - _BAR_RIGHT + 70, place, _FAINT),
        ):
            sheet.begin()
            sheet.write(x, top + 13, text, look)
