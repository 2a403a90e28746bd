"""Appearance of a body: colour and rune of a Piggle, numbers of a die, and shading; only drawn."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, Skin, StablePose
from pigglesim.bodies.mesh import triangles_of
from pigglesim.bodies.mesh_files import linear
from pigglesim.errors import SpecError
from pigglesim.markings import Colour, Livery, Rune
from pigglesim.rotations import Array, Indices

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
"""Places of pips on a side, in steps."""
_STEP, _RADIUS = 0.48, 0.17
"""Spacing and radius of pips, in distances of the side from the middle."""
_PIP_LIFT = 0.00006
"""Height of pips above the side [m]."""
_PIP_CORNERS = 24
_SIDE_DEPTH = 1e-6
"""Depth below the outermost corner within which corners are on one side [m]."""
_DARK = (0.02, 0.018, 0.02)
"""Linear RGB of pips."""


NUMERAL_PART = "numeral"
"""Name of the part, and of the material, of the faces of numerals.

A die whose colours include this material has numerals in place of pips.
"""
NUMBER_PARTS = frozenset({PIP_PART, NUMERAL_PART})
"""Parts that show the numbers of a die."""
_NUMERAL_SIZE, _NUMERAL_FIT = 0.56, 0.95
"""Largest half height and half diagonal of numerals, in radii of the circle inside a side."""
_NUMERAL_ERROR = 0.008
"""Error of the outline of a numeral, in half heights."""
_EDGE_SIZE, _EDGE_SPOT = 0.3, 0.62
"""Half height of numerals along the edges of a d4, and distance from the middle, in such radii."""


def is_numbered(body: Body) -> bool:
    """Return whether a body is a die: all its poses are named 1 to 6, and have a side above."""
    return bool(body.poses) and all(
        pose.name in _PIPS and _has_side(body, -pose.down) for pose in body.poses
    )


def _has_side(body: Body, up: Array) -> bool:
    """Return whether a body ends in a flat side in a direction, not in a corner or an edge."""
    heights = body.hull.vertices @ up
    return int(np.sum(heights > heights.max() - 1e-6)) > 2


@cache
def worn_skin(body: Body) -> Skin:
    """Return the visible skin of a body: that of a die has pips or numerals."""
    if NUMERAL_PART in body.skin.colours:
        skin = body.skin
        for vertices, faces in _numerals(body):
            skin = _with_faces(skin, vertices, faces, NUMERAL_PART)
        return skin
    if not is_numbered(body):
        return body.skin
    discs = np.vstack([_side(body, pose) for pose in body.poses]) + body.mass.centre
    # Each disc has its corners first, then its middle.
    rim = np.arange(_PIP_CORNERS)
    fan = np.column_stack([np.full(_PIP_CORNERS, _PIP_CORNERS), rim, (rim + 1) % _PIP_CORNERS])
    faces = fan[None] + (_PIP_CORNERS + 1) * np.arange(len(discs))[:, None, None]
    skin = _with_faces(body.skin, discs.reshape(-1, 3), faces.reshape(-1, 3), PIP_PART)
    return replace(skin, colours={**skin.colours, PIP_PART: _DARK})


def _with_faces(skin: Skin, vertices: Array, faces: Indices, part: str) -> Skin:
    """Return a skin with faces appended, of a part and of the material of that name."""
    points = np.vstack([skin.vertices, vertices])
    all_faces = np.vstack([skin.faces, faces + len(skin.vertices)])
    for array in (points, all_faces):
        array.setflags(write=False)
    materials = skin.face_materials or ("unpainted",) * len(skin.faces)
    added = (part,) * len(faces)
    return replace(
        skin,
        vertices=points,
        faces=all_faces,
        face_parts=(*skin.face_parts, *added),
        face_materials=(*materials, *added),
    )


def _side(body: Body, pose: StablePose) -> Array:
    """Return the discs of the upper side in a pose [m], about the centre of mass.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A flat side of a die, about the centre of mass."""

    outward: Array
    middle: Array
    radius: float
    """Radius of the circle about the middle that fits on the side [m]."""
    upward: Array
    """Direction on the side towards its farthest corner."""


def _flat_side(body: Body, outward: Array) -> _Side | None:
    """Return the side of a body in a direction; None where it ends in an edge or a corner."""
    from shapely import MultiPoint, Point  # noqa: PLC0415 (slow to import)

    corners = body.hull.vertices - body.mass.centre
    heights = corners @ outward
    touching = corners[heights > heights.max() - _SIDE_DEPTH]
    across = np.cross(outward, np.eye(3)[int(np.argmin(np.abs(outward)))])
    axes = np.stack([across / np.linalg.norm(across), np.zeros(3), outward])
    axes[1] = np.cross(outward, axes[0])
    flat = MultiPoint(touching @ axes[:2].T).convex_hull
    if flat.geom_type != "Polygon":
        return None
    middle = np.array([flat.centroid.x, flat.centroid.y])
    reaches = np.linalg.norm(touching @ axes[:2].T - middle, axis=1)
    # Of corners equally far, the first by its coordinates: no rounding decides.
    farthest = touching[reaches > reaches.max() - _SIDE_DEPTH]
    corner = farthest[np.lexsort(np.round(farthest, 6).T)[-1]]
    upward = (corner @ axes[:2].T - middle) @ axes[:2]
    return _Side(
        outward=outward,
        middle=np.append(middle, heights.max()) @ axes,
        radius=float(Point(middle).distance(flat.exterior)),
        upward=upward / np.linalg.norm(upward),
    )


def _numerals(body: Body) -> Iterator[tuple[Array, Indices]]:
    """Yield the numerals of a die: on the side that is up or, as on a d4, around that below."""
    sides = {pose: _flat_side(body, pose.down) for pose in body.distinct_poses}
    outlines = {pose: numeral(pose.name, marked=len(sides) > 6) for pose in sides}
    widest = max(math.hypot(*outline.bounds[2:]) for outline in outlines.values())
    for pose, below in sides.items():
        above = _flat_side(body, -pose.down)
        if above is not None and below is not None and above.radius > below.radius / 2.0:
            size = above.radius * min(_NUMERAL_SIZE, _NUMERAL_FIT / widest)
            yield _printed(body, outlines[pose], above, above.middle, above.upward, size)
            continue
        # Seen from any side, the same number is along the edge on which the die rests.
        for other, side in sides.items():
            if side is None or other is pose:
                continue
            upward = -pose.down + side.outward * float(pose.down @ side.outward)
            upward /= np.linalg.norm(upward)
            spot = side.middle - upward * (_EDGE_SPOT * side.radius)
            yield _printed(body, outlines[pose], side, spot, upward, _EDGE_SIZE * side.radius)


def _printed(
    body: Body,
    outline: Any,  # noqa: ANN401 (shapely)
    side: _Side,
    spot: Array,
    upward: Array,
    size: float,
) -> tuple[Array, Indices]:
    """Return an outline printed on a side about a spot, scaled by half its height [m]."""
    flat, faces = np.unique(triangles_of(outline).reshape(-1, 2), axis=0, return_inverse=True)
    axes = np.stack([np.cross(upward, side.outward), upward]) * size
    vertices = flat @ axes + spot + side.outward * _PIP_LIFT + body.mass.centre
    return vertices, faces.reshape(-1, 3).astype(np.int64)


@cache
def numeral(text: str, *, marked: bool) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the outline of a number about its middle, two units high.

    If `marked`, those that are other numbers upside down (6, 9) are underlined.
    """
    import shapely  # noqa: PLC0415 (slow to import)
    from matplotlib import get_data_path  # noqa: PLC0415 (slow to import)
    from matplotlib.ft2font import FT2Font, LoadFlags  # noqa: PLC0415
    from matplotlib.path import Path as Outline  # noqa: PLC0415
    from shapely import affinity  # noqa: PLC0415

    font = FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans-Bold.ttf")
    font.set_size(100.0, 72)
    loops: list[Array] = []
    start = 0.0
    for letter in text:
        size = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
        loops += (np.add(loop, [start, 0.0]) for loop in Outline(*font.get_path()).to_polygons())
        start += size.linearHoriAdvance / 65536.0
    area = shapely.build_area(shapely.MultiLineString(loops))
    left, low, right, high = area.bounds
    scale = 2.0 / (high - low)
    area = affinity.affine_transform(
        area, [scale, 0, 0, scale, -scale * (left + right) / 2, -scale * (low + high) / 2]
    ).simplify(_NUMERAL_ERROR)
    if marked and text in {"6", "9"}:
        area = shapely.union(area, shapely.box(-0.7, -1.5, 0.7, -1.25))
    return area


_CREASE = math.radians(50.0)
"""Smallest angle between two faces with an edge that stays sharp [rad]."""


def corner_normals(skin: Skin) -> Array:
    """Return a unit normal for each corner of each face, shape [face_count, 3, 3].

    A corner has the mean, weighted by angle and area, of the faces at its vertex that have
    the same part and material and differ from its own by less than `_CREASE`.
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
    return _means(skin.faces.reshape(-1), unit, kinds, weights, math.cos(_CREASE))


def _means(owners: Indices, unit: Array, kinds: Indices, weights: Array, limit: float) -> Array:
    """Return the mean normal at each corner over the similar faces of its vertex."""
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


_Point = tuple[float, float]

_WIDTH = 0.36
"""Width of a stroke: a tenth of the mark's height on each side still shows at 20 pixels."""
_CORNERS = 8
"""Corners of a quarter of a round end."""
_TWINS = {
    Rune.RIGHT: Rune.LEFT,
    Rune.ARROW_CCW: Rune.ARROW_CW,
    Rune.SPIRAL_CCW: Rune.SPIRAL_CW,
}
"""Runes that are mirror images of others."""


def glyph(rune: Rune) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the filled outline of a rune, a shapely geometry within the square of side 2."""
    import shapely  # noqa: PLC0415 (slow to import)
    from shapely import affinity  # noqa: PLC0415

    def stroke(points: Sequence[_Point], width: float = _WIDTH) -> Any:  # noqa: ANN401
        return shapely.LineString(points).buffer(width / 2, quad_segs=_CORNERS)

    def dot(x: float, radius: float, corners: int = _CORNERS) -> Any:  # noqa: ANN401
        return shapely.Point(x, 0.0).buffer(radius, quad_segs=corners)

    def hook(width: float = _WIDTH) -> Any:  # noqa: ANN401
        """Return a path that goes up and then turns to the left, with a barbed end."""
        bend = [(x + 0.3, y + 0.1) for x, y in _arc(0.32, 0.0, 90.0)]
        path = [(0.62, -0.82), (0.62, 0.1), *bend, (-0.7, 0.42)]
        barb = [(-0.3, 0.82), (-0.72, 0.42), (-0.3, 0.02)]
        return shapely.union_all([stroke(path, width), stroke(barb, width)])

    if rune in _TWINS:
        return affinity.scale(glyph(_TWINS[rune]), -1.0, 1.0, origin=(0.0, 0.0))
    if rune is Rune.LEFT:
        return hook()
    if rune is Rune.ACROSS:
        hole = affinity.scale(hook(0.34), 0.66, 0.66, origin=(0.0, 0.0))
        return dot(0.0, 1.0, 2 * _CORNERS).difference(hole)
    if rune is Rune.ADJACENT:
        diamond = ((0.0, 0.84), (0.84, 0.0), (0.0, -0.84), (-0.84, 0.0), (0.0, 0.84))
        return shapely.union_all([stroke(diamond, 0.28), dot(-0.3, 0.2), dot(0.3, 0.2)])
    if rune is Rune.ARROW_CW:
        # An open ring, clockwise, that ends in an arrow head.
        radius, foot = 0.62, math.radians(48.0)
        outward, ahead = (math.cos(foot), math.sin(foot)), (math.sin(foot), -math.cos(foot))
        head = [
            tuple(outward[axis] * (radius + across) + ahead[axis] * along for axis in (0, 1))
            for across, along in ((-0.46, 0.0), (0.46, 0.0), (-0.06, 0.66))
        ]
        ring = stroke(_arc(radius, 300.0, 48.0), 0.28)
        return shapely.union_all([ring, shapely.Polygon(head).buffer(0.03, quad_segs=4)])
    if rune is Rune.SPIRAL_CW:
        line = _arc(0.42, 220.0, -200.0, end_radius=0.85)
        return shapely.union_all([stroke(line, 0.26), dot(0.0, 0.17)])
    # A vertical line that forks into two legs. Each is a cubic Bezier curve, vertical at the fork
    # and at the foot.
    controls = np.array([(0.0, 0.3), (0.0, -0.4), (0.64, 0.1), (0.64, -0.82)])
    share = np.arange(17) / 16
    remainder = 1.0 - share
    powers = [remainder**3, 3 * share * remainder**2, 3 * share**2 * remainder, share**3]
    leg = np.column_stack(powers) @ controls
    legs = [stroke(leg * [side, 1.0]) for side in (1.0, -1.0)]
    return shapely.union_all([stroke([(0.0, 0.82), (0.0, 0.3)]), *legs])


def _arc(
    radius: float, start_deg: float, end_deg: float, *, end_radius: float = 0.0
) -> list[_Point]:
    """Return points of an arc about the origin; with an `end_radius`, of a spiral."""
    count = max(2, round(abs(end_deg - start_deg) / 12.0))
    turns = np.radians(np.linspace(start_deg, end_deg, count + 1))
    reach = np.linspace(radius, end_radius or radius, count + 1)
    x, y = (reach * np.cos(turns)).tolist(), (reach * np.sin(turns)).tolist()
    return list(zip(x, y, strict=True))


_LIFT = 5e-5
"""Height of a decal above the skin [m]: as thick as paint, enough for depth buffers."""
_FACING = 0.5
"""Minimum cosine between a face's normal and the spot's outward direction."""
_GRID = 1e-8
"""Distance [m] below which corners are merged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A spot for a mark: a plane near the surface, from which outlines are projected."""

    centre: tuple[float, float, float]
    """Centre [m], body frame."""
    outward: tuple[float, float, float]
    """Direction towards the viewer; any length but zero, not along +-y."""
    half_size: float
    """Half the side of the square that the mark fills [m]."""

    @property
    def axes(self) -> Array:
        """Return unit vectors across (to the viewer's right), upward and outward, shape [3, 3]."""
        outward = np.array(self.outward) / np.linalg.norm(self.outward)
        across = np.cross([0.0, 1.0, 0.0], outward)
        across /= np.linalg.norm(across)
        return np.stack([across, np.cross(outward, across), outward])


def lay_on(skin: Skin, outline: Any, spot: Spot, *, part: str) -> tuple[Array, Indices]:  # noqa: ANN401 (shapely)
    """Return an outline projected onto the faces of one part of a skin; the rest is dropped.

    Each face that points outward is a flat triangle when seen from the spot's outward direction.
    The outline is cut along these triangles, and every piece is lifted onto its face.

    `outline` consists of polygons in the spot's square of side 2.

    Returns:
        Vertices just above the surface [m], shape [vertex_count, 3], and faces.
    """
    from shapely import Polygon, STRtree, affinity  # noqa: PLC0415 (slow to import)

    axes = spot.axes
    owned = np.flatnonzero(np.array(skin.face_parts) == part)
    corners = (skin.vertices[skin.faces[owned]] - np.array(spot.centre)) @ axes.T
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    # Faces far behind the spot are others: the far side, or surfaces enclosed between parts.
    visible = (normals[:, 2] > _FACING * sizes) & (corners[:, :, 2].min(axis=1) > -spot.half_size)
    corners, normals = corners[visible], normals[visible]
    mark = affinity.scale(outline, spot.half_size, spot.half_size, origin=(0.0, 0.0))
    cells = [Polygon(cell) for cell in corners[:, :, :2]]
    pieces = []
    for index in sorted(STRtree(cells).query(mark, predicate="intersects").tolist()):
        flat = triangles_of(mark.intersection(cells[index]))
        slope = normals[index]
        depth = corners[index, 0, 2] - (flat - corners[index, 0, :2]) @ slope[:2] / slope[2]
        pieces.append(np.concatenate([flat, depth[:, :, None]], axis=2))
    triangles = np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    points = np.round((triangles + np.array([0.0, 0.0, _LIFT])).reshape(-1, 3) / _GRID) * _GRID
    unique, inverse = np.unique(points, axis=0, return_inverse=True)
    a, b, c = inverse.reshape(-1, 3).T
    # Slivers are dropped.
    faces = np.column_stack([a, b, c])[(a != b) & (b != c) & (c != a)].astype(np.int64)
    return unique @ axes + np.array(spot.centre), faces


RUNE_PART = "rune"
"""Part and material of the faces that show a rune."""

SPOTS = (
    Spot(centre=(0.0, -6.9e-3, 4.7e-3), outward=(0.0, -0.45, 0.89), half_size=2.8e-3),
    Spot(centre=(0.0, 3.5e-3, -6.0e-3), outward=(0.0, 0.20, -0.98), half_size=4.3e-3),
)
"""Spots of runes: belly between smile and feet, seen Snout-Up; back above the tail, Snout-Down."""


_PALETTES = {
    Colour.ORANGE: ("#f6b573", "#6b2f0c", "#46200a"),
    Colour.RED: ("#dd5a70", "#4a0615", "#ffe3d6"),
    Colour.BLUE: ("#7f97e6", "#1c2866", "#f2f6ff"),
    Colour.GREEN: ("#79dcbb", "#07402f", "#03281d"),
    Colour.YELLOW: ("#f2b63c", "#8a5a10", "#5c3d06"),
}
"""Colours in sRGB beside the skin: snout, tail, inner ears and blush; hooves; rune."""


@lru_cache(maxsize=64)
def dress(body: Body, livery: Livery) -> Body:
    """Return the body in a livery: another skin, but the same hull, mass, poses and digest.

    Raises:
        SpecError: If the body has no skin to paint, or has a livery already.
    """
    if "+" in body.model:
        raise SpecError(f"{body.model} already has a livery", fix="use the plain model")
    if ("body", "skin") not in set(
        zip(body.skin.face_parts, body.skin.face_materials, strict=False)
    ):
        raise SpecError(
            f'{body.model} has no part "body" of the material "skin"',
            fix="give a livery to piggle or premium",
        )
    skin = replace(body.skin, colours=body.skin.colours | _colours(livery.colour))
    if livery.rune:
        for vertices, faces in _decals(body.skin, livery.rune):
            skin = _with_faces(skin, vertices, faces, RUNE_PART)
    return replace(body, model=f"{body.model}+{livery}", skin=skin)


@cache
def _colours(colour: Colour) -> dict[str, tuple[float, float, float]]:
    """Return the linear RGB of the materials that a colour changes; eyes are not changed."""
    skin, accent, dark, rune = map(linear, (colour.skin, *_PALETTES[colour]))
    # Cut parts (nostrils, clefts, mouth) are darker still.
    deep = (dark[0] * 0.4, dark[1] * 0.4, dark[2] * 0.4)
    return {
        "skin": skin,
        **dict.fromkeys(("snout", "tail", "inner_ear", "blush"), accent),
        "hoof": dark,
        **dict.fromkeys(("nostril", "cleft", "mouth"), deep),
        RUNE_PART: rune,
    }


@lru_cache(maxsize=64)
def _decals(skin: Skin, rune: Rune) -> tuple[tuple[Array, Indices], ...]:
    """Return a rune projected onto all its spots; cached, as all colours share it."""
    outline = glyph(rune)
    return tuple(lay_on(skin, outline, spot, part="body") for spot in SPOTS)
