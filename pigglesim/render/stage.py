"""Scene description shared by window, page and 3D file, with its solids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import NUMBER_PARTS, RUNE_PART, corner_normals, worn_skin
from pigglesim.bodies.load import load_models
from pigglesim.bodies.mesh import triangles_of
from pigglesim.bodies.mesh_files import MetalColour, linear
from pigglesim.films.film import Film, FilmActor
from pigglesim.landing import Landing, ReadingRules, Zone
from pigglesim.render.palette import (
    BRASS,
    EDGE,
    FELT,
    GLASS,
    LINE,
    PLAIN,
    REGIONS,
    TABLE,
    UNPAINTED,
    WALNUT,
)
from pigglesim.rotations import Array, Indices
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Cup, printed_areas

if TYPE_CHECKING:
    from pigglesim.scene.scene import Scene


def bodies_of(actors: Sequence[FilmActor]) -> tuple[Body, ...]:
    """Return the body of each actor, in its livery.

    Raises:
        SpecError: If a model, a colour or a rune is unknown.
    """
    names = ["+".join(part for part in (a.model, a.color, a.rune) if part) for a in actors]
    loaded = load_models(dict.fromkeys(names))
    return tuple(loaded[name] for name in names)


@dataclass(frozen=True, kw_only=True, eq=False)
class Stage:
    """A film with the bodies and rules to show it."""

    film: Film
    board: Board
    cup: Cup
    bodies: "tuple[Body, ...]"
    """Bodies of the film's actors, in their order."""
    reading: ReadingRules
    """House rules of the readings."""

    @classmethod
    def of(
        cls,
        film: Film,
        *,
        scene: "Scene | None" = None,
        bodies: "Mapping[str, Body] | None" = None,
        reading: ReadingRules | None = None,
    ) -> "Stage":
        """Return the stage of a film, by default with the scene and the models that it names.

        `bodies` maps names of actors to their bodies; `reading` are the house rules.

        Raises:
            SpecError: If the film names an unknown scene or model.
        """
        table = scene or load_scene(film.scene)
        return cls(
            film=film,
            board=table.board,
            cup=table.cup,
            bodies=tuple(bodies[actor.name] for actor in film.actors)
            if bodies is not None
            else bodies_of(film.actors),
            reading=reading or ReadingRules(),
        )

    @cached_property
    def readings(self) -> dict[str, Landing]:
        """Reading of each body, by name."""
        return dict(self.film.readings)

    @cached_property
    def rests(self) -> Array:
        """Time at which each body has come to rest [s], shape [k]."""
        return self.film.frames.rest_times()

    def landed(self, time: float) -> bool:
        """Return whether all bodies are at rest at a time [s]."""
        return bool(np.all(self.rests <= time + 1e-9))


_FINE = 127.0
"""Resolution of normals (1/n) at which corners of one vertex are merged."""
_ROUND = 72
"""Number of sides of round objects: edges are invisible at a thousand pixels."""
_LIP = 6
"""Number of steps of the rounding of the cup's lip."""
_OVERLAY_PARTS = frozenset({RUNE_PART}) | NUMBER_PARTS
"""Parts of a skin that are slightly above the rest of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Colour and finish of a surface."""

    name: str
    colour: tuple[float, float, float]
    """Linear RGB, 0 to 1."""
    roughness: float = 0.6
    """Roughness: 0 for a mirror, 1 for chalk."""
    opacity: float = 1.0
    """Opacity: 1 for an opaque material."""
    metal: bool = False

    @property
    def paint(self) -> tuple[float, float, float, float]:
        """Colour and roughness as the shaders read them: below zero for a metal."""
        return (*self.colour, -self.roughness if self.metal else self.roughness)

    @classmethod
    def of(cls, name: str, colour: str, *, roughness: float, **more: Any) -> "Material":  # noqa: ANN401
        """Return the material of an sRGB colour `#rrggbb`."""
        return cls(name=name, colour=linear(colour), roughness=roughness, **more)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solid:
    """Triangles with a normal at each corner and a material each."""

    vertices: Array
    """Vertex positions [m], shape [vertex_count, 3]."""
    normals: Array
    """Vertex normals, unit vectors, shape [vertex_count, 3]."""
    faces: Indices
    """Faces, counter-clockwise from outside, shape [face_count, 3], grouped by material."""
    materials: tuple[Material, ...]
    """Materials in the order of the faces."""
    face_counts: tuple[int, ...]
    """Number of faces of each material."""

    @property
    def vertex_materials(self) -> Indices:
        """Number of each vertex's material, shape [vertex_count]; no vertex has two."""
        owner = np.zeros(len(self.vertices), dtype=np.int64)
        owner[self.faces] = np.repeat(np.arange(len(self.materials)), self.face_counts)[:, None]
        return owner


@lru_cache(maxsize=64)
def body_solids(body: Body) -> tuple[Solid, ...]:
    """Return a body's painted skin about its centre of mass, along its own axes.

    A rune or numbers are a separate solid, so that the rest is the same in every livery.
    """
    skin = worn_skin(body)
    normals = corner_normals(skin)
    overlay = np.array([part in _OVERLAY_PARTS for part in skin.face_parts])
    return tuple(_skin(body, normals, mask) for mask in (~overlay, overlay) if mask.any())


def _skin(body: Body, corner: Array, mask: NDArray[np.bool_]) -> Solid:
    """Return some faces of a body's skin, given the normals at their corners."""
    skin = worn_skin(body)
    paints = skin.face_materials or ("unpainted",) * len(skin.faces)
    names = [name for name, chosen in zip(paints, mask, strict=True) if chosen]
    order = {name: k for k, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([order[name] for name in names], dtype=np.int64)
    # Grouped by material; within a group in the skin's order.
    sorting = np.argsort(numbers, kind="stable")
    owners, numbers = skin.faces[mask][sorting].reshape(-1), numbers[sorting]
    normals = corner[mask][sorting].reshape(-1, 3)
    keys = [owners, np.repeat(numbers, 3), *np.round(normals * _FINE).astype(np.int64).T]
    first, faces = _weld(keys)
    return Solid(
        vertices=(skin.vertices - body.mass.centre)[owners[first]],
        normals=normals[first],
        faces=faces,
        materials=tuple(_finish(name, skin.colours.get(name, UNPAINTED)) for name in order),
        face_counts=tuple(np.bincount(numbers).tolist()),
    )


def _finish(name: str, colour: tuple[float, float, float]) -> Material:
    """Return a material of a skin: eyes are wet, the rest is satin plastic or polished metal."""
    metal = isinstance(colour, MetalColour)
    roughness = 0.08 if name == "eye" else 0.28 if metal else 0.42
    return Material(name=name, colour=colour, roughness=roughness, metal=metal)


def _weld(columns: Sequence[Array | Indices]) -> tuple[Indices, Indices]:
    """Return the first of each set of equal corners, and the faces between them."""
    keys = np.column_stack(columns)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1, 3).astype(np.int64)


def board_solid(board: Board) -> Solid:
    """Return the board: the printed areas of its top, and its sides."""
    flat = []
    for name, area in printed_areas(board):
        colour = REGIONS[name] if isinstance(name, Zone) else LINE if name == "line" else PLAIN
        flat.append((Material.of(str(name), colour, roughness=0.95), _plate(area)))
    side = Material.of("edge", EDGE, roughness=0.8)
    return _merge([*flat, (side, _walls(board))])


def printed_solid(board: Board) -> Solid:
    """Return the board with a blank top, for the print of `board_print`, and its sides."""
    from shapely import box  # noqa: PLC0415 (slow to import)

    blank = Material.of("print", "#ffffff", roughness=0.95)
    side = Material.of("edge", EDGE, roughness=0.8)
    top = _plate(box(-board.half, -board.half, board.half, board.half))
    return _merge([(blank, top), (side, _walls(board))])


WOOD_SIDE = 0.45
"""Side of the square of wood that the table repeats [m]."""


def table_solid(board: Board, reach: float) -> Solid:
    """Return the table as a disc of a radius [m] under the board."""
    z = -board.thickness
    return _revolve(Material.of("table", TABLE, roughness=0.9), [[(0.0, z), (reach, z)]])


def cup_solid(cup: Cup) -> Solid:
    """Return the glass of the cup in its own frame: inside, rounded lip and outside, no floor."""
    inner, outer, half = cup.inner_radius, cup.outer_radius, cup.depth / 2.0
    middle, rim, under = (inner + outer) / 2.0, cup.wall / 2.0, -half - cup.wall
    lip = [
        (middle - rim * np.cos(turn), half - rim + rim * np.sin(turn))
        for turn in np.linspace(0.0, np.pi, _LIP + 1)
    ]
    glass = Material.of("glass", GLASS, roughness=0.1, opacity=0.9)
    return _revolve(glass, [[(inner, -half), *lip, (outer, under)]])


def cup_fittings(cup: Cup) -> tuple[Solid, ...]:
    """Return the rim and the ring of brass, the turned foot of walnut and the felt inside.

    All are in the frame of the cup. The ring is under the foot, seen while the cup is upside down.
    """
    inner, outer, half = cup.inner_radius, cup.outer_radius, cup.depth / 2.0
    middle, wide, under = (inner + outer) / 2.0, 0.75 * cup.wall, -half - cup.wall - 0.0004
    turns = np.linspace(0.0, 2.0 * np.pi, 2 * _LIP + 1)
    bead = [
        (middle - wide * np.cos(turn), half - 0.3 * wide + wide * np.sin(turn)) for turn in turns
    ]
    brass = Material.of("brass", BRASS, roughness=0.25, metal=True)
    foot = [(outer, -half + 0.007), (outer + 0.002, -half + 0.004), (outer + 0.002, under)]
    hollow, edge, centre = under + 0.002, 0.86 * outer, 0.5 * outer
    ring = [(centre + 0.004, hollow - 0.0002), (centre, hollow - 0.0002)]
    sole = [foot[-1], (outer - 0.001, under)], [(outer - 0.001, under), (edge, hollow)]
    inside = [(0.0, -half + 0.0004), (inner, -half + 0.0004)]
    walnut = Material.of("walnut", WALNUT, roughness=0.45)
    felt = Material.of("felt", FELT, roughness=0.95)
    return (
        _revolve(brass, [bead, ring]),
        _revolve(walnut, [foot, *sole, [(edge, hollow), (0.0, hollow)]]),
        _revolve(felt, [inside]),
    )


_Triangles = tuple[Array, Array]
"""Corners [m] and their normals, shapes [face_count, 3, 3]."""


def _plate(area: Any) -> _Triangles:  # noqa: ANN401 (shapely carries no types)
    """Return an area of the board's top, facing up."""
    cells = triangles_of(area)
    corners = np.concatenate([cells, np.zeros((len(cells), 3, 1))], axis=2)
    return corners, np.broadcast_to([0.0, 0.0, 1.0], corners.shape)


def _walls(board: Board) -> _Triangles:
    h, low = board.half, -board.thickness
    south = np.array([[-h, -h, low], [h, -h, low], [h, -h, 0.0], [-h, -h, 0.0]])
    corners, normals = [], []
    for a, b in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        turn = np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, 1.0]])
        side = south @ turn.T
        corners += [side[[0, 1, 2]], side[[0, 2, 3]]]
        normals += [np.broadcast_to(turn @ [0.0, -1.0, 0.0], (3, 3))] * 2
    return np.array(corners), np.array(normals)


def _revolve(material: Material, runs: Sequence[Sequence[tuple[float, float]]]) -> Solid:
    """Return a solid of revolution about z from profiles (radius, height) [m], left side out."""
    angles = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    out = np.column_stack([np.cos(angles), np.sin(angles)])
    points, normals, faces, count = [], [], [], 0
    for run in runs:
        ahead = np.gradient(np.array(run), axis=0)
        ahead /= np.linalg.norm(ahead, axis=1)[:, None]
        points += [np.column_stack([r * out, np.full(_ROUND, z)]) for r, z in run]
        normals += [np.column_stack([-dz * out, np.full(_ROUND, dr)]) for dr, dz in ahead]
        faces.append(bands(_ROUND, len(run)) + count)
        count += len(run) * _ROUND
    vertices, triangles = np.vstack(points), np.vstack(faces)
    first, second, third = (vertices[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    # At the axis every other triangle is degenerate.
    triangles = triangles[area > 1e-12]
    return Solid(
        vertices=vertices,
        normals=np.vstack(normals),
        faces=triangles,
        materials=(material,),
        face_counts=(len(triangles),),
    )


def bands(count: int, rings: int) -> Indices:
    """Return the triangles between rings of `count` points each, from the first to the last."""
    points = np.arange(count)
    next_points = (points + 1) % count
    faces = []
    for ring in range(rings - 1):
        low, high = ring * count, (ring + 1) * count
        faces.append(np.column_stack([low + points, high + points, high + next_points]))
        faces.append(np.column_stack([low + points, high + next_points, low + next_points]))
    return np.vstack(faces)


def _merge(parts: Sequence[tuple[Material, _Triangles]]) -> Solid:
    """Return triangles of several materials as one solid, without duplicate corners."""
    corners = np.concatenate([triangles[0] for _, triangles in parts]).reshape(-1, 3)
    normals = np.concatenate([triangles[1] for _, triangles in parts]).reshape(-1, 3)
    counts = tuple(len(triangles[0]) for _, triangles in parts)
    owners = np.repeat(np.arange(len(parts)), [3 * count for count in counts])
    first, faces = _weld([np.round(corners * 1e7), np.round(normals * _FINE), owners])
    return Solid(
        vertices=corners[first],
        normals=normals[first],
        faces=faces,
        materials=tuple(material for material, _ in parts),
        face_counts=counts,
    )
