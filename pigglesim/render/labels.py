"""What is written in a picture, and where: how each Piggle lies, beside it and over no other."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.films.film import Film, FilmActor, Still
from pigglesim.landing import Landing, Orientation, Zone
from pigglesim.render.camera import Camera
from pigglesim.render.figure import shown
from pigglesim.render.lettering import Plate, line_plate, text_pixels
from pigglesim.render.palette import (
    OWNER_COLOURS,
    POSE_MARKS,
    ZONE_NAMES,
    landing_points,
    pose_mark,
)
from pigglesim.rotations import Array

_NOBODY = "#6f6966"
"""Ground of a name that belongs to no player."""
_TEXT = 13.5 / 720.0
"""Size of letters, in heights of the picture."""
_LEAST, _TINY = 9, 7
"""Letters of words that can be read [pixels], and of names and signs alone."""
_SMALL = 6.0
"""Where letters would be smaller than this, a picture has no room for words [pixels]."""
_SHORT = 6
"""Letters of a class where a picture has room for a sign alone."""
_RADIUS = 0.0125
"""Of what a label leaves free of a body [m]."""
_DIRECTIONS = 16
_STEPS = (0.0, 0.5, 1.2, 2.2, 3.5, 5.0, 7.0)
"""How far off a label may be, in its own heights."""
# Above first, then alternately to both sides; all near ones before all that are farther off.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """A rectangle of the picture [pixels]."""

    left: float
    top: float
    wide: float
    high: float

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of this nearest to another."""
        return (
            min(max(x, self.left), self.left + self.wide),
            min(max(y, self.top), self.top + self.high),
        )


def label_text(landing: Landing) -> str:
    """Return how a Piggle lies, in a few words: `"▲ up · field S · 3"`."""
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
    """Return what a film shows, in one line: `"B rolls 6 · seed 7 · roll 1"`."""
    rolled = [actor for actor in film.actors if not actor.standing]
    owners = sorted({str(actor.owner) for actor in rolled if actor.owner})
    words = [f"{' and '.join(owners)} rolls {len(rolled)}" if owners else f"{len(rolled)} rolled"]
    words += [f"{key} {film.origin[key]}" for key in ("seed", "roll") if key in film.origin]
    if slow_motion != 1.0:
        words.append(f"{slow_motion:g} times as slow")
    return " · ".join(words)


def caption_plate(text: str, size: tuple[int, int]) -> Plate:
    """Return a line of words for the lower left of a picture."""
    letters = _letters(size)
    pixels = text_pixels("", text, ground=_NOBODY, letters=letters)
    corner = (letters, size[1] - pixels.shape[0] - letters)
    return Plate(pixels=pixels, key=("caption", text, letters), corner=corner)


def reading_plates(
    actors: Sequence[FilmActor],
    readings: Mapping[str, Landing],
    still: Still,
    camera: Camera,
    size: tuple[int, int],
    *,
    keep_out: Sequence[tuple[int, int, int, int]] = (),
) -> list[Plate]:
    """Return a label for each Piggle that has been read, and a line to it from one farther off.

    Args:
        actors: Who lies there, in the order of the still.
        readings: How each lies, by name; one that is missing has no label.
        still: Where each lies.
        camera: Where one looks from.
        size: Width and height of the picture in pixels.
        keep_out: Left, top, width and height of what else is written there [pixels].
    """
    seen = camera.project(still.positions, size)
    scale = camera.projection(size[0] / size[1])[1, 1] * size[1] / 2.0
    bodies = [
        _Box(left=x - r, top=y - r, wide=2 * r, high=2 * r)
        for x, y, away in np.nan_to_num(seen, nan=-1e6).tolist()
        for r in [scale * _RADIUS / max(away, 1e-3)]
    ]
    taken = [_Box(left=x, top=y, wide=wide, high=high) for x, y, wide, high in keep_out]
    plates, lines = [], []
    # Those in front choose first.
    for number in np.argsort(seen[:, 2], kind="stable").tolist():
        actor, body = actors[number], bodies[number]
        x, y = body.left + body.wide / 2.0, body.top + body.high / 2.0
        if actor.name not in readings or not (0.0 <= x < size[0] and 0.0 <= y < size[1]):
            continue
        ground = OWNER_COLOURS[actor.owner] if actor.owner else _NOBODY
        letters, reading = _letters(size), readings[actor.name]
        text = label_text(reading) if letters >= _LEAST else _sign(reading)
        pixels = text_pixels(actor.name, text, ground=ground, letters=letters)
        box = _placed(body, pixels.shape[1], pixels.shape[0], bodies, taken, size)
        taken.append(box)
        key = (actor.name, text, ground, letters)
        plates.append(Plate(pixels=pixels, key=key, corner=(int(box.left), int(box.top))))
        start = box.nearest(x, y)
        if math.dist(start, (x, y)) > body.wide / 2.0 + 0.7 * box.high:
            lines.append(line_plate(start, (x, y), ground))
    return lines + plates[::-1]


def _letters(size: tuple[int, int]) -> int:
    """Return the size of letters for a picture [pixels]."""
    fitting = _TEXT * min(size[1], 0.75 * size[0])
    return max(_LEAST, round(fitting)) if fitting >= _SMALL else _TINY


def _sign(landing: Landing) -> str:
    """Return how a Piggle lies as one sign, for pictures too small for words."""
    return pose_mark(landing) or shown(landing.label or "off", longest=_SHORT)


def _placed(
    body: _Box,
    wide: int,
    high: int,
    bodies: Sequence[_Box],
    taken: Sequence[_Box],
    size: tuple[int, int],
) -> _Box:
    """Return where a label hides least: of places round its body, the nearest of the best."""
    x, y = body.left + body.wide / 2.0, body.top + body.high / 2.0
    middle_x = x + _SINES * ((body.wide + wide) / 2.0 + _AWAY * high)
    middle_y = y - _COSINES * ((body.high + high) / 2.0 + 2.0 + _AWAY * high)
    left = np.rint(np.clip(middle_x - wide / 2.0, 0.0, size[0] - wide))
    top = np.rint(np.clip(middle_y - high / 2.0, 0.0, size[1] - high))
    cost = 6.0 * _shared(left - 2, top - 2, wide + 4, high + 4, taken)
    cost += 2.5 * _shared(left, top, wide, high, bodies)
    near_x, near_y = np.clip(x, left, left + wide), np.clip(y, top, top + high)
    cost += high * np.hypot(near_x - x, near_y - y)
    # To a thousandth of a pixel: of places alike the first, on every machine.
    best = int(np.argmin(np.round(cost, 3)))
    return _Box(left=float(left[best]), top=float(top[best]), wide=wide, high=high)


def _shared(left: Array, top: Array, wide: float, high: float, others: Sequence[_Box]) -> Array:
    """Return the area that each of many boxes of one size has in common with others."""
    edges = np.array([(b.left, b.top, b.left + b.wide, b.top + b.high) for b in others])
    if not len(edges):
        return np.zeros(len(left))
    across = np.minimum.outer(left + wide, edges[:, 2]) - np.maximum.outer(left, edges[:, 0])
    down = np.minimum.outer(top + high, edges[:, 3]) - np.maximum.outer(top, edges[:, 1])
    area: Array = (np.maximum(across, 0.0) * np.maximum(down, 0.0)).sum(axis=1)
    return area
