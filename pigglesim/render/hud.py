"""Contents of one viewer picture: labels, lines, panels and buttons, and the time bar."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import degrees

import numpy as np

from pigglesim.bodies.body import pose_at
from pigglesim.bodies.livery import is_numbered
from pigglesim.films.film import Film, FilmPlayback, Still
from pigglesim.landing import ClassLanding, Landing, Seat
from pigglesim.landing_reading import face_up, ground_contact
from pigglesim.render.camera import Camera
from pigglesim.render.labels import (
    Item,
    LabelPlate,
    PanelBox,
    Text,
    label_text,
    line_height,
    plate_of,
    text_width,
    truncate,
    wrap_text,
)
from pigglesim.render.lines import (
    ColouredLine,
    contact_lines,
    footprint_line,
    ring_line,
    trail_lines,
    velocities_at,
    velocity_lines,
)
from pigglesim.render.palette import (
    FAINT,
    INK,
    OWNER_COLOURS,
    PAPER,
    SIDES,
    ZONE_NAMES,
    landing_points,
)
from pigglesim.render.stage import Stage
from pigglesim.render.viewer import CertainTimes, Scoreboard, ViewerState
from pigglesim.rotations import rotate
from pigglesim.units import percent

SOFT, DARK, GOLD = FAINT, INK, "#c98a1b"
_MARGIN, _PAD, _GAP = 14, 10, 6
_TEXT, _SMALL, _TITLE = 14, 12, 16
_SCORE_WIDTH, _READING_WIDTH, _NAME_WIDTH = 344, 300, 62
_BAR_HEIGHT, _BAR_LEFT, _BAR_RIGHT = 44, 190, 150
_BUTTON_HEIGHT = line_height(_TEXT) + 8
_MAX_STORY = 9
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
        """Return the action of a click at a pixel: empty on a panel without one, None elsewhere."""
        names = (name for name, box in reversed(self.areas) if box.contains(x, y))
        return next(names, None)

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
        self, x: int, y: int, width: int, rows: "Sequence[PanelRow]", *, alpha: float = 0.88
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

    def write(self, x: int, y: int, text: str, look: "TextStyle") -> None:
        """Add a line of text to the last group."""
        self.add(Text(x=x, y=y, text=text, size=look.size, colour=look.colour, bold=look.bold))

    def _button(self, x: int, y: int, button: "PanelButton") -> None:
        width = _button_width(button.text)
        box = PanelBox(x=x, y=y, width=width, height=_BUTTON_HEIGHT, colour=DARK, radius=3)
        self.add(box)
        self.write(x + 9, y + 6, button.text, TextStyle(colour=PAPER))
        self.areas.append((button.name, box))

    @property
    def texts(self) -> list[str]:
        """All lines of text, in order."""
        return [item.text for group in self.groups for item in group if isinstance(item, Text)]

    @property
    def plates(self) -> list[LabelPlate]:
        """One plate per group, in order."""
        return [plate_of(group) for group in self.groups if group]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStyle:
    """Size, colour and weight of text."""

    size: int = _SMALL
    colour: str = INK
    bold: bool = False


_PLAIN, _FAINT, _HEAD = TextStyle(), TextStyle(colour=SOFT), TextStyle(size=_TITLE, bold=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelButton:
    """A clickable button."""

    text: str
    name: str
    """Action of a click on it."""


def _button_width(text: str) -> int:
    return text_width(text, _SMALL) + 18


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRow:
    """Texts and buttons side by side in a panel, each with its distance from the left."""

    height: int
    """Height of the row [pixels]."""
    texts: Sequence[tuple[int, str, TextStyle]] = ()
    buttons: Sequence[tuple[int, PanelButton]] = ()


def _row(text: str, look: TextStyle = _PLAIN, *, within: int | None = None) -> PanelRow:
    """Return a row of one text, cut to a maximum width [pixels]."""
    fitting = text if within is None else truncate(text, look.size, within, bold=look.bold)
    return PanelRow(height=line_height(look.size), texts=[(0, fitting, look)])


def _story(texts: Sequence[str], width: int) -> list[PanelRow]:
    """Return the last lines of some sentences."""
    lines = [line for text in texts for line in wrap_text(text, _PLAIN.size, width)]
    return [_row(line) for line in lines[-_MAX_STORY:]]


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
                look = TextStyle(colour=OWNER_COLOURS[seat] if seat else INK)
                texts.append((_NAME_WIDTH + left, truncate(text, _SMALL, column - _GAP), look))
            if number == 0:
                rows.append(PanelRow(height=_GAP))
            rows.append(PanelRow(height=line_height(_TEXT), texts=texts))
    if story_rows := _story(story, inner):
        rows += [PanelRow(height=_GAP), *story_rows]
    return sheet.panel(_MARGIN, _MARGIN, width, rows)


def add_reading(sheet: Sheet, title: str, rows: Sequence[tuple[str, str]], colour: str) -> None:
    """Add the full reading of one Piggle at the upper right."""
    width = sheet.fitting(_READING_WIDTH)
    lines = [_row(title, _HEAD), PanelRow(height=4)]
    for name, text in rows:
        for number, line in enumerate(wrap_text(text, _SMALL, width - 2 * _PAD - 92) or [""]):
            names = [] if number else [(2, name, _FAINT)]
            height = line_height(_SMALL) + 1
            lines.append(PanelRow(height=height, texts=[*names, (94, line, _PLAIN)]))
    x = sheet.size[0] - width - _MARGIN
    low = sheet.panel(x, _MARGIN, width, lines)
    sheet.add(PanelBox(x=x, y=_MARGIN, width=4, height=low - _MARGIN, colour=colour))


def add_help(sheet: Sheet, columns: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Add the page of keys over everything, in columns; a heading has no second text."""
    width, height = sheet.size
    count = max(len(column) for column in columns)
    size = max(min(13, (height - 90) // max(count, 1) * 10 // 14), 8)
    column_width = min((width - 2 * _MARGIN - 2 * _PAD) // len(columns), 34 * size)
    rows: list[list[tuple[int, str, TextStyle]]] = [[] for _ in range(count)]
    for number, column in enumerate(columns):
        left, right = number * column_width, number * column_width + round(10.5 * size)
        for row, (shown, does) in zip(rows, column, strict=False):
            colour = INK if does else GOLD
            row.append((left, shown, TextStyle(size=size, bold=True, colour=colour)))
            room = left + column_width - right - 8
            row.append((right, truncate(does, size, room), TextStyle(size=size)))
    box_width = column_width * len(columns) + 2 * _PAD
    box_height = count * round(1.4 * size) + 2 * _PAD
    x, y = (width - box_width) // 2, max((height - _BAR_HEIGHT - box_height) // 2, 4)
    lines = [PanelRow(height=round(1.4 * size), texts=row) for row in rows]
    sheet.panel(x, y, box_width, lines, alpha=0.97)
    sheet.areas.append(("clear", sheet.areas[-1][1]))


def add_button(sheet: Sheet, top: int, guide: str, button: PanelButton) -> None:
    """Add a sentence and a button at the left."""
    width = sheet.fitting(_SCORE_WIDTH)
    lines = [_row(line) for line in wrap_text(guide, _SMALL, width - 2 * _PAD)]
    lines += [PanelRow(height=4), PanelRow(height=_BUTTON_HEIGHT, buttons=[(0, button)])]
    sheet.panel(_MARGIN, top + _MARGIN // 2, width, lines)


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


def add_bar(
    sheet: Sheet, clock: FilmPlayback, now: float, place: str, certain: CertainTimes
) -> None:
    """Add the time bar along the lower edge: play, a track with the contacts, speed, roll.

    `now` is the external time [s]; `place` is such as `2 of 3`, or empty for the only roll. Below
    the track are marks where an orientation became certain: the longer, the surer.
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
    owners = {actor.name: actor.owner for actor in film.actors}
    for name, levels in certain.items():
        for row, (_, moment) in enumerate(levels, start=1):
            mark = PanelBox(
                x=along(moment) - 2, y=track.y + 13, width=5, height=3 * row,
                colour=_colour(owners[name]),
            )  # fmt: skip
            sheet.add(mark)
    # The changing parts form their own group, so that only they are redrawn.
    done = along(time) - track.x
    sheet.begin(PanelBox(x=track.x, y=track.y, width=done, height=8, colour=INK, alpha=0.6))
    sheet.begin(PanelBox(x=along(time) - 4, y=track.y - 5, width=8, height=18, colour=DARK))
    sheet.begin()
    sheet.write(
        play.x + 9, play.y + 4, "‖" if playing else "▶", TextStyle(size=_TEXT, colour=PAPER)
    )
    if track.x == _BAR_LEFT:
        speed = f"{Fraction(clock.speed)}x{' ∞' if clock.loop else ''}"
        for x, text, look in (
            (_MARGIN + 42, f"{time - film.start:.2f} / {span:.2f} s", _PLAIN),
            (width - _BAR_RIGHT + 14, speed, TextStyle(bold=True)),
            (width - _BAR_RIGHT + 70, place, _FAINT),
        ):
            sheet.begin()
            sheet.write(x, top + 13, text, look)


_DOWN = np.array([0.0, 0.0, -1.0])


def reading_rows(stage: Stage, number: int, time: float) -> tuple[tuple[str, str], ...]:
    """Return the full reading of a body at a time [s]: its rest position, or its motion."""
    film, body = stage.film, stage.bodies[number]
    actor = film.actors[number]
    landing, rest = stage.readings.get(actor.name), float(stage.rests[number])
    # More than two players may share a table of dice, and none sits at a side of a board.
    owner = SIDES.get(actor.owner, actor.owner.value) if actor.owner else "nobody"
    worn = ", ".join(part for part in (actor.color, actor.rune) if part)
    model = f"{actor.model}{f' ({worn})' if worn else ''}".replace("_", " ")
    rows = [("model", model), ("owner", owner)]
    x, y, z = (1000.0 * part for part in film.at(time).positions[number].tolist())
    if time >= rest and (landing is not None or is_numbered(body)):
        if landing is not None:
            rows += _lying(landing, stage, number)
        else:
            rows.append(("shows", str(face_up(body, film.at(film.end).place(number)))))
        rows.append(("at rest", f"since {rest - film.start:.2f} s"))
    else:
        speed = float((velocities_at(film, time)[number] ** 2).sum() ** 0.5)
        rows.append(("speed", f"{speed:.2f} m/s"))
    rows.append(("centre", f"{x:+.1f} E, {y:+.1f} N, {z:.1f} mm up"))
    rows += _knocks(film, actor.name)
    return tuple(rows)


def _lying(landing: Landing, stage: Stage, number: int) -> list[tuple[str, str]]:
    body, place = stage.bodies[number], stage.film.at(stage.film.end).place(number)
    x, y, z, w = place.rotation
    down = rotate(np.array([-x, -y, -z, w]), _DOWN)
    classed = isinstance(landing, ClassLanding)
    rows = [("class" if classed else "pose", landing.label or "none: off the board")]
    if body.poses:
        # The nearest of its stable poses.
        rows.append(("stands", pose_at(body, down).name))
    rows.append(("zone", ZONE_NAMES[landing.zone]))
    if not classed:
        rows.append(("pays now", str(landing_points(landing))))
    by_other = "by another Piggle, too (leaning)" if landing.leaning else "by the ground alone"
    held = "by other Piggles alone (stacked)" if landing.stacked else by_other
    rows.append(("held up", held))
    tolerance = stage.reading.contact_tolerance_mm / 1000.0
    points = ground_contact(body, place, stage.board, tolerance=tolerance).board
    if len(points):
        wide, deep = (1000.0 * (points.max(axis=0) - points.min(axis=0))).tolist()
        rows.append(("footprint", f"{len(points)} points, {wide:.1f} x {deep:.1f} mm"))
    else:
        rows.append(("footprint", "does not touch the board"))
    return rows


def _knocks(film: Film, name: str) -> list[tuple[str, str]]:
    rows = []
    for knock in film.knocks:
        if knock.struck == name:
            far = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
            rows.append(("knocked", f"by {knock.by}: {far}"))
        elif knock.by == name:
            rows.append(("knocked", f"{knock.struck} away"))
    return rows


_NOBODY, _LIT = "#5d564f", "#e0a020"
_RING = 0.021
"""Radius of the ring around a highlighted Piggle [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ViewerPicture:
    """Contents of one picture."""

    stage: Stage | None
    """Stage with the visible bodies; None for an empty table."""
    still: Still
    camera: Camera
    lines: tuple[ColouredLine, ...]
    labels: Mapping[str, Landing]
    """Landings that have a label, by name."""
    sheet: Sheet

    @property
    def texts(self) -> list[str]:
        """All texts in the picture."""
        label_texts = [f"{name} {label_text(landing)}" for name, landing in self.labels.items()]
        return label_texts + self.sheet.texts


_EMPTY = Still(time=0.0, positions=np.zeros((0, 3)), rotations=np.zeros((0, 4)), cup=None)


def viewer_picture(viewer: ViewerState) -> ViewerPicture:
    """Return the contents of the current picture."""
    stage, still = viewer.stage, viewer.still
    sheet = Sheet(size=viewer.size)
    lines: tuple[ColouredLine, ...] = ()
    labels: dict[str, Landing] = {}
    if stage is not None and still is not None:
        hovered = viewer.hovered
        lines = tuple(_lines(viewer, stage, still, hovered))
        if not viewer.help:
            labels = _labels(viewer, stage, still, hovered)
    _write(viewer, stage, sheet)
    return ViewerPicture(
        stage=stage,
        still=still or _EMPTY,
        camera=viewer.camera,
        lines=lines,
        labels=labels,
        sheet=sheet,
    )


def _colour(owner: Seat | None) -> str:
    return OWNER_COLOURS[owner] if owner else _NOBODY


# Over the table.


def _lines(
    viewer: ViewerState, stage: Stage, still: Still, hovered: str | None
) -> Iterator[ColouredLine]:
    film, board, time = stage.film, viewer.scene.board, still.time
    names = [actor.name for actor in film.actors]
    colours = [_colour(actor.owner) for actor in film.actors]
    if "trails" in viewer.layers:
        yield from trail_lines(film, time, colours)
    if "arrows" in viewer.layers:
        yield from velocity_lines(film, time)
    if "contacts" in viewer.layers:
        yield from contact_lines(stage.bodies, still, board)
    in_cup = viewer.aim is not None
    for number, name in enumerate(names):
        at_rest = stage.rests[number] <= time
        shown = name == hovered or name == viewer.selected or "footprints" in viewer.layers
        if shown and at_rest and not in_cup:
            body = stage.bodies[number]
            outline = footprint_line(body, still.place(number), board)
            if outline is not None:
                yield outline
    if viewer.selected in names:
        at = still.positions[names.index(viewer.selected)]
        yield ring_line(at, _RING, _LIT, width=3.0)
    if viewer.aim is not None:
        yield from viewer.aim.lines(_colour(viewer.aim.seat))


def _labels(
    viewer: ViewerState, stage: Stage, still: Still, hovered: str | None
) -> dict[str, Landing]:
    """Return the landings with a label: all at rest, or only the highlighted ones."""
    film, readings = stage.film, stage.readings
    named = {hovered, viewer.selected, viewer.followed}
    return {
        actor.name: readings[actor.name]
        for actor, rest in zip(film.actors, stage.rests, strict=True)
        if rest <= still.time
        and actor.name in readings
        and ("labels" in viewer.layers or actor.name in named)
    }


# Next to the table.


def _write(viewer: ViewerState, stage: Stage | None, sheet: Sheet) -> None:
    busy = viewer.show.busy()
    below = _write_board(viewer, stage, sheet, busy) if "board" in viewer.layers else 0
    if stage is not None:
        _write_reading(viewer, stage, sheet)
        if viewer.clock is not None:
            place = f"{viewer.index + 1} of {viewer.count}{' …' if busy else ''}"
            place = place if viewer.count > 1 or busy else ""
            add_bar(sheet, viewer.clock, viewer.now, place, viewer.decided)
    _write_pour(viewer, sheet, below)
    if viewer.notice:
        add_notice(sheet, viewer.notice)


def _write_board(viewer: ViewerState, stage: Stage | None, sheet: Sheet, busy: str) -> int:
    """Write title, score and story, and return where they end [px]."""
    clip, score, story = viewer.clip, None, list[str]()
    title = "Nothing has been rolled yet."
    if clip is not None:
        title, score = clip.title, clip.score
        if stage is not None and stage.landed(viewer.time) and viewer.aim is None:
            score, story = clip.after or score, [*clip.story]
    if viewer.aim is not None:
        title = "The cup is in your hand"
    return add_score(sheet, title, score, [*story, *([f"{busy} …"] if busy else [])])


def _write_reading(viewer: ViewerState, stage: Stage, sheet: Sheet) -> None:
    """Write how the selected die is read."""
    number = viewer.number_of(viewer.selected)
    if number is None or not viewer.selected:
        return
    actor = stage.film.actors[number]
    rows = reading_rows(stage, number, viewer.time)
    effect = viewer.clip.effects.get(actor.name, "") if viewer.clip else ""
    rows = (*rows, ("effect", effect)) if effect else rows
    for level, time in viewer.decided.get(actor.name, ()):
        since = f"since {time - stage.film.start:.2f} s"
        rows = (*rows, (f"{percent(level, places=0)} sure", since))
    add_reading(sheet, viewer.selected, rows, _colour(actor.owner))


def _write_pour(viewer: ViewerState, sheet: Sheet, below: int) -> None:
    """Offer to pour the cup in hand, or to take it."""
    if viewer.aim is not None:
        guide = "Move the mouse over your half; hold the button to shake, release it to pour."
        add_button(sheet, below, guide, PanelButton(text="Pour (Enter)", name="pour"))
    elif viewer.show.has_cup and viewer.index + 1 == viewer.count and not viewer.running:
        guide = "Pour with your own hand:"
        add_button(sheet, below, guide, PanelButton(text="Take the cup (Enter)", name="pour"))
