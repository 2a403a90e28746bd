"""Points spread evenly over a box, and quadratics by least squares through values at points."""

import numpy as np

from pigglesim.rotations import Array


def spread_evenly(count: int, dimensions: int, *, seed: int) -> Array:
    """Return points spread evenly over the unit cube, shape [count, dimensions].

    A scrambled Sobol sequence (Owen 1998). Whole powers of two are spread evenly; shorter
    sequences are the beginning of longer ones.
    """
    from scipy.stats import qmc  # noqa: PLC0415 (slow to import)

    sobol = qmc.Sobol(dimensions, rng=np.random.default_rng(seed))
    points: Array = sobol.random_base2(max(count - 1, 1).bit_length())[:count]
    return points


def terms(points: Array) -> Array:
    """Return 1, every coordinate, every square and every product of points, as columns."""
    columns = list(points.T)
    products = [columns[i] * columns[j] for i in range(len(columns)) for j in range(i + 1)]
    return np.column_stack([np.ones(len(points)), *columns, *products])


def normal_matrix(columns: Array, ridge: float) -> Array:
    """Return the matrix of the normal equations.

    The ridge, in rows, holds at zero what the rows do not determine.
    """
    matrix: Array = columns.T @ columns + ridge * len(columns) * np.eye(columns.shape[1])
    return matrix
