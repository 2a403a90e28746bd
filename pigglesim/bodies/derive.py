"""Whether a mesh can be a die at all, and whether its ballast lies inside."""

import hashlib
import json
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body, ConvexPart, Hull, Indices, MassProperties, Skin, StablePose
from pigglesim.bodies.mesh import Ballast, BallastForm, hull_of, icosphere, mass_of, owners
from pigglesim.bodies.model_file import BallastSpec, DerivedSpec, ModelSpec, PoseSpec
from pigglesim.bodies.poses import stable_poses
from pigglesim.errors import SpecError
from pigglesim.rotations import Array

SMALLEST, LARGEST = 2e-3, 0.2
"""Sizes [m] between which a thing can be a die: a seed and a melon."""
_MOST_POSES = 200
"""Nobody names more. A Piggle has six; a ball cut into triangles has one on each."""


def check_mesh(vertices: Array, faces: Indices, *, name: str) -> None:
    """Raise unless the surface is closed, right side out and of a die's size.

    Args:
        vertices: [m], shape [vertex_count, 3].
        faces: Triangles.
        name: The file's name, for errors.

    Raises:
        SpecError: With what is wrong and how to mend it.
    """
    size = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    if not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"a die of {SMALLEST * 1e3:g} to {LARGEST * 1e3:g} mm in {name}",
            got=f"{size * 1e3:.4g} mm",
            remedy="the unit is probably wrong: export the mesh in millimetres",
        )
    open_edges = _unpaired(faces)
    if open_edges:
        raise SpecError(
            f"a watertight mesh in {name}",
            got=f"{open_edges} edges without exactly one partner",
            remedy="close the holes and turn all faces one way, then export it again",
        )
    corners = vertices[faces]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    if abs(volume) < 1e-6 * size**3:
        raise SpecError(
            f"a solid in {name}",
            got="a mesh of zero volume",
            remedy="give it thickness: flat things cannot be dice",
        )
    if volume < 0:
        raise SpecError(
            f"faces counter-clockwise from outside in {name}",
            got="a mesh that is inside out",
            remedy="flip its normals and export it again",
        )


def _unpaired(faces: Indices) -> int:
    """Return how many edges lack their one partner of the other direction."""
    ways = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    span = int(faces.max()) + 1
    there, count = np.unique(ways[:, 0] * span + ways[:, 1], return_counts=True)
    back = ways[:, 1] * span + ways[:, 0]
    return int(np.sum(count != 1) + np.sum(~np.isin(there, back)))


def check_poses(count: int, *, name: str, fewest: int = 2) -> None:
    """Raise where a body rests in too many ways, or too few, to be a die.

    Args:
        count: Its stable poses.
        name: Of its mesh, for the message.
        fewest: Poses that it needs.
    """
    if count > _MOST_POSES:
        raise SpecError(
            f"at most {_MOST_POSES} stable poses of {name}",
            got=f"{count:,}: a ball has no poses to tell apart",
            remedy="give it flat or hollow sides to rest on",
        )
    if count < fewest:
        raise SpecError(
            f"{fewest} stable poses or more of {name}",
            got=f"{count}: it comes to rest in one way alone, or rolls like a ball",
            remedy="give it flat or hollow sides to rest on",
        )


def check_ballast(vertices: Array, faces: Indices, ballast: Ballast, *, name: str) -> None:
    """Raise unless the whole surface of the ballast lies inside the skin.

    Raises:
        SpecError: If some of it lies outside.
    """
    outside = winding(vertices, faces, _surface(ballast)) < 0.5
    if np.any(outside):
        raise SpecError(
            f"a ballast inside the skin in {name}",
            got=f"{np.mean(outside):.0%} of its surface outside",
            remedy="make the ballast smaller or move its centre_mm inwards",
        )


def _surface(ballast: Ballast) -> Array:
    """Return points all over the ballast's surface [m], shape [point_count, 3]."""
    if ballast.form is BallastForm.BALL:
        return icosphere(2).vertices * ballast.radius + ballast.centre
    axis = np.array(ballast.axis) / np.linalg.norm(ballast.axis)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, helper)
    across /= np.linalg.norm(across)
    upward = np.cross(axis, across)
    turn = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    ring = np.outer(np.cos(turn), across) + np.outer(np.sin(turn), upward)
    rims = [
        ballast.radius * scale * ring + axis * (ballast.length * end)
        for end, scale in ((-0.5, 0.5), (-0.5, 1.0), (0.0, 1.0), (0.5, 1.0), (0.5, 0.5))
    ]
    return np.vstack(rims) + ballast.centre


def winding(vertices: Array, faces: Indices, points: Array) -> Array:
    """Return how often the surface winds about each point: 1 inside, 0 outside.

    The solid angles of all faces are summed (van Oosterom and Strackee 1983).
    """
    result = np.zeros(len(points))
    for index, point in enumerate(points):
        a, b, c = np.moveaxis(vertices[faces] - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        flat = (
            la * lb * lc
            + np.einsum("ij,ij->i", a, b) * lc
            + np.einsum("ij,ij->i", b, c) * la
            + np.einsum("ij,ij->i", c, a) * lb
        )
        result[index] = np.sum(np.arctan2(volume, flat)) / (2 * np.pi)
    return result


_Kind = TypeVar("_Kind", bound=np.generic)


def digest_of(spec: ModelSpec, *files: bytes) -> str:
    """Return the SHA-256 of a model: all its numbers, derived ones included, and its files."""
    plain = spec.model_dump(mode="json")
    # Where a key says nothing it counts for nothing: models older than the key keep their digest.
    if plain["derived"] is not None:
        plain["derived"].pop("sha256")
        for pose in plain["derived"]["poses"]:
            if pose["face"] is None:
                pose.pop("face")
    if not plain["pose_class"]:
        plain.pop("pose_class")
    whole = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for data in files:
        whole.update(hashlib.sha256(data).digest())
    return whole.hexdigest()


def shape_digest(spec: ModelSpec) -> str:
    """Return the SHA-256 of the numbers that a parametric mesh was built from."""
    if not spec.shape:
        return ""
    plain = spec.model_dump(mode="json", include={"shape"})
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def ballast_of(spec: BallastSpec) -> Ballast:
    """Return the ballast that a file asks for, in SI."""
    x, y, z = spec.centre_mm
    return Ballast(
        form=BallastForm(spec.form),
        density=spec.density_kg_m3,
        centre=(x * 1e-3, y * 1e-3, z * 1e-3),
        radius=spec.radius_mm * 1e-3,
        length=(spec.length_mm or 0.0) * 1e-3,
        axis=spec.axis,
    )


def derive(spec: ModelSpec, skin: Skin, *files: bytes) -> ModelSpec:
    """Return `spec` with everything derived computed from the skin and checked.

    Raises:
        SpecError: If the mesh or the ballast cannot be a die.
    """
    check_mesh(skin.vertices, skin.faces, name=spec.mesh)
    ballast = ballast_of(spec.ballast) if spec.ballast else None
    if ballast:
        check_ballast(skin.vertices, skin.faces, ballast, name=spec.id)
    mass = mass_of(skin.vertices, skin.faces, density=spec.density_kg_m3, ballast=ballast)
    hull, indices = hull_of(skin)
    numbers = {number.name: np.array(number.up) for number in spec.numbers}
    classes = [
        (np.array(entry.down), entry.orientation or str(entry.name)) for entry in spec.pose_class
    ]
    poses = stable_poses(hull, mass.centre, faces_up=numbers or None, classes=classes or None)
    check_poses(len(poses), name=spec.mesh)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = mass.inertia.tolist()
    x, y, z = (mass.centre * 1e3).tolist()
    derived = DerivedSpec(
        sha256="",
        shape_sha256=shape_digest(spec),
        mass_kg=mass.mass,
        centre_mm=(x, y, z),
        inertia_kg_m2=((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz)),
        poses=tuple(_pose_spec(pose) for pose in poses),
        hull_vertices=" ".join(map(str, indices.tolist())),
        hull_faces=" ".join(map(str, hull.faces.reshape(-1).tolist())),
    )
    whole = spec.model_copy(update={"derived": derived})
    signed = derived.model_copy(update={"sha256": digest_of(whole, *files)})
    return spec.model_copy(update={"derived": signed})


def _pose_spec(pose: StablePose) -> PoseSpec:
    x, y, z = pose.down.tolist()
    return PoseSpec(
        name=pose.name,
        orientation=pose.orientation,
        face=pose.face,
        down=(x, y, z),
        height_mm=pose.height * 1e3,
        escape_mm=pose.escape * 1e3,
        parts=pose.parts,
    )


def body_from(
    spec: ModelSpec, derived: DerivedSpec, skin: Skin, parts: tuple[ConvexPart, ...]
) -> Body:
    """Return the body of a derived model, with arrays that nobody can write to."""
    indices = np.array(derived.hull_vertices.split(), dtype=np.int64)
    names = owners(skin)
    hull = Hull(
        vertices=_fixed(skin.vertices[indices]),
        faces=_fixed(np.array(derived.hull_faces.split(), dtype=np.int64).reshape(-1, 3)),
        vertex_parts=tuple(names[index] for index in indices.tolist()),
    )
    poses = tuple(
        StablePose(
            name=pose.name,
            orientation=pose.orientation,
            face=pose.face,
            down=_fixed(np.array(pose.down)),
            height=pose.height_mm * 1e-3,
            escape=pose.escape_mm * 1e-3,
            parts=pose.parts,
        )
        for pose in derived.poses
    )
    mass = MassProperties(
        mass=derived.mass_kg,
        centre=_fixed(np.array(derived.centre_mm) * 1e-3),
        inertia=_fixed(np.array(derived.inertia_kg_m2)),
    )
    whole = parts or (ConvexPart(name="hull", vertices=hull.vertices),)
    return Body(
        model=spec.id,
        skin=skin,
        hull=hull,
        parts=whole,
        mass=mass,
        poses=poses,
        sha256=derived.sha256,
        classed=bool(spec.pose_class),
    )


def _fixed(array: NDArray[_Kind]) -> NDArray[_Kind]:
    array.setflags(write=False)
    return array
