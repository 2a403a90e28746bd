"""Everything that follows from a mesh, a density and a ballast, and the digest that guards it."""

import hashlib
import json
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pigglesim.shapes.body import Body, ConvexPart, Hull, MassProperties, Skin, StablePose
from pigglesim.shapes.check import check_ballast, check_mesh, check_poses
from pigglesim.shapes.hull import hull_of, owners
from pigglesim.shapes.mass import Ballast, BallastForm, mass_of
from pigglesim.shapes.poses import stable_poses
from pigglesim.shapes.spec import BallastSpec, DerivedSpec, ModelSpec, PoseSpec

__all__ = ["ballast_of", "body_from", "derive", "digest_of", "shape_digest"]


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
