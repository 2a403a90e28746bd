"""Looks of a body: colour and rune of a Piggle, pips of a die, and shading; for eyes only."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body, Indices, Skin, StablePose
from pigglesim.bodies.mesh_files import to_linear
from pigglesim.errors import SpecError
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.rotations import Array

PIP_PART = "pip"
"""Name of the part, and of the material, of the faces of pips."""

_PIPS = {
    "1": ((0, 0),),
    "2": ((-1, -1), (1, 1)),
    "3": ((-1, -1), (0, 0), (1, 1)),
    "4": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    "5": ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    "6": ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where pips are on a side, in steps."""
_STEP, _RADIUS = 0.48, 0.17
"""Between pips, and of one, in distances of the side from the middle."""
_PIP_LIFT = 0.00006
"""How far above the side they are drawn [m]."""
_PIP_CORNERS = 24
_DARK = (0.02, 0.018, 0.02)
"""Linear RGB."""


@cache
def worn_skin(body: Body) -> Skin:
    """Return what is seen of a body: its skin, and the pips of a die."""
    return with_pips(body).skin


def is_numbered(body: Body) -> bool:
    """Return whether a body is a die: whether all its poses are named 1 to 6."""
    return bool(body.poses) and all(pose.name in _PIPS for pose in body.poses)


def with_pips(body: Body) -> Body:
    """Return a die with pips on its skin: the same hull, mass, poses and digest.

    A body that is no die is returned as it is.
    """
    if not is_numbered(body):
        return body
    skin = body.skin
    discs = np.vstack([_side(body, pose) for pose in body.poses]) + body.mass.centre
    # Each disc is its corners and then its middle.
    here = np.arange(_PIP_CORNERS)
    fan = np.column_stack([np.full(_PIP_CORNERS, _PIP_CORNERS), here, (here + 1) % _PIP_CORNERS])
    starts = len(skin.vertices) + (_PIP_CORNERS + 1) * np.arange(len(discs))
    faces = (fan[None] + starts[:, None, None]).reshape(-1, 3)
    vertices = np.vstack([skin.vertices, discs.reshape(-1, 3)])
    whole = np.vstack([skin.faces, faces])
    for array in (vertices, whole):
        array.setflags(write=False)
    materials = skin.face_materials or ("unpainted",) * len(skin.faces)
    pips = (PIP_PART,) * len(faces)
    return replace(
        body,
        skin=replace(
            skin,
            vertices=vertices,
            faces=whole,
            face_parts=(*skin.face_parts, *pips),
            face_materials=(*materials, *pips),
            colours={**skin.colours, PIP_PART: _DARK},
        ),
    )


def _side(body: Body, pose: StablePose) -> Array:
    """Return the discs of the side that is up in a pose [m], about the centre of mass.

    Shape [pip_count, corner_count + 1, 3].
    """
    up: Array = -pose.down
    # The same axes for a side and its opposite, so that pips do not depend on a choice.
    across = np.roll(np.abs(up), 1)
    across = across - up * float(across @ up)
    across /= np.linalg.norm(across)
    ahead = np.cross(up, across)
    away = float(np.max((body.hull.vertices - body.mass.centre) @ up))
    turns = 2.0 * math.pi * np.arange(_PIP_CORNERS) / _PIP_CORNERS
    rim = _RADIUS * away * (np.outer(np.cos(turns), across) + np.outer(np.sin(turns), ahead))
    disc = np.vstack([rim, np.zeros(3)])
    middles = [
        (away + _PIP_LIFT) * up + _STEP * away * (x * across + y * ahead)
        for x, y in _PIPS[pose.name]
    ]
    return np.array(middles)[:, None, :] + disc


def corner_normals(skin: Skin, *, crease: float = math.radians(50.0)) -> Array:
    """Return a unit normal for each corner of each face, shape [face_count, 3, 3].

    A corner takes the mean, weighted by angle and area, of the faces at its vertex that have
    the same part and material and turn from its own by less than `crease` [rad].
    """
    corners = skin.vertices[skin.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    unit = normals / areas[:, None]
    ahead = np.roll(corners, -1, axis=1) - corners
    back = np.roll(corners, 1, axis=1) - corners
    turn = np.cross(ahead, back)
    angles = np.arctan2(np.linalg.norm(turn, axis=2), np.einsum("ijk,ijk->ij", ahead, back))
    materials = skin.face_materials or ("",) * len(skin.faces)
    labels = list(zip(skin.face_parts, materials, strict=True))
    number = {label: k for k, label in enumerate(dict.fromkeys(labels))}
    kinds = np.array([number[label] for label in labels])
    weights = (angles * areas[:, None]).reshape(-1)
    return _means(skin.faces.reshape(-1), unit, kinds, weights, math.cos(crease))


def _means(owners: Indices, unit: Array, kinds: Indices, weights: Array, limit: float) -> Array:
    """Return the mean normal at each corner over the like-minded faces of its vertex."""
    order = np.argsort(owners, kind="stable")
    sizes = np.unique(owners, return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    result = np.zeros((len(owners), 3))
    # All vertices with equally many faces at once.
    for size in np.unique(sizes).tolist():
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        around = unit[members // 3]
        kind = kinds[members // 3]
        alike = around @ around.transpose(0, 2, 1) > limit
        alike &= kind[:, :, None] == kind[:, None, :]
        result[members] = (alike * weights[members][:, None, :]) @ around
    result /= np.maximum(np.linalg.norm(result, axis=1), 1e-30)[:, None]
    return result.reshape(-1, 3, 3)


Point = tuple[float, float]

_WIDTH = 0.36
"""Width of a stroke: a tenth of the mark's height on each side still shows at 20 pixels."""
_CORNERS = 8
"""Corners of a quarter of a round end."""


def glyph(rune: Rune) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the filled outline of a rune, a shapely geometry within the square of side 2."""
    from shapely import Point as Dot  # noqa: PLC0415 (slow to import)
    from shapely import affinity, union_all  # noqa: PLC0415 (slow to import)

    match rune:
        case Rune.LEFT:
            return _hook()
        case Rune.ACROSS:
            plate = Dot(0.0, 0.0).buffer(1.0, quad_segs=2 * _CORNERS)
            return plate.difference(affinity.scale(_hook(0.34), 0.66, 0.66, origin=(0.0, 0.0)))
        case Rune.ADJACENT:
            diamond = ((0.0, 0.84), (0.84, 0.0), (0.0, -0.84), (-0.84, 0.0), (0.0, 0.84))
            dots = [Dot(x, 0.0).buffer(0.2, quad_segs=_CORNERS) for x in (-0.3, 0.3)]
            return union_all([_stroke(diamond, 0.28), *dots])
        case Rune.ARROW_CW:
            return _turning_arrow()
        case Rune.SPIRAL_CW:
            return _spiral()
        case Rune.SPLIT:
            return _split()
        case Rune.RIGHT | Rune.ARROW_CCW | Rune.SPIRAL_CCW:
            twin = {
                Rune.RIGHT: Rune.LEFT,
                Rune.ARROW_CCW: Rune.ARROW_CW,
                Rune.SPIRAL_CCW: Rune.SPIRAL_CW,
            }[rune]
            return affinity.scale(glyph(twin), -1.0, 1.0, origin=(0.0, 0.0))


def _stroke(points: Sequence[Point], width: float = _WIDTH) -> Any:  # noqa: ANN401 (shapely)
    from shapely import LineString  # noqa: PLC0415 (slow to import)

    return LineString(points).buffer(width / 2, quad_segs=_CORNERS)


def _arc(
    radius: float, start_deg: float, end_deg: float, *, end_radius: float = 0.0
) -> list[Point]:
    """Return points of an arc about the origin; with an `end_radius`, of a spiral."""
    count = max(2, round(abs(end_deg - start_deg) / 12.0))
    points = []
    for k in range(count + 1):
        share = k / count
        turn = math.radians(start_deg + (end_deg - start_deg) * share)
        reach = radius + ((end_radius or radius) - radius) * share
        points.append((reach * math.cos(turn), reach * math.sin(turn)))
    return points


def _hook(width: float = _WIDTH) -> Any:  # noqa: ANN401 (shapely)
    """Return a way that goes up and then turns to the left, with a barbed end."""
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    stem = [(0.62, -0.82), (0.62, 0.1)]
    bend = [(x + 0.3, y + 0.1) for x, y in _arc(0.32, 0.0, 90.0)]
    way = [*stem, *bend, (-0.7, 0.42)]
    barb = [(-0.3, 0.82), (-0.72, 0.42), (-0.3, 0.02)]
    return union_all([_stroke(way, width), _stroke(barb, width)])


def _turning_arrow() -> Any:  # noqa: ANN401 (shapely)
    """Return an open ring that runs clockwise into an arrow head."""
    from shapely import Polygon, union_all  # noqa: PLC0415 (slow to import)

    radius, foot_deg = 0.62, 48.0
    ring = _arc(radius, 300.0, foot_deg)
    turn = math.radians(foot_deg)
    outward, ahead = (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))
    head = [
        tuple(outward[axis] * (radius + across) + ahead[axis] * along for axis in (0, 1))
        for across, along in ((-0.46, 0.0), (0.46, 0.0), (-0.06, 0.66))
    ]
    return union_all([_stroke(ring, 0.28), Polygon(head).buffer(0.03, quad_segs=4)])


def _spiral() -> Any:  # noqa: ANN401 (shapely)
    """Return a line that winds out clockwise from a dot in its middle."""
    from shapely import Point as Dot  # noqa: PLC0415 (slow to import)
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    line = _arc(0.42, 220.0, -200.0, end_radius=0.85)
    return union_all([_stroke(line, 0.26), Dot(0.0, 0.0).buffer(0.17, quad_segs=_CORNERS)])


def _split() -> Any:  # noqa: ANN401 (shapely)
    """Return a line that comes down and parts into two curved legs."""
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    # A cubic Bezier curve: straight down at the fork, and straight down again at the foot.
    a, b, c, d = (0.0, 0.3), (0.0, -0.4), (0.64, 0.1), (0.64, -0.82)
    leg = []
    for k in range(17):
        t = k / 16
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (
            sum(w * point[axis] for w, point in zip(weights, (a, b, c, d), strict=True))
            for axis in (0, 1)
        )
        leg.append((x, y))
    trunk = [(0.0, 0.82), (0.0, 0.3)]
    legs = [[(side * x, y) for x, y in leg] for side in (1.0, -1.0)]
    return union_all([_stroke(trunk), *(_stroke(points) for points in legs)])


_LIFT = 5e-5
"""How far a decal lies above the skin [m]: a coat of paint, enough for depth buffers to tell."""
_FACING = 0.5
"""Least cosine between a face and the spot's outward direction: no mark runs round a bend."""
_GRID = 1e-8
"""Corners nearer than this [m] are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place for a mark: a plane near the surface, from which outlines are projected."""

    centre: tuple[float, float, float]
    """[m], body frame."""
    outward: tuple[float, float, float]
    """Direction to whoever looks at the mark; any length but zero, not along +-y."""
    half_size: float
    """Half the side of the square that the mark fills [m]."""

    @property
    def axes(self) -> Array:
        """Return unit vectors across (to the looker's right), upward and outward, shape [3, 3]."""
        outward = np.array(self.outward) / np.linalg.norm(self.outward)
        across = np.cross([0.0, 1.0, 0.0], outward)
        across /= np.linalg.norm(across)
        return np.stack([across, np.cross(outward, across), outward])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decal:
    """Triangles just above a surface."""

    vertices: Array
    """[m], shape [vertex_count, 3]."""
    faces: Indices


def lay_on(skin: Skin, outline: Any, spot: Spot, *, part: str) -> Decal:  # noqa: ANN401 (shapely)
    """Return an outline laid onto the faces of one part of a skin; what lies beside it is lost.

    Each face that looks outward is seen as a flat triangle from the spot's outward direction;
    the outline is cut along these triangles and every piece lifted onto its face.

    Args:
        skin: The surface.
        outline: Polygons in the spot's square of side 2.
        spot: Where to lay it.
        part: Name of the part that takes it.
    """
    from shapely import Polygon, STRtree, affinity  # noqa: PLC0415 (slow to import)

    axes = spot.axes
    owned = np.flatnonzero(np.array(skin.face_parts) == part)
    corners = (skin.vertices[skin.faces[owned]] - np.array(spot.centre)) @ axes.T
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    # Far behind the spot lie other things: the far side, or what parts enclose between them.
    seen = (normals[:, 2] > _FACING * sizes) & (corners[:, :, 2].min(axis=1) > -spot.half_size)
    corners, normals = corners[seen], normals[seen]
    mark = affinity.scale(outline, spot.half_size, spot.half_size, origin=(0.0, 0.0))
    cells = [Polygon(cell) for cell in corners[:, :, :2]]
    pieces = []
    for index in sorted(STRtree(cells).query(mark, predicate="intersects").tolist()):
        flat = _triangles(mark.intersection(cells[index]))
        slope = normals[index]
        depth = corners[index, 0, 2] - (flat - corners[index, 0, :2]) @ slope[:2] / slope[2]
        pieces.append(np.concatenate([flat, depth[:, :, None]], axis=2))
    found = np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    return _joined(found + np.array([0.0, 0.0, _LIFT]), axes, spot)


def _triangles(area: Any) -> Array:  # noqa: ANN401 (shapely carries no types)
    """Return the triangles of a plane area, counter-clockwise, shape [triangle_count, 3, 2]."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415 (slow)

    points = get_coordinates(constrained_delaunay_triangles(area))
    # Each ring gives its first corner again at its end.
    cells: Array = points.reshape(-1, 4, 2)[:, :3]
    first, second = cells[:, 1] - cells[:, 0], cells[:, 2] - cells[:, 0]
    clockwise = first[:, 0] * second[:, 1] < first[:, 1] * second[:, 0]
    cells[clockwise] = cells[clockwise][:, ::-1]
    return cells


def _joined(triangles: Array, axes: Array, spot: Spot) -> Decal:
    """Return triangles in the spot's frame as one mesh in the body's; slivers are dropped."""
    points = np.round(triangles.reshape(-1, 3) / _GRID) * _GRID
    unique, inverse = np.unique(points, axis=0, return_inverse=True)
    faces = inverse.reshape(-1, 3).astype(np.int64)
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return Decal(vertices=unique @ axes + np.array(spot.centre), faces=faces)


RUNE_PART = "rune"
"""Part and material of the faces that show a rune."""

SPOTS = (
    Spot(centre=(0.0, -6.9e-3, 4.7e-3), outward=(0.0, -0.45, 0.89), half_size=2.8e-3),
    Spot(centre=(0.0, 3.5e-3, -6.0e-3), outward=(0.0, 0.20, -0.98), half_size=4.3e-3),
)
"""The belly between smile and feet, seen Snout-Up; the back above the tail, seen Snout-Down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Palette:
    """sRGB of a colour's materials, as `#rrggbb`."""

    skin: str
    accent: str
    """Snout, tail, inner ears and blush."""
    dark: str
    """Hooves; what is cut (nostrils, clefts, mouth) is darker still."""
    rune: str


# The skins lie 18 or more apart (CIEDE2000) for normal eyes and without red, green or blue cones.
# That needs lightness as well as hue: a dark red, a light yellow, the rest between.
_PALETTES = {
    Colour.ORANGE: _Palette(skin="#e07f26", accent="#f6b573", dark="#6b2f0c", rune="#46200a"),
    Colour.RED: _Palette(skin="#a01331", accent="#dd5a70", dark="#4a0615", rune="#ffe3d6"),
    Colour.BLUE: _Palette(skin="#4f68c4", accent="#7f97e6", dark="#1c2866", rune="#f2f6ff"),
    Colour.GREEN: _Palette(skin="#2eaa88", accent="#79dcbb", dark="#07402f", rune="#03281d"),
    Colour.YELLOW: _Palette(skin="#ffe668", accent="#f2b63c", dark="#8a5a10", rune="#5c3d06"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Livery:
    """What a Piggle wears."""

    colour: Colour
    rune: Rune | None = None
    """None for a runeless Piggle (R24)."""

    def __str__(self) -> str:
        return f"{self.colour}+{self.rune}" if self.rune else str(self.colour)

    @property
    def label(self) -> str:
        """Such as "Blue, To the Left Of"."""
        return f"{self.colour.label}, {self.rune.label if self.rune else 'runeless'}"

    @classmethod
    def parse(cls, text: str) -> "Livery":
        """Return the livery of a text such as `"blue"` or `"blue+left"`; `str` gives it back.

        Raises:
            SpecError: If a colour or a rune is unknown; the nearest names are given.
        """
        colour, plus, rune = text.partition("+")
        return cls(colour=read_colour(colour), rune=read_rune(rune) if plus else None)


def liveries() -> tuple[Livery, ...]:
    """Return every livery: five colours, each runeless and with nine runes."""
    runes: tuple[Rune | None, ...] = (None, *Rune)
    return tuple(Livery(colour=colour, rune=rune) for colour in Colour for rune in runes)


def split_livery(name: str) -> tuple[str, Livery | None]:
    """Return the plain model and the livery in a name such as `"piggle+blue+left"`.

    Raises:
        SpecError: If what follows the first plus sign is no livery.
    """
    # A path may hold a plus sign of its own: there a livery can only follow the file's name.
    start = max(name.rfind("/") + 1, name.rfind(".toml"), 0)
    head, plus, livery = name[start:].partition("+")
    return name[:start] + head, Livery.parse(livery) if plus else None


def skin_colour(colour: Colour) -> str:
    """Return the sRGB of a coloured Piggle's skin, as `#rrggbb`."""
    return _PALETTES[colour].skin


def dress(body: Body, livery: Livery) -> Body:
    """Return the body in a livery: another skin; the same hull, mass, poses and digest.

    Args:
        body: A Piggle in its plain skin.
        livery: What to put on.

    Raises:
        SpecError: If the body has no skin to paint, or wears a livery already.
    """
    _check(body)
    palette = _colours(livery.colour)
    skin = replace(body.skin, colours=body.skin.colours | palette)
    if livery.rune:
        skin = _with_decals(skin, _decals(body.skin, livery.rune))
    return replace(body, model=f"{body.model}+{livery}", skin=skin)


def _check(body: Body) -> None:
    if "+" in body.model:
        raise SpecError(
            "a Piggle in its plain skin",
            got=repr(body.model),
            remedy="dress the plain model",
        )
    painted = set(zip(body.skin.face_parts, body.skin.face_materials, strict=False))
    if ("body", "skin") not in painted:
        raise SpecError(
            'a model whose part "body" is painted with the material "skin"',
            got=f"{body.model}, which has none",
            remedy="give a livery to piggle or premium",
        )


@cache
def _colours(colour: Colour) -> dict[str, tuple[float, float, float]]:
    """Return the linear RGB of the materials that a colour changes; eyes stay as they are."""
    palette = _PALETTES[colour]
    skin, accent, dark, rune = (
        _linear(text) for text in (palette.skin, palette.accent, palette.dark, palette.rune)
    )
    deep = (dark[0] * 0.4, dark[1] * 0.4, dark[2] * 0.4)
    return {
        "skin": skin,
        **dict.fromkeys(("snout", "tail", "inner_ear", "blush"), accent),
        "hoof": dark,
        **dict.fromkeys(("nostril", "cleft", "mouth"), deep),
        RUNE_PART: rune,
    }


def _linear(text: str) -> tuple[float, float, float]:
    red, green, blue = (to_linear(int(text[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue


@lru_cache(maxsize=64)
def _decals(skin: Skin, rune: Rune) -> tuple[Decal, ...]:
    """Return a rune laid on all its spots; kept, for all colours share it."""
    outline = glyph(rune)
    return tuple(lay_on(skin, outline, spot, part="body") for spot in SPOTS)


def _with_decals(skin: Skin, decals: Iterable[Decal]) -> Skin:
    """Return a skin with decals after its own vertices and faces."""
    vertices: list[NDArray[np.float64]] = [skin.vertices]
    faces: list[NDArray[np.int64]] = [skin.faces]
    count = len(skin.vertices)
    for decal in decals:
        faces.append(decal.faces + count)
        vertices.append(decal.vertices)
        count += len(decal.vertices)
    points, corners = np.vstack(vertices), np.vstack(faces)
    points.setflags(write=False)
    corners.setflags(write=False)
    added = (RUNE_PART,) * (len(corners) - len(skin.faces))
    return replace(
        skin,
        vertices=points,
        faces=corners,
        face_parts=skin.face_parts + added,
        face_materials=skin.face_materials + added,
    )
