"""Convex parts of a scan, for collisions: cut by CoACD, mended where the floor will meet them."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import numpy as np

from pigglesim.bodies.body import Body, ConvexPart, Indices, Skin, StablePose
from pigglesim.bodies.derive import check_mesh, check_poses, derive
from pigglesim.bodies.load import skin_from
from pigglesim.bodies.mesh import Mesh, convex_hull, hull_of, hull_planes, mass_of, thinned
from pigglesim.bodies.model_file import ModelSpec, PoseClassSpec, read_spec, toml_text
from pigglesim.bodies.objfile import DECIMALS, read_obj, write_mtl, write_obj
from pigglesim.bodies.poses import stable_poses, support_for
from pigglesim.bodies.scan import Scan
from pigglesim.errors import SpecError, pip_install
from pigglesim.landing import Orientation
from pigglesim.rotations import Array

_CUT_CORNERS = 64
_PART_CORNERS = 140
_PART_TOLERANCE = 0.05
"""How far [mm] a part may fall short of the hull's corners that it carries."""
_SIMPLER = 0.05
"""How far [mm] the surface may move before it is cut: a fine scan is cut ten times as fast."""
_SEED = 1


def expect_cutter() -> None:
    """Raise unless CoACD is installed.

    Raises:
        SpecError: If it is not.
    """
    if find_spec("coacd") is None:
        raise SpecError(
            "the package coacd, which cuts convex parts",
            got="none installed",
            remedy=f"{pip_install('coacd')}, or --parts hull",
        )


def convex_parts(
    vertices: Array, faces: Indices, *, keep: Array, coarseness: float = 0.06
) -> dict[str, Array]:
    """Return the corners [mm] of each convex part, by name; the same parts every time.

    CoACD keeps few corners, so that parts fall short of the skin. Every corner of the whole
    hull is given back to the part nearest to it, first of all those the body rests on.

    Args:
        vertices: Of a closed surface [mm], shape [vertex_count, 3].
        faces: Triangles.
        keep: Corners of the hull [mm] that a resting body stands on, shape [corner_count, 3].
        coarseness: CoACD's threshold of concavity, from 0.01 (many parts) to 1.

    Raises:
        SpecError: If CoACD is not installed.
    """
    expect_cutter()
    import coacd  # noqa: PLC0415  (an extra, and slow to import)

    coacd.set_log_level("error")
    plain = _simplified(vertices, faces)
    cut = coacd.run_coacd(
        coacd.Mesh(plain.vertices, plain.faces.astype(np.int32)),
        threshold=coarseness,
        max_ch_vertex=_CUT_CORNERS,
        decimate=True,
        seed=_SEED,
    )
    pieces = [np.asarray(points, dtype=float) for points, _ in cut]
    hull = np.vstack([keep, convex_hull(vertices).vertices])
    nearest = np.argmin([_outside(piece, hull) for piece in pieces], axis=0)
    found = {}
    for number, piece in enumerate(pieces, start=1):
        mine = nearest == number - 1
        # Those to keep stand first, so that their places are known.
        first = np.arange(int(np.sum(mine[: len(keep)])))
        points = np.vstack([hull[mine], piece])
        found[f"part_{number}"] = thinned(
            points, keep=first, tolerance=_PART_TOLERANCE, limit=_PART_CORNERS
        )
    return found


def _simplified(vertices: Array, faces: Indices) -> Mesh:
    """Return the surface with fewer faces, nowhere farther off than is left out anyway."""
    from manifold3d import Manifold, Mesh64  # noqa: PLC0415  (needed to build only)

    solid = Manifold(
        Mesh64(np.ascontiguousarray(vertices), np.ascontiguousarray(faces.astype(np.uint64)))
    )
    found = solid.simplify(_SIMPLER).to_mesh64()
    return Mesh(
        vertices=np.ascontiguousarray(np.asarray(found.vert_properties, dtype=float)[:, :3]),
        faces=np.asarray(found.tri_verts, dtype=np.int64),
    )


def _outside(piece: Array, points: Array) -> Array:
    """Return how far each point lies outside a convex piece; negative inside."""
    normals, offsets = hull_planes(piece)
    found: Array = np.max(points @ normals.T - offsets, axis=1)
    return found


_PAINT = {"skin": (0.90, 0.50, 0.47)}
"""Linear RGB: a scan brings no paint, so it gets the Piggle's."""


def bare_body(scan: Scan, *, density: float) -> Body:
    """Return the body of a scan before anyone has said what its poses are called.

    Args:
        scan: A closed surface.
        density: Of what it encloses [kg/m3].

    Raises:
        SpecError: If it is no die, or has more poses than anybody can tell apart.
    """
    vertices = scan.vertices * 1e-3
    count = len(scan.faces)
    check_mesh(vertices, scan.faces, name=scan.name)
    skin = Skin(
        vertices=vertices,
        faces=scan.faces,
        face_parts=("body",) * count,
        face_materials=("skin",) * count,
        colours=dict(_PAINT),
    )
    mass = mass_of(vertices, scan.faces, density=density)
    hull, _ = hull_of(skin)
    poses = stable_poses(hull, mass.centre, classes=())
    check_poses(len(poses), name=scan.name, fewest=1)
    return Body(
        model=scan.name,
        skin=skin,
        hull=hull,
        parts=(ConvexPart(name="hull", vertices=hull.vertices),),
        mass=mass,
        poses=poses,
        sha256="",
        classed=True,
    )


def class_by_axes(pose: StablePose, *, face: Array, crown: Array) -> Orientation:
    """Return what a pose is likely to be called, by which way the pig's face and crown point.

    On its head where the crown points down more than anything else; else the face decides.

    Args:
        pose: A stable pose.
        face: Where the snout points, in the axes of the mesh; any length but zero, shape [3].
        crown: Where the top of the head points, likewise.
    """
    ahead = face / np.linalg.norm(face)
    upward = crown - ahead * float(crown @ ahead)
    if np.linalg.norm(upward) < 1e-6 * np.linalg.norm(crown):
        raise SpecError(
            "a crown that points another way than the face",
            got="both along one line",
            remedy="--face +z --crown +y, as the mesh has them",
        )
    upward /= np.linalg.norm(upward)
    aside = np.cross(ahead, upward)
    forward, top, side = (float(pose.down @ axis) for axis in (ahead, upward, aside))
    if top > max(abs(forward), abs(side)):
        return Orientation.ON_THEIR_HEAD
    return Orientation.SNOUT_DOWN if forward > 0 else Orientation.SNOUT_UP


def resting_corners(body: Body) -> Array:
    """Return the corners of the hull [m] that carry the body in a stable pose, shape [n, 3]."""
    support = support_for(body)
    used = sorted({vertex for rest in support.poses for vertex in rest.vertices})
    corners: Array = body.hull.vertices[used]
    return corners


def model_files(
    scan: Scan,
    body: Body,
    *,
    model: str,
    density: float,
    classes: Sequence[Orientation | str],
    parts: Mapping[str, Array],
) -> dict[str, str]:
    """Return the text of every file of a new model, by file name.

    Args:
        scan: The surface.
        body: Its bare body.
        model: Id of the model, which its files are named after.
        density: [kg/m3].
        classes: The class of each pose of the body, in their order: of the rules, or names.
        parts: Corners [mm] of each convex part by name; none where the hull is to do.

    Raises:
        SpecError: If the id or the density is impossible.
    """
    mesh = write_obj(
        f"{model}, millimetres",
        [("body", "skin", scan.vertices, scan.faces)],
        materials_file=f"{model}.mtl",
    )
    files = {f"{model}.obj": mesh, f"{model}.mtl": write_mtl(f"Colours of {model}", _PAINT)}
    parts_text = ""
    if parts:
        parts_text = _parts_text(model, parts)
        files[f"{model}_parts.obj"] = parts_text
    plain = ModelSpec(
        id=model,
        name=model.replace("_", " ").replace("-", " ").capitalize(),
        mesh=f"{model}.obj",
        materials=f"{model}.mtl",
        parts=f"{model}_parts.obj" if parts else None,
        density_kg_m3=density,
        pose_class=tuple(
            _pose_class(pose, found) for pose, found in zip(body.poses, classes, strict=True)
        ),
    )
    # What is derived must agree with what the file says once it is read again.
    spec = read_spec(toml_text(plain), name=f"{model}.toml")
    skin = skin_from(read_obj(mesh, name=spec.mesh), dict(_PAINT))
    files[f"{model}.toml"] = toml_text(derive(spec, skin, mesh.encode(), parts_text.encode()))
    return files


def _pose_class(pose: StablePose, found: Orientation | str) -> PoseClassSpec:
    down = _rounded(pose.down)
    if isinstance(found, Orientation):
        return PoseClassSpec(down=down, orientation=found)
    return PoseClassSpec(down=down, name=found)


def _rounded(down: Array) -> tuple[float, float, float]:
    x, y, z = (round(value, 6) + 0.0 for value in down.tolist())
    return (x, y, z)


def _parts_text(model: str, parts: Mapping[str, Array]) -> str:
    objects = []
    for name, corners in parts.items():
        piece = convex_hull(np.round(corners, DECIMALS) + 0.0)
        objects.append((name, "", piece.vertices, piece.faces))
    return write_obj(f"Convex parts of {model} for collisions, millimetres", objects, keyword="o")
