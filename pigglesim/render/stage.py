"""Colours of what is shared, in three dimensions and from above: board, lines, table, glass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.bodies.body import Body, Indices
from pigglesim.bodies.livery import RUNE_PART, corner_normals, worn_skin
from pigglesim.bodies.load import load_models
from pigglesim.bodies.mesh_files import to_linear
from pigglesim.films.film import Film, FilmActor
from pigglesim.landing import Landing, ReadingRules, Zone
from pigglesim.render.palette import EDGE, GLASS, LINE, PLAIN, REGIONS, TABLE
from pigglesim.rotations import Array
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Cup, Print, printed_areas, triangles_of

if TYPE_CHECKING:
    from pigglesim.scene.scene import Scene


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear RGB, 0 to 1, of an sRGB colour as `#rrggbb`."""
    red, green, blue = (to_linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue


_STILL_APART = 2e-4
"""A body this far [m] from where it ends ..."""
_STILL_TURNED = 0.02
"""... or turned by so much [rad] is not at rest yet, for the eye."""


def dressed_name(actor: FilmActor) -> str:
    """Return the model of an actor with what it wears, such as `"piggle+blue+left"`."""
    worn = [word for word in (actor.color, actor.rune) if word is not None]
    return "+".join([actor.model, *worn])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """A film, and what is seen in it."""

    film: Film
    board: Board
    cup: Cup
    bodies: "tuple[Body, ...]"
    """Of the film's actors, in their order."""
    reading: ReadingRules
    """By which it was read how they came to lie."""

    @classmethod
    def of(
        cls,
        film: Film,
        *,
        scene: "Scene | None" = None,
        bodies: "Mapping[str, Body] | None" = None,
        reading: ReadingRules | None = None,
    ) -> "Stage":
        """Return the stage of a film.

        Args:
            film: The film.
            scene: Its table; the one of its name if absent.
            bodies: The body of each actor, by the actor's name; those of its model's name if
                absent.
            reading: By which it was read how they came to lie; the usual rules if absent.

        Raises:
            SpecError: If the film names a scene or a model that is not known here.
        """
        table = scene or load_scene(film.scene)
        if bodies is None:
            loaded = load_models(dict.fromkeys(dressed_name(actor) for actor in film.actors))
            bodies = {actor.name: loaded[dressed_name(actor)] for actor in film.actors}
        return cls(
            film=film,
            board=table.board,
            cup=table.cup,
            bodies=tuple(bodies[actor.name] for actor in film.actors),
            reading=reading or ReadingRules(),
        )

    @property
    def readings(self) -> dict[str, Landing]:
        """How each came to lie, by name."""
        return dict(self.film.readings)

    @property
    def rest_times(self) -> tuple[float, ...]:
        """Since when each body lies as it does at the end [s], in the order of the actors."""
        times = self.film.frames.rest_times(apart=_STILL_APART, turned=_STILL_TURNED)
        return tuple(times.tolist())


_UNPAINTED = (0.72, 0.62, 0.52)
"""Linear RGB of a body that nobody has painted."""
_FINE = 127.0
"""Corners of one vertex whose normals agree to a part in so many are one corner."""
_ROUND = 64
"""Sides of what is round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """How a surface takes light."""

    name: str
    colour: tuple[float, float, float]
    """Linear RGB, 0 to 1."""
    roughness: float = 0.6
    """0 for a mirror, 1 for chalk."""
    opacity: float = 1.0
    """1 for what hides all behind it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solid:
    """Triangles with a normal at each corner and a material each."""

    vertices: Array
    """[m], shape [vertex_count, 3]."""
    normals: Array
    """Unit vectors, shape [vertex_count, 3]."""
    faces: Indices
    """Counter-clockwise from outside, shape [face_count, 3]; those of one material together."""
    materials: tuple[Material, ...]
    """In the order of the faces."""
    face_counts: tuple[int, ...]
    """How many faces each material has."""

    @property
    def vertex_materials(self) -> Indices:
        """The number of each vertex's material, shape [vertex_count]; no vertex has two."""
        owner = np.zeros(len(self.vertices), dtype=np.int64)
        owner[self.faces] = np.repeat(np.arange(len(self.materials)), self.face_counts)[:, None]
        return owner


@lru_cache(maxsize=64)
def body_solids(body: Body) -> tuple[Solid, ...]:
    """Return a body's skin about its centre of mass, along its own axes, as it is painted.

    The rune that it wears is a solid of its own, so that the rest has the same corners and faces
    in every livery.
    """
    whole = _painted_skin(body)
    names = [material.name for material in whole.materials]
    if RUNE_PART not in names:
        return (whole,)
    # What a livery lays on a skin comes after the skin's own vertices and faces.
    vertices = int(np.count_nonzero(whole.vertex_materials != names.index(RUNE_PART)))
    faces = sum(whole.face_counts[:-1])
    rune = Solid(
        vertices=whole.vertices[vertices:],
        normals=whole.normals[vertices:],
        faces=whole.faces[faces:] - vertices,
        materials=whole.materials[-1:],
        face_counts=whole.face_counts[-1:],
    )
    bare = Solid(
        vertices=whole.vertices[:vertices],
        normals=whole.normals[:vertices],
        faces=whole.faces[:faces],
        materials=whole.materials[:-1],
        face_counts=whole.face_counts[:-1],
    )
    return bare, rune


def _painted_skin(body: Body) -> Solid:
    skin = worn_skin(body)
    names = skin.face_materials or ("unpainted",) * len(skin.faces)
    order = {name: k for k, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([order[name] for name in names], dtype=np.int64)
    # Faces of one material together; within it as the skin has them.
    sorting = np.argsort(numbers, kind="stable")
    faces, numbers = skin.faces[sorting], numbers[sorting]
    normals = corner_normals(skin)[sorting].reshape(-1, 3)
    keys = np.column_stack(
        [faces.reshape(-1), np.repeat(numbers, 3), np.round(normals * _FINE).astype(np.int64)]
    )
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Solid(
        vertices=(skin.vertices - body.mass.centre)[faces.reshape(-1)[first]],
        normals=normals[first],
        faces=inverse.reshape(-1, 3).astype(np.int64),
        materials=tuple(_painted(name, skin.colours.get(name, _UNPAINTED)) for name in order),
        face_counts=tuple(np.bincount(numbers).tolist()),
    )


def _painted(name: str, colour: tuple[float, float, float]) -> Material:
    # Eyes are wet; the rest is satin plastic.
    return Material(name=name, colour=colour, roughness=0.15 if name == "eye" else 0.5)


def board_solid(board: Board) -> Solid:
    """Return the board: what is printed on its top, and its sides."""
    flat = [(_printed(what), _plate(area)) for what, area in printed_areas(board)]
    side = Material(name="edge", colour=linear(EDGE), roughness=0.8)
    return _gathered([*flat, (side, _walls(board))])


def _printed(what: Print) -> Material:
    """Return what an area of the board's top is made of."""
    colour = REGIONS[what] if isinstance(what, Zone) else LINE if what == "line" else PLAIN
    return Material(name=str(what), colour=linear(colour), roughness=0.95)


def table_solid(board: Board, reach: float) -> Solid:
    """Return the table as a disc under the board.

    Args:
        board: Lies on it.
        reach: Radius [m].
    """
    wood = Material(name="table", colour=linear(TABLE), roughness=0.9)
    z = -board.thickness
    return _gathered([(wood, _turned([(reach, z), (0.0, z)]))])


def ring_solid() -> Solid:
    """Return a flat ring of radius 1, to be laid in its owner's colour under what lies still."""
    owner = Material(name="owner", colour=(1.0, 1.0, 1.0), roughness=0.9)
    return _gathered([(owner, _turned([(1.0, 0.0), (0.88, 0.0)]))])


def cup_solid(cup: Cup) -> Solid:
    """Return the cup in its own frame: wall, lip, inside and floor."""
    half = cup.depth / 2.0
    glass = Material(name="glass", colour=linear(GLASS), roughness=0.1, opacity=0.3)
    profile = [
        (0.0, -half - cup.wall),
        (cup.outer_radius, -half - cup.wall),
        (cup.outer_radius, half),
        (cup.inner_radius, half),
        (cup.inner_radius, -half),
        (0.0, -half),
    ]
    return _gathered([(glass, _turned(profile))])


_Triangles = tuple[Array, Array]
"""Corners [m] and their normals, shapes [face_count, 3, 3]."""


def _plate(area: Any) -> _Triangles:  # noqa: ANN401 (shapely carries no types)
    """Return an area of the board's top, facing up."""
    cells = triangles_of(area)
    corners = np.concatenate([cells, np.zeros((len(cells), 3, 1))], axis=2)
    return corners, np.broadcast_to([0.0, 0.0, 1.0], corners.shape)


def _walls(board: Board) -> _Triangles:
    """Return the four sides of the board, facing outwards."""
    h, low = board.half, -board.thickness
    south = np.array([[-h, -h, low], [h, -h, low], [h, -h, 0.0], [-h, -h, 0.0]])
    corners, normals = [], []
    for a, b in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        turn = np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, 1.0]])
        side = south @ turn.T
        corners += [side[[0, 1, 2]], side[[0, 2, 3]]]
        normals += [np.broadcast_to(turn @ [0.0, -1.0, 0.0], (3, 3))] * 2
    return np.array(corners), np.array(normals)


def _turned(profile: Sequence[tuple[float, float]]) -> _Triangles:
    """Return a profile of radii and heights [m] turned about z, its left side outside."""
    angles = 2.0 * np.pi * np.arange(_ROUND + 1) / _ROUND
    # The last is the first, to the bit.
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    around[-1] = around[0]
    corners: list[Array] = []
    normals: list[Array] = []
    for (r, low), (s, high) in pairwise(profile):
        across, up = high - low, r - s
        slope = np.array([across, up]) / np.hypot(across, up)
        ring = np.column_stack([around * slope[0], np.full(len(around), slope[1])])
        below = np.column_stack([around * r, np.full(len(around), low)])
        above = np.column_stack([around * s, np.full(len(around), high)])
        for k in range(_ROUND):
            if r > 0.0:
                corners.append(np.array([below[k], below[k + 1], above[k + 1]]))
                normals.append(ring[[k, k + 1, k + 1]])
            if s > 0.0:
                corners.append(np.array([below[k], above[k + 1], above[k]]))
                normals.append(ring[[k, k + 1, k]])
    return np.array(corners), np.array(normals)


def _gathered(parts: Sequence[tuple[Material, _Triangles]]) -> Solid:
    """Return triangles of several materials as one solid, each corner kept once."""
    corners = np.concatenate([triangles[0] for _, triangles in parts]).reshape(-1, 3)
    normals = np.concatenate([triangles[1] for _, triangles in parts]).reshape(-1, 3)
    counts = tuple(len(triangles[0]) for _, triangles in parts)
    owners = np.repeat(np.arange(len(parts)), [3 * count for count in counts])
    keys = np.column_stack([np.round(corners * 1e7), np.round(normals * _FINE), owners])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Solid(
        vertices=corners[first],
        normals=normals[first],
        faces=inverse.reshape(-1, 3).astype(np.int64),
        materials=tuple(material for material, _ in parts),
        face_counts=counts,
    )
