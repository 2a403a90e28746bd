"""All that is known of one Piggle or die in a film, as rows of words."""

from math import degrees

import numpy as np

from pigglesim.films.film import Actor, Film
from pigglesim.pictures.board import SIDES, ZONE_NAMES, landing_points
from pigglesim.reading.contact import ground_contact
from pigglesim.reading.orientation import face_up
from pigglesim.rolls import ClassLanding, Landing, ReadingRules
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.shapes.pips import is_numbered
from pigglesim.shapes.poses import pose_at
from pigglesim.spatial import rotate
from pigglesim.viewer.marks import rest_times, speeds

__all__ = ["reading_rows"]

_DOWN = np.array([0.0, 0.0, -1.0])


def reading_rows(
    film: Film, number: int, body: Body, time: float, *, board: Board, rules: ReadingRules
) -> tuple[tuple[str, str], ...]:
    """Return the whole reading of a body at a time: where it lies, or how it moves.

    Args:
        film: The roll.
        number: Which body of it.
        body: That body.
        time: [s]
        board: What it lies on.
        rules: The house rules of reading.
    """
    actor = film.actors[number]
    landing = dict(film.readings).get(actor.name)
    rest = float(rest_times(film)[number])
    # At a table of dice more than two play, who sit at no side of a board.
    owner = SIDES.get(actor.owner, actor.owner.value) if actor.owner else "nobody"
    rows = [("model", _model(actor)), ("owner", owner)]
    x, y, z = (1000.0 * part for part in film.at(time).positions[number].tolist())
    if time >= rest and (landing is not None or is_numbered(body)):
        if landing is not None:
            rows += _lying(landing, film, number, body, board, rules)
        else:
            rows.append(("shows", str(face_up(body, film.at(film.end).place(number)))))
        rows.append(("at rest", f"since {rest - film.start:.2f} s"))
    else:
        speed = float((speeds(film, time)[number] ** 2).sum() ** 0.5)
        rows.append(("speed", f"{speed:.2f} m/s"))
    rows.append(("centre", f"{x:+.1f} E, {y:+.1f} N, {z:.1f} mm up"))
    rows += _knocks(film, actor.name)
    return tuple(rows)


def _model(actor: Actor) -> str:
    worn = ", ".join(part for part in (actor.color, actor.rune) if part)
    return f"{actor.model}{f' ({worn})' if worn else ''}".replace("_", " ")


def _lying(
    landing: Landing, film: Film, number: int, body: Body, board: Board, rules: ReadingRules
) -> list[tuple[str, str]]:
    place = film.at(film.end).place(number)
    x, y, z, w = place.orientation
    down = rotate(np.array([-x, -y, -z, w]), _DOWN)
    classed = isinstance(landing, ClassLanding)
    rows = [("class" if classed else "pose", landing.label or "none: off the board")]
    if body.poses:
        # The nearest of the poses in which it could stand alone.
        rows.append(("stands", pose_at(body, down).name))
    rows.append(("zone", ZONE_NAMES[landing.zone]))
    if not classed:
        rows.append(("pays now", str(landing_points(landing))))
    rows.append(("held up", _support(landing)))
    tolerance = rules.contact_tolerance_mm / 1000.0
    points = ground_contact(body, place, board, tolerance=tolerance).board
    if len(points):
        wide, deep = (1000.0 * (points.max(axis=0) - points.min(axis=0))).tolist()
        rows.append(("footprint", f"{len(points)} points, {wide:.1f} x {deep:.1f} mm"))
    else:
        rows.append(("footprint", "does not touch the board"))
    return rows


def _support(landing: Landing) -> str:
    if landing.stacked:
        return "by other Piggles alone (stacked)"
    return "by another Piggle, too (leaning)" if landing.leaning else "by the ground alone"


def _knocks(film: Film, name: str) -> list[tuple[str, str]]:
    rows = []
    for knock in film.knocks:
        if knock.struck == name:
            far = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
            rows.append(("knocked", f"by {knock.by}: {far}"))
        elif knock.by == name:
            rows.append(("knocked", f"{knock.struck} away"))
    return rows
