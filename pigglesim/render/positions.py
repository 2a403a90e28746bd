"""Top view of a position of Piggles, with the Piggles of both players next to the board."""

from collections.abc import Iterable, Mapping

from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import split_livery
from pigglesim.bodies.load import load_models
from pigglesim.data_files import scene_names
from pigglesim.errors import SpecError
from pigglesim.games.piggles.game import Piggles, is_piggles
from pigglesim.games.piggles.state import PigglesState, owner
from pigglesim.landing import Landing, ReadingRules, Seat, Zone
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.replay import game_of
from pigglesim.render.palette import SIDES
from pigglesim.render.svg import Lying, top_view_svg
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Scene


def bodies_of(teams: Mapping[str, str]) -> dict[str, Body]:
    """Return the body of each Piggle with a known model, by the models of a record."""
    bodies = {}
    for name, model in teams.items():
        try:
            bodies[name] = load_models([model])[model]
        except SpecError:
            # An unknown custom model: the Piggle is drawn as a mark.
            continue
    return bodies


def lying_of(
    landings: Iterable[tuple[str, Landing]],
    bodies: Mapping[str, Body],
    *,
    captured: Iterable[str] = (),
) -> list[Lying]:
    """Return Piggles of a match at rest, each with its body and in its player's colour.

    Args:
        landings: Landing of each Piggle, by id; those off the board are omitted.
        bodies: Body of each Piggle, by id; one without a body is drawn as a mark.
        captured: Piggles that the opponent of their owner has.
    """
    lying = []
    for name, landing in landings:
        if landing.zone is Zone.OFF:
            continue
        body = bodies.get(name)
        worn = split_livery(body.model)[1] if body else None
        has = owner(name).other if name in captured else owner(name)
        label = worn.label if worn else ""
        lying.append(
            Lying(name=name, landing=landing, body=body, owner=has, worn=label, place=landing.place)
        )
    return lying


def position_svg(
    board: Board,
    position: PigglesState,
    *,
    bodies: Mapping[str, Body] | None = None,
    title: str,
    subtitle: str = "",
    reading: ReadingRules | None = None,
) -> str:
    """Return a position as one SVG: the board from above, and the Piggles of each player.

    Args:
        board: Board of the match.
        position: State of the match.
        bodies: Body of each Piggle, by id, in its livery; without them each is a mark.
        title: First line.
        subtitle: Fainter line under it.
        reading: House rules of the readings. Default: the usual rules.
    """
    lying = lying_of(position.board, bodies or {}, captured=position.captured)
    words = [line for seat in SIDES for line in _side(position, seat)]
    return top_view_svg(
        board,
        lying,
        title=title,
        subtitle=subtitle,
        words=words,
        reading=reading or ReadingRules(),
    )


def _side(position: PigglesState, seat: Seat) -> list[str]:
    side = position.side(seat)
    areas = {"Pen": side.pen, "Cup": side.cup, "Mud": side.mud_piggles, "Kitchen": side.kitchen}
    held = [f"{seat}'s {name}: {' '.join(ids)}" for name, ids in areas.items() if ids]
    return [f"{SIDES[seat]}: {side.score} points", *held]


def piggles_of(record: MatchRecord) -> Piggles:
    """Return the rules of a recorded match of Piggles.

    Raises:
        SpecError: If the game is unknown, or has no board.
    """
    game = game_of(record)
    if not is_piggles(game):
        raise SpecError(
            f"{record.header.game} has no board to draw",
            expected="a match of Piggles",
            fix="use pigglesim replay FILE",
        )
    return game


def scene_of(header: Header) -> Scene | None:
    """Return the table of a recorded match; None if it names no built-in one."""
    name = header.chance.get("scene")
    return load_scene(name) if isinstance(name, str) and name in scene_names() else None
