"""Labels in a picture: the landing of each Piggle, next to it and without overlaps."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pigglesim.films.film import Film, FilmActor, Still
from pigglesim.landing import Landing, Orientation, Zone
from pigglesim.render.camera import Camera
from pigglesim.render.figure import shown
from pigglesim.render.lettering import (
    PanelBox,
    Plate,
    Text,
    line_height,
    line_plate,
    plate_of,
    text_width,
)
from pigglesim.render.palette import (
    INK,
    OWNER_COLOURS,
    POSE_MARKS,
    ZONE_NAMES,
    landing_points,
    pose_mark,
)
from pigglesim.rotations import Array

_PAPER, _NOBODY = "#fffdf8", "#6f6966"
"""Background of text, and of a name that belongs to no player."""
_TEXT = 13.5 / 720.0
"""Font size, in heights of the picture."""
_LEAST, _TINY = 9, 7
"""Minimum readable font size of text, and of names and signs alone [pixels]."""
_SMALL = 6.0
"""Font size below which a picture has no room for words [pixels]."""
_SHORT = 6
"""Maximum length of a label shown if there is no orientation mark [characters]."""
_RADIUS = 0.0125
"""Radius around a body that its label leaves free [m]."""
_DIRECTIONS = 16
_STEPS = (0.0, 0.5, 1.2, 2.2, 3.5, 5.0, 7.0)
"""Distances to try for a label, in its own heights."""
# Above first, then alternately to both sides; all near offsets before all farther ones.
_TURNS = np.array([(k + 1) // 2 * (1 if k % 2 else -1) for k in range(_DIRECTIONS)])
_ANGLES: Array = np.tile(2.0 * np.pi * _TURNS / _DIRECTIONS, len(_STEPS))
_SINES: Array = np.sin(_ANGLES)
_COSINES: Array = np.cos(_ANGLES)
_AWAY: Array = np.repeat(np.array(_STEPS, dtype=np.float64), _DIRECTIONS)
_POSES = {
    Orientation.SNOUT_UP: "up",
    Orientation.SNOUT_DOWN: "down",
    Orientation.ON_THEIR_HEAD: "head",
}


def label_text(landing: Landing) -> str:
    """Return the landing of a Piggle in a few words: `"▲ up · field S · 3"`."""
    if landing.zone is Zone.OFF:
        return "off the board"
    pose = landing.orientation
    words = [f"{POSE_MARKS[pose]} {_POSES[pose]}" if pose else shown(landing.label)]
    words.append(ZONE_NAMES[landing.zone])
    if landing.stacked or landing.leaning:
        words.append("stacked" if landing.stacked else "leans")
    points = landing_points(landing)
    return " · ".join([*words, str(points)] if points else words)


def film_caption(film: Film, slow_motion: float = 1.0) -> str:
    """Return a one-line caption of a film: `"B rolls 6 · seed 7 · roll 1"`."""
    rolled = [actor for actor in film.actors if not actor.standing]
    owners = sorted({str(actor.owner) for actor in rolled if actor.owner})
    words = [f"{' and '.join(owners)} rolls {len(rolled)}" if owners else f"{len(rolled)} rolled"]
    words += [f"{key} {film.origin[key]}" for key in ("seed", "roll") if key in film.origin]
    if slow_motion != 1.0:
        words.append(f"{slow_motion:g} times as slow")
    return " · ".join(words)


def caption_plate(text: str, size: tuple[int, int]) -> Plate:
    """Return a line of text for the lower left of a picture."""
    letters = _letters(size)
    plate = _label("", text, _NOBODY, letters)
    return replace(plate, corner=(letters, size[1] - plate.size[1] - letters))


def _label(name: str, text: str, ground: str, letters: int) -> Plate:
    """Return a name on its owner's colour, if there is one, followed by a text."""
    high, pad, corner = (round(share * letters) for share in (1.62, 0.42, 0.36))
    split = text_width(name, letters, bold=True) + 2 * pad if name else 0
    wide = split + text_width(text, letters) + 2 * pad
    y = (high - line_height(letters)) // 2
    paper = PanelBox(x=0, y=0, width=wide, height=high, colour=_PAPER, alpha=0.92, radius=corner)
    words = Text(x=split + pad, y=y, text=text, size=letters, colour=INK)
    if not name:
        return plate_of([paper, words])
    owner = replace(paper, width=split, colour=ground, alpha=1.0)
    heading = replace(words, x=pad, text=name, colour="#ffffff", bold=True)
    return plate_of([paper, words, owner, heading])


def reading_plates(
    actors: Sequence[FilmActor],
    readings: Mapping[str, Landing],
    still: Still,
    camera: Camera,
    size: tuple[int, int],
    *,
    keep_out: Sequence[tuple[int, int, int, int]] = (),
) -> list[Plate]:
    """Return a label for each Piggle with a reading, and a line to it from a distant label.

    Args:
        actors: Bodies, in the order of the still.
        readings: Landing of each body, by name; a body without one has no label.
        still: Transforms of the bodies.
        camera: Camera of the picture.
        size: Width and height of the picture in pixels.
        keep_out: Left, top, width and height of other texts [pixels].
    """
    seen = camera.project(still.positions, size)
    scale = camera.projection(size[0] / size[1])[1, 1] * size[1] / 2.0
    centres = np.nan_to_num(seen[:, :2], nan=-1e6)
    reach = scale * _RADIUS / np.maximum(np.nan_to_num(seen[:, 2]), 1e-3)[:, None]
    bodies = np.hstack([centres - reach, centres + reach])
    taken = [(x, y, x + wide, y + high) for x, y, wide, high in keep_out]
    plates, lines = [], []
    # Bodies in front are placed first.
    for number in np.argsort(seen[:, 2], kind="stable").tolist():
        actor, (x, y) = actors[number], centres[number].tolist()
        if actor.name not in readings or not (0.0 <= x < size[0] and 0.0 <= y < size[1]):
            continue
        ground = OWNER_COLOURS[actor.owner] if actor.owner else _NOBODY
        letters, reading = _letters(size), readings[actor.name]
        text = label_text(reading) if letters >= _LEAST else _sign(reading)
        plate = _label(actor.name, text, ground, letters)
        wide, high = plate.size
        radius = float(reach[number, 0])
        left, top = _place((x, y), radius, plate.size, bodies, taken, size)
        taken.append((left, top, left + wide, top + high))
        plates.append(replace(plate, corner=(left, top)))
        start = (min(max(x, left), left + wide), min(max(y, top), top + high))
        if math.dist(start, (x, y)) > radius + 0.7 * high:
            lines.append(line_plate(start, (x, y), ground))
    return lines + plates[::-1]


def _letters(size: tuple[int, int]) -> int:
    """Return the font size for a picture [pixels]."""
    fitting = _TEXT * min(size[1], 0.75 * size[0])
    return max(_LEAST, round(fitting)) if fitting >= _SMALL else _TINY


def _sign(landing: Landing) -> str:
    """Return the landing of a Piggle as one sign, for pictures too small for words."""
    return pose_mark(landing) or shown(landing.label or "off", longest=_SHORT)


def _place(
    middle: tuple[float, float],
    radius: float,
    label: tuple[int, int],
    bodies: Array,
    taken: Sequence[tuple[int, int, int, int]],
    size: tuple[int, int],
) -> tuple[int, int]:
    """Return the position where a label hides least; among equals, the nearest to its body."""
    (x, y), (wide, high) = middle, label
    middle_x = x + _SINES * (radius + wide / 2.0 + _AWAY * high)
    middle_y = y - _COSINES * (radius + high / 2.0 + 2.0 + _AWAY * high)
    left = np.rint(np.clip(middle_x - wide / 2.0, 0.0, size[0] - wide))
    top = np.rint(np.clip(middle_y - high / 2.0, 0.0, size[1] - high))
    edges = np.array(taken, dtype=float).reshape(-1, 4)
    cost = 6.0 * _shared(left - 2, top - 2, wide + 4, high + 4, edges)
    cost += 2.5 * _shared(left, top, wide, high, bodies)
    near_x, near_y = np.clip(x, left, left + wide), np.clip(y, top, top + high)
    cost += high * np.hypot(near_x - x, near_y - y)
    # Round to 0.001 pixels, so that ties resolve to the first on every machine.
    best = int(np.argmin(np.round(cost, 3)))
    return int(left[best]), int(top[best])


def _shared(left: Array, top: Array, wide: float, high: float, edges: Array) -> Array:
    """Return the overlap area of many boxes of one size with other boxes."""
    across = np.minimum.outer(left + wide, edges[:, 2]) - np.maximum.outer(left, edges[:, 0])
    down = np.minimum.outer(top + high, edges[:, 3]) - np.maximum.outer(top, edges[:, 1])
    area: Array = (np.maximum(across, 0.0) * np.maximum(down, 0.0)).sum(axis=1)
    return area
