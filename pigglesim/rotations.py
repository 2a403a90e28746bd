"""Rotations as unit quaternions (x, y, z, w), and operations on them."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""An array of doubles; the docstring of each use gives its shape and unit."""
Indices = NDArray[np.int64]
"""An array of integers, such as the corners of triangles, shape [face_count, 3]."""


def to_matrix(quaternion: Array) -> Array:
    """Return the rotation matrix, shape [..., 3, 3], of unit quaternions, shape [4] or [n, 4]."""
    x, y, z, w = quaternion.T if quaternion.ndim > 1 else quaternion.tolist()
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.moveaxis(matrix, 2, 0) if quaternion.ndim > 1 else matrix


def from_matrix(matrix: Array) -> Array:
    """Return the unit quaternion, shape [4], of a rotation matrix, shape [3, 3].

    The largest of the four squared components is recovered first, which keeps every case well
    conditioned (Shepperd 1978).
    """
    m = matrix
    trace = float(np.trace(m))
    squares = np.array([m[0, 0], m[1, 1], m[2, 2], trace])
    k = int(np.argmax(squares))
    q = np.zeros(4)
    if k == 3:
        q[3] = 1 + trace
        q[0], q[1], q[2] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        q[k] = 1 + 2 * m[k, k] - trace
        q[i] = m[i, k] + m[k, i]
        q[j] = m[j, k] + m[k, j]
        q[3] = m[j, i] - m[i, j]
    return q / length(q)


def multiply(first: Array, second: Array) -> Array:
    """Return the quaternion that rotates by `second`, shape [4], and then by `first`.

    Args:
        first: One quaternion, shape [4], or several, shape [n, 4]; the result has the same shape.
        second: Quaternion, shape [4].
    """
    ax, ay, az, aw = first.T if first.ndim > 1 else first.tolist()
    bx, by, bz, bw = second.tolist()
    return np.array(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    ).T


def rotate(quaternion: Array, vectors: Array) -> Array:
    """Return `vectors`, shape [..., 3], rotated by a unit quaternion."""
    return transform(to_matrix(quaternion), vectors)


def transform(matrix: Array, vectors: Array) -> Array:
    """Return `matrix`, shape [count, 3], times each of `vectors`, shape [..., 3].

    Unlike numpy's matrix product, it gives the same last digits on any processor. The order in
    which BLAS adds depends on the processor, and BLAS uses fused multiply-add where it can.
    """
    x, y, z = (vectors[..., k, None] for k in range(3))
    first, second, third = matrix.T
    moved: Array = x * first + y * second + z * third
    return moved


def dot(first: Array, second: Array) -> float:
    """Return the scalar product of two vectors, shape [3]; the same bits on any processor."""
    (a, b, c), (d, e, f) = first.tolist(), second.tolist()
    return float(a * d + b * e + c * f)


def length(vector: Array) -> float:
    """Return the length of a vector of any size; the same bits on any processor."""
    return math.sqrt(math.fsum(x * x for x in np.asarray(vector, dtype=float).tolist()))


def axis_angle(axis: Array, angle: float) -> Array:
    """Return the quaternion of a rotation by `angle` [rad] about `axis`, shape [3]."""
    unit = np.asarray(axis, dtype=float) / length(axis)
    return np.array([*(math.sin(angle / 2) * unit), math.cos(angle / 2)])


def upright(down: Array) -> Array:
    """Return the rotation matrix, shape [3, 3], that turns `down` of the body's frame to the floor.

    The body's +z axis, a Piggle's face, points to the world's -y as far as it can; where it points
    straight up or down, the body's +y axis, a Piggle's crown, points to +y.
    """
    up = -np.asarray(down, dtype=float)
    ahead = np.array([0.0, 0.0, 1.0]) - up * float(up[2])
    if np.linalg.norm(ahead) <= 0.4:
        ahead = up * float(up[1]) - np.array([0.0, 1.0, 0.0])
    ahead /= np.linalg.norm(ahead)
    # Rows: where world x, y and z lie in the body.
    return np.array([np.cross(up, ahead), -ahead, up])


def angle_between(first: Array, second: Array) -> float:
    """Return the angle [rad] of the rotation that takes one rotation to the other."""
    relative = multiply(first, np.array([-second[0], -second[1], -second[2], second[3]]))
    return 2.0 * math.atan2(length(relative[:3]), abs(float(relative[3])))


def random_quaternion(*, rng: np.random.Generator) -> Array:
    """Return a rotation drawn uniformly over all rotations (a normal 4-vector, scaled)."""
    q = rng.standard_normal(4)
    return q / length(q)


def continuous(rotations: Array) -> Array:
    """Return rotations over time, first axis, each with the sign closer to its predecessor."""
    flipped = np.sum(rotations[1:] * rotations[:-1], axis=-1, keepdims=True) < 0.0
    signs = np.cumprod(np.where(flipped, -1.0, 1.0), axis=0)
    continued: Array = np.concatenate([rotations[:1], signs * rotations[1:]])
    return continued
