"""A position as a film of one frame: what lies on the board, and the Pens beside it."""

from collections.abc import Mapping, Sequence

import numpy as np

from pigglesim.asking import DiceResult
from pigglesim.films.film import Actor, Film, Frames
from pigglesim.pictures.board import place_of
from pigglesim.rolls import Landing, Orientation, RestPlace, Seat
from pigglesim.scene.scene import Scene
from pigglesim.shapes.body import Body
from pigglesim.shapes.livery import split_livery
from pigglesim.shapes.load import load_models
from pigglesim.spatial import Array, axis_angle, multiply, rotate

__all__ = ["still_dice", "still_film"]

_BESIDE = 0.030
"""How far from the board's edge a Pen lies [m]."""
_APART = 0.042
"""From one Piggle of a Pen to the next [m]."""
_DOWN = np.array([0.0, 0.0, -1.0])


def still_film(
    lying: Sequence[tuple[str, Landing]],
    pens: Mapping[Seat, Sequence[str]],
    *,
    scene: Scene,
    models: Mapping[str, str],
    owners: Mapping[str, Seat],
) -> Film:
    """Return how a table looks before a roll.

    A Piggle whose landing has no place, for no physics made it, lies alone somewhere in its zone.

    Args:
        lying: What lies on the board, by id.
        pens: What lies beside it, by whose Pen it is.
        scene: The table.
        models: The model of each Piggle, by id, with what it wears.
        owners: Who plays each that lies there, by id.
    """
    bodies = load_models(models.values())
    places = {
        name: at.place or _somewhere(name, at, bodies[models[name]], scene) for name, at in lying
    }
    owned = dict(owners)
    for seat, pen in pens.items():
        for number, name in enumerate(pen):
            owned[name] = seat
            places[name] = _in_pen(seat, number, len(pen), bodies[models[name]], scene)
    names = list(places)
    return Film(
        scene=scene.id,
        actors=tuple(_actor(name, models[name], owned.get(name)) for name in names),
        frames=_frame(list(places.values())),
        readings=tuple(lying),
        origin={},
    )


def still_dice(result: DiceResult, *, scene: Scene, thrower: Seat) -> Film:
    """Return how dice lie on a table; those that no physics has thrown, in a row.

    Args:
        result: Of the throw.
        scene: The table, which has such dice.
        thrower: Whose throw it was.
    """
    assert scene.dice is not None
    model, count = scene.dice.model, len(result.faces)
    die = load_models([model])[model]
    places = list(result.places)
    if not places:
        for number, face in enumerate(result.faces):
            pose = next(pose for pose in die.poses if pose.name == str(face))
            qx, qy, qz, qw = _turning(pose.down).tolist()
            x = (number - (count - 1) / 2.0) * _APART
            places.append(RestPlace(position=(x, 0.0, pose.height), orientation=(qx, qy, qz, qw)))
    return Film(
        scene=scene.id,
        actors=tuple(
            Actor(name=f"die {number}", model=model, owner=thrower, standing=True)
            for number in range(1, count + 1)
        ),
        frames=_frame(places),
        readings=(),
        origin={},
    )


def _frame(places: Sequence[RestPlace]) -> Frames:
    """Return one frame without a cup."""
    return Frames(
        times=np.zeros(1),
        positions=np.array([[place.position for place in places]]).reshape(1, -1, 3),
        orientations=np.array([[place.orientation for place in places]]).reshape(1, -1, 4),
        cup_positions=np.full((1, 3), np.nan),
        cup_orientations=np.full((1, 4), np.nan),
    )


def _actor(name: str, model: str, owner: Seat | None) -> Actor:
    plain, worn = split_livery(model)
    return Actor(
        name=name,
        model=plain,
        owner=owner,
        color=str(worn.colour) if worn else None,
        rune=str(worn.rune) if worn and worn.rune else None,
        standing=True,
    )


def _somewhere(name: str, landing: Landing, body: Body, scene: Scene) -> RestPlace:
    x, y, _ = place_of(name, landing, scene.board)
    return _stood(body, landing.orientation, x, y, floor=0.0)


def _in_pen(seat: Seat, number: int, count: int, body: Body, scene: Scene) -> RestPlace:
    """Return a place in the row of a Pen, face up, in the order in which its player reads."""
    side = 1.0 if seat is Seat.A else -1.0
    along = (number - (count - 1) / 2.0) * _APART
    back = scene.board.half + _BESIDE
    floor = -scene.board.thickness
    return _stood(body, Orientation.SNOUT_UP, side * along, -side * back, floor=floor, side=side)


def _stood(
    body: Body,
    orientation: Orientation | None,
    x: float,
    y: float,
    *,
    floor: float,
    side: float = 1.0,
) -> RestPlace:
    """Return the place of a body in the lowest pose of its class."""
    poses = [pose for pose in body.poses if pose.orientation is orientation] or list(body.poses)
    height, down = (poses[0].height, poses[0].down) if poses else (0.01, _DOWN)
    turn = _turning(down)
    # Those of the North look at their player, too.
    facing = axis_angle(np.array([0.0, 0.0, 1.0]), 0.0 if side > 0.0 else np.pi)
    qx, qy, qz, qw = multiply(facing, turn).tolist()
    return RestPlace(position=(x, y, floor + height), orientation=(qx, qy, qz, qw))


def _turning(down: Array) -> Array:
    """Return the quaternion that turns a unit vector of the body's frame to the floor."""
    axis = np.cross(down, _DOWN)
    sine, cosine = float(np.linalg.norm(axis)), float(down @ _DOWN)
    if sine < 1e-9:
        return axis_angle(np.array([1.0, 0.0, 0.0]), 0.0 if cosine > 0.0 else np.pi)
    turn = axis_angle(axis / sine, float(np.arctan2(sine, cosine)))
    assert np.allclose(rotate(turn, down), _DOWN)
    return turn
