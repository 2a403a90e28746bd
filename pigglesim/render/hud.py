"""Contents of one viewer picture: labels, lines, panels, and the reading of one body."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import degrees

import numpy as np

from pigglesim.bodies.livery import is_numbered
from pigglesim.bodies.poses import pose_at
from pigglesim.films.film import Film, Still
from pigglesim.landing import ClassLanding, Landing, Seat
from pigglesim.reading import face_up, ground_contact
from pigglesim.render import bindings
from pigglesim.render.camera import Camera
from pigglesim.render.labels import label_text
from pigglesim.render.lines import (
    ColouredLine,
    contact_lines,
    footprint_line,
    ring_line,
    speeds,
    trail_lines,
    velocity_lines,
)
from pigglesim.render.overlay import (
    PanelButton,
    Sheet,
    add_bar,
    add_buttons,
    add_help,
    add_name,
    add_notice,
    add_reading,
    add_score,
)
from pigglesim.render.palette import OWNER_COLOURS, SIDES, ZONE_NAMES, landing_points
from pigglesim.render.session import Watching
from pigglesim.render.stage import Stage
from pigglesim.rotations import rotate

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
        speed = float((speeds(film, time)[number] ** 2).sum() ** 0.5)
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
_COLUMNS = (
    (bindings.TIME, bindings.WINDOW),
    (bindings.CAMERA,),
    (bindings.LAYERS, bindings.TURN),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sight:
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
        told = [f"{name} {label_text(landing)}" for name, landing in self.labels.items()]
        return told + self.sheet.texts


_EMPTY = Still(time=0.0, positions=np.zeros((0, 3)), rotations=np.zeros((0, 4)), cup=None)


def sight_of(watching: Watching) -> Sight:
    """Return the contents of the current picture."""
    stage, still = watching.stage, watching.still
    sheet = Sheet(size=watching.size)
    lines: tuple[ColouredLine, ...] = ()
    labels: dict[str, Landing] = {}
    if stage is not None and still is not None:
        hovered = watching.hovered
        lines = tuple(_lines(watching, stage, still, hovered))
        if not watching.help:
            labels = _labels(watching, stage, still, hovered)
            _name_pen(watching, stage, still, sheet)
    _write(watching, stage, sheet)
    return Sight(
        stage=stage,
        still=still or _EMPTY,
        camera=watching.camera,
        lines=lines,
        labels=labels,
        sheet=sheet,
    )


def _colour(owner: Seat | None) -> str:
    return OWNER_COLOURS[owner] if owner else _NOBODY


# Over the table.


def _lines(
    watching: Watching, stage: Stage, still: Still, hovered: str | None
) -> Iterator[ColouredLine]:
    film, board, time = stage.film, watching.scene.board, still.time
    names = [actor.name for actor in film.actors]
    colours = [_colour(actor.owner) for actor in film.actors]
    if "trails" in watching.layers:
        yield from trail_lines(film, time, colours)
    if "arrows" in watching.layers:
        yield from velocity_lines(film, time)
    if "contacts" in watching.layers:
        yield from contact_lines(stage.bodies, still, board)
    aim = watching.aim
    in_cup = aim.chosen if aim else ()
    for number, name in enumerate(names):
        at_rest = stage.rests[number] <= time
        shown = name == hovered or name == watching.selected or "footprints" in watching.layers
        if shown and at_rest and name not in in_cup:
            body = stage.bodies[number]
            outline = footprint_line(body, still.place(number), board)
            if outline is not None:
                yield outline
    # With a ring: the clicked Piggle, and the acting Piggle with its target.
    marked = aim.offer.choices[aim.marked].about if aim and aim.offer.choices else ()
    for name in (*marked, watching.selected or ""):
        if name in names:
            yield ring_line(still.positions[names.index(name)], _RING, _LIT, width=3.0)
    if aim is not None:
        yield from aim.lines(_colour(aim.offer.seat))


def _name_pen(watching: Watching, stage: Stage, still: Still, sheet: Sheet) -> None:
    """Add the name of each Piggle next to the board."""
    if watching.aim is None:
        return
    outer = set(watching.aim.offer.loadable).difference(watching.aim.chosen)
    pixels = watching.camera.project(still.positions, watching.size)
    for actor, (x, y, away) in zip(stage.film.actors, pixels.tolist(), strict=True):
        if actor.name in outer and away > 0.0:
            add_name(sheet, round(x), round(y) + 20, actor.name, _colour(actor.owner))


def _labels(
    watching: Watching, stage: Stage, still: Still, hovered: str | None
) -> dict[str, Landing]:
    """Return the landings with a label: all at rest, or only the highlighted ones."""
    film = stage.film
    readings = dict(film.readings)
    named = {hovered, watching.selected, watching.followed}
    return {
        actor.name: readings[actor.name]
        for actor, rest in zip(film.actors, stage.rests, strict=True)
        if rest <= still.time
        and actor.name in readings
        and ("labels" in watching.layers or actor.name in named)
    }


# Next to the table.


def _write(watching: Watching, stage: Stage | None, sheet: Sheet) -> None:
    take = watching.clip
    busy, below = watching.show.busy(), 0
    if "board" in watching.layers:
        landed = stage is not None and stage.landed(watching.time)
        after = landed and watching.aim is None
        score = (take.after or take.score) if take and after else take.score if take else None
        story = list(take.story) if take and after else []
        title = take.title if take else "Nothing has been rolled yet."
        below = add_score(sheet, title, score, [*story, *([f"{busy} …"] if busy else [])])
    number = watching.number_of(watching.selected)
    if stage is not None and number is not None and watching.selected:
        actor = stage.film.actors[number]
        rows = reading_rows(stage, number, watching.time)
        effect = take.effects.get(actor.name, "") if take else ""
        rows = (*rows, ("effect", effect)) if effect else rows
        add_reading(sheet, watching.selected, rows, _colour(actor.owner))
    if watching.clock is not None and stage is not None:
        more = bool(busy)
        many = watching.count > 1 or more
        place = f"{watching.index + 1} of {watching.count}{' …' if more else ''}"
        add_bar(sheet, watching.clock, watching.now, place if many else "")
    if watching.aim is not None and not watching.aim.decided:
        _write_turn(watching, sheet, below)
    if watching.waits:
        guide = "This is how it landed: click a Piggle to read it. The story is told above."
        go_on = PanelButton(text="Go on (Enter)", name="on", lit=True)
        add_buttons(sheet, below, guide, [[go_on]], ())
    if watching.said:
        add_notice(sheet, watching.said)
    if watching.help:
        add_help(sheet, [bindings.help_rows(groups) for groups in _COLUMNS])


def _write_turn(watching: Watching, sheet: Sheet, top: int) -> None:
    """Add the pending decision: a chip per Piggle, or the list of choices."""
    aim = watching.aim
    assert aim is not None
    offer = aim.offer
    rows: list[list[PanelButton]] = []
    if offer.loadable:
        chips = [
            PanelButton(
                text=f"{number} {name}",
                name=f"pick {name}",
                lit=name in aim.chosen,
                off=name not in offer.loadable,
            )
            for number, name in enumerate(offer.piggles, start=1)
        ]
        rows += [chips[first : first + 6] for first in range(0, len(chips), 6)]
    count, most = len(offer.choices), 8
    # A long list shows only the part around the marked entry.
    first = min(max(aim.marked - most // 2, 0), max(count - most, 0))
    rows += [
        [PanelButton(text=choice.text, name=f"choose {k}", lit=k == aim.marked)]
        for k, choice in enumerate(offer.choices[first : first + most], start=first)
    ]
    load = len(aim.chosen)
    acts = [
        (
            aim.pours,
            PanelButton(text=f"Roll {load}" if load else "Roll", name="roll", off=not load),
        ),
        (aim.pours, PanelButton(text="All", name="all", off=not offer.loadable)),
        (offer.skip, PanelButton(text="Skip the roll", name="skip")),
        (offer.done, PanelButton(text="Done", name="done")),
        (True, PanelButton(text="Hint", name="hint")),
    ]
    rows.append([button for there, button in acts if there])
    acting = offer.choices[aim.marked].about[:1] if offer.choices else ()
    # Explain the first with an effect: under the mouse, acting by the marked choice, loaded last.
    pointed = (watching.hovered or "", *acting, *reversed(aim.chosen))
    explained = [offer.effects[name] for name in pointed if name in offer.effects][:1]
    add_buttons(sheet, top, offer.guide, rows, [*watching.show.notes(), *explained])
