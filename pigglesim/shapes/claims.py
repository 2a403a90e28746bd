"""Whether what a model file says was derived can be what its mesh is: a digest is no signature."""

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Skin
from pigglesim.shapes.mass import Ballast
from pigglesim.shapes.spec import DerivedSpec

__all__ = ["check_claims"]

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
