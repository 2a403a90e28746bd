"""Normals for drawing: smooth over what is round, sharp where parts or edges meet."""

import math

import numpy as np

from pigglesim.bodies.body import Indices, Skin
from pigglesim.rotations import Array


def corner_normals(skin: Skin, *, crease: float = math.radians(50.0)) -> Array:
    """Return a unit normal for each corner of each face, shape [face_count, 3, 3].

    A corner takes the mean, weighted by angle and area, of the faces at its vertex that have
    the same part and material and turn from its own by less than `crease` [rad].
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
    return _means(skin.faces.reshape(-1), unit, kinds, weights, math.cos(crease))


def _means(owners: Indices, unit: Array, kinds: Indices, weights: Array, limit: float) -> Array:
    """Return the mean normal at each corner over the like-minded faces of its vertex."""
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
