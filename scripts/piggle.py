"""Build the Piggle from its numbers, and the files of every model that comes with the program.

Run by `scripts/build_models` and `scripts/measure_models`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.bodies.body import Body, ConvexPart, support_for
from pigglesim.bodies.load import (
    MEASURED_FILE,
    MODEL_FILE,
    BallastSpec,
    MeasuredModel,
    ModelSpec,
    body_from,
    derive,
    read_measured,
    read_spec,
    skin_from,
    toml_text,
)
from pigglesim.bodies.mesh import Mesh, convex_hull, icosphere, thinned
from pigglesim.bodies.mesh_files import DECIMALS, MetalColour, read_obj, write_mtl, write_obj
from pigglesim.bodies.support import merge_facets
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.files import read_text
from pigglesim.landing import Orientation
from pigglesim.markings import Colour, Rune
from pigglesim.rotations import Array, Indices
from scripts.dice import PLASTIC, dice_files

if TYPE_CHECKING:
    from manifold3d import Manifold

Point = tuple[float, float, float]


def ellipsoid(half_axes: Array, centre: Array, *, level: int = 2) -> Mesh:
    """Return the ellipsoid with `half_axes`, shape [3], along the axes about `centre`."""
    unit = icosphere(level)
    return Mesh(vertices=unit.vertices * half_axes + centre, faces=unit.faces)


def mirrored(mesh: Mesh, side: float) -> Mesh:
    """Return the mesh itself where `side` is positive, else its mirror image in x = 0."""
    if side > 0:
        return mesh
    return Mesh(vertices=mesh.vertices * [-1.0, 1.0, 1.0], faces=mesh.faces[:, ::-1].copy())


@dataclass(frozen=True, slots=True, kw_only=True)
class Stump:
    """A limb: an elliptic disc, swept along its axis back into the body."""

    sole: tuple[float, float, float]
    """Centre of the disc."""
    root: tuple[float, float, float]
    """Where the axis ends, inside the body."""
    half_width: float
    """Half the disc's width, along the axis nearest to x."""
    half_height: float
    taper: float
    """Size at the root over size at the disc."""
    rim: float
    """Radius of the rounding of the disc's edge."""
    flare: float = 0.0
    """How much wider the root is than the taper asks, for a soft joint."""
    sides: int = 24
    rim_steps: int = 3
    rings: int = 8
    """Steps along the limb."""


def stump(spec: Stump) -> Mesh:
    """Return the closed mesh of a stump."""
    sole, root = np.array(spec.sole), np.array(spec.root)
    length = float(np.linalg.norm(root - sole))
    axis = (root - sole) / length
    across = np.array([1.0, 0.0, 0.0]) - axis * axis[0]
    across /= np.linalg.norm(across)
    upward = np.cross(across, axis)
    profile = [(0.0, -spec.rim, 1.0)]
    for step in range(1, spec.rim_steps + 1):
        angle = math.pi / 2 * step / spec.rim_steps
        profile.append((spec.rim * (1 - math.cos(angle)), spec.rim * (math.sin(angle) - 1), 1.0))
    for step in range(1, spec.rings + 1):
        share = step / spec.rings
        along = spec.rim + (length - spec.rim) * share
        profile.append((along, spec.flare * share**3, 1 + (spec.taper - 1) * share))
    turn = 2 * math.pi * (np.arange(spec.sides) + 0.5) / spec.sides
    rings = [
        sole
        + axis * along
        + np.outer(np.cos(turn) * (spec.half_width * scale + extra), across)
        + np.outer(np.sin(turn) * (spec.half_height * scale + extra), upward)
        for along, extra, scale in profile
    ]
    return _lathe(rings, sole, root)


def _lathe(rings: list[Array], first: Array, last: Array) -> Mesh:
    """Return the closed mesh through `rings` of equal size, capped by two points."""
    sides, count = len(rings[0]), len(rings)
    vertices = np.vstack([*rings, first[None], last[None]])
    here = np.arange(sides)
    after = (here + 1) % sides
    faces = []
    for ring in range(count - 1):
        low, high = ring * sides, (ring + 1) * sides
        faces.append(np.column_stack([low + here, high + after, low + after]))
        faces.append(np.column_stack([low + here, high + here, high + after]))
    start, end = count * sides, count * sides + 1
    faces.append(np.column_stack([here, after, np.full(sides, start)]))
    top = (count - 1) * sides
    faces.append(np.column_stack([top + after, top + here, np.full(sides, end)]))
    mesh = np.vstack(faces).astype(np.int64)
    return Mesh(vertices=vertices, faces=_outward(vertices, mesh))


def _outward(vertices: Array, faces: Indices) -> Indices:
    corners = vertices[faces]
    volume = float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    return faces if volume > 0 else faces[:, ::-1].copy()


def tube(path: Array, radii: Array, *, sides: int = 8, normal: Array) -> Mesh:
    """Return a closed tube along a curve in a plane.

    Args:
        path: Points of the centre line, shape [point_count, 3].
        radii: Radius at each point, shape [point_count].
        sides: Corners of the section.
        normal: Unit normal of the curve's plane, shape [3].
    """
    ahead = np.gradient(path, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    side = np.cross(ahead, normal)
    turn = 2 * math.pi * (np.arange(sides) + 0.5) / sides
    stations = list(zip(path, ahead, side, radii, strict=True))
    rings = []
    for rounds, (point, along, outward, radius) in (
        *((math.pi / 6 * k, stations[0]) for k in (1, 2)),
        *((math.pi / 2, station) for station in stations),
        *((math.pi / 6 * k, stations[-1]) for k in (4, 5)),
    ):
        centre = point - along * radius * math.cos(rounds)
        swing = np.outer(np.cos(turn), outward) + np.outer(np.sin(turn), normal)
        rings.append(centre + radius * math.sin(rounds) * swing)
    first = path[0] - ahead[0] * radii[0]
    last = path[-1] + ahead[-1] * radii[-1]
    return _lathe(rings, first, last)


_MOST = {"_deg": 90, "_sides": 256, "_taper": 10, "_turns": 10}
"""Largest number of each kind; of lengths [mm] 100, half of what a die may measure."""
_MAY_BE_ZERO = frozenset({"ear_dish", "ear_puff", "hoof_step", "limb_flare", "snout_tilt_deg"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggleShape:
    """Every number of the shape [mm]; points on the right are the mirror image of the left.

    Body frame: origin at the belly's centre, +z the face, +y the crown, +x the pig's own left.
    The numbers were found by search: they decide how often it lands on its back.
    """

    body: Point = (10.5, 10.5, 6.3)
    """Half axes of the belly."""
    snout: Point = (0.0, 4.3, 9.3)
    """Centre of the snout's disc."""
    snout_half_width: float = 4.3
    snout_half_height: float = 3.5
    snout_tilt_deg: float = 24.0
    """How far the snout looks up [degrees]."""
    snout_length: float = 6.5
    snout_taper: float = 1.15
    """Size at the root over size at the disc."""
    snout_rim: float = 0.45
    """Radius of the rounding of the disc's edge."""
    ear_tip: Point = (9.2, 11.6, -3.2)
    ear_inner: Point = (3.3, 8.5, -1.1)
    ear_outer: Point = (7.9, 4.6, -1.1)
    ear_bulge: Point = (8.6, 8.4, -2.15)
    """Makes the outer edge round."""
    ear_fullness: Point = (6.6, 10.3, -2.2)
    """Makes the inner edge round."""
    ear_tip_radius: float = 2.3
    """Roundness of the tip and its two neighbours, seen from the front."""
    ear_radius: float = 1.6
    """Roundness at the base, and half the thickness."""
    ear_puff: float = 0.35
    """How much thicker the ear is in its middle."""
    ear_dish: float = 0.8
    """Depth of the hollow in the front of the ear."""
    foot: Point = (5.4, -11.8, 5.0)
    """Centre of the sole."""
    foot_root: Point = (4.0, -6.0, -0.4)
    foot_radius: float = 2.4
    foot_rim: float = 0.7
    arm: Point = (6.4, -3.3, 5.7)
    arm_root: Point = (5.25, -1.7, 0.5)
    arm_radius: float = 1.8
    arm_rim: float = 0.6
    limb_taper: float = 1.2
    limb_flare: float = 0.5
    """How much wider a limb and the snout grow where they join the belly."""
    hoof_height: float = 1.5
    hoof_step: float = 0.12
    """How much wider the hoof is than the limb."""
    tail: Point = (0.0, -4.0, -6.22)
    """Centre of the curl."""
    tail_radius: float = 2.0
    tail_inner_radius: float = 0.9
    tail_turns: float = 1.6
    tail_wire: float = 0.62
    eye: tuple[float, float] = (5.0, 7.0)
    """Place of the left eye on the belly's surface, seen from the front."""
    eye_radius: float = 1.55
    eye_bulge: float = 0.75
    """How far the eye stands out of the belly."""
    cheek: tuple[float, float] = (7.3, 2.6)
    """Place of the left blush on the belly's surface, seen from the front."""
    limb_sides: int = 16
    """Corners of a limb's section."""
    snout_sides: int = 28

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            numbers = value if isinstance(value, tuple) else (value,)
            least = 8 if field.name.endswith("_sides") else 0
            size = field.name == "body" or not isinstance(value, tuple)
            free = field.name in _MAY_BE_ZERO
            most = next((most for end, most in _MOST.items() if field.name.endswith(end)), 100)
            if not all(-most <= number <= most for number in numbers) or (
                size and not all(number > least or (free and number >= 0) for number in numbers)
            ):
                raise SpecError(
                    f"invalid {field.name} {value!r}",
                    expected=f"{f'above {least}' if size else f'from -{most}'} to {most}",
                    fix=f"use a number near {field.default}",
                )


def snout_root(shape: PiggleShape) -> Point:
    """Return where the snout's axis ends inside the belly [mm]."""
    tilt = math.radians(shape.snout_tilt_deg)
    x, y, z = shape.snout
    back = shape.snout_length
    return (x, y - back * math.sin(tilt), z - back * math.cos(tilt))


Label = tuple[str, str]
"""The part that owns a face and the material it is painted with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SolidPiece:
    """A solid that is added or, where `cut` is set, taken away."""

    label: Label
    mesh: Mesh
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelled:
    """A closed surface whose faces have labels."""

    vertices: Array
    """Shape [vertex_count, 3]."""
    faces: Indices
    labels: tuple[Label, ...]
    """One for each face."""


def combine(pieces: Sequence[SolidPiece]) -> Labelled:
    """Return the union of the pieces that add, less those that cut; order does not matter.

    Raises:
        SpecError: If a piece is no closed solid or the union falls apart.
    """
    solids = [(piece, _solid(piece)) for piece in pieces]
    whole = _sum(solid for piece, solid in solids if not piece.cut)
    cuts = [solid for piece, solid in solids if piece.cut]
    if cuts:
        whole = whole - _sum(cuts)
    if len(whole.decompose()) != 1:
        raise SpecError(
            f"the parts form {len(whole.decompose())} separate solids",
            fix="move the loose part into the body",
        )
    owner = {solid.original_id(): piece.label for piece, solid in solids}
    mesh = whole.to_mesh64()
    starts = np.asarray(mesh.run_index, dtype=np.int64) // 3
    labels: list[Label] = []
    for run, original in enumerate(mesh.run_original_id):
        labels += [owner[int(original)]] * int(starts[run + 1] - starts[run])
    vertices = np.asarray(mesh.vert_properties, dtype=float)[:, :3]
    faces = np.asarray(mesh.tri_verts, dtype=np.int64)
    merged = np.arange(len(vertices))
    merged[np.asarray(mesh.merge_from_vert, dtype=np.int64)] = np.asarray(
        mesh.merge_to_vert, dtype=np.int64
    )
    return Labelled(vertices=vertices, faces=merged[faces], labels=tuple(labels))


def _solid(piece: SolidPiece) -> "Manifold":
    from manifold3d import Error, Manifold, Mesh64  # noqa: PLC0415  (needed to build only)

    solid = Manifold(
        Mesh64(
            np.ascontiguousarray(piece.mesh.vertices),
            np.ascontiguousarray(piece.mesh.faces.astype(np.uint64)),
        )
    ).as_original()
    if solid.status() != Error.NoError or not solid.volume() > 0:
        raise SpecError(
            f"part {piece.label[0]!r} is not a closed solid ({solid.status().name})",
            fix="check the numbers of its shape",
        )
    return solid


def _sum(solids: Iterable["Manifold"]) -> "Manifold":
    from manifold3d import Manifold, OpType  # noqa: PLC0415  (needed to build only)

    return Manifold.batch_boolean(list(solids), OpType.Add)


def weld(surface: Labelled, *, decimals: int) -> Labelled:
    """Return the surface rounded to a grid; points that fall together become one.

    Faces that lose a corner are dropped; faces and vertices are put in an order that does not
    depend on how the solids were combined.
    """
    rounded = np.round(surface.vertices, decimals) + 0.0
    vertices, inverse = np.unique(rounded, axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[surface.faces]
    a, b, c = faces.T
    keep = np.flatnonzero((a != b) & (b != c) & (c != a))
    turn = np.argmin(faces[keep], axis=1)
    columns = [faces[keep, (turn + k) % 3] for k in range(3)]
    labels = [surface.labels[k] for k in keep]
    order = sorted(
        range(len(keep)), key=lambda k: (labels[k], *(int(column[k]) for column in columns))
    )
    ordered = np.stack(columns, axis=1)[order]
    used, flat = np.unique(ordered, return_inverse=True)
    return Labelled(
        vertices=vertices[used],
        faces=flat.reshape(-1, 3).astype(np.int64),
        labels=tuple(labels[k] for k in order),
    )


COLOURS: dict[str, tuple[float, float, float]] = {
    "skin": (0.90, 0.50, 0.47),
    "snout": (0.86, 0.32, 0.36),
    "nostril": (0.28, 0.05, 0.08),
    "inner_ear": (0.86, 0.30, 0.35),
    "blush": (0.88, 0.33, 0.35),
    "hoof": (0.30, 0.10, 0.10),
    "cleft": (0.12, 0.03, 0.035),
    "tail": (0.86, 0.32, 0.36),
    "eye": (0.012, 0.008, 0.010),
    "glint": (1.0, 1.0, 1.0),
    "mouth": (0.30, 0.05, 0.08),
}
"""Linear RGB of each material."""
BRASS_COLOURS = COLOURS | {
    **dict.fromkeys(("skin", "blush"), MetalColour((0.62, 0.40, 0.10))),
    **dict.fromkeys(("snout", "inner_ear", "tail"), MetalColour((0.47, 0.28, 0.06))),
    "hoof": MetalColour((0.20, 0.115, 0.025)),
    **dict.fromkeys(("nostril", "cleft", "mouth"), MetalColour((0.07, 0.038, 0.009))),
}
"""Those of the Piggle with a brass disc, which looks like brass, to distinguish it."""


def looks(shape: PiggleShape) -> tuple[SolidPiece, ...]:
    """Return eyes and blush, which add, and what is cut: nostrils, smile, ears, soles."""
    found = [SolidPiece(label=("smile", "mouth"), mesh=_smile(shape), cut=True)]
    for side, name in ((1.0, "left"), (-1.0, "right")):
        found += [
            SolidPiece(label=(f"eye_{name}", "eye"), mesh=mirrored(_eye(shape), side)),
            SolidPiece(label=(f"cheek_{name}", "blush"), mesh=mirrored(_cheek(shape), side)),
            SolidPiece(label=("snout", "nostril"), mesh=mirrored(_nostril(shape), side), cut=True),
            SolidPiece(
                label=(f"ear_{name}", "inner_ear"), mesh=mirrored(_dish(shape), side), cut=True
            ),
        ]
        # The light comes from one side, so the glints are no mirror images.
        found += [
            SolidPiece(label=(f"eye_{name}", "glint"), mesh=mesh) for mesh in _glints(shape, side)
        ]
        for part in ("foot", "arm"):
            mesh = mirrored(_cleft(shape, part), side)
            found.append(SolidPiece(label=(f"{part}_{name}", "cleft"), mesh=mesh, cut=True))
    return tuple(found)


def _on_belly(shape: PiggleShape, x: float, y: float) -> tuple[Array, Array]:
    """Return the point of the belly's front at (x, y), shape [3], and axes there, shape [3, 3].

    The rows of the axes are: across, upward, outward.
    """
    a, b, c = shape.body
    z = c * math.sqrt(max(0.0, 1 - (x / a) ** 2 - (y / b) ** 2))
    outward = np.array([x / a**2, y / b**2, z / c**2])
    outward /= np.linalg.norm(outward)
    across = np.cross([0.0, 1.0, 0.0], outward)
    across /= np.linalg.norm(across)
    return np.array([x, y, z]), np.stack([across, np.cross(outward, across), outward])


def _cap(point: Array, axes: Array, half_axes: tuple[float, float, float], level: int) -> Mesh:
    unit = icosphere(level)
    return Mesh(vertices=(unit.vertices * half_axes) @ axes + point, faces=unit.faces)


def _eye(shape: PiggleShape) -> Mesh:
    point, axes = _on_belly(shape, *shape.eye)
    radius = shape.eye_radius
    return _cap(point, axes, (0.94 * radius, 1.08 * radius, shape.eye_bulge), 3)


def _glints(shape: PiggleShape, side: float) -> list[Mesh]:
    """Return two white spots on an eye, where a lamp above and to the right would be."""
    x, y = shape.eye
    point, axes = _on_belly(shape, side * x, y)
    radius, bulge = shape.eye_radius, shape.eye_bulge
    found = []
    for across, upward, size in ((0.30, 0.42, 0.36), (-0.36, -0.40, 0.17)):
        height = bulge * math.sqrt(1 - (across / 0.94) ** 2 - (upward / 1.08) ** 2)
        place = point + axes.T @ np.array([across * radius, upward * radius, height])
        tilted = np.array([across / bulge * 0.6, upward / bulge * 0.6, 1.0]) @ axes
        outward = tilted / np.linalg.norm(tilted)
        right = np.cross([0.0, 1.0, 0.0], outward)
        right /= np.linalg.norm(right)
        frame = np.stack([right, np.cross(outward, right), outward])
        found.append(_cap(place, frame, (size * radius, size * radius, 0.14), 2))
    return found


def _cheek(shape: PiggleShape) -> Mesh:
    point, axes = _on_belly(shape, *shape.cheek)
    return _cap(point - axes[2] * 0.25, axes, (1.7, 1.2, 0.4), 3)


def _nostril(shape: PiggleShape) -> Mesh:
    disc = np.array(shape.snout)
    outward = disc - np.array(snout_root(shape))
    outward /= np.linalg.norm(outward)
    across = np.array([1.0, 0.0, 0.0])
    axes = np.stack([across, np.cross(outward, across), outward])
    place = disc + axes.T @ np.array([0.36 * shape.snout_half_width, 0.0, 0.0])
    return _cap(place, axes, (0.72, 1.15, 0.8), 2)


def _smile(shape: PiggleShape) -> Mesh:
    x = np.linspace(-2.3, 2.3, 17)
    y = -3.55 + 1.0 * (x / 2.3) ** 2
    points = np.array([_on_belly(shape, a, b)[0] for a, b in zip(x, y, strict=True)])
    wire = 0.36 * np.sqrt(np.clip(1 - (x / 2.75) ** 2, 0.05, 1))
    return tube(points, wire, sides=10, normal=np.array([0.0, 0.25, 0.97]))


def _dish(shape: PiggleShape) -> Mesh:
    """Return the hull of flat balls that hollows the left ear's front."""
    corners = np.array([shape.ear_tip, shape.ear_inner, shape.ear_outer, shape.ear_bulge])
    corners = np.vstack([corners, shape.ear_fullness])
    middle = corners.mean(axis=0)
    front = shape.ear_radius + 0.9 - shape.ear_dish
    axes = np.array([1.9, 1.9, 0.9])
    points = [
        ellipsoid(axes, middle + 0.56 * (corner - middle) + [0.0, 0.0, front], level=2).vertices
        for corner in corners
    ]
    return convex_hull(np.vstack(points))


def _cleft(shape: PiggleShape, part: str) -> Mesh:
    """Return the slot in the front half of a sole."""
    sole = np.array(shape.foot if part == "foot" else shape.arm)
    root = np.array(shape.foot_root if part == "foot" else shape.arm_root)
    radius = shape.foot_radius if part == "foot" else shape.arm_radius
    outward = (sole - root) / np.linalg.norm(sole - root)
    across = np.array([1.0, 0.0, 0.0]) - outward * outward[0]
    across /= np.linalg.norm(across)
    upward = np.cross(outward, across)
    corners = [
        sole
        + across * (0.11 * radius * wide)
        + upward * (radius * high)
        + outward * (radius * deep)
        for wide, high in ((-1, -0.15), (1, -0.15), (-1, 0.60), (1, 0.60))
        for deep in (-0.3, 0.2)
    ]
    return convex_hull(np.array(corners))


def pieces(shape: PiggleShape) -> tuple[SolidPiece, ...]:
    """Return every solid of the pig [mm], looks and cuts included."""
    return (*_solids(shape), *looks(shape))


def convex_pieces(shape: PiggleShape) -> dict[str, Array]:
    """Return the corners [mm] of the convex pieces of the collision compound, by part name."""
    corners: dict[str, list[Array]] = {}
    for piece in _solids(shape):
        corners.setdefault(piece.label[0], []).append(piece.mesh.vertices)
    return {name: convex_hull(np.vstack(points)).vertices for name, points in corners.items()}


def _solids(shape: PiggleShape) -> tuple[SolidPiece, ...]:
    """Return what the floor and other dice can touch."""
    solids = [
        SolidPiece(
            label=("body", "skin"), mesh=ellipsoid(np.array(shape.body), np.zeros(3), level=3)
        ),
        SolidPiece(label=("snout", "snout"), mesh=stump(_snout(shape))),
        SolidPiece(label=("tail", "tail"), mesh=_tail(shape)),
    ]
    foot = (shape.foot, shape.foot_root, shape.foot_radius, shape.foot_rim)
    arm = (shape.arm, shape.arm_root, shape.arm_radius, shape.arm_rim)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        ear = mirrored(_ear(shape), side)
        solids.append(SolidPiece(label=(f"ear_{name}", "skin"), mesh=ear))
        for part, (sole, root, radius, rim) in (("foot", foot), ("arm", arm)):
            for material, limb in _limb(shape, sole, root, radius, rim):
                mesh = mirrored(stump(limb), side)
                solids.append(SolidPiece(label=(f"{part}_{name}", material), mesh=mesh))
    return tuple(solids)


def _snout(shape: PiggleShape) -> Stump:
    return Stump(
        sole=shape.snout,
        root=snout_root(shape),
        half_width=shape.snout_half_width,
        half_height=shape.snout_half_height,
        taper=shape.snout_taper,
        rim=shape.snout_rim,
        flare=shape.limb_flare,
        sides=shape.snout_sides,
    )


def _limb(
    shape: PiggleShape, sole: Point, root: Point, radius: float, rim: float
) -> list[tuple[str, Stump]]:
    """Return a limb and the hoof over its end, a little wider than the limb."""
    start, end = np.array(sole), np.array(root)
    length = float(np.linalg.norm(end - start))
    step = shape.hoof_step
    inner = start + (end - start) * (shape.hoof_height / length)
    before = start + (end - start) * (0.3 / length)
    share = shape.hoof_height / length
    hoof = Stump(
        sole=sole,
        root=(float(inner[0]), float(inner[1]), float(inner[2])),
        half_width=radius,
        half_height=radius,
        taper=1 + (shape.limb_taper - 1) * share,
        rim=rim,
        sides=shape.limb_sides,
        rings=2,
    )
    limb = Stump(
        sole=(float(before[0]), float(before[1]), float(before[2])),
        root=root,
        half_width=radius - step,
        half_height=radius - step,
        taper=(radius * shape.limb_taper - step) / (radius - step),
        rim=rim,
        flare=shape.limb_flare,
        sides=shape.limb_sides,
    )
    return [("hoof", hoof), ("skin", limb)]


def _ear(shape: PiggleShape) -> Mesh:
    flat = shape.ear_radius
    ball, lens = (flat, flat, flat), (shape.ear_tip_radius, shape.ear_tip_radius, flat)
    round_ends = (shape.ear_tip, shape.ear_bulge, shape.ear_fullness)
    middle = np.mean([*round_ends, shape.ear_inner, shape.ear_outer], axis=0)
    puff = flat + shape.ear_puff
    balls: list[tuple[Any, Point]] = [(point, lens) for point in round_ends]
    balls += [
        (shape.ear_inner, ball),
        (shape.ear_outer, ball),
        (middle, (1.9 * puff, 1.9 * puff, puff)),
    ]
    points = [ellipsoid(np.array(axes), np.array(at), level=2).vertices for at, axes in balls]
    return convex_hull(np.vstack(points))


def _tail(shape: PiggleShape) -> Mesh:
    turn = np.linspace(0.0, 2 * math.pi * shape.tail_turns, 21)
    radius = np.linspace(shape.tail_radius, shape.tail_inner_radius, len(turn))
    x, y, z = shape.tail
    path = np.column_stack(
        [x + radius * np.cos(turn), y + radius * np.sin(turn), np.full(len(turn), z)]
    )
    wire = np.full(len(turn), shape.tail_wire)
    return tube(path, wire, sides=8, normal=np.array([0.0, 0.0, 1.0]))


TUNGSTEN_DISC = BallastSpec(
    form="cylinder",
    material="tungsten",
    density_kg_m3=19_300,
    centre_mm=(0.0, 0.0, -3.9),
    radius_mm=5.0,
    length_mm=2.0,
    axis=(0.0, 0.0, 1.0),
)
"""What makes a Piggle premium: Snout-Down is rarer by more than a third."""

BRASS_DISC = TUNGSTEN_DISC.model_copy(update={"material": "brass", "density_kg_m3": 8_500.0})
"""A premium for less: free-cutting brass in the same pocket; Snout-Down is rarer by a quarter."""

_PART_LIMIT = 140
_PART_TOLERANCE = 0.2
"""How far [mm] a collision part may fall short of the part it stands for."""


def shape_numbers(shape: PiggleShape) -> dict[str, Any]:
    """Return the numbers of a shape under the keys of a model file."""
    return {_key(name): value for name, value in asdict(shape).items()}


def shape_from(numbers: Mapping[str, Any]) -> PiggleShape:
    """Return the shape that the numbers of a model file describe.

    Raises:
        SpecError: If a key is unknown or a size is not positive.
    """
    names = {_key(field.name): field for field in fields(PiggleShape)}
    values: dict[str, Any] = {}
    for key, value in numbers.items():
        if key not in names:
            raise unknown_name("key in [shape]", key, names)
        default = names[key].default
        wanted = len(default) if isinstance(default, tuple) else 0
        if wanted != (len(value) or -1 if isinstance(value, tuple | list) else 0):
            raise SpecError(
                f"invalid {key} in [shape]: {cut(repr(value))}",
                expected=f"{wanted or 'one'} number(s)",
                fix=f"write it like {default}",
            )
        kind = int if isinstance(default, int) else float
        values[names[key].name] = tuple(value) if wanted else kind(value)
    return PiggleShape(**values)


def _key(field: str) -> str:
    return field if field.endswith(("_deg", "_sides", "_taper", "_turns")) else f"{field}_mm"


def build(shape: PiggleShape | None = None, *, ballast: BallastSpec | None = None) -> Body:
    """Return the body of a shape without writing any file."""
    spec = _spec("piggle", "Piggle", shape or PiggleShape(), ballast)
    return _body(spec, _skin_text(shape or PiggleShape()), _parts_text(shape or PiggleShape()))


def _body(spec: ModelSpec, mesh: str, parts: str) -> Body:
    skin = skin_from(read_obj(mesh, name=spec.mesh), COLOURS)
    derived = derive(spec, skin, mesh.encode(), parts.encode()).derived
    assert derived is not None
    obj = read_obj(parts, name="parts")
    groups = np.array(obj.groups)
    convex = tuple(
        ConvexPart(name=name, vertices=obj.vertices[np.unique(obj.faces[groups == name])] * 1e-3)
        for name in dict.fromkeys(obj.groups)
    )
    return body_from(spec, derived, skin, convex)


def _spec(
    model: str,
    name: str,
    shape: PiggleShape,
    ballast: BallastSpec | None = None,
    *,
    materials: str = "piggle.mtl",
) -> ModelSpec:
    return ModelSpec(
        id=model,
        name=name,
        mesh="piggle.obj",
        materials=materials,
        parts="piggle_parts.obj",
        density_kg_m3=PLASTIC,
        ballast=ballast,
        shape=shape_numbers(shape),
    )


def surface(shape: PiggleShape) -> Labelled:
    """Return the joined and painted skin [mm] on the grid of the mesh file."""
    return weld(combine(pieces(shape)), decimals=DECIMALS)


def _skin_text(shape: PiggleShape) -> str:
    skin = surface(shape)
    objects: list[tuple[str, str, Array, Any]] = []
    labels = np.array([f"{part} {material}" for part, material in skin.labels])
    for label in dict.fromkeys(skin.labels):
        faces = skin.faces[labels == f"{label[0]} {label[1]}"]
        objects.append((*label, skin.vertices if not objects else np.zeros((0, 3)), faces))
    return write_obj("Piggle, millimetres", objects, materials_file="piggle.mtl")


def _parts_text(shape: PiggleShape) -> str:
    skin = surface(shape)
    hull = convex_hull(skin.vertices).vertices
    facets = merge_facets(hull - hull.mean(axis=0), convex_hull(skin.vertices).faces)
    corners = {
        tuple(point) for point, spokes in zip(hull.tolist(), facets.spokes, strict=True) if spokes
    }
    objects = []
    for name, points in convex_pieces(shape).items():
        rounded = np.round(points, DECIMALS) + 0.0
        on_hull = [k for k, point in enumerate(rounded.tolist()) if tuple(point) in corners]
        few = thinned(
            rounded,
            keep=np.array(on_hull, dtype=np.int64),
            tolerance=_PART_TOLERANCE,
            limit=_PART_LIMIT,
        )
        objects.append((name, "", few, convex_hull(few).faces))
    return write_obj("Convex parts of the Piggle for collisions, millimetres", objects, keyword="o")


def build_files(folder: Path) -> None:
    """Write every model into `folder`, from the [shape] of its piggle.toml if it has one."""
    shape = PiggleShape()
    source = folder / "piggle.toml"
    if source.is_file():
        text = read_text(source, MODEL_FILE)
        shape = shape_from(read_spec(text, name=source.name).shape)
    mesh, parts = _skin_text(shape), _parts_text(shape)
    files = {
        "piggle.obj": mesh,
        "piggle_parts.obj": parts,
        "piggle.mtl": write_mtl("Colours of the Piggle, sRGB", COLOURS),
        "premium_brass.mtl": write_mtl("Colours of the Piggle of brass, sRGB", BRASS_COLOURS),
    }
    skin = skin_from(read_obj(mesh, name="piggle.obj"), COLOURS)
    bodies: dict[str, Body] = {}
    for spec in (
        _spec("piggle", "Piggle", shape),
        _spec("premium", "Premium Piggle", shape, TUNGSTEN_DISC),
        _spec(
            "premium_brass",
            "Premium Piggle, brass",
            shape,
            BRASS_DISC,
            materials="premium_brass.mtl",
        ),
    ):
        whole = derive(spec, skin, mesh.encode(), parts.encode())
        files[f"{spec.id}.toml"] = toml_text(whole)
        assert whole.derived is not None
        bodies[spec.id] = body_from(whole, whole.derived, skin, ())
    files |= dice_files(bodies)
    files["README.md"] = _readme(bodies, read_measured(folder / MEASURED_FILE))
    for name, text in sorted(files.items()):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _readme(bodies: Mapping[str, Body], measured: Mapping[str, MeasuredModel]) -> str:
    """Return the page of the models in Markdown."""
    lines = [
        "# Models",
        "",
        "This page shows how the models that come with pigglesim land, for users who choose one.",
        "`scripts/build_models` writes it, and the models, from the `[shape]` in `piggle.toml`.",
        "Meshes are in millimetres. `piggle` is solid plastic. `premium` has a tungsten disc in",
        "its back, and `premium_brass` has a brass disc in the same pocket. `d2` (a coin) to `d20`",
        "are the usual dice.",
        "",
        "## Measured shares",
        "",
        "`scripts/measure_models` pours cups of six onto an empty board. The table has the shares",
        "of Piggles on the board. The 95 % intervals are adjusted for correlation within a pour.",
        "They are of counting alone. With floor and law uncertain, Snout-Up is known to 0.07:",
        "the page on accuracy has the size of each source.",
        "",
        *measured_lines(measured, {name: body.sha256 for name, body in bodies.items()}),
        "",
        "## Stable poses",
        "",
        "- **height**: height of the centre of mass in the pose",
        "- **escape**: height by which the centre of mass must rise to leave the pose",
        "- **quasi-static**: share of all directions that roll into the pose without momentum.",
        "  Drops have other shares, above all of the rare poses.",
        "",
        "| model | pose | class | rests on | height [mm] | escape [mm] | quasi-static |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, body in bodies.items():
        shares = support_for(body).shares()
        # All poses of a die are alike.
        rows = [*zip(body.poses, shares, strict=True)][: None if body.pig else 1]
        lines += [
            f"| {name} | {pose.name if body.pig else f'each of {len(body.poses)}'} | "
            f"{pose.orientation.label if pose.orientation else 'a number'}"
            f" | {', '.join(pose.parts)} | {pose.height * 1e3:.2f} | {pose.escape * 1e3:.2f}"
            f" | {share:.3f} |"
            for pose, share in rows
        ]
    return "\n".join([*lines, *_livery_lines()]) + "\n"


def measured_lines(rows: Mapping[str, MeasuredModel], digests: Mapping[str, str]) -> list[str]:
    """Return the table of what was measured, in Markdown.

    Args:
        rows: What was measured.
        digests: SHA-256 of each model as it is now, in the order of the table; a row that was
            measured on another one says so.
    """
    classes = list(Orientation)
    head = ["model", "date", "pours", "Piggles", *(at.label for at in classes)]
    head += ["off the board", "scene and engine"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for model, digest in digests.items():
        row = rows.get(model)
        if row is None:
            continue
        stale = "" if row.model_sha256 == digest else ", before the model was last changed"
        made = f"{row.scene} {row.scene_sha256[:8]}, {row.engine} {row.engine_version}{stale}"
        shares = [str(row.shares[at]) for at in classes]
        cells = [model, row.date, str(row.pours), str(row.throws), *shares, str(row.off), made]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _livery_lines() -> list[str]:
    """Return how to ask for a colour and a rune."""
    runes = ", ".join(f"{rune.number} `{rune}` ({rune.label})" for rune in Rune)
    return [
        "",
        "## Colours and runes",
        "",
        "Any Piggle can have a colour and a rune. They follow its name after plus signs:",
        "`piggle+blue`, `premium+red+left`, `my/own.toml+green`. They change no bit of a throw.",
        "`pigglesim models --plot lineup.png` draws all combinations.",
        "",
        f"- Colours: {', '.join(f'`{colour}` ({colour.effect})' for colour in Colour)}.",
        f"- Runes: {runes}.",
    ]


if __name__ == "__main__":
    import sys

    build_files(Path(sys.argv[1]))
