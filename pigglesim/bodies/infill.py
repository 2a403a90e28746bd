"""Mass properties of a 3D print: solid walls, top and bottom layers, and sparse infill inside.

The body is cut into layers along its axis z, as a slicer cuts it. In each layer the infill is what
is farther from the outline than the walls are thick, as far as all layers within the thickness of
top and bottom have plastic there, too. The infill counts as uniform.
"""

from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import MassProperties
from pigglesim.bodies.mesh import Mesh, shifted_inertia
from pigglesim.errors import SpecError
from pigglesim.rotations import Array

LAYER = 2e-4
"""Height of a layer of a print [m]."""
LINE = 0.42
"""Width of a line of a wall [mm]: slicers' default for a nozzle of 0.4 mm."""

_LEAST = 1e-3
"""Smallest share of the solid mass: without walls, only rounding is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Infill:
    """Inside of a print."""

    share: float
    """Density of the infill, 0 to 1 of the plastic."""
    wall: float
    """Thickness of the walls [m]."""
    cover: float
    """Thickness of the top and bottom layers [m]."""


def with_infill(
    solid: MassProperties, skin: Mesh, infill: Infill, *, density: float, inside: Mesh | None
) -> MassProperties:
    """Return the mass properties of a body with sparse infill, from those of the solid body.

    Lengths are in m, the density of the plastic in kg/m3. `inside` is the surface of the ballast,
    which has walls around it too.

    Raises:
        SpecError: If nothing is left.
    """
    volume, first, second = _core_moments(skin, infill, inside)
    lost = (infill.share - 1.0) * density
    mass = solid.mass + lost * volume
    if mass < _LEAST * solid.mass:
        raise SpecError("no plastic is left of a print", fix="add walls, or infill")
    # Moments of mass about the origin of the axes.
    moment = solid.mass * solid.centre + lost * first
    centre = moment / mass
    about_origin = solid.inertia + shifted_inertia(solid.mass, solid.centre)
    about_origin = about_origin + lost * (np.trace(second) * np.eye(3) - second)
    return MassProperties(
        mass=mass, centre=centre, inertia=about_origin - shifted_inertia(mass, centre)
    )


def _core_moments(skin: Mesh, infill: Infill, inside: Mesh | None) -> tuple[float, Array, Array]:
    """Return volume [m3], first [m4] and second moments [m5] of the region of the infill."""
    from manifold3d import CrossSection, JoinType  # noqa: PLC0415 (needed for prints only)

    low, high = float(skin.vertices[:, 2].min()), float(skin.vertices[:, 2].max())
    count = round((high - low) / LAYER)
    step = (high - low) / count
    heights = low + step * (np.arange(count) + 0.5)
    plastic, hole = _solid(skin), _solid(inside) if inside else None

    def grown(section: CrossSection, by: float) -> CrossSection:
        return section.offset(by, JoinType.Round, 2.0, 48)

    outlines = [plastic.slice(height * 1e3) for height in heights.tolist()]
    holes = [hole.slice(height * 1e3) for height in heights.tolist()] if hole else []
    covers = round(infill.cover / step)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for layer in range(covers, count - covers):
        around = slice(layer - covers, layer + covers + 1)
        core = grown(outlines[layer], -infill.wall * 1e3)
        for outline in outlines[around]:
            core ^= outline
        for section in holes[around]:
            if not section.is_empty():
                core -= grown(section, infill.wall * 1e3)
        area, flat_first, flat_second = _polygon_moments(core.to_polygons())
        z = float(heights[layer])
        volume += area * step
        first += np.append(flat_first, area * z) * step
        second[:2, :2] += flat_second * step
        second[:2, 2] += flat_first * z * step
        second[2, 2] += area * (z**2 + step**2 / 12.0) * step
    second[2, :2] = second[:2, 2]
    return volume, first, second


def _solid(surface: Mesh):  # type: ignore[no-untyped-def]  # noqa: ANN202 (manifold3d)
    from manifold3d import Manifold, Mesh64  # noqa: PLC0415 (needed for prints only)

    return Manifold(
        Mesh64(
            vert_properties=np.ascontiguousarray(surface.vertices * 1e3),
            tri_verts=np.ascontiguousarray(surface.faces.astype(np.uint64)),
        )
    )


def _polygon_moments(loops: list[Array]) -> tuple[float, Array, Array]:
    """Return area [m2], first [m3] and second moments [m4] of loops [mm]; holes are clockwise."""
    area, first, second = 0.0, np.zeros(2), np.zeros((2, 2))
    for loop in loops:
        start = np.asarray(loop, dtype=float) * 1e-3
        end = np.roll(start, -1, axis=0)
        cross = start[:, 0] * end[:, 1] - end[:, 0] * start[:, 1]
        total = start + end
        area += cross.sum() / 2.0
        first += cross @ total / 6.0
        # Triangles with a corner at the origin: sums over corners, and over their sum.
        second += (
            sum(np.einsum("i,ij,ik->jk", cross, points, points) for points in (start, end, total))
            / 24.0
        )
    return float(area), first, second
