"""What is written over the picture and where: panels, labels, buttons, the bar of time.

All in pixels from the upper left corner of the window, worked out from plain values; nothing here
draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from pigglesim.landing import Seat
from pigglesim.render.lettering import Plate, line_height, text_picture, text_width, wrapped
from pigglesim.render.palette import OWNER_COLOURS, srgb
from pigglesim.render.playlist import Scoreboard
from pigglesim.rotations import Array

INK, SOFT, PAPER, DARK, GOLD = "#2d2621", "#7b7067", "#fffdf8", "#2d2621", "#c98a1b"
_MARGIN, _PAD = 14, 10
_TEXT, _SMALL, _TITLE = 14, 12, 16
_SCORE_WIDTH, _READING_WIDTH, _NAME_WIDTH = 344, 300, 62
_BAR_HEIGHT, _BAR_LEFT, _BAR_RIGHT = 44, 190, 150
_MOST_STORY = 9
"""Lines of a story that are shown at most: the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelBox:
    """A rectangle of one colour."""

    x: int
    y: int
    width: int
    height: int
    colour: str
    alpha: float = 1.0

    def holds(self, x: float, y: float) -> bool:
        """Return whether a pixel lies in it."""
        return 0 <= x - self.x < self.width and 0 <= y - self.y < self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One line of letters; x and y are its upper left corner."""

    x: int
    y: int
    text: str
    size: int = _TEXT
    colour: str = INK
    bold: bool = False


@dataclass(slots=True, kw_only=True)
class Sheet:
    """Everything over one picture, in the order in which it is drawn."""

    size: tuple[int, int]
    """Width and height of the window."""
    groups: list[list[PanelBox | Text]] = field(default_factory=list)
    """What is drawn together, such as a panel with all that is on it."""
    areas: list[tuple[str, PanelBox]] = field(default_factory=list)
    """What can be clicked, by what it does; later ones lie above."""

    def area_at(self, x: float, y: float) -> str | None:
        """Return what a click does there; the name of a panel that only hides is empty."""
        found = (name for name, box in reversed(self.areas) if box.holds(x, y))
        return next(found, None)

    def begin(self) -> None:
        """Begin another group."""
        self.groups.append([])

    def add(self, *items: PanelBox | Text) -> None:
        """Add to the group."""
        self.groups[-1] += items

    def panel(self, x: int, y: int, width: int, height: int, *, alpha: float = 0.88) -> None:
        """Begin a panel with a hair-line around it; clicks do not go through it."""
        self.begin()
        edge = PanelBox(
            x=x - 1, y=y - 1, width=width + 2, height=height + 2, colour=SOFT, alpha=0.35
        )
        body = PanelBox(x=x, y=y, width=width, height=height, colour=PAPER, alpha=alpha)
        self.add(edge, body)
        self.areas.append(("", body))

    def write(
        self,
        x: int,
        y: int,
        text: str,
        *,
        size: int = _TEXT,
        colour: str = INK,
        bold: bool = False,
    ) -> None:
        """Add a line of letters."""
        self.add(Text(x=x, y=y, text=text, size=size, colour=colour, bold=bold))

    @property
    def texts(self) -> list[str]:
        """Every line of letters, in order."""
        return [item.text for group in self.groups for item in group if isinstance(item, Text)]


def add_score(sheet: Sheet, title: str, score: Scoreboard | None, story: Sequence[str]) -> int:
    """Add what is shown, how the match stands and what has happened, at the upper left.

    Returns:
        How far down it reaches [pixels].
    """
    width = min(_SCORE_WIDTH, sheet.size[0] - 2 * _MARGIN)
    inner = width - 2 * _PAD
    told = [line for text in story for line in wrapped(text, _SMALL, inner)][-_MOST_STORY:]
    rows = score.rows if score else ()
    heading = [score.heading] if score else []
    height = 2 * _PAD + line_height(_TITLE) + len(heading) * line_height(_SMALL)
    height += len(rows) * line_height(_TEXT) + len(told) * line_height(_SMALL)
    height += 6 * (bool(rows) + bool(told))
    x, y = _MARGIN, _MARGIN
    sheet.panel(x, y, width, height)
    y += _PAD
    sheet.write(x + _PAD, y, _cut(title, _TITLE, inner, bold=True), size=_TITLE, bold=True)
    y += line_height(_TITLE)
    for text in heading:
        sheet.write(x + _PAD, y, _cut(text, _SMALL, inner), size=_SMALL, colour=SOFT)
        y += line_height(_SMALL)
    if rows:
        y += 6
    columns = (x + _PAD + _NAME_WIDTH, x + _PAD + _NAME_WIDTH + (inner - _NAME_WIDTH) // 2)
    for row in rows:
        sheet.write(x + _PAD, y, row.name, size=_SMALL, colour=SOFT)
        for left, (seat, text) in zip(columns, row.cells, strict=False):
            colour = OWNER_COLOURS[seat] if seat else INK
            cut = _cut(text, _SMALL, (inner - _NAME_WIDTH) // 2 - 6)
            sheet.write(left, y, cut, size=_SMALL, colour=colour)
        y += line_height(_TEXT)
    if told:
        y += 6
    for text in told:
        sheet.write(x + _PAD, y, text, size=_SMALL)
        y += line_height(_SMALL)
    return _MARGIN + height


def _cut(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return a text that is no wider than asked, with an ellipsis where it was cut."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(f"{text}…", size, bold=bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What the bar of time shows."""

    start: float
    """[s]"""
    end: float
    time: float
    playing: bool
    speed: str
    """Such as `1/4`."""
    looping: bool
    touches: tuple[tuple[float, bool], ...]
    """When something was touched [s], and whether it was knocked."""
    number: int
    """Which roll is shown, from 1."""
    count: int
    more: bool
    """Whether there may be more to come."""


def _track(size: tuple[int, int]) -> PanelBox:
    width, height = size
    left, right = (_BAR_LEFT, _BAR_RIGHT) if width > 560 else (60, 20)
    return PanelBox(
        x=left, y=height - _BAR_HEIGHT + 18, width=max(width - left - right, 40), height=8,
        colour=SOFT, alpha=0.35,
    )  # fmt: skip


def bar_share(x: float, size: tuple[int, int]) -> float:
    """Return what part of the roll lies before a pixel of the bar, in 0..1."""
    track = _track(size)
    return min(max((x - track.x) / track.width, 0.0), 1.0)


def add_bar(sheet: Sheet, bar: Bar) -> None:
    """Add the bar of time along the lower edge: play, a track with the touches, speed, roll."""
    width, height = sheet.size
    top, track = height - _BAR_HEIGHT, _track(sheet.size)
    span = max(bar.end - bar.start, 1e-9)

    def along(time: float) -> int:
        return track.x + round(track.width * (time - bar.start) / span)

    ground = PanelBox(x=0, y=top, width=width, height=_BAR_HEIGHT, colour=PAPER, alpha=0.88)
    play = PanelBox(x=_MARGIN, y=top + 8, width=30, height=28, colour=DARK)
    grip = PanelBox(x=track.x - 8, y=top, width=track.width + 16, height=_BAR_HEIGHT, colour=PAPER)
    sheet.areas += [("", ground), ("play", play), ("bar", grip)]
    sheet.begin()
    sheet.add(ground, play, track)
    for time, knocked in bar.touches:
        colour = OWNER_COLOURS[Seat.A] if knocked else GOLD
        sheet.add(PanelBox(x=along(time) - 1, y=track.y - 5, width=3, height=18, colour=colour))
    # What changes from picture to picture is apart from what stays: it is all that is made anew.
    now = along(bar.time)
    sheet.begin()
    sheet.add(
        PanelBox(
            x=track.x, y=track.y, width=now - track.x, height=track.height, colour=INK, alpha=0.6
        )
    )
    sheet.begin()
    sheet.add(PanelBox(x=now - 4, y=track.y - 5, width=8, height=18, colour=DARK))
    sheet.begin()
    sheet.write(play.x + 9, play.y + 4, "‖" if bar.playing else "▶", size=_TEXT, colour=PAPER)
    if track.x == _BAR_LEFT:
        sheet.begin()
        sheet.write(
            _MARGIN + 42, top + 13, f"{bar.time - bar.start:.2f} / {span:.2f} s", size=_SMALL
        )
        sheet.begin()
        speed = f"{bar.speed}x{' ∞' if bar.looping else ''}"
        count = f"{bar.number} of {bar.count}{' …' if bar.more else ''}"
        sheet.write(width - _BAR_RIGHT + 14, top + 13, speed, size=_SMALL, bold=True)
        if bar.count > 1 or bar.more:
            sheet.write(width - _BAR_RIGHT + 70, top + 13, count, size=_SMALL, colour=SOFT)


def add_reading(sheet: Sheet, title: str, rows: Sequence[tuple[str, str]], colour: str) -> None:
    """Add the whole reading of one Piggle at the upper right."""
    width = min(_READING_WIDTH, sheet.size[0] - 2 * _MARGIN)
    inner = width - 2 * _PAD - 92
    lines = [(name, wrapped(text, _SMALL, inner) or [""]) for name, text in rows]
    count = sum(len(texts) for _, texts in lines)
    height = 2 * _PAD + line_height(_TITLE) + 4 + count * (line_height(_SMALL) + 1)
    x, y = sheet.size[0] - width - _MARGIN, _MARGIN
    sheet.panel(x, y, width, height)
    sheet.add(PanelBox(x=x, y=y, width=4, height=height, colour=colour))
    y += _PAD
    sheet.write(x + _PAD + 2, y, title, size=_TITLE, bold=True)
    y += line_height(_TITLE) + 4
    for name, texts in lines:
        sheet.write(x + _PAD + 2, y, name, size=_SMALL, colour=SOFT)
        for text in texts:
            sheet.write(x + _PAD + 94, y, text, size=_SMALL)
            y += line_height(_SMALL) + 1


def add_help(sheet: Sheet, columns: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Add the page of keys over everything, in columns; a head has no meaning beside it."""
    width, height = sheet.size
    rows = max(len(column) for column in columns)
    size = max(min(13, (height - 90) // max(rows, 1) * 10 // 14), 8)
    step = round(1.4 * size)
    key_width = round(10.5 * size)
    each = min((width - 2 * _MARGIN - 2 * _PAD) // len(columns), 34 * size)
    box_width = each * len(columns) + 2 * _PAD
    box_height = rows * step + 2 * _PAD
    x, y = (width - box_width) // 2, max((height - _BAR_HEIGHT - box_height) // 2, 4)
    sheet.panel(x, y, box_width, box_height, alpha=0.97)
    sheet.areas.append(("clear", sheet.areas[-1][1]))
    for number, column in enumerate(columns):
        left, top = x + _PAD + number * each, y + _PAD
        for shown, does in column:
            if does:
                sheet.write(left, top, shown, size=size, bold=True)
                cut = _cut(does, size, each - key_width - 8)
                sheet.write(left + key_width, top, cut, size=size)
            else:
                sheet.write(left, top, shown, size=size, bold=True, colour=GOLD)
            top += step


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelButton:
    """Something to click."""

    text: str
    name: str
    """What it does."""
    lit: bool = False
    off: bool = False
    """Whether it does nothing now."""


def add_buttons(
    sheet: Sheet, top: int, guide: str, rows: Sequence[Sequence[PanelButton]], notes: Sequence[str]
) -> None:
    """Add what a person can do at the left, in rows of buttons under a sentence.

    Args:
        sheet: What it is added to.
        top: Where there is room from [pixels].
        guide: The sentence.
        rows: Buttons beside each other.
        notes: What is said besides, such as a hint.
    """
    width = min(_SCORE_WIDTH, sheet.size[0] - 2 * _MARGIN)
    inner = width - 2 * _PAD
    lines = wrapped(guide, _SMALL, inner)
    told = [line for note in notes for line in wrapped(note, _SMALL, inner)][-_MOST_STORY:]
    high = line_height(_TEXT) + 8
    height = 2 * _PAD + (len(lines) + len(told)) * line_height(_SMALL) + len(rows) * (high + 6)
    x, y = _MARGIN, top + _MARGIN // 2
    sheet.panel(x, y, width, height)
    y += _PAD
    for text in lines:
        sheet.write(x + _PAD, y, text, size=_SMALL)
        y += line_height(_SMALL)
    for text in told:
        sheet.write(x + _PAD, y, text, size=_SMALL, colour=OWNER_COLOURS[Seat.B])
        y += line_height(_SMALL)
    y += 4
    for row in rows:
        left = x + _PAD
        for button in row:
            text = _cut(button.text, _SMALL, inner - 18)
            wide = text_width(text, _SMALL) + 18
            ground = DARK if button.lit else "#e9e1d3"
            ink = PAPER if button.lit else SOFT if button.off else INK
            box = PanelBox(x=left, y=y, width=wide, height=high, colour=ground)
            sheet.add(box)
            sheet.write(left + 9, y + 6, text, size=_SMALL, colour=ink)
            sheet.areas.append(("" if button.off else button.name, box))
            left += wide + 6
        y += high + 6


def add_name(sheet: Sheet, x: int, y: int, name: str, colour: str) -> None:
    """Add a name in its owner's colour, its upper edge in the middle at a pixel."""
    wide = text_width(name, _SMALL, bold=True)
    sheet.begin()
    sheet.write(x - wide // 2, y, name, size=_SMALL, colour=colour, bold=True)


def add_notice(sheet: Sheet, text: str) -> None:
    """Add one sentence above the bar of time."""
    text = _cut(text, _SMALL, sheet.size[0] - 4 * _MARGIN)
    width, height = text_width(text, _SMALL) + 2 * _PAD, line_height(_SMALL) + _PAD
    x, y = (sheet.size[0] - width) // 2, sheet.size[1] - _BAR_HEIGHT - height - 8
    sheet.panel(x, y, width, height)
    sheet.write(x + _PAD, y + _PAD // 2, text, size=_SMALL)


_Item = PanelBox | Text


def sheet_plates(sheet: Sheet) -> tuple[Plate, ...]:
    """Return a plate for each group of a sheet, in order."""
    return tuple(_plate(tuple(group)) for group in sheet.groups if group)


def _bounds(item: _Item) -> tuple[int, int, int, int]:
    """Return left, top, right and lower edge of an item [pixels]."""
    if isinstance(item, PanelBox):
        return item.x, item.y, item.x + item.width, item.y + item.height
    wide = text_width(item.text, item.size, bold=item.bold) + 2
    return item.x, item.y, item.x + max(wide, 1), item.y + line_height(item.size)


@lru_cache(maxsize=96)
def _plate(items: tuple[_Item, ...]) -> Plate:
    edges = np.array([_bounds(item) for item in items])
    left, top = edges[:, :2].min(axis=0).tolist()
    right, low = edges[:, 2:].max(axis=0).tolist()
    pixels = np.zeros((max(low - top, 1), max(right - left, 1), 4))
    for item, (x, y, end, bottom) in zip(items, edges.tolist(), strict=True):
        part = pixels[y - top : bottom - top, x - left : end - left]
        if isinstance(item, PanelBox):
            _lay(part, srgb(item.colour), np.full(part.shape[:2], item.alpha))
        elif item.text:
            cover = text_picture(item.text, item.size, bold=item.bold) / 255.0
            _lay(part, srgb(item.colour), cover[: part.shape[0], : part.shape[1]])
    whole = np.round(255.0 * pixels).astype(np.uint8)
    return Plate(pixels=whole, key=items, corner=(left, top))


def _lay(under: Array, colour: Array, cover: Array) -> None:
    """Lay a colour over premultiplied pixels, in place; each is covered in part."""
    under *= (1.0 - cover)[:, :, None]
    under[:, :, :3] += cover[:, :, None] * colour
    under[:, :, 3] += cover
