"""Whether what a model file says was derived can be what its mesh is: a digest is no signature."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from pigglesim.arguments import checked
from pigglesim.bodies.body import Body, ConvexPart, Skin
from pigglesim.bodies.derive import ballast_of, body_from, derive, digest_of, shape_digest
from pigglesim.bodies.livery import dress, split_livery
from pigglesim.bodies.mesh import Ballast
from pigglesim.bodies.model_file import (
    COLOURS_FILE,
    DENSEST,
    MESH_FILE,
    MODEL_FILE,
    DerivedSpec,
    ModelSpec,
    read_spec,
)
from pigglesim.bodies.objfile import ObjMesh, read_mtl, read_obj
from pigglesim.data_files import model_file
from pigglesim.errors import SpecError
from pigglesim.files import read_beside, read_text

_CLOSE = 1e-6
"""Of the mass: both are sums over the same triangles."""


def check_claims(
    derived: DerivedSpec, skin: Skin, *, density: float, ballast: Ballast | None, name: str
) -> None:
    """Raise where derived numbers belong to no body of this mesh.

    Whatever an edited file says, indices lie within the mesh, the mass is that of the mesh and the
    inertia is one that a body of its size can have; hull and poses are taken at their word.

    Args:
        derived: As the file says it.
        skin: The mesh [m].
        density: Of the plastic [kg/m3].
        ballast: In it, if any.
        name: The file's name, for errors.

    Raises:
        SpecError: With what is wrong; to leave `[derived]` out mends it.
    """
    corners, triangles = derived.hull_vertices.split(), derived.hull_faces.split()
    if not _within(corners, len(skin.vertices)):
        raise _false(name, "a hull among the vertices of its mesh", "another one")
    if len(triangles) % 3 or not _within(triangles, len(corners)):
        raise _false(name, "triangles among the corners of its hull", "another one")
    mass = _mass(skin, density, ballast)
    if not abs(derived.mass_kg - mass) <= _CLOSE * mass:
        raise _false(name, f"a mass of {mass:.6g} kg, as its mesh has", f"{derived.mass_kg:.6g} kg")
    low, high = skin.vertices.min(axis=0), skin.vertices.max(axis=0)
    centre = np.array(derived.centre_mm) * 1e-3
    if not (np.all(low <= centre) and np.all(centre <= high)):
        raise _false(name, "a centre of mass inside its mesh", f"{derived.centre_mm} mm")
    inertia = np.array(derived.inertia_kg_m2)
    size = float(np.linalg.norm(high - low))
    moments = np.linalg.eigvalsh(inertia) / (mass * size**2)
    if not (np.allclose(inertia, inertia.T) and moments[0] > 1e-9 and moments[-1] <= 1.0):
        raise _false(name, "an inertia that a body of its size can have", "another one")


def _within(words: list[str], count: int) -> bool:
    """Return whether all of these indices are below `count`; none has more digits than it."""
    digits = len(str(count))
    return all(len(word) <= digits and int(word) < count for word in words)


def _mass(skin: Skin, density: float, ballast: Ballast | None) -> float:
    a, b, c = np.moveaxis(skin.vertices[skin.faces], 1, 0)
    mass = density * float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
    return mass + ((ballast.density - density) * ballast.volume if ballast else 0.0)


def _false(name: str, expected: str, got: str) -> SpecError:
    return SpecError(
        f"{expected}, in [derived] of {name}",
        got=got,
        remedy="remove the table [derived]: it is made anew",
    )


_KEPT = 8
"""Models of which a process keeps the body: more than a throw has, and large ones are not many."""


@checked
def load_model(name_or_path: str) -> Body:
    """Return the body of a model that comes with pigglesim, or of a TOML file.

    What is derived (mass, hull, poses) is taken from the file while its digest agrees with mesh
    and numbers; after any edit it is computed again and checked.

    Args:
        name_or_path: Such as `"piggle"`, or a path that ends in `.toml`; with a livery after a
            plus sign, such as `"piggle+blue"` or `"piggle+blue+left"`.

    Returns:
        Its skin, hull, convex parts, mass and stable poses, in SI units.

    Raises:
        SpecError: If there is no such model or livery, or it cannot be a die.

    Examples:
        >>> import pigglesim
        >>> pigglesim.load_model("premium").mass.mass
    """
    return load_models([name_or_path])[name_or_path]


def load_models(names: Iterable[str]) -> dict[str, Body]:
    """Return the bodies of many models, by name; all liveries of a model share what is physical.

    Raises:
        SpecError: If there is no such model or livery, or it cannot be a die.
    """
    plain: dict[str, Body] = {}
    bodies: dict[str, Body] = {}
    for name in names:
        model, livery = split_livery(name)
        if model not in plain:
            plain[model] = _load_plain(model)
        bodies[name] = dress(plain[model], livery) if livery else plain[model]
    return bodies


def load_ballasted(name_or_path: str, grams: float) -> Body:
    """Return the body of a model whose ballast weighs something else.

    The ballast keeps its place and size: it is another alloy. Everything that follows from it is
    derived anew, which takes a second.

    Args:
        name_or_path: A model with a ballast, with a livery if you like.
        grams: What the ballast weighs [g].

    Raises:
        SpecError: If the model has no ballast, or nothing is dense enough to weigh that much.
    """
    model, livery = split_livery(name_or_path)
    body = _load_plain(model, grams=grams)
    return dress(body, livery) if livery else body


def _load_plain(name_or_path: str, *, grams: float | None = None) -> Body:
    """Return the body of a model without a livery."""
    path = model_file(name_or_path)
    text = read_text(path, MODEL_FILE)
    spec = _spec(text, path.name)
    mesh = read_beside(path, spec.mesh, MESH_FILE)
    parts = read_beside(path, spec.parts, MESH_FILE) if spec.parts else b""
    colours = read_beside(path, spec.materials, COLOURS_FILE) if spec.materials else b""
    return _made(text, path.name, mesh, parts, colours, grams)


@lru_cache(maxsize=_KEPT)
def _spec(text: str, name: str) -> ModelSpec:
    return read_spec(text, name=name)


@lru_cache(maxsize=_KEPT)
def _made(
    text: str, name: str, mesh: bytes, parts: bytes, colours: bytes, grams: float | None
) -> Body:
    """Return the body that a model's files make; it is kept, and what hangs on it with it."""
    spec = _spec(text, name)
    if grams is not None:
        spec = _weighted(spec, grams)
    inks = read_mtl(colours.decode(errors="replace"), name=spec.materials) if spec.materials else {}
    skin = skin_from(read_obj(mesh.decode(errors="replace"), name=spec.mesh), inks)
    pieces = _parts(parts.decode(errors="replace"), spec.parts) if spec.parts else ()
    derived = spec.derived
    if derived is None or derived.sha256 != digest_of(spec, mesh, parts):
        _check_shape(spec, name)
        spec = derive(spec, skin, mesh, parts)
        derived = spec.derived
    assert derived is not None
    ballast = ballast_of(spec.ballast) if spec.ballast else None
    check_claims(derived, skin, density=spec.density_kg_m3, ballast=ballast, name=name)
    return body_from(spec, derived, skin, pieces)


def _weighted(spec: ModelSpec, grams: float) -> ModelSpec:
    """Return the model with a ballast of the same size that weighs `grams` [g]."""
    if spec.ballast is None:
        raise SpecError(
            "a model with a ballast", got=f"{spec.id}, which has none", remedy="premium"
        )
    volume = ballast_of(spec.ballast).volume
    most = DENSEST * volume * 1e3
    if not 0.0 < grams <= most:
        raise SpecError(
            f"a ballast of {spec.id} above 0 and up to {most:.2f} g (its pocket full of osmium)",
            got=f"{grams:g} g",
            remedy=f"ballast_g = {DENSEST * volume * 0.5e3:.1f}",
        )
    ballast = spec.ballast.model_copy(update={"density_kg_m3": grams * 1e-3 / volume})
    return spec.model_copy(update={"ballast": ballast})


def skin_from(mesh: ObjMesh, colours: dict[str, tuple[float, float, float]]) -> Skin:
    """Return the skin in a mesh file [mm], in metres."""
    vertices = mesh.vertices * 1e-3
    vertices.setflags(write=False)
    mesh.faces.setflags(write=False)
    return Skin(
        vertices=vertices,
        faces=mesh.faces,
        face_parts=mesh.groups,
        face_materials=mesh.materials,
        colours=colours,
    )


def _parts(text: str, name: str) -> tuple[ConvexPart, ...]:
    mesh = read_obj(text, name=name)
    groups = np.array(mesh.groups)
    parts = []
    for group in dict.fromkeys(mesh.groups):
        corners = np.unique(mesh.faces[groups == group])
        vertices = mesh.vertices[corners] * 1e-3
        vertices.setflags(write=False)
        parts.append(ConvexPart(name=group, vertices=vertices))
    return tuple(parts)


def _check_shape(spec: ModelSpec, name: str) -> None:
    """Raise where the numbers of a parametric shape were edited but its mesh was not built."""
    if spec.derived and spec.derived.shape_sha256 != shape_digest(spec):
        raise SpecError(
            f"the mesh that [shape] in {name} describes",
            got="numbers that were changed after the mesh was built",
            remedy="run scripts/build_models",
        )
