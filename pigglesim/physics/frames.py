"""Principal frames and thinned hulls of bodies: the same bits on any machine."""

from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from math import copysign, pi, sqrt

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import convex_hull
from pigglesim.rotations import Array, from_matrix, transform
from pigglesim.trig import sin_cos

_MAX_THINNING = 5e-4
"""Largest distance of a hull from its thinned hull [m]."""
_THIN_DIRECTIONS = 2000
"""Number of directions in which that distance is measured: some 2.5 degrees apart."""

_NEGLIGIBLE = 2.0**-60
"""Share of the diagonal entry below which an entry counts as zero: far below rounding."""

_PAIRS = ((0, 1), (0, 2), (1, 2))

_MAX_ROTATIONS = 60
"""Maximum number of Jacobi rotations: twenty sweeps; six are usual."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrincipalFrame:
    """The frame in which a body's inertia is diagonal: origin at its centre of mass."""

    centre: Array
    """Origin in the body frame [m], shape [3]."""
    axes: Array
    """Axes as columns in the body frame, shape [3, 3], right-handed."""
    moments: Array
    """Principal moments of inertia [kg m2], shape [3]."""
    rotation: Array
    """Unit quaternion from principal to body axes, shape [4]."""
    inverse_rotation: Array
    """Inverse of `rotation`, shape [4]."""

    def to_principal(self, points: Array) -> Array:
        """Return points of the body frame [m], shape [count, 3], in this frame."""
        return transform(self.axes.T, points - self.centre)


@cache
def principal_frame(body: Body) -> PrincipalFrame:
    """Return the principal frame of a body; the same bits on any machine."""
    moments, axes = eigen_decomposition(body.mass.inertia)
    # Signs are free; fix them, so that similar bodies have similar frames.
    for k in range(3):
        if axes[np.argmax(np.abs(axes[:, k])), k] < 0.0:
            axes[:, k] = -axes[:, k]
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        axes[:, 2] = -axes[:, 2]
    rotation = from_matrix(axes)
    return PrincipalFrame(
        centre=body.mass.centre,
        axes=axes,
        moments=moments,
        rotation=rotation,
        inverse_rotation=rotation * np.array([-1.0, -1.0, -1.0, 1.0]),
    )


_SPHERE = 12
"""Points on a quarter of a great circle of a rounding."""


def rounded_vertices(body: Body) -> Array:
    """Return the vertices of the hull with its rounding [m], principal frame, shape [count, 3].

    A rounding becomes points on the sphere around each vertex, for engines that know none.
    """
    vertices = principal_frame(body).to_principal(body.hull.vertices)
    if body.rounding == 0.0:
        return vertices
    steps = np.arange(-_SPHERE, _SPHERE + 1)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    grid = grid[np.abs(grid).sum(axis=1) == _SPHERE]  # an octahedron
    directions = grid / np.sqrt((grid**2).sum(axis=1))[:, None]
    points = (vertices[:, None] + body.rounding * directions).reshape(-1, 3)
    return convex_hull(points).vertices


def eigen_decomposition(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues, from the least, and eigenvectors as columns, of a symmetric matrix.

    By Jacobi rotations (Golub and Van Loan 2013, section 8.5), each of which makes one pair of
    entries vanish. LAPACK is faster, but its last digits depend on the kind of processor, and a
    pour magnifies last digits into other readings. Products, sums and roots do not.

    Returns:
        Eigenvalues, shape [3], and eigenvectors, shape [3, 3].
    """
    a: list[list[float]] = matrix.tolist()
    v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for p, q in islice(cycle(_PAIRS), _MAX_ROTATIONS):
        if all(abs(a[i][j]) <= _NEGLIGIBLE * abs(a[i][i]) for i, j in _PAIRS):
            break
        if a[p][q] == 0.0:
            continue
        slope = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
        tangent = copysign(1.0, slope) / (abs(slope) + sqrt(slope * slope + 1.0))
        cosine = 1.0 / sqrt(tangent * tangent + 1.0)
        sine = tangent * cosine
        for row in (*a, *v):
            row[p], row[q] = cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]
        for k in range(3):
            upper, lower = a[p][k], a[q][k]
            a[p][k], a[q][k] = cosine * upper - sine * lower, sine * upper + cosine * lower
        a[p][q] = a[q][p] = 0.0
    order = sorted(range(3), key=lambda k: a[k][k])
    return np.array([a[k][k] for k in order]), np.array([[row[k] for k in order] for row in v])


@cache
def thin_hull(body: Body) -> Array:
    """Return some hull vertices [m], shape [count, 3]: a hull at most `_MAX_THINNING` smaller.

    The vertex farthest outside the hull so far is added until none is farther than that. Distances
    are compared along the directions of a Fibonacci lattice.
    """
    points = body.hull.vertices
    heights = transform(_fibonacci_lattice(_THIN_DIRECTIONS), points)
    full, so_far = heights.max(axis=0), np.full(_THIN_DIRECTIONS, -np.inf)
    chosen: list[int] = []
    while (gaps := full - so_far).max() > _MAX_THINNING:
        chosen.append(int(np.argmax(heights[:, np.argmax(gaps)])))
        so_far = np.maximum(so_far, heights[chosen[-1]])
    thin: Array = points[sorted(chosen)]
    return thin


def _fibonacci_lattice(count: int) -> Array:
    """Return directions spread evenly over the sphere, shape [count, 3] (Swinbank, Purser 2006)."""
    golden = pi * (1.0 + 5.0**0.5)
    directions = []
    for i in range(count):
        z = 1.0 - (2 * i + 1) / count
        sine, cosine = sin_cos(golden * (i + 0.5))
        directions.append((cosine * sqrt(1.0 - z * z), sine * sqrt(1.0 - z * z), z))
    return np.array(directions)
